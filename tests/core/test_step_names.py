"""The names of steps: they stand in records, and stay when a function moves to another module."""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT

from perfkit.core.lineage import REGISTRY, step

PACKAGE = ROOT / "perfkit"
FILES = sorted(PACKAGE.rglob("*.py"))
MAKERS = {"step", "reading", "Reader", "Step", "stated"}
"""Calls that give a step its name."""

CALLED = re.compile(rf"\b({'|'.join(sorted(MAKERS))})\(")
"""Most modules have none: they need not be parsed."""


def modules() -> set[str]:
    """Every module and package below perfkit: "analysis", "analysis.curves", ..."""
    paths = [path.relative_to(PACKAGE).with_suffix("").parts for path in FILES]
    return {".".join(path).removesuffix(".__init__") for path in paths} - {"__init__"}


@functools.cache
def calls(path: Path) -> list[ast.Call]:
    text = path.read_text()
    if not CALLED.search(text):
        return []
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [call for call in found if getattr(call.func, "id", "") in MAKERS]


def literal(call: ast.Call) -> str | None:
    """The name written into a call: its keyword ``name``, or its first argument."""
    named = [item.value for item in call.keywords if item.arg == "name"]
    values = [*named, *call.args[:1]]
    found = values[0] if values else None
    text = found.value if isinstance(found, ast.Constant) else None
    return text if isinstance(text, str) else None


def names() -> list[str]:
    found = [literal(call) for path in FILES for call in calls(path)]
    return [name for name in found if name]


def test_every_step_writes_its_name_out():
    """A name made of the function's place would change with it."""
    bare = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in FILES
        for call in calls(path)
        if getattr(call.func, "id", "") == "step" and literal(call) is None
    ]
    assert bare == []
    assert len(names()) > 150


def test_no_two_steps_have_the_same_name():
    assert [name for name, times in Counter(names()).items() if times > 1] == []


def test_no_name_holds_the_place_of_a_module():
    """Neither ``perfkit.`` nor the path of a module or package below it."""
    # pk.awr and its like hand names on, they hold no step
    handed_on = {path.stem for path in PACKAGE.glob("*.pyi")}
    places = {"perfkit", *modules()} - handed_on
    found = [(name, place) for name in names() for place in places if holds(name, place)]
    assert found == []


def holds(name: str, place: str) -> bool:
    """A package's name alone counts as a place only where the name begins with it."""
    return name.startswith(f"{place}.") or ("." in place and f".{place}." in f".{name}.")


def mine(points):
    return points.frame


def other(points):
    return points.frame


def test_a_name_belongs_to_one_function_which_may_be_defined_again():
    step(version=1, name="tests.mine")(mine)
    step(version=2, name="tests.mine")(mine)
    assert REGISTRY["tests.mine"] == 2
    with pytest.raises(ValueError, match=r"'tests\.mine' of .*\.other belongs to .*\.mine"):
        step(version=1, name="tests.mine")(other)


@pytest.mark.parametrize("name", ["peak", "Curve.peak", "curve peak", "curve.", ""])
def test_a_name_is_two_words_at_least(name):
    with pytest.raises(ValueError, match="lower-case words joined by dots"):
        step(version=1, name=name)(mine)


def test_a_name_must_be_given():
    with pytest.raises(TypeError, match="name"):
        step(version=1)(mine)
