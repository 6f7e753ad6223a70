"""Reads sentences about two curves back: by how much, in which direction, how sure, and of whom."""

from __future__ import annotations

import itertools
import re

from claims import reader, truth
from claims.reader import (
    IOPS,
    LATENCY,
    LOAD,
    NUMBER,
    TIME,
    Stated,
    agrees,
    asked,
    at,
    demand,
    number,
    sentence,
)

PERCENT = rf"(?:less than {NUMBER}%|{NUMBER}%)"
VALUE = rf"(?:at least )?(?:{IOPS}|{TIME})(?: at {LOAD})?"
LEAD = rf"(?:At (?:{IOPS}|{LATENCY}|{LOAD})|Within {LATENCY}|At their highest measured IOPS)"
CHANGE = (
    rf"(?:served (?P<b1>at least |at most )?(?P<size1>{PERCENT}) (?P<dir1>more|fewer) IOPS than"
    rf"|had (?:a|an) (?P<size2>{PERCENT}) (?P<dir2>higher|lower) mean latency than"
    rf"|served (?P<b2>at least |at most )?(?P<times1>{NUMBER}) times the IOPS of"
    rf"|had (?P<times2>{NUMBER}) times the mean latency of"
    rf"|served (?P<b3>at least |at most )?(?P<share1>{NUMBER}%) of the IOPS of"
    rf"|had (?P<share2>{NUMBER}%) of the mean latency of)"
)
WHO = reader.WHO


def _side(known, lead, noun, who):
    """What a curve gives there: (value, load point or None, whether it is a bound)."""
    curve = known.curve(who)
    if lead.startswith("At their highest"):
        best = max((p for p in curve if p.iops), key=lambda p: p.iops, default=None)
        demand(best, "no IOPS")
        return best.iops, best, curve[-1].iops == best.iops or any(p.iops is None for p in curve)
    if lead.startswith("Within"):
        limit = asked(lead.removeprefix("Within "), known.limits)
        best = truth.best_within([p for p in curve if p.iops], limit)
        demand(best, "none is within")
        return best.iops, best, None
    place = lead.removeprefix("At ")
    if re.fullmatch(LOAD, place):
        point = at(curve, place)
        return (point.iops if noun == "IOPS" else point.lat), None, False
    given, value = ("lat", asked(place, known.limits)) if "latency" in place else (
        "iops", asked(place, known.rates))  # fmt: skip
    wanted = "iops" if given == "lat" else "lat"
    demand(noun == {"iops": "IOPS", "lat": "mean latency"}[wanted], "of another kind")
    sound = [p for p in curve if getattr(p, given) is not None]
    there = [p for p in sound if truth.same(getattr(p, given), value)]
    pairs = [pair for pair in itertools.pairwise(sound)
             if min(getattr(p, given) for p in pair) < value < max(getattr(p, given) for p in pair)
             and not any(p in there for p in pair)]  # fmt: skip
    demand(len(pairs) + len(there) == 1, f"{len(pairs) + len(there)} values")
    points = there or pairs[0]
    demand(all(getattr(p, wanted) is not None for p in points), "a value is missing")
    if there:
        return getattr(there[0], wanted), None, False
    return truth.crossings(pairs[0], given, value, wanted)[0], None, False


def _read_value(text, true, point, bound):
    match = re.fullmatch(rf"(at least )?({IOPS}|{TIME})(?: at ({LOAD}))?", text)
    demand(match, f"no value: {text}")
    assert match
    agrees(match[2], true, "its value")
    demand((match[3] is not None) == (point is not None), "its load")
    if bound is not None:
        demand((match[1] is not None) == bool(bound), "whether it is a bound")


def _size(text: str) -> Stated:
    digits = re.search(NUMBER, text)
    assert digits
    shown = number(digits[0])
    plain = digits[0].replace(",", "")
    decimals = len(plain.partition(".")[2])
    return Stated(shown.value / 100, 10.0**-decimals / 200)


def _ratio_agrees(ratio, size, direction, times, share):
    if times:
        digits = times.replace(",", "")
        unit = 10.0 ** -len(digits.partition(".")[2]) if "." in digits else (
            10.0 ** max(0, len(digits) - 2))  # fmt: skip
        demand(
            ratio >= 2 and abs(float(digits) - ratio) <= unit / 2 * (1 + 1e-9),
            f"it is {ratio} times",
        )
    elif share:
        shown = _size(share)
        digits = share.rstrip("%").replace(",", "")
        demand(ratio <= 0.1, "a share is of a tenth or less")
        demand(
            abs(shown.value - ratio) <= shown.half * (1 + 1e-9), f"it is {ratio:.3%} of {digits}"
        )
    else:
        demand(0.1 < ratio < 2, "it is not a change in percent")
        demand((direction in {"more", "higher"}) == (ratio > 1), "the other way")
        change = abs(ratio - 1)
        if size.startswith("less than"):
            demand(change < 0.001 and _size(size).value == 0.001, f"it is {change}")
        else:
            demand(_size(size).is_(change), f"it is {change:.4%}")


@sentence(
    rf"(?P<lead>{LEAD}), (?P<far>as far as measured, )?<WHO:who> {CHANGE} <WHO:other> "
    rf"\((?P<v>{VALUE}) against (?P<w>{VALUE}); (?P<sure>[^()]+(?:\([^()]*\))?[^()]*)\)\."
)
def _change(known, lead, far, who, other, v, w, sure, size1, dir1, size2, dir2, times1, times2,
            share1, share2, b1, b2, b3):  # fmt: skip
    demand(who != other, "one system alone")
    noun = "IOPS" if size1 or times1 or share1 else "mean latency"
    mine, point, least = _side(known, lead, noun, who)
    theirs, point2, least2 = _side(known, lead, noun, other)
    _read_value(v, mine, point, least)
    _read_value(w, theirs, point2, least2)
    for text, p in ((v, point), (w, point2)):
        match = re.search(rf" at ({LOAD})$", text)
        if match:
            demand(p is not None and at([p], match[1]).iops == p.iops, "another load")
    ratio = mine / theirs
    _ratio_agrees(ratio, size1 or size2, dir1 or dir2, times1 or times2, share1 or share2)
    bounds = ("at least " in v, "at least " in w)
    demand(bool(far) == (lead.startswith("Within") and all(bounds)), "as far as measured")
    bound = b1 or b2 or b3
    if bound:
        grows = not (size1 and ratio < 1)
        words = {(True, False): ("at least ", "at most "), (False, True): ("at most ", "at least ")}
        demand(bounds in words and bound == words[bounds][0 if grows else 1], "the bound")
    else:
        demand(bounds[0] == bounds[1], "a bound is left out")
    _sure(known, who, other, ratio, sure)


@sentence(
    rf"(?P<lead>{LEAD}), (?P<far>as far as measured, )?<WHO:who> and <WHO:other> are equal in "
    rf"(?P<noun>IOPS|mean latency) \((?P<v>{VALUE}) against (?P<w>{VALUE}); (?P<sure>[^()]+)\)\."
)
def _equal(known, lead, far, who, other, noun, v, w, sure):
    demand(who != other, "one system alone")
    mine, theirs = (_side(known, lead, noun, name) for name in (who, other))
    demand(mine[0] == theirs[0], "they differ")
    _read_value(v, *mine)
    _read_value(w, *theirs)
    bounds = "at least " in v and "at least " in w
    demand(bool(far) == (lead.startswith("Within") and bounds), "as far as measured")
    _sure(known, who, other, 1.0, sure)


_REPEATS = rf"(?P<only>only )?(?P<n>\d+) repeats(?: each| of (?P<s>{WHO}) and (?P<only2>only )?(?P<m>\d+) of (?P<a>{WHO}))"


def _sure(known, who, other, ratio, text):
    counts = [{p.repeats for p in known.curve(name)} for name in (who, other)]
    match = re.fullmatch(
        rf"95% interval (?P<ends>.+), over {_REPEATS}(?P<none>; no difference is shown)?", text
    )
    if not match:
        _unsure(known, who, other, counts, text)
        return
    n, m = int(match["n"]), int(match["m"] or match["n"])
    demand([{n}, {m}] == counts, f"the repeats are {counts}")
    demand(match["m"] is None or (match["s"], match["a"]) == (who, other), "of whom")
    demand((match["only"] is not None) == (n == 2), "only two are few")
    low, high = _ends(match["ends"], ratio)
    found = [(a, b) for a, b in known.intervals if low.is_(a) and high.is_(b)]
    demand(found, "no such interval")
    demand((match["none"] is not None) == any(a <= 1 <= b for a, b in found), "a difference")


def _ends(text, ratio):
    """The ends of the interval as ratios, in the form of the change."""
    match = re.fullmatch(rf"({NUMBER}) to ({NUMBER}) times", text)
    if match:
        demand(ratio >= 2, "multiples")
        return tuple(_two_digits(match[n]) for n in (1, 2))
    match = re.fullmatch(rf"({NUMBER}%) to ({NUMBER}%)", text)
    if match:
        demand(ratio <= 0.1, "shares")
        found = [_two_digits(match[n].rstrip("%")) for n in (1, 2)]
        return tuple(Stated(item.value / 100, item.half / 100) for item in found)
    word = "more|fewer|less|higher|lower"
    match = re.fullmatch(rf"({PERCENT})(?: ({word}))? to ({PERCENT}) ({word})", text)
    demand(match, f"no interval: {text}")
    assert match
    up = {"more": 1, "higher": 1}
    first = _signed(match[1], up.get(match[2] or match[4], -1))
    second = _signed(match[3], up.get(match[4], -1))
    demand(match[2] is None or match[2] != match[4], "a word too many")
    one, two = sorted((first, second), key=lambda item: item.value)
    if match[2] is None:  # the smaller change is said first
        demand(abs(first.value - 1) <= abs(second.value - 1) + 1e-12, "the order of the ends")
    else:
        demand(first.value <= second.value, "the order of the ends")
    return one, two


def _signed(text, sign):
    shown = _size(text)
    half = 0.001 if text.startswith("less than") else shown.half
    return Stated(1 + sign * (0 if text.startswith("less than") else shown.value), half)


def _two_digits(text):
    digits = text.replace(",", "")
    unit = (
        10.0 ** -len(digits.partition(".")[2]) if "." in digits else 10.0 ** max(0, len(digits) - 2)
    )
    return Stated(float(digits), unit / 2)


_WHY = {
    r"(?:{who}) was measured once": lambda counts, _: {1} in counts,
    r"(?:{who}) and (?:{who}) were each measured once": lambda counts, _: counts == [{1}, {1}],
    r"the repeats of (?:{who})(?: and (?:{who}))? do not differ": lambda counts, _: (
        {1} not in counts or len(counts) > 1
    ),
    r"not every repeat of (?:{who})(?: and (?:{who}))? gives an answer": lambda _c, _k: True,
    r"a repeat of (?:{who})(?: and (?:{who}))? has the value zero": lambda _c, known: any(
        p.iops == 0 for p in known.points
    ),
    r"the repeats of (?:{who})(?: and (?:{who}))? differ too much for one": lambda _c, _k: True,
}


def _unsure(known, who, other, counts, text):
    demand(text.endswith(", so there is no interval"), f"how sure: {text}")
    for part in text.removesuffix(", so there is no interval").split("; "):
        held = [rule for words, rule in _WHY.items() if re.fullmatch(words.format(who=WHO), part)]
        demand(held and held[0](counts, known), f"no reason: {part}")
        names = re.findall(WHO, part)
        demand(len(set(names)) == len(names), "the same one twice")
        for name in names:
            demand(name in {who, other}, "of whom")
            if "once" in part:
                demand({p.repeats for p in known.curve(name)} == {1}, f"{name} has repeats")
            elif "do not differ" in part:
                demand({p.repeats for p in known.curve(name)} != {1}, f"{name} has one repeat")


@sentence(r"<WHO:who> is not compared with <WHO:other>(?:: (?P<why>.+))?\.")
def _not_compared(known, who, other, why):
    demand(who != other, "one system alone")
    known.curve(who), known.curve(other)
    demand(why is None or not re.search(r"\d", why), f"a number in {why}")
