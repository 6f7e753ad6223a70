"""The ``format:`` of our own YAML files: older ones are brought up to ours before reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit._version import __version__
from perfkit.core.errors import StudyError

FIRST = "0.1"
"""The release whose files name no format: they are of format 0."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a migration changed: a place in the file and what it now says there."""

    place: tuple[str | int, ...]
    value: str


Migration = Callable[[Any, Path], list[Change]]
"""Brings a document (changed in place, so that it keeps its lines) from its format to the next.

The path is the file's. Raises ``MigrationError`` for what cannot be brought up.
"""


class MigrationError(Exception):
    """A place of an older file that cannot be brought up, and what its owner can do."""

    def __init__(self, place: tuple[str | int, ...], cure: str):
        super().__init__(cure)
        self.place = place


@dataclass(frozen=True, slots=True)
class Format:
    """The newest format of a kind of file, and the step up from each older one by its number."""

    newest: int
    steps: Mapping[int, Migration]


def number_of(path: Path, document: Mapping[str, Any], newest: int, line: int) -> int:
    """The format that a document names; 0 for one that names none.

    Raises StudyError for one that is not a number from 1 to ``newest``.
    """
    if "format" not in document:
        return 0
    number = document["format"]
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise StudyError(path, f"format: {number!r} is not a format; the newest is {newest}", line)
    if number > newest:
        told = f"format: {number} is of a newer perfkit; perfkit {__version__} reads up to {newest}"
        raise StudyError(path, told, line)
    return number


def brought_up(path: Path, document: Any, number: int, form: Format) -> list[Change]:
    """Bring the document from a format to the newest; returns what changed.

    Raises what its migrations raise.
    """
    return [
        change for step in range(number, form.newest) for change in form.steps[step](document, path)
    ]
