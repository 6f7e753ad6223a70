"""Every mistake that would stop a report, found in one pass without making the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from perfkit.core.errors import PerfkitError
from perfkit.reporting.build import Job, job_for, judgements
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.execute import notebook as notebooks
from perfkit.study.check import lines_of
from perfkit.study.check import mistakes as mistakes_before
from perfkit.study.demands import not_judged
from perfkit.study.study import Study


@dataclass(frozen=True)
class Found:
    """What a check found.

    Attributes:
        mistakes: A line each; empty where all is well.
        outdated: What to write into a file of an older perfkit.
        rehearsed: Whether the notebook was executed; of a study that measures it is not.
    """

    mistakes: list[str]
    outdated: list[str]
    rehearsed: bool


def check(path: Path) -> Found:
    """Look for the mistakes of a study; where there is nothing to measure, its notebook is run.

    The executed notebook is read as a report reads it, and thrown away: nothing is written.
    """
    try:
        job = job_for(path, {})
    except PerfkitError as problem:
        return Found(lines_of(problem), [], rehearsed=False)
    study = job.study
    if study is None:
        return Found([f"{path}: no study"], [], rehearsed=False)
    found = [*mistakes_before(study), *_parameters(job)]
    rehearsed = not found and study.target is None
    if rehearsed:
        found = _rehearse(job, study)
    return Found(found, study.outdated, rehearsed)


def _parameters(job: Job) -> list[str]:
    found: list[str] = []
    for name, value in job.parameters.items():
        try:
            notebooks.check_parameters(job.notebook, {name: value})
        except PerfkitError as problem:
            found += lines_of(problem)
    return found


def _rehearse(job: Job, study: Study) -> list[str]:
    """Execute the notebook and read its document; what fails, and criteria that it passes over."""
    with TemporaryDirectory(prefix="perfkit-check-") as folder:
        try:
            node = notebooks.execute(
                job.notebook, Path(folder) / "check.ipynb", job.parameters, cwd=job.cwd
            )
            left = not_judged(study, judgements(node), job.notebook.stem)
            read_document(node, job.cwd)
        except PerfkitError as problem:
            # the partial notebook goes with the folder
            return [line.partition("; partial notebook:")[0] for line in lines_of(problem)]
    passed_over = left.judgements if left else ()
    return [f"{study.path}: criteria: {item.criterion}: {item.reason}" for item in passed_over]
