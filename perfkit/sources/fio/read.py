"""fio's JSON and JSON+ results (``--output-format=json+``)."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.formats import fio_json
from perfkit.formats.fio_json import form_of
from perfkit.sources.cautioned import cautions_of, with_cautions
from perfkit.sources.files import File, file_bytes, given, labelled, reader, text_of
from perfkit.sources.fio import interim as fio_interim
from perfkit.sources.fio import validity as fio_validity
from perfkit.sources.fio.result import FioResult, result_of
from perfkit.sources.fio.tables import groups_of, load_points, tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

    from perfkit.formats.fio_json import FioOutput
    from perfkit.sources.fio.result import Job

VERSION = 1

_OPENS = re.compile(r"^\{", re.M)

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
    """Read one fio result: JSON or JSON+, local or client/server, fio 3; also packed with gzip.

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
        ParseError: naming file and place: no fio JSON, cut off, damaged, another form of fio's
            output, results of several runs, or no result in the sense above.
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
    form = None if _OPENS.search(text) else form_of(text)
    if form:
        raise ParseError(path, form)
    output = fio_json.decode(text, path)
    fio_interim.check(output, path)
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
    found = _TIME.search(text_of(file_bytes(path, str(path)), str(path)))
    try:
        return dt.datetime.strptime(found[1], "%a %b %d %H:%M:%S %Y") if found else None  # noqa: DTZ007
    except ValueError:
        return None
