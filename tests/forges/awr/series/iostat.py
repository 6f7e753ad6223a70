"""What ``iostat -xt`` prints on the database's host while a series is made."""

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
