"""Sentences with the quantities in them, and a finding in one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import Quantity, Unit, quantities
from perfkit.auditing.found.relate import Check, exact_number
from perfkit.auditing.found.words import label_of
from perfkit.auditing.relations.cells import Number, place_key
from perfkit.auditing.relations.run import DOUBT, FAILS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from perfkit.auditing.found.sheets import Sheet

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
    **{f"{ten}-{one}": 10 * t + o for t, ten in enumerate(_TENS, 2)
       for o, one in enumerate(_ONES[:10]) if o},
}  # fmt: skip
"""Numbers in words."""
COUNT = "|".join(sorted(WORDS, key=len, reverse=True))


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
        return tuple(quantities(self.text)) if self.kind != "command" else ()

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, as those of labels."""
        return frozenset(label_of(self.text).words)

    @property
    def place(self) -> str:
        """Where it stands, in the document's words."""
        where = self.page or (f"section {self.section}" if self.section else "text")
        return f"{where}: \u201c{shortened(self.text)}\u201d"

    def number(self, quantity: Quantity) -> Number:
        """A quantity of it as a number in its base unit."""
        factor = quantity.unit.factor if quantity.unit else Fraction(1)
        return self.scaled(quantity, factor)

    def scaled(self, quantity: Quantity, factor: Fraction) -> Number:
        """A quantity of it as a number, by a factor."""
        key = place_key(place_key(self.line, self.text), quantity.start)
        around, unit = quantity.around.scaled(factor), unit_name(quantity.unit)
        return Number(quantity.value * factor, around, unit, quantity.text, "", frozenset({key}))


def unit_name(unit: Unit | None) -> str | None:
    """The name of a unit."""
    return unit.name if unit else None


def cells_said(sheets: Iterable[Sheet]) -> list[Said]:
    """The cells of tables as texts, each with its head and the name of its row as its section."""
    return [
        Said(text, line, f"{head} {row[0]}", 0, "cell", f"{sheet.called}, {row[0]}") for sheet in sheets
        for line, row in zip(sheet.lines, sheet.texts, strict=True)
        for head, text in zip(sheet.heads, row, strict=True)
    ]  # fmt: skip


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


def counted(word: str) -> int | None:
    """The count that a word says: "six", "24"; None for other words."""
    if word.isdigit() and len(word) < 5:  # noqa: PLR2004
        return int(word)
    return WORDS.get(word.lower())


def whole(value: int) -> Number:
    """A count: exact."""
    return exact_number(Fraction(value), f"{value:,}")


def stated(
    family: str, name: str, said: Said, printed: str, rule: str, outcome: str,
    claim: Number | None = None, result: Number | None = None, *, kind: str = "stated_twice",
    recomputed: str | None = None, decimals: int = 0, error: bool = False, note: str | None = None,
) -> Check:  # fmt: skip
    """A finding in a sentence: a doubt, unless it is arithmetic."""
    if outcome == FAILS and not error:
        outcome = DOUBT
    return Check(
        family, kind, name, said.line, said.place, printed, rule, outcome, claim, result, decimals,
        recomputed=recomputed, note=note,
    )  # fmt: skip
