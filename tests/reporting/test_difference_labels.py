"""Numbers of changes, measured in Chrome: none on a mark, a whisker, a name or another number."""

from __future__ import annotations

import json

import polars as pl
import pytest
from forges.ship import small_tr_4819
from places import ROOT

import perfkit as pk
from perfkit.core.lineage import Measured
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.reporting.write.charts import _drawing_page
from perfkit.showing.figures.canvas import WIDTH_PX

pytestmark = pytest.mark.slow

STUDIES = ROOT / "data/studies"

_BOXES = """
(async () => {
  const chart = %s;
  document.body.innerHTML = '<div id="chart"></div>';
  await Plotly.newPlot('chart', chart.data, chart.layout, {staticPlot: true});
  const boxes = (names) => [...document.querySelectorAll('#chart ' + names)].map((item) => {
    const box = item.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
  });
  return {number: boxes('.annotation-text'), mark: boxes('.scatterlayer .point'),
    whisker: boxes('.errorbar'), legend: boxes('.legend'), plot: boxes('.cartesianlayer .plot')};
})()
"""


@pytest.fixture(scope="module")
def page():
    drawing = _drawing_page(None, 60)
    yield drawing
    drawing.close()


def boxes_of(page, figure):
    chart = json.loads(figure.plotly.to_json())
    height = figure.height_mm / 25.4 * 96
    chart["layout"] |= {"width": WIDTH_PX, "height": height, "autosize": False}
    return page.evaluate(_BOXES % json.dumps(chart)), height


def hits(one, other):
    apart = one[2] <= other[0] or other[2] <= one[0]
    return not (apart or one[3] <= other[1] or other[3] <= one[1])


def check_clear(page, figure, numbers):
    """As many numbers as marks, each clear of everything else and inside the chart."""
    boxes, height = boxes_of(page, figure)
    assert len(boxes["number"]) == numbers
    others = [(kind, box) for kind in ("mark", "whisker", "legend") for box in boxes[kind]]
    for place, own in enumerate(boxes["number"]):
        assert not [kind for kind, box in others if hits(own, box)], place
        assert not any(hits(own, box) for box in boxes["number"][:place]), place
    for box in (*boxes["number"], *boxes["legend"]):
        assert box[0] >= 0
        assert box[2] <= WIDTH_PX + 16  # the body's margins
        assert box[3] <= height + 16
    return boxes


def curves(count, spread=0.01, step=0.5):
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "system": f"System number {n}", "workload": "w",
         "load_kind": "threads", "direction": "total", "load": float(load), "repeat": r,
         "iops": load * 1000 * (1 + n * step) * (1 + r * spread), "lat_mean_s": load * 1e-4}
        for n in range(count) for load in (1, 2, 3, 4) for r in (1, 2, 3)
    ]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)))


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize(("spread", "step"), [(0.01, 0.5), (0.06, 0.02), (0.05, -0.1)])
def test_numbers_of_many_systems_stand_clear(page, count, spread, step):
    found = pk.compare(curves(count, spread, step), loads=[1.0, 2.0, 3.0])
    figure = pk.plot_differences(found, question="iops_at_load")
    check_clear(page, figure, 3 * (count - 1))


def test_a_number_that_finds_no_room_is_left_out_and_the_others_stand_clear(page):
    found = pk.compare(curves(9, 0.05, 0.01), loads=[1.0, 2.0, 3.0, 4.0])
    figure = pk.plot_differences(found, question="iops_at_load")
    shown = len(figure.plotly.layout.annotations)
    assert 0 < shown < 32
    boxes = check_clear(page, figure, shown)
    assert len(boxes["mark"]) == 32


def test_the_names_of_the_legend_have_the_room_that_was_counted_for_them(page):
    """Of one line and of several: the plot begins below the legend."""
    for count in (3, 5, 7):
        figure = pk.plot_differences(
            pk.compare(curves(count), loads=[1.0]), question="iops_at_load"
        )
        boxes, _ = boxes_of(page, figure)
        [legend] = boxes["legend"]
        highest = min(box[1] for box in boxes["mark"])
        assert legend[3] < highest


@pytest.fixture(scope="module")
def tr4819(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tr-4819")
    study = pk.open_study(small_tr_4819(folder, points=8))
    asked = pk.comparison_asked(study, interactive=True)
    evidence = study.read_evidence(tables=["report", "load_points", "wait_events"])
    points = pk.points_with_event(evidence, "db file sequential read")
    return pk.compare(points, baseline="FCP", direction=asked.direction, **asked.values)


@pytest.mark.parametrize(
    "question",
    ["iops_at_latency", "latency_at_iops", "cpu_at_iops", "iops_at_load", "latency_at_load",
     "cpu_at_load", "iops_at_cpu", "peak_iops"],
)  # fmt: skip
def test_numbers_of_tr_4819_stand_clear(page, tr4819, question):
    figure = pk.plot_differences(tr4819, question=question)
    marks = sum(len(trace.x) for trace in figure.plotly.data)
    check_clear(page, figure, marks)


@pytest.mark.parametrize("question", ["iops_at_latency", "latency_at_iops", "cpu_at_iops"])
def test_numbers_of_two_sweeps_stand_clear(page, question):
    """As two-engines measures them: two configs, three repeats that differ much."""
    rows = [
        {**dict.fromkeys(LOAD_POINTS), "config": config, "workload": "oltp-select",
         "load_kind": "numjobs", "direction": "total", "load": float(jobs), "repeat": r,
         "iops": iops * factor * (1 - r / 20), "lat_mean_s": jobs / (iops * factor * (1 - r / 20)),
         "cpu_busy_ratio": 0.1 * jobs ** 0.5 / factor}
        for config, factor in (("psync", 1.0), ("io_uring", 0.85))
        for jobs, iops in ((1, 36e3), (2, 55e3), (4, 85e3), (8, 107e3)) for r in (1, 2, 3)
    ]  # fmt: skip
    found = pk.compare(
        Measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS))), baseline="psync",
        latencies_s=[40e-6, 50e-6, 60e-6], iops=[50e3, 60e3],
    )  # fmt: skip
    figure = pk.plot_differences(found, question=question)
    check_clear(page, figure, sum(len(trace.x) for trace in figure.plotly.data))
