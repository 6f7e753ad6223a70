"""What one AWR or Statspack report says: where DB time went, its I/O, what reads and commits took.

One report has no other period to be held against. So it says how much of DB time storage could be,
and how long its waits were; whether that is slow is judged by a limit that the study states, or not
at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from perfkit.analysis.awr.periods.levels import FEWEST
from perfkit.analysis.awr.report_rows import ReportRows, events_of, few, mean_of, percentiles
from perfkit.analysis.awr.single_time import (
    CPU,
    IN_NONE,
    MOSTLY_LOCKS,
    STORAGE_CLASSES,
    TimeParts,
    listed_wrongly,
    lock_share,
    longest_event,
    time_parts,
    too_much_cpu,
)
from perfkit.analysis.awr.waits import longest_reads, rows_of
from perfkit.analysis.curves.series import cautions_of
from perfkit.core import answers as claims
from perfkit.core.answers import (
    Answer,
    Gives,
    Question,
    Subject,
    register_questions,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError
from perfkit.core.keys import by_file, file_of, report_names
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.stats import ratio_of
from perfkit.core.units import Format

_ONE = ("one report", "none: one report")
_KNOWN: Gives = frozenset({("measured", "="), ("missing", "=")})
_OR_NOT_JUDGED: Gives = _KNOWN | {("not_judged", "=")}
_ONE_SIDED: Gives = frozenset(
    {("measured", "<="), ("measured", ">="), ("missing", "="), ("not_judged", "=")}
)

TIME, STORAGE, READ, LIMIT, COMMIT, IO, LOAD, APART, SHORT = register_questions(
    ("db_time_went", "ratio", "the longest part of DB time: CPU, or a wait class of the "
     "foreground", *_ONE, _KNOWN),
    ("storage_time", "ratio", "share of DB time in waits for User I/O, System I/O and Commit",
     *_ONE, _KNOWN),
    ("read_wait", "s", "mean wait of the foreground's longest read of User I/O", *_ONE, _KNOWN),
    ("read_wait_against_limit", "ratio",
     "mean wait of that event / the limit that the study states", *_ONE, _ONE_SIDED),
    ("commit_wait", "s", "mean wait for log file sync, beside that of log file parallel write",
     *_ONE, _OR_NOT_JUDGED),
    ("report_io", "1/s", "I/O requests per second over the period", *_ONE, _KNOWN),
    ("report_load", "1", "average active sessions: DB time / elapsed time", *_ONE, _KNOWN),
    ("reports_apart", "1", "reports of which no three are periods of one history", "a count",
     "none", frozenset({("measured", "=")})),
    ("reports_short", "1", "reports of histories of which none has periods enough to tell of "
     "changes", "a count", "none", frozenset({("measured", "=")})),
)  # fmt: skip
_NO_SHARES = "the report has no share of DB time by wait class"

NEXT_PARTS = 2
"""So many parts are named beside the longest."""

_TABLES = ("load_points", "wait_classes", "wait_events", "top_events", "time_model",
           "event_histogram", "instance_activity")  # fmt: skip


DB_TIME_PARTS: ColumnTypes = {
    "report": pl.String,
    "part": pl.String,  # DB CPU, a wait class of the foreground, or what is in none of them
    "db_time_ratio": pl.Float64,
}
"""The columns of ``db_time_parts``, the longest part first."""

MOST_PARTS = 5
"""So many parts have a row of their own."""

IN_OTHERS = "the rest of the classes"


def one_report(awr: Reading, *, limit_s: float | None = None) -> Measured:
    """What one report says, as answers.

    Args:
        awr: A reading of one AWR or Statspack report.
        limit_s: The limit that the study states for the mean read latency.

    Returns:
        ``answers.ANSWERS``: questions db_time_went, storage_time, read_wait,
        read_wait_against_limit, commit_wait and report_io.

    Raises:
        AbsentError: No report, or several: nothing is added up over reports.
    """
    return _one_report(_alone(awr), [awr.get(name) for name in _TABLES], limit_s=limit_s)


PAIR = 2
MOST_REPORTS = 16
"""So many reports have a row each, unless those of one history are enough to tell of changes."""


def each_report(awr: Reading, periods: Measured) -> Measured:
    """What each of several reports says of itself, as answers; nothing is added up over them.

    Args:
        awr: A reading of AWR or Statspack reports.
        periods: What ``periods`` gave of them: the order, and what is in a trend.

    Returns:
        ``answers.ANSWERS``: reports_apart where none is in a trend, else reports_short; then,
        report by report, report_load, db_time_went, read_wait and commit_wait.

    Raises:
        AbsentError: One report, two of one history (before and after), more than
            ``MOST_REPORTS``, or a trend of ``FEWEST`` and more.
    """
    longest = Counter(periods.frame.filter("in_trend")["history"]).most_common(1)
    if not 1 < len(periods) <= MOST_REPORTS or (longest and longest[0][1] >= FEWEST):
        raise AbsentError("the reports are one, or many, or a series that tells of changes")
    if len(periods) == PAIR and periods.frame["history"].n_unique() == 1:
        raise AbsentError("two reports of one history are before and after")
    return _each_report(periods, awr["report"], [awr.get(name) for name in _TABLES])


@step(version=3, name="awr.each_report")
def _each_report(
    periods: Measured, report: Measured, tables: Sequence[Measured | None]
) -> pl.DataFrame:
    heads, reads = by_file(report.frame), _reads(tables)
    rows = [{} if table is None else by_file(table.frame) for table in tables]
    of_each = periods.frame.rows(named=True)
    found = [_short(of_each) if periods.frame["in_trend"].any() else _apart(of_each)]
    for period in of_each:
        name = period["source"]
        own = {table: of.get(name, []) for table, of in zip(_TABLES, rows, strict=True)}
        one = ReportRows(period["report"], heads[name][0], own)
        time, _ = _time(one)
        found += [_load(one, period), time, _read(one, reads.get(name)), _commit(one)]
    return claims.to_frame(found)


def _apart(periods: Sequence[Row]) -> Answer:
    histories = len({row["history"] for row in periods})
    return APART.answer(
        "",
        Subject("the reports", ()),
        len(periods),
        conditions=where_conditions(("histories", histories, "1")),
    )


def _short(periods: Sequence[Row]) -> Answer:
    """Of reports some of which are in a trend: ``FEWEST`` of one history tell of changes."""
    trends = Counter(row["history"] for row in periods if row["in_trend"])
    told = replace(_apart(periods), question=SHORT.name)
    longest = where_conditions(("longest", max(trends.values()), "1"), ("fewest", FEWEST, "1"))
    return replace(told, conditions=(*told.conditions, *longest))


_ACTIVE = "average_active_sessions"


def _load(one: ReportRows, period: Row) -> Answer:
    times = ((key, period[f"{key}_time"]) for key in ("begin", "end"))
    known = tuple((key, time.isoformat()) for key, time in times if time is not None)
    labels = tuple((key, one.head[key]) for key in ("system", "config") if one.head.get(key))
    subject = Subject(
        one.name,
        (
            ("report", one.name),
            ("source", period["source"]),
            ("history", period["history"]),
            *labels,
            *known,
        ),
    )
    sessions = ratio_of(one.head["db_time_s"], one.head["elapsed_s"])
    if sessions is None:
        return _missing(LOAD, _ACTIVE, subject, "the report states no DB time, or no elapsed time")
    return LOAD.answer(
        _ACTIVE,
        subject,
        sessions,
        conditions=where_conditions(("elapsed_s", one.head["elapsed_s"], "s")),
        cautions=_of_period(one),
    )


def db_time_parts(awr: Reading) -> Measured:
    """Where the DB time of one report went: CPU and the foreground's wait classes.

    Returns:
        ``DB_TIME_PARTS``: the longest parts, the rest of the classes together, and what is in
        none of them where that is more than nothing.

    Raises:
        AbsentError: No report, or several, or one without shares of DB time.
    """
    return _db_time_parts(_alone(awr), [awr.get(name) for name in _TABLES])


def _alone(awr: Reading) -> Measured:
    report: Measured | None = awr.get("report")
    if report is None or report.frame.is_empty():
        raise AbsentError("there is no report")
    if report.frame.height > 1:
        raise AbsentError(
            f"there are {report.frame.height} reports, and this question is about one"
        )
    return report


@step(version=2, name="awr.one_report")
def _one_report(
    report: Measured, tables: Sequence[Measured | None], *, limit_s: float | None
) -> pl.DataFrame:
    one = _rows(report, tables)
    read = _read(one, next(iter(_reads(tables).values()), None))
    return claims.to_frame([*_time(one), read, _judged(read, limit_s), _commit(one), _io(one)])


@step(version=1, name="awr.db_time_parts")
def _db_time_parts(report: Measured, tables: Sequence[Measured | None]) -> pl.DataFrame:
    one = _rows(report, tables)
    parts = time_parts(one)
    reason = _without_shares(one, parts)
    if reason is not None:
        raise AbsentError(reason)
    shares = list(parts.shares.items())
    rest = (
        [(IN_OTHERS, sum(share for _, share in shares[MOST_PARTS:]))]
        if (len(shares) > MOST_PARTS + 1)
        else shares[MOST_PARTS:]
    )
    left = [(IN_NONE, parts.left)] if parts.left and parts.left > 0 else []
    rows = [(one.name, part, share) for part, share in [*shares[:MOST_PARTS], *rest, *left]]
    return pl.DataFrame(rows, schema=DB_TIME_PARTS, orient="row")


def _reads(tables: Sequence[Measured | None]) -> dict[str | None, str]:
    waits, top = (tables[_TABLES.index(name)] for name in ("wait_events", "top_events"))
    return {} if waits is None else longest_reads(waits, top)


def _rows(report: Measured, tables: Sequence[Measured | None]) -> ReportRows:
    head = rows_of(report, "report", ("form", "scope", "rac", "elapsed_s", "db_time_s"))[0]
    own = {
        name: [] if table is None else table.frame.rows(named=True)
        for name, table in zip(_TABLES, tables, strict=True)
    }
    return ReportRows(report_names([file_of(head)])[0], head, own)


def _of(one: ReportRows, label: str | None = None) -> Subject:
    return Subject(label or one.name, (("report", one.name),))


def _missing(question: Question, metric: str, subject: Subject, reason: str) -> Answer:
    return question.answer(metric, subject, None, reason)


def _of_period(one: ReportRows) -> tuple[Caution, ...]:
    """What the report does not cover, as its load points have it."""
    return cautions_of(one.tables["load_points"])


# --- DB time ----------------------------------------------------------------------------------


def _time(one: ReportRows) -> list[Answer]:
    parts = time_parts(one)
    reason = _without_shares(one, parts)
    if reason is not None:
        return [_missing(item, "db_time_ratio", _of(one), reason) for item in (TIME, STORAGE)]
    return [_longest(one, parts), _storage(one, parts)]


def _without_shares(one: ReportRows, parts: TimeParts) -> str | None:
    """Why nothing is said of shares of DB time, if so."""
    return too_much_cpu(one.name, parts.shares.get(CPU)) if parts.shares else _NO_SHARES


def _longest(one: ReportRows, parts: TimeParts) -> Answer:
    (name, share), *others = parts.shares.items()
    if (left := parts.left or 0.0) > share:
        others, (name, share) = [(name, share), *others], (IN_NONE, left)
    sessions = ratio_of(one.head["db_time_s"], one.head["elapsed_s"])
    event = longest_event(one)
    subject = _of(one, name)
    return TIME.answer(
        "db_time_ratio",
        replace(subject, key=(*subject.key, ("event", event[0]))) if event else subject,
        share,
        conditions=where_conditions(
            (_ACTIVE, sessions, "1"),
            ("longest_event", event and event[1], "ratio"),
            *((part, value, "ratio") for part, value in others[:NEXT_PARTS] if value),
        ),
        cautions=(*_of_period(one), *listed_wrongly(parts)),
    )


def _storage(one: ReportRows, parts: TimeParts) -> Answer:
    known = {name: parts.shares[name] for name in STORAGE_CLASSES if name in parts.shares}
    if "User I/O" not in known:
        return _missing(
            STORAGE, "db_time_ratio", _of(one), "the report has no share of User I/O in DB time"
        )
    return STORAGE.answer(
        "db_time_ratio",
        _of(one),
        sum(known.values()),
        conditions=where_conditions(*((name, share, "ratio") for name, share in known.items())),
        cautions=_locks(one),
    )


def _locks(one: ReportRows) -> tuple[Caution, ...]:
    """The caution of sessions that mostly waited for others: these may wait for storage."""
    share = lock_share(one)
    if share is None or share < MOSTLY_LOCKS:
        return ()
    told = Format("%").show(share).text
    return (caution("lock_waits", of=file_of(one.head) or one.name, share=told),)


# --- waits ------------------------------------------------------------------------------------


def _read(one: ReportRows, event: str | None) -> Answer:
    row = events_of(one).get(event) if event else None
    if event is None or row is None:
        return _missing(READ, "lat_mean_s", _of(one), "the report lists no read of User I/O")
    mean, subject = mean_of(row), _of(one, event)
    if mean is None:
        return _missing(
            READ, "lat_mean_s", subject, f"the mean wait for {event} is printed too coarsely"
        )
    return READ.answer(
        "lat_mean_s",
        subject,
        mean,
        conditions=(*where_conditions(("waits", row.get("waits"), "1")), *percentiles(one, event)),
        cautions=tuple(few(event, row)),
    )


def _judged(read: Answer, limit_s: float | None) -> Answer:
    """The mean read wait against the study's limit; without a limit it is not judged."""
    if read.estimate is None:
        return _missing(LIMIT, "lat_mean_s", read.subject, str(read.reason))
    if limit_s is None:
        return LIMIT.answer(
            "lat_mean_s",
            read.subject,
            None,
            "the study states no limit for the mean read latency, and one report has no "
            "other period to compare it with",
            without="not_judged",
        )
    ratio = read.estimate.value / limit_s
    return LIMIT.answer(
        "lat_mean_s",
        read.subject,
        ratio,
        relation="<=" if ratio <= 1 else ">=",
        conditions=where_conditions(
            ("mean_s", read.estimate.value, "s"), ("limit_s", limit_s, "s")
        ),
        cautions=read.cautions,
    )


SYNC, WRITE = "log file sync", "log file parallel write"


def _commit(one: ReportRows) -> Answer:
    subject = _of(one, SYNC)
    if one.head["scope"] == "pdb":
        return COMMIT.answer(
            "lat_mean_s",
            subject,
            None,
            "the log writer is in the root, and the report of a pluggable database does "
            "not include its writes",
            without="not_judged",
        )
    row = events_of(one).get(SYNC)
    mean = mean_of(row)
    if row is None or mean is None:
        why = (
            f"{SYNC} is not among the waits of the report"
            if row is None
            else f"the mean wait for {SYNC} is printed too coarsely"
        )
        return _missing(COMMIT, "lat_mean_s", subject, why)
    write = events_of(one, "background").get(WRITE, {})
    commits = [
        item["per_s"]
        for item in one.tables["instance_activity"]
        if item["statistic"] == "user commits" and item["level"] == row["level"]
    ]
    return COMMIT.answer(
        "lat_mean_s",
        subject,
        mean,
        conditions=where_conditions(
            ("waits", row.get("waits"), "1"),
            *_writes(one, write),
            # what prints as 0 is not a rate of a database whose commits waited
            ("commits_per_s", (commits[0] or None) if len(commits) == 1 else None, "1/s"),
        ),
        cautions=(*few(SYNC, row), *([caution("sync_spreads")] if one.head["rac"] else [])),
    )


def _writes(one: ReportRows, write: Row) -> list[tuple[str, float | None, str]]:
    """What the log writer waited for its writes; of a cluster the lowest and highest instance.

    Each instance has a log writer of its own: one mean over them is that of none.
    """
    if one.head["scope"] == "rac":
        ends = (("write_least_s", "instances_min_s"), ("write_most_s", "instances_max_s"))
        return [(name, write.get(column), "s") for name, column in ends]
    return [("write_s", mean_of(write or None), "s"), ("writes", write.get("waits"), "1")]


# --- I/O --------------------------------------------------------------------------------------


def _io(one: ReportRows) -> Answer:
    points = {row["direction"]: row for row in one.tables["load_points"]}

    def of(direction: str, column: str = "iops") -> float | None:
        row: Row = points.get(direction, {})
        return row.get(column)

    total = of("total")
    if total is None:
        return _missing(IO, "iops", _of(one), "the report has no I/O requests per second")
    return IO.answer(
        "iops",
        _of(one),
        total,
        conditions=where_conditions(
            ("read_iops", of("read"), "1/s"),
            ("write_iops", of("write"), "1/s"),
            ("bw_bytes_per_s", of("total", "bw_bytes_per_s"), "bytes/s"),
        ),
        cautions=_of_period(one),
    )
