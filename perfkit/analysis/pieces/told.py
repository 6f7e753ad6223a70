"""An answer of one piece, and what must agree before it is set beside that of another."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from perfkit.core import answers as claims
from perfkit.core.answers import ANSWERS, Answer
from perfkit.core.schema import ColumnTypes

TOLD: ColumnTypes = {
    **ANSWERS, "time": pl.Datetime("us"), "conditions_key": pl.String, "facts": pl.String,
}  # fmt: skip
"""The columns of answers in a store.

``time`` is when the answer was measured, where that is not the time of its piece.
``conditions_key`` is what two answers must agree in to be joined, ``facts`` what is recorded
beside it and may differ; both are ``canonical``.
"""

UNTIL = "until"
"""The fact that says when what was measured ended: answers of times that overlap are not two."""


@dataclass(frozen=True)
class Told:
    """An answer of one piece of evidence.

    Attributes:
        answer: The answer.
        conditions: What must agree before it is joined to an answer of another piece.
        facts: What was recorded beside it, and may explain a change: releases, hosts, options.
        time: When it was measured; None: when its piece was.
    """

    answer: Answer
    conditions: Mapping[str, Any]
    facts: Mapping[str, Any] = field(default_factory=dict)
    time: dt.datetime | None = None


def canonical(values: Mapping[str, Any]) -> str:
    """Values as JSON, the same text for the same values; what is not known is left out."""
    known = {name: value for name, value in values.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, sort_keys=True, default=str)


def to_frame(told: Iterable[Told]) -> pl.DataFrame:
    """Answers as a frame with the columns ``TOLD``."""
    found = list(told)
    beside = pl.DataFrame(
        [
            (claim, one.time, canonical(one.conditions), canonical(one.facts))
            for claim, one in enumerate(found, 1)
        ],
        schema={"claim": pl.Int64, **{name: TOLD[name] for name in list(TOLD)[len(ANSWERS) :]}},
        orient="row",
    )
    frame = claims.to_frame(one.answer for one in found)
    return frame.join(beside, on="claim", how="left", maintain_order="left")
