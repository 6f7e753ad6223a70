"""The frames of a series of reports: which periods count, and what each of them did.

One history is one database and instance (or a cluster as a whole). Rows stand history by history,
in the order of snapshot times. Averages of sessions are time over elapsed time: 1 is one session
that is active all the time.
"""

from __future__ import annotations

import polars as pl

from perfkit.core.schema import ColumnTypes

_PERIOD: ColumnTypes = {
    "history": pl.String,  # the database; of several instances also which
    "report": pl.String,  # what the report is called, as in an overview
    "begin_time": pl.Datetime("us"),
    "end_time": pl.Datetime("us"),
    "cautions": pl.String,  # of its report: JSON of cautions
}

PERIODS: ColumnTypes = {
    **_PERIOD,
    "source": pl.String,
    "db_id": pl.Int64,
    "instance": pl.Int64,
    "elapsed_s": pl.Float64,
    "startup_time": pl.Datetime("us"),
    "in_trend": pl.Boolean,
    "left_out": pl.String,  # why it is not: a name in LEFT_OUT
    "left_out_for": pl.String,  # the report or the history that is the reason, where there is one
    "gap_before_s": pl.Float64,  # since the end of the period before; null: the first
    "restart_before": pl.Boolean,  # the instance started between the period before and this one
}
"""One row a report that was given, those left out too."""

LEFT_OUT: dict[str, str] = {
    "no_time": "its snapshots have no time",
    "no_elapsed": "it states no elapsed time",
    "clock": "its clock was changed: snapshot times and elapsed time do not agree",
    "same_period": "another report covers the same period",
    "same_period_less": "another report of the same period has more in it",
    "same_period_text": "an HTML report covers the same period: its names are not cut off",
    "spans_others": "it spans the periods of other reports",
    "overlaps": "it overlaps another report's period",
    "other_length": "its period is much longer or shorter than the others",
    "apart": "it is far from the others in time",
    "few": "there are fewer than three that could form one",
    "contains_restart": "the instance was restarted within its period",
}
"""Why a report is not part of a trend, in words."""

OVER_TIME: ColumnTypes = {
    **_PERIOD,
    "source": pl.String,
    "elapsed_s": pl.Float64,
    "average_active_sessions": pl.Float64,  # DB time over elapsed time
    "cpu_sessions": pl.Float64,  # DB CPU over elapsed time
    "wait_sessions": pl.Float64,  # foreground waits that are not idle, over elapsed time
    "residual_sessions": pl.Float64,  # DB time less the two, with its sign
    "read_iops": pl.Float64,
    "write_iops": pl.Float64,
    "iops": pl.Float64,
    "read_bytes_per_s": pl.Float64,
    "write_bytes_per_s": pl.Float64,
    "redo_bytes_per_s": pl.Float64,
    "transactions_per_s": pl.Float64,
    "commits_per_s": pl.Float64,  # user commits
    "cpu_busy_ratio": pl.Float64,  # of the host
    "read_event": pl.String,  # the read whose wait is shown, the same in the whole history
    "read_wait_s": pl.Float64,
    "read_waits": pl.Float64,  # the waits behind that mean
    "log_file_sync_s": pl.Float64,
    "log_file_syncs": pl.Float64,
    "log_file_parallel_write_s": pl.Float64,
    "log_file_parallel_writes": pl.Float64,
    "log_writer_busy_ratio": pl.Float64,  # time inside log file parallel write over elapsed time
    "commits_per_redo_write": pl.Float64,
}
"""One row a period in a trend."""

SESSIONS: ColumnTypes = {
    **_PERIOD,
    "part": pl.String,  # DB CPU, a wait class, or "residual"
    "average_active_sessions": pl.Float64,
}
"""Where DB time went, one row a period and part; the parts and the residual add up to DB time."""

BANDS: ColumnTypes = {
    **_PERIOD,
    "event": pl.String,
    "mean_s": pl.Float64,
    "percent": pl.Float64,  # 50, 95, 99: share of the waits that were no longer
    "lower_s": pl.Float64,  # the bucket in which the percentile lies; a histogram says no more
    "upper_s": pl.Float64,  # null: the last bucket has no end
}
"""One row a period and percentile of one event."""

HISTOGRAM_OVER_TIME: ColumnTypes = {
    **_PERIOD,
    "event": pl.String,
    "lower_s": pl.Float64,
    "upper_s": pl.Float64,
    "waits_ratio": pl.Float64,
}
"""One row a period and bucket, the buckets the same in all periods."""

WORST: ColumnTypes = {
    **_PERIOD,
    "source": pl.String,
    "rank": pl.Int64,  # from 1: the period with the most average active sessions
    "average_active_sessions": pl.Float64,
    "median_sessions": pl.Float64,  # of all periods of the history
    "deviations": pl.Float64,  # from the median, in MADs; null: the MAD is 0
    "outlier": pl.Boolean,
    "different": pl.String,  # JSON list of {quantity, value, median}: what else was different
}
"""The worst five periods of each history."""

RISERS: ColumnTypes = {
    "history": pl.String,
    "kind": pl.String,  # event or sql
    "name": pl.String,  # the event, or the SQL id
    "wait_class": pl.String,
    "module": pl.String,
    "worst_sessions": pl.Float64,  # median of the busy periods: of the highest level, or outliers
    "rest_sessions": pl.Float64,  # median of the others
    "change_sessions": pl.Float64,
    "listed_in": pl.Int64,  # periods whose report lists it; not listed is not zero
    "periods": pl.Int64,
    "cautions": pl.String,  # of the reports in the trend
}
"""Events and statements by the change in their average active sessions, largest first."""

RECURRENT_SQL: ColumnTypes = {
    "history": pl.String,
    "sql_id": pl.String,
    "module": pl.String,
    "text": pl.String,
    "listed_in": pl.Int64,  # periods whose report lists it among those by elapsed time
    "periods": pl.Int64,
    "elapsed_s": pl.Float64,  # over the periods that list it
    "worst_share_ratio": pl.Float64,  # largest share of DB time in one of the worst periods
    "executions": pl.Float64,
    "cautions": pl.String,
}
"""Statements by the number of periods that list them."""

READ_SEGMENTS: ColumnTypes = {
    "history": pl.String,
    "owner": pl.String,
    "object": pl.String,
    "object_type": pl.String,
    "listed_in": pl.Int64,
    "periods": pl.Int64,
    "physical_reads_blocks": pl.Float64,  # over the periods that list it
    "worst_share_ratio": pl.Float64,
    "cautions": pl.String,
}
"""Segments that did the reading."""
