"""SAS logs without a job table: where the time went, waits, data written, and logs side by side.

The logs are written here line by line, so that every number is known from the text.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import perfkit as pk
from perfkit.analysis.sas.logs import work_name
from perfkit.analysis.sas.steps import _iowait
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.unanswered import Unanswered
from perfkit.sources.sas.many import read_sas_logs


def block(head, real, cpu):
    times = "".join(
        f"      {label:<20}{value}\n" for label, value in (("real time", real), ("cpu time", cpu))
        if value is not None
    )  # fmt: skip
    return f"NOTE: {head}:\n{times}\n"


def proc(name, real, cpu="0.10 seconds"):
    return block(f"PROCEDURE {name} used (Total process time)", real, cpu)


def data(real, cpu="0.10 seconds"):
    return block("DATA statement used (Total process time)", real, cpu)


def total(real, cpu="1.00 seconds"):
    return block("The SAS System used", real, cpu)


@pytest.fixture
def read(tmp_path):
    """Read logs written as ``{path: parts}``."""

    def made(logs):
        for name, parts in logs.items():
            place = tmp_path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(parts))
        return read_sas_logs([tmp_path / name for name in logs], root=tmp_path)

    return made


def logs_of(found, **options):
    return pk.sas.logs(found.steps, found.sessions, found.messages, **options)


def said(found):
    together = logs_of(found, by="all")
    answers = pk.sas.log_answers(found.steps, together, found.messages, found.datasets)
    return {value.id: value.text for value in pk.say(answers)}


STEP = data("1.00 seconds")
NIGHT = [
    data("1:00.00", "30.00 seconds"),
    "NOTE: There were 10 observations read from the data set SRC.IN.\n",
    "NOTE: The data set WORK.OUT has 7 observations and 2 variables.\n",
    proc("SORT", "40.00 seconds", "10.00 seconds"),
    "ERROR: File WORK.GONE.DATA does not exist.\n",
    "WARNING: The variable x was not found.\n",
    proc("SORT", "20.00 seconds", "25.00 seconds"),
    total("2:10.00"),
]


def test_where_the_time_of_logs_went(read):
    assert said(read({"night.log": NIGHT})) == {
        "sas-time-in-steps": "In 1 log, 3 steps took 2.00 min of elapsed time in all. The steps "
        "used 65.00 s of CPU time, 54% of the elapsed time of the steps that print both.",
        "sas-time-outside": "1 session of SAS with a printed total took 2.17 min, of which 10.00 "
                            "s passed "
                            "outside the steps, in starting SAS, macro code and pauses.",
        "sas-longest-step": "The longest step, a DATA step at line 1 of night.log, took 60.00 s, "
        "50% of the time of all steps.",
        "sas-most-time": "Most time went to DATA steps: 1 step took 60.00 s, 50% of the time of "
        "all steps.",
        "sas-messages": "The log contains ERROR messages, 1 in all. The log contains WARNING "
        "messages, 1 in all.",
        "sas-rows-written": "1 note says that 7 rows were written to 1 data set, table or file.",
    }  # fmt: skip


def test_a_step_of_unknown_time_makes_a_sum_a_lower_bound(read):
    """A log that ends inside a block: the step counts, its time does not, and the sum says so."""
    found = read({"cut.log": [data("1.00 seconds"), block("DATA statement used", None, None)]})
    assert found.steps.frame["real_time_s"].to_list() == [1.0, None]
    words = said(found)
    assert words["sas-time-in-steps"].startswith(
        "In 1 log, 2 steps took at least 1.00 s of elapsed time in all."
    )
    assert words["sas-longest-step"].startswith("The longest step of known time, a DATA step")
    assert words["sas-most-time"].endswith(
        "1.00 s, 100% of the known time; no time is known for 1 of 2 steps."
    )
    (row,) = logs_of(found).frame.rows(named=True)
    assert (row["steps"], row["untimed"], row["real_time_s"]) == (2, 1, 1.0)


def test_where_most_steps_print_no_time_the_rest_has_no_share(read):
    """ "100% of the known time" stood over a log of which one step in three printed one."""
    cut = block("DATA statement used", None, None)
    words = said(read({"cut.log": [data("1.00 seconds"), cut, cut]}))
    assert words["sas-most-time"].endswith("1 step took 1.00 s; no time is known for 2 of 3 steps.")
    assert words["sas-longest-step"].endswith("took 1.00 s; no time is known for 2 of 3 steps.")


def test_steps_beyond_the_total_are_never_set_off_against_pauses(read):
    """One session pauses for 5 s, the steps of another overlap by 5 s: both are said."""
    found = read({
        "pause.log": [data("1.00 seconds"), total("6.00 seconds")],
        "overlap.log": [data("6.00 seconds"), proc("SORT", "3.00 seconds"), total("4.00 seconds")],
    })  # fmt: skip
    rows = {row["test"]: row for row in logs_of(found).frame.rows(named=True)}
    assert (rows["pause.log"]["outside_s"], rows["pause.log"]["overlap_s"]) == (5.0, 0.0)
    assert (rows["overlap.log"]["outside_s"], rows["overlap.log"]["overlap_s"]) == (0.0, 5.0)
    words = said(found)["sas-time-outside"]
    assert words == (
        "2 sessions of SAS with a printed total took 10.00 s, of which 5.00 s passed outside the "
        "steps, in starting SAS, macro code and pauses. In 1 of 2 sessions, the steps add up to "
        "5.00 s more than the total."
    )
    answers = pk.sas.log_answers(found.steps, logs_of(found), found.messages, found.datasets)
    cautions = [(answer.metric, item.name) for answer in from_frame(answers.frame)
                for item in answer.cautions]  # fmt: skip
    assert cautions == [("overlap_s", "steps_overlap")]


@pytest.mark.parametrize("total_s", ["2.97 seconds", "3.03 seconds"])
def test_rounding_is_neither_a_pause_nor_an_overlap(read, total_s):
    """Two steps and a total, each printed to 0.01 s: they may lie 0.03 s apart."""
    found = read({"a.log": [data("1.00 seconds"), data("2.00 seconds"), total(total_s)]})
    assert said(found)["sas-time-outside"].endswith("s, the sum of their steps.")


def test_what_a_log_does_not_print_is_not_known(read):
    words = said(read({"a.log": ["NOTE: There were 1 observations read from the data set A.B.\n"]}))
    why = "no step has a timing block, which STIMER and NOTES print."
    assert words["sas-time-in-steps"] == (
        f"How much elapsed time the steps took is not known: {why} "
        f"How much CPU time the steps took is not known: {why}"
    )
    assert words["sas-longest-step"] == f"Which step took longest is not known: {why}"
    assert words["sas-rows-written"] == (
        "How many rows were written is not known: no note says how many observations were written."
    )
    assert words["sas-messages"] == (
        "The log contains no ERROR messages. The log contains no WARNING messages."
    )


def test_steps_wait_at_least_for_elapsed_less_cpu_time(read):
    """Steps below a second are rounding; a step with more CPU than elapsed time shows no wait."""
    found = read({"night.log": [*NIGHT, proc("PRINT", "0.99 seconds", "0.00 seconds")]})
    waiting = pk.sas.waiting_steps(found.steps, logs_of(found, by="all"))
    rows = [(row["name"], row["line"], row["waiting_s"]) for row in waiting.frame.rows(named=True)]
    assert rows == [("DATA", 1, 30.0), ("SORT", 7, 30.0)]
    words = {value.id: value.text for value in pk.say(pk.sas.waiting_answers(waiting))}
    assert words == {
        "sas-waiting-time": "2 steps of 1 s or longer used less CPU time than elapsed time and "
        "waited for at least 60.00 s, on storage or anything else.",
        "sas-waiting-on-io": "2 steps of 1 s or longer waited; whether on I/O is not known: their "
        "blocks do not count I/O, and the host's iowait is not recorded "
        "beside them.",
    }


def test_libraries_data_sets_and_messages(read):
    found = read({
        "a.log": [
            "NOTE: There were 5 observations read from the data set SRC.IN.\n",
            "NOTE: The data set WORK.A has 5 observations and 2 variables.\n", data("1.00 seconds"),
            "ERROR: Twice.\n", "WARNING: Once.\n",
            "NOTE: Table WORK.B created, with 9 rows and 3 columns.\n", proc("SQL", "2.00 seconds"),
        ],
        "b.log": ["ERROR: Twice.\n",
                  "NOTE: The data set OUT.A has 1 observations and 1 variables.\n",
                  data("1.00 seconds")],
    })  # fmt: skip
    libraries = [tuple(row.values())[:6] for row in
                 pk.sas.libraries(found.datasets).frame.rows(named=True)]  # fmt: skip
    assert libraries == [
        ("WORK", 2, 2, 14, 0, None), ("OUT", 1, 1, 1, 0, None), ("SRC", 1, 0, None, 1, 5),
    ]  # fmt: skip
    largest = pk.sas.largest_written(found.datasets, found.steps, count=2).frame.rows(named=True)
    assert [
        (row["name"], row["observations"], row["step_name"], row["real_time_s"]) for row in largest
    ] == [("WORK.B", 9, "SQL", 2.0), ("WORK.A", 5, "DATA", 1.0)]
    messages = pk.sas.messages(found.messages).frame.rows(named=True)
    assert [(row["level"], row["messages"], row["logs"], row["log"]) for row in messages] == [
        ("ERROR", 2, 2, "a.log"), ("WARNING", 1, 1, "a.log"),
    ]  # fmt: skip


def test_two_folders_stand_side_by_side(read):
    found = read({
        "mon/x.log": [data("10.00 seconds"), proc("SORT", "10.00 seconds")],
        "tue/x.log": [data("10.00 seconds"), proc("SORT", "15.00 seconds")],
        "tue/y.log": [data("99.00 seconds")],
    })  # fmt: skip
    logs = logs_of(found)
    assert logs.frame["system"].to_list() == ["mon", "tue", "tue"]
    same = pk.sas.same_steps(found.steps, logs)
    (answer,) = from_frame(pk.sas.same_steps_answers(same).frame)
    assert [(item.name, item.of) for item in answer.cautions] == [
        ("one_repeat", "tue"), ("one_repeat", "mon"),
    ]  # fmt: skip
    (change,) = pk.say(pk.sas.same_steps_answers(same))
    assert change.text == (
        "The same 2 steps of 1 log took 25% longer in tue than in mon (25.00 s against 20.00 s; "
        "each measured once, so there is no interval)."
    )
    (first, _) = pk.sas.step_changes(same).frame.rows(named=True)
    assert (first["name"], first["line"], first["difference_s"]) == ("SORT", 5, 5.0)
    (turned,) = pk.say(pk.sas.same_steps_answers(pk.sas.same_steps(found.steps, logs, base="tue")))
    assert "took 20% less time in mon than in tue (20.00 s against 25.00 s" in turned.text
    with pytest.raises(AnalysisError, match="no set of logs 'wed'"):
        pk.sas.same_steps(found.steps, logs, base="wed")
    with pytest.raises(AnalysisError, match="logs: no column 'system'"):
        pk.sas.same_steps(found.steps, logs.frame.drop("system"))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("job_2024-01-30.log", "job_2024-01-31.log"),
        ("job_20240130_0300.log", "job_20240131_0412.log"),
        ("job_2024.01.30_03.00.00.log", "job_2024.01.31_03.00.07.log"),
    ],
)
def test_two_days_stand_side_by_side_by_their_names(read, one, two):
    found = read({one: [data("10.00 seconds")], two: [data("5.00 seconds")]})
    logs = logs_of(found)
    assert logs.frame["system"].to_list() == ["2024-01-30", "2024-01-31"]
    (row,) = pk.sas.same_steps(found.steps, logs).frame.rows(named=True)
    assert (row["base"], row["difference_s"]) == ("2024-01-30", -5.0)


@pytest.mark.parametrize("name", ["job_20241301.log", "job_12345678.log", "job_120240130.log"])
def test_digits_that_are_no_day_are_none(read, name):
    found = read({name: [data("1.00 seconds")]})
    assert logs_of(found, by="day").frame["system"].to_list() == ["day not known"]


@pytest.mark.parametrize(
    ("logs", "why"),
    [
        ({"a.log": [STEP], "b.log": [STEP]}, "one folder or day"),
        ({"a/x.log": [STEP], "b/y.log": [STEP]}, "as one of a"),
        ({"a/x.log": [STEP], "b/x.log": [proc("SQL", "1.00 seconds")]}, "as one of a"),
    ],
    ids=["one folder", "other names", "other steps"],
)
def test_other_work_is_not_compared(read, logs, why):
    found = read(logs)
    same = pk.sas.same_steps(found.steps, logs_of(found))
    assert isinstance(same, Unanswered)
    assert why in same.reason


def test_several_logs_of_one_work_are_paired_only_where_their_numbers_agree(read):
    """Three logs called alike but for their times beside two: which belongs to which?"""
    names = ["mon/x_20240130_01.log", "tue/x_20240131_01.log", "tue/x_20240131_02.log"]
    found = read({name.replace("_0", "_0300_0"): [data("1.00 seconds")] for name in names})
    rows = pk.sas.same_steps(found.steps, logs_of(found)).frame
    assert rows.select("log", "base_log").rows() == [
        ("tue/x_20240131_0300_01.log", "mon/x_20240130_0300_01.log")
    ]
    hours = ["mon/x_20240130_0300.log", "tue/x_20240131_0300.log", "tue/x_20240131_0400.log"]
    found = read({name: [data("1.00 seconds")] for name in hours})
    assert isinstance(pk.sas.same_steps(found.steps, logs_of(found)), Unanswered)


def test_a_step_without_a_time_in_one_of_two_logs_is_in_neither_sum(read):
    """The second log is cut off inside its last block."""
    cut = [data("4.00 seconds"), block("PROCEDURE SORT used", None, None)]
    found = read({"a/x.log": [data("2.00 seconds"), proc("SORT", "50.00 seconds")], "b/x.log": cut})
    same = pk.sas.same_steps(found.steps, logs_of(found))
    assert same.frame["difference_s"].to_list() == [2.0, None]
    (change,) = pk.say(pk.sas.same_steps_answers(same))
    assert change.text == (
        "The same 1 step of 1 log took 2.0 times as long in b as in a"
        " (4.00 s against 2.00 s; each measured once, so there is no interval; 1 step of unknown "
        "time left out)."
    )


def test_steps_that_do_not_wait_leave_the_question_unanswered(read):
    found = read({"a.log": [data("5.00 seconds", "6.00 seconds"), data("0.99 seconds")]})
    waiting = pk.sas.waiting_steps(found.steps, logs_of(found, by="all"))
    assert waiting.reason == (
        "no step is known that took 1 s or longer and used less CPU time than elapsed time"
    )


def test_without_a_time_no_step_is_the_longest(read):
    found = read({"cut.log": [block("DATA statement used", None, None)]})
    longest = pk.sas.longest_steps(found.steps, logs_of(found))
    assert longest.reason == "no step's elapsed time is known"


@pytest.mark.parametrize(
    ("platform", "rate"), [("LIN X64", 40960.0), ("AIX 64", None), ("", 40960.0)]
)
def test_blocks_are_bytes_on_linux_alone(read, platform, rate):
    """On other systems ru_inblock counts blocks of another size: no rate, and no wrong one."""
    banner = f"NOTE: This session is executing on the {platform}  platform.\n" if platform else ""
    full = (
        "NOTE: PROCEDURE SORT used (Total process time):\n"
        "      real time           2.00 seconds\n"
        "      user cpu time       0.50 seconds\n"
        "      system cpu time     0.50 seconds\n"
        "      Block Input Operations         100\n"
        "      Block Output Operations        60\n\n"
    )
    found = read({"a.log": [banner, full]})
    (row,) = pk.sas.waiting_steps(found.steps, logs_of(found)).frame.rows(named=True)
    assert row["disk_bytes_per_s"] == rate


def test_only_sessions_whose_steps_are_longer_than_their_total_count_as_overlapping(read):
    pause, overlap = (
        [data("1.00 seconds"), total("6.00 seconds")],
        [STEP, STEP, total("1.00 seconds")],
    )
    (row,) = logs_of(read({"a.log": [*pause, *pause, *overlap]})).frame.rows(named=True)
    assert (row["sessions"], row["totals"], row["overlapping"]) == (3, 3, 1)
    assert (row["total_s"], row["outside_s"], row["overlap_s"]) == (13.0, 10.0, 1.0)


def test_a_total_says_nothing_where_a_step_of_its_session_has_no_time(read):
    found = read({"a.log": [STEP, block("DATA statement used", None, "0.10 seconds"),
                            total("9.00 seconds")]})  # fmt: skip
    (row,) = logs_of(found).frame.rows(named=True)
    assert (row["steps"], row["untimed"]) == (2, 1)
    assert (row["totals"], row["total_s"], row["outside_s"]) == (0, None, None)


@pytest.mark.parametrize(
    ("file", "name"),
    [("logs/load_20260102_1200.log", "load_.log"), ("load.log", "load.log"),
     ("20260102_1200_1430.log", "_1430.log")],
)  # fmt: skip
def test_a_log_is_named_without_its_folder_day_and_one_time_of_day(file, name):
    assert work_name(file) == name


def test_iowait_of_a_step_is_the_mean_of_the_samples_within_it():
    def at(minute):
        return datetime(2026, 1, 2, 3, minute, tzinfo=UTC)

    shares = ((0, 0.9), (5, 0.1), (6, None), (10, 0.3), (20, 0.9))
    series = {("A", 1): [{"time": at(m), "cpu_iowait_ratio": share} for m, share in shares]}
    step = {"system": "A", "repeat": 1, "start": at(4), "timestamp": at(10)}
    assert _iowait(step, series) == pytest.approx(0.2)
    assert _iowait({**step, "timestamp": None}, series) is None
    assert _iowait({**step, "start": None}, series) is None
