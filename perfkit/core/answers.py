"""The one shape of a claim: what was asked, of what, under which conditions, and what was found.

Sentences, tables of claims, criteria and comparisons read answers; they compute and decide nothing.
An answer is typed in Python (``Answer``) and flat in a frame (``ANSWERS``), where a change takes
three rows: the change itself and its two sides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, Literal, get_args

import polars as pl

from perfkit.core import cautions as words
from perfkit.core.cautions import Caution
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.keys import rows_by
from perfkit.core.schema import ColumnTypes, Row

Relation = Literal["=", ">=", "<="]
"""How the estimate stands to the true value: ">=": the value is at least the estimate."""

Status = Literal[
    "measured",  # a value that was measured
    "interpolated",  # between two neighbouring load points
    "highest_within",  # the best of the load points that keep the condition
    "not_reached",  # everything measured lies below the value asked at
    "beyond_measured",  # everything measured lies above the value asked at
    "ambiguous",  # the curve passes the value asked at more than once
    "missing",  # something that is needed is not there; a caution or the reason says what
    "not_judged",  # a criterion that cannot be applied
]
STATUSES: tuple[str, ...] = get_args(Status)
RELATIONS: tuple[str, ...] = get_args(Relation)


@dataclass(frozen=True)
class Question:
    """A question that can be asked, with the one way in which it is answered.

    Attributes:
        name: Its name ("iops_at_latency").
        unit: The unit of its estimate: "1/s", "s", "ratio", "1".
        estimand: What is estimated, in words.
        centre: How repeats become one number.
        interval: How the interval over repeats is made; "none" where there is none.
        gives: The statuses and relations that its answers can have, each with a sentence of its
            own; empty: any.
    """

    name: str
    unit: str
    estimand: str
    centre: str
    interval: str
    gives: Gives = frozenset()

    @property
    def method(self) -> str:
        """Estimand, centre and interval in one line."""
        return f"{self.estimand}; {self.centre}; interval: {self.interval}"

    def answer(
        self,
        metric: str,
        subject: Subject,
        value: float | None,
        why: str | None = None,
        *,
        unit: str | None = None,
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
        n: int | None = None,
        without: Status = "missing",
        **more: Any,
    ) -> Answer:
        """The value as measured; of None the status ``without`` with the reason ``why``.

        ``unit`` is the metric's, where the question's is that. ``more``: fields of ``Answer``.
        """
        if value is None:
            return Answer(self.name, metric, subject, without, reason=why, **more)
        estimate = Estimate(float(value), unit or self.unit, low, high, level, n)
        return Answer(self.name, metric, subject, "measured", estimate, **more)


QUESTIONS: dict[str, Question] = {}
"""Every question by name."""


def register(question: Question) -> Question:
    """Register a question; AnalysisError where another one has its name."""
    if QUESTIONS.setdefault(question.name, question) != question:
        raise AnalysisError(f"another question is called {question.name!r}")
    return question


Gives = frozenset[tuple[Status, Relation]]

ANY: Gives = frozenset()
MEASURED: Gives = frozenset({("measured", "=")})
FOUND: Gives = MEASURED | {("missing", "=")}
"""What a question gives that is found, or not."""


def register_questions(*rows: tuple[str, str, str, str, str, Gives]) -> list[Question]:
    """Register a table of questions: name, unit, estimand, centre, interval, what they give."""
    return [register(Question(*row)) for row in rows]


@dataclass(frozen=True)
class Subject:
    """What an answer is about: the key of a series, and what people call it."""

    label: str
    key: tuple[tuple[str, Any], ...] = ()

    def get(self, name: str) -> Any:
        """One part of the key; None where it is not set."""
        return dict(self.key).get(name)


Role = Literal["at", "limit", "where", "between"]


@dataclass(frozen=True)
class Condition:
    """One condition of an answer: a metric or kind of load, and its value in ``unit``.

    ``role`` tells what it does: "at" (the value asked at), "limit" (at or under it), "where" (the
    load point found), "between" (interpolated between two of them).
    """

    metric: str
    value: float
    unit: str
    role: Role = "at"


def where_conditions(*values: tuple[str, float | None, str]) -> tuple[Condition, ...]:
    """Conditions of role "where" from metric, value and unit; without values that are missing."""
    return tuple(
        Condition(metric, float(value), unit, "where")
        for metric, value, unit in values
        if value is not None
    )


@dataclass(frozen=True)
class Estimate:
    """A value with its interval; ``low`` and ``high`` are None where there is none.

    ``n`` counts the repeats behind it, ``level`` is the confidence of the interval.
    """

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    level: float | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        ends = (self.value, self.low, self.high)
        if any(end is not None and not math.isfinite(end) for end in ends):
            raise AnalysisError(f"an estimate is a finite number, and one is {ends}")


@dataclass(frozen=True)
class Answer:
    """One claim. A change has ``against`` and, as ``sides``, the answers of both.

    Attributes:
        question: A name of ``QUESTIONS``.
        metric: What of: iops, lat_mean_s, lat_p99_s ...
        subject: What it is about.
        status: How the estimate was found, or why there is none.
        estimate: The value; of a change the ratio subject / against. None without a value.
        relation: Whether the estimate is the value itself or a bound of it.
        conditions: Under which.
        against: What it is compared with; None unless it is a change.
        reason: Why there is no estimate, or only a bound, in words; None where the status says it
            all.
        cautions: What a reader must know beside it.
        inputs: The rows behind it, by their places.
        sides: Of a change: the answers of subject and against, in this order.
    """

    question: str
    metric: str
    subject: Subject
    status: Status
    estimate: Estimate | None = None
    relation: Relation = "="
    conditions: tuple[Condition, ...] = ()
    against: Subject | None = None
    reason: str | None = None
    cautions: tuple[Caution, ...] = ()
    inputs: tuple[str, ...] = ()
    sides: tuple[Answer, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            known = did_you_mean(self.question, list(QUESTIONS))
            raise AnalysisError(f"no question {self.question!r}; {known}")
        for kind, value, known_ones in (
            ("status", self.status, STATUSES),
            ("relation", self.relation, RELATIONS),
        ):
            if value not in known_ones:
                raise AnalysisError(f"no {kind} {value!r}; {did_you_mean(value, list(known_ones))}")
        gives = CHANGES if self.against else QUESTIONS[self.question].gives
        # a criterion may be found not to apply to any question
        gives = gives and gives | {("not_judged", "=")}
        if gives and (self.status, self.relation) not in gives:
            raise AnalysisError(f"{self.question}: no answer is {self.status} {self.relation}")
        if (self.estimate is None) != (self.status in WITHOUT_ESTIMATE):
            raise AnalysisError(f"{self.question}: status {self.status} with {self.estimate}")
        if (self.against is None) == bool(self.sides):
            raise AnalysisError(f"{self.question}: a change has both its sides, and nothing else")

    @property
    def got(self) -> Estimate:
        """The estimate; AnalysisError where there is none."""
        if self.estimate is None:
            raise AnalysisError(f"{self.question}: status {self.status} has no estimate")
        return self.estimate

    @property
    def method(self) -> str:
        """Estimand, centre and interval, as registered for the question."""
        asked = QUESTIONS[self.question]
        if self.against is None:
            return asked.method
        return f"ratio of two answers: {asked.estimand}; {asked.centre}; interval: {TOGETHER}"

    def condition(self, role: Role) -> Condition | None:
        """The first condition of a role; None where there is none."""
        return next((item for item in self.conditions if item.role == role), None)


CHANGES: frozenset[tuple[Status, Relation]] = frozenset({
    *((status, relation) for status in ("measured", "interpolated", "highest_within")
      for relation in ("=", ">=", "<=")),
    *((status, "=") for status in ("not_reached", "beyond_measured", "ambiguous", "missing")),
})  # fmt: skip
"""The statuses and relations that a change can have, whatever its question."""

TOGETHER = "moderated t on logarithms, for all changes of the pair and metric together"
"""How the interval of a change is made (``intervals.change_intervals``)."""

WITHOUT_ESTIMATE = frozenset({
    "not_reached", "beyond_measured", "ambiguous", "missing", "not_judged",
})  # fmt: skip
"""The statuses of answers that have no estimate: no number stands in for one."""


_KEYS = ("system", "config", "workload", "load_kind", "direction", "host")
"""The parts of a subject's key that are columns of their own."""

ANSWERS: ColumnTypes = {
    "claim": pl.Int64, "part": pl.String, "question": pl.String, "metric": pl.String,
    "subject": pl.String, **dict.fromkeys(_KEYS, pl.String), "against": pl.String,
    "conditions": pl.String, "value": pl.Float64, "unit": pl.String, "low": pl.Float64,
    "high": pl.Float64, "level": pl.Float64, "n": pl.Int64, "relation": pl.String,
    "status": pl.String, "reason": pl.String, "method": pl.String, "cautions": pl.String,
    "key": pl.String, "inputs": pl.String,
}  # fmt: skip
"""The columns of answers in a frame.

``claim`` numbers the claims from 1; ``part`` is "claim", or of a change's two sides "subject" and
"against". ``value``, ``low`` and ``high`` are in ``unit``. ``conditions``, ``cautions``, ``key``
and ``inputs`` are JSON.
"""

_PARTS = ("claim", "subject", "against")


def to_frame(answers: Iterable[Answer]) -> pl.DataFrame:
    """Answers as a frame with the columns ``ANSWERS``."""
    rows = [
        _row(claim, part, item)
        for claim, answer in enumerate(answers, 1)
        for part, item in zip(_PARTS, (answer, *answer.sides), strict=False)
    ]
    return pl.DataFrame(rows, schema=ANSWERS, orient="row")


def _row(claim: int, part: str, answer: Answer) -> Row:
    estimate = answer.estimate
    number = {
        name: getattr(estimate, name) if estimate else None
        for name in ("value", "unit", "low", "high", "level", "n")
    }
    key = dict(answer.subject.key)
    keys = answer.subject.key, answer.against.key if answer.against else None
    return {
        "claim": claim,
        "part": part,
        "question": answer.question,
        "metric": answer.metric,
        "subject": answer.subject.label,
        **{name: key.get(name) for name in _KEYS},
        "against": answer.against.label if answer.against else None,
        "conditions": _json(tuple(vars(item) for item in answer.conditions)),
        **number,
        "relation": answer.relation,
        "status": answer.status,
        "reason": answer.reason,
        "method": answer.method,
        "cautions": _cautions(answer.cautions),
        "key": _keys(keys),
        "inputs": _json(answer.inputs),
    }


# the answers of a curve have the same key, and most of them the same cautions


@lru_cache(maxsize=1024)
def _keys(keys: tuple[Any, ...]) -> str | None:
    return _json(keys)


@lru_cache(maxsize=1024)
def _cautions(cautions: tuple[Caution, ...]) -> str | None:
    return words.to_json(cautions)


def _json(value: Any) -> str | None:
    return words.encode(value) if value else None


def from_frame(frame: pl.DataFrame) -> list[Answer]:
    """The inverse of ``to_frame``: the claims in their order.

    Raises AnalysisError for a frame that does not hold answers.
    """
    missing = [name for name in ANSWERS if name not in frame.columns]
    if missing:
        raise AnalysisError(f"these are not answers: there is no column {missing[0]!r}")
    claims = rows_by(frame.rows(named=True), itemgetter("claim"))
    return [_answer(rows) for rows in claims.values()]


def _answer(rows: Sequence[Mapping[str, Any]]) -> Answer:
    parts = {row["part"]: row for row in rows}
    if len(parts) < len(rows):
        # frames that were put together: each numbers its own claims
        raise AnalysisError(f"claim {rows[0]['claim']} occurs twice: join answers, not frames")
    if "claim" not in parts:
        raise AnalysisError(f"claim {rows[0]['claim']} has sides but no claim of its own")
    sides = tuple(_one(parts[part], ()) for part in _PARTS[1:] if part in parts)
    return _one(parts["claim"], sides)


def _one(row: Mapping[str, Any], sides: tuple[Answer, ...]) -> Answer:
    key, other = json.loads(row["key"])
    number = row["value"]
    return Answer(
        question=row["question"],
        metric=row["metric"],
        subject=Subject(row["subject"], _pairs(key)),
        status=row["status"],
        estimate=None
        if number is None
        else Estimate(number, row["unit"], row["low"], row["high"], row["level"], row["n"]),
        relation=row["relation"],
        conditions=tuple(Condition(**item) for item in json.loads(row["conditions"] or "[]")),
        against=None if row["against"] is None else Subject(row["against"], _pairs(other)),
        reason=row["reason"],
        cautions=words.from_json(row["cautions"]),
        inputs=tuple(json.loads(row["inputs"] or "[]")),
        sides=sides,
    )


def _pairs(key: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in key or ())
