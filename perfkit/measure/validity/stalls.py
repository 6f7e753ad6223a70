"""Whether the storage stopped during a point, over the time that really passed.

Either of two signs is enough: whole intervals in which no I/O completed, and the slowest I/O. A
stalled point may run for much longer than planned and yet count few intervals.
"""

from __future__ import annotations

from collections.abc import Iterable

from perfkit.core.units import MS_PER_S, time_format
from perfkit.formats import elbencho_live, fio_series
from perfkit.formats.fio_slots import slots
from perfkit.measure.record.cautions import Noted, noted

STALL_S = 1.0
"""A stall lasts at least so long ..."""

STALL_FACTOR = 10.0
"""... and longer than usual in the point by this factor: a slow or paced load has natural gaps."""

OVERRUN_S, OVERRUN_SHARE = 1.0, 0.1
"""A load that overruns by more than both did more than finish its last I/Os."""


def stall(
    without_io_s: float | None,
    slowest_io_s: float | None,
    usual_io_s: float | None,
    *,
    ios: int,
    elapsed_s: float,
    host: str | None = None,
) -> Noted | None:
    """The caution, if the point stood still; all times in seconds.

    ``without_io_s`` is the longest time without a completed I/O (None: not known); it is compared
    with the mean time between other completions, and ``slowest_io_s`` with the usual I/O.
    """
    gap = without_io_s or 0.0
    spacing = (elapsed_s - gap) / ios if ios else 0.0
    stood = gap >= max(STALL_S, STALL_FACTOR * spacing)
    slow = bool(slowest_io_s and usual_io_s) and (slowest_io_s or 0.0) >= max(
        STALL_S, STALL_FACTOR * (usual_io_s or 0.0)
    )
    if not (stood or slow):
        return None
    words = [f"no I/O completed for at least {gap:.3g} s of {elapsed_s:.3g} s"] if stood else []
    words += [f"one I/O took {slowest_io_s:.3g} s, and most {_time(usual_io_s)}"] if slow else []
    text = f"stall: {'; '.join(words)}"
    args = {
        "without_io_s": without_io_s,
        "slowest_io_s": slowest_io_s,
        "usual_io_s": usual_io_s,
        "elapsed_s": elapsed_s,
    }
    if stood:
        return noted("stall", text, time=f"{gap:.3g} s", args=args, host=host)
    return noted("slow_io", text, time=f"{slowest_io_s:.3g} s", args=args, host=host)


def overran(ran_s: float, asked_s: float) -> bool:
    """Whether a load ran for longer than its end can explain."""
    return ran_s > asked_s + max(OVERRUN_S, OVERRUN_SHARE * asked_s)


def overrun(ran_s: float, asked_s: float, host: str | None = None) -> Noted:
    """The caution for it: rates are over the time that passed."""
    return noted(
        "overran",
        time=f"{ran_s:.3g} s",
        planned=f"{asked_s:g} s",
        args={"ran_s": ran_s, "asked_s": asked_s},
        host=host,
    )


def _time(seconds: float | None) -> str:
    return "" if seconds is None else time_format(seconds).show(seconds).text


def fio_without_io_s(text: str, jobs: int, interval_s: float, runtime_s: float) -> float:
    """The longest time in which no job of a load completed an I/O, from fio's gathered histograms.

    It counts whole intervals, so it is a lower bound. An interval that is not known of every job
    ends it. ``runtime_s`` is how long the load ran.
    """
    rows = fio_series.intervals(text, fio_series.LATENCY_FILE)
    found = slots((row for row in rows if row.job <= jobs), interval_s, runtime_s).values()
    last = max((each.last for each in found), default=0)
    quiet = (
        all(
            slot <= each.last and slot not in each.unknown and not each.counts.get(slot)
            for each in found
        )
        for slot in range(1, last + 1)
    )
    return longest((interval_s, still) for still in quiet)


def elbencho_without_io_s(text: str) -> float:
    """The longest time in which elbencho's live file counts no further byte, in any direction."""
    done: dict[int, int] = {}
    for row in elbencho_live.rows(text, "live.csv"):
        if row.rank == elbencho_live.TOTAL:
            done[row.t_ms] = done.get(row.t_ms, 0) + row.done_bytes
    times = sorted({0, *done})
    moved = [done.get(time, 0) for time in times]
    return longest(
        ((times[n] - times[n - 1]) / MS_PER_S, moved[n] == moved[n - 1])
        for n in range(1, len(times))
    )


def longest(spans: Iterable[tuple[float, bool]]) -> float:
    """The longest sum of lengths that follow each other and are marked."""
    best = run = 0.0
    for length, marked in spans:
        run = run + length if marked else 0.0
        best = max(best, run)
    return best
