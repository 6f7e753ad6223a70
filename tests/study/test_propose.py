"""`perfkit study new`: what a folder of evidence becomes, and that it can be reported on."""

from __future__ import annotations

import shutil

import pytest
from forges import make
from places import ROOT, TESTS
from ruamel.yaml import YAML

from perfkit.analysis.verdicts.criteria_sets import criteria_set
from perfkit.core.errors import StudyError
from perfkit.sources import SOURCES
from perfkit.study.proposals import propose
from perfkit.study.study import open_study

FIO = TESTS / "data" / "fio"
NOTEBOOK_DIR = ROOT / "notebooks"


def proposed(folder):
    return YAML(typ="safe").load(propose(folder).text)


def test_folders_of_one_name_below_two_systems_stay_apart(tmp_path):
    """array-a/mix and array-b/mix are two systems' files: no part of the path is lost."""
    sample = next(FIO.glob("*.json")).read_bytes()
    for system in ("array-a", "array-b"):
        (tmp_path / system / "mix").mkdir(parents=True)
        (tmp_path / system / "mix" / "qd4.json").write_bytes(sample)
    labels = [entry["labels"] for entry in proposed(tmp_path)["evidence"]]
    assert labels == [
        {"system": "array-a", "config": "mix"}, {"system": "array-b", "config": "mix"},
    ]  # fmt: skip


def test_a_pattern_never_takes_files_of_another_kind(tmp_path):
    """Two kinds of .txt in one folder are named one by one, not by *.txt twice."""
    make("ranread-sweep", tmp_path / "here")
    (tmp_path / "here" / "notes.txt").write_text("what was done on Tuesday\n")
    (entry,) = proposed(tmp_path / "here")["evidence"]
    assert entry["kind"] == "ranread"
    assert entry["files"].startswith("PerfToolsRanRead_")
    assert "*" not in entry["files"]


@pytest.mark.parametrize(
    ("sample", "criteria"), [("ranread-sweep", "intersystems-read"), ("genio-ramp", "epic-genio")]
)
def test_a_tool_with_rules_of_its_own_is_judged_by_them(tmp_path, sample, criteria):
    make(sample, tmp_path / "x")
    assert proposed(tmp_path / "x")["criteria"] == [{"set": criteria}]


def test_awr_reports_of_several_systems_over_loads_are_compared(tmp_path):
    """threads in the file names (t008), repeats too: what one asks of them is a comparison."""
    make("slob-awr", tmp_path / "x", options={"points": 2, "repeats": 1})
    study = proposed(tmp_path / "x")
    assert study["notebook"] == "compare"
    entry = study["evidence"][0]
    assert entry["load"]["kind"] == "threads"
    assert entry["labels"] == {"system": "fcp", "config": "select-100"}


def test_a_recording_without_a_report_of_its_own_goes_to_the_general_notebook(tmp_path):
    make("ontap-qos", tmp_path / "x")
    assert proposed(tmp_path / "x")["notebook"] == "general"


def test_what_no_notebook_shows_anything_of_is_left_out_with_the_reason(tmp_path):
    """Policies alone have neither load points nor a series: no empty report is proposed."""
    make("ontap-qos", tmp_path / "x")
    for path in (tmp_path / "x").iterdir():
        if "statistics" in path.name:
            path.unlink()
    with pytest.raises(StudyError, match="neither load points nor a series"):
        propose(tmp_path / "x")


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_what_a_source_proposes_is_there(source):
    """Its notebooks are perfkit's own, and its set of criteria can be loaded."""
    notebooks = {path.stem for path in NOTEBOOK_DIR.glob("*.ipynb")}
    assert {source.notebook, source.notebook_of_loads} <= {"", *notebooks}
    if source.criteria:
        assert criteria_set(source.criteria).criteria


def test_a_slob_run_is_one_piece_of_evidence(tmp_path):
    """Its folder is proposed, not the reports and recordings in it, and the study reads it."""
    run = tmp_path / "array-a" / "run-1"
    run.mkdir(parents=True)
    (run / "slob.conf").write_text("UPDATE_PCT=25\nRUN_TIME=300\n")
    shutil.copyfile(TESTS / "data/host/iostat-12.6.1-xmt.txt", run / "iostat.out")
    (entry,) = proposed(tmp_path)["evidence"]
    assert entry == {"files": "array-a/*", "kind": "slob", "labels": {"system": "array-a"}}
    (tmp_path / "study.yml").write_text(propose(tmp_path).text)
    settings = open_study(tmp_path).read_evidence()["slob_conf"].frame
    assert settings["source"].unique().to_list() == ["array-a/run-1"]


def test_every_proposal_is_a_good_study(tmp_path):
    for sample in ("genio-ramp", "ranread-sweep", "ontap-qos"):
        make(sample, tmp_path / sample)
        (tmp_path / sample / "study.yml").write_text(propose(tmp_path / sample).text)
        assert open_study(tmp_path / sample).model.evidence
