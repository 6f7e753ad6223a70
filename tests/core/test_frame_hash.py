"""The hash of a frame: what it sees and what not."""

import hashlib
import struct

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.frame_hash import hash_frame

NAN = float("nan")
SHORT_LISTS = st.lists(st.integers(0, 9), max_size=3)


@st.composite
def frames(draw):
    height = draw(st.integers(0, 8))

    def column(values):
        return draw(st.lists(st.none() | values, min_size=height, max_size=height))

    return pl.DataFrame(
        [
            pl.Series("i", column(st.integers(-(2**62), 2**62)), dtype=pl.Int64),
            pl.Series("f", column(st.floats()), dtype=pl.Float64),
            pl.Series("t", column(st.text(max_size=4)), dtype=pl.String),
            pl.Series("b", column(st.booleans()), dtype=pl.Boolean),
            pl.Series("l", column(SHORT_LISTS), dtype=pl.List(pl.Int64)),
        ]
    )  # fmt: skip


@given(frames(), st.integers(0, 8))
def test_the_hash_does_not_see_how_the_frame_lies_in_memory(frame, cut):
    cut = min(cut, frame.height)
    chunked = pl.concat([frame[:cut], frame[cut:]], rechunk=False)
    assert hash_frame(chunked) == hash_frame(frame)
    padded = pl.concat([frame[:cut], frame])[cut:]
    assert hash_frame(padded) == hash_frame(frame)


@given(frames(), frames())
def test_frames_that_differ_have_different_hashes(first, second):
    same = first.equals(second, null_equal=True)
    assert (hash_frame(first) == hash_frame(second)) == same


def of(*values, dtype=None, name="x"):
    return hash_frame(pl.DataFrame({name: pl.Series(name, values, dtype=dtype, strict=False)}))


def test_missing_zero_and_not_a_number_are_three_things():
    assert len({of(None, dtype=pl.Float64), of(0.0), of(NAN)}) == 3
    assert of(None, dtype=pl.Int64) != of(0)
    assert of(None, dtype=pl.String) != of("")
    assert of(None, dtype=pl.Boolean) != of(False)
    assert of(None, dtype=pl.List(pl.Int64)) != of([], dtype=pl.List(pl.Int64))


def test_minus_zero_is_zero():
    assert of(-0.0, 1.0) == of(0.0, 1.0)


def test_the_order_of_rows_and_columns_counts():
    assert of(1, 2) != of(2, 1)
    frame = pl.DataFrame({"a": [1], "b": [2]})
    assert hash_frame(frame) != hash_frame(frame.select("b", "a"))


def test_names_and_types_count():
    assert of(1, name="x") != of(1, name="y")
    assert of(1, dtype=pl.Int64) != of(1, dtype=pl.Int32)
    assert of(1, dtype=pl.Int64) != of(1.0, dtype=pl.Float64)
    assert of("1") != of(1)


def test_where_one_text_ends_and_the_next_begins_counts():
    assert of("ab", "c") != of("a", "bc")
    assert of([1], [2, 3]) != of([1, 2], [3])


def test_large_unsigned_numbers_and_structures_are_hashed():
    assert of(2**64 - 1, dtype=pl.UInt64) != of(2**64 - 2, dtype=pl.UInt64)
    assert of({"a": 1}) != of({"a": 2})
    assert of({"a": None}, dtype=pl.Struct({"a": pl.Int64})) != of(
        None, dtype=pl.Struct({"a": pl.Int64})
    )


def test_an_empty_frame_has_the_hash_of_its_columns():
    assert of(dtype=pl.Int64) != of(dtype=pl.Float64)


def test_a_list_that_is_null_is_hashed_as_one_without_values_that_is_null():
    """What is null, the lengths, then the values of all lists as one column."""
    frame = pl.DataFrame({"x": [[1.5, 2.5], None, []]}, schema={"x": pl.List(pl.Float64)})
    layout = (
        b'[3,[["x","List(Float64)"]]]'
        + b"\x00\x01\x00"
        + struct.pack("<3q", 2, 0, 0)
        + b"\x00\x00"
        + struct.pack("<2d", 1.5, 2.5)
    )
    assert hash_frame(frame) == hashlib.sha256(layout).hexdigest()


def test_the_hash_is_the_same_on_every_machine():
    """Written out byte by byte: names and types, then per column what is null, then its values."""
    frame = pl.DataFrame({"x": [1.5, None], "t": ["a", None]})
    layout = (
        b'[2,[["x","Float64"],["t","String"]]]'
        + b"\x00\x01"
        + struct.pack("<2d", 1.5, 0.0)
        + b"\x00\x01"
        + struct.pack("<2q", 1, 0)
        + b"a"
    )
    assert hash_frame(frame) == hashlib.sha256(layout).hexdigest()


def tall(**columns):
    return pl.DataFrame({name: list(values) for name, values in columns.items()})


N = 5000
TALL = [
    tall(x=[1.0] * N),
    tall(x=[1.0] * (N - 1) + [2.0]),
    tall(x=[2.0] + [1.0] * (N - 1)),
    tall(x=[1.0] * (N - 1) + [None]),
    pl.DataFrame({"x": [None] * N}, schema={"x": pl.Float64}),
    pl.DataFrame({"x": [None] * N}, schema={"x": pl.String}),
    pl.DataFrame({"x": [None] * N}, schema={"x": pl.Int64}),
    tall(x=[0.0] * N),
    tall(x=[0] * N),
    tall(x=["a"] * N),
    tall(x=[""] * N),
    tall(x=["a"] * (N - 1) + [None]),
    tall(x=["a"] * (N - 1) + [""]),
    tall(x=["a"] * 10 + ["b"] * (N - 10)),
    tall(x=["a"] * 11 + ["b"] * (N - 11)),
    tall(x=["ab", "c"] * (N // 2)),
    tall(x=["a", "bc"] * (N // 2)),
    tall(x=[1.0] * (N + 1)),
    pl.DataFrame({"x": [None] * N, "y": [1] * N}, schema={"x": pl.Int64, "y": pl.Int64}),
    pl.DataFrame({"x": [1] * N, "y": [None] * N}, schema={"x": pl.Int64, "y": pl.Int64}),
]


def test_long_tables_that_differ_have_other_hashes():
    """The shorter form of long columns still tells every value, null and length apart."""
    assert len({hash_frame(frame) for frame in TALL}) == len(TALL)


@pytest.mark.parametrize("frame", TALL, ids=range(len(TALL)))
def test_the_hash_of_a_long_table_knows_no_chunks(frame):
    pieces = pl.concat([frame[:7], frame[7:4000], frame[4000:]], rechunk=False)
    assert hash_frame(pieces) == hash_frame(frame)
