"""The rows of one AWR or Statspack report, by table, and which of them speak for all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.analysis.awr.waits import is_idle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfkit.core.schema import Row


@dataclass(frozen=True)
class ReportRows:
    """One report: what it is called, its head, and its rows by table."""

    name: str
    head: Row
    tables: Mapping[str, Sequence[Row]]


def of_whole(rows: Sequence[Row]) -> list[Row]:
    """The rows of the cluster where there are any, else of the only instance; of several none."""
    own = [row for row in rows if row["level"] == "cluster"]
    if not own and len({row["instance"] for row in rows}) == 1:
        return list(rows)
    return own


def events_of(report: ReportRows, scope: str = "foreground") -> dict[str, Row]:
    """The waits of foreground or background sessions by event; idle ones are left out.

    Oracle prints no share of DB time for what is idle.
    """
    own = of_whole([row for row in report.tables["wait_events"] if row["scope"] == scope])
    shared = any(row.get("db_time_ratio") is not None for row in own)
    return {
        row["event"]: row
        for row in own
        if row.get("wait_class") != "Idle"
        and not is_idle(row["event"])
        and not (shared and row.get("db_time_ratio") is None)
    }
