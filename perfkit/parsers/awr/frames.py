"""What the sections gave, as the tables of the reading, and the tables that are made of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from perfkit import schema as common
from perfkit.parsers.awr import schema
from perfkit.parsers.awr.tidy import Data, size_of

Frames = dict[str, pl.DataFrame]

_SECONDS_KEY = ["level", "instance", "statistic"]


def frame(table: str, chunks: Iterable[Data]) -> pl.DataFrame:
    """The chunks of a table below one another, with exactly the columns of its schema."""
    fields = schema.TABLES[table]
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    for chunk in chunks:
        size = size_of(chunk)
        for name in columns:
            columns[name] += chunk.get(name) or [None] * size
    return pl.DataFrame(columns, schema=common.polars_schema(fields))


def finished(table: str, chunks: list[Data]) -> pl.DataFrame:
    """A table of the sections: merged, ranked and without what stands in it twice."""
    if table == "parameters":
        chunks = _whole_parameters(chunks)
    made = frame(table, chunks)
    if table in ("time_model", "wait_classes"):
        return _merged(made, table)
    if table == "system_statistics":
        return _coalesced(made, ["level", "instance", "section"])
    if table == "instance_activity":
        keys = ["level", "instance", "kind", "statistic"]
        return made.unique(keys, keep="first", maintain_order=True)
    if table in _RANKED:
        place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(_RANKED[table])
        return made.with_columns(place.alias("rank"))
    return made


_RANKED = {"top_events": ["scope", "level", "instance"], "sql": ["ordered_by"]}


def _merged(made: pl.DataFrame, table: str) -> pl.DataFrame:
    """RAC prints times and shares in two tables: one row for both."""
    keys = _SECONDS_KEY if table == "time_model" else ["level", "instance", "scope", "wait_class"]
    return _coalesced(made, keys)


def _coalesced(made: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    if made.select(keys).is_duplicated().any():
        rest = [name for name in made.columns if name not in keys]
        merged = made.group_by(keys, maintain_order=True).agg(
            pl.col(name).drop_nulls().first() for name in rest
        )
        return merged.select(made.columns)
    return made


def _whole_parameters(chunks: list[Data]) -> list[Data]:
    """The first value of a parameter with several stands in init.ora too: the whole list counts."""
    several = {
        (name, mark)
        for chunk in chunks
        for name, mark, multi in zip(
            chunk["parameter"], chunk["instance"], chunk["multi"], strict=True
        )
        if multi
    }
    kept = []
    for chunk in chunks:
        keep = [
            place
            for place, multi in enumerate(chunk["multi"])
            if multi or (chunk["parameter"][place], chunk["instance"][place]) not in several
        ]
        kept.append({name: [values[place] for place in keep] for name, values in chunk.items()})
    return kept


def from_load_profile(profile: pl.DataFrame) -> pl.DataFrame:
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
    if profile.is_empty():
        return frame("system_statistics", [])
    row: dict[str, list[Any]] = {
        "level": [profile["level"][0]],
        "instance": [profile["instance"][0]],
        "section": ["Load Profile"],
    }
    for item in profile.iter_rows(named=True):
        ours = names.get(item["statistic"])
        if ours:
            row[f"{ours}_per_s"] = [item["per_s"]]
            row[f"{ours}_per_transaction"] = [item["per_transaction"]]
    return frame("system_statistics", [row])


def completed(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The report with what other sections say of it: block size, CPUs, RAC's platform."""
    report = frames["report"]
    values: dict[str, Any] = {}
    memory = frames["memory"].filter(pl.col("item") == "block_size")["begin"].drop_nulls()
    size = frames["parameters"].filter(pl.col("parameter") == "db_block_size")["value"]
    own = [text for text in size.drop_nulls() if text.isdigit()]
    if report["block_size_bytes"][0] is None:
        values["block_size_bytes"] = int(memory[0]) if len(memory) else int(own[0]) if own else None
    host = frames["host_cpu"].filter(pl.col("level") == "instance")
    if report["scope"][0] != "rac" and host.height == 1:
        for name in ("cpus", "cores", "sockets"):
            if report[name][0] is None:
                # where Oracle does not know it, it prints 0 beside the heading Host CPU
                values[name] = host[name][0] or None
    return report.with_columns(
        pl.lit(value, dtype=report.schema[name]).alias(name) for name, value in values.items()
    )


_ACTIVITY = (
    ("total", "physical read total IO requests", "physical write total IO requests"),
    ("database", "physical read IO requests", "physical write IO requests"),
)


def iops_source(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Every source of IOPS in the report, in the order in which they are taken; the first is used.

    Blocks per second are no source: a request reads many.
    """
    rows: list[dict[str, Any]] = []
    profile = _by(frames["io_profile"], "statistic")
    for counts in ("total", "database"):
        found = profile.get(f"{counts}_requests")
        if found:
            rows.append(_source("IO Profile", counts, found, "total_per_s", found["read_per_s"],
                                found["write_per_s"]))  # fmt: skip
    load = _by(frames["load_profile"], "statistic")
    if "read_requests" in load and "write_requests" in load:
        read, write = load["read_requests"], load["write_requests"]
        rows.append(_source("Load Profile", "database", read, None, read["per_s"], write["per_s"]))
    activity = _by(frames["instance_activity"], "statistic")
    for counts, reads, writes in _ACTIVITY:
        if reads in activity and writes in activity:
            read, write = activity[reads], activity[writes]
            rows.append(
                _source("Instance Activity", counts, read, None, read["per_s"], write["per_s"])
            )
    total = _by(frames["io_by_function"].filter(pl.col("filetype").is_null()), "function")
    if "Total" in total:
        found = total["Total"]
        rows.append(_source("IO by Function", "total", found, "iops", found["read_iops"],
                            found["write_iops"]))  # fmt: skip
    rows = [row for row in rows if row["iops"] is not None]
    for place, row in enumerate(rows):
        row["used"] = place == 0
    return frame("iops_source", [{name: [row[name]] for name in row} for row in rows])


def _by(made: pl.DataFrame, name: str) -> dict[str, dict[str, Any]]:
    """The first row of each name, of all instances together or of the only one."""
    rows: dict[str, dict[str, Any]] = {}
    several = made["instance"].drop_nulls().n_unique() > 1
    for row in made.iter_rows(named=True):
        if row["level"] == "cluster" or not several:
            rows.setdefault(row[name], row)
    return rows


def _source(  # noqa: PLR0917
    source: str,
    counts: str,
    row: Mapping[str, Any],
    total: str | None,
    read: float | None,
    write: float | None,
) -> dict[str, Any]:
    """One source; a side that is not printed is not known, and neither then is their sum."""
    iops = row[total] if total else None
    if iops is None and read is not None and write is not None:
        iops = read + write
    return {
        "level": row["level"],
        "instance": row["instance"],
        "section": source,
        "counts": counts,
        "iops": iops,
        "read_iops": read,
        "write_iops": write,
    }


def load_points(frames: Mapping[str, pl.DataFrame], path: str) -> pl.DataFrame:
    """The report as a load point: IOPS by the used source, bytes of the same kind, host CPU.

    The latencies are null: no section of a report gives the latency of all I/O.
    """
    report = frames["report"].row(0, named=True)
    used = frames["iops_source"].filter(pl.col("used")).to_dicts()
    found = used[0] if used else {}
    moved = _bytes(frames, found)
    busy = _busy(frames["host_cpu"])
    rows = [
        {
            "direction": direction,
            "iops": found.get(name),
            "bw_bytes_per_s": moved.get(direction),
            "runtime_s": report["elapsed_s"],
            "cpu_busy_ratio": busy,
        }
        for direction, name in (("read", "read_iops"), ("write", "write_iops"), ("total", "iops"))
    ]
    made = pl.DataFrame(rows, infer_schema_length=None)
    return common.conform(made, common.LOAD_POINTS, path)


def _bytes(frames: Mapping[str, pl.DataFrame], used: Mapping[str, Any]) -> dict[str, Any]:
    """Bytes per second counted like the IOPS: from IO Profile, else from Load Profile."""
    profile = _by(frames["io_profile"], "statistic")
    found = profile.get(f"{used.get('counts', 'total')}_bytes")
    if found:
        return {
            "read": found["read_per_s"],
            "write": found["write_per_s"],
            "total": found["total_per_s"],
        }
    load = _by(frames["load_profile"], "statistic")
    read = load.get("read_bytes", {}).get("per_s")
    write = load.get("write_bytes", {}).get("per_s")
    if used.get("counts") != "database" or read is None or write is None:
        return {}
    return {"read": read, "write": write, "total": read + write}


def _busy(host: pl.DataFrame) -> float | None:
    """The busy share of the host; of several hosts, by their numbers of CPUs."""
    rows = host.filter(pl.col("level") == "instance").to_dicts()
    shares = [
        row["busy_ratio"] if row["busy_ratio"] is not None
        else 1 - row["idle_ratio"] if row["idle_ratio"] is not None else None
        for row in rows
    ]  # fmt: skip
    if len(rows) == 1:
        only: float | None = shares[0]
        return only
    weights = [row["cpus"] for row in rows]
    if not rows or None in shares or None in weights or not sum(weights):
        return None
    pairs = zip(shares, weights, strict=True)
    busy: float = sum((share or 0) * weight for share, weight in pairs) / sum(weights)
    return busy


_REDO = {
    "redo size": ("redo_bytes", "bytes"),
    "redo writes": ("redo_writes", "1"),
    "redo blocks written": ("redo_blocks_written", "1"),
    "redo wastage": ("redo_wastage_bytes", "bytes"),
    "redo log space requests": ("redo_log_space_requests", "1"),
    "redo synch writes": ("redo_synch_writes", "1"),
    "log switches (derived)": ("log_switches", "1"),
}
_LOG_WAITS = {
    "log file sync": "log_file_sync",
    "log file parallel write": "log_file_parallel_write",
}


def redo_log(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """What the other tables say of redo and the log files."""
    rows: list[dict[str, Any]] = []
    activity = frames["instance_activity"]
    for row in activity.filter(pl.col("statistic").is_in(list(_REDO))).iter_rows(named=True):
        item, unit = _REDO[row["statistic"]]
        per_s = row["per_s"] if row["per_hour"] is None else row["per_hour"] / 3600
        rows.append(_redo(row, item, row["statistic"], unit, row["total"], per_s, None,
                          "instance_activity"))  # fmt: skip
    profile = frames["io_profile"].filter(pl.col("statistic").str.starts_with("redo_"))
    rows += [
        _redo(
            row, f"{row['statistic']}_io", row["printed"], row["unit"], None,
            row["total_per_s"], None, "io_profile",
        )
        for row in profile.iter_rows(named=True)
    ]  # fmt: skip
    waits = frames["wait_events"].filter(pl.col("event").is_in(list(_LOG_WAITS)))
    rows += [
        _redo(
            row, f"{_LOG_WAITS[row['event']]}_{row['scope']}", row["event"], "1", row["waits"],
            None, _mean(row), "wait_events",
        )
        for row in waits.iter_rows(named=True)
    ]  # fmt: skip
    return frame("redo_log", [{name: [row[name]] for name in row} for row in rows])


def _mean(row: Mapping[str, Any]) -> float | None:
    """The mean wait as printed; where that is whole milliseconds (11.2), total / waits."""
    printed, own = row["avg_wait_s"], row["avg_wait_computed_s"]
    coarse = printed is None or printed * 1000 == round(printed * 1000)
    value: float | None = own if coarse and own is not None else printed
    return value


def _redo(  # noqa: PLR0917
    row: Mapping[str, Any],
    item: str,
    printed: str,
    unit: str,
    total: float | None,
    per_s: float | None,
    mean_s: float | None,
    source: str,
) -> dict[str, Any]:
    return {
        "level": row["level"], "instance": row["instance"], "item": item, "printed": printed,
        "unit": unit, "total": total, "per_s": per_s, "mean_s": mean_s, "table": source,
    }  # fmt: skip


NEEDS = {
    "load_points": ("report", "iops_source", "host_cpu", "io_profile", "load_profile"),
    "iops_source": ("io_profile", "load_profile", "instance_activity", "io_by_function"),
    "redo_log": ("instance_activity", "io_profile", "wait_events"),
    "system_statistics": ("load_profile",),
    "report": ("memory", "parameters", "host_cpu"),
}
"""What each table is made of, beside its own sections."""
