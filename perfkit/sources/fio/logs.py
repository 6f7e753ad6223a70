"""fio's logs over time: ``NAME_bw.1.log``, ``_iops``, ``_lat``, ``_slat``, ``_clat``, histograms.

Each row is ``time (ms), value, direction, block size`` and, by version and options, offset,
priority and time of issue. With ``log_avg_msec`` a value is the mean of a window, and the block
size 0; else it is that of one I/O. Source: fio's HOWTO, "Log File Formats"; stat.c (flush_samples,
flush_hist_samples) from 2.1 to 3.42.

A log says neither its unit of latency nor whose it is. The result beside it does: it has fio's
version, and in its job options the prefix of the logs (``write_lat_log=PREFIX``). Runners that
gather the logs of many hosts keep them in folders below the result's (``clients/HOST``).
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import schema
from perfkit.core.errors import ParseError, UsageError
from perfkit.core.lineage import Reading, reading
from perfkit.core.units import KIB, MS_PER_S, NS_PER_S
from perfkit.formats.fio_series import bucket_edges
from perfkit.sources.files import (
    GZIP,
    File,
    encoding_of,
    evidence_of_many,
    file_bytes,
    frame,
    given,
    reader,
    sections_of,
    text_of,
)
from perfkit.sources.fio import schema as fio_schema
from perfkit.sources.fio.latency import NS_PER_US, dialect_of

VERSION = 1

UNITS_NS = {"ns": 1, "us": NS_PER_US}
DIRECTIONS = {0: "read", 1: "write", 2: "trim"}

_NAME = re.compile(
    r"^(?P<stem>.+?)_(?P<log>bw|iops|slat|clat|lat|clat_hist|hist)(?:\.(?P<job>\d+))?\.log(?:\.gz)?$"
)
_VALUE_ROW = re.compile(r"^\d+, *-?\d+, *[0-2], *\d+(?:, *(?:0x)?[0-9a-f]+){0,3}\s*$")
_BOTH_ROW = re.compile(r"^\d+, *-?\d+, *-?\d+, *[0-2], *\d+(?:, *(?:0x)?[0-9a-f]+){1,3}\s*$")
_BINS_ROW = re.compile(r"^\d+, *[0-2], *\d+(?:, *\d+){19,}\s*$")
_LOOKED_AT = 3

_GROUPS = {29 * 64: 1, 19 * 64: NS_PER_US}
"""Counters of a histogram row at full resolution -> its unit in ns: fio 3 has 29 groups of 64
buckets, of ns, and fio 2 19, of us (FIO_IO_U_PLAT_GROUP_NR of its stat.h)."""

_MOST_COARSE = 6


def is_fio_log(head: str) -> bool:
    """Whether a text begins with rows of one of fio's logs."""
    lines = [line for line in head.split("\n", _LOOKED_AT + 1)[:_LOOKED_AT] if line.strip()]
    forms = (_VALUE_ROW, _BOTH_ROW, _BINS_ROW)
    # a histogram's row may be longer than what is looked at
    whole = lines[:-1] if len(lines) > 1 and "\n" not in head[len("\n".join(lines)) :] else lines
    return bool(whole) and any(all(form.match(line) for line in whole) for form in forms)


# ---- the results beside a log

_FIO_VERSION = re.compile(r'"fio version"\s*:\s*"fio-(\d+)\.(\d+)')
_PREFIX = re.compile(r'"write_(?:bw|lat|iops|hist)_log"\s*:\s*"([^"]+)"')
_JOBS = re.compile(r'"numjobs"\s*:\s*"(\d+)"')

_ABOVE = 2
"""In how many folders above a log without a result beside it one is looked for."""

_LARGEST = 64 * 2**20
_HEAD = 64 * 1024
_OTHERS = frozenset({".log", ".fio", ".png", ".svg", ".pdf", ".yml", ".md", ".py", ".sh"})


@dataclass(frozen=True)
class Result:
    """What a log has from a result: ``ns`` is the unit of its latencies, in ns.

    ``jobs`` is the number of processes, None where the result does not state one for all.
    """

    path: Path
    prefixes: frozenset[str]
    ns: int
    jobs: int | None


@dataclass(frozen=True)
class Owner:
    """Whose a log is: each None where the results beside it leave it open."""

    result: Path | None
    ns: int | None
    jobs: int | None


def owner_of(log: Path, stem: str) -> Owner:
    """The owner of a log, by its place (the same folder) and its name without kind and job.

    A result above, which may be of many hosts with jobs of the same numbers, tells the unit alone:
    where no result lies beside the log, the nearest above that names it.
    """
    results = results_in(log.parent)
    named = [result for result in results if stem in result.prefixes]
    units = {result.ns for result in named or results}
    for folder in log.parents[1 : _ABOVE + 1] if not results else ():
        units = units or {item.ns for item in results_in(folder) if stem in item.prefixes}
    return Owner(
        named[0].path if len(named) == 1 else None,
        units.pop() if len(units) == 1 else None,
        named[0].jobs if len(named) == 1 else None,
    )


def results_in(folder: Path) -> tuple[Result, ...]:
    """The results in a folder, without those in folders below it."""
    changed_ns = folder.stat().st_mtime_ns
    is_settled = time.time_ns() - changed_ns > _SETTLED_NS
    names = (_no_logs if is_settled else _no_logs.__wrapped__)(folder, changed_ns)
    found = []
    for path in names:
        try:
            state = path.stat()
        except OSError:  # a link that leads nowhere
            continue
        result = _result(path, state.st_mtime_ns, state.st_size) if S_ISREG(state.st_mode) else None
        if result is not None:
            found.append(result)
    return tuple(found)


_SETTLED_NS = 2 * 10**9
"""A folder that changed within this time may change again without another time of its own."""


@lru_cache(maxsize=64)
def _no_logs(folder: Path, _changed: int) -> list[Path]:
    """What may be a result in a folder, which is asked for each of its logs."""
    return sorted(path for path in folder.iterdir() if path.suffix not in _OTHERS)


@lru_cache(maxsize=4096)
def _result(path: Path, _changed: int, size: int) -> Result | None:
    """What a result states; when it was changed is part of the key under which that is kept."""
    if size > _LARGEST:
        return None
    try:
        head = file_bytes(path, path.name, _HEAD)
        is_plain = not head.startswith(GZIP) and encoding_of(head) != "utf-16"
        if is_plain and b'"fio version"' not in head:
            return None
        text = text_of(file_bytes(path, path.name), path.name)
    except ParseError:
        return None
    version = _FIO_VERSION.search(text, 0, _HEAD)
    if version is None:
        return None
    jobs = set(_JOBS.findall(text)) or {"1"}
    return Result(
        path,
        frozenset(Path(prefix).name for prefix in _PREFIX.findall(text)),
        NS_PER_US if dialect_of(int(version[1]), int(version[2])).in_us else 1,
        int(jobs.pop()) if len(jobs) == 1 else None,
    )


# ---- the log


@dataclass(frozen=True)
class _Log:
    """What the name of a log says, and whose it is."""

    file: File
    kind: str
    job: int | None
    owner: Owner

    @classmethod
    def of(cls, file: File) -> _Log:
        """Raises ParseError where the name does not say what is logged."""
        path = Path(file.path)
        match = _NAME.match(path.name)
        if match is None:
            raise ParseError(
                file.path,
                "a fio log, and its name does not say of what: it ends in _bw.log, _iops.1.log, "
                "_lat, _slat, _clat or _clat_hist as fio names it",
            )
        job = match["job"]
        return cls(
            file, match["log"], None if job is None else int(job), owner_of(path, match["stem"])
        )


@reader
def read_fio_log(
    path: Path | str, *, root: Path | None = None, latency_unit: str | None = None
) -> Reading:
    """Read one of fio's logs over time: a series, no result.

    Table ``fio_logs``: one row an entry, with the rate or the latency that the log is of.
    ``fio_log_histogram``: one row an interval and bucket, of a histogram log.

    The log's result is the one in the same folder whose job options name it. Whether latencies are
    ns (fio 3) or us (fio 2) is told by the results in the folder, or by ``latency_unit``; else they
    stay null, with a warning.

    Raises:
        ParseError: A name that does not say what was logged, or a row that is none, with its line.
        UsageError: A ``latency_unit`` that is neither "ns" nor "us".
    """
    if latency_unit not in {None, *UNITS_NS}:
        raise UsageError(f"latency_unit {latency_unit!r}: fio writes ns (fio 3) or us (fio 2)")
    file = File.of(path, root)
    log = _Log.of(file)
    unit = UNITS_NS[latency_unit] if latency_unit else log.owner.ns
    frames = {
        "fio_logs": frame([], fio_schema.FIO_LOGS, file.label),
        "fio_log_histogram": frame([], fio_schema.FIO_LOG_HISTOGRAM, file.label),
    }
    if log.kind.endswith("hist"):
        frames["fio_log_histogram"] = _histogram(log, root)
    else:
        frames["fio_logs"] = _values(log, unit, root)
    warnings = tuple(_warnings(log, unit))
    found = file.evidence("fio-log", "fio", sections=sections_of(frames), warnings=warnings)
    return reading("read.fio_log", VERSION, frames, found, given(latency_unit=latency_unit))


def read_fio_logs(paths: Sequence[Path | str], *, root: Path | None = None) -> Reading:
    """Read many of fio's logs as one, each a part of the evidence; ``file`` tells their rows apart.

    Raises:
        ParseError: As ``read_fio_log``, for the first log that cannot be read.
        UsageError: No path was given.
    """
    if not paths:
        raise UsageError("no log was named")
    found = [read_fio_log(path, root=root) for path in paths]
    tables = {
        name: pl.concat(
            one[name].frame.with_columns(pl.lit(one.evidence.path).alias("file")) for one in found
        )
        for name in ("fio_logs", "fio_log_histogram")
    }
    parts = [one.evidence for one in found]
    sections = sections_of(tables)
    whole = evidence_of_many("fio logs", parts, paths, root, tool="fio", sections=sections)
    return reading("read.fio_logs", VERSION, tables, whole)


def _warnings(log: _Log, unit: int | None) -> Iterator[str]:
    if unit is None and log.kind.endswith("lat"):
        yield (
            "no one version of fio beside this log: whether its latencies are ns (fio 3) or us "
            "(fio 2) is not known, and they are null; say latency_unit"
        )
    if log.owner.result is None:
        yield "no one result beside this log names it in its job options"


def _values(log: _Log, unit: int | None, root: Path | None) -> pl.DataFrame:
    """The rows of a log of values."""
    raw = _columns(log.file)
    per_unit = {"bw": KIB, "iops": 1}.get(log.kind, None if unit is None else unit / NS_PER_S)
    # of a rate, one I/O alone has none: fio writes 1
    alone = pl.col("block") > 0
    value = pl.col("value") * pl.lit(per_unit, pl.Float64)
    rows = raw.select(
        line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64),
        t_s=pl.col("t_ms") / MS_PER_S,
        direction=pl.col("direction").replace_strict(DIRECTIONS, return_dtype=pl.String),
        single_io=alone,
        bw_bytes_per_s=value if log.kind == "bw" else None,
        iops=pl.when(~alone).then(value) if log.kind == "iops" else None,
        latency_s=value if log.kind.endswith("lat") else None,
    )
    return _finished(rows, log, root, fio_schema.FIO_LOGS)


def _columns(file: File) -> pl.DataFrame:
    """Time, value, direction and block size of each row.

    With ``log_window_value=both`` the largest value stands behind the mean, and is left out.
    """
    text = file.text()
    rows = text.rstrip()  # an editor may have left blank lines below them
    lines = rows.splitlines()
    form = _BOTH_ROW if lines and not _VALUE_ROW.match(lines[0]) else _VALUE_ROW
    for number, line in enumerate(lines, start=1):
        if not form.match(line):
            cut = number == len(lines) and not text.endswith("\n")
            cure = (
                ": the file is cut off in it; remove that line, or copy the log anew" if cut else ""
            )
            raise ParseError(file.path, f"{line[:60]!r} is not a row of a fio log{cure}", number)
    places = [0, 1, 3, 4] if form is _BOTH_ROW else [0, 1, 2, 3]
    raw = pl.read_csv(
        io.BytesIO(rows.replace(" ", "").encode()),
        has_header=False,
        columns=places,
        infer_schema=False,
    )
    raw.columns = ["t_ms", "value", "direction", "block"]
    return raw.cast(pl.Int64)


def _histogram(log: _Log, root: Path | None) -> pl.DataFrame:
    """The buckets that are not empty, of each row of a histogram log."""
    rows = []
    for number, line in enumerate(log.file.text().rstrip().splitlines(), start=1):
        if not _BINS_ROW.match(line):
            raise ParseError(
                log.file.path, f"{line[:60]!r} is not a row of a fio histogram log", number
            )
        time, direction, _, *counts = (int(cell) for cell in line.split(","))
        ns, coarseness = _scheme(len(counts), log.file.path, number)
        for bucket, count in enumerate(counts):
            if count:
                lower, upper = bucket_edges(bucket, coarseness)
                rows.append(
                    (
                        number,
                        time / MS_PER_S,
                        DIRECTIONS[direction],
                        lower * ns / NS_PER_S,
                        upper * ns / NS_PER_S,
                        count,
                    )
                )
    names = ("line", "t_s", "direction", "lower_s", "upper_s", "count")
    types = {name: fio_schema.FIO_LOG_HISTOGRAM[name].dtype for name in names}
    return _finished(
        pl.DataFrame(rows, schema=types, orient="row"), log, root, fio_schema.FIO_LOG_HISTOGRAM
    )


def _scheme(counters: int, path: str, line: int) -> tuple[int, int]:
    """The unit in ns and the coarseness of a histogram with so many counters."""
    for full, ns in _GROUPS.items():
        for coarseness in range(_MOST_COARSE + 1):
            if counters == full >> coarseness:
                return ns, coarseness
    raise ParseError(path, f"{counters} counters in a row: not a histogram of fio 2 or 3", line)


def _finished(
    rows: pl.DataFrame, log: _Log, root: Path | None, table: schema.Schema
) -> pl.DataFrame:
    """The rows with what is the same in all of them."""
    owner = log.owner
    result = None if owner.result is None else proof.label(owner.result, root)
    same = {"log": log.kind, "job": log.job, "result": result, "jobs": owner.jobs}
    if log.job is not None:
        # the logs of two runs in one file
        back = rows.filter(pl.col("t_s").diff().over("direction") < 0)
        if not back.is_empty():
            raise ParseError(
                log.file.path, "time goes back: a second log begins here", back["line"][0]
            )
    made = rows.with_columns(
        pl.lit(value, table[name].dtype).alias(name) for name, value in same.items()
    )
    return schema.conform(made, table, log.file.label)
