"""What the host and the array took beside what the database waited, period by period: a ledger.

A read is followed from the session's wait to the host's devices and the array, a commit from the
session's wait over the log writer's write. A place below the database stands in the ledger only
where its samples cover most of the period, and where it did about as many requests as the database
asked for: else it is another host, another device or another time. The difference to the place
above is given only where both are of the same operations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.awr.periods.over_time import ENOUGH_WAITS, SYNC, WRITE
from perfkit.analysis.awr.watched import Watched, array_of, devices_of
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import by_file, file_of, report_names
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.schema import ColumnTypes, Row

LEDGER: ColumnTypes = {
    "report": pl.String,
    "begin_time": pl.Datetime("us"),
    "end_time": pl.Datetime("us"),
    "elapsed_s": pl.Float64,
    "operation": pl.String,  # read, commit
    "place": pl.String,  # a name in PLACES
    "of": pl.String,  # the event, or what was watched
    "mean_s": pl.Float64,
    "operations": pl.Float64,  # waits or requests behind the mean
    "between_s": pl.Float64,  # the mean less that of the next place, where both are of the same
    "covered_ratio": pl.Float64,  # share of the period that the samples cover
    "offset_s": pl.Float64,  # by how much the recording's clock is ahead of the database's
    "note": pl.String,  # why there is no mean, or no difference to the place above
}
"""One row a report, operation and place, from the session down."""

PLACES: dict[str, str] = {
    "session": "Session",
    "log_writer": "Log writer",
    "host": "Host's devices",
    "array": "Array",
}
"""Where time is taken, from above."""

READ = "db file sequential read"

LEAST_COVERED = 0.8
"""Share of a period that samples must cover to speak for it."""
LIKENESS = 2.0
"""Requests of a place over those of the database, or the other way round, are at most this."""
ALIKE = 0.8
"""Share of the requests that must be of the operation for a difference of two means."""

LONGER = 0.05
"""A place takes at most so much longer than the one above it, by rounding and the clocks' edges."""


@dataclass(frozen=True)
class _Place:
    """One place in one period."""

    place: str
    of: str
    mean_s: float | None
    operations: float | None = None
    covered_ratio: float | None = None
    offset_s: float | None = None
    note: str | None = None
    alike: bool = True
    """Whether it is of the same operations as the place above."""


@dataclass(frozen=True)
class _Period:
    """One report, with what it says of its I/O requests per second."""

    row: Row
    waits: Sequence[Row]
    iops: dict[str, float | None]

    @property
    def elapsed_s(self) -> float:
        return float(self.row["elapsed_s"])

    def event(self, place: str, event: str, scope: str) -> _Place:
        """A wait event as a place."""
        rows = [row for row in self.waits if row["event"] == event and row["scope"] == scope]
        waits = rows[0]["waits"] if len(rows) == 1 else None
        if not waits:
            return _Place(place, event, None, note="the report does not list it")
        if waits < ENOUGH_WAITS:
            return _Place(place, event, None, waits, note=f"fewer than {ENOUGH_WAITS:,} waits")
        return _Place(place, event, event_mean(rows), waits)


@step(version=1, name="awr.beside")
def beside(
    report: Measured,
    wait_events: Measured,
    load_points: Measured,
    *,
    devices: Measured | None = None,
    array: Measured | None = None,
    device: Sequence[str] = (),
    log_device: Sequence[str] = (),
    name: Sequence[str] = (),
    offset_s: float = 0.0,
    array_offset_s: float = 0.0,
) -> pl.DataFrame:
    """A ledger of a read and of a commit for each report that has a recording of its time.

    Args:
        report: The table ``report`` of one or more AWR reports.
        wait_events: Their wait events.
        load_points: Their load points, which say how much the database asked for.
        devices: The host's devices over time, of iostat or sar.
        array: ``qos_statistics`` of ONTAP.
        device: The devices that hold the data files; none: all that are no layer upon others.
        log_device: The devices that hold the redo logs; none: a commit ends at the log writer,
            since the writes of all devices are mostly not those of the log.
        name: The workloads or policy groups of the array; none: its total.
        offset_s: By how much the host's clock is ahead of the database's.
        array_offset_s: The same of the array's clock.

    Returns:
        A frame with the columns ``LEDGER``, of the reports whose time any recording overlaps.

    Raises:
        AbsentError: No recording, or none that has times or overlaps a report.
        AnalysisError: A table without its columns, or two recordings of one moment.
    """
    require_columns(report.frame, ("begin_time", "end_time", "elapsed_s", "scope"), "report")
    require_columns(wait_events.frame, ("scope", "event", "waits"), "wait_events")
    require_columns(load_points.frame, ("direction", "iops"), "load_points")
    watched = [
        *(devices_of(devices.frame, operation, chosen)
          for operation, chosen in (("read", device), ("commit", log_device))
          if devices is not None),
        *(array_of(array.frame, operation, name)
          for operation in ("read", "commit") if array is not None),
    ]  # fmt: skip
    moved = [one.earlier(offset_s if one.place == "host" else array_offset_s) for one in watched]
    rows = [
        row
        for period, label in _periods(report, wait_events, load_points)
        for row in _rows(period, label, [one for one in moved if one.overlaps(period.row)])
    ]
    if not rows:
        raise AbsentError(_why(moved))
    return pl.DataFrame(rows, schema=LEDGER)


def _why(watched: Sequence[Watched]) -> str:
    if not watched:
        return "nothing was recorded of the host or the array while the reports' time passed"
    told = dict.fromkeys(one.absent for one in watched if one.absent and one.samples.is_empty())
    return "; ".join(told) or "no recording of the host or the array overlaps a report in time"


def _periods(
    report: Measured, wait_events: Measured, load_points: Measured
) -> list[tuple[_Period, str]]:
    """The reports of one instance that have times, in order."""
    waits, points = by_file(wait_events.frame), by_file(load_points.frame)
    # a report of a cluster is of several hosts
    own = report.frame.filter(
        pl.col("begin_time").is_not_null(), pl.col("end_time").is_not_null(),
        pl.col("elapsed_s") > 0, pl.col("scope") != "rac",
    ).sort("begin_time", maintain_order=True)  # fmt: skip
    rows = own.rows(named=True)
    files = [file_of(row) for row in rows]
    if len(set(files)) < len(files):
        raise AnalysisError("report: two reports are of one file")
    return [
        (
            _Period(row, waits.get(file, []),
                    {one["direction"]: one["iops"] for one in points.get(file, [])}),
            label,
        )
        for row, file, label in zip(rows, files, report_names(files), strict=True)
    ]  # fmt: skip


def _rows(period: _Period, label: str, watched: Sequence[Watched]) -> list[Row]:
    found: list[Row] = []
    for operation, above in (("read", _read), ("commit", _commit)):
        below = [_placed(one, period) for one in watched if one.operation == operation]
        if not below:
            continue
        chain = _differences([*above(period), *below])
        found += [
            {**{name: period.row[name] for name in ("begin_time", "end_time", "elapsed_s")},
             "report": label, "operation": operation, **vars(place), "between_s": between}
            for place, between in chain
        ]  # fmt: skip
    return [{key: row[key] for key in LEDGER} for row in found]


def _read(period: _Period) -> list[_Place]:
    return [period.event("session", READ, "foreground")]


def _commit(period: _Period) -> list[_Place]:
    return [
        period.event("session", SYNC, "foreground"),
        period.event("log_writer", WRITE, "background"),
    ]


def _placed(watched: Watched, period: _Period) -> _Place:
    """A recording as a place in one period."""
    empty = _Place(watched.place, watched.of, None, offset_s=watched.offset_s)
    if watched.absent:
        return replace(empty, note=watched.absent)
    begin, end = period.row["begin_time"], period.row["end_time"]
    sums = watched.within(begin, end)
    covered = sums.seconds / (end - begin).total_seconds()
    known = replace(empty, covered_ratio=covered, operations=sums.operations)
    if covered < LEAST_COVERED:
        return replace(known, note=f"its samples cover {covered:.0%} of the period")
    if not sums.operations:
        return replace(known, note="it did nothing in this period")
    asked = period.iops.get("read" if watched.operation == "read" else "write")
    # of the log's devices the log writer's writes are known
    if watched.operation == "commit":
        asked = _asked_of_log(period)
    rate = sums.operations * sums.share / sums.seconds
    if not asked or not 1 / LIKENESS <= rate / asked <= LIKENESS:
        told = "an unknown number" if asked is None else f"{asked:,.0f}"
        return replace(known, note=f"it did {rate:,.0f}/s where the database did {told}/s")
    alike, note = _alike(period, watched, sums.share)
    return replace(known, mean_s=sums.time_s / sums.operations, alike=alike, note=note)


def _asked_of_log(period: _Period) -> float | None:
    waits = period.event("log_writer", WRITE, "background").operations
    return None if waits is None else waits / period.elapsed_s


def _alike(period: _Period, watched: Watched, share: float) -> tuple[bool, str | None]:
    """Whether a place is of the operations of the place above, and why not."""
    if share < ALIKE:
        return False, f"{share:.0%} of its operations are {watched.verb}"
    if watched.operation == "commit":
        return True, None
    waits = period.event("session", READ, "foreground").operations
    reads = period.iops.get("read")
    single = waits / reads / period.elapsed_s if waits and reads else 0.0
    if single < ALIKE:
        return False, f"{single:.0%} of the database's reads are of one block"
    return True, None


def _differences(chain: Sequence[_Place]) -> list[tuple[_Place, float | None]]:
    """Each place with what lies between it and the next one that has a mean."""
    found: list[tuple[_Place, float | None]] = [(place, None) for place in chain]
    above: tuple[int, float] | None = None
    for number, place in enumerate(chain):
        if place.mean_s is None:
            continue
        if above is not None and place.alike:
            first, longer = above
            if place.mean_s > longer * (1 + LONGER):
                found[number] = replace(place, alike=False, note=_OTHERS), None
            else:
                found[first] = found[first][0], longer - place.mean_s
        above = number, place.mean_s
    return found


_OTHERS = "it took longer than the place above: these are other operations"
