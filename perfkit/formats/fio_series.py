"""fio's logs over time, as a point keeps them: one small file for all jobs.

fio writes a file for each job: ``write_hist_log`` one row of counters per interval, most of them 0,
``write_bw_log`` one row with the interval's mean. All rows are kept, each after its job's number;
counters other than 0 as ``bucket:count``. Times are milliseconds since the job's measurement began,
without the ramp. I/Os after a job's last row are in no histogram log of fio
(``formats.fio_slots`` says to which interval each row belongs).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LATENCY_FILE, RATE_FILE = "latency-series.csv", "rate-series.csv"
COARSENESS = 3
"""``log_hist_coarseness``: 8 of fio's buckets are one, 12.5% wide."""

PREFIX = "log"
"""The beginning of the names of fio's own files (``write_hist_log``, ``write_bw_log``)."""

_LATENCY_HEAD = f"job,t_ms,direction,buckets of 2^{COARSENESS}"
_RATE_HEAD = "job,t_ms,direction,kib_per_s"
_FILE = {
    LATENCY_FILE: re.compile(rf"^{PREFIX}_clat_hist\.(\d+)\.log$"),
    RATE_FILE: re.compile(rf"^{PREFIX}_bw\.(\d+)\.log$"),
}
_HEAD = {LATENCY_FILE: _LATENCY_HEAD, RATE_FILE: _RATE_HEAD}
_DIRECTION = {"0": "read", "1": "write", "2": "trim"}
_BITS = 6
_FIXED = 3
"""Fields of a histogram row before its counters: time, direction, block size."""


@dataclass(frozen=True)
class Interval:
    """One job's row: the end of its interval, and the latencies or the rate in it."""

    job: int
    t_ms: int
    direction: str
    counts: tuple[tuple[int, int], ...] = ()
    kib_per_s: int | None = None


def edges_ns(bucket: int) -> tuple[int, int]:
    """The edges of a bucket of perfkit's own logs, in ns."""
    return bucket_edges(bucket, COARSENESS)


def bucket_edges(bucket: int, coarseness: int) -> tuple[int, int]:
    """The lower edge of a bucket (inside it), and the upper one (outside), in fio's unit.

    ``coarseness`` is ``log_hist_coarseness``: two to its power of fio's buckets are one.
    """
    return _lower(bucket << coarseness), _lower((bucket + 1) << coarseness)


def _lower(index: int) -> int:
    """The lower edge of one of fio's buckets (``plat_idx_to_val`` of its stat.c)."""
    if index < 1 << (_BITS + 1):
        return index
    error_bits = (index >> _BITS) - 1
    return (1 << (error_bits + _BITS)) + (index % (1 << _BITS) << error_bits)


def gather(folder: Path) -> None:
    """Merge the logs of fio's jobs into one file of each kind, and remove the jobs' files."""
    for name, pattern in _FILE.items():
        found = sorted(
            (int(match[1]), path)
            for path in folder.iterdir()
            if (match := pattern.match(path.name))
        )
        if not found:
            continue
        lines = [_HEAD[name]]
        for job, path in found:
            text = path.read_text(encoding="ascii")
            lines += [_kept(job, line, name) for line in text.splitlines() if line.strip()]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="ascii")
        for _, path in found:
            path.unlink()


def _kept(job: int, line: str, name: str) -> str:
    cells = [cell.strip() for cell in line.split(",")]
    if name == RATE_FILE:
        time, value, direction = cells[:3]
        return f"{job},{time},{_DIRECTION[direction]},{value}"
    counts = " ".join(f"{i}:{n}" for i, n in enumerate(cells[_FIXED:]) if n not in {"0", ""})
    return f"{job},{cells[0]},{_DIRECTION[cells[1]]},{counts}"


def intervals(text: str, path: Path | str) -> Iterator[Interval]:
    """The rows of a gathered file; ParseError naming the line of one that cannot be."""
    lines = text.splitlines()
    kind = next((name for name, head in _HEAD.items() if lines[:1] == [head]), None)
    if kind is None:
        raise ParseError(path, "not a time series of perfkit's fio runner", 1)
    for number, line in enumerate(lines[1:], start=2):
        try:
            yield _interval(line, kind)
        except ValueError as problem:
            raise ParseError(path, f"{line[:60]!r} cannot be: {problem}", number) from problem


def _interval(line: str, kind: str) -> Interval:
    job, time, direction, rest = line.split(",")
    if direction not in _DIRECTION.values():
        raise ValueError(f"no direction {direction!r}")
    if kind == RATE_FILE:
        return Interval(_whole(job), _whole(time), direction, kib_per_s=_whole(rest))
    pairs = (pair.partition(":") for pair in rest.split())
    counts = tuple((_whole(bucket), _whole(count)) for bucket, _, count in pairs)
    return Interval(_whole(job), _whole(time), direction, counts)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)
