"""SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfkit.parsers.awr.raw import MOVED
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
    lines: list[str] = []
    beside: list[dict[str, str]] = []
    texts: list[list[str]] = []
    above: list[str] = []
    filled = iter(table.body.fetch())
    for line in table.body.lines:
        if not line.strip():
            continue
        row = next(filled)
        if _is_sql(row, id_place):
            rows.append(row)
            lines.append(line)
            beside.append({})
            texts.append([])
        elif rows:
            _add(line, beside[-1], texts[-1])
        else:
            above.append(line)
    _go_on(above, section, context)
    _blank_moved(table, rows, lines, id_place)
    data = take(table, section, context, rows)
    for column in ("module", "container"):
        data[column] = [item.get(column) for item in beside]
    # the text is wrapped at a fixed width, in the middle of words
    data["text"] = ["".join(lines).strip() or None for lines in texts]
    made = levelled(data, context)
    if rows:
        context.page = (section.name, made)
    return made


def _blank_moved(table: RawTable, rows: list[list[str]], lines: list[str], id_place: int) -> None:
    """Rows that do not keep to their columns: the text stays with the id, no number is known."""
    for number, mark in enumerate(table.moved(lines)):
        if mark:
            table.broken[number + 1] = MOVED
            kept = rows[number][id_place]
            rows[number] = [""] * len(rows[number])
            rows[number][id_place] = kept


def _add(line: str, beside: dict[str, str], text: list[str]) -> None:
    """A line below a statement's numbers: its module or container, else its text."""
    label, colon, rest = line.partition(":")
    if colon and label.strip() in _LABELS and not text:
        beside[_LABELS[label.strip()]] = rest.strip()
    else:
        text.append(line)


def _go_on(lines: list[str], section: Section, context: Context) -> None:
    """Lines above the first statement of a page: they belong to the last one of the page before."""
    if not lines or context.page is None or context.page[0] != section.name:
        return
    last = context.page[1]
    beside: dict[str, str] = {}
    text: list[str] = [last["text"][-1]] if last["text"][-1] else []
    for line in lines:
        _add(line, beside, text)
    for column, value in beside.items():
        last[column][-1] = value
    last["text"][-1] = "".join(text).strip() or None


def _is_sql(row: list[str], id_place: int) -> bool:
    """Whether a line is a statement's line of numbers."""
    if len(row) <= id_place or not _SQL_ID.fullmatch(row[id_place]):
        return False
    others = row[:id_place]
    return bool(others[0]) and all(re.fullmatch(r"[-\d.,#EKMGN/A+]*", cell) for cell in others)
