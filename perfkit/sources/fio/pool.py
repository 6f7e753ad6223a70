"""Several flows of I/O as one: what a load point did over its jobs and directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perfkit.core import stats
from perfkit.core.schema import PERCENTILES, Row
from perfkit.core.stats import over_all
from perfkit.core.units import MS_PER_S, NS_PER_S
from perfkit.sources.fio.latency import KINDS, Latency
from perfkit.sources.fio.result import MIXED, Flow

TOTAL = "total"

PERCENTILE_KINDS = ("lat", "clat")
"""Whose percentiles are shown, in order: a mean and a percentile should be of one quantity."""


def by_direction(flows: Sequence[Flow]) -> dict[str, list[Flow]]:
    """The flows of each direction, and all of them as ``total``."""
    names = [name for name in dict.fromkeys(f.direction for f in flows) if name != MIXED]
    parts = {name: [flow for flow in flows if flow.direction == name] for name in sorted(names)}
    return {**parts, TOTAL: list(flows)}


def seconds(ns: float | None) -> float | None:
    """Nanoseconds as seconds."""
    return None if ns is None else ns / NS_PER_S


def metrics(flows: Sequence[Flow]) -> Row:
    """The metrics of a load point over flows that ran at the same time.

    Rates are the sum of the I/Os (bytes) over the longest run time, as fio sums up a group. Mean
    latency pools by count. Percentiles come from the merged histogram, or, of a single flow without
    one, are fio's own; otherwise they are null. They are of the same latency as the mean (``lat``)
    where fio was asked for that (``lat_percentiles``), else of completion latency (``clat``), and
    ``percentiles_of`` says which.
    """
    whole, told = merged(flows, "lat"), with_percentiles(flows)
    runtime_ms = max(flow.runtime_ms for flow in flows)
    return {
        "ios": sum(flow.ios for flow in flows) if all(f.counted for f in flows) else None,
        "runtime_s": runtime_ms / MS_PER_S if runtime_ms else None,
        "iops": _rate([(flow.ios, flow.iops) for flow in flows], runtime_ms),
        "bw_bytes_per_s": _rate([(flow.io_bytes, flow.bw_bytes) for flow in flows], runtime_ms),
        "lat_mean_s": seconds(whole.mean_ns) if whole else None,
        "lat_min_s": seconds(whole.min_ns) if whole else None,
        "lat_max_s": seconds(whole.max_ns) if whole else None,
        **dict(zip(PERCENTILES, _quantiles(told), strict=True)),
        "percentiles_of": told.kind if told else None,
    }


def with_percentiles(flows: Sequence[Flow]) -> Latency | None:
    """The latency whose percentiles are known over all flows: ``lat`` before ``clat``."""
    for kind in PERCENTILE_KINDS:
        latency = merged(flows, kind)
        if latency is not None and (latency.bins or latency.percentiles):
            return latency
    return None


def _rate(parts: Sequence[tuple[int, float | None]], runtime_ms: int) -> float | None:
    if not runtime_ms:
        return None
    if len(parts) == 1:
        return parts[0][1]
    return sum(amount for amount, _ in parts) * MS_PER_S / runtime_ms


def _quantiles(latency: Latency | None) -> list[float | None]:
    if latency is None:
        return [None] * len(PERCENTILES)
    shares = list(PERCENTILES.values())
    if latency.bins is None:
        own = {round(percent / 100, 9): value for percent, value in latency.percentiles}
        return [seconds(own.get(share)) for share in shares]
    found = stats.quantiles_from_histogram(*_columns(latency), shares)
    return [seconds(value) for value in found]


def _columns(latency: Latency) -> tuple[list[int], list[int]]:
    bins = latency.bins or ()
    return [value for value, _ in bins], [count for _, count in bins]


def merged(flows: Sequence[Flow], kind: str) -> Latency | None:
    """One kind of latency over all flows; None where one of them has none of it."""
    parts = [(flow, flow.latency(kind)) for flow in flows]
    weighed = [(flow.samples(part), part) for flow, part in parts if part is not None]
    known = [part for _, part in weighed]
    if not known or len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    histograms = [part.bins for part in known if part.bins is not None]
    whole = len(histograms) == len(known)
    together = Latency(
        kind=kind,
        n=over_all(sum, [part.n for part in known]),
        min_ns=over_all(min, [part.min_ns for part in known]),
        max_ns=over_all(max, [part.max_ns for part in known]),
        mean_ns=stats.pooled_mean((weight, part.mean_ns) for weight, part in weighed),
        stddev_ns=None,
        bins=tuple(stats.merge_histograms(histograms).items()) if whole else None,
        edges=known[0].edges,
    )
    # the percentiles that fio was asked for, taken from the merged histogram
    asked = sorted({percent for part in known for percent, _ in part.percentiles})
    if together.bins is None or not asked:
        return together
    shares = [percent / 100 for percent in asked]
    values = stats.quantiles_from_histogram(*_columns(together), shares)
    pairs = tuple((p, int(v)) for p, v in zip(asked, values, strict=True) if v is not None)
    return replace(together, percentiles=pairs)


def distributions(flows: Sequence[Flow]) -> dict[tuple[str, str], Latency]:
    """(direction, kind) -> merged latency, for each direction and the total."""
    found = {
        (direction, kind): merged(part, kind)
        for direction, part in by_direction(flows).items()
        for kind in KINDS
    }
    return {key: latency for key, latency in found.items() if latency is not None}
