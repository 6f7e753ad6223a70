"""How far a paced load was behind its schedule: what its latencies, from the issue, do not show.

fio counts an I/O's latency from its issue, and catches up when it was held up: a stall makes few
I/Os slow and many late. At even arrivals the schedule is known, so that the lag is, too: I/Os that
were due and not done, over the rate. fio's log has no time of an I/O's issue (3.33), so the lag is
known by whole intervals of the series, and of no single I/O.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.formats import fio_series
from perfkit.formats.fio_slots import slots
from perfkit.measure.record.cautions import Noted, noted

if TYPE_CHECKING:
    from perfkit.measure.points import Point
    from perfkit.measure.spec import SweepSpec

LATE_S, LATE_IOS = 0.1, 10
"""A load that lags by both, and by an interval, was late."""

NO_SCHEDULE = "at random arrivals it is not known when each I/O was due"
NO_SERIES = "the load has no time series here"
MANY_HOSTS = "each of many hosts has a schedule of its own"


@dataclass(frozen=True)
class Due:
    """The lag of a paced point, as point.json holds it.

    Attributes:
        offered_iops: The rate of the schedule.
        behind_s: The longest lag: I/Os due and not done, beyond those usually in flight, over the
            rate. None where it is not known.
        behind_ios: The same in I/Os.
        at_s: The end of the interval in which it was, on the axis of the series.
        end_behind_s: The lag at the end of the last whole interval.
        interval_s: How exactly the times are known.
        why: Why it is not known.
    """

    offered_iops: int
    interval_s: float
    behind_s: float | None = None
    behind_ios: int | None = None
    at_s: float | None = None
    end_behind_s: float | None = None
    why: str | None = None


def due(spec: SweepSpec, point: Point, series: str | None) -> Due | None:
    """The lag of a point from its gathered histograms; None of a load that is not paced."""
    rate = point.target_iops()
    if rate is None:
        return None
    interval_s, lags = spec.interval_s, []
    if spec.rate_process != "linear":
        return Due(rate, interval_s, why=NO_SCHEDULE)
    if spec.hosts:
        return Due(rate, interval_s, why=MANY_HOSTS)
    if series is not None:
        done = _done(series, point.jobs(spec), interval_s, spec.runtime_s)
        lags = _lags(done, rate * interval_s)
    if not lags:
        return Due(rate, interval_s, why=NO_SERIES)
    most = max(lags)
    return Due(
        rate,
        interval_s,
        behind_s=round(most / rate, 3),
        behind_ios=round(most),
        at_s=round((lags.index(most) + 1) * interval_s, 3),
        end_behind_s=round(lags[-1] / rate, 3),
    )


def late(found: Due | None) -> Iterator[Noted]:
    """The caution of a point that was late."""
    if found is None or found.behind_s is None or (found.behind_ios or 0) < LATE_IOS:
        return
    if found.behind_s >= max(LATE_S, found.interval_s):
        args = {"behind_s": found.behind_s, "behind_ios": found.behind_ios, "at_s": found.at_s}
        yield noted("behind_schedule", time=f"{found.behind_s:.2g} s", args=args)


def _done(text: str, jobs: int, interval_s: float, ran_s: float) -> list[int]:
    """I/Os completed in each interval that is known of every job and direction, up to the first."""
    rows = fio_series.intervals(text, fio_series.LATENCY_FILE)
    found = slots((row for row in rows if row.job <= jobs), interval_s, ran_s).values()
    last = min((each.last for each in found), default=0)
    lost = {slot for each in found for slot in each.unknown}
    known = min(lost, default=last + 1) - 1
    return [
        sum(sum(each.counts.get(slot, {}).values()) for each in found)
        for slot in range(1, min(known, last) + 1)
    ]


def _lags(done: Sequence[int], due_each: float) -> list[float]:
    """I/Os due and not done at the end of each interval; a load ahead of its schedule has none."""
    lags, lag = [], 0.0
    for count in done:
        lag = max(0.0, lag + due_each - count)
        lags.append(lag)
    return lags
