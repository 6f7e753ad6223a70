"""Tables that are read row by row: events, classes, containers, parameters, statistics."""

from __future__ import annotations

from typing import Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.tidy.context import Data, Found, size_of, where
from perfkit.sources.awr.tidy.take import by_instance, levelled, take

KEY = {
    "top_events": "event", "wait_events": "event", "wait_classes": "wait_class",
    "containers": "container_db_id", "time_model": "statistic", "sql": "sql_id",
    "instance_activity": "statistic", "os_statistics": "statistic", "io_by_function": "function",
    "io_by_filetype": "filetype", "io_by_tablespace": "tablespace", "io_by_file": "data_file",
    "io_sizes": "function", "segments": "object", "buffer_pools": "pool", "pga": "snapshot",
    "instance_recovery": "snapshot", "memory_advice": "size_bytes", "mttr_advice": "target_mttr_s",
    "ash_events": "event", "ash_sql": "sql_id", "services": "service",
    "buffer_waits": "block_class", "enqueues": "enqueue",
    "interconnect_pings": "target_instance", "disk_groups": "disk_group",
    "cell_smart_io": "cell", "cell_flash_cache": "cell", "cell_io": "disk_type",
}  # fmt: skip
"""Table -> the column that every row of it must have."""


def read_columns(found: Found) -> dict[str, Data]:
    """A table of which each printed row becomes a row."""
    name = found.section.tables[0]
    data = by_instance(found)
    if name in KEY:
        data = where(data, KEY[name])
    data = found.with_constants(data)
    if "total_wait_s" in data:
        waits = data.get("waits") or [None] * len(data["total_wait_s"])
        # a total that is printed as 0 is rounded: no mean can be had from it
        data["avg_wait_computed_s"] = [
            total / count if total and count else None
            for total, count in zip(data["total_wait_s"], waits, strict=True)
        ]
    if name == "top_events" and not found.section.constants["scope"]:
        names = f"{found.table.title} {found.table.summary} {found.table.near()}".lower()
        is_foreground = "foreground" in names or "top 10 wait events" in names
        data["scope"] = ["foreground" if is_foreground else "all"] * size_of(data)
    if "open_text" in data:
        data["open_time"] = [cells.moment(text) for text in data["open_text"]]
    return {name: data}


def read_activity(found: Found) -> dict[str, Data]:
    """Instance activity: rates, absolute values and thread activity share one heading."""
    data = where(by_instance(found), "statistic")
    kind = "absolute" if "begin_value" in data else "thread" if "per_hour" in data else "rate"
    size = size_of(data)
    section = [found.section.name] * size
    return {"instance_activity": {**data, "kind": [kind] * size, "section": section}}


def read_detail(found: Found) -> dict[str, Data]:
    """The OS statistics of each snapshot; the year is not printed, so a time is rarely known."""
    return {"os_statistics_detail": where(by_instance(found), "snap_text")}


def read_system(found: Found) -> dict[str, Data]:
    """RAC's system statistics; reads and writes are blocks."""
    data = by_instance(found)
    return {"system_statistics": {**data, "section": ["System Statistics"] * size_of(data)}}


def read_parameters(found: Found) -> dict[str, Data]:
    """Parameters; a row without a name is one more value of the parameter above it."""
    data = take(found)
    names: list[str | None] = []
    places: list[int] = []
    last: tuple[Any, ...] | None = None
    marks = data.get("i#", [None] * len(data["parameter"]))
    for name, mark in zip(data["parameter"], marks, strict=True):
        current = (name or (names[-1] if names else None), mark)
        places.append(places[-1] + 1 if places and current == last else 1)
        names.append(current[0])
        last = current
    data = found.with_constants(data | {"parameter": names, "position": places})
    return {"parameters": where(levelled(data, found), "parameter")}
