"""A device on a host, held for a sweep by a program that answers line by line.

Whether it may be written is judged where perfkit runs, by the same rules as for a device there;
this program claims it and says what is known of it. It ends, and lets the device go, when perfkit
closes its input or is gone.

This module is also sent as text, after the probe and ``remote_file``, to a remote host's
``python3`` (3.6 or later).
"""

from __future__ import annotations

import errno
import json
import os
import sys

from perfkit.measure.probe import ask
from perfkit.measure.target import identity, owned, remote_file


class DeviceHolder:
    """What one session does for one device of its host."""

    def __init__(self, directory: str, writes: bool) -> None:
        self.directory, self.writes = directory, writes
        self.handle = -1

    def take(self, port: int) -> remote_file.Message:
        """Claim the device: while it is to be written nobody else can mount or claim it."""
        path = os.path.realpath(self.directory)
        flags = os.O_RDONLY | os.O_CLOEXEC | (os.O_EXCL if self.writes else 0)
        try:
            self.handle = os.open(path, flags)
        except OSError as problem:
            if problem.errno == errno.EBUSY:
                said = path + ": something else has just claimed this device"
                raise owned.InUseError(said) from problem
            raise
        here = remote_file.serves_here(port)
        given = identity.descriptor(self.handle) if here else None
        return {"given": given, "path": path, **self.check()}

    def check(self) -> remote_file.Message:
        """What is known of the device just now, and whether its name still leads to it."""
        device = os.stat(os.path.realpath(self.directory)).st_rdev
        return {
            "facts": ask.target(self.directory, held=self.writes),
            "same": os.fstat(self.handle).st_rdev == device,
        }


ACTIONS: remote_file.Message = {"take": DeviceHolder.take, "check": DeviceHolder.check}


def main() -> None:
    """Answer requests until there are no more; the first says what is held."""
    lines = iter(sys.stdin.buffer.readline, b"")
    remote_file.serve(DeviceHolder(**json.loads(next(lines))), ACTIONS, lines)
