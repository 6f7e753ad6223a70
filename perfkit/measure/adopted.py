"""A fio job file of the user's as a sweep: what its options mean in perfkit's fields.

Each option is a field, one of ``engines.fio_options.ALLOWED``, or one that perfkit has its own way
with (what is written down, how jobs are reported). Any other is refused with its line: perfkit's
safety, acceptance and record hold for what it knows.

Format: fio's HOWTO (3.42), "Job file format".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core.errors import StudyError, UsageError
from perfkit.core.units import parse_duration, parse_size
from perfkit.measure.engines.fio_options import ALLOWED, check_option
from perfkit.measure.shape import WHOLE

ENDINGS = (".fio", ".job")
"""Files that are taken for job files."""

_OWN = frozenset({
    "name", "description", "group_reporting", "thread", "time_based", "stonewall", "norandommap",
    "refill_buffers", "allow_file_create", "lat_percentiles", "clat_percentiles",
    "slat_percentiles", "percentile_list", "write_bw_log", "write_lat_log", "write_iops_log",
    "write_hist_log", "log_avg_msec", "log_hist_msec", "log_hist_coarseness", "per_job_logs",
    "log_unix_epoch", "disk_util", "randrepeat", "end_fsync", "create_serialize", "fallocate",
    "unlink", "overwrite", "create_on_open", "fsync_on_close", "wait_for_previous", "exitall",
})  # fmt: skip
"""Options that perfkit sets its own way: it lays the target out and writes its own result."""

_TOGETHER = frozenset({
    "rwmixread", "rwmixwrite", "offset", "dedupe_percentage", "buffer_compress_percentage",
    "buffer_compress_chunk", "rate_iops", "iodepth", "numjobs", "numa_cpu_nodes",
    "numa_mem_policy",
})  # fmt: skip
"""Options that mean something with others: see ``_mix``, ``_region`` and so on."""

_RW = {
    "read": ("sequential", 100), "write": ("sequential", 0), "rw": ("sequential", None),
    "readwrite": ("sequential", None), "randread": ("random", 100), "randwrite": ("random", 0),
    "randrw": ("random", None), "trim": ("sequential", 0), "randtrim": ("random", 0),
}  # fmt: skip
Fields = dict[str, Any]
"""Fields of a sweep, as a study gives them."""

Take = Callable[[str], Fields]
"""The fields that an option's value says."""

_DEFAULTS: Fields = {
    "pattern": "sequential", "read_percent": 100, "block_size": "4k", "ioengine": "psync",
    "direct": False, "ramp": 0,
}  # fmt: skip
"""What fio does where the job does not say."""

_HALF = 50
"""fio's share of reads in a mix that names none."""


@dataclass(frozen=True)
class Option:
    """A line of a job file."""

    name: str
    value: str
    line: int

    def count(self) -> int:
        """Its whole number; ValueError for any other."""
        if not self.value.isdecimal():
            raise ValueError(f"{self.name}: {self.value!r} is not a whole number")
        return int(self.value)


def adopt(path: Path) -> Fields:
    """The fields of a sweep that say what a job file says.

    Raises StudyError with the line of the first option that perfkit does not take, of a second job,
    or where no job is; UsageError where the file cannot be read.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{path}: {getattr(problem, 'strerror', None) or problem}") from problem
    options = _options(path, text)
    name = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "job-file"
    fields: Fields = {"workload": name, "job_file": path.name, **_DEFAULTS}
    try:
        for option in options.values():
            fields |= _said(option)
        own = {
            o.name: o.value for o in options.values() if o.name in ALLOWED and o.name not in _FIELDS
        }
        fields |= {"fio_options": own} if own else {}
        for together in (_mix, _region, _groups, _load):
            fields |= together(fields, options)
    except ValueError as problem:
        text = str(problem)
        line = next((o.line for o in options.values() if text.startswith(f"{o.name}: ")), None)
        raise StudyError(path, text, line) from problem
    if "block_mix" in fields:
        del fields["block_size"]
    return fields


def _options(path: Path, text: str) -> dict[str, Option]:
    """Every option of the one job, those of [global] among them."""
    found: dict[str, Option] = {}
    jobs: list[str] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        section = re.fullmatch(r"\[(.+)\]", line)
        if section:
            jobs += [section[1]] if section[1] != "global" else []
            if len(jobs) > 1:
                raise StudyError(
                    path,
                    "a second job: a sweep measures one load, so make one for each",
                    number,
                )
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        if name.startswith("include ") or "${" in value or "$" in name:
            raise StudyError(path, f"{line[:60]!r}: includes and variables are not read", number)
        found[name] = Option(name, value if sign else "1", number)
    if not jobs:
        raise StudyError(path, "no job: a section such as [load] was expected")
    return found


def _said(option: Option) -> Fields:
    """What an option says by itself; ValueError for one that is not taken."""
    name = option.name
    if name in _FIELDS:
        return _FIELDS[name](option.value)
    if name in ("filename", "directory"):
        raise ValueError(f"{name}: leave it out; --target names what is measured")
    if name not in _OWN and name not in _TOGETHER:
        check_option(name)
    return {}


def _plain(field: str) -> Take:
    return lambda value: {field: value}


def _flag(field: str, *, is_set: bool = True) -> Take:
    return lambda value: {field: (value != "0") == is_set}


def _one_size(value: str) -> Fields:
    if "," in value:
        raise ValueError(f"bs: {value!r}: perfkit uses one block size for reads and writes")
    return {"block_size": value}


def _sizes(value: str) -> Fields:
    low, sign, high = value.partition("-")
    if not sign or "," in value:
        raise ValueError(f"bsrange: {value!r} is not a range such as 4k-64k")
    return {"block_size": low, "block_size_max": high}


def _block_mix(value: str) -> Fields:
    if "," in value:
        raise ValueError(f"bssplit: {value!r}: perfkit uses one mix for reads and writes")
    return {"block_mix": value}


def _pattern(value: str) -> Fields:
    if value not in _RW:
        raise ValueError(f"rw: {value!r} is not measured; {', '.join(_RW)} are")
    pattern, reads = _RW[value]
    trims = {"trim": True} if value.endswith("trim") else {}
    return {"pattern": pattern, "read_percent": reads, **trims}


_FIELDS: dict[str, Take] = {
    "rw": _pattern, "readwrite": _pattern, "bs": _one_size, "blocksize": _one_size,
    "bsrange": _sizes, "bssplit": _block_mix, "ioengine": _plain("ioengine"),
    "direct": _flag("direct"), "buffered": _flag("direct", is_set=False),
    "size": _plain("file_size"), "filesize": _plain("file_size"), "runtime": _plain("runtime"),
    "timeout": _plain("runtime"), "ramp_time": _plain("ramp"),
    "rate_process": _plain("rate_process"), "cpus_allowed": _plain("cpus"),
    # a plain number is in microseconds
    "thinktime": lambda value: {
        "think_time_s": parse_duration(f"{value}us" if value.isdecimal() else value)
    },
    "fsync": lambda value: {} if value == "0" else {"fsync_every": value},
    "random_distribution": lambda value: {} if value == "random" else {"distribution": value},
    "randseed": _plain("seed"),
}  # fmt: skip
"""fio's option -> the fields that say it."""


def _mix(fields: Fields, options: Mapping[str, Option]) -> Fields:
    """The share of reads of a mix: rwmixread, the rest of rwmixwrite, or fio's half."""
    if fields["read_percent"] is not None:
        return {}
    share = _HALF
    if "rwmixwrite" in options:
        share = WHOLE - options["rwmixwrite"].count()
    if "rwmixread" in options:
        share = options["rwmixread"].count()
    return {"read_percent": share}


def _region(fields: Fields, options: Mapping[str, Option]) -> Fields:
    start = parse_size(options["offset"].value) if "offset" in options else 0
    if not start or "file_size" not in fields:
        return {}
    size = parse_size(fields["file_size"])
    return {"region": {"start": start, "size": size}, "file_size": start + size}


_GROUPS = {
    "numa": {"numa_cpu_nodes": "nodes", "numa_mem_policy": "memory"},
    "data": {
        "dedupe_percentage": "dedupe_percent",
        "buffer_compress_percentage": "compress_percent",
        "buffer_compress_chunk": "compress_chunk",
    },
}
"""Field with parts -> fio's options, and the part that each says."""


def _groups(_fields: Fields, options: Mapping[str, Option]) -> Fields:
    said = {
        field: {
            part: options[name].value
            for name, part in parts.items()
            if name in options and (field, options[name].value) != ("data", "0")
        }
        for field, parts in _GROUPS.items()
    }
    return {field: parts for field, parts in said.items() if parts}


def _load(fields: Fields, options: Mapping[str, Option]) -> Fields:
    """One load point: the offered rate, else the depth, else the jobs; ``load`` may replace it."""
    jobs, depth, rate = (
        options[name].count() if name in options else None
        for name in ("numjobs", "iodepth", "rate_iops")
    )
    if rate is not None:
        if fields["read_percent"] not in {0, WHOLE}:
            raise ValueError("rate_iops: fio holds reads and writes each to it, not their sum")
        return {"load": {"rate_iops": [rate * (jobs or 1)]}, "numjobs": jobs, "iodepth": depth}
    if depth and depth > 1:
        return {"load": {"iodepth": [depth]}, "numjobs": jobs}
    return {"load": {"numjobs": [jobs or 1]}}
