"""fio's logs over time: a series beside a result, never a result."""

import os
from pathlib import Path

import pytest
from forges.fio_results import Flow, Job, document, histogram, log, text

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import kind_of, read
from perfkit.sources.fio.logs import _no_logs, is_fio_log, read_fio_logs

ROWS = [(250, 1000, 0, 0), (500, 1100, 0, 0), (750, 500, 1, 0)]


@pytest.fixture
def folder(tmp_path):
    """A folder to which results and logs are written."""

    class Folder:
        path = tmp_path

        def result(self, name, version, prefix, jobs=1, **flows):
            options = {"iodepth": "8", "ioengine": "libaio", "direct": "1", "rw": "randread"}
            options |= {"bs": "4k", "numjobs": str(jobs), "group_reporting": "1"}
            options |= dict.fromkeys(("write_iops_log", "write_lat_log"), f"/out/{prefix}")
            flow = Flow(flows.get("ios", 60_000), 4096, 60_000)
            made = document(version, [Job("j", {"read": flow}, options, processes=jobs)])
            (tmp_path / name).write_text(text(made))

        def log(self, name, rows=ROWS, columns=4):
            (tmp_path / name).write_text(log(rows, columns))
            return read(tmp_path / name, root=tmp_path)

    return Folder()


@pytest.mark.parametrize("columns", [4, 5, 6, 7])
def test_a_log_of_bandwidth_is_in_kib_whatever_columns_follow(folder, columns):
    """Offset, priority (also in hexadecimal) and time of issue stand behind the block size."""
    found = folder.log("a_bw.2.log", columns=columns)
    assert kind_of(folder.path / "a_bw.2.log") == "fio-log"
    frame = found["fio_logs"].frame
    assert frame.select("job", "direction", "t_s", "bw_bytes_per_s").rows() == [
        (2, "read", 0.25, 1_024_000.0),
        (2, "read", 0.5, 1_126_400.0),
        (2, "write", 0.75, 512_000.0),
    ]
    assert frame.select("iops", "latency_s").null_count().row(0) == (3, 3)
    assert found.get("load_points") is None


@pytest.mark.parametrize(("version", "seconds"), [((2, 18), 1e-3), ((3, 1), 1e-6), ((3, 33), 1e-6)])
def test_the_result_beside_a_log_tells_the_unit_of_its_latency(folder, version, seconds):
    folder.result("r.json", version, "a")
    frame = folder.log("a_clat.1.log")["fio_logs"].frame
    assert frame["latency_s"][0] == pytest.approx(seconds)
    assert frame.select("result", "jobs", "log").row(0) == ("r.json", 1, "clat")


def test_blank_lines_below_the_rows_are_no_rows(folder):
    """An editor, or a script that joins files, leaves them; between rows they are damage."""
    text = log(ROWS, 4)
    (folder.path / "a_bw.1.log").write_text(text)
    (folder.path / "b_bw.1.log").write_text(f"{text}\n \n")
    one, other = (read(folder.path / f"{name}_bw.1.log")["fio_logs"].frame for name in "ab")
    assert one["bw_bytes_per_s"].equals(other["bw_bytes_per_s"])
    (folder.path / "c_bw.1.log").write_text(text.replace("\n", "\n\n", 1))
    with pytest.raises(ParseError, match=r"c_bw.1.log:2: '' is not a row of a fio log"):
        read(folder.path / "c_bw.1.log")


def test_a_folder_is_listed_once_for_all_of_its_logs(folder):
    """Of 62,000 logs each looked through the names of all: it took more than 20 minutes."""
    folder.result("r.json", (3, 1), "a")
    names = ("a_clat.1.log", "b_clat.1.log")

    def listings():
        before = _no_logs.cache_info().misses
        read_now = (read(folder.path / name)["fio_logs"].frame["result"][0] for name in names)
        found = [result and Path(result).name for result in read_now]
        return found, _no_logs.cache_info().misses - before

    for name in names:
        folder.log(name)
    # it has just changed, and may again: nothing is kept
    assert listings() == (["r.json", None], 0)
    os.utime(folder.path, (1e9, 1e9))
    assert listings() == (["r.json", None], 1)
    assert listings() == (["r.json", None], 0)
    folder.result("s.json", (3, 1), "b")
    assert listings() == (["r.json", "s.json"], 0)


def test_a_result_above_that_names_a_log_tells_its_unit_and_does_not_own_it(folder):
    """Logs of many hosts lie in folders below the result: their jobs have the same numbers."""
    (folder.path / "clients" / "h1").mkdir(parents=True)
    folder.result("r.json", (3, 7), "a")
    frame = folder.log("clients/h1/a_lat.1.log")["fio_logs"].frame
    assert frame["latency_s"][0] == pytest.approx(1e-6)
    assert frame.select("result", "jobs").row(0) == (None, None)
    other = folder.log("clients/h1/b_lat.1.log")["fio_logs"].frame
    assert other["latency_s"].null_count() == 3
    folder.result("clients/old.json", (2, 18), "a")
    nearer = folder.log("clients/h1/a_lat.1.log")["fio_logs"].frame
    assert nearer["latency_s"][0] == pytest.approx(1e-3)


def test_without_a_result_a_latency_has_no_unit_and_is_null(folder):
    found = folder.log("a_lat.1.log")
    assert found["fio_logs"].frame["latency_s"].null_count() == 3
    assert any("ns (fio 3) or us (fio 2)" in text for text in found.evidence.warnings)
    stated = read(folder.path / "a_lat.1.log", latency_unit="us")["fio_logs"].frame
    assert stated["latency_s"][0] == pytest.approx(1e-3)
    with pytest.raises(UsageError, match="latency_unit 'ms'"):
        read(folder.path / "a_lat.1.log", latency_unit="ms")


def test_results_of_two_versions_leave_the_unit_open_but_for_the_log_they_name(folder):
    folder.result("old.json", (2, 18), "a")
    folder.result("new.json", (3, 1), "b")
    assert folder.log("a_lat.1.log")["fio_logs"].frame["latency_s"][0] == pytest.approx(1e-3)
    assert folder.log("b_lat.1.log")["fio_logs"].frame["latency_s"][0] == pytest.approx(1e-6)
    assert folder.log("c_lat.1.log")["fio_logs"].frame["latency_s"].null_count() == 3


def test_two_results_that_name_one_log_leave_it_without_owner(folder):
    folder.result("r1.json", (3, 6), "same")
    folder.result("r2.json", (3, 6), "same")
    found = folder.log("same_lat.1.log")
    assert set(found["fio_logs"].frame["result"]) == {None}
    assert found["fio_logs"].frame["latency_s"][0] == pytest.approx(1e-6)  # both are of fio 3


def test_a_log_of_each_io_has_no_rate(folder):
    """fio writes 1 for each I/O, with its block size."""
    frame = folder.log("a_iops.1.log", [(1, 1, 0, 4096), (1, 1, 0, 4096)])["fio_logs"].frame
    assert frame.select("single_io", "iops").rows() == [(True, None), (True, None)]


def test_of_mean_and_maximum_the_mean_is_read(folder):
    """``log_window_value=both`` writes the largest value behind the mean."""
    folder.result("r.json", (3, 33), "a")
    (folder.path / "a_lat.1.log").write_text("250, 1000, 9000, 0, 0, 0\n500, 2000, 9000, 1, 0, 0\n")
    frame = read(folder.path / "a_lat.1.log")["fio_logs"].frame
    assert frame["direction"].to_list() == ["read", "write"]
    assert frame["latency_s"].to_list() == [pytest.approx(1e-6), pytest.approx(2e-6)]


@pytest.mark.parametrize("coarseness", [0, 3, 6])
@pytest.mark.parametrize(("groups", "unit"), [(29, 1e-9), (19, 1e-6)])
def test_a_histogram_log_has_the_buckets_of_its_version(folder, groups, unit, coarseness):
    """64 buckets for each power of two: below 128 units one wide, then two, four ..."""
    counters = groups * 64 >> coarseness
    path = folder.path / "a_clat_hist.1.log"
    path.write_text(histogram([(1000, 0, {1: 7}), (2000, 1, {counters - 1: 2})], counters))
    assert kind_of(path) == "fio-log"
    rows = read(path)["fio_log_histogram"].frame
    width = 1 << coarseness
    assert rows.select("t_s", "direction", "count").rows() == [(1, "read", 7), (2, "write", 2)]
    assert rows["lower_s"][0] == pytest.approx(width * unit)
    assert rows["upper_s"][0] == pytest.approx(2 * width * unit)
    # the last bucket ends where the group after the last would begin: 2^(groups + 5) units
    assert rows["upper_s"][1] == pytest.approx(2 ** (groups + 5) * unit)


FAULTS = {
    "a_bw.1.log": ("250, 1, 0, 0\n500, x, 0, 0\n", r":2: '500, x, 0, 0' is not a row of a fio log"),
    "b_bw.1.log": ("250, 1, 3, 0\n", r":1: '250, 1, 3, 0' is not a row"),
    "c_bw.1.log": ("500, 1, 0, 0\n250, 1, 0, 0\n", r":2: time goes back: a second log begins here"),
    "d.log": ("250, 1, 0, 0\n", "its name does not say of what"),
    "e_hist.1.log": ("250, 0, 4096" + ", 1" * 100 + "\n", r":1: 100 counters in a row"),
    "f_bw.1.log": ("250, 1, 0, 0\n500, 1, 0", r":2: '500, 1, 0' is not a row of a fio log: the "
                   "file is cut off in it; remove that line"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_damaged_log_is_an_error_that_names_the_line(folder, name):
    content, message = FAULTS[name]
    (folder.path / name).write_text(content)
    with pytest.raises(ParseError, match=message):
        read(folder.path / name, kind="fio-log")


# ---- with the load points of their results


def two_jobs(folder, rows=None):
    """A study of two results, of one and two jobs, each with the IOPS logs of its jobs."""
    windows = rows or [(t, t // 10, 0, 0) for t in range(250, 3001, 250)]
    for jobs in (1, 2):
        folder.result(f"{jobs}.json", (3, 1), f"p{jobs}", jobs=jobs)
        for job in range(1, jobs + 1):
            folder.log(f"p{jobs}_iops.{job}.log", windows)
    (folder.path / "study.yml").write_text(
        "report: {title: T}\nnotebook: fio_results\nevidence:\n"
        "  - {files: '*.json', kind: fio}\n  - {files: '*.log', kind: fio-log}\n"
    )
    return pk.open_study(folder.path).read_evidence()


def test_iops_are_added_over_jobs_window_by_window(folder):
    """A window's IOPS are the mean of its four entries; the last one may not be whole."""
    found = two_jobs(folder)
    rates = pk.sum_over_jobs(found.fio_logs, found.load_points).frame
    first = (25 + 50 + 75 + 100) / 4
    assert rates.select("source", "load_kind", "load", "t_s", "iops").rows() == [
        ("1.json", "numjobs", 1, 1, first), ("1.json", "numjobs", 1, 2, first + 100),
        ("2.json", "numjobs", 2, 1, 2 * first), ("2.json", "numjobs", 2, 2, 2 * (first + 100)),
    ]  # fmt: skip


def test_a_result_of_which_a_jobs_log_is_missing_has_no_sum(folder):
    two_jobs(folder)
    (folder.path / "p2_iops.2.log").unlink()
    found = pk.open_study(folder.path).read_evidence()
    rates = pk.sum_over_jobs(found.fio_logs, found.load_points)
    assert set(rates.frame["source"]) == {"1.json"}
    (folder.path / "p1_iops.1.log").unlink()
    found = pk.open_study(folder.path).read_evidence()
    lacking = pk.sum_over_jobs(found.fio_logs, found.load_points)
    assert isinstance(lacking, pk.Unanswered)
    assert "no load point has an IOPS log of each of its jobs" in lacking.reason


def test_a_window_in_which_a_job_has_no_entry_is_no_sum(folder):
    found = two_jobs(folder)
    logs = folder.path / "p2_iops.2.log"
    kept = [line for line in logs.read_text().splitlines() if int(line.split(",")[0]) > 1000]
    logs.write_text("\n".join(kept) + "\n")
    found = pk.open_study(folder.path).read_evidence()
    rates = pk.sum_over_jobs(found.fio_logs, found.load_points).frame
    assert rates.filter(source="2.json")["t_s"].to_list() == [2.0]


def test_the_chart_over_time_has_a_line_for_each_result_of_the_highest_load(folder):
    found = two_jobs(folder)
    chart = pk.plot_log_rates(pk.sum_over_jobs(found.fio_logs, found.load_points))
    (line,) = chart.plotly["data"]
    assert (list(line["x"]), list(line["y"])) == ([1, 2], [125.0, 325.0])
    assert "at 2 jobs" in chart.caption


@pytest.mark.parametrize(
    ("second", "is_log"), [("500, 11", True), ("no row\n750, 9", False), ("no row\n750", False)]
)
def test_only_the_last_row_of_what_is_looked_at_may_be_cut(second, is_log):
    assert is_fio_log(f"250, 1000, 0, 4096, 0\n{second}") is is_log


@pytest.mark.parametrize(("damaged", "is_log"), [(2, False), (3, True)])
def test_three_rows_tell_a_log_and_damage_further_down_is_its_own_error(damaged, is_log):
    rows = ["250, 1000, 0, 4096, 0", "500, 1100, 0, 4096, 0"] * 3
    rows[damaged] = "no row"
    assert is_fio_log("\n".join([*rows, ""])) is is_log


def test_what_many_logs_lack_alike_is_told_once_with_their_number(folder):
    """45 logs without a result are two lines of warnings, not ninety."""
    names = ["a_bw.1.log", "a_clat.1.log", "a_lat.1.log"]
    for name in names:
        folder.log(name)
    found = read_fio_logs([folder.path / name for name in names], root=folder.path)
    latency, owner = sorted(found.evidence.warnings)
    assert owner.startswith("all 3 files: no one result beside this log names it")
    assert latency.startswith("2 of 3 files, the first a_clat.1.log: no one version of fio")
    (one,) = read_fio_logs([folder.path / "a_bw.1.log"], root=folder.path).evidence.warnings
    assert one.startswith("a_bw.1.log: no one result")
