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
        required: Columns without which it is not this section.
        signatures: Names of columns and first rows. Any one of these tuples identifies the section
            where neither heading nor summary does (10.2 has HTML tables without a summary).
        columns: The columns.
        ignored: Columns that are known and left out.
        headers: The complete headers of its table in text reports, one for each form that a release
            gave it: the names from left to right. After a name, ``?``: a cell may be blank although
            the one before it is filled; ``!``: no cell is blank. Without headers every column needs
            a name, and no two may have the same.
        title_headers: Headers that belong to one of its titles.
        constants: Values that are the same in all its rows.
        scopes: Scopes of reports in which its absence is reported, if the form is one of ``forms``.
        forms: awr, statspack.
        html_only: Whether it is left out of text reports, whose form of it was not studied.
    """

    name: str
    tables: tuple[str, ...]
    kind: str = "columns"
    titles: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    signatures: tuple[tuple[str, ...], ...] = ()
    columns: Columns = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    title_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("awr", "statspack")
    html_only: bool = False
