"""The host and its memory: OS statistics, CPU, cache sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import Column
from perfkit.sources.awr.tidy.context import Data, Found, UnreadError, columns_of, size_of, where
from perfkit.sources.awr.tidy.take import by_instance, converted, levelled


def read_os_statistics(found: Found) -> dict[str, Data]:
    """Operating system statistics: times are printed in hundredths of a second."""
    data = where(by_instance(found), "statistic")
    units: list[str | None] = [_os_unit(name) for name in data["statistic"]]
    if found.text:
        units = [
            unit if _OS.fullmatch(name) else None
            for name, unit in zip(data["statistic"], units, strict=True)
        ]
        for name, unit in zip(data["statistic"], units, strict=True):
            if unit is None:
                found.warn(f"{name!r} is not known: its unit is null")
    for column in ("value", "end_value"):
        if column in data:
            data[column] = [
                value / 100 if value is not None and unit == "s" else value
                for value, unit in zip(data[column], units, strict=True)
            ]
    return {"os_statistics": {**data, "unit": units}}


_OS = re.compile(
    r"(?:AVG_)?(?:IDLE|BUSY|USER|SYS|IOWAIT|NICE|OS_CPU_WAIT|RSRC_MGR_CPU_WAIT)_TIME|LOAD|"
    r"NUM_[A-Z_]+|[A-Z_]+_BYTES|(?:TCP|GLOBAL)_(?:SEND|RECEIVE)_SIZE_(?:MIN|DEFAULT|MAX)"
)
"""The statistics of V$OSSTAT: the name alone tells the unit (text)."""


def _os_unit(name: str) -> str:
    if name.endswith("_TIME"):
        return "s"
    return "bytes" if name.endswith("_BYTES") or "_SIZE_" in name else "1"


_CPUS = re.compile(r"(CPUs|Cores|Sockets):\s*(\d+)(?![\d.,])", re.I)


_LOADS = (
    "load_average_begin", "load_average_end", "user_ratio", "system_ratio", "iowait_ratio",
    "idle_ratio",
)  # fmt: skip
"""What is never blank in text: its columns are of one width, and may lose it."""


def read_host_cpu(found: Found) -> dict[str, Data]:
    """Host CPU; up to 11.2.0.3 and in Statspack the numbers of CPUs stand beside the heading."""
    data = by_instance(found, found.table.narrowed)
    data = {name: values[:1] for name, values in data.items()}
    if found.text and any(data.get(name) == [None] for name in _LOADS):
        raise UnreadError(f"not every share and load is printed at {found.table.place}")
    for name, number in _CPUS.findall(found.table.near()):
        column = name.lower()
        if data.get(column, [None]) == [None] and size_of(data):
            # Oracle prints 0 beside this heading where it does not know: no host has 0 cores
            data[column] = [int(number[:9]) or None]
    return {"host_cpu": data}


_INSTANCE_CPU = {
    "%totalcpu": "total_cpu_ratio", "%oftotalcpuforinstance": "total_cpu_ratio",
    "%busycpu": "busy_cpu_ratio", "%ofbusycpuforinstance": "busy_cpu_ratio",
    "%ofbusycpuusedforinstance": "busy_cpu_ratio",
    "%dbtimewaitingforcpu(resourcemanager)": "resource_manager_ratio",
    "%dbtimewaitingforcpu-resourcemgr": "resource_manager_ratio",
    "%dbtimewaitingforcpu(resourcemgr)": "resource_manager_ratio",
    "host:totaltime(s)": "host_total_s", "host:busycputime(s)": "host_busy_s",
    "instance:totalcputime(s)": "instance_cpu_s",
    "instance:totaldatabasetime(s)": "instance_db_time_s",
}  # fmt: skip


def read_instance_cpu(found: Found) -> dict[str, Data]:
    """Instance CPU: a row of shares in HTML, lines with a label in text."""
    if found.table.rows and len(found.table.columns) > 1 and found.table.columns[0].name:
        pairs = list(zip((c.name for c in found.table.columns), found.table.rows[0], strict=False))
    else:
        pairs = [
            (row[0], next((cell for cell in row[1:] if cell), ""))
            for row in found.table.rows
            if row
        ]
    data: Data = {}
    if found.text:
        for row, cells_ in enumerate(found.table.rows, 1):
            if sum(bool(cell) for cell in cells_) > 2:
                found.context.warn(f"{found.table.label}, row {row}: two rows stand in one line")
    for row, (label, text) in enumerate(pairs, 1):
        column = _INSTANCE_CPU.get(cells.key(label))
        if column:
            kind = cells.percent if column.endswith("_ratio") else cells.number
            data |= {column: converted([text], kind, Column("", label), found)}
        elif label and "busy" not in label.lower():
            found.context.warn(f"{found.table.label}, row {row}: {label!r} is not known")
    return {"instance_cpu": levelled(data, found)} if data else {}


_MEMORY = {
    "hostmem(mb)": ("host_memory", "bytes"), "sgause(mb)": ("sga", "bytes"),
    "pgause(mb)": ("pga", "bytes"), "%hostmemusedforsga+pga": ("sga_pga_share", "1"),
    "buffercache": ("buffer_cache", "bytes"), "sharedpoolsize": ("shared_pool", "bytes"),
    "sharedpool": ("shared_pool", "bytes"), "stdblocksize": ("block_size", "bytes"),
    "logbuffer": ("log_buffer", "bytes"), "in-memoryarea": ("in_memory_area", "bytes"),
    "numapoolsize": ("numa_pool", "bytes"),
}  # fmt: skip


def read_memory(found: Found) -> dict[str, Data]:
    """Memory statistics and cache sizes: labels with one or two values, some side by side."""
    rows: list[tuple[str, str, str, float | None, float | None]] = []
    for number, row in enumerate(found.table.pairs(), 1):
        for label, begin, end in _labelled(row):
            item, unit = _MEMORY.get(cells.key(label), (cells.slug(label), None))
            if unit is None:
                found.context.warn(f"{found.table.label}, row {number}: {label!r} is not known")
                continue
            kind = cells.percent if unit == "1" else cells.size if "(MB)" in label else _suffixed
            values = converted([begin, end], kind, Column("", label), found)
            rows.append((item, label.rstrip(": "), unit, values[0], values[1]))
    names = ("item", "printed", "unit", "begin", "end")
    return {"memory": levelled(columns_of(names, rows), found)}


def _suffixed(text: str) -> float | None:
    """A size with its unit: one that has none was cut off."""
    if text and text[-1].isdecimal():
        raise ValueError(f"{text!r} has no unit")
    return cells.size(text)


def _labelled(row: list[str]) -> Iterator[tuple[str, str, str]]:
    """The labels of a row, each with its two values: ``Std Block Size: 8K`` has one."""
    label, begin, end, beside, value, *_ = [*row, *[""] * 5]
    yield label, begin, end
    if beside:
        yield beside, value, ""
