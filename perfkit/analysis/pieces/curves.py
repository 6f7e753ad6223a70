"""Load points of one piece: the peak of each curve, and IOPS, throughput and latency at each load.

Every tool with ``load_points`` is asked the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import polars as pl

from perfkit.analysis.compare.conditions import OPTION_FIELDS, conditions
from perfkit.analysis.compare.sides import Options, condition_rows
from perfkit.analysis.curves import questions
from perfkit.analysis.curves.asking import Series, answer, series_of
from perfkit.analysis.curves.series import CURVE_KEYS
from perfkit.analysis.pieces.told import Told, to_frame
from perfkit.core.answers import Answer
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row

MEAN, P99 = "lat_mean_s", "lat_p99_s"

DURATION = ("runtime_s", "runtime")
"""The options that say how long each load point was measured: the sweep's, else the tool's."""

_SECTOR = 512
"""Measured sizes of I/O are brought to this multiple: a run's mean is a little beside its size."""

_NO_FACTS = frozenset({
    "name", "randseed", "seed", "host.memory_free_bytes", "host.background_cpu_busy_ratio",
    "host.background_load_1_min", "host.background_load_15_min",
})  # fmt: skip
"""Recorded with a run, and other in each: no fact that explains a change."""


def answers(reading: Reading) -> Measured:
    """What the load points of a reading answer.

    Returns ``TOLD``: questions peak_iops, and iops_at_load, throughput_at_load and latency_at_load
    (the mean, and the 99th percentile where it is known) at each load; over all I/Os, and for reads
    and writes each where there are both.

    Raises AbsentError where there are no load points.
    """
    points = reading.get("load_points")
    if points is None or not len(points):
        raise AbsentError("there are no load points")
    beside = [reading[name] for name in ("job_options", "spec") if len(reading.get(name, ()))]
    return _answers(points, beside, reading.get("host"), tool=reading.evidence.tool_version)


@step(version=1, name="piece.curves")
def _answers(
    points: Measured, options: Sequence[Measured], host: Measured | None, *, tool: str | None
) -> pl.DataFrame:
    rows, known = condition_rows(points.frame), Options([table.frame for table in options])
    facts = {"tool_version": tool, **({} if host is None else _host_facts(host))}
    return to_frame(
        Told(
            one, _conditions(rows[key], of_curve, one.metric), {**facts, **_option_facts(of_curve)}
        )
        for series in _curves(points)
        for key in [itemgetter(*CURVE_KEYS)(dict(series.subject.key))]
        for of_curve in [known.of(dict(series.subject.key))]
        for one in _asked(series)
    )


def _curves(points: Measured) -> Iterator[Series]:
    """The curves of all I/Os, then those of reads and of writes where there are both."""
    there = set(points.frame["direction"])
    for direction in ("total", "read", "write"):
        if direction in there and (direction == "total" or {"read", "write"} <= there):
            yield from series_of(points, None, direction)


def _asked(series: Series) -> Iterator[Answer]:
    yield answer(questions.PEAK_IOPS.name, series)
    metrics = [MEAN, *([P99] if any(row.get(P99) is not None for row in series.points) else [])]
    for load in dict.fromkeys(row["load"] for row in series.points if row["load"]):
        yield answer(questions.IOPS_AT_LOAD.name, series, load)
        yield answer(questions.THROUGHPUT_AT_LOAD.name, series, load)
        for metric in metrics:
            yield answer(questions.LATENCY_AT_LOAD.name, series, load, metric)


def _conditions(points: Sequence[Row], options: Sequence[Row], metric: str) -> dict[str, Any]:
    """The compatibility key of a curve, with measured values that are equal for equal loads.

    A mix is declared in whole percents, a size in sectors; where sizes are mixed, ``block_mix``
    says them, and the mean of a run does not.
    """
    fields = dict(conditions(points, options, metric=metric).fields)
    for name in ("read_block_size_bytes", "write_block_size_bytes"):
        size = fields[name]
        if fields.get("block_mix") not in {None, "no"}:
            fields[name] = None
        elif size is not None:
            fields[name] = max(round(size / _SECTOR), 1) * _SECTOR
    if fields["read_ratio"] is not None:
        fields["read_ratio"] = round(fields["read_ratio"], 2)
    same = _same(options)
    return {**fields, "duration": next((same[name] for name in DURATION if name in same), None)}


def _same(options: Sequence[Row]) -> dict[str, str]:
    """The options that have one value at all load points."""
    values: dict[str, set[str]] = {}
    for row in options:
        if row["value"] is not None:
            values.setdefault(row["option"], set()).add(row["value"])
    return {name: found.pop() for name, found in values.items() if len(found) == 1}


def _option_facts(options: Sequence[Row]) -> dict[str, str]:
    """The options that are in no condition and the same at all load points."""
    asked = {name for names in OPTION_FIELDS.values() for name in names} | {*DURATION, *_NO_FACTS}
    return {f"option.{name}": value for name, value in _same(options).items() if name not in asked}


def _host_facts(host: Measured) -> Mapping[str, str]:
    """What the hosts recorded of themselves; of several hosts each value once."""
    values: dict[str, dict[str, None]] = {}
    for row in host.frame.rows(named=True):
        name = f"{row['group']}.{row['fact']}"
        if row["value"] is not None and name not in _NO_FACTS:
            values.setdefault(name, {})[row["value"]] = None
    return {name: ", ".join(found) for name, found in values.items()}
