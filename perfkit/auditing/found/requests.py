"""Operations a second, their throughput and latency: tied by the size of a request and how many wait.

Throughput is operations by their size; how many wait is operations by their mean latency (Little's
law). Size and depth are those that a text, the name of a row or a caption states; what nobody
states must be that of other pairs of the document, too.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.quantities import OPS, RATE, SIZE, TIME, quantities
from perfkit.auditing.found.relate import Check, check_of, tried
from perfkit.auditing.found.words import MEAN, NUMBERING
from perfkit.auditing.relations.run import FAILS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

FAMILY = "requests by their size"
_SIZES = tuple(2.0**n for n in range(9, 25))
_MOST, _MANY = math.log(20), 16
_LISTED = re.compile(
    r"\s*(?:,|;|/|\||@|\u00b7|[-\u2013\u2014]|and|at|with|\()?\s*"
    r"(?:(?!(?:min|max|p\d|\d|than|from|to)\b)[^\W\d]+[:=]?\s){0,3}[~\u2248]?\s?"
)
"""What may stand between two numbers of one run: "98,000 IOPS with a latency of 0.33 ms"."""
_BLOCK = re.compile(r"(?<![\w.])(\d{1,4})\s?(k|m)i?b?(?![\w/])", re.I)
_DEPTH = re.compile(
    r"(?:\b|(?<=\d))(?:qd|q|i/?o ?depth|(?:queue )?depth)\s?(?:of |= ?|: ?)?(\d{1,4})\b"
    r"|\b(\d{1,4})[ -](?:queue |io)?depth\b",
    re.I,
)
_JOBS = re.compile(
    r"\b(?:numjobs|jobs|threads|t)\s?(?:of |= ?|: ?)?(\d{1,3})(?=\b|q)|\b(\d{1,3}) (?:jobs|threads)\b",
    re.I,
)
_SET = NUMBERING | word_set(
    "block size blocksize iosize bs pattern workload test type mode name case item"
)
_MIXED = re.compile(r"\b(?:rand)?rw\b|mixed|\bmix\b|\d\d[/:]\d\d", re.I)
_OTHER_SIZES = word_set("file object objects data dataset volume drive capacity memory ram cache")
_OTHER_TIMES = word_set("slat submission runtime run elapsed duration stdev")


@dataclass(frozen=True)
class _Law:
    """What ties two kinds of quantity, and how far measured ones may be off (as logarithms)."""

    name: str
    power: int
    near: float
    far: float


_LAWS = {
    (OPS, RATE): _Law("Requests a second by their size", 1, 0.03, 0.05),
    (OPS, TIME): _Law("Requests a second by how many wait", -1, 0.05, 0.2),
    (RATE, TIME): _Law("Throughput by how much waits", -1, 0.05, 0.2),
}


@dataclass(frozen=True)
class _Tie:
    """Two numbers that belong together, and the constants that may tie them; stated or any."""

    one: Slot
    other: Slot
    constants: Sequence[float]
    stated: bool

    @property
    def law(self) -> _Law:
        return _LAWS[self.one.kind, self.other.kind]

    @property
    def constant(self) -> float:
        """What the two numbers make."""
        return self.other.value / self.one.value**self.law.power

    def nearest(self, by: int = 1) -> float:
        """The likeliest constant, as one of so many devices."""
        return by * min(self.constants, key=lambda c: abs(math.log(self.constant / c / by)))

    def off(self, constant: float) -> float:
        """How far the numbers are from a constant, beyond their rounding."""
        rounding = sum(slot.half / slot.value for slot in (self.one, self.other))
        return abs(math.log(self.constant / constant)) - rounding


def requests(page: Page) -> Iterator[Check]:
    """What stands side by side in a sentence, a cell or a row."""
    said: dict[_Law, list[_Tie]] = defaultdict(list)
    for item in page.texts:
        for tie in _beside(item):
            said[tie.law].append(tie)
    for ties in said.values():
        yield from _of_text(ties)
    for sheet in page.sheets:
        pairs: dict[tuple[int | None, int | None], list[_Tie]] = defaultdict(list)
        for tie in (tie for row in range(len(sheet.texts)) for tie in _of_row(sheet, row)):
            pairs[tie.one.column, tie.other.column].append(tie)
        many = {places: _devices(ties) for places, ties in pairs.items()}
        failed = Counter(
            tie.one.row
            for places, ties in pairs.items()
            for tie in ties
            if tie.off(tie.nearest(many[places])) > tie.law.far
        )
        for places, ties in pairs.items():
            # a row that fails in several columns was run otherwise
            yield from _of_columns([t for t in ties if failed[t.one.row] < 2], many[places])


def _beside(item: Said) -> Iterator[_Tie]:
    """Neighbours in a text: 21500 IOPS (84 MiB/s)."""
    for one, two in pairwise(item.slots):
        between = item.text[one.quantity.end : two.quantity.start]
        pair = (one, two) if one.kind == OPS else (two, one)
        if (
            pair[0].kind != OPS
            or (OPS, pair[1].kind) not in _LAWS
            or not _LISTED.fullmatch(between)
        ):
            continue
        if (
            one.value <= 0
            or two.value <= 0
            or {one.quantity.bound, two.quantity.bound} - {"", "~", "\u2248"}
        ):
            continue
        near = f"{item.section} {item.text}" if item.kind == "cell" else item.text
        rate = pair[1].kind == RATE
        stated = _sizes(near) if rate else _depths(f"{item.section} {item.text}")
        free = _SIZES if rate else tuple(2.0**n for n in range(11))
        yield _Tie(*pair, stated or free, bool(stated))


def _of_text(ties: Sequence[_Tie]) -> Iterator[Check]:
    law = ties[0].law
    known = [(tie, tie.nearest()) for tie in ties]
    held = [constant for tie, constant in known if tie.off(constant) <= law.near]
    usual, many = Counter(held).most_common(1)[0] if held else (0.0, 0)
    for tie, own in known:
        # how many wait is that of most others, where it is not a power of two of its own
        odd = law.power < 0 and not tie.stated and tie.off(own) > law.near
        constant = usual if odd and 2 * many > len(known) else own
        same = held.count(constant) if law.power < 0 else len(held)
        sure = tie.stated or (same > 1 and 2 * same > len(known))
        if sure or law.power > 0:
            yield from _check(tie, constant, sure=sure)


def _of_row(sheet: Sheet, row: int) -> Iterator[_Tie]:
    """The throughput of a row and the mean latency behind it, where depth and size are stated."""
    cells = zip(sheet.heads, sheet.labels, sheet.texts[row], strict=True)
    stated = " ".join(
        f"{head} {text}"
        for head, label, text in cells
        if not _OTHER_SIZES & set(label.words)
        and (set(label.words) & _SET or head == sheet.heads[0])
    )
    around = f"{sheet.title} {sheet.section}"
    depths, sizes = _depths(stated) or _depths(around), _sizes(stated) or _sizes(around)
    if _MIXED.search(stated) or len(set(sizes)) > 1:
        return
    for one, other in _of_side(sheet, row):
        loads = [depth * size for depth in depths for size in sizes[:1]]
        constants = {(OPS, RATE): sizes, (OPS, TIME): depths}.get((one.kind, other.kind), loads)
        if constants:
            yield _Tie(one, other, constants, stated=True)


def _of_side(sheet: Sheet, row: int) -> Iterator[tuple[Slot, Slot]]:
    """Neighbours of a row that belong together: a rate with its throughput, and its mean latency."""
    before: tuple[Slot, set[str]] | None = None
    for column, label in enumerate(sheet.labels[1:], 1):
        slot, sides = sheet.at(row, column), {"read", "write"} & set(label.words)
        mean = label.rank is None or label.rank[0] == MEAN
        if slot is None or slot.value <= 0 or not mean or _OTHER_TIMES & set(label.words):
            continue
        if before and (not (sides and before[1]) or sides == before[1]):
            pairs = [(before[0], slot), (slot, before[0])]
            yield from (pair for pair in pairs if (pair[0].kind, pair[1].kind) in _LAWS)
        if slot.kind in {OPS, RATE}:
            before = slot, sides


def _devices(ties: Sequence[_Tie]) -> int:
    """For how many devices most rows hold: what is stated of one may have been run on several."""

    def held(many: int) -> int:
        return sum(tie.off(tie.nearest(many)) <= tie.law.near for tie in ties)

    return max(range(1, _MANY + 1 if ties[0].other.kind == TIME else 2), key=held)


def _of_columns(ties: Sequence[_Tie], many: int) -> Iterator[Check]:
    """Rows that all agree but for few."""
    held = sum(tie.off(tie.nearest(many)) <= tie.law.near for tie in ties)
    if held > 1 and len(ties) - held <= held // 2:
        for tie in ties:
            # a size is exact: what is near it alone clears no number
            near = tie.law.power > 0 and 0 < tie.off(tie.nearest(many)) <= tie.law.near
            yield from () if near else _check(tie, tie.nearest(many), sure=True)


def _check(tie: _Tie, constant: float, *, sure: bool) -> Iterator[Check]:
    law, off = tie.law, tie.off(constant)
    wrong = off > law.far and sure
    if off > _MOST or (off > law.near and not wrong):
        return
    exact = Fraction(constant)
    trial = tried(tie.other, (tie.one,), lambda value: exact * value**law.power)
    if trial:
        trial = replace(trial, outcome=FAILS if wrong else ROUNDING)
        of = (
            f"{constant:g}" if tie.one.kind == OPS and law.power < 0 else f"{constant / 1024:g} KiB"
        )
        rule = f"{tie.one.text} \u00d7 {of}" if law.power > 0 else f"{of} \u00f7 {tie.one.text}"
        doubt = law.power < 0 or not tie.stated
        yield check_of(trial, FAMILY, "product", law.name, rule, doubt=doubt)


def _sizes(text: str) -> list[float]:
    """The sizes of a request that a text names."""
    found = [float(n) * 1024 ** (1 + (p in "mM")) for n, p in _BLOCK.findall(text)]
    found += [float(q.value * q.unit.factor) for q in quantities(text) if q.kind == SIZE and q.unit]
    return [size for size in found if any(abs(size / s - 1) < 0.03 for s in _SIZES)]


def _depths(text: str) -> list[float]:
    """How many requests wait, as a text states it: T1Q32, a queue depth of 32."""
    depths, jobs = ({float(a or b) for a, b in p.findall(text)} for p in (_DEPTH, _JOBS))
    one = len(depths) == 1 and len(jobs) <= 1
    return [d * j for d in depths for j in jobs or {1.0} if d * j] if one else []
