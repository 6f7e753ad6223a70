"""Geometry of a chart on paper: ranges, and labels that do not overlap.

Labels stand at the curves instead of in a legend where they find room, so their places are worked
out here, in CSS pixels of the printed size; in a wider window they only have more room.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.plain_text import plain
from perfkit.core.text_size import FONT_SIZE_PX, LINE_PX, width_of
from perfkit.showing import style

WIDTH_PX = 165 / 25.4 * 96
HEIGHT_MM = 88.0
MARGIN = {"l": 62, "r": 18, "t": 14, "b": 48}
PLOT_PX = WIDTH_PX - MARGIN["l"] - MARGIN["r"]
"""Width of the plot area."""

TEXT_PX = 12
"""Height of a label's letters and figures."""

HEADROOM = 1.08
GAP_PX = 9
CELL_PX = 4
"""Side of a cell of the plot area that is free or taken."""

Plotly = style.Plotly

Data = list[Plotly]


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels from the lower left corner of the plot."""

    left: float
    bottom: float
    right: float
    top: float

    def cells(self) -> Iterator[tuple[int, int]]:
        """The cells of the plot that it touches."""
        across = range(math.floor(self.left / CELL_PX), math.ceil(self.right / CELL_PX))
        up = range(math.floor(self.bottom / CELL_PX), math.ceil(self.top / CELL_PX))
        return itertools.product(across, up)


@dataclass
class Canvas:
    """The plot area with its ranges, and the places already taken in it.

    On a logarithmic axis ranges and places are powers of ten, as in Plotly's own annotations.
    """

    x_max: float
    y_max: float
    x_min: float = 0.0
    y_min: float = 0.0
    width: float = PLOT_PX
    height: float = HEIGHT_MM / 25.4 * 96 - MARGIN["t"] - MARGIN["b"]
    taken: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        # where all values are 0 (no I/O was done) an axis still has a length
        self.x_max = self.x_max if self.x_max > self.x_min else self.x_min + 1.0
        self.y_max = self.y_max if self.y_max > self.y_min else self.y_min + 1.0

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies, from the lower left corner."""
        return (
            (x - self.x_min) / (self.x_max - self.x_min) * self.width,
            (y - self.y_min) / (self.y_max - self.y_min) * self.height,
        )

    def take(self, box: Box) -> None:
        """Keep labels off a rectangle."""
        self.taken.update(box.cells())

    def mark(self, xs: Sequence[float], ys: Sequence[float], radius: float = 4) -> None:
        """Keep labels off the markers and off the lines between them."""
        pixels = [self.pixel(x, y) for x, y in zip(xs, ys, strict=True)]
        for (x0, y0), (x1, y1) in zip(pixels, pixels[1:] or pixels, strict=False):
            steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / (2 * radius)))
            for i in range(steps + 1):
                x, y = x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps
                self.take(Box(x - radius, y - radius, x + radius, y + radius))

    def stack(
        self, ends: Sequence[tuple[str, float, float, str]], beside: float = GAP_PX
    ) -> Data | None:
        """Bold labels right of line ends (text, x, y, colour) that share one x: spread, in order.

        They begin so many pixels ``beside`` the ends, each as near to its line as the spacing of a
        line of text lets it. None where they find no room one above the other, or right of the
        ends, or where something else stands there.
        """
        order = sorted(range(len(ends)), key=lambda i: ends[i][2])
        pixels = [self.pixel(*ends[i][1:3]) for i in order]
        widest = max(width_of(text, bold=True) for text, *_ in ends)
        too_high = len(ends) * LINE_PX > self.height
        if too_high or pixels[0][0] + beside + widest > self.width + MARGIN["r"]:
            return None
        heights = _spread([at for _, at in pixels], LINE_PX / 2, self.height - LINE_PX / 2)
        found = {}
        for i, (left, at), height in zip(order, pixels, heights, strict=True):
            text, x, y, color = ends[i]
            shift = (beside, height - at)
            note = _annotation(text, (x, y), shift, size=FONT_SIZE_PX, color=color, bold=True)
            found[i] = {**note, "xanchor": "left"}
            right = left + beside + width_of(text, bold=True)
            box = Box(left + beside, height - TEXT_PX / 2, right, height + TEXT_PX / 2)
            if not self.taken.isdisjoint(box.cells()):
                return None
        return [found[i] for i in range(len(ends))]

    def label(
        self,
        text: str,
        x: float,
        y: float,
        *,
        places: Sequence[str],
        size: int,
        color: str,
        bold: bool = False,
        lifts: Sequence[int] = (0,),
    ) -> Plotly | None:
        """A label at a point, at the first of ``places`` that is free, or moved up or down.

        None where nothing is free.
        """
        for name, lift in [(name, lift) for lift in lifts for name in places]:
            box, *shift = self._box(x, y, width_of(text, size, bold=bold), name, lift * LINE_PX)
            inside = box.left >= 0 and box.right <= self.width and box.bottom >= 0
            if inside and box.top <= self.height and self.taken.isdisjoint(box.cells()):
                self.take(box)
                return _annotation(text, (x, y), tuple(shift), size=size, color=color, bold=bold)
        return None

    def _box(
        self, x: float, y: float, width: float, place: str, lift: float
    ) -> tuple[Box, float, float]:
        across, up = _PLACES[place]
        px, py = self.pixel(x, y)
        shift_x = across * (GAP_PX + width / 2) if up == 0 else across * (4 + width / 2)
        shift_y = up * (LINE_PX / 2 + 6) + lift
        cx, cy = px + shift_x, py + shift_y
        box = Box(cx - width / 2 - 1, cy - TEXT_PX / 2, cx + width / 2 + 1, cy + TEXT_PX / 2)
        return box, shift_x, shift_y


def _spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Rising places a line of text apart: halfway between pushing all up and pushing all down."""
    up, down = _push(wanted), [-place for place in _push([-place for place in wanted[::-1]])][::-1]
    middle = [(a + b) / 2 for a, b in zip(up, down, strict=True)]
    from_below = _push([max(place, low) for place in middle])
    return [-place for place in _push([max(-place, -high) for place in from_below[::-1]])][::-1]


def _push(places: Sequence[float]) -> list[float]:
    """Each place at least a line of text above the one before it."""
    pushed: list[float] = []
    for place in places:
        pushed.append(max(place, pushed[-1] + LINE_PX) if pushed else place)
    return pushed


def _annotation(
    text: str,
    at: tuple[float, float],
    shift: tuple[float, ...],
    *,
    size: int,
    color: str,
    bold: bool,
) -> Plotly:
    shown = f"<b>{escape(text)}</b>" if bold else escape(text)
    label = note(shown, at, size=size, color=color, anchor=("center", "middle"))
    return {**label, "xshift": shift[0], "yshift": shift[1]}


PAPER = {"xref": "paper", "yref": "paper"}
"""The references of what stands in the plot as a whole, in shares of it."""


def note(
    text: str,
    at: tuple[float, float],
    *,
    size: float,
    color: str,
    anchor: tuple[str, str],
    **more: Any,
) -> Plotly:
    """Words without an arrow; ``text`` is as Plotly reads it, ``anchor`` which part is ``at``."""
    return {
        "x": at[0],
        "y": at[1],
        "text": text,
        "showarrow": False,
        "xanchor": anchor[0],
        "yanchor": anchor[1],
        "font": {"size": size, "color": color},
        **more,
    }


def upright(at: float | str, panel: str, line: Plotly) -> Plotly:
    """A line over the whole height of a panel ("", "2"), above what is drawn in it."""
    return {
        "type": "line",
        "xref": f"x{panel}",
        "yref": f"y{panel} domain",
        "x0": at,
        "x1": at,
        "y0": 0,
        "y1": 1,
        "line": line,
        "layer": "above",
    }


def whiskers(
    up: Sequence[float], down: Sequence[float], color: str, *, width: float, thickness: float = 1
) -> Plotly:
    """Bars from a value to both ends of its interval, ``up`` and ``down`` from it."""
    return {
        "type": "data",
        "symmetric": False,
        "array": up,
        "arrayminus": down,
        "thickness": thickness,
        "width": width,
        "color": color,
    }


LIFTS = (0, 1, -1, 2, -2, 3, -3)
"""How many lines of text a label is moved up, in the order in which it is tried."""

_PLACES: dict[str, tuple[float, float]] = {
    "right": (1, 0), "left": (-1, 0), "above": (0, 1), "below": (0, -1),
    "above left": (-1, 0.7), "above right": (1, 0.7),
    "below left": (-1, -0.7), "below right": (1, -0.7),
}  # fmt: skip


def escape(text: str) -> str:
    """Text that Plotly shows as it is: its labels read a little HTML, its hover texts "%{x}"."""
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("%{", "%&#123;")


def base_layout(x_title: str, y_title: str) -> Plotly:
    """Perfkit's layout with fixed margins."""
    layout = style.layout(escape(x_title), escape(y_title))
    return layout | {"margin": dict(MARGIN), "showlegend": False}


def figure(data: Data, layout: Plotly) -> Any:
    """A Plotly figure; Plotly checks every property's name and value."""
    import plotly.graph_objects as go

    return go.Figure({"data": data, "layout": layout})
