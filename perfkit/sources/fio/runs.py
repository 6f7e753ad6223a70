"""Which documents of one file are of one run, and the results of several runs as one.

With ``--status-interval`` fio writes its counters again and again, and the last document of a run
holds all that the earlier ones do. Runs that a script appended to one file (``>>``) look alike, and
there the last document is one result of many: taking it for the result would lose the others
without a word.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from perfkit.core.errors import ParseError
from perfkit.core.files import Json
from perfkit.core.keys import rows_by
from perfkit.core.units import MS_PER_S
from perfkit.formats.fio_json import FioOutput
from perfkit.formats.json_node import Node
from perfkit.sources.fio.result import ALL_CLIENTS, DIRECTIONS, FioResult, Job, result_of

WITHIN_MS = 250
"""Between fio's look at its clock and at its age, on a busy host."""

_BEGINS_ANEW = "ramp_time"
"""fio sets its counters back when the ramp is over: with it they may fall within one run."""

_APART = "put the result of each run into a file of its own"


def runs_of(output: FioOutput) -> list[FioOutput]:
    """The documents of each run, in order; a run that stands there twice was done once."""
    runs: list[list[int]] = [[0]]
    states = [_state(document) for document in output.documents]
    for place, (earlier, later) in enumerate(pairwise(states), 1):
        if _differs(earlier, later):
            runs.append([])
        runs[-1].append(place)
    found: list[FioOutput] = []
    for places in runs:
        documents = tuple(output.documents[place] for place in places)
        if all(documents[-1] != run.final for run in found):
            found.append(FioOutput(documents, (), tuple(output.lines[place] for place in places)))
    found[0] = replace(found[0], text=output.text)
    return found


def as_one(runs: Sequence[FioOutput], path: Path | str) -> tuple[FioOutput, FioResult]:
    """The results of runs as one, whose groups ran one after another, as with ``stonewall``.

    Raises ParseError, of several runs with the line at which one begins: its numbers do not agree,
    or the runs are of several versions, or were done at the same time.
    """
    results = [_result_of(run, path, several=len(runs) > 1) for run in runs]
    if len(runs) == 1:
        return runs[0], results[0]
    if len({result.version for result in results}) > 1:
        raise ParseError(path, f"runs of several versions of fio: {_APART}", runs[1].lines[-1])
    if len({result.clients for result in results}) > 1:
        raise ParseError(path, f"runs of one host and of clients: {_APART}", runs[1].lines[-1])
    _check_in_turn(runs, path)
    output = FioOutput(
        tuple(document for run in runs for document in run.documents),
        tuple(line for run in runs for line in run.text),
        tuple(line for run in runs for line in run.lines),
        runs=len(runs),
    )
    return output, _joined(results)


def _result_of(run: FioOutput, path: Path | str, *, several: bool) -> FioResult:
    """The values of a run's last document; its faults name the line where that begins."""
    try:
        return replace(result_of(run.final, path), line=run.lines[-1] if several else None)
    except ParseError as fault:
        if several and fault.line is None:
            raise ParseError(path, fault.problem, run.lines[-1]) from fault
        raise


def _joined(results: Sequence[FioResult]) -> FioResult:
    """One result with the jobs of all; what is of one run alone (its disks) has no place in it."""
    shared = results[0].global_options
    is_shared = all(result.global_options == shared for result in results)
    jobs: list[Job] = []
    first = 0
    for result in results:
        for job in result.jobs:
            own = job if is_shared else replace(job, own_options=job.options, global_options={})
            jobs.append(replace(own, index=len(jobs), groupid=first + (job.groupid or 0)))
        first = 1 + max((job.groupid or 0 for job in jobs), default=first - 1)
    last = results[-1].document
    content = {name: value for name, value in last.content.items() if name != "disk_util"}
    summed = [result.all_clients for result in results]
    return replace(
        results[-1],
        jobs=tuple(jobs),
        all_clients=None if None in summed else summed[-1],
        global_options=shared if is_shared else {},
        document=Node(content, "", last.file),
        runs=tuple(results),
        line=None,
    )


def _check_in_turn(runs: Sequence[FioOutput], path: Path | str) -> None:
    """ParseError where two runs were done at the same time: each is part of one load.

    Of a run that does not say when it was done nothing is known, and it was appended to the others.
    """
    states = [(_state(run.final), run.lines[-1]) for run in runs]
    timed = [(state.written, state, line) for state, line in states if state.written]
    timed.sort(key=lambda item: item[0])
    for (earlier, _, above), (_, later, below) in pairwise(timed):
        if later.io_began is not None and later.io_began.high < earlier.low:
            first, second = sorted((above, below))
            raise ParseError(
                path, f"this run was done at the same time as that of line {first}", second
            )


def time_of(text: str) -> dt.datetime | None:
    """A time as fio prints it; None where it is none."""
    try:
        return dt.datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007
    except ValueError:
        return None


# ---- whether two documents are states of one run


class _Span(NamedTuple):
    """A time in ms of which a document says so much: it was not before ``low``, nor after."""

    low: float
    high: float

    def minus(self, least: float, most: float) -> _Span:
        return _Span(self.low - most, self.high - least)


@dataclass(frozen=True)
class _State:
    """What tells one document's run from another's.

    An interim state is read no further: it was written while its counters moved, and need not agree
    with itself.
    """

    clients: bool
    shared: Any
    jobs: dict[tuple[Any, ...], Json]
    written: _Span | None
    age_s: float | None
    io_began: _Span | None
    """As if all of its I/O had ended when it was written: it may have begun earlier."""

    @property
    def began(self) -> _Span | None:
        if self.written is None or self.age_s is None:
            return None
        age_ms = self.age_s * MS_PER_S
        # in whole seconds, rounded up
        return self.written.minus(age_ms - MS_PER_S, age_ms)


def _state(document: Json) -> _State:
    clients = "client_stats" in document
    entries = document.get("client_stats" if clients else "jobs")
    rows = [row for row in entries if isinstance(row, dict)] if isinstance(entries, list) else []
    rows = [row for row in rows if not (clients and row.get("jobname") == ALL_CLIENTS)]
    jobs: dict[tuple[Any, ...], Json] = {}
    for row in rows:
        name = tuple(str(row.get(key)) for key in ("hostname", "port", "groupid", "jobname"))
        jobs[(*name, sum(known[:4] == name for known in jobs))] = row
    ages = [age for row in rows if isinstance(age := row.get("elapsed"), int | float)]
    # groups ran one after another, the jobs of a group at once
    groups = rows_by(rows, lambda row: str(row.get("groupid"))).values()
    lasted = sum(max(_longest(row) for row in own) for own in groups)
    written = _written(document)
    return _State(
        clients,
        document.get("global options"),
        jobs,
        written,
        max(ages, default=None),
        written and written.minus(lasted, lasted),
    )


def _written(document: Json) -> _Span | None:
    """When fio wrote a document: by its clock, or as printed."""
    for key, grain in (("timestamp_ms", 1), ("timestamp", MS_PER_S)):
        if isinstance(value := document.get(key), int):
            return _Span(value * grain, (value + 1) * grain)
    printed = time_of(str(document.get("time")))
    if printed is None:
        return None
    low = printed.replace(tzinfo=dt.UTC).timestamp() * MS_PER_S
    return _Span(low, low + MS_PER_S)


def _differs(earlier: _State, later: _State) -> bool:
    """Whether two documents cannot be states of one run."""
    # a client's first states may lack a server that has not answered yet
    names = earlier.jobs.keys() - later.jobs.keys()
    if not later.clients:
        names |= later.jobs.keys() - earlier.jobs.keys()
    if earlier.clients != later.clients or names:
        return True
    pairs = [(row, later.jobs[name]) for name, row in earlier.jobs.items()]
    if any(a.get("job options") != b.get("job options") for a, b in pairs) or (
        not later.clients and earlier.shared != later.shared
    ):
        return True
    ramps = _BEGINS_ANEW in str(later.shared) or any(_BEGINS_ANEW in str(b) for _, b in pairs)
    if _began_apart(earlier, later):
        return True
    return not ramps and (_is_after(earlier, later) or any(_fell(a, b) for a, b in pairs))


def _began_apart(earlier: _State, later: _State) -> bool:
    """Whether two documents are of runs that began at different times."""
    if earlier.began is None or later.began is None:
        return False
    begins = sorted((earlier.began, later.began))
    return begins[1].low - begins[0].high > WITHIN_MS


def _is_after(earlier: _State, later: _State) -> bool:
    """Whether all I/O of a document of the same age (clients tell none) came after another one."""
    if earlier.written is None or later.io_began is None:
        return False
    return later.io_began.low > earlier.written.high and earlier.age_s == later.age_s


def _longest(row: Json) -> float:
    return max(_counts(row, "runtime"), default=0.0)


_NEVER_FALL = ("total_ios", "io_bytes", "runtime")


def _fell(earlier: Json, later: Json) -> bool:
    """Whether a counter of a job is lower than it was."""
    pairs = ((sum(_counts(earlier, key)), sum(_counts(later, key))) for key in _NEVER_FALL)
    return any(after < before for before, after in pairs)


def _counts(row: Json, key: str) -> Iterator[float]:
    """A number of each direction of a job."""
    flows = [row.get(name) for name in DIRECTIONS]
    values = [flow.get(key) for flow in flows if isinstance(flow, dict)]
    return (value for value in values if isinstance(value, int | float))
