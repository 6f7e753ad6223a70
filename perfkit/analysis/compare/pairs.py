"""The comparison itself: every question to every pair of curves, with intervals over repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from perfkit.analysis.compare import crossing
from perfkit.analysis.compare.common import Given, common_values
from perfkit.analysis.compare.conditions import check_allowed, check_compatible
from perfkit.analysis.compare.crosses import crosses_at
from perfkit.analysis.compare.effects import Method, effect, geometric_mean
from perfkit.analysis.compare.questions import QUESTIONS, Question
from perfkit.analysis.compare.sides import Curve, sides
from perfkit.analysis.metrics import LATENCIES, PERCENTILES
from perfkit.analysis.series import SERIES, Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

COMPARISON: dict[str, Any] = {
    "workload": pl.String, "load_kind": pl.String, "direction": pl.String,
    "question": pl.String, "metric": pl.String, "at": pl.Float64, "baseline": pl.String,
    "contender": pl.String, "baseline_value": pl.Float64, "contender_value": pl.Float64,
    "ratio": pl.Float64, "ratio_low": pl.Float64, "ratio_high": pl.Float64,
    "method": pl.String,
    "baseline_repeats": pl.Int64, "contender_repeats": pl.Int64, "mark": pl.String,
    "baseline_status": pl.String, "contender_status": pl.String,
    "baseline_reached": pl.Float64, "contender_reached": pl.Float64,
    "crosses_at_iops": pl.Float64, "note": pl.String, "differs": pl.String,
}  # fmt: skip
"""The columns of a comparison, one row a question and pair of curves.

Values are in SI base units of what the question asks for (``QUESTIONS``): IOPS in 1/s, latencies in
seconds, CPU as a ratio. Of several repeats a value is the geometric mean, to which the ratio and
its interval belong. ``reached``: how far a curve got that has no value. ``crosses_at_iops``: where
the two curves first cross, if they do; beyond it the other one is ahead.
"""

FAR_APART = 100.0
"""Latencies this many times apart are more often of two units than of two systems."""


@step(version=2, name="compare.systems")
def compare(
    points: Measured | Sequence[Measured],
    options: Measured | Sequence[Measured] | None = None,
    *,
    baseline: str | None = None,
    latencies_s: Sequence[float] = (),
    iops: Sequence[float] = (),
    loads: Sequence[float] = (),
    cpu_ratios: Sequence[float] = (),
    metric: str = "lat_mean_s",
    direction: str = "total",
    cores: Mapping[str, float] | None = None,
    method: Method = "welch",
    allow: str | Sequence[str] = (),
) -> pl.DataFrame:
    """Compare two or more systems or configurations over the load points that were measured.

    Curves are compared that share workload and kind of load; each other one with the baseline.
    For each value given, the question is asked of each repeat's own curve, and the ratio of the
    answers has an interval over the repeats (``effects.effect``). Inside the measured range answers
    are interpolated linearly between load points; outside it the status says "not reached" or
    "starts above", and ``reached`` how far the curve got. With no value given at all, those of
    ``common_values`` are asked. The peak is always asked for.

    Args:
        points: ``load_points`` of any source, labelled by system and config; or those of several
            sources, which are put together.
        options: ``job_options`` of the same sources, or the ``spec`` of a run, or both: engine,
            direct I/O, active set and preconditioning, which are then part of what must agree.
            Block size and mix are measured from the points.
        baseline: The name of the curve the others are compared with, as ``series_labels`` gives it
            ("A400, FCP"), or a system or config that only one curve of each workload has. None: the
            first one.
        latencies_s: Latencies at which IOPS are compared.
        iops: IOPS at which latencies and host CPU are compared.
        loads: Loads at which IOPS, latency and host CPU are compared.
        cpu_ratios: Busy shares of the hosts' CPUs at which IOPS are compared.
        metric: The latency: lat_mean_s, or a percentile (that of each repeat; the value shown of
            several repeats is then a geometric mean of percentiles, and the note says so).
        direction: read, write, or total.
        cores: CPU cores of the load generators by curve, system or config: IOPS per busy core are
            then compared.
        method: "welch" or "bootstrap".
        allow: Conditions that may differ (``schema.COMPATIBILITY``); the comparison is marked with
            them. With "load_kind" or "workload", curves are compared across these.

    Returns:
        ``COMPARISON``, one row a question and pair.

    Raises:
        AnalysisError: fewer than two curves of one workload, an unknown baseline, conditions that
            differ (naming the field), a value asked for that is not above 0.
    """
    if metric not in LATENCIES:
        raise AnalysisError(f"{metric!r} is not a latency; known: {', '.join(LATENCIES)}")
    frame = _together(points)
    need(frame, [*SERIES, "load", "repeat", "host", "iops", metric], "load_points")
    given = Given(tuple(latencies_s), tuple(iops), tuple(loads), tuple(cpu_ratios))
    _check_given(given)
    allowed = check_allowed(allow)
    tables = [] if options is None else [options] if isinstance(options, Measured) else options
    parts = sides(
        frame, [table.frame for table in tables], direction=direction, metric=metric,
        cores=cores or {}, allow=allowed,
    )  # fmt: skip
    rows: list[Row] = []
    for curves in parts:
        first = _baseline(curves, baseline)
        asked = given if given.any() else common_values(curves, metric)
        questions = asked.questions(with_cores=bool(cores))
        for other in curves:
            if other is not first:
                rows += _pair(first, other, questions, metric=metric, method=method, allow=allowed)
    return pl.DataFrame(rows, schema=COMPARISON, orient="row")


def _together(points: Measured | Sequence[Measured]) -> pl.DataFrame:
    if isinstance(points, Measured):
        return points.frame
    if not points:
        raise AnalysisError("there is nothing to compare: no load points were given")
    return pl.concat([item.frame for item in points], how="diagonal_relaxed")


def _check_given(given: Given) -> None:
    for name in ("latencies_s", "iops", "loads", "cpu_ratios"):
        bad = [value for value in getattr(given, name) if not value > 0]
        if bad:
            raise AnalysisError(f"{name}: {bad[0]!r} is not above 0: no curve can be asked there")


def _baseline(curves: list[Curve], asked: str | None) -> Curve:
    if asked is None:
        return curves[0]
    named = [
        curve for curve in curves
        if asked in {curve.name, curve.key["system"], curve.key["config"]}
    ]  # fmt: skip
    if len(named) == 1:
        return named[0]
    known = [curve.name for curve in curves]
    why = "is the name of several curves" if named else "is no curve"
    where = f" of workload {curves[0].key['workload']}"
    raise AnalysisError(f"baseline {asked!r} {why}{where}; {did_you_mean(asked, known)}")


def _pair(
    first: Curve, other: Curve, questions: Sequence[tuple[str, float | None]], *, metric: str,
    method: Method, allow: Sequence[str],
) -> list[Row]:  # fmt: skip
    """Every question to one pair."""
    differs = check_compatible(first.conditions, other.conditions, (first.name, other.name), allow)
    crossed = crosses_at(first, other, metric)
    common: Row = {
        **dict.fromkeys(COMPARISON),
        **{key: other.key[key] for key in ("workload", "load_kind", "direction")},
        "baseline": first.name, "contender": other.name, "method": method,
        "baseline_repeats": len(first.repeats), "contender_repeats": len(other.repeats),
        "differs": differs,
    }  # fmt: skip
    return [
        {**common, **_row((first, other), name, at, metric=metric, method=method, crossed=crossed)}
        for name, at in questions
    ]


def _row(
    pair: tuple[Curve, Curve], name: str, at: float | None, *, metric: str, method: Method,
    crossed: Sequence[float],
) -> Row:  # fmt: skip
    question = QUESTIONS[name]
    first, other = pair
    about_latency = "lat" in {question.given, question.wanted}
    row: Row = {"question": name, "metric": metric if about_latency else None, "at": at}
    if question.given == "load" and first.key["load_kind"] != other.key["load_kind"]:
        status = dict.fromkeys(("baseline_status", "contender_status"), crossing.MISSING)
        return {**row, **status, "note": "loads of different kinds are not equal"}
    one, two = (_answers(curve, question, at, metric) for curve in pair)
    values = {}
    for side, answers in (("baseline", one), ("contender", two)):
        row[f"{side}_status"], row[f"{side}_reached"] = _status(answers)
        known = [answer.value for answer in answers if answer.value is not None]
        if len(known) == len(answers):
            values[side] = known
            row[f"{side}_value"] = geometric_mean(known)
    notes = _notes(pair, (one, two))
    if len(values) == len(pair):
        found = effect(values["baseline"], values["contender"], method=method)
        row |= {"ratio": found.ratio, "ratio_low": found.low, "ratio_high": found.high,
                "mark": found.mark}  # fmt: skip
        notes += _warnings(question, metric, found.ratio, max(map(len, values.values())))
    if crossed and {question.given, question.wanted} == {"lat", "iops"}:
        row["crosses_at_iops"] = crossed[0]
        notes.append(CROSS if len(crossed) == 1 else CROSS_AGAIN)
    return {**row, "note": "; ".join(dict.fromkeys(notes)) or None}


CROSS = "the curves cross: beyond that place the other one is ahead"
CROSS_AGAIN = "the curves cross more than once: none is ahead everywhere"


def _answers(
    curve: Curve, question: Question, at: float | None, metric: str
) -> list[crossing.Answer]:
    found = (question.ask(rows, 0.0 if at is None else at, metric) for rows in curve.repeats)
    return [crossing.without_zero(answer) for answer in found]


_GRAVEST = (
    crossing.MISSING, crossing.ZERO, crossing.NOT_REACHED, crossing.STARTS_ABOVE,
    crossing.NOT_MEASURED, crossing.INTERPOLATED, crossing.MEASURED,
)  # fmt: skip


def _status(answers: list[crossing.Answer]) -> tuple[str, float | None]:
    """The gravest status, and how far that repeat got which got least far.

    Where repeats differ in whether they got there, the status says so.
    """
    found = {answer.status for answer in answers}
    worst = next(status for status in _GRAVEST if status in found)
    there = sum(answer.value is not None for answer in answers)
    text = worst if there in {0, len(answers)} else f"{worst} in all repeats"
    far = [a.reached for a in answers if a.status == worst and a.reached is not None]
    if not far:
        return text, None
    return text, max(far) if worst == crossing.STARTS_ABOVE else min(far)


def _notes(
    pair: tuple[Curve, Curve], sides_: tuple[list[crossing.Answer], list[crossing.Answer]]
) -> list[str]:
    """What the answers and curves have to say; of one side only, with its name."""
    said = [
        list(dict.fromkeys([*(a.note for a in answers if a.note), *_own(curve)]))
        for curve, answers in zip(pair, sides_, strict=True)
    ]
    both = [note for note in said[0] if note in said[1]]
    single = [
        f"{curve.name}: {note}"
        for curve, notes in zip(pair, said, strict=True)
        for note in notes
        if note not in both
    ]
    return [*both, *single]


def _own(curve: Curve) -> list[str]:
    return [curve.note] if curve.note else []


def _warnings(question: Question, metric: str, ratio: float, repeats: int) -> list[str]:
    found = []
    if question.wanted == "lat" and not 1 / FAR_APART < ratio < FAR_APART:
        found.append("the latencies are so far apart that the units of the sources may differ")
    if question.wanted == "lat" and metric in PERCENTILES and repeats > 1:
        found.append("a percentile of each repeat; the values shown are their geometric means")
    return found
