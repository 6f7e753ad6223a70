"""Watching a host while it makes load: one line a second, in the columns of a run's host.csv."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path
from typing import Any

from perfkit.measure.probe import pressure
from perfkit.measure.probe.block import SECTOR
from perfkit.measure.probe.read import ROOT, Facts, Names, Text, lines

COLUMNS = (
    "t_s",
    "cpu_busy_ratio",
    "cpu_user_ratio",
    "cpu_system_ratio",
    "cpu_iowait_ratio",
    "memory_used_bytes",
    "memory_available_bytes",
    "disk_read_bytes_per_s",
    "disk_write_bytes_per_s",
    "disk_read_iops",
    "disk_write_iops",
    "cpu_steal_ratio",
    *pressure.COLUMNS,
)

HEAD = ",".join(COLUMNS) + "\n"

_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""The first line of /proc/stat (proc_stat(5)); guests' time, which follows, stands in user."""

_PARTS = {
    "cpu_user_ratio": ("user", "nice"),
    "cpu_system_ratio": ("system", "irq", "softirq"),
    "cpu_iowait_ratio": ("iowait",),
}


def counters(root: Path, devices: Names) -> Facts:
    """``usage`` and ``pressure``."""
    return {**usage(root, devices), "pressure": pressure.counters(root)}


def usage(root: Path, devices: Names) -> Facts:
    """CPU ticks by state, memory in bytes, bytes and operations of disks, all added up."""
    stat = (lines(root / "proc/stat") or [""])[0].split()
    ticks = [int(word) for word in stat[1:9]] if stat[:1] == ["cpu"] else []
    memory = {}
    for line in lines(root / "proc/meminfo"):
        name, _, value = line.partition(":")
        if name in ("MemTotal", "MemAvailable"):
            memory[name] = int(value.split()[0]) * 1024
    return {
        "cpu": dict(zip(_STATES, ticks)),
        "memory": memory,
        "disk": _disks(root, devices),
    }


def _disks(root: Path, devices: Names) -> list[int] | None:
    """Bytes read and written, reads and writes (Documentation/admin-guide/iostats).

    None without disks, and where one of them is not known.
    """
    found = {}
    for line in lines(root / "proc/diskstats") if devices else []:
        words = line.split()
        if len(words) > 9 and words[2] in devices:
            reads, read, writes, written = (int(words[place]) for place in (3, 5, 7, 9))
            found[words[2]] = (read * SECTOR, written * SECTOR, reads, writes)
    return [sum(each) for each in zip(*found.values())] if len(found) == len(devices) > 0 else None


def row(t_s: float, seconds: float, before: Facts, after: Facts) -> list[float | None]:
    """One line: shares and rates between two readings, memory at the second."""
    spent = {name: after["cpu"][name] - before["cpu"].get(name, 0) for name in after["cpu"]}
    whole = sum(spent.values())

    def share(names: tuple[str, ...]) -> float | None:
        if whole <= 0 or not spent:
            return None
        part: float = sum(spent.get(name, 0) for name in names) / whole
        return round(min(max(part, 0.0), 1.0), 4)

    busy = tuple(name for name in spent if name not in ("idle", "iowait"))
    total, free = (after["memory"].get(name) for name in ("MemTotal", "MemAvailable"))
    used = None if total is None or free is None else total - free
    return [
        round(t_s, 3),
        share(busy),
        *(share(names) for names in _PARTS.values()),
        used,
        free,
        *_rates(before["disk"], after["disk"], seconds),
        share(("steal",)),
        *pressure.row(seconds, before["pressure"], after["pressure"]),
    ]


def _rates(before: list[int] | None, after: list[int] | None, seconds: float) -> list[float | None]:
    if before is None or after is None or seconds <= 0:
        return [None] * 4
    pairs = zip(before, after)
    return [round((new - old) / seconds, 4) if new >= old else None for old, new in pairs]


def line_of(cells: Any) -> str:
    """The cells of a row as they stand in the file."""
    return ",".join("" if cell is None else str(cell) for cell in cells) + "\n"


def watch(device: Text, every_s: float = 1.0) -> None:
    """Print the header when the first reading is taken, and then a line a second.

    It ends when its input is closed, after a line up to then if there was none yet: a point shorter
    than the interval is one sample, not none. It ends at once when nobody reads its lines.
    """
    began = at = time.monotonic()
    devices = [device] if device else []
    before = counters(ROOT, devices)
    sys.stdout.write(HEAD)
    sys.stdout.flush()
    ended = False
    while not ended:
        # nothing else arrives on the input: it can be read when it is closed
        ended = bool(
            select.select([sys.stdin], [], [], max(0.0, at + every_s - time.monotonic()))[0]
        )
        if ended and at > began:
            return
        now, after = time.monotonic(), counters(ROOT, devices)
        try:
            sys.stdout.write(line_of(row(now - began, now - at, before, after)))
            sys.stdout.flush()
        except OSError:
            return
        at, before = now, after
