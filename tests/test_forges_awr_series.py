"""The forged series of AWR reports: physically coherent, the same for the same seed."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from statistics import median

import pytest
from forges.awr.series import CAUSES, Series, series

PLANTED = {cause.name: cause for cause in CAUSES}


@pytest.fixture(scope="module")
def planted() -> Series:
    """The whole series; a report is printed only where it is asked for."""
    return series()


@pytest.fixture(scope="module")
def flat() -> Series:
    """The same half hours with nothing planted."""
    return series(causes=())


def mean_ms(period, event):
    """The mean wait of an event."""
    wait = period.counts.wait(event)
    return wait.time_us / wait.waits / 1000


def during(planted, name):
    """The half hours of a cause."""
    return [one for one in planted.periods if PLANTED[name].at(one.number) and not one.spans]


def test_the_same_seed_gives_the_same_bytes():
    """A report is known by its seed; another seed is another noise."""
    first, again, other = (series(2, (), seed=seed).periods[1].data for seed in (7, 7, 8))
    assert first == again != other


def test_reports_of_ten_causes_stand_in_the_order_of_time(planted):
    """195 half hours of 200 (one is lost to the restart, four to the gap), and one that spans."""
    assert [len(planted.periods), sum(one.spans for one in planted.periods)] == [196, 1]
    begins = [one.begin for one in planted.periods]
    assert begins == sorted(begins)
    assert sorted(one.name for one in planted.periods) != [one.name for one in planted.periods]


def test_gap_restart_and_overlap_are_as_planted(planted):
    """Two hours without a report, a start between two reports, a report of four hours."""
    ordinary = [one for one in planted.periods if not one.spans]
    gaps = [
        (late.number, late.begin - early.end)
        for early, late in pairwise(ordinary)
        if late.begin != early.end
    ]
    assert gaps == [(85, timedelta(minutes=30)), (136, timedelta(hours=2))]
    starts = {one.content.instances[0].startup for one in planted.periods}
    assert len(starts) == 2
    assert ordinary[83].end < max(starts) < ordinary[84].begin
    (spanning,) = [one for one in planted.periods if one.spans]
    inside = during(planted, "overlap")
    assert [spanning.begin, spanning.end] == [inside[0].begin, inside[-1].end]
    assert spanning.counts.db_time_us == sum(one.counts.db_time_us for one in inside)


def test_a_page_agrees_with_itself(planted):
    """DB time is CPU and waits and the rest; requests of functions are those of the profile."""
    period = planted.periods[3]
    page = period.data.decode()
    cells = {
        row[0].strip(): row[1:]
        for row in (
            [cell.strip() for cell in re.findall(r"<td[^>]*>([^<]*)</td>", text)]
            for text in re.findall(r"<tr>(.*?)</tr>", page, re.S)
        )
        if row
    }
    number = {key: [float(x.replace(",", "")) for x in row if re.fullmatch(r"[\d,.]+", x)]
              for key, row in cells.items()}  # fmt: skip
    db_time, db_cpu = number["DB time"][0], number["DB CPU"][0]
    waited = sum(wait.time_us for wait in period.counts.foreground if wait.wait_class != "Idle")
    residual = period.counts.residual_us / 1e6
    # DB CPU is printed in whole seconds
    assert db_time - db_cpu - waited / 1e6 == pytest.approx(residual, abs=0.51)
    functions = ("Buffer Cache Reads", "Direct Reads", "DBWR", "LGWR", "RMAN", "Others")
    counters = period.content.instances[0].counters
    made = period.content.instances[0].functions
    assert [io.name for io in made] == list(functions)
    requests = counters["total_read_requests"] + counters["total_write_requests"]
    assert sum(io.reads + io.writes for io in made) == requests
    assert number["Total Requests:"][0] == pytest.approx(requests / 1800, abs=0.05)
    assert "Idle" not in {row[-1] for row in cells.values()}


def test_histograms_have_their_events_waits_and_mean(planted):
    """As many waits, and a mean between the lower and the upper edges of the buckets."""
    for period in planted.periods[::20]:
        for found in period.content.instances[0].histograms:
            wait = period.counts.wait(found.event)
            assert found.total == wait.waits
            low = sum(count * 2 ** (power - 1) for power, count in enumerate(found.counts))
            high = sum(count * 2**power for power, count in enumerate(found.counts))
            assert low <= wait.time_us * 1.01
            assert high >= wait.time_us * 0.99


CHANGES = {
    "storage slow": lambda one: mean_ms(one, "db file sequential read"),
    "noisy neighbour": lambda one: mean_ms(one, "db file sequential read"),
    "log slow": lambda one: mean_ms(one, "log file parallel write"),
    "CPU starved": lambda one: one.counts.busy_cpus,
    "lock storm": lambda one: one.counts.wait("enq: TX - row lock contention").time_us,
    "plan change": lambda one: one.counts.db_cpu_us / one.counts.transactions,
    "backup": lambda one: one.content.instances[0].counters["total_read_bytes"],
}
"""What each cause moves, far beyond noise and the day."""


@pytest.mark.parametrize("name", CHANGES)
def test_each_cause_moves_what_it_is_about(planted, flat, name):
    """In its half hours at least 1.5 times all that a flat series shows."""
    measured = CHANGES[name]
    least = min(measured(one) for one in during(planted, name))
    assert least > 1.5 * max(measured(one) for one in flat.periods)


def test_a_noisy_neighbour_comes_when_the_own_load_is_low(planted):
    """Requests below the median of the series: latency alone tells."""
    requests = [one.content.instances[0].counters["read_requests"] for one in planted.periods]
    own = [
        one.content.instances[0].counters["read_requests"]
        for one in during(planted, "noisy neighbour")
    ]
    assert max(own) < median(requests)


def test_others_on_the_cpu_slow_commits_and_not_the_log(planted, flat):
    """Log file sync rises while log file parallel write stays as it was."""
    usual = [mean_ms(one, "log file parallel write") for one in flat.periods]
    for one in during(planted, "CPU starved"):
        assert min(usual) <= mean_ms(one, "log file parallel write") <= max(usual)
        assert mean_ms(one, "log file sync") > 1.6
