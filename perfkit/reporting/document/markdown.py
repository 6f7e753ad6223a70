"""Markdown to blocks: CommonMark with tables, strikethrough and footnotes.

Refused with the place named: raw HTML, formulas between ``$$``, pictures without words for those
who cannot see them. ``{{say ID}}`` places a computed statement, ``{{see ID}}`` a numbered
cross-reference. A single ``$`` is a dollar sign.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from perfkit.core.errors import ReportError
from perfkit.reporting.document.blocks import (
    Block,
    CodeBlock,
    CodeSpan,
    Footnote,
    Heading,
    Inline,
    Items,
    LineBreak,
    Link,
    Marked,
    Note,
    Paragraph,
    Picture,
    PlainTable,
    Quote,
    Rule,
    Say,
    See,
    Text,
    plain_text,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

PictureReader = Callable[[str], tuple[bytes, str]]
"""Gives the bytes and the mime type of a picture by its address; raises ReportError."""

_PLACE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_ALIGN = re.compile(r"text-align:(left|center|right)")
_COMMENT = re.compile(r"\s*(<!--.*?-->\s*)+", re.S)


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).use(footnote_plugin)


def parse(text: str, origin: str, pictures: PictureReader | None = None) -> tuple[Block, ...]:
    """The blocks of a Markdown text.

    Args:
        text: The Markdown.
        origin: Where it stands ("cell 3", "sections/method.md"), for errors and footnotes.
        pictures: Reads a picture by its address; without it pictures are refused.

    Raises:
        ReportError: Raw HTML, a formula, an unknown placeholder, a picture without alt text.
    """
    from markdown_it.tree import SyntaxTreeNode

    tree = SyntaxTreeNode(_parser().parse(text))
    reader = _Reader(origin, pictures)
    for node in tree.children:
        if node.type == "footnote_block":
            reader.footnotes = {child.meta["id"]: child for child in node.children}
    return tuple(reader.blocks(tree))


@dataclass
class _Reader:
    origin: str
    pictures: PictureReader | None
    footnotes: dict[int, SyntaxTreeNode] = field(default_factory=dict)
    called: set[int] = field(default_factory=set)

    def fail(self, problem: str, node: SyntaxTreeNode | None = None) -> ReportError:
        line = f", line {node.map[0] + 1}" if node is not None and node.map else ""
        return ReportError(f"{self.origin}{line}: {problem}")

    # blocks

    def blocks(self, parent: SyntaxTreeNode) -> Iterator[Block]:
        for node in parent.children:
            if node.type in {"footnote_block", "footnote_anchor"}:
                continue
            if node.type not in _BLOCKS:
                raise self.fail(
                    f"Markdown of the kind {node.type!r} has no place in a report", node
                )
            block = _BLOCKS[node.type](self, node)
            if block is not None:
                yield block

    def heading(self, node: SyntaxTreeNode) -> Block:
        children = self.inline_of(node)
        return Heading(int(node.tag[1]), children, slug(plain_text(children)))

    def paragraph(self, node: SyntaxTreeNode) -> Block | None:
        inline = node.children[0]
        parts = [child for child in inline.children if child.type != "softbreak"]
        if len(parts) == 1 and parts[0].type == "image":
            return self.picture(parts[0])
        children = self.inline_of(node)
        return Paragraph(children) if children else None

    def items(self, node: SyntaxTreeNode) -> Block:
        items = tuple(tuple(self.blocks(item)) for item in node.children)
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        tight = all(
            child.hidden for item in node.children for child in item.children
            if child.type == "paragraph"
        )  # fmt: skip
        return Items(items, start, tight)

    def quote(self, node: SyntaxTreeNode) -> Block:
        blocks = tuple(self.blocks(node))
        match blocks:
            case (Paragraph((Marked("strong", words), *_)), *_) if plain_text(words).endswith(":"):
                return Note(blocks)
            case _:
                return Quote(blocks)

    def code(self, node: SyntaxTreeNode) -> Block:
        return CodeBlock(node.content.rstrip("\n"), (node.info or "").split(" ")[0] or None)

    def table(self, node: SyntaxTreeNode) -> Block:
        head, *body = node.children
        cells = head.children[0].children
        return PlainTable(
            tuple(self.inline_of(cell) for cell in cells),
            tuple(
                tuple(self.inline_of(cell) for cell in row.children)
                for part in body
                for row in part.children
            ),
            tuple(_align(cell) for cell in cells),
        )

    def picture(self, node: SyntaxTreeNode) -> Picture:
        address = str(node.attrs.get("src", ""))
        alt = node.content.strip()
        if not alt:
            raise self.fail(f"the picture {address!r} has no alt text: ![what it shows]({address})")
        if self.pictures is None:
            raise self.fail("a picture cannot stand here")
        data, mime = self.pictures(address)
        caption = str(node.attrs["title"]) if node.attrs.get("title") else None
        name = re.sub(r"^attachment:", "", address).rsplit("/", 1)[-1].rsplit(".", 1)[0]
        return Picture(data, mime, alt, caption, slug(name) if caption else None)

    def html_block(self, node: SyntaxTreeNode) -> None:
        self.no_html(node)

    def no_html(self, node: SyntaxTreeNode) -> None:
        if not _COMMENT.fullmatch(node.content):
            short = node.content.strip().splitlines()[0][:40]
            raise self.fail(
                f"raw HTML ({short}) cannot be printed; for a literal < write \\< or `code`", node
            )

    # inside a paragraph

    def inline_of(self, node: SyntaxTreeNode) -> tuple[Inline, ...]:
        if not node.children:
            return ()
        return tuple(self.inlines(node.children[0]))

    def inlines(self, parent: SyntaxTreeNode) -> Iterator[Inline]:
        for node in parent.children:
            if node.type in {"text", "text_special"}:
                yield from self.text(node.content)
            elif node.type == "html_inline":
                self.no_html(node)
            elif node.type == "image":
                raise self.fail("a picture stands in a paragraph of its own")
            else:
                yield _INLINES[node.type](self, node)

    def text(self, text: str) -> Iterator[Inline]:
        if "$$" in text:
            raise self.fail("formulas between $$ cannot be printed; write them in words or `code`")
        end = 0
        for place in _PLACE.finditer(text):
            if place.start() > end:
                yield Text(text[end : place.start()])
            yield self.place(place[0], place[1].split())
            end = place.end()
        if end < len(text):
            yield Text(text[end:])

    def place(self, written: str, words: list[str]) -> Inline:
        match words:
            case ["say", value_id]:
                return Say(value_id)
            case ["see", target]:
                return See(target)
            case _:
                raise self.fail(f"{written} is neither {{{{say ID}}}} nor {{{{see ID}}}}")

    def marked(self, node: SyntaxTreeNode) -> Inline:
        return Marked(_STYLES[node.type], tuple(self.inlines(node)))

    def link(self, node: SyntaxTreeNode) -> Inline:
        return Link(str(node.attrs["href"]), tuple(self.inlines(node)))

    def footnote(self, node: SyntaxTreeNode) -> Inline:
        number = node.meta["id"]
        first = number not in self.called
        self.called.add(number)
        blocks = tuple(self.blocks(self.footnotes[number])) if first else ()
        return Footnote(f"{slug(self.origin)}-{number + 1}", blocks, first)


_STYLES: dict[str, Literal["strong", "emph", "strike"]] = {
    "strong": "strong",
    "em": "emph",
    "s": "strike",
}

_BLOCKS: dict[str, Callable[[_Reader, Any], Block | None]] = {
    "heading": _Reader.heading,
    "paragraph": _Reader.paragraph,
    "bullet_list": _Reader.items,
    "ordered_list": _Reader.items,
    "blockquote": _Reader.quote,
    "fence": _Reader.code,
    "code_block": _Reader.code,
    "table": _Reader.table,
    "hr": lambda _reader, _node: Rule(),
    "html_block": _Reader.html_block,
}

_INLINES: dict[str, Callable[[_Reader, Any], Inline]] = {
    "strong": _Reader.marked,
    "em": _Reader.marked,
    "s": _Reader.marked,
    "code_inline": lambda _reader, node: CodeSpan(node.content),
    "link": _Reader.link,
    "softbreak": lambda _reader, _node: Text(" "),
    "hardbreak": lambda _reader, _node: LineBreak(),
    "footnote_ref": _Reader.footnote,
}


def _align(cell: SyntaxTreeNode) -> Literal["left", "center", "right"]:
    found = _ALIGN.search(str(cell.attrs.get("style", "")))
    return found[1] if found else "left"  # type: ignore[return-value]


def slug(text: str) -> str:
    """A name for a heading or file: lower-case words joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", text.lower())) or "x"
