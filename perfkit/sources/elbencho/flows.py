"""elbencho's figures in the form in which flows of I/O are pooled, whatever tool they are of."""

from __future__ import annotations

from perfkit.core import stats
from perfkit.core.schema import PERCENTILES
from perfkit.formats import elbencho_json
from perfkit.formats.elbencho_json import Flow as ElbenchoFlow
from perfkit.formats.elbencho_json import Phase
from perfkit.formats.json_node import Node
from perfkit.sources.fio.latency import Latency
from perfkit.sources.fio.result import Flow

NS_PER_US = 1000
COARSE = (
    "elbencho counts latency in whole microseconds, cut off, and its histogram has buckets "
    f"{elbencho_json.WIDTH_PERCENT}% wide: a percentile is the upper edge of one"
)
"""What every reader of an elbencho percentile must know."""


def _key(index: int) -> int:
    """A bucket's upper edge in ns: what elbencho prints for a percentile."""
    return round(elbencho_json.edges_us(index)[1] * NS_PER_US)


_EDGES = {
    _key(index): tuple(edge * NS_PER_US for edge in elbencho_json.edges_us(index))
    for index in range(elbencho_json.BUCKETS)
}


def edges(key: int) -> tuple[float, float]:
    """The lower and upper edge of a bucket by its key, in ns."""
    lower, upper = _EDGES[key]
    return lower, upper


def flow_of(phase: Phase, flow: ElbenchoFlow) -> Flow:
    """One direction of a phase, from the state when its last thread was done."""
    # without a histogram the I/Os are not counted: the estimate only weighs directions
    ios = flow.ios if flow.ios is not None else round(flow.iops * phase.last_ms / 1000)
    return Flow(
        direction=flow.direction,
        node=Node({}, phase.operation, ""),
        ios=ios,
        io_bytes=flow.io_bytes,
        runtime_ms=phase.last_ms,
        iops=flow.iops,
        bw_bytes=flow.bytes_per_s,
        latencies={"lat": latency} if (latency := _latency(flow, ios)) else {},
        counted=flow.ios is not None,
    )


def _latency(flow: ElbenchoFlow, ios: int) -> Latency | None:
    if flow.lat_mean_us is None:
        return None
    bins = None
    if flow.buckets is not None:
        bins = tuple((_key(index), count) for index, count in flow.buckets)
    keys, counts = [key for key, _ in bins or ()], [count for _, count in bins or ()]
    shares = list(PERCENTILES.values())
    values = stats.quantiles_from_histogram(keys, counts, shares)
    return Latency(
        kind="lat",
        n=ios,
        min_ns=_ns(flow.lat_min_us),
        max_ns=_ns(flow.lat_max_us),
        mean_ns=_ns(flow.lat_mean_us),
        stddev_ns=None,
        # those of the common table: elbencho writes none
        percentiles=tuple(
            (round(share * 100, 9), int(value))
            for share, value in zip(shares, values, strict=True)
            if value is not None
        ),
        bins=bins,
        edges=edges,
    )


def _ns(us: int | None) -> float | None:
    return None if us is None else float(us * NS_PER_US)
