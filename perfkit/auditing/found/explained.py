"""What else explains a change that fails: another base, another formula of the same two, no sign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.formulas import (
    FACTORS,
    LESS,
    PERCENT,
    SAVED,
    SIZES,
    by_any_thousand,
    of_base,
    percent_less,
    percent_more,
    share,
)  # fmt: skip
from perfkit.auditing.found.relate import Formula, Trial, tried
from perfkit.auditing.quantities import FACTOR, SHARE, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.slots import Slot, Track, View

_OTHER_MEAN = 0.002
"""What digits that are not printed can make of a change."""
MANY_HOLD, _NEARLY_ALL = 8, 0.9
"""Where so many places hold, what explains one that fails has to explain nearly all of them."""


def is_other_sign(trial: Trial) -> bool:
    """Whether it fails by its sign alone: where none is negative, differences have no sign."""
    turned = tried(trial.claim, trial.inputs, lambda *v: -trial.formula(*v))
    return bool(turned and turned.held)


def is_of_one_base(trials: Sequence[Trial]) -> bool:
    """Whether all are of one base that is not the one they were tried with: it need not be printed.

    The shares of the largest parts alone are of a whole, not of their sum.
    """
    if len({trial.inputs[0].key for trial in trials}) == 1 or trials[0].formula is share:
        part, inverse = -1, False
    elif len({trial.inputs[-1].key for trial in trials}) == 1:
        part, inverse = 0, True
    else:
        return False
    ends = [_base(trial, trial.inputs[part], inverse=inverse) for trial in trials]
    kept = [end for end in ends if end]
    return len(kept) == len(ends) and max(a for a, _ in kept) <= min(b for _, b in kept)


def _base(trial: Trial, part: Slot, *, inverse: bool) -> tuple[float, float] | None:
    """What a base may be, by the rounding of a change from it and of the number that changed."""
    claim = trial.claim
    low, high = claim.value - claim.half, claim.value + claim.half
    if trial.formula is percent_more:
        low, high = 1 + low / 100, 1 + high / 100
    elif trial.formula is percent_less:
        low, high = 1 - high / 100, 1 - low / 100
    elif trial.formula not in {*FACTORS.values(), of_base, share}:
        return None
    if low <= 0 or part.value <= part.half:
        return None
    if inverse:
        return (part.value - part.half) * low, (part.value + part.half) * high
    return (part.value - part.half) / high, (part.value + part.half) / low


def is_base(claim: Slot) -> bool:
    """Whether a number says that it stands for the base itself: 100%, 1.00x."""
    return abs(claim.quantity.value) == {SHARE: 100, FACTOR: 1, "": 1}.get(claim.kind)


def is_of_another_base(view: View, trial: Trial, track: Track, held: Sequence[Trial]) -> bool:
    """Whether what is printed is the change from another number of its row, or of its column.

    Rows may have their base in another column, as groups of rows have bases of their own. What two
    columns say of each row has no base in other rows. Where many others hold, only what says itself that
    it is a base can be one: no change is printed for it, or 100%, or 1.00.
    """
    claim, inputs = trial.claim, trial.inputs
    if len(inputs) != 2 or trial.formula in (LESS | SAVED).values():
        return False
    any_way = PERCENT | SIZES if claim.kind == SHARE else FACTORS
    by_columns = _row(inputs[0]) == _row(inputs[1])
    many = len(held) >= MANY_HOLD
    unsigned = claim.unsigned
    if by_columns and _of_the_same_cells(view, unsigned, inputs, any_way.values()):
        return True
    if not (by_columns or many) and _of_another_column(view, unsigned, inputs, any_way.values()):
        return True
    for value in inputs:
        for slot in (s for other in view.tracks for s in other.known if s not in inputs):
            in_row, in_column = _row(slot) == _row(value), slot.column == value.column
            fits = slot.kind == value.kind and slot.table == value.table and slot.value
            beside = in_row or (in_column and not by_columns)
            near = in_row or (beside and not many)
            if not fits or not (near or _is_marked(view, slot, track)):
                continue
            formulas = any_way.values() if in_row else (trial.formula,)
            pairs = ((slot, value), (value, slot))
            # the mean of ratios differs from the ratio of means by little
            ways = (
                tried(own, pair, formula, _OTHER_MEAN, cut=False)
                for own in {claim, unsigned}
                for pair in pairs
                for formula in formulas
            )
            fitting = [way for way in ways if way and way.held]
            if any(not (many and in_row) or _in_most(view, way, held) for way in fitting):
                return True
    return False


def _of_the_same_cells(
    view: View, claim: Slot, inputs: Sequence[Slot], formulas: Iterable[Formula]
) -> bool:
    """Whether the two cells hold two other numbers that explain a change: 4,894K (488 ns)."""
    beside = [
        [s for t in view.tracks for s in t.known if s is not one and _cell(s) == _cell(one)]
        for one in inputs
    ]
    pairs = [(a, b) for a in beside[0] for b in beside[1] if a.kind == b.kind != SHARE]
    orders = [order for a, b in pairs for order in ((a, b), (b, a))]
    ways = (tried(claim, order, formula) for order in orders for formula in formulas)
    return any(way and way.held for way in ways)


def _cell(slot: Slot) -> tuple[str | None, int | None, int | None]:
    return slot.table, slot.row, slot.column


def _in_most(view: View, way: Trial, held: Sequence[Trial]) -> bool:
    """Whether the same columns explain nearly all of the rows that hold, too."""
    cells = {(*_row(s), s.column): s for t in view.tracks for s in t.known if not t.part}
    fits = 0
    for trial in held:
        own = [cells.get((*_row(trial.claim), slot.column)) for slot in way.inputs]
        pair = [slot for slot in own if slot]
        again = tried(trial.claim, pair, way.formula) if len(pair) == len(own) else None
        fits += bool(again and again.held)
    return fits > _NEARLY_ALL * len(held)


def _is_marked(view: View, slot: Slot, track: Track) -> bool:
    """Whether a number says that it is a base: no change beside it, or one that is none."""
    brackets = [t for t in view.tracks if t.part and t.column == slot.column]
    changes = [t for t in brackets if t.kind == track.kind] or [track]
    return all(is_base(own) for t in changes for own in t.known if _row(own) == _row(slot))


def is_of_another_setup(view: View, trial: Trial, held: Sequence[Trial]) -> bool:
    """Whether its row says another thing where all rows of its table say one that hold."""
    if view.by_rows:
        return False
    claim = trial.claim
    base = {slot.key for slot in trial.inputs if slot.row != claim.row}
    rows = {
        t.claim.row
        for t in held
        if t.claim.table == claim.table and base <= {slot.key for slot in t.inputs}
    }
    texts = {
        slot.row: view.texts[n]
        for track in view.tracks
        for n, slot in enumerate(track.slots)
        if slot and slot.table == claim.table
    }
    own = {slot.column for slot in (claim, *trial.inputs)}
    mine, others = texts[claim.row], [texts[row] for row in rows]
    return len(others) > 1 and any(
        mine[n] not in {text[n] for text in others} and len({text[n] for text in others}) == 1
        for n in range(len(mine))
        if n + 1 not in own and not quantities(mine[n])
    )


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


def _points_of_one(a: Any, b: Any) -> Any:
    return abs(a - b) * 100


def is_read_otherwise(trial: Trial, track: Track, held: Sequence[Trial]) -> bool:
    """Whether another formula of the same two gives what is printed: slower by 9x, or by a ninth.

    Where many others hold it has to give those as well: one row that is read in another way is wrong.
    """
    if len(trial.inputs) != 2 or trial.formula in (LESS | SAVED).values():
        return False
    a, b = trial.inputs
    claim, value = trial.claim, trial.formula(a.value, b.value)
    # where signs are printed, the same size with the other sign is no other reading
    signed = any(slot.value < 0 for slot in track.known) and claim.value * value < 0
    if signed and abs(abs(claim.value) - abs(value)) <= claim.half:
        return False
    other = PERCENT | SIZES if track.kind == SHARE else FACTORS
    ways = [(formula, turned) for formula in other.values() for turned in (False, True)]
    # 82.7% to 87.6% are 4.9 points, too, and 0.904 to 0.848 are 5.6
    if {a.kind, b.kind} == {SHARE}:
        ways.append((_points, claim.value > 0 and a.value < b.value))
    elif claim.kind == SHARE and not a.kind and max(abs(a.value), abs(b.value)) <= 1:
        ways.append((_points_of_one, False))
    fitting = [way for way in ways if _fits(trial, *way)]
    if len(held) < MANY_HOLD:
        return bool(fitting)
    return any(sum(_fits(t, *way) for t in held) > _NEARLY_ALL * len(held) for way in fitting)


def _fits(trial: Trial, formula: Formula, turned: bool) -> bool:
    pair = trial.inputs[::-1] if turned else trial.inputs
    way = by_any_thousand(trial.claim.unsigned, pair, formula)
    return bool(way and way.held)
