"""The audit of a document: relations that are found by themselves, each with its verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.auditing.found.bounds import bounds
from perfkit.auditing.found.changes import changes
from perfkit.auditing.found.in_flight import in_flight
from perfkit.auditing.found.inline import inline
from perfkit.auditing.found.limits import limits
from perfkit.auditing.found.narrated import narrated
from perfkit.auditing.found.page import Page, cell_key, is_numbers, page_of, said_of
from perfkit.auditing.found.precision import is_proven, precision_of
from perfkit.auditing.found.products import products
from perfkit.auditing.found.relate import blamed
from perfkit.auditing.found.slots import Slot
from perfkit.auditing.found.stated import stated
from perfkit.auditing.found.totals import totals
from perfkit.auditing.relations.run import (
    DOUBT,
    FAILS,
    FINDINGS,
    HOLDS,
    ROUNDING,
    listed,
    numbers_of,
)
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Field, Schema, polars_schema
from perfkit.formats.quantities import count, quantities

if TYPE_CHECKING:
    from perfkit.auditing.found.relate import Check

FOUND: Schema = {
    **FINDINGS,
    "line": Field(pl.Int64, None, "line of the printed number in the document"),
    "family": Field(pl.String, None, "family of the relation"),
    "precision": Field(
        pl.String,
        None,
        "how many of its findings were right in the public documents that its rules were made with",
    ),
}
"""``FINDINGS`` with the line, and how far such a finding can be trusted; one row a relation."""

FAMILIES: tuple[Callable[[Page], Iterable[Check]], ...] = (
    totals, changes, products, in_flight, bounds, limits, inline, stated, narrated,
)  # fmt: skip
"""Each finds the relations of its kind, and where they fail; none knows of the others."""


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


def found_relations(cells: pl.DataFrame, texts: pl.DataFrame | None = None) -> pl.DataFrame:
    """The frame of ``audit_document``; of tables alone where there are no ``texts``."""
    page = page_of(cells, texts)
    checks = [check for family in FAMILIES for check in family(page)]
    distinct = {(c.at.line, c.at.place, c.kind, c.printed, c.rule): c for c in reversed(checks)}
    told = blamed(list(reversed(distinct.values())))
    witnesses = Counter((c.family, c.name) for c in told if c.outcome in {HOLDS, ROUNDING})
    failing = Counter((c.family, c.name) for c in told if c.outcome == FAILS)
    share = {key: witnesses[key] / many for key, many in failing.items()}
    levelled = [_as_sure_as_shown(c, share.get((c.family, c.name), 0)) for c in told]
    found = sorted(levelled, key=lambda c: c.at.line)
    rows = [{"relation": number, **_row(check)} for number, check in enumerate(found, 1)]
    return pl.DataFrame(rows, schema=polars_schema(FOUND))


WITNESSES = 3
"""Of so many places of a document in which a relation holds, one that fails is an error."""


def _as_sure_as_shown(check: Check, witnesses: float) -> Check:
    """An error where the document and other documents show the relation; else a doubt.

    What labels name, as "read + write = total" or a difference, is arithmetic wherever it stands. A
    family of which hardly a finding was judged right by hand tells doubts.
    """
    named = check.named or check.kind == "difference"
    sure = is_proven(check.family) and (named or witnesses >= WITNESSES)
    return replace(check, outcome=DOUBT) if check.outcome == FAILS and not sure else check


@dataclass(frozen=True)
class Reach:
    """How far an audit reached: numbers that took part in a relation, of those in the document."""

    taking_part: int
    numbers: int


def reach(
    rows: Iterable[Mapping[str, Any]], cells: pl.DataFrame, texts: pl.DataFrame | None = None
) -> Reach:
    """Of findings over these cells and sentences; a number is counted once."""
    used = {place for row in rows for place in (row["numbers"] or "").split(";") if place}
    places = {
        cell_key(row["table_id"], row["row"], row["column"], part)
        for row in cells.iter_rows(named=True)
        for part in range(_numbers(row))
    }
    said = sum(count(s.text) for s in said_of(texts) if s.kind != "command")
    return Reach(len(used), max(len(places) + said, len(used)))


def _numbers(row: Mapping[str, Any]) -> int:
    """How many numbers a cell prints."""
    if row["number"] is not None:
        return 1
    text = row.get("text") or ""
    own = quantities(text)
    return len(own) if is_numbers(text, own) else 0


def _row(check: Check) -> dict[str, Any]:
    cell = isinstance(check.at, Slot)
    row = {name: getattr(check, name) for name in _SAME} | {
        **{name: getattr(check.at, name) for name in ("line", "place")},
        **{name: getattr(check.at, name) if cell else None for name in ("row", "column")},
        "table_id": check.at.table if isinstance(check.at, Slot) else None,
        "numbers": listed(check.places),
        "by_rounding": None if check.outcome == HOLDS else False,
        "precision": precision_of(check.family),
    }
    if check.claim is not None and check.result is not None:
        shown = FAILS if check.outcome == DOUBT else check.outcome
        decimals = check.trial.claim.quantity.decimals if check.trial else 0
        numbers = numbers_of(check.claim, check.result, decimals, shown)
        own = {k: v for k, v in row.items() if k in _OWN and v is not None}
        row |= {**numbers, **own}
    return row


_SAME = ("name", "kind", "printed", "rule", "recomputed", "outcome", "note", "family")
_OWN = frozenset({"rule", "recomputed", "numbers", "outcome"})
