"""What the readers know of a report and tell of it; how many rows there are, and which are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perfkit.sources.awr.raw import RawTable

Data = dict[str, list[Any]]
"""Column name -> values, all of one length."""


_SHOWN = 3
"""Faults of cells told one by one in a section; the others are counted."""


class Seen(dict[str, Any]):
    """Texts of cells that were converted before: most cells of a report say what others say."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        super().__init__()
        self.convert = convert

    def __missing__(self, text: str) -> Any:
        value = self.convert(text)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[text] = value
        return value


_REMEMBERED = 10_000
"""Texts remembered of one kind: more would need more memory than they save time."""


class UnreadError(Exception):
    """A section that cannot be read, with the reason."""


@dataclass
class Context:
    """What the readers know of the report, and what they tell of it.

    Attributes:
        scope: single, rac or pdb.
        text: Whether it is a text report.
        instance: The instance number of a report of one instance.
        elapsed_s: The time between the snapshots.
        warnings: What a reader of the numbers must know, in order.
        page: Of a text report: the section read last, and its rows, with which the next page of it
            may go on.
    """

    scope: str
    text: bool
    instance: int | None = None
    elapsed_s: float | None = None
    warnings: dict[str, None] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    seen: dict[tuple[str, str | None], Seen] = field(default_factory=dict)
    page: tuple[str, Data] | None = None

    def warn(self, text: str) -> None:
        """One warning, once."""
        self.warnings.setdefault(text)

    def fault(self, table: RawTable, row: int, column: str, problem: str) -> None:
        """A cell that became null: named, the first few of a section; the others are counted."""
        self._tell(self.faults, table, f"row {row}, column {column}: {problem}; null")

    def lost_row(self, table: RawTable, row: int, problem: str) -> None:
        """A row that was left out: named, the first few of a section; the others are counted."""
        self._tell(self.lost, table, f"row {row}: {problem}; left out")

    def _tell(self, seen: Counter[str], table: RawTable, text: str) -> None:
        seen[table.name] += 1
        if seen[table.name] <= _SHOWN:
            self.warn(f"{table.label}, {text}")

    def counted(self) -> Iterator[str]:
        """How many more cells became null and rows were left out, for each section."""
        for name, seen in self.faults.items():
            if seen > _SHOWN:
                yield f"{name}: {seen - _SHOWN} more cells could not be read; null"
        for name, seen in self.lost.items():
            if seen > _SHOWN:
                yield f"{name}: {seen - _SHOWN} more damaged rows; left out"


def size_of(data: Data) -> int:
    """The number of rows."""
    return len(next(iter(data.values()), []))


def where(data: Data, name: str) -> Data:
    """The rows in which a column is not null. Raises UnreadError where there is no such column."""
    if name not in data:
        raise UnreadError(f"no column of its {name} is known")
    keep = [place for place, value in enumerate(data[name]) if value is not None]
    if len(keep) == len(data[name]):
        return data
    return {column: [values[place] for place in keep] for column, values in data.items()}
