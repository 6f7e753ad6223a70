"""The audit of a document: relations that are found by themselves, each with its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.auditing.found.across import across
from perfkit.auditing.found.blame import blamed
from perfkit.auditing.found.changes import changes
from perfkit.auditing.found.claims import claims
from perfkit.auditing.found.limits import limits
from perfkit.auditing.found.orders import labelled, orders
from perfkit.auditing.found.pairs import pairs
from perfkit.auditing.found.precision import precision_of
from perfkit.auditing.found.products import products
from perfkit.auditing.found.quantities import count, quantities
from perfkit.auditing.found.quoted import quoted
from perfkit.auditing.found.repeats import repeats
from perfkit.auditing.found.said import Said, said_of
from perfkit.auditing.found.sheets import Sheet, is_numbers, sheets_of
from perfkit.auditing.found.sums import sums
from perfkit.auditing.found.things import things
from perfkit.auditing.found.twins import twins
from perfkit.auditing.relations.cells import place_key
from perfkit.auditing.relations.run import DOUBT, FAILS, FINDINGS, HOLDS, listed, numbers_of
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Field, Schema, polars_schema

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check

FOUND: Schema = {
    **FINDINGS,
    "line": Field(pl.Int64, None, "line of the printed number in the document"),
    "family": Field(pl.String, None, "family of the relation"),
    "precision": Field(pl.String, None, "how many of its findings in public documents were right"),
}
"""``FINDINGS`` with the line, and how far such a finding can be trusted; one row a relation."""

TABLES: tuple[Callable[[Sequence[Sheet]], Iterable[Check]], ...] = (
    sums, changes, products, across, orders, twins,
)  # fmt: skip
TEXTS: tuple[Callable[[Sequence[Said], Sequence[Sheet]], Iterable[Check]], ...] = (
    claims, pairs, labelled, limits, quoted, things, repeats,
)  # fmt: skip


MOST_SENTENCES = 4000
"""Sentences with numbers that are read: of those behind them nothing is known, as the reach says."""


@step(version=2, name="audit.document")
def audit_document(document: Mapping[str, Measured]) -> pl.DataFrame:
    """Find relations between the printed numbers of a document by themselves and check each.

    A relation is one of the document's own where its numbers or its words show it: it holds in most
    places of its table, or names what it is of. Where it then fails, arithmetic ``fails`` is an
    error, and what needs a person is a ``doubt``.

    Args:
        document: ``read_document``: cells and sentences.

    Returns:
        Columns as in ``FOUND``, in the order of the document: also what holds, so that it can be
        said how much was checked. Inputs are exact as printed; ``within rounding`` where values
        that print as the inputs do give the printed result.
    """
    return found_relations(document["cells"].frame, document["sentences"].frame)


def found_relations(cells: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    """The frame of ``audit_document``."""
    sheets, said = list(sheets_of(cells)), said_of(sentences)
    numbered = islice((n for n, sentence in enumerate(said) if sentence.quantities), MOST_SENTENCES)
    said = said[: max(numbered, default=0) + 1] if len(said) > MOST_SENTENCES else said
    checks = [check for family in TABLES for check in family(sheets)]
    checks += [check for rule in TEXTS for check in rule(said, sheets)]
    distinct = {(c.line, c.place, c.kind, c.printed, c.rule): c for c in reversed(checks)}
    found = sorted(blamed(list(reversed(distinct.values())), sheets), key=lambda c: c.line)
    rows = [{"relation": number, **_row(check)} for number, check in enumerate(found, 1)]
    return pl.DataFrame(rows, schema=polars_schema(FOUND))


@dataclass(frozen=True)
class Reach:
    """How far an audit reached: numbers that took part in a relation, of those in the document."""

    taking_part: int
    numbers: int


def reach(rows: Iterable[Mapping[str, Any]], cells: pl.DataFrame, sentences: pl.DataFrame) -> Reach:
    """Of findings over these cells and sentences; a number is counted once."""
    used = {place for row in rows for place in (row["numbers"] or "").split(";") if place}
    places = {
        place_key(row["table_id"], row["row"], row["column"], *((part,) if part else ()))
        for row in cells.iter_rows(named=True)
        for part in range(_numbers(row))
    }
    said = sum(count(s.text) for s in said_of(sentences) if s.kind != "command")
    return Reach(len(used), max(len(places) + said, len(used)))


def _numbers(row: Mapping[str, Any]) -> int:
    """How many numbers a cell prints."""
    if row["number"] is not None:
        return 1
    text = row.get("text") or ""
    own = quantities(text)
    return len(own) if is_numbers(text, own) else 0


def _row(check: Check) -> dict[str, Any]:
    row: dict[str, Any] = {
        "numbers": listed(check.places), "name": check.name, "kind": check.kind,
        "table_id": check.table, "row": check.row, "column": check.column, "place": check.place,
        "line": check.line, "printed": check.printed, "rule": check.rule,
        "recomputed": check.recomputed, "outcome": check.outcome, "note": check.note,
        "by_rounding": None if check.outcome == HOLDS else False,
        "family": check.family, "precision": precision_of(check.family),
    }  # fmt: skip
    if check.claim is not None and check.result is not None:
        shown = FAILS if check.outcome == DOUBT else check.outcome
        numbers = numbers_of(check.claim, check.result, check.decimals, shown)
        own = {k: v for k, v in row.items() if k in _OWN and v is not None}
        row |= {**numbers, **own}
    return row


_OWN = frozenset({"rule", "recomputed", "numbers", "outcome"})
