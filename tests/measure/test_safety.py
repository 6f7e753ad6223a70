"""What is refused before anything is written, and what is removed: only what perfkit made."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure.safety import files as safety

SIZE = 65536


def claim(directory, direct=False):
    return safety.claimed_file(directory, SIZE, direct=direct)


def test_a_missing_directory_is_refused_and_not_made(tmp_path):
    missing = tmp_path / "a" / "b"
    with pytest.raises(SafetyError, match=r"target .*/a/b: no such directory"):
        safety.check_directory(missing)
    assert not (tmp_path / "a").exists()


def test_a_device_that_is_not_there_is_not_called_a_directory():
    with pytest.raises(SafetyError, match=r"target /dev/none: no such device$"):
        safety.check_directory(Path("/dev/none"))


def test_a_file_is_not_a_target(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(SafetyError, match="not a directory"):
        safety.check_directory(file)


def test_a_device_is_refused():
    with pytest.raises(SafetyError, match="/dev/null: a device, where a directory was expected"):
        safety.check_directory(Path("/dev/null"))


def test_a_directory_without_write_permission_is_refused(target, monkeypatch):
    """Root may write everywhere, so the kernel's answer is given in its place."""
    if os.geteuid():
        target.chmod(0o500)
    else:
        monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SafetyError, match="the directory is not writable"):
        safety.check_directory(target)


def test_a_file_system_without_room_is_refused_and_nothing_is_left(target, monkeypatch):
    monkeypatch.setattr(safety, "free_bytes", lambda _: safety.RESERVE_BYTES + SIZE - 1)
    with (
        pytest.raises(SafetyError, match=r"256 MiB free, but the target file needs 64 KiB"),
        claim(target),
    ):
        pass
    assert list(target.iterdir()) == []


def written(file):
    """As a load generator lays it out."""
    os.pwrite(file.handle, os.urandom(SIZE), 0)
    file.mark_laid_out()


def test_a_file_that_is_laid_out_needs_no_more_room(target, monkeypatch):
    with claim(target) as file:
        written(file)
    monkeypatch.setattr(safety, "free_bytes", lambda _: 0)
    with claim(target) as file:
        assert file.laid_out


def test_a_new_file_is_marked_and_only_then_counts_as_laid_out(target):
    with claim(target) as file:
        assert (file.laid_out, file.path.stat().st_size) == (False, SIZE + 4096)
    with claim(target) as file:
        assert not file.laid_out
        written(file)
    with claim(target) as file:
        assert file.laid_out
        file.remove()
    assert list(target.iterdir()) == []


def test_a_directory_is_found_through_a_link_and_the_file_lies_inside(target, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(target)
    directory = safety.check_directory(link)
    assert directory == target.resolve()
    with claim(directory) as file:
        assert file.path.parent.parent == target.resolve()
        file.remove()


def test_two_runs_do_not_share_a_target_file(target):
    with claim(target), pytest.raises(RunError, match="another perfkit run"), claim(target):
        pass


def test_the_record_beside_it_holds_no_path(target):
    with claim(target) as file:
        text = file.path.with_name("owner.json").read_text()
        assert json.loads(text)["file_bytes"] == SIZE
        assert str(target) not in text


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting ramfs needs root")
def test_a_file_system_without_direct_io_is_refused_with_its_cure(target):
    """The line names direct: false, and nothing is left behind."""
    mounted = subprocess.run(
        ["mount", "-t", "ramfs", "none", target], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        monkey = pytest.MonkeyPatch()
        with monkey.context() as patch:
            # ramfs has no size and reports no free space
            patch.setattr(safety, "free_bytes", lambda _: 1 << 40)
            with pytest.raises(SafetyError, match="direct: false"), claim(target, direct=True):
                pass
            assert list(target.iterdir()) == []
            with claim(target, direct=False) as file:
                file.remove()
    finally:
        subprocess.run(["umount", target], check=True)
