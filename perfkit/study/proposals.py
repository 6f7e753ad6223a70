"""A study file proposed from what lies in folders, files and archives."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perfkit.core.archives import plain_name
from perfkit.core.errors import StudyError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.keys import rows_by
from perfkit.core.values import escape_markdown
from perfkit.study.survey import LeftOut, Piece, Survey, survey

if TYPE_CHECKING:
    from perfkit.sources.source import Source

_LOAD_IN_NAME = {
    "iodepth": r"(?:qd|iodepth|depth)[-_]?(\d+)",
    "numjobs": r"(?:nj|numjobs|jobs)[-_]?(\d+)",
    "threads": r"(?:threads|thr|(?<![a-z0-9])t)[-_]?(\d+)",
}
"""How people write a load point into a file's name."""

_REPEAT_IN_NAME = r"[-_](?:r|rep|run|repeat)[-_]?(\d+)"

_NAMED = 3
"""Files, or systems, that a line names; of more it gives the number."""

_REASONS = 8
"""Reasons of unreadable files that are told line by line; the study file has them all."""

_STAMP = "# Proposed by perfkit from the evidence, "
"""Begins the first line of a proposal; the hash of the lines below it follows."""


@dataclass(frozen=True)
class Found:
    """Files of one kind in one folder, and what their names tell."""

    source: Source
    files: tuple[str, ...]
    count: int
    labels: dict[str, str]
    load: tuple[str, str] | None
    repeat: str | None


@dataclass(frozen=True)
class Proposal:
    """A study file for evidence, and what is to be said of it.

    Attributes:
        base: The folder that all of the evidence lies in.
        text: Of the file.
        told: What was taken for what, and what was left out, a line each.
    """

    base: Path
    text: str
    told: tuple[str, ...]


def propose(places: Path | Sequence[Path], home: Path | None = None) -> Proposal:
    """Look at evidence and propose a study file for it, whose folder is ``home``.

    Labels come from the names of folders: the first below what was given is the system's, the
    others are its configuration's; what lies in none has the name of what was given. Loads and
    repeats are taken from file names where all of a folder carry one and the files do not say it
    themselves. What is no evidence, or cannot be read, is left out and told. ``home`` is by default
    the folder that all of it lies in.

    Raises StudyError where nothing of it is evidence that perfkit can read, with the reasons.
    """
    given = [places] if isinstance(places, Path) else list(places)
    seen = survey(given)
    if not seen.pieces:
        raise _nothing(given, seen)
    found = list(_groups(seen))
    folder = os.path.relpath(seen.base, home.resolve()) if home else "."
    title = f"Storage performance: {' '.join(seen.name.split())}"
    lines = [
        "# Look at the labels, the title and the criteria.",
        "format: 1",
        "report:",
        f"  title: {_quoted(title)}",
        "  authors: []",
        *_abstract(seen.left_out),
        *([f"folder: {_quoted(folder)}"] if folder != "." else []),
        "evidence:",
        *(line for item in found for line in _entry(item)),
        *(f"# {line}" for line in _left_out(seen.left_out, whole=True)),
        *_criteria(found),
        *_notebook(found),
    ]
    return Proposal(seen.base, stamped(lines), (_taken(found), *_left_out(seen.left_out)))


def _nothing(places: Sequence[Path], seen: Survey) -> StudyError:
    """Why there is nothing to report on: of one file its own reason, else that of each."""
    if len(seen.left_out) == 1 and seen.left_out[0].reason and not seen.whole:
        return StudyError(places[0], seen.left_out[0].reason)
    told = [line.removeprefix("left out: ") for line in _left_out(seen.left_out)]
    words = "; ".join(told) or "it is empty"
    return StudyError(places[0], f"nothing that perfkit can read as evidence: {words}")


def stamped(lines: Sequence[str]) -> str:
    """The lines as a file whose first line has the hash of the others."""
    text = "\n".join(lines) + "\n"
    return f"{_STAMP}{sha256_bytes(text.encode())[:16]}\n{text}"


def is_untouched(text: str) -> bool:
    """Whether a study file is a proposal as perfkit wrote it: nobody's work is in it."""
    first, _, rest = text.partition("\n")
    return first == f"{_STAMP}{sha256_bytes(rest.encode())[:16]}"


def _groups(seen: Survey) -> Iterator[Found]:
    """The files of one kind in one folder; several runs in one folder each by itself."""
    of_kind = rows_by(seen.pieces, lambda piece: (piece.source.name, piece.name.parent))
    for pieces in of_kind.values():
        runs = len(pieces) > 1 and pieces[0].is_folder
        for group in [[piece] for piece in pieces] if runs else [pieces]:
            folder = group[0].name if runs else group[0].name.parent
            load, repeat = _from_names(group)
            files = tuple(_patterns(seen, group))
            yield Found(group[0].source, files, len(group), _labels(seen, folder), load, repeat)


def _patterns(seen: Survey, group: Sequence[Piece]) -> Iterator[str]:
    """A pattern for each ending, or the names where it would take other files too."""
    folder, own = group[0].name.parent, {piece.name.name for piece in group}
    for ending, pieces in rows_by(group, lambda piece: piece.name.suffix).items():
        pattern = f"*{glob.escape(ending)}"
        taken = {name for name in seen.names[folder] if fnmatchcase(name, pattern)}
        names = [glob.escape(piece.name.name) for piece in pieces]
        # what lies beside a folder that was given was not looked at
        short = seen.whole and taken <= own and not group[0].is_folder
        place = glob.escape(folder.as_posix())
        for name in [pattern] if short else names:
            yield name if place == "." else f"{place}/{name}"


def _labels(seen: Survey, folder: PurePosixPath) -> dict[str, str]:
    # folders of one name below two systems hold two systems' files: no part of the path is lost
    inside = folder.is_relative_to(seen.start)
    system, *rest = (folder.relative_to(seen.start) if inside else folder).parts or (seen.name,)
    config = {"config": "/".join(rest)} if rest else {}
    return {"system": plain_name(system), **config}


def _from_names(group: Sequence[Piece]) -> tuple[tuple[str, str] | None, str | None]:
    """Where the load and the repeat stand in all names of a group; None: in none, or not clearly.

    Files that state a load themselves are believed, and a name with two numbers has no one load.
    """
    names = [piece.name.name for piece in group]
    loads = [
        (kind, pattern)
        for kind, pattern in _LOAD_IN_NAME.items()
        if all(re.search(pattern, name) for name in names)
    ]
    clear = len(loads) == 1 and "load_points" in group[0].source.tables
    known = any(piece.has_load for piece in group)
    repeat = all(re.search(_REPEAT_IN_NAME, name) for name in names)
    return loads[0] if clear and not known else None, _REPEAT_IN_NAME if repeat else None


def _entry(item: Found) -> list[str]:
    count = f"{item.count} file{'' if item.count == 1 else 's'}"
    if len(item.files) == 1:
        lines = [f"  - files: {_quoted(item.files[0])}  # {count}"]
    else:
        lines = [f"  - files:  # {count}", *(f"      - {_quoted(name)}" for name in item.files)]
    labels = ", ".join(f"{name}: {_quoted(value)}" for name, value in item.labels.items())
    lines += [f"    kind: {item.source.name}", f"    labels: {{{labels}}}"]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {_quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {_quoted(item.repeat)}")
    return lines


def _criteria(found: Sequence[Found]) -> list[str]:
    names = dict.fromkeys(item.source.criteria for item in found if item.source.criteria)
    if names:
        return ["criteria:", *(f"  - set: {name}" for name in names)]
    return [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]


def _notebook(found: Sequence[Found]) -> list[str]:
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


def _taken(found: Sequence[Found]) -> str:
    """What was taken for what, in one line."""
    kinds = rows_by(found, lambda item: item.source.description)
    counted = [f"{sum(item.count for item in items):,} x {kind}" for kind, items in kinds.items()]
    systems = list(dict.fromkeys(item.labels["system"] for item in found))
    word = "system" if len(systems) == 1 else "systems"
    return f"taken: {'; '.join(counted)}; {word} {_listed(systems)}"


def _left_out(files: Sequence[LeftOut], *, whole: bool = False) -> list[str]:
    """A line for what is no evidence, and one for each reason why others cannot be read."""
    lines = []
    by_reason = rows_by(files, lambda item: item.reason)
    for reason, items in by_reason.items():
        names = [" ".join(str(item.name).split()) for item in items]
        count = "" if len(names) == 1 else f"{len(names):,} files: "
        listed = ", ".join(names) if whole else _listed(names)
        why = f": {' '.join(reason.split())}" if reason else " (no evidence)"
        lines.append(f"left out: {count}{listed}{why}")
    lines.sort(key=lambda line: not line.endswith("(no evidence)"))
    if whole or len(lines) <= _REASONS:
        return lines
    return [*lines[:_REASONS], f"left out: {len(lines) - _REASONS:,} more, for other reasons"]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _abstract(files: Sequence[LeftOut]) -> list[str]:
    """The report says on its first page what could not be read."""
    told = _left_out([item for item in files if item.reason])
    if not told:
        return []
    text = "; ".join(line.removeprefix("left out: ") for line in told)
    return [f"  abstract: {_quoted(escape_markdown(f'Files that could not be read: {text}.'))}"]


def _quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special; else as JSON has it."""
    if not text.isprintable():
        return json.dumps(text)
    return "'" + text.replace("'", "''") + "'"
