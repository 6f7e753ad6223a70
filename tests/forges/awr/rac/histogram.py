"""The wait event histogram of the cluster, RAC-global."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.content import Content, Histogram, ratio
from forges.awr.printing import BLANK, MICRO, Shown, kilo, percent, word
from forges.awr.rac.cells import level
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.rac.dialect import RacDialect

NAMES = [
    " <1us",
    " <2us",
    " <4us",
    " <8us",
    " <16us",
    " <32us",
    " <64us",
    " <128us",
    " <256us",
    " <512us",
    " <1ms",
    " <2ms",
    " <4ms",
    " <8ms",
    " <16ms",
    " <32ms",
    " <64ms",
    " <128ms",
    " <256ms",
    " <512ms",
    " <1s",
    " >=1s",
]


def histogram_sheet(content: Content, dialect: RacDialect) -> Sheet | None:
    """The wait event histogram."""
    if not dialect.new:
        return None
    found: dict[str, list[Histogram]] = {}
    for instance in content.instances:
        for histogram in instance.histograms:
            found.setdefault(histogram.event, []).append(histogram)
    lines = []
    for name, parts in sorted(found.items()):
        waits = kilo(sum(h.total for h in parts))
        total = sum(h.total for h in parts)
        cells, said = [], []
        for place in range(len(NAMES)):
            low = None if place == 0 else place - 1
            high = None if place == len(NAMES) - 1 else place
            count = sum(h.between(low, high) for h in parts)
            shown = _share(count, total)
            cells.append(shown)
            if shown.text:
                said.append({
                    "event": name, "waits": waits.says, "waits_ratio": shown.says,
                    "lower_s": Decimal(0) if low is None else 2**low * MICRO,
                    "upper_s": None if high is None else 2**high * MICRO,
                    "count": Decimal(count) if "(" in shown.text else None,
                })  # fmt: skip
        lines.append(Line([word(name), waits, *cells], said=tuple(said)))
    columns = (
        Column("Event", left=True), Column("Waits"),
        *(Column(name, group="% of Total Waits") for name in NAMES),
    )  # fmt: skip
    return Sheet(
        "event_histogram", "Wait Event Histogram (Global)",
        "This table displays wait event histogram information", columns, tuple(lines),
        anchor="12055", fixed=level(None),
        bullets=("When % of Total Waits is  0.0 the count is displayed in parenthesis",),
    )  # fmt: skip


def _share(count: int, total: int) -> Shown:
    if not count:
        return BLANK
    shown = percent(ratio(count, total), 1)
    return Shown(f"0.0({count})", Decimal(0)) if shown.text == "0.0" else shown
