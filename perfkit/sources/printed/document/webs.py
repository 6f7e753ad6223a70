"""Tables of web pages, alone or within Markdown: spanned cells stand in each place they cover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfkit.sources.printed.document.grids import MOST_SPAN, Lines, table_of
from perfkit.sources.printed.document.model import Row, Table, plain_cell
from perfkit.sources.printed.document.stacked import joined

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

BREAK = "\x1e"
"""What ends a block of a page without ending its line."""
MOST_LINES = 5000
_END = re.compile(r"</table\s*>", re.I)
_ROW = re.compile(r"<tr[\s>]", re.I)
_BLOCK = re.compile(
    r"</?(?:p|div|li|ul|ol|h[1-6]|br|section|article|pre|blockquote|tr)\b[^>]*>", re.I
)
_HIDDEN = re.compile(r"<(script|style|head|nav|svg)\b.*?</\1\s*>|<!--.*?-->", re.I | re.S)
_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1\s*>", re.I | re.S)


def end_of_table(lines: Lines, at: int) -> int:
    """The line behind the end of a table that begins at a line."""
    for end in range(at, min(at + MOST_LINES, len(lines))):
        if _END.search(lines[end][1]):
            return end + 1
    return at + 1


def web_table(lines: Lines) -> Table | None:
    """A table of HTML; None where it holds no number."""
    from selectolax.lexbor import LexborHTMLParser

    text = "\n".join(line for _, line in lines)
    node = LexborHTMLParser(text).css_first("table")
    if node is None:
        return None
    starts = [lines[0][0] + text.count("\n", 0, match.start()) for match in _ROW.finditer(text)]
    rows = [[c for c in row.iter() if c.tag in {"td", "th"}] for row in node.css("tr")]
    kinds = [{cell.tag for cell in row} == {"th"} for row in rows]
    heads = next((n for n, head in enumerate(kinds) if not head), len(kinds))
    grid = _grid(rows)
    width = max((column for _, column in grid), default=0) + 1
    found = [
        Row(starts[min(n, len(starts) - 1)], tuple(grid.get((n, c), "") for c in range(width)))
        for n in range(len(rows))
    ]
    # one cell over the whole width is a title
    while found and len(set(found[0].cells)) == 1 and len(found) > 1 and width > 1:
        found, heads = found[1:], max(heads - 1, 0)
    if heads > 1 and len(found) > heads and width > 1:
        names = joined([row.cells for row in found[:heads]])
        return Table(found[0].line, names, tuple(found[heads:]))
    return table_of(found)


def _grid(rows: list[list[LexborNode]]) -> dict[tuple[int, int], str]:
    """The texts of cells by row and column, each in every place that it spans."""
    grid: dict[tuple[int, int], str] = {}
    for number, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (number, column) in grid:
                column += 1
            down, right = (_span(cell.attributes.get(name)) for name in ("rowspan", "colspan"))
            text = plain_cell(cell.text(separator=" "))
            grid |= {(number + y, column + x): text for y in range(down) for x in range(right)}
            column += right
    return grid


def _span(text: str | None) -> int:
    return min(int(text), MOST_SPAN) if text and text.isdecimal() and int(text) else 1


_CARD = re.compile(
    r"<(div|li|section|article)\b[^>]*>((?:\s*<(div|span|p|h[1-6]|strong|b|small)\b[^>]*>"
    r"[^<>]{1,60}</\3\s*>){2,4}\s*)</\1\s*>",
    re.I,
)
_TABLE = r"<table><tr><th></th><th></th></tr>\g<0></table>"
_TAG = re.compile(r"<[^>]*>")
_CARDS = re.compile(r"(?:<tr><td>[^<\n]*</td><td>[^<\n]*</td></tr>\s*){2,200}")


def _card(match: re.Match[str]) -> str:
    """A card of a page, a label with its value, as the row of a table; of more texts, as a line."""
    texts = [" ".join(text.split()) for text in _TAG.split(match[2]) if text.strip()]
    lines = "\n" * match[0].count("\n")
    if len(texts) != 2:
        return BREAK + " \u00b7 ".join(texts) + BREAK + lines
    label, value = sorted(texts, key=lambda text: any(c.isdecimal() for c in text))
    return f"<tr><td>{label}</td><td>{value}</td></tr>{lines}"


def page_text(text: str) -> str:
    """A web page as text with its tables left in place; ``BREAK`` stands for the ends of blocks."""
    shown = _HIDDEN.sub(lambda match: "\n" * match[0].count("\n"), text)
    shown = _HEADING.sub(lambda m: f"{BREAK}# {m[2]}{BREAK}" if "\n" not in m[0] else m[0], shown)
    shown = _CARDS.sub(_TABLE, _CARD.sub(_card, shown))
    parts = re.split(r"(<table[\s>].*?</table\s*>)", shown, flags=re.I | re.S)
    return "".join(p if n % 2 else _BLOCK.sub(BREAK, p) for n, p in enumerate(parts))
