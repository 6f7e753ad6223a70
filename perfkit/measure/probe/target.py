"""A target as a host sees it: a device, a folder, or nothing that can be measured."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from perfkit.measure.probe import device, mounts
from perfkit.measure.probe.read import ROOT, Facts


def target(path: str, *, held: bool = False) -> Facts:
    """The facts about a target that the caller judges; symbolic links are followed and told.

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
        return {**found, "kind": "directory", **_directory(real)}
    return {**found, "kind": "other"}


def _directory(real: Path) -> Facts:
    mount = mounts.mount_of(ROOT, real)
    return {
        "writable": os.access(str(real), os.W_OK | os.X_OK),
        "free_bytes": mounts.free_bytes(real),
        "filesystem": mount["filesystem"] if mount else None,
    }
