"""How tall the chart of the findings is, so that their page holds it."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfkit.core.text_size import FONT_SIZE_PX, lines_of
from perfkit.reporting.write.charts import MM_PER_INCH, PX_PER_INCH, Chart

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_MM, LEAST_PART, LARGER = 48.0, 0.7, 1.15
"""With less room, in mm or in parts of its own height, a chart moves on as it is; with more it is
at most so many times as high."""

_SLACK_MM = 0.5


@dataclass(frozen=True)
class Hero:
    """The chart of the findings.

    Attributes:
        id: The chart's id.
        path: Its picture among the report's files.
        chart: The chart at its own height.
        draw: Draws a chart as SVG.
    """

    id: str
    path: str
    chart: Chart
    draw: Callable[[Chart], bytes]

    def height_mm(self, left_mm: float) -> float | None:
        """The height that fills the page.

        Args:
            left_mm: What its own height leaves of the page; negative where the page is too short.

        Returns:
            None where the page has too little room.
        """
        own = self.chart.height_mm
        room = own + left_mm - _SLACK_MM
        return min(LARGER * own, room) if room >= max(LEAST_MM, LEAST_PART * own) else None

    def drawn(self, height_mm: float) -> bytes:
        """Its picture at another height."""
        return self.draw(fitted(replace(self.chart, height_mm=height_mm)))


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
