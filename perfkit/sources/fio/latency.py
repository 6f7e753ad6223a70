"""The latencies of one flow, as any version of fio writes them, checked against each other.

What the versions write (fio's stat.c from 2.1 to 3.42):

- fio 2 writes microseconds under ``slat``, ``clat`` and ``lat``; fio 3 nanoseconds under
  ``slat_ns``, ``clat_ns`` and ``lat_ns``.
- ``N``, the number of samples, came with 3.18: before it a latency without samples is all zeros.
- Up to 3.3 the list of percentiles is padded with ``"0.00": 0``.
- From 3.1 to 3.17 fio keeps one histogram for each direction, of ``lat`` with ``lat_percentiles``,
  else of ``clat``; up to 3.12 its percentiles stand under ``clat`` in either case.
- Histograms (``bins``) of fio 2 are numbered in two other ways, and are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from perfkit.core import stats
from perfkit.formats.json_node import Node

KINDS = ("slat", "clat", "lat")

NS_PER_US = 1000

AGREE = 1e-3
"""Relative difference allowed between a number and its neighbours: fio cuts digits off."""

Bins = tuple[tuple[int, int], ...]
"""A histogram: (middle of the bucket in ns, count), in rising order."""

N = TypeVar("N", int, float)

_BITS = 6
"""log2 of the buckets for each power of two."""


def bounds(middle: int) -> tuple[int, int]:
    """The bucket of a JSON+ key, in ns: (lower edge, inside; upper edge, outside).

    fio keeps every value below 128 ns apart, and above that 64 buckets for each power of two. The
    key is the middle of the bucket: the value that fio gives for a percentile, at most 0.8 % away
    from any in the bucket. Source: fio stat.h (FIO_IO_U_PLAT_BITS), stat.c.

    Raises ValueError where the number is the middle of no bucket.
    """
    if middle < 0:
        raise ValueError(f"{middle} is not a bucket of a fio histogram")
    error_bits = middle.bit_length() - 1 - _BITS
    if error_bits <= 0:
        return middle, middle + 1
    width = 1 << error_bits
    lower = middle - width // 2
    if lower % width:
        raise ValueError(f"{middle} is not a bucket of a fio histogram")
    return lower, lower + width


@dataclass(frozen=True)
class Dialect:
    """How a version of fio writes a result.

    ``in_us``: fio 2, with latencies in microseconds. ``counts``: 3.18 or later, which tells the
    number of samples (``N``); what was built between 3.17 and it may or may not.
    """

    in_us: bool
    counts: bool


def dialect_of(major: int, minor: int) -> Dialect:
    """The dialect of a version."""
    # 2.99 is 3.0 before its release
    return Dialect((major, minor) < (2, 99), (major, minor) >= (3, 18))


@dataclass(frozen=True)
class Latency:
    """One kind of latency in one direction; all in ns. ``bins`` is None without JSON+.

    ``n`` is the number of samples, and None where the tool does not tell it. ``edges`` gives the
    lower and upper edge of a bin: tools have buckets of their own.
    """

    kind: str
    n: int | None
    min_ns: float | None
    max_ns: float | None
    mean_ns: float | None
    stddev_ns: float | None
    percentiles: tuple[tuple[float, int], ...] = ()
    bins: Bins | None = None
    edges: Callable[[int], tuple[float, float]] = bounds


def latency_of(flow: Node, kind: str, dialect: Dialect) -> Latency | None:
    """One kind of latency; None where fio writes none.

    Raises ParseError for what is missing, cannot be, or does not agree with what stands beside it.
    """
    key, foreign = f"{kind}_ns", kind
    if dialect.in_us:
        key, foreign = foreign, key
    node = flow.child(key)
    if flow.has(foreign):
        raise flow.fault(foreign, f"is of another version of fio, which writes {key!r}")
    if node is None:
        return None
    n = node.count("N")
    if n is None:
        node.need(*(("N",) if dialect.counts else ("min", "max", "mean")))
    if not (node.number("max") if n is None else n):
        # fio fills the statistics of nothing with zeros
        return Latency(kind, 0, None, None, None, None)
    scale = NS_PER_US if dialect.in_us else 1
    bins = _counted(node, "bins", _bucket) if node.has("bins") and not dialect.in_us else None
    found = Latency(
        kind=kind,
        n=sum(count for _, count in bins) if bins and n is None else n,
        min_ns=_scaled(node.number("min"), scale),
        max_ns=_scaled(node.number("max"), scale),
        mean_ns=_scaled(node.number("mean"), scale),
        stddev_ns=_scaled(node.number("stddev"), scale),
        percentiles=tuple(
            (percent, value * scale)
            for percent, value in _counted(node, "percentile", _percent)
            if percent
        ),
        bins=bins,
    )
    _check(node, found)
    return found


def latencies_of(flow: Node, options: Mapping[str, str], dialect: Dialect) -> dict[str, Latency]:
    """The latencies of a flow by kind, the percentiles with the latency that they are of."""
    known = [latency_of(flow, kind, dialect) for kind in KINDS]
    found = {item.kind: item for item in known if item is not None}
    _check_parts(flow, found)
    lat, clat = found.get("lat"), found.get("clat")
    if lat and clat and not dialect.counts and options.get("lat_percentiles") == "1":
        # the one histogram that fio kept is of lat, wherever it wrote it
        own = lat if lat.bins else clat
        whole = replace(
            lat, n=own.n, bins=own.bins, percentiles=lat.percentiles or clat.percentiles
        )
        found |= {"lat": whole, "clat": replace(clat, n=None, bins=None, percentiles=())}
    return found


def _scaled(value: float | None, scale: int) -> float | None:
    return None if value is None else value * scale


def _counted(node: Node, key: str, read: Callable[[Node, str], N]) -> tuple[tuple[N, int], ...]:
    """An object of numbers by numbers, in rising order; ``read`` takes a key."""
    child = node.child(key)
    if child is None:
        return ()
    return tuple(sorted((read(child, each), child.count(each) or 0) for each in child.content))


def _percent(node: Node, key: str) -> float:
    """A percentage; 0 of a place in the list that holds none."""
    try:
        percent = float(key)
    except ValueError:
        percent = -1.0
    padding = percent == 0 and node.count(key) == 0
    if not (0 < percent <= 100 or padding):
        raise node.fault(key, "is not a percentage")
    return percent


def _bucket(node: Node, key: str) -> int:
    try:
        middle = int(key)
        bounds(middle)
    except ValueError:
        raise node.fault(key, "is not a bucket of a fio histogram") from None
    return middle


def _check_parts(node: Node, found: Mapping[str, Latency]) -> None:
    """The latency of the same I/Os is not below a part of it: submission plus completion."""
    whole = found.get("lat")
    for part in found.values():
        if whole is None or part is whole or part.n != whole.n:
            continue
        if whole.mean_ns is None or part.mean_ns is None:
            continue
        if part.mean_ns > whole.mean_ns * (1 + AGREE) + 1:
            raise node.fault(
                "lat_ns", f"a mean of {whole.mean_ns} is below that of {part.kind}, {part.mean_ns}"
            )


def _check(node: Node, found: Latency) -> None:
    low, mean, high = found.min_ns, found.mean_ns, found.max_ns
    if low is not None and mean is not None and high is not None:
        slack = 1 + AGREE
        if not low <= mean * slack or not mean <= high * slack:
            raise node.fault("mean", f"{mean} is not between min {low} and max {high}")
    for (lower, below), (upper, above) in pairwise(found.percentiles):
        if below > above:
            raise node.fault("percentile", f"{upper:g} is below {lower:g}: {above} < {below}")
    if found.bins is not None:
        _check_bins(node, found, found.bins)


def _check_bins(node: Node, found: Latency, bins: Bins) -> None:
    """The histogram must hold all samples and give the percentiles that stand beside it."""
    total = sum(count for _, count in bins)
    if total != found.n:
        raise node.fault("bins", f"hold {total} samples, but N is {found.n}")
    values, counts = [value for value, _ in bins], [count for _, count in bins]
    shares = [percent / 100 for percent, _ in found.percentiles]
    own = stats.quantiles_from_histogram(values, counts, shares)
    for (percent, given), value in zip(found.percentiles, own, strict=True):
        if given != value:
            raise node.fault("percentile", f"{percent:g} is {given}, and the bins give {value}")
