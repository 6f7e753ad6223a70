"""Floors and ceilings as a volume grows: TR-4784's figures, both readings, and the inputs named."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.analysis.verdicts.adaptive_qos import (
    PrintedRates,
    adaptive_qos,
    default_policies,
    printed_otherwise,
    qos_policy,
)
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import measured

EPIC_PROD = {"policy": "EpicProd", "expected_iops_per_tb": 15_000.0, "peak_iops_per_tb": 30_000.0,
             "absolute_min_iops": 7_500.0, "expected_allocation": None,
             "peak_allocation": "used-space"}  # fmt: skip


def policies(**change):
    return pl.DataFrame(
        [{**EPIC_PROD, **change}],
        schema_overrides={"expected_allocation": pl.String, "absolute_min_iops": pl.Float64},
    )


def curve(frame, policy="EpicProd", **given_):
    found = adaptive_qos(frame, policy, **{"to_tb": 5.0, **given_}).frame
    return found.select("size_tb", "floor_iops", "ceiling_iops").rows()


def test_figure_1_of_tr4784():
    """Table 5's inputs over 0 to 5 TB in steps of 0.25: floor to 75,000, ceiling to 150,000."""
    got = curve(policies())
    assert len(got) == 21
    assert got[:4] == [(0, 7500, 7500), (0.25, 7500, 7500), (0.5, 7500, 15_000),
                       (0.75, 11_250, 22_500)]  # fmt: skip
    assert got[-1] == (5, 75_000, 150_000)


def test_figure_2_of_tr4784_plots_the_default_policy_not_table_6():
    """It ends near 153,600 and 307,200: 2048 and 4096 per TB; Table 6's rates end at half of it."""
    got = curve(default_policies(), "performance", to_tb=75.0)
    assert [row[0] for row in got[:3]] == [0, 3.75, 7.5]
    assert got[-1] == (75, 153_600, 307_200)
    table_6 = policies(
        expected_iops_per_tb=1000.0, peak_iops_per_tb=2000.0, absolute_min_iops=500.0
    )
    assert curve(table_6, to_tb=75.0)[-1] == (75, 75_000, 150_000)


@pytest.mark.parametrize(
    ("name", "rates"),
    [("extreme", (6144, 12288, 1000)), ("performance", (2048, 4096, 500)),
     ("value", (128, 512, 75))],
)  # fmt: skip
def test_the_default_policies_are_those_of_the_documentation(name, rates):
    found = qos_policy(default_policies(), name)
    assert (found.expected_iops_per_tb, found.peak_iops_per_tb, found.absolute_min_iops) == rates
    assert (found.expected_allocation, found.peak_allocation) == ("allocated-space", "used-space")
    assert "ONTAP 9 documentation" in default_policies().lineage.mark()


def test_the_readings_differ_only_between_both_sizes_where_the_minimum_ends():
    """Peak passes the minimum at 0.25 TB, expected at 0.5: between, "override" holds both down."""
    sizes = {"to_tb": 1.0, "points": 9}
    larger = curve(policies(), readings=("max",), **sizes)
    override = curve(policies(), readings=("override",), **sizes)
    assert larger[3] == (0.375, 7500, 11_250)
    assert override[3] == (0.375, 7500, 7500)
    assert [a == b for a, b in zip(larger, override, strict=True)] == [i != 3 for i in range(9)]


def test_the_minimum_holds_for_each_volume():
    """Sixteen volumes of 342 GB each stay at their minimum: 120,000 IOPS of floor, not 82,000."""
    row = adaptive_qos(policies(), "EpicProd", to_tb=16 * 0.342, points=2, volumes=16).frame.row(
        1, named=True
    )
    assert (row["volume_floor_iops"], row["floor_iops"]) == (7500, 120_000)
    assert row["floor_by"] == "absolute minimum"
    assert row["ceiling_iops"] == pytest.approx(30_000 * 16 * 0.342)


def test_the_floor_follows_the_allocated_and_the_ceiling_the_used_space():
    row = adaptive_qos(policies(), "EpicProd", to_tb=1.0, points=2, allocated_tb=5.0).frame.row(
        1, named=True
    )
    assert (row["floor_iops"], row["ceiling_iops"]) == (75_000, 30_000)
    assert row["note"] == "ceiling below floor"
    used = policies(expected_allocation="used-space")
    assert curve(used, to_tb=1.0, points=2, allocated_tb=5.0)[1] == (1, 15_000, 30_000)


def test_a_policy_that_contradicts_itself_is_marked():
    """aqos-epic-bully in TR-4784: expected 3000, peak 2000."""
    bully = policies(expected_iops_per_tb=3000.0, peak_iops_per_tb=2000.0, absolute_min_iops=2000.0)
    notes = adaptive_qos(bully, "EpicProd", to_tb=2.0, points=3).frame["note"].to_list()
    assert notes == [None, "ceiling below floor", "ceiling below floor"]


@given(st.floats(1, 1e5), st.floats(1, 1e5), st.floats(0, 1e4), st.integers(1, 64),
       st.sampled_from(["max", "override"]))  # fmt: skip
def test_no_limit_ever_falls_as_the_size_grows_nor_below_the_minimum(rate, more, least, n, reading):
    frame = policies(
        expected_iops_per_tb=rate, peak_iops_per_tb=rate + more, absolute_min_iops=least
    )
    found = adaptive_qos(frame, "EpicProd", to_tb=7.0, volumes=n, readings=(reading,)).frame
    for name in ("floor_iops", "ceiling_iops"):
        values = found[name].to_list()
        assert all(a <= b * (1 + 1e-12) for a, b in pairwise(values))
        assert all(value >= least * n * (1 - 1e-12) for value in values)
    assert found["note"].null_count() == found.height


@pytest.mark.parametrize(
    ("given_", "words"),
    [({"to_tb": 0}, "above 0"), ({"points": 1}, "two points"), ({"volumes": 0}, "one volume"),
     ({"allocated_tb": 1.0}, "cannot be used"), ({"policy": "EpicPrd"}, "did you mean 'EpicProd'")],
)  # fmt: skip
def test_sizes_and_names_that_make_no_sense_are_refused(given_, words):
    with pytest.raises(AnalysisError, match=words):
        curve(policies(), **given_)


def test_a_minimum_that_is_not_printed_is_never_taken_for_none():
    unknown = policies(absolute_min_iops=None)
    with pytest.raises(AnalysisError, match="absolute_min_iops is not printed; give it"):
        curve(unknown)
    assert curve(unknown, absolute_min_iops=7500.0) == curve(policies())


def test_two_policies_of_one_name_are_refused_and_the_same_one_twice_is_not():
    one = policies()
    assert curve(pl.concat([one, one])) == curve(one)
    with pytest.raises(AnalysisError, match="several policies are named"):
        curve(pl.concat([one, policies(peak_iops_per_tb=1e5)]))


def document(title="Policy EpicProd.", expected=2000.0, peak=4000.0, part="policies"):
    """A printed table of a policy's rates."""
    names = ("Expected IOPS/TB", "Peak IOPS/TB", "Absolute minimum")
    rows = [
        {"part": part, "row_name": name, "column_key": "v", "value": value, "title": title,
         "document": "TR-4784", "table": "Table 3"}
        for name, value in zip(names, (expected, peak, None), strict=True)
    ]  # fmt: skip
    return measured(pl.DataFrame(rows), "x")


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (document(), None),
        (document(peak=4001.0), PrintedRates("TR-4784", "Table 3", 2000.0, 4001.0)),
        (document(expected=1999.0), PrintedRates("TR-4784", "Table 3", 1999.0, 4000.0)),
        (document(peak=1.0, title="Policy EpicTest."), None),
        (document(peak=1.0, title="Policy EpicProd2"), None),
        (document(peak=1.0, part="results"), None),
        (document(peak=None), None),
        (measured(pl.DataFrame({"value": [1.0]}), "x"), None),
    ],
)  # fmt: skip
def test_a_document_that_prints_other_rates_for_a_policy_is_found(table, found):
    assert printed_otherwise({"a": document(), "b": table}, "EpicProd", 2000.0, 4000.0) == found
