"""The tables that are made of others: IOPS, load points, redo, and what completes the head."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import PurePath
from typing import Any

from perfkit.core.cautions import Caution, caution, to_json
from perfkit.core.schema import Row
from perfkit.core.stats import mean_wait
from perfkit.sources.awr.checks import io_disagreements
from perfkit.sources.awr.frames import records
from perfkit.sources.awr.tidy import Data, size_of
from perfkit.sources.awr.tidy.context import rows_of

Columns = Mapping[str, Data]
"""Table -> its columns: one frame is made of each, at the end."""


def from_load_profile(profile: Data) -> Data:
    """System statistics of a report of one instance, from its load profile."""
    names = {
        "logical_reads": "logical_reads_blocks",
        "physical_reads": "physical_reads_blocks",
        "physical_writes": "physical_writes_blocks",
        "redo_size": "redo_bytes",
        "block_changes": "block_changes",
        "user_calls": "user_calls",
        "executes": "executes",
        "parses": "parses",
        "logons": "logons",
        "transactions": "transactions",
    }
    if not size_of(profile):
        return {}
    row: Data = {
        "level": [profile["level"][0]],
        "instance": [profile["instance"][0]],
        "section": ["Load Profile"],
    }
    for item in records(profile):
        ours = names.get(item["statistic"])
        if ours:
            row[f"{ours}_per_s"] = [item.get("per_s")]
            row[f"{ours}_per_transaction"] = [item.get("per_transaction")]
    return row


def completed(tables: Columns) -> Data:
    """The report with what other sections say of it: block size, CPUs, RAC's platform."""
    report = dict(tables["report"])
    if report["block_size_bytes"][0] is None:
        report["block_size_bytes"] = [_block_size(tables)]
    host = [row for row in records(tables["host_cpu"]) if row["level"] == "instance"]
    if report["scope"][0] != "rac" and len(host) == 1:
        for name in ("cpus", "cores", "sockets"):
            if report[name][0] is None:
                # where Oracle does not know it, it prints 0 beside the heading Host CPU
                report[name] = [host[0].get(name) or None]
    if report["scope"][0] != "rac":
        for name, statistic in _OS_COUNTS.items():
            if report[name][0] is None:
                value = _os_value(tables, statistic)
                report[name] = [None if not value else int(value)]
    return report


_OS_COUNTS = {"cpus": "NUM_CPUS", "cores": "NUM_CPU_CORES", "sockets": "NUM_CPU_SOCKETS"}
"""Where a report has no table of the host (10g), the OS statistics count its CPUs."""


def _os_value(tables: Columns, statistic: str) -> float | None:
    """A value of the OS statistics of the only instance."""
    rows = _by(tables["os_statistics"], "statistic", frozenset({statistic}))
    value: float | None = rows.get(statistic, {}).get("value")
    return value


def _block_size(tables: Columns) -> int | None:
    for row in records(tables["memory"]):
        if row["item"] == "block_size" and row["begin"] is not None:
            return int(row["begin"])
    for row in _named(tables["parameters"], "parameter", ("db_block_size",)):
        value = row.get("value")
        if value is not None and value.isdecimal():
            return int(value)
    return None


_ACTIVITY = {
    "total": ("physical read total {}", "physical write total {}"),
    "database": ("physical read {}", "physical write {}"),
}
_AMOUNTS = ("IO requests", "bytes")


def _activity(tables: Columns) -> dict[str, Row]:
    """The rows of Instance Activity that count I/O requests and bytes."""
    names = (name.format(what) for both in _ACTIVITY.values() for name in both for what in _AMOUNTS)
    return _by(tables["instance_activity"], "statistic", frozenset(names))


def iops_source(tables: Columns) -> Data:
    """Every source of IOPS in the report, in the order in which they are taken.

    The first is used, or of those that count the same the one with more decimals: Instance Activity
    prints hundredths where the profiles print tenths. IO by Function has counters of its own.
    Blocks per second are not a source: a request reads many.
    """
    rows = [row for row in _sources(tables) if row.iops is not None]
    same = [
        row
        for row in rows
        if row.counts == rows[0].counts and (row is rows[0] or row.section != "IO by Function")
    ]
    finest = max(same, key=_decimals, default=None)
    return _columns([replace(row, used=row is finest) for row in rows])


@dataclass(frozen=True, slots=True)
class _Iops:
    """A row of ``iops_source``."""

    level: str
    instance: int | None
    section: str
    counts: str
    iops: float | None
    read_iops: float | None
    write_iops: float | None
    used: bool = False


def _sources(tables: Columns) -> Iterator[_Iops]:
    """The sources of IOPS, in the order in which they are taken."""
    profile = _by(tables["io_profile"], "statistic")
    for counts in ("total", "database"):
        found = profile.get(f"{counts}_requests")
        if found:
            sides = [found.get(name) for name in ("read_per_s", "write_per_s")]
            yield _source("IO Profile", counts, found, sides, found.get("total_per_s"))
    load = _by(tables["load_profile"], "statistic")
    if "read_requests" in load and "write_requests" in load:
        sides = [load[name].get("per_s") for name in ("read_requests", "write_requests")]
        yield _source("Load Profile", "database", load["read_requests"], sides)
    activity = _activity(tables)
    for counts, names in _ACTIVITY.items():
        both = [activity.get(name.format("IO requests"), {}) for name in names]
        if all(both):
            sides = [row.get("per_s") for row in both]
            yield _source("Instance Activity", counts, both[0], sides)
    total = _by(_alone(tables["io_by_function"]), "function", frozenset({"Total"}))
    if "Total" in total:
        found = total["Total"]
        sides = [found.get(name) for name in ("read_iops", "write_iops")]
        yield _source("IO by Function", "total", found, sides, found.get("iops"))


def _source(
    section: str,
    counts: str,
    row: Mapping[str, Any],
    sides: Sequence[float | None],
    total: float | None = None,
) -> _Iops:
    """One source; a side that is not printed is not known, and neither then is their sum."""
    read, write = sides
    if total is None and read is not None and write is not None:
        total = read + write
    return _Iops(row["level"], row["instance"], section, counts, total, read, write)


def _decimals(row: _Iops) -> int:
    """How many decimals the report gave to reads and writes."""
    known = (value for value in (row.read_iops, row.write_iops) if value is not None)
    return max((len(repr(value).partition(".")[2]) for value in known), default=0)


def _columns(rows: Sequence[_Iops | _Redo]) -> Data:
    """Rows as the columns of a table."""
    names = [field.name for field in fields(rows[0])] if rows else []
    return {name: [getattr(row, name) for row in rows] for name in names}


def _alone(functions: Data) -> Data:
    """The rows of functions, without those of a function and a file type."""
    types = functions.get("filetype")
    if types is None:
        return functions
    return rows_of(functions, [place for place, value in enumerate(types) if value is None])


def _by(data: Data, name: str, wanted: frozenset[str] | None = None) -> dict[str, Row]:
    """The first row of each name, of all instances together or of the only one."""
    if not size_of(data):
        return {}
    several = len({mark for mark in data["instance"] if mark is not None}) > 1
    places: dict[str, int] = {}
    for place, item in enumerate(data[name]):
        asked = wanted is None or item in wanted
        if asked and (not several or data["level"][place] == "cluster"):
            places.setdefault(item, place)
    return dict(zip(places, records(data, places.values()), strict=True))


def load_points(tables: Columns, path: str, ends_in: str | None = None) -> Data:
    """The report as a load point: IOPS by the used source, bytes of the same kind, host CPU.

    The latencies are null: no section of a report gives the latency of all I/O. What the report
    does not cover stands beside it (``coverage``).
    """
    used = [row for row in records(tables["iops_source"]) if row["used"]]
    found = used[0] if used else {}
    moved = _bytes(tables, found)
    busy = _busy(tables["host_cpu"]) if size_of(tables["host_cpu"]) else _busy_times(tables)
    told = cautions(tables, PurePath(path).name, found.get("write_iops"), ends_in)
    sides = {"read": "read_iops", "write": "write_iops", "total": "iops"}
    of_all = {
        "runtime_s": tables["report"]["elapsed_s"][0],
        "cpu_busy_ratio": busy,
        "cautions": told,
    }
    return {
        "direction": list(sides),
        "iops": [found.get(name) for name in sides.values()],
        "bw_bytes_per_s": [moved.get(side) for side in sides],
        **{name: [value] * len(sides) for name, value in of_all.items()},
    }


def _bytes(tables: Columns, used: Mapping[str, Any]) -> Row:
    """Bytes per second counted like the IOPS: from the finest of the sections that state them."""
    counts = used.get("counts", "total")
    activity = _activity(tables)
    read, write = (activity.get(n.format("bytes"), {}).get("per_s") for n in _ACTIVITY[counts])
    if read is not None and write is not None:
        return {"read": read, "write": write, "total": read + write}
    profile = _by(tables["io_profile"], "statistic")
    found = profile.get(f"{counts}_bytes")
    if found:
        return {side: found.get(f"{side}_per_s") for side in ("read", "write", "total")}
    load = _by(tables["load_profile"], "statistic")
    read = load.get("read_bytes", {}).get("per_s")
    write = load.get("write_bytes", {}).get("per_s")
    if used.get("counts") != "database" or read is None or write is None:
        return {}
    return {"read": read, "write": write, "total": read + write}


def _busy_times(tables: Columns) -> float | None:
    """The busy share of the host by its times; 10g prints no table Host CPU."""
    busy, idle = (_os_value(tables, name) for name in ("BUSY_TIME", "IDLE_TIME"))
    if busy is None or idle is None or busy < 0 or idle < 0 or not busy + idle:
        return None
    return busy / (busy + idle)


def _busy(host: Data) -> float | None:
    """The busy share of the host; of several hosts, by their numbers of CPUs."""
    rows = [row for row in records(host) if row["level"] == "instance"]
    printed = [(row.get("busy_ratio"), row.get("idle_ratio")) for row in rows]
    shares = [own if own is not None or idle is None else 1 - idle for own, idle in printed]
    if len(rows) == 1:
        return shares[0]
    weights: list[Any] = [row.get("cpus") for row in rows]
    if not rows or None in shares or None in weights or not sum(weights):
        return None
    pairs = zip(shares, weights, strict=True)
    busy: float = sum((share or 0) * weight for share, weight in pairs) / sum(weights)
    return busy


_REDO = {
    "redo size": ("redo_bytes", "bytes", 1),
    "redo size for direct writes": ("redo_direct_bytes", "bytes", 1),
    "redo entries": ("redo_entries", "1", 1),
    "redo writes": ("redo_writes", "1", 1),
    "redo write time": ("redo_write_time", "s", 100),
    "redo blocks written": ("redo_blocks_written", "1", 1),
    "redo wastage": ("redo_wastage_bytes", "bytes", 1),
    "redo log space requests": ("redo_log_space_requests", "1", 1),
    "redo log space wait time": ("redo_log_space_wait_time", "s", 100),
    "redo buffer allocation retries": ("redo_buffer_allocation_retries", "1", 1),
    "redo synch writes": ("redo_synch_writes", "1", 1),
    "redo synch time": ("redo_synch_time", "s", 100),
    "log switches (derived)": ("log_switches", "1", 1),
}
"""Statistic -> our item, its unit, and how many of Oracle's units make one of it.

Times are counted in hundredths of a second (Database Reference, Statistics Descriptions).
"""
_LOG_WAITS = {
    "log file sync": "log_file_sync",
    "log file parallel write": "log_file_parallel_write",
}


@dataclass(frozen=True, slots=True)
class _Redo:
    """A row of ``redo_log``."""

    level: str
    instance: int | None
    item: str
    printed: str
    unit: str
    table: str
    total: float | None = None
    per_s: float | None = None
    mean_s: float | None = None


def redo_log(tables: Columns) -> Data:
    """What the other tables say of redo and the log files."""
    return _columns([*_redo_counts(tables), *_redo_io(tables), *_log_waits(tables)])


def _redo_counts(tables: Columns) -> Iterator[_Redo]:
    for row in _named(tables["instance_activity"], "statistic", _REDO):
        item, unit, worth = _REDO[row["statistic"]]
        hourly = row.get("per_hour")
        per_s = row.get("per_s") if hourly is None else hourly / 3600
        yield _Redo(
            level=row["level"],
            instance=row["instance"],
            item=item,
            printed=row["statistic"],
            unit=unit,
            total=_over(row.get("total"), worth),
            per_s=_over(per_s, worth),
            table="instance_activity",
        )


def _redo_io(tables: Columns) -> Iterator[_Redo]:
    for row in records(tables["io_profile"]):
        if row["statistic"].startswith("redo_"):
            yield _Redo(
                level=row["level"],
                instance=row["instance"],
                item=f"{row['statistic']}_io",
                printed=row["printed"],
                unit=row["unit"],
                per_s=row.get("total_per_s"),
                table="io_profile",
            )


def _log_waits(tables: Columns) -> Iterator[_Redo]:
    for row in _named(tables["wait_events"], "event", _LOG_WAITS):
        times = (row.get(name) for name in ("total_wait_s", "waits", "avg_wait_s"))
        yield _Redo(
            level=row["level"],
            instance=row["instance"],
            item=f"{_LOG_WAITS[row['event']]}_{row['scope']}",
            printed=row["event"],
            unit="1",
            total=row.get("waits"),
            mean_s=mean_wait(*times),
            table="wait_events",
        )


def _over(value: float | None, worth: int) -> float | None:
    return None if value is None else value / worth


def _named(data: Data, column: str, names: Container[str]) -> Iterator[Row]:
    """The rows of some names."""
    places = [place for place, item in enumerate(data.get(column, ())) if item in names]
    return records(data, places)


NEEDS = {
    "load_points": (
        "report", "iops_source", "host_cpu", "io_profile", "load_profile", "os_statistics",
        "instance_activity", "instances",
    ),
    "iops_source": ("io_profile", "load_profile", "instance_activity", "io_by_function"),
    "redo_log": ("instance_activity", "io_profile", "wait_events"),
    "system_statistics": ("load_profile",),
    "report": ("memory", "parameters", "host_cpu", "os_statistics"),
}  # fmt: skip
"""What each table is made of, beside its own sections."""


# --- what a report does not cover: its end, other instances, the root --------------------------
# A report of one instance of a cluster lacks the I/O of the others. In a container database the
# root's processes write data files and redo, so that the report of a pluggable database lists few
# writes or none. Counters begin at zero when an instance starts.

SHORT_S = 300.0
"""A shorter period has few waits, and taking the snapshots is a part of it."""

LONG_S = 7200.0
"""Means over a longer period hide its peaks."""


def cautions(
    tables: Mapping[str, Data], name: str, written_per_s: float | None, ends_in: str | None = None
) -> str | None:
    """The cautions of a report's load points, as their column holds them; None for none.

    Args:
        tables: The tables of the report.
        name: What the report is called.
        written_per_s: Its write requests per second.
        ends_in: The section in which it ends, where it is cut off.
    """
    head = next(iter(records(tables["report"])))
    cut = [] if ends_in is None else [caution("cut_off", of=name, section=ends_in)]
    found = (_coverage(tables, head, name, written_per_s), _period(tables, head, name))
    return to_json([*cut, *(one for own in found for one in own), *_disagreeing(tables, name)])


def _disagreeing(tables: Mapping[str, Data], name: str) -> Iterator[Caution]:
    for what, profile, function in io_disagreements(tables):
        yield caution(
            "io_disagrees",
            of=name,
            what=what,
            profile=f"{profile:,.0f}",
            function=f"{function:,.0f}",
        )


def _coverage(
    tables: Mapping[str, Data], head: Row, name: str, written_per_s: float | None
) -> Iterator[Caution]:
    if head.get("scope") == "pdb":
        changes = next(
            (
                row["per_s"]
                for row in records(tables["load_profile"])
                if row["statistic"] == "block_changes"
            ),
            None,
        )
        yield caution(
            "written_by_root", of=name, writes=_rate(written_per_s), changes=_rate(changes)
        )
    if head.get("rac") and head.get("scope") != "rac" and head.get("instances_total") != 1:
        yield caution("one_instance", of=name)


def _rate(value: float | None) -> str:
    return "an unknown number of" if value is None else f"{value:,.0f}"


def _period(tables: Mapping[str, Data], head: Row, name: str) -> Iterator[Caution]:
    starts = [row.get("startup_time") for row in (head, *records(tables["instances"]))]
    begin, end = head.get("begin_time"), head.get("end_time")
    if None not in (begin, end) and any(start and begin < start < end for start in starts):
        yield caution("contains_restart", of=name)
    elapsed = head["elapsed_s"]
    if elapsed is not None and elapsed < SHORT_S:
        yield caution("short_period", of=name, time=f"{elapsed / 60:.1f} min")
    if elapsed is not None and elapsed > LONG_S:
        yield caution("long_period", of=name, time=f"{elapsed / 3600:,.1f} h")
