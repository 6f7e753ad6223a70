"""Warnings of runs as cautions on the rows they touch, in every table of results."""

import ast
import json
from pathlib import Path

import pytest

from perfkit import measure as runners
from perfkit.core.cautions import WORDS, from_json, places
from perfkit.measure.record.cautions import OF, noted
from perfkit.sources.cautioned import QUIET, SAID, cautions_of
from perfkit.sources.elbencho.flows import COARSE
from perfkit.sources.fio.read import read_fio
from perfkit.sources.rundir.read import read_run

TEXTS = {
    "21% of the paced I/Os found the queue full: the depth, and not the offered rate, set the pace":
        "21% of the paced I/Os of P found the queue full",
    "a:8765: 3% of the paced I/Os found the queue full: the depth, and not the offered rate, set "
    "the pace": "3% of the paced I/Os of P found the queue full",
    "achieved 61.3% of the offered 5000 IOPS (tolerance 1.0%)":
        "P did not keep its offered rate: 61.3% of it",
    "paced: latency counts from the issue of an I/O, not from when it was due":
        "the latency of P counts from the issue of an I/O, not from its due time",
    "drain-002 took 50 s, longer than the period of 45 s: it overlaps the next one":
        "drain 2 of P took 50 s, longer than its period of 45 s",
    "the first thread was done 2.5 s before the last: the load was not the same over the whole "
    "time": "the first thread of P finished 2.5 s before the last",
    "steady state was not attained in 25 rounds: in the last five iops moved by 36% of its mean, "
    "its best-fit line by 36%": "steady state was not attained before P",
    "job 'ss': steady state iops_slope:5% was not reached":
        "the steady state that was asked for was not reached in P",
    "the target is on tmpfs: this measures memory, not storage":
        "the target is on tmpfs: this measures memory, not storage",
    "the device was read as it was found: blocks that were never written may be answered without "
    "touching the medium": WORDS["device_as_found"],
    "fio noted: note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will "
    "be capped at 1": "the engine of P keeps one I/O in flight a job, whatever its depth",
    "group 0: run times from 900 to 1000 ms; rates over all jobs are over the longest":
        "the jobs of P did not run for the same time: the shortest 900 ms, the longest 1000 ms; "
        "the rate is over the longest",
    "job 'a', read: latency of 9 I/Os, and 100 were done":
        "the latency of P covers 9 I/Os, and 100 were done",
    "job 'idle' did no I/O": "job 'idle' of P did no I/O",
    "client/server result of one client, without a sum over clients: fio does not say whether "
    "another one failed": "P is the result of one client, and nothing says whether another one "
    "failed",
    COARSE: WORDS["coarse_latency"].format(width="19%"),
    "a:1: stall: no I/O completed for at least 3 s of 30 s": "P did no I/O for 3 s",
    "something new": "P: something new",
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), TEXTS.items())
def test_each_warning_has_its_words(text, words):
    (found,) = cautions_of([text], of="P")
    if text == COARSE:
        assert found.name == "coarse_latency"
        return
    assert found.text == words


@pytest.mark.parametrize(
    "text",
    [
        "2 interim results before the last one were left out (status-interval)",
        "3 lines of text around the JSON were not read",
        "read: too few I/Os for p99.99 (p99.99 needs 100,000)",
        "total: no histogram of latency: percentiles are null",
        "no host.csv: the host was not sampled while it ran",
        "host sampling stopped: [Errno 5]",
        "the time series could not be kept: ValueError('x')",
    ],
)
def test_what_touches_no_number_stays_a_warning_of_the_file(text):
    assert cautions_of([text], of="P") == ()


def test_every_entry_names_a_caution_and_gives_its_arguments():
    for pattern, name in SAID:
        if name:
            wanted = set(pattern.groupindex) | {"of"}
            WORDS[name].format(**dict.fromkeys(wanted, "x"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("swapping", "a:1: swapping: 3 MiB were read from swap space and 2 GiB written to it",
         "3 MiB was read from the host's swap space during P, and 2 GiB written to it"),
        ("throttled", "throttled: the hypervisor gave 12% of the processors' time to others",
         "the host's processors were slowed during P: the hypervisor gave 12% of the processors' "
         "time to others"),
        ("other I/O", "other I/O: 34% of what sda moved (3 MiB/s) was not this load's",
         "34% of what the target's disk moved during P belonged to another load"),
        ("busy host", "busy host: its processors were 97% busy before the run",
         "the host was 97% busy before the run"),
        ("busy host", "busy host: other programs used 20% of the processors' time",
         "other programs used 20% of the processors' time during P"),
        ("busy host", "busy host: its processors were 99% busy, so that it may have set the pace "
         "itself", "the host's processors were 99% busy during P, so it may itself have set "
         "the pace"),
        ("stall", "stall: no I/O completed for at least 3 s of 30 s", "P did no I/O for 3 s"),
        ("stall", "stall: one I/O took 3.00 s, and most 400 µs", "one I/O of P took 3.00 s"),
        ("overran", "ran for 12.5 s where 10 s were asked for", "P ran for 12.5 s instead of 10 s"),
        ("device as found", "in new words", WORDS["device_as_found"]),
        ("unheard of", "of a newer perfkit", "P: of a newer perfkit"),
    ],
)  # fmt: skip
def test_a_caution_recorded_without_arguments_is_known_by_its_text_or_its_name(name, text, words):
    records = [{"name": name, "text": text, "args": {}, "host": None}]
    # the same text among the warnings is not told twice
    assert [c.text for c in cautions_of([text], records, of="P")] == [words]


@pytest.mark.parametrize("name", ["host not sampled", "no time series", *sorted(QUIET)])
def test_a_recorded_caution_that_touches_no_number_is_none(name):
    assert cautions_of([], [{"name": name, "text": "x"}], of="P") == ()


@pytest.mark.parametrize("records", [None, {}, "x", [1, None], [{}]])
def test_records_of_another_form_do_no_harm(records):
    assert cautions_of([], records, of="P") == ()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("unheard_of", {"time": "3 s"}),
        ("stall", {}),
        ("stall", {"time": 3}),
        ("stall", {"of": "Q"}),
    ],
)
def test_a_record_that_its_name_does_not_fit_is_told_by_its_text(name, arguments):
    record = {"name": name, "arguments": arguments, "text": "as it was said"}
    (found,) = cautions_of(["as it was said"], [record], of="P")
    assert found.text == "P: as it was said"


# --- from the runner ----------------------------------------------------------------------------


def given_names():
    """Every name by which the runner notes a caution."""
    return {
        node.args[0].value
        for path in Path(runners.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "noted"
    }


def test_every_name_that_the_runner_gives_is_read_with_the_same_words(builder):
    """No text of the record is looked at: it could say anything."""
    names = sorted(given_names())
    assert len(names) >= 18
    said = [
        noted(name, f"in own words {name}", args={"n": 1}, host="a:1",
              **{place: f"{place} of {name}" for place in places(name) - {"of"}})
        for name in names
    ]  # fmt: skip
    builder.point("iodepth-1-r1", "numjobs4_nogroup_jsonplus.json",
                  cautions=[each.record() for each in said],
                  warnings=[each.text for each in said])  # fmt: skip
    found = read_run(builder.write())
    rows = found.cautions.frame.select("name", "args", "host", "text").rows()
    assert rows == [(each.name, '{"n": 1}', "a:1", each.text) for each in said]
    (text,) = set(found.load_points.frame["cautions"])
    of = "oltp-select at iodepth 1 (repeat 1)"
    read = {item.name: item.text for item in from_json(text)}
    assert {name: words for name, words in read.items() if name in names} == {
        each.name: each.caution.text.replace(OF, of)
        for each in said if each.name not in QUIET
    }  # fmt: skip


def test_a_run_recorded_without_arguments_is_read_with_the_names_of_now(builder):
    records = [
        {"name": name, "text": text, "args": {"n": 1}, "host": None} for name, text in BEFORE
    ]
    builder.point("iodepth-1-r1", "numjobs4_nogroup_jsonplus.json", cautions=records,
                  warnings=[text for _, text in BEFORE])  # fmt: skip
    found = read_run(builder.write())
    assert found.cautions.frame["text"].to_list() == [text for _, text in BEFORE]
    assert found.cautions.frame["name"].to_list() == [
        "host_at_limit", "shared_target", "slow_io", "issue_time", "memory_target",
        "host_not_sampled", "unheard_of",
    ]  # fmt: skip
    told = [item.name for item in found.load_points.cautions]
    assert told[:6] == [
        "host_at_limit", "shared_target", "slow_io", "issue_time", "memory_target", "reported",
    ]  # fmt: skip


BEFORE = (
    ("busy host",
     "busy host: its processors were 99% busy, so that it may have set the pace itself"),
    ("other I/O", "other I/O: 34% of what sda moved (3 MiB/s) was not this load's"),
    ("stall", "stall: one I/O took 3.00 s, and most 400 µs"),
    ("paced", "paced: latency counts from the issue of an I/O, not from when it was due"),
    ("memory", "the target is on tmpfs: this measures memory, not storage"),
    ("host not sampled", "host sampling stopped: [Errno 5]"),
    ("unheard of", "something else"),
)  # fmt: skip
"""Names and texts as they were recorded before cautions had arguments."""


# --- in the tables ----------------------------------------------------------------------------


@pytest.fixture
def run(builder):
    builder.point("iodepth-1-r1", "numjobs4_nogroup_jsonplus.json")
    builder.point("iodepth-2-r1", "rw75_jsonplus.json", directions=("read", "write"))
    return builder.write()


def warn(run, point, *texts):
    path = run / "points" / point / "point.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "warnings": list(texts)}))


def test_a_warning_of_a_point_stands_on_all_of_its_rows_and_on_no_other(run):
    warn(run, "iodepth-2-r1", "21% of the paced I/Os found the queue full: the depth")
    found = read_run(run)
    for name in ("load_points", "percentiles", "histogram", "points"):
        frame = found[name].frame
        told = set(frame.filter(load=2)["cautions"])
        assert len(told) == 1, name
        (text,) = json.loads(told.pop())
        assert (text["name"], text["share"]) == ("saturated_queue", "21%")
        assert text["of"].endswith(" at iodepth 2 (repeat 1)")
        assert "saturated_queue" not in str(frame.filter(load=1)["cautions"].to_list())


def test_points_that_are_missing_are_told_beside_those_that_are_there(run):
    planned = json.loads((run / "run.json").read_text())
    planned["points_planned"].append("iodepth-4-r1")
    (run / "run.json").write_text(json.dumps(planned))
    told = {item.text for item in read_run(run).load_points.cautions}
    assert "2 of 3 planned points gave a result: the others are in none of the numbers" in told


def test_a_fio_files_warnings_stand_on_its_load_points(fio_data):
    quiet = read_fio(fio_data / "rw75_jsonplus.json").load_points
    assert quiet.cautions == ()
