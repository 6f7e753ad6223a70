"""Frames in JupyterLab: units in their headers, sorted by a click, filtered by words.

The table is that of itables (https://mwouts.github.io/itables). Values stay as they are in the
frame, in SI base units: the header's unit is that of the column's name.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from perfkit.core.lineage import Measured
from perfkit.core.plain_text import as_html
from perfkit.exploring import parameters

MOST_ROWS = 5_000
"""Rows that are sent to the browser; the others are counted in the caption."""

_UNITS = (
    ("bytes_per_s", "bytes/s"), ("_per_s", "1/s"), ("iops", "1/s"), ("_bytes", "bytes"),
    ("_ratio", "ratio"), ("_s", "s"),
)  # fmt: skip
"""How the name of a column ends, and the unit that this means."""


def header(name: str) -> str:
    """A column's header: its name, and its unit where the name ends in one."""
    unit = next((unit for ending, unit in _UNITS if name.endswith(ending)), None)
    return name if unit is None else f"{name} ({unit})"


def caption(measured: Measured) -> str:
    """What stands above the table: its name, how many rows, and what it lacks."""
    rows, empty = len(measured), _without_values(measured)
    parts = [f"the first {MOST_ROWS:,} of {rows:,} rows" if rows > MOST_ROWS else f"{rows:,} rows"]
    parts += [] if measured.traceable else ["not traceable"]
    parts += [f"without any value: {', '.join(empty)}"] if empty else []
    return f"{measured.name}: {'; '.join(parts)}"


def table(measured: Measured) -> Any:
    """The widget of a frame."""
    from itables.widget import ITable

    frame = measured.frame.head(MOST_ROWS).drop(_without_values(measured))
    with pl.Config(fmt_float="full"):
        return ITable(
            frame.rename({name: header(name) for name in frame.columns}),
            maxBytes=0,
            maxColumns=0,
            scrollX=True,
            showIndex=False,
            show_dtypes=False,
            classes="display compact nowrap",
            layout={
                "topStart": "search",
                "topEnd": None,
                "bottomStart": "info",
                "bottomEnd": "paging",
            },
        )


def _without_values(measured: Measured) -> list[str]:
    """The columns that are null in every row; none where that is all of them."""
    frame = measured.frame
    empty = [name for name in frame.columns if frame[name].null_count() == frame.height]
    return empty if len(empty) < frame.width else []


def show(measured: Measured) -> None:
    """Show a frame below the notebook's cell: to sort and filter where a user sits before it.

    The plain table stands beside it in the notebook's file, for readers without a kernel.
    """
    from IPython.display import display

    if not parameters.live():
        plain = {"text/html": measured._repr_html_(), "text/plain": repr(measured)}
        display(plain, raw=True)
        return
    above = caption(measured)
    display({"text/html": f"<div>{as_html(above)}</div>", "text/plain": above}, raw=True)
    widget, _ = table(measured)._repr_mimebundle_()
    display({**widget, "text/html": measured.frame._repr_html_()}, raw=True)
