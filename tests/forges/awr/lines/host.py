"""CPU, time model and OS statistics: the rows that every dialect prints."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, ratio
from forges.awr.printing import MICRO, Shown, fixed, moment, percent, word
from forges.awr.sheet import Line


def instance_shares(instance: Instance) -> tuple[Decimal | None, ...]:
    """The instance's share of all and of busy CPU time, and of waiting for CPU."""
    used = (instance.db_cpu_us + instance.background_cpu_us) * MICRO
    whole = Decimal(instance.cpu.busy + instance.cpu.idle) / 100
    return ratio(used, whole), ratio(used, Decimal(instance.cpu.busy) / 100), Decimal(0)


def model_rows(instance: Instance) -> list[tuple[str, int, Decimal | None, Decimal | None]]:
    """The time model: statistic, microseconds, share of DB time, share of CPU time."""
    cpu = instance.db_cpu_us + instance.background_cpu_us
    inside = [*instance.model.items(), ("DB CPU", instance.db_cpu_us)]
    inside.sort(key=lambda row: (-row[1], row[0]))
    rows = [
        (
            name,
            time,
            ratio(time, instance.db_time_us),
            ratio(time, cpu) if name == "DB CPU" else None,
        )
        for name, time in inside
    ]
    return [
        *rows,
        ("DB time", instance.db_time_us, None, None),
        ("background elapsed time", instance.background_us, None, None),
        ("background cpu time", instance.background_cpu_us, None,
         ratio(instance.background_cpu_us, cpu)),
        ("total CPU time", cpu, None, None),
    ]  # fmt: skip


def os_lines(instance: Instance) -> tuple[Line, ...]:
    """The statistics of the operating system: times in hundredths of a second."""
    cpu = instance.cpu
    rows = [
        ("BUSY_TIME", cpu.busy, None), ("IDLE_TIME", cpu.idle, None),
        ("IOWAIT_TIME", cpu.iowait, None), ("SYS_TIME", cpu.system, None),
        ("USER_TIME", cpu.user, None), *instance.os, ("NUM_CPUS", instance.cpus, None),
    ]  # fmt: skip
    if instance.cores is not None:
        rows.append(("NUM_CPU_CORES", instance.cores, None))
    if instance.sockets is not None:
        rows.append(("NUM_CPU_SOCKETS", instance.sockets, None))
    lines = []
    for name, begin, end in rows:
        timed_name = name.endswith("_TIME")
        scale = Decimal("0.01") if timed_name else 1
        unit = "s" if timed_name else "bytes" if "_BYTES" in name or "_SIZE_" in name else "1"
        cells = [word(name), fixed(begin, scale=scale), fixed(end, scale=scale)]
        lines.append(Line(cells, {"unit": unit}))
    return tuple(lines)


def detail_lines(
    content: Content, instance: Instance, digits: int, missing: Shown
) -> tuple[Line, Line]:
    """The load and CPU shares at each snapshot."""
    cpu, snapshots = instance.cpu, content.snapshots
    parts = (cpu.busy, cpu.user, cpu.system, cpu.idle, cpu.iowait)
    shares = [percent(cpu.share(part), digits) for part in parts]
    first = [word(moment(snapshots.begin, "detail")), fixed(cpu.load[0], digits)]
    last = [word(moment(snapshots.end, "detail")), fixed(cpu.load[1], digits)]
    return (Line(first + [missing] * 5), Line(last + shares))
