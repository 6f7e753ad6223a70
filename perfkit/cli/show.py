"""Tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from perfkit.units import NULL_TEXT, Format, time_format

if TYPE_CHECKING:
    import polars as pl

    from perfkit.doctor import Part
    from perfkit.lineage import Measured

SHOWN_ROWS = 20
"""Rows of a frame shown in the terminal; the count of the others is told."""

WIDE = 12
"""Columns that a terminal shows; of wider frames, those without any value are left out."""

STATE_STYLE = {"found": "green", "missing": "bold red", "optional": "yellow"}


def doctor_table(parts: list[Part]) -> Table:
    """The table of ``perfkit doctor``."""
    table = Table(title="What perfkit needs")
    for name in ("part", "for", "state", "version", "cure"):
        # a part's name is what one looks for: it is never broken
        table.add_column(name, overflow="fold", no_wrap=name in {"part", "state"})
    for part in parts:
        table.add_row(
            part.name,
            part.purpose,
            f"[{STATE_STYLE[part.state]}]{part.state}[/]",
            part.version or NULL_TEXT,
            "" if part.version else part.cure,
        )
    return table


def frame_table(frame: pl.DataFrame, title: str) -> Table:
    """A frame: its columns, the first rows, and how many there are.

    Of a wide frame the columns without any value are only named, below the table.
    """
    empty: list[str] = []
    if frame.height and frame.width > WIDE:
        empty = [
            column.name for column in frame.iter_columns() if column.null_count() == len(column)
        ]
    frame = frame.drop(empty)
    more = f", first {SHOWN_ROWS} shown" if frame.height > SHOWN_ROWS else ""
    table = Table(
        title=f"{title}: {frame.height:,} rows{more}",
        title_justify="left",
        caption=f"without any value: {', '.join(empty)}" if empty else None,
        caption_justify="left",
    )
    for name, dtype in frame.schema.items():
        table.add_column(name, justify="right" if dtype.is_numeric() else "left", overflow="fold")
    for row in frame.head(SHOWN_ROWS).iter_rows():
        table.add_row(*(_cell(value) for value in row))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return NULL_TEXT
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def curve_table(curve: Measured) -> Table:
    """The points of a latency curve after ``perfkit run``: means over repeats."""
    table = Table(title="Means over repeats")
    for name in ("load", "repeats", "IOPS", "mean latency", "p99"):
        table.add_column(name, justify="right")
    iops = Format("1", significant=4)
    for row in curve.frame.iter_rows(named=True):
        table.add_row(
            f"{row['load_kind']} {row['load']:,.0f}",
            str(row["repeats"]),
            iops.number(row["iops"]),
            *(time_format(row[key]).show(row[key]).text for key in ("lat_mean_s", "lat_p99_s")),
        )
    return table
