"""How tall the chart of the findings may be, so that their page holds it."""

from __future__ import annotations

import html
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.core.text_size import FONT_SIZE_PX, lines_of
from perfkit.reporting.document.blocks import (
    Beside,
    Block,
    ChartBlock,
    FindingsBlock,
    Heading,
    Items,
    Paragraph,
    TableBlock,
    plain_text,
)
from perfkit.reporting.document.cover import cover_verdict
from perfkit.reporting.document.numbering import walk
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, Chart
from perfkit.reporting.write.paper import TEXT_HEIGHT_MM

if TYPE_CHECKING:
    from perfkit.reporting.document.assemble import Document


LEAST_MM, LARGER = 48.0, 1.15
"""With less room a chart moves on as it is; with more it is at most so many times as high."""

_LINE, _SMALL_LINE, _GAP = 4.7, 4.0, 5.0
_CAPTION, _BADGE = 24.0, 30.0
_HEADLINE, _BODY, _FULL, _PANEL, _TABLE, _ASKED = 54, 62, 105, 34, 170, 26
"""Letters in a line: of a headline, the text below it, the page, the panel, a table, an answer
in the panel."""


def hero_height_mm(document: Document) -> dict[str, float]:
    """The height that the page of findings leaves to its chart, by the chart's id.

    Lines are estimated by their letters; what does not fit all the same moves on to the next page.
    """
    blocks = [placed.block for placed in document.blocks[: document.page]]
    verdicts = (cover_verdict(record, document.labels) for record in document.judged)
    rules = [f"{line.outcome}   {line.rule}" for one in verdicts for line in one.rules]
    asked = any(isinstance(block, FindingsBlock) and block.panels for block in blocks)
    badge = 0.0 if asked and not rules else _BADGE
    panel = sum(_lines(text, _PANEL) for text in rules) + badge
    used = sum(_height(block, panel) for block in blocks if not isinstance(block, ChartBlock))
    left = TEXT_HEIGHT_MM[document.front["paper"]] - used - _CAPTION
    charts = [block.record for block in blocks if isinstance(block, ChartBlock)]
    return {
        record["id"]: min(LARGER * record["height_mm"], left)
        if left >= LEAST_MM
        else record["height_mm"]
        for record in charts
    }


def fitted(chart: Chart) -> Chart:
    """The chart with the titles beside it in lines that its height has room for."""
    layout = chart.plotly["layout"]
    margin = layout.get("margin", {})
    px = chart.height_mm / MM_PER_INCH * PX_PER_INCH - margin.get("t", 0) - margin.get("b", 0)
    broken = {
        name: axis | {"title": axis["title"] | {"text": _in_lines(axis["title"]["text"], px)}}
        for name, axis in layout.items()
        if name.startswith("yaxis") and axis.get("title", {}).get("text")
    }
    return replace(chart, plotly={**chart.plotly, "layout": {**layout, **broken}})


def _in_lines(text: str, px: float) -> str:
    whole = html.unescape(text.replace("<br>", " "))
    return "<br>".join(html.escape(line) for line in lines_of(whole, px, FONT_SIZE_PX + 1))


def _height(block: Block, panel: float) -> float:
    match block:
        case Heading(level=level):
            return 15.0 if level == 1 else 13.0
        case FindingsBlock(listed=items, panels=panels, care=care):
            beside = sum(
                _lines(plain_text(item.headline), _ASKED)
                + _lines(plain_text(item.text), _PANEL, _SMALL_LINE)
                for answers in panels.values() for item in answers
            )  # fmt: skip
            texts = sum(
                _lines(plain_text(item.headline), _HEADLINE)
                + _lines(plain_text(item.text), _BODY) + _GAP
                for item in items
            )  # fmt: skip
            read = sum(_lines(text, _PANEL, _SMALL_LINE) for text in care)
            return max(texts, beside + panel + read)
        case TableBlock(record=record):
            words = [record["caption"], record.get("note") or "", "caution"]
            return sum(_lines(text, _FULL) for text in words) + _rows(record)
        case Beside(parts=parts):
            tallest = max(sum(_height(inner, panel) for inner in part) for part in parts)
            return tallest * (1 if len(parts) == 1 else 1.4)
        case Paragraph(children=children):
            return _lines(plain_text(children), _FULL) + 1.5
        case _:
            inner = list(walk(block))[1:]
            return (
                sum(_height(part, panel) for part in inner if not isinstance(part, Items)) or 30.0
            )


def _rows(record: dict[str, Any]) -> float:
    """The height of a table's rows, by the longest cell of each."""
    heads = [column["label"] for column in record["columns"]]
    letters = _TABLE / len(heads)
    longest = (max(len(str(cell)) for cell in row) for row in (heads, *record["rows"]))
    return 8.0 + sum(math.ceil(most / letters) * 4.0 + 3.0 for most in longest)


def _lines(text: str, letters: int, line: float = _LINE) -> float:
    """The height of a text in lines of so many letters."""
    return math.ceil(len(text) / letters) * line
