"""The questions of isolation, and what can be found of each."""

from __future__ import annotations

from perfkit.core.answers import Relation, Status, register_questions

EQUIVALENT: tuple[Status, Relation] = ("measured", "<=")
CHANGED: tuple[Status, Relation] = ("measured", ">=")
NOT_SHOWN: tuple[Status, Relation] = ("missing", "=")
UNTESTED: tuple[Status, Relation] = ("not_judged", "=")
_TOST = "a bound: two one-sided tests, each at the condition alpha"

DEPARTURE, EFFECT, WITHOUT_POLICY, WITHOUT_BULLY = register_questions(
    ("isolation_departure", "ratio",
     "how far a server's change over the bully's ramp and the range of its runs lie from "
     "its level, as a share of it",
     "level: mean of its runs, or of its control runs without the bully; change: as in "
     "isolation_effect", _TOST, frozenset({EQUIVALENT, CHANGED, NOT_SHOWN, UNTESTED})),
    ("isolation_effect", "ratio",
     "the change over the bully's ramp (slope over its IOPS, times the span), as a share "
     "of the level",
     "generalised least squares for each correlation of neighbouring runs from 0 to 0.95, "
     "the mean of the slopes by restricted likelihood times (1 - correlation) ** -0.75",
     "1 - 2 alpha, of the Student's t distributions of the lines, weighed in the same way",
     frozenset({("measured", "="), UNTESTED})),
    ("isolation_without_policy", "ratio",
     "how far a server that keeps its level with the policy lies from it without, over the "
     "same ramp, as a share of it", "mean of the control's runs", _TOST,
     frozenset({EQUIVALENT, CHANGED, NOT_SHOWN})),
    ("isolation_without_bully", "ratio",
     "how far the mean of a server's runs lies from that of its runs without the bully, as "
     "a share of the latter", "mean of the runs", _TOST,
     frozenset({EQUIVALENT, CHANGED, NOT_SHOWN})),
)  # fmt: skip
