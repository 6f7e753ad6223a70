"""A study file proposed from the evidence that lies in a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.archives import home_of, opened, plain_name
from perfkit.core.errors import ParseError, StudyError
from perfkit.core.places import user_path

if TYPE_CHECKING:
    from perfkit.sources.source import Source

_LOAD_IN_NAME = {
    "iodepth": r"(?:qd|iodepth|depth)[-_]?(\d+)",
    "numjobs": r"(?:nj|numjobs|jobs)[-_]?(\d+)",
    "threads": r"(?:threads|thr|(?<![a-z0-9])t)[-_]?(\d+)",
}
"""How people write a load point into a file's name."""

_REPEAT_IN_NAME = r"[-_](?:r|rep|run|repeat)[-_]?(\d+)"

_SKIPPED = {".yml", ".yaml", ".md", ".ipynb", ".pdf"}


@dataclass(frozen=True)
class Found:
    """Files of one kind in one folder, and what their names tell."""

    source: Source
    glob: str
    count: int
    load: tuple[str, str] | None
    repeat: str | None


def propose(folder: Path) -> str:
    """The text of a study file for the evidence below a folder, and in the archives there.

    For an archive itself it is that of a study file beside it.
    Every evidence entry has labels from the names of the files' folders, the first the system's,
    to be looked at by the user; load points and repeats are taken from file names where all of
    them carry one. The notebook is the one that reports on the first kind that has one.

    Raises StudyError when the folder is missing or holds no evidence that perfkit reads.
    """
    place, base = opened(folder).resolve(), home_of(folder)
    if not place.is_dir():
        raise StudyError(folder, "there is no such folder")
    found = list(_look(place, base))
    if not found:
        raise StudyError(folder, "no file in it is evidence that perfkit reads")
    lines = [
        "# Proposed by perfkit study new: look at the labels, the title and the criteria.",
        "format: 1",
        "report:",
        f"  title: {_quoted(f'Storage performance: {plain_name(folder.resolve().name)}')}",
        "  authors: []",
        "evidence:",
        *(line for item in found for line in _entry(item, user_path(place), base)),
        *_criteria(found),
        *_notebook(found),
    ]
    return "\n".join(lines) + "\n"


def _criteria(found: list[Found]) -> list[str]:
    names = dict.fromkeys(item.source.criteria for item in found if item.source.criteria)
    if names:
        return ["criteria:", *(f"  - set: {name}" for name in names)]
    return [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]


def _notebook(found: list[Found]) -> list[str]:
    """The notebook that reports on the first kind that has one.

    Where several sets of files are each over load points, it is the one that compares them.
    """
    chosen = next((item.source for item in found if item.source.notebook), None)
    if chosen is None:
        kinds = dict.fromkeys(item.source.name for item in found)
        return [
            f"# No notebook of perfkit's reports on {' and '.join(kinds)} alone.",
            "# notebook: yours.ipynb",
        ]
    loaded = [item.source.notebook_of_loads for item in found if item.load]
    compared = [name for name in loaded if name]
    if len(compared) > 1:
        return [f"notebook: {compared[0]}"]
    return [f"notebook: {chosen.notebook}", *filter(None, [chosen.study_lines])]


def _look(place: Path, base: Path) -> Iterator[Found]:
    """Every group of files of one kind, folder and ending, by their names below ``base``."""
    from perfkit.sources import SOURCES, kind_of

    kinds: dict[Path, str | None] = {}
    for path in _candidates(place):
        try:
            kinds[path] = kind_of(path)
        except ParseError:
            kinds[path] = None
    of_pattern: dict[str, set[str | None]] = {}
    for path, found in kinds.items():
        of_pattern.setdefault(_pattern(path, base), set()).add(found)
    groups: dict[tuple[str, str], list[Path]] = {}
    for path, found in kinds.items():
        pattern = _pattern(path, base)
        # a pattern that would take files of another kind too is no name for these
        name = _below(path, base).as_posix() if len(of_pattern[pattern]) > 1 else pattern
        if found is not None:
            groups.setdefault((found, name), []).append(path)
    for (kind, glob), paths in groups.items():
        names = [path.name for path in paths]
        # what states its own loads, or has none, needs no load from its name
        named = "load_points" in SOURCES[kind].tables and not SOURCES[kind].grid
        loads = [
            (load, pattern)
            for load, pattern in _LOAD_IN_NAME.items()
            if named and all(re.search(pattern, name) for name in names)
        ]
        repeat = all(re.search(_REPEAT_IN_NAME, name) for name in names)
        yield Found(
            SOURCES[kind],
            glob,
            len(paths),
            loads[0] if loads else None,
            _REPEAT_IN_NAME if repeat else None,
        )


def _pattern(path: Path, base: Path) -> str:
    return (_below(path, base).parent / f"*{path.suffix}").as_posix()


def _below(path: Path, base: Path) -> Path:
    return user_path(path).relative_to(base)


def _candidates(folder: Path) -> Iterator[Path]:
    """Files that may be evidence, and folders of one run as one piece each, in order of name."""
    from perfkit.sources import is_folder_of_evidence

    for found in sorted(folder.iterdir()):
        if found.name.startswith(".") or found.suffix in _SKIPPED:
            continue
        path = opened(found)
        if path.is_dir() and not is_folder_of_evidence(path):
            yield from _candidates(path)
        else:
            yield path


def _entry(item: Found, folder: Path, base: Path) -> list[str]:
    # folders of one name below two systems hold two systems' files: no part of the path is lost
    below = Path(item.glob).parent.relative_to(folder.relative_to(base))
    system, *rest = below.parts or (folder.name,)
    system = plain_name(system)
    config = f", config: {_quoted('/'.join(rest))}" if rest else ""
    count = f"{item.count} file{'' if item.count == 1 else 's'}"
    lines = [
        f"  - files: {_quoted(item.glob)}  # {count}",
        f"    kind: {item.source.name}",
        f"    labels: {{system: {_quoted(system)}{config}}}",
    ]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {_quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {_quoted(item.repeat)}")
    return lines


def _quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special."""
    return "'" + text.replace("'", "''") + "'"
