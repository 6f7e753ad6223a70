"""Whether every block of an open file has been written: the kernel lists its extents and holes.

This module is also sent as text to a remote host's ``python3`` (3.6 or later): it imports the
standard library only.
"""

from __future__ import annotations

import fcntl
import os
import struct
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.measure.target.forms import Abilities

MOST_EXTENTS = 16384
EXTENTS_AT_ONCE = 512
LOOK_S = 0.02
"""After this many seconds or extents the rest of a file is searched only for holes."""

_FIEMAP, _SYNC, _LAST, _UNWRITTEN = 0xC020660B, 0x1, 0x1, 0x800
_HEAD, _EXTENT = struct.Struct("=QQIIII"), struct.Struct("=QQQQQIIII")


def first_gap(handle: int, size: int, sync: bool) -> tuple[int | None, int]:
    """The first byte below ``size`` that no written extent holds, and how far was looked.

    The first is None where there is no such byte. OSError where the file system lists no extents.
    """
    at, seen, until = 0, 0, time.monotonic() + LOOK_S
    while at < size and seen < MOST_EXTENTS and (seen == 0 or time.monotonic() < until):
        buffer = bytearray(_HEAD.size + EXTENTS_AT_ONCE * _EXTENT.size)
        _HEAD.pack_into(buffer, 0, at, size - at, _SYNC if sync else 0, 0, EXTENTS_AT_ONCE, 0)
        fcntl.ioctl(handle, _FIEMAP, buffer)
        count = _HEAD.unpack_from(buffer)[3]
        if not count:
            return at, at
        for number in range(count):
            extent = _EXTENT.unpack_from(buffer, _HEAD.size + number * _EXTENT.size)
            first, length, flags = extent[0], extent[2], extent[5]
            if first > at or flags & _UNWRITTEN:
                return at, at
            at = first + length
            if flags & _LAST and at < size:
                return at, at
        seen += count
    return None, min(at, size)


def abilities(handle: int, size: int) -> Abilities:
    """Whether the file system reports extents and holes: tried on a new file, which is one hole."""
    found: Abilities = {"extents": False, "holes": False, "why": None}
    try:
        found["extents"] = first_gap(handle, size, False) == (0, 0)
        found["why"] = "it lists extents of an empty file"
    except OSError as problem:
        found["why"] = problem.strerror
    try:
        found["holes"] = os.lseek(handle, 0, os.SEEK_HOLE) == 0
    except (OSError, AttributeError):
        pass
    return found
