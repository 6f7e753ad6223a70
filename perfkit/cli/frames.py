"""Frames in the terminal: whole where they fit, turned where they are few rows, never squeezed.

A column is shown as wide as its cells, or it is not shown and named below the table. Nothing is
left out in silence, and no number is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from perfkit.core.plain_text import plain
from perfkit.core.units import NULL_TEXT, readable

if TYPE_CHECKING:
    import polars as pl

SHOWN_ROWS = 20
"""Rows of a frame shown in the terminal; the count of the others is told."""

WIDE = 12
"""Columns that a terminal shows; of wider frames, those without any value are left out."""

FEW = 3
"""Rows up to which a frame that is wider than the terminal is turned: names down, rows across."""

HEAD = 8
"""A name is broken after an underscore into lines of so many characters, or of its cells' width."""

WORDS = 24
"""Words are broken into lines of so many characters where a frame is wider than the terminal."""

_FRAME = 3
"""What a column takes beside its cells: a blank on either side and a line."""


@dataclass(frozen=True)
class _Column:
    name: str
    cells: tuple[str, ...]
    right: bool

    def inside(self) -> int:
        """The width of its cells."""
        return max(map(cell_len, self.cells), default=0)

    def head(self, *, broken: bool) -> str:
        """Its name, broken after underscores into lines no wider than needed."""
        return _broken(self.name, max(self.inside(), HEAD)) if broken else self.name

    def width(self, *, broken: bool) -> int:
        """What it takes without breaking a number; words may be broken."""
        inside = self.inside()
        if broken and not self.right:
            inside = min(inside, WORDS)
        return max(inside, *map(cell_len, self.head(broken=broken).split("\n")))


@dataclass(frozen=True)
class Style:
    """How a frame is shown.

    Attributes:
        width: Characters of a line.
        rows: How many rows; None: all.
        units: The unit of each column, for values as people say them; None: plain numbers.
        leading: The columns that come first where not all fit.
        brief: The leading columns alone, of a frame that has such; the others are counted.
    """

    width: int
    rows: int | None = SHOWN_ROWS
    units: Mapping[str, str | None] | None = None
    leading: Sequence[str] = ()
    brief: bool = False


def frame_table(frame: pl.DataFrame, title: str, style: Style) -> Group | Text:
    """A frame in the terminal: its columns, the first rows, and how many there are.

    Of a wide frame the columns without any value are only named, below the table. If it still does
    not fit: names are broken after underscores, and one row, or a few of a frame without leading
    columns, are turned. Of a longer one, what is the same in every row stands below the table,
    once; the leading columns come first, and those that do not fit are named. A frame without rows
    is its title alone.
    """
    if not frame.height:
        return Text(_title(frame, title, style))
    title = _title(frame, title, style)
    empty: list[str] = []
    if frame.width > WIDE:
        empty = [item.name for item in frame.iter_columns() if item.null_count() == len(item)]
    shown = frame.drop(empty)
    leading = [name for name in style.leading if name in shown.columns]
    columns = _columns(shown, style)
    for broken in (False, True):
        if _total(columns, broken=broken) <= style.width:
            return _across(columns, title, _without(empty), broken=broken)
    if style.brief and leading:
        return _brief(shown.select(leading), title, frame.width - len(leading), style)
    if shown.height <= (1 if leading else FEW):
        return _turned(columns, title, _without(empty), style.width)
    columns, facts = _moving(shown, _ordered(columns, leading))
    kept = _fitting(columns, style.width)
    left = [column.name for column in columns[kept:]]
    notes = [*_without(empty), *facts, *([_left_out(left)] if left else [])]
    return _across(columns[:kept], title, notes, broken=True)


def _brief(frame: pl.DataFrame, title: str, others: int, style: Style) -> Group:
    """The leading columns as far as they fit, turned where it is one row."""
    columns = _columns(frame, style)
    if frame.height == 1:
        return _turned(columns, title, [_more(others)], style.width)
    columns, facts = _moving(frame, columns)
    kept = _fitting(columns, style.width)
    notes = [*facts, _more(others + len(columns) - kept)]
    return _in_lines(columns[:kept], title, notes, style.width)


def _without(empty: Sequence[str]) -> list[str]:
    return [f"without any value: {', '.join(empty)}"] if empty else []


def _more(count: int) -> str:
    return f"{count} more column{'' if count == 1 else 's'}"


def _ordered(columns: Sequence[_Column], leading: Sequence[str]) -> list[_Column]:
    order = {name: place for place, name in enumerate(leading)}
    return sorted(columns, key=lambda column: order.get(column.name, len(order)))


def _moving(frame: pl.DataFrame, columns: Sequence[_Column]) -> tuple[list[_Column], list[str]]:
    """The columns that differ between rows, and a line on those that do not."""
    same = {item.name for item in frame.iter_columns() if item.n_unique() == 1}
    facts = [f"{column.name} {column.cells[0]}" for column in columns if column.name in same]
    line = [f"the same in every row: {', '.join(facts)}"] if facts else []
    return [column for column in columns if column.name not in same], line


def _title(frame: pl.DataFrame, title: str, style: Style) -> str:
    cut = style.rows is not None and frame.height > style.rows
    more = f", first {style.rows} shown" if cut else ""
    rows = "row" if frame.height == 1 else "rows"
    return f"{title}: {frame.height:,} {rows}{more}"


def _columns(frame: pl.DataFrame, style: Style) -> list[_Column]:
    units = style.units
    rows = frame.height if style.rows is None else style.rows
    return [
        _Column(
            item.name,
            tuple(
                _cell(value, units is not None, (units or {}).get(item.name))
                for value in item.head(rows)
            ),
            item.dtype.is_numeric(),
        )
        for item in frame.iter_columns()
    ]


def _cell(value: Any, for_people: bool, unit: str | None) -> str:
    """One cell; whole numbers without a unit are counts, lines or ids: they keep every digit."""
    if value is None:
        return NULL_TEXT
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if for_people and number and (unit is not None or isinstance(value, float)):
        return readable(value, unit)
    if isinstance(value, float):
        return f"{value:.6g}"
    return plain(str(value))


def _broken(name: str, width: int) -> str:
    """A name in lines that end after an underscore, none wider than it has to be."""
    lines = [""]
    *parts, last = name.split("_")
    for part in [*(f"{part}_" for part in parts), last]:
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _total(columns: Iterable[_Column], *, broken: bool) -> int:
    return 1 + sum(column.width(broken=broken) + _FRAME for column in columns)


def _fitting(columns: Sequence[_Column], width: int) -> int:
    """How many of the columns fit; the first one is always shown."""
    used = 1
    for place, column in enumerate(columns):
        used += column.width(broken=True) + _FRAME
        if used > width:
            return max(place, 1)
    return len(columns)


def _left_out(names: list[str]) -> str:
    what = "column does" if len(names) == 1 else "columns do"
    return f"{len(names)} {what} not fit (--format csv has all): {', '.join(names)}"


def _around(table: Table | Group, title: str, notes: Sequence[str]) -> Group:
    """The title above and the notes below, which are not bound to the table's width."""
    return Group(Text(title, style="italic"), table, *(Text(note, style="dim") for note in notes))


def _across(columns: Sequence[_Column], title: str, notes: Sequence[str], *, broken: bool) -> Group:
    """Columns across, a line for each row; words may be broken into lines."""
    table = Table()
    for column in columns:
        table.add_column(
            Text(column.head(broken=broken)),
            justify="right" if column.right else "left",
            overflow="fold",
            no_wrap=column.right,
            min_width=column.width(broken=broken) if column.right else None,
        )
    return _filled(table, columns, title, notes)


def _in_lines(columns: Sequence[_Column], title: str, notes: Sequence[str], width: int) -> Group:
    """Columns across, a single line for each row: long words end in an ellipsis."""
    widths = [column.width(broken=True) for column in columns]
    spare = width - _total(columns, broken=True)
    for place, column in enumerate(columns):
        more = min(max(column.inside() - widths[place], 0), spare)
        widths[place], spare = widths[place] + more, spare - more
    table = Table()
    for column, own in zip(columns, widths, strict=True):
        table.add_column(
            Text(column.head(broken=True)),
            justify="right" if column.right else "left",
            overflow="ellipsis",
            no_wrap=True,
            min_width=own,
            max_width=own,
        )
    return _filled(table, columns, title, notes)


def _filled(table: Table, columns: Sequence[_Column], title: str, notes: Sequence[str]) -> Group:
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    return _around(table, title, notes)


def _turned(columns: Sequence[_Column], title: str, notes: Sequence[str], width: int) -> Group:
    """A line for each column, rows across; where those do not fit, one row below the other."""
    count = len(columns[0].cells)
    heads = ["value"] if count == 1 else [f"row {number}" for number in range(1, count + 1)]
    free = width - 1 - _FRAME * (count + 1)
    needs = [_least(columns, row, head) for row, head in enumerate(heads)]
    if count > 1 and HEAD + sum(needs) > free:
        tables = [_lines(columns, [row], [heads[row]], needs, width) for row in range(count)]
    else:
        tables = [_lines(columns, range(count), heads, needs, width)]
    return _around(Group(*tables), title, notes)


def _least(columns: Sequence[_Column], row: int, head: str) -> int:
    """The width that a row needs beside the names: its numbers are never broken, words may be."""
    numbers = [cell_len(column.cells[row]) for column in columns if column.right]
    words = [cell_len(column.cells[row]) for column in columns if not column.right]
    return max(len(head), *numbers, min(max(words, default=0), HEAD))


def _lines(
    columns: Sequence[_Column],
    rows: Sequence[int],
    heads: Sequence[str],
    needs: Sequence[int],
    width: int,
) -> Table:
    """Names down and some rows across, in widths that add to no more than the terminal's."""
    free = width - 1 - _FRAME * (len(rows) + 1)
    names = min(max(len(column.name) for column in columns), free - sum(needs[row] for row in rows))
    spare = (free - names - sum(needs[row] for row in rows)) // len(rows)
    table = Table()
    table.add_column("name", overflow="fold", width=max(names, 1))
    for row, head in zip(rows, heads, strict=True):
        longest = max(len(head), *(cell_len(column.cells[row]) for column in columns))
        table.add_column(head, overflow="fold", width=min(longest, needs[row] + spare))
    for column in columns:
        table.add_row(Text(column.name), *(Text(column.cells[row]) for row in rows))
    return table
