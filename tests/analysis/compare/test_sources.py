"""Any source with load points can be compared: those that know no latency, too."""

from pathlib import Path

import polars as pl
import pytest

from perfkit.analysis.compare import compare
from perfkit.analysis.compare.effects import effect
from perfkit.errors import AnalysisError
from perfkit.lineage import Measured
from perfkit.parsers import read
from perfkit.samples import ensure

DATA = Path(__file__).parents[2] / "data"


def points(file, system, **labels):
    """The load points of a file as those of a system."""
    table = read(file).load_points
    given = {"system": system, "host": None, **labels}
    columns = [pl.lit(value).cast(table.frame[name].dtype).alias(name)
               for name, value in given.items()]  # fmt: skip
    return Measured(table.frame.with_columns(columns), table.lineage)


def sampled(folder, name, pattern):
    """The first file of two samples of one generator, as two systems."""
    found = []
    for seed in (1, 2):
        ensure(name, folder / f"{name}-{seed}", seed=seed, options={})
        files = sorted(p for p in (folder / f"{name}-{seed}").rglob(pattern) if p.is_file())
        found.append(points(files[0], f"s{seed}"))
    return found


def test_genio_knows_no_latency_of_all_io_and_is_compared_at_equal_load(tmp_path):
    found = compare(sampled(tmp_path, "genio-ramp", "summary.csv")).frame
    row = found.filter(question="iops_at_load").row(0, named=True)
    assert 0.9 < row["ratio"] < 1.1
    latency = found.filter(question="latency_at_load").row(0, named=True)
    assert (latency["baseline_status"], latency["ratio"]) == ("missing", None)


def test_ranread_curves_of_one_array_do_not_cross(tmp_path):
    """Two runs of one generator differ by their noise alone: on the plateau it is no crossing."""
    found = compare(sampled(tmp_path, "ranread-sweep", "*.txt")).frame
    at = found.filter(pl.col("question") == "iops_at_latency")
    assert not at.is_empty()
    assert all(0.97 < ratio < 1.03 for ratio in at["ratio"])
    assert found["crosses_at_iops"].null_count() == len(found)


def test_elbencho_against_fio_needs_names_for_what_differs():
    fio = points(DATA / "fio/rw75_jsonplus.json", "fio", workload="mix75")
    elbencho = points(DATA / "elbencho/rwmix75.json", "elbencho", workload="mix75",
                      load_kind="numjobs", load=4.0)  # fmt: skip
    with pytest.raises(AnalysisError, match="allow='load_kind'"):
        compare([fio, elbencho])
    with pytest.raises(AnalysisError, match=r"read_block_size_bytes differs|are not to be"):
        compare([fio, points(DATA / "fio/randread_libaio_qd16.json", "r", workload="mix75")])


def test_the_interval_covers_the_truth_in_a_small_simulation():
    """300 pairs of five repeats; the bench does 2,000 at n = 3, 5 and 10."""
    import numpy as np

    draw = np.random.default_rng(5)
    hits = 0
    for _ in range(300):
        a, b = (base * draw.lognormal(0, 0.02, 5) for base in (100.0, 159.0))
        found = effect(a.tolist(), b.tolist())
        hits += found.low <= 1.59 <= found.high
    assert 0.91 <= hits / 300 <= 0.99
