"""Reads sentences about curves back: what they state, held against the load points themselves.

The grammar is that of a person who reads English, written from what the sentences are documented to
be; nothing of what makes them is used. A sentence that cannot be read is not a true one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claims import truth

if TYPE_CHECKING:
    from claims.curves import Point

NUMBER = r"[\d,]+(?:\.\d+)?"
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = rf"{NUMBER} (?:ns|µs|ms|s)"
IOPS = rf"{NUMBER}[KM]? IOPS"
LOAD = rf"(?:iodepth {NUMBER}|{NUMBER} jobs?)"
LATENCY = rf"a mean latency of {TIME}"
Q = rf"(?:{IOPS}|{LATENCY})"
SPAN = (
    rf"(?: \((?:95% interval {NUMBER}[KM]? to {NUMBER}[KM]?, over (?:only )?\d+ repeats"
    r"(?:, for the (?:highest|lowest) of (?:all loads|the loads within))?"
    r"|one repeat, so no interval|no interval: (?:\d+ repeats that do not differ"
    r"|not each of \d+ repeats has an answer|a repeat has the value zero"
    r"|\d+ repeats that differ too much))\))"
)
WHO = r"(?:Ash|Birch|mix)"


class Untrue(Exception):
    """The sentence states what is not so."""


def demand(held: object, words: str) -> None:
    if not held:
        raise Untrue(words)


# --- numbers ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stated:
    """A number as it is printed, in SI base units, and half a unit of its last digit."""

    value: float
    half: float

    def is_(self, true: float) -> bool:
        return abs(self.value - true) <= self.half * (1 + 1e-9) + 1e-12 * abs(true)


def stated(text: str) -> Stated:
    """A number with its unit."""
    match = re.fullmatch(rf"(?:a mean latency of )?({NUMBER})([KM])? ?(IOPS|ns|µs|ms|s|%)?", text)
    demand(match, f"no number: {text}")
    assert match
    digits, scale = match[1], 1.0
    if match[2]:
        scale = {"K": 1e3, "M": 1e6}[match[2]]
    elif match[3] in SECONDS:
        scale = SECONDS[match[3]]
    return number(digits, scale)


def number(digits: str, scale: float = 1.0) -> Stated:
    plain = digits.replace(",", "")
    demand(re.fullmatch(rf"{digits}", f"{_grouped(plain)}"), f"commas in {digits}")
    value = float(plain)
    if "." in plain:
        unit = 10.0 ** -len(plain.partition(".")[2])
    else:
        # three digits count; more where they tell it apart from the value asked at
        shown = len(plain.rstrip("0")) or 1
        unit = 10.0 ** (len(plain) - max(3, shown)) if len(plain) > 2 else 1.0
    return Stated(value * scale, unit / 2 * scale)


def _grouped(plain: str) -> str:
    whole, dot, rest = plain.partition(".")
    return f"{int(whole):,}{dot}{rest}"


# --- what is known ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """The load points, the values asked at, and the intervals that were computed."""

    points: Sequence[Point]
    limits: Sequence[float] = ()
    rates: Sequence[float] = ()
    loads: Sequence[float] = ()
    intervals: Sequence[tuple[float, float]] = ()

    def curve(self, who: str) -> list[truth.Mean]:
        names = sorted({p.system for p in self.points})
        demand(who in names if len(names) > 1 else who == "mix", f"nobody is called {who}")
        found = truth.curve(self.points, who if len(names) > 1 else names[0])
        return [
            truth.Mean(p.load, _near(p.iops, self.rates), _near(p.lat, self.limits), p.repeats)
            for p in found
        ]


def _near(value: float | None, asked: Sequence[float]) -> float | None:
    """A value asked at, where a mean misses it by its rounding."""
    same = [x for x in asked if value is not None and math.isclose(x, value, rel_tol=1e-9)]
    return same[0] if same else value


def at(curve: Sequence[truth.Mean], load: str) -> truth.Mean:
    """The load point that is named."""
    match = re.fullmatch(rf"iodepth ({NUMBER})", load)
    demand(match, f"the load is an iodepth, not {load}")
    assert match
    found = [p for p in curve if p.load == float(match[1].replace(",", ""))]
    demand(found, f"no load point at {load}")
    return found[0]


def asked(text: str, values: Sequence[float]) -> float:
    """The value asked at: exact, and one of those that were asked."""
    value = stated(text).value
    found = [v for v in values if math.isclose(v, value, rel_tol=1e-9)]
    demand(found, f"{text} was not asked")
    return found[0]


def agrees(text: str, true: float | None, what: str) -> None:
    demand(true is not None and stated(text).is_(true), f"{what} is {true}, not {text}")


def interval(
    text: str, value: str, points: Sequence[truth.Mean], known: Known, chosen: str = ""
) -> None:
    """The words in brackets behind a value; ``chosen`` those of the best of several loads."""
    repeats = {p.repeats for p in points}
    if "one repeat" in text:
        demand(repeats == {1}, f"there are {repeats} repeats")
        return
    if text.startswith(" (no interval"):
        counted = re.search(r"(\d+) repeats", text)
        demand(counted is None or {int(counted[1])} == repeats, f"there are {repeats} repeats")
        demand(1 not in repeats, "one repeat is why")
        same = "do not differ" in text
        demand(not same or any(_same(known, p) for p in points), "the repeats differ")
        return
    match = re.fullmatch(
        rf" \(95% interval ({NUMBER})([KM]?) to ({NUMBER})([KM]?), over (only )?(\d+) repeats(.*)\)",
        text,
    )
    demand(match, f"no interval: {text}")
    assert match
    demand({int(match[6])} == repeats, f"there are {repeats} repeats, not {match[6]}")
    demand((match[5] is not None) == (match[6] == "2"), "only two are few")
    demand(match[7] == chosen, f"the interval is not that{match[7]}")
    unit = re.sub(rf"^(a mean latency of )?{NUMBER}", "", value)
    thousands = unit[:1] if unit[:1] in {"K", "M"} else ""
    demand(match[2] == match[4] == thousands, f"the ends are not in {unit}")
    low, high = (stated(match[n] + unit) for n in (1, 3))
    mid = stated(value).value
    demand(0 < low.value <= mid + low.half and mid - high.half <= high.value, "it is outside")
    demand(any(low.is_(a) and high.is_(b) for a, b in known.intervals), "no such interval")


def _same(known: Known, point: truth.Mean) -> bool:
    own = [p for p in known.points if p.load == point.load]
    return any(
        len({p.iops for p in own if p.system == s}) < 2
        or len({p.lat for p in own if p.system == s}) < 2
        for s in {p.system for p in own}
    )


# --- sentences --------------------------------------------------------------------------------

READ: list[tuple[re.Pattern[str], Callable[..., None]]] = []


def sentence(pattern: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    names = {
        "WHO": WHO,
        "Q": Q,
        "SPAN": SPAN,
        "LOAD": LOAD,
        "TIME": TIME,
        "IOPS": IOPS,
        "LAT": LATENCY,
    }

    def fill(match: re.Match[str]) -> str:
        return f"(?P<{match[2]}>{names[match[1]]})"

    made = re.sub(r"<([A-Z]+):(\w+)>", fill, pattern)

    def register(check: Callable[..., None]) -> Callable[..., None]:
        READ.append((re.compile(made), check))
        return check

    return register


def check(text: str, known: Known) -> str | None:
    """What is untrue in a sentence; None for nothing."""
    for pattern, held in READ:
        match = pattern.fullmatch(text)
        if match:
            try:
                held(known, **match.groupdict())
            except Untrue as why:
                return str(why)
            return None
    return "it cannot be read"


def rates(curve: Sequence[truth.Mean]) -> list[float]:
    return [p.iops for p in curve if p.iops]


@sentence(r"<WHO:who> reached a peak of <IOPS:q><SPAN:span> at <LOAD:place>(?:, with <LAT:lat>)?\.")
def _peak(known, who, q, span, place, lat):
    curve = known.curve(who)
    point = at(curve, place)
    demand(point.iops == max(rates(curve), default=None), f"{place} is not the peak")
    demand(all(p.iops is not None for p in curve), "a load point has no IOPS")
    demand(len(curve) > 1 and curve[-1].iops != point.iops, "it may lie higher")
    agrees(q, point.iops, "the peak")
    interval(span, q, [point], known, ", for the highest of all loads")
    same_latency(lat, point)


def same_latency(lat, point):
    demand((lat is None) == (point.lat is None), "its latency")
    if lat is not None:
        agrees(lat, point.lat, "its latency")


@sentence(
    r"<WHO:who> gave at least <IOPS:q><SPAN:span> at <LOAD:place>(?P<n>, the highest load measured|, the only "
    r"load measured)?(?:, with <LAT:lat>)?; its peak may lie higher\."
)
def _peak_bound(known, who, q, span, place, n, lat):
    curve = known.curve(who)
    point = at(curve, place)
    demand(point.iops == max(rates(curve), default=None), f"{place} is not the peak")
    last = curve[-1].iops == point.iops
    note = None if not last else ", the only load measured" if len(curve) == 1 else (
        ", the highest load measured"
    )  # fmt: skip
    demand(n == note, f"it is {note}")
    demand(last or any(p.iops is None for p in curve), "the peak is known")
    agrees(q, point.iops, "the most")
    interval(span, q, [point], known, ", for the highest of all loads")
    same_latency(lat, point)


@sentence(r"<WHO:who> had no peak|The peak of <WHO:w2> is not known: (?P<why>.+)\.")
def _no_peak(known, who, w2, why):
    demand(w2, "no sentence")
    demand(not rates(known.curve(w2)), "IOPS are known")
    demand_reason(why, known.curve(w2))


def demand_reason(why, curve):
    """The reason is one that the load points bear out."""
    if why == "it did no I/O at any load":
        demand(all(p.iops == 0 for p in curve), "it did I/O")
        return
    match = re.fullmatch(
        rf"(IOPS|mean latency|mean latency or IOPS) missing (at|between) ({LOAD}(?:(?:, | and ){LOAD})*)",
        why,
    )
    if match:
        points = [at(curve, place) for place in re.split(r", | and ", match[3])]
        if match[2] == "at":
            demand(all(_lacks(p, match[1]) for p in points), "it is there")
        else:
            inside = [p for p in curve if points[0].load < p.load < points[-1].load]
            demand(any(_lacks(p, match[1]) for p in inside), "it is there")
        return
    match = re.fullmatch(rf"it did no I/O at ({LOAD}(?:, {LOAD})*)", why)
    demand(match, f"no reason: {why}")
    assert match
    demand(all(at(curve, place).iops == 0 for place in match[1].split(", ")), "it did I/O")


def _lacks(point, what):
    return (("IOPS" in what and point.iops is None)
            or ("latency" in what and point.lat is None))  # fmt: skip


@sentence(
    r"Within <LAT:limit>, the most that <WHO:who> gave was <IOPS:q><SPAN:span>, at <LOAD:place>, with <LAT:lat>\."
)
def _most(known, limit, who, q, span, place, lat):
    curve, _point = _within(known, limit, who, q, span, place, lat)
    ceiling = asked(limit, known.limits)
    demand(
        any(p.lat is not None and not truth.keeps(p.lat, ceiling) for p in curve),
        "it may give more",
    )


def _within(known, limit, who, q, span, place, lat):
    curve = known.curve(who)
    best = truth.best_within(curve, asked(limit, known.limits))
    point = at(curve, place)
    demand(best and point.lat is not None and point.iops == best.iops, f"{place} is not the most")
    demand(truth.keeps(point.lat, asked(limit, known.limits)), "it is above the limit")
    agrees(q, point.iops, "the most")
    agrees(lat, point.lat, "its latency")
    interval(span, q, [point], known, ", for the highest of the loads within")
    return curve, point


@sentence(
    r"Within <LAT:limit>, <WHO:who> gave at least <IOPS:q><SPAN:span>, at <LOAD:place>, with <LAT:lat>; it may "
    r"give more(?:: its highest mean latency, <TIME:top>, is within the limit)?\."
)
def _most_bound(known, limit, who, q, span, place, lat, top):
    curve, _ = _within(known, limit, who, q, span, place, lat)
    ceiling = asked(limit, known.limits)
    latencies = [p.lat for p in curve if p.lat is not None]
    if top is None:
        demand(any(p.iops is None or p.lat is None for p in curve), "everything is known")
    else:
        sound = [p.lat for p in curve if p.lat is not None and p.iops]
        agrees(top, max(sound, default=None), "the highest latency")
        demand(all(truth.keeps(x, ceiling) for x in latencies), "it is not within")


@sentence(
    r"<WHO:who> did not stay within <LAT:limit> at any load: its lowest mean latency was <TIME:lat>, "
    r"at <LOAD:place>(?:, with <IOPS:q>)?\."
)
def _never(known, who, limit, lat, place, q):
    curve = known.curve(who)
    ceiling = asked(limit, known.limits)
    latencies = [p.lat for p in curve if p.lat is not None and p.iops]
    demand(all(x > ceiling for x in latencies), "a load point is within")
    demand(stated(lat).value > ceiling, "it says that it is within")
    point = at(curve, place)
    demand(latencies and point.lat == min(latencies), f"{place} is not the lowest")
    agrees(lat, point.lat, "the lowest")
    same_rate(q, point)


def same_rate(q, point):
    demand((q is None) == (point.iops is None), "its IOPS")
    if q is not None:
        agrees(q, point.iops, "its IOPS")


@sentence(r"The most IOPS of <WHO:who> within <LAT:limit> are not known: (?P<why>.+)\.")
def _most_unknown(known, who, limit, why):
    curve = known.curve(who)
    ceiling = asked(limit, known.limits)
    demand(truth.best_within([p for p in curve if p.iops], ceiling) is None, "one is within")
    demand_reason(why, curve)


def _meeting(known, who, wanted):
    """(curve, name given, value asked at, name wanted) of a question at a value."""
    latency = wanted.startswith("a mean latency of")
    curve = known.curve(who)
    return (curve, "lat", asked(wanted, known.limits), "iops") if latency else (
        curve, "iops", asked(wanted, known.rates), "lat")  # fmt: skip


@sentence(
    r"At <Q:g>, the curve of <WHO:who> gives <Q:q><SPAN:span>, interpolated between <LOAD:place> and <LOAD:m>\."
)
def _interpolated(known, g, who, q, span, place, m):
    curve, given, value, wanted = _meeting(known, who, g)
    demand(_kind(q) == wanted, "of another kind")
    one, two = at(curve, place), at(curve, m)
    sound = [p for p in curve if getattr(p, given) is not None]
    demand(one in sound and two in sound, "it lies beside a missing value")
    demand(sound.index(two) == sound.index(one) + 1, "they are not neighbours")
    found = truth.crossings(sound, given, value, given)
    demand(len(found) == 1, f"it is there {len(found)} times")
    demand(all(getattr(p, wanted) is not None for p in (one, two)), "a value is missing")
    true = truth.crossings([one, two], given, value, wanted)
    demand(len(true) == 1, "it lies elsewhere")
    agrees(q, true[0], "the value")
    interval(span, q, [one, two], known)


def _kind(text):
    return "lat" if text.startswith("a mean latency") else "iops"


@sentence(r"At <Q:g>, <WHO:who> (?P<verb>gave|had) <Q:q><SPAN:span>, measured at <LOAD:place>\.")
def _measured(known, g, who, verb, q, span, place):
    curve, given, value, wanted = _meeting(known, who, g)
    demand(_kind(q) == wanted and verb == ("gave" if wanted == "iops" else "had"), "another kind")
    point = at(curve, place)
    demand(truth.same(getattr(point, given), value), "it was not measured there")
    sound = [p for p in curve if getattr(p, given) is not None]
    demand(len(truth.crossings(sound, given, value, given)) == 1, "it is there several times")
    agrees(q, getattr(point, wanted), "the value")
    interval(span, q, [point], known)


@sentence(
    r"The curve of <WHO:who> does not reach <Q:g>: its highest was (?P<top>[^;]+), at <LOAD:place>"
    r"(?:, with <Q:q>)?\."
)
def _not_reached(known, who, g, top, place, q):
    _beside(known, who, g, top, place, q, max)


@sentence(
    r"The curve of <WHO:who> lies above <Q:g> at every load measured: its lowest was (?P<top>[^;]+), "
    r"at <LOAD:place>(?:, with <Q:q>)?\."
)
def _above(known, who, g, top, place, q):
    _beside(known, who, g, top, place, q, min)


def _beside(known, who, g, top, place, q, end):
    curve, given, value, wanted = _meeting(known, who, g)
    sound = [p for p in curve if getattr(p, given) is not None]
    values = [getattr(p, given) for p in sound]
    demand(values, "nothing is known")
    beyond = all(x < value for x in values) if end is max else all(x > value for x in values)
    demand(beyond, "it gets there")
    point = at(curve, place)
    demand(getattr(point, given) == end(values), f"{place} is not the end")
    demand(re.fullmatch(TIME if given == "lat" else IOPS, top), "of another kind")
    agrees(top, getattr(point, given), "the end")
    demand(stated(top).value < value if end is max else stated(top).value > value, "they are equal")
    demand((q is None) == (getattr(point, wanted) is None), "what it was with")
    if q is not None:
        demand(_kind(q) == wanted, "of another kind")
        agrees(q, getattr(point, wanted), "what it was with")


@sentence(
    r"The curve of <WHO:who> passes <Q:g> more than once \((?P<places>.+)\), so it gives no single "
    r"number there\."
)
def _ambiguous(known, who, g, places):
    curve, given, value, _ = _meeting(known, who, g)
    sound = [p for p in curve if getattr(p, given) is not None]
    found = []
    for place in places.split("; "):
        match = re.fullmatch(rf"at ({LOAD})|between ({LOAD}) and ({LOAD})", place)
        demand(match, f"no place: {place}")
        assert match
        if match[1]:
            demand(truth.same(getattr(at(curve, match[1]), given), value), "not there")
        else:
            ends = [at(curve, match[n]) for n in (2, 3)]
            demand(all(p in sound for p in ends), "missing")
            demand(sound.index(ends[1]) == sound.index(ends[0]) + 1, "no neighbours")
            demand(truth.crossings(ends, given, value, given), "not between them")
        found.append(place)
    true = len(truth.crossings(sound, given, value, given))
    demand(len(set(found)) == len(found) == true > 1, f"it is there {true} times")


@sentence(
    r"The (?P<what>IOPS|mean latency) of <WHO:who> at <Q:g> (?P<verb>are|is) not known: (?P<why>.+)\."
)
def _unknown(known, what, who, g, verb, why):
    curve, _given, _value, wanted = _meeting(known, who, g)
    demand(
        (what, verb) == (("IOPS", "are") if wanted == "iops" else ("mean latency", "is")), "kind"
    )
    demand_reason(why, curve)
    demand(not truth.whole(curve), "everything is known")


@sentence(r"At <LOAD:place>, <WHO:who> (?P<verb>gave|had) <Q:q><SPAN:span>\.")
def _at_load(known, place, who, verb, q, span):
    point = at(known.curve(who), place)
    kind = _kind(q)
    demand(verb == ("gave" if kind == "iops" else "had"), "another verb")
    agrees(q, getattr(point, kind), "the value")
    interval(span, q, [point], known)


@sentence(
    r"<WHO:who> was not measured at <LOAD:place>: its (?P<end>highest|lowest) load was <LOAD:m>\."
)
def _no_load(known, who, place, end, m):
    curve = known.curve(who)
    load = float(place.split()[1].replace(",", ""))
    demand(load in known.loads, "it was not asked")
    point = at(curve, m)
    demand(point is (curve[-1] if end == "highest" else curve[0]), "it is not the end")
    demand(load > point.load if end == "highest" else load < point.load, "it is inside")


@sentence(
    r"The (?P<what>IOPS|mean latency) of <WHO:who> at <LOAD:place> (?P<verb>are|is) not known: "
    r"(?P<why>.+)\."
)
def _load_unknown(known, what, who, place, verb, why):
    curve = known.curve(who)
    demand((what, verb) in {("IOPS", "are"), ("mean latency", "is")}, "kind")
    load = float(place.split()[1].replace(",", ""))
    demand(load in known.loads, "it was not asked")
    if why == "this load was not measured":
        demand(all(p.load != load for p in curve), "it was")
        demand(curve[0].load < load < curve[-1].load, "it is outside")
        return
    demand_reason(why, curve)
    point = at(curve, place)
    value = point.iops if what == "IOPS" else point.lat
    demand(value is None or point.iops == 0, "it is known")


@sentence(
    r"The lowest mean latency of <WHO:who> was <TIME:q><SPAN:span>, at <LOAD:place>(?:, with <IOPS:x>)?\."
)
def _lowest(known, who, q, span, place, x):
    curve = known.curve(who)
    _lowest_at(known, curve, q, span, place, x)
    demand(all(p.lat is not None or p.iops == 0 for p in curve), "it may be lower elsewhere")


def _lowest_at(known, curve, q, span, place, x):
    point = at(curve, place)
    lowest = min((p.lat for p in curve if p.lat is not None), default=None)
    demand(lowest is not None and point.lat == lowest, f"{place} is not the lowest")
    agrees(q, point.lat, "the lowest")
    interval(span, q, [point], known, ", for the lowest of all loads")
    same_rate(x, point)


@sentence(
    r"The lowest mean latency of <WHO:who> was at most <TIME:q><SPAN:span>, at <LOAD:place>(?:, with <IOPS:x>)?; "
    r"it may be lower elsewhere\."
)
def _lowest_bound(known, who, q, span, place, x):
    curve = known.curve(who)
    _lowest_at(known, curve, q, span, place, x)
    demand(any(p.lat is None and p.iops != 0 for p in curve), "every latency is known")


@sentence(r"The lowest mean latency of <WHO:who> is not known: (?P<why>.+)\.")
def _lowest_unknown(known, who, why):
    curve = known.curve(who)
    demand(all(p.lat is None for p in curve), "one is known")
    demand_reason(why, curve)
