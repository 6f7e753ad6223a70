"""Results of elbencho beside each other and beside fio's: what they state is a condition."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from places import TESTS

import perfkit as pk
from perfkit.analysis.compare.asked import changes_of
from perfkit.analysis.compare.conditions import conditions, mismatches
from perfkit.cli.app import run
from perfkit.core.errors import AnalysisError

DATA = TESTS / "data"


@pytest.fixture
def compared(tmp_path):
    """Two recorded results as a study labels them, compared."""

    def compare(first, second, load=None, **options):
        entries = []
        for config, name in zip("ab", (first, second), strict=True):
            shutil.copy(DATA / name, tmp_path / f"{config}-{Path(name).name}")
            given = f", load: {load}" if load else ""
            entries.append(
                f"  - {{files: '{config}-*', labels: {{config: {config}, workload: w}}{given}}}\n"
            )
        (tmp_path / "study.yml").write_text(
            "report: {title: T}\nnotebook: compare\nevidence:\n" + "".join(entries)
        )
        found = pk.open_study(tmp_path).read_evidence()
        return pk.compare(found.load_points, found.get("job_options"), **options)

    return compare


def differs(found):
    """In what the conditions of each change differ."""
    return {
        dict(item.arguments)["fields"] for change in changes_of(found) for item in change.cautions
        if item.name == "conditions_differ"
    }  # fmt: skip


def test_json_and_csv_of_one_run_have_one_name_and_the_same_options():
    """The label stands in a column of CSV, and in JSON in the command alone."""
    by_form = [pk.read(DATA / f"elbencho/iterations.{form}") for form in ("json", "csv")]
    assert [set(own.load_points.frame["workload"]) for own in by_form] == [{"iter"}, {"iter"}]
    told = [dict(own.job_options.frame.select("option", "value").rows()) for own in by_form]
    assert told[0] == told[1]
    assert told[0] == {
        "engine": "elbencho", "direct": "yes", "pattern": "random", "size": str(2**28),
        "rate_limit": "no", "hosts": "1",
    }  # fmt: skip


def test_a_limited_run_is_not_compared_with_a_free_one(compared):
    """1,024 IOPS at a limit of 2 MiB/s a thread say nothing of what storage can do."""
    pair = ("elbencho/limitread.json", "elbencho/iterations.json")
    assert re.search(r"rate_limit differs \(read 2m against no\)", compared(*pair).reason)
    found = compared(*pair, allow="rate_limit")
    assert differs(found) == {"rate limit differs (read 2m against no)"}


def test_buffered_reads_are_not_compared_with_direct_ones(compared):
    points = pk.read(DATA / "elbencho/seq_wr.json").job_options.frame
    assert set(points.filter(option="direct")["value"]) == {"yes"}
    cached = pk.read(DATA / "elbencho/dropcache.json").job_options.frame
    assert set(cached.filter(option="direct")["value"]) == {"no"}


def test_two_services_are_not_compared_with_one(compared):
    pair = ("elbencho/rwmix75.json", "elbencho/two_rwmix75.json")
    load = "{kind: iodepth, table: {a-rwmix75.json: 16, b-two_rwmix75.json: 16}}"
    assert re.search(r"hosts differs \(1 against 2\)", compared(*pair, load=load).reason)


def test_fio_and_elbencho_are_told_apart_and_marked(compared):
    pair = ("fio/rw75.json", "elbencho/rwmix75.json")
    load = "{kind: iodepth, table: {a-rw75.json: 16, b-rwmix75.json: 16}}"
    assert re.search(r"tool differs \(fio against elbencho\)", compared(*pair, load=load).reason)
    marks = differs(compared(*pair, load=load, allow=["tool", "active_set_bytes"]))
    assert len(marks) == 1
    assert "tool differs (fio against elbencho)" in marks.pop()


@pytest.mark.parametrize(
    ("options", "pattern", "limit"),
    [
        ({"rw": "randread"}, "random", "no"),
        ({"rw": "write:4k"}, "sequential", "no"),
        ({"readwrite": "randrw", "rate_iops": "100"}, "random", "100"),
        ({"bs": "4k"}, None, None),
    ],
)
def test_what_fio_s_options_say_of_pattern_and_limit(options, pattern, limit):
    points = [{"workload": "w", "load_kind": "iodepth", "direction": "total", "iops": 1.0,
               "bw_bytes_per_s": 1.0}]  # fmt: skip
    rows = [{"option": name, "value": value} for name, value in options.items()]
    fields = conditions(points, rows).fields
    assert (fields["pattern"], fields["rate_limit"]) == (pattern, limit)
    assert fields["tool"] == (None if pattern is None else "fio")
    assert fields["distribution"] == (None if pattern is None else "uniform")
    paced = conditions([{**points[0], "load_kind": "rate_iops"}], rows).fields
    assert paced["rate_limit"] is None


@pytest.mark.parametrize(
    ("sweep", "job", "field"),
    [
        ({}, {}, None),
        ({"think_time_s": "0.001"}, {"thinktime": "1000"}, None),
        ({"distribution": "zipf:1.2"}, {}, "distribution"),
        ({}, {"random_distribution": "random", "fsync": "0"}, None),
        ({}, {"bssplit": "8k/50:64k/50"}, "block_mix"),
        ({}, {"thinktime": "500"}, "think_time"),
        ({"fsync_every": "16"}, {"fsync": "32"}, "fsync_every"),
        ({"data.dedupe_percent": "30"}, {}, "dedupe_percent"),
        ({}, {"buffer_compress_percentage": "50"}, "compress_percent"),
    ],
)
def test_the_shape_of_a_load_is_part_of_what_must_agree(sweep, job, field):
    """A sweep of perfkit's against fio's options; what neither says is as fio does it."""
    points = [{"workload": "w", "load_kind": "iodepth", "direction": "total", "iops": 1.0,
               "bw_bytes_per_s": 1.0}]  # fmt: skip
    said = ({"pattern": "random", "ioengine": "libaio", **sweep}, {"rw": "randread", **job})
    sides = [
        conditions(points, [{"option": name, "value": value} for name, value in each.items()])
        for each in said
    ]
    differ = {*mismatches(*sides)} - {"direct", "engine", "rate_limit"}
    assert differ == ({field} if field else set())


def test_a_result_without_a_load_says_how_to_name_one(compared):
    with pytest.raises(AnalysisError, match=r"no load: name it in the study, such as load: \{kind"):
        compared("elbencho/rwmix75.json", "elbencho/two_rwmix75.json")


@pytest.mark.slow
def test_a_report_of_two_single_results_says_what_it_cannot_compare(tmp_path):
    """One load point each: no common latency and no common IOPS, and still a report."""
    shutil.copy(DATA / "elbencho/iterations.json", tmp_path / "a.json")
    shutil.copy(DATA / "elbencho/iterations.json", tmp_path / "b.json")
    (tmp_path / "study.yml").write_text(
        "report: {title: T, date: 2026-03-04}\nnotebook: compare\nevidence:\n"
        "  - {files: a.json, labels: {config: a}}\n  - {files: b.json, labels: {config: b}}\n"
    )
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == 0


def test_a_genio_ramp_is_no_curve_of_fio(tmp_path):
    """Offered rates against a closed loop: refused, or allowed by name and marked everywhere."""
    from forges import make

    make("genio-ramp", tmp_path / "genio", seed=1, options={})
    shutil.copy(DATA / "fio/rw75.json", tmp_path / "fio.json")
    study = (
        "report: {title: T}\nnotebook: compare\nevidence:\n"
        "  - files: genio/no-policy/epic-rhel1/summary.csv\n"
        "    labels: {config: genio, workload: w}\n"
        "  - {files: fio.json, labels: {config: fio, workload: w}}\n"
    )
    (tmp_path / "study.yml").write_text(study)
    found = pk.open_study(tmp_path).read_evidence(tables=["load_points", "job_options"])
    points, options = found.load_points, found.get("job_options")
    assert "kinds of load (w by iodepth; w by target" in pk.compare(points, options).reason
    marks = differs(pk.compare(points, options, allow="load_kind"))
    assert marks == {"load kind differs (iodepth against target_iops)"}
