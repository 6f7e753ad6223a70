"""The run directory: only accepted points stand in it, and it is bound to one sweep and host."""

import json

import pytest

from perfkit.core.errors import RunError
from perfkit.measure.record import rundir
from perfkit.measure.record.rundir import RunDirectory, first_difference, locked_name

RECORD = {
    "format": 1,
    "spec": {"runtime_s": 2.0, "load": {"points": [1, 2]}},
    "tool": {"version": "fio-3.33", "sha256": "a"},
    "host": {"kernel": "Linux 6", "architecture": "x", "cpu_model": "c", "cpu_threads": 2},
    "target": {"directory_sha256": "d", "filesystem": "ext4"},
}


@pytest.fixture
def run(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    with directory.locked():
        directory.begin(RECORD)
        yield directory


def keep(run, name, accepted=True):
    aside = run.aside(name)
    (aside / "fio.json").write_text("{}")
    return run.keep(aside, {"name": name, "accepted": accepted})


def changed(part, **values):
    return {**RECORD, part: {**RECORD[part], **values}}


def test_a_point_is_there_only_once_it_is_whole(run):
    aside = run.aside("p-1-r1")
    (aside / "fio.json").write_text("{}")
    assert run.accepted() == frozenset()
    run.keep(aside, {"name": "p-1-r1", "accepted": True})
    assert run.accepted() == {"p-1-r1"}


def test_every_file_is_on_the_disk_before_the_point_has_its_name(run, monkeypatch):
    """What holds something is synced, then the folder, then, renamed, the folder above."""
    synced = []
    monkeypatch.setattr(rundir, "sync", lambda path: synced.append((path, path.exists())))
    aside = run.aside("p")
    (aside / "fio.json").write_text("{}")
    (aside / "stderr.txt").write_text("")
    run.keep(aside, {"name": "p", "accepted": True})
    assert sorted(synced[:2]) == [(aside / "fio.json", True), (aside / "point.json", True)]
    assert synced[2:] == [(aside, True), (run.points, True)]


def test_a_file_that_cannot_be_synced_makes_no_point(run, monkeypatch):
    def full(path):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(rundir, "sync", full)
    with pytest.raises(OSError, match="No space left"):
        keep(run, "p")
    assert run.accepted() == frozenset()


def test_a_rejected_point_is_kept_apart_each_time(run):
    assert keep(run, "p", accepted=False).name == "p-1"
    assert keep(run, "p", accepted=False).name == "p-2"
    assert run.accepted() == frozenset()


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "{",
        "[]",
        '{"name": "p", "accepted": false}',
        '{"name": "p", "accepted": 1}',
        '{"name": "q", "accepted": true}',
    ],
)
def test_a_folder_that_does_not_say_accepted_is_no_point(run, content):
    folder = run.points / "p"
    folder.mkdir()
    (folder / "fio.json").write_text("{}")
    if content is not None:
        (folder / "point.json").write_text(content)
    assert run.accepted() == frozenset()


def test_a_run_that_has_points_keeps_its_record(run):
    keep(run, "p")
    run.begin(changed("host", kernel="other"))
    assert run.record() == RECORD


def test_a_run_that_never_began_leaves_no_folder(tmp_path):
    run = RunDirectory(tmp_path / "run")
    with pytest.raises(ZeroDivisionError), run.locked():
        raise ZeroDivisionError
    assert not run.path.exists()


def test_what_a_killed_run_left_aside_goes_away(tmp_path):
    run = RunDirectory(tmp_path / "run")
    with run.locked():
        run.begin(RECORD)
        (run.aside("p") / "fio.json").touch()
    with run.locked():
        assert list(run.points.iterdir()) == []


def test_a_point_without_its_result_is_no_point(run):
    keep(run, "p")
    assert run.accepted() == {"p"}
    (run.points / "p" / "fio.json").unlink()
    assert run.accepted() == frozenset()


def test_a_run_is_measured_by_one_process_at_a_time(run):
    with pytest.raises(RunError, match="another perfkit is measuring"), run.locked():
        pass


def test_another_sweep_is_refused_by_field(run):
    keep(run, "p")
    with pytest.raises(RunError, match=r"another load\.points \(\[1, 2\], now \[1, 3\]\)"):
        run.check_spec({"runtime_s": 2.0, "load": {"points": [1, 3]}})
    run.check_spec(RECORD["spec"])


def test_a_run_without_a_point_takes_another_sweep(run):
    run.check_spec({"runtime_s": 9.0})
    run.check_surroundings(changed("tool", version="other"))
    run.begin({**RECORD, "spec": {"runtime_s": 9.0}})
    assert run.record()["spec"] == {"runtime_s": 9.0}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("tool", "version"),
        ("tool", "sha256"),
        ("host", "kernel"),
        ("host", "cpu_model"),
        ("target", "directory_sha256"),
        ("target", "filesystem"),
    ],
)
def test_points_of_other_surroundings_are_not_mixed(run, part, name):
    keep(run, "p")
    run.check_surroundings(RECORD)
    with pytest.raises(RunError, match=f"another {part} {name}"):
        run.check_surroundings(changed(part, **{name: "other"}))


@pytest.mark.parametrize("content", ["", "[]", '{"format": 2}'])
def test_a_run_json_that_is_not_ours_is_refused(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(RunError, match=r"run\.json"):
        RunDirectory(tmp_path).record()


def test_the_record_is_readable_json(run):
    assert json.loads((run.path / "run.json").read_text()) == RECORD


def test_the_first_difference():
    assert first_difference({"a": 1}, {"a": 1}) is None
    assert first_difference({"a": 1}, {"a": 2}) == ("a", 1, 2)
    assert first_difference({"a": {"b": 1}}, {"a": {"b": 2}}) == ("a.b", 1, 2)
    assert first_difference({"a": None}, {}) == ("a", None, None)


def test_hosts_are_held_against_a_second_sweep_and_given_back():
    second = locked_name("a:1 and a:2")
    refused = pytest.raises(RunError, match="measuring with these hosts")
    with locked_name("a:1 and a:2"), locked_name("b:1"), refused:
        second.__enter__()
    with locked_name("a:1 and a:2"):
        pass
