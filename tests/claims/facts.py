"""What is true of every number that a table or chart of load points shows, by plain arithmetic.

Nothing of perfkit is used. ``MORE`` is what a load point carries beside IOPS and mean latency: each
is a simple multiple of them, so that a value in the wrong column, row or unit is found.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claims import truth

if TYPE_CHECKING:
    from claims.curves import Point

BLOCK = 8192
READS = 0.75
OF_LATENCY = {"p50": 0.8, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "p99.99": 8.0, "max": 20.0}
T_95 = {1: 12.706204736, 2: 4.302652730, 3: 3.182446305, 4: 2.776445105}
"""Student's t, two-sided 95%, by degrees of freedom: from the printed tables."""

Values = dict[str, float | None]


@dataclass(frozen=True)
class Fact:
    """A load point of a curve, or one repeat of it, with every value that may be shown."""

    who: str
    load: float
    repeat: int
    """The number of the repeat; of a load point over repeats how many there are."""
    values: Values


def busy(who: str, load: float) -> float | None:
    """The busy share of the host; Birch was not sampled at the second load."""
    return None if (who, load) == ("Birch", 2.0) else 0.9 * load / (load + 9)


def of_repeat(point: Point) -> Values:
    """All values of one raw point."""
    made: Values = {"iops": point.iops, "lat": point.lat, "cpu": busy(point.system, point.load)}
    made["bw"] = None if point.iops is None else point.iops * BLOCK
    made |= {k: None if point.lat is None else f * point.lat for k, f in OF_LATENCY.items()}
    return made


def called(points: Sequence[Point], who: str) -> str:
    """What a curve is called: by its system where there are two, else by its workload."""
    return who if len({p.system for p in points}) > 1 else "mix"


def repeats(points: Sequence[Point]) -> list[Fact]:
    """Every raw point, by system, load and repeat."""
    ordered = sorted(points, key=lambda p: (p.system, p.load, p.repeat))
    return [Fact(called(points, p.system), p.load, p.repeat, of_repeat(p)) for p in ordered]


def curves(points: Sequence[Point]) -> dict[str, list[Fact]]:
    """The load points of each curve over its repeats, in order of load."""
    found: dict[str, list[Fact]] = {}
    for fact in repeats(points):
        found.setdefault(fact.who, []).append(fact)
    return {
        who: [_over(list(runs)) for _, runs in itertools.groupby(own, lambda fact: fact.load)]
        for who, own in found.items()
    }


def _over(runs: list[Fact]) -> Fact:
    values: Values = {}
    for name in ("iops", "lat", "bw", "cpu"):
        each = [run.values[name] for run in runs]
        values[name] = truth.mean(each)
        low, high = interval(each)
        values |= {f"{name}_low": low, f"{name}_high": high}
    for name in OF_LATENCY:  # percentiles are never averaged
        values[name] = runs[0].values[name] if len(runs) == 1 else None
    values["max"] = max((run.values["max"] or 0.0 for run in runs), default=None)
    if any(run.values["max"] is None for run in runs):
        values["max"] = None
    return Fact(runs[0].who, runs[0].load, len(runs), values)


def interval(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """The 95% interval of a mean, by Student's t on the logarithms of the repeats."""
    n, middle = len(values), truth.mean(values)
    if n == 1 or middle is None or not all(values):
        return None, None
    logs = [math.log(value or 0.0) for value in values]
    center = math.fsum(logs) / n
    spread = math.sqrt(math.fsum((x - center) ** 2 for x in logs) / (n - 1))
    half = T_95[n - 1] * spread / math.sqrt(n)
    if max(logs) - min(logs) < 1e-11 or half > 100:
        return None, None
    return middle * math.exp(-half), middle * math.exp(half)


# --- what a curve answers -----------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """What one curve answers: a value with its relation, or why none, and how far it got."""

    status: str
    value: float | None = None
    relation: str = "="
    at: Fact | None = None
    """The load point of the value; without a value that which comes nearest."""


GIVEN = {
    "iops_at_latency": ("lat", "iops"), "latency_at_iops": ("iops", "lat"),
    "cpu_at_iops": ("iops", "cpu"), "iops_at_cpu": ("cpu", "iops"),
    "iops_at_load": ("load", "iops"), "latency_at_load": ("load", "lat"),
    "cpu_at_load": ("load", "cpu"), "most_iops_within_latency": ("lat", "iops"),
    "peak_iops": (None, "iops"), "lowest_latency": (None, "lat"),
}  # fmt: skip
"""Question -> what is given and what is asked for."""


def answer(curve: Sequence[Fact], question: str, asked: float | None) -> Side:
    """What the load points of a curve say to a question."""
    given, wanted = GIVEN[question]
    if question == "peak_iops":
        return _peak(curve)
    if question == "lowest_latency":
        return _lowest(curve)
    assert asked is not None
    if question == "most_iops_within_latency":
        return _within(curve, asked)
    return _at_load(curve, asked, wanted) if given == "load" else _meet(curve, asked, given, wanted)


def _lacks(fact: Fact, *names: str | None) -> bool:
    """Whether a load point that did I/O, or may have, lacks a value."""
    return fact.values["iops"] != 0 and any(fact.values[str(name)] is None for name in names)


def _peak(curve: Sequence[Fact]) -> Side:
    known = [fact for fact in curve if fact.values["iops"]]
    if not known:
        return Side("missing")
    best = max(known, key=lambda fact: fact.values["iops"] or 0.0)
    value = best.values["iops"]
    bound = curve[-1].values["iops"] == value or any(_lacks(fact, "iops") for fact in curve)
    return Side("measured", value, ">=" if bound else "=", best)


def _lowest(curve: Sequence[Fact]) -> Side:
    known = [fact for fact in curve if fact.values["lat"] is not None]
    if not known:
        return Side("missing")
    best = min(known, key=lambda fact: fact.values["lat"] or 0.0)
    bound = any(_lacks(fact, "lat") for fact in curve)
    return Side("measured", best.values["lat"], "<=" if bound else "=", best)


def _within(curve: Sequence[Fact], limit: float) -> Side:
    known = [fact for fact in curve if fact.values["iops"] and fact.values["lat"] is not None]
    inside = [fact for fact in known if truth.keeps(fact.values["lat"] or 0.0, limit)]
    most = max((fact.values["iops"] or 0.0 for fact in inside), default=0.0)
    maybe = any(
        _lacks(fact, "lat", "iops")
        and (fact.values["iops"] is None or fact.values["iops"] > most)
        and (fact.values["lat"] is None or truth.keeps(fact.values["lat"], limit))
        for fact in curve
    )
    if not inside:
        if maybe or not known:
            return Side("missing")
        return Side("beyond measured", at=min(known, key=lambda fact: fact.values["lat"] or 0.0))
    best = next(fact for fact in inside if fact.values["iops"] == most)
    every = [fact.values["lat"] for fact in curve if fact.values["lat"] is not None]
    bound = maybe or all(truth.keeps(lat, limit) for lat in every)
    return Side("highest within", most, ">=" if bound else "=", best)


def _at_load(curve: Sequence[Fact], load: float, wanted: str) -> Side:
    found = [fact for fact in curve if fact.load == load]
    if not found:
        if curve[0].load < load < curve[-1].load:
            return Side("missing")
        low = load < curve[0].load
        return Side("beyond measured" if low else "not reached", at=curve[0 if low else -1])
    value = found[0].values[wanted]
    if value is None or (found[0].values["iops"] == 0 and wanted != "cpu"):
        return Side("missing")
    return Side("measured", value, at=found[0])


def _meet(curve: Sequence[Fact], asked: float, given: str | None, wanted: str) -> Side:
    assert given is not None
    sound = [fact for fact in curve if fact.values[given] is not None]
    if not sound:
        return Side("missing")
    xs = [fact.values[given] or 0.0 for fact in sound]
    there = [(fact,) for fact, x in zip(sound, xs, strict=True) if truth.same(x, asked)]
    crossed = [
        pair for pair, ends in zip(itertools.pairwise(sound), itertools.pairwise(xs), strict=True)
        if min(ends) < asked < max(ends) and not any(truth.same(x, asked) for x in ends)
    ]  # fmt: skip
    places: list[tuple[Fact, ...]] = [*there, *crossed]
    if not places:
        if any(_lacks(fact, given) for fact in curve):
            return Side("missing")
        below = xs[0] < asked
        end = (max if below else min)(sound, key=lambda fact: fact.values[given] or 0.0)
        return Side("not reached" if below else "beyond measured", at=end)
    if len(places) > 1:
        return Side("ambiguous")
    (ends,) = places
    between = [fact for fact in curve if ends[0].load < fact.load < ends[-1].load]
    if between or any(fact.values[wanted] is None for fact in ends):
        return Side("missing")
    ys = [fact.values[wanted] or 0.0 for fact in ends]
    value = ys[0]
    if len(ends) > 1:
        x0, x1 = (fact.values[given] or 0.0 for fact in ends)
        value = ys[0] + (asked - x0) / (x1 - x0) * (ys[1] - ys[0])
    return Side("missing") if wanted == "iops" and value == 0 else Side("interpolated", value)
