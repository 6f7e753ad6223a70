"""What a series says: load over time, episodes with their causes, and "is it storage?"."""

from __future__ import annotations

import tarfile
from dataclasses import replace
from datetime import datetime, timedelta

import polars as pl
import pytest
from analysis.awr_histories import START, history, of_series, period
from forges.awr.content import Database
from forges.awr.series import CAUSES, Host, series
from places import ROOT

from perfkit.analysis.awr.periods.answers import (
    changes_of,
    threads_cautions,
    time_of,
    what_changed,
)
from perfkit.analysis.awr.periods.causes import causes
from perfkit.analysis.awr.periods.columns import OVER_TIME, SESSIONS
from perfkit.analysis.awr.periods.episodes import PER_TRANSACTION, episodes
from perfkit.analysis.awr.periods.over_time import over_time, sessions_over_time
from perfkit.analysis.awr.periods.periods import periods
from perfkit.analysis.awr.periods.storage import is_it_storage, judged
from perfkit.core.answers import from_frame
from perfkit.core.keys import rows_by
from perfkit.sources.awr.many import read_awr_reports

ROUND = pytest.approx

# --- load over time ---------------------------------------------------------------------------


def reading(**changed: list[dict]) -> dict[str, pl.DataFrame]:
    """The tables of one report of 1,000 s: 3,000 s of DB time, 1,000 of CPU, 1,600 of waits."""
    own = {"file": "a.html", "level": "instance", "instance": 1}
    fore, back = {"scope": "foreground"} | own, {"scope": "background"} | own
    given: dict[str, list[dict]] = {
        "report": [own | {
            "scope": "single", "db_name": "SHOP", "db_id": 1, "startup_time": None,
            "snap_begin_id": 1, "snap_end_id": 2, "begin_time": START,
            "end_time": datetime(2026, 3, 2, 8, 16, 40),  # noqa: DTZ001
            "elapsed_s": 1000.0, "db_time_s": 3001.2, "form": "awr"}],
        "load_points": [
            {"file": "a.html", "direction": way, "iops": iops, "bw_bytes_per_s": 8192.0 * iops,
             "cpu_busy_ratio": 0.25}
            for way, iops in (("read", 300.0), ("write", 100.0), ("total", 400.0))],
        "time_model": [own | {"statistic": name, "time_s": time}
                       for name, time in (("DB time", 3000.0), ("DB CPU", 1000.0))],
        "wait_classes": [row | {"wait_class": name, "total_wait_s": time} for row, name, time in (
            (fore, "User I/O", 1200.0), (fore, "Commit", 400.0), (fore, "DB CPU", 1000.0),
            (own | {"scope": "all"}, "System I/O", 900.0))],
        "wait_events": [
            row | {"event": event, "wait_class": None, "waits": waits, "total_wait_s": time,
                   "avg_wait_s": time / waits, "db_time_ratio": 0.1}
            for row, event, waits, time in (
                (fore, "db file sequential read", 600_000.0, 1200.0),
                (fore, "log file sync", 999.0, 400.0),
                (back, "log file sync", 50_000.0, 10.0),
                (back, "log file parallel write", 200_000.0, 250.0))],
        "instance_activity": [own | {"statistic": name, "per_s": rate} for name, rate in (
            ("redo size", 2e6), ("user commits", 500.0), ("redo writes", 200.0))],
        "load_profile": [own | {"statistic": "transactions", "per_s": 510.0}],
    } | changed  # fmt: skip
    return {name: pl.DataFrame(rows) for name, rows in given.items()}


def over(given: dict[str, pl.DataFrame]) -> dict:
    found = over_time(periods(given["report"]), given)
    assert dict(found.frame.schema) == dict(pl.DataFrame(schema=OVER_TIME).schema)
    return found.frame.row(0, named=True)


def test_a_period_has_its_rates_sessions_and_waits():
    row = over(reading())
    assert {name: value for name, value in row.items() if isinstance(value, float)} == {
        "elapsed_s": 1000, "average_active_sessions": 3, "cpu_sessions": 1,
        "wait_sessions": ROUND(1.6), "residual_sessions": ROUND(0.4), "read_iops": 300,
        "write_iops": 100, "iops": 400,
        "read_bytes_per_s": 300 * 8192, "write_bytes_per_s": 100 * 8192, "redo_bytes_per_s": 2e6,
        "transactions_per_s": 510, "commits_per_s": 500, "cpu_busy_ratio": 0.25,
        "read_wait_s": ROUND(0.002), "read_waits": 600_000, "log_file_syncs": 999,
        "log_file_parallel_write_s": ROUND(0.00125), "log_file_parallel_writes": 200_000,
        "log_writer_busy_ratio": 0.25, "commits_per_redo_write": 2.5,
    }  # fmt: skip
    assert row["read_event"] == "db file sequential read"


def test_a_mean_of_999_waits_is_not_used_and_its_count_stays():
    row = over(reading())
    assert (row["log_file_sync_s"], row["log_file_syncs"]) == (None, 999)


def test_what_a_report_does_not_state_is_null_and_nothing_is_made_of_it():
    row = over(reading(time_model=[], wait_events=[], instance_activity=[], load_points=[]))
    assert row["average_active_sessions"] == ROUND(3.0012)  # of the head, in minutes
    for name in ("cpu_sessions", "residual_sessions", "iops", "cpu_busy_ratio", "read_wait_s",
                 "commits_per_s", "log_writer_busy_ratio", "commits_per_redo_write"):  # fmt: skip
        assert row[name] is None


def test_parts_and_residual_add_up_to_db_time_and_the_background_is_in_none():
    given = reading()
    frame = sessions_over_time(periods(given["report"]), given).frame
    assert dict(frame.schema) == dict(pl.DataFrame(schema=SESSIONS).schema)
    assert frame.select("part", "average_active_sessions").rows() == [
        ("User I/O", ROUND(1.2)), ("DB CPU", ROUND(1.0)), ("Commit", ROUND(0.4)),
        ("residual", ROUND(0.4)),
    ]  # fmt: skip
    assert frame["average_active_sessions"].sum() == ROUND(3.0)


@pytest.mark.parametrize("event", [
    "LGWR worker group idle", "jobq slave wait", "SQL*Net message from client", "PX Idle Wait",
    "Streams AQ: waiting for messages", "Space Manager: slave idle wa", "lreg timer",
])  # fmt: skip
def test_an_idle_event_with_a_share_is_in_no_wait_of_statspack(event):
    """Statspack takes events of later releases for busy: by name they are idle, also cut off."""
    given = reading(wait_classes=[])
    busy = over(given)["wait_sessions"]
    events = given["wait_events"]
    idle = events.head(1).with_columns(event=pl.lit(event), total_wait_s=pl.lit(7200.0))
    given["wait_events"] = pl.concat([events, idle])
    assert busy == ROUND(1.6)
    assert over(given)["wait_sessions"] == busy
    made = sessions_over_time(periods(given["report"]), given).frame
    assert made["average_active_sessions"].max() < 3


@pytest.mark.parametrize(
    "event",
    [
        "PX Deq Credit: send blkd",
        "db file parallel read",
        "SQL*Net more data from client",
        "enq: TX - row lock c",
    ],
)
def test_an_event_that_only_resembles_an_idle_one_is_a_wait(event):
    given = reading(wait_classes=[])
    other = given["wait_events"].head(1).with_columns(event=pl.lit(event))
    given["wait_events"] = pl.concat([given["wait_events"], other])
    assert over(given)["wait_sessions"] == ROUND(2.8)


# --- planted causes ---------------------------------------------------------------------------

PUT_DOWN = {
    "storage slow": ("reads_slower", "log_slower"),
    "backup": ("backup", "reads_slower"),
    "log slow": ("log_slower",),
    "CPU starved": ("cpu_busy",),
    "lock storm": ("event", "statement"),
    "plan change": ("statement", "cpu_work", "more_reads"),
    "noisy neighbour": ("reads_slower",),
}
"""Restart, gap and overlap are not episodes: ``periods`` tells them."""


def test_every_planted_cause_is_named_with_its_period():
    made = series()
    found = {(one.begin, one.end): tuple(cause.name for cause in causes(one))
             for one in episodes(of_series(made))}  # fmt: skip
    assert found == {made.times(cause): PUT_DOWN[cause.name]
                     for cause in CAUSES if cause.name in PUT_DOWN}  # fmt: skip


@pytest.mark.parametrize(("count", "seed"), [*((200, n) for n in range(6)),
                                             *((48, n) for n in (1, 7, 11, 13))])  # fmt: skip
def test_a_flat_series_has_no_episode(count: int, seed: int):
    """Nor has a single day, whose night is less load and no change of level."""
    assert episodes(of_series(series(count, causes=(), seed=seed))) == []


def test_what_fell_has_no_cause_and_what_rose_by_little_is_none():
    """Beside 2 sessions instead of 8 a lock that took a hundredth of one more explains nothing."""

    def told(sessions: float, in_locks: float) -> list[str]:
        lock = {"enq: TX - row lock contention": in_locks}
        rows = after(average_active_sessions=sessions,
                     parts={"DB CPU": sessions - in_locks, "Application": in_locks})  # fmt: skip
        own = history(rows, [{"enq: TX - row lock contention": 0.0}] * 12 + [lock] * 6)
        return [cause.name for one in episodes(own) for cause in causes(one)]

    assert told(0.5, 0.01) == []
    assert "event" in told(9.0, 7.0)


def test_a_long_call_that_ended_is_time_in_neither_before_it_is_a_statement():
    rows = after(average_active_sessions=9.0, parts=parts(1.0, 0.3) | {"residual": 7.0})
    own = history(rows, [{"sql a": 0.1 if place < 12 else 7.2} for place in range(18)])
    (one,) = episodes(own)
    assert [cause.name for cause in causes(one)] == ["booked", "statement"]


def test_an_episode_names_the_event_and_the_statement():
    own = {one.begin: one for one in episodes(of_series(series()))}
    storm = own[datetime(2026, 3, 4, 9)]  # noqa: DTZ001
    assert storm.leads == PER_TRANSACTION
    assert [(cause.name, cause.of) for cause in causes(storm)] == [
        ("event", "enq: TX - row lock contention"), ("statement", "sql 7r3kq0v1m2stk"),
    ]  # fmt: skip
    assert storm.excess == ROUND(21.4, rel=0.02)


def test_what_lies_apart_in_every_period_moved_however_it_varies():
    """6 sessions became 18 to 235, in a storm that grew: their own spread hides no change."""
    storm = [24.6, 24.1, 22.0, 43.8, 106.1, 165.0, 162.2, 163.7, 203.6, 232.3, 18.4, 25.0, 87.1]
    rows = [period(place, **QUIET) for place in range(12)]
    rows += [
        period(12 + place, **QUIET | {
            "average_active_sessions": sessions, "cpu_busy_ratio": 0.6,
            "parts": parts(1.0, 0.3, sessions - 1.3)})
        for place, sessions in enumerate(storm)
    ]  # fmt: skip
    (one, *_) = episodes(history(rows))
    assert one.way("average_active_sessions") == 1


# --- what comes first -------------------------------------------------------------------------


def changes(rows: list[dict]) -> list:
    return [one for one in changes_of(history(rows)) if one.question == "series_change"]


def test_the_change_that_costs_most_comes_first_and_a_small_one_last():
    """Reads that took eight times as long cost 0.1 sessions; a larger fall costs nothing."""
    rise = {"average_active_sessions": 3.5, "parts": parts(2.5, 0.3)}
    small = {"read_wait_s": 0.008, "average_active_sessions": 2.1, "parts": parts(1.1, 0.3)}
    fall = {"average_active_sessions": 0.4, "parts": parts(0.1, 0.1, 0.2)}
    kinds = [(12, QUIET), (3, small), (12, QUIET), (3, fall), (12, QUIET), (3, rise)]
    rows = [QUIET | changed for count, changed in [*kinds, (12, QUIET)] for _ in range(count)]
    found = changes([period(place, **row) for place, row in enumerate(rows)])
    assert [one.estimate.value for one in found] == [3.5, 0.4, 0.008]
    assert [one.subject.get("small") for one in found] == [None, None, "yes"]


def test_of_several_databases_the_change_that_costs_most_comes_first(tmp_path):
    """Whatever they are called: BANK had a plan change, SHOP its locks."""
    cheap, dear = (
        next(c for c in CAUSES if c.name == name) for name in ("plan change", "lock storm")
    )
    for name, cause in (("BANK", cheap), ("SHOP", dear)):
        host = Host(Database(name, len(name) + ord(name[0]), name.lower()), f"{name.lower()}1")
        made = series(14, (replace(cause, first=7, last=10),), host=host)
        for one in made.periods:
            (tmp_path / f"{name}_{one.name}").write_bytes(one.data)
    found = read_awr_reports(sorted(tmp_path.iterdir()), tables=NEEDED)
    known = periods(found.report)
    answers = from_frame(what_changed(known, over_time(known, found), found).frame)
    told = [one for one in answers if one.question == "series_change"]
    large = [one.subject.label for one in told if one.subject.get("small") is None]
    assert large == [one.subject.label for one in told[:2]] == ["SHOP", "BANK"]
    times = [one.estimate.value for one in answers if one.question == "series_time"]
    assert times == sorted(times, reverse=True)
    judged = from_frame(is_it_storage(known, over_time(known, found), found).frame)
    assert [one.subject.label for one in judged] == [
        one.subject.label for one in answers if one.question == "series_time" for _ in range(2)
    ]


def test_where_the_time_went_says_how_many_reports_the_trend_leaves_out(tmp_path):
    """It stands on the first page: of nine reports one that spans two others is in no average."""
    overlap = next(c for c in CAUSES if c.name == "overlap")
    made = series(8, (replace(overlap, first=3, last=5),))
    for one in made.periods:
        (tmp_path / one.name).write_bytes(one.data)
    found = read_awr_reports(sorted(tmp_path.iterdir()), tables=NEEDED)
    known = periods(found.report)
    answers = from_frame(what_changed(known, over_time(known, found), found).frame)
    (time,) = [one for one in answers if one.question == "series_time"]
    left_out = known.frame.filter(~known.frame["in_trend"]).height
    assert left_out == 1
    every = str(known.frame.height)
    told = [dict(one.arguments) for one in time.cautions if one.name == "reports_left_out"]
    assert [(one["some"], one["all"]) for one in told] == [("1", every)]


def test_where_the_time_went_names_the_reports_that_are_cut_off(tmp_path):
    """Of thirty half hours one may be half a file, which a table of each would tell of fewer."""
    for number, one in enumerate(series(8, ()).periods):
        whole = one.data
        (tmp_path / one.name).write_bytes(whole[: len(whole) // 2] if number == 3 else whole)
    found = read_awr_reports(sorted(tmp_path.iterdir()), tables=[*NEEDED, "load_points"])
    known = periods(found.report)
    answers = from_frame(what_changed(known, over_time(known, found), found).frame)
    (time,) = [one for one in answers if one.question == "series_time"]
    told = [one.of for one in time.cautions if one.name == "cut_off"]
    assert told == [sorted(path.name for path in tmp_path.iterdir())[3]]


def test_slower_reads_that_take_next_to_no_time_are_no_cause():
    """A hundredth of 20 sessions is in reads: more CPU is the cause."""
    busy = {"read_wait_s": 0.008, "average_active_sessions": 20.0, "parts": parts(1.2, 0.3, 18.5)}
    (one,) = episodes(history(after(**busy)))
    assert one.way("read_wait_s") == 1
    assert [cause.name for cause in causes(one)] == ["cpu_work"]


def by_turns(**changed: object) -> list[dict]:
    """Two quiet periods and two that differ, eight times."""
    kinds = (QUIET, QUIET, QUIET | changed, QUIET | changed) * 8
    return [period(place, **kind) for place, kind in enumerate(kinds)]


def test_a_load_by_turns_is_named_as_such_and_is_no_change():
    turning, change = changes_of(history(by_turns(**MORE_READS)))
    assert (turning.question, turning.metric) == ("series_turns", "average_active_sessions")
    assert (turning.estimate.value, turning.estimate.n) == (9.0, 16)
    told = {one.metric: one.value for one in turning.conditions}
    assert (told["usual average_active_sessions"], told["turns"], told["every_s"]) == (2.0, 8, 7200)
    assert (change.status, change.reason) == ("missing", "it alternates between two levels")


def test_storage_that_is_slow_by_turns_is_judged_against_the_other_periods():
    rows = by_turns(**SLOW_READS)
    reads, _ = judged(history(rows), None, pdb=False, cluster=False)
    assert [reads.subject.get(key) for key in ("outcome", "rule", "high")] == [
        "yes",
        "slower",
        "16",
    ]
    assert [reads.subject.get(key) for key in ("begin", "end")] == [
        rows[0]["begin_time"].isoformat(), rows[-1]["end_time"].isoformat()]  # fmt: skip


def test_an_interval_says_how_much_of_it_reports_are_of():
    """Three half hours of a year are not a year; an interval without gaps says nothing."""
    rows = [period(place, **QUIET) for place in (0, 1, 17520)]
    assert time_of(history([dict(row) for row in rows])).subject.get("reported_s") == "5400.0"
    assert time_of(history(rows[:2])).subject.get("reported_s") is None


# --- is it storage? ---------------------------------------------------------------------------

QUIET = {"read_wait_s": 0.001, "log_file_sync_s": 0.002, "log_file_parallel_write_s": 0.0015,
         "read_waits": 1e6, "log_file_syncs": 1e6, "average_active_sessions": 2.0,
         "commits_per_s": 100.0, "log_writer_busy_ratio": 0.15, "cpu_busy_ratio": 0.2,
         "parts": {"User I/O": 1.0, "Commit": 0.3, "DB CPU": 0.7, "residual": 0.0}}  # fmt: skip


def after(**changed: object) -> list[dict]:
    """Twelve quiet periods, and six that differ in what is given."""
    rows = [period(place, **QUIET) for place in range(12)]
    return rows + [period(place, **QUIET | changed) for place in range(12, 18)]


def parts(reads: float, commits: float, cpu: float = 0.7) -> dict[str, float]:
    return {"User I/O": reads, "Commit": commits, "DB CPU": cpu, "residual": 0.0}


SLOW_READS = {"read_wait_s": 0.008, "average_active_sessions": 9.0, "parts": parts(8.0, 0.3)}
MORE_READS = {"average_active_sessions": 9.0, "parts": parts(8.0, 0.3)}
SLOW_LOG = {"log_file_parallel_write_s": 0.012, "log_file_sync_s": 0.016,
            "average_active_sessions": 8.0, "parts": parts(1.0, 6.3)}  # fmt: skip
MORE_COMMITS = {"log_file_sync_s": 0.009, "commits_per_s": 3000.0,
                "average_active_sessions": 8.0, "parts": parts(1.0, 6.3)}  # fmt: skip
SLOW_FEW = {"read_wait_s": 0.008, "average_active_sessions": 9.0, "parts": parts(2.4, 0.3, 6.3)}

STORAGE = {
    "reads took longer": (SLOW_READS, None, "reads", "yes", "slower"),
    "they did, and are a part": (SLOW_FEW, None, "reads", "contributor", "slower"),
    "more reads, none longer": (MORE_READS, None, "reads", "no", "same"),
    "more reads, over the limit": (MORE_READS, 0.0005, "reads", "yes", "over"),
    "the log's writes took longer": (SLOW_LOG, None, "commits", "yes", "slower"),
    "more commits, log as fast": (MORE_COMMITS, None, "commits", "no", "same"),
    "more commits, log full": (
        MORE_COMMITS | {"log_writer_busy_ratio": 0.9}, None, "commits", "contributor", "inside"),
    "commits are few": (SLOW_READS, None, "commits", "no", "little"),
}  # fmt: skip


@pytest.mark.parametrize("case", STORAGE)
def test_is_it_storage_by_its_rules(case: str):
    changed, limit_s, metric, outcome, rule = STORAGE[case]
    answers = judged(history(after(**changed)), limit_s, pdb=False, cluster=False)
    (found,) = [one for one in answers if one.metric == metric]
    assert (found.status, found.subject.get("outcome"), found.subject.get("rule")) == (
        "measured", outcome, rule)  # fmt: skip
    assert found.subject.get("begin") == "2026-03-02T14:00:00"


FEW = {"read_wait_s": 0.003, "average_active_sessions": 4.0, "parts": parts(3.0, 0.3)}


@pytest.mark.parametrize(
    ("stretches", "begin", "end", "also"),
    [
        ([(6, QUIET), (14, SLOW_READS)], 6, 20, None),  # it became slow, and stayed so for long
        ([(14, SLOW_READS), (6, QUIET)], 0, 14, None),  # it became faster
        ([(8, QUIET), (7, SLOW_READS), (8, QUIET)], 8, 15, None),
        ([(6, SLOW_READS), (5, QUIET), (8, SLOW_READS)], 11, 19, None),
        ([(12, QUIET), (4, SLOW_READS), (9, QUIET), (3, FEW), (9, QUIET)], 12, 16, (25, 28)),
        # the larger change is of more reads, none longer
        ([(12, QUIET), (4, MORE_READS), (9, QUIET), (3, FEW), (9, QUIET)], 25, 28, None),
    ],
)
def test_a_bad_stretch_is_judged_against_the_good_ones(stretches, begin, end, also):
    """Never the mean of all: what was slow is held against what was not."""
    kinds = [changed for count, changed in stretches for _ in range(count)]
    rows = [period(place, **QUIET | changed) for place, changed in enumerate(kinds)]
    reads, _ = judged(history(rows), None, pdb=False, cluster=False)
    assert [reads.subject.get(key) for key in ("outcome", "rule")] == ["yes", "slower"]

    def at(place):
        return (START + timedelta(minutes=30 * place)).isoformat()

    assert [reads.subject.get(key) for key in ("begin", "end")] == [at(begin), at(end)]
    assert reads.subject.get("also") == (also and f"{at(also[0])}/{at(also[1])}")


REFUSED = {
    "a pluggable database": (SLOW_LOG, {"pdb": True}, "commits", "root"),
    "a busy host, reads": (SLOW_READS | {"cpu_busy_ratio": 0.97}, {}, "reads", "CPUs were busy"),
    "a busy host, log": (SLOW_LOG | {"cpu_busy_ratio": 0.97}, {}, "commits", "CPUs were busy"),
    "too few reads": (MORE_READS | {"read_wait_s": None}, {}, "reads", "1,000 reads"),
    "too few commits": (MORE_COMMITS | {"log_file_sync_s": None}, {}, "commits", "1,000 commits"),
    "no parts of DB time": (SLOW_READS | {"parts": {}}, {}, "reads", "DB time"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_judged_is_not_with_the_reason(case: str):
    changed, given, metric, reason = REFUSED[case]
    answers = judged(history(after(**changed)), None, **{"pdb": False, "cluster": False} | given)
    (found,) = [one for one in answers if one.metric == metric]
    assert found.status == "not_judged"
    assert reason in str(found.reason)


def test_without_a_change_reads_are_judged_by_a_limit_alone():
    rows = [period(place, **QUIET) for place in range(12)]
    found = {limit: judged(history([dict(row) for row in rows]), limit, pdb=False, cluster=False)[0]
             for limit in (None, 0.0005, 0.002)}  # fmt: skip
    assert [(one.status, one.subject.get("outcome")) for one in found.values()] == [
        ("not_judged", None), ("measured", "yes"), ("measured", "no"),
    ]  # fmt: skip


def test_more_db_cpu_than_db_time_leaves_no_share_and_no_verdict():
    """DB CPU is a part of DB time: where it is twice as much, neither can be believed."""
    more = {"parts": parts(0.1, 0.1, cpu=2.0), "average_active_sessions": 1.0}
    made = history([period(place, **QUIET | more) for place in range(4)])
    said = [time_of(made), *judged(made, None, pdb=False, cluster=False)]
    assert [one.status for one in said] == ["missing", "not_judged", "not_judged"]
    assert {one.reason for one in said} == {
        "SHOP states 2.0 times as much DB CPU as DB time, of which it is a part: one of the two is "
        "wrong"
    }


def test_of_all_periods_the_mean_of_all_waits_is_told():
    """9,000 commits of 1 ms and 1,000 of 11 ms took 2 ms on average, not 6."""
    few = {"parts": parts(0.0, 0.01), "average_active_sessions": 1.0}
    rows = [
        period(0, **QUIET | few | {"log_file_sync_s": 0.001, "log_file_syncs": 9000.0}),
        period(1, **QUIET | few | {"log_file_sync_s": 0.011, "log_file_syncs": 1000.0}),
    ]
    commits = judged(history(rows), None, pdb=False, cluster=False)[1]
    told = {one.metric: one.value for one in commits.conditions}
    assert told["log_file_sync_s"] == pytest.approx(0.002)


def test_a_log_writer_that_is_always_busy_is_told_without_other_periods():
    """Writes that take most of the time limit commits, whatever other periods did."""
    busy = {"log_writer_busy_ratio": 0.9, "parts": parts(1.0, 6.3), "average_active_sessions": 8.0}
    rows = [period(place, **QUIET | busy) for place in range(4)]
    commits = judged(history(rows), None, pdb=False, cluster=False)[1]
    assert [commits.subject.get(key) for key in ("outcome", "rule")] == ["contributor", "full"]


def test_the_transport_of_redo_is_named_where_it_moved():
    rows = after(**MORE_COMMITS)
    way = [{"transport SYNC Remote Write": 0.02 if place < 12 else 2.5} for place in range(18)]
    commits = judged(history(rows, way), None, pdb=False, cluster=False)[1]
    told = {item.metric: item.value for item in commits.conditions}
    assert (told["transport"], told["usual transport"]) == (2.5, 0.02)
    assert commits.subject.get("outcome") == "no"


def test_more_db_cpu_than_cores_is_cautioned_where_cores_have_threads():
    rows = [period(place, **QUIET, cpu_sessions=6.5) for place in range(6)]
    own = history(rows)

    def cautioned(cpus, cores):
        return [
            dict(found.arguments)["cores"]
            for found in threads_cautions(
                own, {row["source"]: {"cpus": cpus, "cores": cores} for row in rows}
            )
        ]

    assert cautioned(20, 5) == ["5"]
    assert [cautioned(*host) for host in ((20, 7), (5, 5), (20, None))] == [[], [], []]


def test_the_cores_are_those_of_the_period_also_after_the_host_was_resized():
    rows = [period(place, **QUIET, cpu_sessions=6.5) for place in range(6)]
    hosts = {row["source"]: {"cpus": 96, "cores": 48} for row in rows}
    idle = {**rows[0], "cpu_sessions": 0.2}
    hosts[idle["source"]] = {"cpus": 2, "cores": 1}
    assert threads_cautions(history([idle, *rows[1:]]), hosts) == ()


def test_a_cluster_and_means_left_out_are_cautioned():
    answers = judged(history(after(**MORE_COMMITS, log_file_syncs=205.0)), None, pdb=False,
                     cluster=True)  # fmt: skip
    assert {item.name for one in answers for item in one.cautions} == {
        "sync_spreads", "means_left_out",
    }  # fmt: skip


def test_reads_and_commits_of_sessions_in_locks_are_cautioned_from_half_of_db_time_on():
    """Who waits for a row waits for what its holder waits for, its commits among it."""

    def cautions(in_locks: float) -> set[str]:
        mine = {"parts": {"DB CPU": 2.0 - in_locks, "Application": in_locks}}
        rows = [period(place, **QUIET | mine) for place in range(4)]
        listed = [{"enq: TX - row lock contention": in_locks}] * 4
        own = judged(history(rows, listed), None, pdb=False, cluster=False)
        assert [one.subject.get("outcome") for one in own] == ["no", "no"]
        return {item.name for one in own for item in one.cautions}

    assert (cautions(1.0), cautions(0.98)) == ({"lock_waits"}, set())


# --- a real day -------------------------------------------------------------------------------

DAY = ROOT.parent / "shared" / "real" / "foreign" / "awr_series_day.tar.xz"


@pytest.fixture(scope="module")
def real_day(tmp_path_factory) -> dict[str, list]:
    """A day of somebody's database, read once: its answers by question."""
    if not DAY.exists():
        pytest.skip("the real day is not there")
    folder = tmp_path_factory.mktemp("day")
    with tarfile.open(DAY) as packed:
        packed.extractall(folder, filter="data")
    read = read_awr_reports(sorted(folder.rglob("*.html")), tables=NEEDED)
    known = periods(read["report"], read["instances"])
    time = over_time(known, read)
    said = [what_changed(known, time, read), is_it_storage(known, time, read)]
    return {"periods": [known], "over_time": [time]} | rows_by(
        [one for frame in said for one in from_frame(frame.frame)], lambda one: one.question
    )


NEEDED = ("report", "instances", "load_points", "time_model", "wait_classes", "wait_events",
          "top_events", "load_profile", "instance_activity", "sql")  # fmt: skip


def test_of_the_real_day_two_reports_are_left_out(real_day):
    """Read by hand (a script of its own): 30 half hours of 23 December from 05:59 to 21:00."""
    frame = real_day["periods"][0].frame
    left = frame.filter(~pl.col("in_trend")).select("report", "left_out").rows()
    assert left == [("awrrpt_1_164_170", "apart"), ("awrrpt_1_160_204", "spans_others")]
    kept = frame.filter("in_trend")
    assert (kept.height, kept["gap_before_s"].sum(), kept["restart_before"].sum()) == (30, 0, 0)


def test_the_real_day_changes_at_half_past_five_with_its_commits(real_day):
    """By hand: from 1.1 to 7.8, 18.5 and about 24 sessions; commits from none to 1,800 a second."""
    first = real_day["series_change"][0]
    assert (first.subject.get("begin"), first.subject.get("end")) == (
        "2023-12-23T17:30:16", "2023-12-23T21:00:25")  # fmt: skip
    assert first.got.value == ROUND(23.7, rel=0.01)
    told = {item.metric: item.value for item in first.conditions}
    assert [told[f"{of}commits_per_s"] for of in ("usual ", "")] == [0.02, ROUND(1656, rel=0.001)]
    assert told["way log_file_parallel_write_s"] == told["way read_wait_s"] == 0
    assert [name for name in told if name.startswith("cause ")] == ["cause commits"]


def test_of_the_real_day_reads_are_not_the_cause_and_the_log_is_a_contributor(real_day):
    """By hand: reads take 1.11 to 1.28 ms all day; log writes 2 ms, and 88 to 93% of the time."""
    reads, commits = real_day["series_storage"]
    assert (reads.subject.get("outcome"), reads.subject.get("rule")) == ("no", "same")
    assert (commits.subject.get("outcome"), commits.subject.get("rule")) == (
        "contributor",
        "inside",
    )
    told = {item.metric: item.value for item in commits.conditions}
    assert told["log_writer_busy_ratio"] == ROUND(0.92, abs=0.005)
    # 205 commits in half an hour have a mean that says nothing: before 17:00 none is used
    time = real_day["over_time"][0].frame
    assert time["log_file_sync_s"].null_count() == 22
    assert [item.name for item in commits.cautions] == ["means_left_out"]


def test_half_of_what_came_on_top_is_the_cause_however_little_it_is_of_db_time():
    rows = [period(place, **QUIET | {"parts": parts(0.5, 0.3, 1.2)}) for place in range(12)]
    slow = SLOW_READS | {"parts": parts(4.0, 0.3, 4.7)}
    rows += [period(place, **QUIET | slow) for place in range(12, 18)]
    reads, _ = judged(history(rows), None, pdb=False, cluster=False)
    assert reads.subject.get("outcome") == "yes"


def test_the_load_is_told_by_transactions_from_one_a_second_on():
    rates = (1.0, 1.5, 40.0)
    rows = [period(place, transactions_per_s=rate) for place, rate in enumerate(rates)]
    assert history(rows).weights == rates
    assert history([*rows, period(3, transactions_per_s=0.9)]).weights == (1.0,) * 4
