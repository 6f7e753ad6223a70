"""The cautions of values in words: beside each value, and on the report's first page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from perfkit.core.cautions import WORDS, Caution, in_words, unsaid
from perfkit.core.stats import spans

if TYPE_CHECKING:
    from perfkit.reporting.document.records import Record, StatementRecord


def after(record: StatementRecord) -> list[Caution]:
    """The cautions of a statement that it does not say itself."""
    return unsaid(record.cautions, record.text)


class Spoken:
    """The cautions printed beside values so far, so that each set of them is printed in full once.

    A later value with exactly the same cautions refers to the first place. Any other set is printed
    in full, so that no caution is lost or taken for another.
    """

    def __init__(self) -> None:
        self._first: dict[frozenset[str], str] = {}

    def beside(self, cautions: Iterable[Caution], place: str) -> str:
        """The cautions as they stand at a place ("at Table 3"); empty for none."""
        texts = in_words(cautions)
        if not texts:
            return ""
        first = self._first.get(frozenset(texts))
        if first is None:
            self._first[frozenset(texts)] = place
            return f"Caution: {'; '.join(texts)}."
        return f"Caution: as {'above' if first == place else first}."

    def note(self, note: str | None, record: Record, place: str) -> str | None:
        """What stands below a table or chart: its own note, and its cautions."""
        return " ".join(filter(None, [note, self.beside(record.cautions, place)])) or None


def first_page(values: Iterable[tuple[str, Record]]) -> list[str]:
    """Every caution of the report's values, each kind once, with the values it applies to.

    Args:
        values: What each value is called in the report ("Table 3", "Statement") and its record.
    """
    found: dict[str, list[Caution]] = {}
    touched: dict[str, list[str]] = {}
    for name, record in values:
        for item in record.cautions:
            found.setdefault(item.name, []).append(item)
            touched.setdefault(item.name, []).append(name)
    return [
        f"{_begun(name, text)}. Affects {_named(touched[name])}."
        for name, items in found.items()
        for text in in_words(items)
    ]


def in_sentences(cautions: Iterable[Caution]) -> list[str]:
    """Cautions as sentences, one for each kind."""
    kinds: dict[str, list[Caution]] = {}
    for item in cautions:
        kinds.setdefault(item.name, []).append(item)
    return [f"{_begun(kind, text)}." for kind, own in kinds.items() for text in in_words(own)]


def _begun(kind: str, text: str) -> str:
    """The words of a kind as a sentence; names that it begins with stay as they are."""
    return text if WORDS[kind].startswith("{") else f"{text[:1].upper()}{text[1:]}"


def _named(names: Sequence[str]) -> str:
    """Names of values in a row: "4 sentences, Tables 1 and 3, Figure 2"."""
    kinds: dict[str, list[int]] = {}
    for name in dict.fromkeys(name for name in names if name != "Statement"):
        kind, _, number = name.rpartition(" ")
        kinds.setdefault(kind, []).append(int(number))
    sentences = names.count("Statement")
    parts = [f"{sentences} sentence{'s' if sentences > 1 else ''}"] if sentences else []
    return ", ".join([*parts, *(_numbered(kind, numbers) for kind, numbers in kinds.items())])


def _numbered(kind: str, numbers: list[int]) -> str:
    """Values of one kind by their numbers: "Figure 2", "Figures 1 to 4 and 6"."""
    texts = number_ranges(numbers)
    listed = " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
    return f"{kind}{'s' if len(numbers) > 1 else ''} {listed}"


def number_ranges(numbers: Iterable[int], lead: str = "") -> list[str]:
    """1, 2, 3, 7 as "1 to 3" and "7", each number behind ``lead``."""
    texts: list[str] = []
    for first, last in spans(numbers):
        if last - first > 1:
            texts.append(f"{lead}{first} to {lead}{last}")
        else:
            texts += [f"{lead}{number}" for number in dict.fromkeys((first, last))]
    return texts
