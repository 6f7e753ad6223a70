"""What a piece of evidence answers by itself, asked when it is taken into a store."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.pieces.told import TOLD
from perfkit.core.errors import AbsentError, PerfkitError
from perfkit.sources import SOURCES

if TYPE_CHECKING:
    from perfkit.core.lineage import Measured, Reading


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
    return Asked(
        _joined([one.frame for one in found]),
        tuple(f"{step.function} {step.version}" for step in steps),
        "; ".join(problems) or None,
    )


def _joined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Several frames of answers as one, whose claims are numbered through."""
    parts, claims = [pl.DataFrame(schema=TOLD)], 0
    for frame in frames:
        parts.append(frame.with_columns(pl.col("claim") + claims))
        claims += frame["claim"].n_unique()
    return pl.concat(parts)
