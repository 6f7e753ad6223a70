"""Control charts: each run with the value expected of it and the limits of chance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import polars as pl

from perfkit.analysis.trend.answers import MARGIN, by_verdict
from perfkit.analysis.trend.levels import History
from perfkit.analysis.trend.runs import breaks
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row

SIGMAS = 3.0
"""How far the limits lie from the expected value, in standard deviations."""

CHART: ColumnTypes = {
    "history": pl.String, "question": pl.String, "metric": pl.String, "unit": pl.String,
    "line": pl.Int64, "run": pl.String, "time": pl.Datetime("us"), "value": pl.Float64,
    "expected": pl.Float64, "lower": pl.Float64, "upper": pl.Float64, "outside": pl.Boolean,
    "level": pl.Int64, "shift": pl.Boolean, "against": pl.Boolean, "changed": pl.String,
    "break": pl.String,
}  # fmt: skip


@step(version=1, name="trend.control_chart")
def control_chart(histories: Measured, *, margin: float = MARGIN) -> pl.DataFrame:
    """Each run of each history beside what is expected of it: an individuals chart.

    ``expected`` is the level of the run, with its drift or season; ``lower`` and ``upper`` lie
    three standard deviations from it, which the median moving range tells (D. J. Wheeler,
    Understanding Statistical Process Control, 1992), on logarithms; null where no runs differ.
    ``outside`` says that a run lies beyond them, ``shift`` that it begins a level, ``against`` that
    the latest runs are held against it. ``changed`` names the facts that changed with it, ``break``
    the conditions that changed before it.

    The histories stand in the order of their verdicts, as in ``answers``.

    Args:
        histories: What ``histories`` gave.
        margin: The smallest change that matters.

    Raises AbsentError where no history has a run.
    """
    rows = histories.frame.rows(named=True)
    at = {
        (item.after["history"], item.after["piece"]): item.what
        for item in breaks(row for row in rows if row["line"] is not None)
    }
    found = [
        row | {"break": at.get((row["history"], row["piece"]))}
        for history in by_verdict(rows, margin)
        for row in _of_history(history)
    ]
    if not found:
        raise AbsentError("the histories have no runs")
    return pl.DataFrame([{name: row[name] for name in CHART} for row in found], schema=CHART)


def _of_history(history: History) -> Iterator[Row]:
    shape = history.shape
    facts: dict[int, list[str]] = {}
    for item in history.facts:
        facts.setdefault(item.place, []).append(item.words)
    for place, (run, fitted) in enumerate(zip(history.runs, shape.fitted, strict=True)):
        reach = SIGMAS * shape.spread
        lower, upper = (math.exp(fitted + side * reach) for side in (-1, 1))
        yield {
            **run,
            "expected": math.exp(fitted),
            "lower": lower if reach else None,
            "upper": upper if reach else None,
            "outside": bool(reach) and not lower <= run["value"] <= upper,
            "level": shape.level_of(place) + 1,
            "shift": place in shape.starts[1:],
            "against": place in history.split.against,
            "changed": "; ".join(facts.get(place, ())) or None,
        }
