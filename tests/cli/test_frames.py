"""Frames in the terminal: whole, turned, or with columns left out and named; never squeezed."""

from __future__ import annotations

import io
import re
import string

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from perfkit.cli.frames import FEW, SHOWN_ROWS, Style, frame_table


def shown(frame, width, title="points", **style):
    """What the terminal shows."""
    console = Console(file=io.StringIO(), width=width)
    console.print(frame_table(frame, title, Style(width, **style)))
    return console.file.getvalue()


def wide(rows, columns=30):
    """A frame far wider than a terminal, no two cells alike."""
    return pl.DataFrame({
        f"figure_{place:02d}_per_s": [place * 1000.0 + row for row in range(rows)]
        for place in range(columns)
    })  # fmt: skip


def test_a_frame_that_fits_stands_as_it_is():
    """Names across, a line for each row."""
    text = shown(pl.DataFrame({"load": [1, 2], "iops": [10.5, None]}), 80)
    assert "points: 2 rows" in text
    assert re.search(r"load +┃ +iops", text)
    assert re.search(r"2 │ +–", text)  # null is a dash, not a 0


def test_one_row_that_is_too_wide_is_turned():
    """Name and value, one below the other; every value is there."""
    text = shown(wide(1), 80)
    assert re.search(r"name +┃ value", text)
    for place in range(30):
        assert re.search(rf"figure_{place:02d}_per_s +│ {place * 1000} ", text)


@pytest.mark.parametrize("rows", range(2, FEW + 1))
def test_a_few_rows_are_turned_side_by_side(rows):
    """A column for each row."""
    text = shown(wide(rows), 80)
    assert f"row {rows}" in text
    assert re.search(rf"figure_29_per_s +│ 29000 +│ .*{29000 + rows - 1}", text)


def test_rows_that_do_not_fit_side_by_side_stand_below_each_other():
    """A number of seven digits is never broken over two lines."""
    text = shown(wide(3).select(pl.all() + 1234567890123), 40)
    assert [f"row {number} " in text for number in (1, 2, 3)] == [True] * 3
    assert text.count("1.23457e+12") == 90


def test_columns_that_do_not_fit_are_counted_and_named():
    """The first ones stand whole; the others are named below, with how many they are."""
    text = shown(wide(FEW + 1), 80)
    told = re.search(r"(\d+) columns do not fit \(--format csv has all\): (.*)", text, re.S)
    left = re.findall(r"figure_(\d\d)_per_s", re.sub(r"\s", "", told[2]))
    assert len(left) == int(told[1])
    assert left == [f"{place:02d}" for place in range(30 - len(left), 30)]
    assert all(str(place * 1000) in text for place in range(30 - len(left)))


def test_what_is_the_same_in_every_row_is_said_once():
    """It takes no column where columns are short, and is not lost."""
    frame = wide(8, 6).with_columns(level=pl.lit("instance"), config=pl.lit(None, pl.String))
    text = " ".join(shown(frame, 80).split())
    assert "the same in every row: level instance, config –" in text
    assert "level ┃" not in text


def test_a_frame_without_rows_is_one_line():
    """Thirty tables without rows do not fill the screen."""
    assert shown(wide(2).clear(), 80) == "points: 0 rows\n"


def test_long_names_are_broken_before_columns_are_left_out():
    """After an underscore: each line of a name is a part of it."""
    frame = pl.DataFrame({f"a_rather_long_name_of_{place}": [1.0] * 9 for place in range(4)})
    frame = frame.with_columns(pl.Series("a_rather_long_name_of_0", range(9), pl.Float64))
    text = shown(frame.with_columns(pl.all() + pl.int_range(9)), 80)
    assert "not fit" not in text
    assert re.search(r"┃ +rather_ ┃", text)


def test_the_rows_that_are_not_shown_are_told():
    """The first ones, and how many there are."""
    text = shown(pl.DataFrame({"n": range(SHOWN_ROWS + 5)}), 80)
    assert f"points: {SHOWN_ROWS + 5} rows, first {SHOWN_ROWS} shown" in text
    assert f" {SHOWN_ROWS - 1} │" in text
    assert f" {SHOWN_ROWS} │" not in text


def test_evidence_cannot_steer_the_terminal():
    """Markup is text and an escape sequence is a dot: a SQL text or a host name may hold either."""
    text = shown(pl.DataFrame({"text": ["[/red] [bold]x[/bold]", "\x1b[31mred\n"]}), 80)
    assert "[/red] [bold]x[/bold]" in text
    assert "\x1b" not in text
    assert "·[31mred " in text


def test_the_leading_columns_come_first_where_not_all_fit():
    """In their order, also of few rows; the others follow or are named."""
    leading = ["figure_20_per_s", "figure_07_per_s"]
    for rows in (2, 9):
        text = shown(wide(rows), 80, leading=leading)
        head = "".join(text.splitlines()[2:5])
        assert "figure_20_per_s" not in text.partition("do not fit")[2]
        assert "figure_07_per_s" not in text.partition("do not fit")[2]
        assert head.index("20_") < head.index("07_")


def test_where_all_columns_fit_they_stay_in_their_order():
    text = shown(pl.DataFrame({"load": [1, 2], "iops": [10.5, 11]}), 80, leading=["iops"])
    assert re.search(r"load +┃ +iops", text)


def test_a_brief_frame_is_its_leading_columns_and_counts_the_others():
    """One row is turned; of several, what is the same in all is said once."""
    frame = wide(5).with_columns(level=pl.lit("instance"))
    leading = ["level", "figure_03_per_s", "figure_01_per_s"]
    text = shown(frame, 80, leading=leading, brief=True)
    assert set(re.findall(r"\b(\d000)\b", text)) == {"3000", "1000"}
    assert "the same in every row: level instance" in text
    assert "28 more columns" in text
    turned = shown(frame.head(1), 80, leading=leading, brief=True)
    assert re.search(r"figure_03_per_s +│ 3000 ", turned)
    assert "28 more columns" in turned


def test_a_brief_frame_has_a_line_for_each_row():
    """Long words end in an ellipsis; a number is whole."""
    frame = wide(5).with_columns(
        pl.Series("event", [f"wait {n} for " + "x" * 90 for n in range(5)])
    )
    text = shown(frame, 80, leading=["event", "figure_20_per_s"], brief=True)
    assert text.count("│") == 5 * 3
    assert re.search(r"│ wait 3 for x+… │ +20003 │", text)
    assert all(len(line) <= 80 for line in text.splitlines())


def test_every_row_is_shown_where_that_is_asked():
    text = shown(pl.DataFrame({"n": range(SHOWN_ROWS + 5)}), 80, rows=None)
    assert f"points: {SHOWN_ROWS + 5} rows\n" in text
    assert f" {SHOWN_ROWS + 4} │" in text


def test_values_are_said_in_the_units_of_people_and_ids_keep_every_digit():
    """A whole number without a unit may be an id or a line: it is never rounded."""
    frame = pl.DataFrame({
        "total_wait_s": [4104.0, 59.7e-6], "waits": [113.8e6, 5.0], "db_id": [2494196594, 7],
        "busy_ratio": [0.9996, None], "on": [True, False],
    })  # fmt: skip
    units = {"total_wait_s": "s", "busy_ratio": "ratio"}
    people, raw = shown(frame, 80, units=units), shown(frame, 80)
    assert re.search(r"1.14 h │ 113.8 M │ 2494196594 │ +99.96% │ True", people)
    assert re.search(r"59.7 µs │ +5 │ +7 │ +– │ False", people)
    assert re.search(r"4104 │ 1.138e\+08 │ 2494196594 │ +0.9996 │ True", raw)


NAMES = st.lists(
    st.text(string.ascii_lowercase + "_", min_size=1, max_size=40), min_size=1, max_size=40,
    unique=True,
)  # fmt: skip


@given(names=NAMES, rows=st.integers(1, 30), width=st.sampled_from([40, 80, 120, 200]),
       data=st.data())  # fmt: skip
def test_every_column_is_whole_or_named_and_no_number_is_broken(names, rows, width, data):
    """Whatever the frame: no line is wider than the terminal, and no number is cut or folded."""
    values = st.integers(-(10**12), 10**12)
    frame = pl.DataFrame({
        name: data.draw(st.lists(values, min_size=rows, max_size=rows)) for name in names
    })  # fmt: skip
    text = shown(frame, width)
    assert all(len(line) <= width for line in text.splitlines())
    left = re.search(r"(\d+) columns? do(?:es)? not fit", text)
    same = [name for name in names if frame[name].n_unique() == 1]
    moving = [name for name in names if name not in same]
    whole = names if not left else moving[: len(moving) - int(left[1])]
    assert whole or not moving
    cells = set(re.findall(r"-?\d+", text))
    for name in whole:
        assert {str(value) for value in frame[name].head(SHOWN_ROWS)} <= cells, name
