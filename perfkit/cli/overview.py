"""What was read, in the terminal: the tables that matter first, and how to see the others."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from rich.console import Console

from perfkit.cli.frames import SHOWN_ROWS, Style, frame_table
from perfkit.cli.gathering import SOURCE, Gathered, Part
from perfkit.core.plain_text import plain

if TYPE_CHECKING:
    import polars as pl

ROWS_OF_A_FILE = 3
ROWS_OF_FILES = 40
"""Of several files, a table with more rows than this, and than three a file, is listed alone."""

WIDTH_OF_FILE = 200
"""Characters of a line where the tables are written to a file."""


def show(found: Gathered, stream: TextIO, table: str | None, *, every: bool, raw: bool) -> None:
    """Print the overview of what was read, or one table, or every one.

    Args:
        found: The readings.
        stream: Where to: the terminal, or a file, whose lines may be longer.
        table: One table only.
        every: Every table (where none is named), and every row.
        raw: Plain numbers, in the unit of the column's name.
    """
    console = Console(file=stream, width=None if stream is sys.stdout else WIDTH_OF_FILE)
    console.print(plain(_head(found)), style="bold", markup=False, highlight=False)
    parts = found.parts(table)
    brief = table is None and not every
    shown = _first(parts, len(found.readings)) if brief else parts
    for part in shown:
        style = _style(part, console.width, brief=brief, every=every, raw=raw)
        console.print(frame_table(_short_names(part.frame), part.name, style))
    for warning in found.warnings():
        console.print(plain(f"warning: {warning}"), markup=False, style="yellow", highlight=False)
    others = [part for part in parts if part not in shown and part.frame.height]
    for line in _how_to_go_on(others):
        console.print(line, markup=False, style="dim", highlight=False)


def _head(found: Gathered) -> str:
    kinds = Counter(reading.evidence.kind for _, reading in found.readings)
    if not found.several:
        ((path, reading),) = found.readings
        return f"{path} ({reading.evidence.kind})"
    return f"{len(found.readings)} files: {', '.join(f'{n} {kind}' for kind, n in kinds.items())}"


def _first(parts: list[Part], files: int) -> list[Part]:
    """The tables of each kind's overview, in its order; all that have rows where it names none."""
    from perfkit.sources import SOURCES

    def place(part: Part) -> int:
        overview = SOURCES[part.kind].overview or (part.table,)
        return overview.index(part.table) if part.table in overview else -1

    most = max(ROWS_OF_A_FILE * files, ROWS_OF_FILES) if files > 1 else None
    rows = [part for part in parts if part.frame.height and place(part) >= 0]
    few = [part for part in rows if most is None or part.frame.height <= most]
    return sorted(few, key=place)


def _style(part: Part, width: int, *, brief: bool, every: bool, raw: bool) -> Style:
    from perfkit.sources import SOURCES

    several = SOURCE in part.frame.columns
    leading = SOURCES[part.kind].first_columns(part.table)
    return Style(
        width,
        rows=None if every else 2 * ROWS_OF_FILES if brief and several else SHOWN_ROWS,
        units=None if raw else part.units,
        leading=[*([SOURCE] if several else []), *leading],
        brief=brief and bool(leading),
    )


def _short_names(frame: pl.DataFrame) -> pl.DataFrame:
    """The files' names without the folder that all of them share."""
    import polars as pl

    if SOURCE not in frame.columns or not frame.height:
        return frame
    names = frame[SOURCE].unique().to_list()
    if len({name.startswith("/") for name in names}) > 1:
        return frame  # absolute and relative paths share nothing
    shared = os.path.commonpath([os.path.dirname(name) for name in names])  # noqa: PTH120
    return frame.with_columns(
        pl.col(SOURCE).str.strip_prefix(f"{shared.rstrip('/')}/" if shared else "")
    )


def _how_to_go_on(others: list[Part]) -> list[str]:
    """Which other tables there are, and what shows or writes them."""
    if not others:
        return []
    listed = ", ".join(f"{part.name} ({part.frame.height:,})" for part in others)
    return [
        f"more tables, with their rows: {listed}",
        f"--table {others[0].name} shows one, --all every row, -o all.xlsx writes all",
    ]
