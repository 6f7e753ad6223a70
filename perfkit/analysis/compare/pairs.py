"""The comparison itself: every question to every pair of curves, as changes with both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.compare.changes import change, with_intervals
from perfkit.analysis.compare.common import Given, common_values
from perfkit.analysis.compare.conditions import check_allowed, check_compatible
from perfkit.analysis.compare.crosses import crosses_at
from perfkit.analysis.compare.sides import Curve, sides
from perfkit.analysis.curves.metrics import check_latency, printed
from perfkit.analysis.curves.series import SERIES, require_columns
from perfkit.core import answers
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.core.answers import Answer

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
    (``intervals.change_intervals``). Repeats count as independent; rounds are no blocks.

    Args:
        points: ``load_points`` of any source, labelled by system and config; or those of several
            sources, which are put together.
        options: ``job_options`` of the same sources, or the ``spec`` of a run, or both: engine,
            direct I/O, active set and preconditioning, which are then part of what must agree.
            Block size and mix are measured from the points.
        histogram: Histograms of the same sources: percentiles of several repeats are those of the
            merged histogram; without it they are missing.
        baseline: The name of the curve the others are compared with, as ``series_labels`` gives it
            ("A400, FCP"), or a system or config that only one curve of each workload has. None: the
            first one.
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
        AnalysisError: fewer than two curves of one workload, an unknown baseline, conditions that
            differ (naming the field), a value asked for that is not above 0.
    """
    check_latency(metric)
    frame = _together(points)
    if frame is None:
        raise AbsentError("there is nothing to compare: no load points were given")
    require_columns(frame, [*SERIES, "load", "repeat", "host", "iops", metric], "load_points")
    given = Given(tuple(latencies_s), tuple(iops), tuple(loads), tuple(cpu_ratios))
    _check_given(given)
    allowed = check_allowed(allow)
    parts = sides(
        frame, _frames(options), _together(histogram), direction=direction, metric=metric,
        cores=cores or {}, allow=allowed,
    )  # fmt: skip
    found: list[Answer] = []
    for curves in parts:
        first = _baseline(curves, baseline)
        asked = given if given.any() else common_values(curves, metric)
        questions = asked.questions(with_cores=bool(cores))
        for other in curves:
            if other is not first:
                found += _pair((other, first), questions, metric=metric, allow=allowed)
    return answers.to_frame(found)


def _frames(tables: Tables) -> list[pl.DataFrame]:
    given = [tables] if isinstance(tables, Measured) else tables or []
    return [table.frame for table in given]


def _together(tables: Tables) -> pl.DataFrame | None:
    frames = _frames(tables)
    return pl.concat(frames, how="diagonal_relaxed") if frames else None


def _check_given(given: Given) -> None:
    for name in ("latencies_s", "iops", "loads", "cpu_ratios"):
        bad = [value for value in getattr(given, name) if not 0 < value < float("inf")]
        if bad:
            raise AnalysisError(f"{name}: {bad[0]!r} is not above 0: no curve can be asked there")


def _baseline(curves: list[Curve], asked: str | None) -> Curve:
    if asked is None:
        return curves[0]
    named = [
        curve for curve in curves if asked in {curve.name, curve.key["system"], curve.key["config"]}
    ]
    if len(named) == 1:
        return named[0]
    known = [curve.name for curve in curves]
    why = "is the name of several curves" if named else "is no curve"
    where = f" of workload {curves[0].key['workload']}"
    raise AnalysisError(f"baseline {asked!r} {why}{where}; {did_you_mean(asked, known)}")


def _pair(
    pair: tuple[Curve, Curve], questions: Sequence[tuple[str, float | None]], *, metric: str,
    allow: Sequence[str],
) -> list[Answer]:  # fmt: skip
    """Every question to one pair: (subject, against)."""
    other, first = pair
    differs = check_compatible(first.conditions, other.conditions, (first.name, other.name), allow)
    always = [caution("conditions_differ", fields=differs)] if differs else []
    crossed = _crossed(pair, metric)
    return with_intervals(
        change(name, at, pair, metric, [*always, *(crossed if name in MEETINGS else [])])
        for name, at in questions
    )


MEETINGS = ("iops_at_latency", "latency_at_iops")
"""The questions that a crossing of the two curves turns round."""


def _crossed(pair: tuple[Curve, Curve], metric: str) -> list[Caution]:
    places = crosses_at(*pair, metric)
    if len(places) > 1:
        return [caution("curves_cross_again")]
    return [caution("curves_cross", at=printed("iops", place).text) for place in places]
