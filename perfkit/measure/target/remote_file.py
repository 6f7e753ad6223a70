"""perfkit's own target file on a host, held for a sweep by a program that answers line by line.

A session of this program holds the file (``owned``) open and answers one line of JSON for each
line of JSON it is sent. It ends, and closes the file, when perfkit closes its input or is gone.

This module is also sent as text, after ``owned`` and ``earlier``, to a remote host's ``python3``
(3.6 or later).
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, Dict

from perfkit.measure.target import earlier, owned

if TYPE_CHECKING:
    from perfkit.measure.target.forms import Proof, Taken

Message = Dict[str, Any]
"""A request, or the answer to it."""

GRACE_S = 5.0
_LISTENS = "0A"


class Holder:
    """What one session does for one directory of its host."""

    def __init__(self, directory: str, file: str, size: int) -> None:
        self.directory, self.file, self.size = os.path.realpath(directory), file, size
        self.held: owned.Owned | None = None

    def find(self) -> Message:
        """Fitting files of earlier sweeps that are provably perfkit's; and those unproved."""
        own, left = earlier.found_in(self.directory)
        fit = [one for one in own if (one["file"], one["size"]) == (self.file, self.size)]
        return {"own": fit, "left_over": left}

    def take(
        self,
        directory: str,
        reserve: int,
        alone: bool,
        token: str | None,
        port: int,
    ) -> Taken:
        """Hold the file in perfkit's directory of that name; make both where there are none.

        ``token`` is the one of this sweep's file on the hosts before, which may share it.
        """
        there = os.path.lexists(os.path.join(self.directory, directory))
        if there:
            self.held = owned.adopt(self.directory, directory, token)
        if not (self.held and self.held.laid_out):
            self._check_room(self.size - (self.held.allocated_bytes() if self.held else 0), reserve)
        if not self.held:
            self.held = owned.make(self.directory, self.file, self.size, directory)
        if alone:
            self.held.lock()
        return {
            "laid_out": self.held.laid_out,
            "path": self.held.path,
            "given": self.held.given if serves_here(port) else None,
            "token": self.held.token_sha256,
            "facts": self.held.facts(),
        }

    def _check_room(self, needed: int, reserve: int) -> None:
        room = os.statvfs(self.directory)
        free = room.f_bavail * room.f_frsize
        if free < needed + reserve:
            raise owned.OwnedError(
                f"{self.directory}: {free / 2**20:.0f} MiB free, but the target file needs "
                f"{needed / 2**20:.0f} MiB and {reserve / 2**20:.0f} MiB must stay free"
            )

    def check(self, wrote: bool) -> Proof:
        """What is proved of the file just now."""
        return self._own.check(wrote)

    def laid_out(self) -> Message:
        """Note that the whole file has been written."""
        self._own.mark_laid_out()
        return {}

    def remove(self) -> Message:
        """Remove the file and its directory."""
        self._own.remove()
        return {}

    def stop(self) -> Message:
        """End every fio that has such a file open: SIGINT, a few seconds, SIGKILL; how many."""
        found = users(self.directory, self.file)
        for number in (signal.SIGINT, signal.SIGKILL):
            for pid in users(self.directory, self.file):
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            until = time.monotonic() + GRACE_S
            while users(self.directory, self.file) and time.monotonic() < until:
                time.sleep(0.05)
        return {"stopped": len(found), "left": len(users(self.directory, self.file))}

    @property
    def _own(self) -> owned.Owned:
        if self.held is None:
            raise owned.OwnedError(self.directory + ": no file is held")
        return self.held


def users(directory: str, file: str) -> list[int]:
    """The fio processes that have such a file of perfkit's open, also where it was removed."""
    name = re.compile(
        re.escape(directory) + r"/perfkit-[0-9a-f]{16}/" + re.escape(file) + r"( \(deleted\))?$"
    )
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal() and _uses(entry, name)]


def _uses(entry: str, name: Any) -> bool:
    folder = "/proc/" + entry
    try:
        with open(folder + "/comm") as file:
            if file.read().strip() != "fio":
                return False
        return any(name.match(os.readlink(handle)) for handle in _handles(folder))
    except OSError:
        return False


def _handles(folder: str) -> list[str]:
    return [os.path.join(folder, "fd", item) for item in os.listdir(folder + "/fd")]


def serves_here(port: int) -> bool:
    """Whether the server at a port is a process that finds our ``/proc/PID/fd``.

    A server in a container has its own process numbers, which would lead to other files. A server
    that cannot be seen counts as one in a container.
    """
    sockets = _listening(port)
    try:
        own = os.readlink("/proc/self/ns/pid")
    except OSError:
        return False
    for entry in os.listdir("/proc") if sockets else []:
        folder = "/proc/" + entry
        try:
            if entry.isdecimal() and any(os.readlink(h) in sockets for h in _handles(folder)):
                return os.readlink(folder + "/ns/pid") == own
        except OSError:
            continue
    return False


def _listening(port: int) -> set[str]:
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue
        for row in rows:
            if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port:
                found.add(f"socket:[{row[9]}]")
    return found


def answer(holder: Any, actions: Message, request: Message) -> Message:
    """The answer to one request: an action's result, or the reason it has none."""
    action = request.pop("action")
    try:
        return dict(actions[action](holder, **request))
    except owned.OwnedError as problem:
        return {"error": str(problem), "in_use": isinstance(problem, owned.InUseError)}
    except OSError as problem:
        named = problem.filename or holder.directory
        return {"error": f"{named}: {problem.strerror}", "in_use": False}


ACTIONS: Message = {
    "find": Holder.find,
    "take": Holder.take,
    "check": Holder.check,
    "laid_out": Holder.laid_out,
    "remove": Holder.remove,
    "stop": Holder.stop,
}


def main() -> None:
    """Answer requests until there are no more; the first says what is held."""
    lines = iter(sys.stdin.buffer.readline, b"")
    first = json.loads(next(lines))
    serve(Holder(first["directory"], first["file"], first["size"]), ACTIONS, lines)


def serve(holder: Any, actions: Message, lines: Any) -> None:
    """Answer each line, until there are no more."""
    for line in lines:
        request = json.loads(line)
        number = request.pop("number")
        found = answer(holder, actions, request)
        sys.stdout.write(json.dumps({**found, "number": number}) + "\n")
        sys.stdout.flush()
