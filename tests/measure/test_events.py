"""Events during a point: marks in a file, and commands that are run once."""

import json
import threading
import time

import pytest

from perfkit.cli.app import run as perfkit
from perfkit.measure.fields import series_interval_s
from perfkit.measure.parts import Event
from perfkit.measure.probe.events import MARKS, Marks, Occurrence
from perfkit.measure.record.rundir import RunDirectory


def test_marks_have_the_time_of_their_arrival_and_old_ones_do_not_count(tmp_path):
    file = tmp_path / "marks.txt"
    file.write_text("of an earlier point\n")
    with Marks(file) as marks:
        time.sleep(0.2)
        with file.open("a") as out:
            out.write("pulled path A\nhalf a li")
        time.sleep(0.2)
        with file.open("a") as out:
            out.write("ne\n")
    first, second = marks.happened
    assert (first.text, second.text) == ("pulled path A", "half a line")
    assert 0.2 <= first.t_s < 0.35
    assert 0.4 <= second.t_s < 0.6
    assert first.name is None


def test_without_a_file_there_are_no_marks(tmp_path):
    with Marks(tmp_path / "none") as marks:
        pass
    assert marks.happened == ()


def test_a_command_is_run_at_its_time_and_its_end_is_kept():
    event = Event(name="takeover", command="echo done; exit 3", at=0.1)
    with Occurrence(event, 1.0) as ran:
        time.sleep(0.3)
    [one] = ran.happened
    assert 0.1 <= one.t_s < 0.25
    assert (one.name, one.text, one.problem) == ("takeover", "done", "exit code 3")


def test_of_a_point_that_ends_before_nothing_is_run(tmp_path):
    event = Event(name="late", command=f"touch {tmp_path}/ran", at=5)
    with Occurrence(event, 6.0) as ran:
        pass
    assert ran.happened == ()
    assert list(tmp_path.iterdir()) == []
    assert not any("occurrence" in thread.name for thread in threading.enumerate())


@pytest.fixture
def measuring(tmp_path):
    """A run directory while a point of it is measured, whose series has such an interval."""
    run = RunDirectory(tmp_path / "r")

    def begin(**spec):
        with run.locked():
            (run.path / "run.json").write_text(json.dumps({"format": 1, "spec": spec}))
            run.aside("iodepth-4-r1")
            return perfkit(["mark", str(run.path), "pulled  path A\n"])

    begin.marks = run.path / MARKS
    return begin


def test_a_mark_from_another_terminal_is_a_line_of_the_run_that_is_measured(measuring, capsys):
    assert measuring(runtime_s=30.0, series_s=0.1) == 0
    assert measuring.marks.read_text() == "pulled path A\n"
    assert capsys.readouterr() == ("noted in iodepth-4-r1\n", "")


def test_a_mark_in_a_run_with_coarse_intervals_says_how_well_a_pause_is_known(measuring, capsys):
    assert measuring(runtime_s=30.0) == 0
    assert (
        "intervals of 1 s: pauses are known no more precisely than that" in capsys.readouterr().err
    )
    assert measuring(runtime_s=30.0, events=[{"name": "takeover"}]) == 0
    assert capsys.readouterr().err == ""


def test_a_mark_in_a_round_before_the_points_is_refused(tmp_path, capsys):
    """No report shows what happened then."""
    run = RunDirectory(tmp_path / "r")
    with run.locked():
        (run.path / "run.json").write_text("{}")
        run.aside("round-002")
        assert perfkit(["mark", str(run.path), "x"]) == 1
    assert "only rounds before a point are running" in capsys.readouterr().err
    assert not (run.path / MARKS).exists()


@pytest.mark.parametrize(
    ("made", "said"),
    [(False, "not a perfkit run: No such file"), (True, "no point is being measured right now")],
)
def test_a_mark_that_would_be_in_no_point_is_refused(tmp_path, capsys, made, said):
    run = RunDirectory(tmp_path / "r")
    if made:
        with run.locked():
            (run.path / "run.json").write_text("{}")
            assert perfkit(["mark", str(run.path), "x"]) == 1, "between two points"
    assert perfkit(["mark", str(run.path), "x"]) == 1
    assert said in capsys.readouterr().err
    assert not (run.path / MARKS).exists()


@pytest.mark.parametrize(
    ("asked", "ran", "events", "interval"),
    [(None, 30, False, 1.0), (None, 30, True, 0.1), (0.5, 30, True, 0.5), (None, 0.3, True, 0.03)],
)
def test_a_series_is_fine_around_events_unless_it_is_asked_for(asked, ran, events, interval):
    assert series_interval_s(asked, ran, events=events) == pytest.approx(interval)
