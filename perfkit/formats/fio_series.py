"""fio's logs over time, as a point keeps them: one small file for all jobs.

fio writes a file for each job: ``write_hist_log`` one row of counters per interval, most of them 0,
``write_bw_log`` one row with the interval's mean. All rows are kept, each after its job's number;
counters other than 0 as ``bucket:count``. Times are milliseconds since the job's measurement began,
without the ramp. I/Os after a job's last row are in no histogram log of fio
(``formats.fio_slots`` says to which interval each row belongs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import ParseError

LATENCY_FILE, RATE_FILE = "latency-series.csv", "rate-series.csv"
"""The gathered files; of a load generator among many its label stands before the ending."""

COARSENESS = 3
"""``log_hist_coarseness``: 8 of fio's buckets are one, 12.5% wide."""

PREFIX = "log"
"""The beginning of the names of fio's own files (``write_hist_log``, ``write_bw_log``).

The n-th load generator's begin with ``log-n``: fio tells servers apart by their address alone.
"""

_LATENCY_HEAD = f"job,t_ms,direction,buckets of 2^{COARSENESS}"
_RATE_HEAD = "job,t_ms,direction,kib_per_s"
_FILE = {
    LATENCY_FILE: re.compile(rf"^{PREFIX}(?:-(\d+))?_clat_hist\.(\d+)\.log"),
    RATE_FILE: re.compile(rf"^{PREFIX}(?:-(\d+))?_bw\.(\d+)\.log"),
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


def file_of(name: str, host: str) -> str:
    """A gathered file's name for a load generator of that label."""
    stem, ending = name.rsplit(".", 1)
    return f"{stem}-{host}.{ending}"


def host_of(file: str, name: str) -> str | None:
    """The label in a file's name; None where it is none of a load generator's."""
    stem, ending = name.rsplit(".", 1)
    match = re.fullmatch(rf"{stem}-(.+)\.{ending}", file)
    return match[1] if match else None


def gather(
    folder: Path, hosts: Sequence[str] = (), done: Mapping[tuple[str, str], int] | None = None
) -> None:
    """Merge the logs of fio's jobs into one file of each kind, and remove the jobs' files.

    ``hosts`` are the labels of the load generators: each has files of its own, and ``done`` says
    how many I/Os fio's result counts of each host and direction.

    Raises ValueError for a host's histograms that do not fit its result (``_as_counted``).
    """
    for name, pattern in _FILE.items():
        found: dict[int, list[tuple[int, Path]]] = {}
        for path in folder.iterdir():
            if match := pattern.match(path.name):
                found.setdefault(int(match[1] or 0), []).append((int(match[2]), path))
        for host, files in found.items():
            rows = [
                (job, [cell.strip() for cell in line.split(",")])
                for job, path in sorted(files)
                for line in path.read_text(encoding="ascii").splitlines()
                if line.strip()
            ]
            own = file_of(name, hosts[host - 1]) if host else name
            if host and name == LATENCY_FILE:
                rows = _as_counted(rows, hosts[host - 1], done or {})
            lines = [_HEAD[name], *(_kept(job, cells, name) for job, cells in rows)]
            (folder / own).write_text("\n".join(lines) + "\n", encoding="ascii")
            for _, path in files:
                path.unlink()


def _as_counted(
    rows: Sequence[tuple[int, list[str]]], host: str, done: Mapping[tuple[str, str], int]
) -> list[tuple[int, list[str]]]:
    """A load generator's histograms as it counted them.

    What fio's server sends is wrong (``__fio_append_iolog_gz_hist`` of its server.c, measured
    with 3.33): from the counters up to an interval it subtracts the row that it sent before,
    where those counters as they were are meant. So an interval's counts are its row less the last
    but one. A server that sends them right is known by the I/Os of its result.

    Raises ValueError where the rows fit the result in neither way, or in both.
    """
    counted: dict[int, list[int]] = {}
    for direction in dict.fromkeys(cells[1] for _, cells in rows):
        most = done.get((host, _DIRECTION[direction]), 0)
        limit = most * (1 + _MORE) + _IN_FLIGHT
        sent: dict[int, list[int]] = {}
        meant: dict[int, list[int]] = {}
        for job in dict.fromkeys(job for job, _ in rows):
            places = [n for n, (of, cells) in enumerate(rows) if (of, cells[1]) == (job, direction)]
            own = [[int(cell or 0) for cell in rows[n][1][_FIXED:]] for n in places]
            for at, n in enumerate(places):
                before = own[at - 2] if at > 1 else [0] * len(own[at])
                sent[n] = own[at]
                meant[n] = [now - then for now, then in zip(own[at], before, strict=True)]
        fits = [
            each
            for each in (meant, sent)
            if sum(map(sum, each.values())) <= limit and min(map(min, each.values())) >= 0
        ]
        if not fits or (len(fits) > 1 and meant != sent):
            raise ValueError(f"{host}: its histograms do not fit its {most:,} I/Os")
        counted |= fits[0]
    return [(job, [*cells[:_FIXED], *map(str, counted[n])]) for n, (job, cells) in enumerate(rows)]


_MORE, _IN_FLIGHT = 0.01, 64
"""How many more I/Os a log may have than the result, which is made up while the last ones end."""


def _kept(job: int, cells: Sequence[str], name: str) -> str:
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
            raise ParseError(path, f"{line[:60]!r} is impossible: {problem}", number) from problem


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
