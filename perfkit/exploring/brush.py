"""What was brushed in a chart: a range of each metric on its axes, or the values that it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Brush:
    """What was brushed in a chart. Empty where the brush was taken back (a double click).

    Attributes:
        ranges: Of each metric the lowest and the highest value, in SI units.
        values: In a chart of changes, those of its values that were brushed, in SI units; None in
            other charts.
    """

    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    values: tuple[float, ...] | None = None

    @classmethod
    def of(cls, told: dict[str, Any]) -> Brush | None:
        """The brush of what the browser told; None in a chart whose axes say nothing."""
        axes, ranges = told["chart"], told["range"]
        if not axes or not ranges:
            return cls() if axes else None
        if "values" in axes:
            return cls(values=_values(axes, *ranges["x"]))
        return cls({
            axes[axis]["metric"]: (low * axes[axis]["si"], high * axes[axis]["si"])
            for axis, (low, high) in ranges.items()
            if axis in axes
        })  # fmt: skip


def _values(axes: dict[str, Any], low: float, high: float) -> tuple[float, ...]:
    """The values of which the brush meets a mark: they stand at 0, 1, 2 ... along the axis."""
    reach = axes["reach"]
    return tuple(
        value for place, value in enumerate(axes["values"])
        if low <= place + reach and high >= place - reach
    )  # fmt: skip
