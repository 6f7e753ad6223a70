"""The text of a report as HTML: blocks, and what stands inside a paragraph."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from perfkit.core.plain_text import as_html
from perfkit.core.typeface import width_em
from perfkit.core.values import PlotlyJson
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import grids, origins
from perfkit.reporting.document.cover import NOT_JUDGED, CoverVerdict, cover_verdict
from perfkit.reporting.document.numbering import statement_text
from perfkit.reporting.document.records import ColumnRecord, Record, TableRecord
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH
from perfkit.reporting.write.html_sources import bare, exact, linked_numbers, places
from perfkit.reporting.write.writer import Writer, space_of

if TYPE_CHECKING:
    from perfkit.reporting.document.assemble import Document

SAFE_LINKS = ("http://", "https://", "mailto:")

MOST_LINES_OPEN = 40
"""A longer file is folded."""

DEEPEST = 6
"""HTML has headings of six levels; the first is the title's."""


def named_line(name: str, text: str | None) -> str:
    """A paragraph of a class of its own; nothing without a text."""
    return f'<p class="{name}">{as_html(text)}</p>' if text else ""


def verdict_badge(verdict: CoverVerdict, *, marked: bool = True) -> str:
    """A verdict: its headline, its rules with their outcomes, and where there are more."""
    lines = "".join(
        f"<li>{outcome_mark(line.outcome, line.outcome)} · {as_html(line.rule)}</li>"
        for line in verdict.rules
    )
    more = f"<li>{as_html(verdict.more)}</li>" if verdict.more else ""
    name = verdict.outcome.replace(" ", "-")
    badge = f'<p class="badge {name}">{as_html(verdict.headline)}</p>'
    mark = named_line("rules", verdict.mark if marked else None)
    return f'{badge}{mark}<ul class="rules">{lines}{more}</ul>'


@dataclass(frozen=True)
class WrittenBlocks:
    """The text of a document as HTML, and what the page's script needs.

    ``charts`` as Plotly draws them; ``values`` are the names on the page and the records of all
    values that are shown.
    """

    abstract: str
    body: str
    charts: list[PlotlyJson]
    values: list[tuple[str, Record]]


def write_blocks(document: Document) -> WrittenBlocks:
    """The text of a document; its footnotes stand at its end."""
    writer = _Writer(document)
    abstract = writer.blocks(placed.block for placed in document.abstract)
    body = writer.blocks(placed.block for placed in document.blocks) + writer.footnotes()
    return WrittenBlocks(abstract, body, writer.charts, writer.values)


@dataclass
class _Writer(Writer):
    between = "\n"
    document: Document
    charts: list[PlotlyJson] = field(default_factory=list)
    values: list[tuple[str, Record]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    figures: int = 0

    def __post_init__(self) -> None:
        self.labels = self.document.labels

    def heading(self, block: doc.Heading) -> str:
        level = min(block.level + 1, DEEPEST)
        number = self.labels[f"#{block.anchor}"].number
        text = f"{number} {self.line(block.children)}".strip()
        name = f"sec-{as_html(block.anchor)}"
        title = as_html(self.labels[f"#{block.anchor}"].title)
        link = f'<a class="anchor" href="#{name}" aria-label="Link to {title}">#</a>'
        return f'<h{level} id="{name}">{text}{link}</h{level}>'

    def paragraph(self, block: doc.Paragraph) -> str:
        return f"<p>{self.line(block.children)}</p>"

    def items(self, block: doc.Items) -> str:
        inner = "".join(f"<li>{self._item(item, block.tight)}</li>" for item in block.items)
        if block.start is None:
            return f"<ul>{inner}</ul>"
        return f'<ol start="{block.start}">{inner}</ol>'

    def _item(self, blocks: tuple[doc.Block, ...], tight: bool) -> str:
        if tight and blocks and isinstance(blocks[0], doc.Paragraph):
            return self.line(blocks[0].children) + self.blocks(blocks[1:])
        return self.blocks(blocks)

    def quote(self, block: doc.Quote) -> str:
        return f"<blockquote>{self.blocks(block.blocks)}</blockquote>"

    def note(self, block: doc.Note) -> str:
        return f'<div class="note" role="note">{self.blocks(block.blocks)}</div>'

    def code(self, block: doc.CodeBlock) -> str:
        code = f'<pre tabindex="0"><code>{as_html(block.text)}</code></pre>'
        if block.summary is None or block.text.count("\n") < MOST_LINES_OPEN:
            return code
        return f"<details><summary>{as_html(block.summary)}</summary>{code}</details>"

    def rule(self, _: doc.Rule) -> str:
        return "<hr>"

    def folded(self, block: doc.Folded) -> str:
        record = block.record
        table = write_table(record, record.caption, [None] * len(record.rows), "")
        return f"<details><summary>{as_html(block.description)}</summary>{table}</details>"

    def attached_files(self, _: doc.AttachedFiles) -> str:
        return ""

    def findings(self, block: doc.FindingsBlock) -> str:
        items = "".join(
            f"<li>{_of_part(item)}<strong>{self.line(item.headline)}</strong> "
            f"{self.line(item.text)}</li>"
            for item in block.listed
        )
        panels = "".join(
            f'<p class="asked">{as_html(title)}</p>'
            + "".join(
                f"{_of_part(item)}<p><strong>{self.line(item.headline)}</strong> "
                f"{self.line(item.text)}</p>"
                for item in answers
            )
            for title, answers in block.panels.items()
        )
        badges = "".join(
            verdict_badge(cover_verdict(record, self.labels), marked=False)
            for record in self.document.judged
        )
        care = "".join(f"<li>{as_html(text)}</li>" for text in block.care)
        read = f'<p class="care">Read with care</p><ul class="rules">{care}</ul>' if care else ""
        panel = panels + badges or f'<p class="rules">{NOT_JUDGED}</p>'
        return f'<div class="findings"><ol>{items}</ol><aside>{panel}{read}</aside></div>'

    def beside(self, block: doc.Beside) -> str:
        parts = "".join(f"<div>{self.blocks(part)}</div>" for part in block.parts)
        return f'<div class="beside">{parts}</div>'

    def statement(self, block: doc.StatementBlock) -> str:
        name = block.record.id
        text = statement_text(block, self.document.notes[name])
        self.values.append(("Sentence", block.record))
        return f'<p id="val-{as_html(name)}">{linked_numbers(text, block.record)}</p>'

    def plain_table(self, block: doc.PlainTable) -> str:
        head = "".join(
            f'<th scope="col" class="{align}">{self.line(cell)}</th>'
            for cell, align in zip(block.header, block.aligns, strict=False)
        )
        head = f"<thead><tr>{head}</tr></thead>" if head else ""
        rows = "".join(
            "<tr>"
            + "".join(
                f'<td class="{align}">{self.line(cell)}</td>'
                for cell, align in zip(row, block.aligns, strict=True)
            )
            + "</tr>"
            for row in block.rows
        )
        table = of_words(f"{head}<tbody>{rows}</tbody>")
        mark = origins.foreign_caption(block)
        return f'{table}<p class="foreign">{as_html(mark)}</p>' if mark else table

    def grid(self, record: TableRecord) -> str:
        label = self.labels[record.id].text
        self.values.append((label, record))
        place, outcomes = grids.outcomes_of(record)
        words = outcomes if place is not None else [None] * len(record.rows)
        note = named_line("table-note", self.document.notes[record.id])
        return write_table(record, f"{label}) {record.caption}", words, note)

    def chart(self, block: doc.ChartBlock) -> str:
        record = block.record
        name = as_html(record.id)
        label = self.labels[record.id].text
        layout = _fitted(block.chart["layout"], record.height_mm)
        self.charts.append({"of": record.id, "data": block.chart["data"], "layout": layout})
        self.values.append((label, record))
        self.figures += 1
        caption = as_html(f"{label}) {origins.caption_of(record)}")
        note = named_line("table-note", self.document.notes[record.id])
        width = f";width:{layout['width']}px" if "width" in layout else ""
        return (
            f'<figure id="val-{name}"><p class="alt">{as_html(record.alt)}</p>'
            f'<div class="frame"><div class="chart" id="chart-{name}" '
            f'style="height:{layout["height"]}px{width}"></div></div>{note}'
            f"<figcaption>{caption}</figcaption></figure>"
        )

    def picture(self, block: doc.Picture) -> str:
        address = f"data:{block.mime};base64,{base64.b64encode(block.data).decode()}"
        image = f'<img alt="{as_html(block.alt)}" src="{as_html(address)}">'
        words = str(origins.foreign_caption(block))
        if block.caption is None:
            return f'<figure>{image}<p class="foreign">{as_html(words)}</p></figure>'
        self.figures += 1
        name = f' id="val-{as_html(block.anchor)}"' if block.anchor else ""
        caption = as_html(f"Figure {self.figures}) {words}")
        return f"<figure{name}>{image}<figcaption>{caption}</figcaption></figure>"

    def footnotes(self) -> str:
        if not self.notes:
            return ""
        items = "".join(
            f'<li id="fn-{as_html(key)}">{text} <a href="#call-{as_html(key)}" '
            'aria-label="Back to the text">↩</a></li>'
            for key, text in self.notes.items()
        )
        return f'<section class="footnotes" aria-label="Footnotes"><ol>{items}</ol></section>'

    # inside a paragraph

    def text(self, part: doc.Text) -> str:
        return as_html(part.text)

    def said(self, part: doc.Said) -> str:
        self.values.append(("Sentence", part.record))
        return linked_numbers(part.text, part.record)

    def marked(self, part: doc.Marked) -> str:
        tag = {"strong": "strong", "emph": "em", "strike": "s", "super": "sup"}.get(
            part.style, part.style
        )
        return f"<{tag}>{self.line(part.children)}</{tag}>"

    def code_span(self, part: doc.CodeSpan) -> str:
        return f"<code>{as_html(part.text)}</code>"

    def math(self, part: doc.Math) -> str:
        return part.mathml

    def link(self, part: doc.Link) -> str:
        inner = self.line(part.children)
        if part.url.startswith("#"):
            target = doc.slug(unquote(part.url))
            known = f"#{target}" in self.labels
            return f'<a href="#sec-{as_html(target)}">{inner}</a>' if known else inner
        # a link that would run a script or open a local file stays words
        if not part.url.lower().startswith(SAFE_LINKS):
            return inner
        return f'<a href="{as_html(part.url)}" rel="noreferrer">{inner}</a>'

    def line_break(self, _: doc.LineBreak) -> str:
        return "<br>"

    def see(self, part: doc.See) -> str:
        label = self.labels[part.target]
        return f'<a href="#{space_of(label)}-{as_html(part.target)}">{as_html(label.text)}</a>'

    def footnote(self, part: doc.Footnote) -> str:
        key = as_html(part.key)
        if part.first:
            self.notes[part.key] = ""  # its number is taken before notes inside it
            self.notes[part.key] = self.blocks(part.blocks)
        number = list(self.notes).index(part.key) + 1
        call = f' id="call-{key}"' if part.first else ""
        return f'<sup><a{call} href="#fn-{key}">{number}</a></sup>'


def _fitted(layout: PlotlyJson, height_mm: float) -> PlotlyJson:
    """A chart's layout as wide as the page; a drawing, which has a width of its own, as it is."""
    if layout.get("autosize") is False:
        return layout
    height = round(height_mm / MM_PER_INCH * PX_PER_INCH * 1.15)
    whole = {**layout, "autosize": True, "height": height}
    whole.pop("width", None)
    return whole


# --- tables as HTML; the page's script lets a reader sort, filter, copy and save them ----------

LONG_WORD_EM = 18.0
"""Cells with longer words may break inside them."""

COLUMN_EM = (3.0, 13.0)
"""A column of words keeps the width of its longest cell on a narrow page, within these."""

PADDING_EM = 1.5
"""Blank left and right of a cell's text, together."""


def outcome_mark(words: str, outcome: str) -> str:
    """Words in the colour of an outcome."""
    return f'<span class="outcome {outcome.replace(" ", "-")}">{as_html(words)}</span>'


def write_table(
    record: TableRecord, caption: str, outcomes: Sequence[str | None], note: str
) -> str:
    """A numbered table.

    Args:
        record: The table.
        caption: With the table's number.
        outcomes: What was judged in each row, where rows are judged.
        note: What stands below it, as HTML.
    """
    name, columns, rows = as_html(record.id), record.columns, record.rows
    head = "".join(_head(column, place, rows) for place, column in enumerate(columns))
    values = record.values or [[None] * len(columns)] * len(rows)
    of_rows = zip(rows, values, outcomes, places(record), strict=True)
    lines = [_row(columns, *of_row) for of_row in of_rows]
    first = len(lines) - record.footer_rows
    footer = f'<tbody class="footer">{"".join(lines[first:])}</tbody>' if lines[first:] else ""
    words = f'<span id="cap-{name}">{as_html(caption)}</span>'
    table = (
        f'<div class="scroll" role="group" aria-labelledby="cap-{name}" tabindex="0">'
        f'<table data-id="{name}" aria-labelledby="cap-{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines[:first])}</tbody>{footer}</table></div>{note}"
    )
    return f'<figure class="table" id="val-{name}"><figcaption>{words}</figcaption>{table}</figure>'


def _of_part(item: doc.FindingItem) -> str:
    """The title of the part that a finding begins."""
    return f'<p class="of">{as_html(item.of)}</p>' if item.of else ""


def of_words(inner: str) -> str:
    """A table without a number, written in Markdown."""
    return (
        '<div class="scroll" role="group" aria-label="Table" tabindex="0">'
        f"<table>{inner}</table></div>"
    )


def _head(column: ColumnRecord, place: int, rows: Sequence[Sequence[str]]) -> str:
    style = ""
    if column.align == "left":
        least, most = COLUMN_EM
        width = max((width_em(row[place]) for row in rows), default=0.0)
        style = f' style="--wide:{min(width, most) + PADDING_EM:.1f}em"' if width > least else ""
    label = as_html(column.label)
    return f'<th scope="col" class="{column.align}"{style}>{label}</th>'


def _row(
    columns: Sequence[ColumnRecord],
    row: Sequence[str],
    values: Sequence[Any],
    outcome: str | None,
    place: str,
) -> str:
    cells = []
    for column, text, value in zip(columns, row, values, strict=True):
        inner = as_html(text)
        if outcome and column.key == "outcome":
            inner = outcome_mark(text, outcome)
        long = any(width_em(word) > LONG_WORD_EM for word in text.split())
        # the number behind a cell, where it has more digits than are printed
        number = exact(value, column.unit) if column.unit else None
        kept = f' data-v="{number}"' if number is not None and number != bare(text) else ""
        cells.append(f'<td class="{column.align}{" long" if long else ""}"{kept}>{inner}</td>')
    at = f' data-at="{as_html(place)}"' if place else ""
    return f"<tr{at}>{''.join(cells)}</tr>"
