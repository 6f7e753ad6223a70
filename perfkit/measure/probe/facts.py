"""Facts about this host and the target that shape a result, as they stand in run.json.

A fact that cannot be read is null. Host name, serial numbers and addresses are among them: a report
shows them, unless it is made with ``--anonymise``. No user name and no path.
"""

from __future__ import annotations

import contextlib
import os
import platform
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from perfkit.core.errors import SafetyError
from perfkit.measure.probe.machine import machine
from perfkit.measure.probe.read import ROOT
from perfkit.measure.probe.storage import raw, under

if TYPE_CHECKING:
    from perfkit.core.files import Json

MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
"""File systems that live in memory: a measurement on them says nothing about storage."""


def host_facts() -> Json:
    """System, CPU, memory, clock and background load of this machine, see ``probe.machine``.

    Where there is no /proc (macOS), what the standard ways of asking know is filled in.
    """
    elsewhere = {
        "hostname": platform.node() or None,
        "kernel": f"{platform.system()} {platform.release()}",
        "os": platform.platform(terse=True),
        "architecture": platform.machine() or None,
        "cpu_cores": psutil.cpu_count(logical=False),
        "cpu_threads": psutil.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
    }
    facts = machine(ROOT)
    return {name: elsewhere.get(name) if value is None else value for name, value in facts.items()}


def target_facts(target: Path) -> Json:
    """File system, mount options and block device under a directory, or of a device.

    See ``probe.storage``; ``device`` is null where there is none (tmpfs, NFS). SafetyError for a
    device node behind which there is no device.
    """
    real, facts = target.resolve(), None
    with contextlib.suppress(OSError):
        facts = real.stat()
    if facts is None or not stat.S_ISBLK(facts.st_mode):
        return under(ROOT, real)
    # by its number: a node may have any name
    number = f"{os.major(facts.st_rdev)}:{os.minor(facts.st_rdev)}"
    found = raw(ROOT, number)
    if found["device"] is None:
        raise SafetyError(
            f"target {target}: the kernel has no block device {number}, to which this node leads"
        )
    return found
