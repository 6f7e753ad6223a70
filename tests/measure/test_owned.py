"""The target is the file that was laid out, and nothing of anybody else's is touched: each trick.

The user's bytes are compared after every one; what was measured meanwhile does not count.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from target_tricks import SIZE, TRICKS, WHOLE, linked, never_written, punched, replaced

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure import progress
from perfkit.measure.safety import files
from perfkit.measure.sweep import run_sweep
from perfkit.measure.target import identity, owned

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def theirs(tmp_path):
    """A file of the user's, as large as ours; it is never to change."""
    path = tmp_path / "theirs"
    path.write_bytes(os.urandom(WHOLE))
    before = digest(path)
    yield path
    assert digest(path) == before


def call(*argv):
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{argv[0]} is not allowed here: {done.stderr.strip()}")


def accepted(runs):
    return [path.name for path in (runs / "r" / "points").iterdir() if path.name[0] != "."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("when", "workload"), [("PointStarted", "oltp-mixed"), ("PointProgress", "oltp-select")]
)
@pytest.mark.parametrize("trick", TRICKS)
def test_what_is_done_to_the_file_is_seen_and_the_point_does_not_count(
    trick, when, workload, *, small, own, target, runs, theirs
):
    done = []

    def disturb(event):
        if type(event).__name__ == when and not done:
            done.append(True)
            trick(own(), theirs)

    def swept():
        spec = small(workload, runtime="600ms", load={"iodepth": [1]})
        run_sweep(spec, target, runs_dir=runs, run_id="r", progress=disturb)

    with pytest.raises((SafetyError, RunError)) as failed:
        swept()
    assert done, failed.value
    assert "\n" not in str(failed.value)
    assert "perfkit-" in str(failed.value)
    assert accepted(runs) == []


@pytest.mark.slow
@pytest.mark.parametrize("trick", TRICKS[1:])
def test_what_became_of_a_left_over_is_neither_used_nor_removed(
    trick, small, own, *, target, runs, theirs
):
    """Between two calls; the sweep goes on with a new file, and names what is there."""
    spec = small("oltp-mixed")
    run_sweep(spec, target, runs_dir=runs, run_id="r", upto=1, keep_target=True)
    (left,) = target.iterdir()
    trick(own(), theirs)
    there = {path: digest(path) for path in left.iterdir() if path.exists()}
    heard = []
    run_sweep(spec, target, runs_dir=runs, run_id="r", progress=heard.append)
    assert len(accepted(runs)) == 2
    if trick in {punched, never_written}:
        # provably ours by all that tells whose it is: it is written anew, and removed at the end
        assert any(isinstance(event, progress.LayoutProgress) for event in heard)
        assert list(target.iterdir()) == []
        return
    told = [event for event in heard if isinstance(event, progress.LeftOver)]
    assert [event.path for event in told] == [str(left)]
    assert list(target.iterdir()) == [left]
    assert {path: digest(path) for path in left.iterdir() if path.exists()} == there


@pytest.mark.slow
def test_a_left_over_that_is_proved_is_used_again(small, own, target, runs):
    spec = small(load={"iodepth": [1, 4]})
    run_sweep(spec, target, runs_dir=runs, run_id="r", upto=1, keep_target=True)
    inode = own().stat().st_ino
    seen = []

    def look(event):
        if type(event).__name__ == "PointStarted":
            seen.append(own().stat().st_ino)

    run_sweep(spec, target, runs_dir=runs, run_id="r", progress=look)
    assert seen == [inode]
    assert list(target.iterdir()) == []


@pytest.mark.slow
def test_the_record_says_what_was_proved_around_a_point(small, target, runs):
    run = run_sweep(small(load={"iodepth": [1]}), target, runs_dir=runs)
    point = json.loads((run / "points" / "iodepth-1-r1" / "point.json").read_text())
    told = point["target"]
    assert told["given"] == "descriptor"
    for when in ("before", "after"):
        proved = told[when]["proved"]
        assert {"name", "size", "mount", "token"} <= set(proved)
        assert set(proved) | set(told[when]["not_told"]) >= {"handle", "unchanged", "blocks"}
        assert told[when]["check_s"] < 0.5
    whole = json.loads((run / "run.json").read_text())
    assert whole["own_file"]["mode"] == "0o700"
    assert whole["left_over"] == []


@pytest.mark.slow
def test_what_ran_can_be_run_by_hand(small, target, runs, tmp_path):
    """The kept job file and command, beside a link to a directory with such a file."""
    run = run_sweep(small("oltp-mixed", load={"iodepth": [1]}), target, runs_dir=runs)
    point = run / "points" / "iodepth-1-r1"
    place, scratch = tmp_path / "place", tmp_path / "scratch"
    place.mkdir()
    scratch.mkdir()
    (place / f"perfkit-{SIZE}.dat").write_bytes(bytes(SIZE))
    (scratch / "target").symlink_to(place)
    shutil.copy(point / "job.fio", scratch)
    argv = json.loads((point / "command.json").read_text())["argv"]
    done = subprocess.run(argv, cwd=scratch, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((scratch / "fio.json").read_text())["jobs"][0]["error"] == 0


def claimed(directory, size=SIZE):
    return files.claimed_file(directory, size, direct=False)


def written(file):
    os.pwrite(file.handle, os.urandom(file.size), 0)
    file.mark_laid_out()


def test_the_tool_is_given_a_path_that_no_name_changes(target, theirs):
    """Whatever stands under the name, the path given leads to our file."""
    with claimed(target) as file:
        written(file)
        given = Path(file.own.given)
        before = digest(given)
        linked(file.path, theirs)
        assert digest(given) == before
        with given.open("r+b") as opened:
            opened.write(b"ours")


@pytest.mark.slow
def test_a_removal_never_takes_what_has_the_name_meanwhile(target, theirs, monkeypatch):
    """Exchanged between the check and the removal: theirs stays."""
    with claimed(target) as file:
        written(file)
        real = owned.Owned._check_content

        def late(self):
            real(self)
            replaced(file.path, theirs)

        monkeypatch.setattr(owned.Owned, "_check_content", late)
        with pytest.raises(SafetyError, match="another file was in its place, and stays"):
            file.remove()
        assert digest(file.path) == digest(theirs)


def test_a_file_that_the_user_put_beside_ours_keeps_the_directory(target):
    with claimed(target) as file:
        written(file)
        theirs = file.path.with_name("notes.txt")
        theirs.write_text("precious")
        with pytest.raises(SafetyError, match="stays: Directory not empty"):
            file.remove()
    assert theirs.read_text() == "precious"


@pytest.mark.parametrize("cut", ["data", "marker"])
def test_a_removal_that_was_cut_short_is_finished(target, monkeypatch, cut):
    """Killed after the data was removed, or while it had its last name."""

    def cut_short(*_, **__):
        raise KeyboardInterrupt

    with claimed(target) as file:
        written(file)
        monkeypatch.setattr(owned.os, "rmdir" if cut == "marker" else "unlink", cut_short)
        if cut == "marker":
            real, calls = owned.unlink, []

            def first(*given):
                calls.append(given)
                return real(*given) if len(calls) == 1 else cut_short()

            monkeypatch.setattr(owned, "unlink", first)
        with pytest.raises(KeyboardInterrupt):
            file.remove()
    monkeypatch.undo()
    with claimed(target) as file:
        file.remove()
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    "record", ["", "{", "[]", '{"made_by": "perfkit", "format": 2}', '{"made_by": "me"}']
)
def test_a_damaged_record_proves_nothing(target, record):
    with claimed(target) as file:
        written(file)
        own = file.path
    own.with_name(owned.MARKER).write_text(record)
    before = digest(own)
    with claimed(target) as file:
        assert file.path != own
        assert [path for path, _ in file.left_over] == [str(own.parent)]
        file.remove()
    assert digest(own) == before


def test_a_kernel_that_gives_no_handle_is_told_and_left_overs_prove_nothing(target, monkeypatch):
    monkeypatch.setattr(identity, "kernel_handle", lambda _: (None, "Operation not permitted"))
    with claimed(target) as file:
        written(file)
        seen = file.check_again()
        assert seen["not_told"]["handle"] == "Operation not permitted"
        assert "handle" not in seen["proved"]
        own = file.path
    with claimed(target) as file:
        ((path, why),) = file.left_over
        assert (path, "gives no handle" in why) == (str(own.parent), True)
        file.remove()
    assert own.exists()


def test_extents_that_may_not_be_asked_for_are_told(target, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(owned.fcntl, "ioctl", refused)
    with claimed(target) as file:
        written(file)
        told = file.check_again()["not_told"]["blocks"]
        assert "lists no extents (Operation not permitted)" in told
        # holes are still seen
        punched(file.path, None)
        with pytest.raises(SafetyError, match="no data at byte 1048576"):
            file.check_again(wrote=True)


def test_a_file_of_very_many_extents_is_looked_at_in_part_and_that_is_told(target, monkeypatch):
    with claimed(target) as file:
        written(file)
        monkeypatch.setattr(owned, "first_gap", lambda *_: (None, 4096))
        assert "after byte 4096 are not looked for" in file.check_again()["not_told"]["blocks"]


@pytest.fixture
def mounted(target):
    """Mount something over the target; it is let go at the end."""
    points = []

    def mount(*argv, at=target):
        call("mount", *argv, at)
        points.append(at)
        return at

    yield mount
    for point in reversed(points):
        subprocess.run(["umount", "-l", point], check=True)


def mounts():
    return Path("/proc/self/mountinfo").read_text().splitlines()


def image_of(kind, tmp_path, size="64M", options=()):
    program = shutil.which(f"mkfs.{kind}")
    if program is None:
        pytest.skip(f"no mkfs.{kind}")
    image = tmp_path / f"{kind}.image"
    call("truncate", "-s", size, image)
    call(program, *options, image)
    return image


QUIET = {"ext4": ["-q"], "ext2": ["-q"], "xfs": ["-q"], "btrfs": ["-q"]}


@ROOT
@pytest.mark.slow
@pytest.mark.parametrize("kind", QUIET)
def test_each_file_system_is_checked_as_far_as_it_can_be(
    kind, small, target, *, runs, tmp_path, mounted, monkeypatch
):
    """A whole sweep, and what the record says; copies in the place do not pass."""
    size = "400M" if kind in {"xfs", "btrfs"} else "64M"
    mounted("-o", "loop", image_of(kind, tmp_path, size, QUIET[kind]))
    monkeypatch.setattr(files, "RESERVE_BYTES", 0)
    spec = small("oltp-mixed", load={"iodepth": [1]})
    run = run_sweep(spec, target, runs_dir=runs)
    point = json.loads((run / "points" / "iodepth-1-r1" / "point.json").read_text())
    proved = set(point["target"]["after"]["proved"])
    assert {"name", "size", "mount", "token"} <= proved
    assert {"handle", "blocks", "holes"} <= proved
    assert [path.name for path in target.iterdir() if path.name != "lost+found"] == []


@ROOT
@pytest.mark.parametrize("kind", ["tmpfs", "overlay", "ramfs"])
def test_file_systems_without_a_device_are_checked_as_far_as_they_can_be(
    kind, target, tmp_path, mounted, monkeypatch
):
    monkeypatch.setattr(files, "free_bytes", lambda _: 1 << 40)
    if kind == "overlay":
        room = tmp_path / "room"
        room.mkdir()
        mounted("-t", "tmpfs", "none", at=room)
        for name in ("lower", "upper", "work"):
            (room / name).mkdir()
        mounted("-t", "overlay", "none", "-o",
                f"lowerdir={room}/lower,upperdir={room}/upper,workdir={room}/work")  # fmt: skip
    else:
        mounted("-t", kind, "none")
    with claimed(target) as file:
        written(file)
        seen = file.check_again()
        told = {**dict.fromkeys(seen["proved"]), **seen["not_told"]}
        assert {"name", "size", "mount", "token", "handle", "unchanged", "blocks", "holes"} >= set(
            told
        )
        assert file.record()["filesystem"] == kind
        file.remove()
    assert list(target.iterdir()) == []


@pytest.mark.slow
@ROOT
@pytest.mark.parametrize("how", ["read-only", "other file system", "bind mount"])
def test_a_target_whose_file_system_changes_in_mid_sweep_is_one_line(
    how, small, own, *, target, runs, tmp_path, mounted, monkeypatch, theirs
):
    mounted("-o", "loop,errors=remount-ro", image_of("ext4", tmp_path, options=["-q"]))
    monkeypatch.setattr(files, "RESERVE_BYTES", 0)
    words = {
        "read-only": "its file system has become read-only",
        "other file system": "no longer there|on another file system",
        "bind mount": "its place is on another file system",
    }[how]

    def change(event):
        if type(event).__name__ == "PointProgress" and not done:
            done.append(True)
            if how == "read-only":
                (disk,) = (m.split()[8] for m in mounts() if m.split()[4] == str(target))
                trigger = Path("/sys/fs/ext4", Path(disk).name, "trigger_fs_error")
                trigger.write_text("as if a block were unreadable")
            elif how == "bind mount":
                mounted("--bind", theirs, at=own())
            else:
                mounted("-t", "tmpfs", "none")

    done = []
    with pytest.raises(RunError, match=words) as failed:
        run_sweep(small(runtime="700ms"), target, runs_dir=runs, run_id="r", progress=change)
    assert "\n" not in str(failed.value)
    assert accepted(runs) == []


@ROOT
@pytest.mark.slow
def test_a_frozen_file_system_does_not_hang_the_check(
    small, target, runs, *, tmp_path, mounted, monkeypatch
):
    """Reads and their checks need nothing written; the file system thaws after two seconds."""
    mounted("-o", "loop", image_of("ext4", tmp_path, options=["-q"]))
    monkeypatch.setattr(files, "RESERVE_BYTES", 0)
    thaw = threading.Timer(3.0, subprocess.run, [["fsfreeze", "-u", str(target)]])

    def freeze(event):
        if type(event).__name__ == "PointStarted" and not thaw.is_alive() and not froze:
            froze.append(time.monotonic())
            call("fsfreeze", "-f", target)
            thaw.start()

    froze = []
    try:
        spec = small(load={"iodepth": [1]}, runtime="500ms")
        run = run_sweep(spec, target, runs_dir=runs, run_id="r", progress=freeze)
    finally:
        thaw.join()
        with contextlib.suppress(OSError):
            subprocess.run(["fsfreeze", "-u", target], capture_output=True, check=False)
    told = json.loads((run / "points" / "iodepth-1-r1" / "point.json").read_text())
    assert told["target"]["before"]["check_s"] < 1
    assert told["target"]["after"]["check_s"] < 1
    assert told["wall_s"] < 2.5


def test_an_inode_number_that_is_used_again_is_another_handle(tmp_path):
    """What makes the number and even a copied attribute prove nothing."""
    seen = {}
    for _ in range(50):
        path = tmp_path / "f"
        path.write_bytes(b"x")
        with path.open("rb") as file:
            handle, why = identity.kernel_handle(file.fileno())
            if handle is None:
                pytest.skip(f"no handles here: {why}")
            seen.setdefault(path.stat().st_ino, set()).add(handle)
        path.unlink()
    used = [handles for handles in seen.values() if len(handles) > 1]
    total = sum(len(handles) for handles in seen.values())
    assert total == 50, "a number that was used again had the same handle"
    assert used or len(seen) == 50
