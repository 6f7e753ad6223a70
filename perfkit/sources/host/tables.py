"""A recording to its tidy tables, the common host series, and the evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import UsageError, check_name
from perfkit.core.evidence import Section
from perfkit.core.files import Json
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.sources.files import File, frame, given
from perfkit.sources.host.clock import DateOrder, Dates, Times, line_up, order_of
from perfkit.sources.host.columns import (
    COLUMNS,
    HOST_SERIES,
    KEYS,
    RESTARTS,
    TABLES,
    Column,
    Columns,
)
from perfkit.sources.host.numbers import Numbers
from perfkit.sources.rundir import schema as run_schema

if TYPE_CHECKING:
    from perfkit.sources.host.record import Part, Recording, Track

Values = dict[str, list[Any]]

AMBIGUOUS = (
    "the dates do not tell day from month: time is null; date_order='mdy' or 'dmy' settles it"
)
WHOLE_HOST = "all"
"""How all CPUs together are named."""


@dataclass(frozen=True)
class Options:
    """What a caller can say about a recording that does not say it itself."""

    interval_s: float | None = None
    date_order: DateOrder | None = None
    device: str | None = None
    labels: Mapping[str, str | float | int] | None = None

    def record(self) -> Json:
        """The arguments that were given, for the lineage."""
        return given(
            interval_s=self.interval_s,
            date_order=self.date_order,
            device=self.device,
            labels=dict(self.labels or {}),
        )


@dataclass(frozen=True)
class Reader:
    """A reader: its registered name, its version, and the tables it gives."""

    function: str
    version: int
    tables: tuple[str, ...]


def finish(
    recording: Recording,
    file: File,
    reader: Reader,
    options: Options,
    arguments: Mapping[str, Any] | None = None,
) -> Reading:
    """The Reading of a recording: the given tables (empty where it has nothing) and host_series.

    ``arguments`` are further ones of the reader, for the lineage.
    """
    for name in options.labels or {}:
        check_name("label", name, _LABELS, UsageError)
    tables, label = reader.tables, file.label
    order, notes = _date_order(recording, options)
    numbers = Numbers(recording.path)
    frames: dict[str, pl.DataFrame] = {}
    for name in tables:
        track = recording.track(name)
        times = _times(recording, track, order, options)
        _check_seconds(recording, track, times)
        frames[name] = _frame(recording, track, times, numbers)
    series, more = host_series(frames, options, label)
    frames["host_series"] = series
    if recording.tool in _WITH_RESTARTS:
        frames["restarts"] = _restarts(recording, order, label)
    facts: list[Row] = [
        {"group": "host", "fact": name, "value": value} for name, value in recording.facts.items()
    ]
    frames["host"] = frame(facts, run_schema.RUN_HOST, label)
    found = file.evidence(
        "sar" if recording.tool == "sadf" else recording.tool,
        recording.tool,
        sections=tuple(_sections(recording, frames, tables)),
        warnings=tuple(dict.fromkeys([*recording.warnings, *notes, *numbers.warnings(), *more])),
        unverified=recording.unverified,
    )
    return reading(
        reader.function, reader.version, frames, found, {**options.record(), **(arguments or {})}
    )


_WITH_RESTARTS = ("sar", "sadf")


_LABELS = (*run_schema.RUN_POINT, "host")


def _date_order(recording: Recording, options: Options) -> tuple[DateOrder | None, list[str]]:
    dates = list(_all_dates(recording))
    if not dates:
        return None, []
    order = order_of(dates, options.date_order)
    if order is None and options.date_order is not None:
        raise UsageError(f"{recording.path}: a date does not fit date_order={options.date_order!r}")
    return order, [AMBIGUOUS] if order is None else []


def _all_dates(recording: Recording) -> Iterator[Dates]:
    if recording.header and recording.header.readings:
        yield recording.header.readings
    for track in recording.tracks.values():
        yield from (dict(stamp.dates) for stamp in track.stamps if stamp and stamp.dates)


def _check_seconds(recording: Recording, track: Track, times: Times) -> None:
    """ParseError, with its line, where a second recording is not known to be the later one.

    Read as one history, the samples of both would lie in one line of a chart.
    """
    if not recording.seconds:
        return
    placed = sorted(
        (row.line, times.seconds[row.sample - 1]) for part in track.parts for row in part.rows
    )
    for line in recording.seconds:
        before = [at for number, at in placed if number < line]
        after = [at for number, at in placed if number > line]
        if not before or not after:
            continue
        known = [at for at in before if at is not None]
        if len(known) < len(before) or after[0] is None or after[0] <= max(known):
            raise recording.fault(
                "a second recording of the same host begins here, and no time says that it is the "
                "later one: put each into a file of its own",
                line,
            )


def _times(recording: Recording, track: Track, order: DateOrder | None, options: Options) -> Times:
    header = recording.header.readings if recording.header else {}
    times = line_up(track.stamps, track.start, header, order)
    if any(track.stamps) or options.interval_s is None or track.since_boot.count(True) > 1:
        return times
    # the report since boot is the moment at which the recording begins
    before = 0 if not track.since_boot or track.since_boot[0] is False else 1
    seconds = [(i + 1 - before) * options.interval_s for i in range(len(track.stamps))]
    return Times(times.moments, tuple(seconds), times.zones)


def _frame(recording: Recording, track: Track, times: Times, numbers: Numbers) -> pl.DataFrame:
    wanted = TABLES[track.table]
    parts = [_part(recording, track.table, part, numbers) for part in track.parts if part.rows]
    if not parts:
        return frame([], wanted, recording.path)
    made = pl.concat([_typed(part, wanted) for part in parts], how="diagonal")
    at = pl.DataFrame(
        {
            "sample": range(1, len(track.stamps) + 1),
            "time": times.moments,
            "zone": times.zones,
            "t_s": times.seconds,
            "since_boot": track.since_boot,
        },
        schema={
            name: wanted[name].dtype for name in ("sample", "time", "zone", "t_s", "since_boot")
        },
    )
    # several headers in one report (iostat -h) give several rows of one device: made one row
    keys = ["sample", *KEYS[track.table]]
    if len(parts) > 1:
        rest = [pl.col(name).drop_nulls().first() for name in made.columns if name not in keys]
        made = made.group_by(keys, maintain_order=True).agg(rest)
    joined = made.join(at, on="sample", how="left", maintain_order="left")
    return schema.conform(_without_empty_means(joined, track), wanted, recording.path)


def _typed(values: Values, wanted: schema.Schema) -> pl.DataFrame:
    types: schema.ColumnTypes = {name: wanted[name].dtype for name in values if name in wanted}
    return pl.DataFrame(values, schema={"sample": pl.Int64, **types} | types)


def _part(recording: Recording, table: str, part: Part, numbers: Numbers) -> Values:
    """The columns of rows under one header, known ones only."""
    rows, known = part.rows, COLUMNS[table]
    lines = [row.line for row in rows]
    values: Values = {"sample": [row.sample for row in rows]}
    for place, name in enumerate(KEYS[table]):
        values[name] = [row.keys[place] for row in rows]
    for place, name in enumerate(part.names):
        column = _column(recording, known, name)
        if column is not None and column.field not in values:
            values[column.field] = numbers.column([row.cells[place] for row in rows], lines, column)
    return values


def _column(recording: Recording, known: Columns, name: str) -> Column | None:
    column = known.get(name)
    if column is None or name not in recording.factors:
        return column
    factor = recording.factors[name]
    return None if factor is None else replace(column, factor=factor)


def _without_empty_means(made: pl.DataFrame, track: Track) -> pl.DataFrame:
    """Means of no I/O at all are null: the tool prints 0.00 for them."""
    known = COLUMNS[track.table]
    printed = {name: known[name] for p in track.parts for name in p.names if name in known}
    for column in printed.values():
        rates = {known[name].field for name in column.mean_of if name in printed}
        if rates:
            nothing = pl.all_horizontal(*(pl.col(name) == 0 for name in sorted(rates)))
            made = made.with_columns(
                pl.when(nothing & (pl.col(column.field) == 0))
                .then(None)
                .otherwise(pl.col(column.field))
                .alias(column.field)
            )
    return made


# ---- the common table


def host_series(
    frames: Mapping[str, pl.DataFrame], options: Options, label: str
) -> tuple[pl.DataFrame, list[str]]:
    """CPU, memory and one disk over time, means since boot left out; and what to warn of.

    Disk columns are of one device: the one that is named, or the only one there is.
    """
    device, notes = _device(frames.get("devices"), options.device)
    rows: dict[Any, Row] = {}
    for name, take in _TAKEN.items():
        met: Counter[Any] = Counter()
        for row in _rows(frames.get(name), device if name == "devices" else None):
            # what the tables are joined by: the moment, or the report's number
            at = next(row[key] for key in ("time", "t_s", "sample") if row[key] is not None)
            met[at] += 1  # two reports of one second (the clock has no finer step)
            moment = {key: row[key] for key in ("sample", "time", "zone", "t_s")}
            rows.setdefault((at, met[at]), moment).update(take(row))
    complete = [{**(options.labels or {}), **row} for row in rows.values()]
    return frame(complete, HOST_SERIES, label).sort("t_s", "sample"), notes


def _device(devices: pl.DataFrame | None, wanted: str | None) -> tuple[str | None, list[str]]:
    names = [] if devices is None else devices.filter(~pl.col("group"))["device"].unique().to_list()
    if wanted is not None:
        every = [] if devices is None else devices["device"].unique().to_list()
        check_name("device", wanted, every, UsageError)
        return wanted, []
    if len(names) > 1:
        return None, [f"{len(names)} devices: host_series has no disk; name one with device="]
    return (names[0] if names else None), []


def _rows(made: pl.DataFrame | None, device: str | None) -> Iterator[Row]:
    if made is None or ("device" in made.columns and device is None):
        return
    kept = made.filter(~pl.col("since_boot"))
    if device is not None:
        kept = kept.filter(pl.col("device") == device)
    if "cpu" in made.columns:
        kept = kept.filter(pl.col("cpu") == WHOLE_HOST)
    yield from kept.rows(named=True)


_USER = ("user_ratio", "usr_ratio", "nice_ratio", "guest_ratio", "gnice_ratio")
_SYSTEM = ("system_ratio", "sys_ratio", "irq_ratio", "soft_ratio")
_SHARES = (*_USER, *_SYSTEM, "steal_ratio", "iowait_ratio", "idle_ratio")
_CPU = ("cpu_busy_ratio", "cpu_user_ratio", "cpu_system_ratio", "cpu_iowait_ratio")


def _cpu(row: Mapping[str, Any]) -> dict[str, float | None]:
    """Busy is neither idle nor idle with I/O outstanding, as in a run's host_series.

    Where every share is printed as 0, idle too, no time was counted: nothing is known.
    """
    if not any(row.get(name) for name in _SHARES):
        return dict.fromkeys(_CPU)
    idle, waiting = row.get("idle_ratio"), row.get("iowait_ratio")
    busy = None if idle is None else 1.0 - idle - (waiting or 0.0)
    return {
        "cpu_busy_ratio": None if busy is None else min(max(round(busy, 6), 0.0), 1.0),
        "cpu_user_ratio": _sum(row, _USER),
        "cpu_system_ratio": _sum(row, _SYSTEM),
        "cpu_iowait_ratio": waiting,
    }


def _sum(row: Mapping[str, Any], names: Sequence[str]) -> float | None:
    parts = [row[name] for name in names if row.get(name) is not None]
    return min(round(math.fsum(parts), 6), 1.0) if parts else None


def _memory(row: Mapping[str, Any]) -> dict[str, int | None]:
    used = None if _counts_caches(row) else row["memory_used_bytes"]
    there = row["memory_available_bytes"]
    return {
        "memory_used_bytes": None if used is None else int(used),
        "memory_available_bytes": None if there is None else int(there),
    }


def _vmstat(row: Mapping[str, Any]) -> dict[str, float | None]:
    """As from other tools; whether us counts guests differs between releases: then it is null."""
    return {**_cpu(row), **({"cpu_user_ratio": None} if row["guest_ratio"] else {})}


_ROUNDING = 0.0000501
"""Half of the last digit of a percentage with two decimals, and a little for binary numbers."""


def _counts_caches(row: Mapping[str, Any]) -> bool:
    """Whether used and free memory make up all of it: then caches count as used (before 11.7)."""
    used, free, share = (
        row[name] for name in ("memory_used_bytes", "memory_free_bytes", "memory_used_ratio")
    )
    if used is None or free is None or not share:
        return True
    return bool(abs(used / (used + free) - share) <= _ROUNDING)


def _disk(row: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        "disk_read_bytes_per_s": row["read_bytes_per_s"],
        "disk_write_bytes_per_s": row["write_bytes_per_s"],
        "disk_read_iops": row["read_iops"],
        "disk_write_iops": row["write_iops"],
    }


_TAKEN: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "cpu": _cpu,
    "samples": _vmstat,
    "host_memory": _memory,
    "devices": _disk,
}
"""Table -> what host_series takes of its rows."""


# ---- what else the file says


def _restarts(recording: Recording, order: DateOrder | None, label: str) -> pl.DataFrame:
    header = recording.header.readings if recording.header else {}
    times = line_up([stamp for stamp, _ in recording.restarts], None, header, order)
    printed = zip(times.moments, times.zones, recording.restarts, strict=True)
    rows = [{"time": time, "zone": zone, "cpus": cpus} for time, zone, (_, cpus) in printed]
    return frame(rows, RESTARTS, label)


def _sections(
    recording: Recording, frames: Mapping[str, pl.DataFrame], tables: Sequence[str]
) -> Iterator[Section]:
    for name in tables:
        rows = frames[name].height
        yield Section(name, "found" if rows else "absent", rows or None, recording.notes.get(name))
        for column in recording.tracks[name].unknown():
            yield Section(f"{name}: column {column}", "unparsed", None, "perfkit does not know it")
    yield _clock_section(frames, tables)
    yield from (Section(name, "unparsed", None, why) for name, why in recording.unparsed.items())


def _clock_section(frames: Mapping[str, pl.DataFrame], tables: Sequence[str]) -> Section:
    """Whether the reports have times, and of which zone."""
    times = [frames[name].select("sample", "time", "zone").unique() for name in tables]
    every = pl.concat(times).unique()
    stamped = every.filter(pl.col("time").is_not_null())
    if not stamped.height:
        return Section("times", "absent", None, "no dated time printed: samples are numbered")
    zones = stamped["zone"].drop_nulls().unique().sort().to_list()
    where = f"zone {', '.join(zones)}" if zones else "the host's local time: no zone is printed"
    return Section("times", "found", stamped.height, where)
