"""What a forged report is about: one Content, whatever the dialect it is printed in.

Counts, bytes and microseconds are whole numbers; what a report derives from them (rates, averages,
shares) is derived here, exactly, so that printed figures agree with each other as Oracle's do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from forges.awr.printing import MICRO
from forges.awr.storage import Storage

SYSTEM = (
    "logical_reads", "physical_reads", "physical_writes", "redo_bytes", "block_changes",
    "user_calls", "executes", "parses", "logons", "transactions",
)  # fmt: skip
"""The ten statistics of the RAC tables System Statistics, in the order of their columns."""

COUNTERS = (
    *SYSTEM, "hard_parses", "rollbacks", "read_requests", "write_requests",
    "total_read_requests", "total_write_requests", "redo_requests", "read_bytes", "write_bytes",
    "total_read_bytes", "total_write_bytes", "work_area_bytes",
)  # fmt: skip
"""All counters of an instance."""


@dataclass(frozen=True)
class Database:
    """The database."""

    name: str
    dbid: int
    unique_name: str
    role: str = "PRIMARY"
    edition: str = "EE"
    cdb: bool = False
    block_size: int = 8192


@dataclass(frozen=True)
class Snapshots:
    """The two snapshots a report stands between."""

    begin_id: int
    end_id: int
    begin: datetime
    end: datetime
    sessions: tuple[int, int] = (40, 41)
    cursors: tuple[Decimal, Decimal] = (Decimal("1.0"), Decimal("1.1"))

    @property
    def seconds(self) -> int:
        """The time between them."""
        return int((self.end - self.begin).total_seconds())


@dataclass(frozen=True)
class Wait:
    """One wait event of one instance; ``timeouts`` of the waits ended by one."""

    event: str
    wait_class: str
    waits: int
    timeouts: int
    time_us: int

    @property
    def seconds(self) -> Decimal:
        """Time waited in all."""
        return self.time_us * MICRO

    @property
    def average(self) -> Decimal | None:
        """Mean wait."""
        return self.seconds / self.waits if self.waits else None


@dataclass(frozen=True)
class Histogram:
    """Waits of one event by length: ``counts[n]`` waits below 2**n us and not below 2**(n-1) us."""

    event: str
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.counts)

    def between(self, low: int | None, high: int | None) -> int:
        """Waits from 2**low us (None: 0) to below 2**high us (None: no end)."""
        first = 0 if low is None else low + 1
        return sum(self.counts[first : None if high is None else high + 1])


@dataclass(frozen=True)
class Io:
    """I/O of one function or file type; times in microseconds, over its ``waits``."""

    name: str
    read_bytes: int
    reads: int
    write_bytes: int
    writes: int
    waits: int = 0
    wait_us: int = 0
    small_read_us: int | None = None
    large_read_us: int | None = None


@dataclass(frozen=True)
class FileIo:
    """I/O of one data file, or of one tablespace (``data_file`` empty)."""

    tablespace: str
    data_file: str
    reads: int
    read_us: int
    blocks: int
    one_block_reads: int
    one_block_us: int
    writes: int
    write_us: int
    buffer_waits: int
    buffer_us: int
    container: str = ""


@dataclass(frozen=True)
class Sql:
    """One SQL statement; times in microseconds."""

    sql_id: str
    text: str
    executions: int
    elapsed_us: int
    cpu_us: int
    io_us: int
    gets: int
    reads: int
    module: str = ""
    container: str = ""


@dataclass(frozen=True)
class Cpu:
    """The host's CPU: centiseconds between the snapshots, and the load averages."""

    user: int
    system: int
    idle: int
    iowait: int
    load: tuple[Decimal, Decimal]

    @property
    def busy(self) -> int:
        """User and system."""
        return self.user + self.system

    def share(self, part: int) -> Decimal:
        """As a share of all time."""
        return Decimal(part) / (self.busy + self.idle)


@dataclass(frozen=True)
class Memory:
    """Sizes in MiB at the two snapshots; the log buffer in KiB."""

    host: int
    sga: tuple[int, int]
    pga: tuple[Decimal, Decimal]
    buffer_cache: tuple[int, int]
    shared_pool: tuple[int, int]
    log_buffer: int


@dataclass(frozen=True)
class Instance:
    """What one instance did between the snapshots."""

    number: int
    name: str
    host: str
    platform: str
    startup: datetime
    cpus: int
    cores: int | None
    sockets: int | None
    memory_gb: Decimal
    cpu: Cpu
    memory: Memory
    db_time_us: int
    db_cpu_us: int
    background_us: int
    background_cpu_us: int
    model: Mapping[str, int]
    counters: Mapping[str, int]
    foreground: tuple[Wait, ...]
    background: tuple[Wait, ...]
    histograms: tuple[Histogram, ...] = ()
    functions: tuple[Io, ...] = ()
    filetypes: tuple[Io, ...] = ()
    files: tuple[FileIo, ...] = ()
    activity: tuple[tuple[str, int], ...] = ()
    os: tuple[tuple[str, int, int | None], ...] = ()
    sql: tuple[Sql, ...] = ()
    parameters: tuple[tuple[str, str, str], ...] = ()
    storage: Storage = field(default=Storage())

    @property
    def db_time(self) -> Decimal:
        """DB time in seconds."""
        return self.db_time_us * MICRO


@dataclass(frozen=True)
class Content:
    """Everything there is to print; a report of one instance prints the first."""

    database: Database
    snapshots: Snapshots
    instances: tuple[Instance, ...]
    containers: tuple[tuple[int, str, datetime], ...] = field(default=())

    @property
    def seconds(self) -> int:
        """Time between the snapshots."""
        return self.snapshots.seconds


def total_row(name: str, lines: tuple[Io, ...]) -> Io:
    """The sum of I/O lines."""
    return Io(
        name,
        *(
            sum(getattr(line, part) for line in lines)
            for part in ("read_bytes", "reads", "write_bytes", "writes", "waits", "wait_us")
        ),
    )


def tablespaces(files: tuple[FileIo, ...]) -> tuple[FileIo, ...]:
    """The files of each tablespace together, most I/Os first."""
    parts = (
        "reads", "read_us", "blocks", "one_block_reads", "one_block_us", "writes", "write_us",
        "buffer_waits", "buffer_us",
    )  # fmt: skip
    names = dict.fromkeys((file.tablespace, file.container) for file in files)
    summed = [
        FileIo(
            tablespace,
            "",
            **{
                part: sum(
                    getattr(file, part)
                    for file in files
                    if (file.tablespace, file.container) == (tablespace, container)
                )
                for part in parts
            },
            container=container,
        )
        for tablespace, container in names
    ]
    return tuple(sorted(summed, key=lambda line: -(line.reads + line.writes)))


def spread(values: list[Decimal]) -> tuple[Decimal, Decimal, Decimal, Decimal | None]:
    """Mean, least, greatest and sample deviation (None for one value)."""
    mean = sum(values, Decimal(0)) / len(values)
    if len(values) == 1:
        return mean, values[0], values[0], None
    square = sum(((value - mean) ** 2 for value in values), Decimal(0))
    deviation = (square / (len(values) - 1)).sqrt()
    return mean, min(values), max(values), deviation


def ratio(part: Decimal | int, whole: Decimal | int) -> Decimal | None:
    """A share, or None of nothing."""
    return Decimal(part) / Decimal(whole) if whole else None


def power(seconds: float) -> int:
    """The bucket of a wait of so many seconds."""
    micro = seconds * 1e6
    return max(0, math.floor(math.log2(micro)) + 1) if micro >= 1 else 0
