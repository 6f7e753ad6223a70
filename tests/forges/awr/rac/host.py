"""OS statistics and time model by instance, RAC-global."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from forges.awr.printing import BLANK, MICRO, fixed, percent
from forges.awr.rac.cells import by_instance, level, number
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.rac.dialect import RacDialect

OS_COLUMNS = (
    Column("I#"), Column("#CPUs", "cpus", "CPU"), Column("#Cores", "cores", "CPU"),
    Column("#Sckts", "sockets", "CPU"), Column("Begin", "load_average_begin", "Load"),
    Column("End", "load_average_end", "Load"), Column("% Busy", "busy_ratio", "% CPU"),
    Column("% Usr", "user_ratio", "% CPU"), Column("% Sys", "system_ratio", "% CPU"),
    Column("% WIO", "iowait_ratio", "% CPU"), Column("% Idl", "idle_ratio", "% CPU"),
    Column("Busy", None, "Time (s)"), Column("Idle", None, "Time (s)"),
    Column("Total", None, "Time (s)"), Column("MB", None, "Memory"),
    Column("#CPUs", None, "End Values"), Column("#Cores", None, "End Values"),
    Column("#Sckts", None, "End Values"), Column("Memory (M)", None, "End Values"),
)  # fmt: skip


def os_sheet(content: Content, dialect: RacDialect) -> Sheet | None:
    """OS statistics."""
    if not dialect.new:
        return None
    lines = []
    for instance in content.instances:
        cpu = instance.cpu
        shares = (cpu.busy, cpu.user, cpu.system, cpu.iowait, cpu.idle)
        ticks = (cpu.busy, cpu.idle, cpu.busy + cpu.idle)
        cells = [
            number(instance.number), fixed(instance.cpus), fixed(instance.cores),
            fixed(instance.sockets),
            *(fixed(load, 2) for load in cpu.load), *(percent(cpu.share(n), 2) for n in shares),
            *(fixed(Decimal(n) / 100, 2) for n in ticks), fixed(instance.memory_gb * 1024, 2),
            *[BLANK] * 4,
        ]  # fmt: skip
        lines.append(Line(cells, level(instance)))
    return Sheet(
        "host_cpu", "OS Statistics By Instance",
        "OS Statistics By Instance. . Listed in order of instance number, I#. End values are"
        " diplayed only if different from begin values",
        OS_COLUMNS, tuple(lines), anchor="12010",
        bullets=("Listed in order of instance number, I#",
                 "End values are diplayed only if different from begin values"),
    )  # fmt: skip


MODEL = (
    ("DB time (s)", "DB time"), ("DB CPU (s)", "DB CPU"),
    ("SQL Exec Ela (s)", "sql execute elapsed time"), ("Parse Ela (s)", "parse time elapsed"),
    ("Hard Parse Ela (s)", "hard parse elapsed time"),
    ("PL/SQL Ela (s)", "PL/SQL execution elapsed time"),
    ("Java Ela (s)", "Java execution elapsed time"), ("bg time (s)", "background elapsed time"),
    ("bg CPU (s)", "background cpu time"),
)  # fmt: skip


def time_model_sheet(content: Content, _dialect: RacDialect) -> Sheet:
    """The time model."""

    def values(instance: Instance) -> list[Decimal]:
        known = {
            **instance.model, "DB time": instance.db_time_us, "DB CPU": instance.db_cpu_us,
            "background elapsed time": instance.background_us,
            "background cpu time": instance.background_cpu_us,
        }  # fmt: skip
        return [known.get(name, 0) * MICRO for _, name in MODEL]

    lines = by_instance(content, values, lambda value: fixed(value, 2), ("Sum", "Avg", "Std"))
    told = []
    for line, instance in zip(lines, content.instances, strict=False):
        said = tuple(
            {**level(instance), "statistic": name, "time_s": cell.says}
            for (_, name), cell in zip(MODEL, line.cells[1:], strict=True)
        )
        told.append(Line(line.cells, said=said))
    columns = (Column("I#"), *(Column(title) for title, _ in MODEL))
    return Sheet(
        "time_model", "Time Model", "Time Model", columns, (*told, *lines[len(told) :]),
        anchor="12014",
    )  # fmt: skip
