"""A table as printed, the same for HTML and text: names, header, rows, and its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from perfkit.sources.awr.cells import key

_UNIT = re.compile(
    r"\((ms|msec|us|s|sec|secs|seconds|cs|min|mins|minutes|hrs|hours)\)?$|"
    r"\((ms|us|s|sec|cs|min|hrs)\)"
)
_UNITS = {
    "msec": "ms", "sec": "s", "secs": "s", "seconds": "s", "mins": "min", "minutes": "min",
    "hrs": "h", "hours": "h",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column's header: its group (of a two-level header), its name, the unit they name."""

    group: str
    name: str
    stack: tuple[str, ...] = ()
    unknown: bool = False
    """Whether its name is unknown, so that its cells are not read (text)."""

    @cached_property
    def unit(self) -> str | None:
        """The unit of time in the header, as ``cells.seconds`` takes it."""
        for text in (self.name, self.group):
            found = _UNIT.search(key(text))
            if found:
                unit = found[1] or found[2]
                return _UNITS.get(unit, unit)
        return None

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names to look it up by, the most exact first; without the unit of time."""
        if self.unknown:
            return ()
        name, group = bare(self.name), bare(self.group)
        lines = self.stack
        tails = [bare(" ".join(lines[start:])) for start in range(1, len(lines))]
        named = (f"{group}|{name}",) if group else ()
        return (*named, name, *tails)


def bare(name: str) -> str:
    """A header's name as it is looked up, without a unit of time."""
    return _UNIT.sub("", key(name))


CONTAINER, TEXT = "PDB Name", "SQL Text"
"""Columns of what text reports print below the rows: the pluggable database, the SQL text."""

MISALIGNED = -1
"""In ``RawTable.broken``, the mark of a row whose cells stand outside their columns (text)."""


@dataclass(frozen=True)
class Body:
    """The inside of a table: its header, and its rows, which are read on demand.

    Attributes:
        columns: The header.
        fetch: Returns the rows: the stripped texts of their cells.
        narrowed: Of a text table: as ``fetch``, where empty columns may lack their width.
        lines: Of a text table: its lines below the ruler, unchanged.
        exact: Whether an undamaged row has a cell for every column (HTML).
        misaligned: Of a text table: tells for each of some lines whether its cells stand outside
            their columns.
        problem: Why the header is damaged, so that no cell can be assigned ("": it is not).
        full: Of a text table: columns in which a row has a cell wherever it has one in the column
            before.
        must: Of a text table: columns in which no cell is blank.
        limit: Of a text table: where its last column ends; further pairs may follow it.
    """

    columns: tuple[Column, ...]
    fetch: Callable[[], list[list[str]]]
    narrowed: Callable[[], list[list[str]]] | None = None
    lines: tuple[str, ...] = ()
    exact: bool = False
    problem: str = ""
    misaligned: Callable[[Sequence[str], frozenset[int]], list[bool]] | None = None
    full: frozenset[int] = frozenset()
    must: frozenset[int] = frozenset()
    limit: int = 0


@dataclass(frozen=True)
class RawTable:
    """One table of a report as printed; its inside is read on demand.

    Attributes:
        title: The heading above it.
        summary: The ``summary`` attribute (HTML), each run of white space as one space.
        anchor: The name of the anchor before it (HTML).
        place: Its place for messages: "table 12" or "line 349".
        open: Returns its inside.
        near: Returns the text just before it, or next to its title.
        cut: Whether the file ends in it: its last row may be incomplete.
        broken: Rows left out for a wrong number of cells, by row number: the number of cells, or
            ``MISALIGNED``.
        stray: Whether it has no heading of its own (text): the one above may be another table's.
    """

    title: str
    summary: str
    anchor: str
    place: str
    open: Callable[[], Body]
    near: Callable[[], str]
    cut: bool = False
    broken: dict[int, int] = field(default_factory=dict, compare=False)
    stray: bool = False

    @cached_property
    def body(self) -> Body:
        """Its inside, opened once."""
        return self.open()

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its header."""
        return self.body.columns

    @cached_property
    def rows(self) -> list[list[str]]:
        """The rows, each with a cell for every column; the last is left out where it may be cut."""
        return self._whole(self.body.fetch())

    @cached_property
    def narrowed(self) -> list[list[str]]:
        """The rows, where empty columns may have been printed without their width."""
        return self._whole((self.body.narrowed or self.body.fetch)())

    def _whole(self, rows: list[list[str]]) -> list[list[str]]:
        width = len(self.columns)
        kept = rows[:-1] if self.cut else rows
        if not self.body.exact or not width:
            return [row if len(row) >= width else row + [""] * (width - len(row)) for row in kept]
        self.broken.clear()
        whole = []
        for number, row in enumerate(kept, 1):
            if len(row) == width:
                whole.append(row)
            elif len(row) == self._named:
                whole.append(row + [""] * (width - len(row)))
            else:
                # which cell was lost, or is one too many, is not known
                self.broken[number] = len(row)
        return whole

    @property
    def aligned(self) -> list[list[str]]:
        """The rows; of a text table only those whose cells stand in their columns."""
        return self.aligned_except(())

    def aligned_except(self, begins: tuple[str, ...]) -> list[list[str]]:
        """The same, without the rows that begin so: they have columns of their own."""
        rows = self.rows
        if self.body.misaligned is None:
            return [row for row in rows if not (begins and row and row[0].startswith(begins))]
        filled = [line for line in self.body.lines if line.strip()]
        pairs = [
            (line, row)
            for line, row in zip(filled, rows, strict=False)
            if not (begins and line.lstrip().startswith(begins))
        ]
        marks = self.misaligned([line for line, _ in pairs])
        self.broken.update({number: MISALIGNED for number, mark in enumerate(marks, 1) if mark})
        return [row for (_, row), mark in zip(pairs, marks, strict=True) if not mark]

    def misaligned(self, lines: Sequence[str]) -> list[bool]:
        """Whether the cells of each of some lines of a text table stand outside their columns."""
        if self.body.misaligned is None:
            return [False] * len(lines)
        return self.body.misaligned(lines, self.body.full)

    def pairs(self) -> list[list[str]]:
        """The aligned rows of a table that has further pairs to its right (text)."""
        if self.body.misaligned is None:
            return self.rows
        limit = self.body.limit
        rows = self.rows
        # of a report that is cut off, the last line is not a row
        lines = [line for line in self.body.lines if line.strip()][: len(rows)]
        marks = self.misaligned([line[:limit] for line in lines])
        glued = [line[limit - 1 : limit + 1].strip() for line in lines]
        kept = []
        for number, (row, mark, ends) in enumerate(zip(rows, marks, glued, strict=True), 1):
            if mark or len(ends) > 1:
                self.broken[number] = MISALIGNED
            else:
                kept.append(row)
        return kept

    @cached_property
    def _named(self) -> int:
        """The columns before the last two if those have no names.

        A row of Cache Sizes may end there, with nothing beside its first pair (12.2 and later).
        """
        width = len(self.columns)
        bare = width > 2 and not any(column.name for column in self.columns[-2:])
        return width - 2 if bare and self.columns[-3].name else width

    def forget(self) -> None:
        """Release the rows; the next access reads them again."""
        vars(self).pop("rows", None)
        vars(self).pop("narrowed", None)

    @property
    def is_empty(self) -> bool:
        """Whether a text report prints no rows of it, but says so or only has a remark."""
        text = "\n".join(self.body.lines)
        return "No data exists" in text or all(
            not part.strip() or part.lstrip("\n").startswith("->") for part in text.split("\n\n")
        )

    @property
    def name(self) -> str:
        """Its name for messages."""
        return self.title or self.summary or "a table without a name"

    @property
    def label(self) -> str:
        """Its name and place, for messages."""
        return f"{self.name} ({self.place})"


def indices(columns: Sequence[Column], known: Sequence[str]) -> dict[str, int]:
    """The known columns: name in ``known`` -> place.

    Of a name that is printed several times ``name`` is the first and ``name#2`` the second place.
    """
    found: dict[str, int] = {}
    wanted = frozenset(known)
    seen: dict[str, int] = {}
    for place, column in enumerate(columns):
        for name in column.keys:
            seen_before = seen.get(name, 0)
            label = name if not seen_before else f"{name}#{seen_before + 1}"
            if label in wanted and label not in found:
                found[label] = place
                seen[name] = seen_before + 1
                break
    return found
