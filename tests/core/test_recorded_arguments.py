"""Arguments of steps in a record: made again as they were, or refused; never changed in silence."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from perfkit.core.errors import AnalysisError
from perfkit.core.recorded_arguments import argument_from, arguments_json, recorded_as


def strict(text):
    """JSON that every reader takes: Python's own would let NaN pass."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def again(value):
    return argument_from(strict(arguments_json({"x": value}, "tests.f")), given=no_input)["x"]


def no_input(digest):
    pytest.fail(f"{digest!r} is taken for the hash of data")


def same(one, other):
    """Equal in value and type, also below; NaN is itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        pairs = zip(one.items(), other.items(), strict=True)
        return len(one) == len(other) and all(same(a, b) for a, b in pairs)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return one == other


@recorded_as("tests.colour")
class Colour(Enum):
    RED = (1, 2)
    BLUE = "blue"


@recorded_as("tests.word")
class Word(StrEnum):
    ONE = "one"


@recorded_as("tests.span")
@dataclass(frozen=True)
class Span:
    ends: tuple[float, float]
    colour: Colour = Colour.RED


class Unnamed(StrEnum):
    ONE = "one"


class Number(IntEnum):
    ONE = 1


FIXED = st.sampled_from([None, UTC, timezone(timedelta(hours=-5, minutes=-30))])
TIMES = (st.datetimes(timezones=FIXED) | st.times(timezones=FIXED)).map(
    lambda moment: moment.replace(fold=0)
)
MOMENTS = TIMES | st.dates() | st.timedeltas()
DAY = datetime(2026, 1, 2)  # noqa: DTZ001 - without a zone
KEYS = st.text() | st.sampled_from(["input", "$type", "$tuple", "$float", "$pairs", "a", "b"])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | KEYS | MOMENTS
    | st.sampled_from([*Colour, *Word, Span((1.0, 2.5), Colour.BLUE)])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.dictionaries(
            st.integers() | st.booleans() | st.none() | st.dates() | st.tuples(KEYS, st.integers()),
            inner, max_size=3,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
@example([math.nan, (math.inf, {"a": -math.inf}), -0.0])
def test_an_argument_comes_back_as_it_was(value):
    """In value, type and order, with NaN, tuples, times and keys that JSON lacks."""
    assert same(again(value), value)


@given(VALUES)
def test_another_argument_is_another_record(value):
    """Else two calls would have one chain."""
    assert arguments_json({"x": value}, "f") != arguments_json({"x": [value]}, "f")
    assert arguments_json({"x": (value,)}, "f") != arguments_json({"x": [value]}, "f")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (math.nan, "nan"), (math.inf, -math.inf), (math.nan, None), (1, 1.0),
        (1, True), (0.0, -0.0),
        ((1, 2), [1, 2]), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({1: "a"}, {"1": "a"}),
        (date(2026, 1, 2), "2026-01-02"), (date(2026, 1, 2), DAY),
        (DAY, DAY.replace(tzinfo=UTC)), (Colour.BLUE, "blue"),
        (Word.ONE, "one"), ({"$float": "nan"}, math.nan), ({"$tuple": [1]}, (1,)),
    ],
)  # fmt: skip
def test_values_that_look_alike_have_different_records(one, other):
    assert arguments_json({"x": one}, "f") != arguments_json({"x": other}, "f")


def test_what_stands_for_data_cannot_be_said_by_an_argument():
    assert again({"input": "ab" * 32}) == {"input": "ab" * 32}


NUMPY = [
    np.float64(0.1), np.float32(0.1), np.int64(-3), np.uint8(255), np.bool_(True), np.str_("a"),
    np.float64("inf"), np.array(2.5),
]  # fmt: skip


@pytest.mark.parametrize("value", NUMPY, ids=repr)
def test_a_scalar_of_numpy_comes_back_as_the_plain_value_that_equals_it(value):
    made = again(value)
    assert made == value
    assert type(made) in {float, int, bool, str}
    assert math.isnan(again(np.float64("nan")))


@pytest.mark.parametrize("value", [OrderedDict(b=1, a=2), MappingProxyType({"b": 1, "a": 2})])
def test_a_mapping_comes_back_as_a_dict_of_the_same_order(value):
    assert list(again(value).items()) == [("b", 1), ("a", 2)]


class Pair(NamedTuple):
    one: int
    two: int


class Text(str):
    """A text that is more than a text."""


REFUSED = [
    Path("/tmp/x"), PurePosixPath("x"), {1, 2}, frozenset({1}), b"bytes", Decimal("1.5"),
    Fraction(1, 3), 1j, object(), print, int, range(3), Pair(1, 2), Text("x"),
    np.array([1.0, 2.0]), np.datetime64("2026-01-01"), np.complex128(1j), np.longdouble("0.1"),
    pl.Series([1]), iter([1]),
]  # fmt: skip


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("pack", [lambda x: x, lambda x: [(x,)], lambda x: {"a": {"b": x}}],
                         ids=["alone", "in a list", "in a mapping"])  # fmt: skip
def test_what_has_no_form_is_refused_by_its_type(value, pack):
    kind = type(value).__name__
    with pytest.raises(AnalysisError, match=rf"tests\.f: an argument of type {kind} has no JSON"):
        arguments_json({"x": pack(value)}, "tests.f")


def test_a_path_is_refused_with_the_cure():
    with pytest.raises(AnalysisError, match="another file elsewhere; give a name as text"):
        again(Path("x"))


@pytest.mark.parametrize("value", [Unnamed.ONE, Number.ONE], ids=repr)
def test_an_enum_without_a_name_is_refused(value):
    with pytest.raises(AnalysisError, match="@recorded_as"):
        again(value)


@pytest.mark.parametrize(
    "value",
    [datetime(2026, 1, 2, tzinfo=ZoneInfo("Europe/Berlin")), DAY.replace(fold=1),
     time(2, fold=1)],
)  # fmt: skip
def test_a_time_whose_zone_a_text_does_not_hold_is_refused(value):
    with pytest.raises(AnalysisError, match="give it in UTC, or with a fixed offset"):
        again(value)


def test_a_text_that_is_not_unicode_is_refused():
    for value in ("\ud800", {"\ud800": 1}, ["\ud800"]):
        with pytest.raises(AnalysisError, match="is not Unicode"):
            again(value)


@recorded_as("tests.forgets")
@dataclass
class Forgets:
    given: str
    kept: str = field(default="", init=False)


@recorded_as("tests.rounds")
class Rounds(BaseModel):
    size: float
    part: object = None


@pytest.mark.parametrize("make", [lambda: Forgets("a"), lambda: Rounds(size=1.0, part=(1, 2))])
def test_an_instance_whose_fields_do_not_make_it_again_is_refused(make):
    """A field that the constructor does not take, or that its own JSON form changes."""
    value = make()
    if isinstance(value, Forgets):
        value.kept = "more"
    with pytest.raises(AnalysisError, match="cannot be made again from its fields"):
        again(value)
