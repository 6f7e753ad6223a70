"""What the cover says about a verdict, on paper and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.report import origins

if TYPE_CHECKING:
    from perfkit.report.numbering import Label

COVER_RULES = 8
"""Rules that are listed on the cover; the table of criteria has them all."""


def cover_verdict(record: dict[str, Any], labels: dict[str, Label]) -> dict[str, Any]:
    """What the cover says about a verdict: outcome, words, and each rule once."""
    rules: dict[str, list[str]] = {}
    for item in record["judgements"]:
        rules.setdefault(_rule(item), []).append(item["outcome"])
    lines = [{"rule": rule, "outcome": _worst(found)} for rule, found in rules.items()]
    label = labels.get(record["id"])
    left = len(lines) - COVER_RULES
    more = f"and {left} more" if left > 0 else ""
    if label:
        more = f"{more}, see {label.text}" if more else f"see {label.text}"
    mark = origins.mark(record)
    return {
        "outcome": record["outcome"],
        "headline": record["headline"] + mark,
        "rules": lines[:COVER_RULES],
        "more": more,
    }


def _rule(item: dict[str, Any]) -> str:
    criterion, rule = str(item["criterion"]), str(item["rule"])
    return rule if rule.startswith(criterion) else f"{criterion}: {rule}"


def _worst(outcomes: list[str]) -> str:
    return next(word for word in ("fail", "not judged", "pass") if word in outcomes)
