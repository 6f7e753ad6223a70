"""Verdicts: what judging by criteria gives, as a value that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from perfkit.core.answers import Answer, to_frame
from perfkit.core.cautions import Caution
from perfkit.core.evidence import Lineage
from perfkit.core.plain_text import plain
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.units import Printed, PrintedRecord
from perfkit.core.values import MIME, OF_CONTENT, Value, escape_markdown, shown_as

Outcome = Literal["pass", "fail", "not judged"]


def combined(outcomes: Sequence[Outcome]) -> Outcome:
    """Fail if any failed, else not judged if any was not or there is none, else pass."""
    if "fail" in outcomes:
        return "fail"
    return "not judged" if "not judged" in outcomes or not outcomes else "pass"


def verdicts(notebook: Any) -> Iterator[VerdictRecord]:
    """The record of every verdict in an executed notebook, also of hidden cells."""
    return shown_as(MIME["verdict"], notebook)


def missing_purposes(notebook: Any) -> list[str]:
    """What an executed notebook says of missing answers that the report is made for."""
    return [
        f"{record['headline']}: {record['reason']}"
        for record in shown_as(UNANSWERED_MIME, notebook)
        if record.get("headline")
    ]


def outcome_of(notebook: Any) -> Outcome | None:
    """The gravest outcome over an executed notebook's verdicts; None where none judged anything.

    Where the answer is missing that the report is made for, it is not judged at best.
    """
    found = [record["outcome"] for record in verdicts(notebook) if record.get("judgements")]
    if missing_purposes(notebook):
        found.append("not judged")
    return combined(found) if found else None


UNSUPPORTED = frozenset({"repeats_disagree", "limit_in_interval"})
"""Cautions of a judgement that its repeats do not support."""


class JudgementRecord(TypedDict):
    """A ``Judgement`` in its JSON form; records of earlier releases lack what is not required."""

    criterion: str
    scope: str
    rule: str
    value: PrintedRecord | None
    outcome: Outcome
    reason: str | None
    source: str | None
    answer: NotRequired[Mapping[str, Any] | None]
    cautions: NotRequired[list[dict[str, str]]]
    demand: NotRequired[str | None]
    meant_to_fail: NotRequired[str | None]


class VerdictRecord(TypedDict):
    """What programs read of a ``Verdict`` in its JSON form."""

    id: str
    outcome: Outcome
    headline: str
    judgements: list[JudgementRecord]


@dataclass(frozen=True)
class Judgement:
    """One criterion applied to one value: the outcome, the value and the rule as printed.

    Attributes:
        criterion: Its name.
        scope: Where it was applied.
        rule: What is demanded.
        value: What was held against the limit; None where there is none.
        outcome: Pass, fail, or not judged.
        reason: What is to be said of the outcome: why, with which cautions, what is left open.
        source: Where the criterion is written.
        answer: The answer that was judged, with its subject; None where none was asked for.
        cautions: What keeps the repeats from supporting the outcome, and of what was measured.
        demand: The criterion by its content (``Criterion.demand``).
        meant_to_fail: Why the subject is meant to fail: it then does not count for the verdict.
    """

    criterion: str
    scope: str
    rule: str
    value: Printed | None
    outcome: Outcome
    reason: str | None = None
    source: str | None = None
    answer: Answer | None = None
    cautions: tuple[Caution, ...] = ()
    demand: str | None = None
    meant_to_fail: str | None = None

    @property
    def unsupported(self) -> bool:
        """Whether the repeats do not support the outcome."""
        return any(item.name in UNSUPPORTED for item in self.cautions)

    def record(self) -> JudgementRecord:
        """The JSON form."""
        return {
            "criterion": self.criterion,
            "scope": self.scope,
            "rule": self.rule,
            "value": self.value.record() if self.value else None,
            "outcome": self.outcome,
            "reason": self.reason,
            "source": self.source,
            "answer": None
            if self.answer is None
            else to_frame([self.answer]).drop("claim", "part").row(0, named=True),
            "cautions": [item.record() for item in self.cautions],
            "demand": self.demand,
            "meant_to_fail": self.meant_to_fail,
        }


@dataclass(frozen=True, eq=False)
class Verdict(Value):
    """The outcome over all criteria; it stands on the report's cover and in the exit code.

    A subject that is meant to fail is judged and shown, and does not count.
    """

    id: str
    judgements: tuple[Judgement, ...]
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "verdict"

    @property
    def outcome(self) -> Outcome:
        """Fail if any failed, else not judged if any was not or there is none, else pass."""
        return combined([item.outcome for item in self.counting])

    @property
    def counting(self) -> tuple[Judgement, ...]:
        """The judgements that count: of what is not meant to fail."""
        return tuple(item for item in self.judgements if item.meant_to_fail is None)

    def headline(self) -> str:
        """The words on the cover: CRITERIA MET 4 of 4, CRITERIA NOT MET ..., NOT JUDGED ...."""
        if not self.judgements:
            return "NO CRITERIA"
        total = len(self.counting)
        passed = sum(item.outcome == "pass" for item in self.counting)
        words = {
            "pass": "CRITERIA MET",
            "fail": "CRITERIA NOT MET: PASSED",
            "not judged": "NOT FULLY JUDGED: PASSED",
        }
        weak = sum(item.unsupported for item in self.counting)
        more = f", {weak} NOT SUPPORTED BY ITS REPEATS" if weak else ""
        return f"{words[self.outcome]} {passed} of {total}{more}"

    def content(self) -> dict[str, object]:
        """What is shown."""
        return {
            "headline": self.headline(),
            "outcome": self.outcome,
            "judgements": [item.record() for item in self.judgements],
            **self._caution_content(),
        }

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        lines = [f"{self.headline()}{self.lineage.mark()}"]
        lines += [
            f"{item.outcome}{' (meant to fail)' if item.meant_to_fail else ''}: "
            f"{item.criterion} {item.rule}"
            + (f" — {item.value.text}" if item.value else "")
            + (f" ({item.reason})" if item.reason else "")
            for item in self.judgements
        ]
        lines += [self.caution] if self.caution else []
        items = "\n".join(f"- {escape_markdown(line)}" for line in lines[1:])
        return {
            MIME["verdict"]: self.record(),
            "text/markdown": f"**{escape_markdown(lines[0])}**\n\n{items}",
            "text/plain": "\n".join(map(plain, lines)),
        }
