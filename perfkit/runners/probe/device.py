"""Everything that must be known before a device may be overwritten."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from perfkit.runners.probe import block, mounts
from perfkit.runners.probe.read import Facts, Names, answer, entries, number, text

PROBERS = ("systemd-udevd", "(udev-worker)", "udevd", "blkid")
"""Processes that look at every device for a moment after it was written to."""

EDGE = 1 << 20
"""Bytes at each end of a device that are looked at for contents."""


def facts(root: Path, device: str) -> Facts:
    """What /sys and /proc say about a device, by number ("8:16") or name; see ``judge``.

    ``mounted``, ``swaps`` and ``holders`` are of the device itself, of its partitions or the disk
    it is a partition of, and of disks with the same world-wide name.
    """
    folder = block.folder_of(root, device)
    if folder is None:
        return {"known": False, "name": device}
    disk = block.disk_of(folder)
    family = _family(root, folder, disk)
    names = [member.name for member in family]
    return {
        "known": True,
        "name": folder.name,
        "number": text(folder / "dev"),
        "what": block.kind_of(folder),
        "disk": disk.name,
        "partition": block.partition_number(folder),
        "size_bytes": block.size_bytes(folder),
        "logical_block_bytes": number(disk / "queue/logical_block_size"),
        "read_only": block.read_only(folder),
        **block.identity(root, folder),
        "partitions": [] if disk != folder else [p.name for p in block.partitions_of(disk)],
        "mounted": _mounted(root, names),
        "swaps": [name for name in mounts.swaps(root) if name in names],
        "holders": _holders(root, family),
        "exported": mounts.exported(root, names),
        "twins": [twin.name for twin in block.twins_of(root, disk)],
        "disks": block.disks_beneath(root, folder),
        "system": mounts.system_disks(root),
    }


def _family(root: Path, folder: Path, disk: Path) -> list[Path]:
    """The devices whose use forbids writing to this one."""
    near = [folder, disk] if folder != disk else [disk, *block.partitions_of(disk)]
    twins = block.twins_of(root, disk)
    return near + [part for twin in twins for part in [twin, *block.partitions_of(twin)]]


def _mounted(root: Path, names: Names) -> list[Facts]:
    found = [{"device": n, "point": p} for n in names for p in mounts.mounted_on(root, n)]
    points = {mount["device"] for mount in found}
    return found + [
        {"device": n, "point": "a btrfs of several devices"}
        for n in names if n not in points and mounts.in_btrfs(root, n)
    ]  # fmt: skip


def _holders(root: Path, family: list[Path]) -> list[Facts]:
    found = []
    for member in family:
        for name in entries(member / "holders"):
            folder = block.folder_of(root, name)
            what = block.kind_of(folder) if folder else "unknown device"
            found.append({"device": member.name, "holder": name, "what": what})
    return found


def live_facts(path: Path, *, held: bool = False) -> Facts:
    """What only the running system can say: exclusive use, who has it open, what is on it.

    ``held`` says that this process holds the device exclusively already.
    """
    return {
        "exclusive": True if held else _exclusive(path),
        "open_by": open_by(path.stat().st_rdev),
        "signatures": signatures(path),
        "blank": _blank(path),
    }


def _exclusive(path: Path) -> bool | None:
    """Whether nobody else claims it: the kernel refuses O_EXCL where anything is mounted on it."""
    try:
        os.close(os.open(str(path), os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError as problem:
        return False if problem.errno == errno.EBUSY else None
    return True


def open_by(device: int) -> Names | None:
    """The processes that have a device open, but for this one; None where they cannot be seen."""
    if os.geteuid() != 0:
        return None
    found = []
    for pid in filter(str.isdigit, entries(Path("/proc"))):
        if int(pid) == os.getpid():
            continue
        process = Path("/proc") / pid
        name = text(process / "comm") or "?"
        if name not in PROBERS and any(_is(process / "fd" / fd, device)
                                       for fd in entries(process / "fd")):  # fmt: skip
            found.append(f"{name} (pid {pid})")
    return found


def _is(handle: Path, device: int) -> bool:
    try:
        facts = handle.stat()
    except OSError:
        return False
    return stat.S_ISBLK(facts.st_mode) and facts.st_rdev == device


def signatures(path: Path) -> Names | None:
    """The types of file system, volume and partition table on a device; None if unknown.

    Asked of wipefs, which lists every signature, or else of blkid (2: nothing, 8: several).
    """
    listed = answer("wipefs", "--no-act", "--parsable", str(path))
    if listed is not None and _readable(path):
        rows = [line.split(",") for line in listed.splitlines() if line and line[0] != "#"]
        return sorted({row[-1].strip() or "unnamed" for row in rows})
    named = answer("blkid", "--probe", "--output", "export", str(path))
    if named is not None:
        pairs = dict(line.partition("=")[::2] for line in named.splitlines())
        return sorted({pairs[k] for k in ("TYPE", "PTTYPE") if k in pairs}) or ["unnamed"]
    if answer("blkid", "--probe", str(path), codes=(8,)) is not None:
        return ["several"]
    nothing = answer("blkid", "--probe", str(path), codes=(2,)) is not None
    return [] if nothing and _readable(path) else None


def _readable(path: Path) -> bool:
    return _edges(path) is not None


def _blank(path: Path) -> bool | None:
    """Whether the first and last MiB hold nothing but zeros."""
    edges = _edges(path)
    return None if edges is None else not any(edges)


def _edges(path: Path) -> bytes | None:
    try:
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            first = file.read(EDGE)
            file.seek(max(0, size - EDGE))
            return first + file.read(EDGE)
    except OSError:
        return None
