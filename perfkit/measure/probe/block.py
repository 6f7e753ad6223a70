"""Block devices in /sys: who they are, what lies beneath them and what holds them."""

from __future__ import annotations

import os
from pathlib import Path

from perfkit.measure.probe.read import (
    Facts,
    Names,
    Text,
    entries,
    lines,
    text,
)

SECTOR = 512
"""Sizes in /sys are in units of 512 bytes, whatever the device's own block is."""

_DM_KINDS = {
    "LVM": "LVM logical volume",
    "mpath": "multipath device",
    "CRYPT": "encrypted device",
    "DMRAID": "RAID device",
}


def folder_of(root: Path, device: str) -> Path | None:
    """The folder in /sys of a device by number ("8:16") or kernel name ("sdb")."""
    place = root / ("sys/dev/block" if ":" in device else "sys/class/block") / device
    if place.exists():
        return place.resolve()
    plain = root / "sys/block" / device
    return plain.resolve() if plain.exists() else None


def disk_of(folder: Path) -> Path:
    """The whole disk's folder of a partition's; of a disk, its own."""
    return folder.parent if (folder / "partition").exists() else folder


def partitions_of(disk: Path) -> list[Path]:
    """The folders of a disk's partitions."""
    return [disk / name for name in entries(disk) if (disk / name / "partition").exists()]


def disks_beneath(root: Path, folder: Path) -> Names:
    """The whole disks that carry a device: through partitions, dm and md, down to the bottom."""
    disk = disk_of(folder)
    beneath = [folder_of(root, name) for name in entries(disk / "slaves")]
    beneath += [backing_device(root, disk)]
    if not any(beneath):
        return [disk.name]
    found = [name for lower in beneath if lower for name in disks_beneath(root, lower)]
    return sorted({*found, disk.name})


def kind_of(folder: Path) -> str:
    """What a device is, in words: "LVM logical volume vg-data", "md raid1", "disk"."""
    uuid, name = text(folder / "dm/uuid"), text(folder / "dm/name")
    if name or uuid:
        head = (uuid or "").split("-")[0]
        if head.startswith("part"):
            return f"partition of a multipath device {name}"
        return "{} {}".format(_DM_KINDS.get(head, "device-mapper device"), name)
    if (folder / "md").is_dir():
        return "md %s" % (text(folder / "md/level") or "array")
    if (folder / "bcache").is_dir():
        return "bcache device"
    if (folder / "loop").is_dir():
        return "loop device"
    return "partition" if (folder / "partition").exists() else "disk"


def identity(root: Path, folder: Path) -> Facts:
    """Model, serial number, world-wide name and firmware; what the kernel does not know is null.

    A loop device's serial is its backing file; a device-mapper or md device's is its UUID.
    """
    disk = disk_of(folder)
    udev = _udev(root, text(disk / "dev"))
    vendor, model = text(disk / "device/vendor"), text(disk / "device/model")
    if vendor and not vendor.startswith("0x") and model and not model.startswith(vendor):
        model = f"{vendor} {model}"
    found = {
        "model": model or udev.get("ID_MODEL"),
        "serial": text(disk / "serial")
        or text(disk / "device/serial")
        or _vpd(disk)
        or udev.get("ID_SERIAL_SHORT"),
        "wwid": text(disk / "wwid") or text(disk / "device/wwid") or udev.get("ID_WWN"),
        "firmware": text(disk / "device/firmware_rev")
        or text(disk / "device/rev")
        or udev.get("ID_REVISION"),
    }
    if (disk / "loop").is_dir():
        found.update(model="loop device", serial=text(disk / "loop/backing_file"))
    elif (disk / "dm").is_dir() or (disk / "md").is_dir():
        found.update(model=kind_of(disk), serial=text(disk / "dm/uuid") or text(disk / "md/uuid"))
    return found


def twins_of(root: Path, disk: Path) -> list[Path]:
    """Other disks that are the same storage: by world-wide name, or loops over one file or device.

    Loops over different parts of one file count as well: where they overlap is not looked at.
    """
    own, backing = _wwid(disk), backing_file(root, disk)
    every = [folder_of(root, name) for name in entries(root / "sys/block")]
    return [
        other
        for other in every
        if other
        and other != disk
        and ((own and _wwid(other) == own) or (backing and backing_file(root, other) == backing))
    ]


def backing_device(root: Path, disk: Path) -> Path | None:
    """The folder of the device that a loop device lies over; None where it is a file's."""
    source = text(disk / "loop/backing_file")
    name = real_name(root, source) if source else None
    return folder_of(root, name) if name else None


def backing_file(root: Path, disk: Path) -> Facts | None:
    """The file or device under a loop device: ``node`` (device, inode), or else its ``path``.

    The kernel tells its path as it is now. No loop device is opened for this: whoever checks that
    one at the moment would take us for its user.
    """
    path = text(disk / "loop/backing_file")
    if path is None:
        return None
    try:
        facts = os.stat(str(root / path.lstrip("/")))
    except OSError:
        return {"path": path}
    return {"node": [facts.st_dev, facts.st_ino]}


def _wwid(disk: Path) -> Text:
    found = text(disk / "wwid") or text(disk / "device/wwid")
    # some bridges and virtual disks give every disk the same empty name
    return found if found and found.strip("0. ") not in {"", "naa", "eui", "t10"} else None


def _vpd(disk: Path) -> Text:
    """The unit serial number of a SCSI disk: page 80h, four bytes of header (SPC-4, 7.8.15)."""
    try:
        page = (disk / "device/vpd_pg80").read_bytes()
    except OSError:
        return None
    return page[4:].decode("ascii", "replace").strip("\0 ") or None


def _udev(root: Path, device: Text) -> dict[str, str]:
    """What udev noted about a device: its ``E:KEY=value`` lines."""
    pairs = [
        line[2:].partition("=")
        for line in lines(root / (f"run/udev/data/b{device}"))
        if line.startswith("E:")
    ]
    return {key: value.replace("_", " ").strip() for key, _, value in pairs if value}


def real_name(root: Path, source: str) -> Text:
    """The kernel name behind a source in /dev: "/dev/mapper/vg-root" is "dm-0"."""
    if not source.startswith("/dev/"):
        return None
    place = root / source.lstrip("/")
    return os.path.basename(os.path.realpath(str(place)))
