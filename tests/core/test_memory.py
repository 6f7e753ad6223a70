"""What is freed goes back to the machine."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

WORK = """
import sys
from perfkit.core.memory import give_large_blocks_back
assert sys.argv[1] == "0" or give_large_blocks_back()
first = [b"a" * 24_000_000]
del first
texts = [b"a" * 1_000_000 for _ in range(120)]
kept = bytes(1000)
del texts[:119]
pages = int(open("/proc/self/statm").read().split()[1])
print(pages * 4096 // 1_000_000)
"""
"""A large block once, then many of a megabyte, of which all but the last are freed."""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallopt is glibc's")
def test_large_blocks_go_back_to_the_machine_when_they_are_freed():
    """glibc holds those of a megabyte below the last one once it was asked for a larger one."""
    kept, given_back = (
        int(subprocess.run([sys.executable, "-c", WORK, asked], check=True,
                           capture_output=True, text=True).stdout)
        for asked in "01"
    )  # fmt: skip
    if kept < 40:
        pytest.skip("this C library gave the blocks back by itself")
    assert given_back < 40
