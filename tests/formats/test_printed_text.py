"""Numbers as documents print them: exact values, what their rounding allows, and units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.formats.printed_text import exact_text, number_of, printed_number, rounded_text

KNOWN = {
    "1482.10": (Fraction("1482.1"), Fraction("1482.095"), Fraction("1482.105"), None),
    "-19.95": (Fraction("-19.95"), Fraction("-19.955"), Fraction("-19.945"), None),
    "−11.92": (Fraction("-11.92"), Fraction("-11.925"), Fraction("-11.915"), None),
    "+0.00": (Fraction(0), Fraction("-0.005"), Fraction("0.005"), None),
    "142,505": (Fraction(142505), Fraction("142504.5"), Fraction("142505.5"), None),
    "401K": (Fraction(401000), Fraction(400500), Fraction(401500), None),
    "66%": (Fraction(66), Fraction("65.5"), Fraction("66.5"), "%"),
    "2.5 GB/sec": (Fraction("2.5"), Fraction("2.45"), Fraction("2.55"), "GB/s"),
    "8 Gb/sec": (Fraction(8), Fraction("7.5"), Fraction("8.5"), "Gb/sec"),
    "1 hour and 53 minutes": (Fraction(113), Fraction("112.5"), Fraction("113.5"), "min"),
    "approximately 20 minutes": (Fraction(20), Fraction(15), Fraction(25), "min"),
    "over 120 Gigabytes": (Fraction(120), Fraction(120), None, "GB"),
    "up to 5": (Fraction(5), None, Fraction(5), None),
    ".0545ms": (Fraction("0.0545"), Fraction("0.05445"), Fraction("0.05455"), "ms"),
}


@pytest.mark.parametrize("text", KNOWN)
def test_known_forms(text):
    found = printed_number(text)
    assert (found.value, found.low, found.high, found.unit) == KNOWN[text]
    assert found.text == text


@pytest.mark.parametrize(
    "text", ["", "–", "2u NETAPP EF550", "1,48.2", "1.2.3", "192x 300GB", "XFS", "12,34", "4 of 5"]
)
def test_words_are_no_numbers(text):
    assert printed_number(text) is None


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_what_is_rounded_reads_back_within_its_last_digit(whole, decimals):
    """Any value, printed to some digits, lies in the interval that its text allows."""
    value = Fraction(whole, 7)
    found = printed_number(rounded_text(value, decimals))
    assert found.low <= value <= found.high
    assert found.high - found.low == Fraction(1, 10**decimals)
    assert number_of(exact_text(found.value)) == found.value
