"""How tall the chart of the findings may be, so that their page holds it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfkit.reporting.document.blocks import (
    Block,
    ChartBlock,
    Contents,
    FindingsBlock,
    Heading,
    Items,
    Paragraph,
    TableBlock,
    plain_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfkit.reporting.document.blocks import Placed

TEXT_HEIGHT_MM = {"us-letter": 235.0, "a4": 253.0}
LEAST_MM, MOST_MM = 56.0, 100.0
_LINE, _GAP, _ROW = 4.7, 4.0, 7.5
_CAPTION = 18.0
_HEADLINE, _BODY, _FULL, _PANEL = 54, 62, 105, 34
"""Letters in a line: of a headline, the text below it, the page, the panel beside it."""


def hero_height_mm(blocks: Iterable[Placed], paper: str) -> tuple[str, float] | None:
    """The id of the chart among the findings, and the height that the page leaves to it.

    None where there is no chart. Lines are estimated by their letters; what does not fit all the
    same moves on to the next page.
    """
    hero: str | None = None
    used = 0.0
    for placed in blocks:
        block = placed.block
        if isinstance(block, Contents):
            break
        if isinstance(block, ChartBlock):
            hero = str(block.record["id"])
            continue
        used += _height(block)
    if hero is None:
        return None
    left = TEXT_HEIGHT_MM[paper] - used - _CAPTION
    return hero, min(MOST_MM, max(LEAST_MM, left))


def _height(block: Block) -> float:
    match block:
        case Heading(level=level):
            return 14.0 if level == 1 else 11.0
        case FindingsBlock(items=items, cautions=cautions):
            texts = sum(
                _lines(plain_text(item.headline), _HEADLINE)
                + _lines(plain_text(item.text), _BODY) + _GAP
                for item in items
            )  # fmt: skip
            panel = sum(_lines(text, _PANEL) for text in cautions) + 40.0
            return max(texts, panel)
        case TableBlock(record=record):
            rows = [record["caption"], record.get("note") or ""]
            return sum(_lines(text, _FULL) for text in rows) + _ROW * (len(record["rows"]) + 2)
        case Items(items=items):
            return sum(_height(inner) for item in items for inner in item)
        case Paragraph(children=children):
            return _lines(plain_text(children), _FULL) + 1.5
        case _:
            return 30.0


def _lines(text: str, letters: int) -> float:
    """The height of a text in lines of so many letters."""
    return math.ceil(len(text) / letters) * _LINE
