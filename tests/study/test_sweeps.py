"""A study of several sweeps: what is measured, in whose stead, and read with its labels."""

import json
import shutil

import pytest

from perfkit.core.errors import StudyError, UsageError
from perfkit.measure.engines.fio import not_permitted
from perfkit.measure.workloads import named_workload
from perfkit.study.opening import open_study
from perfkit.study.sweeps import plan, say_order, say_sweeps

STUDY = """
report: {title: Two}
run:
  workload: oltp-select
  target: target
  file_size: 4 MiB
  load: {numjobs: [1, 2]}
  ramp: 0s
  runtime: 0.3s
  repeats: 1
sweeps:
  - {labels: {config: psync}, set: {ioengine: psync}}
  - labels: {config: io_uring}
    set: {ioengine: io_uring}
    otherwise: {labels: {config: sync}, set: {ioengine: sync}}
notebook: compare
"""


def study(folder, text=STUDY):
    (folder / "target").mkdir(exist_ok=True)
    (folder / "study.yml").write_text(text)
    return open_study(folder)


def at(opened):
    return opened.path, opened.model


def forbids(spec):
    """A kernel that forbids io_uring."""
    return "fio: Operation not permitted" if spec.ioengine == "io_uring" else None


def test_a_sweep_has_the_fields_of_the_run_and_its_own(tmp_path):
    first, second = plan(*at(study(tmp_path)), lambda _: None)
    assert (first.sweep.spec.ioengine, second.sweep.spec.ioengine) == ("psync", "io_uring")
    assert first.sweep.spec.load == second.sweep.spec.load
    assert (first.labels, second.labels) == ({"config": "psync"}, {"config": "io_uring"})


def test_what_the_host_forbids_is_measured_in_another_way_and_said(tmp_path):
    opened = study(tmp_path)
    planned = plan(*at(opened), forbids)
    assert [item.sweep.spec.ioengine for item in planned] == ["psync", "sync"]
    assert planned[1].labels == {"config": "sync"}
    assert say_sweeps(opened.path, planned).text == (
        "Measured on this host: psync and sync. This host does not permit io_uring "
        "(fio: Operation not permitted): sync was measured in its place."
    )
    assert say_sweeps(opened.path, plan(*at(opened), lambda _: None)).text == (
        "Measured on this host: psync and io_uring."
    )


def test_only_a_sweep_with_another_in_its_stead_is_tried_out(tmp_path):
    asked = []
    plan(*at(study(tmp_path)), lambda spec: asked.append(spec.ioengine))
    assert asked == ["io_uring"]


ARRAYS = STUDY.replace("  target: target\n", "").replace(
    STUDY[STUDY.index("sweeps:") : STUDY.index("notebook:")],
    "sweeps:\n  - {labels: {system: old}, target: old}\n  - {labels: {system: new}, target: new}\n",
)
"""The same workload on two arrays; ``run`` names no target of its own."""


def test_each_sweep_may_have_a_target_of_its_own(tmp_path):
    first, second = plan(*at(study(tmp_path, ARRAYS)))
    assert (first.sweep.target, second.sweep.target) == (tmp_path / "old", tmp_path / "new")
    assert first.sweep.spec == second.sweep.spec


def test_another_in_a_sweeps_stead_measures_its_target(tmp_path):
    text = STUDY.replace(
        "  - labels: {config: io_uring}", "  - labels: {config: io_uring}\n    target: b"
    )
    first, second = plan(*at(study(tmp_path, text)), forbids)
    assert (first.sweep.target, second.sweep.target) == (tmp_path / "target", tmp_path / "b")


def test_a_sweep_without_a_target_needs_that_of_run(tmp_path):
    with pytest.raises(StudyError, match=r"study\.yml:3: run\.target: is missing"):
        study(tmp_path, ARRAYS.replace(", target: new", ""))


def test_what_is_given_replaces_the_field_of_every_sweep(tmp_path):
    opened = study(tmp_path, ARRAYS)
    assert [sweep.spec.repeats for sweep in opened.target_sweeps(repeats=4)] == [4, 4]
    with pytest.raises(UsageError, match="leave out --target"):
        opened.target_sweeps([tmp_path])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ioengine: psync}", "ioengine: pync}", r"study\.yml:12: sweeps: ioengine"),
        ("config: io_uring}", "config: psync}", "two are labelled 'psync'"),
        ("{config: sync}", "{config: psync}", "two are labelled 'psync'"),
        ("labels: {config: psync}, ", "", r"labels"),
        ("set: {ioengine: sync}}", "set: {depth: 3}}", "depth: no such field"),
    ],
)
def test_mistakes_are_told_by_line(tmp_path, old, new, message):
    assert old in STUDY
    with pytest.raises(StudyError, match=message):
        study(tmp_path, STUDY.replace(old, new))


def test_sweeps_need_a_run(tmp_path):
    text = "report: {title: T}\nsweeps:\n  - {labels: {config: a}}\n"
    with pytest.raises(StudyError, match="need a 'run:'"):
        study(tmp_path, text)


def measured(folder, order):
    """Run directories a and b whose points began in the order given, such as "abab"."""
    runs = [folder / name for name in "ab"]
    for minute, name in enumerate(order):
        point = folder / name / "points" / f"numjobs-1-r{order[:minute].count(name) + 1}"
        point.mkdir(parents=True)
        record = {
            "name": point.name, "accepted": True,
            "started_utc": f"2026-01-01T00:{minute:02d}:00.000+00:00",
        }  # fmt: skip
        (point / "point.json").write_text(json.dumps(record))
        (point / "fio.json").write_text("{}")
    return runs


WHOLE = (
    "Each sweep was measured as a whole, so that a drift of the host would look like a difference "
    "between them."
)


@pytest.mark.parametrize(
    ("order", "asked", "said"),
    [
        ("abab", "interleaved", "Order: interleaved. The sweeps took 4 turns, a repeat of each "
         "load at a time (psync, io_uring, and again), so that a drift of the host is in all of "
         "them."),
        ("aabb", "sequential", f"Order: sequential (the study asks for it). {WHOLE}"),
        ("aabb", "interleaved", f"Order: sequential (an earlier call measured them so). {WHOLE}"),
        ("aabba", "interleaved", "Order: mixed. The sweeps were measured in 3 parts that are not "
         "even turns, as when an earlier call had measured some of them: a drift of the host may "
         "look like a difference between them."),
        ("", "interleaved", "None of the sweeps has been measured yet."),
    ],
)  # fmt: skip
def test_the_order_said_is_the_one_the_points_tell(tmp_path, order, asked, said):
    """What was done, not what was asked for."""
    opened = study(tmp_path, STUDY.replace("repeats: 1", "repeats: 2"))
    planned = plan(*at(opened), lambda _: None)
    statement = say_order(opened.path, planned, measured(tmp_path / "runs", order), asked)
    assert statement.text == said


fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not there")


@fio
@pytest.mark.slow
def test_two_sweeps_are_measured_once_and_read_with_their_labels(tmp_path):
    opened = study(tmp_path, STUDY.replace("io_uring", "pvsync"))
    evidence = opened.read_evidence()
    points = evidence.load_points.frame.filter(direction="total")
    assert sorted(points.select("config", "load").rows()) == [
        ("psync", 1.0), ("psync", 2.0), ("pvsync", 1.0), ("pvsync", 2.0),
    ]  # fmt: skip
    runs = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert len(runs) == 2
    written = {
        path: path.stat().st_mtime_ns for path in (tmp_path / "runs").glob("*/points/*/fio.json")
    }
    assert len(written) == 4
    open_study(tmp_path).read_evidence()
    assert written == {path: path.stat().st_mtime_ns for path in written}


@fio
@pytest.mark.slow
def test_a_point_that_is_missing_is_measured_again_and_only_that(tmp_path):
    """As a single run does: what was accepted stays."""
    opened = study(tmp_path, STUDY.replace("io_uring", "pvsync"))
    first, second = opened.measure_sweeps()
    kept = (first / "points/numjobs-1-r1/fio.json").stat().st_mtime_ns
    shutil.rmtree(second / "points/numjobs-2-r1")
    assert open_study(tmp_path).measure_sweeps() == [first, second]
    assert (second / "points/numjobs-2-r1/fio.json").is_file()
    assert (first / "points/numjobs-1-r1/fio.json").stat().st_mtime_ns == kept


@fio
@pytest.mark.slow
def test_fio_s_own_words_tell_why_an_engine_is_not_permitted(tmp_path):
    assert not_permitted(named_workload("iris-ranread")) is None
    broken = tmp_path / "fio"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo fio-3.33; exit 0; }\n'
        "echo 'fio: pid=0, err=1/file:engines/io_uring.c, error=Operation not permitted' >&2\n"
        "exit 1\n"
    )
    broken.chmod(0o755)
    told = not_permitted(named_workload("iris-ranread"), program=str(broken))
    assert told == "fio: pid=0, err=1/file:engines/io_uring.c, error=Operation not permitted"
