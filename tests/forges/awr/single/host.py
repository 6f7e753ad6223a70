"""CPU, time model and OS statistics of one instance, in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.host import detail_lines, instance_shares, model_rows, os_lines
from forges.awr.printing import BLANK, MICRO, fixed, padded, percent, word
from forges.awr.sheet import Column, Line, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance
    from forges.awr.single.dialect import Dialect


def host_cpu_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """Host CPU."""
    titles = (
        ("CPUs", "cpus"), ("Cores", "cores"), ("Sockets", "sockets"),
        ("Load Average Begin", "load_average_begin"), ("Load Average End", "load_average_end"),
        ("%User", "user_ratio"), ("%System", "system_ratio"), ("%WIO", "iowait_ratio"),
        ("%Idle", "idle_ratio"),
    )  # fmt: skip
    cpu = instance.cpu
    cells = [padded(fixed(n), 5) for n in (instance.cpus, instance.cores, instance.sockets)]
    cells += [padded(fixed(load, 2), 7) for load in cpu.load]
    parts = (cpu.user, cpu.system, cpu.iowait, cpu.idle)
    cells += [padded(percent(cpu.share(part), 1), 6) for part in parts]
    columns = tuple(Column(title, key) for title, key in titles)
    summary = "This table displays system load statistics"
    return Sheet("host_cpu", "Host CPU", summary, columns, (Line(cells),), style="plain")


def instance_cpu_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """Instance CPU."""
    columns = (
        Column("%Total CPU", "total_cpu_ratio"), Column("%Busy CPU", "busy_cpu_ratio"),
        Column("%DB time waiting for CPU (Resource Manager)", "resource_manager_ratio"),
    )  # fmt: skip
    cells = [padded(percent(share, 1), 10) for share in instance_shares(instance)]
    summary = "This table displays CPU usage and wait statistics"
    return Sheet("instance_cpu", "Instance CPU", summary, columns, (Line(cells),), style="plain")


def time_model_sheet(_content: Content, instance: Instance, dialect: Dialect) -> Sheet:
    """The time model."""
    columns = [
        Column("Statistic Name", "statistic", left=True), Column("Time (s)", "time_s"),
        Column("% of DB Time", "db_time_ratio"),
    ]  # fmt: skip
    lines = []
    for name, time, share, cpu in model_rows(instance):
        cells = [word(name), fixed(time * MICRO, 2), percent(share, 2)]
        cells += [percent(cpu, 2)] if dialect.new else []
        lines.append(Line(cells))
    if dialect.new:
        columns.append(Column("% of Total CPU Time", "cpu_time_ratio"))
    else:
        del lines[-1]  # 11.2 does not sum the CPU times
    return Sheet(
        "time_model", "Time Model Statistics",
        "This table displays different time model statistics. For each statistic, time and"
        " % of DB time are displayed",
        tuple(columns), tuple(lines), anchor="1500",
        bullets=("Ordered by % of DB time in descending order, followed by Statistic Name",),
    )  # fmt: skip


def os_sheet(_content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """OS statistics."""
    columns = (
        Column("Statistic", "statistic", left=True), Column("Value", "value"),
        Column("End Value", "end_value"),
    )  # fmt: skip
    return Sheet(
        "os_statistics", "Operating System Statistics",
        "This table displays operating systems statistics. For each statistic, actual value is"
        " displayed. If the end value is different, it is also displayed",
        columns, os_lines(instance), anchor="1600",
        bullets=("*TIME statistic values are diffed.      All others display actual values.",),
    )  # fmt: skip


def os_detail_sheet(content: Content, instance: Instance, _dialect: Dialect) -> Sheet:
    """OS statistics of each snapshot."""
    columns = (
        Column("Snap Time", "snap_text", left=True), Column("Load", "load_average"),
        Column("%busy", "busy_ratio"), Column("%user", "user_ratio"),
        Column("%sys", "system_ratio"), Column("%idle", "idle_ratio"),
        Column("%iowait", "iowait_ratio"),
    )  # fmt: skip
    return Sheet(
        "os_statistics_detail", "Operating System Statistics - Detail",
        "This table displays some detailed operating systems statistics. load, % busy , % user,"
        " % sys, % idle, % iowait are displayed for begin and end snap time",
        columns, detail_lines(content, instance, 2, BLANK), anchor="1610",
    )  # fmt: skip
