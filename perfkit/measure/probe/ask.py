"""Everything about a host and a target in one answer, which ``program`` prints."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
from pathlib import Path

from perfkit.measure.probe import device, machine, mounts, storage
from perfkit.measure.probe.read import ROOT, Facts, Names, answer
from perfkit.measure.probe.watch import watch

FORMAT = 1


def ask(path: str, *, tools: tuple[str, ...] = (), held: bool = False) -> Facts:
    """``target``: what is judged before writing; ``host``, ``storage``, ``tools``: for the record.

    ``held`` says that this process holds the target device exclusively already.
    """
    found = target(path, held=held)
    return {
        "format": FORMAT,
        "host": machine.machine(ROOT),
        "target": found,
        "storage": storage_of(found),
        "tools": {name: tool(name) for name in tools},
    }


def target(path: str, *, held: bool = False) -> Facts:
    """The facts about a target that the caller judges; symbolic links are followed and reported.

    ``kind``: "missing", "device", "directory" or "other".
    """
    given = Path(path)
    real = Path(os.path.realpath(path))
    found: Facts = {"asked": path, "path": str(real)}
    try:
        mode = given.stat().st_mode
    except OSError as problem:
        return {**found, "kind": "missing", "reason": problem.strerror}
    if stat.S_ISBLK(mode):
        number = f"{os.major(real.stat().st_rdev)}:{os.minor(real.stat().st_rdev)}"
        return {
            **found,
            "kind": "device",
            **device.facts(ROOT, number),
            **device.live_facts(real, held=held),
        }
    if stat.S_ISDIR(mode):
        mount = mounts.mount_of(ROOT, real)
        return {
            **found,
            "kind": "directory",
            "writable": os.access(str(real), os.W_OK | os.X_OK),
            "mount_point": mount["point"] if mount else None,
        }
    return {**found, "kind": "other"}


def storage_of(found: Facts) -> Facts | None:
    """The facts about the storage under a target."""
    if found["kind"] == "device":
        return storage.raw(ROOT, found["number"] or found["name"])
    return storage.under(ROOT, Path(found["path"])) if found["kind"] == "directory" else None


def tool(name: str) -> Facts | None:
    """The first line of a tool's ``--version``, and its program's hash; None: not installed."""
    place = shutil.which(name)
    if place is None:
        return None
    said = (answer(place, "--version") or "").strip().splitlines()
    try:
        digest = hashlib.sha256(Path(place).read_bytes()).hexdigest()
    except OSError:
        digest = None
    return {"version": said[0].strip() if said else None, "sha256": digest}


def main(arguments: Names) -> None:
    """Answer a request: a JSON object with ``path`` and ``tools``, or ``watch``."""
    request = json.loads(arguments[0])
    if "watch" in request:
        watch(request["watch"])
        return
    found = ask(request["path"], tools=tuple(request.get("tools", ())))
    json.dump(found, sys.stdout)
    sys.stdout.write("\n")
