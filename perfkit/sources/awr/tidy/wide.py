"""Tables of RAC with a column for each statistic: as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.sources.awr.tidy.context import Context, Data, size_of
from perfkit.sources.awr.tidy.take import levelled, take

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import RawTable
    from perfkit.sources.awr.sections import Section


def read_absolute(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's absolute values: one row an instance, a pair of columns for each statistic."""
    return {
        "instance_activity": long_form(
            levelled(take(table, section, context), context),
            {"begin": "begin_value", "end": "end_value"},
            {"kind": "absolute"},
        )
    }


def read_rac_caches(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's cache sizes: one row an instance, a pair of columns for each cache."""
    data = long_form(
        levelled(take(table, section, context), context),
        {"begin": "begin", "end": "end"},
        {"unit": "bytes"},
    )
    data["item"] = data.pop("statistic")
    data["printed"] = [item.replace("_", " ") for item in data["item"]]
    return {"memory": data}


def read_rac_pga(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's memory of server processes: one row an instance, a pair of columns for each figure."""
    wide = levelled(take(table, section, context), context)
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


def read_times(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's time model: a column for each statistic, in seconds."""
    return {"time_model": _unpivot(table, section, context, "statistic", "time_s")}


def read_time_shares(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """The same as shares of DB time."""
    return {"time_model": _unpivot(table, section, context, "statistic", "db_time_ratio", 100)}


def read_class_times(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's foreground wait classes: a column for each class, in seconds."""
    data = _unpivot(table, section, context, "wait_class", "total_wait_s")
    return {"wait_classes": {**data, "scope": ["foreground"] * size_of(data)}}


def read_class_shares(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """The same as shares of DB time."""
    data = _unpivot(table, section, context, "wait_class", "db_time_ratio", 100)
    return {"wait_classes": {**data, "scope": ["foreground"] * size_of(data)}}


def _unpivot(  # noqa: PLR0917
    table: RawTable, section: Section, context: Context, name: str, value: str, divisor: float = 1
) -> Data:
    wide = levelled(take(table, section, context), context)
    data: Data = {"level": [], "instance": [], name: [], value: []}
    for row, level in enumerate(wide["level"]):
        for column, values in wide.items():
            if column not in ("level", "instance") and values[row] is not None:
                data["level"].append(level)
                data["instance"].append(wide["instance"][row])
                data[name].append(column)
                data[value].append(values[row] / divisor)
    return data


def read_nodes(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's OS statistics: the CPU of each host, and its times as OS statistics."""
    wide = levelled(take(table, section, context), context)
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
