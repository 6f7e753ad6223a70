"""What a criterion is applied to: the values of curves and drain cycles that it selects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from perfkit.analysis.curves.asking import Series, answer, series_of
from perfkit.analysis.curves.metrics import LATENCIES, METRICS, load_text
from perfkit.analysis.curves.questions import IOPS_AT_LATENCY, MOST_IOPS_WITHIN_LATENCY, PEAK_IOPS
from perfkit.analysis.over_time.cycles import LABEL, SUBJECT, longest_drains
from perfkit.analysis.verdicts.criteria import (
    JUDGED_AS,
    Criterion,
    parse_limit,
)
from perfkit.core.answers import Answer, Condition, Subject
from perfkit.core.cautions import Caution
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured
from perfkit.core.schema import PERCENTILES


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
        return MOST_IOPS_WITHIN_LATENCY.name
    if isinstance(criterion.at, dict):
        return IOPS_AT_LATENCY.name
    return JUDGED_AS[criterion.metric].question


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
    loads = [
        next(c.value for c in item.conditions if c.metric == item.subject.get("load_kind"))
        for item in chosen
    ]
    for item, load in zip(chosen, loads, strict=True):
        if _wanted_load(criterion, load, loads):
            kind = str(item.subject.get("load_kind"))
            where = f"{item.subject.label} ({LABEL}), {load_text(kind, load)}"
            repeat = next((int(c.value) for c in item.conditions if c.metric == "repeat"), None)
            scope = where if repeat is None else f"{where}, repeat {repeat}"
            known = item.estimate if item.relation == "=" else None
            yield Found(scope, item, known.value if known else None, item.reason)


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
    metric: str = criterion.metric if criterion.metric in LATENCIES else "lat_mean_s"
    loads, more = _at(criterion, series)
    for load in loads:
        found = _asked(criterion, series, load_text(series.load_kind, load), load, metric)
        cautions = tuple(dict.fromkeys((*found.answer.cautions, *more)))
        yield replace(found, answer=replace(found.answer, cautions=cautions))


def _at(criterion: Criterion, series: Series) -> tuple[list[float], tuple[Caution, ...]]:
    """The loads at which a curve is judged, and the cautions of choosing them."""
    loads = [row["load"] for row in series.points]
    if criterion.at == "peak":
        best = answer(PEAK_IOPS.name, series)
        if best.estimate is None or any(item.name == "gap" for item in best.cautions):
            raise AnalysisError("a load point has no IOPS: the peak is not known")
        loads = [item.value for item in best.conditions if item.metric == series.load_kind]
        return loads, tuple(item for item in best.cautions if item.name == "highest_load")
    named: dict[Any, list[float]] = {
        "every load": loads,
        "lowest load": loads[:1],
        "highest load": loads[-1:],
    }
    return named.get(criterion.at) or [load for load in loads if load == criterion.at], ()


def _asked(criterion: Criterion, series: Series, place: str, at: float, metric: str) -> Found:
    """The answer of a curve, and what the criterion's statistic takes of it."""
    question = question_of(criterion)
    whole = answer(question, series, at, metric)
    if whole.metric != criterion.metric:
        # a row of JUDGED_AS with another metric's question would judge that one in silence
        raise ValueError(f"{question} answers {whole.metric}, and is to judge {criterion.metric}")
    key = dict(series.subject.key)
    names = [str(key[name]) for name in ("system", "config", "workload") if key.get(name)]
    direction = [] if key["direction"] == "total" else [str(key["direction"])]
    scope = ", ".join([*names, *direction, place])
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
    more = (
        " (several repeats and no histogram of each)"
        if (pooled and criterion.metric in PERCENTILES)
        else ""
    )
    return f"{found.reason or 'no value'}{more}"
