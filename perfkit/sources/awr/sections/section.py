"""What a section is: its names, its columns, and the reports in which it is expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Columns = Mapping[str, tuple[str, str]]
"""Printed name -> (our column, kind of cell: a name of ``tidy.CONVERTERS``)."""

SINGLE, RAC, PDB = "single", "rac", "pdb"
HOST_WIDE = (SINGLE,)
INSTANCE = (SINGLE, PDB)
EVERY = (SINGLE, PDB, RAC)


def columns(**kinds: Mapping[str, str]) -> Columns:
    """Columns by the kind of their cells: our column -> the names that releases give it."""
    return {
        name: (ours, kind)
        for kind, named in kinds.items()
        for ours, names in named.items()
        for name in names.split() or [""]
    }


def begin_and_end(kind: str, **names: str) -> Columns:
    """The columns of RAC tables that print each quantity at the first and the last snapshot."""
    pairs = {
        f"{ours}|{when}": f"{name}|{when}"
        for ours, name in names.items()
        for when in ("begin", "end")
    }
    return columns(words={"i#": "i#"}, **{kind: pairs})


@dataclass(frozen=True)
class Section:
    """One part of a report.

    Attributes:
        name: Its name in the evidence.
        tables: The tables its rows go to.
        kind: How it is read: a name of ``tidy.READERS``.
        titles: Headings (whole, as printed; a ``*`` at the end: beginning).
        summaries: How the ``summary`` of its HTML table begins.
        headings: Headings with which the summary begins too (RAC).
        needs: Columns without which it is not this section.
        alone: Names of columns and of its first rows, any one tuple of which tells it where
            neither heading nor summary does (10.2 has HTML tables without a summary).
        columns: The columns.
        ignored: Columns that are known and not taken.
        headers: The headers of its table in text reports, whole: the names from left to right, a
            line for each form that a release gave it. Behind a name, ``?``: a row may be blank
            here although the column before it is filled; ``!``: no row is blank here. Without any,
            its columns are found by their names, each of which has to be there.
        title_headers: The headers below some of its titles, where the title tells them.
        const: Values that are the same in all its rows.
        scopes: The reports in which it is missed when it is absent, if they are of these forms.
        forms: awr, statspack.
    """

    name: str
    tables: tuple[str, ...]
    kind: str = "columns"
    titles: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    alone: tuple[tuple[str, ...], ...] = ()
    columns: Columns = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    title_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    const: Mapping[str, Any] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("awr", "statspack")
