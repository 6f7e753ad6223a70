"""What two reports side by side say, as answers; and what two reports cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.awr.waits import is_read
from perfkit.analysis.compare.report_rows import SESSIONS
from perfkit.analysis.curves.series import cautions_of, require_rows
from perfkit.core import answers as claims
from perfkit.core.answers import Answer, Estimate, Question, Subject, register
from perfkit.core.cautions import Caution, caution
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from perfkit.core.schema import Row

VALUE = register(Question(
    "report_value", "its metric's", "a rate, mean or share over the period of one report",
    "as the report prints it", "none: one report",
))  # fmt: skip
CHANGE = register(Question(
    "report_change", "ratio", "a rate, mean or share of the later report / that of the earlier one",
    "one report each", "none: one report each",
))  # fmt: skip
SPREAD = register(Question(
    "report_spread", "ratio", "how far two ordinary periods of the database lie apart",
    "not in two reports", "none: one report each",
))  # fmt: skip

SESSIONS_METRIC = "db_time_per_elapsed_ratio"
TRANSACTIONS, READS_OF_ONE = "transactions_per_s", "reads_per_transaction"
WAITING = "waiting_sessions"

_UNITS = {
    "iops": "1/s", "bw_bytes_per_s": "bytes/s", "cpu_busy_ratio": "ratio", "lat_mean_s": "s",
    SESSIONS_METRIC: "1", TRANSACTIONS: "1/s", READS_OF_ONE: "1", WAITING: "1",
}  # fmt: skip

_ACTIVE = (("load", SESSIONS, "per second", SESSIONS_METRIC),)
_RATE = (("load", "Transactions", "per second", TRANSACTIONS),)
_IO = (
    ("io", "total", "iops", "iops"),
    ("io", "total", "bw_bytes_per_s", "bw_bytes_per_s"),
    ("io", "host", "cpu_busy_ratio", "cpu_busy_ratio"),
    ("load", "Read IO requests", "per transaction", READS_OF_ONE),
)
"""Part, item and measure of a pair -> the metric; where neither report has it nothing is said."""

_COLUMNS = ("part", "item", "measure", "before", "after", "differs", "change_ratio", "note",
            "rounding_ratio", "cautions")  # fmt: skip


@step(version=2, name="awr.report_changes")
def report_changes(pair: Measured) -> pl.DataFrame:
    """The main differences of a pair (``report_pair``), and that they have no interval, as answers.

    Average active sessions, the event whose waits changed most of these, the load in transactions,
    the mean wait of the longest event of User I/O that both reports give, I/O rate, throughput, the
    hosts' CPU, and reads per transaction. A
    ratio that ``report_pair`` leaves out is missing, with its reason; so is a change that is no
    more than the rounding of the print.

    Returns:
        ``answers.ANSWERS``: questions report_change and report_spread.
    """
    rows = require_rows(pair, "pair", _COLUMNS, "nothing to say")
    wait = next((row for row in rows if _read_wait(row)), None)
    moved = max((row for row in rows if row["measure"] == "wait_s_per_s"), key=_moved, default=None)
    found = [
        *_of(rows, _ACTIVE),
        *([(moved, WAITING)] if moved else []),
        *_of(rows, _RATE),
        *([(wait, "lat_mean_s")] if wait else []),
        *_of(rows, _IO),
    ]
    changes = [
        _change(row, metric)
        for row, metric in found
        if (row["before_value"], row["after_value"]) != (None, None)
    ]
    return claims.to_frame([*changes, _spread(rows)])


def _of(rows: Sequence[Row], metrics: Sequence[tuple[str, str, str, str]]) -> list[tuple[Row, str]]:
    return [
        (row, metric) for part, item, measure, metric in metrics for row in rows
        if (row["part"], row["item"], row["measure"]) == (part, item, measure)
    ]  # fmt: skip


def _moved(row: Row) -> float:
    """By how many waiting sessions an event changed; one that is not listed counts as none here.

    It chooses what is said, and is not said itself.
    """
    before, after = (float(row[side] or 0.0) for side in ("before_value", "after_value"))
    return abs(after - before)


def _read_wait(row: Row) -> bool:
    """The longest read of User I/O whose mean both reports give: events are in order of length."""
    return bool(
        row["part"] == "event"
        and row["measure"] == "mean_wait_s"
        and row["before_text"] == "User I/O"
        and is_read(row["item"])
        and None not in (row["before_value"], row["after_value"])
    )


def _change(row: Row, metric: str) -> Answer:
    sides = tuple(_side(row, side, metric) for side in ("after", "before"))
    ratio, rounding = row["change_ratio"], row["rounding_ratio"]
    note = row["note"] or "neither has a ratio"
    if ratio and rounding is not None and abs(ratio) <= rounding:
        ratio, note = None, "they differ by no more than the rounding of the print"
    return Answer(
        question=CHANGE.name, metric=metric, subject=sides[0].subject, against=sides[1].subject,
        status="missing" if ratio is None else "measured",
        estimate=None if ratio is None else Estimate(1 + ratio, CHANGE.unit),
        reason=None if ratio is not None else note, cautions=cautions_of([row]),
        sides=sides, inputs=(f"{row['part']}, {row['item']}, {row['measure']}",),
    )  # fmt: skip


def _side(row: Row, side: str, metric: str) -> Answer:
    value = row[f"{side}_value"]
    event = (("event", row["item"]),) if row["part"] == "event" else ()
    return Answer(
        question=VALUE.name,
        metric=metric,
        subject=Subject(row[side], (("report", row[side]), *event)),
        status="missing" if value is None else "measured",
        estimate=None if value is None else Estimate(value, _UNITS[metric]),
        reason="the report does not list it" if value is None else None,
    )


def _spread(rows: list[Row]) -> Answer:
    """What two reports cannot say, with what differs in how they came about."""
    first = rows[0]
    sides = tuple(
        Answer(SPREAD.name, "", Subject(first[side], (("report", first[side]),)), "missing",
               reason="one report")
        for side in ("after", "before")
    )  # fmt: skip
    return Answer(
        question=SPREAD.name, metric="", subject=sides[0].subject, against=sides[1].subject,
        status="missing", reason="one report each", cautions=tuple(_cautions(rows)), sides=sides,
    )  # fmt: skip


def _cautions(rows: list[Row]) -> list[Caution]:
    differ = [row for row in rows if row["part"] == "condition" and row["differs"]]
    named = [row["item"] for row in differ if row["measure"] != "overlap"]
    cautions = [caution("conditions_differ", fields=", ".join(named))] if named else []
    overlap = any(row["measure"] == "overlap" for row in differ)
    return [*cautions, *([caution("periods_overlap")] if overlap else [])]
