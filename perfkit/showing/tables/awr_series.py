"""Tables for print of a series of AWR reports: its histories, what is left out, and the worst."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from perfkit.analysis.awr.beside import LEDGER, PLACES
from perfkit.analysis.awr.periods.answers import CHANGE
from perfkit.analysis.awr.periods.columns import LEFT_OUT
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, time_format
from perfkit.core.values import Table
from perfkit.showing.statements.awr_series import change_words
from perfkit.showing.tables.sheet import (
    COUNT,
    SECONDS,
    SHARE,
    Sheet,
    every_row,
    measured_rows,
    of_first,
)

MOST_ROWS = 10
"""Rows that are printed; the whole list is attached."""

_SESSIONS = Format("1", decimals=2)
_ONE = Format("1", decimals=1)
_HOURS = Format("h", decimals=2)
_TEXT_LETTERS = 60
_NAMED = 3


@step(version=2, name="table.histories")
def table_histories(periods: Measured) -> Table:
    """Each database and instance: its reports, from when to when, gaps and restarts.

    Raises AbsentError where no report is there.
    """
    rows = measured_rows(periods, "periods", ("history", "in_trend", "begin_time"))
    sheet = Sheet([_history(own) for own in rows_by(rows, lambda row: row["history"]).values()])
    sheet.words(history="Database")
    sheet.numbers(COUNT, reports="Reports", trend="In the trend")
    sheet.words(begin="From", end="To")
    sheet.numbers(COUNT, gaps="Gaps", restarts="Restarts")
    note = (
        "Gaps: times between two reports that no report covers. Charts over time leave out "
        "reports that are not in the trend."
    )
    return sheet.table("histories", "The databases and what is known about each.", note)


def _history(rows: Sequence[Row]) -> Row:
    own = [row for row in rows if row["in_trend"]]
    return {
        "history": rows[0]["history"],
        "reports": len(rows),
        "trend": len(own),
        "begin": _at(own[0]["begin_time"]) if own else None,
        "end": _at(own[-1]["end_time"]) if own else None,
        "gaps": len([row for row in own if row["gap_before_s"]]),
        "restarts": len([row for row in own if row["restart_before"]]),
    }


def _at(time: Any) -> str | None:
    """A time of a report without the seconds: 2026-03-09 17:30."""
    return None if time is None else f"{time:%Y-%m-%d %H:%M}"


def tables_left_out(periods: Measured) -> list[Table]:
    """The reports that are in no trend, each with the reason; an empty list where all are.

    Of more than ``MOST_ROWS`` the table has a row for each reason.
    """
    require_columns(periods.frame, ("in_trend", "left_out", "report"), "periods")
    return [] if periods.frame["in_trend"].all() else [_table_left_out(periods)]


@step(version=2, name="table.left_out")
def _table_left_out(periods: Measured) -> Table:
    rows = [row for row in periods.frame.rows(named=True) if not row["in_trend"]]
    many = len(rows) > MOST_ROWS
    reasons = rows_by(rows, lambda row: (row["history"], row["left_out"])).values()
    sheet = Sheet([_reason(own) for own in reasons] if many else [_left(row) for row in rows])
    sheet.differing(history="Database")
    sheet.add("report", "Reports" if many else "Report", None)
    sheet.words(begin="From", end="To", why="Why it is left out")
    given = f"Left out of the trend: {len(rows):,} of {len(periods):,} reports."
    return sheet.table("left-out", given)


def _left(row: Row) -> Row:
    of = f" ({row['left_out_for']})" if row["left_out_for"] else ""
    return {
        "history": row["history"],
        "report": row["report"],
        "begin": _at(row["begin_time"]),
        "end": _at(row["end_time"]),
        "why": f"{LEFT_OUT[row['left_out']]}{of}",
    }


def _reason(rows: Sequence[Row]) -> Row:
    names = [row["report"] for row in rows]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    named = f"{', '.join(names[:_NAMED])}{more}"
    return {"history": rows[0]["history"], "report": named, "why": LEFT_OUT[rows[0]["left_out"]]}


MOST_CHANGES = 8
"""Changes that are printed: those with the most sessions."""


@step(version=1, name="table.changes")
def table_changes(changes: Measured) -> Table:
    """When a database did something else than usual, what it was, and by how much.

    The changes with the most sessions on top first, as ``what_changed`` has them.

    Raises AbsentError where no change is shown.
    """
    every = [
        one
        for one in from_frame(changes.frame)
        if one.question == CHANGE.name and one.status == "measured"
    ]
    if not every:
        raise AbsentError("no change of a level is shown")
    told = every[:MOST_CHANGES]
    sheet = Sheet([_changed(one) for one in told])
    sheet.differing(history="Database")
    sheet.words(when="When", what="What it was", on_top="Added sessions", name="Shown by")
    sheet.words(usual="Usual", then="Then", others="What else changed (usual)")
    count = "once" if len(every) == 1 else f"{len(every):,} times"
    count = f"{len(told)} of {count}" if len(told) < len(every) else count
    caption = f"When the load was not as usual: {count}."
    note = (
        "Usual: the median of the periods outside any change. Then: the median of the periods of "
        "the change."
    )
    made = sheet.table("changes", caption, note)
    return replace(made, cautions=tuple(dict.fromkeys(c for one in told for c in one.cautions)))


def _changed(answer: Answer) -> Row:
    words = change_words(answer)
    (name, usual, then), *others = words.quantities
    return {
        "history": answer.subject.label,
        "when": words.when,
        "what": words.what,
        "on_top": words.on_top,
        "name": name,
        "usual": usual,
        "then": then,
        "others": "; ".join(f"{name} {then} ({usual})" for name, usual, then in others) or None,
    }


QUANTITIES: dict[str, tuple[str, Format | None]] = {
    "cpu_sessions": ("sessions on CPU", _SESSIONS),
    "wait_sessions": ("sessions waiting", _SESSIONS),
    "residual_sessions": ("residual", _SESSIONS),
    "read_iops": ("reads", Format("1/s", significant=3)),
    "write_iops": ("writes", Format("1/s", significant=3)),
    "iops": ("I/O requests", Format("1/s", significant=3)),
    "read_bytes_per_s": ("read", Format("MB/s", significant=3)),
    "write_bytes_per_s": ("written", Format("MB/s", significant=3)),
    "redo_bytes_per_s": ("redo", Format("MB/s", significant=3)),
    "transactions_per_s": ("transactions", Format("1/s", significant=3)),
    "commits_per_s": ("commits", Format("1/s", significant=3)),
    "cpu_busy_ratio": ("host CPU busy", Format("%", significant=3)),
    "read_wait_s": ("mean read wait", None),
    "log_file_sync_s": ("log file sync", None),
    "log_file_parallel_write_s": ("log file parallel write", None),
    "log_writer_busy_ratio": ("log writer busy", Format("%", significant=3)),
    "commits_per_redo_write": ("commits per redo write", Format("1", significant=3)),
}
"""A column over time -> what it is called in a list, and its format; None: as a time."""


@step(version=2, name="table.worst_periods")
def table_worst_periods(worst: Measured) -> Table:
    """The worst periods of a series, and what was different in each from the median period.

    Raises AbsentError where there is none.
    """
    if worst.frame.is_empty():
        raise AbsentError("worst_periods: no period has more active sessions than the median one")
    rows = measured_rows(
        worst, "worst_periods", ("rank", "average_active_sessions", "different", "source")
    )
    sheet = Sheet([{**row, **_worst(row)} for row in rows])
    sheet.differing(history="Database")
    sheet.add("rank", "#", COUNT)
    sheet.words(report="Report", when="Period")
    sheet.add("average_active_sessions", "Active sessions", _SESSIONS)
    sheet.add("deviations", "MADs", _ONE)
    sheet.words(told="What else was different (median period)")
    middles = {row["history"]: row["median_sessions"] for row in rows}
    of = {name: f" ({name})" if len(middles) > 1 else "" for name in middles}
    usual = ", ".join(f"{_SESSIONS.number(value)}{of[name]}" for name, value in middles.items())
    note = (
        f"Active sessions: average over the period; the median period has {usual}. MADs: how many "
        f"median absolute deviations that is from the median. {of_first(rows[0]['source'])}"
    )
    return sheet.table("worst-periods", "The periods with the most active sessions.", note)


def _worst(row: Row) -> Row:
    begin, end = row["begin_time"], row["end_time"]
    until = f"{end:%H:%M}" if begin.date() == end.date() else _at(end)
    items = json.loads(row["different"] or "[]")
    told = []
    for item in items:
        name, form = QUANTITIES[item["quantity"]]
        given = (item[key] for key in ("value", "median"))
        shown = ((form or time_format(one)).show(one).text.replace(" 1/s", "/s") for one in given)
        told.append("{} {} ({})".format(name, *shown))
    return {"when": f"{_at(begin)} to {until}", "told": "; ".join(told) or None}


_KINDS = {"event": ("event", "Event", "wait_class", "Wait class"),
          "sql": ("statement", "SQL ID", "module", "Module")}  # fmt: skip


@step(version=2, name="table.risers")
def table_risers(risers: Measured, *, kind: str = "event") -> Table:
    """The events, or statements (``kind`` "sql"), that changed most between good and bad periods.

    Raises AbsentError where no report lists any, and where no period is far above the others.
    """
    word, label, more, more_label = _KINDS[kind]
    every = measured_rows(risers, "risers", ("kind", "name", "change_sessions"))
    own = [row for row in every if row["kind"] == kind]
    if not own:
        raise AbsentError(f"risers: no report lists a {word}, so no table")
    # without a busy period all rows are those of usual ones
    busy = {row["history"] for row in own if row["worst_sessions"] is not None}
    rows = [row for row in own if row["history"] in busy][:MOST_ROWS]
    if not rows:
        raise AbsentError(
            f"risers: no period's active sessions are an outlier or a higher level, so no {word} "
            "is compared between busy periods and others"
        )
    sheet = Sheet([{**row, "listed": _listed(row)} for row in rows])
    sheet.differing(history="Database")
    sheet.add("name", label, None)
    sheet.add(more, more_label, None)
    sheet.numbers(_SESSIONS, worst_sessions="Busy periods", rest_sessions="Others")
    sheet.add("change_sessions", "Change", Format("1", decimals=2, sign=True))
    sheet.words(listed="Listed in")
    note = (
        "Average active sessions: the median of the busy periods (the highest level, or outliers) "
        "and of the others. A dash: fewer than half of these periods list it; not listed is not 0."
    )
    caption = f"Each {word} by its change in average active sessions."
    return sheet.table(f"risers-{kind}", caption, note)


def _listed(row: Row) -> str:
    return f"{row['listed_in']:,} of {row['periods']:,}"


@step(version=2, name="table.recurrent_sql")
def table_recurrent_sql(sql: Measured) -> Table:
    """The statements that most periods list among those by elapsed time.

    Raises AbsentError where no report lists one.
    """
    rows = measured_rows(sql, "recurrent_sql", ("sql_id", "listed_in", "periods"))[:MOST_ROWS]
    begun = (" ".join((row["text"] or "").split()) for row in rows)
    sheet = Sheet(
        [
            {**row, "listed": _listed(row), "begun": _cut(text) or None}
            for row, text in zip(rows, begun, strict=True)
        ]
    )
    sheet.differing(history="Database")
    sheet.words(sql_id="SQL ID", module="Module", begun="Statement", listed="Listed in")
    sheet.add("elapsed_s", "Elapsed (h)", _HOURS)
    sheet.add("worst_share_ratio", "Most of DB time (%)", SHARE)
    note = f"Elapsed: over the periods that list it.{_most('DB time', rows)}"
    given = "Statements by the number of periods that list them."
    return sheet.table("recurrent-sql", given, note)


def _most(of: str, rows: Sequence[Row]) -> str:
    """What the column of shares in the worst periods is; empty where it is not in print."""
    if all(row["worst_share_ratio"] is None for row in rows):
        return ""
    told = "its largest share in one of the worst periods; a dash: none of them lists it."
    return f" Most of {of}: {told}"


def _cut(line: str) -> str:
    return f"{line[:_TEXT_LETTERS]}…" if len(line) > _TEXT_LETTERS else line


@step(version=2, name="table.read_segments")
def table_read_segments(segments: Measured) -> Table:
    """The segments that did the reading.

    Raises AbsentError where no report lists one.
    """
    rows = measured_rows(segments, "read_segments", ("object", "listed_in"))[:MOST_ROWS]
    sheet = Sheet([{**row, "listed": _listed(row)} for row in rows])
    sheet.differing(history="Database", owner="Owner")
    sheet.words(object="Segment", object_type="Type", listed="Listed in")
    sheet.add("physical_reads_blocks", "Physical reads (M blocks)", Format("M", decimals=2))
    sheet.add("worst_share_ratio", "Most of the reads (%)", SHARE)
    note = f"Physical reads: over the periods that list it.{_most('the reads', rows)}"
    return sheet.table("read-segments", "Segments by the number of periods that list them.", note)


_ATTACHED: dict[str, str] = {
    "periods": "Every report: its period, and whether it is in the trend",
    "over_time": "All quantities, by period",
    "risers": "All events and statements, by change in average active sessions",
    "sql": "All statements, by the number of periods that list them",
    "segments": "All segments, by the number of periods that list them",
    "cluster": "The instances of a cluster together, by period",
}


def tables_series(
    periods: Measured | None = None,
    over_time: Measured | None = None,
    risers: Measured | None = None,
    sql: Measured | None = None,
    segments: Measured | None = None,
    *,
    cluster: Measured | None = None,
) -> list[Table]:
    """The whole frames of a series, each as a table that is attached to a report, not printed.

    Columns are those of the frames, with their units in the names; a frame without rows has none.
    """
    given = (periods, over_time, risers, sql, segments, cluster)
    return [
        every_row(frame, caption=caption).renamed(f"every-{name.replace('_', '-')}")
        for (name, caption), frame in zip(_ATTACHED.items(), given, strict=True)
        if frame is not None and len(frame)
    ]


# --- beside the database ------------------------------------------------------------------------

_BESIDE_NOTE = (
    "Between: how much longer a place takes than the next one below it, where both cover the same "
    "operations. Covered: the share of the period that the recording covers. "
)


@step(version=2, name="table.beside")
def table_beside(ledger: Measured) -> Table:
    """One row a report, operation and place of a ledger (``awr.beside``), from the session down.

    Of more than a few reports it is a detail, attached and not printed.
    """
    rows = [
        {**row, "place": PLACES[row["place"]]}
        for row in measured_rows(ledger, "ledger", list(LEDGER))
    ]
    sheet = Sheet(rows)
    sheet.differing(history="Database", report="Report")
    sheet.words(operation="Operation", place="Place", of="Event or devices")
    sheet.add("operations", "Operations", COUNT)
    sheet.wait("mean_s", "Mean")
    sheet.wait("between_s", "Between")
    sheet.add("covered_ratio", "Covered (%)", SHARE)
    sheet.words(note="Remark")
    offsets = {row["offset_s"] for row in rows if row["offset_s"] is not None}
    clocks = (
        "The clocks of the recordings are taken to agree with the database's."
        if offsets <= {0.0}
        else "The clocks of the recordings are taken to be ahead of the database's by "
        + " and ".join(f"{SECONDS.number(value)} s" for value in sorted(offsets))
        + "."
    )
    made = sheet.table(
        "beside", "A read and a commit, from the session down.", _BESIDE_NOTE + clocks
    )
    return replace(made, detail=len({row["report"] for row in rows}) > _PRINTED)


_PRINTED = 4
"""Reports whose rows are printed."""
