"""CPU, time model and OS statistics, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forges.awr.lines.host import detail_lines, instance_shares, model_rows, os_lines
from forges.awr.printing import MICRO, fixed, percent, word
from forges.awr.sheet import Block, Line
from forges.awr.text.blocks import bare
from forges.awr.text.dialect import NOT_KNOWN, TextDialect

if TYPE_CHECKING:
    from forges.awr.content import Content, Instance


def host_cpu_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """Host CPU."""
    cpu = instance.cpu
    cells = [fixed(count) for count in (instance.cpus, instance.cores, instance.sockets)]
    cells += [fixed(load, 2) for load in cpu.load]
    parts = (cpu.user, cpu.system, cpu.iowait, cpu.idle)
    cells += [percent(cpu.share(part), 1) for part in parts]
    keys = (
        "cpus", "cores", "sockets", "load_average_begin", "load_average_end", "user_ratio",
        "system_ratio", "iowait_ratio", "idle_ratio",
    )  # fmt: skip
    heads = (
        "~~~~~~~~                  Load Average",
        " CPUs Cores Sockets     Begin       End     %User   %System      %WIO     %Idle",
    )
    return bare("host_cpu", keys, (5, 5, 7, 9, 9, 9, 9, 9, 9), heads, [Line(cells)], "Host CPU\n")


def instance_cpu_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """Instance CPU."""
    names = (
        "% of total CPU for Instance:", "% of busy  CPU for Instance:",
        "%DB time waiting for CPU - Resource Mgr:",
    )  # fmt: skip
    keys = ("total_cpu_ratio", "busy_cpu_ratio", "resource_manager_ratio")
    shares = [percent(share, 1) for share in instance_shares(instance)]
    lines = "".join(
        f"{name:>42}{share.text:>10}\n" for name, share in zip(names, shares, strict=True)
    )
    said = {key: share.says for key, share in zip(keys, shares, strict=True)}
    text = f"Instance CPU\n~~~~~~~~~~~~\n{lines}\n"
    return Block("instance_cpu", "", lines=(Line((), said=(said,)),), style="literal", text=text)


def time_model_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """The time model."""
    lines = [
        Line([
            word(name), fixed(time * MICRO, 1), percent(share, 1, dot=True),
            percent(cpu, 1, dot=True),
        ])
        for name, time, share, cpu in model_rows(instance)
    ]  # fmt: skip
    heads = (
        "                                                                % of  % of Total",
        "Statistic Name                                       Time (s) DB Time   CPU Time",
    )
    keys = ("statistic", "time_s", "db_time_ratio", "cpu_time_ratio")
    notes = (
        "DB Time represents total time in user calls",
        'Statistics including the word "background" measure background process\n'
        "   time, therefore do not contribute to the DB time statistic",
    )
    return Block(
        "time_model", "Time Model Statistics", keys, ((-42, 18, 7, 10),), (heads,), tuple(lines),
        notes,
    )  # fmt: skip


def os_block(_content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """OS statistics."""
    heads = ("Statistic                                  Value        End Value",)
    return Block(
        "os_statistics", "Operating System Statistics", ("statistic", "value", "end_value"),
        ((-25, 22, 16),), (heads,), os_lines(instance),
        ("*TIME statistic values are diffed.\n"
         "   All others display actual values.  End Value is displayed if different",),
    )  # fmt: skip


def os_detail_block(content: Content, instance: Instance, _dialect: TextDialect) -> Block:
    """OS statistics of each snapshot."""
    keys = (
        "snap_text", "load_average", "busy_ratio", "user_ratio", "system_ratio", "idle_ratio",
        "iowait_ratio",
    )  # fmt: skip
    heads = ("Snap Time           Load    %busy    %user     %sys    %idle  %iowait",)
    return Block(
        "os_statistics_detail", "Operating System Statistics - Detail", keys,
        ((-15, 8, 8, 8, 8, 8, 8),), (heads,),
        detail_lines(content, instance, 1, NOT_KNOWN),
    )  # fmt: skip
