"""State that the readers of one report share, and the columns that they return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from perfkit.sources.awr.raw import RawTable
from perfkit.sources.awr.sections import Section

Data = dict[str, list[Any]]
"""Column name -> values, all of one length."""


_SHOWN = 3
"""Damaged cells or rows named in the warnings of a section; further ones are counted."""


class Seen(dict[str, Any]):
    """A cache of converted cells: most cells repeat others, of this report or the one before."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, text: str) -> Any:
        value = self.convert(text)
        if len(text) > _LONGEST:
            return value
        if len(self) >= _REMEMBERED:
            self.clear()
        self[text] = value
        return value


_REMEMBERED = 20_000
"""Cached texts of one kind: more cost more memory than they save time."""

_LONGEST = 60
"""Characters of a text that is cached: SQL texts are longer, and rarely the same."""


class UnreadError(Exception):
    """A section that cannot be read, with the reason."""


@dataclass
class Context:
    """Facts of the report, and the warnings collected while it is read.

    Attributes:
        text: Whether it is a text report.
        scope: single, rac or pdb.
        instance: The instance number of a report of one instance.
        elapsed_s: The time between the snapshots.
        ends_in: Of a report that is cut off, the section in which it ends.
        warnings: Warnings in the order in which they arose.
        page: In text reports, the section read last and its rows: the next page may continue them.
    """

    text: bool
    scope: str = ""
    instance: int | None = None
    elapsed_s: float | None = None
    ends_in: str | None = None
    warnings: dict[str, None] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    page: tuple[str, Data] | None = None

    def warn(self, text: str) -> None:
        """One warning, once."""
        self.warnings.setdefault(text)

    def counted(self) -> Iterator[str]:
        """How many more cells became null and rows were left out, for each section."""
        for name, seen in self.faults.items():
            if seen > _SHOWN:
                yield f"{name}: {seen - _SHOWN} more cells could not be read; null"
        for name, seen in self.lost.items():
            if seen > _SHOWN:
                yield f"{name}: {seen - _SHOWN} more damaged rows; left out"


@dataclass(frozen=True)
class Found:
    """A table of the report, the section that it is, and what is known of the report."""

    table: RawTable
    section: Section
    context: Context

    @property
    def text(self) -> bool:
        """Whether it is of a text report."""
        return self.context.text

    def warn(self, text: str) -> None:
        """A warning that names the table."""
        self.context.warn(f"{self.table.label}: {text}")

    def fault(self, row: int, column: str, problem: str) -> None:
        """A cell that became null: named, the first few of a section; the others are counted."""
        self._tell(self.context.faults, f"row {row}, column {column}: {problem}; null")

    def lost_row(self, row: int, problem: str) -> None:
        """A row that was left out: named, the first few of a section; the others are counted."""
        self._tell(self.context.lost, f"row {row}: {problem}; left out")

    def _tell(self, seen: Counter[str], text: str) -> None:
        seen[self.table.name] += 1
        if seen[self.table.name] <= _SHOWN:
            self.context.warn(f"{self.table.label}, {text}")

    def with_constants(self, data: Data) -> Data:
        """The columns, and those that are the same in all rows of the section."""
        size = size_of(data)
        return data | {name: [value] * size for name, value in self.section.constants.items()}


def size_of(data: Data) -> int:
    """The number of rows."""
    return len(next(iter(data.values()), []))


def where(data: Data, name: str) -> Data:
    """The rows in which a column is not null. Raises UnreadError where the column is missing."""
    if name not in data:
        raise UnreadError(f"no column of its {name} is known")
    keep = [place for place, value in enumerate(data[name]) if value is not None]
    return data if len(keep) == len(data[name]) else rows_of(data, keep)


def rows_of(data: Data, places: Sequence[int]) -> Data:
    """Some of the rows."""
    return {name: [values[place] for place in places] for name, values in data.items()}


def columns_of(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Data:
    """Rows as columns of these names."""
    parts: Iterable[Any] = zip(*rows, strict=True) if rows else repeat(())
    return dict(zip(names, map(list, parts), strict=False))
