"""What two reports side by side say, as answers; and what two reports cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from perfkit.analysis.awr.waits import is_read
from perfkit.analysis.compare.report_rows import COARSE, SESSIONS
from perfkit.analysis.compare.report_waits import STORAGE as STORAGE_ITEM
from perfkit.analysis.curves.series import cautions_of, require_rows
from perfkit.core import answers as claims
from perfkit.core.answers import (
    ANY,
    Answer,
    Estimate,
    Question,
    Subject,
    register_questions,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

_EACH = ("one report each", "none: one report each")

VALUE, CHANGE, DIFFERENCE, PER_LOAD, STORAGE, SPREAD = register_questions(
    ("report_value", "its metric's", "a rate, mean or share over the period of one report",
     "as the report prints it", "none: one report", ANY),
    ("report_change", "ratio",
     "a rate, mean or share of the later report / that of the earlier one", *_EACH, ANY),
    ("report_difference", "its metric's",
     "a rate or mean of the later report - that of the earlier one, where the print gives "
     "no ratio", *_EACH, ANY),
    ("report_per_load", "ratio",
     "DB time / load of the later report / that of the earlier one; the load is the first "
     "of transactions, executions, user calls and logical reads with a ratio", *_EACH, ANY),
    ("report_storage", "ratio",
     "mean wait of the foreground's longest read, or of the log writer's writes, in the "
     "later report / in the earlier one", *_EACH, ANY),
    ("report_spread", "ratio", "how far two ordinary periods of the database lie apart",
     "not in two reports", "none: one report each", ANY),
)  # fmt: skip

SESSIONS_METRIC = "db_time_per_elapsed_ratio"
TRANSACTIONS, READS_OF_ONE = "transactions_per_s", "reads_per_transaction"
WAITING, STORAGE_WAITING = "waiting_sessions", "storage_sessions"
DB_TIME_PER_LOAD = "db_time_per_load_s"
READS, LOG_WRITES = "reads", "log writes"

_UNITS = {
    "iops": "1/s", "bw_bytes_per_s": "bytes/s", "cpu_busy_ratio": "ratio", "lat_mean_s": "s",
    SESSIONS_METRIC: "1", TRANSACTIONS: "1/s", READS_OF_ONE: "1", WAITING: "1",
    STORAGE_WAITING: "1", DB_TIME_PER_LOAD: "s",
}  # fmt: skip

_ACTIVE = (("load", SESSIONS, "per second", SESSIONS_METRIC),)
_STORAGE = (("time", STORAGE_ITEM, "sessions", STORAGE_WAITING),)
_RATE = (("load", "Transactions", "per second", TRANSACTIONS),)
_IO = (
    ("io", "total", "iops", "iops"),
    ("io", "total", "bw_bytes_per_s", "bw_bytes_per_s"),
    ("io", "host", "cpu_busy_ratio", "cpu_busy_ratio"),
    ("load", "Read IO requests", "per transaction", READS_OF_ONE),
)
"""Part, item and measure of a pair -> the metric; where neither report has it nothing is said."""


class _Load(NamedTuple):
    """A measure of load: how its row begins in print, and one and many of what it counts."""

    item: str
    one: str
    many: str


LOADS = (
    _Load("Transactions", "transaction", "transactions"),
    _Load("Executes", "execution", "executions"),
    _Load("User calls", "user call", "user calls"),
    _Load("Logical read", "logical read", "logical reads"),
)
"""What DB time is divided by, the first of them that has a ratio."""

_COLUMNS = ("part", "item", "measure", "before", "after", "differs", "change_ratio", "note",
            "rounding_ratio", "cautions")  # fmt: skip
_ROUNDED = "they differ by no more than the rounding of the printed figures"


@step(version=3, name="awr.report_changes")
def report_changes(pair: Measured, *, event: str | None = None) -> pl.DataFrame:
    """What changed between two reports (``report_pair``), and that it has no interval, as answers.

    Average active sessions; DB time by the load; sessions in waits for storage; the event whose
    waits changed most of these; transactions; the mean wait of the longest read that both reports
    give; I/O rate, throughput, the hosts' CPU, and reads per transaction. Where the earlier value
    is 0 or the print too coarse there is a difference and no ratio; a change that is no more than
    the rounding of the print is missing.

    Whether storage changed is asked of the longest read and of the log writer's writes: their mean
    wait is longer, shorter, or the same within the rounding of the print.

    Args:
        pair: What ``report_pair`` gave.
        event: The read, where both reports give its mean; None: the longest.

    Returns:
        ``answers.ANSWERS``: questions report_change, report_difference, report_per_load,
        report_storage and report_spread.
    """
    rows = require_rows(pair, "pair", _COLUMNS, "nothing to say")
    # events are in order of length: the first is the longest read whose mean both reports give
    reads = [
        row
        for row in rows
        if (row["part"], row["measure"]) == ("event", "mean_wait_s")
        and row["before_text"] == "User I/O"
        and is_read(row["item"])
        and None not in (row["before_value"], row["after_value"])
    ]
    wait = next((row for row in reads if row["item"] == event), reads[0] if reads else None)
    moved = max((row for row in rows if row["measure"] == "wait_s_per_s"), key=_moved, default=None)
    log = next((row for row in rows if row["part"] == "log"), None)
    found = [
        *_of(rows, _STORAGE),
        *([(moved, WAITING)] if moved else []),
        *_of(rows, _RATE),
        *([(wait, "lat_mean_s")] if wait else []),
        *_of(rows, _IO),
    ]
    unread: Row = {
        **rows[0],
        **dict.fromkeys(("before_value", "after_value", "change_ratio", "cautions")),
        "part": "event",
        "item": "a read of User I/O",
        "note": "no read of User I/O has a mean wait in both",
    }
    return claims.to_frame(
        [
            *_changes(_of(rows, _ACTIVE)),
            *_per_load(rows),
            *_changes(found),
            _storage(wait or unread, READS),
            *([_storage(log, LOG_WRITES)] if log else []),
            _spread(rows),
        ]
    )


def _of(rows: Sequence[Row], metrics: Sequence[tuple[str, str, str, str]]) -> list[tuple[Row, str]]:
    return [
        (row, metric)
        for part, item, measure, metric in metrics
        for row in rows
        if (row["part"], row["item"], row["measure"]) == (part, item, measure)
    ]


def _moved(row: Row) -> float:
    """By how many waiting sessions an event changed; one that is not listed counts as none here.

    It chooses what is said, and is not said itself.
    """
    before, after = (float(row[side] or 0.0) for side in ("before_value", "after_value"))
    return abs(after - before)


def _changes(found: Sequence[tuple[Row, str]]) -> list[Answer]:
    """The changes of rows with a value; 0 in both reports is none."""
    return [
        _change(row, metric)
        for row, metric in found
        if (row["before_value"], row["after_value"]) not in {(None, None), (0.0, 0.0)}
    ]


def _change(row: Row, metric: str) -> Answer:
    ratio, difference = row["change_ratio"], row["difference"]
    note = row["note"] or "neither has a ratio"
    if ratio and not row["differs"]:
        ratio, difference, note = None, None, _ROUNDED
    if ratio is not None:
        return _claim(CHANGE, row, metric, Estimate(1 + ratio, CHANGE.unit))
    if difference:
        return _claim(DIFFERENCE, row, metric, Estimate(difference, _UNITS[metric]), reason=note)
    return _claim(CHANGE, row, metric, reason=note)


def _claim(
    question: Question,
    row: Row,
    metric: str,
    estimate: Estimate | None = None,
    *,
    reason: str | None = None,
    outcome: str | None = None,
    of: str | None = None,
) -> Answer:
    """A change with both its sides; ``of`` names its metric where it is not that of the sides."""
    after, before = (_side(row, side, metric) for side in ("after", "before"))
    subject = after.subject
    if outcome:
        subject = Subject(subject.label, (*subject.key, ("outcome", outcome)))
    return Answer(
        question=question.name,
        metric=of or metric,
        subject=subject,
        against=before.subject,
        status="missing" if estimate is None else "measured",
        estimate=estimate,
        reason=reason,
        cautions=cautions_of([row]),
        sides=(after, before),
        inputs=(f"{row['part']}, {row['item']}, {row['measure']}",),
    )


def _side(row: Row, side: str, metric: str) -> Answer:
    value: float | None = row[f"{side}_value"]
    event = (("event", row["item"]),) if row["part"] in {"event", "log"} else ()
    subject = Subject(row[side], (("report", row[side]), *event))
    why = "the report does not list it"
    return VALUE.answer(metric, subject, value, why, unit=_UNITS[metric])


def _per_load(rows: Sequence[Row]) -> list[Answer]:
    """DB time by the load: of the first measure of load whose ratio the print gives."""
    active = next((row for row, _ in _of(rows, _ACTIVE)), None)
    if active is None or active["change_ratio"] is None:
        return []
    loads = [
        (load, row)
        for load in LOADS
        for row in rows
        if row["part"] == "load"
        and row["measure"] == "per second"
        and row["item"].startswith(load.item)
    ]
    passed_over = [(load, row) for load, row in loads if row["change_ratio"] is None]
    chosen = next(((load, row) for load, row in loads if row["change_ratio"] is not None), None)
    if chosen is None:
        return []
    load, row = chosen
    rounding = (active["rounding_ratio"] or 0.0) + (row["rounding_ratio"] or 0.0)
    ratio = (1 + active["change_ratio"]) / (1 + row["change_ratio"])
    if rounding > COARSE:
        return []
    own = {
        f"{side}_value": active[f"{side}_value"] / row[f"{side}_value"]
        for side in ("before", "after")
    }
    after, before = (
        _side({**active, **own}, side, DB_TIME_PER_LOAD) for side in ("after", "before")
    )
    why = next(
        (
            f"{one.many}: {other['note']}"
            for one, other in passed_over
            if loads.index((one, other)) < loads.index(chosen)
        ),
        None,
    )
    key = (*after.subject.key, ("one", load.one), ("many", load.many))
    return [
        Answer(
            question=PER_LOAD.name,
            metric=DB_TIME_PER_LOAD,
            subject=Subject(after.subject.label, key),
            against=before.subject,
            status="measured",
            estimate=Estimate(ratio, PER_LOAD.unit),
            conditions=where_conditions(
                ("load_before", row["before_value"], "1/s"),
                ("load_after", row["after_value"], "1/s"),
                ("load_ratio", 1 + row["change_ratio"], "ratio"),
            ),
            reason=why,
            sides=(after, before),
            inputs=(f"load, {active['item']}, per second", f"load, {row['item']}, per second"),
        )
    ]


def _storage(row: Row, of: str) -> Answer:
    """Whether reads or log writes took longer: told by the print, or not at all."""
    few = next((one for one in cautions_of([row]) if one.name == "few_waits"), None)
    if row["change_ratio"] is None or few is not None:
        why = few.text if few else row["note"] or "neither report has a mean"
        return _claim(STORAGE, row, "lat_mean_s", of=of, reason=why)
    ratio = row["change_ratio"]
    outcome = "same" if not row["differs"] else "longer" if ratio > 0 else "shorter"
    estimate = Estimate(1 + ratio, STORAGE.unit)
    return _claim(STORAGE, row, "lat_mean_s", estimate, of=of, outcome=outcome)


def _spread(rows: list[Row]) -> Answer:
    """What two reports cannot say, with what differs in how they came about."""
    first = rows[0]
    sides = tuple(
        SPREAD.answer("", Subject(first[side], (("report", first[side]),)), None, "one report")
        for side in ("after", "before")
    )
    differ = [row for row in rows if row["part"] == "condition" and row["differs"]]
    named = [row["item"] for row in differ if row["measure"] != "overlap"]
    cautions = [caution("conditions_differ", fields=", ".join(named))] if named else []
    overlap = any(row["measure"] == "overlap" for row in differ)
    return Answer(
        question=SPREAD.name,
        metric="",
        subject=sides[0].subject,
        against=sides[1].subject,
        status="missing",
        reason="one report each",
        cautions=(*cautions, *([caution("periods_overlap")] if overlap else [])),
        sides=sides,
    )
