"""Blocks as one HTML page: nothing from outside, the same numbers as on paper."""

from __future__ import annotations

import base64
import html
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfkit.core import resources as own
from perfkit.core.values import PLOTLY_CONFIG
from perfkit.reporting.document import grids, origins
from perfkit.reporting.document.blocks import (
    Block,
    Break,
    ChartBlock,
    CodeBlock,
    CodeSpan,
    Footnote,
    Heading,
    Inline,
    Items,
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
    TableBlock,
    Text,
    VerdictBlock,
)
from perfkit.reporting.document.cover import cover_verdict
from perfkit.reporting.document.numbering import statement_text
from perfkit.reporting.write import fonts
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, plotly_script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfkit.reporting.document.assemble import Document

WEB_FACES = tuple(face for face in fonts.FACES if face.name != "SourceSansPro-SemiboldIt")
SAFE_LINKS = ("http://", "https://", "mailto:", "#")
LONG_WORD_EM = 18.0
"""Cells with longer words may break inside them."""

DEEPEST = 6
"""HTML has headings of six levels; the first is the title's."""


@dataclass(frozen=True)
class WebPage:
    """What ``templates/web/index.html.j2`` fills in; every text is HTML already."""

    language: str
    title: str
    accent: str
    tint: str
    fonts: str
    style: str
    contents: str
    cover: str
    body: str
    footer: str
    charts: str
    plotly: str
    script: str


def write_html(document: Document) -> WebPage:
    """The parts of the page of a document."""
    front = document.front
    writer = _Writer(document)
    cover = _cover(document, writer)
    body = writer.blocks(placed.block for placed in document.blocks)
    body += writer.footnotes()
    has_charts = bool(writer.charts)
    web = own.find("templates") / "web"
    holder = front["copyright"]
    return WebPage(
        language=escape(front["language"]),
        title=escape(front["title"]),
        accent=front["accent"],
        tint=_tint(front["accent"]),
        fonts=fonts.css(WEB_FACES, embed=True),
        style=(web / "style.css").read_text(encoding="utf-8"),
        contents=_contents(document),
        cover=cover,
        body=body,
        footer=escape(
            " · ".join(
                part
                for part in (
                    front["title"], front["number"],
                    f"© {front['date'][:4]} {holder}" if holder else None,
                )
                if part
            )
        ),
        charts=_script_json({"config": PLOTLY_CONFIG, "charts": writer.charts})
        if has_charts
        else "",
        plotly=_script_text(plotly_script().read_text(encoding="utf-8")) if has_charts else "",
        script=(web / "report.js").read_text(encoding="utf-8"),
    )  # fmt: skip


def escape(text: str) -> str:
    """Text as HTML that shows exactly this text, also inside an attribute."""
    return html.escape(text, quote=True)


def _script_json(data: Any) -> str:
    """JSON that may stand inside a script element."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _script_text(script: str) -> str:
    """A script's text; it must not end the element it stands in."""
    return script.replace("</script", "<\\/script")


def _tint(colour: str) -> str:
    """The colour mixed with 94% white, as the paper's tables have it."""
    parts = [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(part + (255 - part) * 0.94):02x}" for part in parts)


def _picture_address(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


# --- cover and contents -------------------------------------------------------------------------


def _cover(document: Document, writer: _Writer) -> str:
    front = document.front
    date = " | ".join(part for part in (front["date_text"], front["number"]) if part)
    parts = [
        f'<div class="band">{escape(front["kind_of_report"])}</div>',
        f"<h1>{escape(front['title'])}</h1>",
        _line("subtitle", front["subtitle"]),
        _line("authors", ", ".join(front["authors"])),
        _line("date", date),
        _partner(front["partner"]),
    ]
    if document.abstract:
        inner = writer.blocks(placed.block for placed in document.abstract)
        parts.append(f'<section class="abstract"><h2>Abstract</h2>{inner}</section>')
    parts += [_notice(notice) for notice in document.notices]
    parts.append(_cautions(document.cautions))
    parts += [_badge(cover_verdict(record, document.labels)) for record in document.verdicts]
    if front["logo"]:
        parts.append(_logo(front["logo"], f"Logo of {front['copyright'] or 'the authors'}"))
    return f'<header class="cover">{"".join(parts)}</header>'


def _line(name: str, text: str | None) -> str:
    return f'<p class="{name}">{escape(text)}</p>' if text else ""


def _logo(logo: dict[str, str], alt: str) -> str:
    address = f"data:{logo['mime']};base64,{logo['base64']}"
    return f'<img class="logo" alt="{escape(alt)}" src="{escape(address)}">'


def _partner(partner: dict[str, Any] | None) -> str:
    if not partner:
        return ""
    shown = escape(partner["name"])
    if partner.get("logo"):
        shown = _logo(partner["logo"], partner["name"])
    return f'<p class="partner">In partnership with {shown}</p>'


def _badge(verdict: dict[str, Any]) -> str:
    lines = "".join(
        f"<li>{_outcome(line['outcome'], line['outcome'])} · {escape(line['rule'])}</li>"
        for line in verdict["rules"]
    )
    more = f"<li>{escape(verdict['more'])}</li>" if verdict["more"] else ""
    name = verdict["outcome"].replace(" ", "-")
    badge = f'<p class="badge {name}">{escape(verdict["headline"])}</p>'
    return f'{badge}<ul class="rules">{lines}{more}</ul>'


def _notice(notice: dict[str, Any]) -> str:
    words = f'<p class="rules">{escape(notice["text"])}</p>'
    return f'<p class="badge notice">{escape(notice["headline"])}</p>{words}'


def _cautions(lines: tuple[str, ...]) -> str:
    if not lines:
        return ""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<p class="badge notice">CAUTIONS</p><ul class="rules">{items}</ul>'


def _outcome(words: str, outcome: str) -> str:
    return f'<span class="outcome {outcome.replace(" ", "-")}">{escape(words)}</span>'


CONTENTS_DEPTH = 3


def _contents(document: Document) -> str:
    """Nested lists of headings, then of tables and figures."""
    text, level = "<ol>", 1
    first = True
    for placed in document.blocks:
        block = placed.block
        if not isinstance(block, Heading) or block.level > CONTENTS_DEPTH:
            continue
        if block.level > level:
            text += "<ol>" * (block.level - level)
        elif not first:
            text += "</li>" + "</ol></li>" * (level - block.level)
        label = document.labels[f"#{block.anchor}"]
        title = f"{label.number} {label.title}".strip()
        text += f'<li><a href="#sec-{escape(block.anchor)}">{escape(title)}</a>'
        level, first = block.level, False
    text += "</li>" + "</ol></li>" * (level - 1) if not first else ""
    return text + "</ol>" + _list_of(document, "Table") + _list_of(document, "Figure")


def _list_of(document: Document, kind: str) -> str:
    captions = _captions(document)
    numbered = [item for item in document.labels.items() if item[1].kind == kind]
    lines = [
        f'<li><a href="#val-{escape(name)}">{escape(f"{label.text}) {captions[name]}")}</a></li>'
        for name, label in sorted(numbered, key=lambda item: int(item[1].number))
        if name in captions
    ]
    return f"<h2>{kind.upper()}S</h2><ol>{''.join(lines)}</ol>" if lines else ""


def _captions(document: Document) -> dict[str, str]:
    found = {}
    for placed in document.blocks:
        match placed.block:
            case ChartBlock(record, _) | TableBlock(record):
                found[record["id"]] = record["caption"]
            case VerdictBlock(record):
                found[record["id"]] = grids.verdict_table(record)["caption"]
            case Picture(caption=str(caption), anchor=str(anchor)):
                found[anchor] = caption
    return found


# --- blocks -------------------------------------------------------------------------------------


@dataclass
class _Writer:
    document: Document
    charts: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    figures: int = 0

    def __post_init__(self) -> None:
        self.labels = self.document.labels

    def block(self, block: Block) -> str:
        return _BLOCKS[type(block)](self, block)

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "\n".join(self.block(block) for block in blocks)

    def heading(self, block: Heading) -> str:
        level = min(block.level + 1, DEEPEST)
        number = self.labels[f"#{block.anchor}"].number
        text = f"{number} {self.line(block.children)}".strip()
        return f'<h{level} id="sec-{escape(block.anchor)}">{text}</h{level}>'

    def paragraph(self, block: Paragraph) -> str:
        return f"<p>{self.line(block.children)}</p>"

    def items(self, block: Items) -> str:
        inner = "".join(f"<li>{self._item(item, block.tight)}</li>" for item in block.items)
        if block.start is None:
            return f"<ul>{inner}</ul>"
        return f'<ol start="{block.start}">{inner}</ol>'

    def _item(self, blocks: tuple[Block, ...], tight: bool) -> str:
        if tight and blocks and isinstance(blocks[0], Paragraph):
            return self.line(blocks[0].children) + self.blocks(blocks[1:])
        return self.blocks(blocks)

    def quote(self, block: Quote) -> str:
        return f"<blockquote>{self.blocks(block.blocks)}</blockquote>"

    def note(self, block: Note) -> str:
        return f'<div class="note" role="note">{self.blocks(block.blocks)}</div>'

    def code(self, block: CodeBlock) -> str:
        return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'

    def rule(self, _: Rule) -> str:
        return "<hr>"

    def page_break(self, _: PageBreak) -> str:
        return ""

    def statement(self, block: StatementBlock) -> str:
        name = block.record["id"]
        text = statement_text(block, self.document.notes[name])
        return f'<p id="val-{escape(name)}">{escape(text)}</p>'

    def plain_table(self, block: PlainTable) -> str:
        head = "".join(
            f'<th scope="col" class="{align}">{self.line(cell)}</th>'
            for cell, align in zip(block.header, block.aligns, strict=True)
        )
        rows = "".join(
            "<tr>"
            + "".join(
                f'<td class="{align}">{self.line(cell)}</td>'
                for cell, align in zip(row, block.aligns, strict=True)
            )
            + "</tr>"
            for row in block.rows
        )
        table = _scrolling(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        mark = origins.foreign_caption(block)
        return f'{table}<p class="foreign">{escape(mark)}</p>' if mark else table

    def table(self, block: TableBlock) -> str:
        mark = origins.mark(block.record)
        return self.grid({**block.record, "caption": block.record["caption"] + mark})

    def verdict(self, block: VerdictBlock) -> str:
        return self.grid(grids.verdict_table(block.record))

    def grid(self, record: dict[str, Any]) -> str:
        columns = record["columns"]
        head = "".join(
            f'<th scope="col" class="{column["align"]}">{escape(column["label"])}</th>'
            for column in columns
        )
        place, outcomes = grids.outcomes_of(record)
        words = outcomes if place is not None else [None] * len(record["rows"])
        rows = [_row(columns, *pair) for pair in zip(record["rows"], words, strict=True)]
        first = len(rows) - record["footer_rows"]
        footer = f'<tbody class="footer">{"".join(rows[first:])}</tbody>' if rows[first:] else ""
        note = _line("table-note", self.document.notes[record["id"]])
        label = self.labels[record["id"]].text
        caption = escape(f"{label}) {record['caption']}")
        return _scrolling(
            f'<table id="val-{escape(record["id"])}"><caption>{caption}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows[:first])}</tbody>{footer}</table>",
            label,
            note,
        )

    def chart(self, block: ChartBlock) -> str:
        record = block.record
        name = escape(record["id"])
        height = round(record["height_mm"] / MM_PER_INCH * PX_PER_INCH * 1.15)
        layout = {**block.chart["layout"], "autosize": True, "height": height}
        layout.pop("width", None)
        self.charts.append(
            {"place": f"chart-{record['id']}", "data": block.chart["data"], "layout": layout}
        )
        mark, note = origins.mark(record), _line("table-note", self.document.notes[record["id"]])
        caption = escape(f"{self.labels[record['id']].text}) {record['caption']}{mark}")
        self.figures += 1
        return (
            f'<figure id="val-{name}"><div class="chart" id="chart-{name}" role="img" '
            f'aria-label="{escape(record["alt"])}" style="height:{height}px"></div>'
            f"{note}"
            f"<figcaption>{caption}</figcaption></figure>"
        )

    def picture(self, block: Picture) -> str:
        image = (
            f'<img alt="{escape(block.alt)}" '
            f'src="{escape(_picture_address(block.data, block.mime))}">'
        )
        words = str(origins.foreign_caption(block))
        if block.caption is None:
            return f'<figure>{image}<p class="foreign">{escape(words)}</p></figure>'
        self.figures += 1
        name = f' id="val-{escape(block.anchor)}"' if block.anchor else ""
        caption = escape(f"Figure {self.figures}) {words}")
        return f"<figure{name}>{image}<figcaption>{caption}</figcaption></figure>"

    def footnotes(self) -> str:
        if not self.notes:
            return ""
        items = "".join(
            f'<li id="fn-{escape(key)}">{text} <a href="#call-{escape(key)}" '
            'aria-label="Back to the text">↩</a></li>'
            for key, text in self.notes.items()
        )
        return f'<section class="footnotes" aria-label="Footnotes"><ol>{items}</ol></section>'

    # inside a paragraph

    def line(self, children: Iterable[Inline]) -> str:
        return "".join(_INLINES[type(child)](self, child) for child in children)

    def text(self, part: Text) -> str:
        return escape(part.text)

    def marked(self, part: Marked) -> str:
        tag = {"strong": "strong", "emph": "em", "strike": "s"}[part.style]
        return f"<{tag}>{self.line(part.children)}</{tag}>"

    def code_span(self, part: CodeSpan) -> str:
        return f"<code>{escape(part.text)}</code>"

    def link(self, part: Link) -> str:
        inner = self.line(part.children)
        # a link that would run a script or open a local file stays words
        if not part.url.lower().startswith(SAFE_LINKS):
            return inner
        return f'<a href="{escape(part.url)}" rel="noreferrer">{inner}</a>'

    def line_break(self, _: Break) -> str:
        return "<br>"

    def see(self, part: See) -> str:
        label = self.labels[part.target]
        space = "sec" if label.kind in {"Section", "Heading"} else "val"
        return f'<a href="#{space}-{escape(part.target)}">{escape(label.text)}</a>'

    def footnote(self, part: Footnote) -> str:
        key = escape(part.key)
        if part.first:
            self.notes[part.key] = ""  # its number is taken before notes inside it
            self.notes[part.key] = self.blocks(part.blocks)
        number = list(self.notes).index(part.key) + 1
        call = f' id="call-{key}"' if part.first else ""
        return f'<sup><a{call} href="#fn-{key}">{number}</a></sup>'


def _row(columns: list[dict[str, Any]], row: list[str], outcome: str | None) -> str:
    cells = []
    for column, text in zip(columns, row, strict=True):
        inner = escape(text)
        if outcome and column["key"] == "outcome":
            inner = _outcome(text, outcome)
        long = any(grids.text_width(word) > LONG_WORD_EM for word in text.split())
        cells.append(f'<td class="{column["align"]}{" long" if long else ""}">{inner}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _scrolling(table: str, name: str = "Table", note: str = "") -> str:
    """A table that scrolls in its own box where the page is narrow, by keyboard too."""
    return (
        f'<div class="scroll" role="region" aria-label="{escape(name)}" tabindex="0">'
        f"{table}{note}</div>"
    )


_BLOCKS: dict[type, Callable[[_Writer, Any], str]] = {
    Heading: _Writer.heading,
    Paragraph: _Writer.paragraph,
    Items: _Writer.items,
    Quote: _Writer.quote,
    Note: _Writer.note,
    CodeBlock: _Writer.code,
    Rule: _Writer.rule,
    PageBreak: _Writer.page_break,
    StatementBlock: _Writer.statement,
    PlainTable: _Writer.plain_table,
    TableBlock: _Writer.table,
    VerdictBlock: _Writer.verdict,
    ChartBlock: _Writer.chart,
    Picture: _Writer.picture,
}

_INLINES: dict[type, Callable[[_Writer, Any], str]] = {
    Text: _Writer.text,
    Marked: _Writer.marked,
    CodeSpan: _Writer.code_span,
    Link: _Writer.link,
    Break: _Writer.line_break,
    See: _Writer.see,
    Footnote: _Writer.footnote,
}
