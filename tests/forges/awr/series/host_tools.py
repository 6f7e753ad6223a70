"""What ``iostat -xt``, ``sar`` and ``vmstat -t`` print on the database's host meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from forges.awr.series import Period

SHARE = 0.85
"""The wait at the device over the wait of the session."""
SAMPLES = 3
"""Intervals of each half hour."""

_HEAD = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s"
    "  %wrqm w_await wareq-sz  aqu-sz  %util"
)
_CPU = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle"


def iostat(periods: Iterable[Period], *, offset: timedelta = timedelta(0)) -> str:
    """The recording of these half hours; ``offset``: by how much the host's clock is ahead."""
    ordinary = [period for period in periods if not period.spans]
    parts = ["Linux 5.14.0-362.el9.x86_64 (dbhost1) \t2026-03-02 \t_x86_64_\t(16 CPU)\n\n"]
    # the first report is of the time since the host was started
    parts.append(_report(ordinary[0], ordinary[0].begin + offset))
    for period in ordinary:
        step = (period.end - period.begin) / SAMPLES
        parts += [
            _report(period, period.begin + offset + step * (number + 1))
            for number in range(SAMPLES)
        ]
    return "".join(parts)


def _report(period: Period, when) -> str:
    counts, instance = period.counts, period.content.instances[0]
    counters = instance.counters
    reads = counters["total_read_requests"] / counts.seconds
    writes = counters["total_write_requests"] / counts.seconds
    single = counts.wait("db file sequential read")
    log = counts.wait("log file parallel write")
    waits = [SHARE * wait.time_us / wait.waits / 1000 for wait in (single, log)]
    sizes = [
        counters[f"total_{kind}_bytes"] / counters[f"total_{kind}_requests"] / 1024
        for kind in ("read", "write")
    ]
    busy = 100 * counts.busy_cpus / 16
    cpu = (busy * 5 / 6, 0.0, busy / 6, 0.3, 0.0, 100 - busy - 0.3)
    row = (
        f"sdb        {reads:10.2f} {reads * sizes[0]:10.2f}   0.00   0.00 {waits[0]:7.2f}"
        f" {sizes[0]:7.2f} {writes:9.2f} {writes * sizes[1]:10.2f}   0.00   0.00 {waits[1]:7.2f}"
        f" {sizes[1]:7.2f} {reads * waits[0] / 1000:7.2f}  50.00"
    )
    shares = "  ".join(f"{share:6.2f}" for share in cpu)
    return f"{when:%Y-%m-%dT%H:%M:%S}+0000\n{_CPU}\n        {shares}\n\n{_HEAD}\n{row}\n\n"


def _busy(period: Period) -> float:
    return 100 * period.counts.busy_cpus / 16


def _rates(period: Period) -> tuple[float, float, float]:
    """Reads and writes a second, and the wait of a read in milliseconds."""
    counters = period.content.instances[0].counters
    single = period.counts.wait("db file sequential read")
    reads, writes = (counters[f"total_{kind}_requests"] / period.counts.seconds
                     for kind in ("read", "write"))  # fmt: skip
    return reads, writes, SHARE * single.time_us / single.waits / 1000


def _samples(periods: Iterable[Period], offset: timedelta):
    """Each half hour's samples: the half hour, and when an interval of it ends."""
    for period in periods:
        if not period.spans:
            step = (period.end - period.begin) / SAMPLES
            yield from ((period, period.begin + offset + step * (n + 1)) for n in range(SAMPLES))


def sar(periods: Iterable[Period], *, offset: timedelta = timedelta(0)) -> str:
    """``sar -u -d`` of these half hours: one wait for reads and writes together."""
    found = list(_samples(periods, offset))
    cpu = [
        f"{when:%H:%M:%S}        all {_busy(one) * 5 / 6:9.2f}      0.00 {_busy(one) / 6:9.2f}"
        f"      0.30      0.00 {99.7 - _busy(one):9.2f}"
        for one, when in found
    ]
    disk = []
    for one, when in found:
        reads, writes, wait = _rates(one)
        disk.append(
            f"{when:%H:%M:%S}          sdb {reads + writes:9.2f} {reads * 8:9.2f}"
            f" {writes * 8:9.2f}      0.00      8.00      1.00 {wait:9.2f}     50.00"
        )
    return "\n".join([
        "Linux 5.14.0-362.el9.x86_64 (dbhost1) \t2026-03-02 \t_x86_64_\t(16 CPU)", "",
        "08:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle", *cpu, "",
        "08:00:00          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz"
        "     await     %util", *disk, "",
    ])  # fmt: skip


def vmstat(periods: Iterable[Period], *, offset: timedelta = timedelta(0)) -> str:
    """``vmstat -t`` of these half hours: whole percents, and all block devices together."""
    lines = [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- "
        "-----timestamp-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"
        "                 UTC",
    ]
    every = list(_samples(periods, offset))
    # the first line is of the time since the host was started
    for one, when in [(every[0][0], every[0][0].begin + offset), *every]:
        counters, seconds = one.content.instances[0].counters, one.counts.seconds
        read, written = (counters[f"total_{kind}_bytes"] / seconds / 1024
                         for kind in ("read", "write"))  # fmt: skip
        busy, running = round(_busy(one)), round(one.counts.busy_cpus) + 1
        lines.append(
            f" {running}  1      0 419672 235028 955268    0    0 {read:.0f} {written:.0f}"
            f"  900 1500 {busy}  0 {100 - busy}  0  0 {when:%Y-%m-%d %H:%M:%S}"
        )
    return "\n".join([*lines, ""])
