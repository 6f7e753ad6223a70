"""The legend over the plot: as many lines as its names take, the names broken where they are long.

Its height is worked out here, so that the chart is higher by it and the plot as large as without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from perfkit.core.text_size import LINE_PX, lines_of, width_of
from perfkit.showing.figures.canvas import MARGIN, PLOT_PX, Plotly, escape

_ROW_PX, _PAD_PX = 19, 12
_ITEM_PX = 46
"""What stands beside a name: the mark, and the room between two names."""


def shown(name: str) -> str:
    """The name as the legend has it."""
    return "<br>".join(map(escape, _lines(name)))


def height_px(names: Sequence[str]) -> float:
    """The height of a legend of these names."""
    widths = [max(map(width_of, _lines(name))) + _ITEM_PX for name in names]
    in_a_row = len(names) if sum(widths) < PLOT_PX else max(1, int(PLOT_PX / max(widths)))
    row = _ROW_PX + LINE_PX * (max(len(_lines(name)) for name in names) - 1)
    return _PAD_PX + row * math.ceil(len(names) / in_a_row)


def add(layout: Plotly, names: Sequence[str]) -> float:
    """Put the legend of these names into a layout, with room for it; the pixels it takes.

    It hangs from the top of the picture, whose height a page may change: what is placed in parts
    of the plot would move into the titles of its panels.
    """
    more = height_px(names)
    layout["showlegend"] = True
    layout["legend"] = {"yref": "container", "y": 1, "yanchor": "top", "traceorder": "normal"}
    layout["margin"] = {**MARGIN, **layout["margin"], "t": layout["margin"]["t"] + more}
    return more


def _lines(name: str) -> list[str]:
    return lines_of(name, PLOT_PX - _ITEM_PX)
