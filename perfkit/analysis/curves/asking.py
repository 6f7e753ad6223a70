"""Answers of curves: each question has one answer, that of the curve as drawn, and one interval.

The curve is that of ``latency_curve``: of IOPS and mean latency the arithmetic mean over the
repeats, of percentiles the merged histograms. What it answers is found by ``questions``; the
interval is made here, from the answers that the repeats' own curves give to the same question.

Below stand the steps that ask: for the peak, IOPS within a latency, the lowest latency, and how far
the repeats agreed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import polars as pl

from perfkit.analysis.curves import questions
from perfkit.analysis.curves.curves import BUSY, CONFIDENCE, curve_and_repeats
from perfkit.analysis.curves.differences import differences
from perfkit.analysis.curves.metrics import check_latency, in_words, unit_of
from perfkit.analysis.curves.questions import (
    CHOSEN_LATENCY,
    CURVE_QUESTIONS,
    CurveQuestion,
    Finding,
    Request,
)
from perfkit.analysis.curves.series import CURVE_KEYS, SERIES, cautions_of, place, series_labels
from perfkit.core.answers import (
    FOUND,
    Answer,
    Condition,
    Estimate,
    Subject,
    register_questions,
    to_frame,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.intervals import Side, answer_interval, doubts, peak_interval
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row


@dataclass(frozen=True)
class Series:
    """One curve and those of its repeats.

    Attributes:
        subject: Its key (``SERIES``), and what it is called beside the others.
        load_kind: What is raised along it.
        points: Its load points as ``latency_curve`` has them, in order of load.
        repeats: The load points of each repeat, in order of load.
        cores: CPU cores of the load generators, for IOPS per busy core; None: not known.
        differs: Its mean I/O size and its mix, each where the curves beside it differ in it.
    """

    subject: Subject
    load_kind: str
    points: tuple[Row, ...]
    repeats: tuple[tuple[Row, ...], ...]
    cores: float | None = None
    differs: tuple[Condition, ...] = ()

    @property
    def label(self) -> str:
        """Its label."""
        return self.subject.label

    @property
    def uneven(self) -> bool:
        """Whether its repeats do not have the same load points."""
        loads = {row["load"] for row in self.points}
        return any({row["load"] for row in rows} != loads for rows in self.repeats)

    @property
    def repeated(self) -> str:
        """Whose repeats a caution counts: one load's alone where others have more or fewer."""
        same = len({row.get("repeats") for row in self.points}) == 1
        return self.label if same else f"a load of {self.label}"


def series_of(
    points: Measured | pl.DataFrame,
    histogram: Measured | pl.DataFrame | None = None,
    direction: str = "total",
) -> list[Series]:
    """The curves in load points, in order of their keys.

    Raises AnalysisError as ``latency_curve`` does.
    """
    frame = points.frame if isinstance(points, Measured) else points
    bins = histogram.frame if isinstance(histogram, Measured) else histogram
    parts = rows_by(
        curve_and_repeats(frame, bins, direction), lambda pair: itemgetter(*SERIES)(pair[0])
    )
    keys = [dict(zip(SERIES, key, strict=True)) for key in parts]
    differs = differences(frame) if len(keys) > 1 else {}
    return [
        Series(
            Subject(label, tuple(key.items())),
            key["load_kind"] or "load",
            tuple(row for row, _ in own),
            _by_repeat(own),
            differs=differs.get(tuple(key[name] for name in CURVE_KEYS), ()),
        )
        for label, key, own in zip(series_labels(keys), keys, parts.values(), strict=True)
    ]


def _by_repeat(own: list[tuple[Row, list[Row]]]) -> tuple[tuple[Row, ...], ...]:
    runs = [run for _, repeats in own for run in repeats]
    return tuple(map(tuple, rows_by(runs, itemgetter("repeat")).values()))


def answer(
    question: str, series: Series, at: float | None = None, metric: str = "lat_mean_s"
) -> Answer:
    """The answer of one curve to one question.

    Args:
        question: A name of ``CURVE_QUESTIONS``.
        series: The curve, from ``series_of``.
        at: The value asked at, in SI base units; None where the question has none.
        metric: The latency that is meant.

    Raises AnalysisError for an unknown question or latency, and for a value that no curve can be
    asked at.
    """
    return answer_and_side(question, series, at, metric)[0]


def answer_and_side(
    question: str, series: Series, at: float | None = None, metric: str = "lat_mean_s"
) -> tuple[Answer, Side | None]:
    """The same, with what a change of it needs: the repeats' own answers; None without a value."""
    if question not in CURVE_QUESTIONS:
        raise AnalysisError(
            f"no curve is asked {question!r}; {did_you_mean(question, [*CURVE_QUESTIONS])}"
        )
    definition = CURVE_QUESTIONS[question]
    check_latency(metric)
    request = Request(
        series.label, series.load_kind, _value(question, definition, at), metric, series.cores
    )
    found = definition.find(series.points, request)
    name = request.column(definition.wanted)
    estimate, side, cautions = None, None, list(found.cautions)
    if found.value is not None:
        side = _side(definition, series, found, found.value, request)
        estimate, more = _estimate(side, series, found, request, name)
        cautions += more
    cautions += cautions_of(found.rows)
    return Answer(
        question,
        name,
        series.subject,
        found.status,
        estimate,
        found.relation,
        (*found.conditions, *series.differs),
        reason=found.reason,
        cautions=tuple(dict.fromkeys(cautions)),
        inputs=tuple(dict.fromkeys(place(row) for row in found.rows)),
    ), side


def _value(question: str, definition: CurveQuestion, at: float | None) -> float:
    if definition.at is None:
        if at is not None:
            raise AnalysisError(f"{question} is asked at no value, and {at!r} was given")
        return math.nan
    words = {
        CHOSEN_LATENCY: "a latency in seconds",
        "iops": "a rate per second",
        BUSY: "a share of 1",
        "load": "a load",
    }[definition.at]
    if isinstance(at, bool) or not isinstance(at, int | float):
        raise AnalysisError(f"{question} is asked at {words}, not at {at!r}")
    if not 0 < at < math.inf:
        raise AnalysisError(f"{question} is asked at {words} above 0, not at {at}")
    return float(at)


def _side(
    definition: CurveQuestion, series: Series, found: Finding, value: float, request: Request
) -> Side:
    """The answers of the repeats that have the load points which the answer rests on."""
    if found.among:
        (best,) = found.rows
        name = request.column(definition.wanted)
        repeats = [row for rows in series.repeats for row in rows]
        among = tuple(
            tuple(row[name] for row in repeats if row["load"] == point["load"])
            for point in found.among
        )
        own = among[found.among.index(best)]
        return Side(value, own, among)
    loads = {row["load"] for row in found.rows}
    sound = [rows for rows in series.repeats if loads <= {row["load"] for row in rows}]
    return Side(value, tuple(definition.find(rows, request).value for rows in sound))


def _estimate(
    side: Side, series: Series, found: Finding, request: Request, name: str
) -> tuple[Estimate, list[Caution]]:
    """The value with the interval from the answers of the repeats."""
    unit, n = unit_of(name), len(side.own)
    cautions = [caution("uneven_repeats", of=series.label)] if series.uneven else []
    bare = Estimate(side.value, unit, n=n)
    why = next(filter(None, map(_no_interval, side.among or (side.own,))), None)
    if why:
        return bare, [*cautions, caution(why, of=series.repeated)]
    known = [value for value in side.own if value is not None]
    alike: tuple[int, ...] = ()
    if side.among:
        groups = [[value for value in own if value is not None] for own in side.among]
        span, alike = peak_interval(groups, CONFIDENCE, lowest=name != "iops")
    else:
        span = answer_interval(side.value, known, CONFIDENCE)
    if span.low is None or span.high is None:
        every = [[value for value in own if value is not None] for own in side.among or (side.own,)]
        spread = any(not math.isclose(min(own), max(own), rel_tol=1e-12) for own in every)
        return bare, [
            *cautions,
            caution("interval_too_wide" if spread else "no_spread", of=series.label),
        ]
    if len(alike) > 1:
        rows = sorted((found.among[i] for i in alike), key=lambda row: row["load"])
        cautions.append(caution("plateau", of=series.label, loads=request.loads(rows)))
    cautions += [caution(doubt, of=series.repeated) for doubt in doubts(known)]
    # a share of at most 1, and rounding must not leave the value outside its own interval
    high = min(span.high, 1.0) if unit == "ratio" else span.high
    ends = min(span.low, side.value), max(high, side.value)
    return Estimate(side.value, unit, *ends, CONFIDENCE, n), cautions


def _no_interval(own: Sequence[float | None]) -> str | None:
    """The caution that says why there is no interval; None where there may be one."""
    known = [value for value in own if value is not None]
    if len(own) <= 1:
        return "one_repeat"
    if len(known) < len(own):
        return "repeat_unanswered"
    return "zero_value" if min(known) <= 0 else None


@step(version=3, name="curve.peak")
def peak(
    points: Measured, histogram: Measured | None = None, *, direction: str = "total"
) -> pl.DataFrame:
    """The highest mean IOPS of each curve and the load it was at: the answers to ``peak_iops``.

    "At least" (">=") where it is at the highest load, the only one, or IOPS are missing at another.
    """
    return to_frame(
        answer(questions.PEAK_IOPS.name, one) for one in series_of(points, histogram, direction)
    )


@step(version=2, name="curve.iops_at_latency")
def iops_at_latency(
    points: Measured,
    limit_s: float | Sequence[float],
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """What each curve gives within a latency and at it: two answers a curve and limit.

    - ``most_iops_within_latency``: the highest IOPS of all load points with ``metric`` at or under
      the limit, and the load point where it was. "At least" where no load point is above the limit.
    - ``iops_at_latency``: the IOPS where the curve has exactly this latency, interpolated linearly
      between two neighbouring load points. A curve that passes the limit more than once has none.

    Args:
        points: ``load_points``.
        limit_s: The latency in seconds, or several.
        histogram: Bins of completion latency, for percentiles over repeats and hosts.
        metric: The latency: ``lat_mean_s``, or a percentile.
        direction: read, write, trim or total.

    Raises AnalysisError for a metric that is not a latency or a limit that is not above 0.
    """
    limits: list[Any] = list(limit_s) if isinstance(limit_s, list | tuple) else [limit_s]
    if not limits:
        raise AnalysisError("no latency limit was given")
    return to_frame(
        answer(question, one, limit, metric)
        for limit in limits
        for question in (questions.MOST_IOPS_WITHIN_LATENCY.name, questions.IOPS_AT_LATENCY.name)
        for one in series_of(points, histogram, direction)
    )


@step(version=1, name="curve.lowest_latency")
def lowest_latency(
    points: Measured,
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """The lowest latency of each curve and the load it was at: answers to ``lowest_latency``."""
    return to_frame(
        answer(questions.LOWEST_LATENCY.name, one, metric=metric)
        for one in series_of(points, histogram, direction)
    )


@step(version=1, name="curve.ask")
def ask_curve(
    points: Measured,
    question: str,
    at: float | Sequence[float] | None = None,
    histogram: Measured | None = None,
    *,
    metric: str = "lat_mean_s",
    direction: str = "total",
) -> pl.DataFrame:
    """Any question of ``questions.CURVE_QUESTIONS`` to each curve, at each value: latency_at_iops.

    Raises AnalysisError for an unknown question, and a value that no curve can be asked at.
    """
    values: list[Any] = list(at) if isinstance(at, list | tuple) else [at]
    return to_frame(
        answer(question, one, value, metric)
        for value in values
        for one in series_of(points, histogram, direction)
    )


[REPEATABILITY] = register_questions(
    ("repeatability", "ratio",
     "how far the interval of a load point reaches above its value, as a share of the value",
     "the largest over the load points", "none", FOUND),
)  # fmt: skip

_METRICS = ("iops", "lat_mean_s")
_ONE, _TWO = 1, 2


@step(version=1, name="curve.repeatability")
def repeatability(points: Measured, *, direction: str = "total") -> pl.DataFrame:
    """The widest interval of IOPS and of mean latency of each curve: answers to ``repeatability``.

    ``conditions``: the load point that has it, and the fewest and the most repeats of a load point.
    """
    return to_frame(
        _widest(one, metric)
        for one in series_of(points, direction=direction)
        for metric in _METRICS
    )


def _widest(series: Series, metric: str) -> Answer:
    counts = sorted({row["repeats"] for row in series.points})
    known = {
        i: row[f"{metric}_high"] / row[metric] - 1
        for i, row in enumerate(series.points)
        if row[f"{metric}_high"] is not None and row[metric]
    }
    names = [name for name, n in (("one_repeat", _ONE), ("two_repeats", _TWO)) if n in counts]
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


def _reason(series: Series, metric: str, counts: list[int]) -> str:
    if counts == [_ONE]:
        return "each load point was measured once"
    if all(row[metric] is None for row in series.points):
        return f"{in_words(metric)} missing at every load point"
    return "no load point has an interval"
