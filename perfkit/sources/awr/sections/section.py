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


@dataclass(frozen=True)
class Section:
    """One part of a report.

    Attributes:
        name: Its name in the evidence.
        tables: The tables its rows go to.
        kind: How it is read: a name of ``tidy.READERS``.
        titles: Headings (whole, as printed; a ``*`` at the end: beginning).
        summaries: How the ``summary`` of its HTML table begins, or its later words after ``~``.
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
        scopes: The reports in which it is missed when it is absent.
        forms: awr, statspack.
    """

    name: str
    tables: tuple[str, ...]
    kind: str = "columns"
    titles: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    alone: tuple[tuple[str, ...], ...] = ()
    columns: Columns = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    title_headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    const: Mapping[str, Any] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("awr", "statspack")
