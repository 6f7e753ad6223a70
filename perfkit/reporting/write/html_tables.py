"""Tables as HTML; the page's script lets a reader sort, filter, copy and save them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.core.plain_text import as_html
from perfkit.core.typeface import width_em
from perfkit.reporting.write.html_sources import bare, exact, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.reporting.document.records import ColumnRecord, TableRecord

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
