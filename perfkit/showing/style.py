"""How perfkit's charts look: one type family, thin axes, colours and marks that survive grey print.

Plain dictionaries in Plotly's own words, so that nothing is imported to have them.
"""

from __future__ import annotations

from typing import Any

from perfkit.core.text_size import FONT_SIZE_PX

Plotly = dict[str, Any]
"""A trace, an annotation, a shape, an axis or a layout, in Plotly's own words."""

FONT_FAMILY = "Source Sans Pro"
FONT_STACK = f"{FONT_FAMILY}, Arial, sans-serif"
"""The family of text and charts; the others stand in where a notebook's browser lacks it."""

TEXT = "#1f2933"
MUTED = "#5b6770"
AXIS = "#8a949c"
GRID = "#e1e5e8"

PALETTE = ("#0b5cad", "#d9730d", "#00806b", "#9c2f72", "#3f9bd8", "#7a5c00", "#4a545c")
"""Series colours: apart for the colour-blind (after Okabe and Ito), dark enough for thin lines."""

SYMBOLS = ("circle", "triangle-up", "square", "diamond", "cross", "x", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")
PATTERNS = ("", "/", ".", "x", "\\", "-", "+")
"""Hatching of bars, so that they differ on grey paper too."""

LIMIT_LINE: Plotly = {"color": MUTED, "width": 1, "dash": "dash"}
"""The line of a limit or target."""

_AXIS: Plotly = {
    "showgrid": True,
    "gridcolor": GRID,
    "gridwidth": 1,
    "zeroline": False,
    "showline": True,
    "linecolor": AXIS,
    "linewidth": 1,
    "mirror": False,  # no axis on top, none on the right
    "ticks": "outside",
    "ticklen": 4,
    "tickwidth": 1,
    "tickcolor": AXIS,
    "automargin": True,
    "title": {"font": {"size": FONT_SIZE_PX + 1}, "standoff": 10},
}

TEMPLATE: Plotly = {
    "layout": {
        "font": {"family": FONT_STACK, "size": FONT_SIZE_PX, "color": TEXT},
        "colorway": list(PALETTE),
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "margin": {"l": 56, "r": 20, "t": 16, "b": 48},
        "xaxis": _AXIS,
        "yaxis": {**_AXIS, "rangemode": "tozero"},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "bgcolor": "rgba(255,255,255,0)",
        },
        "hovermode": "closest",
        "hoverlabel": {"font": {"family": FONT_STACK, "size": FONT_SIZE_PX}},
        "bargap": 0.35,
        "bargroupgap": 0.08,
        "separators": ".,",
    },
}
"""The Plotly template of every perfkit chart."""


def layout(x_title: str, y_title: str) -> Plotly:
    """The layout of a chart with these axis titles; a caller adds ranges, shapes and the rest.

    The caption says what the chart shows, so it has no title of its own.
    """
    return {
        "template": TEMPLATE,
        "xaxis": {"title": {"text": x_title}},
        "yaxis": {"title": {"text": y_title}},
        "autosize": True,
    }


def series(index: int) -> dict[str, str]:
    """How series number ``index`` looks: ``color``, ``symbol``, ``dash``, ``pattern`` (of bars).

    After seven series colours begin again with the next marker and dash, so that no two of the
    first 49 look alike.
    """
    lap, place = divmod(index, len(PALETTE))
    return {
        "color": PALETTE[place],
        "symbol": SYMBOLS[(place + lap) % len(SYMBOLS)],
        "dash": DASHES[(place + lap) % len(DASHES)],
        "pattern": PATTERNS[(place + lap) % len(PATTERNS)],
    }


def bar(index: int) -> Plotly:
    """The Plotly marker of bar series number ``index``: its colour, hatched from the second on.

    The hatching has no background of its own: on paper that would show as a grid of seams.
    """
    look = series(index)
    return {
        "color": look["color"],
        "line": {"color": look["color"], "width": 1},
        "pattern": {
            "shape": look["pattern"],
            "fillmode": "replace",
            "size": 6,
            "solidity": 0.5,
        },
    }


def faint(color: str, cover: float = 0.55) -> str:
    """The colour for intervals: the same, half covering, so that the points stand out."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{cover})"
