"""What is mounted and swapped on, by device."""

from __future__ import annotations

from pathlib import Path

from perfkit.measure.probe.block import disks_beneath, folder_of, real_name
from perfkit.measure.probe.read import Facts, Names, entries, lines, text

SYSTEM_POINTS = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
"""Mount points without which the host does not work."""

WITHOUT_DISK = (
    "overlay",
    "tmpfs",
    "ramfs",
    "rootfs",
    "nfs",
    "nfs4",
    "9p",
    "virtiofs",
    "squashfs",
    "cifs",
)
"""File systems of a root that lie on no local disk (containers, network boot)."""


def mounts(root: Path) -> list[Facts]:
    """Every mount that this process or init sees: device number, point, type, source, options.

    Source of the format: proc_pid_mountinfo(5). Options that name a path are left out.
    """
    seen = {}
    for place in ("proc/self/mountinfo", "proc/1/mountinfo"):
        for line in lines(root / place):
            mount = _mount(line)
            if mount:
                seen[(mount["number"], mount["point"], mount["source"])] = mount
    return list(seen.values())


def _mount(line: str) -> Facts | None:
    """One line: ``id parent major:minor root point options [fields] - type source super``."""
    own, dash, rest = line.partition(" - ")
    fields, after = own.split(" "), rest.split(" ")
    if not dash or len(fields) < 6 or len(after) < 3:
        return None
    options = list(dict.fromkeys(fields[5].split(",") + after[2].split(",")))
    return {
        "number": fields[2],
        "point": unescaped(fields[4]),
        "filesystem": after[0],
        "source": unescaped(after[1]),
        "options": ",".join(option for option in options if option and "/" not in option),
    }


def unescaped(written: str) -> str:
    """Blanks and backslashes stand in /proc as octal numbers."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        written = written.replace(code, character)
    return written


def mount_of(root: Path, directory: Path) -> Facts | None:
    """The mount a directory lies on: the deepest, and of those on one point the last."""
    full = str(directory) + "/"
    own = [_mount(line) for line in lines(root / "proc/self/mountinfo")]
    inside = [m for m in own if m and full.startswith(m["point"].rstrip("/") + "/")]
    ranked = sorted(enumerate(inside), key=lambda item: (len(item[1]["point"]), item[0]))
    return ranked[-1][1] if ranked else None


def device_of(root: Path, mount: Facts) -> Path | None:
    """The folder in /sys of the device under a mount; btrfs and others number theirs apart."""
    name = real_name(root, mount["source"])
    return folder_of(root, mount["number"]) or (folder_of(root, name) if name else None)


def mounted_on(root: Path, name: str) -> Names:
    """The points where a device of that kernel name is mounted."""
    folder = folder_of(root, name)
    return [m["point"] for m in mounts(root) if folder and device_of(root, m) == folder]


def in_btrfs(root: Path, name: str) -> bool:
    """Whether a mounted btrfs of several devices has it; only one of them is in the mounts."""
    systems = root / "sys/fs/btrfs"
    return any(name in entries(systems / uuid / "devices") for uuid in entries(systems))


def swaps(root: Path) -> Names:
    """The kernel names of the devices swapped on."""
    listed = [line.split(None, 1)[0] for line in lines(root / "proc/swaps")[1:] if line.strip()]
    return [name for source in listed for name in [real_name(root, unescaped(source))] if name]


def system_disks(root: Path) -> Facts:
    """The disks that carry the running system, and the system mounts that led to none."""
    found, lost = set(), []
    for mount in mounts(root):
        if mount["point"] not in SYSTEM_POINTS:
            continue
        folder = device_of(root, mount)
        if folder is not None:
            found.update(disks_beneath(root, folder))
        elif mount["filesystem"] not in WITHOUT_DISK:
            lost.append("{} ({})".format(mount["point"], mount["filesystem"]))
    if not any(mount["point"] == "/" for mount in mounts(root)):
        lost.append("/ (not listed)")
    return {"disks": sorted(found), "lost": lost}


def exported(root: Path, names: Names) -> Names:
    """What serves one of the devices to others: loop devices, LIO and NVMe-oF targets.

    Also the file that a loop device lies over: a target may serve that one.
    """
    wanted = set(names)
    files = {text(root / "sys/block" / name / "loop/backing_file") for name in names} - {None}
    served = [
        (f"loop device {loop}", text(root / "sys/block" / loop / "loop/backing_file"))
        for loop in entries(root / "sys/block")
        if loop.startswith("loop")
    ]
    config = root / "sys/kernel/config"
    served += [
        (f"iSCSI or FC target {core.name}", text(core / "udev_path"))
        for core in _below(config / "target/core", 2)
    ]
    for space in _below(config / "nvmet/subsystems", 1):
        served += [
            (f"NVMe-oF target {space.name}", text(space / "namespaces" / n / "device_path"))
            for n in entries(space / "namespaces")
        ]
    return [
        who
        for who, source in served
        if source and (real_name(root, source) in wanted or (source in files and who[:4] != "loop"))
    ]


def _below(folder: Path, levels: int) -> list[Path]:
    here = [folder / name for name in entries(folder)]
    if levels == 1:
        return here
    return [deeper for inner in here if inner.is_dir() for deeper in _below(inner, levels - 1)]
