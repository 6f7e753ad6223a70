"""Sections whose figures hang on nothing else: drawn anew for each report, one kind a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

from forges.awr.printing import GIB, MIB, Shown, fixed, milli, percent, word
from forges.awr.sheet import Column, Line, Row, Sheet

if TYPE_CHECKING:
    from forges.awr.content import Content

Draw = Callable[[Random], Shown]
"""Draws one cell."""

COUNT: Draw = lambda rng: fixed(rng.randrange(10**7))  # noqa: E731 - a table of draws
WHOLE: Draw = lambda rng: Shown(str(number := rng.randrange(10**6)), Decimal(number))  # noqa: E731
RATE: Draw = lambda rng: fixed(Decimal(rng.randrange(10**6)) / 100, 2)  # noqa: E731
SHARE: Draw = lambda rng: percent(Decimal(rng.randrange(10**4)) / 10**4, 2)  # noqa: E731
SECONDS: Draw = lambda rng: fixed(rng.randrange(10**4))  # noqa: E731
MILLI: Draw = lambda rng: milli(Decimal(rng.randrange(10**4)) / 10**5, 2)  # noqa: E731
MICROS: Draw = lambda rng: fixed(  # noqa: E731
    rng.randrange(2000), scale=Decimal("1e-6"), commas=False
)
THOUSANDS: Draw = lambda rng: fixed(rng.randrange(10**5), scale=1000)  # noqa: E731
KILO: Draw = lambda rng: fixed(Decimal(rng.randrange(10**5)) / 100, 2, scale=1000)  # noqa: E731
MEGA: Draw = lambda rng: fixed(Decimal(rng.randrange(10**7)) / 100, 2, scale=MIB)  # noqa: E731
GIGA: Draw = lambda rng: fixed(Decimal(rng.randrange(10**6)) / 100, 2, scale=GIB)  # noqa: E731


def always(number: int) -> Draw:
    """The same number in every row."""
    return lambda _: Shown(str(number), number)


@dataclass(frozen=True)
class Drawn:
    """A section: its names row by row, and the columns beside them.

    Attributes:
        names: Columns of names: title, key.
        rows: Of each row its names; one that is printed only above says so by a leading ``^``.
        columns: Further columns: title, key, how a cell is drawn, group.
        also: What each row says beyond its cells.
    """

    table: str
    heading: str
    summary: str
    names: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, str | None, Draw, str], ...]
    fixed: Row = field(default_factory=dict)
    also: tuple[Row, ...] = ()
    style: str = "section"
    new: bool = False
    """12.2 and later alone."""

    def sheet(self, content: Content, own: Row) -> Sheet:
        """The section of a report, always the same of the same content."""
        rng = Random(f"{content.database.dbid} {content.snapshots.begin_id} {self.summary}")
        titles = [Column(title, key or None, left=True) for title, key in self.names]
        titles += [Column(title, key, group) for title, key, _, group in self.columns]
        lines = [self._line(number, rng) for number in range(len(self.rows))]
        return Sheet(
            self.table, self.heading, self.summary, tuple(titles), tuple(lines), anchor="9000",
            fixed={**own, **self.fixed}, style=self.style,
        )  # fmt: skip

    def _line(self, number: int, rng: Random) -> Line:
        names = self.rows[number]
        held = {
            key: name[1:] for (_, key), name in zip(self.names, names, strict=True)
            if name.startswith("^")
        }  # fmt: skip
        cells = [word("" if name.startswith("^") else name) for name in names]
        cells += [draw(rng) for _, _, draw, _ in self.columns]
        return Line(cells, {**held, **(self.also[number] if self.also else {})})


def plain(*columns: tuple[str, str | None, Draw]) -> tuple[tuple[str, str | None, Draw, str], ...]:
    """Columns without a group above them."""
    return tuple((*column, "") for column in columns)


def grouped(
    group: str, *columns: tuple[str, str | None, Draw]
) -> Sequence[tuple[str, str | None, Draw, str]]:
    """Columns below a group."""
    return tuple((*column, group) for column in columns)
