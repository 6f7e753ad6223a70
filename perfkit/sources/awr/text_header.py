"""Headers of text reports, compared with the known headers of their section.

In text only the position of a number says which column it belongs to: one lost line, word or dash
of the header moves numbers under another heading. A header must therefore be one of the section's;
with any other the section is not read, and the reason is reported.

The known headers come from real text reports (AWR 11.2.0.1, 12.1, 19c of an instance, a cluster
and a PDB; Statspack 12.1)
and from headers printed in documents (10g, 11.2.0.4, 21c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.raw import CONTAINER, TEXT, Column, RawTable, bare
from perfkit.sources.awr.sections import Section

_MAYBE = "?"
"""Behind a name: a row may be blank here although the column before it is filled."""

_MUST = "!"
"""Behind a name: no row is blank here."""

_LEAST = 4
"""Columns of a header of which one may be unknown."""


@dataclass(frozen=True)
class Heading:
    """A header that is known.

    Attributes:
        unknown: Columns whose name is unknown: their cells are not read.
        full: Columns in which a row has a cell wherever it has one in the column before.
        must: Columns in which no cell is blank.
    """

    unknown: frozenset[int]
    full: frozenset[int]
    must: frozenset[int] = frozenset()


def headed(table: RawTable, section: Section) -> tuple[RawTable, str]:
    """The table with its columns marked by its known header, and what is wrong ("": nothing)."""
    found = heading(table.title, section, table.columns)
    if found is None:
        names = " | ".join(_name(column) or "(no name)" for column in table.columns)
        return table, f"it is none that perfkit knows of this section, or damaged: {names[:160]}"
    columns = tuple(
        replace(column, unknown=True) if place in found.unknown else column
        for place, column in enumerate(table.columns)
    )
    body = replace(table.body, columns=columns, full=found.full, must=found.must)
    return replace(table, open=lambda: body), ""


def heading(title: str, section: Section, columns: Sequence[Column]) -> Heading | None:
    """The known header of a section that a header is, or None."""
    below = {_spaced(name): headers for name, headers in section.title_headers.items()}
    headers = below.get(_spaced(title)) or section.headers
    # of what stands below the rows the front end makes columns, which no header names
    names = [key(_name(column)) for column in columns if column.name not in (CONTAINER, TEXT)]
    if not headers:
        nameless = "" not in section.ignored and not all(names)
        return (
            None if nameless or len(set(names)) < len(names) else Heading(frozenset(), frozenset())
        )
    # none of the names that mean something here is a new column's
    listed = [bare(name) for header in section.headers for name in _known(header)[0]]
    read = [name.replace("|", "/") for name in section.columns]
    words = frozenset({*listed, *section.ignored, *read})
    held = (_matched(names, *_known(header), words) for header in headers)
    return next((found for found in held if found is not None), None)


def _spaced(title: str) -> str:
    return " ".join(title.lower().split())


def _matched(
    names: list[str],
    known: tuple[str, ...],
    marks: dict[str, str],
    words: frozenset[str],
) -> Heading | None:
    """Compare a header with a known one: equal, or a variant that another release may print.

    A release may leave columns out or add some. One unknown name may be new or damaged: its column
    is not read. Where more names differ, no column is certain.
    """
    strange: set[int] = set()
    if tuple(names) != known:
        different = [
            place
            for place, pair in enumerate(zip(names, known, strict=False))
            if pair[0] != pair[1]
        ]
        new = [name for name in names if name not in known]
        if any(not name or bare(name) in words for name in new):
            return None
        if len(names) == len(known) and len(different) == 1 and _enough(known, different):
            strange = set(different)
        elif not _shortened(names, known) and not _lengthened(names, known):
            return None
    full = frozenset(
        place
        for place, name in enumerate(names)
        if place and place not in strange and name in known and marks[name] != _MAYBE
    )
    must = frozenset(place for place, name in enumerate(names) if marks.get(name) == _MUST)
    return Heading(frozenset(strange), full, must)


def _enough(known: tuple[str, ...], different: list[int]) -> bool:
    """Whether the other columns are enough: the differing name occurs once in the header."""
    return len(known) >= _LEAST and known.count(known[different[0]]) == 1


def _shortened(names: list[str], known: tuple[str, ...]) -> bool:
    """Whether a release may have left columns out: two at most, as a whole line may be lost."""
    return len(names) > max(1, len(known) - _LEFT_OUT - 1) and _within(names, known)


def _lengthened(names: list[str], known: tuple[str, ...]) -> bool:
    """Whether a release may have added columns: new ones, none a second column of a known name."""
    added = sum(name not in known for name in names)
    return len(names) == len(known) + added and _within(known, names)


_LEFT_OUT = 2


def _within(names: Sequence[str], others: Sequence[str]) -> bool:
    """Whether the names stand among others, in their order."""
    rest = iter(others)
    return all(name in rest for name in names)


@cache
def _known(header: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """A header's names as they are compared, and how each is marked."""
    parts = [part.strip() for part in header.split("|")]
    names = tuple(key(part.rstrip(_MAYBE + _MUST)) for part in parts)
    marks = {
        name: part[-1:] if part.endswith((_MAYBE, _MUST)) else ""
        for name, part in zip(names, parts, strict=True)
    }
    return names, marks


def _name(column: Column) -> str:
    return f"{column.group}/{column.name}" if column.group else column.name
