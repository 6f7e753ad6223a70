"""A criterion of a study: which number has to meet which limit, and which document demands it."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from perfkit.analysis.curves.curves import BUSY
from perfkit.analysis.curves.metrics import LATENCIES, LIMIT_DIGITS, METRICS, MOST_DIGITS
from perfkit.analysis.curves.questions import question_at_load
from perfkit.analysis.over_time.cycles import LONGEST_DRAIN
from perfkit.analysis.verdicts.isolation_questions import DEPARTURE
from perfkit.core.answers import ANY, register_questions
from perfkit.core.evidence import sha256_bytes
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import PERCENTILES
from perfkit.core.units import DIGITS, UNITS, Format, Printed, in_column

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class JudgedAs:
    """How criteria judge a metric.

    Attributes:
        question: The question whose answer is judged.
        of: What gives the answer.
        largest: Whether it is a largest value: its mean over repeats says nothing.
    """

    question: str
    of: Literal["load points", "drain cycles", "runs", "answers"] = "load points"
    largest: bool = False


[VALUE_OF_RUN] = register_questions(
    ("value_of_run", "s", "the value of one run, as its tool gives it", "none: each run by itself",
     "none", ANY),
)  # fmt: skip

_AT_LOADS = ("iops", "bw_bytes_per_s", "lat_mean_s", "lat_max_s", *PERCENTILES, BUSY)

JUDGED_AS: dict[str, JudgedAs] = {
    **{
        name: JudgedAs(question_at_load(name).name, largest=name == "lat_max_s")
        for name in _AT_LOADS
    },
    "drain_longest_s": JudgedAs(LONGEST_DRAIN.name, of="drain cycles", largest=True),
    "longest_write_cycle_s": JudgedAs(VALUE_OF_RUN.name, of="runs", largest=True),
    "longest_wij_time_s": JudgedAs(VALUE_OF_RUN.name, of="runs", largest=True),
    "effective_write_latency_s": JudgedAs(VALUE_OF_RUN.name, of="runs"),
    DEPARTURE.name: JudgedAs(DEPARTURE.name, of="answers"),
}
"""The metrics that a criterion can name; ``METRICS`` says what they are called in print."""

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    JudgedMetric = str
    LatencyMetric = str
else:
    JudgedMetric = Literal[tuple(JUDGED_AS)]
    LatencyMetric = Literal[tuple(n for n in JUDGED_AS if n in LATENCIES)]
Label = Literal["system", "config", "workload", "load_kind", "host"]
Statistic = Literal["mean", "every repeat", "worst", "bound", "pooled"]
At = Literal["every load", "lowest load", "highest load", "peak"]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_LIMIT = re.compile(rf"^\s*({DIGITS}(?:\.\d+)?|\.\d+)\s*([kKmM]?)\s*([A-Za-zµμ%/]*)\s*$")
_LIMIT_UNITS: dict[str, dict[str, str]] = {
    "time": {"s": "s", "ms": "ms", "us": "us", "µs": "us", "μs": "us"},
    "rate": {"": "IOPS", "iops": "IOPS"},
    "rate of bytes": {"mb/s": "MB/s", "mib/s": "MiB/s"},
    "ratio": {"%": "%"},
}
_PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6}


@dataclass(frozen=True)
class Limit:
    """A limit in SI, and the unit it was written in."""

    value: float
    unit: str

    @property
    def text(self) -> str:
        """The limit as printed, with all its digits."""
        shown = Format(self.unit, significant=LIMIT_DIGITS).number(self.value)
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
        symbol = UNITS[self.unit].symbol
        return f"{shown}{'' if symbol == '%' else ' '}{symbol}"


def parse_limit(text: str, metric: str) -> Limit:
    """A limit with its unit: ``2 ms``, ``100k IOPS``, ``500 MB/s``, ``80 %``.

    Raises ValueError for another form or a unit that does not fit the metric.
    """
    units = _LIMIT_UNITS[METRICS[metric].quantity]
    wanted = ", ".join(sorted(set(units.values())))
    match = _LIMIT.match(text)
    # "ms" is the unit ms, or m as a prefix of s: the unit wins, and times take no prefix
    splits = [("", match[2] + match[3])] if match else []
    if match and match[3].lower() in {"", "iops"}:
        splits.append((match[2].lower(), match[3]))
    for prefix, unit in splits:
        if unit.lower() in units:
            key = units[unit.lower()]
            number = float(match.group(1).replace(",", "")) if match else 0.0
            return Limit(number * _PREFIXES[prefix] * UNITS[key].si, key)
    raise ValueError(f"limit {text!r}: {metric} needs a number with its unit ({wanted})")


class MeantToFail(BaseModel):
    """A subject that is meant to fail: a bully, a control without the policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    where: dict[Label, str] = Field(min_length=1, description="its labels, such as {host: bully}")
    reason: str = Field(min_length=1, description="why it is meant to fail, for the report")


class Criterion(BaseModel):
    """One demand on the measured numbers.

    In YAML::

        name: Mean read latency
        metric: lat_mean_s
        comparison: "<"
        limit: 2 ms
        statistic: every repeat
        at: 16
        source: Sizing guide, section 3
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    metric: JudgedMetric = Field(
        description="a column of the load points, drain_longest_s, one of GenIO's runs, or the "
        "isolation_departure of GenIO's servers"
    )
    comparison: Literal["<", "<=", ">", ">="]
    limit: str = Field(
        description="with its unit: 2 ms, 100k IOPS, 500 MB/s, 80 %", coerce_numbers_to_str=True
    )
    statistic: Statistic | None = Field(
        None,
        description="over repeats: mean (default), every repeat (each meets the limit; worst is "
        "the same), bound (the end of the 95% interval that is nearer to failing), or pooled "
        "(percentiles: from the merged histogram, their default)",
    )
    direction: Literal["total", "read", "write", "trim"] = "total"
    where: dict[Label, str] = Field(
        default_factory=dict, description="only the curves or servers with these labels"
    )
    at: float | At | dict[LatencyMetric, str] = Field(
        "every load",
        description="a load; every, lowest or highest load; the peak; or, for iops, the value "
        "where the curve meets a latency, such as {lat_mean_s: 1 ms}",
    )
    within: dict[LatencyMetric, str] | None = Field(
        None,
        description="for iops, in place of at: the most among all load points at or under a "
        "latency, such as {lat_mean_s: 1 ms}",
    )
    source: str | None = Field(None, description="document and section that demand it")
    note: str | None = Field(None, description="what the rule leaves open; stands by each verdict")
    meant_to_fail: tuple[MeantToFail, ...] = Field(
        (), description="subjects that are meant to fail: judged and shown, and not counted"
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        parse_limit(self.limit, self.metric)
        _check_statistic(self)
        _check_at(self)
        _check_answer(self)
        return self

    @property
    def parsed_limit(self) -> Limit:
        """The limit in SI, with the unit it was written in."""
        return parse_limit(self.limit, self.metric)

    @property
    def over_repeats(self) -> Statistic:
        """The statistic, by default the mean; percentiles pool, drains are judged one by one."""
        if self.statistic:
            return "every repeat" if self.statistic == "worst" else self.statistic
        if JUDGED_AS[self.metric].largest:
            return "every repeat"
        return "pooled" if self.metric in PERCENTILES else "mean"

    @property
    def upward(self) -> bool:
        """Whether more is demanded, rather than less."""
        return self.comparison.startswith(">")

    @property
    def demand(self) -> str:
        """The criterion by its content: what a report knows it by."""
        return sha256_bytes(canonical_json(self).encode())[:16]

    def expected_to_fail(self, labels: Mapping[str, Any]) -> str | None:
        """Why what has these labels is meant to fail; None where it is not."""
        return next(
            (
                item.reason
                for item in self.meant_to_fail
                if all(labels.get(key) == text for key, text in item.where.items())
            ),
            None,
        )

    def holds(self, value: float) -> bool:
        """Whether the raw value meets the limit: exact, before any rounding."""
        return COMPARISONS[self.comparison](value, self.parsed_limit.value)


def _check_statistic(criterion: Criterion) -> None:
    metric, statistic = criterion.metric, criterion.over_repeats
    if statistic == "mean" and metric in PERCENTILES:
        raise ValueError(f"{metric}: percentiles are never averaged; use pooled or every repeat")
    if statistic == "pooled" and metric not in PERCENTILES:
        raise ValueError(f"{metric}: only percentiles are pooled; use mean or every repeat")
    if statistic in {"mean", "bound"} and JUDGED_AS[metric].largest:
        raise ValueError(f"{metric} is a largest value; its statistic is every repeat")


def _check_at(criterion: Criterion) -> None:
    at, within = criterion.at, criterion.within
    if within is not None and at != "every load":
        raise ValueError("a criterion has at or within, not both")
    for name, limits in (("at", at), ("within", within)):
        if not isinstance(limits, dict):
            continue
        if criterion.metric != "iops" or len(limits) != 1:
            raise ValueError(f"{name}: one latency limit goes with metric iops")
        for metric, text in limits.items():
            if not parse_limit(text, metric).value > 0:
                raise ValueError(f"{name}: {text!r} is not a time above 0")


def _check_answer(criterion: Criterion) -> None:
    if JUDGED_AS[criterion.metric].of != "answers":
        return
    for name in ("statistic", "direction", "at", "within"):
        if getattr(criterion, name) != Criterion.model_fields[name].default:
            raise ValueError(f"{name}: {criterion.metric} is judged as it was answered")


def limit_of(
    criteria: Sequence[Criterion], metric: str, *, direction: str | None = None
) -> float | None:
    """The one upper limit in SI that criteria set for a metric, of everything; for a chart's line.

    None where there is none, or several: a line would then be that of some runs alone.
    """
    limits = {
        item.parsed_limit.value
        for item in criteria
        if item.metric == metric
        and not item.upward
        and not item.where
        and item.direction == (direction or "total")
    }
    return limits.pop() if len(limits) == 1 else None


def rule_text(criterion: Criterion, *, over: str | None = None) -> str:
    """The rule as printed: "mean latency < 2 ms, mean over repeats"; ``over`` names other rows."""
    statistic = {
        "mean": "mean over repeats",
        "every repeat": "every repeat",
        "bound": f"{'lower' if criterion.upward else 'upper'} end of the interval",
        "pooled": "all repeats",
    }
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
        form
        for form in forms
        if all(
            _printed_holds(form.show(value), criterion, limit) == criterion.holds(value)
            for value in values
        )
    )
    return next(kept, forms[-1])


def _printed_holds(shown: Printed, criterion: Criterion, limit: Limit) -> bool:
    printed_limit = Format(limit.unit, significant=LIMIT_DIGITS).number(limit.value)
    number = shown.text.removesuffix("%").split(" ")[0]
    return bool(COMPARISONS[criterion.comparison](_decimal(number), _decimal(printed_limit)))


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))
