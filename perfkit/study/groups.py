"""Files found in a survey, as groups of one kind in one folder, with what their names tell."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath

from perfkit.core.archives import plain_name
from perfkit.core.keys import rows_by
from perfkit.sources.source import Source, Turn
from perfkit.study.evidence import name_for
from perfkit.study.survey import COUNTED, Piece, Survey, stem

_NUMBER = r"(\d+)"
_LOAD_IN_NAME = {
    "iodepth": rf"(?:qd|iodepth|depth)[-_]?{_NUMBER}",
    "numjobs": rf"(?:nj|numjobs|jobs)[-_]?{_NUMBER}",
    "threads": rf"(?:threads|thr|(?<![a-z0-9])t)[-_]?{_NUMBER}",
}
"""How people write a load point into a file's name."""

GENERAL = "general"
"""The notebook of what no other reports on."""


@dataclass(frozen=True)
class Found:
    """Files of one kind in one folder, what their names tell, and the notebook they go to.

    ``alike``: so many of them are of one thing (a database) at different times.
    """

    source: Source
    files: tuple[str, ...]
    count: int
    labels: dict[str, str]
    load: tuple[str, str] | None
    repeat: str | None
    notebook: str
    on_curves: bool
    alike: int = 0


PAIR = 2
"""Two reports are set side by side; more are a series."""


def groups(seen: Survey, systems: Sequence[str]) -> Iterator[Found]:
    """The files of one kind in one folder; several runs in one folder each by itself.

    Folders that repeat one another are one folder, of which each file bears its repeat.
    """
    repeats = repeated_folders(seen.pieces)

    def folder_of(piece: Piece) -> PurePosixPath:
        folder = piece.name.parent
        return folder.parent if folder in repeats else folder

    def key(piece: Piece) -> tuple[object, ...]:
        place = _place(seen, piece.name) if systems else None
        known = piece.source.reported.needs_load and piece.load
        return piece.source.name, folder_of(piece), piece.name.parent in repeats, known, place

    of_kind = rows_by(seen.pieces, key)
    found: list[tuple[list[Piece], tuple[str, ...]]] = []
    for pieces in of_kind.values():
        runs = len(pieces) > 1 and pieces[0].is_folder
        for group in [[piece] for piece in pieces] if runs else [pieces]:
            folder = group[0].name if runs else folder_of(group[0])
            own = group[0].name if systems and group[0].name in seen.places else folder
            found.append((group, own.parts))
    named = _without_loads(seen, found)
    for (own_pieces, _), parts in zip(found, named, strict=True):
        in_folders = own_pieces[0].name.parent in repeats
        yield from _told_apart(
            seen, own_pieces, _labels(seen, systems, PurePosixPath(*parts)), in_folders
        )


def _without_loads(
    seen: Survey,
    groups: Sequence[tuple[list[Piece], tuple[str, ...]]],
) -> list[tuple[str, ...]]:
    """The folders of groups, without the loads in their names that make them points of one curve.

    ``iodepth_1/`` and ``iodepth_16/`` are no configurations where their files state those loads. A
    folder keeps its name where none differs from it in its load alone, and what was given its own.
    """
    plain = []
    for group, parts in groups:
        place = _place(seen, PurePosixPath(*parts))
        given = 0 if place is None else len(seen.places[place].parts)
        plain.append((*parts[:given], *(_plain(part, group) for part in parts[given:])))
    keys = [(group[0].source.name, parts) for (group, _), parts in zip(groups, plain, strict=True)]
    loads: dict[object, list[frozenset[tuple[str, float]]]] = {}
    for (group, _), key in zip(groups, keys, strict=True):
        loads.setdefault(key, []).append(frozenset(load for piece in group for load in piece.loads))
    are_curves = {key for key, own in loads.items() if len({*own}) == len(own) > 1}
    return [
        tuple(filter(None, own)) if key in are_curves else parts
        for (_, parts), own, key in zip(groups, plain, keys, strict=True)
    ]


def _plain(part: str, group: Sequence[Piece]) -> str:
    """A folder's name without the loads that all files of a group state."""
    for kind, number in frozenset.intersection(*(piece.loads for piece in group)):
        if words := _LOAD_IN_NAME.get(kind):
            pattern = rf"(?:^|[-_. ])(?:{words.replace(_NUMBER, f'0*{number:g}')})(?![A-Za-z0-9])"
            part = re.sub(pattern, "", part, count=1, flags=re.IGNORECASE)
    return part.strip("-_. ")


def pair(seen: Survey) -> list[Found]:
    """Two reports of one history, wherever each lies, as one group; empty of other evidence."""
    sources = {piece.source.name: piece.source for piece in seen.pieces}
    histories = {piece.facts for piece in seen.pieces}
    of_pair = [source for source in sources.values() if source.reported.of_pair]
    if len(seen.pieces) != PAIR or not len(sources) == len(histories) == len(of_pair) == 1:
        return []
    return list(_told_apart(seen, seen.pieces, {"system": seen.name}, in_folders=False))


def _told_apart(
    seen: Survey, group: Sequence[Piece], labels: dict[str, str], in_folders: bool
) -> Iterator[Found]:
    """The files of a folder; where two state the same load point, their names tell them apart."""
    source = group[0].source
    load, repeat = _from_names(group, in_folders)
    patterns = [pattern for pattern in (load and load[1], repeat) if pattern]
    same = any(_collide(pieces, patterns) for pieces in _alike(group).values())
    # a number that all reports of a database have in their names is not a load of theirs
    load = None if same and source.reported.of_series else load
    on_curves = load is not None or all(piece.load == "all" for piece in group)
    alike = 0 if load else max(Counter(piece.facts for piece in group).values())
    for files, name in _by_name(group, patterns) if on_curves else [(group, None)]:
        config = "/".join(filter(None, (labels.get("config"), name)))
        yield Found(
            source,
            tuple(_patterns(seen, files)),
            len(files),
            {**labels, "config": config} if config else labels,
            load,
            repeat,
            GENERAL if source.reported.needs_load and not on_curves else source.reported.notebook,
            on_curves and any(piece.points for piece in files),
            alike,
        )


def _by_name(
    group: Sequence[Piece], patterns: Sequence[str]
) -> Iterator[tuple[Sequence[Piece], str | None]]:
    """The files whose names are alike but for numbers; each by itself where that does not do."""
    if not _collide(group, patterns):
        yield group, None
        return
    stems, alike = [stem(piece.name.name) for piece in group], _alike(group)
    for name, pieces in alike.items():
        if len(alike) > 1 and name and len(pieces) > 1 and not _collide(pieces, patterns):
            yield pieces, name
        else:
            for piece in pieces:
                own = stem(piece.name.name)
                yield [piece], own if stems.count(own) == 1 else piece.name.name


def _collide(pieces: Sequence[Piece], patterns: Sequence[str]) -> bool:
    """Whether two files are of one load point, with what their names say of load and repeat."""
    found: list[tuple[object, ...]] = []
    for piece in pieces:
        told = [re.search(pattern, name_for(pattern, piece.name)) for pattern in patterns]
        found += {(*point, *(match and match[1] for match in told)) for point in piece.points}
    return len(set(found)) < len(found)


def _alike(group: Sequence[Piece]) -> dict[str, list[Piece]]:
    """The files by their names without the numbers."""
    return rows_by(group, lambda piece: re.sub(r"[-_.]?\d+", "", stem(piece.name.name)))


def _patterns(seen: Survey, group: Sequence[Piece]) -> Iterator[str]:
    """A pattern for each ending, or the names where it would take other files too."""
    own = {piece.name for piece in group}
    alike = rows_by(group, lambda piece: (piece.name.parent, piece.name.suffix))
    for (folder, ending), pieces in alike.items():
        pattern = f"*{glob.escape(ending)}"
        taken = {folder / name for name in seen.names[folder] if fnmatchcase(name, pattern)}
        names = [glob.escape(piece.name.name) for piece in pieces]
        # what lies beside a folder that was given was not looked at
        short = seen.whole and taken <= own and not group[0].is_folder
        place = glob.escape(folder.as_posix())
        for name in [pattern] if short else names:
            yield name if place == "." else f"{place}/{name}"


def _labels(seen: Survey, systems: Sequence[str], folder: PurePosixPath) -> dict[str, str]:
    """The labels that a folder's name gives, or the system that it belongs to."""
    # folders of one name below two systems hold two systems' files: no part of the path is lost
    place = _place(seen, folder) if len(seen.places) == 1 or systems else None
    parts = folder.parts if place is None else folder.parts[len(seen.places[place].parts) :]
    if systems and place is not None:
        system, rest = systems[place], parts
    else:
        system, rest = plain_name((parts or (seen.name,))[0]), parts[1:]
    return {"system": system, **({"config": "/".join(rest)} if rest else {})}


def _place(seen: Survey, name: PurePosixPath) -> int | None:
    """The number of the place that a name lies in, the innermost; None for none."""
    inside = [n for n, place in enumerate(seen.places) if name.is_relative_to(place)]
    return max(inside, key=lambda n: len(seen.places[n].parts), default=None)


def _from_names(
    group: Sequence[Piece], in_folders: bool
) -> tuple[tuple[str, str] | None, str | None]:
    """Where the load and the repeat stand in all names of a group; None: in none, or not clearly.

    ``in_folders``: the repeat stands in the names of their folders.

    Files that state a load themselves are believed, and a name with two numbers has no one load.
    """
    names = [piece.name.name for piece in group]
    loads = [
        (kind, pattern)
        for kind, pattern in _LOAD_IN_NAME.items()
        if all(re.search(pattern, name) for name in names)
    ]
    clear = len(loads) == 1 and all(piece.load == "none" for piece in group)
    repeat = IN_FOLDER if in_folders else repeat_in_names(group)
    return loads[0] if clear else None, repeat


# --- which files measured one load again: their names say so, or what they state of their runs -

IN_FOLDER = r"(?:rep|run|repeat|iter|iteration|trial)[-_]?(\d+)/"
"""How people call the folders of repeats; ``r5`` is a RAID level as often."""

_IN_NAME = r"[-_](?:r|rep|run|repeat)[-_]?(\d+)"

_PAUSE_S = 60.0
"""Between two runs of a script there is as much time as this, or as one of them takes."""


def repeated_folders(pieces: Sequence[Piece]) -> set[PurePosixPath]:
    """The folders ``run_1``, ``run_2`` ... of one folder whose files measured the same points."""
    measured: dict[PurePosixPath, list[tuple[str, frozenset[tuple[object, ...]]]]] = {}
    for piece in pieces:
        folder = piece.name.parent
        if re.fullmatch(IN_FOLDER, f"{folder.name}/") and piece.points and not piece.has_repeats:
            measured.setdefault(folder, []).append((piece.source.name, piece.points))
    return {
        folder
        for folders in rows_by(measured, lambda folder: folder.parent).values()
        if len(folders) > 1
        and all(
            Counter(measured[folder]) == Counter(measured[folders[0]]) for folder in folders[1:]
        )
        for folder in folders
    }


def repeat_in_names(group: Sequence[Piece]) -> str | None:
    """The pattern of the repeat in the names of files; None: they are none, or do not show it."""
    if any(piece.has_repeats for piece in group):
        return None
    names = [piece.name.name for piece in group]
    if all(re.search(_IN_NAME, name) for name in names):
        return _IN_NAME
    counted = rows_by(group, lambda piece: re.sub(COUNTED, "", piece.name.name))
    several = any(len(pieces) > 1 for pieces in counted.values())
    return COUNTED if several and all(map(_one_after_another, counted.values())) else None


def _one_after_another(pieces: Sequence[Piece]) -> bool:
    """Whether files are counted in order, state one job, and each ran soon after the one before.

    A number alone may be of a host (those ran at once), of an array or a RAID level (much else
    was done between them).
    """
    counted = [
        (int(number[1]), piece.turn)
        for piece in pieces
        if (number := re.search(COUNTED, piece.name.name)) and piece.turn
    ]
    counted.sort(key=lambda item: item[0])
    numbers = [number for number, _ in counted]
    return (
        len(counted) == len(pieces)
        and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
        and all(_follows(first, second) for (_, first), (_, second) in pairwise(counted))
    )


def _follows(first: Turn, second: Turn) -> bool:
    """Whether the second run is of the same job, and began soon after the first had ended."""
    # a file says when it ended in whole seconds
    pause_s = (second.ended - first.ended).total_seconds() - second.lasted_s
    return first.job == second.job and -1.0 <= pause_s <= max(_PAUSE_S, second.lasted_s)
