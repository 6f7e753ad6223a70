"""The plateau of a curve: measured, or stated by a document, and what may hold it."""

import polars as pl
import pytest
from perfkit.statements.plateau import say_plateau

from perfkit.analysis.curves import latency_curve
from perfkit.analysis.plateau import PLATEAU, plateau, stated_plateau
from perfkit.errors import AnalysisError
from perfkit.figures.plateau import plot_plateau
from perfkit.lineage import Measured
from perfkit.schema import LOAD_POINTS, polars_schema


def curve(*iops, cpu=None):
    """A curve over 1, 2, 3 ... processes."""
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "system": "A", "workload": "w", "load_kind": "processes",
         "load": float(n), "repeat": 1, "direction": "total", "iops": x,
         "lat_mean_s": None if x is None else n / x, "cpu_busy_ratio": cpu}
        for n, x in enumerate(iops, 1)
    ]  # fmt: skip
    return latency_curve(Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS))))


def test_the_last_points_within_the_tolerance_are_the_plateau():
    """300 to 310 thousand, and 294.5 as just within 5%; 290 is below."""
    row = plateau(curve(100e3, 290e3, 294.5e3, 310e3, 300e3)).frame.row(0, named=True)
    assert row["found"]
    assert (row["low_iops"], row["high_iops"]) == (294.5e3, 310e3)
    assert (row["first_load"], row["last_load"], row["loads"]) == (3.0, 5.0, 3)
    assert row["bound"] == "host CPU not known"


@pytest.mark.parametrize(
    ("iops", "reason"),
    [
        ((100.0, 200.0, 300.0), "IOPS still rise or fall at the highest loads"),
        ((100.0, 200.0, 200.0), "IOPS still rise or fall at the highest loads"),
        ((300.0, 300.0, 300.0, 100.0), "IOPS still rise or fall at the highest loads"),
        ((300.0, None, 300.0), "IOPS are missing at a load point"),
    ],
)
def test_no_plateau_without_three_points_at_the_end(iops, reason):
    row = plateau(curve(*iops)).frame.row(0, named=True)
    assert (row["found"], row["reason"], row["low_iops"]) == (False, reason, None)


@pytest.mark.parametrize(("cpu", "bound"), [(0.95, "may be host-bound"), (0.5, "host not busy")])
def test_a_busy_host_may_be_what_holds_it(cpu, bound):
    found = plateau(curve(300.0, 300.0, 300.0, cpu=cpu))
    assert found.frame["bound"].to_list() == [bound]
    assert ("may be host-bound" in say_plateau(found).text) == (cpu > 0.9)


def cells(**values):
    rows = [{"row_name": name, "column_key": key, "value": value}
            for name, pair in values.items() for key, value in pair.items()]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def test_a_stated_plateau_has_a_range_and_no_points():
    """Only what the document prints: no load, no latency."""
    stated = cells(plateau={"low": 390e3, "high": 400e3}, cpu={"low": 100.0})
    found = stated_plateau(stated, row="plateau", host_row="cpu")
    row = found.frame.row(0, named=True)
    assert {name for name, value in row.items() if value is not None} == {
        "found", "low_iops", "high_iops", "cpu_busy_ratio", "bound",
    }  # fmt: skip
    assert found.frame.columns == list(PLATEAU)
    assert say_plateau(found).text == (
        "A plateau between 390 thousand IOPS and 400 thousand IOPS is stated, without its points; "
        "the host was busy up to 100%, so it may be host-bound."
    )
    with pytest.raises(AnalysisError, match="no number under 'high' in the row 'cpu'"):
        stated_plateau(stated, row="cpu")


def test_the_chart_draws_a_band_and_invents_no_point():
    one = curve(301e3)
    figure = plot_plateau(one, stated_plateau(cells(p={"low": 390e3, "high": 400e3}), row="p"))
    drawn = figure.plotly.to_plotly_json()
    assert [list(trace["x"]) for trace in drawn["data"]] == [[301.0]]
    band = next(shape for shape in drawn["layout"]["shapes"] if shape["type"] == "rect")
    assert (band["x0"], band["x1"]) == (390.0, 400.0)
    assert drawn["layout"]["xaxis"]["range"][1] > 400
    assert "A band marks the plateau from 390 thousand IOPS to 400 thousand IOPS." in figure.alt
