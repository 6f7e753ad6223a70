"""The search for the highest load that keeps a limit of latency: which load is measured next.

The ladder gives a bracket: the highest load below every one that misses the limit, and the lowest
that misses it. Its middle (geometric) is measured with all repeats, until the bracket is as narrow
as asked. What is next depends only on what is measured, so that a search resumes where it stopped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import RunError
from perfkit.measure.division import split_rate
from perfkit.measure.points import Point
from perfkit.measure.spec import SweepSpec


@dataclass(frozen=True)
class Bracket:
    """Where the limit lies among the loads that were measured; None: beyond them."""

    kept: int | None
    missed: int | None


def bracket(latencies: Mapping[int, float], limit_s: float) -> Bracket:
    """The bracket in mean latencies by load; a load above one that misses it is not an answer."""
    missed = min((load for load, s in latencies.items() if s > limit_s), default=None)
    below = [load for load in latencies if missed is None or load < missed]
    return Bracket(max(below, default=None), missed)


def next_load(spec: SweepSpec, latencies: Mapping[int, float]) -> int | None:
    """The load to measure next; None where the bracket is narrow enough, or loads run out."""
    if spec.search is None or len(latencies) - len(spec.load.points) >= spec.search.max_loads:
        return None
    found = bracket(latencies, spec.search.latency_s)
    if found.missed is None:
        return _possible(spec, 2 * max(latencies), 0, math.inf)
    if found.kept is None:
        return _possible(spec, found.missed // 2, 0, found.missed)
    if found.missed <= found.kept * (1 + spec.search.tolerance):
        return None
    middle = round(math.sqrt(found.kept * found.missed))
    return _possible(spec, middle, found.kept, found.missed)


def _possible(spec: SweepSpec, load: int, above: float, below: float) -> int | None:
    """The load, or for a rate the nearest that divides evenly; None: there is none between."""
    step = spec.parts if spec.load.kind == "rate_iops" else 1
    load = round(load / step) * step
    load = load + step if load <= above else load
    if not above < load < below:
        return None
    if spec.load.kind == "rate_iops":
        try:
            split_rate(load // step, spec.numjobs or 1, spec.read_percent)
        except ValueError:
            return None
    return load


def searched(spec: SweepSpec, names: list[str]) -> tuple[Point, ...]:
    """The points of a search among the names of a run's planned points."""
    ladder = set(spec.load.points)
    found = []
    for name in names:
        kind, _, rest = name.partition("-")
        load, _, repeat = rest.partition("-r")
        if kind == spec.load.kind and load.isdecimal() and int(load) not in ladder:
            found.append(Point(kind=spec.load.kind, load=int(load), repeat=int(repeat)))
    return tuple(found)


def latencies(spec: SweepSpec, points: Path) -> dict[int, float]:
    """Load -> the mean of its repeats' mean latencies, of loads with every repeat accepted.

    Raises RunError for a point whose record does not have its latency.
    """
    found: dict[int, list[float]] = {}
    for file in sorted(points.glob("*/point.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        if record.get("role") != "point" or not record.get("accepted"):
            continue
        latency = record.get("lat_mean_s")
        if not isinstance(latency, float):
            raise RunError(f"{file}: has no lat_mean_s, which the search needs")
        found.setdefault(int(record["load"]), []).append(latency)
    return {
        load: math.fsum(values) / len(values)
        for load, values in sorted(found.items())
        if len(values) == spec.repeats
    }
