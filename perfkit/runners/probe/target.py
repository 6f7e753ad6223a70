"""A target as a host sees it: a device, a folder, or nothing that can be measured."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from perfkit.runners.probe import device, mounts
from perfkit.runners.probe.read import ROOT, Facts


def target(path: str, file: str | None = None, *, held: bool = False) -> Facts:
    """The facts about a target that the caller judges; symbolic links are followed and told.

    ``kind``: "missing", "device", "directory" or "other". ``file`` is the name of the file that
    is to be measured in a directory.
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
        return {**found, "kind": "directory", **_directory(real, file)}
    return {**found, "kind": "other"}


def _directory(real: Path, file: str | None) -> Facts:
    mount = mounts.mount_of(ROOT, real)
    return {
        "writable": os.access(str(real), os.W_OK | os.X_OK),
        "free_bytes": mounts.free_bytes(real),
        "filesystem": mount["filesystem"] if mount else None,
        "file": _file(real / file) if file else None,
    }


def _file(path: Path) -> Facts:
    """Whether the file is there, and what its marker says."""
    try:
        facts = path.lstat()
    except OSError:
        return {"exists": False, "marker": _marker(path)}
    return {
        "exists": True,
        "regular": stat.S_ISREG(facts.st_mode),
        "inode": facts.st_ino,
        "size_bytes": facts.st_size,
        "allocated_bytes": facts.st_blocks * 512,
        "marker": _marker(path),
    }


def _marker(path: Path) -> Facts | None:
    marker = path.with_name(path.name + ".perfkit.json")
    if not os.path.lexists(str(marker)):
        return None
    try:
        found = json.loads(marker.read_bytes().decode("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
