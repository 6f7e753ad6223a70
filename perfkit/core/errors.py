"""The errors perfkit raises: one root, one line each, naming the place and, where known, the cure.

Library code raises; only the command line prints and exits.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from perfkit.core.places import path_in_message


class PerfkitError(Exception):
    """The root of every error that is meant for the user."""


class ParseError(PerfkitError):
    """A source file does not have the form its parser expects."""

    def __init__(self, path: Path | str, problem: str, line: int | None = None):
        # every argument goes to super: the error must survive pickling between processes
        super().__init__(path, problem, line)
        self.path, self.problem, self.line = path, problem, line

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        return f"{path_in_message(self.path)}{line}: {self.problem}"


class UnknownKindError(ParseError):
    """A file or folder is of no kind that perfkit reads."""


class StudyError(ParseError):
    """A study file contains a mistake; the line is the YAML line."""


class RunError(PerfkitError):
    """A measurement could not be made, or could not prove itself valid."""


class SafetyError(RunError):
    """A target was refused before anything was written to it."""


class AnalysisError(PerfkitError):
    """The data cannot answer the question."""


class AbsentError(AnalysisError):
    """The data cannot answer the question; a notebook shows the reason (``Unanswered``).

    ``lacks`` names what the data lack, if that is the whole reason. ``elsewhere``: it is said
    elsewhere, so that the report says nothing in its place.
    """

    def __init__(self, reason: str, *, lacks: str | None = None, elsewhere: bool = False) -> None:
        super().__init__(reason)
        self.lacks, self.elsewhere = lacks, elsewhere


class ReportError(PerfkitError):
    """A notebook could not be executed, or a report could not be made of it."""


class StoreError(PerfkitError):
    """A store of results cannot be used: it is not one, is damaged, or a newer perfkit wrote it."""


class MissingPartError(PerfkitError):
    """A program or library that this step needs is not on the machine."""


class UsageError(PerfkitError):
    """The caller asked for something that does not exist or does not fit (exit code 2)."""


def did_you_mean(wrong: str, known: list[str]) -> str:
    """The closing words of an error about an unknown name: a suggestion, or the names there are."""
    import difflib

    close = difflib.get_close_matches(wrong, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: {', '.join(sorted(known))}" if known else "none is known"


def check_name(
    what: str, name: str, known: Collection[str], error: type[PerfkitError] = AnalysisError
) -> None:
    """Raise "no table 'lod_points'; did you mean 'load_points'?" for a name that is not known."""
    if name not in known:
        raise error(f"no {what} {name!r}; {did_you_mean(name, list(known))}")
