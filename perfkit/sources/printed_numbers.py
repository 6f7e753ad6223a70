"""Numbers as people print them: which sign is the decimal one, and which one groups digits.

``43,24`` has a decimal comma, ``241,180,000`` has grouping commas, and ``43,240`` can be either. A
file's own unambiguous numbers decide for all of it; where none does, it is an error with the place,
never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from perfkit.core.errors import ParseError

MISSING = frozenset({"", "-", "--", "n/a", "na", "null", "none", "\u2013", "\u2014", "\\n"})
"""What is printed for no value (in lower case)."""

NO_NUMBER = frozenset(
    {"nan", "-nan", "+nan", "inf", "-inf", "+inf", "infinity", "1.#qnan", "1.#inf"}
)
"""What C and its kin print for a division by zero: no value, and a sign of trouble."""

_BLANKS = "\u00a0\u202f\u2009 '\u2019"
_GROUPED = re.compile(
    rf"(?P<sign>[+-]?)(?P<whole>\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+)(?P<rest>[.,]\d+)?$"
)
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2}(?P<mark>[.,])\d{3}$")
_ONE_MARK = re.compile(r"[+-]?\d*(?P<mark>[.,])\d+(?:[eE][+-]?\d+)?$|[+-]?\d+(?P<last>[.,])$")
_MANY = re.compile(r"[+-]?\d{1,3}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})+$")
_BOTH = re.compile(
    r"[+-]?\d{1,3}(?P<group>[.,])\d{3}(?:(?P=group)\d{3})*(?P<mark>(?!(?P=group))[.,])\d+$"
)
_DIGITS = re.compile(r"[+-]?\d+(?:[eE][+-]?\d+)?$")

_OTHER = {".": ",", ",": "."}


@dataclass(frozen=True)
class Cell:
    """A printed number and where it stands."""

    text: str
    column: str
    line: int


def decimal_sign(text: str) -> str | None:
    """The decimal sign that a number proves, by itself: "." or ","; None where it proves none.

    Raises ValueError for what is not a number in any reading.
    """
    text = text.strip()
    if _DIGITS.match(text) or _AMBIGUOUS.match(text):
        return None
    both = _BOTH.match(text)
    if both:
        return both["mark"]
    many = _MANY.match(text)
    if many:
        return _OTHER[many["mark"]]
    one = _ONE_MARK.match(text)
    if one:
        return one["mark"] or one["last"]
    grouped = _GROUPED.match(text)
    if grouped:
        return grouped["rest"][0] if grouped["rest"] else None
    raise ValueError(f"{text!r} is not a number")


def is_ambiguous(text: str) -> bool:
    """Whether a number reads differently with either sign: 43,240 and 43.240."""
    return bool(_AMBIGUOUS.match(text.strip()))


def file_sign(cells: Iterable[Cell], path: str, *, settled: str | None = None) -> str | None:
    """The decimal sign of a whole file from its numbers; None where no number has a mark at all.

    Args:
        cells: Every number with a point, a comma or grouping in it.
        path: For errors.
        settled: The sign, where something else than the numbers settles it.

    Raises ParseError, with line and column, for a cell that is not a number, for two numbers that
    contradict each other, and where every number with a mark can be read both ways.
    """
    proof: dict[str, Cell] = {}
    doubtful: Cell | None = None
    for cell in cells:
        try:
            sign = decimal_sign(cell.text)
        except ValueError as problem:
            raise ParseError(path, f"column {cell.column!r}: {problem}", cell.line) from None
        if sign:
            proof.setdefault(sign, cell)
        elif is_ambiguous(cell.text):
            doubtful = doubtful or cell
    if len(proof) > 1 or (settled and proof and settled not in proof):
        first, *rest = proof.values()
        other = rest[0] if rest else first
        said = (
            f" and {first.text!r} of line {first.line}" if rest else f" with a decimal {settled!r}"
        )
        raise ParseError(
            path,
            f"column {other.column!r}: {other.text!r}{said} contradict: "
            "decimal point or decimal comma?",
            other.line,
        )
    if proof or settled:
        return settled or next(iter(proof))
    if doubtful is None:
        return None
    whole, mark, part = re.split(r"([.,])", doubtful.text, maxsplit=1)
    raise ParseError(
        path,
        f"column {doubtful.column!r}: {doubtful.text!r} is {whole}{part} or {whole}.{part}: "
        f"nothing in the file says whether {mark!r} is the decimal sign (say which with decimal=)",
        doubtful.line,
    )


def plain(text: str, sign: str | None) -> str:
    """A number as Python writes it: grouping off, a decimal point.

    Raises ValueError where the number does not fit the decimal sign.
    """
    text = text.strip()
    own = decimal_sign(text)
    if own and sign and own != sign:
        raise ValueError(f"{text!r} does not fit a decimal {sign!r}")
    decimal = sign or own or "."
    for mark in (*_BLANKS, _OTHER[decimal]):
        text = text.replace(mark, "")
    return text.replace(decimal, ".")


def marked(column: pl.Series) -> pl.Series:
    """Which cells hold a point, a comma or a grouping sign: they say something of the style."""
    return column.str.contains(rf"[.,{_BLANKS}]").fill_null(value=False)


def column_texts(column: pl.Series, sign: str | None) -> pl.Series:
    """A column of printed numbers with grouping off and a decimal point; for a cast to follow."""
    distinct = column.drop_nulls().unique().to_list()
    table: Mapping[str, str] = {text: plain(text, sign) for text in distinct}
    return column.replace_strict(table, return_dtype=pl.String) if table else column
