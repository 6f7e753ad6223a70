"""Sections as pages of text: titles, headers, rulers, rows (AWR and Statspack)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from forges.awr.printing import BLANK, Shown
from forges.awr.sheet import Block, Line, fit

if TYPE_CHECKING:
    from forges.awr.content import Content

END = " " * 26 + "-" * 54


def render(content: Content, heading: str, found: list[Block], end: str = END) -> str:
    """The whole text; long sections go on with their heading on the next page."""
    instance = content.instances[0]
    snaps = f"Snaps: {content.snapshots.begin_id}-{content.snapshots.end_id}"
    where = f"DB/Inst: {content.database.name}/{instance.name}  {snaps}"
    parts = [f"\n{heading}\n\n"]
    parts += [block_text(block, where, end) for block in found]
    return "".join(parts) + "\nEnd of Report\n"


def block_text(
    block: Block, where: str, end: str, *, page: int = 50, feed: str = "\f\n", wide: int = 80
) -> str:
    """One section as text."""
    if block.style == "literal":
        return block.text
    head = head_lines(block)
    if block.style == "bare":
        return f"{block.text}{head}" + "".join(rows_text(block, block.lines)) + "\n"
    title = f"{block.heading:<{max(wide - len(where), len(block.heading))}}{where}"
    notes = "".join(f"-> {note}\n" for note in block.notes)
    if not block.lines:
        nothing = " " * 18 + "No data exists for this section of the report.\n"
        return f"{title}\n\n{nothing}{end}\n\n"
    pages = [block.lines[i : i + page] for i in range(0, len(block.lines), page)]
    texts = [f"{title}\n{notes}\n{head}" + "".join(rows_text(block, part)) for part in pages]
    return f"{feed}".join(texts) + f"{end}\n{feed}"


def head_lines(block: Block) -> str:
    """The header lines and rulers."""
    lines = []
    for heads, widths in zip(block.heads, block.widths, strict=True):
        lines += [*heads, " ".join("-" * abs(width) for width in widths)]
    return "".join(line.rstrip() + "\n" for line in lines)


def rows_text(block: Block, lines: tuple[Line, ...]) -> Iterator[str]:
    """The rows, each of one or more physical lines."""
    for line in lines:
        cells = iter(line.cells)
        text = ""
        for widths in block.widths:
            parts = [_aligned(fit(next(cells, BLANK), width), width) for width in widths]
            text += " ".join(parts).rstrip() + "\n"
        yield text + "".join(f"{part}\n" for part in line.tail)


def _aligned(cell: Shown, width: int) -> str:
    return cell.text.ljust(-width) if width < 0 else cell.text.rjust(width)
