"""What is shown of a choice: the charts, tables and sentences that a report would show of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import polars as pl

from perfkit.analysis.compare.asked import asked_at, changes_of
from perfkit.analysis.compare.common import round_values, shared_loads
from perfkit.analysis.compare.conditions import mismatches
from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.compare.sides import TOGETHER, Curve, sides
from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.questions import CURVE_QUESTIONS
from perfkit.core import answers
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.unanswered import answering
from perfkit.core.values import Figure
from perfkit.exploring.choices import ALIGN, Tables, select_curves
from perfkit.showing.display import numbered
from perfkit.showing.figures.compare import plot_differences
from perfkit.showing.figures.compare_marks import MARKED, plot_compared_curves
from perfkit.showing.figures.curves import plot_cpu, plot_latency_curve
from perfkit.showing.statements.say import say
from perfkit.showing.tables.compare import tables_comparison


@dataclass(frozen=True)
class Choice:
    """What the selectors say; values in SI base units.

    Attributes:
        baseline: The curve the others are compared with.
        others: The others.
        workload: The workload; None: each of them.
        direction: Of which I/O.
        metric: The latency.
        align: By what curves are put side by side (``ALIGN``).
        at: At which values; empty: round ones that every curve has.
        mark: The one value that is marked and spoken of; None: each.
        limit_s: A latency limit: drawn, and asked as a latency.
        allow: Conditions that may differ, by name.
        repeats: Whether the repeats are drawn.
        bands: Whether intervals are drawn as bands; otherwise as bars.
    """

    baseline: str
    others: tuple[str, ...]
    workload: str | None = None
    direction: str = "total"
    metric: str = "lat_mean_s"
    align: str = "latency"
    at: tuple[float, ...] = ()
    mark: float | None = None
    limit_s: float | None = None
    allow: tuple[str, ...] = ()
    repeats: bool = True
    bands: bool = True


@dataclass(frozen=True)
class Difference:
    """A condition in which two curves differ: the field's name and both values."""

    field: str
    words: str
    curves: str


@dataclass(frozen=True)
class Answer:
    """What is shown: nothing but ``problem`` where the choice is refused.

    Attributes:
        values: The values at which the curves were compared.
        comparison: What ``compare`` gave.
        shown: The values to show by part: curves, differences, tables, sentences.
        differ: The conditions that differ, whether allowed or not.
        problem: Why nothing is shown.
        align: By what the curves are put side by side.
    """

    values: tuple[float, ...] = ()
    comparison: Measured | None = None
    shown: dict[str, list[Any]] | None = None
    differ: tuple[Difference, ...] = ()
    problem: str | None = None
    align: str | None = None


def answer(tables: Tables, choice: Choice) -> Answer:
    """The answer to a choice; what cannot be answered is told in it, never raised."""
    differ: tuple[Difference, ...] = ()
    try:
        if not choice.others:
            return Answer(problem="Choose a system to compare with the baseline.")
        own, options, histogram = _selected(tables, choice)
        curves, differ = _curves(own, options, choice)
        refused = dict.fromkeys(
            f"{item.curves}: {item.field} differs ({item.words})"
            for item in differ
            if item.field not in choice.allow
        )
        if refused:
            told = f"Not compared, because the conditions differ. {'; '.join(refused)}."
            return Answer(differ=differ, problem=told)
        values = _values(curves, choice)
        compared = _compare(own, options, histogram, choice, values)
        shown = _shown(own, histogram, compared, values, choice)
        return Answer(values, compared, shown, differ, align=choice.align)
    except AnalysisError as problem:
        text = str(problem)
        return Answer(differ=differ, problem=f"{text[:1].upper()}{text[1:]}.")


def _selected(tables: Tables, choice: Choice) -> Tables:
    names = (choice.baseline, *choice.others)
    chosen = select_curves(tables, systems=names, workload=choice.workload)
    return cast("Tables", tuple(chosen))


def _curves(
    points: Measured, options: Measured | None, choice: Choice
) -> tuple[list[list[Curve]], tuple[Difference, ...]]:
    """The curves to compare, and in which conditions they differ from the baseline."""
    tables = [] if options is None else [options.frame]

    def parts(allow: Sequence[str]) -> list[list[Curve]]:
        return sides(
            points.frame,
            tables,
            direction=choice.direction,
            metric=choice.metric,
            cores={},
            allow=allow,
        )

    apart: tuple[str, ...] = ()
    try:
        found = parts(choice.allow)
    except AnalysisError:
        # curves of different workloads or kinds of load: comparable only if that is allowed
        apart = tuple(name for name in TOGETHER if name not in choice.allow)
        found = parts((*choice.allow, *apart))
    differ = [item for part in found for item in _differences(part, choice.baseline)]
    if apart and not any(item.field in apart for item in differ):
        parts(choice.allow)  # another reason: raised as it is
    return found, tuple(differ)


def _differences(part: list[Curve], baseline: str) -> list[Difference]:
    named = [c for c in part if baseline in {c.name, c.key["system"], c.key["config"]}]
    first = named[0] if named else part[0]
    return [
        Difference(field, words, f"{first.name} and {other.name}")
        for other in part
        if other is not first
        for field, words in mismatches(first.conditions, other.conditions).items()
    ]


Ranges = Mapping[str, tuple[float, float]]

_ROUND: dict[str, Callable[[list[Curve], str, Ranges], tuple[float, ...]]] = {
    "latency": round_values,
    "IOPS": lambda curves, _metric, within: round_values(curves, "iops", within),
    "load": lambda curves, _metric, within: shared_loads(curves, within),
    "host CPU": lambda curves, _metric, within: round_values(curves, "cpu_busy_ratio", within),
    "peak": lambda _curves, _metric, _within: (),
}


def values_within(tables: Tables, choice: Choice, within: Ranges) -> tuple[float, ...]:
    """Up to four values at which the curves of a choice can be compared, within brushed ranges.

    ``within`` is the range of each metric, in SI units; the values of the choice do not count.

    Raises AnalysisError where the curves cannot be compared.
    """
    points, options, _ = _selected(tables, choice)
    parts, _ = _curves(points, options, choice)
    return _ROUND[choice.align]([c for part in parts for c in part], choice.metric, within)


def _values(parts: list[list[Curve]], choice: Choice) -> tuple[float, ...]:
    """The values given, or round ones; a limit is one of the latencies."""
    curves = [curve for part in parts for curve in part]
    found = choice.at or _ROUND[choice.align](curves, choice.metric, {})
    if choice.align == "latency" and choice.limit_s is not None:
        found = (*found, choice.limit_s)
    return tuple(sorted(set(found)))


def _compare(
    points: Measured,
    options: Measured | None,
    histogram: Measured | None,
    choice: Choice,
    values: tuple[float, ...],
) -> Measured:
    align = ALIGN[choice.align]
    if align.values is not None and not values:
        raise AnalysisError(
            f"the curves have no {choice.align} in common, so none can be compared there: give "
            "values, or choose other curves"
        )
    given: dict[str, Any] = {align.values: list(values)} if align.values else {}
    return compare(
        points,
        options,
        histogram,
        baseline=choice.baseline,
        metric=choice.metric,
        direction=choice.direction,
        allow=list(choice.allow),
        **given,
    )


def _shown(
    points: Measured,
    histogram: Measured | None,
    compared: Measured,
    values: tuple[float, ...],
    choice: Choice,
) -> dict[str, list[Any]]:
    questions = ALIGN[choice.align].questions
    curve = latency_curve(points, histogram, direction=choice.direction)
    changes = changes_of(compared)
    names = sorted({name for item in changes if (name := item.subject.get("workload"))})
    marked = values if choice.mark not in values else (choice.mark,)
    parts = [
        _chart(
            *_of_workload(name if len(names) > 1 else None, curve, points, compared),
            choice=choice,
            marked=[value for value in marked if value is not None],
        )
        for name in names
    ]
    if len(names) > 1:
        parts = [
            numbered(p, n, name) for n, (p, name) in enumerate(zip(parts, names, strict=True), 1)
        ]
    asked = {item.question for item in changes}
    known = [question for question in questions if question in asked]
    spoken = compared
    if choice.mark in values and choice.mark is not None:
        spoken = _chosen(compared, at=choice.mark)
    return {
        "sentences": list(say(spoken, *known)),
        "curves": parts,
        "differences": _changes(compared, _of_different(known)),
        "tables": list(tables_comparison(compared, *known)),
    }


def _of_workload(
    name: str | None, curve: Measured, points: Measured, compared: Measured
) -> tuple[Measured, Measured, Measured]:
    """What a chart is drawn of, of one workload alone; None: of all."""
    if name is None:
        return curve, points, compared
    return (
        curve.filter(workload=name),
        points.filter(workload=name),
        _chosen(compared, workload=name),
    )


@step(version=1, name="choose.changes")
def _chosen(
    compared: Measured, *, at: float | None = None, workload: str | None = None
) -> pl.DataFrame:
    """The changes asked at one value, or of one workload, each with both its sides."""
    kept = [
        item
        for item in changes_of(compared)
        if (at is None or ((asked := asked_at(item)) and asked.value == at))
        and (workload is None or item.subject.get("workload") == workload)
    ]
    return answers.to_frame(kept)


def _chart(
    curve: Measured, points: Measured, compared: Measured, *, choice: Choice, marked: list[float]
) -> Any:
    if choice.align == "host CPU":
        return answering(plot_cpu)(curve)
    common = {
        "metric": choice.metric,
        "bands": choice.bands,
        "limit_s": choice.limit_s,
        "points": points if choice.repeats else None,
    }
    question = ALIGN[choice.align].questions[0]
    if question not in MARKED:
        return answering(plot_latency_curve)(curve, **common)
    return answering(plot_compared_curves)(curve, compared, question=question, at=marked, **common)


def _of_different(questions: Sequence[str]) -> list[str]:
    """The first question of each quantity: a chart of the same changes twice tells no more."""
    return list({CURVE_QUESTIONS[name].wanted: name for name in reversed(questions)}.values())[::-1]


def _changes(compared: Measured, questions: Sequence[str]) -> list[Any]:
    """The changes of each question that has any; of the first one the reason where it has none."""
    made = [answering(plot_differences)(compared, question=question) for question in questions]
    return [item for item in made if isinstance(item, Figure)] or made[:1]
