"""Geometry of a chart on paper: ranges, and labels that do not overlap.

Labels stand at the curves instead of in a legend, so their places are worked out here, in CSS
pixels of the printed size; in a wider window they only have more room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.plain_text import plain
from perfkit.showing import style

WIDTH_PX = 165 / 25.4 * 96
HEIGHT_MM = 88.0
MARGIN = {"l": 62, "r": 18, "t": 14, "b": 48}
CHAR_PX = 6.4
"""Width of a character of the bold label at 12 px, a little above the average of the family."""

LINE_PX = 15
"""From one line of text to the next."""

TEXT_PX = 11
"""Height of a label's letters and figures."""

HEADROOM = 1.08
GAP_PX = 9


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels from the lower left corner of the plot."""

    left: float
    bottom: float
    right: float
    top: float

    def hits(self, other: Box) -> bool:
        """Whether the two overlap."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.top <= other.bottom or other.top <= self.bottom)


@dataclass
class Canvas:
    """The plot area with its ranges, and the places already taken in it."""

    x_max: float
    y_max: float
    x_min: float = 0.0
    y_min: float = 0.0
    height_mm: float = HEIGHT_MM
    top_px: float = MARGIN["t"]
    taken: list[Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        # where all values are 0 (no I/O was done) an axis still has a length
        self.x_max = self.x_max if self.x_max > self.x_min else self.x_min + 1.0
        self.y_max = self.y_max if self.y_max > self.y_min else self.y_min + 1.0

    @property
    def width(self) -> float:
        """Width of the plot area in pixels."""
        return WIDTH_PX - MARGIN["l"] - MARGIN["r"]

    @property
    def height(self) -> float:
        """Height of the plot area in pixels."""
        return self.height_mm / 25.4 * 96 - self.top_px - MARGIN["b"]

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies, from the lower left corner."""
        return (
            (x - self.x_min) / (self.x_max - self.x_min) * self.width,
            (y - self.y_min) / (self.y_max - self.y_min) * self.height,
        )

    def mark(self, xs: Sequence[float], ys: Sequence[float], radius: float = 4) -> None:
        """Keep labels off the markers and off the lines between them."""
        pixels = [self.pixel(x, y) for x, y in zip(xs, ys, strict=True)]
        for (x0, y0), (x1, y1) in zip(pixels, pixels[1:] or pixels, strict=False):
            steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / (2 * radius)))
            for i in range(steps + 1):
                x, y = x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps
                self.taken.append(Box(x - radius, y - radius, x + radius, y + radius))

    def stack(self, ends: Sequence[tuple[str, float, float, str]]) -> list[dict[str, Any]]:
        """Bold labels right of line ends (text, x, y, colour) that share one x: spread, in order.

        Each stands as near to its line as the spacing of a line of text lets it.
        """
        order = sorted(range(len(ends)), key=lambda i: ends[i][2])
        wanted = [self.pixel(ends[i][1], ends[i][2])[1] for i in order]
        heights = _spread(wanted, LINE_PX / 2, self.height - LINE_PX / 2)
        found = {}
        for i, at, height in zip(order, wanted, heights, strict=True):
            text, x, y, color = ends[i]
            shift = (GAP_PX, height - at)
            note = _annotation(text, (x, y), shift, size=style.FONT_SIZE_PX, color=color, bold=True)
            found[i] = {**note, "xanchor": "left"}
        return [found[i] for i in range(len(ends))]

    def place(
        self, text: str, x: float, y: float, *, places: Sequence[str], size: int, color: str,
        bold: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """A label at a point, at the first of ``places`` that is free, or else moved up or down."""
        found = self.label(
            text, x, y, places=places, size=size, color=color, bold=bold, lifts=_LIFTS
        )
        if found is None:
            box, *shift = self._box(x, y, width_of(text, size), places[0], 0)
            self.taken.append(box)
            found = _annotation(text, (x, y), tuple(shift), size=size, color=color, bold=bold)
        return found

    def label(
        self, text: str, x: float, y: float, *, places: Sequence[str], size: int, color: str,
        bold: bool = False, lifts: Sequence[int] = (0,),
    ) -> dict[str, Any] | None:  # fmt: skip
        """The same, or none where nothing is free: for labels that the chart can do without."""
        for name, lift in [(name, lift) for lift in lifts for name in places]:
            box, *shift = self._box(x, y, width_of(text, size), name, lift * LINE_PX)
            if self._free(box):
                self.taken.append(box)
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
        box = Box(cx - width / 2, cy - TEXT_PX / 2, cx + width / 2, cy + TEXT_PX / 2)
        return box, shift_x, shift_y

    def _free(self, box: Box) -> bool:
        inside = box.left >= 0 and box.right <= self.width and box.bottom >= 0
        return (
            inside and box.top <= self.height and not any(box.hits(other) for other in self.taken)
        )


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


def width_of(text: str, size: int) -> float:
    """How wide a label is, in pixels: a little more than its letters take."""
    return len(text) * CHAR_PX * size / style.FONT_SIZE_PX


def _annotation(
    text: str, at: tuple[float, float], shift: tuple[float, ...], *, size: int, color: str,
    bold: bool,
) -> dict[str, Any]:  # fmt: skip
    shown = escape(text)
    return {
        "x": at[0], "y": at[1], "text": f"<b>{shown}</b>" if bold else shown, "showarrow": False,
        "xanchor": "center", "yanchor": "middle", "xshift": shift[0], "yshift": shift[1],
        "font": {"size": size, "color": color},
    }  # fmt: skip


_LIFTS = (0, 1, -1, 2, -2, 3, -3)
_PLACES: dict[str, tuple[float, float]] = {
    "right": (1, 0), "left": (-1, 0), "above": (0, 1), "below": (0, -1),
    "above left": (-1, 0.7), "above right": (1, 0.7),
    "below left": (-1, -0.7), "below right": (1, -0.7),
}  # fmt: skip


def escape(text: str) -> str:
    """Text that Plotly shows as it is: its labels read a little HTML, its hover texts "%{x}"."""
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace("%{", "%&#123;")


def room_for(labels: Sequence[tuple[str, float]], x_max: float) -> float:
    """The upper end of an x axis that leaves room right of each label's point for its text.

    A label that would take more than a third of the width gets no room; it finds another place.
    """
    width = WIDTH_PX - MARGIN["l"] - MARGIN["r"]
    ends = [x_max * 1.04]
    for text, x in labels:
        needed = len(text) * CHAR_PX + GAP_PX + 6
        if needed < width / 3:
            ends.append(x / (1 - needed / width))
    return max(ends)


def base_layout(x_title: str, y_title: str, canvas: Canvas | None = None) -> dict[str, Any]:
    """Perfkit's layout with fixed margins and, given a canvas, its ranges."""
    layout = style.layout(escape(x_title), escape(y_title))
    layout |= {"margin": dict(MARGIN), "showlegend": False}
    if canvas is not None:
        layout["xaxis"]["range"] = [canvas.x_min, canvas.x_max]
        layout["yaxis"]["range"] = [canvas.y_min, canvas.y_max]
        for axis in ("xaxis", "yaxis"):
            layout[axis]["tickformat"] = ",.6~g"  # 1,000 and 0.25, as the tables print them
    return layout


def figure(data: list[dict[str, Any]], layout: dict[str, Any]) -> Any:
    """A Plotly figure; Plotly checks every property's name and value."""
    import plotly.graph_objects as go

    return go.Figure({"data": data, "layout": layout})
