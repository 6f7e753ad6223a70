"""What the evidence cannot answer is a value that goes through the public verbs."""

from __future__ import annotations

import polars as pl
import pytest

import perfkit as pk
from perfkit.core.errors import AbsentError, AnalysisError, ParseError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Measured, Reading, measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.unanswered import UNANSWERED_MIME, Unanswered, answering
from perfkit.core.values import Column, Figure, Statement, Table
from perfkit.showing.display import MOST_HISTORIES, show, show_each

LACKING = Unanswered("the evidence has no load points")
EVIDENCE = Evidence("study", "study.yml", "00")


def table(*workloads):
    return measured(pl.DataFrame({"workload": list(workloads)}), "points")


@pytest.fixture
def shown(monkeypatch):
    found = []
    monkeypatch.setattr("IPython.display.display", lambda *values: found.extend(values))
    return found


@pytest.mark.parametrize(
    "arguments",
    [((LACKING,), {}), ((1, LACKING), {}), ((), {"points": LACKING}), (([1, LACKING],), {}),
     (((LACKING,),), {}), (({"points": LACKING},), {})],
)  # fmt: skip
def test_a_verb_that_is_given_it_returns_it_and_is_not_called(arguments):
    called = []
    given, named = arguments
    assert answering(lambda *_, **__: called.append(1))(*given, **named) is LACKING
    assert not called


def test_a_verb_whose_data_lack_what_it_needs_gives_the_reason():
    def lacks():
        raise AbsentError("load_profile: the report has nothing of it")

    assert answering(lacks)() == Unanswered("load profile: the report has nothing of it")


@pytest.mark.parametrize("error", [AnalysisError, ParseError, ValueError])
def test_every_other_error_stays_one(error):
    def broken():
        raise error("x", "y") if error is ParseError else error("a fault")

    with pytest.raises(error):
        answering(broken)()


def test_it_goes_through_a_chain_of_public_verbs():
    curve = pk.latency_curve(LACKING)
    assert pk.plot_latency_curve(curve, bands=True) is LACKING
    assert pk.say(pk.peak(LACKING)) is LACKING
    assert pk.table_scaling(pk.usl(curve)) is LACKING


def test_inside_the_package_verbs_raise():
    """Only what a user calls gives a value instead of the error."""
    from perfkit.showing.tables.compare import table_conditions

    empty = measured(pl.DataFrame(schema=polars_schema(LOAD_POINTS)), "load_points")
    with pytest.raises(AbsentError, match="no rows"):
        table_conditions(empty)
    assert pk.table_conditions(empty) == Unanswered("load points: no rows, so no conditions")


def test_a_table_that_is_not_there_is_unanswered_and_a_misspelt_one_is_an_error():
    reading = Reading({"load_points": table("a")}, EVIDENCE)
    assert reading.table("load_points") is reading["load_points"]
    assert reading.table("host") == Unanswered("the evidence has no host")
    assert Reading({}, EVIDENCE).table("load_points") == LACKING
    with pytest.raises(ParseError, match="did you mean 'load_points'"):
        reading.table("load_pionts")


def test_under_another_id_or_caption_it_stays_itself():
    assert LACKING.renamed("x") is LACKING
    assert LACKING.captioned("Mine.") is LACKING


def test_it_is_false_and_shows_a_quiet_sentence():
    bundle = LACKING._repr_mimebundle_()
    assert not LACKING
    assert bundle["text/plain"] == "Not shown: the evidence has no load points."
    assert bundle["text/markdown"] == "*Not shown: the evidence has no load points.*"
    assert bundle[UNANSWERED_MIME] == {
        "reason": "the evidence has no load points", "of": None, "text": bundle["text/plain"],
    }  # fmt: skip


def test_markdown_in_a_reason_is_shown_as_it_is():
    text = Unanswered("no *host* <b>")._repr_mimebundle_()["text/markdown"]
    assert text == r"*Not shown: no \*host\* \<b\>.*"


def test_show_takes_it_as_a_value_among_others(shown):
    show([1, 2], LACKING, [])
    assert shown == [1, 2, LACKING]


def test_show_of_nothing_shows_the_reason_where_one_is_given(shown):
    show([], [])
    assert shown == []
    show([], otherwise="the study describes no system")
    show([3], otherwise="the study describes no system")
    assert shown == [Unanswered("the study describes no system"), 3]


def test_show_each_shows_it_once_and_makes_nothing(shown):
    show_each(lambda _: 1 / 0, LACKING, by="workload")
    show_each(lambda _: 1 / 0, Reading({}, EVIDENCE), "load_points", by="report")
    assert shown == [LACKING, LACKING]


def test_what_one_of_several_lacks_is_told_with_its_name(shown):
    def make(data):
        if data.frame["workload"][0] == "b":
            raise AbsentError("no percentile is known")
        return Statement("words", "A sentence.", cautions=())

    show_each(make, table("a", "b"), by="workload")
    assert shown[0].text == "a: A sentence."
    assert shown[1] == Unanswered("no percentile is known", of="b")
    assert shown[1].text == "b: Not shown: no percentile is known."


def test_a_reason_that_several_have_stands_once_with_their_names(shown):
    """A line for each of 14 workloads without a grid stood around the charts of those with one."""

    def make(data, having=("b",)):
        name = data.frame["workload"][0]
        if name not in having:
            raise AbsentError("no grid was measured")
        return Statement("words", "A sentence.", cautions=())

    show_each(make, table(*"abcdef"), by="workload")
    assert [item.text for item in shown] == [
        "a; c; d and 2 more: Not shown: no grid was measured.", "b: A sentence.",
    ]  # fmt: skip
    shown.clear()
    show_each(make, table("a", "c"), by="workload")
    assert [item.text for item in shown] == ["Not shown: no grid was measured."]


def histories(count):
    return Measured(pl.DataFrame({"history": [f"db{n}" for n in range(count)]}))


def test_each_history_is_shown_with_its_own_rows_of_every_frame(shown):
    """What has no such column, and None, are handed on as they are."""

    def make(data, periods, changes, none):
        told = f"{len(data)} {periods.frame['history'].to_list()} {len(changes)} {none}"
        return Statement("words", told, cautions=())

    changes = Measured(pl.DataFrame({"question": ["series_change"] * 3}))
    show_each(make, histories(2), histories(4), changes, None, by="history")
    assert [item.text for item in shown] == ["db0: 1 ['db0'] 3 None", "db1: 1 ['db1'] 3 None"]
    assert [item.id for item in shown] == ["words-1", "words-2"]


def test_of_more_parts_than_there_is_room_for_tables_are_attached_and_charts_told(shown):
    """Two databases, and room for one; a chart that is not there has its line once."""
    row = Column("x", "X")

    def both(data):
        name = data.frame["history"][0]
        if name == "db1":
            return Figure("chart", {}, "A chart.", "A chart.", cautions=())
        return Table("rows", (row,), ({"x": 1},), "Rows.", cautions=())

    show_each(both, histories(2), by="history", room=2)
    assert [(item.id, getattr(item, "detail", None)) for item in shown] == [
        ("rows-1", False), ("chart-2", None),
    ]  # fmt: skip
    shown.clear()
    show_each(both, histories(2), by="history", room=1)
    table, told = shown
    assert [table.id, table.detail] == ["rows-1", True]
    assert told.reason.startswith("there is no room for 2 such charts; perfkit report of the files")


def test_more_histories_than_a_report_has_room_for_are_told(shown):
    show_each(lambda _: 1 / 0, histories(MOST_HISTORIES + 1), by="history")
    (told,) = shown
    assert "7 databases and instances are too many to show each" in told.reason
