"""One half hour as the content of a report."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random

from forges.awr.content import (
    COUNTERS,
    Content,
    Cpu,
    Database,
    Instance,
    Io,
    Memory,
    Snapshots,
    Sql,
)
from forges.awr.series.counting import (
    BLOCK,
    CPUS,
    RMAN_READ,
    Counted,
    Ran,
    histogram,
    lock_us,
)
from forges.awr.series.workload import DIRECT_BLOCKS, MULTI_BLOCKS
from forges.awr.storage import Segment, Storage

SHOP = Database("SHOP", 3141592653, "shop_a")


@dataclass(frozen=True)
class Host:
    """Whose reports these are."""

    database: Database = SHOP
    instance: str = "shop1"
    name: str = "dbhost1"
    number: int = 1


HISTOGRAMS = (
    "db file sequential read", "db file scattered read", "direct path read", "log file sync",
    "log file parallel write", "db file parallel write",
)  # fmt: skip


def content(
    counts: Counted, snapshots: Snapshots, startup: datetime, random: Random, host: Host
) -> Content:
    """What a report of these counts says."""
    functions = _functions(counts)
    counters = _counters(counts, functions)
    instance = Instance(
        host.number, host.instance, host.name, "Linux x86 64-bit", startup, CPUS, CPUS, 2,
        Decimal(256),
        _cpu(counts), MEMORY, counts.db_time_us, counts.db_cpu_us,
        sum(wait.time_us for wait in counts.background if wait.wait_class != "Idle")
        + counts.seconds * 300_000,
        counts.seconds * 300_000, _model(counts), counters, counts.foreground, counts.background,
        tuple(histogram(counts.wait(event), random) for event in HISTOGRAMS), functions,
        _filetypes(functions), activity=_activity(counts), os=(), sql=_sql(counts),
        parameters=(("db_block_size", str(BLOCK), ""), ("processes", "700", "")),
        storage=Storage(segments=_segments(counts)),
    )  # fmt: skip
    return Content(host.database, snapshots, (instance,))


MEMORY = Memory(
    262_144, (98_304, 98_304), (Decimal("9000.0"), Decimal("9100.0")), (81_920, 81_920),
    (12_288, 12_288), 262_144,
)  # fmt: skip


def _cpu(counts: Counted) -> Cpu:
    ticks = counts.seconds * CPUS * 100
    busy = round(counts.busy_cpus * counts.seconds * 100)
    system = busy // 6
    load = Decimal(round(counts.busy_cpus * 100)) / 100
    return Cpu(busy - system, system, ticks - busy, min(ticks // 200, ticks - busy), (load, load))


def _functions(counts: Counted) -> tuple[Io, ...]:
    single, multi, direct = (
        counts.wait(event)
        for event in ("db file sequential read", "db file scattered read", "direct path read")
    )
    log, control = (
        counts.wait(event) for event in ("log file parallel write", "control file sequential read")
    )
    parallel = counts.wait("control file parallel write")
    cached = single.waits + multi.waits * MULTI_BLOCKS
    return (
        Io("Buffer Cache Reads", cached * BLOCK, single.waits + multi.waits, 0, 0,
           single.waits + multi.waits, single.time_us + multi.time_us),
        Io("Direct Reads", direct.waits * DIRECT_BLOCKS * BLOCK, direct.waits, 0, 0,
           direct.waits, direct.time_us),
        Io("DBWR", 0, 0, round(counts.writes * 1.3) * BLOCK, counts.writes),
        Io("LGWR", 0, 0, counts.redo_bytes, log.waits, log.waits, log.time_us),
        Io("RMAN", counts.backup_reads * RMAN_READ, counts.backup_reads,
           counts.backup_writes * RMAN_READ, counts.backup_writes),
        Io("Others", control.waits * 2 * BLOCK, control.waits, parallel.waits * 2 * BLOCK,
           parallel.waits, control.waits, control.time_us),
    )  # fmt: skip


def _counters(counts: Counted, functions: tuple[Io, ...]) -> dict[str, int]:
    cache, direct, writer = functions[:3]
    executes = sum(ran.executions for ran in counts.statements)
    made = {
        "logical_reads": round(sum(ran.gets for ran in counts.statements) * 1.03),
        "physical_reads": (cache.read_bytes + direct.read_bytes) // BLOCK,
        "physical_writes": writer.write_bytes // BLOCK,
        "redo_bytes": counts.redo_bytes,
        "block_changes": counts.transactions * 22,
        "user_calls": counts.commits * 3,
        "executes": executes,
        "parses": executes // 3,
        "logons": counts.seconds // 4,
        "transactions": counts.commits + counts.transactions // 200,
        "hard_parses": counts.seconds // 10,
        "rollbacks": counts.transactions // 200,
        "read_requests": cache.reads + direct.reads,
        "write_requests": writer.writes,
        "total_read_requests": sum(io.reads for io in functions),
        "total_write_requests": sum(io.writes for io in functions),
        "redo_requests": counts.wait("log file parallel write").waits,
        "read_bytes": cache.read_bytes + direct.read_bytes,
        "write_bytes": writer.write_bytes,
        "total_read_bytes": sum(io.read_bytes for io in functions),
        "total_write_bytes": sum(io.write_bytes for io in functions),
        "work_area_bytes": counts.transactions * 4000,
    }
    assert set(made) == set(COUNTERS)
    return made


def _filetypes(functions: tuple[Io, ...]) -> tuple[Io, ...]:
    cache, direct, writer, log, rman, others = functions
    data = (cache, direct, writer, rman)
    waits, waited = cache.waits + direct.waits, cache.wait_us + direct.wait_us
    return (
        Io("Data File", sum(io.read_bytes for io in data), sum(io.reads for io in data),
           writer.write_bytes, writer.writes, waits, waited,
           cache.wait_us // cache.waits, direct.wait_us // max(1, direct.waits)),
        Io("Log File", 0, 0, log.write_bytes, log.writes),
        Io("Control File", others.read_bytes, others.reads, others.write_bytes, others.writes),
        Io("Other", 0, 0, rman.write_bytes, rman.writes),
    )  # fmt: skip


def _model(counts: Counted) -> dict[str, int]:
    commit = counts.wait("log file sync").time_us
    return {
        "sql execute elapsed time": round((counts.db_time_us - commit) * 0.97),
        "parse time elapsed": round(counts.db_cpu_us * 0.02),
        "hard parse elapsed time": round(counts.db_cpu_us * 0.012),
        "PL/SQL execution elapsed time": round(counts.db_cpu_us * 0.03),
    }


def _activity(counts: Counted) -> tuple[tuple[str, int], ...]:
    log = counts.wait("log file parallel write")
    sync = counts.wait("log file sync")
    io = sum(wait.time_us for wait in counts.foreground if wait.wait_class == "User I/O")
    return (
        ("CPU used by this session", counts.db_cpu_us // 10_000),
        ("redo synch time", sync.time_us // 10_000),
        ("redo synch writes", sync.waits),
        ("redo write time", log.time_us // 10_000),
        ("redo writes", log.waits),
        ("user I/O wait time", io // 10_000),
        ("user commits", counts.commits),
        ("user rollbacks", counts.transactions // 200),
    )


def _sql(counts: Counted) -> tuple[Sql, ...]:
    single, multi, direct = (
        counts.wait(event)
        for event in ("db file sequential read", "db file scattered read", "direct path read")
    )
    queued = max(0, counts.residual_us) / counts.db_cpu_us
    made = []
    for ran in counts.statements:
        reads = ((ran.singles, single), (ran.multis, multi), (ran.directs, direct))
        io = sum(count * wait.time_us / wait.waits for count, wait in reads if wait.waits)
        elapsed = ran.cpu_us * (1 + queued) + io + lock_us(counts, ran)
        each = ran.statement
        made.append(
            Sql(each.sql_id, each.text, ran.executions, round(elapsed), round(ran.cpu_us),
                round(io), ran.gets, ran.blocks, each.module)
        )  # fmt: skip
    return tuple(made)


def _segments(counts: Counted) -> tuple[Segment, ...]:
    by_name: dict[str, list[Ran]] = {}
    for ran in counts.statements:
        by_name.setdefault(ran.statement.segment, []).append(ran)
    return tuple(
        Segment(
            "SHOP", "DATA", name, "", "TABLE", number, number,
            {
                "physical_reads": sum(ran.blocks for ran in rans),
                "logical_reads": sum(ran.gets for ran in rans),
            },
        )
        for number, (name, rans) in enumerate(by_name.items(), 70_001)
    )  # fmt: skip
