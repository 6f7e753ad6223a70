"""Blocks as Typst: text escaped so that every character comes out as it went in.

Prose becomes markup; captions, cells and other plain strings travel as JSON, where nothing needs
escaping but what JSON escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from perfkit.core.errors import ReportError
from perfkit.core.plain_text import plain, plain_all, plain_lines
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import captions, grids, origins
from perfkit.reporting.document.attachments import Attachment, as_csv, instead, printed_part
from perfkit.reporting.document.cover import NOT_JUDGED, cover_verdict
from perfkit.reporting.document.grids import TEXT_HEIGHT_MM, text_sizes_mm
from perfkit.reporting.document.numbering import statement_text
from perfkit.reporting.document.pictures import ENDINGS
from perfkit.reporting.document.records import ColumnRecord, TableRecord
from perfkit.reporting.document.verbatim import CODE_PT, SHORT_LINES, code_lines
from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.floats import hero_of, names_mm, picture_path
from perfkit.reporting.write.front_matter import contents_of, front_of
from perfkit.reporting.write.typst_math import typst_math
from perfkit.reporting.write.writer import Writer, space_of

if TYPE_CHECKING:
    from perfkit.reporting.document.assemble import Document

# Every ASCII sign but these has, or could be part of, a meaning in Typst's markup. A dot or comma
# is escaped where it could begin a list ("1.") or an ellipsis ("...").
_SIGN = re.compile(r"[!\"#$%&'*+/:;<=>?@\[\\\]^_`{|}~\-]|(?<=[.\d])\.|^\.")

# I/O, MB/s, NVMe/FC: Typst would break the line after the slash
_WHOLE = re.compile(r"(?<![\w/])\w{1,5}/\w{1,4}(?![\w/])")

BREAK_PROSE_EM = 36.0
"""Words of prose wider than this (paths, hashes) get places to break."""


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
    hero = writer.hero = _chart_of_findings(document)
    for number, placed in enumerate(document.blocks):
        start = "#first-page(height => [\n" if number == 0 < document.page else ""
        end = "])\n" if number == document.page > 0 else ""
        text = f"{end}{start}// {placed.origin}\n{writer.part(placed.block)}\n"
        parts.origins += [placed.origin] * (text.count("\n") + 1)
        parts.body += text + "\n"
    lists = captions.read_lists(document.blocks)
    parts.data |= {
        "front": front_of(document, parts.files),
        "abstract": abstract,
        "verdicts": [
            asdict(cover_verdict(record, document.labels))
            for record in (document.judged if document.has_findings else document.verdicts)
        ],
        "findings": document.has_findings,
        "page": document.page > 0,
        "hero": hero and _hero(parts, hero),
        "not_judged": NOT_JUDGED,
        "notices": [asdict(notice) for notice in document.notices],
        "cautions": [] if document.has_findings else list(document.cautions),
        "keep": {"rows": grids.KEPT_ROWS, "short": grids.SHORT_ROWS, "lines": SHORT_LINES},
        "text_height_mm": TEXT_HEIGHT_MM[document.front.paper],
        "text_width_mm": writer.portrait_mm,
        "captions": lists.captions,
        "contents": contents_of(document, lists),
    }
    return parts


def _hero(parts: TypstParts, hero: str) -> dict[str, object]:
    chart = parts.charts[picture_path(hero)]
    return hero_of(hero, parts.data["figures"][hero]["height"], names_mm(chart))


def _chart_of_findings(document: Document) -> str | None:
    """The id of the chart with the findings; a page of its own, across, leaves nothing to share."""
    blocks = [placed.block for placed in document.blocks[: document.page]]
    records = [
        block.record for block in blocks if isinstance(block, doc.ChartBlock | doc.TableBlock)
    ]
    if any(record.wide for record in records):
        return None
    charts = [block.record.id for block in blocks if isinstance(block, doc.ChartBlock)]
    return charts[0] if charts else None


class _Writer(Writer):
    between = "\n\n"

    def __init__(self, document: Document):
        self.labels, self.notes = document.labels, document.notes
        self.hero: str | None = None
        self.portrait_mm, self.landscape_mm = text_sizes_mm(document.front.paper)
        self.parts = TypstParts(data={"tables": {}, "figures": {}, "attached": []})

    # prose

    def heading(self, block: doc.Heading) -> str:
        numbering = "" if block.numbered else ", numbering: none"
        numbering += "" if block.in_contents else ", outlined: false"
        text = self.line(block.children)
        named = _label("sec", block.anchor)
        return f"#before();#heading(level: {block.level}{numbering})[{text}] {named}"

    def paragraph(self, block: doc.Paragraph) -> str:
        text = self.line(block.children)
        return f"#lead[{text}]" if block.leads else text

    def items(self, block: doc.Items) -> str:
        tight = "true" if block.tight else "false"
        inner = "".join(f"[{self.blocks(item)}]" for item in block.items)
        if block.start is None:
            return f"#list(tight: {tight}){inner}"
        return f"#enum(tight: {tight}, start: {block.start}){inner}"

    def quote(self, block: doc.Quote) -> str:
        return f"#quoted[{self.blocks(block.blocks)}]"

    def note(self, block: doc.Note) -> str:
        return f"#note[{self.blocks(block.blocks)}]"

    def code(self, block: doc.CodeBlock) -> str:
        language = f", lang: {quote(block.language)}" if block.language else ""
        text, size = code_lines(block.text, self.portrait_mm)
        raw = f"#raw({quote(text)}, block: true{language})"
        return raw if size == CODE_PT else f"#[#show raw: set text(size: {size:.2f}pt);{raw}]"

    def rule(self, _: doc.Rule) -> str:
        return "#rule()"

    def folded(self, block: doc.Folded) -> str:
        content = as_csv(block.record)
        self._attach(Attachment(block.file, block.description, content, block.relationship))
        return ""

    def attached_files(self, _: doc.AttachedFiles) -> str:
        return "#attached-files()"

    def _attach(self, attachment: Attachment) -> None:
        path = f"attached/{attachment.name}"
        self.parts.files[path] = attachment.content
        self.parts.data["attached"].append(
            {
                "name": attachment.name,
                "path": path,
                "description": attachment.description,
                "relationship": attachment.relationship,
            }
        )

    def findings(self, block: doc.FindingsBlock) -> str:
        def written(items: Iterable[doc.FindingItem]) -> str:
            return " ".join(
                f"([{self.line(item.headline)}], [{self.line(item.text)}], "
                f"{quote(item.of) if item.of else 'none'}),"
                for item in items
            )

        care = [f"[{escape(text)}]," for text in block.care]
        panels = [
            f"([{escape(title)}], ({written(items)}))," for title, items in block.panels.items()
        ]
        return f"#findings(({written(block.listed)}), ({' '.join(care)}), ({' '.join(panels)}))"

    def beside(self, block: doc.Beside) -> str:
        parts = ", ".join(f"[{self.blocks(part)}]" for part in block.parts)
        return f"#beside({parts})"

    def statement(self, block: doc.StatementBlock) -> str:
        text = statement_text(block, self.notes[block.record.id])
        return self.line((doc.Text(text),))

    def plain_table(self, block: doc.PlainTable) -> str:
        groups = [] if block.own else grids.column_groups(_cells_of(block), self.portrait_mm)
        if len(groups) < 2:
            return self._plain_part(block)
        parts = (
            _columns_of(block, group, f"Part {number} of {len(groups)} of the table's columns.")
            for number, group in enumerate(groups, 1)
        )
        return self.between.join(self._plain_part(part) for part in parts)

    def _plain_part(self, block: doc.PlainTable) -> str:
        grid = grids.lay_out(_cells_of(block), self.portrait_mm, self.portrait_mm)
        header = grid.header if block.header else ()
        rows = zip((block.header, *block.rows), (header, *grid.rows), strict=True)
        lines = [
            ", ".join(f"[{self._cell(*pair)}]" for pair in zip(*row, strict=True)) + ","
            for row in rows
        ]
        widths = [f"{share}fr" for share in grid.shares]
        if grid.narrow and not block.own:
            widths = ["auto"] * len(widths)
        mark = origins.foreign_caption(block)
        words = "none" if mark is None else quote(mark)
        tall = "true" if grid.tall(self.portrait_mm * grids.PT_PER_MM) else "false"
        body = ",\n".join(f"({line})" for line in lines[1:])
        return (
            f"#plain-table(mark: {words}, tall: {tall}, ({_list(widths)}), "
            f"({_list(block.aligns)}), {grid.size_pt}pt,\n"
            f"({lines[0] if block.header else ''}),\n{body})"
        )

    def _cell(self, cell: tuple[doc.Inline, ...], broken: str) -> str:
        """A cell; plain words with the places to break that the layout gives them."""
        plain_words = all(isinstance(part, doc.Text) for part in cell)
        return self.line((doc.Text(broken),) if plain_words else cell)

    # what is numbered

    def grid(self, record: TableRecord) -> str:
        file = f"table-{self.labels[record.id].number}.csv"
        if record.detail:
            self._attach(Attachment(file, record.caption, as_csv(record), "data"))
            self.parts.data["tables"][record.id] = {
                "caption": record.caption,
                "instead": instead(record, file),
            }
            return f"#detail-table({quote(record.id)})"
        shown, left = printed_part(record, file)
        if left:
            words = f"{record.caption} The whole table."
            self._attach(Attachment(file, words, as_csv(record), "data"))
        try:
            return self._numbered(shown, left)
        except ReportError:
            groups = grids.column_groups(shown, self.portrait_mm)
            if len(groups) == 1:
                raise
        parts = [grids.columns_of(shown, group) for group in groups]
        table = self.labels[record.id].text
        told = f"Part {{}} of {len(parts)} of the columns of {table}."
        caption = f"{record.caption.removesuffix('.')}, part 1 of {len(parts)} of its columns."
        written = [self._numbered(replace(parts[0], caption=caption), left)]
        for number, part in enumerate(parts[1:], 2):
            written.append(self._plain_part(_unnumbered(part, told.format(number))))
        return self.between.join(written)

    def _numbered(self, record: TableRecord, left: str | None) -> str:
        grid = grids.lay_out(record, self.portrait_mm, self.landscape_mm)
        width_mm = self.landscape_mm if grid.wide else self.portrait_mm
        place, outcomes = grids.outcomes_of(record)
        self.parts.data["tables"][record.id] = {
            "caption": record.caption,
            "note": " ".join(filter(None, [left, self.notes[record.id]])) or None,
            "tail": grid.tail(record.footer_rows),
            "tall": grid.tall(width_mm * grids.PT_PER_MM),
            "shares": grid.shares,
            "size": grid.size_pt,
            "aligns": [column.align for column in record.columns],
            "header": grid.header,
            "rows": grid.rows,
            "footers": record.footer_rows,
            "grouped": record.grouped,
            "outcome": place,
            "outcomes": outcomes,
        }
        return _on_page(f"#data-table({quote(record.id)})", grid.wide)

    def chart(self, block: doc.ChartBlock) -> str:
        record = block.record
        path = picture_path(record.id)
        width = self.landscape_mm if record.wide else self.portrait_mm
        height = record.height_mm
        chart = Chart(block.chart, width, height)
        self.parts.charts[path] = chart
        self.parts.data["figures"][record.id] = {
            "path": path,
            "alt": record.alt,
            "caption": origins.caption_of(record),
            "height": height,
            "note": self.notes[record.id],
        }
        given = ", height: height" if record.id == self.hero else ""
        return _on_page(f"#chart({quote(record.id)}{given})", record.wide)

    def picture(self, block: doc.Picture) -> str:
        path = f"pictures/{len(self.parts.files) + 1}{ENDINGS[block.mime]}"
        self.parts.files[path] = block.data
        words = quote(str(origins.foreign_caption(block)))
        caption, mark = ("none", words) if block.caption is None else (words, "none")
        name = "none" if block.anchor is None else quote(block.anchor)
        image = f"image({quote(path)}, alt: {quote(block.alt)})"
        return f"#picture(mark: {mark}, {image}, {caption}, {name})"

    # inside a paragraph

    def text(self, part: doc.Text) -> str:
        text, done, end = grids.breakable(part.text, BREAK_PROSE_EM), "", 0
        for found in _WHOLE.finditer(text):
            done += f"{escape(text[end : found.start()])}#box[{escape(found[0])}];"
            end = found.end()
        return done + escape(text[end:])

    def marked(self, part: doc.Marked) -> str:
        return f"#{part.style}[{self.line(part.children)}];"

    def math(self, part: doc.Math) -> str:
        block = "true" if part.display else "false"
        body = typst_math(part.mathml)
        return f"#math.equation(block: {block}, alt: {quote(part.latex)}, ${body}$.body);"

    def code_span(self, part: doc.CodeSpan) -> str:
        return f"#raw({quote(grids.breakable(part.text, BREAK_PROSE_EM * 0.8))});"

    def link(self, part: doc.Link) -> str:
        words = self.line(part.children)
        if part.url.startswith("#"):
            target = doc.slug(unquote(part.url))
            known = f"#{target}" in self.labels
            return f"#link({_name('sec', target)})[{words}];" if known else words
        return f"#link({quote(part.url)})[{words}];" if part.url.strip() else words

    def line_break(self, _: doc.LineBreak) -> str:
        return "#linebreak();"

    def see(self, part: doc.See) -> str:
        label = self.labels[part.target]
        name = _name(space_of(label), part.target)
        if label.number:
            return f"#ref({name});"
        return f"#link({name})[{escape(label.text)}];"

    def footnote(self, part: doc.Footnote) -> str:
        if not part.first:
            return f"#footnote({_name('fn', part.key)});"
        return f"#footnote[{self.blocks(part.blocks)}]{_label('fn', part.key)}"


def _cells_of(block: doc.PlainTable) -> TableRecord:
    """The table as a record whose layout can be found."""
    header = block.header or ((),) * len(block.aligns)
    return TableRecord(
        id="",
        columns=[
            ColumnRecord(label=doc.plain_text(cell), align=align)
            for cell, align in zip(header, block.aligns, strict=True)
        ],
        rows=[[doc.plain_text(cell) for cell in row] for row in block.rows],
    )


def _unnumbered(record: TableRecord, note: str) -> doc.PlainTable:
    """A table's record as a table without a number."""
    return doc.PlainTable(
        tuple((doc.Text(column.label),) for column in record.columns),
        tuple(tuple((doc.Text(cell),) for cell in row) for row in record.rows),
        tuple(column.align for column in record.columns),
        own=True,
        note=note,
    )


def _columns_of(block: doc.PlainTable, places: Sequence[int], part: str) -> doc.PlainTable:
    """Some columns of a table, as the part of it that it is."""
    return replace(
        block,
        header=tuple(block.header[place] for place in places) if block.header else (),
        rows=tuple(tuple(row[place] for place in places) for row in block.rows),
        aligns=tuple(block.aligns[place] for place in places),
        note=f"{part} {block.note or ''}".rstrip(),
    )


def _on_page(call: str, wide: bool) -> str:
    return f"#page(flipped: true)[{call}]" if wide else call


def _list(items: Iterable[str]) -> str:
    return "".join(f"{item}, " for item in items)


def _name(space: str, name: str) -> str:
    return f"label({quote(f'{space}:{name}')})"


def _label(space: str, name: str) -> str:
    return f"#{_name(space, name)};"


def to_json(data: Mapping[str, Any]) -> str:
    """The template's data as JSON text, the same for the same data."""
    return json.dumps(plain_all(data), ensure_ascii=False, sort_keys=True)
