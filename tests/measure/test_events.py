"""Events during a point: marks in a file, and commands that are run once."""

import threading
import time

from perfkit.measure.parts import Event
from perfkit.measure.probe.events import Marks, Occurrence


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
