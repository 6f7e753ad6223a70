"""Any source with load points can be compared: those that know no latency, too."""

import polars as pl
import pytest
from forges import make
from places import TESTS

from perfkit.analysis.compare.asked import changes_of
from perfkit.analysis.compare.pairs import compare
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured
from perfkit.sources import read

DATA = TESTS / "data"


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
        make(name, folder / f"{name}-{seed}", seed=seed, options={})
        files = sorted(p for p in (folder / f"{name}-{seed}").rglob(pattern) if p.is_file())
        found.append(points(files[0], f"s{seed}"))
    return found


def test_genio_knows_no_latency_of_all_io_and_is_compared_at_equal_load(tmp_path):
    found = changes_of(compare(sampled(tmp_path, "genio-ramp", "summary.csv")))
    at = next(item for item in found if item.question == "iops_at_load")
    assert 0.9 < at.estimate.value < 1.1
    latency = next(item for item in found if item.question == "latency_at_load")
    assert (latency.sides[1].status, latency.estimate) == ("missing", None)


def test_ranread_curves_of_one_array_do_not_cross(tmp_path):
    """Two runs of one generator differ by noise alone: on the plateau it is not a crossing."""
    found = changes_of(compare(sampled(tmp_path, "ranread-sweep", "*.txt")))
    at = [item for item in found if item.question == "iops_at_latency"]
    assert at
    assert all(0.97 < item.estimate.value < 1.03 for item in at)
    assert not {told.name for item in found for told in item.cautions} & {
        "curves_cross", "curves_cross_again",
    }  # fmt: skip


def test_elbencho_against_fio_needs_names_for_what_differs():
    fio = points(DATA / "fio/rw75_jsonplus.json", "fio", workload="mix75")
    elbencho = points(DATA / "elbencho/rwmix75.json", "elbencho", workload="mix75",
                      load_kind="numjobs", load=4.0)  # fmt: skip
    with pytest.raises(AnalysisError, match="allow='load_kind'"):
        compare([fio, elbencho])
    with pytest.raises(AnalysisError, match=r"read_block_size_bytes differs|cannot be"):
        compare([fio, points(DATA / "fio/randread_libaio_qd16.json", "r", workload="mix75")])
