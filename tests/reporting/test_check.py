"""`perfkit study check` lists every mistake that would stop a report, in one pass."""

from __future__ import annotations

import nbformat
import pytest
from forges.sas import Log, Step
from places import ROOT

from perfkit.cli.app import run
from perfkit.reporting.check import check

SAMPLE = ROOT / "tests/data/fio/rw75_jsonplus.json"
SHIPPED = sorted((ROOT / "data/studies").glob("*/*.yml"))
MEASURED = [
    path for path in SHIPPED if path.parent.name in {"this-host", "epic-like", "two-engines"}
]

FIO = """\
format: 1
report: {title: A disk, abstract: '%s'}
evidence:
  - {files: '*.json', kind: fio, labels: {system: A}}
criteria:
  - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}
notebook: %s
"""
MEASURES = """\
format: 1
report: {title: A disk, abstract: '%s'}
run: {workload: oltp-select, target: .}
sections: {before: [words.md]}
"""


def study(folder, text):
    """A study over two files of one disk."""
    for name in ("a_qd1.json", "b_qd2.json"):
        (folder / name).write_bytes(SAMPLE.read_bytes())
    (folder / "study.yml").write_text(text)
    return folder / "study.yml"


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.parent.name)
def test_the_studies_that_measure_are_without_mistakes(path):
    """Their notebook is not run: it would begin to measure."""
    found = check(path)
    assert found.mistakes == []
    assert not found.rehearsed


def test_a_sentence_that_no_notebook_makes_is_found_before_hours_of_measuring(tmp_path):
    """In the abstract and in the sections; a workload behind an id is no mistake."""
    (tmp_path / "words.md").write_text("{{say peak-iops-oltp-select}} {{say lowest-latancy}}")
    found = check(study(tmp_path, MEASURES % "{{say peek-iops}} {{say peak-iops}}"))
    assert found.mistakes == [
        f"{tmp_path}/study.yml: report.abstract: {{{{say peek-iops}}}}: the notebook makes no such "
        "statement; did you mean 'peak-iops'?",
        "words.md: {{say lowest-latancy}}: the notebook makes no such statement; did you mean "
        "'lowest-latency'?",
    ]


def test_all_mistakes_that_show_without_running_are_told_together(tmp_path):
    """A pattern that fits no name, a kind, a glob, a parameter."""
    text = """\
format: 1
report: {title: A disk}
evidence:
  - {files: 'a*.json', kind: fio, load: {kind: iodepth, name: 'depth(\\d+)'}}
  - {files: 'b*.json', kind: foi}
  - {files: 'c*.json'}
notebook: fio_results
parameters: {limit: 1}
"""
    found = check(study(tmp_path, text))
    assert [line.removeprefix(f"{tmp_path}/study.yml: ") for line in found.mistakes] == [
        "evidence: 'depth(\\\\d+)' does not match 'a_qd1.json'",
        "evidence: no kind 'foi'; did you mean 'fio'?",
        "evidence: 'c*.json' matches no file",
        f"{ROOT}/notebooks/fio_results.ipynb: no parameter 'limit'; did you mean 'limit_s'?",
    ]


def test_every_part_of_a_study_is_looked_at(tmp_path):
    text = """\
format: 1
report: {title: Two tools}
parts:
  - {name: one, title: One, evidence: [{files: 'c*.json'}], notebook: fio_results}
  - {name: two, title: Two, evidence: [{files: 'd*.json'}], notebook: general}
"""
    assert [line.partition("evidence: ")[2] for line in check(study(tmp_path, text)).mistakes] == [
        "'c*.json' matches no file", "'d*.json' matches no file",
    ]  # fmt: skip


def test_each_test_of_a_log_without_a_class_is_told_once(tmp_path):
    """Both of them, before any log is read; a log that the pattern does not fit is told, too."""
    (tmp_path / "logs").mkdir()
    for name in ("mem01_1", "mem01_2", "mem02_1", "io01_1", "odd"):
        (tmp_path / "logs" / f"{name}.log").write_bytes(Log([Step()]).data())
    (tmp_path / "study.yml").write_text("""\
format: 1
report: {title: Logs}
evidence: [{files: 'logs/*.log', kind: sas}]
jobs: {path: '(?P<test>[a-z]+\\d+)_', classes: {I/O: [io01]}}
notebook: sas_workload
""")
    start = f"{tmp_path}/study.yml: jobs: logs/"
    assert check(tmp_path).mistakes == [
        f"{start}mem01_1.log: the job table gives test 'mem01' no class",
        f"{start}mem02_1.log: the job table gives test 'mem02' no class",
        f"{start}odd.log: is not in the job table",
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("colour: red", "unknown name"),
        ("criteria: [{set: epic-genoi}]", "did you mean 'epic-genio'"),
        ("jobs: {path: '(?P<test>x)', classes: {disk: [x]}}", "'disk' is not a choice"),
        ("notebook: fio_result", "did you mean 'fio_results'"),
    ],
)
def test_a_mistake_in_the_file_itself_is_told_with_its_place(line, told, tmp_path, capsys):
    path = study(tmp_path, f"format: 1\nreport: {{title: A disk}}\n{line}\n")
    assert run(["study", "check", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"error: {path}")
    assert told in error


@pytest.mark.slow
def test_what_only_the_notebook_tells_is_found_by_running_it(tmp_path, capsys):
    """Both placeholders, not the first alone; nothing of the notebook is left in the folder."""
    path = study(tmp_path, FIO % ("{{say peek-iops}} {{see no-such-chart}}", "fio_results"))
    path.write_text(path.read_text().replace("*.json", "a_*.json"))
    before = sorted(tmp_path.iterdir())
    assert run(["study", "check", str(path)]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("error: abstract: {{say peek-iops}}: no such statement; did you mean")
    assert second.startswith("error: abstract: {{see no-such-chart}}: no such table")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_a_criterion_that_the_notebook_does_not_judge_is_found(tmp_path):
    """A report would say so, with exit code 3."""
    new = nbformat.v4
    parameters = new.new_code_cell('study = "study.yml"', metadata={"tags": ["parameters"]})
    cells = [parameters, new.new_code_cell("import perfkit as pk\npk.open_study(study).front()")]
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(
        new.new_notebook(cells=cells, metadata={"kernelspec": python}), tmp_path / "mine.ipynb"
    )
    found = check(study(tmp_path, FIO % ("", "mine.ipynb")))
    assert found.rehearsed
    assert found.mistakes == [
        f"{tmp_path}/study.yml: criteria: Mean latency: the notebook mine does not judge it"
    ]
