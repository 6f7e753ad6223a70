"""Study or notebook in, report out: executed notebook, PDF and HTML, each whole or not there."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from perfkit.errors import ReportError, UsageError
from perfkit.report import notebook as notebooks
from perfkit.report.front import DATE_VARIABLE, parse_date

if TYPE_CHECKING:
    from perfkit.report.notebook import Stream

Say = Callable[[str], None]

ENDINGS = (".ipynb", ".pdf", ".html")


@dataclass(frozen=True)
class Job:
    """What is to be made: the notebook, its parameters, the folder it runs in, and a name."""

    notebook: Path
    parameters: dict[str, Any]
    cwd: Path
    name: str


@dataclass(frozen=True)
class Report:
    """What was made: the files, and the outcome over all verdicts (None: nothing was judged)."""

    notebook: Path
    pdf: Path
    html: Path
    outcome: str | None


def job_for(source: Path, parameters: dict[str, Any]) -> Job:
    """The job of a study file, a folder with one, or a notebook.

    Raises UsageError for anything else, StudyError and ReportError for what is wrong in it.
    """
    from perfkit.report.study import STUDY_FILE, notebook_of, open_study

    if source.is_dir():
        source = source / STUDY_FILE
    if source.suffix == ".ipynb":
        return Job(source, parameters, source.resolve().parent, source.stem)
    if source.suffix not in {".yml", ".yaml"}:
        raise UsageError(f"{source}: neither a study (study.yml) nor a notebook (.ipynb)")
    study = open_study(source)
    # the notebook runs in the study's folder, so that no absolute path is written into it
    given = {"study": source.name, **study.model.parameters, **parameters}
    return Job(notebook_of(study), given, study.dir.resolve(), _name_of(source))


def _name_of(study: Path) -> str:
    """The report's file name: the study's folder; with a study file of another name, both."""
    from perfkit.report.study import STUDY_FILE

    folder = study.resolve().parent.name
    return folder if study.name == STUDY_FILE else f"{folder}-{study.stem}"


def build(
    job: Job,
    out: Path,
    *,
    say: Say,
    progress: Stream | None = None,
    date: str | None = None,
    anonymise: bool = False,
) -> Report:
    """Execute the job's notebook; write ``NAME.ipynb``, ``NAME.pdf``, ``NAME.html`` to ``out``.

    Chrome starts while the notebook runs. Earlier reports stay until the new one is whole.
    ``anonymise`` replaces host names, serial numbers and addresses in all three and in their names.

    Raises ReportError and MissingPartError; what a failing cell leaves: ``notebook.execute``.
    """
    from perfkit.report.charts import ChartPrinter, find_chrome

    find_chrome()  # before hours of measuring, not after
    notebooks.check_parameters(job.notebook, job.parameters)
    _make_folder(out)
    with _asked_date(date), ChartPrinter() as charts:
        clock = time.monotonic()
        node, target = _executed(job, out, say, progress, anonymise=anonymise)
        say(f"executed {job.notebook.name} in {time.monotonic() - clock:.1f} s")
        clock = time.monotonic()
        _export(node, target, job.cwd, charts)
        say(f"typeset in {time.monotonic() - clock:.1f} s")
    return Report(target.notebook, target.pdf, target.html, _outcome(node))


def _executed(
    job: Job, out: Path, say: Say, progress: Stream | None, *, anonymise: bool
) -> tuple[Any, Report]:
    """The executed notebook, written under the name it may have."""
    from perfkit.report.hide import hiding

    if not anonymise:
        target = _target(out, job.name)
        run = notebooks.execute
        node = run(job.notebook, target.notebook, job.parameters, cwd=job.cwd, progress=progress)
        return node, target
    with hiding() as hidden:
        # which names the file's name may not hold is known only when the readers have run
        first = out / f"anonymous{ENDINGS[0]}"
        node = notebooks.execute(
            job.notebook, first, job.parameters, cwd=job.cwd, progress=progress,
            rewrite=hidden.rewrite,
        )  # fmt: skip
        target = _target(out, hidden.apply(job.name))
        node.metadata.papermill.output_path = target.notebook.name
        notebooks.write(node, target.notebook)
        first.unlink()
        say(hidden.told())
    return node, target


def _target(out: Path, name: str) -> Report:
    executed, pdf, page = (out / f"{name}{ending}" for ending in ENDINGS)
    return Report(executed, pdf, page, outcome=None)


def _export(node: Any, target: Report, resources: Path, charts: Any) -> None:
    from perfkit.report.exporters import export_html, export_pdf

    pdf = export_pdf(node, resources_dir=resources, charts=charts)
    page = export_html(node, resources_dir=resources)
    # both are made before either replaces what was there
    _replace(target.pdf, pdf)
    _replace(target.html, page.encode())


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise ReportError(f"{path}: {problem.strerror or problem}") from problem


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ReportError(f"{out}: {problem.strerror or problem}") from problem


@contextlib.contextmanager
def _asked_date(date: str | None) -> Iterator[None]:
    if date is None:
        yield
        return
    parse_date(date)
    before = os.environ.get(DATE_VARIABLE)
    os.environ[DATE_VARIABLE] = date
    try:
        yield
    finally:
        os.environ.pop(DATE_VARIABLE)
        if before is not None:
            os.environ[DATE_VARIABLE] = before


def _outcome(node: Any) -> str | None:
    """The worst outcome over the verdicts shown."""
    found = notebooks.outcomes(node)
    for outcome in ("fail", "not judged", "pass"):
        if outcome in found:
            return outcome
    return None


class Lines:
    """A text stream that writes whole lines only, as the kernel's output comes in pieces."""

    def __init__(self, stream: TextIO = sys.stderr):
        self._stream, self._rest = stream, ""

    def write(self, text: str) -> int:
        """Keep the text until its line is whole."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._stream.write(line + "\n")
        return len(text)

    def flush(self) -> None:
        """Flush what is whole."""
        self._stream.flush()
