"""In which interval of a run the I/Os of fio's histogram logs were done.

For each job and direction, fio writes a row when the first I/O completes an interval or more after
the previous row (``add_clat_sample`` in its stat.c, 3.33 to 3.42). Each row advances fio's count by
one interval, however late it is, so the k-th row belongs to the k-th interval. A row is late when
nothing completed. Of its I/Os, the one that triggered it belongs to the time it came, the others to
the interval; rows that follow at once fill in for intervals without I/O. What a job did after its
last row is in no row: the interval after it is unknown for this job.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.units import MS_PER_S

if TYPE_CHECKING:
    from perfkit.formats.fio_series import Interval

Counts = dict[int, int]


@dataclass(frozen=True)
class Slots:
    """The intervals of one direction, summed over its jobs.

    Attributes:
        counts: Interval, from 1 -> bucket -> I/Os; an interval that is absent had none.
        unknown: Intervals for which fio has not written what some job did.
        last: The last interval about which anything is known.
    """

    counts: Mapping[int, Counts]
    unknown: frozenset[int]
    last: int

    def whole(self) -> list[int]:
        """The intervals that are known of every job, in order."""
        return [slot for slot in range(1, self.last + 1) if slot not in self.unknown]


def slots(rows: Iterable[Interval], interval_s: float, runtime_s: float | None) -> dict[str, Slots]:
    """Direction -> its intervals.

    Without ``runtime_s`` (older runs, and writers that end by themselves) they end with the last
    interval of any job; with it, a stall that lasts to the end is seen.
    """
    step = interval_s * MS_PER_S
    jobs: dict[str, dict[int, list[Interval]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        jobs[row.direction][row.job].append(row)
    return {
        direction: _together([_Job(own, step) for own in jobs[direction].values()], step, runtime_s)
        for direction in sorted(jobs)
    }


def _together(jobs: Sequence[_Job], step: float, runtime_s: float | None) -> Slots:
    counts: dict[int, Counts] = defaultdict(lambda: defaultdict(int))
    for job in jobs:
        for slot, bucket, ios in job.placed():
            counts[slot][bucket] += ios
    last = max(job.last for job in jobs)
    if runtime_s is not None:
        # 0.3 s hold three intervals of 0.1 s, which floating point would make two
        last = int(runtime_s * MS_PER_S / step + 1e-9)
    unknown = frozenset(job.unknown for job in jobs if job.unknown is not None)
    return Slots(counts, unknown, last)


class _Job:
    """The rows of one job and direction."""

    def __init__(self, rows: Sequence[Interval], step: float):
        self._rows = rows
        self._step = step
        # fio counts from the first I/O: a row is never earlier than its interval's end after that
        self._begin = max(0.0, min(row.t_ms - k * step for k, row in enumerate(rows, start=1)))
        self._shift = round(self._begin / step)

    def placed(self) -> Iterator[tuple[int, int, int]]:
        """Interval, bucket and I/Os."""
        for k, row in enumerate(self._rows, start=1):
            slot, counts = k + self._shift, dict(row.counts)
            came = int(row.t_ms // self._step) + 1
            if counts and (came > slot + 1 or self._caught_up(k)):
                # the I/O that brought the row was under way all the time: the slowest
                slowest = max(counts)
                yield came, slowest, 1
                counts[slowest] -= 1
            yield from ((slot, bucket, ios) for bucket, ios in counts.items() if ios)

    @property
    def last(self) -> int:
        """The last interval in any row."""
        return max((slot for slot, _, _ in self.placed()), default=0)

    @property
    def unknown(self) -> int | None:
        """The interval after the last row.

        None where that row is so late that any further I/O would have triggered another one at
        once: then nothing was done after it.
        """
        done = len(self._rows)
        return None if self._late(done) else done + 1 + self._shift

    def _caught_up(self, k: int) -> bool:
        """Whether the interval had ended when the row before came: then this row is one I/O."""
        return k > 1 and self._rows[k - 2].t_ms >= self._begin + k * self._step

    def _late(self, k: int) -> bool:
        return self._rows[k - 1].t_ms - (self._begin + k * self._step) >= self._step
