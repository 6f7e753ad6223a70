"""Generated GenIO, RANREAD and ONTAP evidence: plausible, seeded, and marked as generated."""

import polars as pl
import pytest
from forges import genio, make, ranread

import perfkit as pk

PASSES = (pl.col("longest_write_cycle_s") < 45) & (pl.col("effective_write_latency_s") < 0.001)


@pytest.fixture(scope="module")
def ramp(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ramp") / "genio"
    make("genio-ramp", folder, seed=7)
    return folder


def runs(folder, case):
    return {
        server.name: pk.read(folder / case / server.name, kind="genio").genio_runs
        for server in genio.SERVERS
    }


def passed(table):
    return table.frame.filter(PASSES).height


def test_three_servers_in_three_cases_are_hundreds_of_points(ramp):
    tables = [table for case in genio.CASES for table in runs(ramp, case).values()]
    assert sum(len(table) for table in tables) == 360
    for table in tables:
        (evidence,) = table.lineage.evidence
        assert str(evidence.origin.of) == "genio-ramp, seed 7"
        assert evidence.warnings == ()
        assert table.frame["target_origin"].unique().to_list() == ["inferred"]
        assert table.frame["achieved_to_target_ratio"].is_between(0.98, 0.99).all()
        assert table.frame["read_ratio"].is_between(0.75, 0.76).all()


def test_the_bully_fails_and_the_protected_servers_do_not(ramp):
    with_policy = {name: passed(table) for name, table in runs(ramp, "policy").items()}
    assert with_policy["epic-rhel1"] == with_policy["epic-rhel2"] == 40
    assert 0 < with_policy["epic-rhel3"] < 40


def test_the_controls_differ_as_controls_must(ramp):
    """Without a policy the neighbours fail too; without the bully nobody does."""
    without = {name: passed(table) for name, table in runs(ramp, "no-policy").items()}
    assert without["epic-rhel1"] < 40
    calm = {name: passed(table) for name, table in runs(ramp, "no-bully").items()}
    assert set(calm.values()) == {40}


def test_the_cluster_is_matched_by_run_and_time(ramp):
    frames = [table.frame for table in runs(ramp, "policy").values()]
    totals = pk.genio.cluster_totals(pl.concat(frames)).frame
    assert totals["complete"].all()
    assert totals["matched_by"].unique().to_list() == ["run and time"]
    assert totals["total_iops"].to_list() == [
        float(sum(parts)) for parts in zip(*(f["total_iops"] for f in frames), strict=True)
    ]


@pytest.mark.parametrize("name", ["genio-ramp", "ranread-sweep", "ontap-qos"])
def test_a_seed_gives_the_same_bytes_and_another_gives_others(tmp_path, name):
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        make(name, tmp_path / folder, seed=seed)
    files = {
        folder: {
            path.relative_to(tmp_path / folder): path.read_bytes()
            for path in sorted((tmp_path / folder).rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }
        for folder in "abc"
    }
    assert files["a"] == files["b"] != files["c"]


@pytest.mark.parametrize("layout", ["2023", "2024", "2026", "console"])
def test_every_layout_of_ranread_reads_back_without_a_warning(tmp_path, layout):
    make("ranread-sweep", tmp_path / "x", seed=3, options={"layout": layout})
    (path,) = (p for p in (tmp_path / "x").iterdir() if not p.name.startswith("."))
    reading = pk.read(path)
    assert len(reading.ranread_runs) == len(ranread.PROCESSES) * 10
    cached = "writes go into the database cache: their rate is not a rate of disk writes"
    assert reading.evidence.warnings == ((cached,) if layout == "2026" else ())


def test_ontap_reads_back_without_a_warning(tmp_path):
    make("ontap-qos", tmp_path / "x", seed=3, options={"count": 5})
    for path in sorted((tmp_path / "x").glob("*.txt")):
        assert pk.read(path).evidence.warnings == ()
