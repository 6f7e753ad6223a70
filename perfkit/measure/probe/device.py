"""Everything that must be known before a device may be overwritten."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from perfkit.measure.probe import block, mounts
from perfkit.measure.probe.read import (
    ROOT,
    Facts,
    Names,
    Text,
    answer,
    entries,
    flag,
    lines,
    number,
    scaled,
    text,
)

PROBERS = ("systemd-udevd", "(udev-worker)", "udevd", "blkid")
"""Processes that look at every device for a moment after it was written to."""

EDGE = 1 << 20
"""Bytes at each end of a device that are looked at for contents."""

SAMPLES, PIECE = 512, 64 << 10
"""Pieces between them, and bytes of each: on a disk that turns they take a few seconds."""


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
        "partition": number(folder / "partition"),
        "size_bytes": scaled(folder / "size", block.SECTOR),
        "logical_block_bytes": number(disk / "queue/logical_block_size"),
        "read_only": flag(folder / "ro"),
        "discard_bytes": number(disk / "queue/discard_max_bytes"),
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
    found = near + [part for twin in twins for part in [twin, *block.partitions_of(twin)]]
    below = block.backing_device(root, disk)
    # what is written to a loop device over a device is written there
    return found + (_family(root, below, block.disk_of(below)) if below else [])


def _mounted(root: Path, names: Names) -> list[Facts]:
    found = [{"device": n, "point": p} for n in names for p in mounts.mounted_on(root, n)]
    points = {mount["device"] for mount in found}
    return found + [
        {"device": n, "point": "a btrfs of several devices"}
        for n in names
        if n not in points and mounts.in_btrfs(root, n)
    ]


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
        "open_by": open_by(path),
        "signatures": signatures(path),
        # asked once: it takes hundreds of reads, and only tells who is asked to agree
        "contents": None if held else contents(path),
    }


def _exclusive(path: Path) -> bool | None:
    """Whether nobody else claims it: the kernel refuses O_EXCL where anything is mounted on it."""
    try:
        os.close(os.open(str(path), os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError as problem:
        return False if problem.errno == errno.EBUSY else None
    return True


def open_by(path: Path) -> Names | None:
    """The processes that have a device open, or the file it lies over, but for this one.

    None where they cannot be seen.
    """
    if os.geteuid() != 0:
        return None
    found, device = [], path.stat().st_rdev
    folder = block.folder_of(ROOT, f"{os.major(device)}:{os.minor(device)}")
    backing = (block.backing_file(ROOT, block.disk_of(folder)) or {}) if folder else {}
    for pid in filter(str.isdigit, entries(Path("/proc"))):
        if int(pid) == os.getpid():
            continue
        process = Path("/proc") / pid
        name = text(process / "comm") or "?"
        uses = {_use(process / "fd" / fd, device, backing) for fd in entries(process / "fd")}
        if name not in PROBERS:
            found += sorted(f"{name} (pid {pid}{use})" for use in uses if use is not None)
    return found


def _use(handle: Path, device: int, backing: Facts) -> Text:
    """How an open file is the device: "" by itself, in words by its backing file; None: it is not.

    A backing file that is only read keeps its contents: whoever reads it is no reason.
    """
    try:
        facts = handle.stat()
        if stat.S_ISBLK(facts.st_mode):
            return "" if facts.st_rdev == device else None
        if not backing.get("node") or [facts.st_dev, facts.st_ino] != backing["node"]:
            return None
        mode = dict(
            line.partition(":")[::2]
            for line in lines(handle.parent.parent / "fdinfo" / handle.name)
        )
        writes = int(mode.get("flags", "0").strip() or "0", 8) & (os.O_WRONLY | os.O_RDWR)
    except (OSError, ValueError):
        return None
    return ", its backing file, for writing" if writes else None


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


def contents(path: Path) -> Facts | None:
    """Whether samples over the whole device hold anything but zeros; None if it cannot be read.

    Sampled are the edges, and ``SAMPLES`` pieces at even distances between them; reading ends at
    the first that holds something. ``sampled_bytes`` is how much was read of ``size_bytes``.
    """
    try:
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            step = max(PIECE, size // SAMPLES // PIECE * PIECE)
            pieces = [(0, EDGE), (max(0, size - EDGE), EDGE)]
            pieces += [(place, PIECE) for place in range(0, size, step)]
            read = 0
            for place, length in pieces:
                file.seek(place)
                found = file.read(length)
                read += len(found)
                if any(found):
                    return {"zero": False, "samples": 0, "sampled_bytes": read, "size_bytes": size}
    except OSError:
        return None
    read = size if step == PIECE else read
    return {"zero": True, "samples": len(pieces), "sampled_bytes": read, "size_bytes": size}


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
