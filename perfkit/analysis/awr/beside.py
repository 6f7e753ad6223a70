"""What the host and the array took beside what the database waited, period by period: a ledger.

A read is followed from the session's wait to the host's devices and the array, a commit from the
session's wait over the log writer's write. A place below the database stands in the ledger only
where its samples cover most of the period, and where it did about as many requests as the database
asked for: else it is another host, another device or another time. The difference to the place
above is given only where both are of the same operations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from perfkit.analysis.awr.clocks import hosts_of, taken
from perfkit.analysis.awr.histograms import ENOUGH_WAITS
from perfkit.analysis.awr.paths import Map, maps_of
from perfkit.analysis.awr.periods.over_time import SYNC, WRITE
from perfkit.analysis.awr.recorded import COVERED, recorded, tables_of
from perfkit.analysis.awr.watched import Watched, array_of, devices_of
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import (
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import from_json, to_json
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes, Row

LEDGER: ColumnTypes = {
    "history": pl.String,
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
    "cautions": pl.String,  # of the report, and of the paths to the host's devices: JSON
}
"""One row a report, operation and place, from the session down."""

PLACES: dict[str, str] = {
    "session": "Session",
    "log_writer": "Log writer",
    "host": "Host's devices",
    "array": "Array",
}
"""Where time is taken, from above."""

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
    devices: tuple[str, ...] = ()


def beside(
    over_time: Measured,
    periods: Measured,
    reading: Reading,
    clocks: Measured | None = None,
    *,
    device: Sequence[str] = (),
    log_device: Sequence[str] = (),
    offset_s: float | None = None,
) -> Measured:
    """A ledger of a read and of a commit for each report that has a recording of its time.

    Args:
        over_time: What ``over_time`` gave: the database's waits and requests.
        periods: What ``periods`` gave: a report of a cluster is of several hosts, and left out.
        reading: The evidence: what iostat or sar recorded of the devices, ONTAP's
            ``qos_statistics``, and the paths that multipath listed.
        clocks: What ``clock_offsets`` gave; None: the clocks are taken as one.
        device: The devices that hold the data files; none: all that are not a layer upon others.
        log_device: The devices that hold the redo logs; none: a commit ends at the log writer,
            since the writes of all devices are mostly not those of the log.
        offset_s: By how much the host's clock is ahead of the database's; None: what ``clocks``
            tell.

    Returns:
        A frame with the columns ``LEDGER``, of the reports whose time any recording overlaps.

    Raises:
        AbsentError: No recording, none that has times or overlaps a report, or two of one moment.
        AnalysisError: A table without its columns, a device or workload that is not there.
    """
    return _beside(
        over_time,
        periods,
        clocks,
        report=reading.get("report"),
        host=tables_of(reading),
        array=reading.get("qos_statistics"),
        device=tuple(device),
        log_device=tuple(log_device),
        offset_s=offset_s,
        paths=reading.get("multipath_paths"),
    )


@step(version=4, name="awr.beside")
def _beside(
    over_time: Measured,
    periods: Measured,
    clocks: Measured | None,
    *,
    report: Measured | None,
    host: Mapping[str, Measured],
    array: Measured | None,
    device: Sequence[str],
    log_device: Sequence[str],
    offset_s: float | None,
    paths: Measured | None = None,
) -> pl.DataFrame:
    require_columns(over_time.frame, _NEEDED, "over_time")
    require_columns(periods.frame, ("source", "instance"), "periods")
    several = periods.frame.filter(pl.col("instance").is_null())["source"].to_list()
    known, hosts = recorded(host), {} if report is None else hosts_of(report)
    failed = [one for one in maps_of(paths.frame) if one.failed] if paths else []
    rows: list[Row] = []
    every: list[Watched] = []
    for history, own in rows_by(over_time.frame.rows(named=True), lambda r: r["history"]).items():
        devices = known.of(hosts.get(own[0]["source"])).devices
        watched = [
            *(
                devices_of(devices, operation, chosen)
                for operation, chosen in (("read", device), ("commit", log_device))
                if devices is not None
            ),
            *(
                array_of(array.frame, operation)
                for operation in ("read", "commit")
                if array is not None
            ),
        ]
        offsets = {place: taken(clocks, history, place) for place in ("host", "array")}
        offsets |= {} if offset_s is None else {"host": offset_s}
        moved = [one.earlier(offsets[one.place]) for one in watched]
        every += moved
        rows += [
            row
            for period in own
            if period["source"] not in several
            for row in _rows(period, [one for one in moved if one.overlaps(period)], failed)
        ]
    if not rows and not every:
        raise AbsentError(
            "nothing was recorded of the host or the array during the reports' periods"
        )
    if not rows:
        told = dict.fromkeys(one.absent for one in every if one.absent and one.samples.is_empty())
        why = "; ".join(told) or "no recording of the host or the array overlaps a report in time"
        raise AbsentError(why)
    return pl.DataFrame(rows, schema=LEDGER)


_PERIOD = ("history", "report", "begin_time", "end_time", "elapsed_s")
_NEEDED = (
    *_PERIOD, "source", "read_event", "read_wait_s", "read_waits", "log_file_sync_s",
    "log_file_syncs", "log_file_parallel_write_s", "log_file_parallel_writes", "read_iops",
)  # fmt: skip


def _rows(period: Row, watched: Sequence[Watched], failed: Sequence[Map]) -> list[Row]:
    found: list[Row] = []
    told = from_json(period.get("cautions"))
    for operation, above in _above(period).items():
        below = [_placed(one, period) for one in watched if one.operation == operation]
        if not below:
            continue
        found += [
            {
                **{name: period[name] for name in _PERIOD},
                "operation": operation,
                "cautions": to_json(
                    [*told, *(one.caution() for one in failed if one.devices & {*place.devices})]
                ),
                **{key: value for key, value in vars(place).items() if key in LEDGER},
                "between_s": between,
            }
            for place, between in _differences([*above, *below])
        ]
    return found


def _above(period: Row) -> dict[str, list[_Place]]:
    """What the database itself waited for a read and for a commit."""
    event = period["read_event"] or "a read"
    written = (period["log_file_parallel_write_s"], period["log_file_parallel_writes"])
    return {
        "read": [_waited("session", event, period["read_wait_s"], period["read_waits"])],
        "commit": [
            _waited("session", SYNC, period["log_file_sync_s"], period["log_file_syncs"]),
            _waited("log_writer", WRITE, *written),
        ],
    }


def _waited(place: str, event: str, mean_s: float | None, waits: float | None) -> _Place:
    """A wait event as a place; a mean of few waits is none."""
    few = f"fewer than {ENOUGH_WAITS:,} waits" if waits else "the report does not list it"
    return _Place(place, event, mean_s, waits, note=few if mean_s is None else None)


def _placed(watched: Watched, period: Row) -> _Place:
    """A recording as a place in one period."""
    empty = _Place(
        watched.place, watched.of, None, offset_s=watched.offset_s, devices=watched.devices
    )
    if watched.absent:
        return replace(empty, note=watched.absent)
    begin, end = period["begin_time"], period["end_time"]
    sums = watched.within(begin, end)
    covered = sums.seconds / (end - begin).total_seconds()
    known = replace(empty, covered_ratio=covered, operations=sums.operations)
    if covered < COVERED:
        return replace(known, note=f"its samples cover {covered:.0%} of the period")
    if not sums.operations:
        return replace(known, note="it did nothing in this period")
    writes = period["log_file_parallel_writes"]
    log = None if writes is None else writes / period["elapsed_s"]
    # the writes of the log's devices are those of the log writer
    asked = period["read_iops"] if watched.operation == "read" else log
    rate = sums.operations * sums.share / sums.seconds
    if not asked or not 1 / LIKENESS <= rate / asked <= LIKENESS:
        told = "an unknown number" if asked is None else f"{asked:,.0f}"
        return replace(known, note=f"it did {rate:,.0f}/s where the database did {told}/s")
    note = _unlike(period, watched, sums.share)
    mean_s = sums.time_s / sums.operations
    return replace(known, mean_s=mean_s, alike=note is None, note=note)


def _unlike(period: Row, watched: Watched, share: float) -> str | None:
    """Why a place is not of the operations of the place above it; None where it is."""
    if share < ALIKE:
        return f"{share:.0%} of its operations are {watched.verb}"
    waits, reads = period["read_waits"], period["read_iops"]
    of_event = waits / reads / period["elapsed_s"] if waits and reads else 0.0
    if watched.operation == "read" and of_event < ALIKE:
        return f"{of_event:.0%} of the database's reads are {period['read_event']}"
    return None


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


# --- over all periods ---------------------------------------------------------------------------

(BETWEEN,) = register_questions(
    ("time_between", "s", "the mean wait of the database less the mean of the next place below "
     "it, over the periods that have both", "mean over the database's waits", "none",
     frozenset({("measured", "="), ("missing", "=")})),
)  # fmt: skip

BELOW = {"read": "host", "commit": "log_writer"}
"""The place that an operation's wait is held against."""


@step(version=1, name="awr.time_between")
def time_between(ledger: Measured) -> pl.DataFrame:
    """How much of a read's, and of a commit's, wait is spent above the place below.

    An answer for each history and operation.

    Args:
        ledger: What ``beside`` gives.

    Returns:
        Answers of ``time_between``: ``waited`` and ``below`` are the two means, weighted by the
        database's waits; ``periods`` how many reports have both; ``offset`` the clocks' offset.
    """
    require_columns(ledger.frame, list(LEDGER), "ledger")
    rows = ledger.frame.rows(named=True)
    if not rows:
        raise AbsentError("ledger: no period, so no answer")
    found = rows_by(rows, lambda row: (str(row["history"]), str(row["operation"])))
    return to_frame(_answer(*key, own) for key, own in found.items())


def _answer(history: str, operation: str, rows: Sequence[Row]) -> Answer:
    periods = [
        {row["place"]: row for row in own}
        for own in rows_by(rows, lambda row: row["report"]).values()
    ]
    place = BELOW[operation]
    both = [
        own
        for own in periods
        if place in own
        and own[place]["mean_s"] is not None
        and own["session"]["between_s"] is not None
    ]
    used = both or periods
    begin = min(row["begin_time"] for own in used for row in own.values())
    end = max(row["end_time"] for own in used for row in own.values())
    below = next((own[place]["of"] for own in used if place in own), PLACES[place])
    times = (("begin", f"{begin:%Y-%m-%d %H:%M}"), ("end", f"{end:%Y-%m-%d %H:%M}"))
    subject = Subject(history, (("operation", operation), *times, ("below", below)))
    if not both:
        why = next((row["note"] for own in periods for row in own.values() if row["note"]), None)
        return BETWEEN.answer("lat_mean_s", subject, None, why)
    weights = [own["session"]["operations"] for own in both]
    waited, between = (
        sum(n * own["session"][name] for n, own in zip(weights, both, strict=True)) / sum(weights)
        for name in ("mean_s", "between_s")
    )
    offset = next((own[place]["offset_s"] for own in both), None)
    conditions = where_conditions(
        ("waited", waited, "s"),
        ("below", waited - between, "s"),
        ("periods", float(len(both)), "1"),
        ("offset", offset, "s"),
    )
    return BETWEEN.answer("lat_mean_s", subject, between, n=len(both), conditions=conditions)
