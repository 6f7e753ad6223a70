"""What each period of a series did: load, sessions, CPU, and how long reads and commits took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from perfkit.analysis.awr.histograms import ENOUGH_WAITS
from perfkit.analysis.awr.periods import tables
from perfkit.analysis.awr.periods.columns import OVER_TIME, SESSIONS
from perfkit.analysis.awr.single_time import CPU
from perfkit.analysis.awr.waits import no_idle, reads_among
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row

UNCLASSED = "Waits"
"""All foreground waits where a report (Statspack) does not state their classes."""

SYNC, WRITE = "log file sync", "log file parallel write"

_DB_TIME = "DB time"


def over_time(periods: Measured, reading: Reading, *, event: str | None = None) -> Measured:
    """Load, sessions, CPU and waits of each period in a trend.

    Rates are those of the report; sessions are times over elapsed time. A mean wait is that of the
    foreground sessions (log file parallel write: of the background), and null of fewer than
    ``ENOUGH_WAITS`` waits. What a report does not state is null.

    Args:
        periods: What ``periods`` gave.
        reading: The reports' tables.
        event: The read event; None: that of User I/O that most periods of a history waited longest
            on.

    Returns:
        ``OVER_TIME``.
    """
    of = {name: tables.table(reading, name) for name in _OF_PERIODS}
    return _over_time(periods, of, event=event)


_OF_PERIODS = (
    "report", "load_points", "time_model", "wait_classes", "wait_events", "top_events",
    "load_profile", "instance_activity", "system_statistics",
)  # fmt: skip


@step(version=2, name="awr.over_time")
def _over_time(periods: Measured, of: Mapping[str, Measured], *, event: str | None) -> pl.DataFrame:
    known, waits = tables.in_trend(periods), of["wait_events"]
    reads = _reads_of(known, waits, of["top_events"], event)
    # of a cluster transactions stand instance by instance
    transactions = tables.joined(known, of["system_statistics"], "transactions_per_s")
    parts = [
        _db_time(known, of["report"], of["time_model"]),
        _cpu(known, of["time_model"]),
        tables.added(class_rows(known, of["wait_classes"], waits), "wait_s", "wait_s"),
        *_load(known, of["load_points"]),
        *(part for name in _STATISTICS for part in _rates(known, of[name], name)),
        tables.added(transactions, "transactions_per_s", "all_transactions_per_s"),
        _event_waits(known, waits, reads),
    ]
    elapsed = pl.col("elapsed_s")
    found = tables.with_(known, parts).with_columns(
        average_active_sessions=pl.col("db_time_s") / elapsed,
        cpu_sessions=pl.col("db_cpu_s") / elapsed,
        wait_sessions=pl.col("wait_s") / elapsed,
        redo_bytes_per_s=pl.coalesce("redo_bytes_per_s", "redo_size_per_s"),
        transactions_per_s=pl.coalesce("transactions_per_s", "all_transactions_per_s"),
        log_writer_busy_ratio=pl.col("log_writer_s") / elapsed,
        commits_per_redo_write=pl.when(pl.col("redo_writes_per_s") > 0).then(
            pl.col("commits_per_s") / pl.col("redo_writes_per_s")
        ),
    )
    found = found.with_columns(
        residual_sessions=pl.col("average_active_sessions")
        - pl.col("cpu_sessions")
        - pl.col("wait_sessions")
    )
    return tables.shaped(found, OVER_TIME)


# --- sessions ---------------------------------------------------------------------------------


def _statistic(known: pl.DataFrame, time_model: Measured, name: str) -> pl.DataFrame:
    rows = tables.joined(known, time_model, "statistic", "time_s")
    return rows.filter(pl.col("statistic") == name)


def _db_time(known: pl.DataFrame, report: Measured, time_model: Measured) -> pl.DataFrame:
    """DB time: of the time model in seconds, else of the report's head in minutes."""
    fine = tables.added(_statistic(known, time_model, _DB_TIME), "time_s", "fine_s")
    head = tables.one_each(tables.joined(known, report, "db_time_s"), "db_time_s", "head_s")
    both = (
        known.select("source")
        .join(fine, on="source", how="left")
        .join(head, on="source", how="left")
    )
    return both.select("source", db_time_s=pl.coalesce("fine_s", "head_s").cast(pl.Float64))


def _cpu(known: pl.DataFrame, time_model: Measured) -> pl.DataFrame:
    return tables.added(_statistic(known, time_model, CPU), "time_s", "db_cpu_s")


def class_rows(known: pl.DataFrame, wait_classes: Measured, wait_events: Measured) -> pl.DataFrame:
    """Foreground waits by class: ``part`` and ``wait_s``, of each report that states them.

    Without a table of foreground classes (Statspack) it is the events that are added up, under
    one name, without those that are idle.
    """
    rows = tables.joined(
        known, wait_classes, "scope", "wait_class", "total_wait_s", value="total_wait_s"
    ).filter(pl.col("scope") == "foreground", pl.col("wait_class") != CPU)
    events = tables.joined(known, wait_events, "scope", "event", "total_wait_s", "db_time_ratio")
    waits = no_idle(events).filter(
        pl.col("scope") == "foreground",
        pl.col("db_time_ratio").is_not_null(),
        ~pl.col("source").is_in(rows["source"].unique().to_list()),
    )
    both = pl.concat(
        [
            rows.select("source", part="wait_class", wait_s="total_wait_s"),
            waits.select("source", part=pl.lit(UNCLASSED), wait_s="total_wait_s"),
        ],
        how="vertical_relaxed",
    )
    return both.group_by("source", "part", maintain_order=True).agg(
        pl.when(pl.col("wait_s").null_count() == 0).then(pl.col("wait_s").sum())
    )


def sessions_over_time(periods: Measured, reading: Reading) -> Measured:
    """Where DB time went in each period: DB CPU, foreground waits by class, and the residual.

    The residual is DB time less the others, with its sign: time on the run queue, and calls that
    are booked when they end. Background waits are not part of DB time.

    Returns:
        ``SESSIONS``: parts from the largest over the history down, the residual last; a part that a
        report does not state is 0 there, and a period without DB time, CPU or waits has no rows.
    """
    own = (
        tables.table(reading, name)
        for name in ("report", "time_model", "wait_classes", "wait_events")
    )
    return _sessions(periods, *own)


@step(version=1, name="awr.sessions_over_time")
def _sessions(
    periods: Measured,
    report: Measured,
    time_model: Measured,
    wait_classes: Measured,
    wait_events: Measured,
) -> pl.DataFrame:
    known = tables.in_trend(periods)
    waits = class_rows(known, wait_classes, wait_events)
    totals = tables.with_(
        known,
        [
            _db_time(known, report, time_model),
            _cpu(known, time_model),
            tables.added(waits, "wait_s", "wait_s"),
        ],
    ).drop_nulls(["db_time_s", "db_cpu_s", "wait_s"])
    parts = pl.concat(
        [
            totals.select("source", part=pl.lit(CPU), wait_s="db_cpu_s"),
            waits.filter(pl.col("source").is_in(totals["source"].to_list())),
        ],
        how="vertical_relaxed",
    )
    residual = totals.select(
        "source",
        part=pl.lit("residual"),
        wait_s=pl.col("db_time_s") - pl.col("db_cpu_s") - pl.col("wait_s"),
    )
    named = totals.join(parts.select("part").unique(), how="cross").join(
        totals.join(parts, on="source").select("history", "part").unique(),
        on=["history", "part"],
        how="semi",
    )
    full = (
        named.drop("wait_s")
        .join(parts, on=["source", "part"], how="left")
        .with_columns(pl.col("wait_s").fill_null(0.0))
    )
    every = pl.concat(
        [full, totals.drop("wait_s").join(residual, on="source").select(full.columns)],
        how="vertical_relaxed",
    )
    ranked = every.with_columns(
        size=pl.col("wait_s").sum().over("history", "part"),
        last=pl.col("part") == "residual",
        average_active_sessions=pl.col("wait_s") / pl.col("elapsed_s"),
    )
    ordered = ranked.sort(
        ["history", "begin_time", "last", "size", "part"],
        descending=[False, False, False, True, False],
    )
    return tables.shaped(ordered, SESSIONS)


# --- load -------------------------------------------------------------------------------------

_OF_POINTS = (
    ("read", "iops", "read_iops"), ("write", "iops", "write_iops"), ("total", "iops", "iops"),
    ("read", "bw_bytes_per_s", "read_bytes_per_s"),
    ("write", "bw_bytes_per_s", "write_bytes_per_s"),
    ("total", "cpu_busy_ratio", "cpu_busy_ratio"),
)  # fmt: skip


def _load(known: pl.DataFrame, load_points: Measured) -> list[pl.DataFrame]:
    rows = tables.joined(
        known, load_points, "direction", "iops", "bw_bytes_per_s", "cpu_busy_ratio"
    )
    return [
        tables.one_each(rows.filter(pl.col("direction") == direction), value, name)
        for direction, value, name in _OF_POINTS
    ]


_STATISTICS = {
    "load_profile": {"redo_size": "redo_size_per_s", "transactions": "transactions_per_s"},
    "instance_activity": {"redo size": "redo_bytes_per_s", "user commits": "commits_per_s",
                          "redo writes": "redo_writes_per_s"},
}  # fmt: skip


def _rates(known: pl.DataFrame, data: Measured, where: str) -> list[pl.DataFrame]:
    rows = tables.joined(known, data, "statistic", "per_s")
    return [
        tables.added(rows.filter(pl.col("statistic") == statistic), "per_s", name)
        for statistic, name in _STATISTICS[where].items()
    ]


# --- waits ------------------------------------------------------------------------------------


def _reads_of(
    known: pl.DataFrame, waits: Measured, top_events: Measured, event: str | None
) -> dict[str, str]:
    """The read event of each history: the one that most of its periods waited longest on."""
    if event is not None:
        return dict.fromkeys(known["history"].unique(), event)
    rows = tables.joined(known, waits, "scope", "event", "wait_class", "total_wait_s").filter(
        pl.col("scope") == "foreground"
    )
    top = tables.joined(known, top_events, "event", "wait_class")
    named = [
        frame.select("event", "wait_class").unique().sort("event", "wait_class").rows(named=True)
        for frame in (rows, top)
    ]
    reads = rows.filter(pl.col("event").is_in(reads_among(*named)))
    ordered = reads.sort("total_wait_s", "event", descending=[True, False], nulls_last=True)
    longest = ordered.group_by("history", "source").agg(pl.col("event").first())
    votes = rows_by(longest.rows(named=True), lambda row: row["history"])
    return {
        history: min(
            (counts := Counter(row["event"] for row in own)), key=lambda name: (-counts[name], name)
        )
        for history, own in votes.items()
    }


_WAITS_OF = (
    ("read_wait_s", "read_waits", "foreground"),
    ("log_file_sync_s", "log_file_syncs", "foreground"),
    ("log_file_parallel_write_s", "log_file_parallel_writes", "background"),
)
"""Column of a mean wait, of the waits behind it, and whose waits they are."""


def _event_waits(known: pl.DataFrame, wait_events: Measured, reads: dict[str, str]) -> pl.DataFrame:
    wanted = {SYNC, WRITE, *reads.values()}
    rows = tables.joined(
        known, wait_events, "scope", "event", "waits", "total_wait_s", "avg_wait_s"
    ).filter(pl.col("event").is_in(sorted(wanted)))
    if "level" not in rows.columns:
        rows = rows.with_columns(level=pl.lit("instance"))
    by = rows_by(rows.rows(named=True), lambda r: (r["source"], r["scope"], r["event"]))
    found = []
    for source, history in known.select("source", "history").rows():
        read = reads.get(history)
        row: Row = {"source": source, "read_event": read}
        for (name, count, scope), event in zip(_WAITS_OF, (read, SYNC, WRITE), strict=True):
            listed = by.get((source, scope, str(event)), [])
            waits = listed[0]["waits"] if len(listed) == 1 else None
            enough = waits is not None and waits >= ENOUGH_WAITS
            row |= {name: event_mean(listed) if enough else None, count: waits}
        writes = by.get((source, "background", WRITE), [])
        # of a cluster it is the time of several log writers
        alone = len(writes) == 1 and writes[0]["level"] != "cluster"
        row["log_writer_s"] = writes[0]["total_wait_s"] if alone else None
        found.append(row)
    numbers = [*(name for names in _WAITS_OF for name in names[:2]), "log_writer_s"]
    texts = dict.fromkeys(("source", "read_event"), pl.String)
    return pl.DataFrame(found, schema={**texts, **dict.fromkeys(numbers, pl.Float64)})
