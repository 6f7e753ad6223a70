"""In which interval fio's rows belong, and which intervals are known of every job."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.formats.fio_series import Interval
from perfkit.formats.fio_slots import slots

FAST, SLOW = 20, 90
"""Two of fio's coarse buckets."""


def rows(job, times, ios=100, direction="read"):
    """A job's rows as fio writes them: every I/O in one bucket."""
    return [Interval(job, t, direction, ((FAST, ios),)) for t in times]


def counts(found, direction="read"):
    """Interval -> I/Os, of the intervals that are whole."""
    own = found[direction]
    return {slot: sum(own.counts.get(slot, {}).values()) for slot in own.whole()}


def test_a_row_of_each_job_in_each_interval_is_a_whole_series():
    """Five intervals of 200 ms of which the last has no row: it is left out, of every job."""
    found = slots(rows(1, [203, 403, 603, 803]) + rows(2, [201, 402, 601, 801]), 0.2, 1.0)
    assert counts(found) == {1: 200, 2: 200, 3: 200, 4: 200}


def test_a_last_interval_that_only_some_jobs_wrote_is_no_fall():
    """Job 1's last I/O came after the end and brought its row; job 2's did not: 1 of 2 is left out.

    The last interval of seven jobs would have had 636 I/Os where the others had 4,400.
    """
    whole = [203, 403, 603, 803]
    found = slots(rows(1, [*whole, 1002]) + rows(2, whole), 0.2, 1.0)
    assert counts(found) == {1: 200, 2: 200, 3: 200, 4: 200}
    both = slots(rows(1, [*whole, 1002]) + rows(2, [*whole, 1000]), 0.2, 1.0)
    assert counts(both) == {1: 200, 2: 200, 3: 200, 4: 200, 5: 200}


def test_directions_end_by_themselves():
    """The reads of a mix may have a row more than its writes."""
    found = slots(rows(1, [201, 401, 602]) + rows(1, [202, 403], 10, "write"), 0.2, None)
    assert counts(found) == {1: 100, 2: 100, 3: 100}
    assert counts(found, "write") == {1: 10, 2: 10}


def test_a_job_that_stops_early_is_not_known_in_the_next_interval_and_idle_after_it():
    """Another I/O after that interval would have brought a row."""
    found = slots(rows(1, [201, 401, 601, 801, 1001]) + rows(2, [202, 402]), 0.2, 1.0)
    assert counts(found) == {1: 200, 2: 200, 4: 100, 5: 100}


def test_a_stall_stands_where_nothing_completed_and_not_an_interval_early():
    """I/Os until 390 ms, then none until 1,010 ms: intervals 3 to 5 had none.

    fio writes what was done before the stall with the first I/O after it, and then a row for each
    interval it is behind, with what completed since: one I/O each.
    """
    before = [Interval(1, 202, "read", ((FAST, 100),))]
    after = [
        Interval(1, 1010, "read", ((FAST, 90), (SLOW, 1))),
        Interval(1, 1011, "read", ((SLOW, 1),)),
        Interval(1, 1012, "read", ((SLOW, 1),)),
        Interval(1, 1013, "read", ((SLOW, 1),)),
        Interval(1, 1203, "read", ((FAST, 80),)),
        Interval(1, 1402, "read", ((FAST, 100),)),
    ]
    found = slots(before + after, 0.2, 1.4)
    assert counts(found) == {1: 100, 2: 90, 3: 0, 4: 0, 5: 0, 6: 84, 7: 100}
    assert found["read"].counts[6] == {SLOW: 4, FAST: 80}


def test_a_stall_to_the_end_is_seen_where_the_run_time_is_known():
    """One row, then nothing: the interval after it is not known, the others had no I/O."""
    stalled = rows(1, [201, 401]) + rows(2, [202, 402])
    assert counts(slots(stalled, 0.2, 1.2)) == {1: 200, 2: 200, 4: 0, 5: 0, 6: 0}
    assert counts(slots(stalled, 0.2, None)) == {1: 200, 2: 200}


def test_a_row_that_was_late_leaves_nothing_unknown():
    """After it any I/O would have brought a row: the rest of the run had none."""
    late = [*rows(1, [201]), Interval(1, 900, "read", ((FAST, 50), (SLOW, 1)))]
    assert counts(slots(late, 0.2, 1.2)) == {1: 100, 2: 50, 3: 0, 4: 0, 5: 1, 6: 0}


def test_a_job_whose_first_io_comes_late_begins_there():
    """fio counts from the first I/O, here at 500 ms: the first 400 ms had none."""
    assert counts(slots(rows(1, [700, 900, 1100]), 0.2, None)) == {
        1: 0,
        2: 0,
        3: 100,
        4: 100,
        5: 100,
    }


def simulate(times, step):
    """fio's own rule (``add_clat_sample``): the rows of a job with I/Os at ``times``."""
    last, done, found = 0, 0, []
    for t in times:
        done += 1
        last = last or t
        if t - last >= step:
            found.append(Interval(1, t, "read", ((FAST, done),)))
            last, done = last + step, 0
    return found


@given(st.lists(st.integers(1, 700), min_size=5, max_size=300), st.sampled_from([50, 100, 200]))
def test_every_io_that_fio_wrote_is_in_one_interval_near_its_time(gaps, step):
    """Against fio's own rule, on any rhythm with a busy end: none is lost or far from its time."""
    times = [5]
    for gap in [*gaps, *[1] * (3 * step + len(gaps) * 14)]:
        times.append(times[-1] + gap)
    written = simulate(times, step)
    found = slots(written, step / 1000, None)["read"]
    total = sum(ios for row in written for _, ios in row.counts)
    placed = sorted(slot for slot, own in found.counts.items() for _ in range(sum(own.values())))
    assert len(placed) == total
    true = sorted(t // step + 1 for t in times[:total])
    assert all(abs(mine - exact) <= 1 for mine, exact in zip(placed, true, strict=True))


@pytest.mark.parametrize("runtime", [1.0, None])
def test_no_rows_are_no_intervals(runtime):
    assert slots([], 0.2, runtime) == {}
