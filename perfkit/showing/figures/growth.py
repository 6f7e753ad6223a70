"""Adaptive QoS as sizes grow, for several policies named in one line of a study."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos, qos_limits
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.showing.figures.verdicts import plot_adaptive_qos
from perfkit.showing.statements.say import say
from perfkit.showing.tables.verdicts import table_adaptive_qos

if TYPE_CHECKING:
    from perfkit.core.lineage import Measured
    from perfkit.core.values import Statement

_ONE = re.compile(
    r"\s*(?P<policy>\S+) to (?P<to_tb>\d+(?:\.\d+)?) TB"
    r"(?: in (?P<volumes>\d+) volumes?)?(?: with minimum (?P<minimum>\d+))?\s*"
)


def growth_figures(policies: Measured, asked: str | None) -> list[Any]:
    """The sentence, chart and table of each policy that is asked for, in order.

    ``asked`` lists policies and sizes: "AqosEpicProd to 5 TB, performance to 75 TB in 16 volumes
    with minimum 500". The minimum is needed where the policies do not print one.

    Raises AbsentError where nothing is asked, AnalysisError for a part that cannot be read, and
    what ``adaptive_qos`` raises.
    """
    if not asked:
        raise AbsentError("no policy and size is asked for (growth)")
    found: list[Any] = []
    for number, part in enumerate(asked.split(","), 1):
        match = _ONE.fullmatch(part)
        if match is None:
            raise AnalysisError(
                f"growth {part.strip()!r}: write POLICY to N TB [in N volumes] [with minimum N]"
            )
        minimum = match["minimum"]
        growth = adaptive_qos(
            policies, match["policy"], to_tb=float(match["to_tb"]),
            volumes=int(match["volumes"] or 1),
            absolute_min_iops=None if minimum is None else float(minimum),
        )  # fmt: skip
        values = (_said(growth), plot_adaptive_qos(growth), table_adaptive_qos(growth))
        found += [value.renamed(f"{value.id}-{number}") for value in values]
    return found


def _said(growth: Measured) -> Statement:
    (said,) = say(qos_limits(growth), value_id="adaptive-qos-said")
    return said
