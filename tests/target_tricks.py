"""What somebody may do to perfkit's own file: each a function of it and of a file of the user's.

Tests do each of them between the points of a sweep, the bench at random moments.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from perfkit.measure.target.owned import TOKEN_BYTES

SIZE = 8 << 20
WHOLE = SIZE + TOKEN_BYTES


def call(*argv):
    subprocess.run([str(word) for word in argv], capture_output=True, text=True, check=True)


def removed(own, _theirs):
    own.unlink()


def made_of_holes(own, _theirs):
    own.unlink()
    with own.open("wb") as file:
        file.truncate(WHOLE)


def truncated_and_grown(own, _theirs):
    os.truncate(own, 0)
    os.truncate(own, WHOLE)


def punched(own, _theirs):
    call("fallocate", "-p", "-o", "1MiB", "-l", "64KiB", own)


def never_written(own, _theirs):
    call("fallocate", "-z", "-o", "1MiB", "-l", "64KiB", own)


def replaced(own, theirs):
    own.unlink()
    shutil.copy(theirs, own)


def renamed_over(own, theirs):
    copy = own.parent / "x"
    shutil.copy(theirs, copy)
    copy.replace(own)


def copied_over(own, theirs):
    own.write_bytes(theirs.read_bytes())


def linked(own, theirs):
    own.unlink()
    own.symlink_to(theirs)


def hard_linked(own, theirs):
    own.unlink()
    own.hardlink_to(theirs)


def a_second_name(own, theirs):
    (theirs.parent / f"second-{os.getpid()}").hardlink_to(own)


def directory_exchanged(own, theirs):
    """The marker is copied along, with every attribute and time."""
    folder = own.parent
    call("cp", "-a", folder, folder.with_name("copy"))
    folder.rename(theirs.parent / "moved")
    folder.with_name("copy").rename(folder)


def data_exchanged_with_marker_kept(own, theirs):
    """The file is another, at the same inode number if the file system gives it again."""
    number = own.stat().st_ino
    own.unlink()
    for _ in range(20):
        shutil.copy(theirs, own)
        if own.stat().st_ino == number:
            break
        own.unlink()
    else:
        shutil.copy(theirs, own)


TRICKS = [
    removed, made_of_holes, truncated_and_grown, punched, never_written, replaced, renamed_over,
    copied_over, linked, hard_linked, a_second_name, directory_exchanged,
    data_exchanged_with_marker_kept,
]  # fmt: skip
