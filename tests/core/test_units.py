"""Text to SI base units and back: every suffix once, and nothing guessed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core import units
from perfkit.core.units import Format


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512", 512), ("4k", 4096), ("4K", 4096), ("4KiB", 4096), ("4KB", 4000), ("1m", 1024**2),
        ("1.5 GiB", 3 * 512 * 1024**2), ("2 MB", 2_000_000), ("1t", 1024**4), (8192, 8192),
        ("100 B", 100), ("2g", 2 * 1024**3), ("1.5p", 1.5 * 1024**5), ("3 TiB", 3 * 1024**4),
        ("1 GB", 10**9), ("2TB", 2 * 10**12), ("1.5 PB", 1.5 * 10**15), ("1kB", 1000),
    ],
)  # fmt: skip
def test_sizes(text, size):
    assert units.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "k", "4x", "1.5", "4 kk", "1e3", "0x10", "4,096", True])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match=r"is not a size|whole number of bytes"):
        units.parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("484.65us", 484.65e-6), ("2 ms", 0.002), ("90", 90.0), ("5m", 300.0), ("1h", 3600.0),
        ("3 µs", 3e-6), ("7 μs", 7e-6), ("100ns", 1e-7), ("250 usec", 250e-6), ("2d", 172800.0),
        (1.5, 1.5), ("1 min", 60.0), ("4 msec", 0.004), ("2 sec", 2.0), ("7s", 7.0),
    ],
)  # fmt: skip
def test_durations(text, seconds):
    assert units.parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize("text", ["", "ms", "2 weeks", "1:30", "1e-3", True])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="is not a time"):
        units.parse_duration(text)


@given(st.integers(0, 2**60))
def test_a_whole_size_survives_being_shown_in_bytes(size):
    assert units.parse_size(f"{size} B") == pytest.approx(size, rel=1e-15)


@given(st.integers(1, 1023), st.sampled_from(["KiB", "MiB", "GiB"]))
def test_a_round_size_is_shown_exactly_and_read_back(count, unit):
    size = units.parse_size(f"{count} {unit}")
    assert units.format_size(size) == f"{count:,} {unit}"


@pytest.mark.parametrize(
    ("size", "text"), [(None, "–"), (0, "0 B"), (512, "512 B"), (1536, "1.5 KiB")]
)
def test_sizes_for_people(size, text):
    assert units.format_size(size) == text


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (Format("ms", decimals=2), 0.0012345, "1.23 ms"),
        (Format("us", significant=3), 0.000484651, "485 µs"),
        (Format("IOPS"), 26400.4, "26,400 IOPS"),
        (Format("IOPS", significant=3), 123456, "123,000 IOPS"),
        (Format("%", decimals=1), 0.12345, "12.3%"),
        (Format("MiB/s", decimals=1), 1024**2 * 1.25, "1.2 MiB/s"),
        (Format("1", decimals=1), -1.25, "−1.2"),
        (Format("1", decimals=1, sign=True), 2.0, "+2.0"),
        (Format("1", decimals=1, sign=True), -0.01, "0.0"),
        (Format("ms", significant=3), 0.0099996, "10.0 ms"),
        (Format("1", significant=3), 0, "0.00"),
        (Format("IOPS"), None, "–"),
        (Format("IOPS"), math.nan, "–"),
    ],
)
def test_numbers_for_people(form, value, text):
    assert form.show(value).text == text


def test_a_printed_number_keeps_the_value_behind_it():
    printed = Format("ms", decimals=1).show(0.00123456)
    assert printed.record() == {
        "text": "1.2 ms",
        "value": 0.00123456,
        "unit": "ms",
        "rounding": "1 decimals",
    }


def test_missing_is_printed_as_missing_and_never_as_zero():
    assert Format("ms").show(None).value is None
    assert Format("ms").show(math.nan).value is None
    assert Format("ms").number(None) == units.NULL_TEXT


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinity_is_not_printed(value):
    with pytest.raises(ValueError, match="cannot be printed"):
        Format("ms").show(value)


def test_a_format_that_cannot_be():
    with pytest.raises(ValueError, match="unknown unit 'msec'"):
        Format("msec")
    with pytest.raises(ValueError, match="decimals or significant digits"):
        Format("ms", decimals=1, significant=2)


@pytest.mark.parametrize(
    ("seconds", "unit"), [(5e-5, "us"), (0.001, "ms"), (0.5, "ms"), (1.0, "s"), (None, "s")]
)
def test_the_unit_of_a_latency_goes_with_its_size(seconds, unit):
    assert units.time_format(seconds).unit == unit


@given(st.floats(1e-9, 1e12), st.integers(1, 6))
def test_significant_digits_keep_the_value_within_half_of_the_last(value, digits):
    text = Format("1", significant=digits).number(value).replace(",", "")
    assert float(text) == pytest.approx(value, rel=0.51 * 10 ** (1 - digits))


@given(st.floats(1e-6, 1e5), st.integers(0, 6))
def test_a_shown_time_reads_back_within_its_rounding(seconds, decimals):
    text = Format("ms", decimals=decimals).show(seconds).text.replace(",", "")
    # half of the last printed digit, and what a double of this size cannot tell apart
    bound = 0.5e-3 * 10**-decimals + seconds * 2**-50
    assert units.parse_duration(text) == pytest.approx(seconds, rel=0, abs=bound)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (4104.0, "s", "1.14 h"), (59.7e-6, "s", "59.7 µs"), (2.46e-3, "s", "2.46 ms"),
        (259195.0, "s", "3 d"), (59.95, "s", "59.95 s"), (59.9999, "s", "1 min"),
        (90.0, "s", "1.5 min"),
        (0.0, "s", "0 s"), (2.5e-8, "s", "25 ns"), (-0.5, "s", "-500 ms"),
        (113.8e6, None, "113.8 M"), (99_940.4, None, "99940.4"), (100_000.0, None, "100 k"),
        (1e9, "1/s", "1 G"), (24205.4, "1/s", "24205.4"), (16.0, None, "16"),
        (99.999, None, "99.999"),
        (8192.0, "bytes", "8 KiB"), (512.0, "bytes", "512 B"), (5.40522e11, "bytes", "503.4 GiB"),
        (1024.0**4, "bytes", "1 TiB"),
        (1.58545e8, "bytes/s", "158.5 MB/s"), (0.0, "bytes/s", "0 B/s"),
        (0.725, "ratio", "72.5%"), (1.0, "ratio", "100%"), (0.99996, "ratio", "99.996%"),
        (0.0, "ratio", "0%"), (1e-7, "ratio", "1e-05%"), (float("nan"), "s", "nan"),
        (3e17, None, "300,000 T"),
    ],
)  # fmt: skip
def test_values_as_people_say_them(value, unit, text):
    """Four digits at most, in the unit of that size; a share is whole only where it is."""
    assert units.readable(value, unit) == text


@given(st.floats(1e-9, 1e15), st.sampled_from(["s", "bytes", "bytes/s", "1/s", None]))
def test_what_is_said_is_the_value_to_four_digits(value, unit):
    """Read back with the factors of the units written down here, not with perfkit's."""
    factors = {
        "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400, "": 1,
        "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
        "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
    }  # fmt: skip
    number, _, symbol = units.readable(value, unit).partition(" ")
    assert float(number.replace(",", "")) * factors[symbol] == pytest.approx(value, rel=5.1e-4)


SI = {
    "1": 1, "M": 1e6, "%": 0.01, "s": 1, "min": 60, "h": 3600, "ms": 0.001, "us": 0.000001, "B": 1,
    "KiB": 1024, "MiB": 1048576, "GiB": 1073741824, "MB/s": 1000000, "MiB/s": 1048576, "IOPS": 1,
    "kIOPS": 1000, "MIOPS": 1000000, "1/s": 1, "GHz": 1000000000,
}  # fmt: skip


def test_every_unit_is_so_much_of_its_quantity_in_si():
    """Written out, from the definitions of the prefixes."""
    assert {name: unit.si for name, unit in units.UNITS.items()} == SI
