"""What two AWR or Statspack reports side by side say, and what two reports cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.compare.report_rows import SESSIONS
from perfkit.analysis.series import rows_with
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format

if TYPE_CHECKING:
    from perfkit.analysis.series import Row
    from perfkit.values import Statement

_CHANGE = Format("%", decimals=1, sign=True)
_SESSIONS = Format("1", decimals=2)
_COLUMNS = ("part", "item", "measure", "before", "after", "differs", "change_ratio")


@step(version=1, name="say.report_pair")
def say_report_pair(pair: Measured, *, value_id: str = "report-pair") -> Statement:
    """The main differences of a pair (``report_pair``), and that they have no interval."""
    rows = rows_with(pair, "pair", _COLUMNS, "nothing to say")
    text = Text()
    said = [f"Before: {text(rows[0]['before'])}; after: {text(rows[0]['after'])}."]
    for part, item, measure, words in _TOLD:
        row = _row(rows, part, item, measure)
        if row is not None and None not in (row["before_value"], row["after_value"]):
            said.append(_change(text, row, words))
    wait = next((row for row in rows if _read_wait(row)), None)
    if wait is not None:
        said.append(_change(text, wait, f"the mean wait of {text(wait['item'])}"))
    differ = [
        text(row["item"]) for row in rows
        if row["part"] == "condition" and row["differs"] and row["measure"] != "overlap"
    ]  # fmt: skip
    if differ:
        said.append(f"The reports differ in what they were made under: {', '.join(differ)}.")
    if any(row["measure"] == "overlap" for row in rows):
        said.append("Their periods overlap: neither is before the other.")
    said.append(
        "One report each: no interval. How far two ordinary periods of this database lie apart is "
        "not in two reports, so that none of this is shown to be more than that."
    )
    return text.done(value_id, said)


_TOLD = (
    ("io", "total", "iops", "the I/O rate"),
    ("io", "total", "bw_bytes_per_s", "the throughput"),
    ("io", "host", "cpu_busy_ratio", "the hosts' busy CPU share"),
    ("load", SESSIONS, "per second", "the average of active sessions"),
)  # fmt: skip


def _row(rows: list[Row], part: str, item: str, measure: str) -> Row | None:
    wanted = (part, item, measure)
    found = (row for row in rows if (row["part"], row["item"], row["measure"]) == wanted)
    return next(found, None)


def _read_wait(row: Row) -> bool:
    """The longest event of User I/O whose mean both reports give: events are in order of length."""
    return bool(
        row["part"] == "event" and row["measure"] == "mean_wait_s"
        and row["before_text"] == "User I/O"
        and None not in (row["before_value"], row["after_value"])
    )  # fmt: skip


_METRIC = {"mean_wait_s": "lat_mean_s", "per second": ""}


def _change(text: Text, row: Row, words: str) -> str:
    metric = _METRIC.get(row["measure"], row["measure"])
    one, two = (
        text.value(metric, row[side]) if metric else text(_SESSIONS.show(row[side]))
        for side in ("before_value", "after_value")
    )
    ratio = row["change_ratio"]
    change = f" ({text(_CHANGE.show(ratio))})" if ratio is not None else ""
    return f"{words[0].upper()}{words[1:]} went from {one} to {two}{change}."
