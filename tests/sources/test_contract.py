"""The common tables keep their contract, or the reader's source and the column are named."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest
from places import TESTS

from perfkit.core.lineage import Reading, measured
from perfkit.sources import SOURCES, read
from perfkit.sources.contract import ContractError, check
from perfkit.sources.source import Series

FIO = TESTS / "data/fio/rw75_jsonplus.json"
IOSTAT = TESTS / "data/host/iostat-12.6.1-xmt.txt"


def with_points(**columns):
    """A true reading of fio whose load points have other values."""
    found = read(FIO)
    frame = found["load_points"].frame.with_columns(**columns)
    return Reading({"load_points": measured(frame, "load_points")}, found.evidence)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"direction": pl.lit("reads")}, "direction is 'reads'; it is one of read, write"),
        ({"direction": pl.lit(None, pl.String)}, "direction is None"),
        ({"load_kind": pl.lit(None, pl.String)}, "load is 16.0; load_kind says of what kind it is"),
        ({"repeat": pl.lit(0, pl.Int64)}, "repeat is 0; repeats count from 1"),
        ({"cpu_busy_ratio": pl.lit(56.0)}, "cpu_busy_ratio is 56.0; a share is from 0 to 1"),
        ({"iops": pl.lit(-1.0)}, "iops is -1.0; a quantity is a number of 0 or more, or null"),
        ({"lat_p99_s": pl.lit(float("nan"))}, "lat_p99_s is nan; a quantity"),
        ({"iops": pl.lit(1)}, "iops is Int32, not Float64"),
    ],
)
def test_a_value_that_breaks_the_contract_is_named(columns, words):
    with pytest.raises(ContractError) as told:
        check(SOURCES["fio"], with_points(**columns))
    assert str(told.value).startswith(f"source fio: load_points: {words}")


def test_a_column_that_is_missing_is_named():
    found = with_points()
    less = measured(found["load_points"].frame.drop("lat_p50_s"), "load_points")
    with pytest.raises(ContractError, match=r"^source fio: load_points: no column 'lat_p50_s'"):
        check(SOURCES["fio"], Reading({"load_points": less}, found.evidence))


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (Series(("disk",)), "devices: no column 'disk', which its source declares"),
        (Series(time="at_s"), "devices: no column 'at_s'"),
        (Series(time="device"), "devices: device is String; a time is seconds or Datetime"),
    ],
)
def test_a_table_over_time_has_what_its_source_declares(series, words):
    source = dataclasses.replace(SOURCES["iostat"], series={"devices": series})
    with pytest.raises(ContractError, match=f"^source iostat: {words}"):
        check(source, read(IOSTAT))


def test_it_is_checked_when_a_reader_returns(monkeypatch):
    """Of any reader that ``perfkit.read`` calls."""
    wrong = with_points(repeat=pl.lit(0, pl.Int64))
    source = dataclasses.replace(SOURCES["fio"], read=lambda *_, **__: wrong)
    monkeypatch.setitem(SOURCES, "fio", source)
    with pytest.raises(ContractError, match="source fio: load_points: repeat is 0"):
        read(FIO)
