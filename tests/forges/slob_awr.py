"""AWR reports of a comparison: SLOB's mixes over two protocols, load by load, with repeats.

No number in them is of any system: each protocol is a closed loop whose latency rises as it nears
a capacity. The shape of the test (protocols, mixes, threads, repeats, twenty minutes a point) is
that of NetApp TR-4819, so that such a study can be rehearsed on logs.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from forges.awr import DIALECTS, MANY, forge
from forges.awr.content import (
    COUNTERS,
    Content,
    Cpu,
    Database,
    Instance,
    Memory,
    Snapshots,
    Wait,
)

THREADS = (2, 4, 8, 16, 24, 32, 44, 56, 72, 88, 104, 128, 152, 180, 210)
SCHEMAS = 4
"""SLOB's users: each load point has so many sessions a thread."""

BLOCK = 8192
HARDWARE_THREADS = 160
"""Of all hosts together."""

FIRST = dt.datetime(2026, 2, 2, 6, 0)  # noqa: DTZ001 - a report names no zone
SECTIONS = frozenset({
    "Database Summary", "Database Instances Included In Report", "OS Statistics By Instance",
    "Time Model", "Top Timed Events", "Foreground Wait Events (Global)",
    "System Statistics - Per Second", "IO Profile (Global)",
})  # fmt: skip
"""What a RAC-global report keeps: a set of hundreds is made and read in seconds."""


@dataclass(frozen=True)
class Protocol:
    """How one protocol serves: read latency without load, how soon it bends, and CPU of an I/O."""

    latency_us: float
    bend: float
    capacity: float
    cpu_us: float


PROTOCOLS = {
    "fcp": Protocol(latency_us=245, bend=0.47, capacity=410_000, cpu_us=158),
    "nvme-fc": Protocol(latency_us=195, bend=1.0, capacity=680_000, cpu_us=126),
}


@dataclass(frozen=True)
class Mix:
    """A workload: share of reads among its I/Os, what it leaves of the capacity, redo per write."""

    reads: float
    capacity: float
    redo_bytes: int


MIXES = {
    "select-100": Mix(reads=0.999, capacity=1.0, redo_bytes=600),
    "select-75-update-25": Mix(reads=0.8, capacity=0.7, redo_bytes=1040),
    "update-100": Mix(reads=0.5, capacity=0.46, redo_bytes=1040),
}
DB_CPU_SHARE = 0.55
"""Of the CPU time of an I/O, what the database's sessions count as theirs."""

SHARPNESS = 5.2
PLAIN = frozenset(DIALECTS) - {"rac-text"}


@dataclass(frozen=True)
class Point:
    """One load point as it was served."""

    iops: float
    latency_us: float
    busy: float


def serve(protocol: Protocol, mix: Mix, sessions: int) -> Point:
    """Where the closed loop settles: sessions = IOPS x (read wait x reads + CPU and its queue).

    Writes are the database writer's: a session waits for its reads.
    """
    capacity = protocol.capacity * mix.capacity
    low, high = 0.0, min(capacity, HARDWARE_THREADS / protocol.cpu_us * 1e6)
    for _ in range(60):
        middle = (low + high) / 2
        point = _at(protocol, capacity, middle)
        held = middle * (point.latency_us * mix.reads + _think(protocol, point)) / 1e6
        low, high = (middle, high) if held < sessions else (low, middle)
    return _at(protocol, capacity, low)


def _at(protocol: Protocol, capacity: float, iops: float) -> Point:
    used = iops / capacity
    latency = protocol.latency_us * (1 + protocol.bend * used**SHARPNESS / (1 - used))
    return Point(iops, latency, iops * protocol.cpu_us / 1e6 / HARDWARE_THREADS)


def _think(protocol: Protocol, point: Point) -> float:
    """The time of an I/O that is not its wait: CPU, and waiting for CPU."""
    return protocol.cpu_us * DB_CPU_SHARE / (1 - point.busy) + 20


def write(
    folder: Path,
    seed: int,
    *,
    dialect: str = "rac-19c",
    points: int = len(THREADS),
    repeats: int = 3,
    minutes: int = 20,
    spread: float = 0.012,
) -> None:
    """Write <protocol>/<mix>/awr_t<threads>_r<repeat>.html (or .txt): one report a load point.

    Options: the dialect (rac-19c; one instance or text too), how many of the load points, repeats,
    minutes a point, and the spread between repeats (relative standard deviation).
    """
    if dialect not in PLAIN:
        raise ValueError(f"no dialect {dialect!r} of whole reports")
    if not 1 <= points <= len(THREADS) or repeats < 1 or minutes < 1 or not 0 <= spread < 1:
        raise ValueError(f"1 to {len(THREADS)} points, 1 repeat and 1 minute or more, and a "
                         "spread of 0 to below 1")  # fmt: skip
    ending = "html" if "html" in dialect or "rac" in dialect else "txt"
    begin, snap = FIRST, 3000
    for protocol in PROTOCOLS:
        for mix in MIXES:
            place = folder / protocol / mix
            place.mkdir(parents=True)
            for repeat in range(1, repeats + 1):
                for threads in _loads(points):
                    dice = random.Random(f"{seed} {protocol} {mix} {repeat} {threads}")
                    order = Order(protocol, mix, threads, begin, snap, minutes)
                    made = _content(order, dice, spread, 4 if dialect in MANY else 1)
                    data = forge(made, dialect, SECTIONS if dialect == "rac-19c" else None).data
                    (place / f"awr_t{threads:03d}_r{repeat}.{ending}").write_bytes(data)
                    begin, snap = begin + dt.timedelta(minutes=minutes + 1), snap + 2


def _loads(points: int) -> Sequence[int]:
    """So many of the loads, the lightest and the heaviest among them."""
    if points == 1:
        return THREADS[-1:]
    last = len(THREADS) - 1
    return [THREADS[round(place * last / (points - 1))] for place in range(points)]


@dataclass(frozen=True)
class Order:
    """Which load point a report is of, and when it ran."""

    protocol: str
    mix: str
    threads: int
    begin: dt.datetime
    snap: int
    minutes: int


def _content(order: Order, dice: random.Random, spread: float, instances: int) -> Content:
    mix = MIXES[order.mix]
    calm = serve(PROTOCOLS[order.protocol], mix, order.threads * SCHEMAS)
    # more IOPS and more latency do not go together in a closed loop: one factor bends both
    luck = max(0.5, dice.gauss(1, spread))
    busy = min(0.99, calm.busy * max(0.5, dice.gauss(1, spread)))
    point = Point(calm.iops / luck, calm.latency_us * luck, busy)
    weights = [dice.uniform(0.97, 1.03) for _ in range(instances)]
    end = order.begin + dt.timedelta(minutes=order.minutes, seconds=dice.randint(5, 12))
    database = Database("SLOB", 2_686_000_000 + dice.randint(0, 999_999), "slob")
    snapshots = Snapshots(order.snap, order.snap + 1, order.begin, end)
    made = [
        _instance(number, weight / sum(weights), point, mix, order, snapshots.seconds, instances,
                  dice)
        for number, weight in enumerate(weights, 1)
    ]  # fmt: skip
    return Content(database, snapshots, tuple(made))


def _instance(  # noqa: PLR0917 - the facts of the load point that its instances share
    number: int,
    share: float,
    point: Point,
    mix: Mix,
    order: Order,
    seconds: int,
    instances: int,
    dice: random.Random,
) -> Instance:
    ios = point.iops * share * seconds
    reads, writes = int(ios * mix.reads), int(ios * (1 - mix.reads))
    cpus = HARDWARE_THREADS // instances
    ticks = seconds * cpus * 100
    busy = int(ticks * min(0.99, point.busy * share * instances))
    cpu = Cpu(busy * 7 // 10, busy - busy * 7 // 10, ticks - busy, (ticks - busy) // 4,
              (_tenths(point.busy * cpus), _tenths(point.busy * cpus * 1.02)))  # fmt: skip
    foreground = (
        _wait("db file sequential read", "User I/O", reads, point.latency_us, dice),
        _wait("log file sync", "Commit", writes // 900 + 1, 900, dice),
        _wait("library cache: mutex X", "Concurrency", 12 + order.threads, 40, dice),
    )
    background = (
        _wait("log file parallel write", "System I/O", writes // 14 + 40, 700, dice),
        _wait("db file parallel write", "System I/O", writes // 10 + 20, 190, dice),
        _wait("control file sequential read", "System I/O", 1800, 350, dice),
    )
    db_cpu = int(ios * PROTOCOLS[order.protocol].cpu_us * DB_CPU_SHARE)
    db_time = db_cpu + sum(wait.time_us for wait in foreground)
    waited = sum(wait.time_us for wait in background)
    name = f"SLOB{number}"
    return Instance(
        number, name, f"node{number}", "Linux x86 64-bit", FIRST - dt.timedelta(hours=2), cpus,
        cpus // 2, 2, Decimal(256), cpu, _MEMORY, db_time, db_cpu, waited + db_cpu // 50,
        db_cpu // 50, {"sql execute elapsed time": db_time * 99 // 100},
        _counters(reads, writes, mix, seconds), foreground, background,
        os=(("PHYSICAL_MEMORY_BYTES", 256 * 1024**3, None),),
        parameters=(("db_block_size", str(BLOCK), ""),),
    )  # fmt: skip


_MEMORY = Memory(
    262_144, (16_384, 16_384), (Decimal(900), Decimal(905)), (8192, 8192), (4096, 4096), 100_000
)


def _tenths(value: float) -> Decimal:
    return Decimal(round(value * 100)) / 100


def _wait(event: str, group: str, waits: int, mean_us: float, dice: random.Random) -> Wait:
    """Waits whose mean is near the given one."""
    return Wait(event, group, waits, 0, int(waits * mean_us * dice.uniform(0.99, 1.01)))


def _counters(reads: int, writes: int, mix: Mix, seconds: int) -> dict[str, int]:
    redo = writes * mix.redo_bytes + seconds * 600
    log_writes = writes // 14 + 40
    changes = writes * 4 + seconds * 5
    known = {
        "logical_reads": reads + changes, "physical_reads": reads, "physical_writes": writes,
        "redo_bytes": redo, "block_changes": changes, "user_calls": seconds * 2,
        "executes": (reads + writes) // 64 + seconds, "parses": seconds * 5,
        "logons": seconds // 2 + 1, "transactions": writes // 64 + seconds // 10 + 1,
        "read_requests": reads, "write_requests": writes, "total_read_requests": reads + 1800,
        "total_write_requests": writes + log_writes + 20, "redo_requests": log_writes,
        "read_bytes": reads * BLOCK, "write_bytes": writes * BLOCK,
        "total_read_bytes": (reads + 1800) * BLOCK,
        "total_write_bytes": writes * BLOCK + redo + 20 * 16_384,
    }  # fmt: skip
    return {name: known.get(name, 0) for name in COUNTERS}
