"""Units of numbers in print: what they measure, and what only looks like one."""

import pytest

from perfkit.formats.quantities import OPS, RATE, SIZE, TIME, quantities, unit_of


@pytest.mark.parametrize(
    ("text", "kind", "factor"),
    [
        ("us/event", TIME, 1e-6), ("ns/op", TIME, 1e-9), ("ms/requests", TIME, 1e-3),
        ("min/run", TIME, 60), ("s", TIME, 1),
        ("pf/s", OPS, 1), ("it/s", OPS, 1), ("events/s", OPS, 1), ("kIOPS", OPS, 1000),
        ("KB/s", RATE, 1000), ("Kb/s", RATE, 125), ("MiB/s", RATE, 1048576), ("GiB", SIZE, 2**30),
    ],
)  # fmt: skip
def test_a_unit_is_known_by_what_it_measures(text, kind, factor):
    unit = unit_of(text)
    assert (unit.kind, float(unit.factor)) == (kind, factor)


@pytest.mark.parametrize(
    "text", ["hours/day", "s/min", "ms/MB", "ms/s", "GT/s", "MT/s", "km/s", "m/s", "weeks/year"]
)
def test_a_ratio_of_other_things_is_no_time_and_counts_nothing(text):
    assert unit_of(text) is None


def test_a_time_of_each_is_read_in_a_text():
    (number,) = quantities("3.28 us/event")
    assert (number.kind, number.text) == (TIME, "3.28 us/event")
