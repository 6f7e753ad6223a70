"""What folders, files and archives contain: evidence by its kind, and what is none."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

import polars as pl

from perfkit.core.archives import home_of, opened, plain_name
from perfkit.core.errors import ParseError, PerfkitError, UnknownKindError
from perfkit.core.keys import rows_by
from perfkit.core.places import user_path
from perfkit.core.schema import KEYS
from perfkit.core.units import MIB
from perfkit.sources import SOURCES, is_folder_of_evidence, kind_of, read
from perfkit.sources.source import Source, Turn
from perfkit.study.series import ReadFile

_DOCUMENTS = {".yml", ".yaml", ".md", ".ipynb", ".pdf", ".png", ".svg", ".jpg", ".xlsx", ".parquet"}
_PROGRAMS = {
    ".bat", ".c", ".cc", ".cpp", ".go", ".h", ".hpp", ".java", ".js", ".kt", ".php", ".ps1", ".py",
    ".rb", ".rs", ".scala", ".sh", ".swift", ".ts",
}  # fmt: skip
NEVER = _DOCUMENTS | _PROGRAMS
"""Endings of studies, documents and reports, and of programs, whose tests quote results: taken only
where they are named one by one."""

_OURS = b'<meta name="generator" content="perfkit">'
"""How the head of a report made by perfkit identifies it."""

_HEAD_BYTES = 4096

_TRIED_BYTES = 256 * MIB
"""Larger files are first read by the report."""


_READ_WHOLE = 2
"""Up to so many files are read with all their tables, which a report on one or two needs."""

SECONDS_BETWEEN = 3.0
"""How often a survey that takes long says how far it is."""

Loads: TypeAlias = Literal["all", "some", "none"]
"""Of how many load points the load is known."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, or the folder of one run, that is evidence and can be read.

    Attributes:
        name: Its path below the survey's base, as its user knows it.
        source: Its kind.
        is_folder: Whether it is the folder of one run.
        load: Of how many of its load points it says itself where they stand on a curve; None where
            it has no load points.
        points: What its load points are of: two files with one of them are told apart.
        over_time: Whether it has a table over time.
        facts: What it says of the parts of its source's series key that are not labels: the
            database.
        is_many: Whether it is a folder of several runs whose loads are not known.
        sha256: The hash of its bytes; "" of a file that was not read.
        period: What time of what it reports on; None of a source without such, or not stated.
        size: Of the file, in bytes; 0 of a folder, and of one that was not read.
        turn: What it states of its run, if its name ends in a number: it may be a repeat.
        has_repeats: Whether it numbers repeats itself: a number in a name is none of them.
        loads: What all of its load points have in common of their load: ("iodepth", 16).
    """

    name: PurePosixPath
    source: Source
    is_folder: bool
    load: Loads | None
    points: frozenset[tuple[object, ...]]
    over_time: bool
    facts: tuple[str | None, ...] = ()
    is_many: bool = False
    sha256: str = ""
    period: tuple[str | None, ...] | None = None
    size: int = 0
    turn: Turn | None = None
    has_repeats: bool = False
    loads: frozenset[tuple[str, float]] = frozenset()


COPY = "a copy of another file, which is used"
"""Why a file is left out whose bytes another one has: it is not a measurement of its own."""

SAME_PERIOD = "{other} reports on the same period, and is used"
"""Likewise of a report whose period another one is of: nothing changed from one to the other."""

COUNTED = r"[-_.](\d+)(?=(?:\.[A-Za-z]\w*)*$)"
"""A bare number at the end of a name: what it counts, the files have to say."""

SERIES = 3
"""From so many periods of one thing in a folder on they are a series."""


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
        places: What was given, as paths below ``base``.
        name: What all of it is called: the file, folder or archive that was given.
        whole: Whether all that was given are folders and archives, no files or runs by name.
        pieces: What is evidence, in order of name.
        left_out: What is not, or cannot be read.
    """

    base: Path
    places: tuple[PurePosixPath, ...]
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


def survey(places: Sequence[Path], say: Callable[[str], object] = lambda _: None) -> Survey:
    """Look at folders, files and archives; each file that perfkit knows is read once.

    ``say`` is told how many files have been looked at, every few seconds.

    Raises ParseError for an archive that is damaged or refused.
    """
    base = _base(places)
    found: dict[PurePosixPath, Piece | LeftOut] = {}
    every = (path for place in places for path, _ in candidates(opened(place), set()))
    looked_at = (path for path in every if path.suffix.lower() not in NEVER)
    whole = len(list(islice(looked_at, _READ_WHOLE + 1))) <= _READ_WHOLE
    told = time.monotonic()
    for place in places:
        taken: set[tuple[str, str]] = set()
        before = set(found)
        for path, problem in candidates(opened(place), set()):
            if time.monotonic() - told > SECONDS_BETWEEN:
                say(f"{len(found):,} files looked at so far")
                told = time.monotonic()
            given = not opened(place).is_dir()
            if PurePosixPath(os.path.relpath(_known(path), base)) not in found:
                own = _found(path, base, problem, given=given, whole=whole)
                found |= {name: _once(item, taken) for name, item in own.items()}
        found |= _twice([found[name] for name in found if name not in before])
    return Survey(
        base,
        tuple(PurePosixPath(os.path.relpath(_real(place), base)) for place in places),
        called(places[0]) if len(places) == 1 else base.name,
        not any(_is_one(opened(place)) for place in places),
        tuple(item for item in found.values() if isinstance(item, Piece)),
        tuple(item for item in found.values() if isinstance(item, LeftOut)),
    )


def _once(item: Piece | LeftOut, taken: set[tuple[str, str]]) -> Piece | LeftOut:
    """A piece of measurements, or of one that was ``taken`` already that it is a copy.

    Of a source whose reports make a series, that series says which are copies, with their periods.
    """
    if isinstance(item, LeftOut) or not item.sha256 or item.source.reported.tables_of_series:
        return item
    if not (item.points or item.over_time):
        return item
    key = (item.source.name, item.sha256)
    if key in taken:
        return LeftOut(item.name, COPY)
    taken.add(key)
    return item


def _twice(items: Sequence[Piece | LeftOut]) -> dict[PurePosixPath, LeftOut]:
    """Reports of a period that another is of, too, as by another name, cut off, or as text.

    The largest is taken. Those of a series stay: it says itself which are copies.
    """
    timed = [item for item in items if isinstance(item, Piece) and item.period is not None]
    periods: dict[tuple[object, ...], set[object]] = {}
    for piece in timed:
        periods.setdefault((piece.facts, piece.name.parent), set()).add(piece.period)

    def in_series(piece: Piece) -> bool:
        return len(periods[piece.facts, piece.name.parent]) >= SERIES

    found = {}
    for same in rows_by(
        timed, lambda piece: (piece.source.name, piece.facts, piece.period)
    ).values():
        first = max(same, key=lambda piece: (in_series(piece), piece.size))
        for piece in same:
            if piece is not first and not in_series(piece):
                found[piece.name] = LeftOut(piece.name, SAME_PERIOD.format(other=first.name))
    return found


def called(place: Path) -> str:
    """What a place is called: a folder or archive by its name, a file without its ending."""
    name = _real(place).name
    return plain_name(name) if opened(place).is_dir() else stem(name)


def stem(name: str) -> str:
    """A file's name without its ending; a release in it (``awr_12.2_S.html``) is not an ending."""
    return re.sub(r"(?<=.)(\.[A-Za-z]\w*){1,2}$", "", name)


def _known(path: Path) -> Path:
    """The path as its user knows it, absolute; a link keeps its own name."""
    return user_path(path.parent.resolve() / path.name)


def _real(place: Path) -> Path:
    """A place that was given, as its user knows it; of a folder what a link leads to."""
    path = opened(place)
    return _known(path) if _is_one(path) else user_path(path.resolve())


def _is_one(path: Path) -> bool:
    return not path.is_dir() or is_folder_of_evidence(path)


def _base(places: Sequence[Path]) -> Path:
    """The folder that was given, or that what was given lies in; of several the one they share."""
    homes = []
    for place in places:
        path, home = opened(place), home_of(place)
        is_packed = user_path(path.resolve()) != path.resolve()
        homes.append(path.parent.resolve() if _is_one(path) and not is_packed else home)
    return homes[0] if len(homes) == 1 else Path(os.path.commonpath(homes))


def _found(
    path: Path, base: Path, problem: str | None, *, given: bool, whole: bool
) -> dict[PurePosixPath, Piece | LeftOut]:
    """What a file or the folder of a run is; of a folder that is not of one run, what is in it."""
    name = PurePosixPath(os.path.relpath(_known(path), base))
    item = LeftOut(name, problem) if problem else _looked_at(path, name, given, whole)
    if not (isinstance(item, Piece) and item.is_many):
        return {name: item}
    found: dict[PurePosixPath, Piece | LeftOut] = {}
    for inner, why in _below(path, set()):
        found |= _found(inner, base, why, given=False, whole=whole)
    return found


Candidate: TypeAlias = tuple[Path, str | None]
"""A path on the disk, and why it cannot be looked at."""


def candidates(path: Path, met: set[Path]) -> Iterator[Candidate]:
    """The files below a path, and folders of one run as one piece each, in order of name.

    ``met`` are the folders that were looked into already.
    """
    if not path.exists():
        gone = "a broken link" if path.is_symlink() else "there is no such file or folder"
        yield path, gone
    elif _is_one(path):
        yield path, None
    elif (real := path.resolve()) not in met:  # else a link that leads back
        met.add(real)
        yield from _below(path, met)


def _below(folder: Path, met: set[Path]) -> Iterator[Candidate]:
    """What the names in a folder lead to, in their order."""
    try:
        found = sorted(item for item in folder.iterdir() if not item.name.startswith("."))
    except OSError as problem:
        yield folder, f"cannot be read: {problem.strerror}"
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
    yield from candidates(inner, met)


def _looked_at(path: Path, name: PurePosixPath, given: bool, whole: bool) -> Piece | LeftOut:
    """What a file is; it is read, so that no proposal names what cannot be."""
    try:
        str(name).encode()
        if not may_be_evidence(path, given=given):
            return LeftOut(name)
        source = SOURCES[kind_of(path)]
        return _tried(path, name, source, whole)
    except (PerfkitError, OSError, UnicodeEncodeError) as problem:
        return LeftOut(name, _reason(problem))


def _shared(points: pl.DataFrame) -> frozenset[tuple[str, float]]:
    """The kinds of load, held ones too, of which all points have one number."""
    found = set()
    for names in (("load_kind", "load"), ("held_kind", "held")):
        pairs = points.select(names).unique().rows() if {*names} <= {*points.columns} else []
        found |= {pair for pair in pairs if len(pairs) == 1 and None not in pair}
    return frozenset(found)


def _reason(problem: Exception) -> str | None:
    """Why a file cannot be read, without its name; None: it is of no kind that perfkit knows."""
    if isinstance(problem, UnknownKindError):
        return None
    if isinstance(problem, ParseError):
        return ("" if problem.line is None else f"line {problem.line}: ") + problem.problem
    if isinstance(problem, OSError):
        return f"cannot be read: {problem.strerror or problem}"
    return "its name is not UTF-8 text" if isinstance(problem, ValueError) else str(problem)


def may_be_evidence(path: Path, *, given: bool) -> bool:
    """Whether a file is worth a look; ``given``: it was named itself. Raises OSError."""
    if not path.is_dir() and not path.is_file():  # a pipe would wait, a link leads nowhere
        return False
    return (given or path.suffix.lower() not in NEVER) and not _is_our_report(path)


def _is_our_report(path: Path) -> bool:
    if path.suffix.lower() != ".html":
        return False
    with path.open("rb") as file:
        return _OURS in file.read(_HEAD_BYTES)


def _tried(path: Path, name: PurePosixPath, source: Source, whole: bool) -> Piece:
    """A file, with what it tells when it is read: ``whole``, or those tables that a series needs.

    Raises what its reader raises.
    """
    if path.is_file() and path.stat().st_size > _TRIED_BYTES:
        return Piece(name, source, False, None, frozenset(), bool(source.series))
    few: dict[str, Any] = {}
    if source.chooses and not whole:
        few["tables"] = [source.table, "load_points", *source.reported.tables_of_series]
    reading = read(path, kind=source.name, **few)
    over_time = any(len(reading.get(table, ())) > 0 for table in source.series)
    points = reading.get("load_points")
    one = ReadFile(source.name, reading, {}, {})
    said = (*source.keys.series, *source.keys.history)
    facts = tuple(one.fact(key) for key in said if key not in {*KEYS, "source"})
    times = tuple(one.fact(key) for key in source.keys.period)
    more: dict[str, Any] = {
        "sha256": reading.evidence.sha256,
        "period": times if times and None not in times else None,
        "size": path.stat().st_size if path.is_file() else 0,
        "turn": source.turn(path, reading)
        if source.turn and re.search(COUNTED, path.name)
        else None,
    }
    runs_alone = source.run_table and points is not None and points.frame["load"].is_null().all()
    if points is None or len(points) == 0 or runs_alone:
        is_many = len(reading.get(source.run_table, ())) > 1
        none = frozenset[tuple[object, ...]]()
        return Piece(name, source, path.is_dir(), None, none, over_time, facts, is_many, **more)
    keys = points.frame.select(name for name in KEYS if name in points.frame.columns)
    known = (points.frame["load"].is_not_null() & ~keys.is_duplicated()).sum()
    more["loads"] = _shared(points.frame)
    more["has_repeats"] = "repeat" in keys.columns and keys["repeat"].is_not_null().any()
    load: Loads = "all" if known == len(points) else "some" if known else "none"
    own = frozenset((*facts, *row) for row in keys.rows())
    return Piece(name, source, path.is_dir(), load, own, over_time, facts, **more)
