"""Tables of RAC with a column for each statistic, function or file type: as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import Column
from perfkit.sources.awr.tidy.context import Data, Found, UnreadError, size_of
from perfkit.sources.awr.tidy.take import by_instance


def unpivoted(wide: Data, name: str, groups: Mapping[str, Mapping[str, str]]) -> Data:
    """A row for each instance and group of columns in which something is printed.

    Args:
        wide: One row an instance.
        name: Our column of the groups' names.
        groups: Of each group our columns, and those of ``wide`` that they are.
    """
    nothing = [None] * size_of(wide)
    targets = dict.fromkeys(ours for group in groups.values() for ours in group)
    data: Data = {column: [] for column in ("level", "instance", name, *targets)}
    for row, (level, instance) in enumerate(zip(wide["level"], wide["instance"], strict=True)):
        for what, group in groups.items():
            values = {ours: wide.get(group.get(ours, ""), nothing)[row] for ours in targets}
            if any(value is not None for value in values.values()):
                filled = {"level": level, "instance": instance, name: what, **values}
                for column, value in filled.items():
                    data[column].append(value)
    return data


def _quantities(wide: Data) -> list[str]:
    """What columns named ``quantity|part`` are of."""
    return list(dict.fromkeys(name.split("|")[0] for name in wide if "|" in name))


def read_absolute(found: Found) -> dict[str, Data]:
    """RAC's absolute values: one row an instance, a pair of columns for each statistic."""
    wide = by_instance(found)
    groups = {
        name: {"begin_value": f"{name}|begin", "end_value": f"{name}|end"}
        for name in _quantities(wide)
    }
    data = unpivoted(wide, "statistic", groups)
    size = size_of(data)
    section = [found.section.name] * size
    return {"instance_activity": {**data, "kind": ["absolute"] * size, "section": section}}


def read_rac_caches(found: Found) -> dict[str, Data]:
    """RAC's cache sizes: one row an instance, a pair of columns for each cache."""
    wide = by_instance(found)
    groups = {name: {"begin": f"{name}|begin", "end": f"{name}|end"} for name in _quantities(wide)}
    data = unpivoted(wide, "item", groups)
    printed = [item.replace("_", " ") for item in data["item"]]
    return {"memory": {**data, "printed": printed, "unit": ["bytes"] * size_of(data)}}


def read_rac_pga(found: Found) -> dict[str, Data]:
    """RAC's memory of server processes: one row an instance, a pair of columns for each figure."""
    wide = by_instance(found)
    groups = {
        when: {name: f"{name}|{when}" for name in _quantities(wide)} for when in ("begin", "end")
    }
    return {"pga": unpivoted(wide, "snapshot", groups)}


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

    def __call__(self, found: Found) -> dict[str, Data]:
        """A row for each instance and name."""
        wide = by_instance(found)
        names = [name for name in wide if name not in ("level", "instance")]
        data = unpivoted(wide, self.name, {name: {self.value: name} for name in names})
        data[self.value] = [value / self.divisor for value in data.get(self.value, [])]
        if self.scope:
            data["scope"] = [self.scope] * size_of(data)
        return {self.table: data}


_HOST = {
    "BUSY_TIME": ("busy_s", "s"), "IDLE_TIME": ("idle_s", "s"), "TOTAL_TIME": ("total_s", "s"),
    "PHYSICAL_MEMORY_BYTES": ("memory_bytes", "bytes"), "NUM_CPUS": ("cpus", "1"),
    "NUM_CPU_CORES": ("cores", "1"), "NUM_CPU_SOCKETS": ("sockets", "1"),
}  # fmt: skip
"""Statistic -> our column of it, and its unit."""


def read_nodes(found: Found) -> dict[str, Data]:
    """RAC's OS statistics: the CPU of each host, and its times as OS statistics."""
    wide = by_instance(found)
    data = unpivoted(
        wide, "statistic", {name: {"value": ours} for name, (ours, _) in _HOST.items()}
    )
    data["value"] = [float(value) for value in data["value"]]
    data["unit"] = [_HOST[name][1] for name in data["statistic"]]
    return {"host_cpu": wide, "os_statistics": data}


_DIRECTIONS = ("read", "write")
_UNITS = (("mb/s", "bytes_per_s", "megabytes"), ("requests/s", "iops", "count"))
"""What a group's name holds, what it is of, and the kind of its cells."""


def read_wide_io(found: Found) -> dict[str, Data]:
    """IO by function or file type of 11.2: an instance a row, functions across under groups.

    The groups are ``Reads MB/sec``, ``Writes MB/sec``, ``Reads requests/sec`` and ``Writes
    requests/sec``; below each stand a total and the functions (file types) that matter most.
    """
    columns = found.table.columns
    rates = {column.keys[0]: rate for column in columns if (rate := _rate(column))}
    if not rates:
        raise UnreadError(f"no group of columns is of rates at {found.table.place}")
    section = replace(found.section, columns={"i#": ("i#", "words"), **rates})
    wide = by_instance(replace(found, section=section))
    parts = dict.fromkeys(target.split("|")[1] for target, _ in rates.values())
    groups = {name: {part: f"{name}|{part}" for part in parts} for name in _quantities(wide)}
    table = found.section.tables[0]
    name = "function" if table == "io_by_function" else "filetype"
    return {table: unpivoted(wide, name, groups)}


def _rate(column: Column) -> tuple[str, str] | None:
    """What a column below a group is: ``function|our column``, and the kind of its cells."""
    group = cells.key(column.group)
    directions = [word for word in _DIRECTIONS if word in group]
    units = [(ours, kind) for word, ours, kind in _UNITS if word in group]
    if len(directions) != 1 or len(units) != 1 or not column.name:
        return None
    ours, kind = units[0]
    return f"{cells.words(column.name)}|{directions[0]}_{ours}", kind
