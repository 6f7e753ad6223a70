"""Names as evidence gives them, made fit to be shown: no letter steers what stands around it.

A terminal obeys escape sequences, and a page turns the digits after an override of direction
round: 123 would read 321. Readers keep every name as it is; what shows one calls ``plain``.
"""

from __future__ import annotations

import html
import re
from typing import Any

STEERS = "·"
"""Stands for a letter that would steer a terminal or a page."""

_BLANKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# control characters but tab and line feed, marks and overrides of direction, halves of pairs
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def plain(text: str) -> str:
    """The text on one line; a "·" stands for each letter that would steer what shows it."""
    return text if text.isprintable() else plain_lines(_BLANKS.sub(" ", text))


def plain_lines(text: str) -> str:
    """The same for a text that may have several lines: they and tabs stay."""
    return text if text.isprintable() else _STEERING.sub(STEERS, text)


def as_html(text: str) -> str:
    """HTML that shows this text and nothing else, also inside an attribute."""
    return html.escape(plain_lines(text))


FORMULA = r"(?s)^[=+@\t\r\n-]."
NUMBER = r"^[+-]?[\d.,]+([eE][+-]?\d+)?%?$"
"""What a spreadsheet takes for a formula, and what is none for being a number."""


def as_csv_cell(text: str) -> str:
    """The text of a CSV's cell: an apostrophe before what would become a formula."""
    shown = plain_lines(text)
    formula = re.match(FORMULA, shown) and not re.match(NUMBER, shown)
    return f"'{shown}" if formula else shown


def plain_all(data: Any) -> Any:
    """Data for JSON with every text in it as ``plain_lines`` gives it."""
    match data:
        case str():
            return plain_lines(data)
        case dict():
            return {plain_lines(key): plain_all(value) for key, value in data.items()}
        case list() | tuple():
            return [plain_all(value) for value in data]
    return data
