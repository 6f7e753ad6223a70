"""Captions as the lists of tables and figures print them, and when there are such lists."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfkit.core.evidence import OriginKind
from perfkit.core.typeface import width_em
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document import grids, origins
from perfkit.reporting.document.cover import mark_of
from perfkit.reporting.document.records import Record

LISTS_FROM = 10
"""So many tables and figures have lists of their own on paper."""

_HEADS: dict[OriginKind, str] = {
    "generated": "Tables and figures show generated data unless their line says otherwise.",
    "printed": "Tables and figures show printed figures, or values computed from them, unless "
    "their line says otherwise; each caption names the document.",
}


@dataclass(frozen=True)
class Caption:
    """A numbered value's caption, the mark of its origin apart."""

    kind: str
    text: str
    mark: str
    origins: frozenset[str]


@dataclass(frozen=True)
class Lists:
    """The lists of tables and figures: a text for each id, and what holds for all lines."""

    captions: dict[str, str]
    mark: str | None


def read_lists(blocks: Iterable[doc.Placed]) -> Lists:
    """The lines of the lists.

    The mark of an origin stands once where no value was measured or has another mark unsaid: a
    line without a mark then has that origin.
    """
    found = dict(filter(None, map(_caption, blocks)))
    kinds = {kind for caption in found.values() for kind in caption.origins}
    common = next((kind for kind in _HEADS if kinds - {"asserted"} == {kind}), None)
    short = _short(found)
    lines = {
        name: short[name] + ("" if common in caption.origins else caption.mark)
        for name, caption in found.items()
    }
    return Lists(lines, _HEADS[common] if common else None)


def _caption(placed: doc.Placed) -> tuple[str, Caption] | None:
    match placed.block:
        case doc.ChartBlock(record, _):
            return _of(record, "figure", record.caption, record.lineage.mark())
        case doc.TableBlock(record):
            return _of(record, "table", record.caption, record.lineage.mark())
        case doc.VerdictBlock(record):
            return _of(record, "table", grids.verdict_caption(record), mark_of(record))
        case doc.Picture(caption=str(text), anchor=str(anchor)):
            return anchor, Caption("figure", text, f" ({origins.FOREIGN})", frozenset())
    return None


def _of(record: Record, kind: str, text: str, mark: str) -> tuple[str, Caption]:
    lineage = record.lineage
    kinds = [origin.kind for origin in lineage.origins()] if lineage.traceable else ["unknown"]
    return record.id, Caption(kind, text, mark, frozenset(kinds))


def _short(found: dict[str, Caption]) -> dict[str, str]:
    """The first sentence; where several have it, with what the caption ends on; else the whole."""
    short = {name: caption.text for name, caption in found.items()}
    for form in (_with_end, _first):
        tried = {name: form(caption.text) for name, caption in found.items()}
        counts = Counter((found[name].kind, text) for name, text in tried.items())
        short |= {name: text for name, text in tried.items() if counts[found[name].kind, text] == 1}
    return short


def _first(text: str) -> str:
    """The first sentence of several, without its full stop as the lists have none."""
    return re.split(r"(?<=[^.\d][^.])\.\s+(?=[A-Z])", text, maxsplit=1)[0].rstrip(".")


def _with_end(text: str) -> str:
    """The first sentence and what follows the last colon: "Response against load: all reads"."""
    first, (_, colon, end) = _first(text), text.rpartition(": ")
    return f"{first}: {end.rstrip('.')}" if colon and first != text.rstrip(".") else text


LINE, TITLE_PT, LIST_PT, MARK_PT, ROOM_PT, GUTTER_PT = 1.21, 20.0, 40.0, 28.0, 60.0, 23.0
"""Height of a line in sizes of its text, of the title, of what stands above each list, of the mark
of their origin; width that number and page take, and that lies between two columns."""

SIZES_PT = (10.0, 9.5, 9.0, 8.5)


@dataclass(frozen=True)
class Contents:
    """How the contents are set: size of their text, columns of headings, height of the whole."""

    size_pt: float
    columns: int
    height_pt: float


def contents_settings(
    headings: Sequence[str], listed: Sequence[str], lists: int, width_pt: float
) -> list[Contents]:
    """The ways to set the contents: from the largest text to the smallest, then in two columns."""

    def lines(texts: Sequence[str], size: float, width: float) -> int:
        return sum(math.ceil(width_em(text) * size / (width - ROOM_PT)) for text in texts)

    def setting(size: float, columns: int) -> Contents:
        width = (width_pt + GUTTER_PT) / columns - GUTTER_PT
        first = math.ceil(len(headings) / columns)
        longest = max(lines(part, size, width) for part in (headings[:first], headings[first:]))
        above = TITLE_PT + LIST_PT * lists + MARK_PT * (lists > 0)
        height = above + (longest + lines(listed, size, width_pt)) * LINE * size
        return Contents(size, columns, height)

    return [setting(size, columns) for columns in (1, 2) for size in SIZES_PT]


def of_pages(settings: Sequence[Contents], height_pt: float) -> Contents:
    """The contents on pages of their own: the first setting that fits a page of this height.

    Where none fits, the first, unless a smaller one leaves more than a few lines to a second page.
    """
    fitting = [one for one in settings if one.height_pt <= height_pt]
    whole = [one for one in settings if one.height_pt % height_pt > height_pt / 4]
    return (fitting or whole or settings)[0]


def titles(blocks: Iterable[doc.Placed]) -> list[str]:
    """The headings in the contents, in order."""
    found = [placed.block for placed in blocks if isinstance(placed.block, doc.Heading)]
    return [doc.plain_text(block.children) for block in found if block.in_contents]
