"""Documents with printed numbers: tables as cells, and the sentences around them.

Markdown, text (tables set with tabs, with blanks, or one cell a paragraph, as web pages are
copied), CSV, and PDF. Nothing is judged here: ``audit_document`` does that.
"""

from __future__ import annotations

import bisect
import logging
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, Origin, Section, sha256_bytes
from perfkit.core.lineage import reading
from perfkit.core.schema import Field, Schema, conform, polars_schema
from perfkit.formats.printed_text import exact_text, printed_number, unit_name
from perfkit.formats.quantities import head_unit
from perfkit.sources.files import file_bytes, reader, text_of
from perfkit.sources.printed.document import Form, Table, document_of
from perfkit.sources.printed.document.webs import page_text
from perfkit.sources.printed.read import CELLS

if TYPE_CHECKING:
    from pypdf import PageObject

    from perfkit.core.lineage import Reading

VERSION = 1

SENTENCES: Schema = {
    "line": Field(pl.Int64, None, "line it begins in"),
    "place": Field(pl.String, None, "page of a PDF"),
    "section": Field(pl.String, None, "heading above it"),
    "paragraph": Field(pl.Int64, None, "paragraph, from 1"),
    "kind": Field(pl.String, None, "text, command (a line of code) or caption"),
    "text": Field(pl.String, None, "the sentence"),
}
"""One row a sentence, command line or caption."""

OFFICE = frozenset({".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".doc", ".xls", ".ppt"})
FORMS: dict[str, Form] = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".mkd": "markdown",
    ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".csv": "csv", ".tsv": "csv",
}  # fmt: skip
"""How a document is read, by the ending of its name; any other is text."""


MOST_OF_A_PAGE = 2_000_000
"""Bytes of a page of a PDF: pages of text have 0.1 MB, a page of 15 MB took 16 s and failed."""


@dataclass(frozen=True)
class _Pages:
    """Of a PDF the first lines of its pages, and those not read; empty for other documents."""

    starts: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()

    def of(self, line: int) -> str | None:
        return f"page {bisect.bisect_right(self.starts, line)}" if self.starts else None


@reader
def read_document(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read a document: its tables, a row a printed cell, and its sentences.

    The form is told by the file's name: ``.csv`` and ``.tsv`` are tables, ``.pdf`` is a PDF,
    ``.adoc`` is AsciiDoc, ``.html`` a web page, and any other is text with Markdown tables, tables
    set by tabs, blanks or rules, or one cell a paragraph.

    Returns:
        ``cells`` (columns as those of ``read_printed``; units of heads apply to their columns) and
        ``sentences`` (columns: ``SENTENCES``), with the line of each.

    Raises:
        ParseError: The file is not text, or a PDF without text (a scan).
    """
    place = Path(path)
    label = proof.label(place, root)
    data = file_bytes(place, label)
    kind = place.suffix.lower()
    if kind in OFFICE:
        raise ParseError(label, "is an office document: save it as PDF, HTML or CSV")
    text, pages = _pdf_text(place, label) if kind == ".pdf" else (text_of(data, label), _Pages())
    text = text.removeprefix("\ufeff")
    text = page_text(text) if kind in {".html", ".htm"} else text
    found = document_of(text, FORMS.get(kind, "text"))
    cells = _frame(
        CELLS,
        [
            row
            for number, table in enumerate(found.tables, 1)
            for row in _table(f"t{number}", table, place.name, pages)
        ],
    )
    sentences = _frame(SENTENCES, [{**vars(s), "place": pages.of(s.line)} for s in found.sentences])
    if not len(cells) and not len(sentences):
        raise ParseError(label, "holds no table and no sentence")
    evidence = Evidence(
        "document",
        label,
        sha256_bytes(data),
        origin=Origin("printed", place.name),
        sections=(
            Section("cells", "found", len(cells)),
            Section("sentences", "found", len(sentences)),
        ),
        warnings=tuple(
            f"page {number} was not read: it is a drawing of more parts than can be looked through"
            for number in pages.unread
        ),
    )
    frames = {
        "cells": conform(cells, CELLS, label),
        "sentences": conform(sentences, SENTENCES, label),
    }
    return reading("read.document", VERSION, frames, evidence)


def _pdf_text(path: Path, label: str) -> tuple[str, _Pages]:
    """The text of a PDF with its columns kept apart, and where its pages begin."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    # what is odd in a font is not a message to a reader of the audit
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        texts = [_page_text(page) for page in PdfReader(path).pages]
    except (PyPdfError, ValueError, KeyError) as problem:
        raise ParseError(label, f"cannot be read as a PDF: {problem}") from problem
    unread = [number for number, text in enumerate(texts, 1) if text is None]
    if not any((text or "").strip() for text in texts):
        raise ParseError(label, "is a PDF without text (a scan?): nothing can be audited")
    starts, line = [], 1
    for text in texts:
        starts.append(line)
        line += (text or "").count("\n") + 2
    return "\n\n".join(text or "" for text in texts), _Pages(tuple(starts), tuple(unread))


def _page_text(page: PageObject) -> str | None:
    """The text of a page, its columns kept apart; None of a drawing of a million parts."""
    content = page.get("/Contents")
    content = content.get_object() if content is not None else None
    parts = content if isinstance(content, list) else [content] if content is not None else []
    if sum(len(part.get_object().get_data()) for part in parts) > MOST_OF_A_PAGE:
        return None
    return page.extract_text(extraction_mode="layout")


def _frame(schema: Schema, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=polars_schema(schema))


def _table(name: str, table: Table, document: str, pages: _Pages) -> list[dict[str, Any]]:
    units = [_head(head) for head in table.heads]
    rows = []
    for number, row in enumerate(table.rows, 1):
        for column, text in enumerate(row.cells):
            line = row.line_of(column)
            rows.append(
                {
                    "table_id": name,
                    "document": document,
                    "table": table.label,
                    "place": pages.of(line) or table.section or None,
                    "title": table.title,
                    "row": number,
                    "line": line,
                    "row_name": row.cells[0] or None,
                    "column": column + 1,
                    "column_key": f"{column + 1}",
                    "column_label": table.heads[column],
                    "text": text or None,
                    **_number(text, *units[column]),
                    "footer": False,
                }
            )
    return rows


def _head(head: str) -> tuple[str | None, Fraction]:
    """The unit that the head of a column names, and its scale: "IOPS (K)" is a number by 1000."""
    unit, scale = head_unit(head)
    return (unit_name(unit.name) if unit else None), scale


def _number(text: str, unit: str | None, scale: Fraction) -> dict[str, Any]:
    # a number without brackets around it: (5.2%)
    bracket = text.strip().startswith("(") and text.strip().endswith(")")
    found = printed_number(text.strip()[1:-1] if bracket else text) if text else None
    if found is None:
        return {"unit": unit}
    bare = found.unit is None and not found.text.rstrip().lower().endswith(("k", "m"))
    factor = scale if bare else Fraction(1)
    low, high = (None if b is None else exact_text(b * factor) for b in (found.low, found.high))
    return {
        "number": exact_text(found.value * factor),
        "value": float(found.value * factor),
        "low": low,
        "high": high,
        "decimals": found.decimals,
        "unit": found.unit or unit,
    }
