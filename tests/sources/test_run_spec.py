"""What a run's settings say of the data written: only where perfkit wrote it."""

import pytest

from perfkit.sources.rundir.observed import _number
from perfkit.sources.rundir.tables import _spec


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"own_file": {"mode": "0o600"}}, "unique, incompressible"),
        ({"consent": {"device": "X"}}, "unique, incompressible"),
        ({"consent": None}, None),
        ({}, None),
    ],
)
def test_of_a_device_read_as_it_was_found_nothing_is_said(run, expected):
    assert dict(_spec({**run, "spec": {"seed": 1}})).get("data") == expected


def test_what_was_recorded_of_the_data_is_not_said_again():
    run = {"own_file": {"mode": "0o600"}, "spec": {"data": "repeated"}}
    assert list(_spec(run)) == [("data", "repeated")]


def test_a_number_of_a_reading_is_one_of_its_tool():
    assert [_number(text) for text in ("1_000", "1e3", "nan", "", None, True, 7)] == [
        None, 1000.0, None, None, None, None, 7.0
    ]  # fmt: skip
