"""The identity of an open file: no other file has it, even one that later takes its name or inode.

This module is also sent as text to a remote host's ``python3`` (3.6 or later): it imports the
standard library only.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfkit.measure.target.forms import IdentityRecord

_EMPTY_PATH, _FILE_ID = 0x1000, 0x200
_MAX_HANDLE = 128


def kernel_handle(handle: int) -> tuple[str | None, str | None]:
    """The kernel's handle of an open file, or None and why it gives none.

    It names the inode and its generation: an inode number that is used again has another handle.
    Where a file system has no handles that can be opened, newer kernels give one for comparison.
    """
    try:
        call = ctypes.CDLL(None, use_errno=True).name_to_handle_at
    except (AttributeError, OSError):
        return None, "this system has no name_to_handle_at"
    why = "none"
    for kind, flags in (("", 0), ("id:", _FILE_ID)):
        buffer = ctypes.create_string_buffer(8 + _MAX_HANDLE)
        struct.pack_into("=Ii", buffer, 0, _MAX_HANDLE, 0)
        if not call(handle, b"", buffer, ctypes.byref(ctypes.c_int()), _EMPTY_PATH | flags):
            size, form = struct.unpack_from("=Ii", buffer, 0)
            return f"{kind}{form}:{buffer.raw[8 : 8 + size].hex()}", None
        if not kind:
            why = os.strerror(ctypes.get_errno())
    return None, why


def mount_of(handle: int) -> int | None:
    """The number of the mount through which a file was opened; None where there is no /proc."""
    try:
        with open(f"/proc/self/fdinfo/{handle}", encoding="ascii") as file:
            found = re.search(r"^mnt_id:\s*(\d+)", file.read(), re.M)
    except OSError:
        return None
    return int(found.group(1)) if found else None


def mount_line(mount: int | None) -> tuple[str | None, frozenset[str]]:
    """The type of the file system of a mount, and its options; see proc_pid_mountinfo(5)."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if mount is not None and line.startswith(f"{mount} "):
                    own, _, after = line.partition(" - ")
                    words = after.split()
                    return words[0], frozenset([*own.split()[5].split(","), *words[-1].split(",")])
    except (OSError, IndexError):
        pass
    return None, frozenset()


class Identity:
    """The identity of an open file: equal for one file through one mount, and for nothing else."""

    def __init__(self, handle: int) -> None:
        facts = os.fstat(handle)
        self.kernel, self.why_no_kernel = kernel_handle(handle)
        self.mount = mount_of(handle)
        self.device = f"{os.major(facts.st_dev)}:{os.minor(facts.st_dev)}"
        self.inode = facts.st_ino
        self.filesystem_id = getattr(os.fstatvfs(handle), "f_fsid", None)

    def same(self, other: Identity) -> bool:
        """Whether both are one file, while one of them is open."""
        return all(
            getattr(self, name) == getattr(other, name)
            for name in ("device", "inode", "mount", "kernel")
        )

    def record(self) -> IdentityRecord:
        """The part that a later call can compare with."""
        return {"handle": self.kernel, "device": self.device, "filesystem_id": self.filesystem_id}

    def mismatch(self, record: Any, boot: Any) -> str | None:
        """Why the record of an earlier call does not name this file; None: it does.

        The device's number is compared only within one boot of the machine.
        """
        if not isinstance(record, dict):
            return "its record is damaged"
        if self.kernel is None:
            return f"the file system gives no handle ({self.why_no_kernel})"
        if record.get("handle") != self.kernel:
            return "the kernel's handle is another file's"
        elsewhere = record.get("filesystem_id") != self.filesystem_id
        if elsewhere or (boot == boot_id() and record.get("device") != self.device):
            return "it is on another file system"
        return None


def descriptor(handle: int) -> str | None:
    """The path that leads to an open file from any process of this user; None without /proc."""
    path = f"/proc/{os.getpid()}/fd/{handle}"
    try:
        return path if os.path.samestat(os.stat(path), os.fstat(handle)) else None
    except OSError:
        return None


def boot_id() -> str | None:
    """The id of this boot of the machine."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return None
