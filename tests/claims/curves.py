"""Random load points of every shape that a sweep can have, and worse ones.

Plain numbers and dictionaries: the reader that checks sentences against them shares nothing with
what wrote the sentences.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One result: of a system, at a load, in a repeat; None where it is missing."""

    system: str
    load: float
    repeat: int
    iops: float | None
    lat: float | None


def systems(draw: random.Random) -> list[Point]:
    """Load points of one or two systems with the same loads and kind of load."""
    count = draw.choice([1, 2, 2])
    loads = _loads(draw)
    scale = 10 ** draw.uniform(0.5, 6)
    return [
        point
        for name in ("Ash", "Birch")[:count]
        # now and then orders of magnitude lie between the systems
        for point in _system(draw, name, loads, scale * 10 ** draw.choice([0, 0, 0, -3, 2]))
    ]


def _loads(draw: random.Random) -> list[float]:
    count = draw.choice([1, 2, 3, 5, 6, 8])
    return [float(2**n) for n in range(count)]


def _system(draw: random.Random, name: str, loads: list[float], scale: float) -> list[Point]:
    shape = draw.choice(list(SHAPES))
    iops, lat = SHAPES[shape](draw, loads)
    repeats = draw.choice([1, 1, 2, 3, 5])
    spread = draw.choice([0.0, 0.001, 0.03, 0.3])
    found = []
    for repeat in range(1, repeats + 1):
        for load, x, y in zip(loads, iops, lat, strict=True):
            noise = [draw.lognormvariate(0, spread) for _ in range(2)]
            found.append(Point(name, load, repeat, x * scale * noise[0], y * noise[1]))
    return _damaged(draw, found)


def _damaged(draw: random.Random, points: list[Point]) -> list[Point]:
    """Now and then a value is missing, or no I/O was done."""
    fate = draw.random()
    hit = draw.randrange(len(points))
    if fate < 0.05:
        return _with(points, hit, iops=None)
    if fate < 0.10:
        return _with(points, hit, lat=None)
    if fate < 0.13:
        return _with(points, hit, iops=0.0, lat=None)
    if fate < 0.15:
        return [Point(p.system, p.load, p.repeat, 0.0, None) for p in points]
    return points


def _with(points: list[Point], place: int, **change: float | None) -> list[Point]:
    old = points[place]
    new = Point(old.system, old.load, old.repeat, change.get("iops", old.iops),
                change.get("lat", old.lat))  # fmt: skip
    return [*points[:place], new, *points[place + 1 :]]


def _saturating(draw: random.Random, loads: list[float]) -> tuple[list[float], list[float]]:
    """Of a closed loop: IOPS flatten out, latency is load / IOPS."""
    knee = draw.uniform(1, 100)
    iops = [load / (1 + load / knee) for load in loads]
    unit = 10 ** draw.uniform(-5, -2)
    return iops, [load / x * unit for load, x in zip(loads, iops, strict=True)]


def _bent(draw: random.Random, loads: list[float]) -> tuple[list[float], list[float]]:
    """Beyond its peak more load gives fewer IOPS, and latency goes on rising."""
    top = draw.uniform(1.5, 20)
    iops = [load / (1 + (load / top) ** 2) for load in loads]
    unit = 10 ** draw.uniform(-5, -2)
    return iops, [load / x * unit for load, x in zip(loads, iops, strict=True)]


def _wild(draw: random.Random, loads: list[float]) -> tuple[list[float], list[float]]:
    """Whatever."""
    size = 10 ** draw.uniform(-5, 0)
    return (
        [draw.lognormvariate(0, 1) for _ in loads],
        [draw.lognormvariate(0, 1) * size for _ in loads],
    )


def _tied(draw: random.Random, loads: list[float]) -> tuple[list[float], list[float]]:
    """Every load point the same, or one of two."""
    two = draw.sample([1.0, 1.0, 2.0], 2)
    lat = draw.choice([1e-4, 5e-4, 1e-3])
    return [draw.choice(two) for _ in loads], [lat for _ in loads]


def _falling(draw: random.Random, loads: list[float]) -> tuple[list[float], list[float]]:
    """A cold start: the first load is the slowest."""
    iops, lat = _saturating(draw, loads)
    return iops, [lat[0] * draw.uniform(2, 50), *lat[1:]]


SHAPES = {
    "saturating": _saturating,
    "bent": _bent,
    "wild": _wild,
    "tied": _tied,
    "falling": _falling,
}
