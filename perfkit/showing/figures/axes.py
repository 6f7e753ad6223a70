"""What the charts share: a curve's rows by label, and axes over load points and latencies."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.analysis.curves.metrics import (
    LOAD_AXIS,
    column_format,
    in_words,
    is_rate,
    load_number,
    metric_of,
    rates_of,
)
from perfkit.analysis.curves.series import by_label, require_columns, series_names
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.showing.figures import panels
from perfkit.showing.figures.canvas import Plotly
from perfkit.showing.figures.scales import Scale, share_above, wide

Series = dict[str, list[Row]]

TIMES = {"us", "ms", "s"}

LIMIT_NEAR = 30.0
"""A limit this factor below all values still asks for an axis that shows it."""


def split(curve: Measured, needed: Sequence[str]) -> Series:
    """The curve's rows by label, in order of load, without the points that lack a needed value.

    The row after such a point has ``after_gap``: no line leads to it from the one before.

    Raises AnalysisError when no point has all needed values: an empty chart shows nothing.
    """
    require_columns(curve.frame, ["load", "load_kind", *needed], "curve")
    rows = curve.frame.rows(named=True)
    every = {label: _known(part, needed) for label, part in by_label(rows).items()}
    found = {label: part for label, part in every.items() if part}
    if not found:
        words = " and ".join(in_words(name) for name in needed)
        raise AbsentError(f"no load point carries {words}: there is nothing to draw")
    return found


def _known(rows: list[Row], needed: Sequence[str]) -> list[Row]:
    kept: list[Row] = []
    gap = False
    for row in sorted(rows, key=lambda row: row["load"]):
        if any(row[name] is None for name in needed):
            gap = True
            continue
        kept.append({**row, "after_gap": gap and bool(kept)})
        gap = False
    return kept


def common_load(series: Series, asked: float | None) -> float:
    """The load asked for, else the highest that every curve has.

    Raises AbsentError where they have no load in common, AnalysisError where not the one asked for.
    """
    shared = set.intersection(*({row["load"] for row in rows} for rows in series.values()))
    if not shared:
        raise AbsentError("no load is common to all curves")
    if asked not in {None, *shared}:
        raise AnalysisError(f"no load {load_number(asked or 0).text} is common to all curves")
    return max(shared) if asked is None else asked


def missing_note(curve: Measured, series: Series) -> str:
    """Words for the caption when points were left out for lack of a value; never in silence."""
    left = len(curve) - sum(len(rows) for rows in series.values())
    return f" Not drawn, for lack of a value: {left}." if left else ""


def bars_note(series: Series, metric: str) -> str:
    """Words for the caption on what the bars are; none where no point has an interval."""
    rows = [row for row in all_rows(series) if row.get(f"{metric}_high") is not None]
    if not rows:
        return ""
    counts = sorted({row["repeats"] for row in rows})
    over = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f" Bars are 95% intervals over {over} repeats, each load by itself."


def all_rows(series: Series) -> list[Row]:
    """The rows of every series."""
    return [row for rows in series.values() for row in rows]


def axis_title(metric: str, direction: str, form: Format) -> str:
    """The title of an axis with its unit."""
    if metric == "iops":
        return f"{rates_of(direction or 'total').capitalize()} IOPS"
    title = metric_of(metric).title(direction)
    symbol = UNITS[form.unit].symbol
    return f"{title} ({symbol})" if symbol else title


def axis_format(metric: str, values: Sequence[float]) -> Format:
    """The unit of an axis: IOPS in ones, times by their largest value.

    Where times cross orders of magnitude, it is the unit of those in the middle.
    """
    if is_rate(metric):
        return Format("IOPS")
    if wide(values):
        return column_format(metric, [(min(values) * max(values)) ** 0.5])
    return column_format(metric, [max(values)])


def scale_of(metric: str, series: Series, limits: Sequence[float] = ()) -> tuple[Scale, Format]:
    """The axis of a metric, and the unit of what is drawn along it (``axis_format``).

    It is logarithmic where latencies, with a limit of theirs, cross orders of magnitude. A busy
    share ends at the next round number above the highest.
    """
    rows = all_rows(series)
    values = [row[metric] for row in rows]
    form = axis_format(metric, values)
    title = axis_title(metric, rows[0].get("direction") or "total", form)
    if metric == "cpu_busy_ratio":
        return Scale(title, high=share_above(max(values) * 100)), form
    near = [limit for limit in limits if limit * LIMIT_NEAR >= min(values) and limit < min(values)]
    rate = is_rate(metric)
    log = not rate and wide([*values, *near])
    return Scale(title, rate=rate, log=log, time=form.unit in TIMES), form


def load_scale(series: Series) -> Scale:
    """The axis over loads: neighbours have the same distance."""
    ticks = {place: load_number(load).text for load, place in load_places(series).items()}
    return Scale(load_title(series), ticks=ticks)


def places_of(series: Series) -> list[panels.Place]:
    """The panel, name and look of each curve; workloads that hold several curves stand apart.

    A curve alone has no name: the caption says what it is. One without the keys of the others, as
    of the files beside folders, has the name that tables give it.
    """
    if len(series) == 1:
        return [panels.Place("", "", 0)]
    names = series_names([rows[0] for rows in series.values()])
    parts = [name.parts if any(name.parts) else (name.label, *name.parts[1:]) for name in names]
    return panels.places(parts, names[0].workload)


def load_title(series: Series) -> str:
    """The load kind as an axis title; curves of several kinds have no common one."""
    kinds = {row["load_kind"] for row in all_rows(series)}
    return LOAD_AXIS.get(next(iter(kinds)), next(iter(kinds))) if len(kinds) == 1 else "Load"


def in_sentence(title: str) -> str:
    """A load's title in the middle of a sentence: threads, but offered IOPS."""
    return title[:1].lower() + title[1:]


def load_places(series: Series) -> dict[float, float]:
    """Each load's place on an axis where neighbours have the same distance."""
    return {
        load: float(i) for i, load in enumerate(sorted({row["load"] for row in all_rows(series)}))
    }


def load_axis(places: dict[float, float]) -> Plotly:
    """The ticks of such an axis."""
    return {
        "tickmode": "array",
        "tickvals": list(places.values()),
        "ticktext": [load_number(load).text for load in places],
        "showgrid": False,
    }


def brushing(x: tuple[str, Format], y: tuple[str, Format]) -> Plotly:
    """``layout.meta`` of a chart: each axis's metric and SI units in one unit of the axis.

    So that a range brushed in the chart is known.
    """
    return {
        axis: {"metric": metric, "si": UNITS[form.unit].si}
        for axis, (metric, form) in (("x", x), ("y", y))
    }
