"""Charts of tables as documents print them: numbers of one unit side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.text_size import lines_of, width_of
from perfkit.core.units import UNITS
from perfkit.core.values import Figure
from perfkit.showing import style
from perfkit.showing.figures import legend
from perfkit.showing.figures.canvas import MARGIN, PLOT_PX, Plotly, base_layout, escape, figure
from perfkit.showing.figures.line_chart import MM_PX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfkit.core.schema import Row

_NAME_PX = 170.0
"""The most that the names of the columns take."""

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
            known = _known(table.frame.rows(named=True), unit)
            several = len({row["column"] for row in known}) > 1
            if table.frame["part"][0] == part and several and len({r["row"] for r in known}) > 1:
                found.append(plot_printed(table, unit=unit))
    return found


def _known(rows: list[Row], unit: str) -> list[Row]:
    """The cells with a number of the unit, without those of sums and differences at the foot."""
    return [r for r in rows if r["unit"] == unit and r["value"] is not None and not r["footer"]]


@step(version=2, name="figure.printed")
def plot_printed(cells: Measured, *, unit: str) -> Figure:
    """The numbers of one unit of a printed table: a group of bars a column, a bar a row.

    Nothing is computed: each bar has its number as the document prints it.

    Raises AbsentError where no cell has a number of the unit.
    """
    known = _known(cells.frame.rows(named=True), unit)
    if not known:
        raise AbsentError(f"the printed table has no number in {unit}, so there is nothing to draw")
    names = list(dict.fromkeys(row["row_name"] for row in known))
    labels = list(dict.fromkeys(row["column_label"] for row in known))
    data = [
        _bars(index, name, [row for row in known if row["row_name"] == name])
        for index, name in enumerate(names)
    ]
    symbol = UNITS[unit].symbol
    layout = base_layout(f"As printed ({symbol})", "")
    shown = {label: lines_of(label, _NAME_PX) for label in labels}
    layout["yaxis"] |= {
        "autorange": "reversed", "showgrid": False, "type": "category", "tickmode": "array",
        "tickvals": [escape(label) for label in labels],
        "ticktext": ["<br>".join(map(escape, shown[label])) for label in labels],
    }  # fmt: skip
    layout["margin"]["l"] = max(width_of(part) for parts in shown.values() for part in parts) + 16
    plot = PLOT_PX + MARGIN["l"] - layout["margin"]["l"]
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
        f"{first['table_id']}-chart", figure(data, layout),
        f"{first['title'].rstrip('.')}. Bars are the numbers in {symbol}.",
        f"Bars of printed numbers. {said}.", height,
    )  # fmt: skip


def _bars(index: int, name: str, rows: list[Row]) -> Plotly:
    return {
        "type": "bar", "orientation": "h", "name": escape(name), "marker": style.bar(index),
        "x": [row["value"] for row in rows], "y": [escape(row["column_label"]) for row in rows],
        "text": [escape(row["text"]) for row in rows], "texttemplate": "\u2009%{text}",
        "textposition": "outside", "cliponaxis": False,
        "hovertemplate": f"{escape(name)}, %{{y}}: %{{text}}<extra></extra>",
    }  # fmt: skip
