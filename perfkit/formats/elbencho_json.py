"""elbencho's JSON results (``--jsonfile``): one object a line and phase, every number a string.

Measured with elbencho 3.1-10: the main figures of a mixed phase are its writes, and ``rwmix_read``
holds its reads; ``last_done`` is the state when the last thread was done; percentiles are never
in it, the histogram only with ``--lathisto``. Buckets are a quarter of a power of two wide
(``LatencyHistogram.h`` of the project: bucket = floor(4 x log2(us)), 112 of them).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.units import MS_PER_S
from perfkit.formats.json_node import Node

BUCKETS = 112
PER_DOUBLING = 4
"""Buckets in which a latency doubles: each is 2^(1/4), 19%, wide."""

WIDTH_PERCENT = 19

SIGN = '{"phase_type":'
"""The beginning of every line."""

WITHOUT_IO = frozenset(
    {"MKDIRS", "RMFILES", "RMDIRS", "SYNC", "DROPCACHE", "STAT", "STATDIRS", "MKBUCKETS",
     "RMBUCKETS", "RMOBJECTS", "HEADOBJ", "LISTOBJ", "LISTOBJ_P", "MULTIDEL"}
)  # fmt: skip
"""Phases that read and write no data: they have entries only."""

_MIXED = re.compile(r"^(RWMIX|MIX-T)\d+$")
_SINGLE = {"READ": "read", "WRITE": "write"}
AGREE = 2e-3
"""Relative difference allowed between a rate and its count over time: both are truncated."""


@dataclass(frozen=True)
class Flow:
    """What a phase did in one direction. Latencies are whole microseconds, truncated.

    ``buckets`` are (index, count), None without ``--lathisto`` and where a latency exceeded the
    histogram; a bucket's edges are ``edges_us(index)``.
    """

    direction: str
    ios: int | None
    io_bytes: int
    iops: float
    bytes_per_s: float | None
    lat_min_us: int | None = None
    lat_mean_us: int | None = None
    lat_max_us: int | None = None
    buckets: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Phase:
    """One line: the phase, its options, and what it did."""

    operation: str
    line: int
    started: str
    config: Mapping[str, str]
    first_ms: int
    last_ms: int
    flows: tuple[Flow, ...]
    cpu_percent: float | None = None
    entries: int | None = None

    @property
    def version(self) -> str:
        """The version of elbencho that wrote it."""
        return self.config.get("version", "")

    @property
    def command(self) -> str:
        """The command; empty where the file does not have it."""
        return self.config.get("command", "")

    def whole(self, name: str) -> int | None:
        """A whole number of the configuration; None where there is none."""
        text = self.config.get(name, "")
        return int(text) if text.isdecimal() else None


def edges_us(index: int) -> tuple[float, float]:
    """The lower (inside) and upper edge (outside) of a bucket, in microseconds.

    The first bucket begins at 0: a latency below 1 us counts there.
    """
    return (2 ** (index / PER_DOUBLING) if index else 0.0), 2 ** ((index + 1) / PER_DOUBLING)


def _shown(edge: float) -> str:
    return f"{edge:.1f}" if edge < 10 else f"{edge:.0f}"


_INDEX = {
    "-".join(_shown(edge) for edge in edges_us(index)) + "us": index for index in range(BUCKETS)
}
"""The bucket of each range as elbencho writes it: "16-19us"."""


def directions_of(operation: str) -> tuple[str, ...] | None:
    """The directions in which a phase moves data, its own figures first; None if unknown."""
    if operation in _SINGLE:
        return (_SINGLE[operation],)
    if _MIXED.match(operation):
        return ("write", "read")
    return () if operation in WITHOUT_IO else None


def phases(text: str, path: Path | str) -> list[Phase]:
    """Every phase of a file; ParseError naming the line for one that cannot be."""
    return [
        _phase(number, line, path)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]


def _phase(number: int, line: str, path: Path | str) -> Phase:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise ParseError(path, f"JSON is cut off or damaged: {problem}", number) from problem
    if not isinstance(content, dict) or "phase_type" not in content:
        raise ParseError(path, "not a line of elbencho's JSON results", number)
    root = Node(content, "", f"{path}:{number}")
    root.need("phase_type", "config")
    first, last = root.needed_child("first_done"), root.needed_child("last_done")
    operation = root.text("phase_type") or ""
    directions = directions_of(operation)
    if directions is None:
        raise root.fault("phase_type", f"{operation!r} is not a phase that perfkit knows")
    child = root.child("config")
    config = {k: v for k, v in child.content.items() if isinstance(v, str)} if child else {}
    latency = last.child("latency")
    return Phase(
        operation=operation,
        line=number,
        started=root.text("iso_start_date") or "",
        config=config,
        first_ms=_count(first, "elapsed_time_ms") or 0,
        last_ms=_needed(last, "elapsed_time_ms"),
        flows=tuple(_flows(last, latency and latency.child("IO"), directions)),
        cpu_percent=_count(last, "cpu%"),
        entries=_count(last, "entries"),
    )


def _flows(done: Node, latency: Node | None, directions: tuple[str, ...]) -> Iterator[Flow]:
    histogram = latency.child("histogram") if latency else None
    for number, direction in enumerate(directions):
        # the first direction is the phase's own; the other stands in rwmix_read
        if number:
            counts, times = done.child("rwmix_read"), latency and latency.child("rwmix_read")
            buckets = histogram and histogram.child("rwmix_read")
        else:
            counts, times, buckets = done, latency, histogram
        if counts is None:
            raise done.fault("rwmix_read", "is missing in a mixed phase")
        flow = _flow(direction, counts, times, buckets)
        _check(flow, done, counts)
        yield flow


def _flow(direction: str, counts: Node, times: Node | None, histogram: Node | None) -> Flow:
    buckets = _buckets(histogram) if histogram else None
    io_bytes, iops = _needed(counts, "bytes"), _needed(counts, "iops")
    rate = _needed(counts, "bytes/s")
    ios = sum(count for _, count in buckets) if buckets is not None else None
    # iops is truncated to a whole number; the bytes of the same I/Os give it exactly
    exact = rate * ios / io_bytes if ios and io_bytes else float(iops)
    return Flow(
        direction=direction,
        ios=ios,
        io_bytes=io_bytes,
        iops=exact,
        bytes_per_s=float(rate),
        # without I/O elbencho writes the largest number there is
        lat_min_us=_count(times, "min_us") if times and io_bytes else None,
        lat_mean_us=_count(times, "avg_us") if times and io_bytes else None,
        lat_max_us=_count(times, "max_us") if times and io_bytes else None,
        buckets=buckets,
    )


def _check(flow: Flow, done: Node, counts: Node) -> None:
    """A rate must be its amount over the time, and the I/Os' rate the one that is written."""
    seconds = _needed(done, "elapsed_time_ms") / MS_PER_S
    given = _needed(counts, "iops")
    if flow.ios and abs(flow.iops - given) > max(2.0, AGREE * given):
        raise counts.fault("iops", f"{given} does not agree with {flow.ios} I/Os in its histogram")
    # the time is truncated to milliseconds, which matters in short phases
    slack = AGREE + (0.002 / seconds if seconds else 1.0)
    rate = flow.bytes_per_s or 0.0
    if seconds and abs(flow.io_bytes / seconds - rate) > slack * rate + 1:
        raise counts.fault("bytes/s", f"{rate:g} is not {flow.io_bytes} bytes in {seconds:g} s")
    low, mean, high = flow.lat_min_us, flow.lat_mean_us, flow.lat_max_us
    if low is not None and mean is not None and high is not None and not low <= mean <= high:
        raise counts.fault("avg_us", f"{mean} is not between {low} and {high}")


def _buckets(node: Node) -> tuple[tuple[int, int], ...] | None:
    if node.has("histo_max_exceeded"):
        return None
    found: dict[int, int] = {}
    if node.content.get("buckets") == "":
        return ()  # a property tree has no empty list: it writes an empty text instead
    for entry in node.children("buckets"):
        text = entry.text("range") or ""
        if text not in _INDEX or _INDEX[text] in found:
            raise entry.fault("range", f"{text!r} is not a bucket of an elbencho histogram")
        found[_INDEX[text]] = _needed(entry, "count")
    return tuple(sorted(found.items()))


def _count(node: Node, key: str) -> int | None:
    """A whole number that elbencho writes as a string."""
    text = node.text(key)
    if text is None:
        return None
    if not text.isdecimal():
        raise node.fault(key, f"{text!r} is not a whole number")
    return int(text)


def _needed(node: Node, key: str) -> int:
    node.need(key)
    return _count(node, key) or 0
