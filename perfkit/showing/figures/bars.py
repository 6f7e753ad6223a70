"""Lying bars with their names at the left: one number a thing, or printed tables in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfkit.core.errors import AbsentError
from perfkit.core.keys import distinct
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.text_size import FONT_SIZE_PX, lines_of, shortened, width_of
from perfkit.core.units import UNITS, Format, Printed
from perfkit.core.values import Figure, check_id
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.canvas import MARGIN, WIDTH_PX, Plotly, base_layout, escape, figure
from perfkit.showing.figures.line_chart import MM_PX

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
        data = [
            {
                "type": "bar",
                "orientation": "h",
                "x": [value / scale for value in self.values],
                "y": self.keys(),
                "marker": {"color": style.PALETTE[0]},
                "text": [item.text for item in printed],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": "%{y}: %{text}<extra></extra>",
            }
        ]
        layout = base_layout(title, "")
        layout["yaxis"] |= {
            "type": "category",
            "autorange": "reversed",
            "showgrid": False,
            "automargin": True,
        }
        layout["xaxis"] |= {"rangemode": "tozero", "tickformat": ",.6~g"}
        keys = self.keys()
        size = min(FONT_SIZE_PX, int(MOST_MM / 25.4 * 96 / len(keys)) or 1)
        layout["yaxis"] |= {
            "tickmode": "array",
            "tickvals": keys,
            "tickfont": {"size": size},
            "ticktext": [
                "<br>".join(map(escape, self._shown(name))) for name in distinct(self.names)
            ],
        }
        widest = max(width_of(part) for name in distinct(self.names) for part in self._shown(name))
        beside = max(width_of(item.text) for item in printed)
        layout["margin"] = {**MARGIN, "l": widest + 14, "r": beside + 8}
        height = 22 + min(ROW_MM * len(self.names), MOST_MM)
        return Figure(
            check_id(value_id), figure(data, layout), caption, alt, height, printed=tuple(printed)
        )


_LABEL_PX = 170.0
"""The most that the names of groups take."""

_BAR_MM, _FRAME_MM = 5.0, 22.0


def plots_printed(printed: Mapping[str, Measured], *, part: str, unit: str) -> list[Figure]:
    """A chart of each printed table of a part that compares rows in two numbers of a unit or more.

    Args:
        printed: ``study.read_evidence()``; tables of another kind are passed over.
        part: Only tables of this part ("results").
        unit: Only numbers of this unit ("min").
    """
    found = []
    for table in printed.values():
        columns = set(table.frame.columns)
        if {"part", "column_label", "row_name"} <= columns and table.frame.height:
            known = _of_unit(table.frame.rows(named=True), unit)
            several = len({row["column"] for row in known}) > 1
            if table.frame["part"][0] == part and several and len({r["row"] for r in known}) > 1:
                found.append(plot_printed(table, unit=unit))
    return found


def _of_unit(rows: list[Row], unit: str) -> list[Row]:
    """The cells with a number of the unit, without those of sums and differences at the foot."""
    return [r for r in rows if r["unit"] == unit and r["value"] is not None and not r["footer"]]


@step(version=2, name="figure.printed")
def plot_printed(cells: Measured, *, unit: str) -> Figure:
    """The numbers of one unit of a printed table: a group of bars a column, a bar a row.

    Nothing is computed: each bar has its number as the document prints it.

    Raises AbsentError where no cell has a number of the unit.
    """
    known = _of_unit(cells.frame.rows(named=True), unit)
    if not known:
        raise AbsentError(f"the printed table has no number in {unit}, so there is nothing to draw")
    names = list(dict.fromkeys(row["row_name"] for row in known))
    labels = list(dict.fromkeys(row["column_label"] for row in known))
    data = [
        lying_bars(
            index,
            name,
            [
                (row["column_label"], row["value"], row["text"])
                for row in known
                if row["row_name"] == name
            ],
        )
        for index, name in enumerate(names)
    ]
    symbol = UNITS[unit].symbol
    layout = base_layout(f"As printed ({symbol})", "")
    plot = place_names(layout, labels)
    room = max(width_of(row["text"]) for row in known) + 8
    layout["xaxis"] |= {
        "tickformat": ",.6~g",
        "tickangle": 0,
        "range": [0, max(row["value"] for row in known) / (1 - room / plot)],
    }
    layout |= {"barmode": "group", "bargap": 0.3}
    more = legend.add(layout, names) if len(names) > 1 else 0.0
    height = _FRAME_MM + _BAR_MM * len(known) + more / MM_PX
    first = known[0]
    said = "; ".join(f"{r['row_name']}, {r['column_label']}: {r['text']} {symbol}" for r in known)
    return Figure(
        f"{first['table_id']}-chart",
        figure(data, layout),
        f"{first['title'].rstrip('.')}. Bars are the numbers in {symbol}.",
        f"Bars of printed numbers. {said}.",
        height,
    )


def place_names(
    layout: Plotly, names: Sequence[str], most: float = _LABEL_PX, beside: float = 16
) -> float:
    """Put the names of groups at the left of lying bars; the width that the bars have then.

    They take ``most`` pixels at the most, and stand ``beside`` so many left of the bars.
    """
    shown = {name: lines_of(name, most) for name in names}
    layout["yaxis"] |= {
        "autorange": "reversed",
        "showgrid": False,
        "type": "category",
        "tickmode": "array",
        "tickvals": [escape(name) for name in names],
        "ticktext": ["<br>".join(map(escape, lines)) for lines in shown.values()],
    }
    left = max(width_of(part) for lines in shown.values() for part in lines) + beside
    layout["margin"] = {**MARGIN, "l": left}
    return WIDTH_PX - left - MARGIN["r"]


def lying_bars(
    index: int, name: str, bars: Sequence[tuple[str, float, str]], unit: str = ""
) -> Plotly:
    """The bars of one name: of each its group, its value and the number beside it."""
    groups, values, texts = zip(*bars, strict=True)
    return {
        "type": "bar",
        "orientation": "h",
        "name": escape(name),
        "marker": style.bar(index),
        "x": list(values),
        "y": [escape(group) for group in groups],
        "text": [escape(text) for text in texts],
        "texttemplate": "\u2009%{text}",
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"{escape(name)}, %{{y}}: %{{text}}{unit}<extra></extra>",
    }
