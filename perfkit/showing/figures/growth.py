"""Adaptive QoS as sizes grow, for several policies named in one line of a study."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos, printed_otherwise, qos_limits
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.showing.figures.verdicts import plot_adaptive_qos
from perfkit.showing.statements.say import say
from perfkit.showing.tables.verdicts import table_adaptive_qos

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfkit.core.lineage import Measured
    from perfkit.core.values import Figure, Statement

_ONE = re.compile(
    r"\s*(?P<policy>\S+) to (?P<to_tb>\d+(?:\.\d+)?) TB"
    r"(?: in (?P<volumes>\d+) volumes?)?(?: with minimum (?P<minimum>\d+))?\s*"
)


def growth_figures(
    policies: Measured, asked: str | None, documents: Mapping[str, Measured] = MappingProxyType({})
) -> list[Any]:
    """The sentence, chart and table of each policy that is asked for, in order.

    ``asked`` lists policies and sizes: "AqosEpicProd to 5 TB, performance to 75 TB in 16 volumes
    with minimum 500". The minimum is needed where the policies do not print one. Where a table of
    ``documents`` prints other rates for a policy, its chart says so.

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
        table = table_adaptive_qos(growth, detail=True)  # the chart shows it
        values = (_said(growth), _plotted(growth, documents), table)
        found += [value.renamed(f"{value.id}-{number}") for value in values]
    return found


def _plotted(growth: Measured, documents: Mapping[str, Measured]) -> Figure:
    """The chart; its caption says where a document prints other rates for the policy."""
    chart = plot_adaptive_qos(growth)
    row = growth.frame.row(0, named=True)
    drawn = row["expected_iops_per_tb"], row["peak_iops_per_tb"]
    other = printed_otherwise(documents, row["policy"], *drawn)
    if other is None:
        return chart
    more = (
        f" {other.table} of {other.document} prints {other.expected:,.0f} and {other.peak:,.0f} "
        "IOPS per TB for it; drawn are the rates in ONTAP's own commands and their output."
    )
    return chart.captioned(chart.caption + more)


def _said(growth: Measured) -> Statement:
    (said,) = say(qos_limits(growth), value_id="adaptive-qos-said")
    return said
