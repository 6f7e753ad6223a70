"""Every step can be done again from its record: what it is given can be recorded, and it has data.

``report/test_replay.py`` does so for what stands in the notebooks; here is every registered step.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from core.test_step_names import FILES, PACKAGE, names
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfkit.analysis.sas.jobs import JobTable
from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.auditing.relations.relation import Relation
from perfkit.core.lineage import FUNCTIONS
from perfkit.core.recorded_arguments import Input, argument_from, arguments_json
from perfkit.exploring import tracing

CELL = str | int | float | bool | None
"""What a cell holds; values for a filter and labels are such."""

Criteria = st.sampled_from([
    Criterion(name="Latency", metric="lat_mean_s", comparison="<", limit="2 ms"),
    Criterion(name="Rate", metric="iops", comparison=">=", limit="100000", where={"system": "a"}),
])  # fmt: skip

TYPES: dict[str, Any] = {
    # data stand in a record by their hash
    "Measured": Input,
    "Verdict": Input,
    "Shown": Input, "Value": Input, "Table": Input,
    "Tables": Input | list[Input] | None,
    "Criterion": Criterion,
    "JobTable": JobTable,
    "Relation": Relation,
    "By": Literal["folder", "day", "log", "all"],
    "Means": Literal["max", "override"],
    "Any": CELL,
    "Sequence": Sequence, "Mapping": Mapping, "Literal": Literal,
}  # fmt: skip
"""What stands for a name in the annotations of steps."""

ANY = {
    "data.filter.equal": "cells",
    "data.join.keys": "cells",
    "data.join.labels": "cells",
    "data.label.labels": "cells",
    "choose.together.tables": "data",
}
"""Arguments of any type, and what they are."""


def modules_with_steps():
    for path in FILES:
        if "@step(" in path.read_text():
            module = path.relative_to(PACKAGE.parent).with_suffix("").parts
            importlib.import_module(".".join(module).removesuffix(".__init__"))


modules_with_steps()
OWN = {name: step for name, step in FUNCTIONS.items() if not name.startswith("tests.")}
PARAMETERS = {
    f"{name}.{parameter.name}": str(parameter.annotation)
    for name, step in OWN.items()
    for parameter in inspect.signature(step).parameters.values()
}


def test_every_step_of_the_package_is_here():
    steps = {name for name in names() if not name.startswith("read.")} - set(tracing._STATED)
    assert steps == set(OWN)
    assert len(OWN) > 120


def test_what_states_something_can_be_asked_again():
    """First steps other than those of readers: a record of each has a function that makes it."""
    assert set(tracing._STATED) <= set(names())


def test_arguments_of_any_type_are_listed():
    assert {name for name, kind in PARAMETERS.items() if "Any" in kind} == set(ANY)


@pytest.mark.parametrize("kind", sorted(set(PARAMETERS.values())))
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_every_argument_of_a_step_can_be_recorded_and_made_again(kind, data):
    """By its annotation: a new type of argument needs a name in records, or is refused."""
    annotation = eval(kind, dict(TYPES))
    value = data.draw(examples(annotation))
    recorded = json.loads(arguments_json({"x": value}, "f"))
    assert argument_from(recorded, Input)["x"] == value


def examples(annotation):
    return st.from_type(annotation).filter(lambda value: value == value)  # noqa: PLR0124 - NaN


st.register_type_strategy(Criterion, Criteria)
st.register_type_strategy(
    JobTable, st.just(JobTable(path="(?P<test>.*)_(?P<stream>.)", systems={"b": "B", "a": "A"}))
)
st.register_type_strategy(Relation, st.just(
    Relation.model_validate({"name": "n", "printed": "t | a", "sum": ["t | b", "t | c"]})
))  # fmt: skip
st.register_type_strategy(float, st.floats(allow_nan=False))

MAY_STATE = {
    "core/lineage.py": "the first step of a reading, and of a stated value",
    "study/demands.py": "the verdict on criteria of a study that its notebook does not judge",
    "reporting/document/appendix.py": "the report's own tables of its evidence",
    "reporting/document/grids.py": "the report's own tables of its verdicts",
}
"""Where a lineage may be written down, and why: elsewhere data would begin without a step."""


def test_data_and_values_do_not_begin_without_a_step():
    found = {path.relative_to(PACKAGE).as_posix() for path in FILES if states(path)}
    assert found == set(MAY_STATE)


def states(path: Path) -> bool:
    """Whether a call in a file says that something is traceable."""
    text = path.read_text()
    if "traceable=True" not in text:
        return False
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return any(
        word.arg == "traceable" and getattr(word.value, "value", None) is True
        for call in calls
        for word in call.keywords
    )
