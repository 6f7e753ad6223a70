"""Watching a host while it makes load: one line a second, in the columns of a run's host.csv."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path
from typing import Any

from perfkit.measure.probe import pressure
from perfkit.measure.probe.block import SECTOR
from perfkit.measure.probe.read import ROOT, Facts, Text, lines

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

_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""The first line of /proc/stat (proc_stat(5)); guests' time, which follows, stands in user."""

_PARTS = {
    "cpu_user_ratio": ("user", "nice"),
    "cpu_system_ratio": ("system", "irq", "softirq"),
    "cpu_iowait_ratio": ("iowait",),
}


def counters(root: Path, device: Text) -> Facts:
    """CPU ticks by state, memory in bytes, sectors and operations of a disk, and ``pressure``."""
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
        "disk": _disk(root, device) if device else None,
        "pressure": pressure.counters(root),
    }


def _disk(root: Path, device: str) -> list[int] | None:
    """Bytes read and written, reads and writes of a disk (Documentation/admin-guide/iostats)."""
    for line in lines(root / "proc/diskstats"):
        words = line.split()
        if len(words) > 9 and words[2] == device:
            reads, read, writes, written = (int(words[place]) for place in (3, 5, 7, 9))
            return [read * SECTOR, written * SECTOR, reads, writes]
    return None


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


def watch(device: Text, every_s: float = 1.0) -> None:
    """Print the header when the first reading is taken, and then a line a second.

    It ends when its input is closed, with a line up to then where there is none yet: a point
    shorter than the interval is one sample, not none. It ends without where nobody reads its lines.
    """
    began = at = time.monotonic()
    before = counters(ROOT, device)
    _print(COLUMNS)
    ended = False
    while not ended:
        ended = _closed(max(0.0, at + every_s - time.monotonic()))
        if ended and at > began:
            return
        now, after = time.monotonic(), counters(ROOT, device)
        try:
            _print(row(now - began, now - at, before, after))
        except OSError:
            return
        at, before = now, after


def _closed(seconds: float) -> bool:
    """Whether the input is closed within some seconds; nothing else arrives on it."""
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def _print(cells: Any) -> None:
    sys.stdout.write(",".join("" if cell is None else str(cell) for cell in cells) + "\n")
    sys.stdout.flush()
