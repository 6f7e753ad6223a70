"""Typed access to JSON: a missing value is None, a wrong one an error that names its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.errors import ParseError
from perfkit.formats.json_node import Node

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ASKS = ("number", "count", "text", "flag", "child", "texts")


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("content", [{}, {"k": None}])
def test_what_is_missing_is_none_or_nothing(ask, content):
    assert not getattr(Node(content, "", "f"), ask)("k")
    assert list(Node(content, "", "f").children("k")) == []


@pytest.mark.parametrize("ask", ASKS)
@given(value=JSON)
def test_any_value_is_given_in_its_type_or_refused_with_its_place(ask, value):
    types = {
        "number": (int, float), "count": int, "text": str, "flag": bool, "child": Node,
        "texts": list,
    }  # fmt: skip
    node = Node({"k": value}, "a[0]", "f")
    refused = None
    try:
        found = getattr(node, ask)("k")
    except ParseError as problem:
        refused = str(problem)
    if refused is not None:
        assert refused.startswith("f: a[0].k: ")
    elif value is not None:
        assert isinstance(found, types[ask])
        assert (found.content if ask == "child" else found) == value


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1, 2**63, 1e300])
def test_numbers_that_nothing_can_count(value):
    with pytest.raises(ParseError, match=r"f: k: .* is impossible"):
        Node({"k": value}, "", "f").number("k")


def test_a_signed_number_may_be_negative():
    assert Node({"k": -1.5}, "", "f").number("k", signed=True) == -1.5
    assert Node({"k": -3}, "", "f").count("k", signed=True) == -3


def test_places_are_built_from_keys_and_numbers():
    node = Node({"jobs": [{"read": {"iops": "x"}}]}, "", "f")
    (job,) = node.children("jobs")
    with pytest.raises(ParseError, match=r"f: jobs\[0\]\.read\.iops: 'x' is not a number"):
        job.child("read").number("iops")


def test_keys_that_must_be_there():
    node = Node({"a": 1, "b": None}, "", "f")
    node.need("a")
    with pytest.raises(ParseError, match="f: b: is missing"):
        node.need("a", "b")
