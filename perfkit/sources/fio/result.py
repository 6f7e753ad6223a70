"""What one fio JSON document says, as values, with every number checked against its neighbours.

fio's JSON holds most facts twice (a rate and its count and time, a percentile and its histogram):
where they disagree the file is damaged, and no number of it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from perfkit.core import stats
from perfkit.core.errors import ParseError
from perfkit.core.units import MS_PER_S
from perfkit.formats.json_node import Node
from perfkit.sources.fio.buckets import bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

DIRECTIONS = ("read", "write", "trim")
MIXED = "mixed"
"""The direction under which fio reports all I/O with ``unified_rw_reporting``."""

KINDS = ("slat", "clat", "lat")
ALL_CLIENTS = "All clients"
"""The name of the row in which fio sums up its clients: never a job of its own."""

NO_GROUP = 2**32 - 1
"""The group of an entry that belongs to none."""

NOT_IO = frozenset({"cpuio"})
"""Engines that burn CPU and count that as I/Os."""

OLDEST = 3
"""fio 2 wrote microseconds under other names."""

AGREE = 1e-3
"""Relative difference allowed between a rate and its count over time: fio cuts digits off."""

_VERSION = re.compile(r"^fio-((\d+)\.\S+)$")

N = TypeVar("N", int, float)

Bins = tuple[tuple[int, int], ...]
"""A histogram: (middle of the bucket in ns, count), in rising order."""


@dataclass(frozen=True)
class Latency:
    """One kind of latency in one direction; all in ns. ``bins`` is None without JSON+.

    ``edges`` gives the lower and upper edge of a bin: tools have buckets of their own.
    """

    kind: str
    n: int
    min_ns: float | None
    max_ns: float | None
    mean_ns: float | None
    stddev_ns: float | None
    percentiles: tuple[tuple[float, int], ...] = ()
    bins: Bins | None = None
    edges: Callable[[int], tuple[float, float]] = bounds


@dataclass(frozen=True)
class Flow:
    """What one job did in one direction.

    ``counted`` is False where the tool gave rates only: ``ios`` is then no number to show.
    """

    direction: str
    node: Node
    ios: int
    io_bytes: int
    runtime_ms: int
    iops: float | None
    bw_bytes: float | None
    latencies: Mapping[str, Latency]
    counted: bool = True

    def latency(self, kind: str) -> Latency | None:
        """One kind of latency, if it has samples."""
        found = self.latencies.get(kind)
        return found if found and found.n else None


@dataclass(frozen=True)
class Job:
    """One entry of ``jobs`` or ``client_stats``; ``flows`` are the directions that did I/O."""

    index: int
    name: str
    groupid: int | None
    error: int
    host: tuple[str | None, int | None]
    own_options: Mapping[str, str]
    global_options: Mapping[str, str]
    flows: tuple[Flow, ...]
    sync: Latency | None
    node: Node

    @property
    def options(self) -> dict[str, str]:
        """The job's options over the file's."""
        return {**self.global_options, **self.own_options}

    @property
    def merged_from(self) -> str | None:
        """The section whose options stand here, if it is not this one.

        With group_reporting several sections become one entry: it has the name of the first and
        the options of the last.
        """
        name = self.own_options.get("name", self.name)
        return None if name == self.name else name

    @property
    def main_flows(self) -> tuple[Flow, ...]:
        """The directions to add up: ``mixed`` only where fio gave nothing else."""
        single = tuple(flow for flow in self.flows if flow.direction != MIXED)
        return single or self.flows


@dataclass(frozen=True)
class FioResult:
    """One fio document: its jobs, and what belongs to the whole."""

    version: str
    jobs: tuple[Job, ...]
    all_clients: Job | None
    clients: bool
    global_options: Mapping[str, str]
    document: Node


def result_of(document: dict[str, Any], path: Path | str) -> FioResult:
    """The values of one document; ParseError naming file and place for what cannot be."""
    root = Node(document, "", path)
    version = _version(root)
    lists = [key for key in ("jobs", "client_stats") if root.has(key)]
    if len(lists) != 1:
        raise ParseError(path, "a fio result has either 'jobs' or 'client_stats', and this not")
    shared = _global_options(root)
    entries = [node for node in root.children(lists[0]) if not _is_phantom(node)]
    rows = [_job(index, node, shared) for index, node in enumerate(entries)]
    clients = lists[0] == "client_stats"
    summed = [job for job in rows if clients and job.name == ALL_CLIENTS]
    jobs = tuple(job for job in rows if job not in summed)
    result = FioResult(version, jobs, summed[0] if summed else None, clients, shared, root)
    _check_clients(result, path)
    return result


def _version(root: Node) -> str:
    text = root.text("fio version") or ""
    match = _VERSION.match(text)
    if not match:
        raise ParseError(root.file, f"'fio version' is {text!r}: not a fio result")
    if int(match[2]) < OLDEST:
        raise ParseError(
            root.file, f"written by {text}: results before fio 3 are in other units; use fio 3"
        )
    return match[1]


def _global_options(root: Node) -> dict[str, str]:
    """Options of the file: an object up to fio 3.38, later a list with one object per server."""
    if not isinstance(root.content.get("global options"), list):
        return _options(root, "global options")
    merged: dict[str, str] = {}
    for node in root.children("global options"):
        merged |= _option_values(node)
    return merged


def _options(node: Node, key: str) -> dict[str, str]:
    child = node.child(key)
    return _option_values(child) if child else {}


def _option_values(node: Node) -> dict[str, str]:
    """Options whose value is a text; fio 3.39 puts the server's name beside them."""
    return {
        key: value
        for key, value in node.content.items()
        if isinstance(value, str) and key not in {"hostname", "port"}
    }


def _is_phantom(node: Node) -> bool:
    """An entry that fio leaves behind when it merged some of a group's jobs: no name, no group."""
    if "jobname" in node.content or node.content.get("groupid") != NO_GROUP:
        return False
    parts = [node.child(name) for name in (*DIRECTIONS, MIXED)]
    return not any(part.count("total_ios") for part in parts if part)


def _job(index: int, node: Node, shared: Mapping[str, str]) -> Job:
    node.need("jobname", "error")
    flows = tuple(flow for name in (*DIRECTIONS, MIXED) if (flow := _flow(node, name)) is not None)
    if not flows:
        raise node.fault("read", "is missing, and so are write, trim and mixed")
    own = _options(node, "job options")
    does_io = {**shared, **own}.get("ioengine") not in NOT_IO
    synced = node.child("sync")
    sync = _latency(synced, "lat") if synced else None
    return Job(
        index=index,
        name=node.text("jobname") or "",
        groupid=node.count("groupid"),
        error=node.count("error", signed=True) or 0,
        host=(node.text("hostname"), node.count("port")),
        own_options=own,
        global_options=shared,
        flows=tuple(flow for flow in flows if flow.ios) if does_io else (),
        # total_ios of sync is 0 in fio 3.33 whatever was synced: the samples are the count
        sync=sync if sync and sync.n else None,
        node=node,
    )


def _flow(job: Node, direction: str) -> Flow | None:
    node = job.child(direction)
    if node is None:
        return None
    node.need("total_ios", "io_bytes", "runtime")
    ios, io_bytes = node.count("total_ios") or 0, node.count("io_bytes") or 0
    runtime = node.count("runtime") or 0
    known = [_latency(node, kind) for kind in KINDS]
    _check_parts(node, [item for item in known if item])
    return Flow(
        direction=direction,
        node=node,
        ios=ios,
        io_bytes=io_bytes,
        runtime_ms=runtime,
        iops=_rate(node, "iops", ios, runtime, slack=1e-5),
        bw_bytes=_rate(node, "bw_bytes", io_bytes, runtime, slack=1.0),
        latencies={item.kind: item for item in known if item},
    )


def _rate(node: Node, key: str, amount: int, runtime_ms: int, slack: float) -> float | None:
    """A rate as fio gives it; null without run time, ParseError where it is not amount / time."""
    given = node.number(key)
    if given is None or not runtime_ms:
        return None
    expected = amount * MS_PER_S / runtime_ms
    if abs(given - expected) > max(AGREE * expected, slack):
        raise node.fault(key, f"{given} does not agree with {amount} in {runtime_ms} ms")
    return given


def _latency(flow: Node, kind: str) -> Latency | None:
    node = flow.child(f"{kind}_ns")
    if node is None:
        return None
    node.need("N")
    n = node.count("N") or 0
    if not n:
        # fio fills the statistics of nothing with zeros
        return Latency(kind, 0, None, None, None, None)
    found = Latency(
        kind=kind,
        n=n,
        min_ns=node.number("min"),
        max_ns=node.number("max"),
        mean_ns=node.number("mean"),
        stddev_ns=node.number("stddev"),
        percentiles=_counted(node, "percentile", _percent),
        bins=_counted(node, "bins", _bucket) if node.has("bins") else None,
    )
    _check_latency(node, found)
    return found


def _counted(node: Node, key: str, read: Callable[[Node, str], N]) -> tuple[tuple[N, int], ...]:
    """An object of numbers by numbers, in rising order; ``read`` takes a key."""
    child = node.child(key)
    if child is None:
        return ()
    return tuple(sorted((read(child, each), child.count(each) or 0) for each in child.content))


def _percent(node: Node, key: str) -> float:
    try:
        percent = float(key)
    except ValueError:
        percent = -1.0
    if not 0 < percent <= 100:  # noqa: PLR2004 - a percentage
        raise node.fault(key, "is not a percentage")
    return percent


def _bucket(node: Node, key: str) -> int:
    try:
        middle = int(key)
        bounds(middle)
    except ValueError:
        raise node.fault(key, "is not a bucket of a fio histogram") from None
    return middle


def _check_parts(node: Node, found: Sequence[Latency]) -> None:
    """The latency of the same I/Os is not below a part of it: submission plus completion."""
    whole = next((item for item in found if item.kind == "lat"), None)
    for part in found:
        if whole is None or part is whole or part.n != whole.n or not whole.n:
            continue
        if whole.mean_ns is None or part.mean_ns is None:
            continue
        if part.mean_ns > whole.mean_ns * (1 + AGREE) + 1:
            raise node.fault(
                "lat_ns", f"a mean of {whole.mean_ns} is below that of {part.kind}, {part.mean_ns}"
            )


def _check_latency(node: Node, found: Latency) -> None:
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
        raise node.fault("bins", f"hold {total} samples, and N says {found.n}")
    values, counts = [value for value, _ in bins], [count for _, count in bins]
    shares = [percent / 100 for percent, _ in found.percentiles]
    own = stats.quantiles_from_histogram(values, counts, shares)
    for (percent, given), value in zip(found.percentiles, own, strict=True):
        if given != value:
            raise node.fault("percentile", f"{percent:g} is {given}, and the bins give {value}")


def _check_clients(result: FioResult, path: Path | str) -> None:
    """The sum over clients that fio gives must be the sum of the rows that are there."""
    if result.all_clients is None:
        return
    for flow in result.all_clients.main_flows:
        rows = (row for job in result.jobs for row in job.main_flows)
        there = sum(row.ios for row in rows if row.direction == flow.direction)
        if there != flow.ios:
            raise ParseError(
                path,
                f"'{ALL_CLIENTS}' did {flow.ios} {flow.direction} I/Os, the rows of the clients "
                f"{there}: a row is missing or damaged",
            )
