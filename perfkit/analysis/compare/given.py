"""The values at which a notebook compares curves, as people write them in a study."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.core.errors import UsageError

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
            raise UsageError(f"{name}: {part!r} is no number") from None
        if not 0 < value < float("inf"):
            raise UsageError(f"{name}: {part!r} is not above 0")
        found.append(value)
    return found
