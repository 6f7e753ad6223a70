"""SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace

from perfkit.sources.awr import cells
from perfkit.sources.awr.raw import MISALIGNED, Column
from perfkit.sources.awr.tidy.context import Data, Found, UnreadError, where
from perfkit.sources.awr.tidy.take import by_instance, levelled, shown, take

_SQL_ID = re.compile(r"[0-9a-z]{13}|\d{5,11}")


_LABELS = {"Module": "module", "PDB": "container", "PDB Name": "container"}


def read_sql(found: Found) -> dict[str, Data]:
    """SQL statements: rows in HTML; in text a line of numbers, then module and SQL text."""
    data = _sql_text(found) if found.text else where(by_instance(found), "sql_id")
    return {"sql": found.with_constants(data)}


def _sql_text(found: Found) -> Data:
    id_place = next(
        (
            place
            for place, column in enumerate(found.table.columns)
            if {"sqlid", "oldhashvalue", "hashvalue"} & set(column.keys)
        ),
        None,
    )
    if id_place is None:
        raise UnreadError(f"no column of SQL ids: {shown(found.table.columns)}")
    statements, above = _statements(found, id_place)
    _go_on(above, found)
    known = [statement for statement in statements if statement.row]
    _blank_moved(found, known, id_place)
    data = take(found, [statement.row for statement in known])
    for column in ("module", "container"):
        data[column] = [statement.beside.get(column) for statement in known]
    # the text is wrapped at a fixed width, in the middle of words
    data["text"] = ["".join(statement.text).strip() or None for statement in known]
    made = levelled(data, found)
    if known:
        found.context.page = (found.section.name, made)
    return made


@dataclass
class _Statement:
    """A statement's line of numbers (no cells: it cannot be read) and what stands below it."""

    line: str
    row: list[str]
    beside: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)


def _statements(found: Found, id_place: int) -> tuple[list[_Statement], list[str]]:
    """The statements of a table, and the lines above the first of them.

    A damaged line of numbers begins a statement too: what follows is not the previous one's text.
    It is reported as a row that was left out, and so is a line that is printed twice.
    """
    statements: list[_Statement] = []
    above: list[str] = []
    filled = iter(found.table.body.fetch())
    for line in found.table.body.lines:
        if not line.strip():
            continue
        row = next(filled)
        whole = _is_sql(row, id_place)
        if whole and not (statements and statements[-1].line == line):
            statements.append(_Statement(line, row))
        elif whole or _is_numbers(line, id_place):
            found.table.broken[len(statements) + 1] = MISALIGNED
            if not whole:
                statements.append(_Statement(line, []))
        elif statements:
            _add(line, statements[-1].beside, statements[-1].text)
        else:
            above.append(line)
    return statements, above


def _is_numbers(line: str, id_place: int) -> bool:
    """Whether a line begins as a statement's line of numbers does."""
    words = itertools.takewhile(_NUMBER.fullmatch, line.split()[0 if id_place else 1 :])
    return sum(1 for _ in words) >= max(_FEW, id_place - 2)


_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:[KMGT]|E[-+]\d+)?|#+|N/A")
_FEW = 3
"""Numbers at the beginning of a line that are not SQL text."""


def _blank_moved(found: Found, known: list[_Statement], id_place: int) -> None:
    """Null the numbers of misaligned rows; the SQL text stays with its id."""
    marks = found.table.misaligned([statement.line for statement in known])
    for number, (statement, mark) in enumerate(zip(known, marks, strict=True), 1):
        if mark:
            found.table.broken[number] = MISALIGNED
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


def _go_on(lines: list[str], found: Found) -> None:
    """Add the lines above a page's first statement to the last statement of the page before."""
    page = found.context.page
    if not lines or page is None or page[0] != found.section.name:
        return
    last = page[1]
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
    others = row[:id_place] or row[1:]
    return bool(others[0]) and all(re.fullmatch(r"[-\d.,#EKMGN/A+]*", cell) for cell in others)


_TOTALS = frozenset({"", "total", "totals"})
_EACH = frozenset({"perexecution", "perexec", "percentageoftotal", "%total", "%oftotal"})


def read_global_sql(found: Found) -> dict[str, Data]:
    """SQL of all instances together: totals, and beside them the same per execution.

    Only the totals are taken; a group of columns that is not known to be one or the other makes
    the table unread.
    """
    groups = {cells.key(column.group) for column in found.table.columns}
    if not groups <= _TOTALS | _EACH:
        strange = ", ".join(sorted(groups - _TOTALS - _EACH))
        raise UnreadError(f"groups of columns that are not known at {found.table.place}: {strange}")
    totals = tuple(
        Column("", column.name if cells.key(column.group) in _TOTALS else "")
        for column in found.table.columns
    )
    body = replace(found.table.body, columns=totals)
    table = replace(found.table, open=lambda: body)
    return read_sql(replace(found, table=table))
