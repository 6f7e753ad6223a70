"""How this process uses the memory of the machine."""

from __future__ import annotations

import contextlib

LARGE_BYTES = 256 * 1024
"""From this size on a block is given back when it is freed."""

_M_MMAP_THRESHOLD = -3
"""The parameter of ``mallopt`` (malloc.h of glibc)."""


def give_large_blocks_back() -> bool:
    """Have the C library give large blocks back when they are freed; whether it took that.

    glibc keeps what it was once asked for: after a few megabytes of text, such as a report's page,
    blocks of up to 32 MB stay in its heaps. That was 60 of 424 MiB for a series of 1,000 reports.
    Other C libraries have no such call, and need none.
    """
    import ctypes

    with contextlib.suppress(AttributeError, OSError, TypeError):
        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES))
    return False
