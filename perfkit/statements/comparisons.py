"""All sentences of a comparison."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.analysis.metrics import limit_printed, workload_name
from perfkit.analysis.series import need
from perfkit.statements.compare import say_comparison
from perfkit.values import check_id

if TYPE_CHECKING:
    from perfkit.lineage import Measured
    from perfkit.values import Statement


def say_comparisons(comparison: Measured, *questions: str, named: bool = False) -> list[Statement]:
    """A statement for each question, value and workload of a comparison.

    Their ids are ``iops-at-latency-400-us``, and of several workloads
    ``iops-at-latency-400-us-100-select``, where the workload's name comes first in the text.

    Args:
        comparison: What ``compare`` gave.
        questions: Those wanted; none named: all.
        named: Whether the workload is named though there is one alone: where it was chosen of
            several, so that the ids are those of a report of all of them.
    """
    need(comparison.frame, ("question", "at", "workload"), "comparison")
    asked = comparison.frame.select("question", "at").unique(maintain_order=True).rows()
    workloads = comparison.frame["workload"].unique(maintain_order=True).to_list()
    return [
        _of_workload(comparison, question, at, workload if named or len(workloads) > 1 else None)
        for question, at in asked
        if not questions or question in questions
        for workload in workloads
    ]


def _of_workload(
    comparison: Measured, question: str, at: float | None, workload: str | None
) -> Statement:
    name = _id(question, at)
    if workload is None:
        return say_comparison(comparison, question, at, value_id=name)
    own = say_comparison(
        comparison.filter(workload=workload), question, at, value_id=f"{name}-{slug(workload)}"
    )
    return replace(own, text=f"{workload_name(workload)}: {own.text}")


def slug(text: str) -> str:
    """A name as a part of an id: 75% SELECT / 25% UPDATE is 75-select-25-update."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _id(question: str, at: float | None) -> str:
    name = question.replace("_", "-")
    if at is None:
        return name
    if question.endswith("_latency"):
        return check_id(f"{name}-{limit_printed(at).text.replace(' ', '-').replace('µ', 'u')}")
    return check_id(f"{name}-{at:g}".replace(".", "-").replace("+", ""))
