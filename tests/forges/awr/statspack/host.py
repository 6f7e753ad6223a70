"""CPU, time model and OS statistics of Statspack."""

from __future__ import annotations

from decimal import Decimal

from forges.awr.content import Content, Instance, ratio
from forges.awr.lines.host import model_rows, os_lines
from forges.awr.printing import BLANK, MICRO, fixed, percent, word
from forges.awr.sheet import Block, Line
from forges.awr.statspack.release import END, FEED


def host_cpu_block(_content: Content, instance: Instance) -> Block:
    """Host CPU."""
    cpu = instance.cpu
    counts = [instance.cpus, instance.cores or 0, instance.sockets or 0]
    load = [fixed(value, 2) for value in cpu.load]
    parts = (cpu.user, cpu.system, cpu.idle, cpu.iowait)
    shares = [percent(cpu.share(part), 2) for part in parts]
    values = (
        f"{load[0].text:>27} {load[1].text:>7}   {shares[0].text:>7} {shares[1].text:>7} "
        f"{shares[2].text:>7} {shares[3].text:>7}\n\n"
    )
    text = (
        f"{END}\n{FEED}Host CPU  (CPUs: {{}}  Cores: {{}}  Sockets: {{}})\n".format(*counts)
        + "~~~~~~~~              Load Average\n"
        "                      Begin     End      User  System    Idle     WIO     WCPU\n"
        "                    ------- -------   ------- ------- ------- ------- --------\n" + values
    )
    said = {
        "cpus": instance.cpus, "cores": instance.cores, "sockets": instance.sockets,
        "load_average_begin": load[0].says, "load_average_end": load[1].says,
        "user_ratio": shares[0].says, "system_ratio": shares[1].says,
        "idle_ratio": shares[2].says, "iowait_ratio": shares[3].says,
    }  # fmt: skip
    return Block("host_cpu", "", lines=(Line((), said=(said,)),), style="literal", text=text)


def instance_cpu_block(_content: Content, instance: Instance) -> Block:
    """Instance CPU."""
    cpu = instance.cpu
    whole, busy = Decimal(cpu.busy + cpu.idle) / 100, Decimal(cpu.busy) / 100
    used = (instance.db_cpu_us + instance.background_cpu_us) * MICRO
    of_busy = percent(ratio(used, busy), 1)
    rows = (
        ("Host: Total time (s):", "host_total_s", BLANK, fixed(whole, 1)),
        ("Host: Busy CPU time (s):", "host_busy_s", BLANK, fixed(busy, 1)),
        ("% of time Host is Busy:", None, percent(ratio(busy, whole), 1), BLANK),
        ("Instance: Total CPU time (s):", "instance_cpu_s", BLANK, fixed(used, 1)),
        ("% of Busy CPU used for Instance:", "busy_cpu_ratio", of_busy, BLANK),
        ("Instance: Total Database time (s):", "instance_db_time_s", BLANK,
         fixed(instance.db_time + instance.background_us * MICRO, 1)),
        ("%DB time waiting for CPU (Resource Mgr):", "resource_manager_ratio",
         percent(Decimal(0), 1), BLANK),
    )  # fmt: skip
    text = "Instance CPU\n~~~~~~~~~~~~                                       % Time (seconds)\n"
    text += f"{'-' * 8:>52} {'-' * 14}\n"
    for name, _, left, right in rows:
        text += f"{name:>42} {left.text:>9} {right.text:>14}".rstrip() + "\n"
    said = {key: left.says if left.text else right.says for _, key, left, right in rows if key}
    lines = (Line((), said=(said,)),)
    return Block("instance_cpu", "", lines=lines, style="literal", text=f"{text}\n")


def time_model_block(_content: Content, instance: Instance) -> Block:
    """The time model."""
    lines = tuple(
        Line([word(name), fixed(time * MICRO, 1), percent(share, 1, dot=True)])
        for name, time, share, _ in model_rows(instance)[:-1]
    )
    heads = ("Statistic                                       Time (s) % DB time",)
    return Block(
        "time_model", "Time Model System Stats", ("statistic", "time_s", "db_time_ratio"),
        ((-35, 20, 9),), (heads,), lines, ("Ordered by % of DB time desc, Statistic name",),
    )  # fmt: skip


def os_block(_content: Content, instance: Instance) -> Block:
    """OS statistics."""
    heads = ("Statistic                                  Total",)
    lines = tuple(Line(line.cells[:2], line.also) for line in os_lines(instance))
    return Block(
        "os_statistics", "OS Statistics", ("statistic", "value"), ((-25, 22),), (heads,), lines,
        ("ordered by statistic type (CPU use, Virtual Memory, Hardware Config), Name",),
    )  # fmt: skip
