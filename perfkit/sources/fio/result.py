"""What one fio JSON document says, as values, with every number checked against its neighbours.

fio's JSON holds most facts twice (a rate and its count and time, a percentile and its histogram):
where they disagree the file is damaged, and no number of it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.files import Json
from perfkit.core.units import KIB, MS_PER_S
from perfkit.formats.json_node import Node
from perfkit.sources.fio.latency import (
    AGREE,
    Dialect,
    Latency,
    dialect_of,
    latencies_of,
    latency_of,
)
from perfkit.sources.fio.normal import PRINTED, SYNCED_BY

_DEEPER = ("2", "4", "8", "16", "32", ">=64")
"""The depths above 1 of which fio prints the share of I/Os in percent."""

DIRECTIONS = ("read", "write", "trim")
MIXED = "mixed"
"""The direction under which fio reports all I/O with ``unified_rw_reporting``."""

ALL_CLIENTS = "All clients"
"""The name of the row in which fio sums up its clients: never a job of its own."""

NO_GROUP = 2**32 - 1
"""The group of an entry that belongs to none."""

NOT_IO = frozenset({"cpuio"})
"""Engines that burn CPU and count that as I/Os."""

LONGEST_NAME = 127
"""Bytes of a job's name that fio keeps; its options have all of it."""

OLDEST = 2
"""fio 1 wrote no JSON."""

_VERSION = re.compile(r"^fio-((\d+)\.(\d+)\S*)$")


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
        return found if found and found.n != 0 else None

    def samples(self, latency: Latency) -> int:
        """How much one of its latencies weighs: its samples, or all I/Os where fio tells none."""
        return self.ios if latency.n is None else latency.n


@dataclass(frozen=True)
class Job:
    """One entry of ``jobs`` or ``client_stats``; ``flows`` are the directions that did I/O.

    ``stated``: the file states all of its options, as JSON does and normal output does not.
    """

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
    stated: bool = True

    @property
    def synced_by(self) -> str | None:
        """Which calls made its writes durable, as far as they were counted; None: none did."""
        if self.sync is None:
            return None
        node = self.node.child("sync")
        return (node and node.text(SYNCED_BY)) or "syncs"

    @property
    def ran_deeper(self) -> bool:
        """Whether fio counted I/Os at depths above 1, whatever options were printed."""
        levels = self.node.child("iodepth_level")
        return levels is not None and any((levels.number(key) or 0) > 1 for key in _DEEPER)

    @property
    def options(self) -> dict[str, str]:
        """The job's options over the file's."""
        return {**self.global_options, **self.own_options}

    @property
    def merged_from(self) -> str | None:
        """The section whose options stand here, if it is not this one.

        With group_reporting several sections become one entry: it has the name of the first and
        the options of the last. A long name is that of this section, cut off.
        """
        name = self.own_options.get("name", self.name)
        return None if self.name in {name, _cut(name)} else name

    @property
    def main_flows(self) -> tuple[Flow, ...]:
        """The directions to add up: ``mixed`` only where fio gave nothing else."""
        single = tuple(flow for flow in self.flows if flow.direction != MIXED)
        return single or self.flows


@dataclass(frozen=True)
class FioResult:
    """One fio document: its jobs, and what belongs to the whole.

    ``line``: where it begins, if it is one of several in its file; those are the ``runs`` of their
    common result.
    """

    version: str
    jobs: tuple[Job, ...]
    all_clients: Job | None
    clients: bool
    global_options: Mapping[str, str]
    document: Node
    line: int | None = None
    runs: tuple[FioResult, ...] = ()


def result_of(document: Json, path: Path | str) -> FioResult:
    """The values of one document; ParseError naming file and place for what cannot be."""
    root = Node(_signed(document), "", path)
    text = root.text("fio version") or ""
    match = _VERSION.match(text)
    if not match:
        raise ParseError(root.file, f"'fio version' is {text!r}: not a fio result")
    if int(match[2]) < OLDEST:
        raise ParseError(root.file, f"written by {text}: fio writes JSON since version 2")
    version, dialect = match[1], dialect_of(int(match[2]), int(match[3]))
    if root.has(PRINTED):
        dialect = replace(dialect, counts=False)
    lists = [key for key in ("jobs", "client_stats") if root.has(key)]
    if len(lists) != 1:
        raise ParseError(
            path, "a fio result has either 'jobs' or 'client_stats'; this has neither, or both"
        )
    shared = _global_options(root)
    entries = [node for node in root.children(lists[0]) if not _is_phantom(node)]
    found = (_job(index, node, shared, dialect) for index, node in enumerate(entries))
    rows = [replace(job, stated=not root.has(PRINTED)) for job in found]
    clients = lists[0] == "client_stats"
    summed = [job for job in rows if clients and job.name == ALL_CLIENTS]
    jobs = tuple(job for job in rows if job not in summed)
    result = FioResult(version, jobs, summed[0] if summed else None, clients, shared, root)
    _check_clients(result, path)
    return result


_WORD = 2**64


def _signed(document: Json) -> Json:
    """A document whose counters of disks that ran over are below 0, as fio's JSON has them.

    Printed without a sign they are almost 2**64: no time of any run, and no damage of its result.
    """
    disks = document.get("disk_util")
    if not isinstance(disks, list):
        return document
    own = [
        {name: _unwrapped(value) for name, value in disk.items()}
        if isinstance(disk, dict)
        else disk
        for disk in disks
    ]
    return {**document, "disk_util": own}


def _unwrapped(value: Any) -> Any:
    ran_over = isinstance(value, int) and _WORD // 2 <= value < _WORD
    return value - _WORD if ran_over else value


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


def _cut(name: str) -> str:
    return name.encode()[:LONGEST_NAME].decode(errors="ignore")


def _is_phantom(node: Node) -> bool:
    """An entry that fio leaves behind when it merged some of a group's jobs: no name, no group."""
    if "jobname" in node.content or node.content.get("groupid") != NO_GROUP:
        return False
    parts = [node.child(name) for name in (*DIRECTIONS, MIXED)]
    return not any(part.count("total_ios") for part in parts if part)


def _job(index: int, node: Node, shared: Mapping[str, str], dialect: Dialect) -> Job:
    node.need("jobname", "error")
    own = _options(node, "job options")
    options = {**shared, **own}
    found = (_flow(node, name, options, dialect) for name in (*DIRECTIONS, MIXED))
    flows = tuple(flow for flow in found if flow is not None)
    if not flows:
        raise node.fault("read", "is missing, and so are write, trim and mixed")
    does_io = options.get("ioengine") not in NOT_IO
    synced = node.child("sync")
    sync = latency_of(synced, "lat", dialect) if synced else None
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
        sync=sync if sync and sync.n != 0 else None,
        node=node,
    )


def _flow(job: Node, direction: str, options: Mapping[str, str], dialect: Dialect) -> Flow | None:
    node = job.child(direction)
    if node is None:
        return None
    node.need("io_bytes", "runtime", *(() if dialect.in_us else ("total_ios",)))
    # up to 2.20 "io_bytes" are KiB; from then on they are bytes, and io_kbytes stand beside them
    in_kib = dialect.in_us and not node.has("io_kbytes")
    io_bytes = (node.count("io_bytes") or 0) * (KIB if in_kib else 1)
    runtime, ios = node.count("runtime") or 0, node.count("total_ios")
    iops = _iops(node, ios, runtime, dialect)
    return Flow(
        direction=direction,
        node=node,
        # before 2.2 I/Os are not counted: the estimate only weighs jobs
        ios=round((iops or 0) * runtime / MS_PER_S) if ios is None else ios,
        io_bytes=io_bytes,
        runtime_ms=runtime,
        iops=iops,
        bw_bytes=_bandwidth(node, io_bytes, runtime, slack=2 * KIB if in_kib else KIB),
        latencies=latencies_of(node, options, dialect),
        counted=ios is not None,
    )


def _iops(node: Node, ios: int | None, runtime_ms: int, dialect: Dialect) -> float | None:
    """I/Os per second as fio gives them: whole numbers, or two decimals, in fio 2."""
    if ios is None:
        return node.number("iops") if runtime_ms else None
    whole = isinstance(node.content.get("iops"), int)
    slack = 1.0 if whole and dialect.in_us else 0.01 if dialect.in_us else 1e-5
    return _rate(node, "iops", ios, runtime_ms, slack)


def _bandwidth(node: Node, io_bytes: int, runtime_ms: int, slack: float) -> float | None:
    """Bytes per second: fio's own, or before 3.2 the payload over the time.

    ``bw`` is the same in whole KiB/s, and says whether ``io_bytes`` are what they are taken for.
    """
    given = node.number("bw")
    if node.has("bw_bytes") or given is None or not runtime_ms:
        return _rate(node, "bw_bytes", io_bytes, runtime_ms, slack=1.0)
    found = io_bytes * MS_PER_S / runtime_ms
    if abs(given * KIB - found) > max(AGREE * found, slack):
        raise node.fault("bw", f"{given} KiB/s are not {io_bytes} bytes in {runtime_ms} ms")
    return found


def _rate(node: Node, key: str, amount: int, runtime_ms: int, slack: float) -> float | None:
    """A rate as fio gives it; null without run time, ParseError where it is not amount / time."""
    given = node.number(key)
    if given is None or not runtime_ms:
        return None
    expected = amount * MS_PER_S / runtime_ms
    if abs(given - expected) > max(AGREE * expected, slack):
        raise node.fault(key, f"{given} does not agree with {amount} in {runtime_ms} ms")
    return given


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
