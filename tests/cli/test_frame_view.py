"""A frame in the terminal: no number is broken, cut or swallowed, however narrow it is."""

import io

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from perfkit.cli.frame_view import LONGEST, SHOWN_ROWS, WIDE, FrameView
from perfkit.schema import LOAD_POINTS


def shown(frame, width=80):
    stream = io.StringIO()
    Console(file=stream, width=width).print(FrameView(frame, "t"))
    return stream.getvalue()


def words(text):
    """What stands between the lines and blanks of the tables."""
    return text.replace("│", " ").split()


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(
    st.lists(st.lists(NUMBERS, min_size=24, max_size=24), min_size=1, max_size=4),
    st.integers(30, 200),
)
def test_every_number_stands_whole_in_one_line(rows, width):
    names = [f"{name}_{place}" for place, name in enumerate(LOAD_POINTS)][:24]
    names += [f"lat_of_column_{place}_s" for place in range(len(names), 24)]
    text = shown(pl.DataFrame(rows, schema=names, orient="row"), width)
    assert max(map(len, text.splitlines())) <= width
    found = words(text)
    for row in rows:
        for value in row:
            assert f"{value:.6g}" in found


def test_what_looks_like_markup_is_shown_as_it_stands():
    """A device "[sda]" is a name, and "[/x]" no end of anything."""
    text = shown(pl.DataFrame({"device": ["[sda]", "[/x]", "[bold]y"]}))
    assert all(name in text for name in ("[sda]", "[/x]", "[bold]y"))


def test_a_long_text_is_folded_and_none_of_it_is_lost():
    text = shown(pl.DataFrame({"message": ["x" * (3 * LONGEST)], "n": [1]}))
    assert text.count("x") == 3 * LONGEST


def test_of_a_wide_frame_what_all_rows_share_is_said_once():
    frame = pl.DataFrame(
        {"workload": ["w", "w"], "host": [None, None]} | {f"n_{i}": [70, 70] for i in range(WIDE)}
    )
    text = shown(frame, 400)
    assert "in every row: workload w\n" in text
    assert "without any value: host\n" in text
    # numbers are shown, also where they do not differ
    assert words(text).count("70") == 2 * WIDE


def test_rows_that_are_not_shown_are_counted():
    text = shown(pl.DataFrame({"n": range(1000, 1000 + SHOWN_ROWS + 5)}))
    assert f"t: {SHOWN_ROWS + 5} rows, first {SHOWN_ROWS} shown" in text
    assert "1019" in words(text)
    assert "1020" not in words(text)


def test_a_frame_without_rows_is_one_line():
    assert shown(pl.DataFrame(schema=dict.fromkeys("abc", pl.Float64))) == "t: 0 rows\n"
