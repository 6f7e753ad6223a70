"""The comparison itself: every question to every pair of curves, with intervals over repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from perfkit.analysis.compare import crossing
from perfkit.analysis.compare.conditions import (
    TOLD_BY,
    Conditions,
    check_compatible,
    conditions,
)
from perfkit.analysis.compare.effects import Method, effect, geometric_mean
from perfkit.analysis.compare.questions import QUESTIONS, Question
from perfkit.analysis.curves import per_repeat
from perfkit.analysis.metrics import LATENCIES
from perfkit.analysis.series import SERIES, Row, groups, need, series_labels
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

COMPARISON: dict[str, Any] = {
    "workload": pl.String, "load_kind": pl.String, "direction": pl.String,
    "question": pl.String, "metric": pl.String, "at": pl.Float64, "baseline": pl.String,
    "contender": pl.String, "baseline_value": pl.Float64, "contender_value": pl.Float64,
    "ratio": pl.Float64, "ratio_low": pl.Float64, "ratio_high": pl.Float64,
    "baseline_repeats": pl.Int64, "contender_repeats": pl.Int64, "mark": pl.String,
    "baseline_status": pl.String, "contender_status": pl.String,
    "baseline_reached": pl.Float64, "contender_reached": pl.Float64,
    "note": pl.String, "differs": pl.String,
}  # fmt: skip
"""The columns of a comparison, one row a question and pair of curves.

Values are in SI base units of what the question asks for (``QUESTIONS``): IOPS in 1/s, latencies in
seconds, CPU as a ratio. Of several repeats a value is the geometric mean, to which the ratio and
its interval belong. ``reached``: how far a curve got that has no value.
"""

KEYS = ("system", "config", "workload", "load_kind", "direction")


@dataclass(frozen=True)
class Curve:
    """One system or configuration: the curve of each repeat, and what it was measured under."""

    name: str
    key: Mapping[str, Any]
    repeats: tuple[tuple[Row, ...], ...]
    conditions: Conditions


@step(version=1)
def compare(
    points: Measured,
    options: Measured | None = None,
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
    allow: Sequence[str] = (),
) -> pl.DataFrame:
    """Compare two or more systems or configurations over the load points that were measured.

    Curves are compared that share workload and kind of load; each other one with the baseline.
    For each value given, the question is asked of each repeat's own curve, and the ratio of the
    answers has an interval over the repeats (``effects.effect``). Inside the measured range answers
    are interpolated linearly between load points; outside it the status says "not reached" or
    "starts above", and ``reached`` how far the curve got. With no value given at all, those of
    ``common_values`` are asked. The peak is always asked for.

    Args:
        points: ``load_points`` of any source, labelled by system and config.
        options: ``job_options`` of the same sources: engine, direct I/O and active set, which are
            then part of what must agree. Block size and mix are measured from the points.
        baseline: The name of the curve the others are compared with, as ``series_labels`` gives it
            ("A400, FCP"), or a system or config that only one curve of each workload has. None: the
            first one.
        latencies_s: Latencies at which IOPS are compared.
        iops: IOPS at which latencies and host CPU are compared.
        loads: Loads at which IOPS and latency are compared.
        cpu_ratios: Busy shares of the hosts' CPUs at which IOPS are compared.
        metric: The latency: lat_mean_s, or a percentile (that of each repeat; never averaged).
        direction: read, write, or total.
        cores: CPU cores of the load generators by system: IOPS per busy core are then compared.
        method: "welch" or "bootstrap".
        allow: Conditions that may differ; the comparison is marked with them.

    Returns:
        ``COMPARISON``, one row a question and pair.

    Raises:
        AnalysisError: fewer than two curves of one workload, an unknown baseline, conditions that
            differ (naming the field), a value of 0 or below where a ratio is asked for.
    """
    if metric not in LATENCIES:
        raise AnalysisError(f"{metric!r} is not a latency; known: {', '.join(LATENCIES)}")
    need(points.frame, [*KEYS, "load", "repeat", "host", "iops", metric], "load_points")
    rows: list[Row] = []
    given = Given(tuple(latencies_s), tuple(iops), tuple(loads), tuple(cpu_ratios))
    for part in _by_workload(points.frame, direction):
        sources = Sources(points.frame, None if options is None else options.frame, cores or {})
        curves = _curves(part, sources, direction, metric)
        first = _baseline(curves, baseline)
        asked = given if given.any() else common_values(curves, metric)
        for other in curves:
            if other is first:
                continue
            mark = check_compatible(first.conditions, other.conditions, (first.name, other.name),
                                    allow)  # fmt: skip
            rows += [
                {**_row((first, other), question, at, metric, method), "differs": mark}
                for question, at in asked.questions(with_cores=bool(cores))
            ]
    return pl.DataFrame(rows, schema=COMPARISON, orient="row")


@dataclass(frozen=True)
class Given:
    """The values at which curves are compared."""

    latencies_s: tuple[float, ...] = ()
    iops: tuple[float, ...] = ()
    loads: tuple[float, ...] = ()
    cpu_ratios: tuple[float, ...] = ()

    def any(self) -> bool:
        """Whether any value was given."""
        return bool(self.latencies_s or self.iops or self.loads or self.cpu_ratios)

    def questions(self, *, with_cores: bool) -> list[tuple[str, float | None]]:
        """Each question with its value, the peak first."""
        asked: list[tuple[str, float | None]] = [("peak_iops", None)]
        for names, values in (
            (("iops_at_latency", "peak_iops_under_latency"), self.latencies_s),
            (("latency_at_iops", "cpu_at_iops"), self.iops),
            (("iops_at_load", "latency_at_load"), self.loads),
            (("iops_at_cpu",), self.cpu_ratios),
        ):
            asked += [(name, value) for value in values for name in names]
        return [*asked, ("iops_per_busy_core", None)] if with_cores else asked


def _by_workload(points: pl.DataFrame, direction: str) -> list[pl.DataFrame]:
    """The repeats' points of each workload and kind of load that has two curves or more."""
    merged = per_repeat(points, direction)
    parts = []
    for _, rows in groups(merged, ("workload", "load_kind"), along=("load",)):
        part = pl.DataFrame(rows, schema=merged.schema)
        if part.select("system", "config").n_unique() > 1:
            parts.append(part)
    if not parts:
        raise AnalysisError(
            "there is nothing to compare: no workload has load points of two systems or configs "
            "(label them in the study: labels: {system: ..., config: ...})"
        )
    return parts


class Sources:
    """What curves are made of, by curve: points of all directions, job options, and cores."""

    def __init__(
        self, points: pl.DataFrame, options: pl.DataFrame | None, cores: Mapping[str, float]
    ):
        keys = [name for name in SERIES if name != "direction"]
        told = [name for name in (*keys, *TOLD_BY) if name in points.columns]
        self._points = _rows_by(points.select(told), keys)
        self._options = {} if options is None else self._by_label(options)
        self._cores = cores

    def _by_label(self, options: pl.DataFrame) -> dict[tuple[Any, ...], list[Row]]:
        need(options, ("option", "value"), "job_options")
        self._labels = [name for name in ("system", "config") if name in options.columns]
        return _rows_by(options.select(*self._labels, "option", "value").unique(), self._labels)

    def conditions(self, key: Mapping[str, Any], metric: str) -> Conditions:
        """The conditions of one curve."""
        place = tuple(key[name] for name in SERIES if name != "direction")
        label = tuple(key[name] for name in self._labels) if self._options else ()
        return conditions(self._points[place], self._options.get(label, []), metric=metric)

    def cores(self, key: Mapping[str, Any]) -> float | None:
        """The cores of its load generators, where given."""
        return self._cores.get(str(key["system"]))


def _rows_by(frame: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.rows(named=True):
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _curves(part: pl.DataFrame, sources: Sources, direction: str, metric: str) -> list[Curve]:
    keyed = list(groups(part, SERIES, along=("repeat", "load")))
    names = series_labels([key for key, _ in keyed])
    return [
        Curve(name, key, _repeats(rows, sources.cores(key)), sources.conditions(key, metric))
        for name, (key, rows) in zip(names, keyed, strict=True)
        if key["direction"] == direction
    ]


def _repeats(rows: list[Row], cores: float | None) -> tuple[tuple[Row, ...], ...]:
    by: dict[Any, list[Row]] = {}
    for row in rows:
        by.setdefault(row["repeat"], []).append({**row, "cores": cores})
    return tuple(tuple(sorted(part, key=lambda row: row["load"])) for part in by.values())


def _own(points: pl.DataFrame, key: Mapping[str, Any]) -> list[Row]:
    """All directions of one curve, as measured."""
    keys = [name for name in SERIES if name != "direction"]
    same = [pl.col(name).eq_missing(pl.lit(key[name])) for name in keys]
    return points.filter(*same).rows(named=True)


def _own_options(options: pl.DataFrame | None, key: Mapping[str, Any]) -> list[Row]:
    if options is None:
        return []
    need(options, ("option", "value"), "job_options")
    there = [name for name in ("system", "config") if name in options.columns]
    same = [pl.col(name).eq_missing(pl.lit(key[name])) for name in there]
    return (options.filter(*same) if same else options).rows(named=True)


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
    raise AnalysisError(f"baseline {asked!r} {why}; {did_you_mean(asked, known)}")


def _row(
    pair: tuple[Curve, Curve], name: str, at: float | None, metric: str, method: Method
) -> Row:
    first, other = pair
    question = QUESTIONS[name]
    one, two = (_answers(curve, question, at, metric) for curve in (first, other))
    row: Row = {
        **dict.fromkeys(COMPARISON),
        **{key: other.key[key] for key in ("workload", "load_kind", "direction")},
        "question": name, "metric": metric if "lat" in {question.given, question.wanted} else None,
        "at": at, "baseline": first.name, "contender": other.name,
        "baseline_repeats": len(first.repeats), "contender_repeats": len(other.repeats),
        "note": _notes(one, two),
    }  # fmt: skip
    values = {}
    for side, answers in (("baseline", one), ("contender", two)):
        row[f"{side}_status"], row[f"{side}_reached"] = _status(answers), _reached(answers)
        known = [answer.value for answer in answers if answer.value is not None]
        if len(known) == len(answers):
            values[side] = known
            row[f"{side}_value"] = geometric_mean(known)
    if len(values) == len(("baseline", "contender")):
        found = effect(values["baseline"], values["contender"], method=method)
        row |= {"ratio": found.ratio, "ratio_low": found.low, "ratio_high": found.high,
                "mark": found.mark}  # fmt: skip
    return row


def _answers(
    curve: Curve, question: Question, at: float | None, metric: str
) -> list[crossing.Answer]:
    return [question.ask(rows, 0.0 if at is None else at, metric) for rows in curve.repeats]


_GRAVEST = (
    crossing.MISSING, crossing.NOT_REACHED, crossing.STARTS_ABOVE, crossing.INTERPOLATED,
    crossing.MEASURED,
)  # fmt: skip


def _status(answers: list[crossing.Answer]) -> str:
    """The gravest status; where repeats differ in whether they got there, how many did."""
    found = [answer.status for answer in answers]
    worst = next(status for status in _GRAVEST if status in found)
    there = sum(answer.value is not None for answer in answers)
    return worst if there in {0, len(answers)} else f"{worst} in all repeats"


def _reached(answers: list[crossing.Answer]) -> float | None:
    """How far the repeat got that got least far."""
    known = [answer.reached for answer in answers if answer.reached is not None]
    if not known:
        return None
    above = any(answer.status == crossing.STARTS_ABOVE for answer in answers)
    return max(known) if above else min(known)


def _notes(*sides: list[crossing.Answer]) -> str | None:
    notes = [answer.note for side in sides for answer in side if answer.note]
    return "; ".join(dict.fromkeys(notes)) or None


MOST_VALUES = 4
_STEPS = (1.0, 2.0, 5.0)


def common_values(curves: Sequence[Curve], metric: str) -> Given:
    """Round latencies and IOPS (1, 2, 5 times a power of ten) that every repeat of every curve has.

    Up to four of each, spread over the common range; none where the ranges do not overlap.
    """
    return Given(latencies_s=_round(curves, metric), iops=_round(curves, "iops"))


def _round(curves: Sequence[Curve], name: str) -> tuple[float, ...]:
    import math

    ranges = []
    for curve in curves:
        for rows in curve.repeats:
            values = [row[name] for row in rows if row[name] is not None]
            if not values:
                return ()
            ranges.append((values[0], max(values)))
    low, high = max(first for first, _ in ranges), min(last for _, last in ranges)
    if not 0 < low < high:
        return ()
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    # 10**-4 as a double is not 1e-4: the decimal text is the round number
    grid = [float(f"{step:g}e{power}") for power in powers for step in _STEPS]
    inside = [value for value in grid if low <= value <= high]
    if len(inside) <= MOST_VALUES:
        return tuple(inside)
    places = {round(i * (len(inside) - 1) / (MOST_VALUES - 1)) for i in range(MOST_VALUES)}
    return tuple(inside[place] for place in sorted(places))
