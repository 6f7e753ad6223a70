"""Isolation: whether protected workloads keep their own level while another one, a bully, ramps.

"Not affected" is said only where equivalence is shown; why it is so, only against a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from perfkit.analysis.curves.metrics import metric_of
from perfkit.analysis.curves.series import require_columns, require_share
from perfkit.analysis.genio import by_label
from perfkit.analysis.over_time.concurrent import by_key
from perfkit.analysis.verdicts.equivalence import Finding, difference
from perfkit.analysis.verdicts.isolation_questions import (
    CHANGED,
    DEPARTURE,
    EFFECT,
    EQUIVALENT,
    NOT_SHOWN,
    UNTESTED,
    WITHOUT_BULLY,
    WITHOUT_POLICY,
)
from perfkit.analysis.verdicts.isolation_tests import Plan, Tested, known, test
from perfkit.analysis.verdicts.run_verdicts import run_unit
from perfkit.core.answers import (
    Answer,
    Condition,
    Estimate,
    Relation,
    Status,
    Subject,
    from_frame,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.errors import AbsentError, AnalysisError, check_name
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.unanswered import Unanswered

ALPHA = 0.05

OWN_LEVEL, CONTROL_LEVEL = "its own runs", "its runs without the bully"
"""What a victim's level is the mean of: the part ``level_of`` of the subject's key."""


@step(version=4, name="verdict.isolation")
def isolation(
    runs: Measured,
    *,
    bully: str,
    margin_ratio: float,
    metric: str = "longest_write_cycle_s",
    victims: Sequence[str] | None = None,
    control: Measured | None = None,
    control_lacks: Literal["policy", "bully"] | None = None,
    alpha: float = ALPHA,
) -> pl.DataFrame:
    """Whether each victim's metric is equivalent to its own level over the bully's ramp: ANSWERS.

    Of each victim, all as shares of its level, with the margin as the condition of role "limit":

    - ``isolation_departure``, the finding. Two things are tested, each by two one-sided tests at
      ``alpha`` against the margin: the change over the ramp, and the range that holds 90 % of the
      runs (normal tolerance limits; a run outside the margin refutes it, whatever the limits say).

      ======================  ============================================================
      measured, ``<=``        equivalent: both are shown to lie within the margin; the
                              estimate bounds them and the run furthest from the level
      measured, ``>=``        changed: the interval of the change lies wholly outside the
                              margin; the estimate is its end next to the level
      missing                 neither is shown; the reason says what is open
      not judged              no test: a run without the value, fewer than four runs, no ramp
      ======================  ============================================================

      So a limit is met where the estimate is at most it by ``<=``, broken where it is more by
      ``>=``, and not judged without an estimate: the relation never says more than was shown.
    - ``isolation_effect``: the change over the ramp with its 1 - 2 alpha interval, and the run
      furthest from the level (the first of ``inputs``).
    - with a control ``isolation_without_policy`` or ``isolation_without_bully``: by ``<=`` it keeps
      its level there too, by ``>=`` it does not, missing where neither is shown. Without a control
      the caution ``no_control`` says that no cause is shown.

    Args:
        runs: One row a run: ``genio_runs`` of all servers. Concurrent runs share a run number.
        bully: The server that ramps.
        margin_ratio: The margin as a share of the level, declared before the data is seen.
        metric: A column of the runs.
        victims: The protected servers; None: all others.
        control: Runs of the same servers without the policy or without the bully. Without the bully
            their mean is the level.
        control_lacks: Which of both the control lacks; needed with it.
        alpha: Level of each one-sided test.

    Raises AnalysisError for an unknown server or metric, or a margin or level that is none.
    """
    _check(runs, metric, margin_ratio, alpha)
    if (control is None) != (control_lacks is None):
        raise AnalysisError("a control comes with what it lacks: 'policy' or 'bully'")
    servers = by_label(runs.frame.rows(named=True))
    others = list(victims) if victims is not None else [name for name in servers if name != bully]
    for name in (bully, *others):
        check_name("server", name, servers)
    if not others or bully in others:
        raise AnalysisError("isolation needs a server besides the bully")
    asked = Plan(metric, margin_ratio, alpha, bully, control_lacks)
    ramp = by_key(servers[bully])
    before = _control_rows(control, bully) if control_lacks == "policy" else []
    found = []
    for name in others:
        victim = _Victim(asked, name, servers[name], _control_rows(control, name))
        tested = test(asked, victim.rows, ramp, victim.rows_of_level)
        found += [_departure(victim, tested), _effect(victim, tested)]
        if control_lacks == "policy":
            found.append(_without_policy(victim, tested, before))
        elif control_lacks == "bully":
            found.append(_without_bully(victim, tested))
    return to_frame(found)


@dataclass(frozen=True)
class _Victim:
    plan: Plan
    name: str
    rows: list[Row]
    control: list[Row]

    @property
    def rows_of_level(self) -> list[Row]:
        """The runs whose mean is the level."""
        return self.control if self.plan.lacks == "bully" else self.rows

    @property
    def subject(self) -> Subject:
        level_of = CONTROL_LEVEL if self.plan.lacks == "bully" else OWN_LEVEL
        return Subject(self.name, (("bully", self.plan.bully), ("level_of", level_of)))

    @property
    def margin(self) -> Condition:
        return Condition("margin_ratio", self.plan.margin_ratio, "ratio", "limit")


def isolation_by_config(
    runs: Measured,
    *,
    bully: str | None,
    beside: str | None = None,
    control: str | None = None,
    **options: Any,
) -> Measured:
    """``isolation`` of a study's runs, whose configs separate the test from its control.

    Args:
        runs: Of all configs.
        bully: The server that ramps; None: there was none.
        beside: The config in which it ran; None: all runs.
        control: The config without the bully or without the policy; None: there is no such test.
        options: As for ``isolation``.

    Raises AbsentError where no server is named, and what ``isolation`` raises.
    """
    if bully is None:
        raise AbsentError("no server is named whose ramp may disturb the others (bully)")
    test_runs = runs.filter(config=beside) if beside else runs
    control_runs = runs.filter(config=control) if control else None
    return isolation(test_runs, bully=bully, control=control_runs, **options)


def _check(runs: Measured, metric: str, margin_ratio: float, alpha: float) -> None:
    metric_of(metric)
    require_columns(runs.frame, ("run", "position", metric), "runs")
    require_share("the margin", margin_ratio)
    if not 0 < 2 * alpha < 1:
        raise AnalysisError(f"the level of a test lies between 0 and 0.5, not {alpha}")


def _control_rows(control: Measured | None, victim: str) -> list[Row]:
    if control is None:
        return []
    rows = control.frame.rows(named=True)
    own = [row for row in rows if row.get("host") == victim] or by_label(rows).get(victim)
    if not own:
        raise AnalysisError(f"the control has no runs of {victim!r}")
    return own


def _departure(victim: _Victim, tested: Tested | Unanswered) -> Answer:
    """The finding: equivalent, changed, not shown or not judged."""
    plan = victim.plan
    levels = where_conditions(("alpha", plan.alpha, "1"), ("confidence", plan.confidence, "ratio"))
    cautions = () if plan.lacks else (caution("no_control", of=victim.name),)
    if isinstance(tested, Unanswered):
        return _answer(
            victim,
            DEPARTURE.name,
            UNTESTED,
            where=levels,
            reason=tested.reason,
            cautions=cautions,
        )
    unit = run_unit(plan.metric)
    where = where_conditions(
        ("level", tested.level, unit),
        ("band_low", tested.level - tested.margin, unit),
        ("band_high", tested.level + tested.margin, unit),
        ("range_low", tested.held.low, unit),
        ("range_high", tested.held.high, unit),
        ("p", max(tested.change.p, tested.held.p), "1"),
    )
    kind, value = _shown(tested.finding, tested.bound, tested.change.at_least)
    return _answer(
        victim,
        DEPARTURE.name,
        kind,
        _share(value, tested.level, plan, len(tested.values)),
        where=(*levels, *where),
        reason=tested.open if kind == NOT_SHOWN else None,
        cautions=(*cautions, *tested.cautions),
        inputs=tested.names,
    )


def _effect(victim: _Victim, tested: Tested | Unanswered) -> Answer:
    """The change over the ramp with its interval, and the run furthest from the level."""
    if isinstance(tested, Unanswered):
        return _answer(victim, EFFECT.name, UNTESTED, reason=tested.reason)
    change, level, furthest = tested.change, tested.level, tested.furthest
    estimate = Estimate(
        change.estimate / level,
        "ratio",
        change.low / level,
        change.high / level,
        victim.plan.confidence,
        len(tested.values),
    )
    where = where_conditions(
        ("bully_from_iops", min(tested.loads), "1/s"),
        ("bully_to_iops", max(tested.loads), "1/s"),
        ("worst_change", tested.worst / level, "ratio"),
        ("worst_at_bully_iops", tested.loads[furthest], "1/s"),
    )
    others = (name for place, name in enumerate(tested.names) if place != furthest)
    return _answer(
        victim,
        EFFECT.name,
        ("measured", "="),
        estimate,
        where=where,
        cautions=tested.cautions,
        inputs=(tested.names[furthest], *others),
    )


def _without_policy(victim: _Victim, tested: Tested | Unanswered, bully: list[Row]) -> Answer:
    """What the control without the policy shows of a victim that keeps its level with it."""
    plan, question = victim.plan, WITHOUT_POLICY.name
    before = test(plan, victim.control, by_key(bully), victim.control)
    if isinstance(tested, Unanswered):
        return _answer(victim, question, NOT_SHOWN, reason=f"with it, {tested.reason}")
    if isinstance(before, Unanswered):
        return _answer(victim, question, NOT_SHOWN, reason=f"without it, {before.reason}")
    kind, value = _shown(before.finding, before.bound, before.change.at_least)
    if kind == CHANGED and tested.finding != "equivalent":
        return _answer(
            victim, question, NOT_SHOWN, reason="it is not shown to keep its level with it"
        )
    return _answer(
        victim,
        question,
        kind,
        _share(value, before.level, plan, len(before.values)),
        cautions=(*tested.cautions, *before.cautions),
        reason=f"without it, {before.open}" if kind == NOT_SHOWN else None,
    )


def _without_bully(victim: _Victim, tested: Tested | Unanswered) -> Answer:
    """What the control without the bully shows."""
    plan, question = victim.plan, WITHOUT_BULLY.name
    if isinstance(tested, Unanswered):
        return _answer(victim, question, NOT_SHOWN, reason=tested.reason)
    own = known(plan, victim.control)
    if len(own) <= 1:
        return _answer(victim, question, NOT_SHOWN, reason="there is one control run alone")
    apart = difference(tested.values, own, tested.margin, plan.alpha)
    kind, value = _shown(apart.finding(tested.margin, plan.alpha), apart.at_most, apart.at_least)
    return _answer(
        victim,
        question,
        kind,
        _share(value, tested.level, plan, len(own)),
        cautions=tested.cautions,
        reason="the difference lies neither within the margin nor outside it"
        if kind == NOT_SHOWN
        else None,
    )


def _shown(
    finding: Finding, at_most: float, at_least: float
) -> tuple[tuple[Status, Relation], float | None]:
    """The status and relation of a finding, and the bound that it shows."""
    table: dict[Finding, tuple[tuple[Status, Relation], float | None]] = {
        "equivalent": (EQUIVALENT, at_most),
        "changed": (CHANGED, at_least),
        "not shown": (NOT_SHOWN, None),
    }
    return table[finding]


def _share(value: float | None, level: float, plan: Plan, n: int) -> Estimate | None:
    if value is None:
        return None
    return Estimate(value / level, "ratio", level=plan.confidence, n=n)


def _answer(
    victim: _Victim,
    question: str,
    kind: tuple[Status, Relation],
    estimate: Estimate | None = None,
    *,
    where: tuple[Condition, ...] = (),
    **more: Any,
) -> Answer:
    return Answer(
        question,
        victim.plan.metric,
        victim.subject,
        kind[0],
        estimate,
        kind[1],
        (victim.margin, *where),
        **more,
    )


def isolation_answers(found: Measured, otherwise: str) -> list[tuple[Answer, Answer]]:
    """Departure and effect of each victim, for tables and charts.

    Raises AnalysisError without any ("``otherwise``"), and for several metrics.
    """
    answers = from_frame(found.frame)
    questions = (DEPARTURE.name, EFFECT.name)
    parts = [[item for item in answers if item.question == name] for name in questions]
    if not parts[0]:
        raise AbsentError(f"isolation: no rows, so {otherwise}")
    if len({item.metric for item in parts[0]}) > 1:
        raise AnalysisError("isolation: of several metrics; one is shown at a time")
    return list(zip(*parts, strict=True))
