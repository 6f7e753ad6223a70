"""What one piece of evidence answers by itself: the facts beside it, and what must agree."""

import json

import polars as pl
import pytest
from forges import genio
from forges.awr import forge_html, sample
from forges.sas import Log, Step
from places import TESTS

import perfkit as pk
from perfkit.analysis.pieces import awr, curves, sas
from perfkit.analysis.pieces import genio as of_genio
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Reading, measured

FIO = TESTS / "data" / "fio" / "rw75_jsonplus.json"


def reading(**changed):
    """A real result of fio, with other tables in place of its own."""
    found = pk.read(FIO)
    tables = {name: found[name] for name in ("load_points", "job_options")}
    return Reading({**tables, **changed}, found.evidence)


def told(*rows):
    facts = pl.DataFrame(rows, schema=["group", "fact", "value"], orient="row")
    answered = curves.answers(reading(host=measured(facts, "x"))).frame
    return json.loads(answered.row(0, named=True)["facts"])


def test_what_the_hosts_recorded_of_themselves_is_a_fact_each_value_once():
    """Of three hosts two have one kernel; how busy a host was explains no change."""
    found = told(
        ("os", "kernel", "5.14"), ("os", "kernel", "6.1"), ("os", "kernel", "5.14"),
        ("os", "tuned", None), ("host", "memory_free_bytes", "1"),
        ("host", "background_cpu_busy_ratio", "0.1"),
    )  # fmt: skip
    assert found["os.kernel"] == "5.14, 6.1"
    assert {name for name in found if not name.startswith("option.")} == {
        "os.kernel", "tool_version",
    }  # fmt: skip


def test_an_option_of_which_the_load_points_differ_is_no_fact_of_them():
    options = pk.read(FIO)["job_options"].frame
    other = options.with_columns(
        value=pl.when(pl.col("option") == "bs").then(pl.lit("8k")).otherwise("value")
    )
    both = measured(pl.concat([options, other]), "x")
    row = curves.answers(reading(job_options=both)).frame.row(0, named=True)
    assert json.loads(row["facts"]) == {
        "tool_version": "3.33", "option.filename": "data/f1", "option.rwmixread": "75",
        "option.iodepth": "16",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("size", "ratio", "key"),
    [(4096.0, 0.75, (4096, 0.75)), (4300.0, 0.7549, (4096, 0.75)), (4400.0, 0.7551, (4608, 0.76)),
     (100.0, 0.75, (512, 0.75))],
)  # fmt: skip
def test_measured_sizes_and_mixes_agree_in_sectors_and_whole_percents(size, ratio, key):
    """A run's mean size is a little beside the one that was asked for; none is below a sector."""
    iops = pl.col("direction").replace_strict({"read": ratio, "write": 1 - ratio, "total": 1.0})
    points = pk.read(FIO).load_points.frame.with_columns(iops=1000 * iops)
    points = points.with_columns(bw_bytes_per_s=size * pl.col("iops"))
    row = curves.answers(reading(load_points=measured(points, "x"))).frame.row(0, named=True)
    found = json.loads(row["conditions_key"])
    assert (found["read_block_size_bytes"], found["read_ratio"]) == key


def test_of_reads_alone_there_is_one_curve_and_without_points_no_answer():
    points = pk.read(FIO).load_points.frame
    alone = measured(points.filter(pl.col("direction") != "write"), "x")
    assert set(curves.answers(reading(load_points=alone)).frame["direction"]) == {"total"}
    with pytest.raises(AbsentError, match="there are no load points"):
        curves.answers(reading(load_points=measured(points.clear(), "x")))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("awr") / "awr.html"
    path.write_bytes(forge_html(sample()).data)
    return pk.read(path)


def test_an_awr_report_answers_under_its_database_with_what_may_explain_a_change(report):
    found = awr.answers(report).frame
    head = report["report"].frame.row(0, named=True)
    row = found.row(0, named=True)
    assert (row["metric"], row["subject"]) == ("db_time_per_elapsed_ratio", head["db_name"])
    assert row["value"] == pytest.approx(head["db_time_s"] / head["elapsed_s"])
    assert json.loads(row["conditions_key"]) == {
        "database": head["db_name"], "instance": head["instance_name"], "scope": "single",
        "period": awr.period_of(head["elapsed_s"]),
    }  # fmt: skip
    facts = json.loads(row["facts"])
    assert facts["until"] == str(head["end_time"])
    assert facts["release"] == head["release"]
    given = {name[10:]: value for name, value in facts.items() if name.startswith("parameter.")}
    rows = report["parameters"].frame.rows(named=True)
    assert given == {row["parameter"]: row["end_value"] or row["value"] for row in rows
                     if row["end_value"] or row["value"]}  # fmt: skip


def test_a_report_gives_its_rates_over_reads_and_writes_and_the_waits_that_it_lists(report):
    found = awr.answers(report).frame
    total = report["load_points"].frame.filter(direction="total").row(0, named=True)
    values = dict(found.select("metric", "value").rows())
    assert values["iops"] == total["iops"]
    assert values["bw_bytes_per_s"] == total["bw_bytes_per_s"]
    waits = found.filter(metric="lat_mean_s")["key"].to_list()
    assert [json.loads(key) for key in waits]
    none = report["load_points"].frame.filter(pl.col("direction") != "total")
    tables = {name: report[name] for name in ("report", "wait_events", "parameters")}
    without = Reading({**tables, "load_points": measured(none, "x")}, report.evidence)
    missing = awr.answers(without).frame.filter(metric="iops").row(0, named=True)
    assert (missing["status"], missing["reason"]) == ("missing", "the report does not give it")


def test_several_reports_or_none_are_no_piece_of_one(report):
    head = report["report"].frame
    for reports in (head.clear(), pl.concat([head, head])):
        with pytest.raises(AbsentError, match="it is not one report"):
            awr.answers(Reading({"report": measured(reports, "x")}, report.evidence))
    with pytest.raises(AbsentError, match="it is not one report"):
        awr.answers(Reading({}, report.evidence))


@pytest.mark.parametrize(
    ("minutes", "told"),
    [(15, "11 to 21"), (21, "11 to 21"), (22, "21 to 42"), (60, "42 to 85"), (0, None),
     (-5, None)],
)  # fmt: skip
def test_the_period_of_a_report_is_told_by_a_factor_of_two(minutes, told):
    assert awr.period_of(60.0 * minutes) == (f"reports of {told} min" if told else None)


def test_each_run_of_genio_answers_in_each_metric_that_it_has(tmp_path):
    genio.ramp(tmp_path / "made", 1, cases=("policy",), runs=2)
    read = pk.read(next((tmp_path / "made").rglob("summary.csv")), kind="genio")
    runs = read["genio_runs"].frame
    found = of_genio.answers(read).frame
    for name in ("longest_write_cycle_s", "longest_wij_time_s", "effective_write_latency_s"):
        assert found.filter(metric=name)["value"].to_list() == runs[name].drop_nulls().to_list()
    row, run = found.row(0, named=True), runs.row(0, named=True)
    assert row["subject"] == run["host"]
    key = json.loads(row["conditions_key"])
    assert (key["host"], key["target_iops"]) == (run["host"], run["target_iops"])
    unnamed = runs.with_columns(pl.lit(None, pl.String).alias("host"))
    unnamed = unnamed.with_columns(pl.lit(None, pl.String).alias("system"))
    told = of_genio.answers(Reading({"genio_runs": measured(unnamed, "x")}, read.evidence)).frame
    assert set(told["subject"]) == {"the server"}
    with pytest.raises(AbsentError, match="no runs of GenIO"):
        of_genio.answers(Reading({"genio_runs": measured(runs.clear(), "x")}, read.evidence))


def test_a_sas_log_answers_under_its_name_without_the_date(tmp_path):
    path = tmp_path / "nightly_2026-11-20.log"
    path.write_bytes(Log([Step(real_ms=2_000), Step(name="SORT", real_ms=7_000)]).data())
    read = pk.read(path)
    found = sas.answers(read).frame
    whole = found.filter(question="sas_time_in_steps").row(0, named=True)
    assert (whole["subject"], whole["value"]) == ("nightly_.log", 9.0)
    assert set(found["conditions_key"]) == {'{"log": "nightly_.log"}'}
    session = read["sessions"].frame.row(0, named=True)
    facts = json.loads(whole["facts"])
    assert facts == {name: session[name] for name in sas.FACTS if session[name] is not None}
    with pytest.raises(AbsentError, match="it is not a SAS log"):
        sas.answers(Reading({}, read.evidence))
