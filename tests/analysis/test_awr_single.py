"""What one AWR report says: where DB time went, what storage could be of it, and what it leaves
open."""

import datetime as dt

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.awr.single import (
    IN_NONE,
    IN_OTHERS,
    db_time_parts,
    each_report,
    one_report,
)
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.lineage import Measured, Reading
from perfkit.showing.figures.reports import plot_db_time
from perfkit.showing.statements.say import say
from perfkit.showing.tables.awr import table_each_report
from perfkit.sources.awr.derived import cautions

EVIDENCE = Evidence("awr", "a.html", "00")
TRACED = Lineage((EVIDENCE,), (), traceable=True)
MS = 1e-3
READ, SYNC, WRITE = "db file sequential read", "log file sync", "log file parallel write"


def of(*rows, **common):
    names = list(dict.fromkeys(name for row in rows for name in (*row, *common)))
    cells = [{name: {**common, **row}.get(name) for name in names} for row in rows]
    return Measured(pl.DataFrame(cells, infer_schema_length=None), TRACED)


HEAD = {"source": "a.html", "form": "awr", "scope": "single", "rac": False, "db_name": "ORA",
        "elapsed_s": 1800.0, "db_time_s": 43560.0}  # fmt: skip
WAITS = (
    {"event": SYNC, "scope": "foreground", "waits": 3e6, "total_wait_s": 21600.0,
     "db_time_ratio": 0.496},
    {"event": READ, "scope": "foreground", "waits": 4e6, "total_wait_s": 5120.0,
     "db_time_ratio": 0.118},
    {"event": WRITE, "scope": "background", "waits": 1.25e6, "total_wait_s": 2500.0},
)  # fmt: skip
CLASSES = (("Commit", 0.496), ("User I/O", 0.1357), ("DB CPU", 0.1072), ("System I/O", 0.0001))
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)


def reading(head=None, classes=CLASSES, waits=WAITS, told=None, **changed):
    """A report as the readers give it: 24.2 active sessions that wait for commits."""
    level = {"level": "instance", "instance": 1}
    shares = zip(EDGES, EDGES[1:], (0.05, 0.53, 0.35, 0.05, 0.02), strict=False)
    tables = {
        "report": of({**HEAD, **(head or {})}),
        "load_points": of(
            {"direction": "read", "iops": 2700.0}, {"direction": "write", "iops": 3750.0},
            {"direction": "total", "iops": 6450.0, "bw_bytes_per_s": 281e6}, cautions=told,
        ),
        "wait_classes": of(
            *({"wait_class": name, "db_time_ratio": share} for name, share in classes),
            scope="foreground", total_wait_s=None, **level,
        ),
        "wait_events": of(*waits, wait_class=None, avg_wait_s=None, **level),
        "event_histogram": of(
            *({"lower_s": low * MS, "upper_s": high * MS, "waits_ratio": share}
              for low, high, share in shares),
            range="all", event=READ, waits=4.4e6, below=False, **level,
        ),
        "instance_activity": of({"statistic": "user commits", "per_s": 1656.0}, **level),
    }  # fmt: skip
    return Reading({**tables, **changed}, EVIDENCE)


def answers(given=None, **options):
    return {a.question: a for a in from_frame(one_report(given or reading(), **options).frame)}


def where(answer):
    return {item.metric: item.value for item in answer.conditions}


def test_where_db_time_went_is_the_longest_part_with_the_next_two():
    found = answers()["db_time_went"]
    assert (found.subject.label, found.got.value) == ("Commit", 0.496)
    assert where(found) == pytest.approx({
        "average_active_sessions": 24.2, "longest_event": 0.496, "User I/O": 0.1357,
        "DB CPU": 0.1072,
    })  # fmt: skip
    assert found.subject.get("event") == SYNC


def test_time_that_is_in_no_class_comes_first_where_it_is_most():
    """14% on CPU are not where the time went while 81% are in none."""
    given = reading(classes=(("DB CPU", 0.14), ("Commit", 0.05)))
    assert [item.text for item in say(one_report(given), "db_time_went")] == [
        "Time in neither CPU nor waits made up 81.0% of DB time; 24.2 sessions were active on "
        "average. Next: DB CPU 14.0%, Commit 5.0%. The longest wait was log file sync, 49.6%."
    ]


def test_time_that_is_in_no_class_is_told_with_its_sign():
    """26% is in none here; where classes add up to more, sessions waited and used CPU at once."""
    assert [item.text for item in answers()["db_time_went"].cautions] == [
        "26% of DB time is in neither a wait class nor CPU"
    ]
    more = answers(reading(classes=(("DB CPU", 0.784), ("Network", 0.219), ("User I/O", 0.13))))
    assert [item.text for item in more["db_time_went"].cautions] == [
        "wait classes and CPU add up to 13% more than DB time"
    ]
    even = answers(reading(classes=(("DB CPU", 0.9), ("User I/O", 0.05))))
    assert even["db_time_went"].cautions == ()


def test_storage_can_be_no_more_of_db_time_than_its_waits():
    found = answers()["storage_time"]
    assert found.got.value == pytest.approx(0.496 + 0.1357 + 0.0001)
    lacking = answers(reading(classes=(("DB CPU", 0.5),)))["storage_time"]
    assert (lacking.status, lacking.estimate) == ("missing", None)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.49, []),
        (0.5, ["sessions of a.html waited 52% of DB time for locks: that time includes what the "
               "lock holders waited for meanwhile"]),
    ],
)  # fmt: skip
def test_where_locks_took_half_of_db_time_their_holders_may_wait_for_storage(share, said):
    row = {"event": "enq: TX - row lock contention", "scope": "foreground", "waits": 2e5}
    locks = [row | {"total_wait_s": share * HEAD["db_time_s"], "db_time_ratio": share},
             row | {"event": "enq: TM - contention", "total_wait_s": 0.0, "db_time_ratio": 0.02
                    if share == 0.5 else 0.0}]  # fmt: skip
    found = answers(reading(waits=(*WAITS, *locks)))["storage_time"]
    assert [item.text for item in found.cautions] == said


def test_locks_of_statspack_are_a_share_of_db_time_not_of_call_time():
    """It prints 60% of call time, where idle waits count, for what is 40% of DB time."""
    lock = {"event": "enq: TX - row lock contention", "scope": "foreground", "waits": 2e5,
            "total_wait_s": 0.4 * HEAD["db_time_s"], "db_time_ratio": 0.6}  # fmt: skip
    found = answers(reading(head={"form": "statspack"}, waits=(*WAITS, lock)))["storage_time"]
    assert found.cautions == ()


def test_a_read_has_its_mean_and_the_buckets_of_its_percentiles():
    """5,120 s / 4,000,000; 58% below 1 ms, 93% below 2, 98% below 4."""
    found = answers()["read_wait"]
    assert found.got.value == pytest.approx(1.28 * MS)
    assert where(found) == pytest.approx({
        "waits": 4e6, "p50_lower_s": 0.5 * MS, "p50_upper_s": 1 * MS,
        "p99_lower_s": 4 * MS, "p99_upper_s": 8 * MS,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("limit_s", "status", "relation"),
    [(None, "not_judged", "="), (2 * MS, "measured", "<="), (1 * MS, "measured", ">=")],
)
def test_a_read_is_judged_by_a_stated_limit_or_not_at_all(limit_s, status, relation):
    found = answers(limit_s=limit_s)["read_wait_against_limit"]
    assert (found.status, found.relation) == (status, relation)


def test_a_commit_stands_beside_the_log_writers_own_wait():
    found = answers()["commit_wait"]
    assert found.got.value == pytest.approx(7.2 * MS)
    assert where(found) == pytest.approx(
        {"waits": 3e6, "write_s": 2 * MS, "writes": 1.25e6, "commits_per_s": 1656.0}
    )
    assert found.cautions == ()


def test_a_commit_of_a_pluggable_database_is_not_judged():
    """The log writer is in the root: the report has its waits for it and none of its writes."""
    found = answers(reading(head={"scope": "pdb"}))["commit_wait"]
    assert (found.status, found.estimate) == ("not_judged", None)
    assert "the log writer is in the root" in found.reason


def test_in_a_cluster_each_log_writer_waits_for_its_own_writes():
    """A mean over the instances would be that of none: the lowest and the highest stand there."""
    waits = (
        {**WAITS[0], "level": "cluster", "instance": None},
        {**WAITS[2], "level": "cluster", "instance": None, "instances_min_s": 1 * MS,
         "instances_max_s": 3 * MS},
    )  # fmt: skip
    given = reading(head={"scope": "rac", "rac": True}, wait_events=of(
        *waits, wait_class=None, avg_wait_s=None))  # fmt: skip
    found = where(answers(given)["commit_wait"])
    assert (found["write_least_s"], found["write_most_s"]) == (1 * MS, 3 * MS)
    assert "write_s" not in found
    (said,) = say(one_report(given), "commit_wait")
    assert "the log writer's own wait, took 1.00 ms to 3.00 ms by instance." in said.text


def test_in_a_cluster_a_commit_includes_telling_the_other_instances():
    found = answers(reading(head={"rac": True}))["commit_wait"]
    assert [item.name for item in found.cautions] == ["sync_spreads"]


def test_a_mean_of_few_waits_says_so():
    """205 waits once showed 9.9 ms; and they have no 99th percentile."""
    few = tuple({**row, "waits": 205.0} for row in WAITS)
    found = answers(reading(waits=few))
    assert [item.text for item in found["commit_wait"].cautions] == [
        "the mean of log file sync rests on 205 waits"
    ]
    assert [item.name for item in found["read_wait"].cautions] == ["few_waits"]


def test_shares_that_statspack_prints_are_not_of_db_time():
    """They are from all waits, idle ones among them: the total over DB time, or nothing."""
    tables = {
        "wait_classes": of({"wait_class": None, "scope": "none", "level": "instance"}),
        "time_model": of({"statistic": "DB CPU", "time_s": 4356.0, "db_time_ratio": None,
                          "level": "instance", "instance": 1}),
    }  # fmt: skip
    found = answers(reading(head={"form": "statspack"}, **tables))["db_time_went"]
    assert found.subject.label == "Commit"
    assert where(found)["longest_event"] == pytest.approx(21600 / 43560)
    short = {"form": "statspack", "db_time_s": 2.6}
    bare = answers(reading(head=short, **tables))
    assert bare["db_time_went"].status == "missing"
    assert bare["storage_time"].status == "missing"


def test_more_db_cpu_than_db_time_leaves_no_share_of_db_time(db_cpu_twice):
    """DB CPU is a part of DB time: a report that states 1.9 times as much has one of them wrong."""
    found = answers(db_cpu_twice)
    for name in ("db_time_went", "storage_time"):
        assert found[name].status == "missing"
        assert "states 1.9 times as much DB CPU as DB time" in found[name].reason
    assert found["commit_wait"].status == "measured"
    with pytest.raises(AbsentError, match="one of the two is wrong"):
        db_time_parts(db_cpu_twice)


@pytest.fixture
def db_cpu_twice():
    return reading(classes=(("DB CPU", 1.921), ("Commit", 0.01), ("User I/O", 0.002)))


def test_the_io_has_the_cautions_of_its_report():
    told = cautions_of({"scope": "pdb", "elapsed_s": 1800.0}, written=0.0)
    found = answers(reading(told=told))["report_io"]
    assert (found.got.value, where(found)["bw_bytes_per_s"]) == (6450.0, 281e6)
    assert [item.text for item in found.cautions] == [
        "a.html covers a pluggable database: the root writes its data files and redo, which is "
        "why there are 0 "
        "write IOPS beside 2,049 block changes/s"
    ]


def cautions_of(head, written=88.0, started=None):
    tables = {
        "report": {name: [value] for name, value in head.items()},
        "load_profile": {"statistic": ["block_changes"], "per_s": [2049.0]},
        "instances": {"startup_time": [started]},
    }
    return cautions(tables, "a.html", written)


def test_what_a_report_does_not_cover_stands_beside_its_load():
    """One instance, a restart within, a period too short or too long; else nothing."""
    begin, end = (dt.datetime.fromisoformat(f"2026-01-05T{hour}:00") for hour in ("09", "10"))
    whole = {"scope": "single", "rac": False, "begin_time": begin, "end_time": end,
             "elapsed_s": 3600.0}  # fmt: skip
    assert cautions_of(whole) is None
    assert cautions_of({**whole, "scope": "rac", "rac": True}) is None
    for change, started, name in (
        ({"rac": True}, None, "one_instance"),
        ({}, begin + dt.timedelta(minutes=5), "contains_restart"),
        ({"elapsed_s": 299.0}, None, "short_period"),
        ({"elapsed_s": 7201.0}, None, "long_period"),
    ):
        assert f'"name": "{name}"' in cautions_of({**whole, **change}, started=started)
    assert cautions_of(whole, started=begin - dt.timedelta(days=9)) is None


def test_parts_beyond_the_longest_are_one_and_what_is_left_is_its_own():
    rows = tuple(zip(("DB CPU", "User I/O", "Commit", "Other", "Network", "Cluster", "Application"),
                     (0.4, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02), strict=True))  # fmt: skip
    parts = db_time_parts(reading(classes=rows))
    assert parts.frame.select("part", "db_time_ratio").rows()[4:] == [
        ("Network", 0.04), (IN_OTHERS, pytest.approx(0.05)), (IN_NONE, pytest.approx(0.16)),
    ]  # fmt: skip
    assert [item.text for item in plot_db_time(parts).printed][:2] == ["40.0%", "20.0%"]


def test_one_part_alone_is_no_chart():
    """Of Statspack CPU may be all that is known."""
    parts = db_time_parts(reading(classes=(("DB CPU", 1.0),)))
    with pytest.raises(AbsentError, match="1 part of DB time is known"):
        plot_db_time(parts)


def test_several_reports_are_not_added_up():
    two = reading(report=of(HEAD, {**HEAD, "source": "b.html"}))
    for verb in (one_report, db_time_parts):
        with pytest.raises(AbsentError, match="there are 2 reports"):
            verb(two)


@pytest.mark.parametrize("limit_s", [None, 2 * MS, 1 * MS])
@pytest.mark.parametrize(
    "given",
    [{}, {"head": {"scope": "pdb"}}, {"classes": (("DB CPU", 0.9),)}, {"waits": WAITS[2:]},
     {"load_points": of({"direction": "total", "iops": None})}],
)  # fmt: skip
def test_every_answer_has_its_sentence(given, limit_s):
    found = one_report(reading(**given), limit_s=limit_s)
    texts = [item.text for item in say(found)]
    assert len(texts) == 6
    assert all(text.strip().endswith(".") and "None" not in text for text in texts)


def test_a_little_is_never_nothing():
    """0.01% of DB time in System I/O would print as 0.0%."""
    (said,) = say(one_report(reading()), "storage_time")
    assert "By class: User I/O 13.6%, System I/O below 0.1%, Commit 49.6%. Shorter" in said.text
    (said,) = say(one_report(reading(classes=(("User I/O", 0.0002),))), "storage_time")
    assert said.text.startswith("Waits for I/O and commits took below 0.1% of DB time.")


def test_the_sentences_of_a_report():
    said = {item.id: item.text for item in say(one_report(reading(), limit_s=1 * MS))}
    assert said["db-time-went"] == (
        "Commit waits took 49.6% of DB time; 24.2 sessions were active on average. Next: "
        "User I/O 13.6%, DB CPU 10.7%. The longest wait was log file sync, 49.6%."
    )
    assert said["read-wait"] == (
        f"{READ} took 1.28 ms on average. The mean is over 4,000,000 waits of foreground "
        "sessions. In the histogram of all sessions' waits, the median lies between "
        "500 µs and 1 ms and the 99th percentile lies between 4 ms and 8 ms."
    )
    assert said["read-wait-against-limit"] == (
        f"The mean wait of {READ}, 1.28 ms, is above the limit of 1 ms."
    )
    assert said["commit-wait"].startswith(
        "A commit waited 7.20 ms for log file sync on average. The mean is over 3,000,000 waits "
        "of foreground "
        "sessions. On average log file parallel write, the log writer's own wait, took 2.00 ms"
    )


# --- several reports --------------------------------------------------------------------------

BEGIN = dt.datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone


def several(*names: str, in_trend: bool = False) -> tuple[Reading, Measured]:
    """Reports that are alike but for their names and databases, and their periods."""
    one = reading()
    tables = {
        name: of(*({**row, "source": f"{each}.html"} for each in names
                   for row in table.frame.rows(named=True)))
        for name, table in one.tables.items()
    }  # fmt: skip
    periods = of(*(
        {"history": name.upper(), "report": name, "source": f"{name}.html", "begin_time": BEGIN,
         "end_time": BEGIN + dt.timedelta(minutes=30), "in_trend": in_trend}
        for name in names
    ))  # fmt: skip
    return Reading(tables, EVIDENCE), periods


def test_each_of_several_reports_speaks_for_itself():
    found = from_frame(each_report(*several("shop", "bank")).frame)
    assert [one.question for one in found] == [
        "reports_apart", *["report_load", "db_time_went", "read_wait", "commit_wait"] * 2,
    ]  # fmt: skip
    (apart, load, *_) = found
    assert (apart.got.value, where(apart)) == (2, {"histories": 2})
    assert (load.subject.get("history"), load.subject.get("begin")) == (
        "SHOP", "2026-03-02T08:00:00")  # fmt: skip
    assert (load.got.value, where(load)) == (pytest.approx(24.2), {"elapsed_s": 1800.0})


def test_reports_of_short_histories_are_said_to_be_too_few_for_changes():
    """Their first page was empty: with three periods of one they are not apart, and no series."""
    awr, periods = several("a", "b", "c", "d", in_trend=True)
    shop = periods.frame.with_columns(history=pl.Series(["SHOP", "SHOP", "SHOP", "BANK"]))
    (short,) = pk.finding(each_report(awr, of(*shop.rows(named=True))), "reports_short")
    assert short.headline == (
        "4 reports of 2 databases or instances cover too few periods of each to show changes."
    )
    assert short.text == (
        "The most that any one has is 3, and 6 are needed: nothing is compared or added up."
    )


def test_each_report_has_a_row_with_its_load_and_its_waits():
    table = table_each_report(each_report(*several("shop", "bank")))
    assert [column.label for column in table.columns] == [
        "Database", "From", "Length (min)", "Active sessions", "Most of DB time", "Longest wait",
        "Mean read (ms)", "log file sync (ms)",
    ]  # fmt: skip
    assert list(table.rows[0]) == pytest.approx([
        "SHOP", "2026-03-02 08:00", 1800.0, 24.2, "Commit 49.6%", "log file sync 49.6%",
        1.28 * MS, 7.2 * MS,
    ])  # fmt: skip


def test_each_report_says_of_which_system_it_is_where_they_differ():
    """Two folders of reports were set side by side by the names of their databases alone."""
    awr, periods = several("shop", "bank")
    named = awr["report"].frame.with_columns(
        system=pl.Series(["old", "new"]), config=pl.lit("same")
    )
    labelled = Reading({**awr.tables, "report": Measured(named, TRACED)}, EVIDENCE)
    table = table_each_report(each_report(labelled, periods))
    assert [column.label for column in table.columns[:3]] == ["System", "Database", "From"]
    assert [row[0] for row in table.rows] == ["old", "new"]


def test_a_mean_of_few_waits_has_no_cell_among_those_of_many_reports():
    """One wait of 129 ms is no latency, and a caution below the table does not tell its row."""
    awr, periods = several("shop", "bank")
    waits = awr["wait_events"].frame.with_columns(
        waits=pl.when(pl.col("event") == SYNC).then(999.0).otherwise("waits")
    )
    table = table_each_report(
        each_report(
            Reading({**awr.tables, "wait_events": Measured(waits, TRACED)}, EVIDENCE), periods
        )
    )
    assert not [column for column in table.columns if column.label.startswith(SYNC)]
    assert "or fewer than 1,000 waits are behind it" in (table.note or "")
    assert "few_waits" not in [one.name for one in table.cautions]


def test_few_sessions_are_not_printed_as_none():
    """0.0014 active sessions are few, and not 0.00: as many decimals as three digits of it take."""
    found = each_report(*several("shop", "bank")).frame
    few = pl.when(question="report_load").then(0.0014).otherwise("value")
    table = table_each_report(Measured(found.with_columns(value=few), TRACED))
    form = table.columns[[column.label for column in table.columns].index("Active sessions")].format
    assert form.number(0.0014) == "0.0014"


def test_the_command_below_the_rows_is_one_a_shell_takes_as_it_stands():
    table = table_each_report(each_report(*several("shop (1)", "bank")))
    command = "perfkit report 'shop (1).html'"
    assert f"In the folder of the evidence, {command} makes a report" in (table.note or "")


def test_one_report_many_and_a_series_have_no_row_each():
    for names, trend in ((["shop"], False), ([f"r{n}" for n in range(17)], False)):
        with pytest.raises(AbsentError):
            each_report(*several(*names, in_trend=trend))
    awr, periods = several(*(f"r{n}" for n in range(6)), in_trend=True)
    with pytest.raises(AbsentError):
        each_report(awr, of(*periods.frame.with_columns(history=pl.lit("SHOP")).rows(named=True)))


def test_two_reports_of_one_history_are_no_reports_apart():
    """They are before and after: "nothing is compared" would stand above what was compared."""
    awr, periods = several("old", "new")
    one = periods.frame.with_columns(history=pl.lit("SHOP")).rows(named=True)
    with pytest.raises(AbsentError, match="before and after"):
        each_report(awr, of(*one))


def test_several_reports_are_said_to_be_no_series():
    (said, *_) = say(each_report(*several("shop", "bank")))
    assert said.text == (
        "2 reports of 2 databases or instances do not form a series. No three of them form a "
        "trend of one history, so nothing is compared or added up."
    )
