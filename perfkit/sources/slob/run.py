"""A SLOB run directory: settings, reports, host tools, and which file is of which load point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core.errors import ParseError, UnknownKindError, UsageError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import polars_schema
from perfkit.sources.files import file_bytes, frame, given, hash_of, reader, sections_of, text_of
from perfkit.sources.host.clock import DateOrder, dates_of
from perfkit.sources.host.columns import HOST_SERIES
from perfkit.sources.host.tables import AMBIGUOUS
from perfkit.sources.slob.files import INFO_HEAD, LATENCIES, conf_rows, db_stats_rows, info_rows
from perfkit.sources.slob.schema import AWR_INFO, CONF, DB_STATS, LOAD, POINTS, REPORT_FILES

VERSION = 1
WORKLOAD, LOAD_KIND = "slob", "threads"

HOST_TOOLS = {
    "iostat": ("devices", "cpu", "host"),
    "mpstat": ("cpu", "host"),
    "vmstat": ("samples", "host"),
    "sar": ("cpu", "devices", "io", "host_memory", "host"),
}
"""Kind -> the tables taken of it, named ``<kind>_<table>`` here. The first found gives CPU."""

REPORTS = ("awr", "statspack")
_OWN = {"slob_conf": CONF, "awr_info": AWR_INFO, "db_stats": DB_STATS}
"""The files of SLOB's own, and the table that each gives."""

_Snapshots = tuple[int, ...]
"""Database, first and last snapshot."""

_IN_NAME = re.compile(r"\.(?P<threads>\d{1,6})(?:\.(?:txt|html?|lst|out|gz))*$", re.I)
_DB_STATS = re.compile(r"db_stats\.out")
_INFO_NAME = re.compile(r"awr_info")
_HEAD = 4096


@dataclass(frozen=True)
class _File:
    """A file of the directory, and what became of it.

    ``data`` is what a general reader made of it, ``table`` that of a file of SLOB's own.
    """

    path: Path
    label: str
    kind: str | None = None
    threads: int | None = None
    threads_from: str | None = None
    reason: str | None = None
    failed: bool = False
    data: Reading | None = None
    table: pl.DataFrame | None = None
    proof: Evidence | None = None

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def load(self) -> float | None:
        return None if self.threads is None else float(self.threads)


@dataclass
class _Run:
    files: list[_File] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def of(self, *kinds: str) -> list[_File]:
        return [file for file in self.files if file.kind in kinds]


@reader
def read_slob(
    folder: Path | str,
    *,
    root: Path | None = None,
    threads: Mapping[str, int] | None = None,
    device: str | None = None,
) -> Reading:
    """Read the directory of a SLOB run, or of several whose files bear the number of threads.

    Which file is of which load point: the ``threads`` table of the caller (file name -> threads)
    counts first, then the number at the end of the name (``awr.txt.128``, ``iostat.out.64``) where
    every report has about as many sessions in calls, then what awr_info.sh printed for it; a report
    without any is of the load of another one over the same snapshots, and a host tool's file
    belongs to the only load point there is.
    ``report_files`` says for every file which it was.

    Tables:

    - ``slob_conf``: the parameters; passwords and connect strings are redacted.
    - ``report_files``: one row a file: kind, threads, what says so, or why it was not read.
    - ``awr_info``, ``db_stats``: as printed, in SI units; what awr_info.sh left empty is null.
    - ``host_series``: the common table over time, of iostat (else mpstat, else vmstat).
    - ``iostat_devices``, ``iostat_cpu``, ``mpstat_cpu``, ``vmstat_samples`` ...: with ``file`` and
      ``load``.
    - the tables of the AWR and Statspack reports, with ``source`` and ``load``, and
      ``load_points``, the common table: of one report for each load and each pair of snapshots. It
      is the global one of a cluster, else the instance's own; HTML before text. A load that is
      not known is null.

    Raises:
        ParseError: no folder, nothing of SLOB in it, or a file of SLOB that is damaged.
        UsageError: ``threads`` names a file that is not there.
    """
    place = Path(folder)
    label = proof.label(place, root)
    if not place.is_dir():
        raise ParseError(str(folder), "there is no such folder")
    listed = sorted(path for path in place.iterdir() if path.is_file() and path.name[0] != ".")
    run = _Run([_File(path, f"{label}/{path.name}") for path in listed])
    missing = sorted(set(threads or {}) - {file.name for file in run.files})
    if missing:
        raise UsageError(f"{folder}: no file {missing[0]!r} for its number of threads")
    run.files = [_read(file, root) for file in run.files]
    if not any(file.kind for file in run.files):
        raise ParseError(str(folder), "nothing of a SLOB run in it: no slob.conf, no report")
    _map(run, threads or {})
    _one_report_each(run)
    reports = [_frame(file, "report") for file in run.of(*REPORTS) if "report" in (file.data or ())]
    days = {time.date() for report in reports for time in report["begin_time"].drop_nulls()}
    run.files = [_host(file, root, device, days) for file in run.files]
    frames = _frames(run, label)
    run.warnings.extend(_warnings(run))
    parts = tuple(file.proof for file in run.files if file.proof)
    unread = [Section(f.name, "unparsed", None, f.reason) for f in run.files if f.reason]
    found = Evidence(
        kind="slob",
        path=label,
        sha256=hash_of(parts, label),
        tool="SLOB",
        sections=(*sections_of(frames), *unread),
        warnings=tuple(dict.fromkeys(run.warnings)),
        unverified=any(part.unverified for part in parts),
        parts=parts,
    )
    arguments = given(threads=dict(threads or {}), device=device or None)
    return reading("read.slob", VERSION, frames, found, arguments)


# ---- reading the files


def _read(file: _File, root: Path | None) -> _File:
    """A file with its kind, and read if it is one of SLOB's own or a report."""
    kind = _own_kind(file.path)
    if kind:
        return _read_own(file, kind)
    from perfkit import sources as parsers

    try:
        kind = parsers.kind_of(file.path)
    except ParseError as problem:
        foreign = isinstance(problem, UnknownKindError)
        reason = "of no kind that belongs to a SLOB run" if foreign else problem.problem
        return replace(file, reason=reason, failed=not foreign)
    if kind in HOST_TOOLS:
        return replace(file, kind=kind)
    if kind not in REPORTS:
        return replace(file, reason=f"{kind} is not part of a SLOB run")
    try:
        data = parsers.SOURCES[kind].read(file.path, root=root)
    except ParseError as problem:
        return replace(file, reason=f"{kind}: {problem.problem}", failed=True)
    return replace(file, kind=kind, data=data, proof=data.evidence)


def _own_kind(path: Path) -> str | None:
    if path.name == "slob.conf":
        return "slob_conf"
    if _DB_STATS.match(path.name):
        return "db_stats"
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD).lstrip()
    except OSError:
        return None  # whoever reads it next says why it cannot be read
    named = _INFO_NAME.match(path.name) and b"|" in head and not head.startswith(b"#!")
    return "awr_info" if head.startswith(INFO_HEAD.encode()) or named else None


def _read_own(file: _File, kind: str) -> _File:
    data = file_bytes(file.path, str(file.path))
    text, path = text_of(data, str(file.path)), str(file.path)
    if kind == "slob_conf":
        rows = conf_rows(text, path)
    else:
        rows = (info_rows if kind == "awr_info" else db_stats_rows)(text, path, file.name)
    # no real output of awr_info.sh was at hand
    unverified = kind == "awr_info"
    digest = proof.sha256_bytes(data)
    record = Evidence(kind, file.label, digest, tool="SLOB", unverified=unverified)
    return replace(file, kind=kind, table=frame(rows, _OWN[kind], path), proof=record)


def _host(file: _File, root: Path | None, device: str | None, days: set[date]) -> _File:
    """A host tool's file, read under the load point it is of.

    A date with two readings is that of the reports: the folder is of one run.
    """
    if file.kind not in HOST_TOOLS:
        return file
    from perfkit import sources as parsers

    labels: dict[str, str | float] = {"workload": WORKLOAD, "load_kind": LOAD_KIND, "repeat": 1}
    more: dict[str, str] = {"device": device} if device and file.kind in {"iostat", "sar"} else {}
    if file.threads is not None:
        labels["load"] = float(file.threads)
    try:
        data = parsers.SOURCES[file.kind].read(file.path, root=root, labels=labels, **more)
        order = _order(data, days) if AMBIGUOUS in data.evidence.warnings else None
        if order is not None:
            more["date_order"] = order
            data = parsers.SOURCES[file.kind].read(file.path, root=root, labels=labels, **more)
    except ParseError as problem:
        return replace(file, kind=None, reason=f"{file.kind}: {problem.problem}", failed=True)
    return replace(file, data=data, proof=data.evidence)


def _order(recording: Reading, days: set[date]) -> DateOrder | None:
    """The order of day and month in which a recording is of one of the days."""
    dates = recording["host"].frame.filter(fact="date")["value"].to_list()
    found = {order for text in dates for order, day in dates_of(text).items() if day in days}
    return found.pop() if len(found) == 1 else None


# ---- which file is of which load point


def _map(run: _Run, threads: Mapping[str, int]) -> None:
    said = _own_table(run, "awr_info").select("report", "threads").rows()
    printed = {Path(report).name: count for report, count in said}
    run.files = [_mapped(file, threads, printed, run.warnings) for file in run.files]
    _drop_numbers_of_tests(run)
    _share_snapshots(run)
    loads = {file.threads for file in run.of(*REPORTS) if file.threads is not None}
    if len(loads) == 1 and all(file.threads for file in run.of(*REPORTS)):
        only = loads.pop()
        run.files = [
            replace(file, threads=only, threads_from="the only load point")
            if file.threads is None and file.kind in {*HOST_TOOLS, "db_stats"}
            else file
            for file in run.files
        ]


def _drop_numbers_of_tests(run: _Run) -> None:
    """Take numbers in names for no threads where a report's sessions in calls are not as many.

    A thread of SLOB is one session that is always in a call, unless it thinks. So average active
    sessions (DB time by elapsed time) are above the threads only by what else the database did,
    and below them by the time that the report spans beside the run.
    """
    by_name = [file for file in run.files if file.threads_from == "file name"]
    conf = _own_table(run, "slob_conf").filter(name="THINK_TM_FREQUENCY")
    thinks = not set(conf["value"]) <= {"0", ""}
    for file in by_name:
        sessions, threads = _active_sessions(file), file.threads or 0
        if sessions is None:
            continue
        least = 0.0 if thinks or _is_part(file) else _LEAST_IN_CALLS * threads
        if not least <= sessions <= _MOST_BESIDE * threads + 1:
            run.warnings.append(
                f"the numbers in the files' names are not threads: {file.name} has "
                f"{sessions:.1f} average active sessions"
            )
            run.files = [
                replace(item, threads=None, threads_from=None) if item in by_name else item
                for item in run.files
            ]
            return


_MOST_BESIDE = 1.25
"""Average active sessions of a thread, at most: with what the database does beside the load."""

_LEAST_IN_CALLS = 0.5
"""Likewise at least: a report of which the run takes less than half is of no load point."""


def _is_part(file: _File) -> bool:
    """Whether a report is of one instance of a cluster, over which the threads are spread."""
    row = _frame(file, "report").row(0, named=True)
    return bool(row["rac"] and row["scope"] == "single")


def _active_sessions(file: _File) -> float | None:
    if file.kind not in REPORTS or "report" not in (file.data or ()):
        return None
    row = _frame(file, "report").row(0, named=True)
    db_time, elapsed = row["db_time_s"], row["elapsed_s"]
    return db_time / elapsed if db_time is not None and elapsed else None


def _share_snapshots(run: _Run) -> None:
    """Give a report without threads those of the reports over the same snapshots."""
    of_snapshots: dict[_Snapshots, dict[int, str]] = {}
    for file in run.of(*REPORTS):
        if file.threads is not None and (key := _snapshots(file)):
            of_snapshots.setdefault(key, {}).setdefault(file.threads, file.name)
    for loads in of_snapshots.values():
        if len(loads) > 1:
            names = " and ".join(loads.values())
            run.warnings.append(f"{names} are of the same snapshots, and their threads differ")
    for number, file in enumerate(run.files):
        loads = of_snapshots.get(_snapshots(file) or (), {})
        if file.threads is None and len(loads) == 1:
            [(threads, name)] = loads.items()
            run.files[number] = replace(file, threads=threads, threads_from=f"snapshots of {name}")


def _snapshots(file: _File) -> _Snapshots | None:
    """Database and snapshots of a report; None for another file, or where one is not known."""
    if file.kind not in REPORTS or "report" not in (file.data or ()):
        return None
    row = _frame(file, "report").row(0, named=True)
    found = tuple(row[name] for name in ("db_id", "snap_begin_id", "snap_end_id"))
    return None if None in found else found


def _mapped(
    file: _File, threads: Mapping[str, int], printed: Mapping[str, int | None], notes: list[str]
) -> _File:
    if file.kind is None or file.kind in {"slob_conf", "awr_info"}:
        return file
    in_name = _IN_NAME.search(file.name)
    sources = {
        "study": threads.get(file.name),
        "file name": int(in_name["threads"]) if in_name else None,
        "content": printed.get(file.name),
    }
    known = {source: count for source, count in sources.items() if count is not None}
    if len(set(known.values())) > 1:
        said = ", ".join(f"{source}: {count}" for source, count in known.items())
        notes.append(f"{file.name}: threads differ ({said}); the first counts")
    origin = next(iter(known), None)
    return file if origin is None else replace(file, threads=known[origin], threads_from=origin)


# ---- tables


def _frames(run: _Run, label: str) -> dict[str, pl.DataFrame]:
    told = ("kind", "threads", "threads_from", "reason")
    files = [{"file": f.name, **{name: getattr(f, name) for name in told}} for f in run.files]
    frames = {
        "slob_conf": _own_table(run, "slob_conf"),
        "report_files": frame(files, REPORT_FILES, label),
        "awr_info": _own_table(run, "awr_info"),
        "db_stats": _own_table(run, "db_stats"),
        "host_series": _host_series(run, label),
    }
    for kind, tables in HOST_TOOLS.items():
        for name in tables if run.of(kind) else ():
            frames[f"{kind}_{name}"] = pl.concat(
                _with_load(f, name, file=f.name) for f in run.of(kind)
            )
    reports = [file for file in run.of(*REPORTS) if file.data and not file.reason]
    names = dict.fromkeys(name for file in reports for name in file.data or ())
    for name in names:
        key = name if name not in frames else f"awr_{name}"
        having = [file for file in reports if name in (file.data or ())]
        frames[key] = pl.concat(
            [_with_load(f, name, source=f.label) for f in having], how="diagonal"
        )
    frames["load_points"] = _load_points(reports, label)
    return frames


def _own_table(run: _Run, kind: str) -> pl.DataFrame:
    """The rows of all files of one of SLOB's own kinds; a column ``load`` is the file's."""
    loads = "load" in _OWN[kind]
    tables = [pl.DataFrame(schema=polars_schema(_OWN[kind]))]
    for file in run.of(kind):
        if file.table is not None:
            load = [pl.lit(file.load, LOAD.dtype).alias("load")] if loads else []
            tables.append(file.table.with_columns(load))
    return pl.concat(tables)


def _frame(file: _File, name: str) -> pl.DataFrame:
    if file.data is None:
        raise ParseError(file.label, "was not read")
    return file.data[name].frame


def _with_load(file: _File, name: str, /, **of: str) -> pl.DataFrame:
    """A table of a file behind the columns that say which file it is, and of which load."""
    told = [pl.lit(text).alias(column) for column, text in of.items()]
    load = pl.lit(file.load, dtype=LOAD.dtype).alias("load")
    return _frame(file, name).select(*told, load, pl.all().exclude("load"))


def _host_series(run: _Run, label: str) -> pl.DataFrame:
    for kind in HOST_TOOLS:
        files = run.of(kind)
        if files:
            return pl.concat(_frame(file, "host_series") for file in files)
    return frame([], HOST_SERIES, label)


def _load_points(reports: list[_File], label: str) -> pl.DataFrame:
    """The common table: by load, then the reports whose load is not known.

    Those state their I/O, and what they do not cover, as well; only a curve has no place for them.
    """
    keys = {"workload": WORKLOAD, "load_kind": LOAD_KIND}
    frames = [
        _with_load(file, "load_points", source=file.label).with_columns(
            pl.lit(value if file.threads is not None else None, pl.String).alias(name)
            for name, value in keys.items()
        )
        for file in sorted(reports, key=lambda file: (file.threads is None, file.load or 0))
        if "load_points" in (file.data or ())
    ]
    return pl.concat(frames).select(list(POINTS)) if frames else frame([], POINTS, label)


def _one_report_each(run: _Run) -> None:
    """Of reports of one load or over the same snapshots the best counts; the others say which."""
    best: dict[object, _File] = {}
    for file in sorted(run.of(*REPORTS), key=_rank):
        best.setdefault(file.threads or _snapshots(file) or file.name, file)
    for number, file in enumerate(run.files):
        chosen = best.get(file.threads or _snapshots(file) or file.name, file)
        if file.kind in REPORTS and chosen is not file:
            reason = f"{chosen.name} counts, which is of the same load"
            # no number of it is shown, so nothing of what is to be known of them
            record = file.proof and replace(file.proof, sections=(), warnings=(), unverified=False)
            run.files[number] = replace(file, reason=reason, proof=record)


def _rank(file: _File) -> tuple[int, bool, str]:
    """A cluster's global report first, then HTML (text is rounded to fit its columns).

    Of an instance that is not a cluster the global report comes last: it lacks what its own has.
    """
    row = _frame(file, "report").row(0, named=True) if "report" in (file.data or ()) else {}
    of_global = 2 if row.get("rac") is False else 0
    place = of_global if row.get("scope") == "rac" else 1
    return (place, row.get("format") != "html", file.name)


# ---- evidence


def _warnings(run: _Run) -> Iterator[str]:
    for file in run.files:
        yield from (f"{file.name}: {text}" for text in (file.proof.warnings if file.proof else ()))
        if file.failed:
            yield f"{file.name}: not read: {file.reason}"
    # what SLOB's own scripts leave out
    for file in run.of("awr_info"):
        told = file.table.select(LATENCIES) if file.table is not None else pl.DataFrame()
        if told.height and told.null_count().sum_horizontal().item() == told.height * told.width:
            yield f"{file.name}: no latency in it (awr_info.sh prints none under mawk): null"
    for file in run.of("db_stats"):
        if file.threads and file.table is not None and file.table.height < file.threads:
            rows = file.table.height
            yield f"{file.name}: {rows} of {file.threads} threads: rows were lost"
    unknown = [file.name for file in run.of(*REPORTS) if file.threads is None]
    if unknown:
        yield f"threads not known for {', '.join(unknown)}: give threads={{file: number}}"
