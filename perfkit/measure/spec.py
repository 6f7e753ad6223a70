"""What a sweep is: one typed value, from the study file, the command line or a call.

Inside, sizes are bytes and durations are seconds; both are read as people write them ("8 KiB",
"30 s"). Combinations of fields that a tool would silently turn into another load are refused here.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from perfkit.core.units import format_size
from perfkit.measure.division import readers_and_writers, split_rate, stream_bytes
from perfkit.measure.engines import EngineName
from perfkit.measure.engines.fio_options import FioOptions
from perfkit.measure.parts import Drain, Load, Observe, Search, Steady
from perfkit.measure.shape import (
    BlockMix,
    Cpus,
    Data,
    Distribution,
    Frozen,
    Region,
    Seconds,
    Size,
    block_mix,
    block_shares,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SYNC_ENGINES = ("psync", "sync", "pvsync", "pvsync2")
"""fio engines with one I/O in flight per job: fio caps a deeper queue at 1 and exits with 0."""

DIRECT_ALIGNMENT = 512
"""Direct I/O works in units of the device's logical block, which is at least this many bytes."""

HOST_FORM = r"^[A-Za-z0-9_][A-Za-z0-9._-]*(:[0-9]{1,5})?$"
"""An address of a load generator: a name or IPv4 address, and a port unless it is the default."""

RECORDED_WHEN_SET = frozenset({
    "fills", "steady_state", "control", "drop_caches", "series_s", "hosts", "block_mix",
    "distribution", "region", "think_time_s", "fsync_every", "data", "cpus", "fio_options",
    "job_file", "array_cache", "search", "observe",
})  # fmt: skip
"""Fields that a record holds only where they differ from their default.

They came after the first runs were made: the same sweep still has the same record and hash.
"""


class SweepSpec(Frozen):
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
        steady_state: Rounds of the highest load before the first point, or None.
        control: A load that is measured again before, between and after the repeats: what changes
            in it is drift, not load. None measures none.
        observe: Commands whose output is kept beside each point.
        search: More loads than the ladder's, to bracket a latency; None: the ladder alone.
        drop_caches: Whether the page cache is emptied of the target before every point, and seen
            to be empty; for buffered I/O.
        series_s: Interval of the time series, or None: a second, or a tenth of a shorter run time.
        hosts: Load generators by address, ``name`` or ``name:port``; empty is this host.
    """

    workload: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    label: str | None = None
    engine: EngineName = "fio"
    ioengine: Literal["libaio", "io_uring", "posixaio", "psync", "sync", "pvsync", "pvsync2"] = (
        Field(default="libaio" if sys.platform == "linux" else "posixaio")
    )
    pattern: Literal["random", "sequential"] = "random"
    read_percent: int = Field(default=100, ge=0, le=100)
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
    array_cache: Size | None = None
    fio_options: FioOptions = Field(default_factory=dict)
    job_file: str | None = None
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
    search: Search | None = None
    observe: tuple[Observe, ...] = ()
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

    @model_validator(mode="after")
    def _measures_what_it_says(self) -> Self:
        problem = next(filter(None, (check(self) for check in CHECKS)), None)
        if problem:
            raise ValueError(problem)
        return self

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
            self.block_mix or self.distribution or self.cpus or self.fio_options
            or not self.data.unique
        )  # fmt: skip

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
        shares = {"read": self.read_percent, "write": 100 - self.read_percent}
        return tuple(name for name, share in shares.items() if share)

    @property
    def read_only(self) -> bool:
        """Whether a point writes nothing to the target."""
        return self.directions == ("read",) and self.drain is None

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
            if name not in RECORDED_WHEN_SET
            or getattr(self, name) != plain[name].get_default(call_default_factory=True)
        }

    def sha256(self) -> str:
        """The hash of the JSON form, the same for the same sweep."""
        return sha256_json(self.record())


def sha256_json(record: dict[str, Any]) -> str:
    """SHA-256 of a JSON record: keys sorted, no blanks."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _check_load_given_twice(spec: SweepSpec) -> str | None:
    fixed = {"iodepth": spec.iodepth, "numjobs": spec.numjobs}
    if fixed.get(spec.load.kind) is None:
        return None
    return f"{spec.load.kind}: it is what the load raises; give its values in load.points only"


def _depths(spec: SweepSpec) -> Iterable[int]:
    return spec.load.points if spec.load.kind == "iodepth" else (spec.iodepth or 1,)


def _check_depth(spec: SweepSpec) -> str | None:
    if max(_depths(spec)) == 1:
        return None
    if spec.ioengine in SYNC_ENGINES:
        return f"iodepth: {spec.ioengine} keeps one I/O in flight per job; raise numjobs instead"
    if spec.ioengine == "libaio" and not spec.direct:
        return (
            "iodepth: libaio submits buffered I/O one at a time; with direct: false use "
            "ioengine: io_uring, or psync with numjobs"
        )
    return None


def _check_blocks(spec: SweepSpec) -> str | None:
    if spec.block_size_max is not None and spec.block_size_max < spec.block_size:
        return "block_size_max: it is smaller than block_size"
    if spec.block_size_max is not None and spec.block_size_max % spec.block_size:
        return "block_size_max: it is not a multiple of block_size"
    if spec.direct and spec.block_size % DIRECT_ALIGNMENT:
        return (
            f"block_size: {spec.block_size} is not a multiple of {DIRECT_ALIGNMENT}, which "
            "direct I/O needs"
        )
    return None


def _check_mix(spec: SweepSpec) -> str | None:
    if spec.block_mix is None:
        return None
    if spec.block_size_max is not None:
        return "block_mix: it goes without block_size_max: both say which sizes come how often"
    smallest = min(block_shares(spec.block_mix))
    if smallest != spec.block_size:
        return (
            f"block_size: {format_size(spec.block_size)}; the smallest of the block_mix is "
            f"{format_size(smallest)}; leave block_size out"
        )
    return None


def _check_file(spec: SweepSpec) -> str | None:
    space, name = spec.space, "region.size" if spec.region else "file_size"
    if spec.largest_block > space.size:
        return (
            f"{name}: {format_size(space.size)} is smaller than one block of "
            f"{format_size(spec.largest_block)}"
        )
    if spec.region and space.start + space.size > spec.file_size:
        return f"region: it ends behind the file_size of {format_size(spec.file_size)}"
    if spec.region and (space.start % spec.block_size or space.size % spec.block_size):
        return f"region: start and size are whole blocks of {format_size(spec.block_size)}"
    if spec.file_size % spec.block_size:
        return (
            f"file_size: {format_size(spec.file_size)} is not a whole number of blocks of "
            f"{format_size(spec.block_size)}"
        )
    return None


def _check_streams(spec: SweepSpec) -> str | None:
    if spec.pattern != "sequential":
        return None
    if spec.load.kind == "rate_iops":
        return "load: sequential streams are not paced; raise numjobs or iodepth"
    counts = spec.load.points if spec.load.kind == "numjobs" else (spec.numjobs or 1,)
    for count in counts:
        try:
            readers_and_writers(count, spec.read_percent)
        except ValueError as problem:
            return f"{'load.points' if spec.load.kind == 'numjobs' else 'numjobs'}: {problem}"
        if not stream_bytes(spec.space.size, spec.largest_block, count):
            return f"file_size: too small to give each of {count} streams a block of its own"
    return None


def _check_pattern(spec: SweepSpec) -> str | None:
    if spec.distribution and spec.pattern != "random":
        return "distribution: sequential streams go everywhere alike; it goes with pattern: random"
    if spec.fsync_every and spec.directions == ("read",):
        return "fsync_every: the load writes nothing"
    if spec.think_time_s and (spec.load.kind == "rate_iops" or max(_depths(spec)) > 1):
        # fio empties the queue before it pauses: the depth would not be what is said
        return "think_time: a job that pauses has one I/O in flight; raise numjobs"
    return None


def _check_data(spec: SweepSpec) -> str | None:
    data = spec.data
    if data.compress_chunk and not data.compress_percent:
        return "data.compress_chunk: it goes with compress_percent"
    if data.compress_chunk and data.compress_chunk > spec.block_size:
        return "data.compress_chunk: it is larger than a block: fio compresses within blocks"
    return None


def _check_rates(spec: SweepSpec) -> str | None:
    if spec.load.kind != "rate_iops":
        return None if spec.rate_process == "linear" else "rate_process: the load is not paced"
    hosts = max(1, len(spec.hosts))
    for total in spec.load.points:
        if total % hosts:
            return f"load.points: {total} IOPS cannot be spread evenly over {hosts} hosts"
        try:
            split_rate(total // hosts, spec.numjobs or 1, spec.read_percent)
        except ValueError as problem:
            return f"load.points: {problem}"
    return None


def _check_drain(spec: SweepSpec) -> str | None:
    if spec.drain is None:
        return None
    if spec.load.kind != "rate_iops" or spec.directions != ("read",):
        return "drain: it goes with paced reads: load.kind rate_iops and read_percent 100"
    if spec.ioengine in SYNC_ENGINES and spec.drain.iodepth > 1:
        return f"drain.iodepth: {spec.ioengine} keeps one I/O in flight per job"
    if not spec.cycles:
        return "runtime: it is shorter than one drain period, so no drain would be measured"
    return None


def _check_control(spec: SweepSpec) -> str | None:
    if spec.control is not None and spec.control not in spec.load.points:
        return f"control: {spec.control} is not among the load's points"
    return None


def _check_search(spec: SweepSpec) -> str | None:
    if spec.search and (spec.pattern != "random" or spec.drain):
        return (
            "search: it goes with random I/O without a drain: streams and drains cannot be halved"
        )
    if spec.search and spec.control is not None:
        return "search: it goes without control: how many points come after it is not known before"
    return None


def _check_observe(spec: SweepSpec) -> str | None:
    names = [each.name for each in spec.observe]
    return "observe: two have one name" if len(set(names)) < len(names) else None


def _check_caches(spec: SweepSpec) -> str | None:
    if not spec.drop_caches:
        return None
    if spec.direct:
        return "drop_caches: direct I/O passes the page cache by; it goes with direct: false"
    return "drop_caches: the caches of other hosts are not reached" if spec.hosts else None


def _check_hosts(spec: SweepSpec) -> str | None:
    if len(set(spec.hosts)) < len(spec.hosts):
        return "hosts: a load generator is named twice; tell two on one host apart by their ports"
    return None


def _check_elbencho(spec: SweepSpec) -> str | None:
    if spec.engine != "elbencho":
        return None
    rounds = spec.steady_state.round_s if spec.steady_state else 1
    whole = {"runtime": spec.runtime_s, "ramp": spec.ramp_s, "steady_state.round": rounds}
    for name, seconds in whole.items():
        if seconds != int(seconds):
            return f"{name}: elbencho counts whole seconds"
    unfit = {
        "ioengine: elbencho has libaio only": spec.ioengine != "libaio",
        "block_size_max: elbencho's blocks are of one size": spec.block_size_max is not None,
        "drain: elbencho has no second load beside the first; use fio": spec.drain is not None,
        **{
            f"{name}: elbencho cannot do this; use fio": getattr(spec, name)
            for name in ("distribution", "region", "think_time_s", "fsync_every", "fio_options")
        },
        "block_mix: elbencho's blocks are of one size; use fio": spec.block_mix is not None,
        "data: elbencho writes unique, incompressible data; use fio": not spec.data.unique,
        "load: elbencho limits bytes per thread in a closed loop, which is no offered rate; use "
        "fio for rate_iops": spec.load.kind == "rate_iops",
    }
    return next((problem for problem, found in unfit.items() if found), None)


CHECKS: tuple[Callable[[SweepSpec], str | None], ...] = (
    _check_load_given_twice,
    _check_depth,
    _check_blocks,
    _check_mix,
    _check_file,
    _check_streams,
    _check_pattern,
    _check_data,
    _check_rates,
    _check_drain,
    _check_control,
    _check_search,
    _check_observe,
    _check_caches,
    _check_hosts,
    _check_elbencho,
)
"""Every check, in the order in which problems are reported.

Each returns the problem, beginning with the field's name, or None.
"""
