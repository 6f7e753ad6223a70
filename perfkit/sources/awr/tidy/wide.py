"""Tables of RAC with a column for each statistic, function or file type: as rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.tidy.context import Context, Data, UnreadError, size_of
from perfkit.sources.awr.tidy.take import by_instance

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import Column, RawTable
    from perfkit.sources.awr.sections import Section


def read_absolute(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's absolute values: one row an instance, a pair of columns for each statistic."""
    return {
        "instance_activity": long_form(
            by_instance(table, section, context),
            {"begin": "begin_value", "end": "end_value"},
            {"kind": "absolute"},
        )
    }


def read_rac_caches(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's cache sizes: one row an instance, a pair of columns for each cache."""
    data = long_form(
        by_instance(table, section, context),
        {"begin": "begin", "end": "end"},
        {"unit": "bytes"},
    )
    data["item"] = data.pop("statistic")
    data["printed"] = [item.replace("_", " ") for item in data["item"]]
    return {"memory": data}


def read_rac_pga(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's memory of server processes: one row an instance, a pair of columns for each figure."""
    wide = by_instance(table, section, context)
    names = list(dict.fromkeys(name.split("|")[0] for name in wide if "|" in name))
    moments = ("begin", "end")
    data: Data = {name: [] for name in ("level", "instance", "snapshot", *names)}
    for row, level in enumerate(wide["level"]):
        for when in moments:
            data["level"].append(level)
            data["instance"].append(wide["instance"][row])
            data["snapshot"].append(when)
            for name in names:
                values = wide.get(f"{name}|{when}")
                data[name].append(values[row] if values else None)
    return {"pga": data}


def long_form(wide: Data, parts: dict[str, str], const: dict[str, Any]) -> Data:
    """Columns named ``what|part`` as rows of ``what`` with a column for each part."""
    whats = list(dict.fromkeys(name.split("|")[0] for name in wide if "|" in name))
    names = ["level", "instance", "statistic", *parts.values(), *const]
    data: Data = {name: [] for name in names}
    for row, level in enumerate(wide["level"]):
        for what in whats:
            values = {
                ours: wide.get(f"{what}|{part}", [None] * (row + 1))[row]
                for part, ours in parts.items()
            }
            if any(value is not None for value in values.values()):
                filled = {"level": level, "instance": wide["instance"][row], "statistic": what}
                for name, value in {**filled, **values, **const}.items():
                    data[name].append(value)
    return data


@dataclass(frozen=True, slots=True)
class Unpivoted:
    """The reader of a RAC table with a column for each statistic or wait class.

    Attributes:
        table: The table its rows go to.
        name: Our column of the names.
        value: Our column of the values.
        divisor: What a printed value is divided by: shares are printed as percent.
        scope: Whose waits they are, for classes.
    """

    table: str
    name: str
    value: str
    divisor: float = 1
    scope: str | None = None

    def __call__(self, table: RawTable, section: Section, context: Context) -> dict[str, Data]:
        """A row for each instance and name."""
        wide = by_instance(table, section, context)
        data: Data = {"level": [], "instance": [], self.name: [], self.value: []}
        for row, level in enumerate(wide["level"]):
            for column, values in wide.items():
                if column not in ("level", "instance") and values[row] is not None:
                    data["level"].append(level)
                    data["instance"].append(wide["instance"][row])
                    data[self.name].append(column)
                    data[self.value].append(values[row] / self.divisor)
        if self.scope:
            data["scope"] = [self.scope] * size_of(data)
        return {self.table: data}


def read_nodes(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's OS statistics: the CPU of each host, and its times as OS statistics."""
    wide = by_instance(table, section, context)
    named = {
        "busy_s": ("BUSY_TIME", "s"), "idle_s": ("IDLE_TIME", "s"), "total_s": ("TOTAL_TIME", "s"),
        "memory_bytes": ("PHYSICAL_MEMORY_BYTES", "bytes"), "cpus": ("NUM_CPUS", "1"),
        "cores": ("NUM_CPU_CORES", "1"), "sockets": ("NUM_CPU_SOCKETS", "1"),
    }  # fmt: skip
    rows: Data = {"level": [], "instance": [], "statistic": [], "unit": [], "value": []}
    for row, level in enumerate(wide["level"]):
        for column, (name, unit) in named.items():
            value = wide.get(column, [None] * (row + 1))[row]
            if value is not None:
                filled = (level, wide["instance"][row], name, unit, float(value))
                for target, item in zip(rows.values(), filled, strict=True):
                    target.append(item)
    only_os = ("busy_s", "idle_s", "total_s", "memory_bytes")
    cpu = {name: values for name, values in wide.items() if name not in only_os}
    return {"host_cpu": cpu, "os_statistics": rows}


_DIRECTIONS = ("read", "write")
_UNITS = (("mb/s", "bytes_per_s", "megabytes"), ("requests/s", "iops", "count"))
"""What a group's name holds, what it is of, and the kind of its cells."""


def read_wide_io(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function or file type of 11.2: an instance a row, functions across under groups.

    The groups are ``Reads MB/sec``, ``Writes MB/sec``, ``Reads requests/sec`` and ``Writes
    requests/sec``; below each stand a total and the functions (file types) that matter most.
    """
    rates = {column.keys[0]: found for column in table.columns if (found := _rate(column))}
    if not rates:
        raise UnreadError(f"no group of columns is of rates at {table.place}")
    wide = replace(section, columns={"i#": ("i#", "words"), **rates})
    parts = {target.split("|")[1]: target.split("|")[1] for target, _ in rates.values()}
    name = section.tables[0]
    data = long_form(by_instance(table, wide, context), parts, {})
    data["function" if name == "io_by_function" else "filetype"] = data.pop("statistic")
    return {name: data}


def _rate(column: Column) -> tuple[str, str] | None:
    """What a column below a group is: ``function|our column``, and the kind of its cells."""
    group = cells.key(column.group)
    directions = [word for word in _DIRECTIONS if word in group]
    units = [(ours, kind) for word, ours, kind in _UNITS if word in group]
    if len(directions) != 1 or len(units) != 1 or not column.name:
        return None
    ours, kind = units[0]
    return f"{cells.words(column.name)}|{directions[0]}_{ours}", kind
