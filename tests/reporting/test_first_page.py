"""The chart of the findings at the height that their page leaves it."""

from __future__ import annotations

import pytest

from perfkit.reporting.write.charts import Chart
from perfkit.reporting.write.first_page import fitted

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
