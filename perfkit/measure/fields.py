"""The fields of a sweep, as the study file, the command line or a call gives them.

Inside, sizes are bytes and durations are seconds; both are read as people write them ("8 KiB",
"30 s").
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, model_validator

from perfkit.measure.engines import EngineName
from perfkit.measure.engines.fio_options import FioOptions
from perfkit.measure.parts import (
    Background,
    Drain,
    Event,
    Load,
    Numa,
    Observe,
    Search,
    Steady,
    WarmUp,
)
from perfkit.measure.shape import (
    BlockMix,
    Cpus,
    Data,
    Distribution,
    Frozen,
    Paths,
    Percent,
    Region,
    Seconds,
    Size,
    block_mix,
    block_shares,
    directions_of,
)

HOST_FORM = r"^[A-Za-z0-9_][A-Za-z0-9._-]*(:[0-9]{1,5})?$"
"""An address of a load generator: a name or IPv4 address, and a port unless it is the default."""


class SweepFields(Frozen):
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
        block_mix: Sizes and their share of the I/Os, ``8k/70:64k/20:256k/10``; ``block_size`` is
            then the smallest.
        distribution: Where random I/Os go: ``zipf:1.2``, ``pareto:0.2``, ``normal:20``,
            ``hot:80/20`` (80% of the I/Os to the first 20% of the space) or zones; None: everywhere
            alike.
        region: The part of the file or device that is read and written; None: all of it.
        think_time_s: Pause of a job after each I/O.
        fsync_every: After so many writes of a job they are made to last; None: never.
        data: What is written: unique and incompressible unless it says otherwise.
        cpus: Logical CPUs the jobs run on, ``0-3,8``; None: where the system puts them.
        array_cache: Bytes of the array's cache, as the user knows it: a working set that fits into
            it is a caution of every point.
        job_file: The name of the fio job file that these fields say; None: of none.
        fio_options: More options of fio's, from ``engines.fio_options.ALLOWED``.
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
        fill_block: Bytes of one I/O of these writes; None: 1 MiB, or the load's where it repeats
            blocks.
        until_steady: In sweeps that take turns, no further round of them begins once this metric
            is steady over the last five repeats of this sweep's highest load; None: all repeats.
        steady_state: Rounds of the highest load before the first point, or None.
        warm_up: Rounds of the highest load in each call, until a cache is warm, or None.
        control: A load that is measured again before, between and after the repeats: what changes
            in it is drift, not load. None measures none.
        observe: Commands whose output is kept beside each point.
        search: More loads than the ladder's, to bracket a latency; None: the ladder alone.
        drop_caches: Whether the page cache is emptied of the target before every point, and seen
            to be empty; for buffered I/O.
        series_s: Interval of the time series, or None: see ``series_interval_s``.
        targets: Folders or devices that are measured together, as one load: each gets the whole of
            a load point. Empty: the one target that is named beside the sweep.
        files: Files in each folder, of ``file_size`` each.
        trim: Whether the load trims blocks instead of writing them; on devices.
        numa: Nodes whose processors and memory the jobs use; None: where the system puts them.
        verify: Whether, after the last point, all of the space is written once more and read back
            by checksums: a wrong block is an error with its offset.
        background: A second load on a target of its own; its results are not part of the sweep's.
        events: Commands that are run once in each point.
        hosts: Load generators by address, ``name`` or ``name:port``; empty is this host.
    """

    workload: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    label: str | None = None
    engine: EngineName = "fio"
    ioengine: Literal["libaio", "io_uring", "posixaio", "psync", "sync", "pvsync", "pvsync2"] = (
        Field(default="libaio" if sys.platform == "linux" else "posixaio")
    )
    pattern: Literal["random", "sequential"] = "random"
    read_percent: Percent = 100
    block_size: Size
    block_size_max: Size | None = None
    block_mix: BlockMix | None = None
    distribution: Distribution | None = None
    region: Region | None = None
    think_time_s: Seconds = Field(
        default=0.0, validation_alias=AliasChoices("think_time_s", "think_time")
    )
    fsync_every: int | None = Field(default=None, gt=0)
    data: Data = Data()
    cpus: Cpus | None = None
    numa: Numa | None = None
    array_cache: Size | None = None
    fio_options: FioOptions = Field(default_factory=dict)
    job_file: str | None = None
    file_size: Size
    files: int = Field(default=1, ge=1, le=64)
    targets: Paths = ()
    trim: bool = False
    load: Load
    iodepth: int | None = Field(default=None, gt=0)
    numjobs: int | None = Field(default=None, gt=0)
    rate_process: Literal["linear", "poisson"] = "linear"
    drain: Drain | None = None
    background: Background | None = None
    ramp_s: Seconds = Field(default=5.0, validation_alias=AliasChoices("ramp_s", "ramp"))
    runtime_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=30.0, validation_alias=AliasChoices("runtime_s", "runtime")
    )
    repeats: int = Field(default=3, ge=1)
    order: Literal["interleaved", "shuffled", "sequential"] = "interleaved"
    seed: int = Field(default=1, ge=0)
    direct: bool = True
    fills: int = Field(default=1, ge=1, le=10)
    fill_block: Size | None = None
    until_steady: Literal["iops", "lat_mean_s"] | None = None
    steady_state: Steady | None = None
    warm_up: WarmUp | None = None
    control: int | None = Field(default=None, gt=0)
    search: Search | None = None
    observe: tuple[Observe, ...] = ()
    events: tuple[Event, ...] = ()
    verify: bool = False
    drop_caches: bool = False
    series_s: Annotated[Seconds, Field(gt=0)] | None = Field(
        default=None, validation_alias=AliasChoices("series_s", "series")
    )
    hosts: tuple[Annotated[str, Field(pattern=HOST_FORM)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _smallest_of_a_mix(cls, given: Any) -> Any:
        """The block size of a mix need not be said twice."""
        if not isinstance(given, dict) or not given.get("block_mix") or "block_size" in given:
            return given
        try:
            return {**given, "block_size": min(block_shares(block_mix(str(given["block_mix"]))))}
        except ValueError as problem:
            raise ValueError(f"block_mix: {problem}") from problem

    @property
    def largest_block(self) -> int:
        """Bytes of the largest I/O."""
        mix = list(block_shares(self.block_mix)) if self.block_mix else []
        return max([self.block_size_max or self.block_size, *mix])

    @property
    def one_block_size(self) -> bool:
        """Whether every I/O has the same size."""
        return self.largest_block == self.block_size

    @property
    def space(self) -> Region:
        """The part of the target that is read and written."""
        return self.region or Region(size=self.file_size)

    @property
    def shaped(self) -> bool:
        """Whether it asks a tool for more than the plain fields do."""
        return bool(
            self.block_mix
            or self.distribution
            or self.cpus
            or self.numa
            or self.fio_options
            or not self.data.unique
        )

    @property
    def content(self) -> str:
        """What the target's file holds, as part of its name; empty for unique data."""
        data = self.data
        if data.unique:
            return ""
        chunk = data.compress_chunk or self.block_size
        return f"-d{data.dedupe_percent}c{data.compress_percent}b{self.block_size}k{chunk}"

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which the load does I/O (the drain's writes are its own)."""
        if self.trim:
            return ("trim",)
        return directions_of(self.read_percent)

    @property
    def parts(self) -> int:
        """Targets over all hosts: each does the whole of a load point."""
        return max(1, len(self.hosts)) * max(1, len(self.targets))

    @property
    def read_only(self) -> bool:
        """Whether a point writes nothing to its targets; its background load has its own."""
        return self.directions == ("read",) and self.drain is None

    @property
    def interval_s(self) -> float:
        """The interval of the time series."""
        return series_interval_s(self.series_s, self.runtime_s, events=bool(self.events))

    @property
    def cycles(self) -> int | None:
        """Drains that begin in one point, or None without a drain."""
        # 2 s hold five periods of 0.4 s, which floating point would make four
        return int(self.runtime_s / self.drain.period_s + 1e-9) if self.drain else None


FINE_S = 0.1
"""By intervals of this length the pause around an event is known to 0.2 s."""


def series_interval_s(series_s: float | None, runtime_s: float, *, events: bool) -> float:
    """The interval of a point's series: as asked, or a second, or ``FINE_S`` around events.

    A point has ten intervals at least.
    """
    return series_s or min(FINE_S if events else 1.0, runtime_s / 10)
