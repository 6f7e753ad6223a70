"""Tables of a text report's summary, which have no title of their own."""

from __future__ import annotations

from collections.abc import Sequence

from forges.awr.sheet import Block, Line, Row


def bare(  # noqa: PLR0917 - what differs, in the order it is printed
    table: str,
    keys: Sequence[str],
    widths: Sequence[int],
    heads: Sequence[str],
    lines: Sequence[Line],
    text: str = "",
    fixed_facts: Row | None = None,
) -> Block:
    """A table without heading and end."""
    return Block(
        table, "", tuple(keys), (tuple(widths),), (tuple(heads),), tuple(lines),
        fixed=fixed_facts or {}, style="bare", text=text,
    )  # fmt: skip


def _labelled(line: Line, widths: Sequence[int]) -> str:
    """A row of the summary: its label, right-aligned, and its values."""
    parts = [
        cell.text.strip().rjust(width) for cell, width in zip(line.cells, widths, strict=False)
    ]
    return "".join(parts).rstrip() + "\n"


def literal(
    table: str, keys: Sequence[str], head: str, lines: Sequence[Line], widths: Sequence[int]
) -> Block:
    """A table of labels with values, as it is printed."""
    text = head + "".join(_labelled(line, widths) for line in lines) + "\n"
    return Block(table, "", tuple(keys), lines=tuple(lines), style="literal", text=text)
