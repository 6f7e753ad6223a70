"""perfkit's own target file on a host, and what a killed sweep left at work on it.

This module is also sent as text to a remote host's ``python3`` (3.7 or later): it imports the
standard library only. The marker beside the file is the one that ``safety.files`` writes.
"""

# a program of its own, for Pythons that lack the newer ways
# ruff: noqa: PTH105, PTH108, PTH110, PTH115, PTH118, PTH123, PTH208, SIM105, T201
from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

GRACE_S = 5.0


def make(path: str, size: int) -> dict[str, Any]:
    """The file of that size: newly made, or perfkit's own; whether it is laid out."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return {"laid_out": bool(_own(path, size)["laid_out"])}
    try:
        os.ftruncate(handle, size)
    finally:
        os.close(handle)
    _mark(path, size, laid_out=False)
    return {"laid_out": False}


def laid_out(path: str, size: int) -> dict[str, Any]:
    """Record that the whole file has been written."""
    _own(path, size)
    _mark(path, size, laid_out=True)
    return {}


def remove(path: str, size: int) -> dict[str, Any]:
    """Remove the file and its marker, if they are perfkit's own."""
    if os.path.lexists(path):
        _own(path, size)
        os.unlink(path)
    if os.path.exists(_marker(path)):
        os.unlink(_marker(path))
    return {}


def stop(path: str, _size: int) -> dict[str, Any]:
    """End every fio that has the file open: SIGINT, a few seconds, SIGKILL; how many there were."""
    found = _users(path)
    for number in (signal.SIGINT, signal.SIGKILL):
        for pid in _users(path):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        until = time.monotonic() + GRACE_S
        while _users(path) and time.monotonic() < until:
            time.sleep(0.05)
    return {"stopped": len(found), "left": len(_users(path))}


def _users(path: str) -> list[int]:
    """The fio processes that have the file open."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and _uses(entry, path)]


def _uses(entry: str, path: str) -> bool:
    folder = "/proc/" + entry
    try:
        name = Path(folder, "comm").read_text().strip()
        if name != "fio":
            return False
        return any(
            os.readlink(os.path.join(folder, "fd", item)) == path
            for item in os.listdir(os.path.join(folder, "fd"))
        )
    except OSError:
        return False


def _marker(path: str) -> str:
    return path + ".perfkit.json"


def _own(path: str, size: int) -> dict[str, Any]:
    """The marker, if it names this very file; else the program ends with the reason."""
    facts = os.lstat(path)
    try:
        marker = json.loads(Path(_marker(path)).read_text())
    except (OSError, ValueError):
        marker = {}
    same = {"made_by": "perfkit", "inode": facts.st_ino, "file_bytes": size}
    if any(marker.get(name) != value for name, value in same.items()):
        raise SystemExit(path + ": exists, and nothing shows that perfkit made it")
    return dict(marker)


def _mark(path: str, size: int, *, laid_out: bool) -> None:
    record = {
        "format": 1, "made_by": "perfkit", "file_bytes": size, "inode": os.lstat(path).st_ino,
        "laid_out": laid_out,
    }  # fmt: skip
    fresh = _marker(path) + ".new"
    with open(fresh, "x") as file:
        file.write(json.dumps(record) + "\n")
    os.replace(fresh, _marker(path))


ACTIONS = {"make": make, "laid_out": laid_out, "remove": remove, "stop": stop}


def main(request: str) -> None:
    """Do one action and print its answer as JSON."""
    asked = json.loads(request)
    path = os.path.join(os.path.realpath(asked["directory"]), asked["file"])
    print(json.dumps(ACTIONS[asked["action"]](path, asked["size"])))


if __name__ == "__main__":
    main(sys.argv[1])
