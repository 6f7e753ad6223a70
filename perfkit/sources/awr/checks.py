"""Cross-checks within a report: every disagreement becomes a warning.

Many sessions on few cores, and shares that add to more than 100 % of DB time, are normal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from perfkit.sources.awr import cells
from perfkit.sources.awr.frames import records
from perfkit.sources.awr.raw import RawTable, indices
from perfkit.sources.awr.tidy import Data, Found, is_instance, size_of

_SHOWN = 3

AVERAGE_TOLERANCE = 0.035
"""Printed average against total / waits: totals are rounded to ``26.4K`` in the worst table."""

SHORT_S = 100.0
"""Total waits below this are rounded too much to judge the average by."""

AGREE = 0.02
"""How far two sections may differ that count the same."""

IO_AGREE = 0.25
"""IO Profile against IO by Function: they are counted in different places."""


def problems(
    tables: Mapping[str, Data], found: Mapping[str, Sequence[Found]], release: str | None
) -> Iterator[str]:
    """Every disagreement, in words, with the numbers."""
    yield from _averages(tables, release)
    yield from _sums(found)
    yield from _io(tables)
    yield from _negative(tables)
    yield from _cpu(tables)
    yield from _db_time(tables)
    yield from _active(tables)
    if tables["report"]["format"] == ["text"]:
        yield from _histograms(tables)


def _columns(tables: Mapping[str, Data], name: str, *wanted: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns row by row; of a column that the table has not, null."""
    data = tables.get(name, {})
    nothing = [None] * size_of(data)
    return zip(*(data.get(column, nothing) for column in wanted), strict=True)


def _near(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * max(abs(one), abs(other))


def _few(texts: list[str], what: str) -> Iterator[str]:
    """The first few, and how many more."""
    yield from texts[:_SHOWN]
    if len(texts) > _SHOWN:
        yield f"{what}: {len(texts) - _SHOWN} more"


def _averages(tables: Mapping[str, Data], release: str | None) -> Iterator[str]:
    """Total / waits against the printed average; up to 11.2 it is printed in whole ms."""
    whole = bool(release) and str(release).startswith(("9.", "10.", "11."))
    for name in ("top_events", "wait_events"):
        texts = []
        for event, total, printed, own in _columns(
            tables, name, "event", "total_wait_s", "avg_wait_s", "avg_wait_computed_s"
        ):
            if total is None or total < SHORT_S or printed is None or own is None:
                continue
            slack = 0.0005 + 1e-9 if whole or _whole_ms(printed) else 0.0000051
            if abs(printed - own) > slack and not _near(printed, own, AVERAGE_TOLERANCE):
                texts.append(
                    f"{name}, {event}: the printed average wait is {printed:.6g} s, "
                    f"total / waits is {own:.6g} s"
                )
        yield from _few(texts, f"{name}: average waits that are not total / waits")


def _whole_ms(value: float) -> bool:
    return abs(value * 1000 - round(value * 1000)) < 1e-9


def _sums(found: Mapping[str, Sequence[Found]]) -> Iterator[str]:
    """The instances' sum against the printed row Sum, in every RAC table that has one."""
    for tables in found.values():
        for each in tables:
            if each.section.kind in ("system", "times", "class_times", "absolute"):
                yield from _sum_row(each.table)


def _sum_row(table: RawTable) -> Iterator[str]:
    place = indices(table.columns, ("i#",)).get("i#")
    if place is None:
        return
    sums = next((row for row in table.rows if row[place] == "Sum"), None)
    own = [row for row in table.rows if is_instance(row[place])]
    if sums is None or not own:
        return
    for index, column in enumerate(table.columns):
        values = [_value(row[index]) for row in own] if index != place else []
        printed = _value(sums[index])
        known = [value for value in values if value is not None]
        # each cell is rounded: to a unit of its last digit
        digit = max(_digit(row[index]) for row in [*own, sums])
        slack = 0.5 * digit * (len(known) + 1) * 1.01
        if printed is not None and known and abs(sum(known) - printed) > slack:
            yield (
                f"{table.label}, {column.name}: the instances add to "
                f"{sum(known):,.6g}, the printed sum is {printed:,.6g}"
            )


def _value(text: str) -> float | None:
    try:
        return cells.number(text)
    except ValueError:
        return None


def _digit(text: str) -> float:
    """The unit of a number's last digit."""
    decimals = len(text.partition(".")[2])
    return float(10**-decimals) if decimals < 9 else 0.0


def _io(tables: Mapping[str, Data]) -> Iterator[str]:
    for name, one, other in io_disagreements(tables):
        yield (
            f"IO Profile has {one:,.6g} {name} requests/s, "
            f"IO by Function {other:,.6g}: one of them is wrong"
        )


def io_disagreements(tables: Mapping[str, Data]) -> Iterator[tuple[str, float, float]]:
    """Where IO Profile and IO by Function disagree: reads or writes, requests/s of either."""
    if "iops_source" not in tables:
        return
    rows = {(row["section"], row["counts"]): row for row in records(tables["iops_source"])}
    profile, function = rows.get(("IO Profile", "total")), rows.get(("IO by Function", "total"))
    if not profile or not function:
        return
    for name in ("read_iops", "write_iops"):
        one, other = profile[name], function[name]
        if one is None or other is None or max(one, other) < 10:
            continue
        if not _near(one, other, IO_AGREE):
            yield name.removesuffix("_iops"), one, other


def _negative(tables: Mapping[str, Data]) -> Iterator[str]:
    """Counters that wrapped or went back: a difference below 0."""
    for name, columns, label in (
        ("instance_activity", ("total", "per_s"), "statistic"),
        ("wait_events", ("waits", "total_wait_s"), "event"),
        ("top_events", ("waits", "total_wait_s"), "event"),
        ("io_by_function", ("requests", "read_iops", "write_iops"), "function"),
        ("system_statistics", ("physical_reads_blocks_per_s", "redo_bytes_per_s"), "section"),
        ("time_model", ("time_s",), "statistic"),
        ("load_profile", ("per_s",), "statistic"),
        ("io_profile", ("total_per_s",), "statistic"),
    ):
        texts = [
            f"{name}, {row[0]}: a counter is negative"
            for row in _columns(tables, name, label, *columns)
            if any(value is not None and value < 0 for value in row[1:])
        ]
        yield from _few(texts, f"{name}: negative counters")


def _cpu(tables: Mapping[str, Data]) -> Iterator[str]:
    """DB CPU cannot be more than all logical CPUs over the whole time."""
    if "time_model" not in tables or "host_cpu" not in tables:
        return
    report = next(records(tables["report"]))
    times = {row["instance"]: row.get("elapsed_s") for row in records(tables["instances"])}
    cpus = dict(_columns(tables, "host_cpu", "instance", "cpus"))
    for name, level, instance, time_s in _columns(
        tables, "time_model", "statistic", "level", "instance", "time_s"
    ):
        if name != "DB CPU" or level != "instance":
            continue
        count = cpus.get(instance) or (report["cpus"] if report["scope"] != "rac" else None)
        elapsed = times.get(instance) or report["elapsed_s"]
        if time_s is None or not count or not elapsed:
            continue
        if time_s > elapsed * count * 1.01 + 1:
            yield (f"DB CPU of {time_s:,.6g} s is more than {count} CPUs give in {elapsed:,.6g} s")


def _db_time(tables: Mapping[str, Data]) -> Iterator[str]:
    """The instances' DB time against the report's, and against the time model's."""
    own = [value for (value,) in _columns(tables, "instances", "db_time_s") if value is not None]
    ((total,),) = _columns(tables, "report", "db_time_s")
    if total is not None and own and abs(sum(own) - total) > 0.6 * (len(own) + 1):
        yield (f"the instances' DB time adds to {sum(own):,.6g} s, the report's is {total:,.6g} s")


def _active(tables: Mapping[str, Data]) -> Iterator[str]:
    """Average active sessions against DB time / elapsed time."""
    for instance, printed, elapsed, db_time in _columns(
        tables, "instances", "instance", "average_active_sessions", "elapsed_s", "db_time_s"
    ):
        if printed is None or not elapsed or db_time is None:
            continue
        own = db_time / elapsed
        # printed with one or two decimals; times with two decimals of a minute
        if abs(own - printed) > 0.051 + AGREE * own + 0.6 * (1 + own) / elapsed:
            yield (
                f"instance {instance}: average active sessions are printed as "
                f"{printed:.6g}, DB time / elapsed time is {own:.6g}"
            )


def _histograms(tables: Mapping[str, Data]) -> Iterator[str]:
    """The shares of an event's waits below a time, in each part of its histogram that has it.

    In text the buckets are of one width: a share of .0 that was lost with its width moves others.
    """
    below: dict[str, dict[float, dict[str, tuple[float, float]]]] = {}
    sums: dict[tuple[str, str], tuple[float, float]] = {}
    several = set()
    columns = ("event", "range", "upper_s", "waits_ratio")
    for event, part, upper, share in _columns(tables, "event_histogram", *columns):
        total, slack = sums.get((event, part), (0.0, 0.0))
        sums[event, part] = held = total + (share or 0.0), slack + _HALF
        if upper is not None:
            parts = below.setdefault(event, {}).setdefault(upper, {})
            if part in parts:
                # names that were cut off alike
                several.add(event)
            parts[part] = held
    texts = [
        f"event_histogram, {event}: below {edge:g} s are {least:.1%} of its waits in one part of "
        f"the histogram and {most:.1%} in another"
        for event, edges in below.items()
        if event not in several
        for edge, parts in edges.items()
        for (least, one), (most, other) in [(min(parts.values()), max(parts.values()))]
        if most - least > one + other + _HALF
    ]
    yield from _few(texts, "event_histogram: parts that contradict each other")


_HALF = 0.0005 + 1e-9
"""Half a digit of a printed share."""
