"""Applying criteria to answers: pass, fail, or not judged with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import polars as pl

from perfkit.analysis.curves.asking import Series, answer, series_of
from perfkit.analysis.curves.metrics import LIMIT_DIGITS, METRICS, MOST_DIGITS, load_text
from perfkit.analysis.over_time.cycles import LABEL, SUBJECT, longest_drains
from perfkit.analysis.verdicts.criteria import (
    COMPARISONS,
    JUDGED_AS,
    Criterion,
    Limit,
    parse_limit,
)
from perfkit.core.answers import (
    Answer,
    Condition,
    Estimate,
    Question,
    Subject,
    register,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import OF_EVIDENCE, Caution, caution, in_words, to_json
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES, ColumnTypes, Row
from perfkit.core.units import Format, Printed, in_column
from perfkit.core.values import check_id
from perfkit.core.verdict import Judgement, Outcome, Verdict


@dataclass(frozen=True)
class Found:
    """What a criterion is applied to.

    Attributes:
        scope: Where, in words.
        answer: The answer that is judged.
        value: What is compared with the limit, by the criterion's statistic; None where it is
            missing.
        reason: Why it is missing, or a remark on it.
        repeats: The same value of each repeat, where it is over several.
    """

    scope: str
    answer: Answer
    value: float | None = None
    reason: str | None = None
    repeats: tuple[float, ...] = ()


@step(version=2, name="verdict.criteria")
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
    without a histogram, IOPS at a latency that the curve does not have, a bound of an interval that
    is not there, fewer than five cycles. Where repeats lie on the other side of the limit, or their
    interval holds it, the verdict says so.

    Args:
        points: ``load_points``.
        criteria: What is demanded.
        histogram: Bins of completion latency, for pooled percentiles.
        cycles: The drains of an epic-like workload.
        value_id: The id of the verdict.
    """
    data = Judged(points, histogram, cycles)
    judgements = [
        judged
        for criterion in criteria
        for judged in judgements_of(criterion, data.found(criterion), rule_text(criterion))
    ]
    return verdict_of(value_id, judgements)


def verdict_of(value_id: str, judgements: Sequence[Judgement]) -> Verdict:
    """The verdict with the cautions of its judgements, each once."""
    cautions = dict.fromkeys(one for item in judgements for one in item.cautions)
    return Verdict(check_id(value_id), tuple(judgements), cautions=tuple(cautions))


@dataclass(frozen=True)
class Judged:
    """The data that criteria on load points are applied to, and the curves made of them."""

    points: Measured
    histogram: Measured | None = None
    cycles: Measured | None = None
    _series: dict[Any, list[Series]] = field(default_factory=dict, compare=False)

    def found(self, criterion: Criterion) -> list[Found]:
        """What the criterion is applied to, at least one: where there is nothing, the reason."""
        drains = JUDGED_AS[criterion.metric].of == "drain cycles"
        finder = _drains if drains else _loads
        try:
            found = list(finder(criterion, self))
        except AnalysisError as problem:
            return [nothing(criterion, str(problem))]
        return found or [nothing(criterion, "no load point matches")]

    def series(self, criterion: Criterion) -> list[Series]:
        """The curves of the criterion's direction and host; where it names none, hosts add up."""
        host = criterion.where.get("host")
        key = (criterion.direction, host)
        if key not in self._series:
            points, bins = (_of_host(item, host) for item in (self.points, self.histogram))
            found = series_of(points, bins, criterion.direction)
            self._series[key] = [_on_host(series, host) for series in found]
        return self._series[key]


def nothing(criterion: Criterion, reason: str) -> Found:
    """The result for a criterion that cannot be applied."""
    selected = ", ".join(criterion.where.values()) or "all"
    subject = Subject(selected, tuple(criterion.where.items()))
    none = Answer(question_of(criterion), criterion.metric, subject, "not_judged", reason=reason)
    return Found(selected, none, reason=reason)


def question_of(criterion: Criterion) -> str:
    """The question whose answer a criterion judges."""
    if criterion.within is not None:
        return "most_iops_within_latency"
    if isinstance(criterion.at, dict):
        return "iops_at_latency"
    return JUDGED_AS[criterion.metric].question


register(
    Question(
        "value_of_run",
        "s",
        "the value of one run, as its tool gives it",
        "none: each run by itself",
        "none",
    )
)


def _drains(criterion: Criterion, data: Judged) -> Iterator[Found]:
    if data.cycles is None:
        yield nothing(criterion, "no drain cycles are given")
        return
    unknown = [key for key in criterion.where if key not in SUBJECT]
    if unknown:
        raise AnalysisError(f"drain cycles have no {unknown[0]}")
    chosen = [
        item
        for item in longest_drains(data.cycles.frame)
        if all(item.subject.get(key) == text for key, text in criterion.where.items())
    ]
    loads = [_load_of(item) for item in chosen]
    for item, load in zip(chosen, loads, strict=True):
        if _wanted_load(criterion, load, loads):
            yield _drain(item, load)


def _load_of(drain: Answer) -> float:
    return next(c.value for c in drain.conditions if c.metric == drain.subject.get("load_kind"))


def _drain(drain: Answer, load: float) -> Found:
    """A lower bound, of drains that are too few or not all, is not judged."""
    kind = str(drain.subject.get("load_kind"))
    where = f"{drain.subject.label} ({LABEL}), {load_text(kind, load)}"
    repeat = next((int(c.value) for c in drain.conditions if c.metric == "repeat"), None)
    scope = where if repeat is None else f"{where}, repeat {repeat}"
    known = drain.estimate if drain.relation == "=" else None
    return Found(scope, drain, known.value if known else None, drain.reason)


def _wanted_load(criterion: Criterion, load: float, loads: list[float]) -> bool:
    ends = {"lowest load": min(loads), "highest load": max(loads)}
    if criterion.at == "every load":
        return True
    if criterion.at == "peak" or isinstance(criterion.at, dict):
        raise AnalysisError("drain cycles are judged at a load, not at the peak or a latency")
    return bool(load == ends.get(str(criterion.at), criterion.at))


def _loads(criterion: Criterion, data: Judged) -> Iterator[Found]:
    owner = _OWNERS.get(JUDGED_AS[criterion.metric].of)
    if owner:
        words = METRICS[criterion.metric].phrase()
        raise AnalysisError(f"load points hold no {words}: it belongs to {owner}")
    labels = {key: text for key, text in criterion.where.items() if key != "host"}
    for series in data.series(criterion):
        if all(series.subject.get(key) == text for key, text in labels.items()):
            yield from _of_series(criterion, series)


_OWNERS = {"runs": "a tool's runs", "answers": "answers, which judge_answers judges"}


def _of_host(data: Any, host: str | None) -> Any:
    """The rows of the host that the criterion names: curves add the hosts up."""
    if data is None or host is None:
        return data
    if "host" not in data.frame.columns:
        raise AnalysisError(f"{data.name}: the hosts are not told apart")
    return data.filter(host=host)


def _on_host(series: Series, host: str | None) -> Series:
    if host is None:
        return series
    key = (*series.subject.key, ("host", host))
    return replace(series, subject=replace(series.subject, key=key))


def _of_series(criterion: Criterion, series: Series) -> Iterator[Found]:
    limits = criterion.within or (criterion.at if isinstance(criterion.at, dict) else None)
    if limits is not None:
        ((latency, text),) = limits.items()
        limit = parse_limit(text, latency)
        place = f"{'within ' if criterion.within else ''}{METRICS[latency].phrase()} {limit.text}"
        yield _asked(criterion, series, place, limit.value, latency)
        return
    metric: str = criterion.metric if criterion.metric.startswith("lat_") else "lat_mean_s"
    loads, more = _at(criterion, series)
    for load in loads:
        found = _asked(criterion, series, load_text(series.load_kind, load), load, metric)
        cautions = tuple(dict.fromkeys((*found.answer.cautions, *more)))
        yield replace(found, answer=replace(found.answer, cautions=cautions))


def _at(criterion: Criterion, series: Series) -> tuple[list[float], tuple[Caution, ...]]:
    """The loads at which a curve is judged, and the cautions of choosing them."""
    loads = [row["load"] for row in series.points]
    if criterion.at == "peak":
        return _peak(series)
    named: dict[Any, list[float]] = {
        "every load": loads, "lowest load": loads[:1], "highest load": loads[-1:],
    }  # fmt: skip
    return named.get(criterion.at) or [load for load in loads if load == criterion.at], ()


def _peak(series: Series) -> tuple[list[float], tuple[Caution, ...]]:
    best = answer("peak_iops", series)
    if best.estimate is None or any(item.name == "gap" for item in best.cautions):
        raise AnalysisError("a load point has no IOPS: the peak is not known")
    loads = [item.value for item in best.conditions if item.metric == series.load_kind]
    return loads, tuple(item for item in best.cautions if item.name == "highest_load")


def _asked(criterion: Criterion, series: Series, place: str, at: float, metric: str) -> Found:
    """The answer of a curve, and what the criterion's statistic takes of it."""
    question = question_of(criterion)
    whole = answer(question, series, at, metric)
    if whole.metric != criterion.metric:
        # a row of JUDGED_AS with another metric's question would judge that one in silence
        raise ValueError(f"{question} answers {whole.metric}, and is to judge {criterion.metric}")
    scope = _scope(series, place)
    if whole.estimate is None:
        return Found(scope, whole, reason=_why(criterion, whole, series, place))
    single = [
        answer(question, replace(series, points=rows, repeats=(rows,)), at, metric)
        for rows in series.repeats
        if criterion.within or isinstance(criterion.at, dict) or at in {r["load"] for r in rows}
    ]
    values = [item.estimate.value for item in single if item.estimate is not None]
    if criterion.over_repeats == "every repeat":
        return _worst(criterion, scope, whole, single)
    value: float | None = whole.estimate.value
    if criterion.over_repeats == "bound":
        value = whole.estimate.low if criterion.upward else whole.estimate.high
        if value is None:
            why = "; ".join(item.text for item in whole.cautions)
            return Found(scope, whole, reason=why or "there is no interval")
    return Found(scope, whole, value, repeats=tuple(values) if len(series.repeats) > 1 else ())


def _worst(criterion: Criterion, scope: str, whole: Answer, single: list[Answer]) -> Found:
    """The repeat that is furthest on the wrong side: every one must meet the limit."""
    known = [
        (item.estimate.value, number, item)
        for number, item in enumerate(single, 1)
        if item.estimate is not None
    ]
    if len(known) < len(single) or not known:
        return Found(scope, whole, reason="not every repeat has a value")
    value, number, worst = (min if criterion.upward else max)(known, key=lambda item: item[0])
    where = Condition("repeat", float(number), "1", "where")
    cautions = tuple(item for item in whole.cautions if item.name == "one_repeat")
    return Found(
        scope, replace(worst, conditions=(*worst.conditions, where), cautions=cautions), value
    )


_UNMET: dict[str, str] = {
    "not_reached": "every load point lies below {place}",
    "beyond_measured": "every load point lies above {place}",
    "ambiguous": "the curve passes {place} more than once",
}


def _why(criterion: Criterion, found: Answer, series: Series, place: str) -> str:
    """Why a curve has no value there."""
    words = _UNMET.get(found.status)
    if words:
        hint = "" if criterion.within else "; within: asks for the most IOPS at or under it"
        return words.format(place=place.removeprefix("within ")) + hint
    pooled = criterion.over_repeats == "pooled" and len(series.repeats) > 1
    more = " (several repeats and no histogram of each)" if (
        pooled and criterion.metric in PERCENTILES) else ""  # fmt: skip
    return f"{found.reason or 'no value'}{more}"


def _scope(series: Series, place: str) -> str:
    key = dict(series.subject.key)
    names = [str(key[name]) for name in ("system", "config", "workload") if key.get(name)]
    direction = [] if key["direction"] == "total" else [str(key["direction"])]
    return ", ".join([*names, *direction, place])


def judgements_of(criterion: Criterion, every: Sequence[Found], rule: str) -> list[Judgement]:
    """The verdict on each value; all of them are printed with the same decimals."""
    form = format_against([one.value for one in every if one.value is not None], criterion)
    return [_judgement(criterion, found, rule, form) for found in every]


def _judgement(criterion: Criterion, found: Found, rule: str, form: Format) -> Judgement:
    """The one verdict on one value: what does not hold fails, what is missing is not judged."""
    outcome, reason = outcome_of(criterion, found)
    cautions = (*_unsupported(criterion, found, outcome), *found.answer.cautions)
    # what holds of the evidence is said of the whole table
    own = in_words(item for item in cautions if item.name not in OF_EVIDENCE)
    words = dict.fromkeys((reason, *own, criterion.note))
    open_ = {"status": "not_judged", "estimate": None, "relation": "="}
    status: dict[str, Any] = open_ if outcome == "not judged" else {}
    return Judgement(
        criterion=criterion.name,
        scope=found.scope,
        rule=rule,
        value=None if found.value is None else form.show(found.value),
        outcome=outcome,
        reason="; ".join(text for text in words if text) or None,
        source=criterion.source,
        answer=replace(found.answer, cautions=cautions, reason=reason, **status),
        cautions=cautions,
        demand=criterion.demand,
        meant_to_fail=criterion.expected_to_fail(dict(found.answer.subject.key)),
    )


def outcome_of(criterion: Criterion, found: Found) -> tuple[Outcome, str | None]:
    """The outcome, and what is to be said of it."""
    if found.value is None:
        return "not judged", found.reason
    holds = criterion.holds(found.value)
    proves = {">=": True, "<=": False}.get(found.answer.relation)
    if proves is not None and holds != (criterion.upward == proves):
        # "at least 50" neither refutes "100 or more" nor proves "100 or less"
        bound = f"the value is {'a lower' if proves else 'an upper'} bound"
        answered = JUDGED_AS[criterion.metric].of == "answers"
        return (
            "not judged",
            bound if answered else f"the curve ends below the latency limit: {bound}",
        )
    return ("pass" if holds else "fail"), found.reason


def _unsupported(criterion: Criterion, found: Found, outcome: Outcome) -> list[Caution]:
    """Where the repeats do not support the verdict on what is over all of them."""
    if outcome == "not judged" or not found.repeats:
        return []
    against = sum(criterion.holds(value) != (outcome == "pass") for value in found.repeats)
    some = {"some": f"{against}", "all": f"{len(found.repeats)}"}
    lie = "lies" if against == 1 else "lie"
    disagree = [caution("repeats_disagree", of=found.scope, lie=lie, **some)] if against else []
    return [*disagree, *_around_limit(criterion, found)]


def _around_limit(criterion: Criterion, found: Found) -> list[Caution]:
    """The caution for an interval that holds the limit; a bound is judged as an end of it."""
    estimate, limit = found.answer.estimate, criterion.parsed_limit
    if criterion.over_repeats == "bound" or estimate is None:
        return []
    if estimate.low is None or estimate.high is None:
        return []
    if not estimate.low <= limit.value <= estimate.high:
        return []
    form = Format(limit.unit, significant=3)
    ends = " to ".join(form.show(end).text for end in (estimate.low, estimate.high))
    return [caution("limit_in_interval", of=found.scope, interval=ends)]


def rule_text(criterion: Criterion, *, over: str | None = None) -> str:
    """The rule as printed: "mean latency < 2 ms, mean over repeats"; ``over`` names other rows."""
    statistic = {"mean": "mean over repeats", "every repeat": "every repeat",
                 "bound": f"{'lower' if criterion.upward else 'upper'} end of the interval",
                 "pooled": "all repeats"}  # fmt: skip
    subject = METRICS[criterion.metric].phrase(criterion.direction)
    sign = {"<=": "≤", ">=": "≥"}.get(criterion.comparison, criterion.comparison)
    limit = criterion.parsed_limit.text
    if criterion.metric == "iops":
        limit = limit.removesuffix(" IOPS")
    rule = f"{subject} {sign} {limit}"
    return f"{rule}, {over or statistic[criterion.over_repeats]}"


def format_against(values: Sequence[float], criterion: Criterion) -> Format:
    """The one format of values beside a limit, in its unit: the largest has three digits.

    Its decimals are as many as it takes not to change an outcome: 2.0004 ms prints as 2.00 ms
    against "< 2 ms" (both fail), and as 2.0004 ms against "<= 2 ms".
    """
    limit = criterion.parsed_limit
    digits = Format(limit.unit, significant=3)
    largest = digits.number(max(values, key=abs, default=None)).partition(".")[2]
    fewest = min(max(in_column(digits, values).decimals or 0, len(largest)), MOST_DIGITS)
    forms = [Format(limit.unit, decimals=n) for n in range(fewest, MOST_DIGITS + 1)]
    kept = (
        form for form in forms
        if all(_printed_holds(form.show(value), criterion, limit) == criterion.holds(value)
               for value in values)
    )  # fmt: skip
    return next(kept, forms[-1])


def _printed_holds(shown: Printed, criterion: Criterion, limit: Limit) -> bool:
    printed_limit = Format(limit.unit, significant=LIMIT_DIGITS).number(limit.value)
    number = shown.text.removesuffix("%").split(" ")[0]
    return bool(COMPARISONS[criterion.comparison](_decimal(number), _decimal(printed_limit)))


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))


@step(version=3, name="verdict.judgements")
def judgements(verdict: Verdict) -> pl.DataFrame:
    """The verdict as a frame, one row a judgement: for tables and sentences."""
    rows = [_flat(item) for item in verdict.judgements]
    return pl.DataFrame(rows, schema=JUDGEMENTS, orient="row")


JUDGEMENTS: ColumnTypes = {
    "criterion": pl.String, "scope": pl.String, "rule": pl.String, "value": pl.Float64,
    "value_text": pl.String, "value_unit": pl.String, "value_rounding": pl.String,
    "outcome": pl.String, "reason": pl.String, "source": pl.String, "cautions": pl.String,
    "meant_to_fail": pl.String,
}  # fmt: skip


def _flat(item: Judgement) -> Row:
    value = item.value or Printed("–", None, "1", "")
    return {
        **{name: getattr(item, name) for name in
           ("criterion", "scope", "rule", "outcome", "reason", "source", "meant_to_fail")},
        "value": value.value, "value_text": value.text, "value_unit": value.unit,
        "value_rounding": value.rounding, "cautions": to_json(item.cautions),
    }  # fmt: skip


register(Question(
    "criteria_met", "1", "the judgements that passed", "a count", "none",
    gives=frozenset({("measured", "="), ("not_judged", "=")}),
))  # fmt: skip


@step(version=1, name="verdict.criteria_met")
def criteria_met(judged: Measured) -> pl.DataFrame:
    """The answer of ``judgements``: how many passed, of how many that count.

    Judgements of subjects that are meant to fail stand apart.
    """
    rows = judged.frame.rows(named=True)
    counting = [row for row in rows if row["meant_to_fail"] is None]
    passed = sum(row["outcome"] == "pass" for row in counting)
    none = "no criterion was given" if not rows else "every subject is meant to fail"
    apart = len(rows) - len(counting)
    return to_frame([Answer(
        "criteria_met", "judgements", Subject("the verdict"),
        "measured" if counting else "not_judged",
        Estimate(float(passed), "1") if counting else None,
        conditions=where_conditions(
            ("judgements", float(len(counting)) if counting else None, "1"),
            ("meant_to_fail", float(apart) if apart else None, "1"),
        ),
        reason=None if counting else none,
    )])  # fmt: skip
