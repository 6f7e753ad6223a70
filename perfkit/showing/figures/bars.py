"""Horizontal bars, each with its name at the left and its number: one number a thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.keys import distinct
from perfkit.core.text_size import FONT_SIZE_PX, lines_of, shortened, width_of
from perfkit.core.units import UNITS
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures.canvas import MARGIN, base_layout, escape, figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.units import Format, Printed

ROW_MM = 8.0
"""Height of a bar with its name."""

MOST_MM = 190.0
"""Height of all bars: what is left of a page beside axis and caption."""

MOST_BARS = 60
"""Bars whose names can still be read at that height."""

NAME_PX = 240.0
"""The most that the names take."""


@dataclass(frozen=True)
class Bars:
    """Names and their values in SI base units, and how the values are printed.

    Each value has a bar of its own, whatever its name: Plotly would stack those of one name.
    """

    names: Sequence[str]
    values: Sequence[float]
    form: Format

    def keys(self) -> list[str]:
        """What tells the bars apart: their names, and where two are alike their numbers too."""
        return [escape(name) for name in distinct(self.names)]

    def _shown(self, name: str) -> list[str]:
        """A name in the lines that its bar has room for."""
        lines = lines_of(name, NAME_PX)
        return lines if len(self.names) * ROW_MM <= MOST_MM else [shortened(name, NAME_PX)]

    def printed(self) -> list[Printed]:
        """The numbers as they stand beside the bars."""
        return [self.form.show(value) for value in self.values]

    def ends(self) -> str:
        """The first and the last bar in words."""
        texts = [item.text for item in self.printed()]
        return (
            f"the first is {self.names[0]} with {texts[0]}, the last {self.names[-1]} with "
            f"{texts[-1]}"
        )

    def figure(self, value_id: str, title: str, caption: str, alt: str) -> Figure:
        """The chart, the first name on top."""
        printed = self.printed()
        scale = UNITS[self.form.unit].si
        data = [{
            "type": "bar", "orientation": "h", "x": [value / scale for value in self.values],
            "y": self.keys(), "marker": {"color": style.PALETTE[0]},
            "text": [item.text for item in printed], "textposition": "outside", "cliponaxis": False,
            "hovertemplate": "%{y}: %{text}<extra></extra>",
        }]  # fmt: skip
        layout = base_layout(title, "")
        layout["yaxis"] |= {
            "type": "category", "autorange": "reversed", "showgrid": False, "automargin": True,
        }  # fmt: skip
        layout["xaxis"] |= {"rangemode": "tozero", "tickformat": ",.6~g"}
        keys = self.keys()
        size = min(FONT_SIZE_PX, int(MOST_MM / 25.4 * 96 / len(keys)) or 1)
        layout["yaxis"] |= {
            "tickmode": "array", "tickvals": keys, "tickfont": {"size": size},
            "ticktext": ["<br>".join(map(escape, self._shown(name))) for name in
                         distinct(self.names)],
        }  # fmt: skip
        widest = max(width_of(part) for name in distinct(self.names) for part in self._shown(name))
        beside = max(width_of(item.text) for item in printed)
        layout["margin"] = {**MARGIN, "l": widest + 14, "r": beside + 8}
        height = 22 + min(ROW_MM * len(self.names), MOST_MM)
        return Figure(check_id(value_id), figure(data, layout), caption, alt, height,
                      printed=tuple(printed))  # fmt: skip
