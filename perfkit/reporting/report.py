"""``pk.report``: a study, a notebook or evidence to PDF, HTML and the executed notebook."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfkit.reporting.build import Report, Say
    from perfkit.reporting.execute.notebook import Stream


def report(
    source: Path | str | Sequence[Path | str],
    *,
    parameters: Mapping[str, Any] | None = None,
    out: Path | str | None = None,
    date: str | None = None,
    anonymise: bool = False,
    shared: Path | str | None = None,
    say: Say | None = None,
    progress: Stream | None = None,
) -> Report:
    """Make the report of a study, a notebook or evidence; what a study lacks is measured first.

    Evidence needs no study: one is proposed and left beside the report.

    Args:
        source: The study's file or folder, a notebook, or folders, files and archives of evidence.
        parameters: Of the notebook; paths are seen from the working directory where they are there,
            else from the study or the notebook.
        out: The folder for the three files; default: ``reports/NAME``.
        date: The report's, 2026-11-21; default: the study's, or today.
        anonymise: Replace host names, serial numbers and addresses in all that is made.
        shared: A folder for what the pages of many reports have in common (typeface, style,
            scripts); default: everything is in the page, so that it can be sent as one file.
        say: Takes a message after each stage; default: the logger "perfkit".
        progress: A text stream for what the notebook's cells print meanwhile.

    Returns:
        The files, and the outcome over all criteria; None where nothing was judged.

    Raises:
        UsageError: There is no such place, an unknown parameter, or the report would lie among the
            evidence.
        StudyError: A mistake in the study, or nothing that was given is evidence.
        ReportError: A cell failed, or the files cannot be written.
        MissingPartError: There is no Chrome to draw the charts.
    """
    from perfkit.reporting.build import build
    from perfkit.reporting.evidence import job_of

    say = say or logging.getLogger("perfkit").info
    given = [source] if isinstance(source, Path | str) else source
    folder = None if out is None else Path(out)
    job, folder = job_of([Path(place) for place in given], dict(parameters or {}), folder, say)
    common = None if shared is None else Path(shared)
    return build(job, folder, say=say, progress=progress, date=date, anonymise=anonymise,
                 shared=common)  # fmt: skip
