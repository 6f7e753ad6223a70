"""What slows a host's processors and memory down: swapping, quotas, heat."""

from __future__ import annotations

import os
from pathlib import Path

from perfkit.measure.probe.read import Facts, entries, lines, number

COLUMNS = (
    "swap_in_bytes_per_s",
    "swap_out_bytes_per_s",
    "quota_throttles",
    "heat_throttles",
)

UNKNOWN = {"swap": None, "quota": None, "heat": None}

_CPUS = "sys/devices/system/cpu"
_HEAT = ("thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count")


def counters(root: Path) -> Facts:
    """Counts since the start of the host; null where it does not count.

    ``swap``: bytes swapped in and out. ``quota``: periods in which this process's control group, or
    one above it, was denied processor time. ``heat``: times a processor slowed itself down.
    """
    return {"swap": _swap(root), "quota": _quota(root), "heat": _heat(root)}


def _swap(root: Path) -> list[int] | None:
    pairs = dict(line.partition(" ")[::2] for line in lines(root / "proc/vmstat"))
    if "pswpin" not in pairs or "pswpout" not in pairs:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return [int(pairs["pswpin"]) * page, int(pairs["pswpout"]) * page]


def _quota(root: Path) -> int | None:
    """The sum over the group and those above it: a limit is counted where it is set."""
    found = []
    for line in lines(root / "proc/self/cgroup"):
        _, names, path = [*line.split(":", 2), "", ""][:3]
        if names and "cpu" not in names.split(","):
            continue
        base = root / "sys/fs/cgroup" / names  # one hierarchy (version 2) has no name
        group = base / path.strip("/")
        while True:
            stat = dict(each.partition(" ")[::2] for each in lines(group / "cpu.stat"))
            if stat.get("nr_throttled", "").isdecimal():
                found.append(int(stat["nr_throttled"]))
            if group == base or base not in group.parents:
                break
            group = group.parent
    return sum(found) if found else None


def _heat(root: Path) -> int | None:
    places = [
        root / _CPUS / cpu / name
        for cpu in entries(root / _CPUS)
        if cpu[:3] == "cpu" and cpu[3:].isdecimal()
        for name in _HEAT
    ]
    found = [count for count in map(number, places) if count is not None]
    return sum(found) if found else None


def row(seconds: float, before: Facts, after: Facts) -> list[float | None]:
    """The cells of ``COLUMNS`` between two readings; counters that went back give null."""
    swap = [None, None]
    if before["swap"] and after["swap"] and seconds > 0:
        pairs = zip(before["swap"], after["swap"])
        swap = [round((new - old) / seconds, 4) if new >= old else None for old, new in pairs]
    return [*swap, *(_more(before[name], after[name]) for name in ("quota", "heat"))]


def _more(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None or after < before else after - before
