"""What the common tables of every source keep, so that no analysis asks where they came from.

docs/add-a-source.md has the rules in words.
"""

from __future__ import annotations

import polars as pl

from perfkit.core.errors import PerfkitError
from perfkit.core.lineage import Reading
from perfkit.core.schema import KEYS, LOAD_POINTS
from perfkit.sources.source import Series, Source

DIRECTIONS = ("read", "write", "trim", "total", "total with read latency")

_QUANTITIES = [
    name
    for name, item in LOAD_POINTS.items()
    if item.dtype in {pl.Float64, pl.Int64} and name not in {*KEYS, "cpu_busy_ratio"}
]


class ContractError(PerfkitError):
    """A reader of perfkit's, or of a contributor's, returned a table that breaks the contract."""


def check(source: Source, reading: Reading) -> None:
    """Raises ContractError naming source, table and column of the first thing that does not fit."""
    points = reading.get("load_points")
    if points is not None:
        _check_points(f"source {source.name}: load_points", points.frame)
    for name, series in source.series.items():
        if name in reading:
            _check_series(f"source {source.name}: {name}", reading[name].frame, series)


def _check_points(place: str, points: pl.DataFrame) -> None:
    schema = points.schema
    for name, item in LOAD_POINTS.items():
        if name not in schema:
            raise ContractError(f"{place}: no column {name!r}; null where it is not known")
        if schema[name] != item.dtype:
            raise ContractError(f"{place}: {name} is {schema[name]}, not {item.dtype}")
    known = (name for name in _QUANTITIES if points[name].null_count() < points.height)
    rules = {
        "direction": ~pl.col("direction").is_in(DIRECTIONS).fill_null(value=False),
        "load": pl.col("load").is_not_null() & pl.col("load_kind").is_null(),
        "repeat": pl.col("repeat") < 1,
        "cpu_busy_ratio": ~pl.col("cpu_busy_ratio").is_between(0, 1),
        **{name: pl.col(name).is_nan() | (pl.col(name) < 0) for name in known},
    }
    broken = points.select(rule.any().alias(name) for name, rule in rules.items()).row(0)
    for name, is_broken in zip(rules, broken, strict=True):
        if is_broken:
            value = points.filter(rules[name])[name][0]
            raise ContractError(f"{place}: {name} is {value!r}; {_RULES.get(name, _QUANTITY)}")


_RULES = {
    "direction": f"it is one of {', '.join(DIRECTIONS)}",
    "load": "load_kind says of what kind it is",
    "repeat": "repeats count from 1",
    "cpu_busy_ratio": "a share is from 0 to 1",
}
_QUANTITY = "a quantity is a number of 0 or more, or null"


def _check_series(place: str, frame: pl.DataFrame, series: Series) -> None:
    for name in (series.time, *series.lines):
        if name not in frame.columns:
            raise ContractError(f"{place}: no column {name!r}, which its source declares")
    dtype = frame.schema[series.time]
    if not (dtype == pl.Float64 or isinstance(dtype, pl.Datetime)):
        raise ContractError(f"{place}: {series.time} is {dtype}; a time is seconds or Datetime")
