"""What a calculation measures: size by time is a rate, and 4096 x 4096 is no size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfkit.auditing.quantities import OPS, RATE, SIZE, TIME

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Slot
    from perfkit.auditing.found.relate import Formula

_POWERS: dict[str, dict[str, int]] = {
    TIME: {TIME: 1}, SIZE: {SIZE: 1}, RATE: {SIZE: 1, TIME: -1}, OPS: {TIME: -1},
}  # fmt: skip
"""Of each kind of quantity, its powers of time and size; others are pure numbers."""


@dataclass(frozen=True)
class _Dimension:
    """Powers of what a value measures; ``mixed`` where 280 was added to 45 GB/s."""

    powers: dict[str, int] = field(default_factory=dict)
    mixed: bool = False

    def __mul__(self, other: object) -> _Dimension:
        return self._joined(other, 1)

    def __truediv__(self, other: object) -> _Dimension:
        return self._joined(other, -1)

    def __add__(self, other: object) -> _Dimension:
        if not isinstance(other, _Dimension):
            return self
        return _Dimension(self.powers or other.powers, self.powers != other.powers or self.mixed)

    __sub__ = __add__

    def _joined(self, other: object, sign: int) -> _Dimension:
        if not isinstance(other, _Dimension):
            return self
        found = Counter(self.powers)
        for kind, power in other.powers.items():
            found[kind] += sign * power
        powers = {kind: power for kind, power in found.items() if power}
        return _Dimension(powers, self.mixed or other.mixed)


def fits(claim: Slot, inputs: Sequence[Slot], formula: Formula) -> bool:
    """Whether the units of what is calculated with give that of the result.

    Units that are not printed are those of the others: "6.1 + 6.3 = 12.4 GiB", "16 x 1,000 IOPS".
    """
    made: Any = formula(*(_Dimension(_POWERS.get(slot.kind, {})) for slot in inputs))
    if not isinstance(made, _Dimension) or made.mixed:
        return False
    wanted = _POWERS.get(claim.kind, {})
    counted = {kind: power for kind, power in made.powers.items() if (kind, power) != (TIME, -1)}
    if claim.kind in {"", OPS} or made.powers == wanted:
        return made.powers == wanted or not counted
    return not any(slot.kind for slot in inputs) and _is_sum(inputs, formula)


def _is_sum(inputs: Sequence[Slot], formula: Formula) -> bool:
    """Whether a calculation only adds: each number then has the unit of the result."""
    made: Any = formula(*(_Dimension({SIZE: 1}) for _ in inputs))
    return isinstance(made, _Dimension) and made == _Dimension({SIZE: 1})
