"""A raw table and its section to columns of our tables: the one implementation for every form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from typing import Any

from perfkit.parsers.awr import cells
from perfkit.parsers.awr.raw import Column, RawTable, indices
from perfkit.parsers.awr.sections import RAC, Section
from perfkit.units import MIB

Data = dict[str, list[Any]]
"""Column name -> values, all of one length."""

_SHOWN = 3
"""Faults of cells told one by one in a section; the others are counted."""


class Seen(dict[str, Any]):
    """Texts of cells that were converted before: most cells of a report say what others say."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, text: str) -> Any:
        value = self.convert(text)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[text] = value
        return value


_REMEMBERED = 10_000
"""Texts remembered of one kind: more would need more memory than they save time."""


class UnreadError(Exception):
    """A section that cannot be read, with the reason."""


@dataclass
class Context:
    """What the readers know of the report, and what they tell of it.

    Attributes:
        scope: single, rac or pdb.
        text: Whether it is a text report.
        instance: The instance number of a report of one instance.
        elapsed_s: The time between the snapshots.
        warnings: What a reader of the numbers must know, in order.
    """

    scope: str
    text: bool
    instance: int | None = None
    elapsed_s: float | None = None
    warnings: dict[str, None] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    seen: dict[tuple[str, str | None], Seen] = field(default_factory=dict)

    def warn(self, text: str) -> None:
        """One warning, once."""
        self.warnings.setdefault(text)

    def fault(self, table: RawTable, row: int, column: str, problem: str) -> None:
        """A cell that became null: named, the first few of a section; the others are counted."""
        seen = self.faults.get(table.name, 0)
        self.faults[table.name] = seen + 1
        if seen < _SHOWN:
            self.warn(f"{table.name} ({table.place}), row {row}, column {column}: {problem}; null")

    def counted(self) -> Iterator[str]:
        """How many more cells became null, for each section."""
        for name, seen in self.faults.items():
            if seen > _SHOWN:
                yield f"{name}: {seen - _SHOWN} more cells could not be read; null"


CLASSES = (
    "User I/O", "System I/O", "Other", "Application", "Commit", "Network", "Concurrency",
    "Configuration", "Cluster", "Administrative", "Scheduler", "Queueing", "Idle", "DB CPU",
)  # fmt: skip
"""Oracle's wait classes; text reports cut them off."""


def wait_class(text: str) -> str | None:
    """The wait class whose name begins so; a name that begins none, or several, stays as it is."""
    squeezed = cells.words(text)
    if squeezed is None or squeezed in CLASSES:
        return squeezed
    found = [name for name in CLASSES if name.startswith(squeezed)]
    return found[0] if len(found) == 1 else squeezed


def _service(text: str, unit: str | None) -> float | None:
    """A service time: up to 12.1 a bare number of milliseconds under a header without a unit."""
    return cells.seconds(text, unit or "ms")


CONVERTERS: dict[str, Callable[[str], Any]] = {
    "number": cells.number,
    "count": cells.count,
    "percent": cells.percent,
    "size": cells.size,
    "megabytes": cells.megabytes,
    "gigabytes": cells.gigabytes,
    "kilobytes": cells.kilobytes,
    "whole": cells.whole,
    "words": cells.words,
    "verbatim": cells.verbatim,
    "yes": cells.yes,
    "class": wait_class,
}
_TIMES: dict[str, Callable[[str, str | None], Any]] = {
    "seconds": cells.seconds,
    "service": _service,
    "minutes": lambda text, unit: cells.seconds(text, unit or "min"),
    "hours": lambda text, unit: cells.seconds(text, unit or "h"),
}
"""The kinds of cell whose unit may stand in the header."""


def converter(kind: str, column: Column, context: Context) -> Callable[[str], Any]:
    """How the cells of a column become values."""
    if kind == "verbatim":
        return cells.verbatim
    timed = _TIMES.get(kind)
    unit = column.unit if timed else None
    if kind in ("minutes", "hours") and unit == "s":
        unit = None
    seen = context.seen.get((kind, unit))
    if seen is None:
        convert = CONVERTERS[kind] if timed is None else partial(_timed, timed, unit)
        seen = context.seen[kind, unit] = Seen(convert)
    return seen.__getitem__


def _timed(convert: Callable[[str, str | None], Any], unit: str | None, text: str) -> Any:
    return convert(text, unit)


def take(
    table: RawTable, section: Section, context: Context, rows: list[list[str]] | None = None
) -> Data:
    """The known columns of a table as values; what cannot be read is null, with a warning.

    Raises:
        UnreadError: None of the columns is known, or one is missing.
        cells.ForeignNumberError: A number with a decimal comma.
    """
    places = indices(table.columns, tuple(section.columns))
    missing = [name for name in section.needs if name in section.columns and name not in places]
    if missing or not places:
        what = f"no column {missing[0]!r}" if missing else "none of its columns is known"
        raise UnreadError(f"{what} at {table.place}: {_shown(table.columns)}")
    _strangers(table, section, places, context)
    # every row has a cell for each column at least
    columns = list(zip(*(table.rows if rows is None else rows), strict=False))
    columns = columns or [()] * len(table.columns)
    data: Data = {}
    for name, place in places.items():
        target, kind = section.columns[name]
        if target not in data:
            column = table.columns[place]
            data[target] = _converted(
                columns[place], converter(kind, column, context), column, table, context
            )
    return data


def _shown(columns: Sequence[Column]) -> str:
    return " | ".join(column.name for column in columns)[:120] or "no header"


def _strangers(table: RawTable, section: Section, places: dict[str, int], context: Context) -> None:
    """Columns that neither the section nor its list of left-out ones knows, told by name."""
    used = set(places.values())
    for place, column in enumerate(table.columns):
        known = any(name in section.ignored for name in column.keys)
        if place not in used and not known and column.name:
            context.warn(
                f"{table.name} ({table.place}): column {column.name!r} is not known, not read"
            )


def _converted(
    texts: Sequence[str],
    convert: Callable[[str], Any],
    column: Column,
    table: RawTable,
    context: Context,
) -> list[Any]:
    try:
        return list(map(convert, texts))
    except cells.ForeignNumberError:
        raise
    except (ValueError, OverflowError):
        pass
    values = []
    for row, text in enumerate(texts, 1):
        try:
            values.append(convert(text))
        except cells.ForeignNumberError:
            raise
        except (ValueError, OverflowError) as problem:
            context.fault(table, row, repr(column.name), str(problem))
            values.append(None)
    return values


def levelled(data: Data, context: Context, size: int | None = None) -> Data:
    """The data with level and instance; rows Sum, Avg, Std, Min, Max are left out.

    Text reports print the instance once for several rows; it holds until the next one.
    """
    marks = data.pop("i#", None)
    if marks is None:
        count = size if size is not None else len(next(iter(data.values()), []))
        level = "cluster" if context.scope == RAC else "instance"
        return {"level": [level] * count, "instance": [context.instance] * count, **data}
    if context.text:
        marks = _filled(marks)
    keep = [place for place, mark in enumerate(marks) if mark and (mark == "*" or mark.isdigit())]
    return {
        "level": ["cluster" if marks[place] == "*" else "instance" for place in keep],
        "instance": [None if marks[place] == "*" else int(str(marks[place])) for place in keep],
        **{name: [values[place] for place in keep] for name, values in data.items()},
    }


def is_instance(mark: str) -> bool:
    """Whether a cell of the column I# is the number of an instance."""
    return mark.isascii() and mark.isdecimal() and len(mark) < _LONGEST


_LONGEST = 6
"""Digits of an instance number at most; a real one has two."""


def _filled(marks: list[str | None]) -> list[str | None]:
    last: str | None = None
    filled = []
    for mark in marks:
        last = mark or last
        filled.append(last)
    return filled


def size_of(data: Data) -> int:
    """The number of rows."""
    return len(next(iter(data.values()), []))


def where(data: Data, name: str) -> Data:
    """The rows in which a column is not null. Raises UnreadError where there is no such column."""
    if name not in data:
        raise UnreadError(f"no column of its {name} is known")
    keep = [place for place, value in enumerate(data[name]) if value is not None]
    if len(keep) == len(data[name]):
        return data
    return {column: [values[place] for place in keep] for column, values in data.items()}


_KEY = {
    "top_events": "event", "wait_events": "event", "wait_classes": "wait_class",
    "containers": "container_db_id", "time_model": "statistic", "sql": "sql_id",
    "instance_activity": "statistic", "os_statistics": "statistic", "io_by_function": "function",
    "io_by_filetype": "filetype", "io_by_tablespace": "tablespace", "io_by_file": "file",
}  # fmt: skip
"""The column without which a row of a table is none."""


def read_columns(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """A table whose rows are rows of ours."""
    return {section.tables[0]: _plain(table, section, context)}


def _plain(table: RawTable, section: Section, context: Context) -> Data:
    name = section.tables[0]
    data = levelled(take(table, section, context), context)
    if name in _KEY:
        data = where(data, _KEY[name])
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


def read_load_profile(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Rows with a name and a unit in it; the ratios that 10g and 11g print below are left out."""
    return _named(table, section, context, LOAD_NAMES)


def read_io_profile(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Rows with a name and a unit in it."""
    return _named(table, section, context, IO_NAMES)


def _named(
    table: RawTable, section: Section, context: Context, names: dict[str, tuple[str, str, float]]
) -> dict[str, Data]:
    rows = [row for row in table.rows if not (row and row[0].startswith(_RATIOS))]
    data = take(table, section, context, rows)
    labels = [row[0] if row else "" for row in rows]
    known = [names.get(cells.key(label)) for label in labels]
    for label, item in zip(labels, known, strict=True):
        if label and item is None:
            context.warn(
                f"{table.name} ({table.place}): row {label!r} is not known: its unit is null"
            )
    printed = [cells.words(label.rstrip(": ")) for label in labels]
    for column in list(data):
        data[column] = [
            value * item[2] if value is not None and item else value
            for value, item in zip(data[column], known, strict=True)
        ]
    out: Data = {
        "statistic": [
            item[0] if item else cells.slug(label)
            for item, label in zip(known, labels, strict=True)
        ],
        "printed": printed,
        "unit": [item[1] if item else None for item in known],
        **data,
    }
    return {section.tables[0]: where(levelled(out, context), "printed")}


_RATIOS = ("% Blocks changed per Read", "Rollback per transaction %")
"""Below the load profile two lines of ratios stand beside one another: none is per second."""


def _load(*groups: tuple[str, str, str, float]) -> dict[str, tuple[str, str, float]]:
    return {
        name: (ours, unit, factor) for names, ours, unit, factor in groups for name in names.split()
    }


LOAD_NAMES = _load(
    ("dbtime(s)", "db_time", "s", 1),
    ("dbcpu(s)", "db_cpu", "s", 1),
    ("backgroundcpu(s)", "background_cpu", "s", 1),
    ("redosize redosize(bytes)", "redo_size", "bytes", 1),
    ("logicalreads logicalread(blocks) logicalreads(blocks)", "logical_reads", "blocks", 1),
    ("blockchanges", "block_changes", "1", 1),
    ("physicalreads physicalread(blocks) physicalreads(blocks)", "physical_reads", "blocks", 1),
    ("physicalwrites physicalwrite(blocks) physicalwrites(blocks)", "physical_writes", "blocks", 1),
    ("readiorequests", "read_requests", "1", 1),
    ("writeiorequests", "write_requests", "1", 1),
    ("readio(mb)", "read_bytes", "bytes", MIB),
    ("writeio(mb)", "write_bytes", "bytes", MIB),
    ("imscanrows", "im_scan_rows", "1", 1),
    ("sessionlogicalreadim", "im_logical_reads", "blocks", 1),
    ("globalcacheblocksreceived racgcblocksreceived", "gc_blocks_received", "blocks", 1),
    ("globalcacheblocksserved racgcblocksserved", "gc_blocks_served", "blocks", 1),
    ("usercalls", "user_calls", "1", 1),
    ("parses parses(sql)", "parses", "1", 1),
    ("hardparses hardparses(sql)", "hard_parses", "1", 1),
    ("sorts", "sorts", "1", 1),
    ("w/ambprocessed sqlworkarea(mb)", "work_area_bytes", "bytes", MIB),
    ("logons", "logons", "1", 1),
    ("userlogons", "user_logons", "1", 1),
    ("executes executes(sql)", "executes", "1", 1),
    ("rollbacks", "rollbacks", "1", 1),
    ("transactions", "transactions", "1", 1),
)
"""The rows of Load Profile: printed name -> (statistic, unit, factor)."""

IO_NAMES = _load(
    ("totalrequests", "total_requests", "1", 1),
    ("databaserequests", "database_requests", "1", 1),
    ("optimizedrequests", "optimized_requests", "1", 1),
    ("redorequests", "redo_requests", "1", 1),
    ("total(mb)", "total_bytes", "bytes", MIB),
    ("database(mb)", "database_bytes", "bytes", MIB),
    ("optimizedtotal(mb)", "optimized_bytes", "bytes", MIB),
    ("redo(mb)", "redo_bytes", "bytes", MIB),
    ("database(blocks)", "database_blocks", "blocks", 1),
    ("viabuffercache(blocks)", "buffer_cache_blocks", "blocks", 1),
    ("direct(blocks)", "direct_blocks", "blocks", 1),
)
"""The rows of IO Profile: printed name -> (statistic, unit, factor)."""


def read_activity(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Instance activity: rates, absolute values and thread activity share one heading."""
    data = where(levelled(take(table, section, context), context), "statistic")
    kind = "absolute" if "begin_value" in data else "thread" if "per_hour" in data else "rate"
    return {"instance_activity": {**data, "kind": [kind] * size_of(data)}}


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


def read_os_statistics(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Operating system statistics: times are printed in hundredths of a second."""
    data = where(levelled(take(table, section, context), context), "statistic")
    units = [_os_unit(name) for name in data["statistic"]]
    for column in ("value", "end_value"):
        if column in data:
            data[column] = [
                value / 100 if value is not None and unit == "s" else value
                for value, unit in zip(data[column], units, strict=True)
            ]
    return {"os_statistics": {**data, "unit": units}}


def _os_unit(name: str) -> str:
    if name.endswith("_TIME"):
        return "s"
    return "bytes" if name.endswith("_BYTES") or "_SIZE_" in name else "1"


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


_CPUS = re.compile(r"(CPUs|Cores|Sockets):\s*(\d+)", re.I)


def read_host_cpu(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """Host CPU; up to 11.2.0.3 and in Statspack the numbers of CPUs stand beside the heading."""
    data = levelled(take(table, section, context, table.narrowed), context)
    data = {name: values[:1] for name, values in data.items()}
    for name, number in _CPUS.findall(table.near()):
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


def read_instance_cpu(table: RawTable, _section: Section, context: Context) -> dict[str, Data]:
    """Instance CPU: a row of shares in HTML, lines with a label in text."""
    if table.rows and len(table.columns) > 1 and table.columns[0].name:
        pairs = list(zip((c.name for c in table.columns), table.rows[0], strict=False))
    else:
        pairs = [
            (row[0], next((cell for cell in row[1:] if cell), "")) for row in table.rows if row
        ]
    data: Data = {}
    for row, (label, text) in enumerate(pairs, 1):
        column = _INSTANCE_CPU.get(cells.key(label))
        if column:
            kind = cells.percent if column.endswith("_ratio") else cells.number
            data |= {column: _converted([text], kind, Column("", label), table, context)}
        elif label and "busy" not in label.lower():
            context.warn(f"{table.name} ({table.place}), row {row}: {label!r} is not known")
    return {"instance_cpu": levelled(data, context, 1)} if data else {}


_MEMORY = {
    "hostmem(mb)": ("host_memory", "bytes"), "sgause(mb)": ("sga", "bytes"),
    "pgause(mb)": ("pga", "bytes"), "%hostmemusedforsga+pga": ("sga_pga_share", "1"),
    "buffercache": ("buffer_cache", "bytes"), "sharedpoolsize": ("shared_pool", "bytes"),
    "sharedpool": ("shared_pool", "bytes"), "stdblocksize": ("block_size", "bytes"),
    "logbuffer": ("log_buffer", "bytes"), "in-memoryarea": ("in_memory_area", "bytes"),
    "numapoolsize": ("numa_pool", "bytes"),
}  # fmt: skip


def read_memory(table: RawTable, _section: Section, context: Context) -> dict[str, Data]:
    """Memory statistics and cache sizes: labels with one or two values, some side by side."""
    rows: list[tuple[str, str, str, float | None, float | None]] = []
    for number, row in enumerate(table.rows, 1):
        for label, begin, end in _labelled(row):
            item, unit = _MEMORY.get(cells.key(label), (cells.slug(label), None))
            if unit is None:
                context.warn(f"{table.name} ({table.place}), row {number}: {label!r} is not known")
                continue
            kind = cells.percent if unit == "1" else cells.size
            values = _converted([begin, end], kind, Column("", label), table, context)
            rows.append((item, label.rstrip(": "), unit, values[0], values[1]))
    names = ("item", "printed", "unit", "begin", "end")
    data = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return {"memory": levelled(data, context, len(rows))}


def _labelled(row: list[str]) -> Iterator[tuple[str, str, str]]:
    """The labels of a row, each with its two values: ``Std Block Size: 8K`` has one."""
    label, begin, end, beside, value, *_ = [*row, *[""] * 5]
    yield label, begin, end
    if beside:
        yield beside, value, ""


def read_detail(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """The OS statistics of each snapshot; the year is not printed, so a time is rarely known."""
    data = levelled(take(table, section, context), context)
    return {"os_statistics_detail": where(data, "snap_text")}


_BUCKET = re.compile(r"(<=|<|>=|>)(\d+)(?:/(\d+))?(us|ms|u|s|m|h)")
_EDGES = {"u": 1e6, "us": 1e6, "ms": 1e3, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}
_SHARE = re.compile(r"(<)?([\d.]+)(?:\((\d+)\))?")
_RANGE = re.compile(r"\(([^()]*)\)\s*$")


def read_histogram(table: RawTable, _section: Section, context: Context) -> dict[str, Data]:
    """Wait event histograms: one row for each bucket with something printed in it."""
    columns = table.columns
    edges = [_edge(column.name) for column in columns]
    if not any(edges):
        raise UnreadError(f"no column of it is a bucket: {_shown(columns)}")
    names = indices(columns, ("event",))
    if not names:
        raise UnreadError(f"no column of events: {_shown(columns)}")
    counted = [
        place for place, column in enumerate(columns)
        if edges[place] is None and place != names.get("event") and "wait" in cells.key(column.name)
    ]  # fmt: skip
    buckets = _buckets(edges)
    found = _RANGE.search(table.title)
    covers = found[1] if found and found[1] != "Global" else "all"
    rows = table.rows
    events = [cells.words(row[names["event"]]) for row in rows]
    waits: list[float | None] = [None] * len(rows)
    if counted:
        column = columns[counted[0]]
        printed = [row[counted[0]] for row in rows]
        waits = _converted(printed, converter("count", column, context), column, table, context)
    shares = context.seen.setdefault(("share", None), Seen(_share))
    filled: list[tuple[Any, ...]] = []
    for number, (row, event, count) in enumerate(zip(rows, events, waits, strict=True), 1):
        if not event:
            continue
        for place, lower, upper in buckets:
            text = row[place]
            if text not in cells.NOTHING:
                share = shares[text]
                if share is None:
                    context.fault(table, number, repr(columns[place].name), repr(text))
                    share = (None, None, None)
                filled.append((covers, event, count, lower, upper, *share))
    parts = zip(*filled, strict=True) if filled else repeat(())
    data = dict(zip(_HISTOGRAM, map(list, parts), strict=False))
    return {"event_histogram": levelled(data, context)}


_HISTOGRAM = ("range", "event", "waits", "lower_s", "upper_s", "waits_ratio", "below", "count")


def _edge(name: str) -> tuple[str, float] | None:
    found = _BUCKET.fullmatch(cells.key(name))
    if not found or found[3] == "0":
        return None
    return found[1], int(found[2]) / int(found[3] or 1) / _EDGES[found[4]]


def _buckets(edges: list[tuple[str, float] | None]) -> list[tuple[int, float, float | None]]:
    """The buckets: place of the column, lower edge, upper edge (None: without end)."""
    buckets: list[tuple[int, float, float | None]] = []
    below = 0.0
    for place, edge in enumerate(edges):
        if edge is None:
            continue
        if edge[0].startswith("<"):
            buckets.append((place, below, edge[1]))
            below = edge[1]
        else:
            buckets.append((place, edge[1], None))
    return buckets


def _share(text: str) -> tuple[float | None, bool | None, float | None] | None:
    """``0.0(37621)`` or ``<0.01(290)``: the share, whether it is a limit, the count in brackets."""
    found = _SHARE.fullmatch(text.replace(" ", ""))
    try:
        share = cells.percent(found[2]) if found else None
    except ValueError:
        return None
    if not found or share is None:
        return None
    return share, bool(found[1]), float(found[3]) if found[3] else None


def read_system(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """RAC's system statistics; reads and writes are blocks."""
    data = levelled(take(table, section, context), context)
    return {"system_statistics": {**data, "section": ["System Statistics"] * size_of(data)}}


_TOTALS = frozenset({"TOTAL:", "Total", "TOTAL"})


def read_io(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function or file type; its total is a row called Total."""
    name = section.tables[0]
    data = where(levelled(take(table, section, context), context), _KEY[name])
    if name == "io_by_function":
        data.pop("small_read_s", None)
        data.pop("large_read_s", None)
    data[_KEY[name]] = ["Total" if item in _TOTALS else item for item in data[_KEY[name]]]
    return {name: data}


_PAIR = re.compile(r"(.*?)\s*\((.*)\)")


def read_function_filetype(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by function and file type; the rows of functions alone stand in IO by Function too."""
    rows = table.rows
    if not indices(table.columns, ("function/filename",)):
        names, rows = _under_names(table)
        data = take(table, section, context, rows)
        data["function"] = list(names)
    else:
        data = take(table, section, context)
    pairs = [_PAIR.fullmatch(name or "") for name in data["function"]]
    data["function"] = [found[1] if found else None for found in pairs]
    data["filetype"] = [found[2] if found else None for found in pairs]
    return {"io_by_function": where(levelled(data, context), "filetype")}


def _under_names(table: RawTable) -> tuple[list[str], list[list[str]]]:
    """In text the name of a row stands on a line of its own above its numbers."""
    names: list[str] = []
    rows: list[list[str]] = []
    name = ""
    for row in table.rows:
        filled = [cell for cell in row if cell]
        if filled and not re.match(r"[-.\d#]", filled[0]):
            name = " ".join(filled)
        elif filled and name:
            names.append(name)
            rows.append(row)
            name = ""
    return names, rows


def read_files(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """IO by tablespace or file, with a check against a header that Oracle wrote in a wrong order.

    In HTML reports of 11.2 the names of three columns stand one place off: "Writes" over the
    times of single-block reads. Writes over elapsed time must give the printed writes per second:
    the order for which that holds alone is right; where both hold, or none, the columns are null.
    """
    name = section.tables[0]
    data = where(levelled(take(table, section, context), context), _KEY[name])
    if context.text or "optimized_ratio" in data or not data.keys() >= _MOVED:
        return {name: data}
    shifted = {
        **data,
        "writes": data["one_block_read_iops"],
        "one_block_read_iops": _scaled(data["one_block_read_avg_s"], 1000),
        "one_block_read_avg_s": _scaled(data["writes"], 1 / 1000),
    }
    headed, moved = _agree(data, context), _agree(shifted, context)
    if headed and (not moved or name == "io_by_file"):
        # the names stand off in Tablespace IO Stats alone: in no file table of a real report
        return {name: data}
    told = "read in the order in which writes / elapsed time is writes per second"
    if headed or not moved:
        # a number that is the same in both orders needs no choice between them
        alike = {
            column: [
                one if one == other else None
                for one, other in zip(data[column], shifted[column], strict=True)
            ]
            for column in sorted(_MOVED)
        }
        if headed and all(alike[column] == data[column] for column in alike):
            return {name: data}
        shifted = {**data, **alike}
        told = "which numbers are which cannot be told: null"
    context.warn(
        f"{table.name} ({table.place}): the header may name Writes, 1-bk Rds/s and Av 1-bk Rd in "
        f"an order that its numbers contradict; {told}"
    )
    return {name: shifted}


_MOVED = {"writes", "one_block_read_iops", "one_block_read_avg_s"}


def _scaled(values: list[float | None], factor: float) -> list[float | None]:
    return [None if value is None else value * factor for value in values]


def _agree(data: Data, context: Context) -> bool:
    """Whether writes over the elapsed time are the printed rates, as far as it can be told."""
    if not context.elapsed_s or "write_iops" not in data:
        return True
    pairs = [
        (total / context.elapsed_s, rate)
        for total, rate in zip(data["writes"], data["write_iops"], strict=True)
        if total is not None and rate is not None
    ]
    # rates are printed as whole numbers
    wrong = sum(abs(own - rate) > 0.6 + 0.01 * max(own, rate) for own, rate in pairs)
    return bool(wrong * _FEW <= len(pairs))


_FEW = 20
"""Totals and rates agree where they do in all rows but one of so many."""


_SQL_ID = re.compile(r"[0-9a-z]{13}|\d{5,11}")
_LABELS = {"Module": "module", "PDB": "container", "PDB Name": "container"}


def read_sql(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""
    data = (_sql_text if context.text else _sql_html)(table, section, context)
    size = size_of(data)
    data |= {name: [value] * size for name, value in section.const.items()}
    return {"sql": data}


def _sql_html(table: RawTable, section: Section, context: Context) -> Data:
    return where(levelled(take(table, section, context), context), "sql_id")


def _sql_text(table: RawTable, section: Section, context: Context) -> Data:
    id_place = next(
        (place for place, column in enumerate(table.columns)
         if {"sqlid", "oldhashvalue", "hashvalue"} & set(column.keys)),
        None,
    )  # fmt: skip
    if id_place is None:
        raise UnreadError(f"no column of SQL ids: {_shown(table.columns)}")
    rows: list[list[str]] = []
    beside: list[dict[str, str]] = []
    texts: list[list[str]] = []
    filled = iter(table.body.fetch())
    for line in table.body.lines:
        if not line.strip():
            continue
        row = next(filled)
        if _is_sql(row, id_place):
            rows.append(row)
            beside.append({})
            texts.append([])
        elif rows:
            label, colon, rest = line.partition(":")
            if colon and label.strip() in _LABELS and not texts[-1]:
                beside[-1][_LABELS[label.strip()]] = rest.strip()
            else:
                texts[-1].append(line)
    data = take(table, section, context, rows)
    for column in ("module", "container"):
        data[column] = [item.get(column) for item in beside]
    # the text is wrapped at a fixed width, in the middle of words
    data["text"] = ["".join(lines).strip() or None for lines in texts]
    return levelled(data, context)


def _is_sql(row: list[str], id_place: int) -> bool:
    """Whether a line is a statement's line of numbers."""
    if len(row) <= id_place or not _SQL_ID.fullmatch(row[id_place]):
        return False
    others = row[:id_place]
    return bool(others[0]) and all(re.fullmatch(r"[-\d.,#EKMGN/A+]*", cell) for cell in others)


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


READERS: dict[str, Callable[[RawTable, Section, Context], dict[str, Data]]] = {
    "columns": read_columns,
    "load_profile": read_load_profile,
    "io_profile": read_io_profile,
    "activity": read_activity,
    "absolute": read_absolute,
    "rac_caches": read_rac_caches,
    "times": read_times,
    "time_shares": read_time_shares,
    "class_times": read_class_times,
    "class_shares": read_class_shares,
    "os_statistics": read_os_statistics,
    "nodes": read_nodes,
    "host_cpu": read_host_cpu,
    "instance_cpu": read_instance_cpu,
    "memory": read_memory,
    "detail": read_detail,
    "histogram": read_histogram,
    "system": read_system,
    "io": read_io,
    "function_filetype": read_function_filetype,
    "files": read_files,
    "sql": read_sql,
    "parameters": read_parameters,
}
"""How each kind of section is read; the head of the report is read by ``head``."""
