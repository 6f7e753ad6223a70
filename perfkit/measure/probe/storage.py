"""Facts about the storage under a target: device, queue, paths, adapters, volumes, file system."""

from __future__ import annotations

import os
import re
from pathlib import Path

from perfkit.measure.probe import block, mounts
from perfkit.measure.probe.machine import counted
from perfkit.measure.probe.read import (
    Facts,
    Names,
    Text,
    answer,
    chosen,
    entries,
    flag,
    number,
    own,
    scaled,
    text,
)

_ADAPTER = {
    "driver": ("scsi_host/{host}/proc_name",),
    "model": ("scsi_host/{host}/modelname", "scsi_host/{host}/model_name"),
    "firmware": ("scsi_host/{host}/fwrev", "scsi_host/{host}/fw_version"),
    "can_queue": ("scsi_host/{host}/can_queue",),
    "commands_per_lun": ("scsi_host/{host}/cmd_per_lun",),
    "lun_queue_depth": ("scsi_host/{host}/lpfc_lun_queue_depth",),
    "port_speed": ("fc_host/{host}/speed",),
    "port_wwn": ("fc_host/{host}/port_name",),
}
"""Fact -> files below /sys/class, the first that is there."""

_MODULES = {
    "qla2xxx": ("ql2xmaxqdepth",),
    "lpfc": ("lpfc_lun_queue_depth", "lpfc_hdw_queue"),
    "nvme_core": ("io_timeout", "multipath"),
    "iscsi_tcp": (),
}

_MERGING = {0: "all", 1: "simple only", 2: "none"}
"""Merges that a queue tries, by its ``nomerges``."""


def under(root: Path, directory: Path) -> Facts:
    """File system, mount options and device under a directory."""
    mount = mounts.mount_of(root, directory)
    folder = mounts.device_of(root, mount) if mount else None
    room = os.statvfs(str(directory)) if own(root) and directory.is_dir() else None
    return {
        "filesystem": mount["filesystem"] if mount else None,
        "filesystem_block_bytes": room.f_bsize if room else None,
        "mount_options": mount["options"] if mount else None,
        "device": device(root, folder) if folder else None,
    }


def raw(root: Path, number_or_name: str) -> Facts:
    """The same for a device that is measured itself: there is no file system."""
    folder = block.folder_of(root, number_or_name)
    found = {"filesystem": None, "filesystem_block_bytes": None, "mount_options": None}
    return {
        **found,
        "partition": number(folder / "partition") if folder else None,
        "device": device(root, folder) if folder else None,
    }


def device(root: Path, folder: Path) -> Facts:
    """A device: the whole disk of a partition; with what lies beneath, gathered over its disks."""
    disk = block.disk_of(folder)
    beneath = [
        lower
        for name in block.disks_beneath(root, disk)
        for lower in [block.folder_of(root, name)]
        if lower and lower != disk and not entries(lower / "slaves")
    ]
    return {
        "name": disk.name,
        "kind": block.kind_of(disk),
        "size_bytes": scaled(disk / "size", block.SECTOR),
        **block.identity(root, disk),
        **_queue(disk),
        "layout": layout(root, disk),
        "paths": _gathered(root, beneath) if beneath else None,
        "adapter": adapters(root, beneath or [disk]),
        "path_policy": _iopolicy(disk),
    }


def _queue(disk: Path) -> Facts:
    queue, node = disk / "queue", number(disk / "device/numa_node")
    merges = number(queue / "nomerges")
    return {
        "rotational": flag(queue / "rotational"),
        "scheduler": chosen(queue / "scheduler"),
        "queue_depth": number(disk / "device/queue_depth"),
        "nr_requests": number(queue / "nr_requests"),
        "hardware_queues": len(entries(disk / "mq")) or None,
        "read_ahead_bytes": scaled(queue / "read_ahead_kb", 1024),
        "largest_request_bytes": scaled(queue / "max_sectors_kb", 1024),
        "write_cache": text(queue / "write_cache"),
        "write_throttle_target_us": number(queue / "wbt_lat_usec"),
        "merging": None if merges is None else _MERGING.get(merges),
        "completion_affinity": number(queue / "rq_affinity"),
        "logical_block_bytes": number(queue / "logical_block_size"),
        "physical_block_bytes": number(queue / "physical_block_size"),
        "numa_node": None if node is None or node < 0 else node,
    }


def _gathered(root: Path, disks: list[Path]) -> Facts:
    """The disks beneath, as one: each fact once where they agree, else counted."""
    each = [{**block.identity(root, disk), **_queue(disk)} for disk in disks]
    states = [text(disk / "device/access_state") or text(disk / "device/state") for disk in disks]
    return {
        "count": len(disks),
        "names": ", ".join(disk.name for disk in disks),
        "state": counted(states),
        **{
            name: counted([None if one[name] is None else str(one[name]) for one in each])
            for name in (
                "model",
                "firmware",
                "scheduler",
                "queue_depth",
                "nr_requests",
                "read_ahead_bytes",
                "write_cache",
                "rotational",
            )
        },
    }


def layout(root: Path, disk: Path) -> Facts | None:
    """How dm or md puts a device together: type, stripes, chunk, and a multipath's policy."""
    if (disk / "md").is_dir():
        return {
            "type": text(disk / "md/level"),
            "stripes": number(disk / "md/raid_disks"),
            "stripe_bytes": number(disk / "md/chunk_size"),
        }
    name = text(disk / "dm/name")
    if name is None:
        return None
    table = answer("dmsetup", "table", name) if own(root) else None
    return dm_layout(table) if table else {"type": None}


def dm_layout(table: str) -> Facts:
    """What ``dmsetup table`` says of one device, segment by segment.

    Lines are ``start length type ...``; striped: stripes and chunk in sectors; multipath: counts of
    features, handler arguments, groups, then each group's selector. Source of the format: the
    kernel's documentation of the device-mapper targets.
    """
    segments = [line.split() for line in table.splitlines() if len(line.split()) > 2]
    kinds = [words[2] for words in segments]
    found: Facts = {"type": counted([*kinds]), "segments": len(segments)}
    striped = [words for words in segments if words[2] == "striped"]
    if striped:
        found["stripes"] = counted([words[3] for words in striped])
        found["stripe_bytes"] = counted([str(int(words[4]) * 512) for words in striped])
    for words in segments:
        if words[2] == "multipath":
            found.update(multipath(words[3:]))
    return found


def multipath(words: Names) -> Facts:
    """Features, hardware handler, groups and path selectors of a multipath table line."""
    features, rest = _counted_off(words)
    handler, rest = _counted_off(rest)
    groups = int(rest[0]) if rest and rest[0].isdecimal() else None
    selectors = [word for word in rest if re.match(r"[a-z][a-z-]+$", word)]
    return {
        "features": " ".join(features) or None,
        "hardware_handler": " ".join(handler) or None,
        "path_groups": groups,
        "path_selector": ", ".join(dict.fromkeys(selectors)) or None,
    }


def _counted_off(words: Names) -> tuple[Names, Names]:
    count = int(words[0]) if words and words[0].isdecimal() else 0
    return words[1 : 1 + count], words[1 + count :]


def adapters(root: Path, disks: list[Path]) -> Facts | None:
    """The host adapters of the disks, gathered; None where a disk has none (virtio, loop)."""
    hosts = sorted(
        {found.group(1) for disk in disks for found in [_HOST.search(str(disk))] if found}
    )
    controllers = sorted(
        {found.group(1) for disk in disks for found in [_NVME.search(str(disk))] if found}
    )
    if hosts:
        return _scsi(root, hosts)
    return _nvme(root, controllers) if controllers else None


_HOST = re.compile(r"/(host\d+)/")
_NVME = re.compile(r"/nvme/(nvme\d+)/")


def _scsi(root: Path, hosts: Names) -> Facts:
    base = root / "sys/class"
    found: Facts = {"count": len(hosts)}
    for fact, places in _ADAPTER.items():
        said = [
            next((v for place in places for v in [text(base / place.format(host=h))] if v), None)
            for h in hosts
        ]
        found[fact] = counted(said)
    settings = [
        f"{module}.{name}={value}"
        for module, names in _MODULES.items()
        for name in names
        for value in [text(root / "sys/module" / module / "parameters" / name)]
        if value and module in (found["driver"] or "")
    ]
    return {**found, "settings": " ".join(settings) or None}


def _nvme(root: Path, controllers: Names) -> Facts:
    base = root / "sys/class/nvme"
    return {
        "count": len(controllers),
        "driver": counted([text(base / c / "transport") for c in controllers]),
        "model": counted([text(base / c / "model") for c in controllers]),
        "firmware": counted([text(base / c / "firmware_rev") for c in controllers]),
        "queues": counted([text(base / c / "queue_count") for c in controllers]),
        "queue_size": counted([text(base / c / "sqsize") for c in controllers]),
    }


def _iopolicy(disk: Path) -> Text:
    """How native NVMe multipath chooses a path."""
    # the disk lies in its subsystem's folder, or in its controller's with a link to it
    for place in (
        disk.parent / "iopolicy",
        disk / "device/iopolicy",
        disk / "device/subsystem/iopolicy",
    ):
        found = text(place)
        if found:
            return found
    return None
