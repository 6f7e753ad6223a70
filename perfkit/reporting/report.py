"""``pk.report``: a study, a notebook or evidence to PDF, HTML and the executed notebook.

For evidence without a study one is proposed and left beside the report.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfkit.core.errors import ReportError, UsageError
from perfkit.core.files import problems_as, write_whole
from perfkit.core.kept import kept_readings
from perfkit.core.keys import short_names
from perfkit.reporting.build import Job, Report, Say, build, job_for
from perfkit.reporting.execute.notebook import Stream
from perfkit.study.opening import STUDY_FILE
from perfkit.study.proposals import Proposal, is_untouched, propose
from perfkit.study.survey import called


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
        anonymise: Replace host names, serial numbers and addresses in everything that is made.
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
    say = say or logging.getLogger("perfkit").info
    given = [source] if isinstance(source, Path | str) else source
    folder = None if out is None else Path(out)
    common = None if shared is None else Path(shared)
    with kept_readings():
        job, folder = job_of([Path(place) for place in given], dict(parameters or {}), folder, say)
        return build(
            job, folder, say=say, progress=progress, date=date, anonymise=anonymise, shared=common
        )


REPORTS = Path("reports")
"""Where reports go by themselves, each into a folder of its name."""

_GIVEN = {".yml", ".yaml", ".ipynb"}


def job_of(
    places: Sequence[Path], parameters: Mapping[str, Any], out: Path | None, say: Say
) -> tuple[Job, Path]:
    """The job of a study, a notebook or evidence, and the folder its report goes to.

    For evidence the proposed study is written into that folder, never among the evidence.

    Raises UsageError, StudyError, ReportError: see ``report``.
    """
    first = places[0]
    if len(places) == 1 and (first.suffix in _GIVEN or (first / STUDY_FILE).is_file()):
        job = job_for(first, parameters)
        return job, out or REPORTS / job.name
    for place in places:
        if place.suffix in _GIVEN:
            raise UsageError(
                f"{place}: a study or a notebook is reported on by itself; several: --each"
            )
    folder = out or REPORTS / _name(places)
    _refuse_among(places, folder)
    return _proposed(places, (), folder, name=_name(places), parameters=parameters, say=say)


def job_of_comparison(
    places: Sequence[Path],
    systems: Sequence[str],
    parameters: Mapping[str, Any],
    out: Path | None,
    say: Say,
) -> tuple[Job, Path]:
    """The job that compares places, each a system, and the folder its report goes to.

    Raises UsageError for one place or a name given twice, and what ``job_of`` raises.
    """
    if len(places) < 2:
        raise UsageError("name two places or more to compare; perfkit report is for one")
    twice = next((name for name in systems if list(systems).count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {twice!r}: name them, as in A=PATH B=PATH")
    name = "-vs-".join(re.sub(r"[^\w.-]+", "-", system) for system in systems)
    folder = out or REPORTS / name
    _refuse_among(places, folder)
    return _proposed(places, systems, folder, name=name, parameters=parameters, say=say)


def system_names(places: Sequence[Path]) -> list[str]:
    """What the places are called: each by its own name, and by more of its path where two agree."""
    return short_names([(place.resolve().parent / called(place)).as_posix() for place in places])


def _proposed(
    places: Sequence[Path],
    systems: Sequence[str],
    folder: Path,
    *,
    name: str,
    parameters: Mapping[str, Any],
    say: Say,
) -> tuple[Job, Path]:
    proposal = propose(places, folder, systems, say)
    for line in proposal.told:
        say(line)
    study = _left(proposal, folder)
    say(f"study: {study} (change it, then: perfkit report {folder})")
    return replace(job_for(study, parameters), name=name), folder


def _name(places: Sequence[Path]) -> str:
    """What the report is called: as the evidence, of several places as the first."""
    name = called(places[0])
    return name if len(places) == 1 else f"{name}-and-{len(places) - 1}-more"


def _refuse_among(places: Sequence[Path], out: Path) -> None:
    """UsageError where the report would lie among the evidence."""
    own = out.resolve()
    for place in places:
        real = place.resolve()
        if (real.is_dir() and own.is_relative_to(real)) or own == real.parent:
            raise UsageError(
                f"{out}: lies among the evidence ({place}), where nothing is written: name another "
                "folder with -o"
            )


def _left(proposal: Proposal, folder: Path) -> Path:
    """The study file in the report's folder; UsageError for one there that somebody changed."""
    path = folder / STUDY_FILE
    with problems_as(ReportError, path):
        if path.exists() and not is_untouched(path.read_text(encoding="utf-8", errors="replace")):
            raise UsageError(
                f"{path} was changed by hand: perfkit report {folder} makes its report; -o names "
                "another folder for a new one"
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, proposal.text)
    return path
