"""Applying criteria to load points: pass, fail, or not judged with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from perfkit.analysis.asking import Series, answer, series_of
from perfkit.analysis.criteria import COMPARISONS, RUN_METRICS, Criterion, Limit, parse_limit
from perfkit.analysis.curves import latency_curve, per_repeat
from perfkit.analysis.cycles import LABEL, drain_summary
from perfkit.analysis.metrics import LIMIT_DIGITS, METRICS, load_text
from perfkit.analysis.series import SERIES, Row, groups
from perfkit.answers import Subject
from perfkit.errors import AnalysisError
from perfkit.evidence import Step
from perfkit.lineage import Measured, canonical_json, hash_frame, step
from perfkit.units import Format, Printed
from perfkit.values import Judgement, Outcome, Verdict, check_id

MOST_DIGITS = 17
"""A double has no more significant digits than these."""


@dataclass(frozen=True)
class Found:
    """What a criterion is applied to: a scope, and a value or the reason why there is none.

    ``bound`` says that the true value is known to be at least this one.
    """

    scope: str
    value: float | None
    reason: str | None = None
    bound: bool = False


@step(version=1, name="verdict.criteria")
def judge(
    points: Measured,
    criteria: Sequence[Criterion],
    *,
    histogram: Measured | None = None,
    cycles: Measured | None = None,
    value_id: str = "verdict",
) -> Verdict:
    """Apply each criterion to each curve (and load point) that it selects.

    The comparison is exact, on the raw value. Not judged, with the reason, and so never passed: a
    metric that is missing, a selection that matches nothing, a percentile of several repeats
    without a histogram, IOPS at a latency that the curve did not reach, fewer than five cycles.

    Args:
        points: ``load_points``.
        criteria: What is demanded.
        histogram: Bins of completion latency, for pooled percentiles.
        cycles: The drains of an epic-like workload.
        value_id: The id of the verdict.
    """
    data = _Data(points, histogram, cycles)
    judgements = [
        judgement_of(criterion, found, rule_text(criterion))
        for criterion in criteria
        for found in _found(criterion, data)
    ]  # fmt: skip
    return Verdict(check_id(value_id), tuple(judgements))


@dataclass(frozen=True)
class _Data:
    points: Measured
    histogram: Measured | None
    cycles: Measured | None


def _found(criterion: Criterion, data: _Data) -> list[Found]:
    finder = _drains if criterion.metric == "drain_longest_s" else _loads
    try:
        found = list(finder(criterion, data))
    except AnalysisError as problem:
        return [Found(_selection(criterion), None, str(problem))]
    return found or [Found(_selection(criterion), None, "no load point matches")]


def _selection(criterion: Criterion) -> str:
    return ", ".join(criterion.where.values()) or "all"


def _drains(criterion: Criterion, data: _Data) -> Iterator[Found]:
    if data.cycles is None:
        yield Found(_selection(criterion), None, "no drain cycles were measured")
        return
    summary = drain_summary(data.cycles).frame
    unknown = [key for key in criterion.where if key not in summary.columns]
    if unknown:
        raise AnalysisError(f"drain cycles have no {unknown[0]}")
    rows = summary.filter(*(pl.col(key) == text for key, text in criterion.where.items()))
    for row in rows.rows(named=True):
        if _wanted_load(criterion, row, rows["load"].to_list()):
            where = f"{row['workload']} ({LABEL}), {load_text(row['load_kind'], row['load'])}"
            scope = where if row["repeat"] is None else f"{where}, repeat {row['repeat']}"
            value = row["drain_longest_s"] if row["judgeable"] else None
            yield Found(scope, value, row["reason"])


def _wanted_load(criterion: Criterion, row: Row, loads: list[float]) -> bool:
    ends = {"lowest load": min(loads), "highest load": max(loads)}
    if criterion.at == "every load":
        return True
    if criterion.at == "peak" or isinstance(criterion.at, dict):
        raise AnalysisError("drain cycles are judged at a load, not at the peak or a latency")
    return bool(row["load"] == ends.get(str(criterion.at), criterion.at))


def _loads(criterion: Criterion, data: _Data) -> Iterator[Found]:
    if criterion.metric in RUN_METRICS:
        words = METRICS[criterion.metric].phrase()
        raise AnalysisError(f"load points hold no {words}: it belongs to a tool's runs")
    points, histogram = (_of_host(item, criterion) for item in (data.points, data.histogram))
    curve = latency_curve(points, histogram, direction=criterion.direction)
    labels = {key: text for key, text in criterion.where.items() if key != "host"}
    chosen = curve.frame.filter(*(pl.col(key) == text for key, text in labels.items()))
    if isinstance(criterion.at, dict):
        series = series_of(points, histogram, criterion.direction)
        wanted = [s for s in series if all(s.subject.get(k) == t for k, t in labels.items())]
        yield from _at_latency(criterion.at, wanted)
        return
    repeats = per_repeat(points.frame, criterion.direction)
    for key, rows in groups(chosen):
        for row in _at(criterion, rows):
            scope = _scope(key, load_text(key["load_kind"], row["load"]))
            yield _value(criterion, row, repeats, scope)


def _of_host(data: Any, criterion: Criterion) -> Any:
    """The rows of the host that the criterion names: curves add the hosts up."""
    if data is None or "host" not in criterion.where:
        return data
    if "host" not in data.frame.columns:
        raise AnalysisError(f"{data.name}: the hosts are not told apart")
    return data.filter(host=criterion.where["host"])


def _scope(key: Row, place: str) -> str:
    names = [key[name] for name in ("system", "config", "workload") if key.get(name)]
    direction = [] if key["direction"] == "total" else [key["direction"]]
    return ", ".join([*names, *direction, place])


def _at(criterion: Criterion, rows: list[Row]) -> list[Row]:
    named: dict[Any, Callable[[], list[Row]]] = {
        "every load": lambda: rows,
        "lowest load": lambda: rows[:1],
        "highest load": lambda: rows[-1:],
        "peak": lambda: _peak_row(rows),
    }
    if criterion.at in named:
        return named[criterion.at]()
    return [row for row in rows if row["load"] == criterion.at]


def _peak_row(rows: list[Row]) -> list[Row]:
    if any(row["iops"] is None for row in rows):
        raise AnalysisError("a load point has no IOPS: the peak is not known")
    found = answer("peak_iops", Series(Subject("the curve"), "load", tuple(rows), ()))
    return [row for row in rows if found.estimate and row["iops"] == found.estimate.value][:1]


def _value(criterion: Criterion, row: Row, repeats: pl.DataFrame, scope: str) -> Found:
    metric = criterion.metric
    value = row.get(metric)
    if criterion.over_repeats == "worst":
        same = [pl.col(key).eq_missing(pl.lit(row[key])) for key in (*SERIES, "load")]
        value = _worst(repeats.filter(*same)[metric].to_list(), criterion.comparison)
    if value is None:
        pooled = criterion.over_repeats == "pooled" and row["repeats"] > 1
        why = " (several repeats and no histogram of each)" if pooled else ""
        return Found(scope, None, f"{metric} is missing{why}")
    return Found(scope, value, row["interval_mark"] if row["repeats"] == 1 else None)


def _worst(values: list[float | None], comparison: str) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values) or not known:
        return None
    return max(known) if comparison.startswith("<") else min(known)


def _at_latency(at: Any, series: Sequence[Series]) -> Iterator[Found]:
    ((metric, text),) = at.items()
    limit = parse_limit(text, metric)
    for one in series:
        found = answer("most_iops_within_latency", one, limit.value, metric)
        scope = _scope(dict(one.subject.key), f"{METRICS[metric].phrase()} {limit.text}")
        if found.estimate:
            yield Found(scope, found.estimate.value, None, bound=found.relation == ">=")
        else:
            why = f"{text} was {found.status.replace('_', ' ')}"
            yield Found(scope, None, found.reason or why)


def judgement_of(criterion: Criterion, found: Found, rule: str) -> Judgement:
    """The one verdict on one value: what does not hold fails, what is missing is not judged."""
    outcome, reason = _outcome(criterion, found)
    value = None if found.value is None else show_against(found.value, criterion)
    return Judgement(
        criterion=criterion.name,
        scope=found.scope,
        rule=rule,
        value=value,
        outcome=outcome,
        reason="; ".join(text for text in (reason, criterion.note) if text) or None,
        source=criterion.source,
    )


def _outcome(criterion: Criterion, found: Found) -> tuple[Outcome, str | None]:
    if found.value is None:
        return "not judged", found.reason
    holds = criterion.holds(found.value)
    upward = criterion.comparison.startswith(">")
    if found.bound and holds != upward:
        # "at least 50" neither refutes "100 or more" nor proves "100 or less"
        return "not judged", "the curve ends below the latency limit: the value is a lower bound"
    return ("pass" if holds else "fail"), found.reason


def rule_text(criterion: Criterion, *, over: str | None = None) -> str:
    """The rule as printed: "mean latency < 2 ms, mean over repeats"; ``over`` names other rows."""
    statistic = {"mean": "mean over repeats", "worst": "worst repeat", "pooled": "all repeats"}
    subject = METRICS[criterion.metric].phrase(criterion.direction)
    sign = {"<=": "≤", ">=": "≥"}.get(criterion.comparison, criterion.comparison)
    limit = criterion.parsed_limit.text
    if criterion.metric == "iops":
        limit = limit.removesuffix(" IOPS")
    rule = f"{subject} {sign} {limit}"
    return f"{rule}, {over or statistic[criterion.over_repeats]}"


def show_against(value: float, criterion: Criterion) -> Printed:
    """The value in the limit's unit, with as many digits as it takes not to change the outcome.

    2.0004 ms prints as 2.00 ms against "< 2 ms" (both fail), and as 2.0004 ms against "<= 2 ms".
    """
    limit, holds = criterion.parsed_limit, criterion.holds(value)
    for digits in range(3, MOST_DIGITS + 1):
        shown = Format(limit.unit, significant=digits).show(value)
        if _printed_holds(shown, criterion, limit) == holds:
            return shown
    return Format(limit.unit, significant=MOST_DIGITS).show(value)


def _printed_holds(shown: Printed, criterion: Criterion, limit: Limit) -> bool:
    printed_limit = Format(limit.unit, significant=LIMIT_DIGITS).number(limit.value)
    number = shown.text.removesuffix("%").split(" ")[0]
    return bool(COMPARISONS[criterion.comparison](_decimal(number), _decimal(printed_limit)))


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))


def judgements(verdict: Verdict) -> Measured:
    """The verdict as a frame, one row a judgement, its lineage kept: for tables and sentences."""
    rows = [_flat(item) for item in verdict.judgements]
    frame = pl.DataFrame(rows, schema=JUDGEMENTS, orient="row")
    done = Step("verdict.judgements", 1, canonical_json({}),
                (verdict.content_hash(),), hash_frame(frame))  # fmt: skip
    return Measured(frame, verdict.lineage.then(done), "judgements")


JUDGEMENTS: dict[str, Any] = {
    "criterion": pl.String, "scope": pl.String, "rule": pl.String, "value": pl.Float64,
    "value_text": pl.String, "value_unit": pl.String, "value_rounding": pl.String,
    "outcome": pl.String, "reason": pl.String, "source": pl.String,
}  # fmt: skip


def _flat(item: Judgement) -> Row:
    value = item.value or Printed("–", None, "1", "")
    return {
        **{name: getattr(item, name) for name in
           ("criterion", "scope", "rule", "outcome", "reason", "source")},
        "value": value.value, "value_text": value.text, "value_unit": value.unit,
        "value_rounding": value.rounding,
    }  # fmt: skip
