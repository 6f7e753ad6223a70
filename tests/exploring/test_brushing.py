"""Brushing a range in a chart of curves: what is compared follows."""

from __future__ import annotations

import json

import pytest

import perfkit as pk
from perfkit.exploring.answer import Choice, values_within
from perfkit.exploring.controls import Brush

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
    assert values_within((points(), None, None), choice, ranges) == pytest.approx(expected)


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


def changes_of(panel):
    chart = panel.outputs["differences"].outputs[0]["data"]["application/vnd.plotly.v1+json"]
    return chart["layout"], chart["data"]


def test_values_brushed_in_a_chart_of_changes_are_those_that_are_compared():
    """Marks stand at 0, 1, 2 ...; what the brush meets is kept, in all charts and sentences."""
    panel = pk.explore(points(), latencies_us="150 250 350")
    layout, _ = changes_of(panel)
    assert layout["meta"]["values"] == pytest.approx([150e-6, 250e-6, 350e-6])
    assert (layout["dragmode"], layout["selectdirection"]) == ("select", "h")
    desk = panel._made().desk
    desk.brushed = told(layout["meta"], x=[0.8, 2.2], y=[0, 80])
    assert panel.widgets["at"].value == "250 350"
    assert changes_of(panel)[0]["meta"]["values"] == pytest.approx([250e-6, 350e-6])
    assert not any("150 µs" in said for said in texts(panel, "sentences"))
    desk.brushed = {**told(layout["meta"], x=[7, 8]), "count": 2}
    assert "No value lies in the range brushed." in panel._controls.problem.value
    assert panel.widgets["at"].value == "250 350"
    desk.brushed = {**told(layout["meta"]), "count": 3}
    assert panel.widgets["at"].value == "150 250 350"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-1, 9, (1.0, 2.0, 4.0)), (0.7, 1.3, (2.0,)), (0.2, 0.3, (1.0,)), (1.4, 1.6, ())],
)
def test_a_mark_beside_its_value_counts_as_far_as_marks_reach(low, high, expected):
    chart = {"values": [1.0, 2.0, 4.0], "reach": 0.38}
    assert Brush.of(told(chart, x=[low, high])) == Brush(values=expected)


def test_a_change_under_the_pointer_tells_both_systems_with_units_and_repeats():
    _, data = changes_of(pk.explore(points(), latencies_us="150"))
    [said] = data[0]["customdata"]
    first, *sides = said.split("<br>")
    assert first.startswith("150 µs: +50% (95% interval +")
    assert [line.partition(":")[0] for line in sides] == ["B", "A"]
    assert all(line.endswith("IOPS, 3 repeats") for line in sides)


def test_a_chart_of_host_cpu_is_brushed_along_its_share():
    panel = pk.explore(points(), cpu_percents="15 25")
    chart = chart_of(panel)
    assert chart["layout"]["selectdirection"] == "v"
    panel._made().desk.brushed = told(chart["layout"]["meta"], x=[0, 9e9], y=[15, 22])
    assert panel.widgets["at"].value == "20"
