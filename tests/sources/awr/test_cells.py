"""Cells as Oracle prints them: one value each, or an error; nothing that is half read."""

import datetime as dt
import math

import pytest

from perfkit.sources.awr import cells


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234.5", 1234.5), (".98", 0.98), ("1.1E+08", 1.1e8), ("-7", -7.0), ("+1,000", 1000.0),
     ("12.", 12.0), ("0", 0.0), ("1234567", 1234567.0), ("1,234,567", 1234567.0)],
)  # fmt: skip
def test_a_number_has_thousands_commas_or_none(text, value):
    assert cells.plain(text) == cells.number(text) == value


@pytest.mark.parametrize(
    "text", ["1,23", "12,34,567", "1.2.3", "abc", "1e999", "٣", "²", "", "1 2"]
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="number"):
        cells.plain(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [("####", cells.WideNumberError), ("1,5", cells.ForeignNumberError),
     ("1.234,56", cells.ForeignNumberError), ("1.234.567", cells.ForeignNumberError)],
)  # fmt: skip
def test_wide_and_foreign_numbers_are_told_apart(text, error):
    with pytest.raises(error):
        cells.plain(text)


@pytest.mark.parametrize("text", ["", "N/A", "n/a", "(null)"])
@pytest.mark.parametrize(
    "read", [cells.number, cells.count, cells.percent, cells.size, cells.whole, cells.scaled(8192)]
)
def test_what_says_nothing_is_null(read, text):
    assert read(text) is None


def test_shares_and_thousands():
    assert (cells.percent("12.5"), cells.percent("40 %"), cells.percent("100%")) == (0.125, 0.4, 1)
    assert (cells.scaled(1024)("2.5"), cells.scaled(8192)("1,000")) == (2560.0, 8_192_000.0)


def test_a_count_that_is_printed_whole_has_no_decimals():
    assert (cells.tally("1,234"), cells.tally("1.5K"), cells.tally("")) == (1234.0, 1500.0, None)
    with pytest.raises(ValueError, match=r"'1\.5' is not a count"):
        cells.tally("1.5")


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("9,007,199,254,740,993", 2**53 + 1), ("-3", -3), ("5.0", 5),
     (str(2**62 - 512), 2**62 - 512)],
)  # fmt: skip
def test_whole_numbers_are_exact_below_two_to_the_62(text, value):
    """2^53 + 1 is no double."""
    assert cells.whole(text) == value


@pytest.mark.parametrize("text", ["1.5", str(2**62), str(-(2**62)), "1e300"])
def test_what_is_no_whole_number_or_too_large_is_refused(text):
    with pytest.raises(ValueError, match="not a whole number, or too large"):
        cells.whole(text)


def test_words_and_marks():
    assert (cells.words(" a \n  b "), cells.words("  ")) == ("a b", None)
    assert (cells.verbatim(" a "), cells.verbatim("")) == (" a ", None)
    assert [cells.snapshot(text) for text in ("B", "E", "")] == ["begin", "end", None]
    assert [cells.yes(text) for text in ("YES", "no", "")] == [True, False, None]
    for read, text in ((cells.snapshot, "b"), (cells.yes, "Y")):
        with pytest.raises(ValueError, match="is neither"):
            read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("23-May-16 14:50:28", (2016, 5, 23, 14, 50, 28)),
        ("01-Jan-2022 00:00", (2022, 1, 1, 0, 0, 0)),
        ("3-Sept-21 7:05", (2021, 9, 3, 7, 5, 0)),
        ("02-12月-21 07:05:01", (2021, 12, 2, 7, 5, 1)),
        ("02-Déc-21 07:05:01", (2021, 12, 2, 7, 5, 1)),
        ("on 02- Okt -21 07:05:01.5 (Sat)", (2021, 10, 2, 7, 5, 1)),
        ("31-Feb-21 07:05", None), ("02-Xyz-21 07:05", None), ("02-13-21 07:05", None),
        ("yesterday", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_moment_in_the_languages_that_were_met(text, expected):
    found = cells.moment(text)
    assert found == (None if expected is None else dt.datetime(*expected))  # noqa: DTZ001


def test_every_month_has_its_number_in_each_language():
    known = {name: cells.moment(f"05-{name}-21 10:00").month for name in cells.MONTHS}
    english = [dt.date(2021, month, 1).strftime("%b").lower() for month in range(1, 13)]
    assert [known[name] for name in english] == list(range(1, 13))
    assert [known[name] for name in ("ene", "fév", "mär", "avr", "mag", "giu", "lug", "aoû", "set",
                                     "out", "nov", "dez")] == list(range(1, 13))  # fmt: skip


def test_names_as_they_are_looked_up():
    assert cells.slug("Session Logical Read IM (x)") == "session_logical_read_im_x"
    assert cells.key("DB  Time (s):") == "dbtime(s)"
    assert math.isclose(cells.seconds("858.01ns", None), 858.01e-9)
    with pytest.raises(ValueError, match="has no unit, nor has its column"):
        cells.seconds("5", None)
