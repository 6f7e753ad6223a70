"""What the names of a host's block devices say of one another: partitions, and what is mapped.

The kernel counts an I/O on the device that it was asked of and again on each device below it. Which
those are no recording says; a name does of a partition alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_PARTITIONS = (
    re.compile(r"(?P<disk>(?:sd|hd|vd|xvd|dasd)[a-z]+)\d+"),
    re.compile(r"(?P<disk>(?:nvme\d+n\d+|mmcblk\d+|nbd\d+|cciss/c\d+d\d+|md\d+))p\d+"),
)
"""A partition: the name of its disk, and its number."""

_DISK = re.compile(r"(?:sd|hd|vd|xvd|dasd)[a-z]+|nvme\d+n\d+|mmcblk\d+|nbd\d+|cciss/c\d+d\d+")
_NUMBERED = re.compile(r"dev(?P<major>\d+)-(?P<minor>\d+)")
_SCSI, _MINORS = frozenset({8, *range(65, 72), *range(128, 136)}), 16
"""sar names devices by their numbers: the majors of SCSI disks, each disk with its partitions."""

_OTHERS = re.compile(r"(?:sr|fd|st|ram|zram)\d+")
"""Neither a disk nor on one."""


def disk_of(partition: str) -> str | None:
    """The name of the disk that a partition is on; None for what is no partition by its name."""
    for pattern in _PARTITIONS:
        if told := pattern.fullmatch(partition):
            return told["disk"]
    numbers = _numbers(partition)
    if numbers is None or not numbers[1] % _MINORS:
        return None
    return f"dev{numbers[0]}-{numbers[1] - numbers[1] % _MINORS}"


def may_be_mapped(device: str, beside: Collection[str]) -> bool:
    """Whether a device may lie on others that were recorded beside it.

    As a volume, a multipath device or an array of md does, whatever it is called; not a disk, nor a
    partition, and none where no disk was recorded.
    """
    if _is_disk(device) or disk_of(device) or _OTHERS.fullmatch(device):
        return False
    return any(_is_disk(name) for name in beside)


def _is_disk(device: str) -> bool:
    numbers = _numbers(device)
    return bool(_DISK.fullmatch(device)) or (numbers is not None and not numbers[1] % _MINORS)


def _numbers(device: str) -> tuple[int, int] | None:
    """The numbers of a SCSI disk or of its partition, as sar names them."""
    told = _NUMBERED.fullmatch(device)
    if told is None or int(told["major"]) not in _SCSI:
        return None
    return int(told["major"]), int(told["minor"])
