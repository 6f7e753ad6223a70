"""The answers of a store as evidence of a report, which names every piece they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit._version import __version__
from perfkit.core.errors import UsageError, did_you_mean
from perfkit.core.evidence import Evidence, sha256_bytes
from perfkit.core.lineage import Measured, reading
from perfkit.storing.tables import PIECE

if TYPE_CHECKING:
    from perfkit.storing.scan import Tables

READS = "read.store"
"""The step that its answers come from."""


def evidence_of(tables: Tables, question: str | None) -> Measured:
    """The answers to a question (None: to all), with each piece that has one as evidence.

    Raises UsageError for a question that no piece answers.
    """
    found = tables.answers()
    chosen = found if question is None else found.filter(pl.col("question") == question)
    answers = chosen.collect()
    if question is not None and answers.is_empty():
        known = sorted(found.select("question").unique().collect()["question"])
        raise UsageError(f"no answer to {question!r}; {did_you_mean(question, known)}")
    pieces = answers.select(PIECE, "name", "kind").unique(PIECE).sort("name", PIECE).rows()
    parts = tuple(Evidence(kind, name or piece, piece) for piece, name, kind in pieces)
    digest = sha256_bytes("\n".join(sorted(part.sha256 for part in parts)).encode())
    store = Evidence("store", tables.root.name, digest, "perfkit", __version__, parts=parts)
    return reading(READS, 1, {"answers": answers}, store, {"question": question})["answers"]
