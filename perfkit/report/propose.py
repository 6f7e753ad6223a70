"""A study file proposed from the evidence that lies in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perfkit.errors import ParseError, StudyError
from perfkit.report.labelled import RUN_FILE

_LOAD_IN_NAME = {
    "iodepth": r"(?:qd|iodepth|depth)[-_]?(\d+)",
    "numjobs": r"(?:nj|numjobs|jobs)[-_]?(\d+)",
    "threads": r"(?:threads|thr)[-_]?(\d+)",
}
"""How people write a load point into a file's name."""

_REPEAT_IN_NAME = r"[-_](?:r|rep|run|repeat)[-_]?(\d+)"

NOTEBOOKS = {
    "fio": "fio_results",
    "perfkit-run": "fio_results",
    "awr": "oracle",
    "statspack": "oracle",
}
"""The notebook that reports on evidence of a kind."""

_SKIPPED = {".yml", ".yaml", ".md", ".ipynb", ".pdf"}


@dataclass(frozen=True)
class Found:
    """Files of one kind in one folder, and what their names tell."""

    kind: str
    glob: str
    count: int
    load: tuple[str, str] | None
    repeat: str | None


def propose(folder: Path) -> str:
    """The text of a study file for the evidence below a folder.

    Every evidence entry has a ``system`` label, from the name of the files' folder, to be looked
    at by the user; load points and repeats are taken from file names where all of them carry one.

    Raises StudyError when the folder is missing or holds no evidence that perfkit reads.
    """
    if not folder.is_dir():
        raise StudyError(folder, "there is no such folder")
    found = list(_look(folder))
    if not found:
        raise StudyError(folder, "no file in it is evidence that perfkit reads")
    name = folder.resolve().name
    notebook = next((NOTEBOOKS[item.kind] for item in found if item.kind in NOTEBOOKS), None)
    lines = [
        "# Proposed by perfkit study new: look at the labels, the title and the criteria.",
        "report:",
        f"  title: {_quoted(f'Storage performance: {name}')}",
        "  authors: []",
        "evidence:",
    ]
    for item in found:
        lines += _entry(item, folder)
    lines += [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]
    if notebook is not None:
        lines.append(f"notebook: {notebook}")
    return "\n".join(lines) + "\n"


def _look(folder: Path) -> Iterator[Found]:
    """Every group of files of one kind, folder and ending."""
    from perfkit.parsers import kind_of

    groups: dict[tuple[str, str], list[Path]] = {}
    for path in _candidates(folder):
        try:
            kind = kind_of(path)
        except ParseError:
            continue
        glob = (path.relative_to(folder).parent / f"*{path.suffix}").as_posix()
        groups.setdefault((kind, glob), []).append(path)
    for (kind, glob), paths in groups.items():
        names = [path.name for path in paths]
        loads = [
            (load, pattern)
            for load, pattern in _LOAD_IN_NAME.items()
            if all(re.search(pattern, name) for name in names)
        ]
        repeat = all(re.search(_REPEAT_IN_NAME, name) for name in names)
        yield Found(
            kind, glob, len(paths), loads[0] if loads else None, _REPEAT_IN_NAME if repeat else None
        )


def _candidates(folder: Path) -> Iterator[Path]:
    """Files that may be evidence, and run directories as one piece each, in order of name."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.suffix in _SKIPPED:
            continue
        if path.is_dir() and not (path / RUN_FILE).is_file():
            yield from _candidates(path)
        else:
            yield path


def _entry(item: Found, folder: Path) -> list[str]:
    parent = Path(item.glob).parent
    system = folder.resolve().name if parent == Path() else parent.name
    lines = [
        f"  - files: {_quoted(item.glob)}  # {item.count} files",
        f"    kind: {item.kind}",
        f"    labels: {{system: {_quoted(system)}}}",
    ]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {_quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {_quoted(item.repeat)}")
    return lines


def _quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special."""
    return "'" + text.replace("'", "''") + "'"
