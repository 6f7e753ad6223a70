"""What a report does not cover, as cautions beside its load: its end, other instances, the root.

A report of one instance of a cluster lacks the I/O of the others. In a container database the
root's processes write data files and redo, so that the report of a pluggable database lists few
writes or none. Counters begin at zero when an instance starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.core.cautions import Caution, caution, to_json
from perfkit.sources.awr.checks import io_disagreements
from perfkit.sources.awr.frames import records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfkit.core.schema import Row
    from perfkit.sources.awr.tidy import Data

SHORT_S = 300.0
"""A shorter period has few waits, and taking the snapshots is a part of it."""

LONG_S = 7200.0
"""Means over a longer period hide its peaks."""


def cautions(
    tables: Mapping[str, Data], name: str, written_per_s: float | None, ends_in: str | None = None
) -> str | None:
    """The cautions of a report's load points, as their column holds them; None for none.

    Args:
        tables: The tables of the report.
        name: What the report is called.
        written_per_s: Its write requests per second.
        ends_in: The section in which it ends, where it is cut off.
    """
    head = next(iter(records(tables["report"])))
    cut = [] if ends_in is None else [caution("cut_off", of=name, section=ends_in)]
    found = (_coverage(tables, head, name, written_per_s), _period(tables, head, name))
    return to_json([*cut, *(one for own in found for one in own), *_disagreeing(tables, name)])


def _disagreeing(tables: Mapping[str, Data], name: str) -> Iterator[Caution]:
    for what, profile, function in io_disagreements(tables):
        yield caution(
            "io_disagrees",
            of=name,
            what=what,
            profile=f"{profile:,.0f}",
            function=f"{function:,.0f}",
        )


def _coverage(
    tables: Mapping[str, Data], head: Row, name: str, written_per_s: float | None
) -> Iterator[Caution]:
    if head.get("scope") == "pdb":
        changes = next(
            (
                row["per_s"]
                for row in records(tables["load_profile"])
                if row["statistic"] == "block_changes"
            ),
            None,
        )
        yield caution(
            "written_by_root", of=name, writes=_rate(written_per_s), changes=_rate(changes)
        )
    if head.get("rac") and head.get("scope") != "rac" and head.get("instances_total") != 1:
        yield caution("one_instance", of=name)


def _rate(value: float | None) -> str:
    return "an unknown number of" if value is None else f"{value:,.0f}"


def _period(tables: Mapping[str, Data], head: Row, name: str) -> Iterator[Caution]:
    starts = [row.get("startup_time") for row in (head, *records(tables["instances"]))]
    begin, end = head.get("begin_time"), head.get("end_time")
    if None not in (begin, end) and any(start and begin < start < end for start in starts):
        yield caution("contains_restart", of=name)
    elapsed = head["elapsed_s"]
    if elapsed is not None and elapsed < SHORT_S:
        yield caution("short_period", of=name, time=f"{elapsed / 60:.1f} min")
    if elapsed is not None and elapsed > LONG_S:
        yield caution("long_period", of=name, time=f"{elapsed / 3600:,.1f} h")
