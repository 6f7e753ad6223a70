"""HTML that an author wrote or a library shows, as blocks: text, lists, tables, pictures.

What paper cannot show is named, never dropped: a video, what a script draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.html_tables import (
    BLOCKS,
    CODE,
    STYLES,
    UNPRINTABLE,
    UNSEEN,
    UnprintableError,
    is_coloured,
    plain_table,
    safe_link,
)

_DEEPEST = 200
_NO_ELEMENT = frozenset({"-text", "-comment"})


@dataclass(frozen=True)
class Page:
    """How the parts of a page are read that are not the page's alone.

    Attributes:
        picture: Gives the block of a picture by its address, alt text and title.
        instead: Gives the block in the place of what paper cannot show, or raises.
        text: Gives the parts of a text.
    """

    picture: Callable[[str, str, str | None], doc.Block]
    instead: Callable[[UnprintableError], doc.Block]
    text: Callable[[str], Iterable[doc.Inline]] = lambda text: (doc.Text(text),)


@dataclass(frozen=True)
class _Reader:
    page: Page
    coloured: bool
    scripts_draw: bool

    def blocks(self, parent: Any, depth: int = 0) -> Iterator[doc.Block]:
        """The blocks in an element."""
        if depth > _DEEPEST:
            raise UnprintableError("HTML of more than 200 levels")
        words: list[Any] = []
        for node in parent.iter(include_text=True):
            if _begins_block(node):
                yield from self._paragraph(words)
                words = []
                try:
                    yield from self._block(node, depth)
                except UnprintableError as problem:
                    yield self.page.instead(problem)
            else:
                words.append(node)
        yield from self._paragraph(words)

    def _block(self, node: Any, depth: int) -> Iterable[doc.Block]:
        tag = node.tag
        if tag == "script" and not self.scripts_draw:
            return ()
        if tag in UNPRINTABLE:
            raise UnprintableError(UNPRINTABLE[tag])
        read = _BLOCKS.get(tag)
        return self.blocks(node, depth + 1) if read is None else read(self, node, depth)

    def _picture(self, node: Any, _: int) -> Iterator[doc.Block]:
        given = node.attributes
        yield self.page.picture(given.get("src") or "", given.get("alt") or "", given.get("title"))

    def _heading(self, node: Any, _: int) -> Iterator[doc.Block]:
        children = self.line(node)
        if children:
            yield doc.Heading(int(node.tag[1]), children, doc.slug(doc.plain_text(children)))

    def _code(self, node: Any, _: int) -> Iterator[doc.Block]:
        text = (node.text() or "").strip("\n")
        if text.strip():
            yield doc.CodeBlock(text)

    def _quote(self, node: Any, depth: int) -> Iterator[doc.Block]:
        yield doc.Quote(tuple(self.blocks(node, depth + 1)))

    def _items(self, node: Any, depth: int) -> Iterator[doc.Block]:
        items = [tuple(self.blocks(item, depth + 1)) for item in node.iter() if item.tag == "li"]
        start = 1 if node.tag == "ol" else None
        if items:
            yield doc.Items(tuple(items), start, tight=True)

    def _table(self, node: Any, _: int) -> Iterator[doc.Block]:
        caption = node.css_first("caption")
        if caption is not None:
            yield from self._paragraph([caption])
        table = plain_table(node, self.line, coloured=self.coloured)
        yield from [table] if table else []

    def _paragraph(self, nodes: list[Any]) -> Iterator[doc.Block]:
        children = trimmed([part for node in nodes for part in self._inline(node)])
        if children:
            yield doc.Paragraph(children)

    def line(self, node: Any) -> tuple[doc.Inline, ...]:
        """What stands in an element, as parts of a line."""
        return trimmed(list(self._inside(node)))

    def _inside(self, node: Any) -> Iterator[doc.Inline]:
        for child in node.iter(include_text=True):
            yield from self._inline(child)

    def _inline(self, node: Any) -> Iterable[doc.Inline]:
        tag = node.tag
        if tag == "-text":
            return self.page.text(re.sub(r"\s+", " ", node.text_content or ""))
        if tag in UNPRINTABLE:
            raise UnprintableError(UNPRINTABLE[tag])
        if tag in UNSEEN or tag == "-comment":
            return ()
        return _INLINES.get(tag, _Reader._element)(self, node)

    def _element(self, node: Any) -> Iterable[doc.Inline]:
        children = tuple(self._inside(node))
        link = safe_link(node.attributes.get("href") or "") if node.tag == "a" else None
        if node.tag in STYLES and children:
            return (doc.Marked(STYLES[node.tag], children),)
        return (doc.Link(link, children),) if link and children else children


_BLOCKS: dict[str, Callable[[_Reader, Any, int], Iterable[doc.Block]]] = {
    **{f"h{level}": _Reader._heading for level in range(1, 7)},
    "img": _Reader._picture,
    "hr": lambda _reader, _node, _depth: (doc.Rule(),),
    "pre": _Reader._code,
    "blockquote": _Reader._quote,
    "ul": _Reader._items,
    "ol": _Reader._items,
    "table": _Reader._table,
}

_INLINES: dict[str, Callable[[_Reader, Any], Iterable[doc.Inline]]] = {
    "br": lambda _reader, _node: (doc.LineBreak(),),
    "img": lambda _reader, node: (doc.Text(node.attributes.get("alt") or "(a picture)"),),
    **dict.fromkeys(CODE, lambda _reader, node: (doc.CodeSpan(node.text()),)),
}


def read_html(text: str, page: Page) -> tuple[doc.Block, ...]:
    """The blocks of HTML; raises what ``page`` raises."""
    from selectolax.lexbor import LexborHTMLParser

    body = LexborHTMLParser(text).body
    if body is None:
        return ()
    # beside a table or a picture a script only serves who has a mouse
    draws = body.css_first("table, img") is None
    found = list(_Reader(page, is_coloured(text), draws).blocks(body))
    return tuple(
        block
        for block, before in zip(found, [None, *found], strict=False)
        if block != before or not isinstance(block, doc.NotShown)
    )


def _begins_block(node: Any) -> bool:
    """Whether a paragraph ends here: also at a table that stands in a font."""
    if node.tag in _NO_ELEMENT:
        return False
    return any(
        item.tag in BLOCKS or item.tag in UNPRINTABLE or item.tag == "img"
        for item in node.traverse()
    )


def trimmed(parts: list[doc.Inline]) -> tuple[doc.Inline, ...]:
    """The parts without blanks and line breaks at both ends; empty where nothing is left."""
    while parts and _is_blank(parts[0]):
        parts = parts[1:]
    while parts and _is_blank(parts[-1]):
        parts = parts[:-1]
    if parts and isinstance(parts[0], doc.Text):
        parts[0] = doc.Text(parts[0].text.lstrip())
    if parts and isinstance(parts[-1], doc.Text):
        parts[-1] = doc.Text(parts[-1].text.rstrip())
    return tuple(parts)


def _is_blank(part: doc.Inline) -> bool:
    return isinstance(part, doc.LineBreak) or (isinstance(part, doc.Text) and not part.text.strip())
