"""Isolation's tests: the runs of one server beside those of a bully that ramps."""

from __future__ import annotations

import math
from dataclasses import dataclass

from perfkit.analysis.curves.metrics import METRICS
from perfkit.analysis.curves.series import cautions_of
from perfkit.analysis.over_time.concurrent import Key, at_once, by_key
from perfkit.analysis.verdicts.equivalence import (
    FEWEST,
    Finding,
    Range,
    Tost,
    change_over,
    tolerance_range,
)
from perfkit.analysis.verdicts.run_verdicts import iops_of, run_name
from perfkit.core.cautions import Caution
from perfkit.core.schema import Row
from perfkit.core.unanswered import Unanswered


@dataclass(frozen=True)
class Plan:
    """How every victim is tested; ``lacks``: what the control lacks, if there is one."""

    metric: str
    margin_ratio: float
    alpha: float
    bully: str
    lacks: str | None

    @property
    def confidence(self) -> float:
        """Of the interval that two one-sided tests amount to."""
        return 1 - 2 * self.alpha


@dataclass(frozen=True)
class Tested:
    """The runs of a server beside those of the bully, tested against the margin.

    ``values`` and all that is made of them are in the unit of the metric; ``loads`` are the bully's
    IOPS in the same runs.
    """

    plan: Plan
    names: tuple[str, ...]
    values: tuple[float, ...]
    loads: tuple[float, ...]
    level: float
    change: Tost
    held: Range
    cautions: tuple[Caution, ...] = ()

    @property
    def margin(self) -> float:
        """The margin in the unit of the metric."""
        return self.plan.margin_ratio * self.level

    @property
    def furthest(self) -> int:
        """The run that lies furthest from the level."""
        return max(range(len(self.values)), key=lambda i: abs(self.values[i] - self.level))

    @property
    def worst(self) -> float:
        """How far that run lies from the level."""
        return self.values[self.furthest] - self.level

    @property
    def changed(self) -> Finding:
        """The finding of the change over the ramp alone."""
        return self.change.finding(self.margin, self.plan.alpha)

    @property
    def range_held(self) -> bool:
        """Whether the range of runs is shown to lie within the margin, and each run does."""
        return self.held.p < self.plan.alpha and abs(self.worst) <= self.margin

    @property
    def finding(self) -> Finding:
        """The finding of both: equivalent where both are."""
        if self.changed == "equivalent" and not self.range_held:
            return "not shown"
        return self.changed

    @property
    def bound(self) -> float:
        """How far change, range and runs lie from the level at most, in the unit of the metric."""
        ends = (self.held.low - self.level, self.held.high - self.level, self.worst)
        return max(self.change.at_most, *map(abs, ends))

    @property
    def open(self) -> str:
        """What is not shown to lie within the margin."""
        parts = (
            ("its change over the ramp", self.changed == "equivalent"),
            ("the range of its runs", self.range_held),
        )
        *first, last = (name for name, shown in parts if not shown)
        if first:
            return f"neither {first[0]} nor {last} is shown to lie within the margin"
        return f"{last} is not shown to lie within the margin"


def test(
    plan: Plan, rows: list[Row], ramp: dict[Key, Row], level_rows: list[Row]
) -> Tested | Unanswered:
    """Test the runs against the level, the mean of ``level_rows``; else why there is no test."""
    pairs = [
        (ramp[key], row)
        for key, row in by_key(rows).items()
        if key in ramp and at_once(ramp[key], row)
    ]
    problem = _problem(plan, rows, pairs)
    own = None if problem else known(plan, level_rows)
    if not own:
        return Unanswered(problem or "a control run has no value")
    loads = tuple(float(iops_of(other) or 0) for other, _ in pairs)
    values = tuple(float(row[plan.metric]) for _, row in pairs)
    level = math.fsum(own) / len(own)
    if not level > 0:
        return Unanswered(f"there is no {METRICS[plan.metric].phrase()} but 0 in the control")
    margin = plan.margin_ratio * level
    return Tested(
        plan,
        tuple(run_name(row) for _, row in pairs),
        values,
        loads,
        level,
        change_over(loads, values, margin, plan.alpha),
        tolerance_range(values, level, margin, plan.alpha),
        cautions_of([row for pair in pairs for row in pair] + level_rows),
    )


def _problem(plan: Plan, rows: list[Row], pairs: list[tuple[Row, Row]]) -> str | None:
    """Why there is nothing to test, if so."""
    alone = len(rows) - len(pairs)
    if alone:
        return f"{alone} of its {len(rows)} runs coincide with no run of the bully"
    if len(pairs) < FEWEST:
        return f"{len(pairs)} runs are too few for a slope with its interval"
    name = METRICS[plan.metric].phrase()
    missing = sum(row[plan.metric] is None for _, row in pairs)
    loads = {iops_of(other) for other, _ in pairs}
    reasons = (
        (missing, f"{missing} of {len(pairs)} runs have no {name}"),
        (None in loads, "a run of the bully has no IOPS"),
        (len(loads) == 1, "the bully does not ramp"),
        (not math.fsum(row[plan.metric] or 0 for _, row in pairs) > 0, f"there is no {name} but 0"),
    )
    return next((words for found, words in reasons if found), None)


def known(plan: Plan, rows: list[Row]) -> list[float]:
    """The metric of each run; none where a run lacks it."""
    values = [row[plan.metric] for row in rows]
    return [] if any(value is None for value in values) else [float(value) for value in values]
