"""Arithmetic within a sentence or a cell: changes, products and totals of numbers that stand together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perfkit.auditing.found.page import COUNT, counted
from perfkit.auditing.found.quantities import FACTOR, OPS, RATE, SHARE, SIZE, TIME, quantities
from perfkit.auditing.found.relate import (
    Check,
    Trial,
    added,
    best_of,
    check_of,
    claim_scale,
    is_slip,
    same,
    tried,
)
from perfkit.auditing.relations.run import FAILS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Slot

CHANGES, TWICE, PRODUCTS, LISTS = (
    "percent and factors in sentences", "one value in two units", "products in sentences",
    "parts in a list",
)  # fmt: skip
_STEP = Fraction(1024, 1000)
_FAR, _MOST = 4, 20


def sentences(page: Page) -> Iterator[Check]:
    """All arithmetic within sentences and cells."""
    for item in page.prose:
        if item.quantities:
            yield from _changes(item)
            yield from _lists(item)
    for item in page.texts:
        yield from _equations(item)
        yield from _shares(item)
        yield from _speeds(item)
        yield from _totals(item)
    beside = [
        (item, one, two)
        for item in page.texts
        for one, two in pairwise(item.slots)
        if one.unit and two.unit and not one.quantity.bound and not two.quantity.bound
    ]
    yield from _two_units(beside)
    for item in page.texts:
        yield from _unnamed_unit(item)


_UP = re.compile(
    r"\b(higher|more|increas\w+|faster|greater|improv\w+|gain\w*|better|larger|rose|rises?|risen|grew"
    r"|grows?|growth|longer|slower|raise[ds]?|up by|speed-?up|boost\w*|worse)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(lower|less|fewer|reduc\w+|decreas\w+|drop\w*|fell|falls?|shorter|smaller|sav\w+|cut|declin\w+)\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:compared (?:to|with)|versus|vs\.?|against|than|instead of|(?:down|up) from|to|while|and)\b"
    r"|\u2192|->|=>",
    re.I,
)
_ARROW = re.compile(r"\s*(?:to|\u2192|->|=>)\s*")
_FROM = re.compile(r"\bfrom\s+(?:about |around |approximately )?$", re.I)
_NOT_A_CHANGE = re.compile(
    r"^\s*(?:of\b|read|write|select|update|random|sequential|/|:|utili|busy|idle|full|cache|hit|"
    r"overhead|percentile|confidence)",
    re.I,
)
_STOP = re.compile(r"[.;,]|\b(?:from|with|over|at|on|for|than|while|under|when)\b")
_REACH, _UNIT_WORDS = 14, 5
_WAYS = {
    SHARE: (lambda high, low: (high / low - 1) * 100, lambda high, low: (1 - low / high) * 100,
            lambda high, low: high / low * 100),
    FACTOR: (lambda high, low: high / low, lambda high, low: high / low - 1),
}  # fmt: skip


def _changes(sentence: Said) -> Iterator[Check]:
    """A change in percent, or a factor, beside the two numbers it is of."""
    for claim in sentence.slots:
        number = claim.quantity
        if claim.kind not in _WAYS or number.bound not in {"", "~", "\u2248"} or not number.value:
            continue
        way = direction(sentence.text, claim)
        if way is None and sentence.text[: number.start].endswith("("):
            way = number.value > 0
        if way is None or _NOT_A_CHANGE.match(sentence.text[number.end :]):
            continue
        if pair := _pair(sentence, claim):
            yield from _judged(claim, *pair, rise=way)


def direction(text: str, claim: Slot) -> bool | None:
    """Whether a change says more (True) or less (False): by the nearest word; None: neither."""
    before = re.split(r"[;,](?=\s)", text[: claim.quantity.start])[-1].split()[-8:]
    behind = re.split(r"[;,](?=\s)", text[claim.quantity.end :])[0].split()[:5]
    ahead, back = " ".join(behind), " ".join(before)
    signs = ((True, _UP), (False, _DOWN))
    found = [(m.start(), up) for up, p in signs for m in p.finditer(ahead)]
    found += [(len(back) - m.end(), up) for up, p in signs for m in p.finditer(back)]
    return min(found)[1] if found else None


def _kinds(text: str) -> set[str]:
    """What kinds of quantity a text speaks of."""
    named = {
        TIME: r"latenc|response time|run ?time|elapsed|duration",
        OPS: r"iops|qps|tps|throughput",
        RATE: r"throughput|bandwidth",
    }
    return {kind for kind, words in named.items() if re.search(words, text, re.I)}


def _pair(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The only two of one unit that a sentence sets against each other."""
    text, at = sentence.text, claim.quantity
    if text[: at.start].endswith("("):
        return _right_before(sentence, claim)
    items = [
        s for s in _with_units(sentence) if s.key != claim.key and s.quantity.bound != "\u00b1"
    ]
    behind = _STOP.split(text[at.end :])[0][:40]
    kinds = _kinds(behind) or _kinds(text[max(at.start - 60, 0) : at.start])
    for kind in dict.fromkeys(s.kind for s in items):
        pair = [s for s in items if s.kind == kind]
        if kind in {"", SHARE, FACTOR, SIZE} or len(pair) != 2 or (kinds and kind not in kinds):
            continue
        start, end = pair[0].quantity.end, pair[1].quantity.start
        between = text[start:end]
        if start <= at.start < end:
            between = between[: at.start - start] + between[at.end - start :]
        if _AGAINST.search(between) and len(between.split()) <= _REACH and "." not in between:
            return pair[0], pair[1]
    return None


def _right_before(sentence: Said, claim: Slot) -> tuple[Slot, Slot] | None:
    """The two before a change in brackets, of whatever unit: from 26.5 to 42.9 audio-s/s (+61.5%)."""
    text = sentence.text
    before = [s for s in sentence.slots if s.quantity.end <= claim.quantity.start][-2:]
    if len(before) < 2 or text.count("(", before[-1].quantity.end, claim.quantity.start) > 1:
        return None
    one, two = before
    between = text[one.quantity.end : two.quantity.start]
    alike = one.kind == two.kind or not one.kind
    if not alike or one.kind in {SHARE, FACTOR} or not _AGAINST.search(between):
        return None
    behind = text[two.quantity.end : claim.quantity.start]
    # a bare number further off counts something else: "step 1: ... -> 4.5 MB"
    reach = _REACH if one.unit or not two.unit else 1
    near = len(between.split()) <= reach and len(behind.split()) <= _UNIT_WORDS
    return (replace(one, unit=two.unit), two) if near else None


def _with_units(sentence: Said) -> list[Slot]:
    """The numbers, where "from 120,000 to 200,000 IOPS" gives both the second's unit."""
    items = list(sentence.slots)
    for at, (first, second) in enumerate(pairwise(items)):
        scaled = re.search(r"\d\s?[kKM]|thousand|million", second.text)
        if first.unit or second.kind in {"", SHARE, FACTOR, SIZE} or scaled:
            continue
        between = sentence.text[first.quantity.end : second.quantity.start]
        if _ARROW.fullmatch(between) and _FROM.search(sentence.text[: first.quantity.start]):
            items[at] = replace(first, unit=second.unit)
    return items


def _judged(claim: Slot, one: Slot, two: Slot, *, rise: bool) -> Iterator[Check]:
    """Held where any way of reading the change gives it; else against the likeliest."""
    low, high = sorted((one, two), key=lambda slot: slot.value)
    if low.value <= 0 or low.value == high.value:
        return
    ways, rises = _WAYS[claim.kind], rise or one.value > two.value
    ordered = ways if claim.kind == FACTOR or rises else (ways[1], ways[0], *ways[2:])
    size = replace(claim, quantity=replace(claim.quantity, value=abs(claim.quantity.value)))
    trial = best_of(size, [((high, low), way) for way in ordered])
    if trial is None or (trial.outcome == FAILS and not _similar(trial, _FAR)):
        return  # of something else
    base = high if trial.formula is ways[1] else low
    rule = (
        f"{high.text} \u00f7 {low.text}"
        if claim.kind == FACTOR
        else (f"({high.text} \u2212 {low.text}) \u00f7 {base.text}")
    )
    kind = "ratio" if claim.kind == FACTOR else "percent_change"
    yield check_of(trial, CHANGES, kind, "Change between two numbers beside it", rule)


def _similar(trial: Trial, most: float) -> bool:
    """Whether two numbers can be meant to be one: neither is so many times the other."""
    value = trial.formula(*(slot.value for slot in trial.inputs))
    return bool(value) and 1 / most < abs(trial.claim.value / value) < most


_PAIRED = re.compile(
    r"\s*(?:\(|=|\u2248|/|\||,? i\.e\.,?|,? or)\s*(?:or |i\.e\. |about |~|BW[:=] ?)?"
)
_PER = re.compile(r"\s*(?:per|each|an?|for)\b")
_LOOSE, _NEARLY = 0.005, 1.3
Beside = Sequence[tuple["Said", "Slot", "Slot"]]


def _between(item: Said, one: Slot, two: Slot) -> str:
    return item.text[one.quantity.end : two.quantity.start]


def _by_thousands(power: int) -> Any:
    return lambda *values: math.prod(values[1:], start=values[0]) * _STEP**power


def _two_units(beside: Beside) -> Iterator[Check]:
    """One value in two units: 215 MiB/s (226 MB/s), 330 s or 5.5 min."""
    made = [
        (trial, bool(re.search(r"[(=]", between)))
        for item, one, two in beside
        if one.kind == two.kind
        and (one.factor, claim_scale(one)) != (two.factor, claim_scale(two))
        and _PAIRED.fullmatch(between := _between(item, one, two))
        and ("(" not in between or item.text[two.quantity.end :].lstrip()[:1] == ")")
        and not _PER.match(item.text[two.quantity.end :])
        and (trial := tried(two, (one,), same, _LOOSE))
    ]
    strict = sum(trial.held for trial, _ in made) > 1
    for trial, bracketed in made:
        if trial.held or not (_is_mixed(trial) and not strict):
            # "or" may tell another case: there only a slip or what is near is told
            if trial.held or _similar(trial, _MOST if bracketed else _NEARLY) or is_slip(trial):
                yield check_of(trial, TWICE, "stated_twice", "One value in two units")
        else:
            rounded = replace(trial, outcome=ROUNDING)
            yield check_of(rounded, TWICE, "stated_twice", "One value in two units")


def _is_mixed(trial: Trial) -> bool:
    """Whether MB may mean MiB: it then holds by a power of 1.024."""
    powers = range(-3, 4) if trial.claim.kind in {SIZE, RATE} else ()
    ways = (tried(trial.claim, trial.inputs, _by_thousands(n), 2 * _LOOSE) for n in powers)
    return any(way and way.held for way in ways)


_UNNAMED = {
    SIZE: (1, 1024, 1024**2),
    TIME: (Fraction(1, 1000), Fraction(1, 10**6), Fraction(1, 10**9), 1),
}
"""What a number without a unit is counted in, where its value with a unit stands behind it."""
_LEAST_UNNAMED, _AGAIN = 5, 4


def _unnamed_unit(item: Said) -> Iterator[Check]:
    """A bare number, and in brackets its value with a unit: 268435456 (256 MB), 300000 (5 min)."""
    for one, two in pairwise(item.slots):
        whole = (
            not one.unit and one.exact.denominator == 1 and len(str(one.exact)) >= _LEAST_UNNAMED
        )
        closed = item.text[two.quantity.end :].lstrip()[:1] == ")"
        if (
            not whole
            or two.kind not in _UNNAMED
            or not closed
            or not _PAIRED.fullmatch(_between(item, one, two))
        ):
            continue
        ways = [
            ((two,), lambda value, f=factor, n=n: value / f * _STEP**n)
            for factor in _UNNAMED[two.kind]
            for n in (range(5) if two.kind == SIZE else (0,))
        ]
        trials = [trial for inputs, way in ways if (trial := tried(one, inputs, way, _LOOSE))]
        # a round number may count something else: it is told where it is off by a slip alone
        plain = len(str(one.exact).rstrip("0")) >= _AGAIN and _similar(trials[0], _AGAIN)
        meant = (
            [t for t in trials if t.held]
            or [t for t in trials if is_slip(t)]
            or trials[: int(plain)]
        )
        for trial in meant[:1]:
            yield check_of(
                trial, TWICE, "stated_twice", "One value with and without its unit", doubt=True
            )


_OPERAND = (
    r"\$?\d[\d,]*(?:\.\d+)?(?:\s?(?:[kMG]?IOPS|[kKMGT](?:i?B(?:/s|ps)?)?|[kKMGT]?b(?:ps|it/s)|B|[mu\u00b5n]?s|"
    r"min|h|[MG]Hz|k?W)(?![A-Za-wyz]))?(?:\s+(?!x\s)[A-Za-z][A-Za-z-]*){0,3}?"
)
_OPERATOR = r"(?:\s*[x\u00d7*+]\s*|\s+[/\u00f7]\s+)"
_EQUATION = re.compile(
    rf"(?<![\w.,+*/\u00d7(=-])(?<![-+*/\u00d7(=]\s)(?P<left>{_OPERAND}(?:{_OPERATOR}{_OPERAND})+)\s*[=\u2248]\s*~?"
    rf"(?P<right>{_OPERAND}(?:{_OPERATOR}{_OPERAND})*)(?!\s*[-+*/\u00d7]\s*[\d(])"
)
_SIGN = re.compile(r"\s*([x\u00d7*+/\u00f7])\s*(?=\$?\d)")
_DIVIDED = frozenset("/\u00f7")


def _equations(item: Said) -> Iterator[Check]:
    """What a text calculates before the reader's eyes: 5000 x 32 = 160K; 8 GiB * 307 = 2456 GiB."""
    for match in _EQUATION.finditer(item.text if "=" in item.text or "\u2248" in item.text else ""):
        left, signs = _operands(item, match, "left")
        right, others = _operands(item, match, "right")
        operations = {sign in _DIVIDED for sign in (*signs, *others)}
        if not left or not right or ("+" in (*signs, *others) and len({*signs, *others}) > 1):
            continue
        if "+" in others or (others and True in operations):
            continue
        if "+" in signs:
            ways = [(left, added)]
        else:
            powers = [1, *(-1 if sign in _DIVIDED else 1 for sign in signs), *(-1 for _ in others)]
            ways = [((*left, *right[1:]), _product(powers, n)) for n in (0, 1, -1, 2, -2)]
        plain = [replace(slot, unit=None) for slot in right]
        bare = [tuple(replace(slot, unit=None) for slot in inputs) for inputs, _ in ways[:1]]
        trial = best_of(right[0], ways)
        if trial is None or not trial.held:
            alone = tried(plain[0], bare[0], ways[0][1])
            trial = alone if alone and (alone.held or trial is None) else trial
        if trial and (trial.held or _similar(trial, _MOST)):
            rule = " ".join(match["left"].split())
            yield check_of(trial, PRODUCTS, "product", "A calculation in the text", rule)


def _operands(item: Said, match: re.Match[str], side: str) -> tuple[tuple[Slot, ...], list[str]]:
    """The numbers of one side of an equation, with the signs between; none where one is not a quantity."""
    start, text = match.start(side), match[side]
    signs = list(_SIGN.finditer(text))
    edges = [0, *(sign.end() for sign in signs)], [*(sign.start() for sign in signs), len(text)]
    slots = []
    for first, last in zip(*edges, strict=True):
        found = quantities(text[first:last].lstrip("$"))
        if not found:
            return (), []
        shift = start + first + (text[first] == "$")
        slots.append(
            item.slot(replace(found[0], start=found[0].start + shift, end=found[0].end + shift))
        )
    return tuple(slots), [sign[1] for sign in signs]


def _product(powers: Sequence[int], thousands: int) -> Any:
    def formula(*values: Any) -> Any:
        made = [v if power > 0 else 1 / v for v, power in zip(values, powers, strict=True)]
        return math.prod(made[1:], start=made[0]) * _STEP**thousands

    return formula


_SHARED = re.compile(r"\s*(?:out of|of|/)\s*(?:the\s+|all\s+)?")


def _shares(item: Said) -> Iterator[Check]:
    """A share of a count: 24 of 60 (40%)."""
    slots = item.slots
    for one, two, claim in zip(slots, slots[1:], slots[2:], strict=False):
        behind = _between(item, two, claim)
        closed = item.text[claim.quantity.end :].lstrip()[:1] == ")"
        if (
            claim.kind == SHARE
            and not one.unit
            and not two.unit
            and _SHARED.fullmatch(_between(item, one, two))
        ):
            trial = tried(claim, (one, two), lambda a, b: a / b * 100)
            bracket = re.fullmatch(r"\s*(?:\w+\s*){0,3}\(\s*", behind)
            if trial and bracket and closed and one.value <= two.value:
                rule = f"{one.text} of {two.text}"
                yield check_of(trial, CHANGES, "ratio", "A share of a count", rule)


_DURING = re.compile(
    r"(?:\s+[A-Za-z][\w-]*){0,3}?\s*(?:/|\b(?:in|over|within|took|for)\b)\s*(?:about |~)?"
)
_THEN = re.compile(r"\s*(?:\(|=|\u2248|\u2192|->|=>|,? i\.e\.,?|,? or)\s*(?:about |~)?")
_SPEED = {SIZE: RATE, "": OPS}
_MEASURED = 0.02


def _speeds(item: Said) -> Iterator[Check]:
    """So much in some time, and its rate: 10 GB in 20 s (500 MB/s)."""
    slots = item.slots
    for one, two, claim in zip(slots, slots[1:], slots[2:], strict=False):
        if (
            two.kind == TIME
            and claim.kind == _SPEED.get(one.kind)
            and _DURING.fullmatch(_between(item, one, two))
            and _THEN.fullmatch(_between(item, two, claim))
        ):
            powers = (0, 1, -1, 2, -2, 3, -3) if one.kind else (0,)
            trials = [
                trial
                for n in powers
                if (trial := tried(claim, (one, two), _product((1, -1), n), _MEASURED))
            ]
            trial = next((t for t in trials if t.held), trials[0] if trials else None)
            if trial and (trial.held or _similar(trial, _FAR)):
                rule = f"{one.text} \u00f7 {two.text}"
                yield check_of(trial, PRODUCTS, "ratio", "So much in some time, and its rate", rule)


_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?(?:\s?[KMGTP]i?B)?|{COUNT})"
_EACH_TOTAL = re.compile(
    rf"(?<![\w.,-])(?P<many>{_NUMBER})\b(?P<thing>(?:\s*[x\u00d7]\s*|(?:\s+[A-Za-z][\w/-]*){{0,4}}?\s*,?\s+(?:each\s+)?"
    rf"(?:with|of|has|have|having|running|using)\s+(?:each\s+)?))(?P<each>{_NUMBER})\b(?P<rest>[^.;:()\d]{{0,45}}?)"
    rf"(?:\(\s*(?P<total>{_NUMBER})\s+(?:[A-Za-z]+\s+)?(?:in\s+)?total\s*\)|(?:,\s*|\s)(?:for a |in )?"
    rf"total(?:l?ing)?(?:\s+(?:size|capacity|number))?(?:\s+of)?\s+(?P<other>{_NUMBER}))",
    re.I,
)
_YIELDS = re.compile(rf"each (?:yielding|providing|giving|of)\s+(?P<size>{_NUMBER})", re.I)
_OF_EACH = re.compile(r"\beach\b|\bper\b|[x\u00d7]|\bof\s*$", re.I)


def _totals(item: Said) -> Iterator[Check]:
    """So many of so much each, and their total, in one phrase: 8 x 512GB (4TB total)."""
    for match in _EACH_TOTAL.finditer(item.text if "total" in item.text else ""):
        given = _YIELDS.search(match["rest"])
        each = given["size"] if given else match["each"]
        texts = [(match["many"], match.start("many")), (each, match.start("each"))]
        texts.append(
            (
                match["total"] or match["other"],
                match.start("total") if match["total"] else match.start("other"),
            )
        )
        slots = [slot for text, start in texts if (slot := _number(item, text, start))]
        if len(slots) < 3 or not _OF_EACH.search(match["thing"] + match["rest"]):
            continue
        many, size, claim = slots
        if many.kind or size.kind != claim.kind or not many.value > 1 < size.value:
            continue
        powers = (0, 1, -1) if claim.kind else (0,)
        trial = best_of(claim, [((many, size), _product((1, 1), n)) for n in powers])
        if trial and (trial.held or _similar(trial, _MOST)):
            rule = f"{many.text} \u00d7 {size.text}"
            yield check_of(trial, PRODUCTS, "product", "So many of each, and their total", rule)


def _number(item: Said, text: str, start: int) -> Slot | None:
    """A number in words or digits, as one of its text."""
    many = counted(text)
    if many is not None:
        return item.count(many, text, start)
    found = quantities(text)
    return item.slot(replace(found[0], start=start, end=start + len(text))) if found else None


_LIST = re.compile(
    rf"\b(?P<whole>\d{{1,4}}|{COUNT})\s+(?:\w+\s+){{0,4}}?\w+s?\s*(?::|\u2013|\u2014|\(|, of which|, comprising|"
    rf"consisting of)\s*(?P<parts>(?:(?:\d{{1,4}}|{COUNT})\s+[A-Za-z][\w\s/-]*?,\s*)*(?:\d{{1,4}}|{COUNT})\s+"
    rf"[A-Za-z][\w\s/-]*?,?\s+and\s+(?:\d{{1,4}}|{COUNT})\s+[A-Za-z])(?![^.;:)]*,\s*(?:\d|(?:{COUNT})\b))",
    re.I,
)
_PART = re.compile(rf"(?:^|,\s*(?:and\s+)?|\band\s+)(\d{{1,4}}|{COUNT})\b", re.I)


def _lists(sentence: Said) -> Iterator[Check]:
    """A number of things and its parts: 19 tests: 10 of one kind, 2 of another, and 7."""
    for match in _LIST.finditer(sentence.text):
        start = match.start("parts")
        parts = [
            sentence.count(n, m[1], start + m.start())
            for m in _PART.finditer(match["parts"])
            if (n := counted(m[1])) is not None
        ]
        total, made = counted(match["whole"]), sum(part.value for part in parts)
        if total is None or len(parts) < 2 or not 0.5 * total < made < 2 * total:
            continue
        claim = sentence.count(total, match["whole"], match.start("whole"))
        trial = tried(claim, parts, added, cut=False)
        if trial:
            rule = " + ".join(part.text for part in parts)
            yield check_of(trial, LISTS, "sum", "Parts in a list", rule, doubt=True)
