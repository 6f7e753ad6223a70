"""What perfkit says of load points: every sentence on their curves, one by one."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl
from claims import reader_changes  # noqa: F401 - its sentences are read, too
from claims.reader import Known

import perfkit as pk
from perfkit.core.answers import from_frame
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema

if TYPE_CHECKING:
    from claims.curves import Point

AT_LOAD = ("iops_at_load", "latency_at_load")
TRACED = Lineage((Evidence("fio", "a.json", "00"),), (), traceable=True)


def load_points(points: Sequence[Point]) -> Measured:
    usual = {"workload": "mix", "load_kind": "iodepth", "direction": "total"}
    rows = [
        {**dict.fromkeys(LOAD_POINTS), **usual, "system": p.system, "load": p.load,
         "repeat": p.repeat, "iops": p.iops, "lat_mean_s": p.lat}
        for p in points
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), TRACED)


def round_to(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def values_asked(draw: random.Random, points: Sequence[Point]) -> Known:
    """Round values inside and around what was measured, and measured ones."""
    lats = sorted(p.lat for p in points if p.lat) or [1e-3]
    rates = sorted(p.iops for p in points if p.iops) or [1e3]

    def pick(values: list[float]) -> float:
        low, high = values[0], values[-1]
        between = round_to(low * (high / low) ** draw.random(), 2)
        return draw.choice([between, between, between, low * 0.5, high * 3.0, draw.choice(values)])

    loads = {p.load for p in points}
    load = draw.choice([*sorted(loads), 3.0, max(loads) * 2])
    return Known(points, (pick(lats),), (pick(rates),), (load,))


def sentences(points: Sequence[Point], asked: Known) -> tuple[list[str], Known, int]:
    """Every sentence; what is known, with the intervals of the answers; answers with a number."""
    frame = load_points(points)
    told, intervals, numbers = [], [], 0
    compared = [compared_(frame, asked)] if len({p.system for p in points}) > 1 else []
    for answers in (
        pk.peak(frame),
        pk.lowest_latency(frame),
        *(pk.iops_at_latency(frame, value) for value in asked.limits),
        *(pk.ask_curve(frame, "latency_at_iops", value) for value in asked.rates),
        *(pk.ask_curve(frame, question, value) for value in asked.loads for question in AT_LOAD),
        *compared,
    ):
        for answer in from_frame(answers.frame):
            numbers += answer.estimate is not None
            if answer.estimate is not None and answer.estimate.low is not None:
                intervals.append((answer.estimate.low, answer.estimate.high))
        questions = {a.question for a in from_frame(answers.frame)}
        for statement in pk.say(answers, *sorted(q for q in questions if "cpu" not in q)):
            told += re.split(r"(?<=\.) (?=\S)", statement.text)
    return told, Known(points, asked.limits, asked.rates, asked.loads, tuple(intervals)), numbers


def compared_(frame: Measured, asked: Known) -> Measured:
    return pk.compare(frame, latencies_s=asked.limits, iops=asked.rates, loads=asked.loads)
