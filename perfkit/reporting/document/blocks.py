"""The neutral parts of a report: what both writers (Typst and HTML) know how to set.

A report is a list of blocks, each with its place of origin ("cell 7", "sections/method.md"), so
that a mistake found late still names the cell it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from perfkit.core.cautions import Caution
    from perfkit.core.values import PlotlyJson
    from perfkit.reporting.document import records as of
    from perfkit.reporting.document.records import Align

CONTENTS_DEPTH = 3
"""Headings down to this level stand in the contents."""

# --- inside a paragraph -------------------------------------------------------------------------

Style: TypeAlias = Literal["strong", "emph", "strike", "super", "sub"]


@dataclass(frozen=True)
class Text:
    """Characters that appear as they are."""

    text: str


@dataclass(frozen=True)
class Marked:
    """Text set apart."""

    style: Style
    children: tuple[Inline, ...]


@dataclass(frozen=True)
class CodeSpan:
    """Code inside a sentence."""

    text: str


@dataclass(frozen=True)
class Math:
    """A formula as its author wrote it, and as MathML; ``display`` sets it on a line of its own."""

    latex: str
    mathml: str = field(repr=False)
    display: bool


@dataclass(frozen=True)
class Link:
    """A hyperlink."""

    url: str
    children: tuple[Inline, ...]


@dataclass(frozen=True)
class LineBreak:
    """A new line inside a paragraph."""


@dataclass(frozen=True)
class Said:
    """A computed sentence in its place, with its record."""

    text: str
    record: of.StatementRecord = field(repr=False)


@dataclass(frozen=True)
class Say:
    """The place of a computed statement, by id."""

    value_id: str


@dataclass(frozen=True)
class See:
    """A numbered cross-reference to a table, figure or heading, by id."""

    target: str


@dataclass(frozen=True)
class Footnote:
    """A footnote; ``key`` is unique in the report, ``first`` is false for later calls of it."""

    key: str
    blocks: tuple[Block, ...]
    first: bool


Inline: TypeAlias = Text | Marked | CodeSpan | Math | Link | LineBreak | Say | Said | See | Footnote

# --- blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    """A heading; ``anchor`` is its name for cross-references; without number in back matter.

    One that is not ``listed`` is not among the contents.
    """

    level: int
    children: tuple[Inline, ...]
    anchor: str
    numbered: bool = True
    listed: bool = True

    @property
    def in_contents(self) -> bool:
        """Whether it stands in the contents; the parts of an appendix do not."""
        own = self.numbered or self.level == 1
        return self.listed and own and self.level <= CONTENTS_DEPTH


@dataclass(frozen=True)
class Paragraph:
    """Running text; where it ``leads`` it stands on the page on which the next block begins."""

    children: tuple[Inline, ...]
    leads: bool = False


@dataclass(frozen=True)
class Items:
    """A list; ``start`` is the first number of an ordered one and None for bullets."""

    items: tuple[tuple[Block, ...], ...]
    start: int | None
    tight: bool


@dataclass(frozen=True)
class Quote:
    """Words of others."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Note:
    """A note beside the text, with its bold label as the first word of the first paragraph."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class CodeBlock:
    """Lines of code; where many of them have a ``summary``, a page shows that until asked.

    ``printed`` by a cell of an author's own notebook.
    """

    text: str
    language: str | None = None
    summary: str | None = None
    printed: bool = False


@dataclass(frozen=True)
class Rule:
    """A line across the text."""


@dataclass(frozen=True)
class PlainTable:
    """A table without caption and number, from Markdown or a frame.

    ``own``: perfkit made it, or every number in it is that of a statement placed in it.
    ``header`` is empty where the table has none; ``note`` says below it what it leaves out.
    """

    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]
    aligns: tuple[Align, ...]
    own: bool = False
    note: str | None = None


@dataclass(frozen=True)
class Picture:
    """An image that perfkit did not make; with a caption it is numbered as a figure."""

    data: bytes
    mime: str
    alt: str
    caption: str | None
    anchor: str | None


@dataclass(frozen=True)
class ChartBlock:
    """A Plotly chart with its record; ``chart`` is Plotly's JSON (data, layout)."""

    record: of.FigureRecord = field(repr=False)
    chart: PlotlyJson = field(repr=False)


@dataclass(frozen=True)
class TableBlock:
    """A table."""

    record: of.TableRecord = field(repr=False)


@dataclass(frozen=True)
class StatementBlock:
    """A computed sentence as a paragraph of its own."""

    record: of.StatementRecord = field(repr=False)


@dataclass(frozen=True)
class VerdictBlock:
    """The table of criteria and their outcomes."""

    record: of.VerdictRecord = field(repr=False)


@dataclass(frozen=True)
class ListingBlock:
    """A text of the evidence, for the appendix."""

    record: of.ListingRecord = field(repr=False)


@dataclass(frozen=True)
class UnansweredBlock:
    """In place of a value: why there is none, and the sentence that says so.

    ``headline`` is what it means for the report, where the report is made for the value.
    """

    reason: str
    text: str
    headline: str | None = None


@dataclass(frozen=True)
class Folded:
    """A table that paper leaves to a file attached to the PDF, and a page has folded.

    ``relationship`` is what the file is to the report, as PDF/A-3 has it.
    """

    record: of.TableRecord = field(repr=False)
    file: str
    description: str
    relationship: Literal["data", "supplement"]


@dataclass(frozen=True)
class AttachedFiles:
    """The list of the files attached to the PDF."""


@dataclass(frozen=True)
class FindingItem:
    """One finding: a headline, and the text below it with a reference to what shows it.

    One of a ``panel`` answers its question beside the others, without a number. ``of`` is the title
    of the part that it begins, where findings of several parts of a report stand together.
    """

    headline: tuple[Inline, ...]
    text: tuple[Inline, ...]
    panel: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class FindingsBlock:
    """The findings, beside them the verdicts and what must be known to read them.

    ``records`` are the values that they are made of; ``care`` has the cautions ``told`` in words.
    """

    items: tuple[FindingItem, ...]
    records: tuple[of.FindingsRecord, ...] = field(repr=False)
    told: tuple[Caution, ...] = ()
    care: tuple[str, ...] = ()

    @property
    def listed(self) -> tuple[FindingItem, ...]:
        """The findings in their order."""
        return tuple(item for item in self.items if item.panel is None)

    @property
    def panels(self) -> dict[str, list[FindingItem]]:
        """Beside them: the question of each panel with its answers."""
        found: dict[str, list[FindingItem]] = {}
        for item in self.items:
            if item.panel is not None:
                found.setdefault(item.panel, []).append(item)
        return found


@dataclass(frozen=True)
class Beside:
    """Parts that stand side by side where the page is wide enough."""

    parts: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True)
class NotShown:
    """In place of what paper cannot show: what it is, "a video"."""

    what: str


Block: TypeAlias = (
    Heading
    | Paragraph
    | Items
    | Quote
    | Note
    | CodeBlock
    | Rule
    | PlainTable
    | Picture
    | ChartBlock
    | TableBlock
    | StatementBlock
    | VerdictBlock
    | ListingBlock
    | UnansweredBlock
    | FindingsBlock
    | Beside
    | NotShown
    | Folded
    | AttachedFiles
)


def paragraph(text: str, *, leads: bool = False) -> Paragraph:
    """A paragraph of plain text."""
    return Paragraph((Text(text),), leads)


def bullets(lines: Iterable[str]) -> Items:
    """A list of plain lines."""
    return Items(tuple((paragraph(line),) for line in lines), None, tight=True)


def back_heading(level: int, title: str, anchor: str, *, listed: bool = True) -> Heading:
    """A heading without a number, as the findings and the back matter have."""
    return Heading(level, (Text(title),), anchor, numbered=False, listed=listed)


@dataclass(frozen=True)
class Placed:
    """A block and where it comes from."""

    block: Block
    origin: str


def plain_text(children: tuple[Inline, ...]) -> str:
    """The words of inline parts alone, for bookmarks and anchors."""
    return "".join(_plain(child) for child in children)


_SIGNS = {"super": "^", "sub": "_"}
"""10 with a raised 6 is not 106."""


def _plain(child: Inline) -> str:
    match child:
        case Text(text) | Said(text) | CodeSpan(text) | Math(text):
            return text
        case Marked(style, children):
            return _SIGNS.get(style, "") + plain_text(children)
        case Link(_, children):
            return plain_text(children)
        case LineBreak():
            return " "
        case _:
            return ""


def slug(text: str) -> str:
    """A name for a heading or file: lower-case words joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", text.lower())) or "x"
