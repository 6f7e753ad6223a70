"""What a notebook cell yields: ids, records, printed numbers, and a display that hides nothing."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace

import pytest

from perfkit.core.cautions import caution
from perfkit.core.errors import ReportError
from perfkit.core.evidence import Evidence, Lineage, Step
from perfkit.core.units import Format
from perfkit.core.values import (
    MIME,
    PLOTLY_CONFIG,
    PLOTLY_MIME,
    WORDS_MIME,
    Column,
    Figure,
    Statement,
    Table,
    escape_markdown,
    say,
)
from perfkit.core.verdict import Judgement, Verdict

TRACED = Lineage((Evidence("kind", "file.json", "00"),), traceable=True)
IOPS = Format("IOPS", decimals=0)


def table(**given):
    usual = {
        "id": "t",
        "columns": (Column("name", "Name"), Column("iops", "IOPS", IOPS)),
        "rows": (("a <b>", 1234.5), ("b", None), ("c", "not reached")),
        "caption": "C & D.",
    }
    return Table(**{**usual, **given})


def judgement(outcome):
    return Judgement("c", "s", "r < 1", None, outcome)


@pytest.mark.parametrize("wrong", ["", "Peak", "1st", "peak_iops", "a b", "ä"])
def test_an_id_is_lower_case_words_with_hyphens(wrong):
    with pytest.raises(ReportError, match="lower-case"):
        say(wrong, "Nothing.")


def test_a_sentence_prints_and_keeps_its_numbers():
    said = say("s", "{name} gave {x}.", name="A400", x=IOPS.show(1234.5))
    assert said.text == "A400 gave 1,234 IOPS."
    assert [item.record() for item in said.printed] == [
        {"text": "1,234 IOPS", "value": 1234.5, "unit": "IOPS", "rounding": "0 decimals"}
    ]


def test_a_number_typed_into_a_sentence_is_refused():
    with pytest.raises(ReportError, match="a number is typed into the sentence"):
        say("s", "{name} gave 5 IOPS.", name="x")


def test_markdown_in_a_statement_is_shown_as_it_is():
    shown = Statement("s", "a*b_c <x> $y$ #z", lineage=TRACED)._repr_mimebundle_()
    assert shown["text/markdown"] == r"a\*b\_c \<x\> \$y\$ \#z"
    assert shown["text/plain"] == "a*b_c <x> $y$ #z"
    assert escape_markdown("plain words") == "plain words"


def test_what_cannot_be_traced_says_so_wherever_it_shows():
    assert "(not traceable)" in say("s", "Words.")._repr_mimebundle_()["text/plain"]
    traced = Statement("s", "Words.", lineage=TRACED)
    assert "(not traceable)" not in traced._repr_mimebundle_()["text/plain"]


def test_a_table_prints_numbers_words_and_missing_values_apart():
    content = table().content()
    assert content["rows"] == [["a <b>", "1,234"], ["b", "–"], ["c", "not reached"]]
    assert content["values"] == [[None, 1234.5], [None, None], [None, None]]
    assert [column["align"] for column in content["columns"]] == ["left", "right"]


def test_a_table_in_html_has_its_header_scope_and_no_markup_of_its_cells():
    shown = table(footer_rows=1, note="n < m")._repr_html_()
    assert '<th scope="col" style="text-align:right">IOPS</th>' in shown
    assert "a &lt;b&gt;" in shown
    assert "<caption>C &amp; D (not traceable).</caption>" in shown
    assert shown.count('<tr class="footer">') == 1
    assert "n &lt; m" in shown


def test_a_row_that_does_not_fit_its_columns_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        table(rows=(("a",),)).cells()


def test_a_figure_travels_as_its_record_and_as_an_interactive_chart():
    import plotly.graph_objects as go

    figure = Figure("f", go.Figure(go.Scatter(x=[1, 2], y=[3, 4])), "C.", "Alt.", lineage=TRACED)
    bundle = figure._repr_mimebundle_()
    assert bundle[PLOTLY_MIME]["data"][0]["y"] == [3, 4]
    assert bundle[PLOTLY_MIME]["config"] == PLOTLY_CONFIG
    assert PLOTLY_CONFIG["showSendToCloud"] is False
    assert "plotly" not in bundle[MIME["figure"]]
    assert bundle[MIME["figure"]]["alt"] == "Alt."
    assert figure.record()["plotly"]["data"][0]["x"] == [1, 2]
    json.dumps(figure.record(), allow_nan=False)


def displayed(value, monkeypatch):
    """What IPython shows of a value below a cell: the bundles that it publishes."""
    from IPython.core import displaypub
    from IPython.core.interactiveshell import InteractiveShell

    shown = []
    monkeypatch.setattr(
        displaypub.DisplayPublisher, "publish", lambda _, data, *__, **___: shown.append(data)
    )
    InteractiveShell.instance().display_formatter.format(value)
    InteractiveShell.clear_instance()
    return shown


def test_below_a_chart_stand_its_words_with_origin_and_cautions(monkeypatch):
    """JupyterLab shows the chart alone of an output, so that its words are an output of their own.

    A report knows them by their type, and has the words from the figure.
    """
    import plotly.graph_objects as go

    told = (caution("busy_host", share="85%"),)
    figure = Figure("f", go.Figure(), "IOPS_a.", "Alt.", cautions=told)
    chart, words = displayed(figure, monkeypatch)
    assert chart == figure._repr_mimebundle_()
    said = "IOPS_a (not traceable). Caution: the host was 85% busy before the run."
    assert words == {
        WORDS_MIME: {"id": "f"}, "text/plain": said, "text/markdown": escape_markdown(said),
    }  # fmt: skip
    assert chart["text/plain"] == f"Figure f: {said}"


def test_every_kind_of_value_shows_its_cautions_in_jupyterlab():
    told = (caution("busy_host", share="85%"),)
    words = "Caution: the host was 85% busy before the run."
    form = {"html": lambda value: value._repr_mimebundle_()["text/html"],
            "markdown": lambda value: value._repr_mimebundle_()["text/markdown"]}  # fmt: skip
    assert words in form["html"](table(cautions=told))
    for value in (Statement("s", "A.", cautions=told), Verdict("v", (), cautions=told)):
        assert escape_markdown(words) in form["markdown"](value)


def test_the_hash_is_of_what_is_shown_not_of_the_lineage():
    one, other = table(), table(lineage=TRACED)
    assert one.content_hash() == other.content_hash() == one.record()["sha256"]
    assert table(caption="Other.").content_hash() != one.content_hash()


def made(value):
    """The value as a step gives it."""
    done = Step("tests.made", 1, "{}", ("00",), value.content_hash())
    return replace(value, lineage=TRACED.then(done))


def chart():
    import plotly.graph_objects as go

    return made(Figure("f", go.Figure(go.Scatter(x=[1, 2], y=[3, 4])), "C.", "Alt."))


def sentence():
    return made(say("s", "{x} were measured.", x=IOPS.show(1234.5)))


def verdict():
    return made(Verdict("v", (judgement("fail"),)))


def in_place(change):
    figure = chart()
    change(figure.plotly)
    return figure


TRIPLED = {
    "rows": lambda: replace(made(table()), rows=(("a", 3703.5),)),
    "columns": lambda: replace(made(table()), columns=(Column("n", "N"), Column("i", "GB", IOPS))),
    "caption": lambda: replace(made(table()), caption="Tripled."),
    "footer": lambda: replace(made(table()), footer_rows=1),
    "note": lambda: replace(made(table()), note="Tripled."),
    "cautions": lambda: replace(made(table()), cautions=(caution("one_client", of="Z"),)),
    "text": lambda: replace(sentence(), text="3,703 IOPS were measured."),
    "printed": lambda: replace(sentence(), printed=(IOPS.show(3703.5),)),
    "outcome": lambda: replace(verdict(), judgements=(judgement("pass"),)),
    "chart": lambda: replace(chart(), plotly={"data": [{"x": [1, 2], "y": [9, 12]}], "layout": {}}),
    "alt": lambda: replace(chart(), alt="Tripled."),
    "a trace in place": lambda: in_place(lambda plotly: plotly.update_traces(y=[9, 12])),
    "a point in place": lambda: in_place(lambda plotly: plotly.data[0].update(y=[3, 12])),
    "an axis in place": lambda: in_place(lambda p: p.update_yaxes(title="thousands")),
    "one more in place": lambda: in_place(lambda p: p.add_scatter(x=[1], y=[9])),
    "another's lineage": lambda: replace(made(table(rows=())), lineage=made(table()).lineage),
    "renamed afterwards": lambda: replace(sentence(), text="Tripled.").renamed("u"),
}


@pytest.mark.parametrize("change", TRIPLED.values(), ids=TRIPLED)
def test_a_value_with_other_content_does_not_keep_its_lineage(change):
    """Tripled IOPS under the lineage of the measured ones: it prints as not traceable."""
    value = change()
    assert not value.lineage.traceable
    assert value.lineage.evidence == ()
    assert value.lineage.notes == (f"the {value.kind} is not what its last step gave: "
                                   "not traceable",)  # fmt: skip
    shown = value._repr_mimebundle_()
    assert "(not traceable)" in shown["text/plain"]
    record = shown[MIME[value.kind]]
    assert record["lineage"]["traceable"] is False
    assert record["lineage"]["evidence"] == record["lineage"]["steps"] == []


@pytest.mark.parametrize("make", [lambda: made(table()), sentence, verdict, chart])
@pytest.mark.parametrize(
    "again",
    [
        lambda value: value, lambda value: value.renamed("u"), copy.copy, copy.deepcopy,
        lambda value: pickle.loads(pickle.dumps(value)),
        lambda value: replace(value, cautions=value.cautions),
    ],
)  # fmt: skip
def test_a_value_of_the_same_content_keeps_its_lineage(make, again):
    value = again(make())
    assert value.lineage.traceable
    assert value.lineage.steps[-1].function == "tests.made"
    record = value._repr_mimebundle_()[MIME[value.kind]]
    assert record["lineage"] == value.lineage.record()
    assert record["sha256"] == value.lineage.steps[-1].output


def test_a_chart_that_is_changed_back_is_the_one_that_was_made():
    figure = in_place(lambda plotly: plotly.update_traces(y=[9, 12]))
    assert not figure.lineage.traceable
    figure.plotly.update_traces(y=[3, 4])
    assert figure.lineage.traceable


def test_a_lineage_without_steps_is_what_its_maker_states():
    assert table(lineage=TRACED).lineage == TRACED
    assert table().lineage == Lineage()


def test_a_renamed_value_is_the_same_under_another_id():
    assert table().renamed("u").id == "u"
    assert table().renamed("u").content_hash() == table().content_hash()


@pytest.mark.parametrize(
    ("outcomes", "outcome", "headline"),
    [
        (["pass", "pass"], "pass", "CRITERIA MET 2 of 2"),
        (["pass", "fail", "not judged"], "fail", "CRITERIA NOT MET: PASSED 1 of 3"),
        (["pass", "not judged"], "not judged", "NOT FULLY JUDGED: PASSED 1 of 2"),
        ([], "not judged", "NO CRITERIA"),
    ],
)
def test_one_failure_fails_and_one_unjudged_is_never_a_pass(outcomes, outcome, headline):
    verdict = Verdict("v", tuple(judgement(item) for item in outcomes))
    assert (verdict.outcome, verdict.headline()) == (outcome, headline)


def test_a_verdict_shows_every_judgement_with_its_reason():
    item = Judgement("Latency", "s", "p99 < 1 ms", None, "not judged", "p99 is missing")
    bundle = Verdict("v", (item,), TRACED)._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[1] == (
        "not judged: Latency p99 < 1 ms (p99 is missing)"
    )
    assert bundle[MIME["verdict"]]["judgements"][0]["outcome"] == "not judged"
