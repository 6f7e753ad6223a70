"""Brushing a range in a chart of curves: what is compared follows."""

from __future__ import annotations

import json

import pytest

import perfkit as pk
from perfkit.exploring.answer import Choice, values_within
from perfkit.exploring.brush import Brush

from .test_exploring import points, texts

AXES = {"x": {"metric": "iops", "si": 1000.0}, "y": {"metric": "lat_mean_s", "si": 1e-3}}


def told(axes=AXES, **ranges):
    """What the browser says of a drag."""
    return {"chart": axes, "range": ranges, "count": 1}


def chart_of(panel):
    return panel.outputs["curves"].outputs[0]["data"]["application/vnd.plotly.v1+json"]


def test_a_range_of_the_screen_is_one_of_the_metrics():
    found = Brush.of(told(x=[1, 2], y=[0.25, 0.5]))
    assert found == Brush({"iops": (1000.0, 2000.0), "lat_mean_s": (0.25e-3, 0.5e-3)})
    assert Brush.of(told()) == Brush({})
    assert Brush.of(told(axes={}, x=[1, 2])) is None, "a chart whose axes say no metric"


def test_the_axes_of_the_curves_say_their_metric_and_unit():
    """A brushed range is read by them: a point drawn at x, y is one of the load points."""
    chart = chart_of(pk.explore(points(), latencies_us="150 300"))
    axes = chart["layout"]["meta"]
    assert [axes[axis]["metric"] for axis in "xy"] == ["iops", "lat_mean_s"]
    line = next(trace for trace in chart["data"] if trace.get("mode") == "lines+markers")
    assert line["y"][0] * axes["y"]["si"] == pytest.approx(100e-6)
    assert line["x"][0] * axes["x"]["si"] == pytest.approx(1000 * 1.02, rel=0.01)


@pytest.mark.parametrize(
    ("align", "ranges", "expected"),
    [
        ("latency", {"lat_mean_s": (120e-6, 220e-6)}, (200e-6,)),
        ("latency", {"lat_mean_s": (1.0, 2.0)}, ()),
        ("IOPS", {"iops": (1600, 2400), "lat_mean_s": (0, 1)}, (2000.0,)),
        ("load", {"iops": (2900, 5000), "lat_mean_s": (0, 1)}, (2.0, 3.0)),
        ("load", {"iops": (2900, 5000), "lat_mean_s": (390e-6, 1)}, (3.0,)),
        ("host CPU", {"cpu_busy_ratio": (0.15, 0.22)}, (0.2,)),
        ("peak", {"iops": (1, 5000)}, ()),
    ],
)
def test_the_values_in_a_range_are_round_ones_that_every_curve_has(align, ranges, expected):
    choice = Choice("A", ("B",), align=align)
    assert values_within(points(), None, choice, ranges) == pytest.approx(expected)


def test_what_is_compared_follows_the_brush_and_comes_back():
    panel = pk.explore(points(), latencies_us="150 300")
    desk = panel._made().desk
    desk.brushed = told(y=[0.12, 0.22])
    assert panel.widgets["at"].value == "200"
    assert panel.parameters["latencies_us"] == 200
    assert all("200 µs" in said for said in texts(panel, "sentences"))
    desk.brushed = {**told(), "count": 2}
    assert panel.widgets["at"].value == "150 300"


def test_a_range_without_a_common_value_changes_nothing_and_says_so():
    panel = pk.explore(points(), latencies_us="150 300")
    said = texts(panel, "sentences")
    panel._made().desk.brushed = told(y=[10, 20])
    assert "no latency in common in the range brushed" in panel._controls.problem.value
    assert texts(panel, "sentences") == said
    assert panel.widgets["at"].value == "150 300"


def test_curves_are_brushed_along_the_axis_at_whose_values_they_are_compared():
    panel = pk.explore(points(), latencies_us="150")
    assert chart_of(panel)["layout"]["selectdirection"] == "v"
    panel.widgets["align"].value = "IOPS"
    layout = chart_of(panel)["layout"]
    assert (layout["dragmode"], layout["selectdirection"]) == ("select", "h")
    panel.widgets["align"].value = "peak"
    assert "dragmode" not in chart_of(panel)["layout"]
    json.dumps(chart_of(panel))
