"""Pages, and tables on them: sizes, widths of columns, the verdict's table of criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perfkit.core.cautions import OF_EVIDENCE
from perfkit.core.errors import ReportError
from perfkit.core.evidence import Lineage, marked
from perfkit.core.typeface import ZERO_WIDTH_SPACE, width_em
from perfkit.reporting.document.cover import MEANT, mark_of
from perfkit.reporting.document.records import ColumnRecord, TableRecord, VerdictRecord

PT_PER_MM = 72 / 25.4

TOP_MM = 20.0
"""Where the text of a page begins, from its top."""

_MARGIN_MM = 22.0
_FOOT_MM = 24.0
_PAPERS_MM = {"us-letter": (215.9, 279.4), "a4": (210.0, 297.0)}

TEXT_HEIGHT_MM = {paper: height - TOP_MM - _FOOT_MM for paper, (_, height) in _PAPERS_MM.items()}
"""The height of text on a portrait page, by paper."""

TEXT_END_MM = {paper: height - _FOOT_MM for paper, (_, height) in _PAPERS_MM.items()}
"""Where the text of a portrait page ends, from the page's top, by paper."""


def text_sizes_mm(paper: str) -> tuple[float, float]:
    """The width of text on a portrait and on a landscape page."""
    width, height = _PAPERS_MM[paper]
    return width - 2 * _MARGIN_MM, height - 2 * _MARGIN_MM


PORTRAIT_SIZES_PT = (8.5, 8.0, 7.5)
LANDSCAPE_SIZES_PT = (8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5)
"""Sizes a table's text may have; the first that fits is taken, portrait before landscape."""

PADDING_EM = 1.1
"""Blank left and right of a cell's text, together."""


def breakable(text: str, em: float, *, bold: bool = False) -> str:
    """The text with places to break inside words that are wider than ``em``.

    Breaks come after a punctuation sign where there is one; the zero-width space that marks them
    prints nothing and is not part of what a reader copies.
    """
    return re.sub(r"\S+", lambda word: _break_word(word[0], em, bold=bold), text)


def _break_word(word: str, em: float, *, bold: bool) -> str:
    if width_em(word, bold=bold) <= em:
        return word
    parts, line = [""], 0.0
    for char in word:
        width = width_em(char, bold=bold)
        if line + width > em * 0.9:
            parts.append("")
            line = 0.0
        parts[-1] += char
        line += width
        if char in "/_-.:,=" and line > em * 0.4:
            parts.append("")
            line = 0.0
    return ZERO_WIDTH_SPACE.join(part for part in parts if part)


@dataclass(frozen=True)
class Grid:
    """How a table is laid out: the share of the width of each column, the size, the page.

    Attributes:
        shares: Parts of the whole width; they sum to 1.
        size_pt: The size of its text.
        wide: Whether it needs a landscape page.
        header: Column labels, with places to break.
        rows: Cell texts, with places to break.
        narrow: Whether its words need less than two thirds of the width.
    """

    shares: tuple[float, ...]
    size_pt: float
    wide: bool
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    narrow: bool = False

    def tail(self, footers: int = 0) -> int:
        """How many of the last rows stay together."""
        return 0 if len(self.rows) <= SHORT_ROWS else max(KEPT_ROWS, footers)

    def tall(self, width_pt: float) -> bool:
        """Whether a row may be too tall for a page, in a table so wide."""
        room = [share * width_pt / self.size_pt - PADDING_EM for share in self.shares]
        return any(
            width_em(cell) > em * TALL_LINES
            for row in self.rows
            for cell, em in zip(row, room, strict=True)
        )


KEPT_ROWS = 3
"""A table that breaks has so many rows on each page at least."""

SHORT_ROWS = 8
"""A table of so many rows does not break."""

TALL_LINES = 20
"""A row that may have more lines may break: a page might not hold it."""


def lay_out(record: TableRecord, portrait_mm: float, landscape_mm: float) -> Grid:
    """The layout of a table record: portrait if it can be, else landscape, else smaller.

    A number is never broken over lines; a word that does not fit gets places to break.

    Raises ReportError when not even the smallest text fits a landscape page.
    """
    for whole_em, wide, size in _tries(record.wide):
        columns = _columns(record, whole_em)
        width_pt = (landscape_mm if wide else portrait_mm) * PT_PER_MM
        needed_em = sum(column.least_em + PADDING_EM for column in columns)
        if needed_em * size <= width_pt:
            return _grid(record, columns, width_pt, size, wide)
    raise ReportError(
        f"table {record.id!r}: its {len(record.columns)} columns do not fit on a "
        "landscape page; show fewer columns, or rows as columns"
    )


def column_groups(record: TableRecord, width_mm: float) -> list[list[int]]:
    """The columns of a table in as few groups of about one size as fit the width.

    Each group begins with the first column, which says what a row is.
    """
    count = len(record.columns)
    for groups in range(1, count):
        size = -(-(count - 1) // groups)
        found = [[0, *range(start, min(start + size, count))] for start in range(1, count, size)]
        if all(_fits(record, group, width_mm) for group in found):
            return found
    return [list(range(count))]


def columns_of(record: TableRecord, places: list[int]) -> TableRecord:
    """The table with only these columns."""
    return replace(
        record,
        columns=[record.columns[place] for place in places],
        rows=[[row[place] for place in places] for row in record.rows],
    )


def _fits(record: TableRecord, places: list[int], width_mm: float) -> bool:
    try:
        return lay_out(columns_of(record, places), width_mm, width_mm).size_pt >= LEAST_SPLIT_PT
    except ReportError:
        return False


LEAST_SPLIT_PT = 7.0
"""Before its text gets smaller, a table is printed in groups of columns."""


WHOLE_WORD_EM = 13.0
"""Words up to this width (some 24 characters) stay whole; longer ones may break."""

CUT_WORD_EM = 6.0
"""The same where there is no other way."""


def _tries(wide: bool) -> Iterator[tuple[float, bool, float]]:
    """The ways to lay a table out, best first: width of whole words, landscape, size."""
    if not wide:
        yield from ((WHOLE_WORD_EM, False, size) for size in PORTRAIT_SIZES_PT)
    yield from ((WHOLE_WORD_EM, True, size) for size in PORTRAIT_SIZES_PT)
    yield from ((CUT_WORD_EM, True, size) for size in LANDSCAPE_SIZES_PT)


@dataclass(frozen=True)
class _Column:
    least_em: float  # the widest word that should stay whole
    natural_em: float  # the widest cell on one line


def _columns(record: TableRecord, whole_em: float) -> list[_Column]:
    found = []
    for number, column in enumerate(record.columns):
        cells = [row[number] for row in record.rows]
        widest = max((width_em(cell) for cell in cells), default=1.0)
        words = [width_em(word) for cell in set(cells) for word in cell.split()]
        # a head is semibold: a little narrower than bold
        heads = [width_em(word, bold=True) for word in column.label.split()]
        least = min(max([*words, *heads], default=1.0), whole_em)
        if column.align == "right":  # a number with its unit stays on one line
            least = max(least, widest)
        head = width_em(column.label, bold=True)
        found.append(_Column(least + 0.3, max(widest, min(head, 12.0), least) + 0.3))
    return found


def _grid(
    record: TableRecord, columns: list[_Column], width_pt: float, size: float, wide: bool
) -> Grid:
    widths = _widths(columns, width_pt, size)
    total = sum(widths)
    room_em = [width / total * width_pt / size - PADDING_EM for width in widths]
    heads = zip(record.columns, room_em, strict=True)
    return Grid(
        tuple(round(width / total, 4) for width in widths),
        size,
        wide,
        tuple(breakable(column.label, em, bold=True) for column, em in heads),
        tuple(
            tuple(
                cell if column.align == "right" else breakable(cell, em)
                for cell, column, em in zip(row, record.columns, room_em, strict=True)
            )
            for row in record.rows
        ),
        total < NARROW * width_pt,
    )


NARROW = 0.66


def _widths(columns: list[_Column], width_pt: float, size: float) -> list[float]:
    """Every column gets its least width; the rest goes where text would else wrap, then to all."""
    least = [(column.least_em + PADDING_EM) * size for column in columns]
    wish = [(column.natural_em + PADDING_EM) * size for column in columns]
    spare = width_pt - sum(least)
    lacking = [want - has for want, has in zip(wish, least, strict=True)]
    if sum(lacking) <= spare:
        return wish
    factor = spare / sum(lacking)
    return [has + lack * factor for has, lack in zip(least, lacking, strict=True)]


OUTCOMES = frozenset({"pass", "fail", "not judged", MEANT})


def outcomes_of(record: TableRecord) -> tuple[int | None, Sequence[str]]:
    """The place of a table's column of verdicts, and the verdict of each row; (None, []) for none.

    A table's own column "outcome" counts where every cell is a verdict's word.
    """
    keys = [column.key for column in record.columns]
    if "outcome" not in keys:
        return None, []
    place = keys.index("outcome")
    found = record.outcomes or [row[place] for row in record.rows]
    return (place, found) if set(found) <= OUTCOMES else (None, [])


def verdict_caption(record: VerdictRecord) -> str:
    """The caption of a verdict's table, without the mark of its origin."""
    return f"Acceptance: {record.headline.lower()}."


def verdict_table(record: VerdictRecord) -> TableRecord:
    """The table of a verdict: criterion, rule, where, measured, outcome, remark, source.

    Criterion and rule print once for all that they were applied to; a source or a remark of all
    rows stands in the note.
    """
    judgements: Sequence[Mapping[str, Any]] = record.judgements or _NO_CRITERION
    of_all = {
        key: judgements[0][key]
        for key in ("source", "reason")
        if len(judgements) > 1 and len({item[key] for item in judgements}) == 1
    }
    columns = [
        (key, label)
        for key, label in _VERDICT
        if key in _ALWAYS or (key not in of_all and any(item[key] for item in judgements))
    ]
    labels = dict(_VERDICT)
    notes = [f"{labels[key]}: {text}." for key, text in of_all.items() if text]
    return TableRecord(
        id=record.id,
        caption=marked(verdict_caption(record), mark_of(record)),
        note=" ".join(notes) or None,
        # each row says those of its claim
        cautions=tuple(told for told in record.cautions if told.name in OF_EVIDENCE),
        grouped=2,
        columns=[ColumnRecord(key=key, label=label) for key, label in columns],
        rows=[[_verdict_cell(item, key) for key, _ in columns] for item in judgements],
        outcomes=[MEANT if item.get("meant_to_fail") else item["outcome"] for item in judgements],
        lineage=Lineage(traceable=True),
    )


_VERDICT = (
    ("criterion", "Criterion"), ("rule", "Rule"), ("scope", "Where"), ("value", "Measured"),
    ("outcome", "Outcome"), ("reason", "Remark"), ("source", "Source of the rule"),
)  # fmt: skip
_NO_CRITERION = [dict.fromkeys(dict(_VERDICT)) | {
    "criterion": "No criterion was given", "outcome": "not judged",
}]  # fmt: skip
_ALWAYS = frozenset({"criterion", "rule", "value", "outcome"})


def _verdict_cell(item: Mapping[str, Any], key: str) -> str:
    if key == "value":
        return str(item["value"]["text"]) if item["value"] else "–"
    if key == "outcome":
        meant = item.get("meant_to_fail")
        return f"{item['outcome']}, {MEANT} ({meant})" if meant else str(item["outcome"])
    return str(item[key] or "–")
