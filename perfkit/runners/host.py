"""Facts about the host and the target that shape a result: read from /proc and /sys, no root.

A fact that cannot be read is null. No host name, user name, serial number or absolute path.
"""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path
from typing import Any

import psutil

_CPUINFO = Path("/proc/cpuinfo")
_MOUNTS = Path("/proc/self/mountinfo")
_OS_RELEASE = Path("/etc/os-release")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_DMI = Path("/sys/class/dmi/id")
_BLOCK = Path("/sys/dev/block")

MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
"""File systems that live in memory: a measurement on them says nothing about storage."""


def host_facts() -> dict[str, Any]:
    """Kernel, system, CPU, memory and virtualisation of this machine."""
    cpu = cpu_facts(_text(_CPUINFO) or "")
    return {
        "kernel": f"{platform.system()} {platform.release()}",
        "os": os_name(_text(_OS_RELEASE) or "") or platform.platform(terse=True),
        "architecture": platform.machine(),
        "cpu_model": cpu["model"],
        "cpu_sockets": cpu["sockets"],
        "cpu_cores": psutil.cpu_count(logical=False),
        "cpu_threads": psutil.cpu_count(),
        "cpu_governor": _text(_GOVERNOR),
        "memory_bytes": psutil.virtual_memory().total,
        "virtual_machine": cpu["hypervisor"],
        "product": _product(),
    }


def cpu_facts(cpuinfo: str) -> dict[str, Any]:
    """Model, sockets and whether a hypervisor is under us, from the text of /proc/cpuinfo."""
    lines = [line.partition(":") for line in cpuinfo.splitlines()]
    fields = [(key.strip(), value.strip()) for key, _, value in lines]
    models = [value for key, value in fields if key == "model name"]
    sockets = {value for key, value in fields if key == "physical id"}
    flags = [value.split() for key, value in fields if key == "flags"]
    return {
        "model": models[0] if models else None,
        "sockets": len(sockets) or None,
        "hypervisor": "hypervisor" in flags[0] if flags else None,
    }


def os_name(os_release: str) -> str | None:
    """The PRETTY_NAME of /etc/os-release."""
    for line in os_release.splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip().strip('"') or None
    return None


def target_facts(directory: Path) -> dict[str, Any]:
    """File system, mount options and block device under a directory."""
    mount = _mount_of(directory)
    return {
        "filesystem": mount["filesystem"],
        "mount_options": mount["options"],
        "device": device_facts(directory, mount["source"]),
    }


def _mount_of(directory: Path) -> dict[str, Any]:
    full = str(directory.resolve())
    inside = [
        mount
        for mount in map(_mount, (_text(_MOUNTS) or "").splitlines())
        if mount and (full + "/").startswith(mount["point"].rstrip("/") + "/")
    ]
    # of mounts on the same point, the last one covers the others
    longest = max(
        enumerate(inside), key=lambda item: (len(item[1]["point"]), item[0]), default=None
    )
    return longest[1] if longest else {"filesystem": None, "options": None, "source": None}


def _mount(line: str) -> dict[str, Any] | None:
    """One line of mountinfo: ``id parent dev root point options [fields] - type source super``.

    Source of the format: proc_pid_mountinfo(5). Options that name a path are left out.
    """
    own, dash, rest = line.partition(" - ")
    fields, after = own.split(), rest.split()
    if not dash or len(fields) < 6 or len(after) < 3:  # noqa: PLR2004 - the fields named above
        return None
    options = dict.fromkeys([*fields[5].split(","), *after[2].split(",")])
    return {
        "point": _unescaped(fields[4]),
        "filesystem": after[0],
        "source": after[1],
        "options": ",".join(option for option in options if "/" not in option),
    }


def _unescaped(text: str) -> str:
    """Blanks and backslashes stand in mountinfo as octal numbers."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def device_facts(directory: Path, source: str | None) -> dict[str, Any] | None:
    """The block device under a directory, from /sys; None where there is none (tmpfs, NFS)."""
    folder = _device_folder(directory, source)
    if folder is None:
        return None
    queue = folder / "queue"
    scheduler = _text(queue / "scheduler")
    return {
        "name": folder.name,
        "model": _text(folder / "device" / "model"),
        "size_bytes": _scaled(folder / "size", 512),
        "rotational": _flag(queue / "rotational"),
        "scheduler": _chosen(scheduler),
        "nr_requests": _number(queue / "nr_requests"),
        "write_cache": _text(queue / "write_cache"),
        "logical_block_bytes": _number(queue / "logical_block_size"),
        "physical_block_bytes": _number(queue / "physical_block_size"),
    }


def _device_folder(directory: Path, source: str | None) -> Path | None:
    """The device's folder in /sys; of a partition, the whole disk's."""
    numbers = [directory.stat().st_dev]
    if source and source.startswith("/dev/"):
        # btrfs and others number their file systems apart from the device
        with contextlib.suppress(OSError):
            numbers.append(Path(source).stat().st_rdev)
    for number in numbers:
        folder = _BLOCK / f"{os.major(number)}:{os.minor(number)}"
        if folder.exists():
            real = folder.resolve()
            return real.parent if (real / "partition").exists() else real
    return None


def _product() -> str | None:
    words = [_text(_DMI / "sys_vendor"), _text(_DMI / "product_name")]
    return " ".join(word for word in words if word) or None


def _chosen(scheduler: str | None) -> str | None:
    """The scheduler in use stands in brackets: ``none [mq-deadline] kyber``."""
    if scheduler is None or "[" not in scheduler:
        return scheduler
    return scheduler.partition("[")[2].partition("]")[0]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text and text.isdigit() else None


def _scaled(path: Path, unit: int) -> int | None:
    number = _number(path)
    return None if number is None else number * unit


def _flag(path: Path) -> bool | None:
    number = _number(path)
    return None if number is None else bool(number)
