"""What a sweep is: one typed value, from the study file, the command line or a call.

Sizes are bytes and durations seconds inside; both are read in people's writing ("8 KiB", "30 s").
A combination that fio would quietly turn into another measurement is refused here, by field.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from perfkit.core.units import parse_duration, parse_size
from perfkit.measure.spec_checks import CHECKS, SYNC_ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator

PACED_DEPTH = 32
"""I/Os a paced job may have in flight: ample, so that the rate and not the depth is the limit."""

HOST_FORM = r"^[A-Za-z0-9_][A-Za-z0-9._-]*(:[0-9]{1,5})?$"
"""An address of a load generator: a name or IPv4 address, and a port if it is not the tool's."""

LEFT_OUT_AT_DEFAULT = frozenset(
    {"fills", "steady_state", "control", "drop_caches", "series_s", "hosts"}
)
"""Fields that a record leaves out while they have their default.

So a sweep that does not use them keeps the hash it had before they existed.
"""

LoadKind = Literal["iodepth", "numjobs", "rate_iops"]
Size = Annotated[int, BeforeValidator(parse_size), Field(gt=0)]
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(ge=0, allow_inf_nan=False)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Load(_Frozen):
    """What is raised from point to point, and its values.

    Written ``{iodepth: [1, 2, 4]}`` or ``{kind: iodepth, points: [1, 2, 4]}``. A paced load may
    be a ramp, ``{rate_iops: {min: 1000, max: 10000, runs: 10}}``, see ``ramp_targets``.
    """

    kind: LoadKind
    points: tuple[Annotated[int, Field(gt=0)], ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if not isinstance(given, dict) or len(given) != 1:
            return given
        ((kind, points),) = given.items()
        if type(points) is int:
            points = [points]
        if isinstance(points, dict) and kind == "rate_iops":
            points = ramp_targets(**_ramp_arguments(points))
        return {"kind": kind, "points": points}

    @field_validator("points")
    @classmethod
    def _once_each(cls, points: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(points)) != len(points):
            raise ValueError("a load point is listed twice; use repeats to measure it again")
        return points


class Drain(_Frozen):
    """The writer of the epic-like workload: every period it writes its blocks at full speed."""

    blocks: int = Field(gt=0)
    period_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=80.0, validation_alias=AliasChoices("period_s", "period")
    )
    iodepth: int = Field(default=32, gt=0)


class Steady(_Frozen):
    """Rounds of the sweep's highest load before the first point, until the storage is steady.

    ``metric`` is what must hold still over a window of five rounds (``stats.steady_window``).
    Without ``required`` a sweep whose rounds run out measures all the same, and says so.
    """

    round_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=60.0, validation_alias=AliasChoices("round_s", "round")
    )
    max_rounds: int = Field(default=25, ge=5)
    metric: Literal["iops", "lat_mean_s"] = "iops"
    required: bool = False


class SweepSpec(_Frozen):
    """A sweep: the workload, its load points, and how each is measured.

    Attributes:
        workload: The name shown, one of ``workloads.WORKLOADS`` or the user's own.
        label: Words that must stand wherever the workload shows ("GenIO-like, not GenIO").
        engine: The tool.
        ioengine: fio's way of submitting I/O. elbencho has one of its own: libaio, and plain
            reads and writes where one I/O is in flight per thread.
        pattern: "random" over the whole file, or "sequential": each job streams through a part of
            the file that is its own, and is either a reader or a writer.
        read_percent: Share of reads: of the I/Os (random), or of the jobs (sequential).
        block_size: Bytes of one I/O; with ``block_size_max``, the smallest.
        block_size_max: Bytes of the largest I/O; sizes between the two come equally often.
        file_size: Bytes of the target file.
        load: What is raised, and its values.
        iodepth: I/Os in flight per job, where that is not the load; None is 1, or for a paced
            load ``PACED_DEPTH``.
        numjobs: Jobs, where that is not the load; None is 1.
        rate_process: How paced I/Os arrive: evenly ("linear") or "poisson".
        drain: The periodic writer (epic-like), or None.
        ramp_s: Seconds of I/O before the measurement begins.
        runtime_s: Seconds of measurement.
        repeats: How often each point is measured.
        order: "interleaved" (all points, then all again), "shuffled" by the seed, or "sequential".
        seed: What every random sequence is derived from.
        direct: Whether the page cache is bypassed.
        fills: How often the whole target is written in sequence before it is measured: 2 for
            preconditioning that does not depend on the workload.
        steady_state: Rounds of the highest load before the first point, or None.
        control: A load that is measured again before, between and after the repeats: what changes
            in it is drift, not load. None measures none.
        drop_caches: Whether the page cache is emptied of the target before every point, and seen
            to be empty; for buffered I/O.
        series_s: Interval of the time series, or None: a second, or a tenth of a shorter run time.
        hosts: Load generators by address, ``name`` or ``name:port``; empty is this host.
    """

    workload: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    label: str | None = None
    engine: Literal["fio", "elbencho"] = "fio"
    ioengine: Literal["libaio", "io_uring", "posixaio", "psync", "sync", "pvsync", "pvsync2"] = (
        Field(default="libaio" if sys.platform == "linux" else "posixaio")
    )
    pattern: Literal["random", "sequential"] = "random"
    read_percent: int = Field(default=100, ge=0, le=100)
    block_size: Size
    block_size_max: Size | None = None
    file_size: Size
    load: Load
    iodepth: int | None = Field(default=None, gt=0)
    numjobs: int | None = Field(default=None, gt=0)
    rate_process: Literal["linear", "poisson"] = "linear"
    drain: Drain | None = None
    ramp_s: Seconds = Field(default=5.0, validation_alias=AliasChoices("ramp_s", "ramp"))
    runtime_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=30.0, validation_alias=AliasChoices("runtime_s", "runtime")
    )
    repeats: int = Field(default=3, ge=1)
    order: Literal["interleaved", "shuffled", "sequential"] = "interleaved"
    seed: int = Field(default=1, ge=0)
    direct: bool = True
    fills: int = Field(default=1, ge=1, le=10)
    steady_state: Steady | None = None
    control: int | None = Field(default=None, gt=0)
    drop_caches: bool = False
    series_s: Annotated[Seconds, Field(gt=0)] | None = Field(
        default=None, validation_alias=AliasChoices("series_s", "series")
    )
    hosts: tuple[Annotated[str, Field(pattern=HOST_FORM)], ...] = ()

    @model_validator(mode="after")
    def _measures_what_it_says(self) -> Self:
        for check in CHECKS:
            problem = check(self)
            if problem:
                raise ValueError(problem)
        return self

    @property
    def largest_block(self) -> int:
        """Bytes of the largest I/O."""
        return self.block_size_max or self.block_size

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which the load does I/O (the drain's writes are its own)."""
        shares = {"read": self.read_percent, "write": 100 - self.read_percent}
        return tuple(name for name, share in shares.items() if share)

    @property
    def read_only(self) -> bool:
        """Whether a point writes nothing to the target."""
        return self.read_percent == 100 and self.drain is None  # noqa: PLR2004 - a percentage

    @property
    def interval_s(self) -> float:
        """The interval of the time series."""
        return self.series_s or min(1.0, self.runtime_s / 10)

    @property
    def cycles(self) -> int | None:
        """Drains that begin in one point, or None without a drain."""
        # 2 s hold five periods of 0.4 s, which floating point would make four
        return int(self.runtime_s / self.drain.period_s + 1e-9) if self.drain else None

    def record(self) -> dict[str, Any]:
        """The JSON form, as it stands in run.json."""
        whole = self.model_dump(mode="json")
        plain = type(self).model_fields
        return {
            name: value
            for name, value in whole.items()
            if name not in LEFT_OUT_AT_DEFAULT or getattr(self, name) != plain[name].default
        }

    def sha256(self) -> str:
        """The hash of the JSON form, the same for the same sweep."""
        return sha256_json(self.record())


class Point(_Frozen):
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
        """Jobs in all."""
        return self.load if self.kind == "numjobs" else spec.numjobs or 1

    def target_iops(self) -> int | None:
        """The offered rate over all jobs and directions, or None for a closed loop."""
        return self.load if self.kind == "rate_iops" else None

    def in_flight(self, spec: SweepSpec) -> int | None:
        """I/Os a closed loop keeps in flight; None where the load is paced."""
        if self.kind == "rate_iops":
            return None
        return self.iodepth(spec) * self.numjobs(spec) * max(1, len(spec.hosts))

    def seed(self, spec: SweepSpec) -> int:
        """The point's own random seed: other offsets in every point, the same in every run."""
        text = f"{spec.seed}/{self.name}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def sha256_json(record: dict[str, Any]) -> str:
    """SHA-256 of a JSON record: keys sorted, no blanks."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def ramp_targets(minimum: int, maximum: int, runs: int) -> tuple[int, ...]:
    """The offered rates of a ramp: ``min + (max - min) * i / runs`` for i = 1 ... runs.

    The rule is the one published GenIO ramps follow; the first run is therefore above ``min``.
    Raises ValueError unless 0 <= min < max and runs >= 1.
    """
    if not 0 <= minimum < maximum or runs < 1:
        raise ValueError("a ramp needs 0 <= min < max and runs >= 1")
    return tuple(round(minimum + (maximum - minimum) * i / runs) for i in range(1, runs + 1))


def _ramp_arguments(given: dict[str, Any]) -> dict[str, int]:
    names = {"min": "minimum", "max": "maximum", "runs": "runs"}
    if set(given) != set(names) or not all(type(value) is int for value in given.values()):
        raise ValueError("a ramp of rates is written {min: 1000, max: 10000, runs: 10}")
    return {names[name]: value for name, value in given.items()}


def planned_points(spec: SweepSpec) -> tuple[Point, ...]:
    """Every point and repeat of the sweep, in the order in which they are measured."""
    loads, repeats = spec.load.points, range(1, spec.repeats + 1)
    if spec.order == "sequential":
        points = [_point(spec, load, repeat) for load in loads for repeat in repeats]
    else:
        points = [_point(spec, load, repeat) for repeat in repeats for load in loads]
    if spec.order == "shuffled":
        random.Random(spec.seed).shuffle(points)  # noqa: S311 - an order, not a secret
    return tuple(points if spec.control is None else _with_controls(spec, points, spec.control))


def _with_controls(spec: SweepSpec, points: list[Point], load: int) -> Iterator[Point]:
    """A control point before the first point, after as many as a repeat has, after the last."""
    block = len(spec.load.points)
    for number, point in enumerate(points):
        if number % block == 0:
            yield _control(spec, load, 1 + number // block)
        yield point
    yield _control(spec, load, 1 + len(points) // block)


def _control(spec: SweepSpec, load: int, number: int) -> Point:
    return Point(kind=spec.load.kind, load=load, repeat=number, role="control")


def round_point(spec: SweepSpec, number: int) -> Point:
    """The n-th round towards steady state: the sweep's highest load."""
    return Point(kind=spec.load.kind, load=max(spec.load.points), repeat=number, role="round")


def round_spec(spec: SweepSpec) -> SweepSpec:
    """The sweep as its rounds are run: their own time and no ramp, since no round is a result."""
    steady = spec.steady_state or Steady()
    return spec.model_copy(update={"ramp_s": 0.0, "runtime_s": steady.round_s, "drain": None})


def _point(spec: SweepSpec, load: int, repeat: int) -> Point:
    return Point(kind=spec.load.kind, load=load, repeat=repeat)
