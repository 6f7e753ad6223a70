"""What else explains a change that fails: another base, another formula of the same two, no sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.formulas import FACTORS, LESS, PERCENT, SAVED, SIZES, by_any_thousand
from perfkit.auditing.found.relate import Formula, Trial, tried
from perfkit.auditing.quantities import FACTOR, SHARE

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Slot, Track, View

_OTHER_MEAN = 0.002
"""What digits that are not printed can make of a change."""


def is_other_sign(trial: Trial) -> bool:
    """Whether it fails by its sign alone: where none is negative, differences have no sign."""
    turned = tried(trial.claim, trial.inputs, lambda *v: -trial.formula(*v))
    return bool(turned and turned.held)


def is_of_one_whole(trials: Sequence[Trial]) -> bool:
    """Whether all shares are of one whole that is not the sum: a table of the largest parts alone."""
    ends = [
        ((p.value - p.half) / (c.value + c.half), (p.value + p.half) / (c.value - c.half))
        for c, p in ((trial.claim, trial.inputs[-1]) for trial in trials)
        if c.value > c.half
    ]
    return len(ends) == len(trials) and max(low for low, _ in ends) <= min(high for _, high in ends)


def is_base(claim: Slot) -> bool:
    """Whether a number says that it stands for the base itself: 100%, 1.00x."""
    return abs(claim.quantity.value) == {SHARE: 100, FACTOR: 1}.get(claim.kind)


def is_of_another_base(view: View, trial: Trial) -> bool:
    """Whether what is printed is the change from another number of its row, or of its column.

    Rows may have their base in another column, as groups of rows have bases of their own. What two
    columns say of each row has no base in other rows.
    """
    claim, inputs = trial.claim, trial.inputs
    if len(inputs) != 2 or trial.formula in (LESS | SAVED).values():
        return False
    any_way = PERCENT | SIZES if claim.kind == SHARE else FACTORS
    by_columns = _row(inputs[0]) == _row(inputs[1])
    if not by_columns and _of_another_column(view, claim.unsigned, inputs, any_way.values()):
        return True
    for value in inputs:
        for slot in (s for track in view.tracks for s in track.known if s not in inputs):
            in_row, in_column = _row(slot) == _row(value), slot.column == value.column
            fits = slot.kind == value.kind and slot.table == value.table and slot.value
            if not fits or not (in_row or (in_column and not by_columns)):
                continue
            formulas = any_way.values() if in_row else (trial.formula,)
            pairs = ((slot, value), (value, slot))
            # the mean of ratios differs from the ratio of means by little
            ways = (
                tried(claim.unsigned, pair, formula, _OTHER_MEAN, cut=False)
                for pair in pairs
                for formula in formulas
            )
            if any(way and way.held for way in ways):
                return True
    return False


def _of_another_column(
    view: View, claim: Slot, inputs: Sequence[Slot], formulas: Iterable[Formula]
) -> bool:
    """Whether another column of the same two rows explains a change: a latency, no throughput."""
    rows = [_row(slot) for slot in inputs]
    for track in (track for track in view.tracks if not track.label.change):
        known = (s for s in track.known if s.column not in {inputs[0].column, claim.column})
        own = {_row(slot): slot for slot in known}
        pair = [own[row] for row in rows if row in own]
        if len(pair) == 2 and pair[0].kind == pair[1].kind and pair[0].kind not in {SHARE, FACTOR}:
            orders = (pair, pair[::-1])
            ways = (tried(claim, order, formula) for order in orders for formula in formulas)
            if any(way and way.held for way in ways):
                return True
    return False


def _row(slot: Slot) -> tuple[str | None, int | None]:
    return slot.table, slot.row


def _points(a: Any, b: Any) -> Any:
    return abs(a - b)


def is_read_otherwise(trial: Trial, track: Track) -> bool:
    """Whether another formula of the same two gives what is printed: slower by 9x, or by a ninth."""
    if len(trial.inputs) != 2 or trial.formula in (LESS | SAVED).values():
        return False
    a, b = trial.inputs
    claim, value = trial.claim, trial.formula(a.value, b.value)
    other = PERCENT | SIZES if track.kind == SHARE else FACTORS
    pairs = ((a, b), (b, a))
    ways = [by_any_thousand(claim.unsigned, pair, f) for f in other.values() for pair in pairs]
    if {a.kind, b.kind} == {SHARE}:  # 82.7% to 87.6% are 4.9 points, too
        ways.append(tried(claim.unsigned, pairs[claim.value > 0 and a.value < b.value], _points))
    # where signs are printed, the same size with the other sign is no other reading
    signed = any(slot.value < 0 for slot in track.known) and claim.value * value < 0
    wrong_sign = signed and abs(abs(claim.value) - abs(value)) <= claim.half
    return not wrong_sign and any(way and way.held for way in ways)
