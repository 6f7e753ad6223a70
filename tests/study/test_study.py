"""Study files: what they may say, what is refused, and what they become."""

from __future__ import annotations

import base64
import datetime as dt
from pathlib import Path

import pytest
from forges.fio_results import Flow, Job, document, log, text
from places import ROOT

from perfkit.core.errors import StudyError, UsageError
from perfkit.study.opening import notebook_of, open_study

GOOD = """\
report:
  title: A study
  date: 2026-03-04
run:
  workload: oltp-select
  target: disk
  load: {iodepth: [1, 2]}
  runtime: 2s
criteria:
  - {name: Mean, metric: lat_mean_s, comparison: "<=", limit: 2 ms}
"""


@pytest.fixture
def study(tmp_path):
    def write(text=GOOD):
        (tmp_path / "study.yml").write_text(text)
        return open_study(tmp_path)

    return write


def test_a_study_opens_by_file_or_folder(study, tmp_path):
    """Both name the same study; the sweep and the criteria are typed."""
    opened = study()
    assert open_study(tmp_path / "study.yml").model == opened.model
    assert opened.spec.load.points == (1, 2)
    assert opened.spec.runtime_s == 2.0
    assert opened.spec.block_size == 8192
    assert [item.name for item in opened.criteria] == ["Mean"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("title:", "titel:", 2, "report.titel: unknown name; did you mean 'title'?"),
        ("2026-03-04", "yesterday", 3, "report.date"),
        ("workload: oltp-select", "workload: oltp-selekt", 4, "did you mean 'oltp-select'"),
        ("  target: disk\n", "", 4, "run.target: is missing"),
        ("[1, 2]", "[1, 1]", 7, "a load point is listed twice"),
        ("runtime: 2s", "runtime: soon", 8, "soon"),
        ("lat_mean_s", "lat_mean_ms", 10, "did you mean 'lat_mean_s'"),
        ('"<="', '"=="', 10, "comparison"),
        ("2 ms", "2 lightyears", 10, "limit"),
        ("report:", "accent: red\nreport:", 1, "accent: unknown name"),
    ],
)
def test_a_mistake_is_told_with_line_and_place(study, old, new, line, words):
    """Each wrong study is one line: file, line, place, what is wrong."""
    with pytest.raises(StudyError) as problem:
        study(GOOD.replace(old, new))
    assert f"study.yml:{line}: " in str(problem.value)
    assert words in str(problem.value)


def test_all_mistakes_are_told_at_once(study):
    """Three mistakes: three lines, each with its own place."""
    wrong = GOOD.replace("title:", "titel:").replace('"<="', '"=="').replace("[1, 2]", "[1, 2]")
    with pytest.raises(StudyError) as problem:
        study(wrong)
    first, *more = str(problem.value).split("\n")
    assert "study.yml:2: report.titel: unknown name" in first
    assert [line.split(": ")[:2] for line in more] == [
        ["  line 1", "report.title"], ["  line 10", "criteria[0].comparison"],
    ]  # fmt: skip


def test_the_front_matter_carries_pictures_sections_and_date(study, tmp_path):
    """What the cover needs travels with the notebook: pictures as base64, prose as text."""
    (tmp_path / "logo.svg").write_text("<svg/>")
    (tmp_path / "objective.md").write_text("# Objective\n")
    text = GOOD.replace(
        "  date:", "  logo: logo.svg\n  version_history: [{version: '1', change: first}]\n  date:"
    )
    record = study(text + "sections: {before: [objective.md]}\n").front().record()
    assert record["date"] == "2026-03-04"
    assert record["date_text"] == "March 2026"
    assert base64.b64decode(record["logo"]["base64"]) == b"<svg/>"
    assert record["sections"]["before"] == [{"path": "objective.md", "markdown": "# Objective\n"}]
    assert record["version_history"] == [{"version": "1", "change": "first", "date": "March 2026"}]


@pytest.mark.parametrize("name", ["logo.png", "logo.jpg", "logo.svg"])
def test_a_logo_that_is_no_picture_is_told_by_name(study, tmp_path, name):
    (tmp_path / name).write_bytes(b"a page that was saved as a picture")
    text = GOOD.replace("  date:", f"  logo: {name}\n  date:")
    with pytest.raises(StudyError, match=rf"{name}: this is not a picture of the type image/"):
        study(text).front()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("sections: {before: [none.md]}\n", "none.md"),
        ("notebook: no-such\n", "no-such"),
        ("notebook: none.ipynb\n", "none.ipynb"),
    ],
)
def test_a_file_that_a_study_names_must_be_there(study, more, words):
    """A missing section or notebook is told by name, before anything runs."""
    opened = study(GOOD + more)
    with pytest.raises(StudyError, match=words):
        opened.front(), notebook_of(opened)


def test_the_date_can_be_asked_for(study, monkeypatch):
    """perfkit report --date, then SOURCE_DATE_EPOCH, then today; the study's own comes first."""
    undated = study(GOOD.replace("  date: 2026-03-04\n", ""))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert undated.front().record()["date"] == "1970-01-02"
    monkeypatch.setenv("PERFKIT_REPORT_DATE", "2025-12-31")
    assert undated.front().record()["date"] == "2025-12-31"
    monkeypatch.setenv("PERFKIT_REPORT_DATE", "soon")
    with pytest.raises(StudyError, match="'soon' is not a date"):
        undated.front()
    monkeypatch.delenv("PERFKIT_REPORT_DATE")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert dt.date.fromisoformat(undated.front().record()["date"]).year >= 2026


def test_overrides_replace_what_the_study_says(study, tmp_path):
    """Given values win; another workload brings its own defaults but keeps time and size."""
    folder, spec = study().sweep("/other", repeats=5)
    assert (folder, spec.repeats, spec.load.points) == (Path("/other"), 5, (1, 2))
    folder, spec = study().sweep(workload="oltp-update")
    assert folder == tmp_path / "disk"
    assert (spec.read_percent, spec.runtime_s) == (50, 2.0)
    assert spec.load.points != (1, 2)
    with pytest.raises(UsageError, match="no such field"):
        study().sweep(sped=3)


def test_without_a_run_there_is_nothing_to_measure(study):
    """A study of files has no sweep; a run that is asked for must exist."""
    opened = study("report: {title: A}\n")
    with pytest.raises(StudyError, match="nothing to measure"):
        opened.measure()
    with pytest.raises(StudyError, match="there is no run 'x'"):
        opened.measure("x")


def test_asserted_hardware_is_a_table_with_the_study_as_evidence(study):
    """What the authors say of a system is printed as they say it, and traced to the study file."""
    text = GOOD + "systems: [{id: host, caption: The host., rows: [[CPU, 2 x Example]]}]\n"
    (table,) = study(text).tables_systems()
    assert table.content()["rows"] == [["CPU", "2 x Example"]]
    assert table.lineage.evidence[0].path == "study.yml"


def test_the_shipped_studies_are_good():
    """Every study of the repository opens, and what it names is there."""
    paths = sorted((ROOT / "data/studies").glob("*/study.yml"))
    assert paths
    for path in paths:
        opened = open_study(path)
        opened.front()
        notebook_of(opened)


def test_perfkits_own_studies_are_found_from_every_folder(tmp_path, monkeypatch):
    """Its notebooks name them from their folder; papermill runs them where the user stands."""
    monkeypatch.chdir(tmp_path)
    assert open_study("../data/studies/tr-4819/generated.yml").path.is_file()
    own = tmp_path / "data/studies/tr-4819"
    own.mkdir(parents=True)
    (own / "generated.yml").write_text(GOOD)
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    assert open_study("../data/studies/tr-4819/generated.yml").path.resolve() == (
        own / "generated.yml"
    )
    with pytest.raises(StudyError):
        open_study("../data/studies/none/study.yml")


def test_logs_of_no_result_stand_by_themselves(tmp_path):
    """As those that lie in a folder for each host, below the result of all of them."""
    options = {"iodepth": "8", "ioengine": "libaio", "direct": "1", "rw": "randread", "bs": "4k",
               "write_iops_log": "own", "numjobs": "1"}  # fmt: skip
    job = Job("j", {"read": Flow(60_000, 4096, 60_000)}, options)
    (tmp_path / "a.json").write_text(text(document((3, 16), [job])))
    (tmp_path / "clients" / "h1").mkdir(parents=True)
    rows = [(1000, 500, 0, 0), (2000, 600, 0, 0)]
    for name in ("own_iops.1.log", "clients/h1/far_iops.1.log"):
        (tmp_path / name).write_text(log(rows))
    (tmp_path / "study.yml").write_text(
        "report: {title: T}\nnotebook: fio_results\nevidence:\n"
        "  - {files: a.json, kind: fio, labels: {system: s}}\n"
        "  - {files: ['*.log', 'clients/*/*.log'], kind: fio-log, labels: {system: s}}\n"
    )
    study = open_study(tmp_path)
    alone = study.logs_alone(study.read_evidence())["fio_logs"].frame
    assert alone.select("t_s", "quantity", "value").rows() == [
        (1.0, "iops", 500.0), (2.0, "iops", 600.0),
    ]  # fmt: skip
    study = tmp_path / "study.yml"
    study.write_text(study.read_text().replace(", 'clients/*/*.log'", ""))
    study = open_study(tmp_path)
    assert study.logs_alone(study.read_evidence()) == {}
