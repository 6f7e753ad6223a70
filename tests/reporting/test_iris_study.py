"""The study of the A300 article: its tables, its one point, and its plateau."""

from __future__ import annotations

import pytest
from places import ROOT

import perfkit as pk
from perfkit.showing.tables.printed import table_printed
from perfkit.study.opening import open_study

STUDY = ROOT / "data/studies/iris-a300"


@pytest.fixture(scope="module")
def study():
    return open_study(STUDY)


def test_the_one_printed_point_fits_itself(study):
    """301,000 IOPS x 166 µs are 50 jobs."""
    runs = study.read_evidence("ranread").ranread_runs
    assert pk.genio.table_ranread_runs(runs).content()["rows"] == [
        ["50", "301,000", "166", "printed", "ok"]
    ]
    row = runs.frame.row(0, named=True)
    assert (row["total_iops"], row["response_time_s"]) == (301_000, 0.000166)


def test_the_lun_table_and_its_sums(study):
    """Four uses; every total is what count and size give."""
    printed = study.read_evidence("printed")
    rows = table_printed(printed["luns"]).content()["rows"]
    assert rows[0] == ["Database", "8", "512GB", "4TB", "vgirisdb"]
    assert len(rows) == 4
    found = pk.audit(printed, study.audit).frame
    assert set(found["outcome"]) == {"holds"}


def test_the_read_guidance_is_met_by_the_mean_and_says_nothing_of_the_worst(study):
    judged = pk.judge_runs(study.read_evidence("ranread").ranread_runs, study.criteria)
    assert "pass" in set(judged.frame["outcome"])
