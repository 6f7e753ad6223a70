"""Names and numbers in a report: unique ids, "Table 3", and what cross-references point to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from perfkit.core.errors import ReportError, did_you_mean
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.beside import Spoken, after

Kind = Literal["Table", "Figure", "Section", "Heading"]


@dataclass(frozen=True)
class Label:
    """What a cross-reference shows: "Table 3", "Section 2.1", or the title of back matter."""

    kind: Kind
    number: str
    title: str

    @property
    def text(self) -> str:
        """The words of the reference."""
        return f"{self.kind} {self.number}" if self.number else self.title


def value_id(block: doc.Block) -> str | None:
    """The id by which a block is known, if it has one."""
    match block:
        case doc.ChartBlock(record, _) | doc.TableBlock(record) | doc.VerdictBlock(record):
            return record.id
        case doc.Picture(anchor=anchor):
            return anchor
        case _:
            return None


def unique_headings(blocks: list[doc.Placed]) -> list[doc.Placed]:
    """The blocks with every heading's anchor made unique: results, results-2, results-3.

    The first of its words keeps its anchor; a number that some heading's own words take is left
    to it: "Results", "Results", "Results 2" are results, results-3, results-2.
    """
    first = [p.block.anchor for p in blocks if isinstance(p.block, doc.Heading)]
    taken, seen = set(first), set[str]()
    done = []
    for placed in blocks:
        if isinstance(placed.block, doc.Heading):
            own = name = placed.block.anchor
            number = 1
            while name in seen or (name != own and name in taken):
                number += 1
                name = f"{own}-{number}"
            seen.add(name)
            done.append(replace(placed, block=replace(placed.block, anchor=name)))
        else:
            done.append(placed)
    return done


def check_unique(named: Iterable[tuple[str, str]]) -> None:
    """ReportError when an id (first of each pair) stands at two origins (second)."""
    seen: dict[str, str] = {}
    for name, origin in named:
        if name in seen:
            raise ReportError(
                f"{origin}: the id {name!r} is already used by {seen[name]}; "
                "ids are unique in a report (value.renamed('other-id'))"
            )
        seen[name] = origin


def label_all(blocks: list[doc.Placed]) -> dict[str, Label]:
    """Id or heading anchor -> label, numbered in reading order as the typesetter does.

    A heading is also there as ``#anchor``, where no value's id can hide it.
    """
    counts: Counter[str] = Counter()
    sections: list[int] = []
    labels: dict[str, Label] = {}
    headings: dict[str, Label] = {}
    for placed in blocks:
        for block in walk(placed.block):
            if isinstance(block, doc.Heading):
                headings[block.anchor] = _heading_label(block, sections)
            kind = _kind(block)
            if kind:
                counts[kind] += 1
                name = value_id(block)
                if name:
                    labels[name] = Label(kind, str(counts[kind]), "")
    anchors = {f"#{anchor}": label for anchor, label in headings.items()}
    return headings | labels | anchors


def foreign(blocks: Iterable[doc.Placed]) -> list[str]:
    """All pictures, tables and printed text not made by perfkit, and where each comes from."""
    counts: Counter[str] = Counter()
    found = []
    for placed in blocks:
        for block in walk(placed.block):
            kind = _kind(block)
            counts[kind or ""] += 1
            for inner in (block, *_in_footnotes(block)):
                name = _foreign_name(inner, f"Figure {counts['Figure']}")
                if name:
                    found.append(f"{name} ({placed.origin})")
    return found


def _foreign_name(block: doc.Block, figure: str) -> str | None:
    match block:
        case doc.Picture(caption=caption):
            return figure if caption else "a picture"
        case doc.PlainTable(own=False):
            return "a table"
        case doc.CodeBlock(printed=True):
            return "printed text"
        case _:
            return None


def _in_footnotes(block: doc.Block) -> Iterator[doc.Block]:
    """Every block in the footnotes of a block's own lines."""
    match block:
        case doc.Paragraph(children) | doc.Heading(children=children):
            lines = [children]
        case doc.PlainTable(header, rows):
            lines = [*header, *(cell for row in rows for cell in row)]
        case _:
            lines = []
    for note in (note for line in lines for note in _footnotes(line)):
        for part in note.blocks:
            for inner in walk(part):
                yield inner
                yield from _in_footnotes(inner)


def _footnotes(line: Iterable[doc.Inline]) -> Iterator[doc.Footnote]:
    for part in line:
        match part:
            case doc.Footnote():
                yield part
            case doc.Marked(_, children) | doc.Link(_, children):
                yield from _footnotes(children)


def shows(block: doc.Block) -> bool:
    """Whether a block is a value or a picture, and no text."""
    return isinstance(
        block,
        doc.ChartBlock
        | doc.Picture
        | doc.PlainTable
        | doc.StatementBlock
        | doc.TableBlock
        | doc.VerdictBlock,
    )


def placed_statements(block: doc.Block) -> Iterator[str]:
    """The ids of the statements that have a place in a block's text."""
    found: list[str] = []

    def line(children: tuple[doc.Inline, ...]) -> tuple[doc.Inline, ...]:
        found.extend(part.value_id for child in children for part in _says(child))
        return children

    _map_block(block, line)
    return iter(found)


def _kind(block: doc.Block) -> Kind | None:
    match block:
        case doc.ChartBlock():
            return "Figure"
        case doc.Picture(caption=caption):
            return "Figure" if caption else None
        case doc.TableBlock() | doc.VerdictBlock():
            return "Table"
        case _:
            return None


def _heading_label(block: doc.Heading, sections: list[int]) -> Label:
    title = doc.plain_text(block.children)
    if not block.numbered:
        return Label("Heading", "", title)
    del sections[block.level :]
    while len(sections) < block.level:
        sections.append(0)
    sections[block.level - 1] += 1
    return Label("Section", ".".join(str(number) for number in sections), title)


def walk(block: doc.Block) -> Iterator[doc.Block]:
    """The block and every block inside it."""
    yield block
    match block:
        case doc.Items(items, _, _):
            inner = [part for item in items for part in item]
        case doc.Quote(blocks) | doc.Note(blocks):
            inner = list(blocks)
        case doc.Beside(parts):
            inner = [block for blocks in parts for block in blocks]
        case _:
            inner = []
    for part in inner:
        yield from walk(part)


# --- placeholders -------------------------------------------------------------------------------


Statements = dict[str, doc.StatementBlock]


@dataclass(frozen=True)
class Resolver:
    """Puts statements in their places and checks what cross-references point to.

    ``unanswered`` are the reasons for statements that are not there. ``said`` collects the
    statements that were placed, ``spoken`` the cautions beside them, ``lacking`` what is not there.
    """

    statements: Statements
    labels: dict[str, Label]
    unanswered: tuple[str, ...] = ()
    said: Statements = field(default_factory=dict)
    spoken: Spoken = field(default_factory=Spoken)
    lacking: list[str] = field(default_factory=list)

    def check(self) -> None:
        """ReportError with every id that is not there, each with its place."""
        if self.lacking:
            raise ReportError("\n  ".join(self.lacking))

    def resolve(self, placed: doc.Placed, section: str) -> doc.Placed:
        """The block with statements placed; an id that is not there is told by ``check``.

        What must be known beside the statements of a paragraph stands at its end, once; where the
        same stands in a paragraph of an earlier section, that is named.
        """

        def line(children: tuple[doc.Inline, ...]) -> tuple[doc.Inline, ...]:
            ids = [part.value_id for child in children for part in _says(child)]
            done = tuple(
                _map_inline(child, lambda part: self._inline(part, placed.origin), line)
                for child in children
            )
            found = [self.said[name] for name in ids if name in self.said]
            told = [item for block in found for item in after(block.record)]
            cautions = self.spoken.beside(told, section)
            return (*done, doc.Text(f" {cautions}")) if cautions else done

        return replace(placed, block=_map_block(placed.block, line))

    def _inline(self, part: doc.Inline, origin: str) -> doc.Inline:
        if isinstance(part, doc.Say):
            if part.value_id not in self.statements:
                hint = did_you_mean(part.value_id, list(self.statements))
                hint += "".join(f"; unanswered: {reason}" for reason in self.unanswered)
                self.lacking.append(
                    f"{origin}: {{{{say {part.value_id}}}}}: no such statement; {hint}"
                )
                return part
            self.said[part.value_id] = self.statements[part.value_id]
            found = self.statements[part.value_id]
            return doc.Said(_sentence(found), found.record)
        if isinstance(part, doc.See) and part.target not in self.labels:
            hint = did_you_mean(part.target, [name for name in self.labels if name[0] != "#"])
            if part.target in self.statements:
                hint = f"it is a statement: {{{{say {part.target}}}}}"
            self.lacking.append(
                f"{origin}: {{{{see {part.target}}}}}: no such table, figure or heading; {hint}"
            )
        return part


Line = Callable[[tuple[doc.Inline, ...]], tuple[doc.Inline, ...]]


def _says(part: doc.Inline) -> Iterator[doc.Say]:
    """The places of statements in a part of a paragraph."""
    match part:
        case doc.Say():
            yield part
        case doc.Marked(_, children) | doc.Link(_, children):
            for child in children:
                yield from _says(child)


def _map_block(block: doc.Block, line: Line) -> doc.Block:
    def inner(blocks: tuple[doc.Block, ...]) -> tuple[doc.Block, ...]:
        return tuple(_map_block(part, line) for part in blocks)

    match block:
        case doc.Paragraph(children) | doc.Heading(children=children):
            return replace(block, children=line(children))
        case doc.Items(items, _, _):
            return replace(block, items=tuple(inner(item) for item in items))
        case doc.Quote(blocks) | doc.Note(blocks):
            return replace(block, blocks=inner(blocks))
        case doc.Beside(parts):
            return replace(block, parts=tuple(inner(blocks) for blocks in parts))
        case doc.PlainTable(header, rows, _, _):
            return replace(
                block,
                header=tuple(line(cell) for cell in header),
                rows=tuple(tuple(line(cell) for cell in row) for row in rows),
            )
        case _:
            return block


def _map_inline(
    part: doc.Inline, change: Callable[[doc.Inline], doc.Inline], line: Line
) -> doc.Inline:
    match part:
        case doc.Marked(_, children) | doc.Link(_, children):
            inner = tuple(_map_inline(child, change, line) for child in children)
            return replace(part, children=inner)
        case doc.Footnote(_, blocks, _):
            return replace(part, blocks=tuple(_map_block(block, line) for block in blocks))
        case _:
            return change(part)


def statement_text(block: doc.StatementBlock, told: str | None) -> str:
    """The sentence as a paragraph of its own, with what must be known beside it."""
    return f"{_sentence(block)} {told or ''}".rstrip()


def _sentence(block: doc.StatementBlock) -> str:
    """The sentence as printed; marked when it cannot be followed back to files."""
    mark = "" if block.record.lineage.traceable else " (not traceable)"
    return f"{block.record.text}{mark}"
