"""A frame in the terminal: every number whole, in as many blocks of columns as the width asks for.

A number broken over several lines, or cut at the edge, is a wrong number that looks like a right
one: a column is as wide as its longest number, and what does not fit beside it goes below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from perfkit.units import NULL_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl
    from rich.console import Console, ConsoleOptions, RenderResult

SHOWN_ROWS = 20
"""Rows of a frame shown in the terminal; the count of the others is told."""

WIDE = 12
"""Columns from which those without any value, or with one value in all rows, are only named."""

LONGEST = 36
"""Characters of a text in one line; a longer one is folded."""

_EDGES = 3
"""Characters a column takes beside its content: a line and two blanks."""
_NUMBER_HEAD = "#"


@dataclass(frozen=True)
class _Column:
    """One column as it is shown: head in lines, cells as texts, and its width."""

    head: Text
    cells: tuple[Text, ...]
    width: int
    right: bool


@dataclass(frozen=True)
class FrameView:
    """The first rows of a frame, how many there are, and all of its columns in some form."""

    frame: pl.DataFrame
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The title, what all rows have in common, and the tables that the width allows."""
        frame = self.frame
        more = f", first {SHOWN_ROWS} shown" if frame.height > SHOWN_ROWS else ""
        yield Text(f"{self.title}: {frame.height:,} rows{more}", style="italic")
        if not frame.height:
            return
        empty, same = _told_apart(frame) if frame.width > WIDE else ([], {})
        shown = [_column(frame, name) for name in frame.columns if name not in {*empty, *same}]
        blocks = _blocks(shown, min(frame.height, SHOWN_ROWS), options.max_width)
        yield from (_table(block) for block in blocks)
        if same:
            pairs = (f"{name} {value.plain}" for name, value in same.items())
            yield Text(f"in every row: {', '.join(pairs)}", style="dim italic")
        if empty:
            yield Text(f"without any value: {', '.join(empty)}", style="dim italic")


def _told_apart(frame: pl.DataFrame) -> tuple[list[str], dict[str, Text]]:
    """Columns without any value, and texts that are the same in all of several rows."""
    empty = [c.name for c in frame.iter_columns() if c.null_count() == frame.height]
    same = {
        column.name: _cell(column[0])
        for column in frame.iter_columns()
        if frame.height > 1 and not column.dtype.is_numeric() and column.name not in empty
        and column.n_unique() == 1
    }  # fmt: skip
    return empty, same if len(empty) + len(same) < frame.width else {}


def _column(frame: pl.DataFrame, name: str) -> _Column:
    column = frame[name].head(SHOWN_ROWS)
    cells = tuple(_cell(value) for value in column)
    right = column.dtype.is_numeric()
    widest = max(max(len(line) for line in cell.plain.split("\n")) for cell in cells)
    body = widest if right else min(widest, LONGEST)
    head = _head(name, body)
    return _Column(head, cells, max(body, *map(len, head.plain.split("\n"))), right)


def _head(name: str, width: int) -> Text:
    """A column's name, broken behind its underscores where its cells are narrower."""
    *first, last = name.split("_")
    parts = [*(f"{part}_" for part in first), last]
    most = max(width, *(len(part) for part in parts))
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > most:
            lines.append("")
        lines[-1] += part
    return Text("\n".join(lines))


def _blocks(columns: Sequence[_Column], rows: int, width: int) -> list[list[_Column]]:
    """The columns in as many tables as their widths need; the rows of several are numbered."""
    if sum(column.width + _EDGES for column in columns) + 1 <= width:
        return [list(columns)] if columns else []
    number = _Column(
        Text(_NUMBER_HEAD), tuple(Text(str(i)) for i in range(1, rows + 1)), len(str(rows)), True
    )  # fmt: skip
    blocks: list[list[_Column]] = []
    left = 0
    for column in columns:
        need = column.width + _EDGES
        if not blocks or need > left:
            blocks.append([number])
            left = width - 1 - number.width - _EDGES
        blocks[-1].append(column)
        left -= need
    return blocks


def _table(columns: Sequence[_Column]) -> Table:
    table = Table(box=box.SQUARE)
    for column in columns:
        table.add_column(
            column.head,
            justify="right" if column.right else "left",
            min_width=column.width,
            no_wrap=column.right,
            overflow="fold",
        )
    for row in _rows(columns):
        table.add_row(*row)
    return table


def _rows(columns: Sequence[_Column]) -> Iterator[tuple[Text, ...]]:
    return zip(*(column.cells for column in columns), strict=True)


def _cell(value: Any) -> Text:
    """A cell as plain text: what stands in evidence is never taken for markup."""
    if value is None:
        return Text(NULL_TEXT)
    return Text(f"{value:.6g}" if isinstance(value, float) else str(value))
