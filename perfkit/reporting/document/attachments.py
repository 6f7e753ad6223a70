"""What a report carries beside its pages: tables in files that are attached to the PDF.

A reader of the paper seldom needs them, a checker does. The HTML page has the same tables, folded.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal

from perfkit.core.plain_text import as_csv_cell
from perfkit.reporting.document import grids
from perfkit.reporting.document.records import TableRecord

MOST_ROWS = 60
"""A table with more rows is printed in part."""

PRINTED_ROWS = 25
"""So many of its first rows are printed then."""


@dataclass(frozen=True)
class Attachment:
    """A file in the PDF.

    Attributes:
        name: What a reader saves it as.
        description: What it holds, as a sentence.
        content: CSV in UTF-8.
        relationship: What it is to the report, as PDF/A-3 has it.
    """

    name: str
    description: str
    content: bytes
    relationship: Literal["data", "supplement"]


def as_csv(record: TableRecord) -> bytes:
    """A table as CSV, its labels as the header; no cell becomes a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = [column.label for column in record.columns]
    writer.writerows([as_csv_cell(cell) for cell in row] for row in (labels, *record.rows))
    return text.getvalue().encode()


def printed_part(record: TableRecord, name: str) -> tuple[TableRecord, str | None]:
    """What paper shows of a table, and a sentence on what it does not show; None for nothing.

    Rows that sum up stay. ``name`` is that of the file with the whole table.
    """
    rows, count = _printed_rows(record), len(record.rows)
    if len(rows) == count:
        return record, None
    outcomes = record.outcomes and [record.outcomes[row] for row in rows]
    shown = replace(record, rows=[record.rows[row] for row in rows], outcomes=outcomes)
    return shown, (
        f"Only the first {PRINTED_ROWS} of {count:,} rows are printed{_unseen(record, rows)}. The "
        f"whole "
        f"table is attached as {name}."
    )


def instead(record: TableRecord, name: str) -> str:
    """What paper says of a table that is a detail: its rows, their outcomes, and the file."""
    _, outcomes = grids.outcomes_of(record)
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in Counter(outcomes).items())
    many = "row" if len(record.rows) == 1 else "rows"
    rows = f"{len(record.rows):,} {many}{f' ({counts})' if counts else ''}"
    return f"{rows}, attached as {name}."


def _printed_rows(record: TableRecord) -> list[int]:
    count = len(record.rows)
    if count <= MOST_ROWS:
        return list(range(count))
    return [*range(PRINTED_ROWS), *range(max(PRINTED_ROWS, count - record.footer_rows), count)]


def _unseen(record: TableRecord, rows: list[int]) -> str:
    """The outcomes of the rows that are not printed: none of them may be missed."""
    _, outcomes = grids.outcomes_of(record)
    shown = set(rows)
    counts = Counter(outcome for row, outcome in enumerate(outcomes) if row not in shown)
    listed = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())
    return f"; the outcomes of the others: {listed}" if listed else ""
