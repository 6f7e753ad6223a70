"""The guard over recorded ratios: what it lets pass, what it stops."""

import json
import sys

import pytest
from places import ROOT

sys.path.append(str(ROOT / "tools"))
from bench_guard import main

RECORDED = {"help": {"ratio": 8.0, "better": "lower"}, "read": {"ratio": 2.0, "better": "higher"}}


@pytest.fixture
def guard(tmp_path):
    def run(measured, *arguments):
        (tmp_path / "recorded.json").write_text(json.dumps(RECORDED))
        (tmp_path / "measured.json").write_text(json.dumps(measured))
        return main([*arguments], tmp_path)

    return run


def ratios(help_, read):
    return {
        "help": {"ratio": help_, "better": "lower"},
        "read": {"ratio": read, "better": "higher"},
    }


@pytest.mark.parametrize(
    ("help_", "read", "code"),
    [(8.0, 2.0, 0), (10.0, 1.6, 0), (10.1, 2.0, 1), (8.0, 1.59, 1), (1.0, 20.0, 0)],
)
def test_a_ratio_may_be_worse_by_a_quarter(guard, help_, read, code):
    """Either way round: 8 becomes 10 at most where lower is better, 2 becomes 1.6 at least."""
    assert guard(ratios(help_, read)) == code


def test_what_is_not_measured_does_not_pass(guard, capsys):
    assert guard({"help": {"ratio": 8.0, "better": "lower"}}) == 1
    assert "MISSING  read: not measured; recorded 2" in capsys.readouterr().out


def test_without_a_measurement_there_is_nothing_to_say(tmp_path, capsys):
    assert main([], tmp_path) == 2
    assert "make bench writes it" in capsys.readouterr().out


def test_recording_keeps_what_was_not_measured_again(guard, tmp_path):
    new = {"help": {"ratio": 9.0, "better": "lower"}, "fresh": {"ratio": 1.0, "better": "lower"}}
    assert guard(new, "--record") == 0
    assert json.loads((tmp_path / "recorded.json").read_text()) == RECORDED | new


def test_the_recorded_ratios_are_well_formed():
    known = json.loads((ROOT / "tests/bench/recorded.json").read_text())
    assert known
    assert all(item["ratio"] > 0 and item["better"] in {"lower", "higher"}
               for item in known.values())  # fmt: skip
