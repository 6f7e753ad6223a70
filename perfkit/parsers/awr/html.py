"""AWR as HTML: every table of the document as a RawTable, its rows walked only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from perfkit.parsers.awr.raw import Body, Column, RawTable

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_CELLS = frozenset({"td", "th"})
_NEAR = 6
"""How many nodes before a table may hold the text that names it."""

_NEAR_TEXT = 200
"""How much of that text is kept."""

_LONG = 2000
"""A cell with more text than this is looked at for a table inside it."""


def tables(document: LexborHTMLParser, *, cut: bool) -> list[RawTable]:
    """All tables, in order. With ``cut`` the last one is marked: the file ends in it."""
    heading = anchor = ""
    found: list[RawTable] = []
    nodes = document.css("a[name], h1, h2, h3, table")
    last = next((node for node in reversed(nodes) if node.tag == "table"), None)
    for node in nodes:
        tag = node.tag
        if tag == "a":
            anchor = node.attributes.get("name") or ""
        elif tag == "table":
            found.append(_table(node, heading, anchor, len(found) + 1, cut=cut and node is last))
        else:
            heading = _squeezed(node.text())
    return found


def _table(node: LexborNode, heading: str, anchor: str, number: int, *, cut: bool) -> RawTable:
    return RawTable(
        title=heading,
        summary=_squeezed(node.attributes.get("summary") or ""),
        anchor=anchor,
        place=f"table {number}",
        open=lambda: _body(node),
        near=lambda: _before(node),
        cut=cut,
    )


def _body(node: LexborNode) -> Body:
    rows = list(_rows(node))
    head = _head(rows)
    body = rows[len(head) :]
    return Body(_columns(head), lambda: [texts for row in body if (texts := _texts(row))])


def _before(node: LexborNode) -> str:
    """The bare text just before a table: in the summary of a report it is its only heading."""
    other: Any = node.prev
    for _ in range(_NEAR):
        if other is None or other.tag in ("table", "script", "style"):
            return ""
        text = _squeezed(other.text())
        if text:
            return text[:_NEAR_TEXT]
        other = other.prev
    return ""


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    """The table's own rows: a missing end tag puts other tables into a cell of this one."""
    for part in table.iter():
        if part.tag == "tr":
            yield part
        elif part.tag in ("tbody", "thead", "tfoot"):
            yield from (row for row in part.iter() if row.tag == "tr")


def _head(rows: list[LexborNode]) -> list[LexborNode]:
    """The rows at the beginning that hold header cells."""
    head = []
    for row in rows:
        if not any(cell.tag == "th" for cell in row.iter()):
            break
        head.append(row)
    return head


def _columns(head: list[LexborNode]) -> tuple[Column, ...]:
    """The header: the last row names the columns, the row above it their groups."""
    if not head:
        return ()
    names = [_squeezed(cell.text()) for cell in head[-1].iter() if cell.tag in _CELLS]
    groups: list[str] = []
    for row in head[-2:-1]:
        for cell in row.iter():
            if cell.tag in _CELLS:
                groups += [_squeezed(cell.text())] * _span(cell)
    groups += [""] * (len(names) - len(groups))
    return tuple(Column(group, name) for group, name in zip(groups, names, strict=False))


def _span(cell: LexborNode) -> int:
    text = (cell.attributes.get("colspan") or "1").strip()
    return min(int(text), 100) if text.isdecimal() and len(text) < 4 else 1  # noqa: PLR2004


def _texts(row: LexborNode) -> list[str]:
    """The texts of a row's cells; of a cell that swallowed the rest of the page, its own text."""
    texts = []
    for cell in row.iter():
        tag = cell.tag
        if tag == "td" or tag == "th":  # noqa: PLR1714 - measured: the hot line of the reader
            text = cell.text().strip()
            if len(text) > _LONG and cell.css_first("table") is not None:
                text = cell.text(deep=False).strip()
            texts.append(text)
    return texts


def _squeezed(text: str) -> str:
    return " ".join(text.split())
