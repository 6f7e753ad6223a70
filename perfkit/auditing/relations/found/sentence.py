"""Sentences with the quantities in them: numbers in digits or words, with their units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number, place_key
from perfkit.auditing.relations.found.words import words_of
from perfkit.auditing.relations.interval import Interval, point
from perfkit.formats.printed_text import printed_number

if TYPE_CHECKING:
    import polars as pl

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS: dict[str, int] = {
    **{word: n for n, word in enumerate(_ONES)},
    **{word: 10 * n for n, word in enumerate(_TENS, 2)},
    **{
        f"{ten}-{one}": 10 * t + o
        for t, ten in enumerate(_TENS, 2)
        for o, one in enumerate(_ONES[:10])
        if o
    },
}
"""Numbers in words."""

_UNIT = (
    r"%|percent\b|[kKM]?IOPS\b|IOPs\b|[KMGT]i?B/s(?:ec)?\b|[KMGT]B per second\b|[KMGT]i?B\b|ms\b|"
    r"[\u00b5\u03bcu]s\b|ns\b|milliseconds?\b|microseconds?\b|seconds?\b|sec\b|minutes?\b|min\b|"
    r"hours?\b|x\b"
)
QUANTITY = re.compile(
    rf"(?<![\w.,/-])(?P<number>[+\-\u2212]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)"
    rf"(?P<scale>\s?[kKM](?![\w/])|\s(?:thousand|million)\b)?\s?-?(?P<unit>{_UNIT})?(?![\w])"
)


@dataclass(frozen=True)
class Quantity:
    """A number in a sentence, and where in it."""

    number: Number
    unit: str | None
    start: int
    end: int
    text: str
    decimals: int


@dataclass(frozen=True)
class Said:
    """A sentence (or command, or caption) with its place."""

    text: str
    line: int
    section: str
    paragraph: int
    kind: str
    page: str | None

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers in it, in digits."""
        return tuple(_quantities(self.text, place_key(self.line, self.text)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words."""
        return frozenset(words_of(self.text))

    @property
    def place(self) -> str:
        """Where it stands, in the document's words."""
        where = self.page or (f"section {self.section}" if self.section else "text")
        return f"{where}: \u201c{shortened(self.text)}\u201d"


SENTENCE = ("text", "line", "section", "paragraph", "kind", "place")
"""The columns of sentences that an audit needs."""


def said_of(sentences: pl.DataFrame) -> list[Said]:
    """The sentences of a frame."""
    return [
        Said(r["text"], r["line"], r["section"] or "", r["paragraph"], r["kind"], r["place"])
        for r in sentences.iter_rows(named=True)
    ]


def shortened(text: str, most: int = 90) -> str:
    """A text cut at a word."""
    return text if len(text) <= most else f"{text[:most].rsplit(' ', 1)[0]} \u2026"


def _quantities(text: str, said: str) -> list[Quantity]:
    found = []
    for match in QUANTITY.finditer(text):
        unit = (match["unit"] or "").strip()
        scale = (match["scale"] or "").strip()
        if unit[:1] in {"k", "K", "M"} and unit.lower().endswith("iops") and len(unit) > 4:  # noqa: PLR2004
            scale, unit = unit[0], unit[1:]
        parsed = printed_number(f"{match['number']}{scale} {unit}".strip())
        if parsed is None:
            continue
        name = "IOPS" if unit.lower() == "iops" else parsed.unit
        place = frozenset({place_key(said, match.start())})
        around = Interval(parsed.low, parsed.high)
        number = Number(parsed.value, around, name, match[0].strip(), "", place)
        found.append(
            Quantity(number, name, match.start(), match.end(), match[0].strip(), parsed.decimals)
        )
    return found


def counted(word: str) -> int | None:
    """The count that a word says: "six", "24"; None for other words."""
    if word.isdigit() and len(word) < 5:  # noqa: PLR2004
        return int(word)
    return WORDS.get(word.lower())


def whole(value: int, name: str = "") -> Number:
    """A count: exact."""
    exact = Fraction(value)
    return Number(exact, point(exact), None, f"{value:,}", name)
