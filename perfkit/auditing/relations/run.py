"""The audit: relations between printed numbers, each with the recomputed value and a verdict."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from perfkit.auditing.relations.cells import Cells, Number, number_in, places_of
from perfkit.auditing.relations.evaluate import Evaluator, NoNumberError, counted
from perfkit.auditing.relations.relation import ARITHMETIC, Nested, Relation, parts_of
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Field, Schema, polars_schema
from perfkit.formats.interval import Interval
from perfkit.formats.printed_text import exact_text, rounded_text

HOLDS = "holds"
ROUNDING = "within rounding"
FAILS = "fails"
DOUBT = "doubt"
"""What fails of the relations that were found by themselves: they were read off the page."""
REMARK = "remark"
UNKNOWN = "not checked"
OUTCOMES = (FAILS, DOUBT, REMARK, ROUNDING, UNKNOWN, HOLDS)
"""Verdicts, the gravest first."""

FINDINGS: Schema = {
    "relation": Field(pl.Int64, None, "number of the relation, from 1, in the order declared"),
    "name": Field(pl.String, None, "what is checked"),
    "kind": Field(pl.String, None, "sum, difference, ratio ..., or remark (found by reading)"),
    "table_id": Field(pl.String, None, "table of the printed cell"),
    "row": Field(pl.Int64, None, "its row"),
    "column": Field(pl.Int64, None, "its column"),
    "place": Field(pl.String, None, "document's name of the table, or section, and the row"),
    "printed": Field(pl.String, None, "what is printed"),
    "unit": Field(pl.String, None, "unit of printed and recomputed"),
    "rule": Field(pl.String, None, "the calculation with the printed inputs"),
    "recomputed": Field(pl.String, None, "its result, to the digits printed"),
    "printed_value": Field(pl.Float64, None, "printed, in the unit"),
    "recomputed_value": Field(pl.Float64, None, "recomputed, in the unit"),
    "recomputed_low": Field(pl.Float64, None, "smallest result that the inputs' rounding allows"),
    "recomputed_high": Field(pl.Float64, None, "largest result that the inputs' rounding allows"),
    "outcome": Field(
        pl.String, None,
        "holds; within rounding (the rounding of the inputs can explain it); fails (of a declared "
        "relation) or doubt (of one that was found by itself); remark; not checked (a cell has no "
        "number)",
    ),
    "by_rounding": Field(
        pl.Boolean, None, "whether rounding explains a deviation; null: none, or not computed"
    ),
    "note": Field(pl.String, None, "what the study says of it"),
    "numbers": Field(
        pl.String, None,
        "the printed numbers that took part, at least: table:row:column, separated by semicolons",
    ),
}  # fmt: skip
"""One row a relation and place, in the order of the relations."""

CELL = ("table_id", "row", "row_name", "column", "column_key", "text", "number", "low", "high")
"""The columns of printed cells that an audit needs."""

_LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "at_most": ("≤", operator.le),
    "below": ("<", operator.lt),
    "at_least": ("≥", operator.ge),
    "above": (">", operator.gt),
}


@step(version=1, name="audit.relations")
def audit(printed: Mapping[str, Measured], relations: Sequence[Relation]) -> pl.DataFrame:
    """Check relations between printed numbers; one row a relation (and row, under ``rows``).

    Every input is exact as printed (no binary fractions). A printed value agrees where the
    recomputed one lies within half of its last digit; else rounding explains it where an
    interval over all values that print as the inputs do meets the printed one's. An input that
    stands twice in one formula widens that interval: the doubt is in favour of the document.

    Args:
        printed: Tables of ``read_printed`` by name, such as ``study.read_evidence()``; other tables
            in it are passed over.
        relations: ``study.audit``, or relations made in code.

    Returns:
        Columns as in ``FINDINGS``.

    Raises:
        AnalysisError: With the place of the declaration: a reference that names no cell, or units
            that cannot be compared.
    """
    known = Cells(
        [
            row
            for table in printed.values()
            if set(CELL) <= set(table.frame.columns)
            for row in table.frame.rows(named=True)
        ]
    )
    rows: list[dict[str, Any]] = []
    for number, relation in enumerate(relations, 1):
        try:
            found = [_finding(on, relation) for on in _evaluators(known, relation)]
        except AnalysisError as problem:
            where = relation.where or f"relation {number}"
            raise AnalysisError(f"{where}: {relation.name}: {problem}") from problem
        common = {
            "relation": number,
            "name": relation.name,
            "kind": relation.kind,
            "note": relation.note,
        }
        rows += [{**common, **each} for each in found]
    return pl.DataFrame(rows, schema=polars_schema(FINDINGS))


def _evaluators(cells: Cells, relation: Relation) -> list[Evaluator]:
    """One, or one for each row of the relation's tables."""
    rows = [(table, row) for table in relation.rows for row in cells.numbers_of_rows(table)]
    return [Evaluator(cells, row) for row in rows] if relation.rows else [Evaluator(cells)]


def _finding(on: Evaluator, relation: Relation) -> dict[str, Any]:
    try:
        return _KINDS[relation.kind](on, relation)
    except NoNumberError as problem:
        place = _place(on, relation.printed) if relation.printed else {}
        return {**place, "outcome": UNKNOWN, "rule": str(problem)}


def _arithmetic(on: Evaluator, relation: Relation) -> dict[str, Any]:
    """A printed cell against the result of an operation."""
    return _compared(on, str(relation.printed), on.result(*relation.operation))


def _count(on: Evaluator, relation: Relation) -> dict[str, Any]:
    asked = relation.count
    assert asked is not None  # noqa: S101 - of this kind
    rows = on.cells.numbers_of_rows(asked.table)
    if asked.column is not None:
        cells = [on.cells.cell(f"{asked.table} | #{row} | {asked.column}") for row in rows]
        rows = [c["row"] for c in cells if c["text"] == asked.is_text]
    return _compared(on, str(relation.printed), counted(len(rows), asked.table))


def _compared(on: Evaluator, reference: str, result: Number) -> dict[str, Any]:
    claim = on.number(reference)
    result = result.to(claim.unit)
    cell = on.cells.cell(reference, on.within)
    if claim.around.meets(Interval(result.value, result.value)):
        outcome = HOLDS
    else:
        outcome = ROUNDING if result.around.meets(claim.around) else FAILS
    return {**_place(on, reference), **numbers_of(claim, result, cell["decimals"], outcome)}


def _limit(on: Evaluator, relation: Relation) -> dict[str, Any]:
    """A value against a limit: broken only where no rounding of the inputs can mend it."""
    limit = relation.limit
    assert limit is not None  # noqa: S101 - of this kind
    name = next(name for name in _LIMITS if getattr(limit, name) is not None)
    sign, holds = _LIMITS[name]
    value = on.number(limit.value)
    bound = on.number(getattr(limit, name)).to(value.unit)
    if holds(value.value, bound.value):
        outcome = HOLDS
    else:
        outcome = ROUNDING if _could(name, value.around, bound.around) else FAILS
    first = _first_reference(limit.value)
    nested = isinstance(getattr(limit, name), Nested)
    return {
        **(_place(on, first) if first else {}),
        **numbers_of(bound, value, 0, outcome),
        "recomputed": _few_digits(value.value),
        "printed": f"{sign} {_few_digits(bound.value) if nested else bound.text}",
        "rule": f"{value.text} {sign} {bound.text}",
    }


LIMIT_DIGITS = 4


def _few_digits(value: Fraction) -> str:
    """A value with its digits, at most four after the point."""
    exact = exact_text(round(value, LIMIT_DIGITS))
    return exact if round(value, LIMIT_DIGITS) == value else rounded_text(value, LIMIT_DIGITS)


def _could(name: str, value: Interval, bound: Interval) -> bool:
    """Whether some value and some bound that print so meet the limit."""
    if name in {"at_least", "above"}:
        value, bound = bound, value
    if value.low is None or bound.high is None:
        return True
    return value.low < bound.high if name in {"below", "above"} else value.low <= bound.high


def _stated_twice(on: Evaluator, relation: Relation) -> dict[str, Any]:
    """Cells that state the same: as numbers where all are, else as words."""
    references = relation.stated_twice or []
    cells = [on.cells.cell(reference, on.within) for reference in references]
    numbers = [number_in(cell) for cell in cells]
    rule = " = ".join(str(cell["text"]) for cell in cells)
    if not all(numbers):
        words = {" ".join(str(cell["text"]).lower().split()) for cell in cells}
        said = {"printed": cells[0]["text"], "recomputed": cells[1]["text"], "rule": rule}
        return {**_place(on, references[0]), **said, "outcome": HOLDS if len(words) == 1 else FAILS}
    first, *others = [item for item in numbers if item is not None]
    others = [item.to(first.unit) for item in others]
    worst = max(others, key=lambda item: abs(item.value - first.value))
    if worst.value == first.value:
        outcome = HOLDS
    else:
        # numbers that only touch (29% and 30%) are two numbers, not two roundings of one
        outcome = ROUNDING if all(o.around.overlaps(first.around) for o in others) else FAILS
    found = numbers_of(first, worst, cells[0]["decimals"], outcome)
    all_of = listed(places_of([first, *others]))
    return {**_place(on, references[0]), **found, "rule": rule, "numbers": all_of}


def _remark(on: Evaluator, relation: Relation) -> dict[str, Any]:
    place = _place(on, relation.printed) if relation.printed else {}
    return {**place, "rule": relation.remark, "outcome": REMARK}


_KINDS: Mapping[str, Callable[[Evaluator, Relation], dict[str, Any]]] = {
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    "count": _count,
    "limit": _limit,
    "stated_twice": _stated_twice,
    "remark": _remark,
}


def numbers_of(claim: Number, result: Number, decimals: int, outcome: str) -> dict[str, Any]:
    """The columns of a finding that say printed and recomputed numbers."""
    low, high = result.around.low, result.around.high
    return {
        "unit": claim.unit if claim.unit not in {None, "1"} else None,
        "rule": result.text,
        "recomputed": _shown(result, claim, decimals, outcome),
        "printed_value": float(claim.value),
        "recomputed_value": float(result.value),
        "recomputed_low": None if low is None else float(low),
        "recomputed_high": None if high is None else float(high),
        "outcome": outcome,
        "by_rounding": None if outcome == HOLDS else outcome == ROUNDING,
        "numbers": listed(claim.places | result.places),
    }


def listed(places: Iterable[str]) -> str | None:
    """Places of numbers as one text; None for none."""
    return ";".join(sorted(place.replace(";", ",") for place in places)) or None


def _shown(result: Number, claim: Number, decimals: int, outcome: str) -> str:
    """The result to the digits printed, and as many more as tell it from what is printed."""
    digits = max(decimals, 0)
    sign = claim.text.startswith("+")
    while outcome != HOLDS and digits < decimals + 6:
        if Fraction(round(result.value * 10**digits), 10**digits) != claim.value:
            break
        digits += 1
    return rounded_text(result.value, digits, sign=sign)


def _first_reference(operand: Any) -> str | None:
    """The first cell in an operation."""
    if isinstance(operand, str):
        return operand
    if isinstance(operand, int | float):
        return None
    operands = operand.operation[1]
    items = [operands.before, operands.after] if hasattr(operands, "before") else operands
    return next(filter(None, map(_first_reference, items)), None)


def _place(on: Evaluator, reference: str) -> dict[str, Any]:
    """Where a cell stands, as the document calls it."""
    cell = on.cells.cell(reference, on.within)
    named = [cell["table"] or cell["place"] or cell["table_id"]]
    if cell["table"] or len(parts_of(reference)) == 1:
        named.append(str(cell["row_name"] or f"row {cell['row']}"))
    return {
        "table_id": cell["table_id"],
        "row": cell["row"],
        "column": cell["column"],
        "place": ", ".join(named),
        "printed": cell["text"],
    }
