"""How far the repeats of a curve agreed: its widest interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.asking import Series, series_of
from perfkit.analysis.curves.metrics import in_words
from perfkit.analysis.curves.series import place
from perfkit.core.answers import FOUND, Answer, Condition, register_questions, to_frame
from perfkit.core.cautions import caution
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.schema import Row

[REPEATABILITY] = register_questions(
    ("repeatability", "ratio",
     "how far the interval of a load point reaches above its value, as a share of the value",
     "the largest over the load points", "none", FOUND),
)  # fmt: skip

METRICS = ("iops", "lat_mean_s")
ONE, TWO = 1, 2


@step(version=1, name="curve.repeatability")
def repeatability(points: Measured, *, direction: str = "total") -> pl.DataFrame:
    """The widest interval of IOPS and of mean latency of each curve: answers to ``repeatability``.

    ``conditions``: the load point that has it, and the fewest and the most repeats of a load point.
    """
    return to_frame(
        _answer(one, metric) for one in series_of(points, direction=direction) for metric in METRICS
    )


def _answer(series: Series, metric: str) -> Answer:
    counts = sorted({row["repeats"] for row in series.points})
    widths = {i: _width(row, metric) for i, row in enumerate(series.points)}
    known = {i: width for i, width in widths.items() if width is not None}
    names = [name for name, n in (("one_repeat", ONE), ("two_repeats", TWO)) if n in counts]
    cautions = tuple(caution(name, of=series.repeated) for name in names)
    if not known:
        return REPEATABILITY.answer(
            metric, series.subject, None, _reason(series, metric, counts), cautions=cautions
        )
    widest = max(known, key=lambda i: known[i])
    row = series.points[widest]
    return REPEATABILITY.answer(
        metric,
        series.subject,
        known[widest],
        conditions=(
            Condition(series.load_kind, row["load"], "1", "where"),
            Condition("repeats", counts[0], "1", "between"),
            Condition("repeats", counts[-1], "1", "between"),
        ),
        cautions=cautions,
        inputs=(place(row),),
        n=counts[0],
    )


def _width(row: Row, metric: str) -> float | None:
    high, value = row[f"{metric}_high"], row[metric]
    return None if high is None or not value else high / value - 1


def _reason(series: Series, metric: str, counts: list[int]) -> str:
    if counts == [ONE]:
        return "each load point was measured once"
    if all(row[metric] is None for row in series.points):
        return f"{in_words(metric)} missing at every load point"
    return "no load point has an interval"
