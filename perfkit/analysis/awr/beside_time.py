"""What stands beside the database over time: the load as both state it, and the ledger's means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from perfkit.analysis.awr.beside import LEDGER
from perfkit.analysis.awr.clocks import TOLD_BY, hosts_of, taken
from perfkit.analysis.awr.recorded import best_signals, recorded, seconds, tables_of
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row
from perfkit.core.unanswered import Unanswered, takes_unanswered

_PERIOD = ("history", "report", "begin_time", "end_time")

HOST = ("cpu_busy_ratio", "read_iops", "read_bytes_per_s", "runnable")
"""What a host's recording says of each period, in columns that begin with ``host_``."""


def host_over_time(
    over_time: Measured,
    reading: Reading,
    clocks: Measured | None = None,
    *,
    offset_s: float | None = None,
) -> Measured:
    """What the host's tools recorded in each period, beside what its report states of the same.

    Args:
        over_time: What ``over_time`` gave.
        reading: The evidence: what iostat, mpstat, sar and vmstat recorded.
        clocks: What ``clock_offsets`` gave; None: the clocks are taken as one.
        offset_s: By how much the host's clock is ahead; None: what ``clocks`` tell.

    Returns:
        ``history``, ``report``, ``begin_time``, ``end_time``, the columns ``TOLD_BY`` as the report
        states them, and the columns ``HOST`` with ``host_`` before them, as the recording does;
        null where its samples cover too little of a period.

    Raises:
        AbsentError: No recording, or none of the time of a report.
    """
    return _host_over_time(
        over_time, clocks, report=reading["report"], host=tables_of(reading), offset_s=offset_s
    )


@step(version=1, name="awr.host_over_time")
def _host_over_time(
    over_time: Measured,
    clocks: Measured | None,
    *,
    report: Measured,
    host: Mapping[str, Measured],
    offset_s: float | None,
) -> pl.DataFrame:
    require_columns(over_time.frame, (*_PERIOD, "source", *TOLD_BY), "over_time")
    known, hosts = recorded(host), hosts_of(report)
    found = []
    for history, rows in rows_by(over_time.frame.rows(named=True), lambda r: r["history"]).items():
        ahead = taken(clocks, history, "host") if offset_s is None else offset_s
        begin, end = (seconds([row[name] for row in rows]) + ahead for name in _PERIOD[2:])
        told = best_signals(known.of(hosts.get(rows[0]["source"])), begin, end)
        own = {f"host_{name}": told.get(name, [None] * len(rows)) for name in HOST}
        found.append(_frame(rows, own))
    made = pl.concat(found) if found else pl.DataFrame()
    columns = [f"host_{name}" for name in HOST]
    if made.is_empty() or made.select(pl.all_horizontal(pl.col(columns).is_null().all())).item():
        raise AbsentError("no recording of the host covers the time of a report")
    return made


def _frame(rows: Sequence[Row], own: Mapping[str, Sequence[float | None]]) -> pl.DataFrame:
    names = (*_PERIOD, *TOLD_BY, "cautions")
    times = pl.DataFrame([{name: row.get(name) for name in names} for row in rows])
    return times.with_columns(
        pl.Series(name, values, dtype=pl.Float64, strict=False).fill_nan(None)
        for name, values in own.items()
    ).with_columns(pl.col(TOLD_BY).cast(pl.Float64), pl.col("cautions").cast(pl.String))


@takes_unanswered
def beside_over_time(
    ledger: Measured | Unanswered, host: Measured | Unanswered | None = None
) -> Measured | Unanswered:
    """The means of a ledger and what the host recorded, a row each period, over one time axis.

    Args:
        ledger: What ``beside`` gives.
        host: What ``host_over_time`` gives.

    Returns:
        ``history``, ``report``, ``begin_time``, ``end_time``, a column each operation and place
        (``read_session_s``, ``commit_log_writer_s`` ...) and those of ``host_over_time``, null
        where no period has a value. Of two that are both unanswered the first.
    """
    if isinstance(host, Measured):
        return _beside_over_time(ledger if isinstance(ledger, Measured) else None, host)
    return _beside_over_time(ledger, None) if isinstance(ledger, Measured) else ledger


@step(version=2, name="awr.beside_over_time")
def _beside_over_time(ledger: Measured | None, host: Measured | None) -> pl.DataFrame:
    frames = [*([_means(ledger)] if ledger else []), *([host.frame] if host else [])]
    if len(frames) == 1:
        return frames[0]
    key = [*_PERIOD, "cautions"]
    both = frames[0].join(frames[1], on=key, how="full", coalesce=True, nulls_equal=True)
    return both.sort("history", "begin_time")


def _means(ledger: Measured) -> pl.DataFrame:
    require_columns(ledger.frame, list(LEDGER), "ledger")
    if ledger.frame.is_empty():
        raise AbsentError("ledger: no period, so nothing over time")
    return ledger.frame.group_by(*_PERIOD, "cautions", maintain_order=True).agg(
        pl.col("mean_s")
        .filter(operation=operation, place=place)
        .first()
        .alias(f"{operation}_{place}_s")
        for operation, places in PATHS.items()
        for place in places
    )


PATHS = {"read": ("session", "host", "array"), "commit": ("session", "log_writer", "host", "array")}
"""The places of an operation, from above."""
