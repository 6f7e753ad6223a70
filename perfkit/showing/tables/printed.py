"""Tables of documents as they print them, and the findings of an audit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from perfkit.analysis.curves.series import require_columns
from perfkit.auditing.relations.relation import Relation, parts_of
from perfkit.auditing.relations.run import (
    DOUBT,
    FAILS,
    HOLDS,
    REMARK,
    ROUNDING,
    UNKNOWN,
    audit,
)
from perfkit.auditing.relations.summary import failed, in_doubt
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.keys import Place, place_of
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format
from perfkit.core.values import Column, Table, check_id
from perfkit.showing.tables.sheet import Sheet

_NUMBERS = Format("1")
_NEEDED = ("table_id", "title", "row", "column", "column_label", "text", "number", "unit", "footer")


@step(version=2, name="table.printed")
def table_printed(cells: Measured, *, findings: Measured | None = None) -> Table:
    """A table of a document, cell for cell as printed.

    Args:
        cells: One table of ``read_printed``.
        findings: Of ``audit``: a row with the recomputed values is put under each row that has
            some.

    Raises:
        AnalysisError: The cells are of several tables, or of none.
    """
    require_columns(cells.frame, _NEEDED, "printed cells")
    rows = cells.frame.sort("row", "column").rows(named=True)
    ids = list(dict.fromkeys(row["table_id"] for row in rows))
    if len(ids) != 1:
        raise AnalysisError(f"printed cells of {len(ids)} tables ({', '.join(ids)}): one is shown")
    lines: dict[int, list[Row]] = {}
    for row in rows:
        lines.setdefault(row["row"], []).append(row)
    columns = tuple(_column(n, cells) for n, cells in enumerate(zip(*lines.values(), strict=True)))
    again = _recomputed(findings, ids[0])
    shown: list[tuple[Any, ...]] = []
    places: list[Place] = []
    footer = 0
    for number, line in lines.items():
        shown.append(tuple(cell["text"] for cell in line))
        places += [place_of(line[0])]
        own = {column: text for (row, column), text in again.items() if row == number}
        if own:
            first, *others = line
            name = f"{first['text']}, recomputed" if first["text"] else "recomputed"
            shown.append((name, *(own.get(cell["column"], "") for cell in others)))
            places += [("", "")]
        footer += (1 + bool(own)) * bool(line[0]["footer"])
    note = "Recomputed: from the other cells as printed." if again else None
    return Table(
        check_id(ids[0]),
        columns,
        tuple(shown),
        rows[0]["title"] or ids[0],
        note,
        footer,
        places=tuple(places),
    )


def tables_printed(
    printed: Mapping[str, Measured],
    *,
    part: str | None = None,
    relations: Sequence[Relation] = (),
) -> list[Table]:
    """All tables of documents among a study's evidence, in its order; may be none.

    Args:
        printed: ``study.read_evidence()``; tables of another kind are passed over.
        part: Only those of this part ("environment", "results"); default: all.
        relations: ``study.audit``: values that follow from others are put, recomputed, under
            those printed in the document's own tables (not under statements of its text).
    """
    found = [
        table
        for table in printed.values()
        if {*_NEEDED, "part"} <= set(table.frame.columns) and table.frame.height
    ]
    return [
        table_printed(table, findings=_findings_of(table, printed, relations))
        for table in found
        if part is None or table.frame["part"][0] == part
    ]


def _findings_of(
    table: Measured, printed: Mapping[str, Measured], relations: Sequence[Relation]
) -> Measured | None:
    """The audit of one table's cells, with the tables that they follow from and no others."""
    name = table.frame["table_id"][0]
    own = [
        relation
        for relation in relations
        if relation.kind in _BESIDE and relation.printed and parts_of(relation.printed)[0] == name
    ]
    if not own or table.frame["table"][0] is None:
        return None
    asked = dict.fromkeys(id_ for relation in own for id_ in relation.tables())
    return audit({id_: printed[id_] for id_ in asked if id_ in printed}, own)


def _column(number: int, cells: tuple[Row, ...]) -> Column:
    """Numbers stand right; a column of numbers may hold words."""
    known = all(cell["number"] or not cell["text"] or cell["unit"] for cell in cells)
    numeric = number > 0 and known
    return Column(f"c{number + 1}", cells[0]["column_label"], _NUMBERS if numeric else None)


def _recomputed(findings: Measured | None, table: str) -> dict[tuple[int, int], str]:
    if findings is None:
        return {}
    return {
        (row["row"], row["column"]): grouped(row["recomputed"])
        for row in findings.frame.rows(named=True)
        if row["table_id"] == table and row["recomputed"] and row["kind"] in _BESIDE
    }


_BESIDE = {"sum", "difference", "product", "mean", "percent_change", "count"}
"""Kinds whose result is what is printed; a ratio may be another statistic than the printed one."""

_WORDS = {
    FAILS: "no",
    DOUBT: "in doubt",
    ROUNDING: "yes",
    REMARK: "found by reading",
    UNKNOWN: "not checked",
    HOLDS: "agrees",
}


@step(version=2, name="table.audit")
def table_audit(findings: Measured) -> Table:
    """The findings of an audit: what was checked, where, printed, recomputed, and the verdict.

    What holds as printed is counted in the note.

    Args:
        findings: Of ``audit``.

    Raises AnalysisError where no relation was declared.
    """
    require_columns(
        findings.frame, ("name", "place", "printed", "rule", "recomputed", "outcome"), "findings"
    )
    every = findings.frame.rows(named=True)
    if not every:
        raise AbsentError("no relation is declared, so nothing was audited")
    rows = [row for row in every if row["outcome"] != HOLDS]
    found = {
        item.metric: int(item.value)
        for item in (
            in_doubt(every) if "line" in findings.frame.columns else failed(every)
        ).conditions
    }
    note = f"{found.get('holding', 0)} of {found.get('relations', 0)} relations hold as printed."
    sheet = Sheet(rows)
    sheet.add(
        "name", "Check", None, lambda row: ": ".join(filter(None, (row["name"], row["note"])))
    )
    sheet.words(place="Place")
    sheet.add("printed", "Printed", None, lambda row: _with_unit(row, "printed"))
    sheet.add("rule", "Calculation or reading", None, _calculation)
    sheet.add("recomputed", "Recomputed", None, lambda row: _with_unit(row, "recomputed"))
    sheet.add("explained", "Explained by rounding", None, lambda row: _WORDS[row["outcome"]])
    if not rows:
        columns = (Column("name", "Check"), Column("explained", "Explained by rounding"))
        return Table("audit", columns, (("all relations", "agree"),), _CAPTION, note)
    return sheet.table("audit", _CAPTION, note)


_CAPTION = "Printed numbers that do not agree with each other."


def _calculation(row: Row) -> str | None:
    return row["rule"] if row["rule"] is None or row["outcome"] == REMARK else grouped(row["rule"])


def _with_unit(row: Row, name: str) -> str | None:
    text = row[name]
    if text is None:
        return None
    if name != "printed":
        text = grouped(text)
    if not row["unit"] or not text[-1:].isdecimal():
        return str(text)
    return f"{text}{'' if row['unit'] == '%' else ' '}{row['unit']}"


_UNGROUPED = re.compile(r"(?<![\w.,])\d{4,}(?!\w)")


def grouped(text: str) -> str:
    """A calculation, or what it gave, with thousands commas; a printed cell stays as printed."""
    return _UNGROUPED.sub(lambda number: f"{int(number[0]):,}", text)
