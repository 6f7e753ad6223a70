"""Tables for print of what a database asks of its storage, and why: redo, memory, segments."""

from __future__ import annotations

from perfkit.analysis.awr.waits import lacking, rows_of
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import MIB, Format
from perfkit.core.values import Table
from perfkit.showing.tables.awr import by_instance
from perfkit.showing.tables.sheet import COUNT, RATE, SHARE, Sheet

SIZE = Format("MiB", decimals=1)

_RECOVERY = (
    ("target_mttr_s", "Target MTTR (s)", 1), ("estimated_mttr_s", "Estimated MTTR (s)", 1),
    ("recovery_estimated_ios", "Dirty buffers", 1),
    ("actual_redo_blocks", "Redo blocks, actual", 1),
    ("target_redo_blocks", "Redo blocks, target", 1),
    ("log_size_redo_blocks", "Limit by log file size (redo blocks)", 1),
    ("log_checkpoint_timeout_redo_blocks", "Limit by checkpoint timeout (redo blocks)", 1),
    ("log_checkpoint_interval_redo_blocks", "Limit by checkpoint interval (redo blocks)", 1),
    ("optimal_log_size_bytes", "Optimal log file size (MiB)", MIB),
    ("estimated_rac_available_time_s", "Time until partly available, RAC (s)", 1),
)  # fmt: skip


@step(version=2, name="table.recovery")
def table_recovery(recovery: Measured) -> Table:
    """Instance recovery and log files at the two snapshots, a row a figure.

    A figure that the report does not print has no row.
    """
    rows = rows_of(recovery, "instance_recovery", ("snapshot", "target_redo_blocks"))
    sides = {row["snapshot"]: row for row in rows}
    shown: list[Row] = [
        {"figure": label, **{when: _scaled(row[name], 1 / unit) for when, row in sides.items()}}
        for name, label, unit in _RECOVERY
        if any(row[name] is not None for row in rows)
    ]
    sheet = Sheet(shown)
    sheet.words(figure="Figure")
    sheet.numbers(COUNT, begin="Begin", end="End")
    note = "Redo blocks are those of the log files (512 or 4,096 bytes), not of the database."
    return sheet.table("recovery", "Instance recovery and log files.", note)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


@step(version=2, name="table.redo_log")
def table_redo_log(redo: Measured) -> Table:
    """What the report says of redo in its other tables: totals, rates and mean waits."""
    rows = rows_of(redo, "redo_log", ("item", "printed", "total", "per_s", "mean_s"))
    sheet = by_instance([{**row, **_redo_units(row)} for row in rows])
    sheet.words(label="Statistic")
    sheet.add("total", "Total", COUNT)
    sheet.add("per_s", "Per second", RATE)
    sheet.wait("mean_s", "Mean wait")
    return sheet.table("redo-log", "Redo and log files.")


def _redo_units(row: Row) -> Row:
    """What is shown of a row, and its label with the unit where it is not a plain count."""
    label = str(row["printed"]).rstrip(":")
    # an event has a row of its foreground, of its background and, of Statspack, of all sessions
    kind = str(row["item"]).rpartition("_")[2]
    label += {"background": ", background", "all": ", all sessions"}.get(kind, "")
    if row["unit"] != "bytes":
        return {"label": f"{label} (s)" if row["unit"] == "s" else label}
    values = {name: _scaled(row[name], 1 / MIB) for name in ("total", "per_s")}
    return {"label": f"{label.replace('(MB)', '').strip()} (MiB)", **values}


@step(version=2, name="table.memory")
def table_memory(memory: Measured) -> Table:
    """Memory and cache sizes at the two snapshots, in MiB; shares in percent."""
    rows = [
        row
        for row in rows_of(memory, "memory", ("item", "printed", "unit", "begin", "end"))
        if row["item"] != "block_size"
    ]
    if not rows:
        raise lacking("memory")
    sheet = by_instance([_sized(row) for row in rows])
    sheet.words(label="Memory")
    sheet.numbers(RATE, begin="Begin", end="End")
    return sheet.table("memory", "Memory and cache sizes.")


def _sized(row: Row) -> Row:
    """A row with its unit in its label: MiB, or percent."""
    unit, factor = ("MiB", 1 / MIB) if row["unit"] == "bytes" else ("%", 100.0)
    label = str(row["printed"]).removeprefix("% ").rstrip(":").replace("(MB)", "").strip()
    return {
        "instance": row["instance"],
        "label": f"{label} ({unit})",
        **{name: _scaled(row[name], factor) for name in ("begin", "end")},
    }


@step(version=2, name="table.pga")
def table_pga(pga: Measured) -> Table:
    """Memory of the server processes, a row a snapshot of each instance, in MiB."""
    rows = rows_of(pga, "pga", ("snapshot", "target_bytes", "allocated_bytes"))
    sheet = by_instance(rows)
    sheet.words(snapshot="Snapshot")
    sheet.numbers(SIZE, target_bytes="Target (MiB)", auto_target_bytes="For work areas (MiB)")
    sheet.numbers(SIZE, allocated_bytes="Allocated (MiB)", work_areas_bytes="Work areas (MiB)")
    sheet.numbers(SIZE, auto_work_areas_bytes="Automatic (MiB)")
    sheet.numbers(SIZE, manual_work_areas_bytes="Manual (MiB)")
    sheet.add("global_memory_bound_bytes", "Largest (MiB)", SIZE)
    return sheet.table("pga", "Memory of the server processes (PGA).")


@step(version=2, name="table.buffer_pools")
def table_buffer_pools(pools: Measured) -> Table:
    """Buffer pools: hits, what was read and written, and waits for buffers."""
    rows = rows_of(pools, "buffer_pools", ("pool", "physical_reads_blocks"))
    sheet = Sheet(rows)
    sheet.words(pool="Pool")
    sheet.add("buffers", "Buffers", COUNT)
    sheet.add("hit_ratio", "Hits (%)", Format("%", decimals=0))
    sheet.numbers(COUNT, buffer_gets_blocks="Gets (blocks)", physical_reads_blocks="Reads (blocks)")
    sheet.numbers(COUNT, physical_writes_blocks="Writes (blocks)", free_buffer_waits="Free waits")
    sheet.numbers(COUNT, write_complete_waits="Write waits", buffer_busy_waits="Busy waits")
    note = "D: default, K: keep, R: recycle. Reads and writes are blocks, not I/Os."
    return sheet.table("buffer-pools", "Buffer pools.", note)


_ADVISED = {"buffer_pool": "the buffer cache", "pga": "the PGA", "sga": "the SGA"}


@step(version=2, name="table.memory_advice")
def table_memory_advice(advice: Measured, *, of: str = "buffer_pool") -> Table:
    """What other sizes of a memory would have read, by Oracle's estimate.

    ``of``: buffer_pool, pga or sga. Raises AnalysisError where the report has none of it.
    """
    names = ("advice", "size_bytes", "size_factor")
    rows = [row for row in rows_of(advice, "memory_advice", names) if row["advice"] == of]
    if not rows:
        raise lacking(f"advice on {_ADVISED[of]}")
    sheet = Sheet(rows)
    sheet.differing(pool="Pool")
    sheet.add("size_bytes", "Size (MiB)", Format("MiB", decimals=0))
    sheet.add("size_factor", "Of size in use", RATE)
    sheet.add("physical_reads_blocks", "Estimated reads (blocks)", COUNT)
    sheet.add("physical_reads_factor", "Of reads now", RATE)
    sheet.add("db_time_s", "Estimated DB time (s)", COUNT)
    sheet.add("extra_bytes", "Temporary I/O (MiB)", SIZE)
    sheet.add("cache_hit_ratio", "In memory (%)", SHARE)
    sheet.add("overallocations", "Overallocations", COUNT)
    return sheet.table(
        "memory-advice",
        f"Estimates for other sizes of {_ADVISED[of]}.",
        "Oracle's own estimates, over the life of the instance or since the advisor was reset.",
    )


@step(version=2, name="table.segments")
def table_segments(segments: Measured, *, order: str = "physical_reads", count: int = 10) -> Table:
    """The segments at the top of one order, most first.

    Raises AnalysisError where the report does not list segments in that order.
    """
    names = ("ordered_by", "object", "value", "total_ratio")
    known = rows_of(segments, "segments", names)
    rows = [row for row in known if row["ordered_by"] == order]
    if not rows:
        others = ", ".join(dict.fromkeys(str(row["ordered_by"]) for row in known))
        raise AbsentError(f"segments: none ordered by {order!r}; the report has {others}")
    sheet = Sheet(rows[:count])
    sheet.words(owner="Owner", object="Object", subobject="Partition", object_type="Type")
    sheet.words(tablespace="Tablespace", container="Container")
    unit = " (blocks)" if rows[0]["unit"] == "blocks" else ""
    words = order.replace("_", " ")
    sheet.add("value", f"{words.capitalize()}{unit}", COUNT)
    sheet.add("total_ratio", "Of all (%)", SHARE)
    return sheet.table("segments", f"Segments by {words}.")
