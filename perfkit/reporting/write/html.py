"""The report as one HTML page: nothing from outside, the same numbers as on paper."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.plain_text import as_html, plain_all
from perfkit.core.values import PLOTLY_CONFIG
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import front_matter, grids
from perfkit.reporting.document.cover import cover_verdict
from perfkit.reporting.document.records import FrontMatter, Logo, Partner
from perfkit.reporting.write import web_parts
from perfkit.reporting.write.html_blocks import named_line, verdict_badge, write_blocks
from perfkit.reporting.write.html_sources import sources
from perfkit.reporting.write.web_parts import Common

if TYPE_CHECKING:
    from perfkit.reporting.document.assemble import Document


@dataclass(frozen=True)
class WebPage:
    """What ``templates/web/index.html.j2`` fills in; every text is HTML already."""

    language: str
    title: str
    about: str
    accent: str
    tint: str
    common: Common
    contents: str
    cover: str
    body: str
    footer: str
    data: str


def write_html(document: Document, common: Common | None = None) -> WebPage:
    """The parts of the page of a document.

    ``common`` is what the page shares with others; without it everything is in the page itself.
    """
    front = document.front
    written = write_blocks(document)
    holder = front.copyright
    footer = [front.title, front.number, holder and f"© {front.date[:4]} {holder}"]
    data = {"config": PLOTLY_CONFIG, "charts": written.charts, **sources(written.values)}
    # mixed with 94% white, as the paper's tables have it
    tint = "#" + "".join(
        f"{round(p + (255 - p) * 0.94):02x}" for p in front_matter.parts_of(front.accent)
    )
    # JSON that may stand inside a script element
    text = json.dumps(plain_all(data), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return WebPage(
        language=as_html(front.language),
        title=as_html(front.title),
        about=_about(front),
        accent=front.accent,
        tint=tint,
        common=common or web_parts.embedded(charts=bool(written.charts)),
        contents=_contents(document),
        cover=_cover(document, written.abstract),
        body=written.body,
        footer=as_html(" · ".join(filter(None, footer))),
        data=text.replace("<", "\\u003c"),
    )


def _about(front: FrontMatter) -> str:
    """What the page says of itself to programs."""
    said = {
        "description": front_matter.subject(front),
        "keywords": ", ".join(front_matter.keywords(front)),
        "author": ", ".join(front.authors),
    }
    return "".join(
        f'<meta name="{name}" content="{as_html(text)}">\n' for name, text in said.items() if text
    )


def _cover(document: Document, abstract: str) -> str:
    front = document.front
    date = " | ".join(part for part in (front.date_text, front.number) if part)
    parts = [
        f'<div class="band">{as_html(front.kind_of_report)}</div>',
        f"<h1>{as_html(front.title)}</h1>",
        named_line("subtitle", front.subtitle),
        named_line("authors", ", ".join(front.authors)),
        named_line("date", date),
        _partner(front.partner),
    ]
    if abstract:
        parts.append(f'<section class="abstract"><h2>Abstract</h2>{abstract}</section>')
    for notice in document.notices:
        parts.append(f'<p class="badge notice">{as_html(notice.headline)}</p>')
        parts.append(f'<p class="rules">{as_html(notice.text)}</p>')
    if not document.has_findings:
        parts.append(_cautions(document.cautions))
        parts += [
            verdict_badge(cover_verdict(record, document.labels)) for record in document.verdicts
        ]
    if front.logo:
        parts.append(_logo(front.logo, f"Logo of {front.copyright or 'the authors'}"))
    return f'<header class="cover">{"".join(parts)}</header>'


def _logo(logo: Logo, alt: str) -> str:
    address = f"data:{logo.mime};base64,{logo.base64}"
    return f'<img class="logo" alt="{as_html(alt)}" src="{as_html(address)}">'


def _partner(partner: Partner | None) -> str:
    if not partner:
        return ""
    shown = as_html(partner.name)
    if partner.logo:
        shown = _logo(partner.logo, partner.name)
    return f'<p class="partner">In partnership with {shown}</p>'


def _cautions(lines: tuple[str, ...]) -> str:
    if not lines:
        return ""
    items = "".join(f"<li>{as_html(line)}</li>" for line in lines)
    return f'<p class="badge notice">CAUTIONS</p><ul class="rules">{items}</ul>'


def _contents(document: Document) -> str:
    """Nested lists of headings, then of tables and figures."""
    text, level = "<ol>", 1
    first = True
    for placed in document.blocks:
        block = placed.block
        if not isinstance(block, doc.Heading) or not block.in_contents:
            continue
        if block.level > level:
            text += "<ol>" * (block.level - level)
        elif not first:
            text += "</li>" + "</ol></li>" * (level - block.level)
        label = document.labels[f"#{block.anchor}"]
        title = f"{label.number} {label.title}".strip()
        text += f'<li><a href="#sec-{as_html(block.anchor)}">{as_html(title)}</a>'
        level, first = block.level, False
    text += "</li>" + "</ol></li>" * (level - 1) if not first else ""
    return text + "</ol>" + _list_of(document, "Table") + _list_of(document, "Figure")


def _list_of(document: Document, kind: str) -> str:
    captions = _captions(document)
    numbered = [item for item in document.labels.items() if item[1].kind == kind]
    lines = [
        f'<li><a href="#val-{as_html(name)}">{as_html(f"{label.text}) {captions[name]}")}</a></li>'
        for name, label in sorted(numbered, key=lambda item: int(item[1].number))
        if name in captions
    ]
    if not lines:
        return ""
    words = f"{kind}s ({len(lines)})"
    return f"<details><summary>{words}</summary><ol>{''.join(lines)}</ol></details>"


def _captions(document: Document) -> dict[str, str]:
    found = {}
    for placed in document.blocks:
        match placed.block:
            case doc.ChartBlock(record, _) | doc.TableBlock(record):
                found[record.id] = record.caption
            case doc.VerdictBlock(record):
                found[record.id] = grids.verdict_table(record).caption
            case doc.Picture(caption=str(caption), anchor=str(anchor)):
                found[anchor] = caption
    return found
