"""What the cover says about a verdict, on paper and on the page alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.verdict import UNSUPPORTED, JudgementRecord, combined
from perfkit.reporting.document import origins
from perfkit.reporting.document.records import VerdictRecord, read_cautions

if TYPE_CHECKING:
    from perfkit.reporting.document.numbering import Label

COVER_RULES = 8
"""Rules that are listed on the cover; the table of criteria has them all."""

NOT_JUDGED = "No criteria were set, so nothing here is judged."
"""What stands in place of a verdict beside the findings."""

MEANT = "meant to fail"
"""What stands in place of the outcome of a subject that is meant to fail."""


@dataclass(frozen=True, slots=True)
class CoverRule:
    """One rule on the cover, with its outcome."""

    rule: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CoverVerdict:
    """A verdict on the cover: outcome, headline, origin, rules, and where there are more."""

    outcome: str
    headline: str
    mark: str
    rules: tuple[CoverRule, ...]
    more: str


def cover_verdict(record: VerdictRecord, labels: dict[str, Label]) -> CoverVerdict:
    """What the cover says about a verdict: outcome, words, and each rule once.

    A rule that its repeats do not support says so; subjects that are meant to fail stand below.
    """
    rules: dict[str, list[JudgementRecord]] = {}
    meant: dict[str, list[JudgementRecord]] = {}
    for item in record.judgements:
        if item.get("meant_to_fail"):
            answer = item.get("answer") or {}
            meant.setdefault(str(answer.get("subject") or item["scope"]), []).append(item)
        else:
            criterion, rule = str(item["criterion"]), str(item["rule"])
            named = rule if rule.startswith(criterion) else f"{criterion}: {rule}"
            rules.setdefault(named, []).append(item)
    lines = [_line(rule, found) for rule, found in rules.items()]
    lines += [_meant_line(subject, found) for subject, found in meant.items()]
    label = labels.get(record.id)
    left = len(lines) - COVER_RULES
    more = f"and {left} more" if left > 0 else ""
    if label:
        more = f"{more}, see {label.text}" if more else f"see {label.text}"
    return CoverVerdict(
        record.outcome,
        record.headline,
        origins.as_sentence(mark_of(record)),
        tuple(lines[:COVER_RULES]),
        more,
    )


def mark_of(record: VerdictRecord) -> str:
    """What is said of values that were not measured; nothing where no value was judged."""
    judged = any(item["value"] for item in record.judgements)
    return record.lineage.mark() if judged or not record.judgements else ""


def _line(rule: str, found: list[JudgementRecord]) -> CoverRule:
    outcome = combined([item["outcome"] for item in found])
    # of several places the words of the first that decides, or of the first that is not supported
    told = [text for item in found if item["outcome"] == outcome for text in _cautions(item)]
    told = told or [text for item in found for text in _cautions(item)]
    more = f" and {len(told) - 1} more" if len(told) > 1 else ""
    return CoverRule(f"{rule}; {told[0]}{more}" if told else rule, outcome)


def _cautions(item: JudgementRecord) -> list[str]:
    return [told.text for told in read_cautions(item.get("cautions")) if told.name in UNSUPPORTED]


def _meant_line(subject: str, found: list[JudgementRecord]) -> CoverRule:
    failed = sum(item["outcome"] == "fail" for item in found)
    reason = found[0].get("meant_to_fail")
    return CoverRule(f"{subject} ({reason}): failed {failed} of {len(found)}", MEANT)
