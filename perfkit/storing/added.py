"""Answers that were made elsewhere, of a whole report, as a piece of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.pieces.told import TOLD, canonical
from perfkit.core import answers as claims
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.frame_hash import hash_frame
from perfkit.storing.records import Record
from perfkit.storing.tables import ANSWERS, Unplaced

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence
    from typing import Any

ADDED = "answers"
"""The kind of such a piece."""


def added(
    *,
    frame: pl.DataFrame,
    time: dt.datetime | None,
    conditions_key: Mapping[str, Any] | str,
    facts: Mapping[str, Any] | str,
    sources: Sequence[str],
) -> Unplaced:
    """Answers as a piece.

    Raises AnalysisError for a frame that holds no answers, UsageError for no answer at all and for
    a time with a zone.
    """
    missing = [name for name in claims.ANSWERS if name not in frame.columns]
    if missing:
        raise AnalysisError(f"these are not answers: there is no column {missing[0]!r}")
    if frame.is_empty():
        raise UsageError("there is no answer to add")
    if frame.select("claim", "part").is_duplicated().any():
        raise AnalysisError("a claim is there twice: join answers, not frames")
    if time is not None and time.tzinfo is not None:
        raise UsageError(f"time {time}: give it on the clock of its host, without a zone")
    texts = [
        given if isinstance(given, str) else canonical(given) for given in (conditions_key, facts)
    ]
    told = frame.select(
        *(pl.col(column).cast(dtype) for column, dtype in claims.ANSWERS.items()),
        pl.lit(None, TOLD["time"]).alias("time"),
        pl.lit(texts[0]).alias("conditions_key"),
        pl.lit(texts[1]).alias("facts"),
    )
    evidence = {"sources": list(sources)}
    iso = None if time is None else time.isoformat()
    piece = sha256_bytes(canonical({**evidence, "time": iso, "answers": hash_frame(told)}).encode())
    record = Record(
        piece=piece,
        kind=ADDED,
        reader="store.add_answers 1",
        main="",
        files=(),
        raw=False,
        tables={},
        evidence=evidence,
        time=iso,
    )
    return Unplaced(record, {ANSWERS: told})
