"""What else explains a change that fails: another base, other numbers of its row, another formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.found.formulas import (
    DIFFERENCES,
    FACTORS,
    PERCENT,
    POINTS,
    RATIOS,
    SIZES,
)
from perfkit.auditing.found.relate import Trial, tried
from perfkit.formats.quantities import FACTOR, SHARE, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.slots import Slot, Track, View

_OTHER_MEAN = 0.002
"""What digits that are not printed can make of a change."""
_MANY_HOLD, _NEARLY_ALL = 8, 0.9
"""Where so many places hold, what explains one that fails has to explain nearly all of them."""
_SHARES = PERCENT | SIZES | POINTS
_Pair = tuple["Slot", "Slot"]


def is_explained(view: View, trial: Trial, track: Track, held: Sequence[Trial]) -> bool:
    """Whether what is printed is the change of other numbers, or its row one of another thing."""
    claim, many = trial.claim, len(held) >= _MANY_HOLD
    difference = trial.formula in DIFFERENCES
    if (is_base(claim) and not difference) or _is_turned(trial, track):
        return True
    if not view.by_rows and _is_of_another_setup(view, trial, held):
        return True
    any_way = () if difference else tuple((_SHARES if claim.kind == SHARE else FACTORS).values())
    for pair, marked, column in _others(view, trial, track):
        ways = (trial.formula,) if column else any_way
        for own, order, formula in product({claim, claim.unsigned}, (pair, pair[::-1]), ways):
            # "45x" may be 45.9, cut off
            way = tried(own, order, formula, _OTHER_MEAN, cut=not claim.quantity.decimals)
            if way and way.held and (marked or not many or _in_most(view, way, held)):
                return True
    return False


def _is_turned(trial: Trial, track: Track) -> bool:
    """Whether it fails by its direction alone: 2x is slower and faster, and -5 is 5 where no sign stands."""
    signed = any(slot.value < 0 for slot in track.known)
    ways = [(trial.inputs, lambda *v: -trial.formula(*v))] * (not signed)
    ways += [(trial.inputs[::-1], trial.formula)] * (trial.formula in RATIOS)
    return any((way := tried(trial.claim, *own)) and way.held for own in ways)


def is_base(claim: Slot) -> bool:
    """Whether a number says that it stands for the base itself: 100%, 1.00x."""
    return abs(claim.quantity.value) == {SHARE: 100, FACTOR: 1, "": 1}.get(claim.kind)


def _others(view: View, trial: Trial, track: Track) -> Iterator[tuple[_Pair, bool, bool]]:
    """Other pairs that a change may be of; whether one of the two is marked as a base, and is of their column."""
    one, two = trial.inputs
    yield (one, two), False, False
    known = [s for t in view.tracks if not t.label.change for s in t.known if s is not trial.claim]
    by_columns = _row(one) == _row(two)
    for value, slot in product((one, two), known):
        if (
            slot in {one, two}
            or slot.kind != value.kind
            or slot.table != value.table
            or not slot.value
        ):
            continue
        if _row(slot) == _row(value):
            yield (slot, value), False, False
        elif (slot.column == value.column and not by_columns) or (by_columns and track.part):
            yield (slot, value), _is_marked(view, slot, track), True
    if by_columns:
        # the two cells may hold two other numbers: 4,894K (488 ns)
        beside = [
            [s for s in known if _cell(s) == _cell(own) and s not in {one, two}]
            for own in (one, two)
        ]
        yield from (((a, b), False, False) for a, b in product(*beside) if a.kind == b.kind)
        return
    # another column of the same two rows: a latency, no throughput
    plain = [s for s in known if s.kind not in {SHARE, FACTOR}]
    for a, b in product(*([s for s in plain if _row(s) == _row(own)] for own in (one, two))):
        if (a.column, a.kind) == (b.column, b.kind) and a.unit == b.unit:
            yield (a, b), False, False


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


def _is_of_another_setup(view: View, trial: Trial, held: Sequence[Trial]) -> bool:
    """Whether its row says another thing where all rows of its table say one that hold."""
    claim = trial.claim
    base = {slot.key for slot in trial.inputs if slot.row != claim.row}
    alike = (t for t in held if base <= {slot.key for slot in t.inputs})
    rows = {t.claim.row for t in alike if t.claim.table == claim.table}
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


def _cell(slot: Slot) -> tuple[str | None, int | None, int | None]:
    return slot.table, slot.row, slot.column


def _row(slot: Slot) -> tuple[str | None, int | None]:
    return slot.table, slot.row
