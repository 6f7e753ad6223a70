"""fio's results: JSON, JSON+ (``--output-format=json+``) and normal output.

With ``--status-interval`` fio writes its counters again and again, and the last document holds all
that the earlier ones do. Runs appended to one file look alike, and there the last document is one
result of many: taking it for the result would lose the others without a word.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.units import MS_PER_S
from perfkit.formats import fio_json
from perfkit.formats.fio_json import form_of
from perfkit.sources.cautioned import cautions_of, with_cautions
from perfkit.sources.files import File, file_bytes, given, labelled, reader, text_of
from perfkit.sources.fio import normal
from perfkit.sources.fio import validity as fio_validity
from perfkit.sources.fio.result import ALL_CLIENTS, DIRECTIONS, FioResult, result_of
from perfkit.sources.fio.tables import groups_of, load_points, tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from perfkit.formats.fio_json import FioOutput
    from perfkit.sources.fio.result import Job

VERSION = 1

SECTIONS = {
    "summary": "no job did any I/O",
    "percentiles": "fio was told not to write percentiles",
    "histogram": "no bins: written with json, not json+",
    "job_options": "no job options in it",
    "disk_util": "fio gave none (disk_util=0, no block device, or it ended early)",
    "job_steady_state": "no steady state was asked for (ss=)",
    "sync": "no job synced",
}
"""The parts a fio result may have, and what it means that one is not there."""


@reader
def read_fio(
    path: Path | str,
    *,
    root: Path | None = None,
    labels: Mapping[str, str | float | int] | None = None,
    allow_errors: bool = False,
) -> Reading:
    """Read one fio result, also packed with gzip: JSON, JSON+ or the normal output of fio 2 and 3.

    Tables (columns: ``perfkit.sources.fio.schema``), empty where the file has nothing of it:

    - ``load_points``: the common table. One row for each group of jobs and direction, and one
      ``total``: jobs of a group ran at the same time and are pooled, over all hosts. What the
      file does not say (system, config, repeat) is null unless given in ``labels``.
    - ``summary``: one row a job and direction that did I/O.
    - ``percentiles``: fio's own, one row each. ``histogram``: one row a bucket (JSON+ only).
    - ``job_options``, ``disk_util``, ``job_steady_state``, ``sync``.

    With several documents of one run in the file (``--status-interval``) the last is the result.

    A file is not a result if a job or client reports an error, if fio was stopped by a signal, or
    if nothing was done. With ``allow_errors`` it is read all the same: each reason is then a
    warning of the evidence, and ``load_points`` is empty, so that no number of it is taken for a
    result.

    Paths in the evidence are relative to ``root`` (default: the working directory).

    Raises:
        ParseError: naming file and place: cut off, damaged, another form of fio's output, results
            of several runs, or no result in the sense above.
        UsageError: a label that is not a key of ``load_points``.
    """
    file = File.of(path, root)
    label = file.label
    output, result = parse(file.text(), file.path)
    reasons = list(fio_validity.problems(result, output.text))
    if reasons and not allow_errors:
        raise ParseError(file.path, reasons[0])
    frames = tables(result, label)
    warnings = [*reasons, *all_warnings(result, output)]
    told = cautions_of(warnings, of=label)
    points = labelled(with_cautions(load_points(result, label), told), labels, label)
    found = file.evidence(
        "fio",
        "fio",
        tool_version=result.version,
        sections=tuple(_sections(frames, result)),
        warnings=tuple(warnings),
    )
    frames = {"load_points": points.clear() if reasons else points, **frames}
    return reading("read.fio", VERSION, frames, found, given(labels=dict(labels or {})))


def parse(text: str, path: Path | str) -> tuple[FioOutput, FioResult]:
    """The documents of one fio output and the values of the last; ParseError for any other form."""
    is_json = bool(fio_json.OPENS.search(text))
    if not is_json and normal.is_normal(text):
        output = normal.decode(text, path)
        return output, result_of(output.final, path)
    form = None if is_json else form_of(text)
    if form:
        raise ParseError(path, form)
    output = fio_json.decode(text, path)
    _check_one_run(output, path)
    return output, result_of(output.final, path)


def all_warnings(
    result: FioResult, output: FioOutput, jobs_of_load: Sequence[Job] | None = None
) -> Iterator[str]:
    """What a reader of the numbers must know, thin percentiles (of the load's jobs) included."""
    yield from fio_validity.warnings(result, output)
    for jobs in groups_of(result.jobs if jobs_of_load is None else jobs_of_load):
        yield from fio_validity.thin([flow for job in jobs for flow in job.main_flows])


def _sections(frames: Mapping[str, pl.DataFrame], result: FioResult) -> Iterator[Section]:
    """What became of each part a fio result may have."""
    for name, reason in SECTIONS.items():
        rows = frames[name].height
        is_empty = name == "disk_util" and result.document.has(name)
        if rows:
            yield Section(name, "found", rows)
        else:
            yield Section(name, "empty" if is_empty else "absent", None, reason)


_TIME = re.compile(r'"time"\s*:\s*"([^"]+)"')


def written(path: Path) -> dt.datetime | None:
    """When fio wrote a result, on its host's clock; None where it does not say."""
    text = text_of(file_bytes(path, str(path)), str(path))
    found = _TIME.search(text)
    told = found[1] if found else normal.ended(text)
    try:
        return dt.datetime.strptime(told, "%a %b %d %H:%M:%S %Y") if told else None  # noqa: DTZ007
    except ValueError:
        return None


# ---- several documents in one file

CLOCKS_MS = 2000
"""fio prints its age in whole seconds, rounded up: the starts of two states may differ by it."""

_BEGINS_ANEW = "ramp_time"
"""fio sets its counters back when the ramp is over: with it they may fall within one run."""


@dataclass(frozen=True)
class _RunState:
    """What tells one document's run from another's.

    An interim state is read no further: it was written while its counters moved, and need not agree
    with itself.
    """

    clients: bool
    shared: Any
    jobs: dict[tuple[Any, ...], dict[str, Any]]
    began_ms: float | None


def _check_one_run(output: FioOutput, path: Path | str) -> None:
    """ParseError, naming both lines, where two documents that follow each other are of two runs."""
    states = [
        (_run_state(document), line)
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


def _run_state(document: dict[str, Any]) -> _RunState:
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
    return _RunState(clients, document.get("global options"), jobs, began)


def _differs(earlier: _RunState, later: _RunState) -> str | None:
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
