"""``pk.report``: a study or a notebook to PDF, HTML and the executed notebook."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfkit.reporting.build import Report, Say
    from perfkit.reporting.execute.notebook import Stream


def report(
    source: Path | str,
    *,
    parameters: Mapping[str, Any] | None = None,
    out: Path | str | None = None,
    date: str | None = None,
    anonymise: bool = False,
    say: Say | None = None,
    progress: Stream | None = None,
) -> Report:
    """Make the report of a study or a notebook; what the study lacks is measured first.

    Args:
        source: The study's file or folder, or a notebook.
        parameters: Of the notebook; paths are relative to the study.
        out: The folder for the three files; default: ``reports/NAME``.
        date: The report's, 2026-11-21; default: the study's, or today.
        anonymise: Replace host names, serial numbers and addresses in all that is made.
        say: Takes a message after each stage; default: the logger "perfkit".
        progress: A text stream for what the notebook's cells print meanwhile.

    Returns:
        The files, and the outcome over all criteria; None where nothing was judged.

    Raises:
        UsageError: Neither a study nor a notebook, or an unknown parameter.
        StudyError: A mistake in the study.
        ReportError: A cell failed, or the files cannot be written.
        MissingPartError: There is no Chrome to draw the charts.
    """
    from perfkit.reporting.build import build, job_for

    job = job_for(Path(source), dict(parameters or {}))
    folder = Path(out) if out is not None else Path("reports") / job.name
    say = say or logging.getLogger("perfkit").info
    return build(job, folder, say=say, progress=progress, date=date, anonymise=anonymise)
