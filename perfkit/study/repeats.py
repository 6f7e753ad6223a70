"""Which files measured one load again: their names say so, or what they state of their runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfkit.core.keys import rows_by
from perfkit.study.survey import COUNTED

if TYPE_CHECKING:
    from perfkit.sources.source import Turn
    from perfkit.study.survey import Piece

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
