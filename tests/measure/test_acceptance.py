"""The acceptance rules against recorded outputs: exit code 0 is not success."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfkit.measure.points import planned_points
from perfkit.measure.validity.acceptance import (
    Expectation,
    ExpectedJob,
    Outcome,
    accept,
    expectation,
    stalls,
)
from perfkit.measure.validity.fio_result import Job, error_of
from perfkit.measure.workloads import named_workload


def expect(name, *directions, runtime_s=2.0, **more):
    return Expectation((ExpectedJob(name, directions, runtime_s=runtime_s),), **more)


MIX = expect("mix75", "read", "write")


def words(judged):
    return tuple(caution.text for caution in judged.cautions)


def judge(outcome, expected=MIX):
    return accept(outcome, expected, "fio.json")


def test_a_whole_run_is_accepted_with_its_rate_and_mean_latency(recorded):
    result = recorded("rw75.json")
    judged = judge(Outcome(0, result))
    job = json.loads(result)["jobs"][0]
    assert (judged.accepted, judged.reason, words(judged)) == (True, None, ())
    assert judged.iops == job["read"]["iops"] + job["write"]["iops"]
    assert judged.lat_mean_s is not None


def test_the_mean_latency_is_pooled_by_count():
    job = {
        "read": {"iops": 3.0, "lat_ns": {"mean": 1e6, "N": 3}},
        "write": {"iops": 1.0, "lat_ns": {"mean": 5e6, "N": 1}},
    }
    assert Job("load", 0, job).summary(("read", "write")) == (4.0, 0.002)
    none = {"read": {"iops": 0.0, "lat_ns": {"mean": 0.0, "N": 0}}}
    assert Job("load", 0, none).summary(("read",)) == (None, None)


@pytest.mark.parametrize(
    ("name", "code", "job", "said"),
    [
        (
            "mounted_abort_error0_rc0",
            0,
            "a",
            "fio wrote on stderr: fio: /dev/loop0 appears mounted",
        ),
        ("note_before_json_rc0", 0, "a", "fio wrote before its result: note: both iodepth >= 1"),
        ("no_create_error0_rc1", 1, "a", "fio ended with exit code 1"),
        ("bad_option_no_json_rc1", 1, "a", "fio ended with exit code 1: valid values: read"),
        ("sigint_rc128", 128, "a", "exit code 128: fio: terminating on signal 2"),
        ("enospc_4jobs_rc4", 4, "a", "exit code 4: fio: io_u error on file mnt/a.2.0: No space"),
    ],
)
def test_recorded_failures_are_rejected_with_fios_own_words(recorded, name, code, job, said):
    """Each was recorded from a real fio; two of them ended with exit code 0."""
    try:
        stderr = recorded(f"{name}.stderr")
    except FileNotFoundError:
        stderr = ""
    outcome = Outcome(code, recorded(f"{name}.stdout"), stderr=stderr)
    judged = judge(outcome, expect(job, "read"))
    assert not judged.accepted
    assert said in judged.reason


@pytest.mark.parametrize(
    ("error", "result", "said"),
    [
        (5, "{}", "exit code 1: a job reports error 5"), (0, "{}", "exit code 1"),
        (5, "note: x\n{}", "exit code 1: note: x"), (0, "", "exit code 1"),
    ],
)  # fmt: skip
def test_without_a_word_on_stderr_the_result_itself_says_why_fio_failed(
    recorded, error, result, said
):
    document = json.loads(recorded("rw75.json"))
    document["jobs"][0]["error"] = error
    judged = judge(Outcome(1, result.replace("{}", json.dumps(document, indent=1)) or None))
    assert judged.reason == f"fio ended with {said}"


def test_an_aborted_run_is_rejected_even_without_its_message(recorded):
    """fio refused the device, exit code 0, error 0: only the missing I/O shows it."""
    result = recorded("mounted_abort_error0_rc0.stdout")
    judged = judge(Outcome(0, result), expect("a", "write"))
    assert judged.reason == "job 'a' completed no writes"


def test_a_direction_that_was_cut_short_is_rejected(recorded):
    judged = judge(Outcome(0, recorded("rw75.json")), expect("mix75", "read", runtime_s=5.0))
    assert "job 'mix75' did reads for 2.00" in judged.reason
    assert judged.reason.endswith("of 5 s")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"error": 5}, "job 'mix75' reports error 5: Input/output error"),
        ({"error": None}, "job 'mix75' reports error None"),
        ({"jobname": "other"}, "job 'other' is in the result and was not asked for"),
    ],
)
def test_a_job_that_errs_or_is_unknown_is_rejected(recorded, change, said):
    document = json.loads(recorded("rw75.json"))
    document["jobs"][0].update(change)
    assert judge(Outcome(0, json.dumps(document))).reason == said


def test_a_result_without_jobs_is_rejected(recorded):
    document = {**json.loads(recorded("rw75.json")), "jobs": []}
    assert judge(Outcome(0, json.dumps(document))).reason == (
        "job 'mix75' is missing in the result"
    )


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(0, None), "fio ended with exit code 0 but wrote no result"),
        (Outcome(0, ""), "fio.json: the file is empty"),
        (Outcome(0, '{"fio version": "fio-3.33", '), "fio.json:1: JSON is cut off"),
        (Outcome(0, '{"elbencho": 1}'), "no 'fio version' in it"),
        (Outcome(-9, None), "fio ended with exit code -9"),
        (Outcome(0, None, timed_out=True), "fio did not end in time and was stopped"),
    ],
)
def test_a_run_without_a_whole_result_is_rejected(outcome, said):
    assert said in judge(outcome).reason


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_words_fio_does_not_usually_say_are_rejected(recorded, stream):
    judged = judge(Outcome(0, recorded("rw75.json"), **{stream: "\n something odd \n"}))
    assert judged.reason == f"fio wrote on {stream}: something odd"


def test_a_known_harmless_line_on_stderr_is_allowed(recorded):
    line = "ERROR: ld.so: object 'x.so' from LD_PRELOAD cannot be preloaded (no file): ignored.\n"
    assert judge(Outcome(0, recorded("rw75.json"), stderr=line)).accepted


def test_several_results_are_rejected(recorded):
    twice = recorded("rw75.json") + recorded("rw75.json")
    assert judge(Outcome(0, twice)).reason == "2 results where one was expected"


def test_a_paced_point_below_its_rate_is_accepted_and_marked(recorded):
    result = recorded("rate_split_jsonplus.json")
    met = judge(Outcome(0, result), expect("rate", "read", "write", target_iops=2000))
    missed = judge(Outcome(0, result), expect("rate", "read", "write", target_iops=4000))
    assert (met.accepted, words(met)) == (True, ())
    assert missed.accepted
    assert "of the offered 4000 IOPS" in words(missed)[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(data=st.data())
def test_a_damaged_result_is_judged_and_never_accepted_without_io(recorded, data):
    """Whatever field is lost or null there is a judgement; without I/O counts, a rejection."""
    document = json.loads(recorded("rw75.json"))
    node = document["jobs"][0]
    for _ in range(data.draw(st.integers(0, 2))):
        names = [name for name, value in node.items() if isinstance(value, dict) and value]
        if not names:
            break
        node = node[data.draw(st.sampled_from(sorted(names)))]
    field = data.draw(st.sampled_from(sorted(node)))
    if data.draw(st.booleans()):
        del node[field]
    else:
        node[field] = None
    judged = judge(Outcome(0, json.dumps(document)))
    counts = [(document["jobs"][0].get(d) or {}).get("total_ios") for d in ("read", "write")]
    assert judged.accepted or judged.reason
    assert all(counts) or not judged.accepted


def drains(ios, runtime_ms):
    part = {"total_ios": 10, "runtime": 1000, "iops": 10.0, "lat_ns": {"mean": 1.0, "N": 10}}
    none = {"total_ios": 0, "runtime": 0}
    return json.dumps(
        {
            "fio version": "fio-3.33",
            "jobs": [
                {"jobname": "load", "error": 0, "read": part, "write": none},
                {
                    "jobname": "drain-001",
                    "error": 0,
                    "read": none,
                    "write": {"total_ios": ios, "runtime": runtime_ms},
                },
            ],
        }
    )


DRAIN = Expectation(
    (
        ExpectedJob("load", ("read",), runtime_s=1.0),
        ExpectedJob("drain-001", ("write",), ios=50, role="drain"),
    ),
    target_iops=10,
    period_s=1.0,
)


def test_a_drain_counts_only_with_all_its_blocks():
    assert judge(Outcome(0, drains(50, 900)), DRAIN).accepted
    short = judge(Outcome(0, drains(49, 900)), DRAIN)
    assert short.reason == "job 'drain-001' completed 49 writes of 50"


def test_a_drain_longer_than_its_period_is_marked():
    judged = judge(Outcome(0, drains(50, 1500)), DRAIN)
    assert judged.accepted
    assert words(judged) == (
        "drain-001 took 1.5 s, longer than the period of 1 s: it overlaps the next one",
    )


def test_the_expectation_of_an_epic_like_point_has_every_drain():
    spec = named_workload("epic-like")
    expected = expectation(spec, planned_points(spec)[0])
    assert [job.name for job in expected.jobs] == ["load", *(f"drain-00{n}" for n in range(1, 6))]
    assert expected.jobs[0] == ExpectedJob("load", ("read",), runtime_s=400.0)
    assert (expected.jobs[1].ios, expected.target_iops) == (20_000, 1900)


@pytest.mark.parametrize(
    ("process", "iops", "tolerance"),
    [("linear", 1000, 0.01), ("poisson", 1000, 3 / 20_000**0.5), ("poisson", 1_000_000, 0.01)],
)
def test_arrivals_at_random_may_miss_the_rate_by_three_deviations_of_their_number(
    process, iops, tolerance
):
    """20,000 of a Poisson process vary by the root of 20,000; no tolerance is below one percent."""
    spec = named_workload(
        "oltp-select", load={"rate_iops": [iops]}, rate_process=process, runtime="20s"
    )
    expected = expectation(spec, planned_points(spec)[0])
    assert expected.rate_tolerance == pytest.approx(tolerance)


def test_an_unpaced_load_has_no_rate_to_keep():
    spec = named_workload("oltp-select", load={"iodepth": [4]})
    expected = expectation(spec, planned_points(spec)[0])
    assert (expected.target_iops, expected.rate_tolerance) == (None, 0.01)


def test_the_error_number_of_a_result(recorded):
    assert error_of(recorded("enospc_4jobs_rc4.stdout"), "f") == 28
    assert error_of(recorded("rw75.json"), "f") == 0
    assert error_of(None, "f") == 0


def ran(share, *, levels=None):
    """A result that ran for this share of 100 s, its I/Os at these depths."""
    part = {"total_ios": 1000, "runtime": round(share * 100_000), "iops": 10.0,
            "lat_ns": {"mean": 1.0, "N": 1000}}  # fmt: skip
    job = {"jobname": "load", "error": 0, "read": part, "iodepth_level": levels or {}}
    return Outcome(0, json.dumps({"fio version": "fio-3.33", "jobs": [job]}))


@pytest.mark.parametrize(
    ("share", "accepted"), [(1.0, True), (0.9, True), (0.899, False), (0.6, False), (0.5, False)]
)
def test_a_direction_must_have_run_for_nine_tenths_of_the_time(share, accepted):
    judged = judge(ran(share), expect("load", "read", runtime_s=100.0))
    assert judged.accepted is accepted
    if not accepted:
        assert judged.reason == f"job 'load' did reads for {share * 100:g} s of 100 s"


@pytest.mark.parametrize(
    ("levels", "share"),
    [
        ({"1": 100.0}, None),
        ({"1": 99.0, "32": 1.0}, None),
        ({"1": 99.0, ">=64": 1.0}, None),
        ({"1": 98.0, ">=64": 2.0}, "2%"),
        ({"1": 79.0, ">=64": 21.0}, "21%"),
    ],
)
def test_more_than_one_in_a_hundred_paced_ios_at_a_full_queue_are_told(levels, share):
    paced = expect("load", "read", runtime_s=100.0, target_iops=10.0)
    told = words(judge(ran(1.0, levels=levels), paced))
    assert [text.split(" ")[0] for text in told] == ([share] if share else [])
    closed = expect("load", "read", runtime_s=100.0)
    assert words(judge(ran(1.0, levels=levels), closed)) == ()


def done(iops, *, seconds=100.0, mean_ns=2e6, **more):
    """A job that read at this rate, as fio writes it."""
    ios = round(iops * seconds)
    return {"error": 0, "read": {"total_ios": ios, "io_bytes": 4096 * ios, "iops": iops,
            "runtime": round(1000 * seconds), "lat_ns": {"mean": mean_ns, "N": ios}},
            **more}  # fmt: skip


def result(*jobs, **more):
    names = (f"load{number or ''}" for number in range(len(jobs)))
    named = [{"jobname": name, **job} for name, job in zip(names, jobs, strict=True)]
    return json.dumps({"fio version": "fio-3.33", "jobs": named, **more})


LOAD = ExpectedJob("load", ("read",), runtime_s=100.0)
BESIDE = ExpectedJob("load1", ("read",), 100.0, role="background", target_iops=10.0)


@pytest.mark.parametrize(
    ("rate", "share"), [(10.0, None), (10.09, None), (9.91, None), (10.2, "102.0%"), (9.8, "98.0%")]
)
def test_a_load_beside_that_missed_its_rate_by_more_than_a_hundredth_is_told(rate, share):
    judged = judge(Outcome(0, result(done(50.0), done(rate))), Expectation((LOAD, BESIDE)))
    assert (judged.accepted, judged.iops, judged.lat_mean_s) == (True, 50.0, 0.002)
    told = [(one.name, one.args) for one in judged.cautions]
    missed = {"achieved_iops": rate, "offered_iops": 10.0}
    assert told == ([("background_missed", missed)] if share else [])
    assert all(share in one.text for one in judged.cautions)


def test_each_target_and_the_load_beside_have_what_they_did():
    """Targets count from 1; the load beside is 0, and in no rate of the point."""
    second = ExpectedJob("load1", ("read",), runtime_s=100.0)
    beside = replace(BESIDE, name="load2")
    jobs = (done(50.0), done(30.0, mean_ns=4e6), done(10.0, mean_ns=None))
    judged = judge(Outcome(0, result(*jobs)), Expectation((LOAD, second, beside)))
    assert judged.iops == 80.0
    assert judged.lat_mean_s == pytest.approx((50 * 0.002 + 30 * 0.004) / 80)
    assert judged.io_bytes == 8000 * 4096
    assert [(s.target, s.direction, s.ios, s.iops, s.lat_mean_s) for s in judged.shares] == [
        (1, "read", 5000, 50.0, 0.002), (2, "read", 3000, 30.0, 0.004),
        (0, "read", 1000, 10.0, None),
    ]  # fmt: skip
    alone = judge(Outcome(0, result(done(50.0))), Expectation((LOAD,)))
    assert alone.shares == ()


def test_of_a_target_without_a_rate_the_point_has_none():
    second = ExpectedJob("load1", ("read",), runtime_s=100.0)
    jobs = (done(50.0), done(0.0, mean_ns=None))
    judged = judge(Outcome(0, result(*jobs)), Expectation((LOAD, second)))
    assert judged.reason == "job 'load1' completed no reads"


@pytest.mark.parametrize(("seconds", "told"), [(110.0, []), (110.1, ["overran"])])
def test_a_load_that_ran_on_is_told(seconds, told):
    judged = judge(Outcome(0, result(done(50.0, seconds=seconds))), Expectation((LOAD,)))
    assert [one.name for one in judged.cautions] == told
    assert [one.args for one in judged.cautions] == [
        {"ran_s": seconds, "asked_s": 100.0} for _ in told
    ]


def test_a_measurement_began_so_long_before_fios_last_word():
    judged = judge(Outcome(0, result(done(50.0), timestamp_ms=1_000_500_000)), Expectation((LOAD,)))
    assert judged.measured_unix_s == 1_000_500 - 100.0
    assert judge(Outcome(0, result(done(50.0))), Expectation((LOAD,))).measured_unix_s is None


HOSTS = (("a", 8765), ("b", 8766))


def of_clients(*hosts, **more):
    rows = [{"jobname": "load", "hostname": name, "port": port, **done(50.0), **more}
            for name, port in hosts]  # fmt: skip
    return json.dumps({"fio version": "fio-3.33", "client_stats": rows})


def test_rates_of_several_hosts_add_up():
    judged = accept(Outcome(0, of_clients(*HOSTS)), Expectation((LOAD,)), "fio.json", HOSTS)
    assert (judged.accepted, judged.iops, judged.lat_mean_s) == (True, 100.0, 0.002)


@pytest.mark.parametrize(
    ("text", "blamed"),
    [(of_clients(HOSTS[0]), "b:8766"), (of_clients(*HOSTS, error=5), "a:8765"),
     (of_clients(*HOSTS), None), ("no result", None)],
)  # fmt: skip
def test_of_a_run_that_failed_the_host_is_named_that_made_it_fail(text, blamed):
    outcome = Outcome(1, text, stderr="client lost")
    reason = accept(outcome, Expectation((LOAD,)), "fio.json", HOSTS).reason
    if blamed is None:
        assert reason == "fio ended with exit code 1: client lost"
    else:
        assert blamed in reason
        assert reason.endswith(" (fio ended with exit code 1: client lost)")


@pytest.mark.parametrize(("still_s", "told"), [(None, []), (20.0, ["stall"])])
def test_where_an_accepted_load_stood_still_is_told(still_s, told):
    found = list(stalls(result(done(50.0)), Expectation((LOAD,)), {100.0: still_s}.get))
    assert [one.name for one in found] == told


def test_a_stall_is_looked_for_in_the_time_that_the_load_ran_and_in_its_slowest_io():
    """One I/O of 3 s, where half took 2 ms or less."""
    job = done(50.0)
    job["read"]["lat_ns"] |= {"max": 3e9, "percentile": {"50.000000": 2e6}}
    asked = []
    found = list(stalls(result(job), Expectation((LOAD,)), asked.append))
    assert asked == [100.0]
    assert [one.name for one in found] == ["slow_io"]
