"""Study or notebook in, report out: executed notebook, PDF and HTML, each written whole or not."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from perfkit.core.anonymise import NOTES_VARIABLE, Names
from perfkit.core.errors import ReportError, UsageError
from perfkit.core.files import Json, problems_as, write_whole
from perfkit.core.memory import give_large_blocks_back
from perfkit.core.values import MIME, PLOTLY_MIME, REPORT_ENDINGS
from perfkit.core.verdict import JudgementRecord, missing_purposes, outcome_of, verdicts
from perfkit.reporting.document.outputs import content_hash
from perfkit.reporting.execute import notebook as notebooks
from perfkit.reporting.execute.engine import Prefetch
from perfkit.reporting.execute.kernels import Kernel, starting
from perfkit.reporting.execute.notebook import Stream
from perfkit.study.front_matter import DATE_VARIABLE, parse_date

if TYPE_CHECKING:
    from perfkit.reporting.write.web_parts import Common
    from perfkit.study.study import Study

Say = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """What is to be made: the notebook, its parameters, the folder it runs in, and a name.

    ``study`` is the study that is reported on: its criteria are judged or named as not judged.
    """

    notebook: Path
    parameters: Mapping[str, Any]
    cwd: Path
    name: str
    study: Study | None = None


@dataclass(frozen=True)
class Report:
    """What was made: the files, and the outcome over all verdicts (None: nothing was judged).

    ``missing`` are the answers that the report is made for and does not give, with the reasons.
    """

    notebook: Path
    pdf: Path
    html: Path
    outcome: str | None
    missing: tuple[str, ...] = ()


def job_for(source: Path, parameters: Mapping[str, Any]) -> Job:
    """The job of a study file, a folder with one, or a notebook.

    Raises UsageError for anything else, StudyError and ReportError for what is wrong in it.
    """
    from perfkit.study.opening import STUDY_FILE, notebook_of, open_study

    if source.is_dir():
        source = source / STUDY_FILE
    if source.suffix == ".ipynb":
        folder = source.resolve().parent
        given = _from_here(parameters, folder)
        return Job(source, given, folder, source.stem, _named(source, given, folder))
    if source.suffix not in {".yml", ".yaml"}:
        raise UsageError(f"{source}: neither a study (study.yml) nor a notebook (.ipynb)")
    study = open_study(source)
    parameters = _from_here(parameters, study.dir.resolve())
    # the notebook runs in the study's folder, so that no absolute path is written into it
    if study.parts:
        notebook = _of_parts(study, parameters)
        return Job(notebook, {}, study.dir.resolve(), _name_of(source), study)
    given = {"study": source.name, **study.model.parameters, **parameters}
    return Job(notebook_of(study), given, study.dir.resolve(), _name_of(source), study)


PATHS = frozenset({"study", "target"})
"""Parameters of perfkit's notebooks that are paths, whatever they look like."""


def _from_here(parameters: Mapping[str, Any], folder: Path) -> dict[str, object]:
    """The parameters with paths that are there from the working directory, seen from ``folder``.

    A path has a slash or an ending, so that a system called as some folder stays a name.
    Raises UsageError for one that is there from both and is not the same.
    """
    return {name: _seen_from(name, value, folder) for name, value in parameters.items()}


def _seen_from(name: str, value: Any, folder: Path) -> Any:
    if not isinstance(value, str) or not value.strip() or Path(value).is_absolute():
        return value
    if name not in PATHS and "/" not in value and not Path(value).suffix:
        return value
    try:
        here, there = Path.cwd() / value, folder / value
        if not here.exists() or (there.exists() and there.samefile(here)):
            return value
        both = there.exists()
    except (OSError, ValueError):  # no name of a file
        return value
    if both:
        raise UsageError(
            f"-p {name}={value}: there is one here and one in {folder}; give the whole path"
        )
    return os.path.relpath(here, folder)


def _of_parts(study: Study, parameters: Mapping[str, Any]) -> Path:
    """The notebooks of all parts as one, in a temporary folder that is removed when perfkit ends.

    Each part takes those of the parameters that its notebook has.
    Raises UsageError for one that none of them has.
    """
    from perfkit.reporting.document.parts import part_of
    from perfkit.reporting.execute.quick_nbformat import nbformat
    from perfkit.study.opening import notebook_of

    cells, taken = [], set[str]()
    for own, part in zip(study.model.parts, study.parts, strict=True):
        path = notebook_of(part)
        known = notebooks.parameters_of(path)
        given = {name: value for name, value in parameters.items() if name in known}
        taken |= set(given)
        said = {"study": f"{study.path.name}/{own.name}", **own.parameters, **given}
        notebooks.check_parameters(path, said)
        node = nbformat.read(path, as_version=4)
        cells += part_of(node, own.name, own.title, said)
    unknown = sorted(set(parameters) - taken)
    if unknown:
        raise UsageError(f"-p {unknown[0]}: no notebook of the parts has such a parameter")
    node.cells = cells
    folder = Path(tempfile.mkdtemp(prefix="perfkit-parts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    notebooks.write(node, folder / "parts.ipynb")
    return folder / "parts.ipynb"


def _named(notebook: Path, parameters: Mapping[str, Any], folder: Path) -> Study | None:
    """The study that a notebook is run on by itself: of its parameter, where there is that file."""
    from perfkit.study.opening import open_study

    default = notebooks.parameters_of(notebook).get("study")
    given = parameters.get("study", default.default.strip("'\"") if default else None)
    file = folder / str(given)
    return open_study(file) if given and file.is_file() else None


def _name_of(study: Path) -> str:
    """The report's file name: the study's folder; with a study file of another name, both."""
    from perfkit.study.opening import STUDY_FILE

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
    shared: Path | None = None,
) -> Report:
    """Execute the job's notebook; write ``NAME.ipynb``, ``NAME.pdf``, ``NAME.html`` to ``out``.

    Kernel and Chrome start while this process imports what it needs. Earlier reports stay until the
    new one is whole. ``anonymise`` replaces host names, serial numbers and addresses in all three
    and in their names. ``shared`` is the folder of what the pages of many reports have in common:
    each then holds its own part only.

    Raises ReportError and MissingPartError; what a failing cell leaves: ``notebook.execute``.
    """
    from perfkit.reporting.write.charts import ChartPrinter, find_chrome

    give_large_blocks_back()
    find_chrome()  # before hours of measuring, not after
    clock = time.monotonic()
    with contextlib.ExitStack() as stack:
        hidden = stack.enter_context(hiding()) if anonymise else None
        environment = hidden.environment if hidden else {}
        if date is not None:
            environment[DATE_VARIABLE] = parse_date(date).isoformat()
        # the kernel takes a second to start: what this process needs is imported meanwhile
        kernel = stack.enter_context(starting(job.notebook, job.cwd, environment))
        notebooks.check_parameters(job.notebook, job.parameters)
        with problems_as(ReportError, out):
            out.mkdir(parents=True, exist_ok=True)
        charts = stack.enter_context(ChartPrinter())
        common = _common(shared, out)
        # names are replaced in charts, too, when the notebook has run
        prefetch = Prefetch(None if hidden else charts)
        node, target = _executed(job, out, kernel, hidden, prefetch, say=say, progress=progress)
        say(f"executed {job.notebook.name} in {time.monotonic() - clock:.1f} s")
        clock = time.monotonic()
        _export(node, target, job.cwd, charts, common)
        say(f"typeset in {time.monotonic() - clock:.1f} s")
    missing = tuple(missing_purposes(node))
    return Report(target.notebook, target.pdf, target.html, outcome_of(node), missing)


def _executed(
    job: Job,
    out: Path,
    kernel: Kernel,
    hidden: Hiding | None,
    prefetch: Prefetch,
    *,
    say: Say,
    progress: Stream | None,
) -> tuple[Any, Report]:
    """The executed notebook, written under the name it may have."""
    # which names the file's name may not hold is known only when the readers have run
    first = _target(out, "anonymous" if hidden else job.name)
    node = notebooks.execute(
        job.notebook,
        first.notebook,
        job.parameters,
        cwd=job.cwd,
        progress=progress,
        rewrite=lambda node: _rewritten(node, job, hidden),
        kernel=kernel,
        prefetch=prefetch,
    )
    if hidden is None:
        return node, first
    target = _target(out, hidden.apply(job.name))
    node.metadata.papermill.output_path = target.notebook.name
    notebooks.write(node, target.notebook)
    first.notebook.unlink()
    say(hidden.told())
    return node, target


def _rewritten(node: Any, job: Job, hidden: Hiding | None) -> Any:
    """What is done to an executed notebook before it is written, whole or partial."""
    whole = not any(
        output["output_type"] == "error"
        for cell in node.cells
        for output in cell.get("outputs", [])
    )
    if job.study is not None and whole:
        node = complete(node, job.study, job.notebook.stem)
    return hidden.rewrite(node) if hidden else node


NOT_JUDGED = "Criteria that were not judged"


def judgements(node: Any) -> list[JudgementRecord]:
    """The records of all judgements in an executed notebook."""
    return [item for record in verdicts(node) for item in record["judgements"]]


def complete(node: Any, study: Study, notebook: str) -> Any:
    """The executed notebook with a verdict on those criteria of the study that it did not judge.

    Raises StudyError for a subject that is meant to fail and that no criterion was applied to.
    """
    from perfkit.reporting.execute.quick_nbformat import nbformat
    from perfkit.study.demands import not_judged

    verdict = not_judged(study, judgements(node), notebook)
    if verdict is None:
        return node
    make = nbformat.v4
    texts = [cell.source for cell in node.cells if cell.cell_type == "markdown"]
    chapters = [line for text in texts for line in text.splitlines() if line.startswith("# ")]
    # a single one is the notebook's title
    level = "#" if len(chapters) > 1 else "##"
    data = verdict._repr_mimebundle_()
    shown = make.new_code_cell("", outputs=[make.new_output("display_data", data)])
    node.cells += [make.new_markdown_cell(f"{level} {NOT_JUDGED}"), shown]
    return node


def _target(out: Path, name: str) -> Report:
    executed, pdf, page = (out / f"{name}{ending}" for ending in REPORT_ENDINGS)
    return Report(executed, pdf, page, outcome=None)


def _common(shared: Path | None, out: Path) -> Common | None:
    """What the page has in common with others, in its folder; None: it is packed into the page."""
    from perfkit.reporting.write import web_parts

    if shared is None:
        web_parts.packing()
        return None
    with problems_as(ReportError, shared):
        return web_parts.shared(shared, Path(os.path.relpath(shared, out)).as_posix())


def _export(node: Any, target: Report, resources: Path, charts: Any, common: Common | None) -> None:
    from perfkit.reporting.write.exporters import export_both

    warn = logging.getLogger("perfkit").warning
    name = target.pdf.stem
    pdf, page = export_both(
        node, resources_dir=resources, charts=charts, warn=warn, name=name, common=common
    )
    # both are made before either replaces what was there
    for path, content in ((target.pdf, pdf), (target.html, page.encode())):
        with problems_as(ReportError, path):
            write_whole(path, content)


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


# --- an executed notebook without the names of hosts, serial numbers and addresses -------------

_HASHED = ("figure", "table", "statement", "verdict", "findings")


class Hiding:
    """One report's names: noted while its notebook runs, replaced in what it leaves behind."""

    def __init__(self, notes: Path):
        self._notes = notes
        self.names: Names | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What makes a kernel write down the names."""
        return {NOTES_VARIABLE: str(self._notes)}

    def rewrite(self, node: Any) -> Any:
        """The notebook with every text replaced; values are hashed anew over what they show now.

        The hashes of evidence and steps stay: they are of the files and tables as they were.
        """
        from perfkit.reporting.execute.quick_nbformat import nbformat

        names = self.names = Names.noted(self._notes)
        hidden = names.apply_json(json.loads(json.dumps(node)))
        for cell in hidden["cells"]:
            for output in cell.get("outputs", []):
                _hash_anew(output.get("data", {}))
        return nbformat.from_dict(hidden)

    def apply(self, text: str) -> str:
        """A text with the same words, for file names; the notebook must have run."""
        return self.names.apply(text) if self.names else text

    def told(self) -> str:
        """How many things of each kind were replaced, in words."""
        counts = self.names.counts() if self.names else {}
        plural = {kind: f"{kind}{'es' if kind.endswith('s') else 's'}" for kind in counts}
        said = [f"{n} {kind if n == 1 else plural[kind]}" for kind, n in counts.items()]
        return f"anonymised: {', '.join(said) or 'no name was found'}"


@contextlib.contextmanager
def hiding() -> Iterator[Hiding]:
    """A place for the names that a kernel's readers meet, while this runs."""
    with tempfile.TemporaryDirectory(prefix="perfkit-") as folder:
        yield Hiding(Path(folder) / "names")


def _hash_anew(data: Json) -> None:
    for kind in _HASHED:
        record = data.get(MIME[kind])
        if record is not None:
            chart = data.get(PLOTLY_MIME, {})
            more = {k: v for k, v in chart.items() if k != "config"} if kind == "figure" else None
            record["sha256"] = content_hash(record, more)
