"""fio's results: JSON, JSON+ (``--output-format=json+``) and normal output."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.formats import fio_json
from perfkit.formats.fio_json import FioOutput, form_of
from perfkit.sources.cautioned import cautions_of, with_cautions
from perfkit.sources.files import File, file_bytes, given, labelled, reader, text_of
from perfkit.sources.fio import normal
from perfkit.sources.fio import validity as fio_validity
from perfkit.sources.fio.load import is_of_output
from perfkit.sources.fio.result import FioResult, Job
from perfkit.sources.fio.runs import as_one, runs_of, time_of
from perfkit.sources.fio.tables import groups_of, load_points, tables
from perfkit.sources.source import Turn

VERSION = 2

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

OF_ONE_RUN = "results of several runs: a disk stands there once for each, and no run with it"


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
    Several runs that were appended to one file are groups of jobs that ran one after another.

    A file is not a result if a job or client reports an error, if fio was stopped by a signal, or
    if nothing was done. With ``allow_errors`` it is read all the same: each reason is then a
    warning of the evidence, and ``load_points`` is empty, so that no number of it is taken for a
    result.

    Paths in the evidence are relative to ``root`` (default: the working directory).

    Raises:
        ParseError: naming file and place: cut off, damaged, another form of fio's output, results
            of runs that cannot be one, or no result in the sense above.
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
    """The documents of one fio output, and the values of the last of each run.

    Raises ParseError for any other form.
    """
    is_json = bool(fio_json.OPENS.search(text))
    if not is_json and normal.is_normal(text):
        return as_one(normal.decode(text, path), path)
    form = None if is_json else form_of(text)
    if form:
        raise ParseError(path, form)
    return as_one(runs_of(fio_json.decode(text, path)), path)


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
        elif name == "disk_util" and result.runs:
            yield Section(name, "unparsed", None, OF_ONE_RUN)
        else:
            yield Section(name, "empty" if is_empty else "absent", None, reason)


_TIME = re.compile(r'"time"\s*:\s*"([^"]+)"')


def written(path: Path) -> dt.datetime | None:
    """When fio wrote a result, on its host's clock; None where it does not say."""
    text = text_of(file_bytes(path, str(path)), str(path))
    found = _TIME.findall(text)
    told = found[-1] if found else normal.ended(text)
    return time_of(told) if told else None


def turn_of(path: Path, reading: Reading) -> Turn | None:
    """The run of a result; None where it does not say all of it."""
    ended = written(path)
    groups = reading["summary"].frame.group_by("groupid").agg(pl.col("runtime_s").max())
    # groups run one after the other, the jobs of a group at once
    lasted = float(groups["runtime_s"].sum())
    rows = reading["job_options"].frame.select("hostname", "job", "option", "value").rows()
    job = frozenset(row for row in rows if not is_of_output(str(row[2])))
    return Turn(job, ended, lasted) if ended and lasted and job else None
