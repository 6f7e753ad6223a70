"""Emptying the page cache of the target, and checking that it is empty.

Pages that are dirty, mapped or locked stay when the cache is dropped. So the target's cached pages
are counted (mincore) before and after.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
from pathlib import Path

from perfkit.core.errors import RunError
from perfkit.core.files import Json

DROP = Path("/proc/sys/vm/drop_caches")
_ODD = bytes(number & 1 for number in range(256))
_MAP_SHARED, _PROT_READ = 1, 1


def drop(path: Path, size: int, held: int | None = None) -> Json:
    """Empty the cache of a target; returns what was found, for the point's record.

    ``held`` is a descriptor of the target, if there is one: its name may lead elsewhere by now.

    Its dirty pages are written first. Root also drops what else the kernel caches (inodes,
    directory entries). RunError if pages of the target are still there: what is measured then
    would be memory.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC) if held is None else os.dup(held)
    try:
        before = resident_bytes(handle, size)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        whole = False
        with contextlib.suppress(OSError):
            DROP.write_text("3\n", encoding="ascii")
            whole = True
        after = resident_bytes(handle, size)
    finally:
        os.close(handle)
    if after:
        raise RunError(
            f"{path}: {after} of {size} bytes are still in the page cache after it was dropped: "
            "another program holds them"
        )
    return {"resident_before_bytes": before, "resident_after_bytes": after, "whole_host": whole}


def resident_bytes(handle: int, size: int) -> int:
    """Bytes of an open file that are in the page cache, in whole pages."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    pages = -(-size // mmap.PAGESIZE)
    seen = (ctypes.c_ubyte * pages)()
    address = libc.mmap(None, size, _PROT_READ, _MAP_SHARED, handle, 0)
    if address in {None, ctypes.c_void_p(-1).value}:
        raise RunError(f"cannot look into the page cache: {os.strerror(ctypes.get_errno())}")
    where, length = ctypes.c_void_p(address), ctypes.c_size_t(size)
    try:
        if libc.mincore(where, length, seen):
            raise RunError(f"cannot look into the page cache: {os.strerror(ctypes.get_errno())}")
    finally:
        libc.munmap(where, length)
    return bytes(seen).translate(_ODD).count(1) * mmap.PAGESIZE
