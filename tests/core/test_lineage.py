"""Frames that know where they come from: the chain of steps, and what it records."""

import copy
import json
import pickle
from dataclasses import dataclass, field, replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from perfkit.core.errors import AnalysisError, ParseError
from perfkit.core.evidence import Evidence, Lineage, Origin, sha256_bytes
from perfkit.core.frame_hash import hash_frame
from perfkit.core.lineage import REGISTRY, Measured, measured, reading, step, untraced
from perfkit.core.recorded_arguments import (
    argument_from,
    arguments_json,
    canonical_json,
    recorded_as,
)

FIO = Evidence("fio", "a.json", "11")


def given_points(name="points"):
    frame = pl.DataFrame({"load": [1.0, 2.0, None], "iops": [10.0, 20.0, 30.0]})
    return reading("tests.read", 1, {name: frame}, FIO)[name]


@step(version=3, name="tests.largest")
def largest(points: Measured, *, column: str = "iops", digits: int = 0) -> pl.DataFrame:
    return points.frame.select(pl.col(column).max().round(digits))


@step(version=1, name="tests.together")
def together(parts: list[Measured] | dict[str, Measured]) -> pl.DataFrame:
    values = parts.values() if isinstance(parts, dict) else parts
    return pl.concat([part.frame for part in values])


def test_a_call_adds_one_step_with_version_arguments_and_hashes():
    points = given_points()
    result = largest(points, digits=1)
    last = result.lineage.steps[-1]
    assert (last.function, last.version) == ("tests.largest", 3)
    assert json.loads(last.arguments) == {
        "points": {"input": points.hash},
        "column": "iops",
        "digits": 1,
    }
    assert last.inputs == (points.hash,)
    assert last.output == result.hash
    assert result.traceable
    assert result.lineage.evidence == (FIO,)
    assert REGISTRY["tests.largest"] == 3


def test_what_is_made_untraced_says_so_for_good():
    """Its numbers and cautions are the same; no hash of it is ever taken for one of content."""
    points, own = given_points(), given_points("own")
    with untraced():
        result, read = largest(points), given_points()
        assert (points.hash, result.hash) == ("", "")
        assert not read.traceable
    assert result.frame.equals(largest(points).frame)
    assert result.lineage.steps[-1].function == "tests.largest"
    assert not result.traceable
    assert not largest(result).traceable
    assert result.hash == hash_frame(result.frame)
    assert points.hash == hash_frame(points.frame)
    assert largest(own).traceable
    with untraced():
        of_traced = largest(own)
    assert own.traceable
    assert not of_traced.traceable


def test_defaults_are_recorded_as_if_they_were_given():
    points = given_points()
    assert largest(points).lineage == largest(points, column="iops", digits=0).lineage


def test_another_argument_is_another_record():
    points = given_points()
    assert largest(points).lineage != largest(points, column="load").lineage


def test_the_output_of_one_step_is_the_input_of_the_next():
    first = largest(given_points())
    second = largest(first)
    steps = second.lineage.steps
    assert steps[-1].inputs == (steps[-2].output,)
    assert [s.function for s in steps] == ["tests.read", "tests.largest", "tests.largest"]


def test_a_bare_frame_is_accepted_and_not_traceable():
    result = largest(pl.DataFrame({"iops": [1.0]}))
    assert result.frame.item() == 1.0
    assert not result.traceable
    assert result.lineage.notes == ("a bare frame: not traceable",)
    assert "not traceable" in repr(result)
    assert "not traceable" in result._repr_html_()
    assert "shape:" not in result._repr_html_()  # the rows are counted above the table


@pytest.mark.parametrize("pack", [list, lambda parts: dict(enumerate(parts))])
def test_data_inside_lists_and_mappings_is_followed(pack):
    other = reading("tests.read", 1, {"b": given_points().frame}, replace(FIO, sha256="22"))["b"]
    result = together(pack([given_points(), other]))
    assert [item.sha256 for item in result.lineage.evidence] == ["11", "22"]
    assert len(result.lineage.steps[-1].inputs) == 2


def test_one_bare_frame_among_measured_ones_breaks_the_chain():
    assert not together([given_points(), given_points().frame]).traceable


@recorded_as("tests.limit")
@dataclass(frozen=True)
class Limit:
    value: float


@recorded_as("tests.choice")
class Choice(BaseModel):
    name: str


@step(version=1, name="tests.above")
def above(points: Measured, limit: Limit, choice: Choice | None = None) -> pl.DataFrame:
    return points.frame.filter(pl.col("iops") > limit.value)


def test_dataclasses_and_models_are_recorded_as_json_from_which_they_can_be_made_again():
    last = above(given_points(), Limit(15.0), Choice(name="x")).lineage.steps[-1]
    recorded = json.loads(last.arguments)
    assert recorded["limit"] == {"$type": "tests.limit", "value": 15.0}
    assert recorded["choice"] == {"$type": "tests.choice", "name": "x"}
    made = argument_from({"limits": [recorded["limit"]], "choice": recorded["choice"]})
    assert made == {"limits": [Limit(15.0)], "choice": Choice(name="x")}


def test_an_argument_that_cannot_be_recorded_is_refused():
    with pytest.raises(
        AnalysisError, match=r"tests\.above: an argument of type object has no JSON"
    ):
        above(given_points(), Limit(1.0), object())


@pytest.mark.parametrize("argument", [{1: "a", 2: ["b"]}, {"$type": "x"}, {"a": {None: 1.5}}, [[]]])
def test_plain_arguments_come_back_as_they_were(argument):
    assert argument_from(json.loads(arguments_json({"x": argument}, "f")))["x"] == argument


def test_an_argument_of_a_type_without_a_name_is_refused():
    @dataclass
    class Unknown:
        value: int

    with pytest.raises(AnalysisError, match=r"tests\.above: .* type Unknown .* @recorded_as"):
        above(given_points(), Unknown(1))


def test_a_recorded_type_has_one_name_and_unknown_names_are_told():
    with pytest.raises(ValueError, match=r"'tests\.limit' of .*:Choice belongs to .*:Limit"):
        recorded_as("tests.limit")(Choice)
    with pytest.raises(AnalysisError, match=r"'tests\.limt'; did you mean 'tests\.limit'"):
        argument_from({"$type": "tests.limt"})


def in_place(change):
    """A change of a frame in place, as a test's parameter."""
    return pytest.param(change, id=change.__name__)


def a_cell(frame):
    frame[0, "iops"] = 3e6


def a_column(frame):
    frame.replace_column(1, frame["iops"] * 3)


def a_series(frame):
    frame["iops"][0] = 3e6


def more_rows(frame):
    frame.extend(frame)


def names(frame):
    frame.columns = ["iops", "load"]


CHANGES = [in_place(change) for change in (a_cell, a_column, a_series, more_rows, names)]


@pytest.mark.parametrize("hashed", [False, True], ids=["before", "after the hash was asked for"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", [given_points, lambda: above(given_points(), Limit(1.0))])
def test_a_change_in_place_is_a_change_of_a_clone(make, change, hashed):
    """What is read, and what a step made, stays as its hash says."""
    data = make()
    before = data.frame.clone()
    digest = data.hash if hashed else hash_frame(before)
    change(data.frame)
    assert data.frame.equals(before)
    assert data.hash == digest == data.lineage.steps[-1].output
    assert data.traceable


@pytest.mark.parametrize("change", CHANGES)
def test_the_frame_that_was_given_may_change_afterwards(change):
    given = given_points().frame
    read = reading("tests.read", 1, {"points": given}, FIO)["points"]
    bare = Measured(given)
    change(given)
    assert read.frame.equals(given_points().frame)
    assert bare.frame.equals(given_points().frame)


def tampered(data):
    return data.frame.with_columns(pl.col("iops") * 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda data: replace(data, frame=tampered(data)),
        lambda data: Measured(tampered(data), data.lineage),
        lambda data: Measured(tampered(data), data.lineage, data.name),
        lambda data: replace(Measured(data.frame, data.lineage), frame=tampered(data)),
        lambda data: replace(given_points("other"), frame=tampered(data), lineage=data.lineage),
        lambda data: replace(data, frame=data.frame.head(2)),
        lambda data: replace(data, frame=data.frame.rename({"iops": "x"})),
    ],
)
def test_another_frame_does_not_take_a_lineage_along(make):
    """Tripled IOPS under the lineage of the measured ones: nothing made of them is traceable."""
    made = make(given_points())
    assert not made.traceable
    assert made.lineage.evidence == ()
    assert made.lineage.notes == ("the frame is not what its last step gave: not traceable",)
    if "iops" in made.frame.columns:
        assert not say(made).lineage.traceable
        assert not made.filter(load=1.0).traceable


def test_the_same_frame_keeps_its_lineage():
    data = given_points()
    for same in (
        replace(data, name="x"), replace(data, frame=data.frame), data.named("x"),
        Measured(data.frame, data.lineage), Measured(data.frame.rechunk(), data.lineage, "x"),
    ):  # fmt: skip
        assert same.lineage == data.lineage
        assert same.hash == data.hash
        assert same.traceable


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_is_the_same(again):
    """Also one that goes to another process."""
    for data in (given_points(), given_points().named("x"), above(given_points(), Limit(15.0))):
        same = again(data)
        assert (same.lineage, same.hash, same.name) == (data.lineage, data.hash, data.name)
        same.frame[0, "iops"] = 3e6
        assert same.frame.equals(data.frame)


def test_a_step_that_was_done_before_stands_last_again():
    """There and back and there: the last step is the one that made the frame."""
    data = given_points()
    for column in ("x", "iops", "x"):
        data = renamed(data, last=column)
    assert [step.arguments.count('"x"') for step in data.lineage.steps] == [0, 1, 0, 1]
    assert Measured(data.frame, data.lineage).traceable


@step(version=1, name="tests.renamed")
def renamed(data: Measured, last: str) -> pl.DataFrame:
    return data.frame.rename({data.frame.columns[-1]: last})


def test_a_table_that_nobody_uses_is_not_hashed(monkeypatch):
    """Nor one of generated evidence, nor one that is only narrowed or named."""
    monkeypatch.setattr("perfkit.core.lineage.hash_frame", lambda _: 1 / 0)
    found = reading("tests.read", 1, {"points": given_points().frame}, FIO)
    generated = found.of_origin(Origin("generated", "a test"))
    assert len(generated.points.named("x")) == 3
    with pytest.raises(ZeroDivisionError):
        _ = generated.points.lineage


def test_what_a_filter_leaves_no_row_of_is_set_aside():
    """It is not evidence of what is left, and the chain can still be run again."""
    both = pl.DataFrame({"source": ["a.json", "b.json"], "iops": [1.0, 2.0]})
    parts = [
        reading("tests.read", 1, {"p": both.filter(source=path)}, replace(FIO, path=path))["p"]
        for path in ("a.json", "b.json")
    ]
    one = together(parts).filter(source="a.json")
    assert [item.path for item in one.lineage.evidence] == ["a.json"]
    assert [item.path for item in one.lineage.set_aside] == ["b.json"]
    again = together([one, parts[1]]).lineage
    assert [item.path for item in again.evidence] == ["a.json", "b.json"]
    assert again.set_aside == ()


@dataclass(frozen=True)
class Said:
    text: str
    lineage: Lineage = field(default_factory=Lineage)
    cautions: tuple | None = None

    def content_hash(self) -> str:
        return sha256_bytes(self.text.encode())


@step(version=1, name="tests.say")
def say(points: Measured) -> Said:
    return Said(f"{points.frame['iops'].max():g} IOPS")


def test_a_value_that_is_shown_gets_its_lineage():
    said = say(given_points())
    assert said.text == "30 IOPS"
    assert said.lineage.traceable
    assert said.lineage.steps[-1].output == said.content_hash()


def test_filter_keeps_the_chain_and_finds_missing_values():
    points = given_points()
    found = points.filter(load=None)
    assert found.frame["iops"].to_list() == [30.0]
    assert found.name == "points"
    assert found.lineage.steps[-1].function == "data.filter"
    with pytest.raises(AnalysisError, match="points: no column 'iopss'; did you mean 'iops'"):
        points.filter(iopss=1)


def test_measured_leaves_measured_alone():
    points = given_points()
    assert measured(points) is points
    assert len(points) == 3
    assert points.to_pandas()["iops"].tolist() == [10.0, 20.0, 30.0]


def test_a_reading_gives_its_tables_by_name_and_by_attribute():
    found = reading("tests.read", 1, {"points": pl.DataFrame({"x": [1]})}, FIO)
    assert found["points"] is found.points
    assert list(found) == ["points"]
    assert len(found) == 1
    assert "points" in found
    assert "points" in dir(found)
    assert "1 rows" in repr(found)


def test_a_table_that_is_not_there_is_named_with_the_likely_one():
    found = reading("tests.read", 1, {"points": pl.DataFrame({"x": [1]})}, FIO)
    with pytest.raises(ParseError, match=r"a\.json: no table 'point'; did you mean 'points'"):
        found["point"]
    with pytest.raises(AttributeError, match="fio reading has no table 'point'"):
        _ = found.point


def test_a_reading_is_the_first_step_of_each_of_its_tables():
    table = reading("tests.read", 2, {"p": pl.DataFrame({"x": [1]})}, FIO, {"labels": {"a": 1}})[
        "p"
    ]
    (first,) = table.lineage.steps
    assert (first.function, first.version, first.inputs) == ("tests.read", 2, ("11",))
    assert first.arguments == '{"labels":{"a":1},"table":"p"}'
    assert first.output == table.hash


@given(st.dictionaries(st.text(), st.integers() | st.none() | st.text(), max_size=5))
def test_canonical_json_does_not_see_the_order_of_keys(record):
    backwards = dict(reversed(list(record.items())))
    assert canonical_json(record) == canonical_json(backwards)
    assert json.loads(canonical_json(record)) == record


def test_a_reading_can_be_narrowed_to_one_source():
    """`where` filters the tables that have the column; a value that is nowhere is told."""
    evidence = Evidence("study", "study.yml", "0" * 64)
    frames = {
        "report": pl.DataFrame({"source": ["a.html", "b.html"], "n": [1, 2]}),
        "plain": pl.DataFrame({"n": [3]}),
    }
    whole = reading("read_x", 1, frames, evidence)
    one = whole.where(source="b.html")
    assert one.report.frame["n"].to_list() == [2]
    assert one.report.lineage.steps[-1].function == "data.filter"
    assert one.plain.frame["n"].to_list() == [3]
    assert whole.where(source=None).report.frame.height == 2
    with pytest.raises(ParseError, match=r"no rows of source 'b\.htm'; did you mean 'b\.html'"):
        whole.where(source="b.htm")
