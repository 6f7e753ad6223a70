"""What a sweep says: one line an event, in the terminal, in a notebook and in a log."""

import io
import sys
from types import SimpleNamespace

import pytest

from perfkit.core.errors import UsageError
from perfkit.measure import progress

ACCEPTED = progress.PointAccepted("iodepth-4-r1", 2, 8, 12345.6, 0.000323, ("w",), 200)
EVENTS = [
    progress.SweepStarted("run-1", 8, 1, 3725),
    progress.LayoutProgress(0, 1024),
    progress.LayoutProgress(1024, 1024),
    progress.PointStarted("iodepth-4-r1", 2, 8, 205),
    progress.PointProgress("iodepth-4-r1", 2, 8, 1.0, 204),
    ACCEPTED,
    progress.SweepEnded("run-1", 8, 2),
]


def test_a_sweep_that_begins_says_how_an_event_is_marked():
    told = progress.describe(progress.SweepStarted("r", 8, 0, 60, "my runs/r"))
    assert told.endswith("note an event meanwhile: perfkit mark 'my runs/r' 'pulled path A'")


def test_one_plain_line_for_each_event_that_says_something():
    stream = io.StringIO()
    tell = progress.lines(stream)
    for event in EVENTS:
        tell(event)
    assert stream.getvalue().splitlines() == [
        "run run-1: 8 points, 1 of them measured before, about 1 h 02 min to go",
        "writing the target file: 1 KiB",
        "[2/8] iodepth-4-r1: 12,346 IOPS, mean latency 323 µs; warning: w; 3 min 20 s left",
        "run run-1: stopped with 2 of 8 points; the next call measures the rest",
    ]


def test_a_missing_latency_is_a_dash_and_not_a_zero():
    event = progress.PointAccepted("p", 1, 1, None, None, (), 0)
    assert progress.describe(event) == "[1/1] p: –, mean latency –"


def test_a_stopped_sweep_names_the_file_it_leaves():
    said = progress.describe(progress.SweepEnded("r", 8, 2, "/data/perfkit-1.dat"))
    assert said.endswith("the next call measures the rest (/data/perfkit-1.dat is kept for it)")


def test_a_rejected_point_is_told_with_its_reason():
    assert progress.describe(progress.PointRejected("p", "no I/O")) == "p: rejected: no I/O"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (200, "3 min 20 s"), (3600, "1 h 00 min"), (-1, "0 s")],
)
def test_time_left_for_people(seconds, text):
    assert progress.duration_text(seconds) == text


def test_showing_never_breaks_a_measurement():
    calls = []

    def broken(event):
        calls.append(event)
        raise OSError("terminal gone")

    tell = progress.guarded(broken)
    tell(ACCEPTED)
    tell(ACCEPTED)
    assert len(calls) == 1


def test_the_terminal_shows_a_line_for_each_point(capsys):
    tell = progress.for_terminal()
    for event in EVENTS:
        tell(event)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "[2/8] iodepth-4-r1: 12,346 IOPS, mean latency 323 µs" in shown.err


def test_a_notebook_updates_one_output_that_ends_without_times(monkeypatch):
    shown = []

    def display(value, display_id):
        assert display_id is True
        shown.append(value)
        return SimpleNamespace(update=shown.append)

    monkeypatch.setattr("IPython.display.display", display)
    tell = progress.for_notebook()
    for event in [*EVENTS[:-1], progress.SweepEnded("run-<1>", 8, 8)]:
        tell(event)
    first, bar, last = shown[0], shown[2], shown[-1]
    assert "<progress" not in first._repr_mimebundle_()["text/html"]
    assert '<progress value="1.0000">' in bar._repr_mimebundle_()["text/html"]
    assert last._repr_mimebundle_() == {
        "text/html": "<div>run run-&lt;1&gt;: all 8 points measured</div>",
        "text/plain": "run run-<1>: all 8 points measured",
    }


def test_the_environment_chooses(monkeypatch):
    assert progress.choose() is progress.silent
    monkeypatch.setenv("PERFKIT_PROGRESS", "linse")
    with pytest.raises(UsageError, match="did you mean 'lines'"):
        progress.choose()
    monkeypatch.delenv("PERFKIT_PROGRESS")
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    progress.choose()(ACCEPTED)
    assert stream.getvalue().startswith("[2/8]")
