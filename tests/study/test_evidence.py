"""Evidence files with a study's labels: keys stay with their numbers when files are joined."""

from __future__ import annotations

import shutil

import pytest
from places import TESTS

from perfkit.analysis.curves.curves import latency_curve
from perfkit.core.errors import StudyError
from perfkit.study.opening import open_study

SAMPLES = TESTS / "data/fio"
HEAD = "report: {title: Files}\nevidence:\n"


@pytest.fixture
def study(tmp_path):
    def write(evidence, **files):
        for name, sample in files.items():
            target = tmp_path / f"{name}.json"
            shutil.copy(SAMPLES / sample, target)
        (tmp_path / "study.yml").write_text(HEAD + evidence)
        return open_study(tmp_path)

    return write


def test_labels_and_load_come_from_the_study_and_the_name(study):
    """System and config as columns in every table; load and repeat from the file's name."""
    reading = study(
        "  - files: '*.json'\n    labels: {system: A, config: FC}\n"
        "    load: {kind: threads, name: 'qd(\\d+)'}\n    repeat: '_r(\\d+)'\n",
        qd8_r1="rw75_jsonplus.json", qd8_r2="rw75_jsonplus.json",
    ).read_evidence()  # fmt: skip
    points = reading.load_points.frame
    assert set(points["system"]) == {"A"}
    assert set(points["config"]) == {"FC"}
    assert set(points["load_kind"]) == {"threads"}
    assert sorted(set(points["repeat"])) == [1, 2]
    assert set(points["load"]) == {8.0}
    assert set(reading.histogram.frame["repeat"]) == {1, 2}
    assert set(points["source"]) == {"qd8_r1.json", "qd8_r2.json"}
    assert reading.load_points.traceable
    curve = latency_curve(reading.load_points, reading.histogram).frame
    assert curve["repeats"].to_list() == [2]
    assert curve["lat_p99_s"].to_list() == [points.filter(direction="total")["lat_p99_s"][0]]


def test_the_load_may_stand_in_a_table_of_the_study(study):
    """For files whose names say nothing; a file that the table lacks is an error."""
    entry = "  - files: '*.json'\n    load: {kind: threads, table: {a.json: 64, b.json: 128}}\n"
    files = {"a": "rw75_jsonplus.json", "b": "randread_libaio_qd16.json"}
    points = study(entry, **files).read_evidence().load_points.frame
    assert dict(points.select("source", "load").unique().rows()) == {"a.json": 64, "b.json": 128}
    with pytest.raises(StudyError, match=r"the table of loads has no 'b\.json'"):
        study(entry.replace(", b.json: 128", ""), **files).read_evidence()


def test_a_load_that_contradicts_the_file_is_refused(study):
    """A result of iodepth 16 named qd8 would be drawn at the wrong depth."""
    entry = "  - {files: '*.json', load: {kind: iodepth, name: 'qd(\\d+)'}}\n"
    with pytest.raises(StudyError, match=r"qd8\.json is of iodepth 16 .* and of 8 by the study"):
        study(entry, qd8="rw75_jsonplus.json").read_evidence()


def test_results_of_two_systems_are_not_pooled(study):
    """Two entries with their own labels give two curves."""
    reading = study(
        "  - {files: 'a.json', labels: {system: A}}\n  - {files: 'b.json', labels: {system: B}}\n",
        a="rw75_jsonplus.json", b="randread_libaio_qd16.json",
    ).read_evidence()  # fmt: skip
    curve = latency_curve(reading.load_points, reading.histogram).frame
    assert curve["system"].to_list() == ["A", "B"]
    assert {item.path for item in reading.load_points.lineage.evidence} == {"a.json", "b.json"}


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ("  - files: '*.jsn'\n", "'*.jsn' matches no file"),
        ("  - {files: '*.json', repeat: 'run(\\d+)'}\n", "does not match 'a.json'"),
        ("  - {files: '*.json', repeat: '(a)'}\n", "finds 'a' in 'a.json': no number"),
        ("  - {files: '*.json', load: {kind: iodepth, name: 'qd'}}\n", "exactly one group"),
        ("  - {files: '*.json', load: {kind: iodepth, name: '('}}\n", "not a regular expression"),
        (
            "  - {files: '*.json', load: {kind: iodepth}}\n",
            "either in the file's name or in a table",
        ),
        ("  - {files: '*.json', repeat: 'x'}\n", "exactly one group"),
        ("  []\n", "has no 'evidence:'"),
    ],
)
def test_a_pattern_that_does_not_fit_is_told(study, evidence, words):
    """Nothing is guessed: a glob or pattern that finds nothing names itself."""
    with pytest.raises(StudyError, match=words.replace("(", r"\(").replace("*", r"\*")):
        study(evidence, a="rw75_jsonplus.json").read_evidence()
