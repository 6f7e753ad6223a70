"""Keys, not labels: each source says what its rows and series are, and files of equal labels are
kept apart or refused; several results in one file are read as several or refused with the line."""

from __future__ import annotations

import dataclasses
import datetime as dt
import gzip
import json
import shutil

import polars as pl
import pytest
from forges import awr, make
from forges.awr import DIALECTS
from forges.sas import Log, Step
from places import ROOT, TESTS

import perfkit as pk
from perfkit.analysis.over_time.recorded import recorded_lines
from perfkit.analysis.verdicts.adaptive_qos import qos_policy
from perfkit.core.errors import AnalysisError, ParseError, StudyError
from perfkit.core.keys import collision, place_of
from perfkit.core.schema import KEYS
from perfkit.core.values import Figure
from perfkit.showing.figures.recorded import plot_recorded
from perfkit.sources import SOURCES, kind_of, read
from perfkit.sources.awr.many import read_awr_reports
from perfkit.sources.source import Keys

DATA = TESTS / "data"
REAL = ROOT.parent / "shared/real"


SINGLE = [name for name in DIALECTS if not name.startswith("rac")]
"""The forms of reports of one instance."""


def forged(dialect):
    """A report of two instances in a RAC dialect, else of one."""
    content = awr.sample(7, instances=2 if dialect.startswith("rac") else 1)
    return awr.forge(content, dialect).data


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A file of every source that reads files, by kind."""
    folder = tmp_path_factory.mktemp("samples")
    for name, options in (("genio-ramp", {}), ("ranread-sweep", {}), ("ontap-qos", {})):
        make(name, folder / name, options=options)
    found = {
        "fio": DATA / "fio/rw75_jsonplus.json",
        "fio-log": DATA / "fio/other/avg_bw.1.log",
        "elbencho": DATA / "elbencho/rwmix75.json",
        "elbencho-live": DATA / "elbencho/rwmix75.live.csv",
        "iostat": DATA / "host/iostat-12.6.1-xt-iso.txt",
        "vmstat": DATA / "host/vmstat-4.0.2-t.txt",
        "mpstat": DATA / "host/mpstat-12.6.1-PALL.txt",
        "sar": DATA / "host/sar-12.6.1-ud-en_US.txt",
        "genio": folder / "genio-ramp/no-bully/epic-rhel1/summary.csv",
        "genio-commands": folder / "genio-ramp/no-bully/epic-rhel1/command.txt",
        "ranread": next((folder / "ranread-sweep").glob("*.txt")),
        "ontap-qos": folder / "ontap-qos/latency.txt",
        "awr": folder / "awr.html", "statspack": folder / "statspack.lst",
        "multipath": folder / "multipath.txt",
        "sas": folder / "job.log", "iotest": folder / "io.results", "printed": folder / "table.csv",
    }  # fmt: skip
    found["awr"].write_bytes(forged("html-19c"))
    found["statspack"].write_bytes(forged("statspack"))
    found["sas"].write_bytes(Log([Step(name="SORT", real_ms=1000)], "9.4 unix").data())
    found["iotest"].write_text(IOTEST)
    found["printed"].write_text(PRINTED)
    found["multipath"].write_text(MULTIPATH)
    return found


MULTIPATH = """\
mpatha (3600a098038303634722b4d4e) dm-3 NETAPP,LUN C-Mode
size=100G features='3 queue_if_no_path pg_init_retries 50' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 1:0:0:1 sdb 8:16 active ready running
  `- 2:0:0:1 sdc 8:32 active ready running
"""


IOTEST = """\
TARGET DETAILS
  target dir:   /saswork
  mount point:  /dev/mapper/a on /saswork type xfs (rw,noatime)
  iterations:   16
  filesize:     1,024.50 gigabytes

STATISTICS
  read time:              64.03 seconds per physical core average
  read throughput rate:   1,081.46 megabytes/second per physical core
  write throughput rate:  95.25 megabytes/second per physical core
"""
PRINTED = """\
# document: D
# place: P
# title: T.
Use,LUNs
Database,8
Journal,2
"""


def given(samples, kind):
    path = samples[kind]
    if not path.is_file():
        pytest.skip(f"{path.name} is not at hand")
    return path


FILES = sorted(name for name, source in SOURCES.items() if source.sniff)


def test_every_source_says_its_keys():
    """The file is part of every row's key; a series has one; what no label says is a fact."""
    for name, source in SOURCES.items():
        assert source.keys.row[0] == "source", name
        assert source.keys.series, name
        own = set(source.keys.series) & set(KEYS)
        assert "source" in source.keys.series or {"system", "config"} <= own, name
        assert source.table or name == "printed"


@pytest.mark.parametrize("kind", FILES)
def test_the_row_key_of_each_source_tells_its_rows_apart(samples, kind):
    path = given(samples, kind)
    assert kind_of(path) == kind
    found, source = read(path), SOURCES[kind]
    for name in [source.table] if source.table else list(found.tables):
        frame = found[name].frame
        assert frame.height, name
        assert set(source.keys.row) - {"source"} <= set(frame.columns)
        assert not source.time or source.time in frame.columns
        assert collision(frame, source.keys.row) is None


@pytest.mark.parametrize("kind", FILES)
def test_every_table_has_the_columns_that_its_source_declares(samples, kind):
    """What ``perfkit sources KIND`` says of a table is what a reader gives, in its order."""
    declared = SOURCES[kind].tables
    for name, table in read(given(samples, kind)).tables.items():
        schema = declared["*"] if "*" in declared else declared[name]
        assert dict(table.frame.schema) == {key: item.dtype for key, item in schema.items()}, name


TWICE = {
    "fio": "the same run", "elbencho": "phases", "sas": "sessions", "ontap-qos": "outputs",
    "genio-commands": "commands", "iotest": "runs",
}  # fmt: skip
"""What several of them in one file are read as; the others are refused, with the line."""


@pytest.mark.parametrize("kind", FILES)
def test_two_in_one_file_are_read_as_two_or_refused_with_the_line(samples, kind, tmp_path):
    path = given(samples, kind)
    data = path.read_bytes()
    data = data if data.endswith(b"\n") else data + b"\n"
    both = tmp_path / path.name
    both.write_bytes(data + data)
    alone, source = read(path, kind=kind), SOURCES[kind]
    if kind not in TWICE:
        with pytest.raises(ParseError, match=r":\d+: "):
            read(both, kind=kind)
        return
    found = read(both, kind=kind)
    count = 1 if kind == "fio" else 2  # fio's --status-interval writes one run again and again
    assert found[source.table].frame.height == count * alone[source.table].frame.height
    assert collision(found[source.table].frame, source.keys.row) is None


@pytest.mark.parametrize("one", sorted(awr.DIALECTS))
@pytest.mark.parametrize("two", ["html-12.2", "rac-19c", "text-12.1", "statspack"])
def test_a_second_report_in_one_file_is_refused_with_its_line(tmp_path, one, two):
    """Identity of one, elapsed time of the other and host CPU of both would be one report."""
    first, second = forged(one), forged(two)
    for name, data in (("first", first), ("second", second)):
        (tmp_path / name).write_bytes(data)
        read(tmp_path / name)
    (tmp_path / "both").write_bytes(first + b"\n" + second)
    lines = first.count(b"\n") + 1
    with pytest.raises(ParseError, match="a second report begins here") as caught:
        read(tmp_path / "both")
    at = int(str(caught.value).partition("both:")[2].partition(":")[0])
    assert lines <= at <= lines + 30


def test_two_runs_of_one_fio_job_in_one_file_are_repeats(tmp_path):
    text = (DATA / "fio/rw75_jsonplus.json").read_text()
    later = json.loads(text)
    later["timestamp_ms"] = later["timestamp_ms"] + 3_600_000
    later["timestamp"] = later["timestamp"] + 3600
    (tmp_path / "two.json").write_text(text + "\n" + json.dumps(later, indent=2))
    points = read(tmp_path / "two.json").load_points.frame
    assert points.group_by("direction").agg("repeat")["repeat"].to_list() == [[1, 2]] * 3


def test_an_io_test_of_another_directory_is_refused(samples, tmp_path):
    """The same test again is a second run; another one would look like its repeat."""
    both = tmp_path / "io.results"
    both.write_text(IOTEST + IOTEST)
    assert read(both)["iotest"].frame["run"].to_list() == [1, 1, 2, 2]
    both.write_text(IOTEST + IOTEST.replace("/saswork", "/sasdata"))
    with pytest.raises(ParseError, match=r":12: a second result begins here, of another test"):
        read(both)


def test_an_export_that_goes_on_later_is_one(samples, tmp_path):
    """RANREAD: heads that come again with later runs; with the same ones it is a second export."""
    text = given(samples, "ranread").read_text()
    head, *rows = text.splitlines()
    half = len(rows) // 2
    (tmp_path / "r.txt").write_text("\n".join([head, *rows[:half], head, *rows[half:], ""]))
    again = read(tmp_path / "r.txt", kind="ranread")["ranread_runs"].frame.drop("line")
    assert again.equals(read(samples["ranread"])["ranread_runs"].frame.drop("line"))
    (tmp_path / "r.txt").write_text(text + text)
    with pytest.raises(ParseError, match=rf":{len(rows) + 2}: a second export begins here"):
        read(tmp_path / "r.txt", kind="ranread")


# ---- two files of equal labels


def study(folder, files, kind, notebook="fio_results"):
    """Files of one label in a study: name -> bytes."""
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_bytes(data)
    (folder / "study.yml").write_text(
        f"report: {{title: T}}\nnotebook: {notebook}\nevidence:\n"
        f"  - {{files: 'in/*', kind: {kind}, labels: {{system: A, config: B}}}}\n"
    )
    return pk.open_study(folder).read_evidence()


def twins(samples, kind, folder):
    data = given(samples, kind).read_bytes()
    name = samples[kind].name
    return study(folder, {f"in/1-{name}": data, f"in/2-{name}": data}, kind)


@pytest.mark.parametrize("kind", [k for k in FILES if k not in {"sas", "printed"}])
def test_rows_of_two_files_of_equal_labels_keep_their_files(samples, kind, tmp_path):
    """Nothing is joined away: the row key, with the file, tells all rows of both apart."""
    found, source = twins(samples, kind, tmp_path), SOURCES[kind]
    alone = read(samples[kind])
    for name in [source.table] if source.table else list(alone.tables):
        frame = found[name].frame
        assert frame.height == 2 * alone[name].frame.height
        assert collision(frame, source.keys.row) is None


@pytest.mark.parametrize("kind", ["fio", "elbencho", "ranread", "genio", "iotest"])
def test_load_points_of_two_files_of_equal_labels_are_no_curve(samples, kind, tmp_path):
    """Neither added, averaged nor stacked: two results of one load are refused by their place."""
    points = twins(samples, kind, tmp_path).load_points
    direction = points.frame["direction"][0]
    with pytest.raises(AnalysisError, match=r"two results for one load point|no load"):
        pk.latency_curve(points, direction=direction)


@pytest.mark.parametrize("kind", ["awr", "statspack"])
def test_reports_without_load_are_each_their_own(samples, kind, tmp_path):
    found = twins(samples, kind, tmp_path)
    overview = pk.awr.report_overview(found.report, found.load_points).frame
    assert overview.height == 2
    assert overview["report"].n_unique() == 2
    with pytest.raises(AnalysisError, match="no load: name it"):
        pk.latency_curve(found.load_points)
    with pytest.raises(AnalysisError, match="rows of several reports, which are never added up"):
        pk.awr.table(found, "top_events")
    many = read_awr_reports(sorted((tmp_path / "in").iterdir()))
    with pytest.raises(AnalysisError, match="rows of several reports, which are never added up"):
        pk.awr.table(many, "top_events")
    assert pk.awr.report_overview(many.report, many.load_points).frame["report"].n_unique() == 2


@pytest.mark.parametrize("kind", ["iostat", "vmstat", "mpstat", "sar"])
def test_each_recording_is_a_line_of_its_own(samples, kind, tmp_path):
    """Samples of two files of one label at the same seconds would be one zigzag."""
    series = twins(samples, kind, tmp_path).host_series
    recorded = recorded_lines(series)
    figure = plot_recorded(recorded.filter(quantity=recorded.frame["quantity"][0]))
    lines = figure.content()["plotly"]["data"]
    assert [line["name"] for line in lines] == [f"{n}-{samples[kind].name}" for n in (1, 2)]
    assert all(list(line["x"]) == sorted(set(line["x"])) for line in lines)


def test_runs_of_two_summaries_are_two_lines(samples, tmp_path):
    found = twins(samples, "genio", tmp_path)
    chart = pk.genio.plot_runs(found.genio_runs, against="run").content()["plotly"]
    assert [line["name"] for line in chart["data"]] == ["1-summary.csv", "2-summary.csv"]


def test_policies_of_two_files_that_differ_are_refused(samples, tmp_path):
    path = samples["ontap-qos"].parent / "policies.txt"
    text = path.read_text()
    row = next(iter(read(path)["qos_adaptive_policies"].frame.rows(named=True)))
    other = text.replace("6144", "6145").replace("12288", "12289").replace("4096", "4097")
    assert other != text
    files = {"in/1.txt": text.encode(), "in/2.txt": other.encode()}
    policies = study(tmp_path, files, "ontap-qos").qos_adaptive_policies
    changed = [
        name for name in policies.frame["policy"].unique()
        if policies.frame.filter(policy=name)
        .select("expected_iops_per_tb", "peak_iops_per_tb").n_unique() > 1
    ]  # fmt: skip
    assert changed, row
    with pytest.raises(AnalysisError, match="several policies are named"):
        qos_policy(policies, changed[0], absolute_min_iops=1.0)


def fio_of(depth, **options):
    found = json.loads((DATA / "fio/rw75_jsonplus.json").read_text())
    found["jobs"][0]["job options"] |= {"iodepth": str(depth), **options}
    return json.dumps(found).encode()


def test_ten_files_of_one_sweep_are_one_curve_and_other_blocks_another(tmp_path):
    """Equal labels form one series only where the block size, a part of the key, agrees."""
    sweep = {f"in/{n:02}.json": fio_of(2**n) for n in range(10)}
    found = study(tmp_path, sweep, "fio")
    assert pk.latency_curve(found.load_points).frame["workload"].n_unique() == 1
    assert pk.latency_curve(found.load_points).frame.height == 10
    mixed = study(tmp_path, {f"in/{n:02}.json": fio_of(2**n, bs="1m") for n in (2, 3)}, "fio")
    names = pk.latency_curve(mixed.load_points).frame["workload"].unique().sort().to_list()
    assert len(names) == 2
    assert [name.partition(", ")[2] for name in names] == ["1 MiB blocks", "4 KiB blocks"]
    same = study(tmp_path, {"in/02.json": fio_of(4, bs="4096"), "in/03.json": fio_of(8)}, "fio")
    assert pk.latency_curve(same.load_points).frame["workload"].n_unique() == 1


def test_files_of_equal_labels_stand_in_order_of_time(samples, tmp_path):
    """And not of their names; those of other labels keep their places."""
    text = samples["awr"].read_text()
    alone = read(samples["awr"])["report"].frame.row(0, named=True)
    begin = alone["begin_text"]
    earlier = begin.replace(begin.split()[0], "01-Jan-01")
    files = {"in/1.html": text.encode(), "in/2.html": text.replace(begin, earlier).encode()}
    found = study(tmp_path, files, "awr", "oracle")
    assert found.report.frame["source"].to_list() == ["in/2.html", "in/1.html"]
    assert found.top_events.frame["source"].unique(maintain_order=True).to_list() == [
        "in/2.html", "in/1.html",
    ]  # fmt: skip


def test_two_rows_of_one_key_are_refused_where_they_are_read(tmp_path, monkeypatch):
    from dataclasses import replace

    monkeypatch.setitem(
        SOURCES, "fio", replace(SOURCES["fio"], keys=Keys(row=("source", "jobname")))
    )
    with pytest.raises(
        StudyError, match=r"in/a.json: two rows of summary are of jobname \S+: nothing"
    ):
        study(tmp_path, {"in/a.json": fio_of(1)}, "fio")


def test_histograms_of_two_files_of_equal_labels_are_not_merged():
    rows = [
        {"source": f"{n}.json", "workload": "w", "load_kind": "iodepth", "load": 1.0,
         "repeat": None, "host": None, "direction": "total", "value_s": 0.001, "count": 10}
        for n in (1, 2)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides={"repeat": pl.Int64, "host": pl.String})
    for draw in (pk.plot_latency_histogram, pk.plot_latency_heatmap):
        with pytest.raises(AnalysisError, match=r"1.json and 2.json are both w"):
            draw(frame)
    apart = frame.with_columns(repeat=pl.Series([1, 2]))
    assert isinstance(pk.plot_latency_histogram(apart), Figure)


def test_host_cpu_of_two_files_of_equal_labels_is_not_averaged():
    rows = [
        {"source": f"{n}", "system": "A", "workload": "w", "load_kind": "iodepth", "load": 1.0,
         "repeat": 1, "t_s": 1.0, "cpu_busy_ratio": busy, "cpu_user_ratio": None,
         "cpu_system_ratio": None, "cpu_iowait_ratio": None}
        for n, busy in ((1, 0.1), (2, 0.9))
    ]  # fmt: skip
    frame = pl.DataFrame(rows, infer_schema_length=None)
    with pytest.raises(AnalysisError, match=r"host_series: 1 and 2 are both system A"):
        pk.cpu_by_load(frame)
    other = pk.cpu_by_load(frame.with_columns(system=pl.Series(["A", "B"]))).frame
    assert other.select("system", "cpu_busy_ratio").rows() == [("A", 0.1), ("B", 0.9)]


# ---- the real files of others


def a_day(folder):
    """26 reports of one instance, whose names are not in the order of their times."""
    folder.mkdir()
    content, reports = awr.sample(40), 26
    for number in range(reports):
        begin = dt.datetime(2026, 3, 4) + number * dt.timedelta(minutes=30)  # noqa: DTZ001
        snapshots = dataclasses.replace(
            content.snapshots, begin_id=100 + number, end_id=101 + number,
            begin=begin, end=begin + dt.timedelta(minutes=30),
        )  # fmt: skip
        own = dataclasses.replace(content, snapshots=snapshots)
        name = f"{7 * number % reports:02}.html"
        (folder / name).write_bytes(awr.forge(own, "html-19c").data)
    waits = [wait for wait in content.instances[0].foreground if wait.wait_class == "User I/O"]
    return reports, max(waits, key=lambda wait: wait.seconds).event


def a_real_day(folder):
    """The 32 reports of a real day."""
    archive = REAL / "foreign/awr_series_day.tar.xz"
    if not archive.is_file():
        pytest.skip("the real reports are not at hand")
    shutil.unpack_archive(archive, folder.parent, filter="data")
    (unpacked,) = (path for path in folder.parent.iterdir() if path.is_dir())
    unpacked.rename(folder)
    return 32, "db file sequential read"


@pytest.mark.slow
@pytest.mark.parametrize("made", [a_day, a_real_day])
def test_a_day_is_in_order_of_time_with_a_mean_wait_each(made, tmp_path):
    folder = tmp_path / "day"
    count, longest = made(folder)
    (folder / "study.yml").write_text(
        "report: {title: T}\nnotebook: oracle\nevidence: [{files: '*.html', kind: awr}]\n"
    )
    found = pk.open_study(folder).read_evidence()
    event = pk.awr.main_io_event(found.wait_events, found.top_events)
    assert event == longest
    overview = pk.awr.report_overview(
        found.report, found.load_points, found.wait_events, event=event
    )
    assert overview.frame["begin_time"].is_sorted()
    assert overview.frame["report"].n_unique() == overview.frame.height == count
    assert overview.frame["event_wait_s"].null_count() == 0
    largest = overview.frame["iops"].max()
    (bars,) = pk.awr.plot_reports(overview).content()["plotly"]["data"]
    assert len(bars["x"]) == count
    assert max(bars["x"]) == largest


REPORTS = [path for path in sorted((REAL / "awr").glob("*")) if path.suffix in {".html", ".lst"}]


@pytest.mark.slow
@pytest.mark.parametrize(
    "report", [*SINGLE, *REPORTS], ids=lambda item: getattr(item, "name", item)
)
def test_every_report_has_a_main_event_and_its_mean(report, tmp_path):
    """110 of 111 real ones had none: a report of one instance prints no class beside its events."""
    path = tmp_path / "forged" if isinstance(report, str) else report
    if isinstance(report, str):
        path.write_bytes(forged(report))
    kind = kind_of(path)
    found = pk.read(path, tables=["report", "load_points", "wait_events", "top_events"], kind=kind)
    event = pk.awr.main_io_event(found.wait_events, found.top_events)
    assert event is not None
    overview = pk.awr.report_overview(
        found.report, found.load_points, found.wait_events, event=event
    ).frame
    printed = found.wait_events.frame.filter(event=event, scope="foreground")
    means = printed["avg_wait_s"].drop_nulls().to_list()
    waits = overview["event_wait_s"].drop_nulls().to_list()
    assert waits or not isinstance(report, str)
    for value in waits:
        assert any(abs(value - mean) <= max(0.005 * mean, 0.0006) for mean in means)


def test_gzip_does_not_hide_a_second_report(tmp_path):
    (tmp_path / "two.html.gz").write_bytes(gzip.compress(forged("html-19c") * 2))
    with pytest.raises(ParseError, match="a second report begins here"):
        read(tmp_path / "two.html.gz")


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ({"source": "a.csv", "line": 7}, ("a.csv", "line 7")),
        ({"file": "run.log", "line": 7}, ("run.log", "line 7")),
        ({"source": "logs/run.log", "file": "logs/run.log", "line": 7}, ("logs/run.log", "line 7")),
        ({"source": "set", "file": "other.txt", "line": 7}, ("set", "")),
        ({"source": "runs/x", "point": "p-004"}, ("runs/x", "point p-004")),
        ({"log": "logs/run.log", "line": 7}, ("logs/run.log", "line 7")),
        ({"source": "lat.log", "log": "lat", "line": 7}, ("lat.log", "line 7")),
        ({"source": None, "line": None}, ("", "")),
        ({}, ("", "")),
    ],
)
def test_a_row_stands_in_its_file_at_its_line_point_or_section(row, place):
    """Of a row whose columns name two files the line may be of either: it is not told."""
    assert place_of(row) == place
