"""Sentences in the making: every number and name in them is kept with its value and rounding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from perfkit.analysis.curves.metrics import LOAD_WORDS, load_number, printed
from perfkit.core.units import UNITS, Format, Printed
from perfkit.core.values import Statement, say

_COUNT = Format("1", decimals=0)
ONE = 1

_SPOKEN_WITH_A_VOWEL = re.compile(r"8|(11|18)(?!\d)")
"""Eight, eighty, eight hundred; eleven and eighteen, but not a hundred and eighteen (118)."""


def article(text: str) -> str:
    """The article before a number or a word, as it is spoken: an 81%, an 11 ms, a 118%, an IOPS.

    Of a number its first group of digits decides: 8,000 and 18,500 have "an", 1,800 has "a".
    """
    start = text.lstrip("+−-")
    if start[:1].isdecimal():
        return "an" if _SPOKEN_WITH_A_VOWEL.match(start) else "a"
    return "an" if start[:1].lower() in tuple("aeio") else "a"


class Wording:
    """Text in the making: numbers go into it by ``keep``, which remembers them."""

    def keep(self, number: Printed) -> str:
        """What stands in the text for a number."""
        raise NotImplementedError

    def count(self, number: float) -> str:
        """A count."""
        return self.keep(_COUNT.show(number))

    def many(self, number: int, singular: str, plural: str) -> str:
        """So many of something."""
        return f"{self.count(number)} {singular if number == ONE else plural}"

    def value(self, metric: str, value: float | None) -> str:
        """A value of a metric, as sentences print it."""
        return self.keep(printed(metric, value))

    def load(self, kind: str, load: float) -> str:
        """A load in words."""
        words = LOAD_WORDS.get(kind, (f"{kind} {{n}}",) * 2)[load != 1]
        return words.format(n=self.keep(load_number(load)))

    def loads(self, kind: str, first: float, last: float) -> str:
        """Two loads in words: 150 to 400 processes."""
        words = LOAD_WORDS.get(kind, (f"{kind} {{n}}",) * 2)[1]
        ends = " to ".join(self.keep(load_number(load)) for load in (first, last))
        return words.format(n=ends)

    def ends(self, of: Iterable[Printed], words: str = "{} to {}", alike: str = "{}") -> str:
        """The two ends of a range in these words; the one value, where both print alike."""
        low, high = of
        if low.text == high.text:
            return alike.format(self.keep(low))
        return words.format(self.keep(low), self.keep(high))

    def span(self, metric: str, low: float, high: float) -> str:
        """Two values of a metric in words, the unit once where both have it: 388K to 396K IOPS."""
        first, last = printed(metric, low), printed(metric, high)
        if first.unit == last.unit and first.text != last.text:
            symbol = UNITS[first.unit].symbol
            bare = first.text.removesuffix(symbol).rstrip() + UNITS[first.unit].glued
            first = replace(first, text=bare)
        return self.ends((first, last))


class Text(Wording):
    """A sentence in the making: every number and name in it becomes a place of ``values.say``."""

    def __init__(self) -> None:
        self.places: dict[str, Printed | str] = {}

    def keep(self, number: Printed) -> str:
        """The place of a number in the sentence."""
        return self(number)

    def __call__(self, item: Printed | str) -> str:
        """The place of a number or a name in the sentence."""
        name = f"p{len(self.places)}"
        self.places[name] = item
        return f"{{{name}}}"

    def a(self, item: Printed | str) -> str:
        """The place of a number or a name, with its article before it: an 81%."""
        return f"{article(item if isinstance(item, str) else item.text)} {self(item)}"

    def done(self, value_id: str, sentences: Iterable[str]) -> Statement:
        """The statement of these sentences."""
        return say(value_id, " ".join(sentences), **self.places)
