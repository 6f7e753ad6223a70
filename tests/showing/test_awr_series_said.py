"""The sentences and headlines of a series: every cause and rule has words, each exactly."""

from __future__ import annotations

import polars as pl
import pytest
from analysis.awr_histories import START, history, period
from analysis.test_awr_periods import TYPES, report
from analysis.test_awr_series import (
    MORE_COMMITS,
    MORE_READS,
    QUIET,
    REFUSED,
    SLOW_FEW,
    SLOW_LOG,
    SLOW_READS,
    STORAGE,
    after,
    by_turns,
    parts,
)

from perfkit.analysis.awr.periods.answers import changes_of, coverage_of, time_of
from perfkit.analysis.awr.periods.causes import CAUSES
from perfkit.analysis.awr.periods.periods import periods
from perfkit.analysis.awr.periods.storage import judged
from perfkit.core.answers import to_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured
from perfkit.showing.findings import finding
from perfkit.showing.statements import awr_series as words
from perfkit.showing.statements.say import say


def said(answers) -> str:
    (statement,) = say(measured(to_frame(answers), "answers"))
    return statement.text


def found(answers, question: str) -> tuple[str | None, str]:
    (one, *_) = finding(measured(to_frame(answers), "answers"), question)
    return one.headline, one.text


AT = "SHOP: on 2 Mar 2026 from 14:00 to 17:00, "

HEADLINES = {
    "reads took longer": (SLOW_READS, None, "reads", "reads point to storage, or the path to it, "
                                                     "as "
                          "the cause.", "User I/O was 89% of DB time; db file sequential read took "
                          "8.00 ms instead of 1.00 ms."),
    "a part": (SLOW_FEW, None, "reads", "reads point to storage, or the path to it, as a "
               "contributor.", "User I/O was 27% of DB time; db file sequential read took 8.00 ms "
               "instead of 1.00 ms."),
    "none longer": (MORE_READS, None, "reads", "reads do not point to storage.",
                    "User I/O was 89% of DB time; db file sequential read took 1.00 ms, and "
                    "1.00 ms in the other periods, which shows no change."),
    "over the limit": (MORE_READS, 0.0005, "reads", "reads point to storage, or the path to it, as "
                       "the cause.", "User I/O was 89% of DB time; db file sequential read took "
                       "1.00 ms, over the limit of 500 µs."),
    "slow log": (SLOW_LOG, None, "commits", "commits point to the log's writes as the cause.",
                 "Commits were 79% of DB time; log file parallel write took 12.0 ms instead of "
                 "1.50 ms, log file sync took 16.0 ms instead of 2.00 ms."),
    "more commits": (MORE_COMMITS, None, "commits", "commits do not point to the log's writes.",
                     "Commits were 79% of DB time; log file parallel write took 1.50 ms, and "
                     "1.50 ms in the other periods, which shows no change. What moved: there were "
                     "3,000 commits per second instead of 100."),
    "log full": (MORE_COMMITS | {"log_writer_busy_ratio": 0.9}, None, "commits",
                 "commits point to the log's writes as a contributor.",
                 "Commits were 79% of DB time; log file parallel write took 1.50 ms, and 1.50 ms "
                 "in the other periods, which shows no change, but adds up to 90% of the time. "
                 "What moved: there were 3,000 commits per second instead of 100."),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADLINES)
def test_is_it_storage_is_said_with_its_interval_and_reasons(case: str):
    changed, limit_s, metric, headline, text = HEADLINES[case]
    own = [one for one in judged(history(after(**changed)), limit_s, pdb=False, cluster=False)
           if one.metric == metric]  # fmt: skip
    assert found(own, "series_storage") == (AT + headline, text)
    assert said(own) == f"{AT}{headline} {text}"


@pytest.mark.parametrize("case", [*STORAGE, *REFUSED])
def test_every_verdict_can_be_said(case: str):
    changed, given, *_ = STORAGE.get(case) or REFUSED[case]
    own = given if isinstance(given, dict) else {}
    limit_s = None if isinstance(given, dict) else given
    answers = judged(history(after(**changed)), limit_s, **{"pdb": False, "cluster": False} | own)
    assert all(said([one]).endswith(".") for one in answers)


def test_further_stretches_and_a_full_log_are_said():
    few = {"read_wait_s": 0.003, "average_active_sessions": 4.0, "parts": parts(3.0, 0.3)}
    kinds = [{}] * 12 + [SLOW_READS] * 4 + [{}] * 9 + [few] * 3 + [{}] * 9
    rows = [period(place, **QUIET | changed) for place, changed in enumerate(kinds)]
    reads, _ = judged(history(rows), None, pdb=False, cluster=False)
    assert said([reads]).endswith(
        " Storage is also the cause or a contributor on 2 Mar 2026 from 20:30 to 22:00."
    )
    busy = {"log_writer_busy_ratio": 0.9, "parts": parts(1.0, 6.3), "average_active_sessions": 8.0}
    _, commits = judged(history([period(place, **QUIET | busy) for place in range(4)]), None,
                        pdb=False, cluster=False)  # fmt: skip
    assert said([commits]).endswith(
        "Commits were 79% of DB time; log file parallel write took 1.50 ms, which adds up to 90% "
        "of the time; there are no other periods to compare it with."
    )


def test_what_is_not_judged_says_why():
    reads, commits = judged(history(after(**SLOW_LOG)), None, pdb=True, cluster=False)
    assert said([commits]) == (
        "Whether commits of SHOP waited for storage on 2 Mar 2026 from 14:00 to 17:00 is not "
        "judged: "
        "the log writer is in the root of the container database."
    )
    assert found([commits], "series_storage")[0] is None
    assert found([reads], "series_storage")[0] == f"{AT}reads do not point to storage."


def test_a_change_is_said_with_what_moved_and_what_took_the_time():
    headline, text = found(changes_of(history(after(**SLOW_READS))), "series_change")
    assert headline == f"{AT}reads took longer."
    assert text == (
        "9.00 sessions were active on average instead of 2.00, db file sequential read took "
        "8.00 ms instead of 1.00 ms. Added sessions: reads that took longer 7.00."
    )
    headline, _ = found(changes_of(history(after(**MORE_COMMITS))), "series_change")
    assert headline == f"{AT}commits waited; log writes are not shown to be slower."


def test_a_load_by_turns_is_said_with_both_levels_and_how_often():
    """The turns have no cause of their own: what is on top of the low level is told."""
    turning, change = changes_of(history(by_turns(**SLOW_READS)))
    assert found([turning], "series_turns") == (
        "SHOP: from 2 Mar 2026 08:00 to 3 Mar 2026 00:00, active sessions alternated between 2.00 "
        "and 9.00.",
        "It was high 8 times, every 2.00 h: in 16 of 32 periods. When it was high, db file "
        "sequential read took 8.00 ms instead of 1.00 ms. Added sessions: reads that took longer "
        "7.00.",
    )
    assert said([change]).endswith("to 3 Mar 2026 00:00: it alternates between two levels.")
    reads, _ = judged(history(by_turns(**SLOW_READS)), None, pdb=False, cluster=False)
    assert said([reads]).startswith(
        "SHOP: from 2 Mar 2026 08:00 to 3 Mar 2026 00:00, in the 16 periods when it was high, "
        "reads point to storage, or the path to it, as the cause."
    )


def test_a_small_change_is_a_finding_of_its_own_behind_the_large_ones():
    """The first page says where the time went before a latency that cost a tenth of a session."""
    small = {"read_wait_s": 0.008, "average_active_sessions": 2.1, "parts": parts(1.1, 0.3)}
    answers = measured(to_frame(changes_of(history(after(**small)))), "answers")
    (one,) = finding(answers, "series_change", subject={"small": "yes"})
    assert one.headline == f"{AT}reads took longer."
    with pytest.raises(AbsentError, match="series change was not asked"):
        finding(answers, "series_change", subject={"small": None})


def test_an_interval_with_gaps_says_how_much_of_it_is_reported():
    rows = [period(place, **QUIET) for place in (0, 1, 17520)]
    assert said([time_of(history(rows))]).startswith(
        "From 2 Mar 2026 08:00 to 2 Mar 2027 08:30 (90.0 min of it reported), SHOP averaged 2.00 "
        "active sessions."
    )


@pytest.mark.parametrize("rates", [[None] * 12, [50.0, 52.0, 51.0] * 4])
def test_no_change_is_said_as_not_shown(rates):
    """Without the transactions per second, and with all quantities known."""
    rows = [period(place, **QUIET, transactions_per_s=rates[place]) for place in range(12)]
    assert said(changes_of(history(rows))) == (
        "No change in SHOP is shown over 12 periods, on 2 Mar 2026 from 08:00 to 14:00: no "
        "quantity changes its level."
    )
    few = [period(place, **QUIET) for place in range(3)]
    assert said(changes_of(history(few))).endswith("09:30: 6 periods are needed to tell.")


def test_where_the_time_went_is_said_by_its_parts():
    rows = [period(place, **QUIET) for place in range(12)]
    answer = time_of(history(rows))
    assert found([answer], "series_time") == (
        "User I/O waits took the largest share of the DB time of SHOP: 50%.",
        "On 2 Mar 2026 from 08:00 to 14:00, SHOP averaged 2.00 active sessions. DB time was 50% "
        "User I/O, 35% DB CPU, 15% Commit.",
    )


LOCK = "enq: TX - row lock contention"


def in_locks(listed: list[dict[str, float]]) -> tuple[str | None, str]:
    """A history of 10, 20 and 30 sessions, nine in ten of them waiting for locks."""
    rows = [
        period(place, average_active_sessions=10.0 * count,
               parts={"DB CPU": 1.0 * count, "Application": 9.0 * count})
        for place, count in enumerate((1, 2, 3))
    ]  # fmt: skip
    return found([time_of(history(rows, listed))], "series_time")


def test_the_longest_wait_leads_where_it_is_most_of_the_largest_part():
    text = (
        "On 2 Mar 2026 from 08:00 to 09:30, SHOP averaged 20.0 active sessions, 10.0 to 30.0 by "
        "period, with the most in the period from 09:00. DB time was 90% Application, 10% DB CPU. "
        "The longest wait was "
        f"{LOCK}: {{}} of DB time."
    )
    assert in_locks([{LOCK: 9.0}, {LOCK: 18.0}, {LOCK: 27.0}]) == (
        f"Application waits took most of the DB time of SHOP: 90% ({LOCK} alone: 90%).",
        text.format("90%"),
    )
    not_listed = {"buffer busy waits": 0.1}
    assert in_locks([not_listed, {LOCK: 18.0}, {LOCK: 27.0}]) == (
        f"Application waits took most of the DB time of SHOP: 90% ({LOCK} alone: at least 75%).",
        text.format("at least 75%"),
    )
    assert in_locks([{LOCK: 4.5}, {LOCK: 9.0}, {LOCK: 13.5}]) == (
        "Application waits took most of the DB time of SHOP: 90%.", text.format("45%"),
    )  # fmt: skip


def test_time_in_neither_cpu_nor_waits_leads_where_it_is_most():
    parts = {"DB CPU": 0.5, "User I/O": 0.3, "residual": 1.2}
    rows = [period(place, average_active_sessions=2.0, parts=dict(parts)) for place in range(3)]
    assert found([time_of(history(rows))], "series_time")[0] == (
        "60% of the DB time of SHOP was in neither CPU nor waits."
    )


@pytest.mark.parametrize(
    ("residual", "told"),
    [(-0.12, "; CPU and waits add up to 6.0% more than DB time."), (-0.08, "."),
     (0.12, ", 6.0% in neither CPU nor waits.")],
)  # fmt: skip
def test_parts_that_add_up_to_more_than_db_time_are_said_to(residual: float, told: str):
    """Of 2 sessions 1.2 were on the CPU; the rest waited, and a part of it is counted twice."""
    parts = {"DB CPU": 1.2, "User I/O": 0.8 - residual, "residual": residual}
    rows = [period(place, average_active_sessions=2.0, parts=dict(parts)) for place in range(3)]
    shares = f"60% DB CPU, {50 * (0.8 - residual):.0f}% User I/O"
    assert f"DB time was {shares}{told}" in found([time_of(history(rows))], "series_time")[1]


def test_little_time_has_its_waits_beside_it():
    """A hundredth of DB time, and yet 340 ms for a commit: the reader sees both."""
    slow = {"log_file_sync_s": 0.34, "log_file_parallel_write_s": 0.076, "read_wait_s": 0.024,
            "parts": {"DB CPU": 1.94, "User I/O": 0.04, "Commit": 0.02}}  # fmt: skip
    rows = [period(place, **QUIET | slow) for place in range(3)]
    own = judged(history(rows), None, pdb=False, cluster=False)
    assert [found([one], "series_storage")[1] for one in own] == [
        "User I/O was 2.0% of DB time; db file sequential read took 24.0 ms.",
        "Commits were 1.0% of DB time; log file sync took 340 ms, log file parallel write took "
        "76.0 ms.",
    ]  # fmt: skip


def test_periods_gaps_and_restarts_are_said():
    start = START.replace(hour=10, minute=10)
    rows = [*(report(n) for n in range(4)), report(0, 8),
            *(report(n, startup_time=start) for n in range(5, 9))]  # fmt: skip
    frame = periods(pl.DataFrame(rows, schema=TYPES, orient="row")).frame
    first, gap = coverage_of("SHOP", frame.rows(named=True))
    assert said([first]) == (
        "8 of 9 reports of SHOP form a trend, on 2 Mar 2026 from 08:00 to 12:30. Left out: 1 "
        "because it spans the periods of other reports."
    )
    assert said([gap]) == (
        "On 2 Mar 2026 from 10:00 to 10:30, there is no report of SHOP: the instance was restarted."
    )


def test_every_cause_has_words_and_a_headline():
    assert set(words._CAUSES) == set(CAUSES)
    assert set(words._HEADLINES) | {"commits"} == set(CAUSES)
