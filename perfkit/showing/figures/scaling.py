"""Charts of curves: scaling with the load, and host CPU against IOPS."""

from __future__ import annotations

from perfkit.analysis.curves.metrics import metric_of
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.units import Format
from perfkit.core.values import Figure
from perfkit.showing.figures import axes, line_chart
from perfkit.showing.figures.curve_lines import broken, line_of
from perfkit.showing.figures.panel_lines import Line
from perfkit.showing.figures.words import Words, chart_words


@step(version=3, name="figure.scaling")
def plot_scaling(curve: Measured, *, metric: str = "iops") -> Figure:
    """IOPS (or bandwidth) against the load, each load at the same distance from the next.

    Raises AbsentError where every curve is of one load.
    """
    series = axes.split(curve, [metric])
    if all(len(part) == 1 for part in series.values()):
        raise AbsentError("every curve is of one load, so nothing shows how it scales")
    places = axes.load_places(series)
    y, form = axes.scale_of(metric, series)
    moved = {
        label: [{**row, "place": places[row["load"]]} for row in part]
        for label, part in series.items()
    }
    lines = _named_lines(moved, x="place", y=metric, forms=(Format("1"), form))
    caption = (
        f"{metric_of(metric).title()} by {axes.in_sentence(axes.load_title(series))}."
        f"{axes.bars_note(series, metric)}{axes.missing_note(curve, series)}"
    )
    chart, words = line_chart.draw(lines, axes.load_scale(series), y), Words()
    alt = chart_words(words, series, "load", metric)
    return chart.figure("scaling", caption, alt, words.printed)


@step(version=6, name="figure.cpu")
def plot_cpu(curve: Measured) -> Figure:
    """Busy share of the host's CPUs against IOPS; by load ``plot_cpu_by_load`` shows it."""
    metric = "cpu_busy_ratio"
    series = axes.split(curve, ["iops", metric])
    (x, iops), (y, share) = axes.scale_of("iops", series), axes.scale_of(metric, series)
    lines = _named_lines(series, x="iops", y=metric, forms=(iops, share))
    for line in lines:
        line.trace.pop("error_x", None)  # of IOPS: this chart is about the CPU, without interval
    loads = [
        (line.trace["customdata"][i], line.trace["x"][i], line.trace["y"][i])
        for line in lines
        for i, text in enumerate(line.trace["customdata"])
        if text is not None
    ]
    chart = line_chart.draw(lines, x, y, loads=loads if len(series) == 1 else ())
    chart.layout["meta"] = axes.brushing(("iops", iops), (metric, share))
    words, caption = Words(), f"Host CPU against IOPS.{axes.missing_note(curve, series)}"
    return chart.figure(
        "host-cpu", caption, chart_words(words, series, "iops", metric), words.printed
    )


def _named_lines(
    series: axes.Series, *, x: str, y: str, forms: tuple[Format, Format]
) -> list[Line]:
    several = len(series) > 1
    return [
        Line(
            broken(line_of(label, part, place.look, x=x, y=y, forms=forms, several=several)),
            place.name,
            place.panel,
        )
        for place, (label, part) in zip(axes.places_of(series), series.items(), strict=True)
    ]
