"""A workload of SAS jobs: exact sums, ratios, concurrency and waits from logs of known content."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import polars as pl
import pytest
from forges.sas import Log, Step
from pydantic import ValidationError

import perfkit as pk
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.sources.sas.many import read_sas_logs

BASE = datetime(2026, 3, 16, 18, 0, 0)  # noqa: DTZ001 - logs name no zone
TABLE = {
    "time_zone": "UTC",
    "path": r"(?P<system>[ab])-(?P<repeat>\d)-(?P<test>[a-z]+)-(?P<stream>\d)\.log",
    "host": r"(?P<system>[ab])-(?P<repeat>\d)-iostat",
    "classes": {"computation": ["comp"], "memory": ["mem"], "I/O": ["io"]},
    "systems": {"a": "Disk", "b": "Flash"},
}
COMP = Step(name="GLM", real_ms=60_000, user_ms=110_000, system_ms=10_000,
            end=BASE.replace(minute=2), block_input_operations=0,
            block_output_operations=0)  # fmt: skip
WAIT = Step(name="SORT", real_ms=100_000, user_ms=30_000, system_ms=10_000,
            end=BASE.replace(minute=3), block_input_operations=4_000_000,
            block_output_operations=1_000_000)  # fmt: skip


@pytest.fixture
def workload(tmp_path):
    """Read logs written as ``{name: steps}``; the sessions' times are those of the steps."""

    def read(logs, **options):
        for name, steps in logs.items():
            log = Log(steps, "9.4 unix", extra_ms=0, **options)
            (tmp_path / name).write_bytes(log.data())
        reading = read_sas_logs([tmp_path / name for name in logs], root=tmp_path)
        jobs = pk.sas.jobs(reading.steps, reading.sessions, pk.sas.JobTable.model_validate(TABLE))
        return reading, jobs

    return read


def two_systems(slower=0):
    """Two systems, two repeats of one job of computation and one that waits."""
    logs = {}
    for system, more in (("a", slower), ("b", 0)):
        for repeat in (1, 2):
            own = replace(WAIT, real_ms=WAIT.real_ms + more + 1000 * repeat)
            logs[f"{system}-{repeat}-comp-1.log"] = [COMP]
            logs[f"{system}-{repeat}-io-2.log"] = [own]
    return logs


def said(jobs):
    """The sentences of a workload, by id; a system is set beside itself where it is alone."""
    aggregates = pk.sas.aggregates(jobs)
    if aggregates.frame["system"].n_unique() == 1:
        other = aggregates.frame.with_columns(system=pl.lit("other"))
        aggregates = pl.concat([aggregates.frame, other])
    answers = pk.sas.answers(pk.sas.differences(aggregates), pk.sas.ratios(jobs), pk.sas.runs(jobs))
    return {value.id: value.text for value in pk.say(answers)}


def at_once(jobs):
    return said(jobs)["sas-jobs-at-once"]


def test_a_log_of_two_sessions_is_no_job(workload, tmp_path):
    """Two logs in one file are read as two sessions; their times are never added to one job's."""
    one = Log([COMP], "9.4 unix", extra_ms=0).data()
    (tmp_path / "a-1-comp-1.log").write_bytes(one + one)
    reading = read_sas_logs([tmp_path / "a-1-comp-1.log"], root=tmp_path)
    assert reading.sessions.frame.height == 2
    assert reading.steps.frame["session"].to_list() == [1, 2]
    line = reading.sessions.frame["line"][1]
    with pytest.raises(AnalysisError, match=rf"a-1-comp-1.log, line {line}: a second SAS session"):
        pk.sas.jobs(reading.steps, reading.sessions, pk.sas.JobTable.model_validate(TABLE))


def test_two_recordings_of_one_run_are_refused(workload):
    """The samples of two files would stand in one line."""
    _, jobs = workload({"a-1-comp-1.log": [COMP]})
    rows = [{"source": f"a-1-iostat{n}", "time": BASE, "disk_read_bytes_per_s": 1.0,
             "disk_write_bytes_per_s": 1.0} for n in (1, 2)]  # fmt: skip
    with pytest.raises(AnalysisError, match="a-1-iostat1 and a-1-iostat2 are both of Disk, run 1"):
        pk.sas.throughput(pl.DataFrame(rows), jobs, pk.sas.JobTable.model_validate(TABLE))


def test_what_the_host_moved_is_placed_in_its_run(workload):
    """Read and written add up, and are not known together where one is not; t counts from the
    first job of the run."""
    _, jobs = workload({"a-1-comp-1.log": [COMP], "b-2-comp-1.log": [COMP]})
    (start,) = set(jobs.frame["start"])
    rows = [
        {"source": "b-2-iostat", "time": start + timedelta(seconds=30), "cpu_iowait_ratio": 0.25,
         "disk_read_bytes_per_s": 7.0, "disk_write_bytes_per_s": None},
        {"source": "a-1-iostat", "time": start + timedelta(seconds=10), "cpu_iowait_ratio": None,
         "disk_read_bytes_per_s": 100.0, "disk_write_bytes_per_s": 50.0},
        {"source": "a-1-iostat", "time": start - timedelta(seconds=5), "cpu_iowait_ratio": 0.5,
         "disk_read_bytes_per_s": None, "disk_write_bytes_per_s": 3.0},
    ]  # fmt: skip
    found = pk.sas.throughput(pl.DataFrame(rows), jobs, pk.sas.JobTable.model_validate(TABLE))
    columns = ("system", "repeat", "t_s", "read_bytes_per_s", "write_bytes_per_s", "bytes_per_s",
               "cpu_iowait_ratio")  # fmt: skip
    assert found.frame.select(columns).rows() == [
        ("Disk", 1, -5.0, None, 3.0, None, 0.5),
        ("Disk", 1, 10.0, 100.0, 50.0, 150.0, None),
        ("Flash", 2, 30.0, 7.0, None, None, 0.25),
    ]


def test_a_host_series_without_a_time_of_day_cannot_be_placed(workload):
    _, jobs = workload({"a-1-comp-1.log": [COMP]})
    row = {"source": "a-1-iostat", "time": None, "disk_read_bytes_per_s": 1.0,
           "disk_write_bytes_per_s": 1.0}  # fmt: skip
    frame = pl.DataFrame([row], schema_overrides={"time": pl.Datetime("us")})
    found = pk.sas.throughput(frame, jobs, pk.sas.JobTable.model_validate(TABLE))
    assert found.text == "Not shown: a-1-iostat: has no time of day to place it beside jobs."


def test_the_sentences_of_a_workload(workload):
    _, jobs = workload(two_systems(slower=8000))
    found = said(jobs)
    assert list(found) == ["sas-elapsed-change", "sas-cpu-ratio", "sas-jobs-at-once"]
    assert found["sas-elapsed-change"].startswith(
        "Summed over all jobs, elapsed time was 4.7% less on Flash than on Disk (2.69 min against "
        "2.83 min; 95% interval "
    )
    assert found["sas-elapsed-change"].endswith(", over 2 runs each).")
    near = said(workload(two_systems(slower=1000))[1])["sas-elapsed-change"]
    assert near.endswith("; no difference is shown).")
    assert (
        "On Disk, the mean of the jobs' ratios of CPU to elapsed time was" in found["sas-cpu-ratio"]
    )


def test_jobs_are_the_sessions_totals_with_their_class(workload):
    """A job's figures are those of its session's end block; the table says which test it is."""
    _, jobs = workload({"a-1-comp-1.log": [COMP], "b-1-io-2.log": [COMP, WAIT]})
    one, two = jobs.frame.rows(named=True)
    assert (one["system"], one["repeat"], one["test"], one["class"], one["stream"]) == (
        "Disk", 1, "comp", "computation", 1,
    )  # fmt: skip
    assert (one["real_time_s"], one["user_cpu_s"], one["system_cpu_s"]) == (60.0, 110.02, 10.01)
    assert (one["times_of"], one["memory_of"]) == ("session", "session")
    assert one["ratio"] == pytest.approx(120.03 / 60)
    assert (two["real_time_s"], two["steps"]) == (160.0, 2)
    assert two["memory_bytes"] == COMP.memory_ck * 1024 / 100


def test_without_the_sessions_end_the_steps_count_and_say_so(workload):
    """Memory is then the largest step's, never their sum."""
    big = replace(COMP, memory_ck=9_000_000)
    _, jobs = workload({"a-1-comp-1.log": [COMP, big]}, ends=False)
    (row,) = jobs.frame.rows(named=True)
    assert (row["times_of"], row["memory_of"]) == ("steps", "largest step")
    assert row["real_time_s"] == 120.0
    assert row["memory_bytes"] == 9_000_000 * 1024 / 100


def test_sums_by_class_and_what_they_rest_on(workload):
    _, jobs = workload(two_systems())
    frame = pk.sas.aggregates(jobs).frame
    row = frame.filter(**{"system": "Disk", "repeat": 1, "class": "all"}).row(0, named=True)
    assert (row["jobs"], row["real_time_s"], row["times_of"]) == (2, 161.0, "session")
    assert row["user_cpu_s"] == pytest.approx(140.04)
    assert row["memory_bytes"] == 2 * COMP.memory_ck * 1024 / 100
    kinds = frame.filter(system="Disk", repeat=1)["class"].to_list()
    assert kinds == ["computation", "I/O", "all"]


def test_a_sum_is_not_known_where_one_job_is_not(workload):
    """One log without a time of its own leaves the sum unknown: it is never that of a part."""
    _, jobs = workload(two_systems())
    holed = jobs.frame.with_columns(
        pl.when(pl.col("log") == "a-1-io-2.log").then(None).otherwise(pl.col("real_time_s"))
        .alias("real_time_s")
    )  # fmt: skip
    frame = pk.sas.aggregates(holed).frame
    row = frame.filter(**{"system": "Disk", "repeat": 1, "class": "all"}).row(0, named=True)
    assert (row["real_time_s"], row["without_times"]) == (None, 1)
    differences = pk.sas.differences(pk.sas.aggregates(holed)).frame
    told = differences.filter(**{"class": "all", "metric": "real_time_s"}).row(0, named=True)
    assert (told["difference"], told["status"]) == (None, "unknown")


def test_differences_carry_the_spread_of_the_runs(workload):
    """Means 161.5 and 169.5 s, each with s = 0.71 over two runs: the interval of their ratio.

    Two runs a side leave one degree of freedom: 4 s less would not be shown.
    """
    _, jobs = workload(two_systems(slower=8000))
    frame = pk.sas.differences(pk.sas.aggregates(jobs)).frame
    row = frame.filter(**{"class": "all", "metric": "real_time_s"}).row(0, named=True)
    assert (row["system"], row["base"]) == ("Flash", "Disk")
    assert (row["mean"], row["base_mean"], row["difference"]) == (161.5, 169.5, -8.0)
    assert row["std"] == pytest.approx(0.5**0.5)
    assert row["ratio"] == 161.5 / 169.5
    assert row["ratio_low"] < row["ratio"] < row["ratio_high"] < 1
    # the ends of the difference are those of the ratio
    assert row["low"] == pytest.approx(169.5 * (row["ratio_low"] - 1))
    assert row["high"] == pytest.approx(169.5 * (row["ratio_high"] - 1))
    assert row["status"] == "differs"
    less = pk.sas.differences(pk.sas.aggregates(workload(two_systems(slower=4000))[1])).frame
    assert "within the spread" in less.filter(pl.col("class") == "all")["status"].to_list()
    near = pk.sas.differences(pk.sas.aggregates(workload(two_systems(slower=1000))[1])).frame
    assert "within the spread" in near["status"].to_list()


def test_one_run_has_no_spread_and_one_system_no_difference(workload):
    logs = {name: steps for name, steps in two_systems().items() if "-1-" in name}
    _, jobs = workload(logs)
    frame = pk.sas.differences(pk.sas.aggregates(jobs)).frame
    assert frame["status"].unique().to_list() == ["one run: no spread"]
    assert frame["low"].null_count() == frame.height
    assert frame["difference"].to_list() == (frame["mean"] - frame["base_mean"]).to_list()
    (said,) = pk.say(pk.sas.answers(pk.sas.differences(pk.sas.aggregates(jobs))))
    assert "Flash was measured once, so there is no interval" in said.text
    only = jobs.filter(system="Disk")
    assert "only one system" in pk.sas.differences(pk.sas.aggregates(only)).reason


def test_the_mean_of_ratios_is_not_the_ratio_of_sums(workload):
    """Ratios 2 and 0.4: their mean is 1.2, the ratio of sums 160/160 = 1."""
    _, jobs = workload({"a-1-comp-1.log": [COMP], "a-1-io-2.log": [WAIT]})
    row = pk.sas.ratios(jobs).frame.row(0, named=True)
    one, two = 120.03 / 60, 40.03 / 100
    assert row["ratio_mean"] == pytest.approx((one + two) / 2)
    assert row["ratio_std"] == pytest.approx(abs(one - two) / 2**0.5)
    assert row["ratio_range"] == pytest.approx(one - two)
    assert row["ratio_of_sums"] == pytest.approx(160.06 / 160)


def test_cas_steps_have_no_ratio_and_are_marked(workload):
    """The server's CPU time is in no log: a ratio would be too small."""
    cas = replace(WAIT, name="CASUTIL", cas_ms=60_000)
    reading, jobs = workload({"a-1-comp-1.log": [COMP], "a-1-io-2.log": [cas]})
    assert jobs.frame["ratio"].null_count() == 1
    row = pk.sas.ratios(jobs).frame.row(0, named=True)
    assert (row["jobs"], row["without"]) == (1, 1)
    procedures = pk.sas.procedures(reading.steps, jobs)
    marked = procedures.frame.filter(cas=True).row(0, named=True)
    assert (marked["name"], marked["ratio"]) == ("CASUTIL", None)
    none = pk.sas.waiting_steps(reading.steps, jobs)
    assert none.reason.startswith("no step is known that took 1 s or longer, CAS steps apart, and")
    table = pk.sas.table_procedures(procedures)
    assert "CASUTIL (CAS)" in [row[0].text for row in table.cells()]


def test_concurrency_from_starts_and_ends(workload):
    """60 s until 2:01 and 100 s until 3:01: 40 s of both, mean 160 s over a span of 120 s."""
    _, jobs = workload({"a-1-comp-1.log": [COMP], "a-1-io-2.log": [WAIT]})
    row = pk.sas.runs(jobs).frame.row(0, named=True)
    assert (row["span_s"], row["concurrency_peak"]) == (120.0, 2)
    assert row["concurrency_mean"] == pytest.approx(160 / 120)
    steps = pk.sas.concurrency(jobs).frame.select("t_s", "jobs", "computation", "I/O").rows()
    assert steps == [(0, 1, 1, 0), (20, 2, 1, 1), (60, 1, 0, 1), (120, 0, 0, 0)]
    assert "an average of 1.3 jobs ran concurrently" in at_once(jobs)


def test_jobs_back_to_back_are_not_counted_twice(workload):
    first = replace(COMP, end=BASE.replace(minute=1))
    second = replace(COMP, end=BASE.replace(minute=2))
    _, jobs = workload({"a-1-comp-1.log": [first], "a-1-io-2.log": [second]})
    assert pk.sas.runs(jobs).frame["concurrency_peak"].to_list() == [1]


def test_concurrency_is_unknown_without_times_of_day(tmp_path):
    """STIMER prints no timestamps: unknown, with the reason, and nothing is drawn."""
    (tmp_path / "a-1-comp-1.log").write_bytes(Log([COMP], "9.4 stimer").data())
    reading = read_sas_logs([tmp_path / "a-1-comp-1.log"], root=tmp_path)
    jobs = pk.sas.jobs(reading.steps, reading.sessions, pk.sas.JobTable.model_validate(TABLE))
    row = pk.sas.runs(jobs).frame.row(0, named=True)
    assert (row["span_s"], row["concurrency_mean"], row["concurrency_peak"]) == (None, None, None)
    assert "of 1 of 1 jobs" in row["reason"]
    assert "How many jobs ran concurrently on Disk is not known: start or end of" in at_once(jobs)
    assert "nothing is known of run 1" in pk.sas.plot_concurrency(pk.sas.concurrency(jobs)).reason


def test_waiting_is_on_io_only_with_support(workload):
    """5,000,000 blocks in 100 s are 25.6 MB/s; the same step without blocks just waits."""
    idle = replace(WAIT, block_input_operations=0, block_output_operations=0)
    reading, jobs = workload(
        {"a-1-comp-1.log": [COMP], "a-1-io-2.log": [WAIT], "b-1-io-2.log": [idle]}
    )
    rows = pk.sas.waiting_steps(reading.steps, jobs).frame.rows(named=True)
    assert [(row["system"], row["verdict"]) for row in rows] == [
        ("Disk", "waiting on I/O"), ("Flash", "waiting"),
    ]  # fmt: skip
    assert rows[0]["waiting_s"] == 60.0
    assert rows[0]["disk_bytes_per_s"] == pytest.approx(25.6e6)


def test_a_step_that_computed_all_of_its_time_did_not_wait(workload):
    busy = replace(WAIT, user_ms=90_000)
    reading, jobs = workload({"a-1-io-2.log": [busy], "b-1-io-2.log": [WAIT]})
    assert pk.sas.waiting_steps(reading.steps, jobs).frame["system"].to_list() == ["Flash"]


def test_longest_steps_name_their_line(workload):
    reading, jobs = workload({"a-1-comp-1.log": [COMP, WAIT]})
    rows = pk.sas.longest_steps(reading.steps, jobs, count=1).frame.rows(named=True)
    assert [(row["name"], row["real_time_s"]) for row in rows] == [("SORT", 100.0)]
    assert rows[0]["line"] == reading.steps.frame.filter(name="SORT")["line"].item()


def test_a_changed_log_changes_table_sentence_and_chart(workload):
    """The numbers come from the logs: another log, other numbers everywhere."""

    def shown(logs):
        _, jobs = workload(logs)
        means = pk.sas.means(pk.sas.aggregates(jobs))
        return (
            pk.sas.table_aggregates(means).content_hash(),
            said(jobs)["sas-elapsed-change"],
            pk.sas.plot_classes(means).content_hash(),
            pk.sas.plot_ratios(pk.sas.ratios(jobs, by="test")).content_hash(),
            said(jobs)["sas-cpu-ratio"],
        )

    before = shown(two_systems(slower=4000))
    assert before == shown(two_systems(slower=4000))
    changed = two_systems(slower=4000)
    changed["a-1-io-2.log"] = [replace(WAIT, real_ms=300_000)]
    assert all(a != b for a, b in zip(before, shown(changed), strict=True))


def test_the_table_of_aggregates_prints_minutes_and_spread(workload):
    """161.5 s are 2.69 min, 0.01 min apart in the two runs; what all rows share is said once."""
    _, jobs = workload(two_systems())
    table = pk.sas.table_aggregates(pk.sas.means(pk.sas.aggregates(jobs)))
    cells = [[cell.text for cell in row] for row in table.cells()]
    assert cells == [
        [system, "2.69", "0.01", "< 0.01", "2.33", "0.33"] for system in ("Disk", "Flash")
    ]
    assert table.note.startswith(
        "All rows: Runs: 2; Jobs per run: 2; Memory is of: session; Times are of: session. "
    )


def sums(*rows):
    """Sums of runs: system, repeat, class, minutes of elapsed time, jobs."""
    own = {"user_cpu_s": 1.0, "system_cpu_s": 1.0, "memory_bytes": 1.0, "times_of": "session",
           "memory_of": "session"}  # fmt: skip
    names = ("system", "repeat", "class", "real_time_s", "jobs")
    made = [dict(zip(names, row, strict=True)) | own for row in rows]
    frame = pl.DataFrame(made, schema_overrides={"real_time_s": pl.Float64})
    return frame.with_columns(pl.col("real_time_s") * 60)


def test_means_over_runs_are_of_each_system_and_class():
    found = pk.sas.means(sums(
        ("A", 1, "I/O", 2, 5), ("A", 2, "I/O", 6, 5), ("A", 1, "all", 1, 9), ("B", 1, "I/O", 3, 4),
    )).frame  # fmt: skip
    names = ("runs", "real_time_s_mean", "real_time_s_std", "real_time_s_least", "real_time_s_most")
    rows = {(row["system"], row["class"]): tuple(row[name] for name in names)
            for row in found.rows(named=True)}  # fmt: skip
    assert rows["A", "I/O"] == (2, 240, pytest.approx(60 * 8**0.5), 120, 360)
    assert rows["A", "all"] == (1, 60, None, 60, 60)
    assert rows["B", "I/O"] == (1, 180, None, 180, 180)


def test_there_is_no_mean_over_a_part_of_the_runs():
    means = pk.sas.means(sums(("A", 1, "I/O", 2, 5), ("A", 2, "I/O", None, 6),
                              ("A", 1, "memory", 1, 9), ("A", 2, "memory", 3, 9)))  # fmt: skip
    own = means.filter(**{"class": "I/O"}).frame.row(0, named=True)
    assert {own[f"real_time_s_{name}"] for name in ("mean", "std", "least", "most")} == {None}
    assert (own["jobs_least"], own["jobs_most"]) == (5, 6)
    drawn = pk.sas.plot_classes(means)
    assert list(drawn.plotly.data[0].x) == ["memory"]
    assert drawn.caption == (
        "Elapsed time summed over jobs, by class of test: mean of 2 runs, with the smallest and "
        "the largest. Not drawn, because a run's time is unknown: A I/O."
    )


def test_two_rows_of_one_run_are_not_averaged():
    with pytest.raises(AnalysisError, match="two rows of A, run 1, class all"):
        pk.sas.means(sums(("A", 1, "all", 2, 5), ("A", 1, "all", 6, 5)))


def test_the_chart_of_classes_draws_the_means_and_says_of_how_many_runs_they_are():
    rows = [("A", 1, "I/O", 2, 5), ("A", 2, "I/O", 6, 5)]
    drawn = pk.sas.plot_classes(pk.sas.means(sums(*rows, ("B", 1, "I/O", 3, 5))))
    a, b = drawn.plotly.data
    assert (list(a.y), list(a.error_y.array), list(a.error_y.arrayminus)) == ([4], [2], [2])
    assert (list(b.y), list(b.error_y.array)) == ([3], [0])
    assert "mean of the runs (A: 2, B: 1), with the smallest and the largest" in drawn.caption
    alone = pk.sas.plot_classes(pk.sas.means(sums(("B", 1, "I/O", 3, 5))))
    assert alone.caption.endswith("by class of test: one run of each system.")


def test_procedures_stand_by_the_longest_of_any_system(workload):
    """The order of the table is the analysis's, over all systems."""
    reading, jobs = workload(two_systems(slower=4000))
    frame = pk.sas.procedures(reading.steps, jobs).frame
    longest = frame.group_by("name", "cas", "place").agg(pl.col("real_time_s").max()).sort("place")
    assert longest["place"].to_list() == list(range(1, longest.height + 1))
    assert longest["real_time_s"].is_sorted(descending=True)


def test_a_log_without_a_step_is_a_job_by_its_session_and_without_both_there_is_none(workload):
    reading, _ = workload({"a-1-comp-1.log": [COMP]})
    table, without = pk.sas.JobTable.model_validate(TABLE), reading.steps.filter(name="none")
    jobs = pk.sas.jobs(without, reading.sessions, table).frame
    assert jobs.select("log", "steps", "real_time_s").rows() == [("a-1-comp-1.log", 0, 60.0)]
    none = pk.sas.jobs(without, reading.sessions.filter(file="none"), table)
    assert none.reason == "no SAS log was read, so there are no jobs"


def test_steps_that_took_no_time_have_no_ratio(workload):
    """0.00 s of CPU time in 0.00 s is no share."""
    none = replace(COMP, real_ms=0, user_ms=0, system_ms=0)
    reading, jobs = workload({"a-1-comp-1.log": [none], "a-1-io-2.log": [WAIT]})
    rows = pk.sas.procedures(reading.steps, jobs).frame.select("name", "real_time_s", "ratio")
    assert sorted(rows.rows()) == [("GLM", 0.0, None), ("SORT", 100.0, pytest.approx(0.4))]


def test_how_long_steps_waited_and_on_what_is_an_answer_of_each_system():
    """Of A's four steps that waited the I/O of three is known; of B's none."""
    rows = [
        {"system": system, "waiting_s": seconds, "verdict": verdict, "disk_bytes_per_s": rate,
         "cpu_iowait_ratio": iowait, "shortest_s": 1.0}
        for system, seconds, verdict, rate, iowait in (
            ("A", 10.0, "waiting on I/O", 2e7, None), ("A", 20.0, "waiting", 0.0, None),
            ("A", 30.0, "waiting", None, 0.01), ("A", 40.0, "waiting", None, None),
            ("B", 0.5, "waiting", None, None),
        )
    ]  # fmt: skip
    said = {value.id: value.text for value in pk.say(pk.sas.waiting_answers(pl.DataFrame(rows)))}
    assert said == {
        "sas-waiting-time": "A: 4 steps of 1 s or longer used less CPU time than elapsed time and "
        "waited for at least 100.00 s, on storage or anything else. B: 1 step of 1 s or longer "
        "used less CPU time than elapsed time and waited for at least 0.50 s, on storage or "
        "anything else.",
        "sas-waiting-on-io": "A: 4 steps of 1 s or longer waited; blocks or the host's iowait are "
        "known for 3 of them, and show I/O for 1. B: 1 step of 1 s or longer "
        "waited; whether on I/O is not known: their blocks do not count I/O, and the host's "
        "iowait is not recorded beside them.",
    }


def test_logs_that_are_in_no_table_and_wrong_tables(workload):
    with pytest.raises(AnalysisError, match=r"x\.log: is not in the job table"):
        workload({"x.log": [COMP]})
    with pytest.raises(AnalysisError, match="gives test 'other' no class"):
        workload({"a-1-other-1.log": [COMP]})
    for change, words in (
        ({"path": None}, "give 'path'"),
        ({"path": "("}, "not a regular expression"),
        ({"path": "(?P<sytem>.)"}, "group 'sytem'"),
        ({"time_zone": "Mars"}, "not a time zone"),
        ({"classes": {"memory": ["x"], "I/O": ["x"]}}, "in two classes"),
    ):
        with pytest.raises(ValidationError, match=words):
            pk.sas.JobTable.model_validate({**TABLE, **change})


def test_a_job_may_be_named_log_by_log(workload):
    table = pk.sas.JobTable.model_validate(
        {"logs": [{"log": "odd.log", "test": "q", "class": "memory", "system": "s", "repeat": 2}]}
    )
    job = table.job("odd.log")
    assert (job.run.system, job.run.repeat) == ("s", 2)
    assert (job.test, job.kind, job.stream) == ("q", "memory", None)


def test_a_sentence_carries_its_runs_even_where_they_print_alike(workload):
    """17.4 in each of three runs is not 17.4 of who knows how many."""
    logs = {f"a-{r}-{test}.log": [step] for r in (1, 2) for test, step in
            (("comp-1", COMP), ("io-2", WAIT))}  # fmt: skip
    alike = said(workload(logs)[1])
    assert alike["sas-jobs-at-once"] == (
        "On Disk, an average of 1.3 jobs ran concurrently over the span of a run (in each "
        "of 2 runs). "
        "On Disk, at most 2 jobs ran concurrently, over 2 runs."
    )
    assert alike["sas-cpu-ratio"].count(" (in each of 2 runs).") == 2
    one = said(workload({"a-1-comp-1.log": [COMP]})[1])
    assert one["sas-cpu-ratio"] == (
        "On Disk, the mean of the jobs' ratios of CPU to elapsed time was 2.001 (one run). "
        "On Disk, the ratio of the sums of CPU and elapsed time was 2.001 (one run)."
    )


def test_jobs_without_a_ratio_are_a_caution_with_their_counts(workload):
    """Jobs of a CAS server have no ratio: the mean is that of the others, and says so."""
    cas = replace(WAIT, name="CASUTIL", cas_ms=60_000)
    logs = {f"{s}-{r}-comp-1.log": [COMP] for s in "ab" for r in (1, 2)}
    logs |= {f"a-{r}-io-2.log": [cas] for r in (1, 2)} | {"b-1-io-2.log": [cas]}
    _, jobs = workload(logs)
    answers = pk.sas.answers(pk.sas.differences(pk.sas.aggregates(jobs)), pk.sas.ratios(jobs))
    told = {
        answer.subject.label: [item.text for item in answer.cautions]
        for answer in from_frame(answers.frame) if answer.question == "sas_cpu_ratio"
    }  # fmt: skip
    rest = (
        "have no ratio of CPU to elapsed time and are left out: they asked a CAS server, whose CPU "
        "time is not in their logs, or lack a time"
    )
    assert told == {
        "Disk": [f"1 of 2 jobs in each run of Disk {rest}"],
        "Flash": [f"1 of 3 jobs in 2 runs of Flash {rest}"],
    }
    (statement,) = pk.say(answers, "sas_cpu_ratio")
    assert [item.name for item in statement.cautions] == ["jobs_without_ratio"] * 2
    whole = pk.sas.answers(
        pk.sas.differences(pk.sas.aggregates(workload(two_systems())[1])),
        pk.sas.ratios(workload(two_systems())[1]),
    )
    assert not any(answer.cautions for answer in from_frame(whole.frame)
                   if answer.question == "sas_cpu_ratio")  # fmt: skip


def test_a_job_table_needs_neither_classes_nor_tests():
    """Without classes every test is "other"; a log whose test the path does not tell is one."""
    table = pk.sas.JobTable.model_validate({"path": "(?P<system>[ab])/"})
    job = table.job("a/load.log")
    assert (job.run.system, job.run.repeat, job.test, job.kind) == ("a", 1, "load", "other")
