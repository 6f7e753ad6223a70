"""Tables of a text report's summary, which have no title of their own."""

from __future__ import annotations

from perfkit.samples.awr_forge.sheet import Block, Line


def bare(table, keys, widths, heads, lines, text="", fixed_facts=None) -> Block:  # noqa: PLR0917 - what differs, in the order it is printed
    """A table without heading and end."""
    return Block(
        table, "", tuple(keys), (tuple(widths),), (tuple(heads),), tuple(lines),
        fixed=fixed_facts or {}, style="bare", text=text,
    )  # fmt: skip


def _labelled(line: Line, widths: tuple[int, ...]) -> str:
    """A row of the summary: its label, right-aligned, and its values."""
    parts = [
        cell.text.strip().rjust(width) for cell, width in zip(line.cells, widths, strict=False)
    ]
    return "".join(parts).rstrip() + "\n"


def literal(table, keys, head: str, lines, widths, fixed_facts=None) -> Block:  # noqa: PLR0917 - what differs, in the order it is printed
    """A table of labels with values, as it is printed."""
    text = head + "".join(_labelled(line, widths) for line in lines) + "\n"
    return Block(
        table, "", tuple(keys), lines=tuple(lines), style="literal", text=text,
        fixed=fixed_facts or {},
    )  # fmt: skip
