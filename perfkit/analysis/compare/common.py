"""At which values curves are compared: given, as a study writes them, or round ones of all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.analysis.curves import questions
from perfkit.core.errors import UsageError

if TYPE_CHECKING:
    from perfkit.analysis.compare.sides import Curve

MOST_VALUES = 4
_GRIDS = (
    (1.0, 2.0, 5.0),
    tuple(n / 2 for n in range(2, 20)),
    tuple(n / 10 for n in range(10, 100)),
)
"""Round numbers of a decade, the roundest first."""

PEAK = questions.PEAK_IOPS.name

ASKED_AT: Mapping[str, tuple[str, ...]] = {
    "latencies_s": (questions.IOPS_AT_LATENCY.name, questions.MOST_IOPS_WITHIN_LATENCY.name),
    "iops": (questions.LATENCY_AT_IOPS.name, questions.CPU_AT_IOPS.name),
    "loads": (
        questions.IOPS_AT_LOAD.name,
        questions.LATENCY_AT_LOAD.name,
        questions.CPU_AT_LOAD.name,
    ),
    "cpu_ratios": (questions.IOPS_AT_CPU.name,),
}
"""Which values are given -> what is asked at each of them, the main question first."""


@dataclass(frozen=True)
class Given:
    """The values at which curves are compared."""

    latencies_s: tuple[float, ...] = ()
    iops: tuple[float, ...] = ()
    loads: tuple[float, ...] = ()
    cpu_ratios: tuple[float, ...] = ()

    def any(self) -> bool:
        """Whether any value was given."""
        return bool(self.latencies_s or self.iops or self.loads or self.cpu_ratios)

    def questions(self, *, with_cores: bool) -> list[tuple[str, float | None]]:
        """Each question with its value, the peak first."""
        asked: list[tuple[str, float | None]] = [(PEAK, None)]
        for values, names in ASKED_AT.items():
            asked += [(name, value) for value in getattr(self, values) for name in names]
        return [*asked, (questions.IOPS_PER_BUSY_CORE.name, None)] if with_cores else asked


def common_values(curves: Sequence[Curve], metric: str) -> Given:
    """Round latencies and IOPS (1, 2, 5 times a power of ten) that every repeat of every curve has.

    Less round ones (1.5, then 1.1) only where the common range holds none of these. Up to four of
    each, spread over the common range; none where the ranges do not overlap. Where a source knows
    no latency, the loads that every curve has stand in for them.
    """
    every = [rows for curve in curves for rows in (curve.series.points, *curve.repeats)]
    if any(all(row[metric] is None for row in rows) for rows in every):
        return Given(loads=shared_loads(curves))
    return Given(latencies_s=round_values(curves, metric), iops=round_values(curves, "iops"))


def shared_loads(
    curves: Sequence[Curve], within: Mapping[str, tuple[float, float]] | None = None
) -> tuple[float, ...]:
    """Up to four of the loads that every repeat of every curve has; none of different kinds.

    Args:
        curves: The curves.
        within: Only loads of which a curve has a point in these ranges, by metric.
    """
    if len({curve.key["load_kind"] for curve in curves}) > 1:
        return ()
    found = [{row["load"] for row in rows} for curve in curves for rows in curve.repeats]
    loads = sorted(set.intersection(*found))
    if within:
        rows = [row for curve in curves for row in curve.series.points]
        inside = {row["load"] for row in rows if _lies(row, within)}
        loads = [load for load in loads if load in inside]
    return _spread(loads)


def _lies(row: Mapping[str, Any], within: Mapping[str, tuple[float, float]]) -> bool:
    return all(
        (value := row[name]) is not None and low <= value <= high
        for name, (low, high) in within.items()
    )


def round_values(
    curves: Sequence[Curve], name: str, within: Mapping[str, tuple[float, float]] | None = None
) -> tuple[float, ...]:
    """Up to four round values of a quantity that every repeat of every curve passes.

    Args:
        curves: The curves.
        name: The quantity: a latency, iops, cpu_busy_ratio.
        within: Only values in the range of this quantity, where it has one.
    """
    ranges = []
    for curve in curves:
        for rows in curve.repeats:
            values = [row[name] for row in rows if row[name] is not None]
            if not values:
                return ()
            ranges.append((values[0], max(values)))
    low, high = max(first for first, _ in ranges), min(last for _, last in ranges)
    if within and name in within:
        low, high = max(low, within[name][0]), min(high, within[name][1])
    if not 0 < low < high:
        return ()
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    # 10**-4 as a double is not 1e-4: the decimal text is the round number
    for steps in _GRIDS:
        grid = [float(f"{step:g}e{power}") for power in powers for step in steps]
        inside = [value for value in grid if low <= value <= high]
        if inside:
            return _spread(inside)
    return ()


def _spread(inside: list[float]) -> tuple[float, ...]:
    if len(inside) <= MOST_VALUES:
        return tuple(inside)
    places = {round(i * (len(inside) - 1) / (MOST_VALUES - 1)) for i in range(MOST_VALUES)}
    return tuple(inside[place] for place in sorted(places))


Values = str | int | float | Sequence[float] | None


def comparison_values(
    *,
    latencies_us: Values = None,
    iops: Values = None,
    loads: Values = None,
    cpu_percents: Values = None,
) -> dict[str, list[float]]:
    """Arguments of ``compare``: ``compare(points, **comparison_values(latencies_us="400"))``.

    Each is a number, numbers divided by blanks ("300 400"), a list, or None: latencies in
    microseconds, shares of the hosts' CPU in percent.

    Raises UsageError for anything but numbers above 0.
    """
    return {
        "latencies_s": [value / 1e6 for value in numbers_of("latencies_us", latencies_us)],
        "iops": numbers_of("iops", iops),
        "loads": numbers_of("loads", loads),
        "cpu_ratios": [value / 100 for value in numbers_of("cpu_percents", cpu_percents)],
    }


def numbers_of(name: str, given: Values) -> list[float]:
    """The numbers of one parameter; UsageError naming it for anything but numbers above 0."""
    if given is None:
        return []
    parts = given.split() if isinstance(given, str) else given
    found = []
    for part in parts if isinstance(parts, Sequence) else [parts]:
        try:
            value = float(part)
        except (TypeError, ValueError):
            raise UsageError(f"{name}: {part!r} is not a number") from None
        if not 0 < value < float("inf"):
            raise UsageError(f"{name}: {part!r} is not above 0")
        found.append(value)
    return found
