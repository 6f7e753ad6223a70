"""Blocks as Typst: text escaped so that every character comes out as it went in.

Prose becomes markup; captions, cells and other plain strings travel as JSON, where nothing needs
escaping but what JSON escapes.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from perfkit.core.plain_text import plain, plain_all, plain_lines
from perfkit.reporting.document import grids, origins
from perfkit.reporting.document.blocks import (
    ChartBlock,
    CodeBlock,
    CodeSpan,
    Footnote,
    Heading,
    Items,
    LineBreak,
    Link,
    Marked,
    Note,
    PageBreak,
    Paragraph,
    Picture,
    PlainTable,
    Quote,
    Rule,
    See,
    StatementBlock,
    Text,
    plain_text,
)
from perfkit.reporting.document.cover import cover_verdict
from perfkit.reporting.document.numbering import statement_text
from perfkit.reporting.document.pictures import ENDINGS, decode
from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.writer import Writer, space_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfkit.reporting.document.assemble import Document

# Every ASCII sign but these has, or could be part of, a meaning in Typst's markup. A dot or comma
# is escaped where it could begin a list ("1.") or an ellipsis ("...").
_SIGN = re.compile(r"[!\"#$%&'*+/:;<=>?@\[\\\]^_`{|}~\-]|(?<=[.\d])\.|^\.")

# I/O, MB/s, NVMe/FC: Typst would break the line after the slash
_WHOLE = re.compile(r"(?<![\w/])\w{1,5}/\w{1,4}(?![\w/])")

MARGIN_MM = 22.0
PAPERS_MM = {"us-letter": (215.9, 279.4), "a4": (210.0, 297.0)}

BREAK_PROSE_EM = 36.0
"""Words of prose wider than this (paths, hashes) get places to break."""


def text_sizes_mm(paper: str) -> tuple[float, float]:
    """The width of text on a portrait and on a landscape page."""
    width, height = PAPERS_MM[paper]
    return width - 2 * MARGIN_MM, height - 2 * MARGIN_MM


def escape(text: str) -> str:
    """Text as Typst markup that prints exactly this text; line breaks and tabs become spaces."""
    return _SIGN.sub(r"\\\g<0>", re.sub(r"\s", " ", plain(text)))


def quote(text: str) -> str:
    """Text as a Typst string literal."""
    inner = plain_lines(text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + inner.replace("\n", "\\n").replace("\t", "\\t") + '"'


@dataclass
class TypstParts:
    """What the typesetter needs beside the template.

    Attributes:
        body: The main text in Typst's markup.
        origins: For each line of the body, where it comes from.
        data: What the template reads as JSON: front matter, tables, figures.
        files: Pictures by path.
        charts: Charts to be drawn, by path of their SVG file.
    """

    body: str = ""
    origins: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    charts: dict[str, Chart] = field(default_factory=dict)


def write_typst(document: Document) -> TypstParts:
    """The Typst text of a document and all that belongs to it."""
    writer = _Writer(document)
    abstract = "\n\n".join(writer.part(placed.block) for placed in document.abstract)
    parts = writer.parts
    for placed in document.blocks:
        text = f"// {placed.origin}\n{writer.part(placed.block)}\n"
        parts.origins += [placed.origin] * (text.count("\n") + 1)
        parts.body += text + "\n"
    parts.data |= {
        "front": _front(document, parts.files),
        "abstract": abstract,
        "verdicts": [
            asdict(cover_verdict(record, document.labels)) for record in document.verdicts
        ],
        "notices": [asdict(notice) for notice in document.notices],
        "cautions": list(document.cautions),
        "has": {
            kind.lower(): any(label.kind == kind for label in document.labels.values())
            for kind in ("Table", "Figure")
        },
    }
    return parts


_FRONT_KEYS = (
    "title", "subtitle", "number", "kind_of_report", "authors", "date", "date_text", "accent",
    "copyright", "paper", "language",
)  # fmt: skip
_FOOTER_TITLE = 70


def _front(document: Document, files: dict[str, bytes]) -> dict[str, Any]:
    front = document.front
    short = front["title"]
    if len(short) > _FOOTER_TITLE:
        short = short[:_FOOTER_TITLE].rsplit(" ", 1)[0] + " …"
    partner = front["partner"]
    return {
        **{key: front[key] for key in _FRONT_KEYS},
        "footer": " | ".join(part for part in (short, front["number"]) if part),
        "logo": _logo(front["logo"], "logo", files),
        "partner": partner
        and {"name": partner["name"], "logo": _logo(partner.get("logo"), "partner", files)},
    }


def _logo(logo: dict[str, str] | None, name: str, files: dict[str, bytes]) -> str | None:
    if not logo:
        return None
    data, mime = decode(logo["base64"], logo["mime"], name)
    path = f"{name}{ENDINGS[mime]}"
    files[path] = data
    return path


class _Writer(Writer):
    between = "\n\n"

    def __init__(self, document: Document):
        self.labels, self.notes = document.labels, document.notes
        self.portrait_mm, self.landscape_mm = text_sizes_mm(document.front["paper"])
        self.parts = TypstParts(data={"tables": {}, "figures": {}})

    # prose

    def heading(self, block: Heading) -> str:
        numbering = "" if block.numbered else ", numbering: none"
        text = self.line(block.children)
        return f"#heading(level: {block.level}{numbering})[{text}] {_label('sec', block.anchor)}"

    def paragraph(self, block: Paragraph) -> str:
        text = self.line(block.children)
        return f"#lead[{text}]" if block.leads else text

    def items(self, block: Items) -> str:
        tight = "true" if block.tight else "false"
        inner = "".join(f"[{self.blocks(item)}]" for item in block.items)
        if block.start is None:
            return f"#list(tight: {tight}){inner}"
        return f"#enum(tight: {tight}, start: {block.start}){inner}"

    def quote(self, block: Quote) -> str:
        return f"#quoted[{self.blocks(block.blocks)}]"

    def note(self, block: Note) -> str:
        return f"#note[{self.blocks(block.blocks)}]"

    def code(self, block: CodeBlock) -> str:
        language = f", lang: {quote(block.language)}" if block.language else ""
        return f"#raw({quote(block.text)}, block: true{language})"

    def rule(self, _: Rule) -> str:
        return "#rule()"

    def page_break(self, _: PageBreak) -> str:
        return "#pagebreak(weak: true)"

    def statement(self, block: StatementBlock) -> str:
        text = statement_text(block, self.notes[block.record["id"]])
        return self.line((Text(text),))

    def plain_table(self, block: PlainTable) -> str:
        record = {
            "wide": False,
            "columns": [
                {"label": plain_text(cell), "align": align}
                for cell, align in zip(block.header, block.aligns, strict=True)
            ],
            "rows": [[plain_text(cell) for cell in row] for row in block.rows],
        }
        grid = grids.lay_out(record, self.portrait_mm, self.portrait_mm)
        cells = [
            ", ".join(f"[{self.line(cell)}]" for cell in row) + ","
            for row in (block.header, *block.rows)
        ]
        mark = origins.foreign_caption(block)
        words = "none" if mark is None else quote(mark)
        return (
            f"#plain-table(mark: {words}, ({_list(f'{share}fr' for share in grid.shares)}), "
            f"({_list(block.aligns)}), {grid.size_pt}pt,\n({cells[0]}),\n{chr(10).join(cells[1:])})"
        )

    # what is numbered

    def grid(self, record: dict[str, Any]) -> str:
        grid = grids.lay_out(record, self.portrait_mm, self.landscape_mm)
        place, outcomes = grids.outcomes_of(record)
        self.parts.data["tables"][record["id"]] = {
            "caption": record["caption"],
            "note": self.notes[record["id"]],
            "shares": grid.shares,
            "size": grid.size_pt,
            "aligns": [column["align"] for column in record["columns"]],
            "header": grid.header,
            "rows": grid.rows,
            "footers": record["footer_rows"],
            "grouped": record.get("grouped", 0),
            "outcome": place,
            "outcomes": outcomes,
        }
        return _on_page(f"#data-table({quote(record['id'])})", grid.wide)

    def chart(self, block: ChartBlock) -> str:
        record = block.record
        path = f"charts/{record['id']}.svg"
        width = self.landscape_mm if record["wide"] else self.portrait_mm
        self.parts.charts[path] = Chart(block.chart, width, record["height_mm"])
        self.parts.data["figures"][record["id"]] = {
            "path": path,
            "alt": record["alt"],
            "caption": origins.caption_of(record),
            "height": record["height_mm"],
            "note": self.notes[record["id"]],
        }
        return _on_page(f"#chart({quote(record['id'])})", record["wide"])

    def picture(self, block: Picture) -> str:
        path = f"pictures/{len(self.parts.files) + 1}{ENDINGS[block.mime]}"
        self.parts.files[path] = block.data
        words = quote(str(origins.foreign_caption(block)))
        caption, mark = ("none", words) if block.caption is None else (words, "none")
        name = "none" if block.anchor is None else quote(block.anchor)
        image = f"image({quote(path)}, alt: {quote(block.alt)})"
        return f"#picture(mark: {mark}, {image}, {caption}, {name})"

    # inside a paragraph

    def text(self, part: Text) -> str:
        text, done, end = grids.breakable(part.text, BREAK_PROSE_EM), "", 0
        for found in _WHOLE.finditer(text):
            done += f"{escape(text[end : found.start()])}#box[{escape(found[0])}];"
            end = found.end()
        return done + escape(text[end:])

    def marked(self, part: Marked) -> str:
        return f"#{part.style}[{self.line(part.children)}];"

    def code_span(self, part: CodeSpan) -> str:
        return f"#raw({quote(grids.breakable(part.text, BREAK_PROSE_EM * 0.8))});"

    def link(self, part: Link) -> str:
        return f"#link({quote(part.url)})[{self.line(part.children)}];"

    def line_break(self, _: LineBreak) -> str:
        return "#linebreak();"

    def see(self, part: See) -> str:
        label = self.labels[part.target]
        name = _name(space_of(label), part.target)
        if label.number:
            return f"#ref({name});"
        return f"#link({name})[{escape(label.text)}];"

    def footnote(self, part: Footnote) -> str:
        if not part.first:
            return f"#footnote({_name('fn', part.key)});"
        return f"#footnote[{self.blocks(part.blocks)}]{_label('fn', part.key)}"


def _on_page(call: str, wide: bool) -> str:
    return f"#page(flipped: true)[{call}]" if wide else call


def _list(items: Iterable[str]) -> str:
    return "".join(f"{item}, " for item in items)


def _name(space: str, name: str) -> str:
    return f"label({quote(f'{space}:{name}')})"


def _label(space: str, name: str) -> str:
    return f"#{_name(space, name)};"


def to_json(data: dict[str, Any]) -> str:
    """The template's data as JSON text, the same for the same data."""
    return json.dumps(plain_all(data), ensure_ascii=False, sort_keys=True)
