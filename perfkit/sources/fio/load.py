"""Which load a fio job put on the storage, as far as its options say it without doubt.

fio leaves options without a value out of its JSON, and keeps in the job what was given there: what
is not clear is null, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from perfkit.core.cautions import Caution, caution
from perfkit.core.units import format_size, parse_size
from perfkit.sources.fio.result import DIRECTIONS, Job

JOBS, HOST_JOBS = "numjobs", "host_numjobs"
GRIDS = (("iodepth", JOBS), ("iodepth", HOST_JOBS))
"""The two numbers of a load: of one host, and of several (jobs of all of them together)."""

ONE_AT_A_TIME = frozenset(
    {"psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "filecreate", "ftruncate"}
)
"""Engines that keep one I/O in flight whatever ``iodepth`` says."""

PACED = frozenset(
    {"rate", "rate_iops", "rate_min", "rate_iops_min", "thinktime", "latency_target", "flow"}
)
"""Options with which the number of I/Os in flight is not the depth."""

QUEUED_IF_DIRECT = frozenset({"libaio"})
"""Engines that queue direct I/O only: Linux serves their buffered I/O one at a time, within the
submission (fio's manual, ioengine=libaio)."""

LIMITED = PACED - {"rate_iops", "rate_min", "rate_iops_min"}
"""Options that keep a job from doing all it could; ``rate_iops`` is a load, and told as one."""

_SYNCS = ("fsync", "fdatasync", "sync_file_range", "sync", "fsync_on_close", "end_fsync")
"""Options that make writes durable, which costs time that is in no write latency."""

_OFF = frozenset({"", "0", "none"})

_UNSTEADY = PACED | {"iodepth_batch", "iodepth_batch_submit", "iodepth_low", "io_submit_mode"}


RUNTIME_SLACK = 0.1
RUNTIME_SLACK_MS = 5
"""How far the processes of one section may differ in run time."""


@dataclass(frozen=True)
class Load:
    """The load of one group of jobs; null where the options leave it open."""

    kind: str | None = None
    value: float | None = None
    in_flight: float | None = None
    target_iops: float | None = None
    target_by_direction: Mapping[str, float] | None = None
    held_kind: str | None = None
    held: float | None = None


def load_of(jobs: Sequence[Job]) -> Load:
    """The load of jobs that ran at the same time.

    ``rate_iops`` (fio: per process and direction) gives the sum as offered rate. Otherwise, of a
    single section: its ``iodepth`` if it is one process, its ``numjobs`` if its depth is 1, and of
    several processes with a depth both: the ``iodepth``, with ``numjobs`` held. Of one section that
    several hosts ran alike the jobs are those of all hosts (``host_numjobs``). A depth that is not
    given is fio's own, 1.
    """
    processes = _processes(jobs)
    if processes is None:
        return Load()
    if any("rate_iops" in job.options for job in jobs):
        return _paced(processes)
    in_flight = _in_flight(processes)
    job, count = processes[0]
    depth, hosts = _depth(job), len({own.host for own, _ in processes})
    if depth is None or len(processes) != hosts or len({work_of(own) for own, _ in processes}) > 1:
        return Load(in_flight=in_flight)
    kind, every = (JOBS, count) if hosts == 1 else (HOST_JOBS, count * hosts)
    given = "iodepth" in job.options
    if depth == 1 and (JOBS in job.options or hosts > 1) and not (given and count == 1):
        return Load(kind, float(every), in_flight)
    # a file that states all options says by leaving one out that fio's own counts
    if not (given or (job.stated and job.options)) or (count > 1 and JOBS not in job.options):
        return Load(in_flight=in_flight)
    load = Load("iodepth", float(depth), in_flight)
    return load if every == 1 else replace(load, held_kind=kind, held=float(every))


_PLACES = frozenset({"filename", "directory", "filename_format", "offset", "size", "filesize"})
"""Options that say where a job's I/O goes, which may differ between hosts of one load."""


def work_of(job: Job) -> tuple[object, ...]:
    """What a job was to do, wherever its I/O went: jobs that agree in it do the same."""
    options = ((name, value) for name, value in job.options.items() if name not in _PLACES)
    return job.name, *sorted(options)


_OF_OUTPUT = re.compile(r"write_\w*log|output.*|group_reporting")
"""Options that say where results go: two runs of one job differ in them."""


def is_of_output(option: str) -> bool:
    """Whether an option says where results go, and nothing of the work."""
    return _OF_OUTPUT.fullmatch(option) is not None


def _processes(jobs: Sequence[Job]) -> list[tuple[Job, int]] | None:
    """Each section with its number of processes, from ``numjobs`` and the rows there are.

    With group_reporting a section has one row, without it one for each process; any other number
    of rows is unclear.
    """
    sections: dict[tuple[object, ...], list[Job]] = {}
    for job in jobs:
        sections.setdefault((job.host, job.groupid, job.name), []).append(job)
    found = []
    for rows in sections.values():
        count = _number(rows[0].options.get("numjobs", "1"))
        if count is None or len(rows) not in {1, count} or not _accounted(rows, count):
            return None
        found.append((rows[0], count))
    return found


def _accounted(rows: Sequence[Job], count: int) -> bool:
    """Whether the rows are these processes and no other section was merged into them.

    job_runtime is the sum over the processes of an entry: it tells how many there were. It came
    with fio 3.8; before it the name is all that tells of a merger.
    """
    for job in rows:
        expected = count / len(rows) * max(flow.runtime_ms for flow in job.main_flows)
        given = job.node.number("job_runtime")
        slack = max(RUNTIME_SLACK * expected, RUNTIME_SLACK_MS * count)
        if job.merged_from or (given is not None and abs(given - expected) > slack):
            return False
    return True


_BLOCKS = ("bs", "blocksize", "bsrange", "blocksize_range", "bssplit")
_DEFAULT_BLOCK = 4096


def shape_of(job: Job) -> tuple[object, ...]:
    """The block sizes and depth of a job, fio's defaults included; empty where it states nothing.

    IOPS of jobs that differ in them do not add up to those of one load.
    """
    options = job.options
    if not options:
        return ()
    given = (options[name] for name in _BLOCKS if name in options)
    blocks = [_number(text) or text for text in given]
    return *(blocks or [_DEFAULT_BLOCK]), _number(options.get("iodepth", "1"))


def work_in_words(job: Job) -> tuple[str, str, str]:
    """The mode, the block size and the syncs of a job, each empty where it is not stated."""
    *blocks, _ = shape_of(job) or (None,)
    sizes = (format_size(size) if isinstance(size, int) else str(size) for size in blocks)
    words = f"{' and '.join(dict.fromkeys(sizes))} blocks" if blocks else ""
    return job.options.get("rw", job.options.get("readwrite", "")), words, syncs_of(job)


def syncs_of(job: Job) -> str:
    """How a job made its writes durable: by its options, or, where a file states none, as counted.

    A job that syncs does other work than one that does not, whatever else they share.
    """
    stated = ", ".join(_given(job, _SYNCS))
    counted = None if job.stated and job.options else job.synced_by
    return stated or counted or "no sync"


def limits_of(job: Job) -> list[str]:
    """What a job was given that keeps it from doing all it could: ``rate``."""
    return [text.partition("=")[0] for text in _given(job, sorted(LIMITED))]


def _given(job: Job, names: Sequence[str]) -> list[str]:
    options = job.options
    return [f"{name}={options[name]}" for name in names if options.get(name, "") not in _OFF]


def _number(text: str) -> int | None:
    """A whole number in fio's writing (k is 1024), or None."""
    try:
        return parse_size(text)
    except ValueError:
        return None


def _depth(job: Job) -> int | None:
    options = job.options
    if options.get("ioengine") in ONE_AT_A_TIME:
        return 1
    if "iodepth" not in options and job.ran_deeper:
        return None  # set where this file does not print it
    depth = _number(options.get("iodepth", "1"))
    # without an engine it is the platform's own, which may or may not keep the depth
    return depth if depth == 1 or "ioengine" in options else None


def _is_queued(job: Job) -> bool:
    """Whether the depth is what the storage sees: not known of buffered I/O of some engines."""
    options = job.options
    if options.get("ioengine") not in QUEUED_IF_DIRECT or _depth(job) == 1:
        return True
    return options.get("direct") == "1" or options.get("buffered") == "0"


def _in_flight(processes: Sequence[tuple[Job, int]]) -> float | None:
    unsteady = any(
        not job.stated or _UNSTEADY & job.options.keys() or job.sync or not _is_queued(job)
        for job, _ in processes
    )
    depths = [(_depth(job), count) for job, count in processes]
    if unsteady or any(depth is None for depth, _ in depths):
        return None
    return float(sum((depth or 0) * count for depth, count in depths))


def _paced(processes: Sequence[tuple[Job, int]]) -> Load:
    """``rate_iops=1500,500`` is reads, writes (, trims); one number holds for each direction."""
    offered: dict[str, float] = {}
    for job, count in processes:
        rates = _rates(job)
        if rates is None:
            return Load("rate_iops")
        for flow in job.main_flows:
            if flow.direction not in rates:
                return Load("rate_iops")
            rate = rates[flow.direction] * count
            offered[flow.direction] = offered.get(flow.direction, 0.0) + rate
    total = sum(offered.values())
    return Load("rate_iops", total, None, total, offered)


def _rates(job: Job) -> dict[str, int] | None:
    given = [_number(text) for text in job.options.get("rate_iops", "").split(",")]
    if len(given) == 1:
        given *= len(DIRECTIONS)
    known = [rate for rate in given if rate is not None]
    if len(known) < len(given):
        return None
    return dict(zip(DIRECTIONS, known, strict=False))


# ---- what names say

WORDS = {
    "iodepth": re.compile(r"(?:^|(?<!total)[^a-z])(?:iodepth|qd)[-_=]?0*(\d+)(?!\d)", re.I),
    "numjobs": re.compile(r"(?:^|[^a-z])(?:numjobs|nj)[-_=]?0*(\d+)(?!\d)", re.I),
}
_MODE = r"(?:rand)?(?:read|write|rw|trim)|readwrite|randtrimwrite"
_FIO_PLOT = re.compile(rf"^(?:{_MODE})(?:\d+)?-(\d+)-(\d+)$")
"""Mode, iodepth and jobs, in this order; some tools write them the other way round."""


def told_by(label: str) -> dict[str, float]:
    """Option -> value, as the file's name or else the nearest folder has it."""
    parts = [part.partition(".")[0] for part in reversed(PurePosixPath(label).parts)]
    found = {}
    for option, pattern in WORDS.items():
        matches = (pattern.search(part) for part in parts)
        first = next((match for match in matches if match), None)
        if first:
            found[option] = float(first[1])
    return found


_OPTION = {
    "iodepth": r"(?:iodepth|qd|(?:queue[-_ ]?)?depth)",
    "numjobs": r"(?:numjobs|nj|jobs)",
}


def without_load(name: str, load: Load) -> str:
    """A job's name without the numbers of its own load: ``randread-qd4-nj2`` is ``randread``."""
    own = {load.kind: load.value, load.held_kind: load.held}
    rest = name
    for option, words in _OPTION.items():
        value = own.get(option) or 1.0
        number = rf"(?:^|[-_ ])(?:{words}[-_=]?0*{value:g}|0*{value:g}{words})(?![a-z0-9])"
        rest = re.sub(number, "", rest, count=1, flags=re.I)
    # a name without them stays as it is: "-a" and "a" are two jobs
    return name if rest == name else rest.strip("-_ ")


def with_name(load: Load, label: str) -> tuple[Load, list[Caution]]:
    """The load of a file's only load point, with what its name adds or says against it."""
    told = told_by(label)
    own = {load.kind: load.value, load.held_kind: load.held}
    if load.kind is None:
        return _from_name(load, told, label)
    if load.kind not in WORDS:
        return load, []
    # of a load of one number the other is 1; a name may count the jobs of one host, or of all
    options = ("iodepth",) if HOST_JOBS in own else WORDS
    known = {option: own.get(option) or 1.0 for option in options}
    told = {option: value for option, value in told.items() if option in known}
    differ = any(value != known[option] for option, value in told.items())
    plain = _FIO_PLOT.match(PurePosixPath(label).name.partition(".")[0])
    if plain and not told and len(known) == len(WORDS):
        differ = sorted(map(float, plain.groups())) != sorted(known.values())
    if not differ:
        return load, []
    said = ", ".join(f"{option} {value:g}" for option, value in known.items())
    return load, [caution("name_disagrees", of=label, own=said)]


def _from_name(load: Load, told: dict[str, float], label: str) -> tuple[Load, list[Caution]]:
    if load.target_iops is not None or not told:
        return load, []
    depth, jobs = told.get("iodepth", 1.0), told.get("numjobs", 1.0)
    said = ", ".join(f"{option} {value:g}" for option, value in told.items())
    beside = [caution("load_from_name", of=label, load=said)]
    if "iodepth" not in told or (depth == 1 and jobs > 1):
        return replace(load, kind="numjobs", value=jobs), beside
    found = replace(load, kind="iodepth", value=depth)
    return found if jobs == 1 else replace(found, held_kind="numjobs", held=jobs), beside
