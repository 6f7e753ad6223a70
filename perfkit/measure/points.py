"""The points of a sweep: what is measured, in which order, and with which depth, jobs and seed."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Literal

from perfkit.measure.parts import LoadKind
from perfkit.measure.shape import Frozen
from perfkit.measure.spec import SYNC_ENGINES, SweepSpec

PACED_DEPTH = 32
"""I/Os a paced job may have in flight: enough that the rate is the limit, and not the depth."""


class Point(Frozen):
    """One measurement of a sweep: a load, and which repeat of it."""

    kind: LoadKind
    load: int
    repeat: int
    role: Literal["point", "control", "round"] = "point"

    @property
    def name(self) -> str:
        """The point's folder: "iodepth-16-r2", "control-2", "round-007"."""
        if self.role == "point":
            return f"{self.kind}-{self.load}-r{self.repeat}"
        return (
            f"{self.role}-{self.repeat:03d}" if self.role == "round" else f"control-{self.repeat}"
        )

    def iodepth(self, spec: SweepSpec) -> int:
        """I/Os in flight per job."""
        if self.kind == "iodepth":
            return self.load
        paced = self.kind == "rate_iops" and spec.ioengine not in SYNC_ENGINES
        return spec.iodepth or (PACED_DEPTH if paced else 1)

    def numjobs(self, spec: SweepSpec) -> int:
        """Jobs on each target of a host."""
        return self.load if self.kind == "numjobs" else spec.numjobs or 1

    def jobs(self, spec: SweepSpec) -> int:
        """Jobs of a host, over its targets."""
        return self.numjobs(spec) * max(1, len(spec.targets))

    def target_iops(self) -> int | None:
        """The offered rate over all jobs and directions, or None for a closed loop."""
        return self.load if self.kind == "rate_iops" else None

    def in_flight(self, spec: SweepSpec) -> int | None:
        """I/Os a closed loop keeps in flight; None where the load is paced, or its jobs pause."""
        if self.kind == "rate_iops" or spec.think_time_s:
            return None
        return self.iodepth(spec) * self.numjobs(spec) * spec.parts

    def seed(self, spec: SweepSpec) -> int:
        """The point's own random seed: other offsets in every point, the same in every run."""
        text = f"{spec.seed}/{self.name}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def planned_points(spec: SweepSpec) -> tuple[Point, ...]:
    """Every point and repeat of the sweep, in the order in which they are measured."""
    loads, repeats = spec.load.points, range(1, spec.repeats + 1)
    if spec.order == "sequential":
        order = [(load, repeat) for load in loads for repeat in repeats]
    else:
        order = [(load, repeat) for repeat in repeats for load in loads]
    points = [Point(kind=spec.load.kind, load=load, repeat=repeat) for load, repeat in order]
    if spec.order == "shuffled":
        random.Random(spec.seed).shuffle(points)  # noqa: S311 - an order, not a secret
    return tuple(points if spec.control is None else _with_controls(spec, points, spec.control))


def _with_controls(spec: SweepSpec, points: list[Point], load: int) -> Iterator[Point]:
    """A control point before the first point, after each repeat's worth of points, and last."""
    first = Point(kind=spec.load.kind, load=load, repeat=1, role="control")
    block = len(spec.load.points)
    for number, point in enumerate(points):
        if number % block == 0:
            yield first.model_copy(update={"repeat": 1 + number // block})
        yield point
    yield first.model_copy(update={"repeat": 1 + len(points) // block})


def round_point(spec: SweepSpec, number: int) -> Point:
    """The n-th round towards steady state: the sweep's highest load."""
    return Point(kind=spec.load.kind, load=max(spec.load.points), repeat=number, role="round")


def round_spec(spec: SweepSpec, round_s: float) -> SweepSpec:
    """The sweep as its rounds are run: their own time and no ramp, since no round is a result."""
    return spec.model_copy(update={"ramp_s": 0.0, "runtime_s": round_s, "drain": None})
