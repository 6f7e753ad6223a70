"""The chart of the findings at the height that their page leaves it."""

from __future__ import annotations

import pytest

from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.first_page import Hero, fitted

PX_PER_MM = 96 / 25.4


def chart(title: str, height_mm: float) -> Chart:
    """A chart whose plot is 82 pixels lower than itself."""
    layout = {
        "margin": {"t": 34, "b": 48},
        "xaxis": {"title": {"text": "Total IOPS"}},
        "yaxis": {"title": {"text": title}, "range": [0, 1]},
        "yaxis2": {"title": {}},
    }
    return Chart({"data": [], "layout": layout}, 171.9, height_mm)


@pytest.mark.parametrize(
    ("plot_px", "title"),
    [
        (230, "Mean read latency (ms, log scale)"),
        (110, "Mean read latency<br>(ms, log scale)"),
        (80, "Mean read<br>latency (ms,<br>log scale)"),
    ],
)
def test_the_title_beside_a_lower_chart_has_lines_that_fit(plot_px, title):
    drawn = chart("Mean read latency (ms, log scale)", (plot_px + 82) / PX_PER_MM)
    layout = fitted(drawn).plotly["layout"]
    assert layout["yaxis"] == {"title": {"text": title}, "range": [0, 1]}
    assert layout["yaxis2"] == {"title": {}}
    assert layout["xaxis"] == drawn.plotly["layout"]["xaxis"]


def test_lines_are_joined_again_where_there_is_room_and_signs_stay_signs():
    drawn = chart("Latency of R&amp;D<br>below &lt;5 ms", 80)
    assert fitted(drawn).plotly["layout"]["yaxis"]["title"]["text"] == (
        "Latency of R&amp;D below &lt;5 ms"
    )


def test_the_chart_that_is_given_stays_as_it_is():
    drawn = chart("Mean read latency (ms, log scale)", 48)
    fitted(drawn)
    assert drawn.plotly["layout"]["yaxis"]["title"]["text"] == "Mean read latency (ms, log scale)"


@pytest.mark.parametrize(
    ("own_mm", "left_mm", "height_mm"),
    [
        (80, 0.5, 80.0),
        (80, -20.0, 59.5),
        (80, 5.0, 84.5),
        (80, 90.0, 92.0),
        (60, -11.5, 48.0),
        (60, -11.6, None),
        (160, -47.5, 112.0),
        (160, -47.6, None),
    ],
    ids=["fits", "lower", "higher", "highest", "least", "too low", "panels", "panels too low"],
)
def test_the_chart_fills_what_its_page_leaves_or_moves_on(own_mm, left_mm, height_mm):
    """Half a millimetre stays free; a chart of several panels needs 0.7 of its height."""
    hero = Hero("curve", "charts/curve.svg", chart("IOPS", own_mm), lambda _: b"")
    found = hero.height_mm(left_mm)
    assert found == (None if height_mm is None else pytest.approx(height_mm))
