"""What a piece answers: asked when it is taken into a store, or made elsewhere and added."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import polars as pl

from perfkit.analysis.pieces.told import TOLD, canonical
from perfkit.core.answers import ANSWERS as CLAIMS
from perfkit.core.errors import AbsentError, AnalysisError, PerfkitError, UsageError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.frame_hash import hash_frame
from perfkit.core.lineage import Measured, Reading
from perfkit.sources import SOURCES
from perfkit.storing.records import Record
from perfkit.storing.tables import ANSWERS, Unplaced


@dataclass(frozen=True)
class Asked:
    """What a piece answers.

    Attributes:
        frame: Its answers, with the columns ``TOLD``.
        steps: The steps that gave them, with their versions.
        problem: Why answers are lacking that its kind gives; None where none are.
    """

    frame: pl.DataFrame
    steps: tuple[str, ...]
    problem: str | None


def ask(reading: Reading) -> Asked:
    """Ask a reading what its source says that one piece answers (``Source.asks``).

    A fault in one of the questions costs its answers and never the piece.
    """
    found: list[Measured] = []
    problems = []
    for name in SOURCES[reading.evidence.kind].asks:
        try:
            found.append(import_module(f"perfkit.analysis.pieces.{name}").answers(reading))
        except AbsentError:
            continue
        except PerfkitError as problem:
            problems.append(str(problem))
        except Exception as problem:  # noqa: BLE001 - one bad file never stops the batch
            problems.append(f"a fault of perfkit: {problem!r}")
    steps = [one.lineage.steps[-1] for one in found]
    parts, claims = [pl.DataFrame(schema=TOLD)], 0
    for one in found:  # claims are numbered through
        parts.append(one.frame.with_columns(pl.col("claim") + claims))
        claims += one.frame["claim"].n_unique()
    return Asked(
        pl.concat(parts),
        tuple(f"{step.function} {step.version}" for step in steps),
        "; ".join(problems) or None,
    )


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
    missing = [name for name in CLAIMS if name not in frame.columns]
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
        *(pl.col(column).cast(dtype) for column, dtype in CLAIMS.items()),
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
