"""Charts at the height that their page has room for."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from perfkit.core.text_size import FONT_SIZE_PX, lines_of
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, Chart

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_MM, LEAST_PART, LARGER = 48.0, 0.7, 1.15
"""With less room, in mm or in parts of its own height, the chart of the findings moves on as it is;
with more it is at most so many times as high."""

LOWER, LOWEST = 0.85, 0.75
"""Another chart is drawn down to so much of its height where its page then has room for it; to the
lowest only where it cannot move on either."""

_SLACK_MM = 0.5


def picture_path(chart: str) -> str:
    """The path of a chart's picture among the report's files."""
    return f"charts/{chart}.svg"


def hero_of(chart: str, own_mm: float) -> dict[str, Any]:
    """What the template needs to give the chart of the findings its height, in millimetres."""
    return {
        "id": chart,
        "own": own_mm,
        "least": max(LEAST_MM, LEAST_PART * own_mm),
        "most": LARGER * own_mm,
        "slack": _SLACK_MM,
    }


@dataclass(frozen=True)
class Drawings:
    """The charts of a report, to be drawn at another height.

    Attributes:
        charts: The charts at their own heights, by the path of their pictures.
        draw: Draws a chart as SVG.
        end_mm: Where the text of a page ends, from its top.
    """

    charts: dict[str, Chart]
    draw: Callable[[Chart], bytes]
    end_mm: float

    def lower(self, path: str, missing_mm: float, least: float) -> float | None:
        """The height of a chart that is so much lower; None where it would be too low.

        ``least`` is the lowest, in parts of its own height. A drawing without axes, a test bed,
        keeps its height: its text would meet.
        """
        chart = self.charts[path]
        height = chart.height_mm - max(missing_mm, 0.0) - _SLACK_MM
        drawing = chart.plotly["layout"].get("xaxis", {}).get("visible") is False
        return None if drawing or height < least * chart.height_mm else round(height, 2)

    def drawn(self, path: str, height_mm: float) -> bytes:
        """The picture of a chart at another height."""
        return self.draw(fitted(replace(self.charts[path], height_mm=height_mm)))


def fitted(chart: Chart) -> Chart:
    """The chart with the titles beside it in lines that its height has room for."""
    layout = chart.plotly["layout"]
    margin = layout.get("margin", {})
    px = chart.height_mm / MM_PER_INCH * PX_PER_INCH - margin.get("t", 0) - margin.get("b", 0)
    broken = {
        name: axis | {"title": axis["title"] | {"text": _in_lines(axis["title"]["text"], px)}}
        for name, axis in layout.items()
        if name.startswith("yaxis") and axis.get("title", {}).get("text")
    }
    return replace(chart, plotly={**chart.plotly, "layout": {**layout, **broken}})


def _in_lines(text: str, px: float) -> str:
    whole = html.unescape(text.replace("<br>", " "))
    return "<br>".join(html.escape(line) for line in lines_of(whole, px, FONT_SIZE_PX + 1))
