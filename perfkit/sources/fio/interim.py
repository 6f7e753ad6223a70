"""Several documents in one fio file: states of one run, or results of several runs.

With ``--status-interval`` fio writes its counters again and again, and the last document holds all
that the earlier ones do. Runs appended to one file look alike, and there the last document is one
result of many: taking it for the result would lose the others without a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError
from perfkit.core.units import MS_PER_S
from perfkit.sources.fio.result import ALL_CLIENTS, DIRECTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.formats.fio_json import FioOutput

CLOCKS_MS = 2000
"""fio prints its age in whole seconds, rounded up: the starts of two states may differ by it."""

_BEGINS_ANEW = "ramp_time"
"""fio sets its counters back when the ramp is over: with it they may fall within one run."""


@dataclass(frozen=True)
class _State:
    """What tells one document's run from another's.

    An interim state is read no further: it was written while its counters moved, and need not agree
    with itself.
    """

    clients: bool
    shared: Any
    jobs: dict[tuple[Any, ...], dict[str, Any]]
    began_ms: float | None


def check(output: FioOutput, path: Path | str) -> None:
    """ParseError, naming both lines, where two documents that follow each other are of two runs."""
    states = [
        (_state(document), line)
        for document, line in zip(output.documents, output.lines, strict=True)
    ]
    for (earlier, above), (later, below) in pairwise(states):
        why = _differs(earlier, later)
        if why:
            raise ParseError(
                path,
                f"results of several runs: {why} than in the document of line {above}; put the "
                "result of each run into a file of its own",
                below,
            )


def _state(document: dict[str, Any]) -> _State:
    clients = "client_stats" in document
    entries = document.get("client_stats" if clients else "jobs")
    rows = [row for row in entries if isinstance(row, dict)] if isinstance(entries, list) else []
    jobs: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        if clients and row.get("jobname") == ALL_CLIENTS:
            continue
        name = tuple(str(row.get(key)) for key in ("hostname", "port", "groupid", "jobname"))
        jobs[(*name, sum(known[:4] == name for known in jobs))] = row
    written, ages = document.get("timestamp_ms"), [row.get("elapsed") for row in rows]
    known = [age for age in ages if isinstance(age, int | float)]
    began = written - max(known) * MS_PER_S if isinstance(written, int) and known else None
    return _State(clients, document.get("global options"), jobs, began)


def _differs(earlier: _State, later: _State) -> str | None:
    """What of two documents says that they are not states of one run; None where nothing does."""
    # a client's first states may lack a server that has not answered yet
    names = earlier.jobs.keys() - later.jobs.keys()
    if not later.clients:
        names |= later.jobs.keys() - earlier.jobs.keys()
    if earlier.clients != later.clients or names:
        return "other jobs"
    pairs = [(row, later.jobs[name]) for name, row in earlier.jobs.items()]
    if any(a.get("job options") != b.get("job options") for a, b in pairs) or (
        not later.clients and earlier.shared != later.shared
    ):
        return "other options"
    begins = [state.began_ms for state in (earlier, later) if state.began_ms is not None]
    if len(begins) > 1 and abs(begins[1] - begins[0]) > CLOCKS_MS:
        return "another time of start"
    ramps = _BEGINS_ANEW in str(later.shared) or any(_BEGINS_ANEW in str(b) for _, b in pairs)
    return "fewer I/Os" if not ramps and any(_ios(b) < _ios(a) for a, b in pairs) else None


def _ios(row: dict[str, Any]) -> float:
    flows = [row.get(name) for name in DIRECTIONS]
    counts = [flow.get("total_ios") for flow in flows if isinstance(flow, dict)]
    return sum(count for count in counts if isinstance(count, int | float))
