"""Charts of what grows with the load: IOPS or bandwidth, and the busy share of the host's CPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import metric_of
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.showing.figures import axes, line_chart
from perfkit.showing.figures.line_chart import Line
from perfkit.showing.figures.lines import broken, line_of
from perfkit.showing.figures.words import Words, chart_words

if TYPE_CHECKING:
    from perfkit.core.values import Figure


@step(version=3, name="figure.scaling")
def plot_scaling(curve: Measured, *, metric: str = "iops") -> Figure:
    """IOPS (or bandwidth) against the load, each load at the same distance from the next."""
    series = axes.split(curve, [metric])
    given = (
        f"{metric_of(metric).title()} by {axes.in_sentence(axes.load_title(series))}."
        f"{axes.bars_note(series, metric)}{axes.missing_note(curve, series)}"
    )
    return _by_load(series, metric, value_id="scaling", caption=given)


@step(version=5, name="figure.cpu")
def plot_cpu(curve: Measured, *, against: str = "iops") -> Figure:
    """Busy share of the host's CPUs against IOPS, or against the load (``against="load"``)."""
    if against not in {"iops", "load"}:
        raise AnalysisError(f"host CPU is drawn against 'iops' or 'load', not {against!r}")
    metric = "cpu_busy_ratio"
    series = axes.split(curve, [*(["iops"] if against == "iops" else []), metric])
    by = "against IOPS" if against == "iops" else f"by {axes.in_sentence(axes.load_title(series))}"
    given = f"Host CPU {by}.{axes.missing_note(curve, series)}"
    if against == "load":
        return _by_load(series, metric, value_id="host-cpu", caption=given)
    (x, iops), (y, share) = axes.scale_of("iops", series), axes.scale_of(metric, series)
    lines = _lines(series, x="iops", y=metric, forms=(iops, share))
    for line in lines:
        line.trace.pop("error_x", None)  # of IOPS: this chart is about the CPU, without interval
    loads = [
        (line.trace["customdata"][i], line.trace["x"][i], line.trace["y"][i])
        for line in lines for i, text in enumerate(line.trace["customdata"]) if text is not None
    ]  # fmt: skip
    chart = line_chart.draw(lines, x, y, loads=loads if len(series) == 1 else ())
    chart.layout["meta"] = axes.brushing(("iops", iops), (metric, share))
    return _finish(chart, series, "iops", metric, value_id="host-cpu", caption=given)


def _lines(series: axes.Series, *, x: str, y: str, forms: tuple[Format, Format]) -> list[Line]:
    several = len(series) > 1
    return [
        Line(broken(line_of(label, part, place.look, x=x, y=y, forms=forms, several=several)),
             place.name, place.panel)
        for place, (label, part) in zip(axes.places_of(series), series.items(), strict=True)
    ]  # fmt: skip


def _by_load(series: axes.Series, metric: str, *, value_id: str, caption: str) -> Figure:
    places = axes.load_places(series)
    y, form = axes.scale_of(metric, series)
    moved = {
        label: [{**row, "place": places[row["load"]]} for row in part]
        for label, part in series.items()
    }
    lines = _lines(moved, x="place", y=metric, forms=(Format("1"), form))
    chart = line_chart.draw(lines, axes.load_scale(series), y)
    return _finish(chart, series, "load", metric, value_id=value_id, caption=caption)


def _finish(
    chart: line_chart.Chart, series: axes.Series, x: str, y: str, *, value_id: str, caption: str
) -> Figure:
    words = Words()
    alt = chart_words(words, series, x, y)
    return chart.figure(value_id, caption, alt, words.printed)
