"""Tables whose rows are rows of ours: events, classes, containers, parameters, statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.tidy.context import Context, Data, size_of, where
from perfkit.sources.awr.tidy.take import by_instance, levelled, take

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import RawTable
    from perfkit.sources.awr.sections import Section

KEY = {
    "top_events": "event", "wait_events": "event", "wait_classes": "wait_class",
    "containers": "container_db_id", "time_model": "statistic", "sql": "sql_id",
    "instance_activity": "statistic", "os_statistics": "statistic", "io_by_function": "function",
    "io_by_filetype": "filetype", "io_by_tablespace": "tablespace", "io_by_file": "file",
    "io_sizes": "function", "segments": "object", "buffer_pools": "pool", "pga": "snapshot",
    "instance_recovery": "snapshot", "memory_advice": "size_bytes", "mttr_advice": "target_mttr_s",
}  # fmt: skip
"""The column without which a row of a table is none."""


def read_columns(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """A table whose rows are rows of ours."""
    return {section.tables[0]: _plain(table, section, context)}


def _plain(table: RawTable, section: Section, context: Context) -> Data:
    name = section.tables[0]
    data = by_instance(table, section, context)
    if name in KEY:
        data = where(data, KEY[name])
    size = size_of(data)
    data |= {column: [value] * size for column, value in section.const.items()}
    if "total_wait_s" in data:
        data["avg_wait_computed_s"] = _averages(data)
    if name == "top_events" and not section.const["scope"]:
        data["scope"] = [_scope_of(table)] * size
    if "open_text" in data:
        data["open_time"] = [cells.moment(text) for text in data["open_text"]]
        del data["level"], data["instance"]
    if name in ("top_events", "wait_classes"):
        data.pop("waits_per_transaction", None)
    return {
        column: values for column, values in data.items() if column not in _DROPPED.get(name, ())
    }


_DROPPED = {
    "wait_events": ("average_active_sessions", "instances_count"),
    "top_events": ("average_active_sessions",),
    "wait_classes": ("bg_time_ratio",),
}


def _averages(data: Data) -> list[float | None]:
    """The mean wait from total and waits; what was printed stays in its own column.

    A total that is printed as 0 is rounded: no mean can be had from it.
    """
    waits = data.get("waits") or [None] * len(data["total_wait_s"])
    return [
        total / count if total and count else None
        for total, count in zip(data["total_wait_s"], waits, strict=True)
    ]


def _scope_of(table: RawTable) -> str:
    known = f"{table.title} {table.summary} {table.near()}".lower()
    foreground = "foreground" in known or "top 10 wait events" in known
    return "foreground" if foreground else "all"


def read_activity(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Instance activity: rates, absolute values and thread activity share one heading."""
    data = where(by_instance(table, section, context), "statistic")
    kind = "absolute" if "begin_value" in data else "thread" if "per_hour" in data else "rate"
    return {"instance_activity": {**data, "kind": [kind] * size_of(data)}}


def read_detail(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """The OS statistics of each snapshot; the year is not printed, so a time is rarely known."""
    data = by_instance(table, section, context)
    return {"os_statistics_detail": where(data, "snap_text")}


def read_system(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's system statistics; reads and writes are blocks."""
    data = by_instance(table, section, context)
    return {"system_statistics": {**data, "section": ["System Statistics"] * size_of(data)}}


def read_parameters(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Parameters; a row without a name is one more value of the parameter above it."""
    data = take(table, section, context)
    names: list[str | None] = []
    places: list[int] = []
    last: tuple[Any, ...] | None = None
    marks = data.get("i#", [None] * len(data["parameter"]))
    for name, mark in zip(data["parameter"], marks, strict=True):
        current = (name or (names[-1] if names else None), mark)
        places.append(places[-1] + 1 if places and current == last else 1)
        names.append(current[0])
        last = current
    data |= {"parameter": names, "position": places, "multi": [section.const["multi"]] * len(names)}
    return {"parameters": where(levelled(data, context), "parameter")}
