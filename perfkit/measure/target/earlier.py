"""What earlier calls left in a directory: files that are provably perfkit's, and the others.

This module is also sent as text to a remote host's ``python3`` (3.6 or later), after ``owned``:
beside that it imports the standard library only.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from perfkit.measure.target.identity import Identity
from perfkit.measure.target.owned import (
    FOLDER,
    MARKER,
    OPEN,
    OwnedError,
    adopt,
    read_record,
    unlink,
)

if TYPE_CHECKING:
    from perfkit.measure.target.forms import Found

DIRECTORY = re.compile(r"^perfkit-[0-9a-f]{16}$")
_OLD = re.compile(r"^perfkit-[0-9]+(-[a-z0-9]+)?\.dat(\.perfkit\.json.*)?$")
"""What earlier versions made in the named directory itself, without a proof of whose it is."""


def found_in(folder: str) -> tuple[list[Found], list[list[str]]]:
    """Files in a directory that are provably perfkit's; and those that only look so, with why."""
    own: list[Found] = []
    left: list[list[str]] = []
    names = sorted(os.listdir(folder))
    for name in names:
        # a marker goes with its file
        if _OLD.match(name) and (name.endswith(".dat") or name.split(".perfkit")[0] not in names):
            left.append([os.path.join(folder, name), "an earlier version's, which had no proof"])
        if not DIRECTORY.match(name):
            continue
        try:
            if _finish_removal(folder, name):
                continue
            one = adopt(folder, name)
        except OwnedError as problem:
            left.append([os.path.join(folder, name), str(problem)])
            continue
        own.append(
            {"directory": name, "file": one.file, "size": one.size, "laid_out": one.laid_out}
        )
        one.close()
    return own, left


def _finish_removal(folder: str, name: str) -> bool:
    """Finish a removal that was cut short: perfkit's directory holds its record alone."""
    handles = []
    try:
        handles.append(os.open(folder, FOLDER & ~os.O_NOFOLLOW))
        handles.append(os.open(name, FOLDER, dir_fd=handles[0]))
        if os.listdir(handles[1]) != [MARKER]:
            return False
        handles.append(os.open(MARKER, OPEN, dir_fd=handles[1]))
        record = read_record(handles[2])
        if Identity(handles[1]).mismatch(record["directory"], record.get("boot")):
            return False
        unlink(handles[1], MARKER, handles[2])
        os.close(handles.pop())
        os.rmdir(name, dir_fd=handles[0])
    except OSError as problem:
        raise OwnedError(str(problem.strerror)) from problem
    finally:
        for handle in handles:
            os.close(handle)
    return True
