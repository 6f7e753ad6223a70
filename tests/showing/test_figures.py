"""Charts: what is drawn is what was measured, labelled with units, and told in words."""

from __future__ import annotations

import itertools
import json

import polars as pl
import pytest

from perfkit.analysis.curves.curves import latency_curve
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.showing.figures.canvas import Canvas
from perfkit.showing.figures.curves import plot_cpu, plot_latency_curve, plot_scaling
from perfkit.showing.figures.distributions import plot_latency_heatmap, plot_percentile_fan


def chart(figure):
    return json.loads(figure.plotly.to_json())


def annotations(figure):
    return [item["text"] for item in chart(figure)["layout"].get("annotations", [])]


@pytest.fixture
def every(system, histogram):
    points = system(repeats=1)
    curve = latency_curve(points)
    bins = histogram([(d, 1, 1e-4 * d, 10) for d in (1, 2, 4)])
    return [
        plot_latency_curve(curve, limit_s=3e-4, points=points), plot_scaling(curve),
        plot_cpu(curve), plot_percentile_fan(curve),
        plot_latency_heatmap(bins),
    ]  # fmt: skip


def test_the_points_drawn_are_the_curve_in_order_of_load(system):
    curve = latency_curve(system()[::-1])
    (trace,) = chart(plot_latency_curve(curve))["data"]
    assert trace["x"] == pytest.approx(list(curve.frame["iops"]))
    assert trace["y"] == pytest.approx([y * 1e6 for y in curve.frame["lat_mean_s"]])
    assert trace["error_y"]["array"][0] > 0


def test_every_axis_title_carries_its_unit_and_both_axes_start_at_zero(system):
    layout = chart(plot_latency_curve(latency_curve(system())))["layout"]
    assert layout["xaxis"]["title"]["text"] == "Total IOPS"
    assert layout["xaxis"]["tickformat"] == "~s"
    assert layout["xaxis"]["labelalias"]["20k"] == "20K"
    assert layout["yaxis"]["title"]["text"] == "Mean latency (µs)"
    assert layout["xaxis"]["range"][0] == layout["yaxis"]["range"][0] == 0


def test_small_iops_are_not_shown_in_k(table):
    points = table([{"load": d, "iops": 100.0 * d, "lat_mean_s": 0.002, "direction": "read"}
                    for d in (1, 2)])  # fmt: skip
    layout = chart(plot_latency_curve(latency_curve(points, direction="read")))["layout"]
    assert layout["xaxis"]["title"]["text"] == "Read IOPS"
    assert layout["xaxis"]["tickformat"] == ",.6~g"
    assert layout["yaxis"]["title"]["text"] == "Mean read latency (ms)"


def test_several_curves_are_named_at_their_ends_and_one_shows_its_loads(system):
    both = system(workload="a").vstack(system(workload="b").with_columns(pl.col("iops") * 0.5))
    assert annotations(plot_latency_curve(latency_curve(both))) == ["<b>a</b>", "<b>b</b>"]
    assert set(annotations(plot_latency_curve(latency_curve(system())))) <= {
        "1", "2", "4", "8", "16", "32"
    }  # fmt: skip


def test_results_of_one_load_each_are_bars_and_no_curve(system):
    """Two points on axes of IOPS and latency showed less than their four numbers."""
    one = system().filter(pl.col("load") == 4)
    small = one.with_columns(system=pl.lit("A"), workload=pl.lit("small"))
    large = one.with_columns(workload=pl.lit("large"), bw_bytes_per_s=pl.col("iops") * 2.0**20)
    small = small.with_columns(bw_bytes_per_s=pl.col("iops") * 4096.0)
    curve = latency_curve(pl.concat([small, large.with_columns(system=pl.lit("A"))]))
    figure = plot_latency_curve(curve, limit_s=curve.frame["lat_mean_s"].max())
    drawn = chart(figure)
    assert [trace["type"] for trace in drawn["data"]] == ["bar"] * 3
    assert drawn["layout"]["yaxis"]["ticktext"] == ["small", "large"], "the smaller I/O first"
    titles = [drawn["layout"][f"xaxis{n}"]["title"]["text"] for n in ("", "2", "3")]
    assert titles == ["Total IOPS", "Throughput (MB/s)", "Mean latency (µs)"]
    assert drawn["data"][1]["x"][1] == pytest.approx(256 * drawn["data"][1]["x"][0])
    assert drawn["data"][0]["error_x"]["array"][0] > 0
    assert figure.caption.startswith("IOPS, throughput and mean latency, each at iodepth 4. Whisk")
    assert figure.caption.endswith(" is the dashed line.")
    far = plot_latency_curve(curve, limit_s=1.0)
    assert far.caption.endswith("The limit of 1 s lies outside the chart.")
    # of one I/O size the throughput follows from the IOPS; where loads differ the rows name them
    other = system().filter(pl.col("load") == 8).with_columns(workload=pl.lit("other"))
    both = plot_latency_curve(latency_curve(pl.concat([one, other])))
    assert len(chart(both)["data"]) == 2
    assert all("iodepth" in name for name in chart(both)["layout"]["yaxis"]["ticktext"])
    assert "each at one load" in both.caption
    alone = plot_latency_curve(latency_curve(one))
    assert [trace["type"] for trace in chart(alone)["data"]] == ["bar"] * 2, (
        "no axes with one point"
    )
    assert alone.caption.startswith("IOPS and mean latency, at iodepth 4.")
    with pytest.raises(AbsentError, match="every curve is of one load"):
        plot_scaling(curve)


def test_the_limit_is_a_dashed_line_with_its_value(system):
    drawn = chart(plot_latency_curve(latency_curve(system()), limit_s=3e-4))["layout"]
    (line,) = drawn["shapes"]
    assert (line["y0"], line["y1"], line["line"]["dash"]) == (300.0, 300.0, "dash")
    assert line["layer"] == "above", "a grid line at the same height would hide it"
    assert drawn["annotations"][0]["text"] == "limit 300 µs"


def test_a_limit_far_above_does_not_squeeze_the_chart(system):
    drawn = chart(plot_latency_curve(latency_curve(system()), limit_s=0.1))["layout"]
    assert drawn["annotations"][0]["text"] == "limit 100 ms lies above"
    assert not drawn.get("shapes")
    assert drawn["yaxis"]["range"][1] < 1000


def test_repeats_are_drawn_as_they_were_measured(system):
    points = system()
    drawn = chart(plot_latency_curve(latency_curve(points), points=points))["data"]
    assert len(drawn[0]["x"]) == 18
    assert drawn[0]["marker"]["symbol"] == "circle-open"


def test_the_alt_text_tells_the_curve_and_records_its_numbers(system):
    figure = plot_latency_curve(latency_curve(system((1, 32))))
    assert figure.alt == (
        "Line chart of mean latency against total IOPS. w: 2 load points, from 9,090 IOPS at a "
        "mean latency of 110 µs (iodepth 1) to 76,200 IOPS at 420 µs (iodepth 32)."
    )
    assert all(item.text in figure.alt for item in figure.printed)
    assert len(figure.printed) == 7


def test_a_point_without_a_value_is_left_out_and_counted(table):
    points = table([{"load": 1, "iops": 5.0, "lat_mean_s": 0.1}, {"load": 2, "iops": 6.0}])
    figure = plot_latency_curve(latency_curve(points))
    assert chart(figure)["data"][0]["x"] == [5.0]
    assert figure.caption.endswith("Not drawn, for lack of a value: 1.")


def test_nothing_to_draw_is_an_error(table, system):
    with pytest.raises(AnalysisError, match="no load point carries IOPS and mean latency"):
        plot_latency_curve(latency_curve(table([{"load": 1}])))
    with pytest.raises(AnalysisError, match="never averaged"):
        plot_percentile_fan(latency_curve(system(repeats=3)))


def test_a_name_with_markup_is_shown_as_it_is(system):
    both = system(workload="<b>&").vstack(system(workload="z"))
    assert "<b>&lt;b&gt;&amp;</b>" in annotations(plot_latency_curve(latency_curve(both)))


def test_every_chart_is_vector_has_alt_caption_and_json_without_nan(every):
    for figure in every:
        text = json.dumps(chart(figure), allow_nan=False)
        assert "scattergl" not in text
        assert figure.alt.endswith(".")
        assert figure.caption.endswith(".")
        assert figure.printed
        titles = [chart(figure)["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
        assert all(titles)


def test_every_chart_is_the_same_for_the_same_data(system):
    first, second = (plot_latency_curve(latency_curve(system())) for _ in range(2))
    assert first.content_hash() == second.content_hash()
    changed = plot_latency_curve(latency_curve(system().with_columns(pl.col("iops") * 1.001)))
    assert changed.content_hash() != first.content_hash()


def test_columns_of_the_heat_map_add_up_to_all_ios(histogram):
    figure = plot_latency_heatmap(histogram([(1, 1, 1e-4, 30), (1, 2, 1e-3, 70), (2, 1, 1e-3, 5)]))
    drawn = chart(figure)["data"][0]["z"]
    first = [10 ** row[0] for row in drawn if row[0] is not None]
    assert sorted(first) == pytest.approx([30.0, 70.0])
    assert "median is 1.00 ms" in figure.alt


def box_of(canvas, note):
    """Where a label stands on its canvas, from its own words and shifts."""
    x, y = canvas.pixel(note["x"], note["y"])
    half = len(note["text"]) * 2.5
    return (x + note["xshift"] - half, y + note["yshift"] - 5,
            x + note["xshift"] + half, y + note["yshift"] + 5)  # fmt: skip


def test_labels_do_not_overlap_each_other_or_the_curves():
    canvas = Canvas(x_max=10, y_max=10)
    canvas.mark([1, 9], [1, 1])
    found = [
        canvas.label("a label", 5, y, places=("right", "left", "above"), size=12, color="#000",
                     lifts=(0, 1, -1))
        for y in (5.0, 5.0, 5.1, 4.9, 1.0)
    ]  # fmt: skip
    boxes = [box_of(canvas, note) for note in found]
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0]
        assert apart or one[3] <= other[1] or other[3] <= one[1]
    line = canvas.pixel(5, 1)[1]
    assert boxes[-1][1] > line or boxes[-1][3] < line


def test_a_label_without_a_free_place_is_none():
    canvas = Canvas(x_max=1, y_max=1, width=20, height=20)
    assert canvas.label("far too long", 0.5, 0.5, places=("right",), size=12, color="#000") is None
    assert canvas.stack([("far too long", 0.5, 0.5, "#000")]) is None


def test_labels_at_one_end_stand_apart_and_in_the_order_of_their_lines():
    canvas = Canvas(x_max=10, y_max=100)
    values = [50.0, 50.2, 99.9, 49.0, 0.0]
    notes = canvas.stack([(f"n{i}", 9, y, "#000") for i, y in enumerate(values)])
    heights = [canvas.pixel(9, note["y"])[1] + note["yshift"] for note in notes]
    order = sorted(range(5), key=values.__getitem__)
    rising = [heights[i] for i in order]
    assert all(b - a >= 15 - 1e-9 for a, b in itertools.pairwise(rising))
    assert rising[0] >= 0
    assert rising[-1] <= canvas.height


def test_scaling_is_told_without_a_latency(table):
    points = table([{"load": d, "iops": x} for d, x in ((1, 10.0), (2, 30.0), (4, 20.0))])
    assert plot_scaling(latency_curve(points)).alt == (
        "Line chart of IOPS against the load. w: 10.0 IOPS at iodepth 1, 20.0 IOPS at iodepth 4; "
        "the most is 30.0 IOPS at iodepth 2."
    )
