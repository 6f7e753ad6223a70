"""What the cover says of verdicts, and that no criterion of a study is passed over."""

from __future__ import annotations

import shutil

import nbformat
import polars as pl
import pytest
from places import TESTS

from perfkit.analysis.verdicts.criteria import Criterion
from perfkit.analysis.verdicts.judge import judge
from perfkit.cli.app import run
from perfkit.core.errors import StudyError
from perfkit.core.evidence import Evidence, Lineage, Origin, Step
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.verdict import Judgement, Verdict, outcome_of, verdicts
from perfkit.reporting.build import NOT_JUDGED, complete
from perfkit.reporting.document.cover import cover_verdict
from perfkit.reporting.document.grids import verdict_table
from perfkit.reporting.document.records import VerdictRecord, read_record
from perfkit.scheduling.making import made_outcome
from perfkit.study.demands import UNJUDGED
from perfkit.study.opening import open_study

FIO = TESTS / "data/fio/rw75_jsonplus.json"


def judged(*outcomes, rule="r < 1", **more):
    return [Judgement("c", f"s{n}", rule, None, word, **more) for n, word in enumerate(outcomes)]


def on_cover(judgements):
    verdict = Verdict("v", tuple(judgements), Lineage(traceable=True))
    return cover_verdict(read_record(VerdictRecord, verdict.record(), verdict.lineage), {})


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [(("pass", "pass"), "pass"), (("pass", "not judged"), "not judged"),
     (("not judged", "fail", "pass"), "fail"), (("fail", "not judged"), "fail"),
     (("not judged", "not judged"), "not judged")],
)  # fmt: skip
def test_a_rule_on_the_cover_has_its_gravest_outcome(outcomes, word):
    """Fail before not judged before pass, whatever stands first, and so has the badge."""
    shown = on_cover(judged(*outcomes))
    assert [line.outcome for line in shown.rules] == [word]
    assert shown.outcome == word


def test_the_outcome_of_a_report_is_that_of_its_gravest_verdict():
    def node(*words):
        shown = [Verdict(f"v{n}", tuple(judged(word))) for n, word in enumerate(words)]
        cell = nbformat.v4.new_code_cell("", outputs=[
            nbformat.v4.new_output("display_data", v._repr_mimebundle_()) for v in shown
        ])  # fmt: skip
        return nbformat.v4.new_notebook(cells=[cell])

    assert outcome_of(node("not judged", "fail", "pass")) == "fail"
    assert outcome_of(node("pass", "not judged")) == "not judged"
    assert outcome_of(node("pass", "pass")) == "pass"
    assert outcome_of(node()) is None


def points(**configs):
    rows = [
        {"workload": "w", "load_kind": "iodepth", "load": 1.0, "direction": "total", "repeat": r,
         "config": config, "iops": x}
        for config, values in configs.items() for r, x in enumerate(values, 1)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS))


RATE = Criterion(name="Rate", metric="iops", comparison=">=", limit="100k")


def test_a_verdict_that_its_repeats_do_not_support_says_so_on_the_cover():
    verdict = judge(points(a=(90e3, 90e3, 130e3)), [RATE])
    shown = on_cover(verdict.judgements)
    assert shown.headline == "CRITERIA MET 1 of 1, 1 NOT SUPPORTED BY ITS REPEATS"
    (line,) = shown.rules
    assert line.outcome == "pass"
    assert "2 of 3 repeats of a, w, iodepth 1 lie on the other side of the limit" in line.rule


def test_what_is_meant_to_fail_does_not_turn_the_cover_red_and_the_protected_does():
    meant = [{"where": {"config": "bully"}, "reason": "nothing holds it back"}]
    rule = RATE.model_copy(update={"meant_to_fail": Criterion(
        **{**RATE.model_dump(), "meant_to_fail": meant}).meant_to_fail})  # fmt: skip
    shown = on_cover(judge(points(bully=(1e3,), kept=(200e3,)), [rule]).judgements)
    assert (shown.outcome, shown.headline) == ("pass", "CRITERIA MET 1 of 1")
    assert [(line.outcome, line.rule) for line in shown.rules] == [
        ("pass", "Rate: IOPS ≥ 100,000, mean over repeats"),
        ("meant to fail", "bully (nothing holds it back): failed 1 of 1"),
    ]
    shown = on_cover(judge(points(bully=(1e3,), kept=(20e3,)), [rule]).judgements)
    assert shown.outcome == "fail"
    verdict = judge(points(bully=(1e3,), kept=(20e3,)), [rule])
    table = verdict_table(read_record(VerdictRecord, verdict.record(), verdict.lineage))
    assert table.outcomes == ["meant to fail", "fail"]
    assert table.rows[0][4] == "fail, meant to fail (nothing holds it back)"


def test_the_badge_says_computed_from_printed_figures():
    printed = Evidence("genio", "x", "0", origin=Origin("printed", "TR-1, Table 4"))
    done = Step("verdict.criteria", 1, "{}", (), "0")
    verdict = judge(points(a=(200e3,)), [RATE])
    lineage = Lineage((printed,), (done,), traceable=True)
    shown = cover_verdict(read_record(VerdictRecord, verdict.record(), lineage), {})
    assert shown.headline == "CRITERIA MET 1 of 1"
    assert shown.mark == "Computed from figures printed in TR-1, Table 4."


STUDY = """report: {title: T}
notebook: mine.ipynb
evidence:
  - files: '*.json'
criteria:
  - {name: Fast, metric: lat_mean_s, comparison: '<', limit: 1 us, at: every load}
  - {name: Slow, metric: lat_mean_s, comparison: '<', limit: 9 s, at: every load}
"""


@pytest.fixture
def folder(tmp_path):
    shutil.copy(FIO, tmp_path / "x.json")
    (tmp_path / "study.yml").write_text(STUDY)
    return tmp_path


def notebook(*codes):
    cells = [nbformat.v4.new_markdown_cell("# One"), nbformat.v4.new_markdown_cell("# Two")]
    made = nbformat.v4.new_notebook(cells=[*cells, *map(nbformat.v4.new_code_cell, codes)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def with_verdict(verdict):
    node = notebook("")
    shown = nbformat.v4.new_output("display_data", verdict._repr_mimebundle_())
    node.cells[-1].outputs = [shown]
    return node


def test_criteria_that_a_notebook_passes_over_are_named_as_not_judged(folder):
    study = open_study(folder)
    node = complete(notebook("1 + 1"), study, "compare")
    (record,) = verdicts(node)
    assert (record["id"], record["outcome"]) == (UNJUDGED, "not judged")
    assert [item["criterion"] for item in record["judgements"]] == ["Fast", "Slow"]
    assert record["judgements"][0]["reason"] == "the notebook compare does not judge it"
    assert node.cells[-2].source == f"# {NOT_JUDGED}"
    assert outcome_of(node) == "not judged"


def test_only_what_is_left_over_is_named(folder):
    study = open_study(folder)
    points_ = study.read_evidence().load_points
    whole = with_verdict(judge(points_, study.criteria))
    assert len(list(verdicts(complete(whole, study, "n")))) == 1
    part = complete(with_verdict(judge(points_, study.criteria[1:])), study, "n")
    assert [[j["criterion"] for j in v["judgements"]] for v in verdicts(part)][1:] == [["Fast"]]
    changed = [item.model_copy(update={"limit": "8 s"}) for item in study.criteria]
    assert len(list(verdicts(complete(with_verdict(judge(points_, changed)), study, "n")))) == 2


def test_a_subject_that_is_meant_to_fail_must_be_judged(folder):
    text = STUDY + "meant_to_fail:\n  - {where: {workload: %s}, reason: made so}\n"
    name = open_study(folder).read_evidence().load_points.frame["workload"][0]
    for asked, sound in ((name, True), (f"{name}x", False)):
        (folder / "study.yml").write_text(text % asked)
        study = open_study(folder)
        node = with_verdict(judge(study.read_evidence().load_points, study.criteria))
        if sound:
            complete(node, study, "n")
            assert {j["meant_to_fail"] for v in verdicts(node) for j in v["judgements"]} == {
                "made so"
            }
        else:
            with pytest.raises(StudyError, match=rf"study.yml:9: meant_to_fail\[0\].*{name}"):
                complete(node, study, "n")


@pytest.mark.parametrize(
    ("more", "words"),
    [("meant_to_fail: [{where: {}, reason: x}]\n", "at least 1"),
     ("meant_to_fail: [{where: {server: x}, reason: x}]\n", "meant_to_fail"),
     ("meant_to_fail: [{where: {host: x}}]\n", "reason: is missing")],
)  # fmt: skip
def test_a_meaning_without_labels_or_reason_is_refused_with_its_line(folder, more, words):
    (folder / "study.yml").write_text(STUDY + more)
    with pytest.raises(StudyError, match=words) as told:
        open_study(folder)
    assert told.value.line == 8


@pytest.mark.slow
def test_a_study_whose_notebook_judges_nothing_is_exit_code_3(folder, capsys):
    """Its criteria stand on the cover as not judged, in the notebook, and for the schedule."""
    node = notebook("import perfkit as pk\nstudy = pk.open_study(study)\nstudy.front()")
    parameter = nbformat.v4.new_code_cell('study = "study.yml"')
    parameter.metadata.tags = ["parameters"]
    node.cells.insert(0, parameter)
    nbformat.write(node, folder / "mine.ipynb")
    out = folder / "out"
    assert run(["report", str(folder), "-o", str(out)]) == 3
    said = "criteria not fully judged; the report says which (exit code 3)"
    assert said in capsys.readouterr().err
    page = next(out.glob("*.html")).read_text()
    assert "NOT FULLY JUDGED: PASSED 0 of 2" in page
    assert "the notebook mine does not judge it" in page
    assert made_outcome(out) == "not judged"
    (folder / "alone.ipynb").write_text((folder / "mine.ipynb").read_text())
    assert run(["report", str(folder / "alone.ipynb"), "-o", str(folder / "b")]) == 3
