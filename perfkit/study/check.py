"""The mistakes of a study that show before its notebook runs, found in one pass."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from perfkit.core.errors import AnalysisError, PerfkitError, did_you_mean
from perfkit.core.evidence import label
from perfkit.sources import SOURCES, kind_of
from perfkit.study.evidence import labels_of
from perfkit.study.file import EvidenceFiles
from perfkit.study.opening import notebook_of
from perfkit.study.study import Study
from perfkit.study.sweeps import SAID_OF_SWEEPS

_SAY = re.compile(r"\{\{\s*say\s+([^}\s]+)\s*\}\}")


def mistakes(study: Study) -> list[str]:
    """Every mistake of a study that shows without running it, a line each; empty for none.

    Looked at are the front matter with its pictures, the notebook, the files of every entry of
    ``evidence`` with their kinds and what their names must tell, and the sentences that prose asks
    for.
    """
    found: list[str] = [line for part in study.parts for line in mistakes(part)]
    if study.parts:
        return found
    for check in (_front, _evidence, _jobs, _sentences):
        try:
            found += check(study)
        except PerfkitError as problem:
            found += lines_of(problem)
    return list(dict.fromkeys(found))


def lines_of(problem: PerfkitError) -> list[str]:
    """The mistakes that an error tells, a line each."""
    return [line.strip() for line in str(problem).splitlines()]


def _front(study: Study) -> list[str]:
    study.front()
    return []


def _evidence(study: Study) -> list[str]:
    return [line for entry in study.model.evidence for line in _entry(study, entry)]


def _entry(study: Study, entry: EvidenceFiles) -> Iterator[str]:
    """The mistakes of one entry: no file, or files whose name or kind does not fit."""
    try:
        paths = study.files(entry)
    except PerfkitError as problem:
        yield from lines_of(problem)
        return
    for path in paths:
        try:
            labels_of(study.path, entry, path)
            told = _other_kind(entry, path)
            if told:
                yield f"{study.path}: evidence: {told}"
        except PerfkitError as problem:
            yield from lines_of(problem)


def _other_kind(entry: EvidenceFiles, path: Path) -> str | None:
    """What is wrong with the kind that an entry says; a kind may read what others read, too."""
    if entry.kind is None:
        kind_of(path)
    elif entry.kind not in SOURCES:
        return f"no kind {entry.kind!r}; {did_you_mean(entry.kind, list(SOURCES))}"
    return None


def _jobs(study: Study) -> list[str]:
    """Logs that the job table does not know, or gives no class: one for each reason."""
    table = study.model.jobs
    if table is None:
        return []
    found: dict[str, str] = {}
    for entry in study.model.evidence:
        if not (entry.kind in SOURCES and "steps" in SOURCES[entry.kind].tables):
            continue
        for path in study.files(entry):
            try:
                table.job(label(path, study.folder))
            except AnalysisError as problem:
                # the same of every log of a test is said of the first
                _, _, reason = str(problem).partition(": ")
                found.setdefault(reason, f"{study.path}: jobs: {problem}")
    return list(found.values())


def _sentences(study: Study) -> list[str]:
    """Sentences that prose asks for, and that no cell of the notebook can give.

    Only of a study that measures: of any other the notebook itself tells. Which sentences there
    are of a question depends on the data, so that the beginning of an id has to fit.
    """
    if study.model.run is None or any(not _is_measured(entry) for entry in study.model.evidence):
        return []
    known = _ids(notebook_of(study)) | set(SAID_OF_SWEEPS)
    return [
        f"{place}: {{{{say {name}}}}}: the notebook makes no such statement{_near(name, known)}"
        for place, text in _prose(study)
        for name in _SAY.findall(text)
        if not any(name == one or name.startswith(f"{one}-") for one in known)
    ]


def _near(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _is_measured(entry: EvidenceFiles) -> bool:
    """Whether an entry's files are more than copied figures, whose sentences name themselves."""
    return not (entry.kind in SOURCES and SOURCES[entry.kind].is_copied)


def _prose(study: Study) -> Iterator[tuple[str, str]]:
    """The texts of a study that may ask for sentences, each with its place."""
    yield f"{study.path}: report.abstract", study.model.report.abstract or ""
    for path in (*study.model.sections.before, *study.model.sections.after):
        yield str(path), (study.dir / path).read_text(encoding="utf-8")
    for text in _cells(notebook_of(study), "markdown"):
        yield notebook_of(study).name, text


def _ids(notebook: Path) -> set[str]:
    """Ids that statements of a notebook may have: of questions, of sentences, and its own."""
    from perfkit.showing.statements.run import HOST
    from perfkit.showing.statements.say import templates
    from perfkit.showing.statements.verdicts import SUMMARY

    asked = {question.replace("_", "-") for question, _, _ in templates()}
    code = _cells(notebook, "code")
    own = {
        node.value
        for text in code
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {name for name in (*asked, HOST, SUMMARY, *own) if name}


def _cells(notebook: Path, kind: str) -> list[str]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]
