"""A printed change against the two numbers printed beside it, over systems of any distance."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfkit.analysis.compare.pairs import compare
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.statements.say import say

TRACED = Lineage((Evidence("fio", "a.json", "00"),), (), traceable=True)
NUMBER = r"\d[\d,]*(?:\.\d+)?"
ONE = rf"(?:at least )?({NUMBER})([KM])? IOPS at 1 thread"
VALUES = re.compile(rf"\({ONE} against {ONE};")
CHANGE = re.compile(
    rf"B served (?:(less than )?({NUMBER})% (more|fewer) IOPS than|({NUMBER}) times the IOPS of|"
    rf"({NUMBER})% of the IOPS of) A|(B and A are equal in IOPS)"
)


def number(text):
    return float(text.replace(",", ""))


def half_a_digit(text):
    """Half of the last digit that is printed, or of the third one: as far as rounding goes."""
    value, decimals = number(text), len(text.partition(".")[2])
    digits = text.replace(",", "").replace(".", "").lstrip("0")
    dropped = max(0, len(digits.rstrip("0")) and len(digits) - 3) if not decimals else 0
    return value, 0.5 * 10.0 ** (dropped - decimals)


def reach(text, prefix):
    value, half = half_a_digit(text)
    scale = {None: 1, "K": 1e3, "M": 1e6}[prefix]
    return (value - half) * scale, (value + half) * scale


def said_reach(match):
    """The ratios that round to what is said."""
    below, percent, word, times, share, equal = match.groups()
    if equal:
        return 1.0, 1.0
    if times or share:
        value, _ = half_a_digit(times or share)
        half = 0.05 * value  # two digits: at worst 5% of the number, at 1.0
        scale = 0.01 if share else 1
        return (value - half) * scale, (value + half) * scale
    value, decimals = number(percent), len(percent.partition(".")[2])
    half = 0.5 * 10.0**-decimals
    low, high = (0.0, value) if below else (value - half, value + half)
    ends = (1 + low / 100, 1 + high / 100) if word == "more" else (1 - high / 100, 1 - low / 100)
    return min(ends), max(ends)


repeats = st.lists(st.floats(1.0, 9e6), min_size=1, max_size=4)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(repeats, repeats, st.sampled_from([1.0, 1e-7, 1e-3, 1.0, 1e4]))
def test_a_printed_change_agrees_with_the_two_printed_numbers(one, other, far):
    """Of the means that the curves show, whatever the repeats: within the rounding of all three."""
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "workload": "w", "load_kind": "threads", "load": 1.0,
         "direction": "total", "system": system, "repeat": n, "iops": value}
        for system, values in (("A", one), ("B", [far * value for value in other]))
        for n, value in enumerate(values, 1)
    ]  # fmt: skip
    points = Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), TRACED)
    (statement,) = say(compare(points), "peak_iops")
    values = VALUES.search(statement.text)
    change = CHANGE.search(statement.text)
    assert values, statement.text
    assert change, statement.text
    assert "100% fewer" not in statement.text
    b_low, b_high = reach(*values.groups()[:2])
    a_low, a_high = reach(*values.groups()[2:])
    low, high = said_reach(change)
    slack = 1e-9
    assert low <= b_high / a_low * (1 + slack), statement.text
    assert high >= b_low / a_high * (1 - slack), statement.text
