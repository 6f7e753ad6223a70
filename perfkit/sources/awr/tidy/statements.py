"""SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import MOVED, Column
from perfkit.sources.awr.tidy.context import Context, Data, UnreadError, size_of, where
from perfkit.sources.awr.tidy.take import by_instance, levelled, shown, take

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import RawTable
    from perfkit.sources.awr.sections import Section

_SQL_ID = re.compile(r"[0-9a-z]{13}|\d{5,11}")


_LABELS = {"Module": "module", "PDB": "container", "PDB Name": "container"}


def read_sql(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""
    if context.text:
        data = _sql_text(table, section, context)
    else:
        data = where(by_instance(table, section, context), "sql_id")
    size = size_of(data)
    data |= {name: [value] * size for name, value in section.const.items()}
    return {"sql": data}


def _sql_text(table: RawTable, section: Section, context: Context) -> Data:
    id_place = next(
        (place for place, column in enumerate(table.columns)
         if {"sqlid", "oldhashvalue", "hashvalue"} & set(column.keys)),
        None,
    )  # fmt: skip
    if id_place is None:
        raise UnreadError(f"no column of SQL ids: {shown(table.columns)}")
    found, above = _statements(table, id_place)
    _go_on(above, section, context)
    known = [statement for statement in found if statement.row]
    _blank_moved(table, known, id_place)
    data = take(table, section, context, [statement.row for statement in known])
    for column in ("module", "container"):
        data[column] = [statement.beside.get(column) for statement in known]
    # the text is wrapped at a fixed width, in the middle of words
    data["text"] = ["".join(statement.text).strip() or None for statement in known]
    made = levelled(data, context)
    if known:
        context.page = (section.name, made)
    return made


@dataclass
class _Statement:
    """A statement's line of numbers (no cells: it cannot be read) and what stands below it."""

    line: str
    row: list[str]
    beside: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)


def _statements(table: RawTable, id_place: int) -> tuple[list[_Statement], list[str]]:
    """The statements of a table, and the lines above the first of them.

    A line of numbers that is damaged begins a statement too: what follows is not the text of the
    one before. It is told as a row that was left out, as is one that is printed twice.
    """
    found: list[_Statement] = []
    above: list[str] = []
    filled = iter(table.body.fetch())
    for line in table.body.lines:
        if not line.strip():
            continue
        row = next(filled)
        whole = _is_sql(row, id_place)
        if whole and not (found and found[-1].line == line):
            found.append(_Statement(line, row))
        elif whole or _is_numbers(line, id_place):
            table.broken[len(found) + 1] = MOVED
            if not whole:
                found.append(_Statement(line, []))
        elif found:
            _add(line, found[-1].beside, found[-1].text)
        else:
            above.append(line)
    return found, above


def _is_numbers(line: str, id_place: int) -> bool:
    """Whether a line begins as a statement's line of numbers does."""
    words = itertools.takewhile(_NUMBER.fullmatch, line.split())
    return sum(1 for _ in words) >= max(_FEW, id_place - 2)


_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:[KMGT]|E[-+]\d+)?|#+|N/A")
_FEW = 3
"""Numbers at the beginning of a line that are no SQL text."""


def _blank_moved(table: RawTable, known: list[_Statement], id_place: int) -> None:
    """Rows that do not keep to their columns: the text stays with the id, no number is known."""
    marks = table.moved([statement.line for statement in known])
    for number, (statement, mark) in enumerate(zip(known, marks, strict=True), 1):
        if mark:
            table.broken[number] = MOVED
            kept = statement.row[id_place]
            statement.row = [""] * len(statement.row)
            statement.row[id_place] = kept


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


_TOTALS = frozenset({"", "total", "totals"})
_EACH = frozenset({"perexecution", "perexec", "percentageoftotal", "%total", "%oftotal"})


def read_global_sql(table: RawTable, section: Section, context: Context) -> dict[str, Data]:
    """SQL of all instances together: totals, and beside them the same per execution.

    Only the totals are taken; a group of columns that is not known to be one or the other makes
    the table unread.
    """
    groups = {cells.key(column.group) for column in table.columns}
    if not groups <= _TOTALS | _EACH:
        strange = ", ".join(sorted(groups - _TOTALS - _EACH))
        raise UnreadError(f"groups of columns that are not known at {table.place}: {strange}")
    totals = tuple(
        Column("", column.name if cells.key(column.group) in _TOTALS else "")
        for column in table.columns
    )
    body = replace(table.body, columns=totals)
    data = take(replace(table, open=lambda: body), section, context)
    data = where(levelled(data, context), "sql_id")
    constant = {name: [value] * size_of(data) for name, value in section.const.items()}
    return {"sql": data | constant}
