"""SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfkit.parsers.awr.tidy.context import Context, Data, UnreadError, size_of, where
from perfkit.parsers.awr.tidy.take import levelled, shown, take

if TYPE_CHECKING:
    from perfkit.parsers.awr.raw import RawTable
    from perfkit.parsers.awr.sections import Section

_SQL_ID = re.compile(r"[0-9a-z]{13}|\d{5,11}")


_LABELS = {"Module": "module", "PDB": "container", "PDB Name": "container"}


def read_sql(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""
    data = (_sql_text if context.text else _sql_html)(table, section, context)
    size = size_of(data)
    data |= {name: [value] * size for name, value in section.const.items()}
    return {"sql": data}


def _sql_html(table: RawTable, section: Section, context: Context) -> Data:
    return where(levelled(take(table, section, context), context), "sql_id")


def _sql_text(table: RawTable, section: Section, context: Context) -> Data:
    id_place = next(
        (place for place, column in enumerate(table.columns)
         if {"sqlid", "oldhashvalue", "hashvalue"} & set(column.keys)),
        None,
    )  # fmt: skip
    if id_place is None:
        raise UnreadError(f"no column of SQL ids: {shown(table.columns)}")
    rows: list[list[str]] = []
    beside: list[dict[str, str]] = []
    texts: list[list[str]] = []
    filled = iter(table.body.fetch())
    for line in table.body.lines:
        if not line.strip():
            continue
        row = next(filled)
        if _is_sql(row, id_place):
            rows.append(row)
            beside.append({})
            texts.append([])
        elif rows:
            label, colon, rest = line.partition(":")
            if colon and label.strip() in _LABELS and not texts[-1]:
                beside[-1][_LABELS[label.strip()]] = rest.strip()
            else:
                texts[-1].append(line)
    data = take(table, section, context, rows)
    for column in ("module", "container"):
        data[column] = [item.get(column) for item in beside]
    # the text is wrapped at a fixed width, in the middle of words
    data["text"] = ["".join(lines).strip() or None for lines in texts]
    return levelled(data, context)


def _is_sql(row: list[str], id_place: int) -> bool:
    """Whether a line is a statement's line of numbers."""
    if len(row) <= id_place or not _SQL_ID.fullmatch(row[id_place]):
        return False
    others = row[:id_place]
    return bool(others[0]) and all(re.fullmatch(r"[-\d.,#EKMGN/A+]*", cell) for cell in others)
