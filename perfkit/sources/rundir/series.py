"""A point over time: fio's histogram logs and elbencho's live file, as rows an interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perfkit.core import slow_times as slow
from perfkit.core import stats
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.core.units import KIB, MS_PER_S, NS_PER_S, US_PER_S
from perfkit.formats import elbencho_live, fio_series
from perfkit.formats.fio_series import Interval, host_of
from perfkit.formats.fio_slots import slots

LIVE_FILE = "live.csv"
FILES = (fio_series.LATENCY_FILE, fio_series.RATE_FILE, LIVE_FILE)
"""Files of a point that hold time series; each of many load generators has its own of fio's."""


def files_of(names: Iterable[str]) -> list[str]:
    """The files among these that hold time series."""
    return [name for name in names if name in FILES or any(host_of(name, of) for of in FILES)]


_SHARES = {"lat_p50_s": 0.5, "lat_p99_s": 0.99}


@dataclass(frozen=True)
class Timing:
    """What a point's intervals are measured by.

    ``jobs`` is the number of the load's jobs (fio numbers the drains after them), ``drain_begins``
    when each drain began; ``runtime_s`` is how long the load ran (None: not kept).
    """

    interval_s: float
    jobs: int
    block_bytes: int | None
    drain_begins: Mapping[int, float]
    runtime_s: float | None = None


def series_rows(texts: Mapping[str, str], timing: Timing, label: str) -> Iterator[Row]:
    """The rows of a point's ``series`` table without the point's own columns."""
    for host, rows in _of_hosts(texts, fio_series.LATENCY_FILE, label):
        parts: list[tuple[int | None, float, list[Interval]]] = []
        parts.append((None, 0.0, [row for row in rows if row.job <= timing.jobs]))
        for drain, begin in timing.drain_begins.items():
            parts.append((drain, begin, [row for row in rows if row.job == timing.jobs + drain]))
        for number, begin, own in parts:
            for row in _slots(own, timing, begin, number):
                yield {"host": host, **row}
    if LIVE_FILE in texts:
        yield from _elbencho(texts[LIVE_FILE], timing, f"{label}/{LIVE_FILE}")


def stream_rows(texts: Mapping[str, str], interval_s: float, label: str) -> Iterator[Row]:
    """The rows of a point's ``streams`` table without the point's own columns."""
    for host, rows in _of_hosts(texts, fio_series.RATE_FILE, label):
        for row in rows:
            yield {
                "stream": row.job,
                "host": host,
                "direction": row.direction,
                "t_s": row.t_ms / MS_PER_S,
                "interval_s": interval_s,
                "bw_bytes_per_s": None if row.kib_per_s is None else float(row.kib_per_s * KIB),
            }
    if LIVE_FILE in texts:
        yield from _elbencho_streams(texts[LIVE_FILE], f"{label}/{LIVE_FILE}")


def _of_hosts(
    texts: Mapping[str, str], name: str, label: str
) -> Iterator[tuple[str | None, list[Interval]]]:
    """The rows of each file of fio's of that kind, and the load generator they are of."""
    for file, text in sorted(texts.items()):
        if file == name or host_of(file, name):
            yield host_of(file, name), list(fio_series.intervals(text, f"{label}/{file}"))


_TOLD = frozenset({"stall", "slow_io"})


def slow_times(rows: Iterable[Row], told: Iterable[Caution], *, of: str) -> Iterator[Caution]:
    """The caution of a load that stood still or was slow for a time, by its series.

    Of several directions and hosts it is that of the worst. None where the run recorded one itself.
    """
    if _TOLD & {item.name for item in told}:
        return
    parts: dict[tuple[str | None, str], list[Row]] = {}
    for row in rows:
        if row.get("drain") is None:
            parts.setdefault((row.get("host"), row["direction"]), []).append(row)
    found = [slow.watched(own) for own in parts.values()]
    slowest = [each for each in found if each and each.slow_s]
    worst = max(slowest, key=lambda e: (e.without_io_s, e.slow_s / e.watched_s), default=None)
    if worst and worst.without_io_s:
        yield caution("stall", of=of, time=f"{worst.without_io_s:.3g} s")
    elif worst:
        times = {"time": worst.slow_s, "watched": worst.watched_s}
        yield caution("slow_time", of=of, **{k: f"{v:.3g} s" for k, v in times.items()})


def _slots(
    rows: Sequence[Interval], timing: Timing, begin: float, drain: int | None
) -> Iterator[Row]:
    """Every complete interval, also those without I/O; partial ones are left out."""
    runtime_s = timing.runtime_s if drain is None else None
    for direction, found in slots(rows, timing.interval_s, runtime_s).items():
        for slot in found.whole():
            counts = found.counts.get(slot, {})
            ios = sum(counts.values())
            yield {
                "t_s": begin + slot * timing.interval_s,
                "interval_s": timing.interval_s,
                "direction": direction,
                "ios": ios,
                "iops": ios / timing.interval_s,
                **_latencies(counts),
                "drain": drain,
            }


def _latencies(counts: Mapping[int, int]) -> Row:
    uppers = [fio_series.edges_ns(bucket)[1] for bucket in counts]
    values = stats.quantiles_from_histogram(uppers, list(counts.values()), list(_SHARES.values()))
    shown = dict(zip(_SHARES, values, strict=True))
    highest = max(uppers, default=None)
    return {
        name: None if value is None else value / NS_PER_S
        for name, value in {**shown, "lat_max_s": highest}.items()
    }


def _elbencho(text: str, timing: Timing, label: str) -> Iterator[Row]:
    for row in elbencho_live.intervals(text, label):
        if row.rank != elbencho_live.TOTAL:
            continue
        seconds = (row.t_ms - row.since_ms) / MS_PER_S
        moved = row.interval_bytes
        ios = moved // timing.block_bytes if timing.block_bytes else None
        yield {
            "t_s": row.t_ms / MS_PER_S,
            "interval_s": seconds,
            "direction": row.direction,
            "ios": ios,
            "iops": None if ios is None else ios / seconds,
            # of no I/O elbencho writes a latency of 0
            "lat_mean_s": row.lat_mean_us / US_PER_S if row.lat_mean_us and moved else None,
        }


def _elbencho_streams(text: str, label: str) -> Iterator[Row]:
    for row in elbencho_live.intervals(text, label):
        if row.rank == elbencho_live.TOTAL:
            continue
        if not row.rank.isdecimal():
            raise ParseError(label, f"rank {row.rank!r} is not a number", row.line)
        yield {
            "stream": int(row.rank) + 1,
            "host": row.service,
            "direction": row.direction,
            "t_s": row.t_ms / MS_PER_S,
            "interval_s": (row.t_ms - row.since_ms) / MS_PER_S,
            "bw_bytes_per_s": row.interval_bytes * MS_PER_S / (row.t_ms - row.since_ms),
        }
