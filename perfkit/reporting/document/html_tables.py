"""Tables of HTML as a report's: of pandas, polars, Styler, or written by hand.

Cells that span columns or rows are repeated in each; several header rows become one. A number is
printed as the table has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from perfkit.core.errors import ReportError
from perfkit.reporting.document.blocks import Inline, PlainTable, Style, Text, plain_text

STYLES: dict[str, Style] = {
    "b": "strong", "strong": "strong", "i": "emph", "em": "emph", "cite": "emph", "var": "emph",
    "s": "strike", "del": "strike", "strike": "strike", "sup": "super", "sub": "sub",
}  # fmt: skip

CODE = frozenset({"code", "kbd", "samp", "tt"})

WRAPPERS = frozenset({
    "a", "abbr", "article", "aside", "big", "body", "center", "dd", "details", "div",
    "dl", "dt", "figcaption", "figure", "font", "footer", "form", "header", "html", "ins",
    "label", "main", "mark", "nav", "p", "q", "section", "small", "span", "summary",
    "time", "u",
})  # fmt: skip
"""Tags whose text is printed and who say nothing else that paper can show."""

BLOCKS = frozenset({
    "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl",
    "dt", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "html", "main", "nav", "ol", "p", "pre", "section", "summary",
    "table", "ul",
})  # fmt: skip
"""Tags that begin a paragraph."""

UNSEEN = frozenset({
    "base", "button", "col", "colgroup", "datalist", "head", "input", "link", "meta",
    "noscript", "select", "style", "template", "textarea", "title", "wbr",
})  # fmt: skip
"""Tags that show nothing themselves, or only to somebody with a mouse."""

UNPRINTABLE = {
    "iframe": "a page within the page",
    "script": "what a script draws",
    "svg": "a drawing in HTML",
    "canvas": "a canvas",
    "video": "a video",
    "audio": "a sound",
    "object": "an embedded object",
    "embed": "an embedded object",
}
"""Tags of what paper cannot show, in words."""

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][\w-]*)(?P<rest>[^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SAFE = frozenset({"", "http", "https", "mailto"})


class UnprintableError(ReportError):
    """Something that paper cannot show; the message is its name, "a video"."""


def tag_of(text: str) -> tuple[str, bool, dict[str, str]] | None:
    """Name, whether it ends an element, and attributes of one tag; None for other text."""
    found = _TAG.fullmatch(text.strip())
    if found is None:
        return None
    given = {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(found["rest"])}
    return found["name"].lower(), bool(found["end"]), given


def is_known(name: str) -> bool:
    """Whether a name is one of HTML's; <name> is a word between signs."""
    more = {"br", "img", "li", "td", "th", "tr", "tbody", "thead", "tfoot", "caption"}
    known = (STYLES, CODE, WRAPPERS, BLOCKS, UNSEEN, UNPRINTABLE, more)
    return any(name in names for names in known)


def safe_link(url: str) -> str | None:
    """The address where a reader may follow it: no script, no file of the author's."""
    try:
        return url if url and urlsplit(url).scheme.lower() in _SAFE else None
    except ValueError:
        return None


if TYPE_CHECKING:
    Line = Callable[[Any], tuple[Inline, ...]]

WHOLE_ROWS = 60
FIRST_ROWS, LAST_ROWS = 40, 10
"""A table of up to 60 rows is printed whole, of a longer one the first 40 and the last 10."""

WIDEST = 1000
"""Columns that a table may have at most."""

LONGEST_NUMBER = 30
"""Signs of a number that is not broken over lines."""

_NUMBER = re.compile(
    r"[-+−±(]*[$€£]?\s?(\d[\d,_. ]*|\.\d+)([eE][-+−]?\d+)?\)?\s?(%|[a-zA-Zµ/]{1,6})?"
)
_NO_VALUE = frozenset(
    {"", "-", "–", "nan", "none", "null", "nat", "<na>", "inf", "-inf", "...", "…", "⋮"}
)
_COLOURED = re.compile(r"#T_\w+[^{}]*\{[^{}]*color", re.I)


@dataclass(frozen=True)
class _Cell:
    inline: tuple[Inline, ...] = ()
    head: bool = False

    @property
    def words(self) -> str:
        return " ".join(plain_text(self.inline).split())


def plain_table(table: Any, line: Line, *, coloured: bool = False) -> PlainTable | None:
    """The table of an element; None where it has no cell.

    Args:
        table: The element.
        line: Reads what stands in a cell.
        coloured: Whether colours say something that is not printed.

    Raises UnprintableError for a table within the table, or one of more than 1,000 columns.
    """
    if len(table.css("table")) > 1:
        raise UnprintableError("a table within a table")
    rows = _filled(list(_spans(table, line)))
    width = max(map(len, rows), default=0)
    if width > WIDEST:
        raise UnprintableError(f"a table of {width:,} columns")
    if not width:
        return None
    rows = [[*row, *[_Cell()] * (width - len(row))] for row in rows]
    heads = _header_rows(table, rows)
    body = rows[heads:]
    shown, note = _cut(body)
    if coloured:
        note = f"{note} The colours of its cells are not printed.".lstrip()
    return PlainTable(
        tuple(_joined([row[place] for row in rows[:heads]]) for place in range(width))
        if heads
        else (),
        tuple(tuple(cell.inline for cell in row) for row in shown),
        tuple(_align([row[place].words for row in body]) for place in range(width)),
        note=note or None,
    )


def is_coloured(page: str) -> bool:
    """Whether a Styler's rules colour single cells."""
    return _COLOURED.search(page) is not None


def _spans(table: Any, line: Line) -> Iterator[list[tuple[_Cell, int, int]]]:
    """Of each row its cells, each with the columns and rows that it spans."""
    for row in table.css("tr"):
        yield [
            (
                _Cell(line(cell), cell.tag == "th"),
                _count(cell.attributes.get("colspan"), WIDEST),
                _count(cell.attributes.get("rowspan"), 100_000),
            )
            for cell in row.iter()
            if cell.tag in {"td", "th"}
        ]


def _count(given: str | None, most: int) -> int:
    return min(max(int(given), 1), most) if given and given.strip().isdecimal() else 1


def _filled(rows: Sequence[list[tuple[_Cell, int, int]]]) -> list[list[_Cell]]:
    """The rows with every spanning cell in each place that it covers."""
    open_cells: dict[int, tuple[_Cell, int]] = {}
    done = []
    for row in rows:
        filled: list[_Cell] = []
        waiting = [(cell, rows_) for cell, columns, rows_ in row for _ in range(columns)]
        while waiting or len(filled) in open_cells:
            place = len(filled)
            cell, left = open_cells.pop(place) if place in open_cells else waiting.pop(0)
            filled.append(cell)
            if left > 1:
                open_cells[place] = (cell, left - 1)
        done.append(filled)
    return done


def _header_rows(table: Any, rows: list[list[_Cell]]) -> int:
    """How many rows are the header: those of thead, or the first ones of th alone."""
    stated = len(table.css("thead tr"))
    if stated:
        return stated
    found = 0
    while found < len(rows) - 1 and rows[found] and all(cell.head for cell in rows[found]):
        found += 1
    return found


def _joined(cells: list[_Cell]) -> tuple[Inline, ...]:
    """A column's header: the words of its levels, outermost first."""
    words = list(dict.fromkeys(cell.words for cell in cells if cell.words))
    return (Text(" · ".join(words)),) if words else ()


def _cut(rows: list[list[_Cell]]) -> tuple[list[list[_Cell]], str]:
    """The rows that are printed, and what is said of the others."""
    count = len(rows)
    if not count:
        return [], "The table has no rows."
    if count <= WHOLE_ROWS:
        return rows, ""
    gap = [_Cell((Text("…"),))] * len(rows[0])
    first, last = FIRST_ROWS + 1, count - LAST_ROWS
    note = f"Rows {first} to {last:,} of {count:,} are not printed."
    return [*rows[:FIRST_ROWS], gap, *rows[-LAST_ROWS:]], note


def _align(texts: list[str]) -> Literal["left", "right"]:
    given = [text for text in texts if text]
    numbers = all(
        text.lower() in _NO_VALUE or (len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text))
        for text in given
    )
    return "right" if given and numbers else "left"
