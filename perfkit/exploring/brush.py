"""What was brushed in a chart: a range of each metric on its axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Brush:
    """A range brushed in a chart: of each metric the lowest and the highest value, in SI units.

    Empty where the brush was taken back (a double click).
    """

    ranges: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, told: dict[str, Any]) -> Brush | None:
        """The brush of what the browser told; None in a chart whose axes say no metric."""
        axes = told["chart"]
        if not axes:
            return None
        return cls({
            axes[axis]["metric"]: (low * axes[axis]["si"], high * axes[axis]["si"])
            for axis, (low, high) in told["range"].items()
            if axis in axes
        })  # fmt: skip
