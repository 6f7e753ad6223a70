"""A report of evidence for which nobody wrote a study: one is proposed and left beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfkit.core.archives import opened, plain_name
from perfkit.core.errors import ReportError, UsageError
from perfkit.core.files import write_whole
from perfkit.reporting.build import Job, Say, job_for
from perfkit.study.proposals import Proposal, is_untouched, propose
from perfkit.study.study import STUDY_FILE

REPORTS = Path("reports")
"""Where reports go by themselves, each into a folder of its name."""

_GIVEN = {".yml", ".yaml", ".ipynb"}


def job_of(
    places: Sequence[Path], parameters: dict[str, Any], out: Path | None, say: Say
) -> tuple[Job, Path]:
    """The job of a study, a notebook or evidence, and the folder its report goes to.

    For evidence the proposed study is written into that folder, never among the evidence.

    Raises UsageError, StudyError, ReportError: see ``report``.
    """
    if len(places) == 1 and _is_study(places[0]):
        job = job_for(places[0], parameters)
        return job, out or REPORTS / job.name
    for place in places:
        if place.suffix in _GIVEN:
            raise UsageError(f"{place}: a study or a notebook is reported on by itself")
    folder = out or REPORTS / _name(places)
    _refuse_among(places, folder)
    proposal = propose(places, folder)
    for line in proposal.told:
        say(line)
    study = _left(proposal, folder)
    say(f"study: {study} (change it, then: perfkit report {folder})")
    return replace(job_for(study, parameters), name=_name(places)), folder


def _is_study(place: Path) -> bool:
    return place.suffix in _GIVEN or (place / STUDY_FILE).is_file()


def _name(places: Sequence[Path]) -> str:
    """What the evidence is called: the file, folder or archive, or the first of several."""
    first = plain_name(places[0].resolve().name)
    name = first if opened(places[0]).is_dir() else first.split(".")[0] or first
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
    try:
        if path.exists() and not is_untouched(path.read_text(encoding="utf-8", errors="replace")):
            raise UsageError(
                f"{path} was changed by hand: perfkit report {folder} makes its report; -o names "
                "another folder for a new one"
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, proposal.text)
    except OSError as problem:
        raise ReportError(f"{path}: {problem.strerror or problem}") from problem
    return path
