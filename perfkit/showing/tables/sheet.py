"""A table in the making: its columns with their units, and the cells below them."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from typing import Any

from perfkit.analysis.curves.metrics import (
    LOAD_AXIS,
    column_format,
    load_format,
    load_text,
    metric_of,
)
from perfkit.analysis.curves.series import require_rows
from perfkit.core.keys import place_of
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format, in_column
from perfkit.core.values import Column, Table, check_id

Cell = Callable[[Row], Any]

COUNT = Format("1", decimals=0)
RATE = Format("1", decimals=2)
IOPS = Format("IOPS", decimals=0)
SHARE = Format("%", decimals=1)
SIGNED_SHARE = Format("%", decimals=1, sign=True)
MB = Format("MB/s", decimals=1)
SECONDS = Format("s", decimals=0)
"""Forms of numbers that several tables have."""


measured_rows = functools.partial(require_rows, otherwise="no table")
"""The rows of a table; AnalysisError when it lacks a column, or has no rows."""


class Sheet:
    """A table in the making, column by column; a column without any value is left out."""

    def __init__(self, rows: list[Row]):
        self.rows = rows
        self.columns: list[Column] = []
        self.cells: list[list[Any]] = []
        self.names_in = 0  # the columns at the left that name what a row is of
        self.same: list[str] = []  # what all rows have, in words for the note

    def add(self, key: str, label: str, form: Format | None, cell: Cell | None = None) -> None:
        """A column of the rows' values, or of what ``cell`` makes of each row."""
        values = [cell(row) if cell else row.get(key) for row in self.rows]
        if any(value is not None for value in values):
            numbers = [value for value in values if isinstance(value, float | int)]
            self.columns.append(Column(key, label, form and in_column(form, numbers)))
            self.cells.append(values)

    def words(self, **labels: str) -> None:
        """Columns of words, by key."""
        self.numbers(None, **labels)

    def numbers(self, form: Format | None, **labels: str) -> None:
        """Columns of one form, by key."""
        for key, label in labels.items():
            self.add(key, label, form)

    def metric(self, key: str, label: str | None = None, source: str | None = None) -> None:
        """A column of a metric, its unit chosen for all its values and put in the header."""
        name = source or key
        values = [row.get(key) for row in self.rows]
        form = column_format(name, [v for v in values if isinstance(v, float | int)])
        head = metric_of(name).head(self.rows[0].get("direction") if self.rows else None)
        self.add(key, with_unit(label or head, form), form)

    def wait(self, key: str, label: str, cell: Cell | None = None) -> None:
        """A column of mean waits, its unit chosen for all of them and put in the header."""
        values = [cell(row) if cell else row.get(key) for row in self.rows]
        form = column_format("lat_mean_s", values)
        self.add(key, with_unit(label, form), form, cell)

    def seconds(self, key: str, label: str) -> None:
        """A column of times in seconds, as logs print them: the same unit in every column."""
        self.add(key, f"{label} (s)", Format("s", decimals=2))

    def names(self) -> None:
        """The keys that tell the curves apart, where they differ."""
        self.differing(system="System", config="Config", workload="Workload", direction="Direction")
        if len({row.get("held") for row in self.rows}) > 1:
            self._loads("held", "held_kind", "Held")

    def differing(self, **labels: str) -> None:
        """Columns of names, each where the rows differ in it; a name that repeats prints once."""
        for key, label in labels.items():
            if len({row.get(key) for row in self.rows}) > 1:
                self.names_in += len(self.columns) == self.names_in
                self.add(key, label, None)

    def varying(self, key: str, label: str, form: Format | None = None) -> None:
        """A column where the rows differ in it; what is the same in all of them is in the note."""
        values = {row.get(key) for row in self.rows}
        if len(self.rows) == 1 or len(values) > 1:
            self.add(key, label, form)
        elif (value := values.pop()) is not None:
            shown = value if form is None or isinstance(value, str) else form.number(value)
            self.same.append(f"{label}: {shown}")

    def load(self) -> None:
        """The column of load points."""
        self._loads("load", "load_kind", "Load")

    def _loads(self, key: str, kind: str, otherwise: str) -> None:
        """A column of numbers below what they count; of several kinds each says it itself."""
        kinds = {row[kind] for row in self.rows if row[key] is not None}
        if len(kinds) > 1:
            self.add(key, otherwise, None, functools.partial(_load_said, key=key, kind=kind))
        else:
            label = next((LOAD_AXIS.get(name, otherwise) for name in kinds), otherwise)
            self.add(key, label, load_format(row[key] for row in self.rows))

    def table(self, value_id: str, caption: str, *notes: str | None) -> Table:
        """The table; the writers turn the page where it needs the width."""
        rows = tuple(zip(*self.cells, strict=True))
        same = f"All rows: {'; '.join(self.same)}." if self.same else None
        note = " ".join(filter(None, (same, *notes))) or None
        columns = tuple(self.columns)
        places = tuple(map(place_of, self.rows))
        return Table(
            check_id(value_id),
            columns,
            rows,
            caption,
            note,
            grouped=self.names_in,
            places=places if any(map(any, places)) else (),
        )


def _load_said(row: Row, *, key: str, kind: str) -> str | None:
    return None if row[key] is None else load_text(row[kind] or key, row[key])


def with_unit(label: str, form: Format) -> str:
    """A header with its unit in brackets: "Mean latency (ms)"; IOPS and counts need none."""
    symbol = UNITS[form.unit].symbol
    return label if symbol in {"", "IOPS"} else f"{label} ({symbol})"


@step(version=3, name="table.series_detail")
def every_row(data: Measured, *, caption: str) -> Table:
    """A whole frame as a table that is attached; its columns have their units in the names."""
    sheet = Sheet(
        [{key: _plain(value) for key, value in row.items()} for row in data.frame.rows(named=True)]
    )
    for name in data.frame.columns:
        sheet.add(name, name, None)
    return sheet.table("every", f"{caption}.").attached()


def _plain(value: Any) -> Any:
    return value.isoformat(" ") if hasattr(value, "isoformat") else value


def of_first(file: str) -> str:
    """How the report of the file behind the first row is made: a command as a shell takes it."""
    command = f"perfkit report {shlex.quote(file)}"
    return f"In the folder of the evidence, {command} makes a report of the first row alone."
