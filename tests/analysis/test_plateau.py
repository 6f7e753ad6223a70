"""The plateau of a curve: measured, or stated by a document, and what may hold it."""

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.curves.curves import latency_curve
from perfkit.analysis.curves.plateau import plateau, plateau_of, stated_plateau
from perfkit.core.answers import from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.showing.figures.curves import plot_plateau


def points(*iops, cpu=None):
    """Load points at 1, 2, 3 ... processes."""
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "system": "A", "workload": "w", "load_kind": "processes",
         "load": float(n), "repeat": 1, "direction": "total", "iops": x,
         "lat_mean_s": n / x if x else None, "cpu_busy_ratio": cpu}
        for n, x in enumerate(iops, 1)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)))


def said(answers):
    (statement,) = pk.say(answers)
    return statement.text


def test_the_last_points_within_the_tolerance_are_the_plateau():
    """300 to 310 thousand, and 294.5 as just within 5%; 290 is below."""
    answers = plateau(points(100e3, 290e3, 294.5e3, 310e3, 300e3))
    (found,) = from_frame(answers.frame)
    assert (found.estimate.value, found.conditions[3].value) == (294.5e3, 310e3)
    assert [item.value for item in found.conditions[1:3]] == [3.0, 5.0]
    assert [item.name for item in found.cautions] == ["host_unknown"]
    assert said(answers) == (
        "From 3 to 5 processes, w gave 294K to 310K IOPS, while the mean latency "
        "went from 10.2 µs to 16.7 µs; the host's CPU was not recorded, so what limits it is not "
        "known."
    )


@pytest.mark.parametrize(
    ("iops", "reason"),
    [
        ((100.0, 200.0, 300.0), "IOPS still rise or fall at the highest loads"),
        ((100.0, 200.0, 200.0), "IOPS still rise or fall at the highest loads"),
        ((300.0, 300.0, 300.0, 100.0), "IOPS still rise or fall at the highest loads"),
        ((0.0, 0.0, 0.0), "it did no I/O at any load"),
        ((300.0, None, 300.0), "IOPS are missing at a load point"),
        ((300.0, 300.0), "fewer than three load points"),
    ],
)
def test_no_plateau_without_three_points_at_the_end(iops, reason):
    answers = plateau(points(*iops))
    (found,) = from_frame(answers.frame)
    assert (found.status, found.reason, found.estimate) == ("missing", reason, None)
    assert said(answers) == f"w shows no plateau: {reason}."


@pytest.mark.parametrize(("cpu", "names"), [(0.95, ["host_may_hold"]), (0.5, [])])
def test_a_busy_host_may_be_what_holds_it(cpu, names):
    answers = plateau(points(300.0, 300.0, 300.0, cpu=cpu))
    assert [item.name for item in from_frame(answers.frame)[0].cautions] == names
    assert ("so it may be host-bound" in said(answers)) == (cpu > 0.9)


def cells(**values):
    rows = [{"row_name": name, "column_key": key, "value": value}
            for name, pair in values.items() for key, value in pair.items()]  # fmt: skip
    return Measured(pl.DataFrame(rows))


def test_a_stated_plateau_has_a_range_and_no_points():
    """Only what the document prints: no load, no latency."""
    stated = cells(plateau={"low": 390e3, "high": 400e3}, cpu={"low": 100.0})
    found = stated_plateau(stated, row="plateau", host_row="cpu")
    (one,) = from_frame(found.frame)
    assert [item.metric for item in one.conditions] == ["iops", "cpu_busy_ratio"]
    assert said(found) == (
        "A plateau of 390K to 400K IOPS is stated, without its points; the host was up to "
        "100% busy, so it may be host-bound."
    )
    with pytest.raises(AnalysisError, match="no number under 'high' in the row 'cpu'"):
        stated_plateau(stated, row="cpu")


def test_the_chart_draws_a_band_and_invents_no_point():
    one = latency_curve(points(301e3))
    figure = plot_plateau(one, stated_plateau(cells(p={"low": 390e3, "high": 400e3}), row="p"))
    drawn = figure.plotly.to_plotly_json()
    assert [list(trace["x"]) for trace in drawn["data"]] == [[301e3]]
    band = next(shape for shape in drawn["layout"]["shapes"] if shape["type"] == "rect")
    assert (band["x0"], band["x1"]) == (390e3, 400e3)
    assert drawn["layout"]["xaxis"]["range"][1] > 400e3
    assert "A band marks the plateau from 390K IOPS to 400K IOPS." in figure.alt


def test_a_plateau_is_measured_where_no_table_states_one():
    data = points(100e3, 290e3, 294.5e3, 310e3, 300e3)
    measured = plateau_of(data, {}, stated=None, row=None, host_row=None, direction="total")
    assert measured.frame.equals(plateau(data).frame)
