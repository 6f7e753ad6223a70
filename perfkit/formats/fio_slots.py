"""In which interval of a run the I/Os of fio's histogram logs were done.

fio writes a row of a job and direction with the first I/O that completes an interval or more after
the row before (``add_clat_sample`` of its stat.c, 3.33 to 3.42), and counts the intervals on by one
a row, however late it is. Hence the k-th row is the k-th interval's. Of a row that comes late, for
nothing completed, one I/O (which brought it) is of the time it came, the others of the interval;
rows that follow at once make up for intervals without any. What a job did after its last row is in
no row at all: the interval after it is not known of this job.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.units import MS_PER_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from perfkit.formats.fio_series import Interval

Counts = dict[int, int]


@dataclass(frozen=True)
class Slots:
    """The intervals of one direction, summed over its jobs.

    Attributes:
        counts: Interval, from 1 -> bucket -> I/Os; one that is not in it had none.
        unknown: Intervals of which fio has not written what some job did.
        last: The last interval of which anything can be told.
    """

    counts: Mapping[int, Counts]
    unknown: frozenset[int]
    last: int

    def whole(self) -> list[int]:
        """The intervals that are known of every job, in order."""
        return [slot for slot in range(1, self.last + 1) if slot not in self.unknown]


def slots(rows: Iterable[Interval], interval_s: float, runtime_s: float | None) -> dict[str, Slots]:
    """Direction -> its intervals.

    Without ``runtime_s`` (runs from before it was kept, and writers that end by themselves), they
    end with the last interval of any job; with it, a stall that lasts to the end is seen.
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
        """The last interval of which a row tells."""
        return max((slot for slot, _, _ in self.placed()), default=0)

    @property
    def unknown(self) -> int | None:
        """The interval after the last row.

        None where the row is so late that another I/O would have brought one more at once: then
        nothing was done after it.
        """
        done = len(self._rows)
        return None if self._late(done) else done + 1 + self._shift

    def _caught_up(self, k: int) -> bool:
        """Whether the interval had ended when the row before came: then this row is one I/O."""
        return k > 1 and self._rows[k - 2].t_ms >= self._begin + k * self._step

    def _late(self, k: int) -> bool:
        return self._rows[k - 1].t_ms - (self._begin + k * self._step) >= self._step
