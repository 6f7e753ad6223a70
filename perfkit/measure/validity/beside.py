"""What happened beside the load: other work on the host and its disk, swapping, throttling.

There are two sources: the rows of a point's ``host.csv`` (of this host or of a remote load
generator), and, where the tool is our own process, the whole host's work less the tool's.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfkit.core.units import MIB, format_size
from perfkit.measure.probe.read import ROOT, Facts
from perfkit.measure.probe.watch import usage
from perfkit.measure.record.cautions import Noted, noted

BUSY_BEFORE = 0.5
"""A host is busy before the run when so much of its processors' time is used."""

BUSY_DURING = 0.95
"""... and during a point, whoever uses it: the host itself may set the pace."""

OTHER_CPU = 0.25
"""Share of the processors' time in which other programs than the tool ran."""

OTHER_IO, OTHER_IO_PER_S = 0.1, MIB
"""Share of what the target's disk moved, and bytes a second, that the tool did not ask for."""

SWAPPED = MIB
"""Bytes in a point below which swapping does not matter."""

STOLEN = 0.05
"""Share of the processors' time that a hypervisor gave to others."""

_BLOCK = 512
"""``ru_inblock`` and ``ru_oublock`` count in units of 512 bytes (Linux)."""

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

Row = Mapping[str, float | None]


@dataclass(frozen=True)
class Ledger:
    """What the host did since its boot, and this process's finished children as a part of it.

    ``host`` is ``watch.usage`` at the time ``at_s``.
    """

    at_s: float
    host: Facts
    user_s: float
    io_bytes: int


def ledger(devices: Sequence[str]) -> Ledger:
    """The counters now; ``devices`` are the disks under what is measured."""
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    blocks = own[1].ru_inblock + own[1].ru_oublock
    user_s = sum(each.ru_utime for each in own)
    return Ledger(time.monotonic(), usage(ROOT, list(devices)), user_s, blocks * _BLOCK)


def others(
    before: Ledger, after: Ledger, devices: Sequence[str], *, direct: bool
) -> Iterator[Noted]:
    """Other programs on the processors and on the targets' disks between two ledgers.

    Only time in user mode is compared: the kernel's own threads may serve the target. Without
    direct I/O the disk is not compared, since it may still write what was done earlier.
    """
    old, new = before.host["cpu"], after.host["cpu"]
    spent_s = {name: (new[name] - old[name]) / _TICKS_PER_S for name in old if name in new}
    whole_s = sum(spent_s.values())
    used_s = spent_s.get("user", 0.0) + spent_s.get("nice", 0.0) - (after.user_s - before.user_s)
    share = used_s / whole_s if whole_s > 0 else 0.0
    if share >= OTHER_CPU:
        yield noted("shared_host", share=f"{share:.0%}", args={"others_ratio": round(share, 4)})
    seconds, own = after.at_s - before.at_s, after.io_bytes - before.io_bytes
    moved = _moved(before.host["disk"], after.host["disk"])
    if not (direct and moved and own > 0 and seconds > 0):
        return
    rate = (moved - own) / seconds
    if moved - own >= OTHER_IO * moved and rate >= OTHER_IO_PER_S:
        part, names = f"{1 - own / moved:.0%}", ", ".join(devices)
        yield noted(
            "shared_target",
            f"{part} of what {names} moved ({format_size(round(rate))}/s) was of another load",
            share=part,
            args={
                "device": names,
                "others_ratio": round(1 - own / moved, 4),
                "others_bytes_per_s": round(rate),
            },
        )


def _moved(before: Sequence[int] | None, after: Sequence[int] | None) -> int | None:
    """Bytes read and written by the disks; None where they are not known or were set back."""
    if before is None or after is None:
        return None
    found = sum(after[:2]) - sum(before[:2])
    return found if found > 0 else None


def busy_before(facts: Mapping[str, Any], host: str | None = None) -> Iterator[Noted]:
    """Whether a host had other work right before the run, from its facts."""
    busy = facts.get("background_cpu_busy_ratio")
    if busy is not None and busy >= BUSY_BEFORE:
        yield noted("busy_host", share=f"{busy:.0%}", args={"busy_ratio": busy}, host=host)


def pressure(rows: Sequence[Row], ramp_s: float, host: str | None = None) -> Iterator[Noted]:
    """What the samples of a point show of one host."""
    spans = _spans(rows)
    after = [(seconds, row) for begin, seconds, row in spans if begin >= ramp_s]
    busy, stolen = (_mean(after, name) for name in ("cpu_busy_ratio", "cpu_steal_ratio"))
    if busy is not None and busy >= BUSY_DURING:
        args = {"busy_ratio": round(busy, 4)}
        yield noted("host_at_limit", share=f"{busy:.0%}", args=args, host=host)
    came, went = (
        round(sum(seconds * (row.get(name) or 0.0) for _, seconds, row in spans))
        for name in ("swap_in_bytes_per_s", "swap_out_bytes_per_s")
    )
    if came + went >= SWAPPED:
        yield noted(
            "swapping",
            read=format_size(came),
            written=format_size(went),
            args={"in_bytes": came, "out_bytes": went},
            host=host,
        )
    yield from _throttled(spans, stolen, host)


def _throttled(
    spans: list[tuple[float, float, Row]], stolen: float | None, host: str | None
) -> Iterator[Noted]:
    for cause, name, words in _THROTTLES:
        events = round(sum(row.get(name) or 0 for _, _, row in spans))
        if events:
            args = {"cause": cause, "events": events}
            yield noted("throttled", how=words.format(events), args=args, host=host)
    if stolen is not None and stolen >= STOLEN:
        yield noted(
            "throttled",
            how=f"the hypervisor gave {stolen:.0%} of the processors' time to others",
            args={"cause": "hypervisor", "stolen_ratio": round(stolen, 4)},
            host=host,
        )


_THROTTLES = (
    ("heat", "heat_throttles", "processors slowed themselves down by heat ({} events in all)"),
    (
        "quota",
        "quota_throttles",
        "the processor quota of perfkit's control group was used up (in {} periods)",
    ),
)
"""Cause, column of host.csv, and what its events are."""


def _spans(rows: Sequence[Row]) -> list[tuple[float, float, Row]]:
    """Each row with the begin and the length of its interval, in seconds."""
    found, begin = [], 0.0
    for row in rows:
        end = row["t_s"] or begin
        found.append((begin, end - begin, row))
        begin = end
    return found


def _mean(spans: list[tuple[float, Row]], name: str) -> float | None:
    known = [(seconds, value) for seconds, row in spans if (value := row.get(name)) is not None]
    whole = sum(seconds for seconds, _ in known)
    return sum(seconds * value for seconds, value in known) / whole if whole > 0 else None
