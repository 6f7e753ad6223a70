"""The comparison itself: every question to every pair of curves, as changes with both sides.

And where two curves cross: beyond that place another one is ahead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from perfkit.analysis.compare.common import Given, common_values
from perfkit.analysis.compare.conditions import UnlikeError, check_allowed, check_compatible
from perfkit.analysis.compare.sides import Curve, sides
from perfkit.analysis.curves.curves import CONFIDENCE
from perfkit.analysis.curves.metrics import LATENCIES, check_latency, printed
from perfkit.analysis.curves.questions import CURVE_QUESTIONS, IOPS_AT_LATENCY, LATENCY_AT_IOPS
from perfkit.analysis.curves.series import SERIES, require_columns
from perfkit.core import answers
from perfkit.core.answers import Answer, Estimate, Relation, Status
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.intervals import EQUAL_ON_LOGS, Side, change_intervals
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

Tables = Measured | Sequence[Measured] | None


@step(version=4, name="compare.curves")
def compare(
    points: Measured | Sequence[Measured],
    options: Tables = None,
    histogram: Tables = None,
    *,
    baseline: str | None = None,
    latencies_s: Sequence[float] = (),
    iops: Sequence[float] = (),
    loads: Sequence[float] = (),
    cpu_ratios: Sequence[float] = (),
    metric: str = "lat_mean_s",
    direction: str = "total",
    cores: Mapping[str, float] | None = None,
    allow: str | Sequence[str] = (),
) -> pl.DataFrame:
    """Compare two or more systems or configurations over the load points that were measured.

    Curves are compared that share workload and kind of load; each other one with the baseline. Each
    question (``questions.ASKED``) is put to both curves, the ones that ``latency_curve`` draws, and
    the change is the ratio of their two answers. Nothing is extrapolated: what a curve does not
    answer has a status and no number. With no value given at all, those of ``common_values`` are
    asked. The peak is always asked for.

    The intervals of all changes of one pair and one metric are a family: they hold together
    (``intervals.change_intervals``). Repeats count as independent; rounds are not blocks.

    Args:
        points: ``load_points`` of any source, labelled by system and config; or those of several
            sources, which are put together.
        options: ``job_options`` of the same sources, or the ``spec`` of a run, or both: engine,
            direct I/O, active set and preconditioning, which are then part of what must agree.
            Block size and mix are measured from the points.
        histogram: Histograms of the same sources: percentiles of several repeats are those of the
            merged histogram; without it they are missing.
        baseline: The name of the curve the others are compared with, as ``series_labels`` gives it
            ("A400, FCP"), or a system or config that only one curve of each workload has; a system
            of several configs is the baseline in each config that another one has, too. None: the
            first curve.
        latencies_s: Latencies at which IOPS are compared, and the most IOPS at or under them.
        iops: IOPS at which latencies and host CPU are compared.
        loads: Loads at which IOPS, latency and host CPU are compared.
        cpu_ratios: Busy shares of the hosts' CPUs at which IOPS are compared.
        metric: The latency: lat_mean_s, or a percentile.
        direction: read, write, or total.
        cores: CPU cores of the load generators by curve, system or config: IOPS per busy core are
            then compared.
        allow: Conditions that may differ (``schema.COMPATIBILITY``); each change then carries a
            caution with them. With "load_kind" or "workload", curves are compared across these.

    Returns:
        ``answers.ANSWERS``: of each change three rows, the change (a ratio) and its two sides.

    Raises:
        AbsentError: fewer than two curves of one workload, or conditions that differ in every pair
            and are not allowed to (naming the field); where they differ in some, the others carry
            a caution. A caller of the package gets ``Unanswered`` with the
            reason instead.
        AnalysisError: an unknown baseline, a value asked for that is not above 0.
    """
    check_latency(metric)
    frame = _together(points)
    if frame is None:
        raise AbsentError("there is nothing to compare: no load points were given")
    require_columns(frame, [*SERIES, "load", "repeat", "host", "iops", metric], "load_points")
    given = Given(tuple(latencies_s), tuple(iops), tuple(loads), tuple(cpu_ratios))
    for name in ("latencies_s", "iops", "loads", "cpu_ratios"):
        bad = [value for value in getattr(given, name) if not 0 < value < float("inf")]
        if bad:
            raise AnalysisError(f"{name}: {bad[0]!r} is not above 0: no curve can be asked there")
    allowed = check_allowed(allow)
    parts = sides(
        frame,
        _frames(options),
        _together(histogram),
        direction=direction,
        metric=metric,
        cores=cores or {},
        allow=allowed,
    )
    found: list[Answer] = []
    unlike: list[_Unlike] = []
    compared = _with_baseline(parts, baseline)
    for curves in compared:
        first = _baseline(curves, baseline)
        asked = given if given.any() else common_values(curves, metric)
        questions = asked.questions(with_cores=bool(cores))
        own, refused = _against(first, curves, questions, metric=metric, allow=allowed)
        found += own
        unlike += refused
    if unlike and not found:
        raise unlike[0][0]
    alone = _alone(parts, compared, baseline)
    return answers.to_frame([_beside(item, unlike, alone) for item in found])


_Unlike = tuple[UnlikeError, object]
"""Why a pair is not compared, and its workload."""


def _against(
    first: Curve,
    curves: Sequence[Curve],
    questions: Sequence[tuple[str, float | None]],
    *,
    metric: str,
    allow: Sequence[str],
) -> tuple[list[Answer], list[_Unlike]]:
    """Each other curve against the first; and why some are not: their conditions differ."""
    found: list[Answer] = []
    unlike: list[_Unlike] = []
    for other in curves:
        if other is not first:
            try:
                found += _pair((other, first), questions, metric=metric, allow=allow)
            except UnlikeError as why:
                unlike.append((why, other.key["workload"]))
    return found, unlike


def _alone(
    parts: Sequence[Sequence[Curve]], compared: Sequence[Sequence[Curve]], baseline: str | None
) -> tuple[Caution, ...]:
    """That some curves are in no comparison, as the baseline has none for them."""
    known = {id(curve) for curves in compared for curve in curves}
    others = (c for curves in parts for c in curves if baseline not in {c.name, c.key["system"]})
    left = sum(id(curve) not in known for curve in others)
    if not left or baseline is None:
        return ()
    curves = f"{left:,} curve{' is' if left == 1 else 's are'}"
    return (caution("compared_with_none", curves=curves, baseline=baseline),)


def _beside(item: Answer, unlike: Sequence[_Unlike], alone: tuple[Caution, ...]) -> Answer:
    """A change that says which curves stand nowhere: conditions differ, or no other is like one."""
    item = replace(item, cautions=(*item.cautions, *alone))
    if not unlike:
        return item
    (why, workload), more = unlike[0], len(unlike) - 1
    of = " and ".join(why.names) + (f" with {workload}" if workload is not None else "")
    if more:
        of += f", and {more} more {'pair' if more == 1 else 'pairs'} of curves,"
    told = caution("unlike_pairs", of=of, why=why.why)
    return replace(item, cautions=(*item.cautions, told))


def _frames(tables: Tables) -> list[pl.DataFrame]:
    given = [tables] if isinstance(tables, Measured) else tables or []
    return [table.frame for table in given]


def _together(tables: Tables) -> pl.DataFrame | None:
    frames = _frames(tables)
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def _with_baseline(parts: list[list[Curve]], asked: str | None) -> list[list[Curve]]:
    """The curves that are compared with one of them, a list for each workload and kind of load.

    Where the baseline is a system of several configs, there is a list for each config.
    """
    found = [own for curves in parts for own in _parted(curves, asked)]
    if found or not any(_called(curves, asked) for curves in parts):
        return found or parts
    systems = {str(curve.key["system"]) for curves in parts for curve in curves}
    if len(systems) == 1:
        return parts
    raise AbsentError(
        f"the system {asked} has several configurations, and none of them is one of "
        f"{' or '.join(sorted(systems - {asked}))}: in the study, give the same label (config) to "
        "those that belong together"
    )


def _parted(curves: list[Curve], asked: str | None) -> list[list[Curve]]:
    if asked is None or len(_called(curves, asked)) == 1:
        return [curves]
    configs = rows_by(curves, lambda curve: curve.key["config"]).values()
    return [own for own in configs if len(own) > 1 and any(c.key["system"] == asked for c in own)]


def _called(curves: Sequence[Curve], asked: str | None) -> list[Curve]:
    """The curves of this name, system or config."""
    return [
        curve for curve in curves if asked in {curve.name, curve.key["system"], curve.key["config"]}
    ]


def _baseline(curves: list[Curve], asked: str | None) -> Curve:
    if asked is None:
        return curves[0]
    named = _called(curves, asked)
    if len(named) == 1:
        return named[0]
    known = [curve.name for curve in curves]
    why = "is the name of several curves" if named else "is not a curve"
    where = f" of workload {curves[0].key['workload']}"
    raise AnalysisError(f"baseline {asked!r} {why}{where}; {did_you_mean(asked, known)}")


def _pair(
    pair: tuple[Curve, Curve],
    questions: Sequence[tuple[str, float | None]],
    *,
    metric: str,
    allow: Sequence[str],
) -> list[Answer]:
    """Every question to one pair: (subject, against)."""
    other, first = pair
    names = (first.name, other.name)
    differs = check_compatible(first.conditions, other.conditions, names, allow)
    always = [caution("conditions_differ", fields=differs)] if differs else []
    places = crosses_at(*pair, metric)
    crossed = [caution("curves_cross", at=printed("iops", place).text) for place in places]
    crossed = [caution("curves_cross_again")] if len(places) > 1 else crossed
    return with_intervals(
        change(name, at, pair, metric, [*always, *(crossed if name in MEETINGS else [])])
        for name, at in questions
    )


MEETINGS = (IOPS_AT_LATENCY.name, LATENCY_AT_IOPS.name)
"""The questions that a crossing of the two curves turns round."""


SAME = 0.01
"""Latencies, or IOPS, that differ by less than this share do not tell who is ahead.

Both count: on a plateau a little noise of the IOPS is a large difference of the latency.
"""


def crosses_at(first: Curve, other: Curve, metric: str) -> list[float]:
    """The IOPS at which the two curves' latencies cross, in order; empty where one stays ahead.

    Each curve is the one that is drawn, linear between load points, over the IOPS that both
    reached. Where they are within 1% of each other, upwards or sideways, none is ahead, so that
    curves which only touch do not cross.
    """
    import numpy as np

    lines = [_line(curve.series.points, metric) for curve in (first, other)]
    if lines[0] is None or lines[1] is None:
        return []
    (xs, ys), (other_xs, other_ys) = lines[0], lines[1]
    low, high = max(xs[0], other_xs[0]), min(xs[-1], other_xs[-1])
    if not low < high:
        return []
    grid = sorted({low, high, *(x for x in (*xs, *other_xs) if low < x < high)})
    one = np.log(np.interp(grid, xs, ys))
    two = np.log(np.interp(grid, other_xs, other_ys))
    sideways = np.maximum(_sideways(grid, one, two), _sideways(grid, two, one))
    gaps = np.where(sideways < SAME, 0.0, two - one)
    return _changes(grid, gaps.tolist())


def _sideways(grid: Sequence[float], one: Any, two: Any) -> Any:
    """How far the other curve's IOPS are from each point's at its latency, as a logarithm."""
    import numpy as np

    there = np.interp(one, np.maximum.accumulate(two), grid)
    return np.abs(np.log(there / np.asarray(grid)))


def _line(rows: Sequence[Row], metric: str) -> tuple[list[float], list[float]] | None:
    """IOPS and latency of the load points at which the IOPS rose, where both are known."""
    xs: list[float] = []
    ys: list[float] = []
    for row in rows:
        x, y = row["iops"], row[metric]
        if x is None or y is None or y <= 0:
            return None
        if x > 0 and (not xs or x > xs[-1]):
            xs.append(x)
            ys.append(y)
    return (xs, ys) if xs else None


def _changes(grid: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Where the gap changes its sign, between the last clear value and the next."""
    found = []
    last: tuple[float, float] | None = None
    for x, gap in zip(grid, gaps, strict=True):
        if abs(gap) < SAME:
            continue
        if last is not None and (gap > 0) != (last[1] > 0):
            share = last[1] / (last[1] - gap)
            found.append(float(last[0] + share * (x - last[0])))
        last = (x, gap)
    return found


FAR_APART = 100.0
"""Latencies this many times apart are more often of two units than of two systems."""

WITHOUT_INTERVAL = (
    "one_repeat", "no_spread", "repeat_unanswered", "zero_value", "interval_too_wide",
)  # fmt: skip
"""The cautions that explain a missing interval."""

_GRAVEST: tuple[Status, ...] = ("missing", "ambiguous", "not_reached", "beyond_measured")
"""The statuses without a value: a change has the first of them that a side has."""

_FOUND: tuple[Status, ...] = ("interpolated", "highest_within", "measured")
"""The statuses with a value, likewise."""


@dataclass(frozen=True)
class Change:
    """A change before its interval; ``own`` are the answers of the repeats of both sides."""

    answer: Answer
    own: tuple[Side, Side] | None = None


def change(
    question: str,
    at: float | None,
    pair: tuple[Curve, Curve],
    metric: str,
    cautions: Sequence[Caution] = (),
) -> Change:
    """One question to both curves of a pair (subject, against).

    ``cautions`` are those of the pair.
    """
    subject, against = pair
    found = [curve.answer(question, at, metric) for curve in pair]
    one, other = (answer for answer, _ in found)
    own = [side for _, side in found if side is not None and side.value > 0]
    reason = _reason(question, pair, (one, other))
    known = len(own) == len(pair) and reason is None
    # of two values that only differ by the rounding of doubles the ratio is 1
    ratio = 1.0
    if known and not math.isclose(own[0].value, own[1].value, rel_tol=EQUAL_ON_LOGS):
        ratio = own[0].value / own[1].value
    statuses = {side.status for side in (one, other)}
    answer = Answer(
        question,
        one.metric,
        subject.series.subject,
        "missing" if reason else next(s for s in (*_GRAVEST, *_FOUND) if s in statuses),
        Estimate(ratio, "ratio", n=min(len(side.own) for side in own)) if known else None,
        _relation(one.relation, other.relation) if known else "=",
        tuple(item for item in one.conditions if item.role in {"at", "limit"}),
        against=against.series.subject,
        reason=reason,
        sides=(one, other),
        cautions=tuple(dict.fromkeys([*cautions, *one.cautions, *other.cautions])),
        inputs=tuple(dict.fromkeys([*one.inputs, *other.inputs])),
    )
    return Change(answer, (own[0], own[1]) if known else None)


def _reason(question: str, pair: tuple[Curve, Curve], sides: tuple[Answer, Answer]) -> str | None:
    """Why two answers are not a change, though both curves may have one; None where they are."""
    if CURVE_QUESTIONS[question].at == "load" and len({c.series.load_kind for c in pair}) > 1:
        return "loads of different kinds are not equal"
    if any(side.estimate is not None and not side.estimate.value > 0 for side in sides):
        return "a value of zero has no ratio"
    return None


_TURNED: dict[Relation, Relation] = {"=": "=", ">=": "<=", "<=": ">="}


def _relation(subject: Relation, against: Relation) -> Relation:
    """What bounds of both sides say of their ratio: nothing where they pull in two directions."""
    said = {subject, _TURNED[against]} - {"="}
    return said.pop() if len(said) == 1 else "="


def with_intervals(changes: Iterable[Change]) -> list[Answer]:
    """The changes of one pair with their intervals: a family for each metric."""
    made = list(changes)
    found = [item.answer for item in made]
    for metric in dict.fromkeys(answer.metric for answer in found):
        places = [i for i, item in enumerate(made) if item.own and item.answer.metric == metric]
        sides = [own for own in (made[i].own for i in places) if own is not None]
        intervals = change_intervals(sides, level=CONFIDENCE)
        for place, ends in zip(places, intervals, strict=True):
            found[place] = _finished(found[place], ends)
    return found


def _finished(answer: Answer, ends: tuple[float, float] | None) -> Answer:
    """A change with its interval, or with the reason why it has none, and what both say."""
    estimate = answer.got
    cautions = list(answer.cautions)
    apart = not 1 / FAR_APART < estimate.value < FAR_APART
    if apart and answer.metric in LATENCIES:
        cautions.append(caution("far_apart"))
    if ends is not None:
        low, high = min(ends[0], estimate.value), max(ends[1], estimate.value)
        estimate = replace(estimate, low=low, high=high, level=CONFIDENCE)
        cautions = [item for item in cautions if item.name not in WITHOUT_INTERVAL]
        if low <= 1 <= high:
            cautions.append(caution("no_difference"))
    elif not any(item.name in WITHOUT_INTERVAL for item in cautions):
        cautions.append(caution("interval_too_wide", of="both"))
    return replace(answer, estimate=estimate, cautions=tuple(dict.fromkeys(cautions)))
