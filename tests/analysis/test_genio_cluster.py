"""Concurrent runs of several GenIO servers, matched and added up."""

import datetime as dt

import polars as pl
import pytest
from forges import genio

import perfkit as pk
from perfkit.analysis.genio import CLUSTER_TOTALS
from perfkit.core.errors import AnalysisError

CYCLE, LATENCY = "longest_write_cycle_s", "effective_write_latency_s"


def runs(tmp_path, made, *, times=False, commands=True):
    """The runs of a generated cluster, read back from its files."""
    servers = {server.name: server for server in genio.SERVERS}
    frames = []
    for name, rows in made.items():
        path = tmp_path / name / "summary.csv"
        path.parent.mkdir(parents=True)
        path.write_text(genio.summary(rows, genio.Form(times=times)))
        command = servers[name].command(len(rows)) if commands else None
        frame = pk.read(path, command=command, kind="genio").genio_runs.frame
        frames.append(frame.with_columns(host=pl.lit(name)))
    return pl.concat(frames)


def test_iops_add_up_cycles_are_the_largest_and_read_latency_is_read_weighted(tmp_path):
    made = genio.cluster(11, runs=3)
    frame = runs(tmp_path, made)
    totals = pk.genio.cluster_totals(frame).frame
    assert list(totals.columns) == list(CLUSTER_TOTALS)
    assert totals["run"].to_list() == [10, 11, 12]
    assert totals["matched_by"].unique().to_list() == ["run"]
    assert totals["complete"].all()
    for row, parts in zip(totals.rows(named=True), zip(*made.values(), strict=True), strict=True):
        assert row["total_iops"] == sum(part.total_iops for part in parts)
        assert row["read_iops"] == sum(part.read_iops for part in parts)
        assert row["write_iops"] == sum(part.write_iops for part in parts)
        assert row[CYCLE] == max(float(part.longest_write_cycle_s) for part in parts)
        assert row["longest_wij_time_s"] == max(float(part.longest_wij_time_s) for part in parts)
        reads = sum(part.read_iops * float(part.random_read_average_ms) for part in parts)
        assert row["random_read_average_s"] == pytest.approx(reads / row["read_iops"] / 1000)
        writes = sum(part.write_iops * float(part.effective_write_latency_ms) for part in parts)
        assert row[LATENCY] == pytest.approx(writes / row["write_iops"] / 1000)
        assert row["host_names"] == "epic-rhel1, epic-rhel2, epic-rhel3"
    assert totals["target_iops"].to_list() == [250_000.0, 275_000.0, 300_000.0]
    assert totals["target_origin"].unique().to_list() == ["inferred"]
    assert totals["achieved_to_target_ratio"].is_between(0.975, 0.99).all()


def two(**columns):
    """Two servers with one run each."""
    base = {
        "system": None, "config": None, "workload": "genio", "host": ["a", "b"], "run": [1, 1],
        "position": [1, 1], "started_at": None, "ended_at": None, "target_iops": None,
        "target_origin": None, "read_iops": [3000.0, 1000.0], "write_iops": [1000.0, 500.0],
        "total_iops": [4000.0, 1500.0], CYCLE: [30.0, 40.0], "longest_wij_time_s": [10.0, 20.0],
        LATENCY: [0.0001, 0.0004], "random_read_average_s": [0.001, 0.002],
    } | columns  # fmt: skip
    size = max(len(value) for value in base.values() if isinstance(value, list))
    types = {"started_at": pl.Datetime("us"), "ended_at": pl.Datetime("us"),
             "target_iops": pl.Float64, "target_origin": pl.String, "system": pl.String,
             "config": pl.String}  # fmt: skip
    rows = {k: v if isinstance(v, list) else [v] * size for k, v in base.items()}
    return pl.DataFrame(rows, schema_overrides=types)


def test_the_sums_of_two_servers_by_hand():
    row = pk.genio.cluster_totals(two()).frame.row(0, named=True)
    assert (row["read_iops"], row["write_iops"], row["total_iops"]) == (4000.0, 1500.0, 5500.0)
    assert (row[CYCLE], row["longest_wij_time_s"]) == (40.0, 20.0)
    assert row["random_read_average_s"] == pytest.approx(0.00125)
    assert row[LATENCY] == pytest.approx(0.0002)
    assert row["effective_write_latency_worst_s"] == 0.0004
    assert row["read_ratio"] == pytest.approx(4000 / 5500)


def test_what_one_server_lacks_the_cluster_lacks():
    row = pk.genio.cluster_totals(two(write_iops=[1000.0, None])).frame.row(0, named=True)
    assert (row["write_iops"], row[LATENCY]) == (None, None)
    assert (row["total_iops"], row["random_read_average_s"]) == (5500.0, pytest.approx(0.00125))
    row = pk.genio.cluster_totals(two(random_read_average_s=[0.001, None])).frame.row(0, named=True)
    assert row["random_read_average_s"] is None


def test_a_run_that_one_server_lacks_has_no_total():
    frame = two(host=["a", "a", "b"], run=[1, 2, 1], position=[1, 2, 1],
                read_iops=[1.0, 2.0, 3.0], write_iops=[1.0, 2.0, 3.0], total_iops=[2.0, 4.0, 6.0],
                **{CYCLE: [1.0] * 3, "longest_wij_time_s": [1.0] * 3, LATENCY: [1.0] * 3,
                   "random_read_average_s": [1.0] * 3})  # fmt: skip
    first, second = pk.genio.cluster_totals(frame).frame.rows(named=True)
    assert (first["complete"], first["total_iops"], first["hosts"]) == (True, 8.0, 2)
    assert (second["complete"], second["total_iops"], second["hosts"]) == (False, None, 1)
    assert (second["hosts_expected"], second["note"]) == (2, "no run of b beside it: no total")


NINE = dt.datetime(2026, 3, 2, 9)  # noqa: DTZ001 - local times, as printed
HALF_HOUR = dt.timedelta(minutes=30)


@pytest.mark.parametrize(
    ("later", "together"),
    [(0, True), (10, True), (15, True), (16, False), (31, False), (600, False)],
)
def test_runs_of_one_number_must_overlap_where_times_are_printed(later, together):
    """Half of the shorter run at least; else two servers did not run beside one another."""
    starts = [NINE, NINE + dt.timedelta(minutes=later)]
    frame = two(started_at=starts, ended_at=[start + HALF_HOUR for start in starts])
    totals = pk.genio.cluster_totals(frame).frame
    assert totals.height == (1 if together else 2)
    assert totals["complete"].all() is together
    if together:
        assert totals["matched_by"][0] == "run and time"
        assert (totals["started_at"][0], totals["ended_at"][0]) == (
            NINE, starts[1] + HALF_HOUR,
        )  # fmt: skip


@pytest.mark.parametrize(("later", "rows"), [(0, 1), (1, 2)])
def test_runs_that_print_one_time_only_ran_together_where_it_is_the_same(later, rows):
    starts = [NINE, NINE + dt.timedelta(minutes=later)]
    assert pk.genio.cluster_totals(two(started_at=starts, ended_at=starts)).frame.height == rows


def test_other_numbers_are_matched_by_time(tmp_path):
    made = genio.cluster(12, runs=4)
    frame = runs(tmp_path, made, times=True)
    other = pl.col("run") + pl.when(pl.col("host") == "epic-rhel2").then(100).otherwise(0)
    totals = pk.genio.cluster_totals(frame.with_columns(run=other)).frame
    assert totals["matched_by"].unique().to_list() == ["time"]
    assert totals["complete"].all()
    wanted = pk.genio.cluster_totals(frame).frame
    assert totals["total_iops"].to_list() == wanted["total_iops"].to_list()
    assert totals["run"].null_count() == 4


def test_without_numbers_the_place_in_the_file_counts():
    totals = pk.genio.cluster_totals(
        two(run=[None, None]).with_columns(pl.col("run").cast(pl.Int64))
    )
    assert totals.frame["matched_by"].to_list() == ["position"]
    assert totals.frame["total_iops"].to_list() == [5500.0]


def test_what_cannot_be_matched_is_an_error():
    with pytest.raises(AnalysisError, match="neither numbers nor times in common"):
        pk.genio.cluster_totals(two(run=[1, 2]))
    with pytest.raises(AnalysisError, match="run 1 is there twice; label the servers"):
        pk.genio.cluster_totals(two(host=["a", "a"]))
