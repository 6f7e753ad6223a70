"""The tables of columns, and what conform() enforces."""

import re

import polars as pl
import pytest

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.schema import Field
from perfkit.sources.elbencho import schema as elbencho_schema
from perfkit.sources.files import frame
from perfkit.sources.fio import schema as fio_schema
from perfkit.sources.rundir import schema as run_schema

SMALL = {
    "name": Field(pl.String, None, "a name"),
    "count": Field(pl.Int64, None, "a count"),
    "time_s": Field(pl.Float64, "s", "a time"),
}
ALL = {
    name: value
    for name, value in (
        vars(schema) | vars(fio_schema) | vars(elbencho_schema) | vars(run_schema)
    ).items()
    if name.isupper()
    and isinstance(value, dict)
    and all(isinstance(item, Field) for item in value.values())
}


def test_columns_are_put_in_order_and_missing_ones_are_null():
    frame = schema.conform(pl.DataFrame({"time_s": [1], "name": ["a"]}), SMALL, "x")
    assert frame.schema == pl.Schema(schema.polars_schema(SMALL))
    assert frame.rows() == [("a", None, 1.0)]


def test_a_column_that_is_not_in_the_schema_is_an_error():
    with pytest.raises(ParseError, match="x: column 'other' is not in the schema"):
        schema.conform(pl.DataFrame({"other": [1]}), SMALL, "x")


@pytest.mark.parametrize("value", ["12x", ""])
def test_a_value_that_does_not_fit_is_an_error_and_not_null(value):
    with pytest.raises(ParseError, match="x: a value does not fit its column"):
        schema.conform(pl.DataFrame({"count": [value]}), SMALL, "x")


def test_conforming_twice_changes_nothing():
    once = schema.conform(pl.DataFrame({"name": [None, "b"]}), SMALL, "x")
    assert schema.conform(once, SMALL, "x").equals(once)


def test_an_empty_frame_gets_all_columns():
    assert schema.conform(pl.DataFrame(), SMALL, "x").schema == pl.Schema(
        schema.polars_schema(SMALL)
    )


@pytest.mark.parametrize("name", ALL)
def test_every_column_says_what_it_means_and_has_its_unit_in_its_name(name):
    ends = {"s": r"_s$", "bytes": r"_bytes$", "bytes/s": r"_bytes_per_s$", "1/s": r"iops"}
    for column, item in ALL[name].items():
        assert item.meaning, column
        if item.unit is not None:
            assert re.search(ends[item.unit], column), (column, item.unit)


@pytest.mark.parametrize("name", ALL)
def test_a_name_that_ends_like_a_unit_has_that_unit(name):
    for column, item in ALL[name].items():
        if column.endswith("_per_s"):
            assert item.unit == "bytes/s", column
        elif column.endswith("_s"):
            assert item.unit == "s", column


def test_the_common_table_begins_with_its_keys():
    assert list(schema.LOAD_POINTS)[: len(schema.KEYS)] == list(schema.KEYS)


def test_a_value_of_no_column_is_a_fault_of_the_reader_and_not_lost():
    """A key that a row lacks is null; one that the table lacks would vanish."""
    table = {"a": Field(pl.Int64, None, "a"), "b": Field(pl.Float64, None, "b")}
    assert frame([{"a": 1}, {"b": 2}], table, "x").rows() == [(1, None), (None, 2.0)]
    with pytest.raises(ValueError, match="no column for 'c'"):
        frame([{"a": 1}, {"a": 1, "c": 2}], table, "x")
