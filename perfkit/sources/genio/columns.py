"""The cells of a summary as the columns of ``genio_runs``: numbers, runs, and their faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import polars as pl

from perfkit.core.errors import ParseError
from perfkit.sources.genio.names import NUMBERS, RATES, Head
from perfkit.sources.printed_numbers import (
    MISSING,
    NO_NUMBER,
    Cell,
    column_texts,
    decimal_sign,
    file_sign,
    is_ambiguous,
    marked,
)
from perfkit.sources.separated import Separated

LARGEST = {"rate": 1e9, "cycle": 86_400.0, "latency": 60.0}
"""No server reaches such IOPS, no write cycle lasts a day, no mean latency a minute."""

SMALLEST = {"rate": 0.0, "cycle": 0.0, "latency": 1e-6}
"""No storage answers within a microsecond: such a latency is of another unit than its column."""

THOUSAND = 1000.0

SHOWN = 3
"""How many places a warning names; the others are counted."""

_SUMMARY = (
    r"(?i)^\s*(?:average|avg\.?|mean|total|sum|max(?:imum)?|min(?:imum)?|overall|summary)\s*:?\s*$"
)
_RUN = r"(?i)^\s*(?:run\s*#?\s*)?(\d{1,9})\s*$"
_SAMPLE = 200


@dataclass
class Columns:
    """The typed columns of one file, and what was found wrong with their cells."""

    table: Separated
    heads: list[Head]
    path: str
    sign: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def by_name(self) -> dict[str, Head]:
        """Known columns."""
        return {head.name: head for head in self.heads if head.name}

    def texts(self, head: Head) -> pl.Series:
        """A column's cells, without blanks around them; null: empty or a word for "none"."""
        return self.table.cells[str(head.place)]

    def empty(self, head: Head) -> pl.Series:
        """Which cells of a column hold nothing, or a word that says so."""
        texts = self.texts(head)
        words = texts.str.strip_chars().str.to_lowercase().is_in([*MISSING])
        return texts.is_null() | words.fill_null(value=False)

    def fault(self, problem: str, row: int) -> ParseError:
        """The error about a row."""
        return ParseError(self.path, problem, int(self.table.lines[row]))


def number_columns(columns: Columns, decimal: str | None) -> dict[str, pl.Series]:
    """Each known numeric column in SI; a value that cannot be is null, with a warning.

    Raises ParseError, naming line and column, for a cell that is not a number, and for numbers
    whose decimal sign is contradictory or cannot be told.
    """
    known = {name: head for name, head in columns.by_name.items() if name in NUMBERS}
    texts = {name: columns.texts(head) for name, head in known.items()}
    quick = {name: _cast(text, known[name].power) for name, text in texts.items()}
    for name in [name for name in known if _is_odd(quick[name], texts[name]).any()]:
        column = texts[name].str.strip_chars()
        empty = column.str.to_lowercase().is_in([*MISSING, *NO_NUMBER])
        texts[name] = column.set(empty.fill_null(value=False), None)
        quick[name] = _cast(texts[name], known[name].power)
    odd = {name: _is_odd(quick[name], texts[name]) for name in known}
    columns.sign = _sign(columns, known, texts, odd, decimal)
    made = {}
    for name, head in known.items():
        text, values = texts[name], quick[name]
        if odd[name].any() or (columns.sign == "," and marked(text).any()):
            text = column_texts(text, columns.sign)
            values = _cast(text, head.power)
            bad = (values.is_null() & text.is_not_null()).arg_true()
            if len(bad):
                row = int(bad[0])
                raise columns.fault(f"column {head.printed!r}: {text[row]!r} is not a number", row)
        if decimal is None:
            _refuse_small_rates(columns, head, texts[name], values)
        made[name] = _possible(columns, head, values, columns.texts(head))
        if head.assumed:
            columns.warnings.append(
                f"column {head.printed!r} names no unit: read as {head.assumed}, as GenIO prints it"
            )
    return made


def _is_odd(values: pl.Series, texts: pl.Series) -> pl.Series:
    """Which cells hold a text that is not a number for Python."""
    if values.null_count() == texts.null_count():
        return pl.Series([False], dtype=pl.Boolean)
    return values.is_null() & texts.is_not_null()


def _cast(texts: pl.Series, power: int) -> pl.Series:
    """Numbers times ten to a power, each rounded once from its decimal digits."""
    if power:
        texts = (texts.to_frame("t").select(pl.concat_str(pl.col("t"), pl.lit(f"e{power}"))))["t"]
    return texts.cast(pl.Float64, strict=False)


def _sign(
    columns: Columns,
    known: dict[str, Head],
    texts: dict[str, pl.Series],
    odd: dict[str, pl.Series],
    decimal: str | None,
) -> str | None:
    """The decimal sign of the file. A comma-separated file without commas in cells has points."""
    any_odd = any(mask.any() for mask in odd.values())
    if not any_odd and columns.table.separator == "," and decimal is None:
        return "."
    if not any_odd and decimal in {None, "."} and _point_is_proved(texts):
        return "."
    cells = list(_marked_cells(columns, known, texts))
    return file_sign(cells, columns.path, settled=decimal)


def _point_is_proved(texts: dict[str, pl.Series]) -> bool:
    """Whether one of the first cells of a column has a point that cannot group digits."""
    heads = (text for column in texts.values() for text in column.head(_SAMPLE).drop_nulls())
    return any("." in text and decimal_sign(text) == "." for text in heads)


def _marked_cells(
    columns: Columns, known: dict[str, Head], texts: dict[str, pl.Series]
) -> Iterator[Cell]:
    """Every different text with a mark in it, and every one that is not a number at all."""
    for name, head in known.items():
        column = texts[name]
        frame = pl.DataFrame({"text": column, "line": columns.table.lines}).drop_nulls("text")
        frame = frame.unique("text", keep="first", maintain_order=True)
        for text, line in frame.rows():
            if not text.isdecimal():
                yield Cell(text, head.printed, line)


def _refuse_small_rates(columns: Columns, head: Head, texts: pl.Series, values: pl.Series) -> None:
    """IOPS below 1,000 with three decimals look like grouped digits: 73.832 for 73,832."""
    if head.name not in RATES:
        return
    for row in (values < THOUSAND).fill_null(value=False).arg_true():
        if is_ambiguous(texts[int(row)]):
            raise columns.fault(
                f"column {head.printed!r}: {texts[int(row)]!r} is {values[int(row)]:g} IOPS by the "
                "decimal sign of the other cells, and looks like grouped digits (say which sign "
                "with decimal=)",
                int(row),
            )


def _possible(columns: Columns, head: Head, values: pl.Series, printed: pl.Series) -> pl.Series:
    """Values that can be; others null, with a warning that names line and column."""
    name = str(head.name)
    kind = "rate" if name in RATES else "cycle" if "longest" in name else "latency"
    wrong = ~((values >= SMALLEST[kind]) & (values <= LARGEST[kind]) & values.is_finite())
    if kind != "rate":
        wrong = wrong | (values == 0)
    wrong = wrong.fill_null(value=False)
    _warn(columns, head, wrong, "no possible value, left out", printed)
    if values.null_count():
        # the tool divided by zero
        words = printed.str.strip_chars().str.to_lowercase().is_in([*NO_NUMBER])
        _warn(columns, head, words.fill_null(value=False), "no value is printed", printed)
    return values.set(wrong, None)


def _warn(columns: Columns, head: Head, mask: pl.Series, why: str, printed: pl.Series) -> None:
    rows = mask.arg_true()
    if len(rows):
        first = [f"line {columns.table.lines[int(i)]}: {printed[int(i)]!r}" for i in rows[:SHOWN]]
        more = f" and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
        columns.warnings.append(f"column {head.printed!r}: {', '.join(first)}{more}: {why}")


def drop_summary_rows(columns: Columns) -> None:
    """Drop rows of averages and totals at the end: they are not runs."""
    head = columns.by_name.get("run")
    if head is None:
        return
    wrong = columns.texts(head).str.contains(_SUMMARY).fill_null(value=False)
    if not wrong.any():
        return
    _warn(columns, head, wrong, "not a run, the row is left out", columns.texts(head))
    table = columns.table
    columns.table = replace(
        table, cells=table.cells.filter(~wrong), lines=table.lines.filter(~wrong)
    )
    if columns.table.cells.is_empty():
        raise ParseError(columns.path, "no row of a run in it", table.head_line)


def run_columns(columns: Columns) -> dict[str, pl.Series]:
    """The number of each run, and its label where it is not a plain number."""
    head = columns.by_name.get("run")
    count = columns.table.cells.height
    plain = pl.Series([None] * count, dtype=pl.String)
    if head is None:
        return {"run": pl.Series([None] * count, dtype=pl.Int64), "run_label": plain}
    texts = columns.texts(head)
    runs = texts.cast(pl.Int64, strict=False)
    if not (runs.is_null() & texts.is_not_null()).any() and not (runs < 0).any():
        return {"run": runs, "run_label": plain}
    found = texts.str.extract(_RUN, 1).cast(pl.Int64, strict=False)
    is_plain = texts.str.strip_chars().str.contains(r"^\d+$").fill_null(value=False)
    return {"run": found, "run_label": texts.set(is_plain, None)}
