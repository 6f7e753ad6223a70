"""Tables as an Excel workbook: a sheet for each, and one that says what the columns mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.cli.export import flat
from perfkit.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from perfkit.cli.gathering import Part

ROWS = 1_048_575
"""Rows a sheet holds below its header (specifications and limits of Excel)."""

WHOLE = 10**15
"""Whole numbers above have more digits than Excel keeps (15)."""

NAME = 31
"""Characters of a sheet's name."""

TEXT = 32_767
"""Characters a cell holds."""

COLUMNS_SHEET = "about the columns"

WIDEST = 60
"""The width of a column at most, in characters."""

_LOOKED_AT = 1000
"""Rows that decide how wide a column is."""


def write_workbook(parts: Sequence[Part], path: Path) -> None:
    """One workbook with a sheet for each table: header frozen, with a filter, columns wide enough.

    The last sheet has the unit and meaning of every column.

    Raises UsageError for a table that is longer than a sheet: nothing is cut off in silence.
    """
    import xlsxwriter

    for part in parts:
        if part.frame.height > ROWS:
            raise UsageError(
                f"table {part.name}: {part.frame.height:,} rows, a sheet holds {ROWS:,}; "
                "use parquet or csv"
            )
    # a SQL text or a parameter may begin with =: it is a text of the evidence, no formula
    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "nan_inf_to_errors": True,
    }
    names = _sheet_names([*(part.name for part in parts), COLUMNS_SHEET])
    with xlsxwriter.Workbook(path, options) as workbook:
        for part, name in zip(parts, names, strict=False):
            _write(workbook, name, _marked(_exact(flat(part.frame))), part.units)
        _write(workbook, names[-1], _about(parts, names), {})


def _write(workbook: Any, name: str, frame: pl.DataFrame, units: dict[str, str | None]) -> None:
    frame.write_excel(
        workbook,
        worksheet=name,
        autofilter=True,
        freeze_panes=(1, 0),
        column_widths={item.name: _pixels(item) for item in frame.iter_columns()},
        column_formats={
            # Excel's general form keeps small numbers: with three decimals 60 µs would be 0.000;
            # ids and lines have no thousands commas
            item.name: "#,##0" if units.get(item.name) == "bytes" and whole else "General"
            for item in frame.iter_columns()
            if (whole := item.dtype.is_integer()) or item.dtype.is_float()
        },
    )


def _pixels(column: pl.Series) -> int:
    """The width of a column: its name with the filter's arrow, or its widest cell, to a limit."""
    cells = (len(str(value)) for value in column.head(_LOOKED_AT) if value is not None)
    letters = min(max(len(column.name) + 3, max(cells, default=0)), WIDEST)
    return 7 * letters + 5


def _about(parts: Sequence[Part], names: Sequence[str]) -> pl.DataFrame:
    """A row for each column of each sheet: its unit and meaning, as the source declares them."""
    import polars as pl

    return pl.DataFrame(
        [
            (sheet, column, field.unit if field else None, field.meaning if field else None)
            for part, sheet in zip(parts, names, strict=False)
            for column in part.frame.columns
            for field in [part.schema.get(column)]
        ],
        schema=dict.fromkeys(("sheet", "column", "unit", "meaning"), pl.String),
        orient="row",
    )


def _sheet_names(names: Sequence[str]) -> list[str]:
    """Names that a workbook takes: short enough, without its signs, none twice."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\]", "_", name)[:NAME]
        taken = {other.lower() for other in made}
        tries = (f"{plain[: NAME - 3]}-{number}" for number in range(2, 100))
        made.append(next(one for one in (plain, *tries) if one.lower() not in taken))
    return made


def _exact(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of whole numbers that Excel would round, as text: its numbers are doubles."""
    import polars as pl

    return frame.with_columns(
        pl.col(name).cast(pl.String)
        for name, dtype in frame.schema.items()
        if dtype.is_integer() and frame.select((pl.col(name).abs() > WHOLE).any()).item()
    )


def _marked(frame: pl.DataFrame) -> pl.DataFrame:
    """Texts that are longer than a cell, cut with words that say so; else Excel would just cut."""
    import polars as pl

    def short(name: str) -> pl.Expr:
        length = pl.col(name).str.len_chars()
        cut = pl.concat_str(
            pl.col(name).str.head(TEXT - 100),
            pl.lit(" ... cut: it has "),
            length,
            pl.lit(" characters; csv and parquet hold all"),
        )
        return pl.when(length > TEXT).then(cut).otherwise(pl.col(name)).alias(name)

    return frame.with_columns(short(n) for n, dtype in frame.schema.items() if dtype == pl.String)
