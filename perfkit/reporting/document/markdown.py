"""Markdown to blocks: CommonMark with tables, strikethrough, footnotes, formulas and HTML.

``{{say ID}}`` places a computed statement, ``{{see ID}}`` a numbered cross-reference. Refused with
the place named, all in one pass: an unknown placeholder, a picture that is not there; in a report
on a study also a picture without words for those who cannot see it, and what paper cannot show. In
an author's own notebook its name stands in its place.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ReportError
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.formulas import dollars, formula
from perfkit.reporting.document.html_reader import Page, read_html, trimmed
from perfkit.reporting.document.html_tables import (
    STYLES,
    UNPRINTABLE,
    UnprintableError,
    is_known,
    safe_link,
    tag_of,
)
from perfkit.reporting.document.pictures import UNDESCRIBED

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    from perfkit.reporting.document.records import Align

PictureReader = Callable[[str], tuple[bytes, str]]
"""Gives the bytes and the mime type of a picture by its address; raises ReportError."""

_PLACE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_ALIGN = re.compile(r"text-align:(left|center|right)")
_COMMENT = re.compile(r"\s*(<!--.*?-->\s*)+", re.S)


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)
    return parser.use(dollars)


def parse(
    text: str, origin: str, pictures: PictureReader | None = None, *, own: bool = False
) -> tuple[doc.Block, ...]:
    """The blocks of a Markdown text.

    Args:
        text: The Markdown.
        origin: Where it stands ("cell 3", "sections/method.md"), for errors and footnotes.
        pictures: Reads a picture by its address; without it pictures are refused.
        own: Whether it stands in an author's own notebook, not in a report on a study.

    Raises:
        ReportError: A line for each unknown placeholder, picture that is not there or has no alt
            text, and thing that paper cannot show.
    """
    from markdown_it.tree import SyntaxTreeNode

    tree = SyntaxTreeNode(_parser().parse(text))
    reader = _Reader(origin, pictures, own)
    for node in tree.children:
        if node.type == "footnote_block":
            reader.footnotes = {child.meta["id"]: child for child in node.children}
    found = tuple(reader.blocks(tree))
    if reader.problems:
        raise ReportError("\n  ".join(dict.fromkeys(reader.problems)))
    return found


@dataclass
class _Reader:
    origin: str
    pictures: PictureReader | None
    own: bool
    problems: list[str] = field(default_factory=list)
    footnotes: dict[int, SyntaxTreeNode] = field(default_factory=dict)
    called: set[int] = field(default_factory=set)

    def fail(self, problem: str, node: SyntaxTreeNode | None = None) -> ReportError:
        line = f", line {node.map[0] + 1}" if node is not None and node.map else ""
        return ReportError(f"{self.origin}{line}: {problem}")

    # blocks

    def blocks(self, parent: SyntaxTreeNode) -> Iterator[doc.Block]:
        for node in parent.children:
            if node.type in {"footnote_block", "footnote_anchor"}:
                continue
            try:
                yield from self.block(node)
            except UnprintableError as problem:
                yield from self.instead(problem, node)
            except ReportError as problem:
                self.problems.append(str(problem))

    def block(self, node: SyntaxTreeNode) -> Iterable[doc.Block]:
        if node.type not in _BLOCKS:
            raise self.fail(f"Markdown of the kind {node.type!r} cannot be shown in a report", node)
        found = _BLOCKS[node.type](self, node)
        return found if isinstance(found, Iterable) else (found,)

    def instead(
        self, problem: UnprintableError, node: SyntaxTreeNode | None = None
    ) -> Iterator[doc.Block]:
        """What stands in the place of what paper cannot show."""
        if self.own:
            yield doc.NotShown(str(problem))
        else:
            self.problems.append(str(self.fail(f"{problem} cannot be printed", node)))

    def heading(self, node: SyntaxTreeNode) -> doc.Block:
        children = self.inline_of(node)
        return doc.Heading(int(node.tag[1]), children, doc.slug(doc.plain_text(children)))

    def paragraph(self, node: SyntaxTreeNode) -> Iterator[doc.Block]:
        """The paragraph, and each picture in it by itself."""
        for is_picture, group in itertools.groupby(node.children[0].children, _is_picture):
            if is_picture:
                yield from self.shown_pictures(group)
            elif children := trimmed(list(self.folded(group))):
                yield doc.Paragraph(children)

    def shown_pictures(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[doc.Block]:
        for node in nodes:
            try:
                yield self.picture(*_picture_of(node))
            except UnprintableError as problem:
                yield from self.instead(problem)

    def items(self, node: SyntaxTreeNode) -> doc.Block:
        items = tuple(tuple(self.blocks(item)) for item in node.children)
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        tight = all(
            child.hidden
            for item in node.children
            for child in item.children
            if child.type == "paragraph"
        )
        return doc.Items(items, start, tight)

    def quote(self, node: SyntaxTreeNode) -> doc.Block:
        blocks = tuple(self.blocks(node))
        match blocks:
            case (doc.Paragraph((doc.Marked("strong", words), *_)), *_) if doc.plain_text(
                words
            ).endswith(":"):
                return doc.Note(blocks)
            case _:
                return doc.Quote(blocks)

    def code(self, node: SyntaxTreeNode) -> doc.Block:
        return doc.CodeBlock(node.content.rstrip("\n"), (node.info or "").split(" ")[0] or None)

    def table(self, node: SyntaxTreeNode) -> doc.Block:
        head, *body = node.children
        cells = head.children[0].children
        header = tuple(self.inline_of(cell) for cell in cells)
        rows = tuple(
            tuple(self.inline_of(cell) for cell in row.children)
            for part in body
            for row in part.children
        )
        aligns = tuple(_align(cell) for cell in cells)
        return doc.PlainTable(header, rows, aligns, own=_of_placed_numbers((header, *rows)))

    def picture(self, address: str, alt: str, title: str | None) -> doc.Picture:
        name = re.sub(r"^attachment:", "", address).rsplit("/", 1)[-1].rsplit(".", 1)[0]
        alt = alt.strip()
        if not alt and self.own:
            alt = UNDESCRIBED.format(f"Picture in {self.origin}")
        if not alt:
            raise self.fail(f"the picture {address!r} has no alt text: ![what it shows]({address})")
        if self.pictures is None:
            raise self.fail("a picture is not allowed here")
        data, mime = self.pictures(address)
        return doc.Picture(data, mime, alt, title or None, doc.slug(name) if title else None)

    def html_block(self, node: SyntaxTreeNode) -> tuple[doc.Block, ...]:
        names = re.findall(r"</?([a-zA-Z][\w-]*)", node.content)
        if not all(is_known(name.lower()) for name in names):
            return (doc.paragraph(node.content.strip()),)
        return read_html(node.content, Page(self.picture, self.in_html, self.text))

    def in_html(self, problem: UnprintableError) -> doc.Block:
        if self.own:
            return doc.NotShown(str(problem))
        raise problem

    def formula(self, node: SyntaxTreeNode) -> doc.Block:
        return doc.Paragraph((formula(node.content, display=True),))

    # inside a paragraph

    def inline_of(self, node: SyntaxTreeNode) -> tuple[doc.Inline, ...]:
        return self.inlines(node.children[0]) if node.children else ()

    def inlines(self, parent: SyntaxTreeNode) -> tuple[doc.Inline, ...]:
        return tuple(self.folded(parent.children))

    def folded(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[doc.Inline]:
        """The parts of a line; what stands between two tags of HTML becomes one part."""
        open_parts: list[_Open] = [_Open("")]
        for node in nodes:
            tag = tag_of(node.content) if node.type == "html_inline" else None
            if tag is None:
                open_parts[-1].parts += self.inline(node)
            elif tag[1]:
                _close(open_parts, tag[0])
            else:
                self.open(open_parts, node.content, *tag)
        while len(open_parts) > 1:
            _close(open_parts, open_parts[-1].tag)
        yield from open_parts[0].parts

    def open(
        self, open_parts: list[_Open], written: str, name: str, _: bool, given: dict[str, str]
    ) -> None:
        """Begin an element in a line; a word between signs, <name>, stays one."""
        parts = open_parts[-1].parts
        if name in UNPRINTABLE:
            raise UnprintableError(UNPRINTABLE[name])
        if not is_known(name):
            parts.append(doc.Text(written))
        elif name == "br":
            parts.append(doc.LineBreak())
        elif name == "img":
            parts.append(doc.Text(given.get("alt") or "(a picture)"))
        elif name in STYLES or name == "a":
            open_parts.append(_Open(name, safe_link(given.get("href", ""))))

    def inline(self, node: SyntaxTreeNode) -> Iterable[doc.Inline]:
        match node.type:
            case "text" | "text_special":
                return self.text(node.content)
            case "html_inline":
                return () if _COMMENT.fullmatch(node.content) else (doc.Text(node.content),)
            case "image":  # in a link, a heading or a table
                return (doc.Text(node.content.strip() or "(a picture)"),)
        return (_INLINES[node.type](self, node),)

    def text(self, text: str) -> Iterator[doc.Inline]:
        end = 0
        for place in _PLACE.finditer(text):
            if place.start() > end:
                yield doc.Text(text[end : place.start()])
            yield self.place(place[0], place[1].split())
            end = place.end()
        if end < len(text):
            yield doc.Text(text[end:])

    def place(self, written: str, words: list[str]) -> doc.Inline:
        match words:
            case ["say", value_id]:
                return doc.Say(value_id)
            case ["see", target]:
                return doc.See(target)
            case _:
                raise self.fail(f"{written} is neither {{{{say ID}}}} nor {{{{see ID}}}}")

    def marked(self, node: SyntaxTreeNode) -> doc.Inline:
        return doc.Marked(_STYLES[node.type], self.inlines(node))

    def link(self, node: SyntaxTreeNode) -> doc.Inline:
        return doc.Link(str(node.attrs["href"]), self.inlines(node))

    def footnote(self, node: SyntaxTreeNode) -> doc.Inline:
        number = node.meta["id"]
        first = number not in self.called
        self.called.add(number)
        blocks = tuple(self.blocks(self.footnotes[number])) if first else ()
        return doc.Footnote(f"{doc.slug(self.origin)}-{number + 1}", blocks, first)


@dataclass
class _Open:
    """An element of HTML in a line that has begun: its parts so far."""

    tag: str
    link: str | None = None
    parts: list[doc.Inline] = field(default_factory=list)

    def whole(self) -> tuple[doc.Inline, ...]:
        parts = tuple(self.parts)
        if self.tag in STYLES and parts:
            return (doc.Marked(STYLES[self.tag], parts),)
        return (doc.Link(self.link, parts),) if self.link and parts else parts


def _close(open_parts: list[_Open], name: str) -> None:
    """End the innermost element of that name and those that began in it; none: nothing ends."""
    if name not in [item.tag for item in open_parts[1:]]:
        return
    closed = ""
    while closed != name:
        ended = open_parts.pop()
        closed = ended.tag
        open_parts[-1].parts += ended.whole()


def _is_picture(node: SyntaxTreeNode) -> bool:
    tag = tag_of(node.content) if node.type == "html_inline" else None
    return node.type == "image" or (tag is not None and tag[0] == "img")


def _picture_of(node: SyntaxTreeNode) -> tuple[str, str, str | None]:
    """Address, alt text and title of a picture, in Markdown or HTML."""
    tag = tag_of(node.content) if node.type == "html_inline" else None
    given = tag[2] if tag else {**node.attrs, "alt": node.content}
    title = given.get("title")
    return str(given.get("src", "")), str(given.get("alt", "")), str(title) if title else None


_STYLES: dict[str, doc.Style] = {
    "strong": "strong",
    "em": "emph",
    "s": "strike",
}

_BLOCKS: dict[str, Callable[[_Reader, Any], doc.Block | Iterable[doc.Block]]] = {
    "heading": _Reader.heading,
    "paragraph": _Reader.paragraph,
    "bullet_list": _Reader.items,
    "ordered_list": _Reader.items,
    "blockquote": _Reader.quote,
    "fence": _Reader.code,
    "code_block": _Reader.code,
    "table": _Reader.table,
    "hr": lambda _reader, _node: doc.Rule(),
    "html_block": _Reader.html_block,
    "math_block": _Reader.formula,
    "amsmath": _Reader.formula,
}

_INLINES: dict[str, Callable[[_Reader, Any], doc.Inline]] = {
    "strong": _Reader.marked,
    "em": _Reader.marked,
    "s": _Reader.marked,
    "code_inline": lambda _reader, node: doc.CodeSpan(node.content),
    "link": _Reader.link,
    "softbreak": lambda _reader, _node: doc.Text(" "),
    "hardbreak": lambda _reader, _node: doc.LineBreak(),
    "footnote_ref": _Reader.footnote,
    "math_inline": lambda _reader, node: formula(node.content, display=False),
    "math_display": lambda _reader, node: formula(node.content, display=True),
}


def _of_placed_numbers(lines: Iterable[tuple[tuple[doc.Inline, ...], ...]]) -> bool:
    """Whether a table places statements and no number in it was typed (a name may have digits)."""
    cells = [cell for line in lines for cell in line]
    typed = any(re.search(r"(?<!\w)\d", doc.plain_text(cell)) for cell in cells)
    return not typed and any(isinstance(part, doc.Say) for cell in cells for part in cell)


_ALIGNS: dict[str, Align] = {"left": "left", "center": "center", "right": "right"}


def _align(cell: SyntaxTreeNode) -> Align:
    found = _ALIGN.search(str(cell.attrs.get("style", "")))
    return _ALIGNS[found[1]] if found else "left"
