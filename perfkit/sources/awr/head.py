"""The head of a report: what was measured, where, and for how long."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from perfkit.core.schema import Row
from perfkit.core.units import MIB
from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import RawTable
from perfkit.sources.awr.schema import INSTANCES, REPORT
from perfkit.sources.awr.sections import RAC
from perfkit.sources.awr.tidy import Context, Data, Found, UnreadError, is_instance, size_of, take
from perfkit.sources.awr.tidy.context import rows_of
from perfkit.sources.awr.tidy.damage import check_header, check_rows

KINDS = ("database", "snapshots", "summary", "instances", "host_line")

_MINUTES = r":?\s*([\d,.]+)\s*\(mins?\)"
_TIMES = {
    "elapsed_s": re.compile(r"Elapsed" + _MINUTES, re.I),
    "db_time_s": re.compile(r"DB Time" + _MINUTES, re.I),
    "db_cpu_s": re.compile(r"DB CPU" + _MINUTES, re.I),
}
_HOST = re.compile(
    r"Name:\s+(\S.*?)?\s*Num CPUs:\s*(\d{1,6})?\s*Phys Memory \(MB\):\s*([\d,.]{1,20})?"
)
_ACTIVE = re.compile(r"Av Act Sess:\s*([\d,.]+)", re.I)


def read_head(
    found: Mapping[str, Sequence[Found]], context: Context, values: Row
) -> tuple[Data, Data, dict[str, str]]:
    """The tables report (one row) and instances, and the sections that could not be read.

    ``found`` has the tables of the head's sections by name; ``values`` what is known already.
    """
    instances: Data = {}
    wrong: dict[str, str] = {}
    for name, tables in found.items():
        for table in tables:
            try:
                _part(table, values, instances)
            except UnreadError as problem:
                wrong[name] = str(problem)
    if context.text and "snapshots" in found:
        for name in _missing(values):
            context.warn(f"{name} is not printed below the snapshots; null")
    if values["scope"] == RAC:
        values |= _spanned(instances, context)
    context.elapsed_s = values.get("elapsed_s")
    context.instance = None if values["scope"] == RAC else values.get("instance")
    values["startup_time"] = cells.moment(values.get("startup_text"))
    if not instances and values.get("instance_name") is not None:
        instances = {name: [values.get(name)] for name in INSTANCES}
    report = {name: [values.get(name)] for name in REPORT}
    return report, instances, wrong


def _part(printed: Found, values: Row, instances: Data) -> None:
    """One table of the head, put to what is known of the report."""
    found = check_header(printed)
    kind = found.section.kind
    if kind == "instances":
        _instances(found, instances)
    elif kind == "snapshots":
        values |= _snapshots(found)
    else:
        # 12.2 has two tables of this name: the first that says something counts
        row = _host(found.table) if kind == "host_line" else _first(take(found))
        values |= {name: value for name, value in row.items() if values.get(name) is None}
    check_rows(found)


def _host(table: RawTable) -> Row:
    """The host of a Statspack report of 10g: one line (spreport.sql of that release)."""
    printed = _HOST.search(table.near())
    if not printed:
        raise UnreadError(f"no name and CPUs of a host at {table.place}")
    host, cpus, memory = (cells.words(text or "") for text in printed.groups())
    size = _number(memory) if memory else None
    return {
        "host": host,
        "cpus": cells.whole(cpus) if cpus else None,
        "memory_bytes": None if size is None else size * MIB,
    }


def _first(data: Data) -> Row:
    return {name: items[0] for name, items in data.items() if items}


def _snapshots(found: Found) -> Row:
    """The two snapshots, and the times that stand in the rows below them."""
    table = found.table
    printed_rows = table.rows if found.text else [*table.rows, *_wide_rows(found)]
    labels = [cells.key(row[0]) if row else "" for row in printed_rows]
    rows = {
        name: [row for row, label in zip(printed_rows, labels, strict=True) if label == key]
        for name, key in (("begin", "beginsnap"), ("end", "endsnap"))
    }
    if found.text:
        rows = _whole_rows(found, rows)
    values: Row = {}
    instances = set()
    for name, own in rows.items():
        data = _first(take(found, own[:1]))
        instances.add(data.get("instances"))
        values[f"snap_{name}_id"] = data.get("snap_id")
        values[f"sessions_{name}"] = data.get("sessions")
        values[f"{name}_text"] = data.get("snap_text")
        values[f"{name}_time"] = cells.moment(data.get("snap_text"))
    # as many at both snapshots were open all the time
    values["instances_total"] = instances.pop() if len(instances) == 1 else None
    text = "\n".join(" ".join(filter(None, row)) for row in printed_rows)
    for name, pattern in _TIMES.items():
        printed = pattern.search(text)
        values[name] = _minutes(printed[1]) if printed else None
    active = _ACTIVE.search(text)
    values["average_active_sessions"] = _number(active[1]) if active else None
    return values


def _wide_rows(found: Found) -> list[list[str]]:
    """Rows of one cell more than the header, as those of a PDB of 12.2 are (HTML).

    The label tells what the times are, and a date is its own proof: of what stands behind it, it
    is not known which cell is the additional one.
    """
    table, width = found.table, len(found.table.columns)
    wide = []
    for number, row in enumerate(table.body.fetch(), 1):
        if table.broken.get(number) != width + 1:
            continue
        dated = width > _DATED and row[1].isdecimal() and cells.moment(row[_DATED])
        if dated or row[0].endswith(("Elapsed:", "DB Time:", "DB CPU:")):
            del table.broken[number]
            kept = row[: _DATED + 1] if dated else row[:width]
            wide.append(kept + [""] * (width - len(kept)))
    if any(row[1] for row in wide):
        found.warn(f"its rows have {width + 1} cells below {width} columns: the sessions are null")
    return wide


_DATED = 2
"""The place of a snapshot's time, behind its label and its number."""


def _missing(values: Mapping[str, Any]) -> list[str]:
    """The times that every text report prints, but Statspack up to 10g its DB time."""
    old = str(values.get("release")).startswith(("8.", "9.", "10."))
    names = ("elapsed_s",) if old and values["form"] == "statspack" else ("elapsed_s", "db_time_s")
    return [name for name in names if values.get(name) is None]


def _whole_rows(found: Found, rows: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """The rows of the two snapshots that keep to their columns, with a warning of each missing."""
    table = found.table
    lines = [line for line in table.body.lines if line.strip()]
    own = dict(zip(map(tuple, table.rows), lines, strict=False))
    kept = {}
    for name, own_rows in rows.items():
        kept[name] = [row for row in own_rows[:1] if not table.misaligned([own[tuple(row)]])[0]]
        if not kept[name]:
            found.warn(
                f"no row of the {name} snapshot, or its cells do not stand where its columns are; "
                "null"
            )
    return kept


def _minutes(text: str) -> float | None:
    value = _number(text)
    return None if value is None else value * 60


def _number(text: str) -> float | None:
    try:
        return cells.plain(text)
    except cells.ForeignNumberError:
        raise
    except ValueError:
        return None


def _instances(found: Found, data: Data) -> None:
    """The instances of a RAC report, put to those that are there."""
    rows = take(found)
    marks = rows.pop("i#")
    keep = [place for place, mark in enumerate(marks) if mark and is_instance(mark)]
    rows = rows_of(rows, keep)
    rows["instance"] = [int(marks[place]) for place in keep]
    for name in ("startup", "begin", "end"):
        texts = rows.get(f"{name}_text", [None] * len(keep))
        rows[f"{name}_time"] = [cells.moment(text) for text in texts]
    before = size_of(data)
    for name in INSTANCES:
        old = data.get(name, [None] * before)
        data[name] = [*old, *rows.get(name, [None] * len(keep))]


def _spanned(instances: Data, context: Context) -> Row:
    """The times of a RAC report, from the earliest snapshot of an instance to the latest one.

    Its release and platform are those of all instances: null, with a warning, where they differ.
    """
    values: Row = {}
    for name, choose in (("begin", min), ("end", max)):
        times = [time for time in instances.get(f"{name}_time", []) if time is not None]
        values[f"{name}_time"] = choose(times) if times else None
        values[f"{name}_text"] = next(iter(instances.get(f"{name}_text", [])), None)
    for name in ("release", "platform"):
        different = sorted({value for value in instances.get(name, []) if value is not None})
        values[name] = different[0] if len(different) == 1 else None
        if len(different) > 1:
            context.warn(f"{name}: the instances have {' and '.join(different)}; null")
    return values
