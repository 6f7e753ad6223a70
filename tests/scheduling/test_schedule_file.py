"""A schedule file: every mistake with line and place."""

from __future__ import annotations

import ast
import json
import re

import pytest
from places import ROOT
from schedule_bench import SCHEDULE

from perfkit.core.errors import StudyError, UsageError
from perfkit.scheduling.schedule_file import ScheduleModel, chosen, open_schedule


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("calendar", "calender", 5, "entries[0].calender: unknown name; did you mean 'calendar'?"),
        ('"06:00"', '"6 Uhr"', 5, "entries[0].calendar: '6' is not a date"),
        ('"06:00"', '"0 6 * * 9"', 5, "weekday 9 is not within 0 to 7"),
        (
            "Europe/Oslo",
            "Europe/Olso",
            1,
            "timezone: 'Europe/Olso' is not a time zone; did you mean",
        ),
        ("timezone: Europe/Oslo\n", "", 2, "entries[0].timezone: is missing"),
        ('"06:00"', '"06:00 Mars/Base"', 5, "'Mars/Base' is not a time zone"),
        ('"06:00"', '"06:00 UTC"\n    timezone: Asia/Tokyo', 5, "says UTC, timezone says Asia"),
        ("nightly", "Nightly run", 3, "use small letters, digits and hyphens"),
        ("nightly", "../x", 3, "use small letters, digits and hyphens"),
        ("study\n", "study\n    timeout: soon\n", 5, "entries[0].timeout"),
        ("study\n", "study\n    keep: {last: 0}\n", 5, "entries[0].keep.last"),
        (
            "study\n",
            "study\n    keep: {runs: 0 days}\n",
            5,
            "'0 days' is not an age such as 90 days",
        ),
        ("study\n", "study\n    keep: {store: 2 moons}\n", 5, "entries[0].keep.store"),
        (
            "study\n",
            "study\n    baseline: {first: 2026-11-02, last: 2026-11-01}\n",
            5,
            "comes after",
        ),
        ("study\n", "study\n    evidence: {folder: x, into: ../y}\n", 5, "not a folder beside"),
        ("study\n", "study\n    evidence: {folder: x, files: [/etc/*]}\n", 5, "not a glob below"),
        ("study\n", "study\n    run: {load: {}}\n", 5, "names one kind of load"),
        ("- name", "- {name: nightly, study: a, calendar: daily}\n  - name", 1, "two entries"),
    ],
)
def test_a_mistake_is_told_with_its_line(bench, old, new, line, words):
    bench.write(SCHEDULE.replace(old, new, 1))
    with pytest.raises(StudyError, match=re.escape(words)) as told:
        open_schedule(bench.folder)
    assert told.value.line == line


def test_paths_are_the_files_and_the_zone_is_the_nearest(bench):
    """What an entry does not say the file says; everything is relative to the file."""
    bench.write(
        SCHEDULE
        + "    output: /elsewhere\n"
        + "  - {name: b, study: b/x.yml, calendar: 06:00 Asia/Tokyo, timeout: 30m}\n"
        + "  - {name: c, study: c.ipynb, calendar: '@daily', timezone: UTC}\n"
    )
    a, b, c = open_schedule(bench.folder / "schedule.yml")
    assert [each.zone.key for each in (a, b, c)] == ["Europe/Oslo", "Asia/Tokyo", "UTC"]
    assert str(a.reports) == "/elsewhere/nightly"
    assert b.reports == bench.folder / "reports/b"
    assert (b.study_folder, b.entry.timeout) == (bench.folder / "b", 1800)
    assert c.study == bench.folder / "c.ipynb"


def test_an_unknown_entry_is_named(bench):
    with pytest.raises(UsageError, match="did you mean 'nightly'"):
        chosen(bench.folder, "nightli")


def test_the_schema_for_editors_is_that_of_the_code():
    """templates/schedule.schema.json is what `perfkit schedule schema` prints (make schema)."""
    file = ROOT / "templates/schedule.schema.json"
    assert json.loads(file.read_text()) == ScheduleModel.model_json_schema()


def test_the_documented_schedule_is_a_good_one(bench):
    """The example of docs/scheduling.md, as it stands there."""
    text = (ROOT / "docs/scheduling.md").read_text()
    bench.write(re.search("```yaml\n(.*?)```", text, re.DOTALL).group(1))
    nightly, weekly = open_schedule(bench.folder)
    assert nightly.entry.when.weekdays == {0, 1, 2, 3, 4}
    assert weekly.entry.evidence.settle == 120


def test_the_airflow_dag_calls_a_command_that_there_is(capsys):
    """Every option in docs/airflow/perfkit_dag.py is one of `perfkit schedule run`."""
    from perfkit.cli.app import run

    tree = ast.parse((ROOT / "docs/airflow/perfkit_dag.py").read_text())
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    command = next(w for w in words if isinstance(w, str) and "schedule run" in w)
    options = re.findall(r"--[a-z]+", command)
    assert run(["schedule", "run", "--help"]) == 0
    shown = capsys.readouterr().out
    assert options == ["--file", "--retry"]
    assert all(option in shown for option in options)


def test_without_a_schedule_the_message_says_how_to_get_one(tmp_path):
    with pytest.raises(StudyError, match="no such file; name a schedule with --file, or write one"):
        open_schedule(tmp_path)
