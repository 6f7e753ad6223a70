"""Run directories: only accepted points that are whole; the others are counted, never guessed."""

import json
import shutil
from types import SimpleNamespace

import polars as pl
import pytest
from places import TESTS

import perfkit as pk
from perfkit.analysis.over_time.prepared import verified, warm_ups
from perfkit.core import schema, stats
from perfkit.core.answers import from_frame
from perfkit.core.cautions import from_json, in_words
from perfkit.core.errors import ParseError, UsageError
from perfkit.core.evidence import Evidence
from perfkit.formats.fio_series import RATE_FILE, file_of
from perfkit.formats.json_node import Node
from perfkit.sources import RUN, kind_of, read
from perfkit.sources.fio.read import read_fio
from perfkit.sources.rundir import schema as run_schema
from perfkit.sources.rundir.point import _mixes_targets
from perfkit.sources.rundir.read import read_run
from perfkit.sources.rundir.result import ELBENCHO_FILE, READERS
from perfkit.sources.rundir.series import LIVE_FILE, Timing, series_rows, stream_rows
from perfkit.sources.rundir.tables import _service_points

TABLES = {
    "load_points": schema.LOAD_POINTS,
    "control_points": schema.LOAD_POINTS,
    "rounds": schema.LOAD_POINTS,
    "host_points": schema.LOAD_POINTS,
    "steady_state": run_schema.RUN_STEADY_STATE,
    "warm_ups": run_schema.RUN_WARM_UPS,
    "verification": run_schema.RUN_VERIFICATION,
    "series": run_schema.RUN_SERIES,
    "streams": run_schema.RUN_STREAMS,
    "percentiles": run_schema.RUN_PERCENTILES,
    "histogram": run_schema.RUN_HISTOGRAM,
    "points": run_schema.RUN_POINTS,
    "cautions": run_schema.RUN_CAUTIONS,
    "cycles": run_schema.RUN_CYCLES,
    "host_series": run_schema.RUN_HOST_SERIES,
    "observed": run_schema.RUN_OBSERVED,
    "events": run_schema.RUN_EVENTS,
    "by_target": run_schema.RUN_TARGETS,
    "job_options": run_schema.RUN_JOB_OPTIONS,
    "commands": run_schema.RUN_COMMANDS,
    "disk_util": run_schema.RUN_DISK_UTIL,
    "host": run_schema.RUN_HOST,
    "spec": run_schema.RUN_SPEC,
}


@pytest.fixture
def run(builder):
    """Two points, one read only and one mixed."""
    builder.point("iodepth-1-r1", "numjobs4_nogroup_jsonplus.json")
    builder.point("iodepth-2-r1", "rw75_jsonplus.json", directions=("read", "write"))
    return builder.write()


def point_json(run, point, /, **changes):
    path = run / "points" / point / "point.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_events_and_targets_of_a_point_are_rows_of_its_own(run):
    event = {"t_s": 3.5, "name": None, "took_s": 0.1, "text": "path out", "problem": None, "utc": 1}
    target = {"target": 0, "host": None, "direction": "read", "ios": 7, "io_bytes": 28672,
              "iops": 3.5, "lat_mean_s": 0.001}  # fmt: skip
    point_json(run, "iodepth-1-r1", events=[event], by_target=[target], measured_from_s=1.25)
    reading = read_run(run)
    [told] = reading["events"].frame.rows(named=True)
    assert (told["point"], told["t_s"], told["text"]) == ("iodepth-1-r1", 3.5, "path out")
    [told] = reading["by_target"].frame.rows(named=True)
    assert {name: told[name] for name in target} == target
    begun = {row["point"]: row["measured_from_s"] for row in reading.points.frame.rows(named=True)}
    assert begun == {"iodepth-1-r1": 1.25, "iodepth-2-r1": None}
    point_json(run, "iodepth-1-r1", events=[{"t_s": "noon"}])
    with pytest.raises(ParseError, match=r"events\[0\]"):
        read_run(run)


def run_json(run, **changes):
    path = run / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return RUN.read(run)


WARMED = [{"of": "IOPS", "values": [9, 5, 5.1, 5], "warm": True, "ended_utc": "x"},
          {"of": "a.hits", "values": [-1], "warm": False, "ended_utc": "x"}]  # fmt: skip


def test_each_round_of_each_warm_up_is_a_row_and_its_outcome_is_said(run):
    found = run_json(run, warm_ups=WARMED)
    rows = found.warm_ups.frame.select("call", "of", "round", "value", "warm").rows()
    assert rows == [(1, "IOPS", 1, 9, True), (1, "IOPS", 2, 5, True), (1, "IOPS", 3, 5.1, True),
                    (1, "IOPS", 4, 5, True), (2, "a.hits", 1, -1, False)]  # fmt: skip
    warm, cold = from_frame(warm_ups(found.warm_ups).frame)
    assert (warm.status, warm.got.value, warm.subject.get("watched")) == ("measured", 4, "IOPS")
    assert (cold.status, cold.subject.get("watched")) == ("not_reached", "a.hits")
    with pytest.raises(ParseError, match=r"run.json: warm_ups\[0\].values\[0\]: 'x' is not a num"):
        run_json(run, warm_ups=[{**WARMED[0], "values": ["x"]}])


@pytest.mark.parametrize("name", ["of", "values", "warm"])
def test_a_warm_up_without_its_outcome_is_damaged(run, name):
    warmed = {key: value for key, value in WARMED[0].items() if key != name}
    with pytest.raises(ParseError, match=rf"run.json: warm_ups\[0\].{name}: is missing"):
        run_json(run, warm_ups=[warmed])


CHECKED = {"verified": True, "checksum": "crc32c", "block_bytes": 8192, "verified_bytes": 1 << 20,
           "wrong_at_byte": None, "problem": None, "ended_utc": "x"}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "question", "status", "value"),
    [
        ({}, "verified_bytes", "measured", 1 << 20),
        ({"verified": False, "wrong_at_byte": 40960, "problem": "bad crc"}, "wrong_block",
         "measured", 40960),
        ({"verified": False, "problem": "fio died"}, "verified_bytes", "missing", None),
    ],
)  # fmt: skip
def test_a_verification_is_said_and_a_failed_one_counts_against_all_points(
    run, changes, question, status, value
):
    found = run_json(run, verification={**CHECKED, **changes})
    [answer] = from_frame(verified(found.verification).frame)
    assert (answer.question, answer.status) == (question, status)
    assert (answer.estimate.value if answer.estimate else None) == value
    told = {c.name for text in found.load_points.frame["cautions"] for c in from_json(text)}
    assert ("verify_failed" in told) is (changes != {})


def test_every_run_gives_the_same_tables_with_their_schemas(run):
    reading = read_run(run)
    assert list(reading) == list(TABLES)
    assert dict(RUN.tables) == TABLES
    for name, table in TABLES.items():
        assert reading[name].frame.schema == pl.Schema(schema.polars_schema(table)), name


def test_a_folder_with_run_json_is_a_run(run):
    assert kind_of(run) == "perfkit-run"
    assert read(run).load_points.hash == read_run(run).load_points.hash


def test_load_points_have_the_points_keys_and_fios_numbers(run, fio_data):
    points = read_run(run).load_points.frame
    columns = ("workload", "load_kind", "load", "repeat", "direction", "in_flight")
    assert points.select(columns).rows() == [
        ("oltp-select", "iodepth", 1.0, 1, "read", 1.0),
        ("oltp-select", "iodepth", 1.0, 1, "total", 1.0),
        ("oltp-select", "iodepth", 2.0, 1, "read", None),
        ("oltp-select", "iodepth", 2.0, 1, "write", None),
        ("oltp-select", "iodepth", 2.0, 1, "total", 2.0),
    ]  # fmt: skip
    alone = read_fio(fio_data / "rw75_jsonplus.json").load_points.frame
    metrics = [name for name in schema.LOAD_POINTS if name.startswith(("iops", "bw", "lat", "ios"))]
    assert points[2:].select(metrics).equals(alone.select(metrics))


def test_the_hosts_cpu_is_the_mean_after_the_ramp(run):
    """Three samples, ramp 1 s: the first second does not count."""
    points = read_run(run).load_points.frame
    assert points["cpu_busy_ratio"].unique().to_list() == [(0.25 + 0.75) / 2]


def test_samples_of_other_hosts_are_rows_with_their_label(run):
    """The load generators' mean stands beside the load point, not that of the machine here."""
    place = run / "points" / "iodepth-1-r1"
    text = (place / "host.csv").read_text()
    (place / "host-load1.csv").write_text(text)
    (place / "host-load2.csv").write_text(text.replace("2.0,0.25", "2.0,0.75"))
    record = json.loads((run / "run.json").read_text())
    hosts = {name: {"host": {"kernel": name}} for name in ("load1", "load2")}
    (run / "run.json").write_text(json.dumps({**record, "hosts": hosts}))
    reading = read_run(run)
    series = reading.host_series.filter(point="iodepth-1-r1").frame
    assert series["host"].unique(maintain_order=True).to_list() == [None, "load1", "load2"]
    busy = reading.points.filter(point="iodepth-1-r1").frame["cpu_busy_ratio"].to_list()
    assert busy == [((0.25 + 0.75) / 2 + 0.75) / 2]
    assert reading.points.filter(point="iodepth-2-r1").frame["cpu_busy_ratio"].to_list() == [None]
    assert ("host", "kernel", "load2", "load2") in reading.host.frame.rows()
    labels = [part.path for part in reading.evidence.parts]
    assert any(path.endswith("iodepth-1-r1/host-load1.csv") for path in labels)


def test_host_series_keeps_an_empty_cell_null(run):
    series = read_run(run).host_series.filter(point="iodepth-1-r1").frame
    assert series["t_s"].to_list() == [1.0, 2.0, 3.0]
    assert series["disk_read_bytes_per_s"].to_list() == [None, 4096.5, 8192.0]
    assert series["memory_used_bytes"].to_list() == [1000, 1001, 1002]


def test_percentiles_are_those_of_the_merged_histogram(run):
    reading = read_run(run)
    keys = {"point": "iodepth-2-r1", "direction": "total", "kind": "clat"}
    bins = reading.histogram.filter(**keys).frame
    assert bins["count"].sum() == 48435 + 16151
    table = reading.percentiles.filter(**keys).frame
    for percent, value in table.select("percentile", "value_s").rows():
        own = stats.quantiles_from_histogram(bins["value_s"], bins["count"], [percent / 100])
        assert own == [value]
    p99 = table.filter(percentile=99.0)["value_s"].item()
    total = reading.load_points.filter(load=2, direction="total").frame
    assert total["lat_p99_s"].to_list() == [p99]


def test_facts_of_host_target_and_tool_and_the_sweep_are_rows(run):
    reading = read_run(run)
    assert ("target", "device.name", "vda", None) in reading.host.frame.rows()
    assert ("host", "cpu_governor", None, None) in reading.host.frame.rows()
    assert ("load.points", "[1, 2]") in reading.spec.frame.rows()


def test_points_are_listed_with_their_facts(run):
    point = read_run(run).points.filter(point="iodepth-2-r1").frame.row(0, named=True)
    assert (point["order"], point["wall_s"], point["exit_code"]) == (2, 2.4, 0)
    assert point["closed_loop"] is True


def test_each_file_is_a_part_of_the_evidence(run):
    evidence = read_run(run, root=run.parent.parent).evidence
    assert (evidence.kind, evidence.path, evidence.tool_version) == (
        "perfkit-run",
        "runs/try",
        "3.33",
    )
    assert [part.path for part in evidence.parts] == [
        "runs/try/run.json",
        *(
            f"runs/try/points/{point}/{file}"
            for point in ("iodepth-1-r1", "iodepth-2-r1")
            for file in ("point.json", "fio.json", "host.csv")
        ),
    ]
    assert Evidence.from_record(evidence.record()) == evidence


def test_commands_and_job_files_are_read_and_are_evidence(run):
    """As the tool was given them; a run that kept none has none."""
    assert read_run(run).commands.frame.is_empty()
    folder = run / "points/iodepth-1-r1"
    argv = {"argv": ["fio", "--output=a b.json", "job.fio"], "before": [["fio", "fill.fio"]]}
    (folder / "command.json").write_text(json.dumps(argv))
    (folder / "job.fio").write_text("[global]\nbs=8k\n")
    found = read_run(run)
    assert found.commands.frame.select("point", "file", "text").rows() == [
        ("iodepth-1-r1", "command.json", "fio fill.fio\nfio '--output=a b.json' job.fio\n"),
        ("iodepth-1-r1", "job.fio", "[global]\nbs=8k\n"),
    ]
    names = [part.path.rpartition("/")[2] for part in found.evidence.parts]
    assert names.count("job.fio") == names.count("command.json") == 1


def test_a_damaged_command_leaves_its_point_out(run):
    (run / "points/iodepth-1-r1/command.json").write_text('{"argv": "fio"}')
    assert any("argv: is not a list of words" in text for text in read_run(run).evidence.warnings)


def test_the_record_holds_no_absolute_path_and_no_time(run):
    record = json.dumps(read_run(run, root=run.parent).load_points.lineage.record())
    for word in (str(run.parent), "2026", "data/f1"):
        assert word not in record


def test_the_hash_of_a_run_is_of_what_it_holds_and_not_of_where_it_lies(run, tmp_path):
    before = read_run(run).evidence.sha256
    moved = tmp_path / "elsewhere" / "other"
    shutil.copytree(run, moved)
    assert read_run(moved).evidence.sha256 == before
    (moved / "points" / "iodepth-1-r1" / "host.csv").unlink()
    assert read_run(moved).evidence.sha256 != before


def test_a_point_that_is_missing_is_counted(run):
    shutil.rmtree(run / "points" / "iodepth-1-r1")
    evidence = read_run(run).evidence
    assert evidence.warnings[0] == (
        "1 of 2 points; iodepth-1-r1: not measured, or not accepted"
    )  # fmt: skip
    section = next(s for s in evidence.sections if s.name == "points")
    assert (section.status, section.rows) == ("found", 1)
    assert section.reason == "iodepth-1-r1: not measured, or not accepted"


def damage_fio(run):
    path = run / "points" / "iodepth-1-r1" / "fio.json"
    path.write_text(path.read_text()[:5000])


def swap_result(run):
    source = run / "points" / "iodepth-2-r1" / "fio.json"
    shutil.copyfile(source, run / "points" / "iodepth-1-r1" / "fio.json")


def stopped(run):
    path = run / "points" / "iodepth-1-r1" / "fio.json"
    path.write_text("fio: terminating on signal 2\n" + path.read_text())


def host_csv(text):
    return lambda run: (run / "points" / "iodepth-1-r1" / "host.csv").write_text(text)


def facts(**changes):
    return lambda run: point_json(run, "iodepth-1-r1", **changes)


LEFT_OUT = [
    (facts(accepted=False), "point.json: accepted: is not true: no result"),
    (facts(accepted=None), "point.json: accepted: is missing"),
    (facts(accepted="true"), "point.json: accepted: 'true' is neither true nor false"),
    (facts(exit_code=1), "point.json: exit_code: is not 0: no result"),
    (facts(name="iodepth-9-r1"), "point.json: name: 'iodepth-9-r1' stands in the folder"),
    (facts(format=2), "point.json: format: 2 is from a newer perfkit; this one reads 1"),
    (facts(format=0), "point.json: format: 0 is from an older perfkit; this one reads 1"),
    (facts(load=None), "point.json: load: is missing"),
    (facts(expected_directions=["read", "write"]), "fio.json: write was planned and did not"),
    (swap_result, "fio.json: write was not planned"),
    (damage_fio, "fio.json:194: JSON is cut off or damaged here"),
    (stopped, "fio.json: fio was stopped by signal 2 before the end: no result"),
    (host_csv("a,b\n"), "host.csv:1: the columns are not t_s,cpu_busy_ratio"),
    (lambda run: (run / "points/iodepth-1-r1/fio.json").unlink(), "fio.json: there is no such"),
    (lambda run: (run / "points/iodepth-1-r1/point.json").write_text("{"), "point.json:1: JSON is"),
    (lambda run: (run / "points/iodepth-1-r1/point.json").write_text("[]"), "is not a JSON object"),
]


@pytest.mark.parametrize(("damage", "reason"), LEFT_OUT)
def test_a_point_that_is_not_whole_is_left_out_and_told(run, damage, reason):
    damage(run)
    reading = read_run(run)
    assert reading.points.frame["point"].to_list() == ["iodepth-2-r1"]
    assert reading.load_points.frame["load"].unique().to_list() == [2.0]
    assert reading.evidence.warnings[0].startswith("1 of 2 points; iodepth-1-r1: ")
    assert reason in reading.evidence.warnings[0]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1.0,0.5", "2 cells where 11 belong"),
        ("1.0,1.5,0,0,0,1,1,,,,", "cpu_busy_ratio: '1.5' is impossible"),
        ("1.0,x,0,0,0,1,1,,,,", "cpu_busy_ratio: 'x' is impossible"),
        ("1.0,nan,0,0,0,1,1,,,,", "cpu_busy_ratio: 'nan' is impossible"),
        ("-1,0.5,0,0,0,1,1,,,,", "t_s: '-1' is impossible"),
    ],
)
def test_a_bad_row_of_the_host_series_is_named_by_its_line(run, row, reason):
    path = run / "points" / "iodepth-1-r1" / "host.csv"
    path.write_text(path.read_text() + row + "\n")
    assert f"host.csv:5: {reason}" in read_run(run).evidence.warnings[0]


def test_a_point_whose_host_was_not_sampled_stands_without_its_cpu(run):
    (run / "points" / "iodepth-1-r1" / "host.csv").unlink()
    reading = read_run(run)
    first = reading.load_points.filter(load=1, direction="total").frame
    assert first["cpu_busy_ratio"].to_list() == [None]
    assert "iodepth-1-r1: no host.csv: the host was not sampled while it ran" in (
        reading.evidence.warnings
    )


def test_a_run_too_short_for_a_sample_has_no_host_cpu(run):
    path = run / "points" / "iodepth-1-r1" / "host.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    reading = read_run(run)
    first = reading.load_points.filter(load=1, direction="total").frame
    assert first["cpu_busy_ratio"].to_list() == [None]
    assert len(reading.host_series.filter(point="iodepth-1-r1")) == 0


def test_points_that_were_not_planned_or_not_finished_are_left_out(run, fio_data):
    shutil.copytree(run / "points" / "iodepth-1-r1", run / "points" / "iodepth-8-r1")
    shutil.copytree(run / "points" / "iodepth-1-r1", run / "points" / ".tmp-iodepth-9-r1")
    shutil.copytree(run / "points" / "iodepth-1-r1", run / "rejected" / "iodepth-1-r1-1")
    reading = read_run(run)
    assert reading.points.frame["point"].to_list() == ["iodepth-1-r1", "iodepth-2-r1"]
    assert "points that were not planned were left out: iodepth-8-r1" in reading.evidence.warnings


def test_a_warning_of_many_points_is_told_once(run):
    for name in ("iodepth-1-r1", "iodepth-2-r1"):
        point_json(run, name, warnings=["achieved 90% of the offered 10 IOPS"])
    warnings = read_run(run).evidence.warnings
    assert "iodepth-1-r1 and 1 more point: achieved 90% of the offered 10 IOPS" in warnings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format: 2 is from a newer perfkit; this one reads 1"),
        ({"format": 0}, "format: 0 is from an older perfkit; this one reads 1"),
        ({"format": None}, "format: is missing: not written by perfkit run"),
        ({"points_planned": None}, "points_planned: is missing"),
        ({"points_planned": ["../x"]}, "points_planned: '../x' is not a point's name"),
        ({"points_planned": ["a", "a"]}, "points_planned: names a point twice"),
        ({"points_planned": [1]}, "points_planned: is not a list of texts"),
        ({"spec": {"workload": "x"}}, "spec_sha256: does not match 'spec': the file was changed"),
    ],
)
def test_a_run_json_that_is_not_ours_is_refused(builder, changes, message):
    builder.point("iodepth-1-r1", "rw75_jsonplus.json", directions=("read", "write"))
    folder = builder.write(**changes)
    with pytest.raises(ParseError) as caught:
        read_run(folder)
    assert str(caught.value) == f"{folder}/run.json: {message}"


def test_a_run_without_a_single_result_is_refused(run):
    shutil.rmtree(run / "points")
    with pytest.raises(ParseError, match="none of 2 planned points is a result; iodepth-1-r1: not"):
        read_run(run)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ParseError, match="there is no such folder"):
        read_run(tmp_path / "none")


def test_labels_fill_the_keys_and_unknown_ones_are_refused(run):
    points = read_run(run, labels={"system": "A"}).load_points.frame
    assert points["system"].unique().to_list() == ["A"]
    with pytest.raises(UsageError, match="no label 'direction'"):
        read_run(run, labels={"direction": "read"})


@pytest.fixture
def epic(builder, fio_data):
    """A paced reader with two drains that happened, of three planned."""
    place = builder.point(
        "rate_iops-2000-r1",
        "rate_poisson_jsonplus.json",
        workload="epic-like",
        closed_loop=False,
        in_flight=None,
        target_iops=2000,
        cycles=3,
    )
    document = json.loads((place / "fio.json").read_text())
    writer = json.loads((fio_data / "two_sections_stonewall.json").read_text())["jobs"][1]
    for number, group in [(1, 1), (2, 2)]:
        own = json.loads(json.dumps(writer)) | {"jobname": f"drain-{number:03d}", "groupid": group}
        own["job options"] = {"rw": "randwrite", "bs": "16384"}
        document["jobs"].append(own)
    (place / "fio.json").write_text(json.dumps(document))
    return builder.write()


def test_drains_are_cycles_and_in_no_other_table(epic):
    reading = read_run(epic)
    points = reading.load_points.frame
    assert points.select("direction", "ios", "target_iops", "in_flight").rows() == [
        ("read", 3932, 2000.0, None),
        ("total", 3932, 2000.0, None),
    ]
    assert reading.histogram.frame["direction"].unique().sort().to_list() == ["read", "total"]


def test_the_few_writes_of_a_drain_are_no_warning_about_the_load(epic):
    warnings = read_run(epic).evidence.warnings
    assert warnings == (
        "rate_iops-2000-r1: read: too few I/Os for lat_p999_s, lat_p9999_s "
        "(lat_p999_s needs 10,000)",
    )


def test_a_drain_that_did_not_happen_is_null_and_not_zero(epic):
    cycles = read_run(epic).cycles
    assert cycles.frame.select("cycle", "drain_s", "blocks").rows() == [
        (1, 2.001, 30581),
        (2, 2.001, 30581),
        (3, None, None),
    ]
    (told,) = pk.say(pk.drain_summary(cycles))
    assert told.text == (
        "At an offered rate of 2,000 IOPS, repeat 1, 2 of 3 drains of epic-like (GenIO-like, not "
        "GenIO) were completed, the longest of these in 2.00 s: no verdict on fewer than five "
        "cycles."
    )
    assert told.lineage.traceable


LOG = "job,t_ms,direction,buckets of 2^3\n"


def over_time(place, counts):
    """What one job of a point completed in each tenth of a second."""
    rows = [f"1,{100 * n},read,80:{ios}\n" for n, ios in enumerate(counts, 1)]
    (place / "latency-series.csv").write_text(LOG + "".join(rows))


def told_of(reading, *names):
    return [(c.of, c.text) for c in reading.load_points.cautions if c.name in names]


def test_a_stall_that_only_the_series_shows_is_a_caution_of_the_points_it_touches(builder):
    facts = {"series": {"interval_s": 0.1, "jobs": 1, "runtime_s": 2.0}}
    slow = [1000] * 12 + [10] * 3 + [1000] * 5
    # of the interval after the last row fio has written nothing, so it is not known
    still = [1000] * 12
    source = "numjobs4_nogroup_jsonplus.json"
    over_time(builder.point("numjobs-1-r1", source, **facts), [1000] * 20)
    over_time(builder.point("numjobs-2-r1", source, **facts), slow)
    over_time(builder.point("numjobs-4-r1", source, **facts), still)
    reading = read_run(builder.write())
    slowed, stood = "oltp-select at 2 jobs (repeat 1)", "oltp-select at 4 jobs (repeat 1)"
    assert told_of(reading, "stall", "slow_time") == [
        (slowed, f"{slowed} was slow for 0.3 s of 2 s: below a tenth of the rate, or above ten "
         "times the latency, of the best that it kept up"),
        (stood, f"{stood} did no I/O for 0.7 s"),
    ]  # fmt: skip
    (peak,) = from_frame(pk.peak(reading.load_points.filter(load=4)).frame)
    assert "stall" in {c.name for c in peak.cautions}


def test_each_hosts_series_is_its_own_and_a_stall_of_one_is_told(builder):
    facts = {"series": {"interval_s": 0.1, "jobs": 1, "runtime_s": 2.0}}
    place = builder.point("numjobs-4-r1", "numjobs4_nogroup_jsonplus.json", **facts)
    for host, counts in (("a:1", [1000] * 20), ("b:2", [1000] * 12)):
        over_time(place, counts)
        (place / "latency-series.csv").rename(place / f"latency-series-{host}.csv")
    found = read_run(builder.write())
    by_host = found.series.frame.group_by("host", maintain_order=True).agg(pl.col("ios").sum())
    assert by_host.rows() == [("a:1", 20_000), ("b:2", 12_000)]
    assert told_of(found, "stall")[0][1] == "oltp-select at 4 jobs (repeat 1) did no I/O for 0.7 s"
    assert {part.kind for part in found.evidence.parts if "series-" in part.path} == {
        "point-series"
    }
    stood = {a.subject.label: a.got.value for a in from_frame(pk.stalls(found.series).frame)}
    assert stood == {"oltp-select on a:1": 0, "oltp-select on b:2": 1}


def test_a_stall_that_the_run_recorded_is_told_once(builder):
    told = {"name": "stall", "text": "stall", "args": {}, "host": None,
            "arguments": {"time": "0.5 s"}}  # fmt: skip
    facts = {"series": {"interval_s": 0.1, "jobs": 1, "runtime_s": 2.0}, "cautions": [told]}
    place = builder.point("numjobs-4-r1", "numjobs4_nogroup_jsonplus.json", **facts)
    over_time(place, [1000] * 12)
    ((_, text),) = told_of(read_run(builder.write()), "stall", "slow_time")
    assert text == "oltp-select at 4 jobs (repeat 1) did no I/O for 0.5 s"


@pytest.mark.parametrize(
    ("order", "loads", "repeats", "told"),
    [("sequential", [1, 2], 3, True), ("interleaved", [1, 2], 3, False),
     ("shuffled", [1, 2], 3, False), ("interleaved", [1], 2, True),
     ("sequential", [1, 2], 1, False), ("sequential", [1, 2], 5, False)],
)  # fmt: skip
def test_repeats_that_ran_back_to_back_say_so_below_five(builder, order, loads, repeats, told):
    """From five on their order tells; once for all load points, since it names none of them."""
    builder.run["spec"] |= {"order": order, "repeats": repeats, "load": {"points": loads}}
    builder.point("iodepth-1-r1", "numjobs4_nogroup_jsonplus.json")
    builder.point("iodepth-1-r2", "numjobs4_nogroup_jsonplus.json")
    rows = read_run(builder.write()).load_points.frame["cautions"].to_list()
    found = [item for text in rows for item in from_json(text) if item.name == "back_to_back"]
    assert len(found) == (len(rows) if told else 0)
    assert len(in_words(found)) == told


def test_fios_rates_of_each_stream_are_in_seconds_and_bytes():
    """4 KiB/s in the interval that ended at 1,500 ms; a second load generator has its own file."""
    head = "job,t_ms,direction,kib_per_s\n"
    texts = {
        RATE_FILE: f"{head}1,500,read,3\n1,1500,read,4\n2,1500,write,0\n",
        file_of(RATE_FILE, "b"): f"{head}1,500,read,7\n",
    }
    rows = [tuple(row.values()) for row in stream_rows(texts, 0.5, "p")]
    assert sorted(rows, key=str) == sorted([
        (1, None, "read", 0.5, 0.5, 3072.0), (1, None, "read", 1.5, 0.5, 4096.0),
        (2, None, "write", 1.5, 0.5, 0.0), (1, "b", "read", 0.5, 0.5, 7168.0),
    ], key=str)  # fmt: skip


LIVE = """Label,Phase,RuntimeMS,Rank,MixType,DoneBytes,Lat IO us,Service
p,READ,500,Total,,4096000,200,
p,READ,500,0,,3072000,,a
p,READ,500,1,,1024000,,b
p,READ,1500,Total,,12288000,0,
p,READ,1500,0,,9216000,,a
p,READ,1500,1,,3072000,,b
"""


def test_elbenchos_live_file_gives_the_time_and_rate_of_each_interval():
    """Streams from 1; I/Os only where the block size is known, and a latency of 0 is none."""
    texts = {LIVE_FILE: LIVE}
    streams = list(stream_rows(texts, 0.5, "p"))
    names = ("stream", "host", "t_s", "interval_s", "bw_bytes_per_s")
    assert [tuple(row[name] for name in names) for row in streams] == [
        (1, "a", 0.5, 0.5, 6_144_000.0), (2, "b", 0.5, 0.5, 2_048_000.0),
        (1, "a", 1.5, 1.0, 6_144_000.0), (2, "b", 1.5, 1.0, 2_048_000.0),
    ]  # fmt: skip

    def whole(block_bytes):
        rows = series_rows(texts, Timing(0.5, 1, block_bytes, {}), "p")
        names = ("t_s", "interval_s", "ios", "iops", "lat_mean_s")
        return [tuple(row[name] for name in names) for row in rows]

    assert whole(4096) == [(0.5, 0.5, 1000, 2000.0, 200e-6), (1.5, 1.0, 2000, 2000.0, None)]
    assert whole(None) == [(0.5, 0.5, None, None, 200e-6), (1.5, 1.0, None, None, None)]


@pytest.mark.parametrize(
    ("job", "mixed"),
    [
        ("[global]\nfilename=a\nbs=8192\n\n[load]\nrw=randread\n", False),
        ("[global]\nbs=8192\n\n[load]\nfilename=a\n\n[load-at-2]\nfilename=b\n", False),
        ("[global]\nfilename=a\n\n[load]\nrw=read\n\n[load-at-2]\nfilename=b\n", True),
        ("[global]\nfilename=a\n\n[load]\nrw=read\n\n[background]\nfilename=c\n", True),
        ('{"argv": ["fio", "[x]\\nfilename=a"]}', False),
    ],
)
def test_job_files_of_earlier_runs_that_mixed_their_targets_are_known(job, mixed):
    assert _mixes_targets(job) is mixed


STEADY = {"metric": "iops", "round_s": 60.0, "rounds": 5, "attained": True, "window_first": 1,
          "window_last": 5, "range_ratio": 0.0, "slope_ratio": 0.0}  # fmt: skip


def in_rounds(run, count=5, **changes):
    """A run that began with so many equal rounds, and what it says of them."""
    for number in range(1, count + 1):
        place = run / "rounds" / f"round-{number:03d}"
        shutil.copytree(run / "points" / "iodepth-1-r1", place)
        facts = json.loads((place / "point.json").read_text())
        (place / "point.json").write_text(json.dumps({**facts, "name": place.name}))
    (run / "rounds" / "steady.json").write_text(json.dumps({**STEADY, **changes}))
    return run


def test_the_rounds_of_a_run_and_what_became_of_them_are_tables(run):
    found = RUN.read(in_rounds(run))
    (row,) = found.steady_state.frame.rows(named=True)
    assert (row["workload"], row["rounds"], row["attained"]) == ("oltp-select", 5, True)
    point = found.load_points.frame.filter(load=1, direction="total").row(0, named=True)
    rounds = found.rounds.frame.filter(direction="total")
    assert rounds["iops"].to_list() == [point["iops"]] * 5


@pytest.mark.parametrize(
    ("count", "changes", "message"),
    [
        (5, {"range_ratio": 0.021}, "range_ratio: is 0.021, and the rounds give 0.0000"),
        (5, {"slope_ratio": 0.021}, "slope_ratio: is"), (5, {"slope_ratio": None}, "is None"),
        (4, {"rounds": 4}, "4 rounds are not a window"),
        (5, {"metric": "lat_p9999_s_"}, "a round gives no lat_p9999_s_"),
        (5, {"attained": None}, "attained: is missing"), (5, {"rounds": None}, "is missing"),
    ],
)  # fmt: skip
def test_a_steady_state_that_its_rounds_contradict_is_damaged(run, count, changes, message):
    with pytest.raises(ParseError) as caught:
        RUN.read(in_rounds(run, count, **changes))
    assert message in str(caught.value)


def test_a_steady_state_may_differ_from_its_rounds_by_what_fio_rounds(run):
    RUN.read(in_rounds(run, range_ratio=0.019, slope_ratio=0.019))


@pytest.mark.parametrize(("block", "iops"), [(4096, (1000.0, 3000.0, 3000.0)), (None, (None,) * 3)])
def test_the_rates_of_elbenchos_hosts_are_of_what_each_moved_until_its_end(block, iops):
    """Of host a 4,096,000 bytes in the first second and 20,480,000 in the second: 12,288,000/s."""
    facts = Node({"series": {"block_bytes": block}}, "", "point.json")
    rates = {"a": (4_096_000.0, 20_480_000.0), "b": (4_096_000.0, 4_096_000.0)}
    streams = [
        {"host": host, "direction": "read", "t_s": n + 1.0, "interval_s": 1.0, "bw_bytes_per_s": x}
        for host, own in rates.items() for n, x in enumerate(own)
    ]  # fmt: skip
    streams.append({**streams[0], "host": None})  # the whole phase
    point = SimpleNamespace(facts=facts, streams=streams)
    rows = [
        (row["host"], row["direction"], row["bw_bytes_per_s"], row["iops"], row["runtime_s"])
        for row in _service_points(point, {})
    ]
    a, b = 12_288_000.0, 4_096_000.0
    assert rows == [("a", "read", a, iops[1], 2.0), ("a", "total", a, iops[2], 2.0),
                    ("b", "read", b, iops[0], 2.0), ("b", "total", b, iops[0], 2.0)]  # fmt: skip


def elbencho_result(name):
    text = (TESTS / "data" / "elbencho" / name).read_text()
    return READERS[ELBENCHO_FILE](text, "p/elbencho.json")


def test_a_points_result_of_elbencho_is_its_one_whole_phase():
    found = elbencho_result("rwmix75.json")
    assert (found.tool, found.version) == ("elbencho", "3.1-10")
    flows = {flow.direction: flow.ios for flow in found.flows}
    assert flows == {"write": 54_525, "read": 163_728}
    assert any("buckets 19% wide" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("all_phases2.json", "6 phases where one was asked for: no result"),
     ("sig_INT.json", "no result: the phase ")],
)  # fmt: skip
def test_several_phases_or_a_part_of_one_are_no_result(name, problem):
    with pytest.raises(ParseError, match=rf"p/elbencho.json(:\d+)?: {problem}"):
        elbencho_result(name)
