"""The audit of a document: relations that are found by themselves, each with its verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.auditing.relations.found.aggregates import aggregates
from perfkit.auditing.relations.found.changes import changes
from perfkit.auditing.relations.found.grid import Grid, grids_of
from perfkit.auditing.relations.found.orders import orders, ratios, requests
from perfkit.auditing.relations.found.parts import parts
from perfkit.auditing.relations.found.sentence import Said, said_of
from perfkit.auditing.relations.found.text import TEXT_RULES
from perfkit.auditing.relations.found.twins import twins
from perfkit.auditing.relations.run import DOUBT, FAILS, FINDINGS, HOLDS, listed, numbers_of
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Field, Schema, polars_schema
from perfkit.formats.printed_text import printed_number

if TYPE_CHECKING:
    from perfkit.auditing.relations.cells import Number
    from perfkit.auditing.relations.found.check import Check

FOUND: Schema = {
    **FINDINGS,
    "line": Field(pl.Int64, None, "line of the printed number in the document"),
}
"""``FINDINGS`` with the line; one row a relation."""

VIEW_RULES = (aggregates, parts, changes, orders, requests, ratios)
Progress = Callable[[int, int], None]


@step(version=1, name="audit.document")
def audit_document(document: Mapping[str, Measured]) -> pl.DataFrame:
    """Find relations between the printed numbers of a document by themselves and check each.

    What does not agree is a doubt: whether the relation was meant is read off the page.

    Args:
        document: ``read_document``: cells and sentences.

    Returns:
        Columns as in ``FOUND``, in the order of the document: also what holds, so that it can be
        said how much was checked. Inputs are exact as printed; ``within rounding`` where values
        that print as the inputs do give the printed result.
    """
    return found_relations(document["cells"].frame, document["sentences"].frame)


def found_relations(
    cells: pl.DataFrame, sentences: pl.DataFrame, progress: Progress | None = None
) -> pl.DataFrame:
    """The frame of ``audit_document``; ``progress`` is called with tables done and their number."""
    grids = list(grids_of(cells))
    checks: list[Check] = []
    for number, grid in enumerate(grids, 1):
        checks += table_checks(grid)
        if progress:
            progress(number, len(grids))
    said = said_of(sentences)
    checks += chain(twins(grids), _text_checks(grids, said))
    rows = [
        {"relation": number, **_row(check)}
        for number, check in enumerate(sorted(_distinct(checks), key=lambda c: c.line), 1)
    ]
    return pl.DataFrame(rows, schema=polars_schema(FOUND))


@dataclass(frozen=True)
class Reach:
    """How far an audit reached: numbers that took part in a relation, of those in the document."""

    taking_part: int
    numbers: int


def reach(rows: Iterable[Mapping[str, Any]], cells: pl.DataFrame, sentences: pl.DataFrame) -> Reach:
    """Of findings over these cells and sentences; a number is counted once."""
    used = {place for row in rows for place in (row["numbers"] or "").split(";") if place}
    quantities = sum(len(sentence.quantities) for sentence in said_of(sentences))
    return Reach(len(used), cells["number"].count() + quantities)


def table_checks(grid: Grid) -> Iterator[Check]:
    """Relations within one table, along its rows and along its columns."""
    for view in (grid.columns(), grid.lines()):
        for rule in VIEW_RULES:
            yield from rule(view)


def _text_checks(grids: list[Grid], said: list[Said]) -> Iterator[Check]:
    for rule in TEXT_RULES:
        yield from rule(said, grids)


def _distinct(checks: list[Check]) -> list[Check]:
    """One check of a cell and kind; a second rule that finds the same says nothing new."""
    found: dict[tuple[Any, ...], Check] = {}
    for check in checks:
        found.setdefault((check.line, check.place, check.kind, check.printed, check.rule), check)
    return list(found.values())


def _row(check: Check) -> dict[str, Any]:
    row: dict[str, Any] = {
        "numbers": listed(check.places),
        "name": check.name,
        "kind": check.kind,
        "table_id": check.table,
        "row": check.row,
        "column": check.column,
        "place": check.place,
        "line": check.line,
        "printed": check.printed,
        "rule": check.rule,
        "recomputed": check.recomputed,
        "outcome": DOUBT if check.outcome == FAILS else check.outcome,
        "note": check.note,
        "by_rounding": None if check.outcome == HOLDS else False,
    }
    if check.claim is not None and check.result is not None:
        numbers = _as_printed(check, check.claim, check.result)
        own = {k: v for k, v in row.items() if k in _OWN and v is not None}
        row |= {**numbers, **own}
    return row


_OWN = frozenset({"rule", "recomputed", "numbers", "outcome"})
_SCALED = re.compile(r"^[^\d+\-\u2212]*([+\-\u2212]?\d[\d,]*(?:\.\d+)?)\s*([kKM](?![\w/]))?")


def _as_printed(check: Check, claim: Number, result: Number) -> dict[str, Any]:
    """The numbers in the scale of print: 663K, or 72,832.70 in a column of thousands."""
    match = _SCALED.match(check.printed)
    bare = printed_number(match[1]) if match else None
    scale = claim.value / bare.value if bare and bare.value else Fraction(1)
    if scale not in {1000, 10**6} or match is None:
        return numbers_of(claim, result, check.decimals, check.outcome)
    both = [
        replace(item, value=item.value / scale, around=item.around.scaled(1 / scale))
        for item in (claim, result)
    ]
    numbers = numbers_of(both[0], both[1], check.decimals, check.outcome)
    return {**numbers, "recomputed": f"{numbers['recomputed']}{match[2] or ''}"}
