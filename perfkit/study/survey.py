"""What lies in folders, files and archives: which of it is evidence, of which kind, what is not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from perfkit.core.archives import home_of, opened, plain_name
from perfkit.core.errors import ParseError, PerfkitError, UnknownKindError
from perfkit.core.places import user_path
from perfkit.core.units import MIB

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading
    from perfkit.sources.source import Source

NEVER = {".yml", ".yaml", ".md", ".ipynb", ".pdf", ".png", ".svg", ".jpg", ".xlsx", ".parquet"}
"""Endings of studies, documents and reports: taken only where they are named one by one."""

_OURS = b'<meta name="generator" content="perfkit">'
"""How a report of perfkit's own says in its head what it is."""

_HEAD_BYTES = 4096

_TRIED_BYTES = 256 * MIB
"""Larger files are first read by the report."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or the folder of one run, that is evidence and can be read.

    Attributes:
        name: Its path below the survey's base, as its user knows it.
        source: Its kind.
        is_folder: Whether it is the folder of one run.
        has_load: Whether it says itself at which loads its load points were measured.
    """

    name: PurePosixPath
    source: Source
    is_folder: bool
    has_load: bool


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not taken; ``reason`` is None where it is simply no evidence."""

    name: PurePosixPath
    reason: str | None = None


@dataclass(frozen=True)
class Survey:
    """What was found.

    Attributes:
        base: The folder below which all of it lies.
        start: The part of each name that was asked for: of a folder or archive below ``base``.
        name: What all of it is called: the file, folder or archive that was given.
        whole: Whether all that was given are folders and archives, not files by name.
        pieces: What is evidence, in order of name.
        left_out: What is not, or cannot be read.
    """

    base: Path
    start: PurePosixPath
    name: str
    whole: bool
    pieces: tuple[Piece, ...]
    left_out: tuple[LeftOut, ...]

    @cached_property
    def names(self) -> dict[PurePosixPath, list[str]]:
        """All that was met, by folder: what a pattern for the names in it would take."""
        found: dict[PurePosixPath, list[str]] = {}
        for name in [item.name for item in self.pieces] + [item.name for item in self.left_out]:
            found.setdefault(name.parent, []).append(name.name)
        return found


def survey(places: Sequence[Path]) -> Survey:
    """Look at folders, files and archives; each file that perfkit knows is read once.

    Raises ParseError for an archive that is damaged or refused.
    """
    base = _base(places)
    found: dict[PurePosixPath, Piece | LeftOut] = {}
    for place in places:
        for path, problem in _candidates(opened(place), set()):
            name = PurePosixPath(os.path.relpath(_known(path), base))
            if name not in found:
                given = not opened(place).is_dir()
                found[name] = LeftOut(name, problem) if problem else _looked_at(path, name, given)
    start, called = _start(places, base)
    return Survey(
        base, start, called, all(opened(place).is_dir() for place in places),
        tuple(item for item in found.values() if isinstance(item, Piece)),
        tuple(item for item in found.values() if isinstance(item, LeftOut)),
    )  # fmt: skip


def _known(path: Path) -> Path:
    """The path as its user knows it, absolute; a link keeps its own name."""
    return user_path(path.parent.resolve() / path.name)


def _is_one(path: Path) -> bool:
    from perfkit.sources import is_folder_of_evidence

    return not path.is_dir() or is_folder_of_evidence(path)


def _base(places: Sequence[Path]) -> Path:
    """The folder that was given, or that what was given lies in; of several the one they share."""
    homes = [home_of(place) for place in places]
    own = [
        home.parent if home == place.resolve() and _is_one(home) else home
        for place, home in zip(places, homes, strict=True)
    ]
    return own[0] if len(own) == 1 else Path(os.path.commonpath(own))


def _start(places: Sequence[Path], base: Path) -> tuple[PurePosixPath, str]:
    if len(places) > 1:
        return PurePosixPath(), base.name
    path, known = opened(places[0]), _known(places[0].resolve())
    if path.is_file():
        return PurePosixPath(), known.name.split(".")[0] or known.name
    below = PurePosixPath(os.path.relpath(known, base))
    return PurePosixPath() if _is_one(path) else below, plain_name(known.name)


Candidate: TypeAlias = tuple[Path, str | None]
"""A path on the disk, and why it cannot be looked at."""


def _candidates(path: Path, met: set[Path]) -> Iterator[Candidate]:
    """The files below a path, and folders of one run as one piece each, in order of name."""
    if not path.exists():
        yield path, "there is no such file or folder"
    elif _is_one(path):
        yield path, None
    elif (real := path.resolve()) not in met:  # else a link that leads back
        met.add(real)
        try:
            found = sorted(item for item in path.iterdir() if not item.name.startswith("."))
        except OSError as problem:
            yield path, f"cannot be read: {problem.strerror}"
            return
        for item in found:
            yield from _inside(item, met)


def _inside(path: Path, met: set[Path]) -> Iterator[Candidate]:
    """What a name in a folder leads to, also in an archive."""
    try:
        inner = opened(path)
    except ParseError as problem:
        yield path, problem.problem
        return
    yield from _candidates(inner, met) if inner.is_dir() else [(inner, None)]


def _looked_at(path: Path, name: PurePosixPath, given: bool) -> Piece | LeftOut:
    """What a file is; it is read, so that no proposal names what cannot be."""
    from perfkit.sources import SOURCES, kind_of

    no_file = not path.is_dir() and not path.is_file()  # a pipe would wait, a link leads nowhere
    if no_file or (path.suffix.lower() in NEVER and not given):
        return LeftOut(name)
    try:
        str(name).encode()
        if _is_our_report(path):
            return LeftOut(name)
        source = SOURCES[kind_of(path)]
        return Piece(name, source, path.is_dir(), _has_load(source, path))
    except (PerfkitError, OSError, UnicodeEncodeError) as problem:
        return LeftOut(name, _reason(problem))


def _reason(problem: Exception) -> str | None:
    """Why a file cannot be read, without its name; None: it is of no kind that perfkit knows."""
    if isinstance(problem, UnknownKindError):
        return None
    if isinstance(problem, ParseError):
        return ("" if problem.line is None else f"line {problem.line}: ") + problem.problem
    if isinstance(problem, OSError):
        return f"cannot be read: {problem.strerror or problem}"
    return "its name is not UTF-8 text" if isinstance(problem, ValueError) else str(problem)


def _is_our_report(path: Path) -> bool:
    if path.suffix.lower() != ".html":
        return False
    with path.open("rb") as file:
        return _OURS in file.read(_HEAD_BYTES)


def _has_load(source: Source, path: Path) -> bool:
    """Reads it; whether its load points have their load.

    Raises what its reader raises.
    """
    if path.is_file() and path.stat().st_size > _TRIED_BYTES:
        return False
    reading: Reading = source.read(path)
    points = reading.get("load_points")
    return points is not None and points.frame["load_kind"].null_count() < len(points)
