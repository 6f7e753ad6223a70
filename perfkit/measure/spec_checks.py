"""What a sweep must not ask for: combinations that a tool would quietly turn into another load.

Each check gives the problem, beginning with the field's name, or None. Here stands also how a load
is divided among jobs, since what cannot be divided is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.core.units import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfkit.measure.spec import SweepSpec

SYNC_ENGINES = ("psync", "sync", "pvsync", "pvsync2")
"""fio engines with one I/O in flight per job: fio caps a deeper queue at 1 and exits with 0."""

DIRECT_ALIGNMENT = 512
"""Direct I/O works in units of the device's logical block, which is at least this many bytes."""


MIX_TOLERANCE = 0.01
"""How far whole I/Os per second may move the read share of a paced point."""


def split_rate(total: int, jobs: int, read_percent: int) -> tuple[tuple[int, int, int], ...]:
    """Divide a total rate among jobs, exactly: ``rate_iops`` is per job and per direction in fio.

    Returns ``(jobs, reads, writes)`` groups, rates in whole I/Os per second per job; over all jobs
    the sum is ``total``. Jobs differ by at most 1 in each direction. A rate of 0 stands only for a
    direction that is not asked for: to fio a 0 would mean "no limit".

    Raises ValueError when a job would be left without I/O, or when whole numbers would move the
    read share by more than ``MIX_TOLERANCE``.
    """
    reads = round(total * read_percent / 100)
    if abs(reads / total - read_percent / 100) > MIX_TOLERANCE:
        raise ValueError(f"{total} whole IOPS cannot be split into {read_percent}% reads")
    shares = {"reads": (reads, read_percent), "writes": (total - reads, 100 - read_percent)}
    for name, (rate, percent) in shares.items():
        if percent and rate < jobs:
            raise ValueError(f"{rate} {name} per second cannot be spread over {jobs} jobs")
    groups: dict[tuple[int, int], int] = {}
    for job in range(jobs):
        # the extra reads go to the first jobs and the extra writes to the last ones
        pair = (_share(reads, jobs, job), _share(total - reads, jobs, jobs - 1 - job))
        groups[pair] = groups.get(pair, 0) + 1
    return tuple((count, *pair) for pair, count in groups.items())


def _share(total: int, jobs: int, job: int) -> int:
    return total // jobs + (job < total % jobs)


def readers_and_writers(streams: int, read_percent: int) -> tuple[int, int]:
    """How many of so many sequential streams read and how many write.

    Raises ValueError when the share does not give whole streams.
    """
    readers, rest = divmod(streams * read_percent, 100)
    if rest:
        raise ValueError(
            f"{streams} sequential streams cannot be {read_percent}% readers: a stream either "
            "reads or writes"
        )
    return readers, streams - readers


def stream_bytes(spec: SweepSpec, streams: int) -> int:
    """Bytes of the file that belong to one sequential stream: whole largest blocks."""
    return spec.file_size // streams // spec.largest_block * spec.largest_block


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


def _check_file(spec: SweepSpec) -> str | None:
    if spec.largest_block > spec.file_size:
        return (
            f"file_size: {format_size(spec.file_size)} is smaller than one block of "
            f"{format_size(spec.largest_block)}"
        )
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
        if not stream_bytes(spec, count):
            return f"file_size: too small to give each of {count} streams a block of its own"
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
    if spec.load.kind != "rate_iops" or spec.read_percent != 100:  # noqa: PLR2004 - a percentage
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
        "load: elbencho limits bytes per thread in a closed loop, which is no offered rate; use "
        "fio for rate_iops": spec.load.kind == "rate_iops",
    }
    return next((problem for problem, found in unfit.items() if found), None)


CHECKS: tuple[Callable[[SweepSpec], str | None], ...] = (
    _check_load_given_twice,
    _check_depth,
    _check_blocks,
    _check_file,
    _check_streams,
    _check_rates,
    _check_drain,
    _check_control,
    _check_caches,
    _check_hosts,
    _check_elbencho,
)
"""Every check, in the order in which problems are told."""
