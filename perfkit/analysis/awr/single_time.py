"""Where the DB time of one report went: CPU and the waits of foreground sessions, by class."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from perfkit.analysis.awr.report_rows import ReportRows, events_of, of_whole
from perfkit.analysis.awr.waits import classes_of
from perfkit.core.cautions import Caution, caution
from perfkit.core.schema import Row
from perfkit.core.stats import ENOUGH_S, ratio_of

CPU = "DB CPU"
STORAGE_CLASSES = ("User I/O", "System I/O", "Commit")
"""Wait classes of foreground sessions that wait for storage, or for the log writer."""

_NAMED = {"log file sync": "Commit"}
"""Classes of events that reports without classes are searched for, beside User I/O."""


@dataclass(frozen=True)
class TimeParts:
    """Shares of DB time by part, the longest first.

    ``whole``: whether the report lists every class, so that what is left is in none of them.
    """

    shares: dict[str, float]
    whole: bool

    @property
    def left(self) -> float | None:
        """DB time less its parts as a share, with its sign; None where not all parts are known."""
        return 1 - sum(self.shares.values()) if self.whole else None


IN_NONE = "in no wait class"
"""What a part is called that is neither CPU nor a class of waits."""

LEFT_MOST = 0.1
"""So much of DB time may be in no listed part before a reader is told."""


def too_much_cpu(name: str, share: float | None) -> str | None:
    """Why shares of DB time say nothing, where DB CPU, a part of it, is more than all of it.

    Args:
        name: What states them: a report, or a history.
        share: DB CPU / DB time.
    """
    if share is None or share <= 1 + LEFT_MOST:
        return None
    return (
        f"{name} states {share:.1f} times as much DB CPU as DB time, of which it is a part: one of "
        "the two is wrong"
    )


def listed_wrongly(parts: TimeParts) -> list[Caution]:
    """The caution of parts that leave much of DB time out, or count it twice."""
    if parts.left is None or abs(parts.left) <= LEFT_MOST:
        return []
    name = "time_not_listed" if parts.left > 0 else "time_twice"
    return [caution(name, share=f"{abs(parts.left):.0%}")]


def time_parts(report: ReportRows) -> TimeParts:
    """DB CPU and the foreground's wait classes as shares of DB time; empty where none is known.

    As printed, else total / DB time. Statspack has no classes: there DB CPU, User I/O and Commit
    are those of the events that are known by name, and other waits are in none of them.
    """
    classes = of_whole(
        [row for row in report.tables["wait_classes"] if row["scope"] == "foreground"]
    )
    if classes:
        found = {row["wait_class"]: _share(report, row) for row in classes}
        whole = None not in found.values() and CPU in found
        return TimeParts(_longest_first(found.items()), whole)
    cpu = of_whole([row for row in report.tables["time_model"] if row["statistic"] == CPU])
    named = {name: _share_of_events(report, name) for name in ("User I/O", "Commit")}
    shares = {CPU: _share(report, cpu[0], "time_s") if len(cpu) == 1 else None, **named}
    return TimeParts(_longest_first(shares.items()), whole=False)


LOCKS = ("enq: TX", "enq: TM")
"""How the waits for rows and tables that others have locked begin."""


MOSTLY_LOCKS = 0.5
"""From this share of DB time on what the holders of locks waited for may be what took the time."""


def lock_share(report: ReportRows) -> float | None:
    """The share of the foreground's waits for locks in DB time, as far as it is known."""
    shares = [
        _share(report, row)
        for name, row in events_of(report).items()
        if name.startswith(LOCKS) and row["total_wait_s"] is not None
    ]
    return math.fsum(share for share in shares if share is not None) if shares else None


def longest_event(report: ReportRows) -> tuple[str, float] | None:
    """The foreground event that was waited for longest, and its share of DB time."""
    events = [row for row in events_of(report).values() if row["total_wait_s"] is not None]
    longest = max(events, key=lambda row: row["total_wait_s"], default=None)
    if longest is None:
        return None
    share = _share(report, longest)
    return None if share is None else (longest["event"], share)


def _longest_first(found: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    known = [(name, share) for name, share in found if share is not None]
    return dict(sorted(known, key=lambda item: -item[1]))


def _share(report: ReportRows, row: Row, total: str = "total_wait_s") -> float | None:
    # what Statspack prints beside an event is a share of call time: of idle waits, too
    of_calls = report.head.get("form") == "statspack" and "event" in row
    printed = None if of_calls else row.get("db_time_ratio")
    return float(printed) if printed is not None else _of_db_time(report, row[total])


def _of_db_time(report: ReportRows, total_s: float | None) -> float | None:
    """A total as a share of DB time; None where whole seconds are too coarse for that."""
    db_time = report.head["db_time_s"]
    return ratio_of(total_s, db_time) if db_time is not None and db_time >= ENOUGH_S else None


def _share_of_events(report: ReportRows, wait_class: str) -> float | None:
    events = events_of(report)
    classes = _NAMED | classes_of(list(events.values()), report.tables["top_events"])
    totals = [
        row["total_wait_s"] for name, row in events.items() if classes.get(name) == wait_class
    ]
    if not totals or None in totals:
        return None
    return _of_db_time(report, sum(totals))
