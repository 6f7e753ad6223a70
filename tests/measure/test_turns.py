"""Several sweeps take turns: who is measured when, what stays on the disk, and how it resumes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.compare.asked import changes_of
from perfkit.core.errors import SafetyError, UsageError
from perfkit.measure import progress as shown
from perfkit.measure import turns as turns_module
from perfkit.measure.points import planned_points
from perfkit.measure.record.rundir import RunDirectory, missing
from perfkit.measure.turns import TargetSweep, measured_turns, run_sweeps, turns, why_sequential

fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not there")


@pytest.fixture
def pair(small):
    """Two sweeps of two loads that differ in their engine."""

    def make(first=None, second=None, **both):
        both = {"repeats": 3, "runtime": "100ms", **both}
        one = small(ioengine="psync", load={"numjobs": [1, 2]}, **{**both, **(first or {})})
        two = small(ioengine="sync", load={"numjobs": [1, 2]}, **{**both, **(second or {})})
        return [one, two]

    return make


def of(target, specs):
    return [TargetSweep(spec, target) for spec in specs]


def as_pairs(specs, order="interleaved"):
    return [(turn.sweep, turn.points) for turn in turns(specs, order)]


def test_each_turn_is_a_repeat_of_every_load(pair):
    specs = pair()
    assert as_pairs(specs) == [(0, 2), (1, 2), (0, 4), (1, 4), (0, 6), (1, 6)]
    names = [point.name for point in planned_points(specs[0])]
    assert names[2:4] == ["numjobs-1-r2", "numjobs-2-r2"]
    assert as_pairs(specs, "sequential") == [(0, 6), (1, 6)]
    assert as_pairs(specs[:1]) == [(0, 6)]


def test_a_control_belongs_to_the_turn_it_opens_and_the_last_one_closes_it(pair):
    specs = pair(control=1, repeats=2)
    names = [point.name for point in planned_points(specs[0])]
    assert as_pairs(specs) == [(0, 3), (1, 3), (0, 7), (1, 7)]
    assert (names[0], names[3], names[6]) == ("control-1", "control-2", "control-3")


def test_a_sweep_with_fewer_repeats_has_fewer_turns(pair):
    assert as_pairs(pair(second={"repeats": 1})) == [(0, 2), (1, 2), (0, 4), (0, 6)]


@pytest.mark.parametrize(
    ("both", "second", "order", "reason"),
    [
        ({}, {}, "interleaved", None),
        ({}, {}, "sequential", "the study asks for it"),
        ({"repeats": 1}, {}, "interleaved", "each has one repeat"),
        ({}, {"fills": 2}, "interleaved", "they prepare the target in different ways (fills)"),
    ],
)
def test_why_sweeps_do_not_take_turns(pair, both, second, order, reason):
    assert why_sequential(of(Path("a"), pair(second=second, **both)), order) == reason


def test_targets_that_are_prepared_in_different_ways_take_turns(pair):
    one, other = pair(second={"fills": 2})
    assert (
        why_sequential([TargetSweep(one, Path("a")), TargetSweep(other, Path("b"))], "interleaved")
        is None
    )


def log():
    """Progress that keeps what was measured, in order, with the run before it."""
    kept, run = [], []

    def tell(event):
        if isinstance(event, shown.SweepStarted):
            run[:] = [event.run_id]
        if isinstance(event, shown.PointAccepted):
            kept.append((run[0], event.name))

    return kept, tell


@pytest.fixture
def rounds(monkeypatch, runs, target, small):
    """Run two sweeps whose points only say these IOPS; the rounds that each was asked for."""
    calls = []

    def measured(values, **fields):
        def fake(spec, target, *, runs_dir, upto, **_):
            run = RunDirectory(runs_dir / turns_module.default_run_id(spec, target, runs_dir))
            calls.append((spec.block_size, upto))
            with run.locked():
                names = [point.name for point in planned_points(spec)]
                (run.path / "run.json").write_text(json.dumps(
                    {"format": 1, "spec": spec.record(), "points_planned": names}))  # fmt: skip
                for name in missing(names[:upto], run.accepted()):
                    folder = run.aside(name)
                    (folder / "fio.json").write_text("")
                    iops = values[int(name.rpartition("r")[2]) - 1]
                    run.keep(folder, {"name": name, "accepted": True, "iops": iops})
            return run.path

        monkeypatch.setattr(turns_module, "run_sweep", fake)
        monkeypatch.setattr(turns_module, "remove_targets", lambda *_: calls.append("removed"))
        specs = [small(repeats=9, load={"iodepth": [1]}, block_size=size, **own)
                 for size, own in (("4k", fields), ("8k", {}))]  # fmt: skip
        found = run_sweeps(of(target, specs), runs_dir=runs)
        return [json.loads((run / "run.json").read_text())["points_planned"] for run in found]

    measured.calls = calls
    return measured


FALLING = [900, 500, 300, 201, 200, 199, 200, 200, 200]
"""The five from the third on move by 45% of their mean, those from the fourth on by 1%."""


def test_rounds_end_when_the_sweep_that_is_watched_is_steady(rounds):
    names = [f"iodepth-1-r{n}" for n in range(1, 9)]
    assert rounds(FALLING, until_steady="iops") == [names, names]
    assert rounds.calls[-2:] == ["removed", "removed"]
    # the same call knows that, and measures nothing more
    points = len([call for call in rounds.calls if call != "removed"])
    assert rounds(FALLING, until_steady="iops") == [names, names]
    assert len([call for call in rounds.calls if call != "removed"]) == 2 * points


@pytest.mark.parametrize("fields", [{}, {"until_steady": "iops"}])
def test_rounds_that_are_not_watched_or_never_steady_go_to_the_end(rounds, fields):
    values = FALLING if not fields else [100 * 2**n for n in range(9)]
    assert [len(names) for names in rounds(values, **fields)] == [9, 9]
    assert "removed" not in rounds.calls


def test_a_device_that_a_sweep_has_written_is_written_for_the_others_too(small, tmp_path):
    sweeps = of(Path("/dev/x"), [small(read_percent=share) for share in (0, 50)])
    sweeps += of(Path("/dev/y"), [small()])
    made = [tmp_path / name for name in "abc"]
    note = made[0] / "layout" / "laid-out.json"
    note.parent.mkdir(parents=True)
    note.write_text("agreed")
    turns_module._share_layout(0, sweeps, made)
    assert (made[1] / "layout" / "laid-out.json").read_text() == "agreed"
    assert not made[2].exists()


@fio
@pytest.mark.slow
def test_two_sweeps_take_turns_on_one_file_and_leave_none(pair, target, runs):
    kept, tell = log()
    first, second = run_sweeps(of(target, pair()), runs_dir=runs, progress=tell)
    order = [(first.name if run == first.name else second.name, name) for run, name in kept]
    expected = [
        (run.name, f"numjobs-{load}-r{repeat}")
        for repeat in (1, 2, 3) for run in (first, second) for load in (1, 2)
    ]  # fmt: skip
    assert order == expected
    assert measured_turns([first, second]) == [0, 1, 0, 1, 0, 1]
    assert list(target.iterdir()) == []
    # the file was laid out once, for both
    assert (first / "layout" / "fio.json").is_file()
    assert not (second / "layout").exists()


@fio
@pytest.mark.slow
def test_two_targets_take_turns_each_with_a_file_of_its_own(small, target, runs):
    """As two arrays: the file of one stays while the other is measured; none is left."""
    spec = small(repeats=2, runtime="100ms", load={"numjobs": [1]})
    targets = [target / "old", target / "new"]
    for folder in targets:
        folder.mkdir()
    kept, tell = log()
    first, second = pk.run(spec, targets, runs_dir=runs, progress=tell)
    assert [run for run, _ in kept] == [first.name, second.name, first.name, second.name]
    assert measured_turns([first, second]) == [0, 1, 0, 1]
    assert all((run / "layout" / "fio.json").is_file() for run in (first, second))
    assert [list(folder.iterdir()) for folder in targets] == [[], []]


def test_every_target_is_checked_before_the_first_is_measured(small, target, runs):
    with pytest.raises(SafetyError, match="nowhere"):
        pk.run(small(), [target, target / "nowhere"], runs_dir=runs, progress=shown.silent)
    assert not runs.exists() or not list(runs.iterdir())


def test_the_same_target_twice_is_a_mistake(small, target, runs):
    with pytest.raises(UsageError, match="requested twice"):
        pk.run(small(), [target, target / "../target"], runs_dir=runs)


@fio
@pytest.mark.slow
def test_sweeps_that_prepare_the_target_in_their_own_way_get_it_fresh(pair, target, runs):
    specs = pair(second={"fills": 2}, repeats=2)
    found = run_sweeps(of(target, specs), runs_dir=runs, progress=shown.silent)
    assert measured_turns(found) == [0, 1]
    assert all((run / "layout" / "fio.json").is_file() for run in found)
    assert list(target.iterdir()) == []


@fio
@pytest.mark.slow
def test_turns_resume_with_exactly_what_is_missing(pair, target, runs):
    """Stopped in the second turn of the first sweep; what was there is not measured again."""

    def stop(event):
        kept.append(event)
        if isinstance(event, shown.PointStarted) and event.name == "numjobs-2-r2":
            raise KeyboardInterrupt

    kept = []
    with pytest.raises(KeyboardInterrupt):
        run_sweeps(of(target, pair()), runs_dir=runs, progress=stop)
    before = {path: path.stat().st_mtime_ns for path in runs.glob("*/points/*/point.json")}
    assert len(before) == 5
    assert len(list(target.glob("perfkit-*/*.dat"))) == 1
    first, second = run_sweeps(of(target, pair()), runs_dir=runs, progress=shown.silent)
    after = {path: path.stat().st_mtime_ns for path in runs.glob("*/points/*/point.json")}
    assert len(after) == 12
    assert {path: after[path] for path in before} == before
    assert measured_turns([first, second]) == [0, 1, 0, 1, 0, 1]
    assert list(target.iterdir()) == []


@fio
@pytest.mark.slow
def test_a_sweep_that_was_complete_before_does_not_keep_the_file(pair, target, runs):
    """The other one's last turn is the last that uses it."""
    specs = pair(repeats=2)
    (second,) = run_sweeps(of(target, specs[1:]), runs_dir=runs, progress=shown.silent)
    found = run_sweeps(of(target, specs), runs_dir=runs, progress=shown.silent)
    assert found[1] == second
    assert measured_turns(found) == [1, 0]
    assert list(target.iterdir()) == []


@fio
@pytest.mark.slow
def test_a_turn_is_told_as_one(pair, target, runs):
    told = []
    run_sweeps(of(target, pair(repeats=2)), runs_dir=runs, progress=told.append)
    ends = [shown.describe(event) for event in told if isinstance(event, shown.SweepEnded)]
    assert [text.partition(": ")[2] for text in ends] == [
        "2 of 4 points measured, in turns", "2 of 4 points measured, in turns",
        "all 4 points measured", "all 4 points measured",
    ]  # fmt: skip


def test_a_point_without_a_time_is_an_error_that_names_it(tmp_path):
    point = tmp_path / "points" / "numjobs-1-r1"
    point.mkdir(parents=True)
    (point / "fio.json").write_text("{}")
    record = {"name": point.name, "accepted": True}
    (point / "point.json").write_text(json.dumps(record))
    with pytest.raises(Exception, match=r"numjobs-1-r1/point.json: does not say when"):
        measured_turns([tmp_path])


def labelled(table, config):
    return pk.Measured(table.frame.with_columns(config=pl.lit(config)), table.lineage)


@fio
@pytest.mark.skipif(shutil.which("elbencho") is None, reason="elbencho is not there")
@pytest.mark.slow
def test_fio_and_elbencho_take_turns_and_are_compared_only_as_two_tools(small, target, runs):
    """Real runs of both: what they state agrees but for the tool, which must be allowed."""
    both = {"repeats": 2, "runtime": "1s", "load": {"iodepth": [1, 4]}}
    names = ("fio", "elbencho")
    specs = [small(engine=name, **both) for name in names]
    found = run_sweeps(of(target, specs), runs_dir=runs, progress=shown.silent)
    assert measured_turns(found) == [0, 1, 0, 1]
    points, options = (
        [labelled(pk.read(run)[table], name) for run, name in zip(found, names, strict=True)]
        for table in ("load_points", "job_options")
    )
    refused = pk.compare(points, options)
    assert not refused
    assert "tool differs (elbencho against fio)" in refused.reason
    compared = changes_of(pk.compare(points, options, allow="tool", loads=[1, 4]))
    assert all("tool differs (elbencho against fio)" in item.cautions[0].text for item in compared)
    at_load = [item.estimate for item in compared if item.question == "iops_at_load"]
    assert [estimate.n for estimate in at_load] == [2, 2]
    assert all(estimate.value > 0 for estimate in at_load)
