"""Products and quotients: IOPS by block size, size by time, and columns that go in proportion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING

from perfkit.auditing.found.proportion import (
    LOOSE,
    NEAR,
    Evidence,
    Hypothesis,
    Relation,
    borne_out,
    checks,
    varies,
)
from perfkit.auditing.found.words import MEAN
from perfkit.formats.printed_text import word_set
from perfkit.formats.quantities import OPS, RATE, SIZE, TIME, unit_of

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page
    from perfkit.auditing.found.relate import Check
    from perfkit.auditing.found.slots import Slot, Track

MOST_TRACKS, _MOST_OF_FOUR = 24, 6
_LEAST_ROWS, _MANY_ROWS = 3, 5
_POWERS: dict[str, tuple[int, int]] = {
    # of each kind: how often bytes and seconds are in it
    RATE: (1, -1), SIZE: (1, 0), TIME: (0, 1), OPS: (0, -1), "": (0, 0),
}  # fmt: skip
_SIGNS: dict[int, tuple[tuple[int, ...], ...]] = {
    2: ((1, -1), (1, 1)),
    3: ((1, 1, -1), (1, -1, 1), (-1, 1, 1), (1, 1, 1)),
    4: tuple((1, *signs) for signs in product((1, -1), repeat=3) if -1 in signs),
}
_MIXED = tuple(n * math.log(1.024) for n in range(-2, 3))
_TURNS = (0.0, *(sign * math.log(n) for n in (60, 1000, 3600, 10**6) for sign in (1, -1)))
_REQUESTS = tuple(math.log(2**n) + m * math.log(1.024) for n in range(9, 25) for m in (-2, -1, 0))
_WHOLES: dict[frozenset[str], tuple[int, int]] = {
    # what two columns share though no cell prints it: the bytes, the operations, the seconds of a run
    frozenset({TIME, RATE}): (1, 1), frozenset({TIME, OPS}): (1, 1),
    frozenset({"", OPS}): (1, -1),
}  # fmt: skip
_COUNTED = word_set("io request query transaction message event operation op record row")
_MEASURES = word_set("io throughput speed rate latency iops mbps average sum")
_SPEEDS = word_set("io throughput qps tps rps")

_TOLD = Evidence(_LEAST_ROWS, 1.5, 2, slacks=(0.0, LOOSE), by_units=True)
"""Units say the constant."""
_ONE_THING = replace(_TOLD, rows=2, digits=2.5)
"""So they do of "Latency (us)" and "Latency (ms)"."""
_SIZED = Evidence(2, 4.0, 2, slacks=(0.0, LOOSE), least=0.06, by_units=True)
"""So they do of requests of one size, of which thousands may be 1024."""
_MEANS = Evidence(_LEAST_ROWS, 1.5, 2, slacks=(0.05,), by_units=True)
"""So they do of rates and times, but the mean of rates is no rate of the mean time."""
_SHOWN = Evidence(_LEAST_ROWS, 4.5, 3)
"""Nothing says that it is 1."""
_SET = Evidence(8, 4.5, 8)
"""Numbers that are set are soon a product of others."""
_WHOLE = Evidence(4, 5.5, 3, shortest=2, least=NEAR)
"""Units say what it is, as the bytes of a file, but not how much: runs differ by some percent."""
_FREE = Evidence(_MANY_ROWS, 10.0, 8, shortest=3, least=NEAR)
"""Nothing tells it, so that short numbers show nothing: 2, 4 and 8 cores have 8, 16 and 32 GB."""


def products(page: Page) -> Iterator[Check]:
    """Each relation of proportion that a table shows, and the rows in which it fails.

    Neighbouring tables of one shape, of which one has operations and one bytes, are two columns.
    """
    for view in page.views:
        tracks = [t for t in view.tracks if _takes_part(t)]
        if 2 <= len(tracks) <= MOST_TRACKS:
            for relation in _related(tracks, by_rows=view.by_rows):
                yield from checks(relation, view.tracks)
    for one, two in page.of_one_shape:
        pair = (one.joined, two.joined)
        if {t.kind for t in pair} == {OPS, RATE} and min(len(t.known) for t in pair) >= _MANY_ROWS:
            for relation in _related(pair, by_rows=True):
                yield from checks(relation)


def _takes_part(track: Track) -> bool:
    """Whether a track can be in a product: it varies, or is a time or size that is set for all rows."""
    values = [slot.value for slot in track.known]
    alike = len({s.kind for s in track.known}) == 1 and not track.label.change
    enough = len(values) >= _LEAST_ROWS and min(values) > 0 and alike
    named = track.names and not track.kind
    return enough and not named and (varies(track) or track.kind in {TIME, SIZE})


def _related(tracks: Sequence[Track], *, by_rows: bool) -> Iterator[Relation]:
    """The relations of proportion between tracks.

    Rows are alternatives, and none is divided by another, unless units say that they are metrics.
    """
    found: list[Relation] = []
    for count in (2, 3, 4) if len(tracks) <= _MOST_OF_FOUR else (2, 3):
        for chosen in combinations(tracks, count):
            # a pair in proportion makes any third track look related
            whole = any(len(r.held) == len(r.off) and _ids(r) <= {*map(id, chosen)} for r in found)
            if sum(map(varies, chosen)) < 2 or whole:
                continue
            tries = [h for signs in _SIGNS[count] if (h := _expected(chosen, signs))]
            kept = [h for h in tries if h.evidence.by_units or not by_rows]
            tested = [r for h in kept if (r := borne_out(h, len(tracks)))]
            found += sorted(tested, key=lambda r: r.digits)[-1:]
    return (r for r in found if not any(_fits_better(other, r) for other in found))


def _ids(relation: Relation) -> set[int]:
    return {id(t) for t in relation.of.tracks}


def _fits_better(one: Relation, other: Relation) -> bool:
    """Whether another track in the place of one of the same kind holds in more rows: of two means the one."""
    shared = _ids(one) & _ids(other)
    apart = [[t.kind for t in r.of.tracks if id(t) not in shared] for r in (one, other)]
    return len(one.held) > len(other.held) and apart[0] == apart[1] and len(apart[0]) == 1


def _expected(tracks: tuple[Track, ...], signs: tuple[int, ...]) -> Hypothesis | None:
    """What units allow: 1 and mixtures of 1000 and 1024, of bare numbers 1, of some pairs any."""
    kinds = [t.kind for t in tracks]
    several = len(set(kinds)) > 1
    if not set(kinds) <= set(_POWERS) or (len(tracks) > 2 and not several and "" not in kinds):
        return Hypothesis(tracks, signs, (), _FREE) if len(tracks) == 2 else None
    powers = [[s * p for p in _POWERS[kind]] for s, kind in zip(signs, kinds, strict=True)]
    balanced, bare = not any(map(sum, zip(*powers, strict=True))), [t for t in tracks if not t.kind]
    # 4 buffers of 256 MiB are 1 GiB
    whole = all(s.exact.denominator == 1 for t in bare for s in t.known)
    counts = len(bare) == 1 and whole and kinds.count(SIZE) == 2
    units = len({t.unit for t in tracks}) == len(tracks)
    # of the least and the most of something each has its own
    ranks = [t.label.rank[0] for t in tracks if t.label.rank]
    other = bool(set(ranks) - {MEAN})
    if balanced and (counts or (units and not bare)):
        constants = _MIXED if {RATE, SIZE} & set(kinds) else (0.0,)
        things = {tuple(w for w in t.label.words if not unit_of(w)) for t in tracks}
        told = _ONE_THING if len(things) == 1 and not several else _TOLD
        told = _MEANS if set(kinds) == {OPS, TIME} else told
        # of rates and times of something the least has its own
        apart = other and TIME in kinds and several
        return None if apart else Hypothesis(tracks, signs, constants, told)
    if len(tracks) == 2:
        return _of_two(tracks, signs)
    # what is not a unit of ours may be any: "Gflops", "W" and "Gflops/W"
    if not bare or len(ranks) > 1 or other:
        return None
    turned = not balanced and (len(tracks) > 3 or TIME in kinds)
    measured = sum(
        any(map(_is_measured, row)) for row in zip(*(t.slots for t in tracks), strict=True)
    )
    return Hypothesis(
        tracks, signs, _TURNS if turned else (0.0,), _SET if measured < _LEAST_ROWS else _SHOWN
    )


def _is_measured(slot: Slot | None) -> bool:
    """Whether a number is none that is set, as 16, 500 and 4096 are."""
    value = slot.quantity.value if slot else Fraction()
    long = len(str(value).strip("0-")) > 2 and value.numerator.bit_count() > 1
    return value.denominator > 1 or long


def _of_two(tracks: tuple[Track, ...], signs: tuple[int, ...]) -> Hypothesis:
    kinds = frozenset(t.kind for t in tracks)
    if kinds == {OPS, RATE} and signs == (1, -1) and not _differ(tracks):
        # the size of a request is a power of two
        sign = 1 if tracks[0].kind == RATE else -1
        return Hypothesis(tracks, signs, tuple(sign * size for size in _REQUESTS), _SIZED)
    counts = [set(t.label.words) for t in tracks if not t.kind]
    if kinds == {"", TIME} and signs == (1, 1) and any(_SPEEDS & words for words in counts):
        return Hypothesis(tracks, signs, (0.0,), _SHOWN)
    counted = all(_COUNTED & {w.rstrip("s") for w in words} for words in counts)
    whole = _WHOLES.get(kinds) == signs and counted
    return Hypothesis(tracks, signs, (), _WHOLE if whole else _FREE)


def _differ(tracks: Sequence[Track]) -> bool:
    """Whether labels name two things beside what they measure."""
    one, two = (set(t.label.words) - _MEASURES for t in tracks)
    return bool(one and two and one != two)
