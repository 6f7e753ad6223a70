"""Charts of recordings over time: what iostat, vmstat, mpstat, sar and others watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfkit.analysis.over_time.recorded import MOST_DRAWN, extremes
from perfkit.core.errors import AnalysisError
from perfkit.core.keys import distinct, file_of, rows_by, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.plain_text import plain
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Figure
from perfkit.showing.figures import line_chart, panels
from perfkit.showing.figures.panel_lines import MARKED, Line, line_trace
from perfkit.showing.figures.scales import Scale, share_above
from perfkit.showing.figures.words import Words

QUANTITIES = {
    "cpu_busy_ratio": ("Host CPU busy", "%"),
    "cpu_user_ratio": ("Host CPU in user code", "%"),
    "cpu_system_ratio": ("Host CPU in the kernel", "%"),
    "cpu_iowait_ratio": ("Host CPU waiting for I/O", "%"),
    "memory_used_bytes": ("Host memory used", "GiB"),
    "memory_available_bytes": ("Host memory available", "GiB"),
    "disk_read_bytes_per_s": ("Disk reads", "MB/s"),
    "disk_write_bytes_per_s": ("Disk writes", "MB/s"),
    "disk_read_iops": ("Disk reads", "IOPS"),
    "disk_write_iops": ("Disk writes", "IOPS"),
    "transfers_per_s": ("I/Os of every kind", "IOPS"),
    "bw_bytes_per_s": ("Throughput", "MB/s"),
}
"""Column over time -> axis title and unit."""

_BY_END = {
    "iops": ("IOPS", "IOPS"),
    "_bytes_per_s": ("MB/s", "throughput"),
    "_per_s": ("1/s", "per second"),
    "_ratio": ("%", "share"),
    "_bytes": ("GiB", ""),
    "_s": ("ms", ""),
}
"""The unit of any other quantity, by the end of its name, and the words in place of the end."""


def plots_recorded(recorded: Mapping[str, Measured]) -> list[Figure]:
    """A chart of each quantity of ``study.recorded``; its id is the table's and the quantity's."""
    return [
        plot_recorded(lines.filter(quantity=name)).renamed(f"{table}-{name}".replace("_", "-"))
        for table, lines in recorded.items()
        for name in lines.frame["quantity"].unique(maintain_order=True)
    ]


@step(version=5, name="figure.recorded")
def plot_recorded(lines: Measured) -> Figure:
    """One quantity of ``recorded_lines`` over time, a line each thing that was watched.

    A recording that gives no time is drawn by sample; where a sample has no value, the line has a
    gap. A line of more than ``MOST_DRAWN`` samples is drawn by the lowest and the highest in each
    of its stretches.

    Raises AnalysisError for several quantities, AbsentError for more lines than a page has room
    for.
    """
    names = lines.frame["quantity"].unique().to_list()
    if len(names) != 1:
        raise AnalysisError("recorded: one quantity a chart; filter by quantity first")
    few = extremes(lines.frame)
    rows = few.rows(named=True)
    title, unit = _quantity(names[0])
    drawn = _lines(rows)
    clock = _clock(rows)
    scale = UNITS[unit].si
    parts = _names([own[0] for own in drawn])
    several = len(drawn) > 1
    traces = [
        line_trace(
            place.look,
            panels.joined(name) or "host",
            [clock.at(row) for row in own],
            [None if row["value"] is None else row["value"] / scale for row in own],
            (clock.unit, UNITS[unit].symbol),
            marked=len(own) <= MARKED,
            dashed=several,
        )
        for place, name, own in zip(panels.places(parts), parts, drawn, strict=True)
    ]
    highest = max(row["value"] for row in rows if row["value"] is not None) / scale
    y = Scale(
        title if unit == "IOPS" else f"{title} ({unit})",
        rate=unit == "IOPS",
        high=share_above(highest) if unit == "%" else None,
    )
    chart = line_chart.draw(
        [
            Line(trace, place.name if several else "", place.panel)
            for trace, place in zip(traces, panels.places(parts), strict=True)
        ],
        Scale(clock.title, whole=clock.column == "sample"),
        y,
    )
    words = Words()
    alt = _alt(words, drawn, title, unit)
    caption = _caption(rows, title, unit)
    if few.height < lines.frame.height:
        said = "; of more than {} samples, a line shows the lowest and the highest in each stretch."
        caption = f"{caption.removesuffix('.')}{said.format(f'{MOST_DRAWN:,}')}"
    return chart.figure("recorded", caption, alt, words.printed)


def _caption(rows: Sequence[Row], title: str, unit: str) -> str:
    shown, every = len({(row["thing"], file_of(row)) for row in rows}), rows[0]["things"]
    more = f", the {shown} of {every} with the highest mean" if every > shown else ""
    named = title if unit in {title.rsplit(" ", maxsplit=1)[-1], "1"} else f"{title} ({unit})"
    # a thing that all lines are of is in none of their names
    things = {row["thing"] for row in rows}
    of = f": {plain(str(rows[0]['thing']))}" if len(things) == 1 and rows[0]["thing"] else ""
    return f"{named} over time{more}{of}."


def _quantity(name: str) -> tuple[str, str]:
    """Axis title and unit of a quantity."""
    if name in QUANTITIES:
        return QUANTITIES[name]
    end = next((end for end in _BY_END if name.endswith(end)), "")
    unit, noun = _BY_END.get(end, ("1", ""))
    words = f"{name.removesuffix(end).strip('_').replace('_', ' ')} {noun}".strip()
    return words[:1].upper() + words[1:], unit


def _lines(rows: Sequence[Row]) -> list[list[Row]]:
    """The samples of each line that has a value, from its first value to its last."""
    found = []
    for own in rows_by(
        rows, lambda row: (row.get("system"), row.get("config"), row["thing"], file_of(row))
    ).values():
        known = [place for place, row in enumerate(own) if row["value"] is not None]
        if known:
            found.append(own[known[0] : known[-1] + 1])
    return found


def _names(firsts: Sequence[Row]) -> list[panels.Name]:
    """What differs between the lines (system, configuration, thing), else the files' names."""
    parts = [
        (*(str(row.get(name) or "") for name in ("system", "config")), row["thing"] or "controller")
        for row in firsts
    ]
    used = [place for place in range(3) if len({part[place] for part in parts}) > 1]
    differing = [tuple(part[place] for place in used) for part in parts]
    if len(set(differing)) == len(differing):
        return differing
    known = list(dict.fromkeys(file_of(row) for row in firsts))
    short = dict(zip(known, short_names(known), strict=True))
    named = [(*name, short[file_of(row)]) for name, row in zip(differing, firsts, strict=True)]
    if len(set(named)) == len(named):
        return named
    return [(name,) for name in distinct([panels.joined(name) for name in named])]


@dataclass(frozen=True)
class _Clock:
    """The x axis: its title, the column along it, and the unit and seconds of its numbers."""

    title: str
    column: str
    unit: str = ""
    scale: float = 1.0

    def at(self, row: Row) -> float | None:
        """Where a sample is on the axis."""
        value = row[self.column]
        return None if value is None else value / self.scale


_SCALES = (("s", 1.0, 900.0), ("min", 60.0, 4 * 3600.0), ("h", 3600.0, float("inf")))
"""Unit of the time axis, its seconds, and the longest time that is drawn in it."""


def _clock(rows: Sequence[Row]) -> _Clock:
    """Seconds, minutes or hours, or the number of the sample where no time is given."""
    times = [row["t_s"] for row in rows if row["t_s"] is not None]
    if not times:
        return _Clock("Sample", "sample")
    unit, by, _ = next(scale for scale in _SCALES if max(times) <= scale[2])
    return _Clock(f"Time since the recording began ({unit})", "t_s", unit, by)


def _alt(words: Words, lines: Sequence[Sequence[Row]], title: str, unit: str) -> str:
    form = Format(unit, significant=3)
    said = []
    for own in lines:
        values = [row["value"] for row in own if row["value"] is not None]
        low, high = (words.keep(form.show(pick(values))) for pick in (min, max))
        said.append(f"{own[0]['thing'] or 'the whole time'}: {low} to {high}")
    return f"Line chart of {title[:1].lower()}{title[1:]} over time. {'; '.join(said)}."
