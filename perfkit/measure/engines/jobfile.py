"""The fio job file of a point, as text: a pure function of the sweep, the point and the file name.

Every option has a value, since fio leaves flags without one out of its JSON. The load is in
sections named ``load...``, which fio merges into one result (group_reporting); each drain of an
epic-like point is a section of its own, so that its run time is the drain's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from perfkit.core.units import MIB, MS_PER_S, US_PER_S
from perfkit.formats.fio_series import COARSENESS, PREFIX
from perfkit.measure.division import readers_and_writers, split_rate, stream_bytes

if TYPE_CHECKING:
    from perfkit.measure.parts import Background, Drain
    from perfkit.measure.points import Point
    from perfkit.measure.spec import SweepSpec

Options = dict[str, str | int]

LOAD_JOB = "load"
"""The name under which fio reports the merged load; of the first target, where there are more."""

BACKGROUND_JOB = "background"
"""The name under which fio reports the load beside it."""

PERCENTILES = "50:95:99:99.9:99.99"

_RW = {
    ("random", True, False): "randread",
    ("random", False, True): "randwrite",
    ("random", True, True): "randrw",
    ("sequential", True, False): "read",
    ("sequential", False, True): "write",
}


def load_name(target: int) -> str:
    """The job under which fio reports what was done on the n-th target, from 0."""
    return f"{LOAD_JOB}-at-{target + 1}" if target else LOAD_JOB


def job_name(what: str, number: int) -> str:
    """The name of the n-th job, from 0, of several that do the same: "layout", "layout-2"."""
    return f"{what}-{number + 1}" if number else what


def drain_name(number: int) -> str:
    """The section of the n-th drain, from 1."""
    return f"drain-{number:03d}"


def fio_time(seconds: float) -> str:
    """A duration in fio's writing: whole seconds as "2s", others as "1500ms"."""
    whole = round(seconds)
    return f"{whole}s" if seconds == whole else f"{round(seconds * MS_PER_S)}ms"


def point_job(
    spec: SweepSpec,
    point: Point,
    *targets: str,
    host: int | None = None,
    background: str | None = None,
) -> str:
    """The job file of one point.

    ``targets`` are the files of each, relative to the folder fio is started in, with colons between
    them; ``background`` is the file of the load beside it. Each target's jobs are a group of their
    own, so that fio reports what each of them did.

    ``host`` is the number of a load generator among many, from 0: each has its own random sequence,
    and names of its own for its logs.
    """
    common = _common(spec, point) | _logs(spec, host)
    common["randseed"] = point.seed(spec) + (host or 0)
    sections = [("global", common)]
    for number, target in enumerate(targets):
        sections += _load_sections(spec, point, number, target)
    if spec.drain:
        sections += _drains(spec, spec.drain, targets[0])
    if spec.background and background:
        sections += _background(spec, spec.background, background, host)
    return _text(sections)


def layout_job(spec: SweepSpec, *files: tuple[str, int], host: int = 0, fill: int = 0) -> str:
    """The job file that writes each of the files (name, bytes) once, with the data of the load.

    A file that was only allocated would be read as zeros without touching the device. Each host and
    fill writes data of its own: an array would store the same data once.
    """
    first = fill * _FILL_SEEDS + host * len(files)
    sections = [
        (job_name("layout", number), _layout(spec, file, size, first + number))
        for number, (file, size) in enumerate(files)
    ]
    return _text(sections)


def _layout(spec: SweepSpec, file: str, size: int, seed: int) -> Options:
    # fio repeats whole I/Os: only blocks of the load's size repeat as the load's do
    usual = spec.block_size if spec.data.dedupe_percent else MIB
    block = min(spec.fill_block or usual, size)
    return {
        "filename": file,
        "size": size,
        "rw": "write",
        "bs": block,
        **_data(spec),
        "ioengine": spec.ioengine,
        "iodepth": 1 if "sync" in spec.ioengine else 8 * max(1, MIB // block // 32),
        "direct": int(spec.direct and block % _SECTOR == 0),
        "refill_buffers": 1,
        "randrepeat": 0,
        "randseed": spec.seed + 1 + seed,
        "end_fsync": 1,
        "thread": 1,
        "allow_file_create": 0,
    }


def verify_job(spec: SweepSpec, *files: str, reads: bool, host: int = 0) -> str:
    """The job file of a verification: all of the space is written by blocks, or read and checked.

    Each block carries its offset, the seed and a checksum; the reads come in the writes' order. A
    block of an earlier pass, or of another file or host, has another seed, and so is wrong as well.
    """
    way, first = "read" if reads else "write", spec.seed + host * len(files)
    common: Options = {
        "rw": f"rand{way}" if spec.pattern == "random" else way,
        "bs": spec.block_size,
        "size": spec.space.size,
        "offset": spec.space.start,
        "ioengine": spec.ioengine,
        "iodepth": 1 if "sync" in spec.ioengine else 8,
        "direct": int(spec.direct),
        "verify": CHECKSUM,
        "do_verify": int(reads),
        "verify_fatal": 1,
        "verify_dump": 0,
        "verify_state_save": 0,
        "randrepeat": 0,
        "end_fsync": int(not reads),
        "thread": 1,
        "allow_file_create": 0,
        **_numa(spec),
    }
    return _text(
        (job_name("verify", number), {"filename": file, **common, "randseed": first + number})
        for number, file in enumerate(files)
    )


CHECKSUM = "crc32c"
"""What fio verifies by."""

_FILL_SEEDS = 100_000
"""Seeds between two fills: more than there are files on all hosts."""

_SECTOR = 4096
"""The largest logical block of common devices: a direct write must be a multiple of it."""


def _data(spec: SweepSpec) -> Options:
    """What is written: nothing to set where it is unique and incompressible, as fio's is."""
    data = spec.data
    given = {
        "dedupe_percentage": data.dedupe_percent,
        "buffer_compress_percentage": data.compress_percent,
    }
    found: Options = {name: value for name, value in given.items() if value}
    if data.compress_percent:
        found["buffer_compress_chunk"] = data.compress_chunk or spec.block_size
    return found


def _blocks(spec: SweepSpec) -> Options:
    if spec.block_mix:
        return {"bssplit": spec.block_mix}
    if spec.block_size_max:
        return {"bsrange": f"{spec.block_size}-{spec.block_size_max}"}
    return {"bs": spec.block_size}


def _common(spec: SweepSpec, point: Point) -> Options:
    """What all sections have. No file: to fio a section's own would be a further one."""
    return {
        **({} if spec.background else _blocks(spec)),
        **_data(spec),
        **({"cpus_allowed": spec.cpus} if spec.cpus else {}),
        **_numa(spec),
        "ioengine": spec.ioengine,
        "direct": int(spec.direct),
        "thread": 1,
        "allow_file_create": 0,
        "refill_buffers": 1,
        "norandommap": 1,
        "randrepeat": 0,
        "randseed": point.seed(spec),
        "lat_percentiles": 1,
        "clat_percentiles": 1,
        "percentile_list": PERCENTILES,
        **spec.fio_options,
    }


def _numa(spec: SweepSpec) -> Options:
    if spec.numa is None:
        return {}
    memory: Options = {"numa_mem_policy": spec.numa.memory} if spec.numa.memory else {}
    return {"numa_cpu_nodes": spec.numa.nodes, **memory}


def _logs(spec: SweepSpec, host: int | None = None) -> Options:
    """Histograms over time, and the rate of each sequential stream, which these do not hold."""
    interval = round(spec.interval_s * MS_PER_S)
    prefix = PREFIX if host is None else f"{PREFIX}-{host + 1}"
    logs: Options = {
        "write_hist_log": prefix,
        "log_hist_msec": interval,
        "log_hist_coarseness": COARSENESS,
    }
    rates: Options = {"write_bw_log": prefix, "log_avg_msec": interval}
    return {**logs, **rates} if spec.pattern == "sequential" else logs


def _load_sections(
    spec: SweepSpec, point: Point, target: int, filename: str
) -> Iterator[tuple[str, Options]]:
    think_us = round(spec.think_time_s * US_PER_S)
    timing: Options = {
        "iodepth": point.iodepth(spec),
        "time_based": 1,
        "ramp_time": fio_time(spec.ramp_s),
        "runtime": fio_time(spec.runtime_s),
        "group_reporting": 1,
        **({"thinktime": think_us} if think_us else {}),
        **({"fsync": spec.fsync_every} if spec.fsync_every else {}),
    }
    # a mix of blocks cannot be undone for another job
    blocks = _blocks(spec) if spec.background else {}
    for number, part in enumerate(_parts(spec, point)):
        group: Options = {"new_group": 1} if target and not number else {}
        yield (
            job_name(load_name(target), number),
            {**group, "filename": filename, **blocks, **part, **timing},
        )


def _parts(spec: SweepSpec, point: Point) -> Iterator[Options]:
    jobs, rate = point.numjobs(spec), point.target_iops()
    if rate is not None:
        rate //= spec.parts
    if spec.pattern == "sequential":
        yield from _streams(spec, jobs)
    elif rate is not None:
        # a section for each group of jobs with the same rates, so that the sum is exact
        for count, reads, writes in split_rate(rate, jobs, spec.read_percent):
            own = f"{reads},{writes}" if reads and writes else f"{reads or writes}"
            paced: Options = {"rate_iops": own, "rate_process": spec.rate_process}
            yield {**_random(spec), "numjobs": count, **paced}
    else:
        yield {**_random(spec), "numjobs": jobs}


def _random(spec: SweepSpec) -> Options:
    rw = (
        "randtrim"
        if spec.trim
        else _RW[spec.pattern, "read" in spec.directions, "write" in spec.directions]
    )
    mix: Options = {"rwmixread": spec.read_percent} if rw == "randrw" else {}
    where: Options = {"random_distribution": spec.distribution} if spec.distribution else {}
    return {"rw": rw, **mix, **_space(spec), **where}


def _space(spec: SweepSpec) -> Options:
    """The part of each file; fio's ``size`` is of all the files of a job."""
    start = spec.space.start
    return {"size": spec.space.size * spec.files, **({"offset": start} if start else {})}


def _streams(spec: SweepSpec, streams: int) -> Iterator[Options]:
    """Readers, then writers, each stream in its own part of the file."""
    space = spec.space
    own = stream_bytes(space.size, spec.largest_block, streams)
    readers, writers = readers_and_writers(streams, spec.read_percent)
    writes = "trim" if spec.trim else "write"
    for rw, first, count in (("read", 0, readers), (writes, readers, writers)):
        if count:
            yield {
                "rw": rw,
                "size": own,
                "offset": space.start + first * own,
                "offset_increment": own,
                "numjobs": count,
            }


def _drains(spec: SweepSpec, drain: Drain, filename: str) -> Iterator[tuple[str, Options]]:
    """The k-th drain begins k periods after the end of the ramp and stops when it has written all.

    The first begins with the measurement: the last one has a whole period in it, too.
    """
    for number in range(spec.cycles or 0):
        yield (
            drain_name(number + 1),
            {
                "new_group": 1,
                "filename": filename,
                "rw": "randwrite",
                **_space(spec),
                "io_size": drain.blocks * spec.block_size,
                "iodepth": drain.iodepth,
                "startdelay": fio_time(spec.ramp_s + number * drain.period_s),
            },
        )


def _background(
    spec: SweepSpec, beside: Background, filename: str, host: int | None
) -> Iterator[tuple[str, Options]]:
    """The load beside the measured one: as long, its logs under a name of their own.

    Of many hosts each does its share of the rate.
    Reads and writes have jobs of their own: at a low rate of both, fio 3.33 may abort at the end of
    the run (``rate_ddir``).
    """
    logs = [name for name in ("write_hist_log", "write_bw_log") if name in _logs(spec)]
    prefix = BACKGROUND_JOB if host is None else f"{BACKGROUND_JOB}-{host + 1}"
    common: Options = {
        "filename": filename,
        **dict.fromkeys(logs, prefix),
        "bs": beside.block_size,
        "size": beside.file_size,
        "iodepth": beside.iodepth,
        "time_based": 1,
        "ramp_time": fio_time(spec.ramp_s),
        "runtime": fio_time(spec.runtime_s),
        "group_reporting": 1,
    }
    rate = beside.rate_iops // max(1, len(spec.hosts))
    shares = split_rate(rate, beside.numjobs, beside.read_percent)
    jobs: list[Options] = [
        {"rw": rw, "numjobs": count, "rate_iops": rate}
        for count, *rates in shares
        for rw, rate in zip(("randread", "randwrite"), rates, strict=True)
        if rate
    ]
    for number, job in enumerate(jobs):
        yield (
            job_name(BACKGROUND_JOB, number),
            {**({} if number else {"new_group": 1}), **common, **job},
        )


def _text(sections: Iterable[tuple[str, Options]]) -> str:
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in options.items())
        for name, options in sections
    )
