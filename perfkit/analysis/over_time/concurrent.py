"""Concurrent runs of several servers: which run of one ran with which of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perfkit.analysis.verdicts.run_verdicts import run_name
from perfkit.core.errors import AnalysisError
from perfkit.core.schema import Row

SHARED = ("system", "config", "workload")
Key = tuple[Any, ...]


def run_key(row: Row) -> Key:
    """What concurrent runs share: the test's labels, and the run's number or else its place."""
    numbered = row.get("run") is not None
    place = ("run", row["run"]) if numbered else ("position", row.get("position"))
    return (*(row.get(key) for key in SHARED), *place)


def by_key(rows: Sequence[Row]) -> dict[Key, Row]:
    """Rows by their run; AnalysisError where two rows are of one run."""
    found: dict[Key, Row] = {}
    for row in rows:
        key = run_key(row)
        if key in found:
            raise AnalysisError(f"two rows are of one run: {run_name(row)}")
        found[key] = row
    return found


def at_once(one: Row, other: Row) -> bool:
    """Whether two runs overlap; where a time is not printed nothing speaks against it."""
    spans = [(row.get("started_at"), row.get("ended_at")) for row in (one, other)]
    known = [(start, end) for start, end in spans if start is not None and end is not None]
    if len(known) < len(spans):
        return True
    return all(start < end for start, _ in known for _, end in known)
