"""The whole command with real reports: kernel, Chrome, typesetter; and what is missing at night."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from places import TESTS

from perfkit.cli.app import run

pytestmark = pytest.mark.slow
SAMPLE = TESTS / "data/fio/rw75_jsonplus.json"
STUDY = """\
report: {title: Dropped results, authors: [Test]}
evidence:
  - {files: "incoming/*.json", kind: fio, load: {kind: iodepth, name: 'qd(\\d+)'}}
notebook: fio_results
"""
SCHEDULE = """\
timezone: Europe/Oslo
entries:
  - name: drop
    study: study
    calendar: "06:00"
    evidence: {folder: drop, files: ["*.json"], settle: 100ms}
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "study").mkdir()
    (tmp_path / "study/study.yml").write_text(STUDY)
    (tmp_path / "schedule.yml").write_text(SCHEDULE)
    (tmp_path / "drop").mkdir()
    shutil.copy(SAMPLE, tmp_path / "drop/qd16_r1.json")
    return tmp_path


def call(folder, *arguments) -> int:
    return run(["schedule", "run", "drop", "--file", str(folder), *arguments])


def past(folder, capsys) -> list[dict]:
    capsys.readouterr()
    assert run(["schedule", "list", "--json", "-n", "9", "--file", str(folder)]) == 0
    return json.loads(capsys.readouterr().out)[0]["past"]


def test_a_dropped_file_becomes_a_report(folder, capsys):
    """PDF, HTML, notebook and log under the date; the second slot has nothing new."""
    assert call(folder) == 0
    (report,) = (folder / "reports/drop").glob("2*")
    names = {path.name for path in report.iterdir()}
    assert names == {"study.pdf", "study.html", "study.ipynb", "run.log", "report.json"}
    assert (folder / "reports/drop/latest/study.pdf").read_bytes()[:5] == b"%PDF-"
    assert call(folder, "--again") == 0
    assert [each["outcome"] for each in past(folder, capsys)] == ["nothing new", "made"]


def test_a_study_that_no_longer_parses_names_its_line(folder, capsys):
    (folder / "study/study.yml").write_text(STUDY.replace("evidence:", "evidnece:"))
    assert call(folder) == 1
    assert "study/study.yml:2: evidnece: unknown name" in past(folder, capsys)[0]["reason"]


def test_chrome_missing_at_night(folder, capsys, monkeypatch):
    """The reason says what to install; nothing is used up or set aside."""
    monkeypatch.setenv("BROWSER_PATH", "/no/such/chrome")
    assert call(folder) == 1
    assert "hrom" in past(folder, capsys)[0]["reason"]
    state = json.loads((folder / ".perfkit-schedule/drop/state.json").read_text())
    assert (state["used"], state["refused"]) == ({}, {})


def test_a_bad_file_is_set_aside_with_the_line_and_the_rest_is_reported(folder, capsys):
    """The reader's error names the file: it alone waits to be replaced."""
    (folder / "drop/qd32_r1.json").write_text('{"fio version": "fio-3.33", "jobs": 7}')
    assert call(folder) == 1
    first = past(folder, capsys)[0]
    assert first["reason"].endswith("partial notebook: study.failed.ipynb")
    assert "qd32_r1.json" in first["reason"]
    assert list((folder / "reports/drop").glob("*.failed/*.failed.ipynb"))
    assert call(folder) == 1  # the slot has its outcome
    capsys.readouterr()
    assert run(["schedule", "list", "--json", "--file", str(folder)]) == 0
    aside = json.loads(capsys.readouterr().out)[0]["set_aside"]
    assert [item["file"] for item in aside] == ["qd32_r1.json"]


SWEEP = """\
report: {title: Nightly, authors: [Test]}
run: {workload: oltp-select, target: ../target, file_size: 4 MiB, load: {iodepth: [1, 2]},
      ramp: 0s, runtime: 0.3s, repeats: 1}
criteria:
  - {name: mean, metric: lat_mean_s, direction: read, at: lowest load, comparison: "<=",
     limit: LIMIT, source: the test}
"""


@pytest.fixture
def nightly(folder) -> Path:
    (folder / "target").mkdir()
    (folder / "schedule.yml").write_text(SCHEDULE.split("    evidence", maxsplit=1)[0])
    (folder / "study/study.yml").write_text(SWEEP.replace("LIMIT", "10 s"))
    return folder


def test_each_slot_measures_anew_and_says_whether_criteria_are_met(nightly, capsys):
    """A run directory a slot, named by it; exit code 0, then 3 under a limit nobody meets."""
    assert call(nightly, "--at", "2026-01-01T07:00") == 0
    (nightly / "study/study.yml").write_text(SWEEP.replace("LIMIT", "1 us"))
    assert call(nightly, "--at", "2026-01-02T07:00") == 3
    assert call(nightly, "--at", "2026-01-02T07:00") == 3
    runs = sorted(path.name for path in (nightly / "study/runs").iterdir())
    assert runs == ["drop-2026-01-01", "drop-2026-01-02"]
    outcomes = [item["outcome"] for item in past(nightly, capsys) if item["outcome"] != "missed"]
    assert outcomes == ["not met", "pass"]


def test_fio_missing_at_night(nightly, capsys, monkeypatch):
    """PATH without fio, as cron's often is: the reason names it."""
    monkeypatch.setenv("PATH", "/no/such/folder")
    assert call(nightly) == 1
    assert "fio" in past(nightly, capsys)[0]["reason"]


def test_the_timeout_ends_everything(nightly, capsys):
    """A sweep longer than the timeout: ended in order, accepted points stay for the next try."""
    text = (nightly / "schedule.yml").read_text()
    (nightly / "schedule.yml").write_text(text + "    timeout: 3s\n")
    (nightly / "study/study.yml").write_text(
        SWEEP.replace("LIMIT", "10 s").replace("runtime: 0.3s", "runtime: 60s")
    )
    assert call(nightly) == 1
    assert past(nightly, capsys)[0]["reason"] == "not done within 3 s: ended"
    left = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [words for words in left if f"{nightly}/study" in " ".join(words)]


def test_the_daemon_keeps_time(folder):
    """Two slots a few seconds apart come by themselves; SIGTERM ends it in order."""
    text = SCHEDULE.split("    evidence", maxsplit=1)[0].replace('"06:00"', '"*:*:0/5"')
    (folder / "schedule.yml").write_text(text + "    on_result: 'echo $PERFKIT_SLOT >> told.txt'\n")
    (folder / "study/study.yml").write_text("report: {")  # a failure is quick, and an outcome
    argv = [sys.executable, "-m", "perfkit", "schedule", "daemon", "--file", str(folder)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as daemon:
        seen = []
        for line in daemon.stderr:
            seen.append(line)
            if sum("ended with exit code 1" in each for each in seen) == 2:
                break
        daemon.terminate()
        rest = daemon.stderr.read()
    assert daemon.returncode == 0
    assert "Traceback" not in rest
    slots = (folder / "told.txt").read_text().split()
    assert len(slots) == len(set(slots)) >= 2
