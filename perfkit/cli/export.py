"""Tables to files and streams: CSV, JSON, Parquet."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from perfkit.core.errors import UsageError
from perfkit.core.plain_text import FORMULA, NUMBER

if TYPE_CHECKING:
    import polars as pl

    from perfkit.core.lineage import Reading
    from perfkit.core.schema import Row


def json_record(source: str, reading: Reading) -> dict[str, object]:
    """One reading as a JSON object: source, kind, tables as lists of rows, evidence."""
    return {
        "source": source,
        "kind": reading.evidence.kind,
        "tables": {name: rows(table.frame) for name, table in reading.tables.items()},
        "evidence": reading.evidence.record(),
    }


def rows(frame: pl.DataFrame) -> list[Row]:
    """The rows of a frame as JSON values; NaN and infinity have none: an error, not a null."""
    return [
        {name: _json_value(name, value) for name, value in row.items()} for row in frame.to_dicts()
    ]


def _json_value(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"column {name}: {value} has no JSON form")
    if isinstance(value, dict):
        return {key: _json_value(name, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json_value(name, item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def write_json(stream: TextIO, record: Any) -> None:
    """One JSON value on one line."""
    stream.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """CSV with a header; null is an empty field; nested columns are JSON text."""
    path.write_bytes(csv_text(frame).encode())


def csv_text(frame: pl.DataFrame) -> str:
    """The frame as CSV in which a spreadsheet finds no formula.

    Text that would begin one gets the apostrophe with which spreadsheets mark text; numbers in
    columns of text do not.
    """
    import polars as pl

    def marked(text: pl.Expr) -> pl.Expr:
        formula = text.str.contains(FORMULA) & ~text.str.contains(NUMBER)
        return pl.when(formula).then(pl.concat_str(pl.lit("'"), text)).otherwise(text)

    whole = flat(frame)
    names = [name for name, dtype in whole.schema.items() if dtype == pl.String]
    return whole.with_columns(marked(pl.col(name)).alias(name) for name in names).write_csv()


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists and structs as JSON text, for forms that know neither."""
    import polars as pl

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.Series(
            name, [None if v is None else json.dumps(v) for v in frame[name].to_list()], pl.String
        )
        for name in nested
    )


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Parquet, with types and nulls as they are."""
    frame.write_parquet(path)


FOLDER_FORMATS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}
"""Formats that hold one table a file."""
