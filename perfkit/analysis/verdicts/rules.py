"""A criterion as it is printed: its rule in words, and the decimals of values beside its limit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from perfkit.analysis.curves.metrics import LIMIT_DIGITS, METRICS, MOST_DIGITS
from perfkit.analysis.verdicts.criteria import (
    COMPARISONS,
    Criterion,
    Limit,
)
from perfkit.core.units import Format, Printed, in_column

if TYPE_CHECKING:
    from collections.abc import Sequence


def rule_text(criterion: Criterion, *, over: str | None = None) -> str:
    """The rule as printed: "mean latency < 2 ms, mean over repeats"; ``over`` names other rows."""
    statistic = {"mean": "mean over repeats", "every repeat": "every repeat",
                 "bound": f"{'lower' if criterion.upward else 'upper'} end of the interval",
                 "pooled": "all repeats"}  # fmt: skip
    subject = METRICS[criterion.metric].phrase(criterion.direction)
    sign = {"<=": "≤", ">=": "≥"}.get(criterion.comparison, criterion.comparison)
    limit = criterion.parsed_limit.text
    if criterion.metric == "iops":
        limit = limit.removesuffix(" IOPS")
    rule = f"{subject} {sign} {limit}"
    return f"{rule}, {over or statistic[criterion.over_repeats]}"


def format_against(values: Sequence[float], criterion: Criterion) -> Format:
    """The one format of values beside a limit, in its unit: the largest has three digits.

    Its decimals are as many as it takes not to change an outcome: 2.0004 ms prints as 2.00 ms
    against "< 2 ms" (both fail), and as 2.0004 ms against "<= 2 ms".
    """
    limit = criterion.parsed_limit
    digits = Format(limit.unit, significant=3)
    largest = digits.number(max(values, key=abs, default=None)).partition(".")[2]
    fewest = min(max(in_column(digits, values).decimals or 0, len(largest)), MOST_DIGITS)
    forms = [Format(limit.unit, decimals=n) for n in range(fewest, MOST_DIGITS + 1)]
    kept = (
        form for form in forms
        if all(_printed_holds(form.show(value), criterion, limit) == criterion.holds(value)
               for value in values)
    )  # fmt: skip
    return next(kept, forms[-1])


def _printed_holds(shown: Printed, criterion: Criterion, limit: Limit) -> bool:
    printed_limit = Format(limit.unit, significant=LIMIT_DIGITS).number(limit.value)
    number = shown.text.removesuffix("%").split(" ")[0]
    return bool(COMPARISONS[criterion.comparison](_decimal(number), _decimal(printed_limit)))


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))
