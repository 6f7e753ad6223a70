"""One recording of a host tool while it is being read: rows by table, in the order printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from perfkit.core.errors import ParseError
from perfkit.sources.host.clock import Dates, Stamp, dates_of
from perfkit.sources.host.columns import COLUMNS, Column

_HEADER = re.compile(
    r"Linux (?P<kernel>\S+) \((?P<host>[^)]*)\)\s+(?P<date>\S.*?)"
    r"(?:\s+_(?P<machine>\S+)_)?(?:\s+\((?P<cpus>\d+) CPU\))?\s*$"
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Header:
    """The first line of every sysstat report."""

    facts: tuple[tuple[str, str], ...]
    readings: Dates

    @classmethod
    def of(cls, line: str) -> Header | None:
        """The header in a line; None if the line is none."""
        found = _HEADER.match(line)
        if not found:
            return None
        facts = {name: text for name, text in found.groupdict().items() if text}
        readings = dates_of(found["date"])
        if readings and found["date"][:4].isdecimal():
            # a year first leaves no doubt, whatever the language: 2026年11月21日 is 2026-11-21
            facts["date"] = readings["mdy"].isoformat()
        return cls(tuple(facts.items()), readings)


@dataclass(frozen=True)
class Row:
    """One printed row: its report, what tells it apart within it, and its cells."""

    sample: int
    keys: tuple[object, ...]
    cells: tuple[str, ...]
    line: int


@dataclass
class Part:
    """Rows of one table under one header of columns."""

    names: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)


@dataclass
class Track:
    """One table: its reports' times and its parts.

    ``stamps`` and ``since_boot`` hold one value a report: report 1 is at index 0. Whether a report
    holds means since boot is None where nothing tells it.
    """

    table: str
    stamps: list[Stamp | None] = field(default_factory=list)
    since_boot: list[bool | None] = field(default_factory=list)
    start: Stamp | None = None
    parts: list[Part] = field(default_factory=list)
    in_report: set[tuple[object, ...]] = field(default_factory=set)

    def report(self, stamp: Stamp | None, *, since_boot: bool | None = False) -> int:
        """Begin a report; its number."""
        self.stamps.append(stamp)
        self.since_boot.append(since_boot)
        self.in_report.clear()
        return len(self.stamps)

    def part(self, names: tuple[str, ...]) -> Part:
        """The part for rows under these column names: the last one if they are the same."""
        if not self.parts or self.parts[-1].names != names:
            self.parts.append(Part(names))
        return self.parts[-1]

    def drop_last(self) -> None:
        """Take the last report back."""
        sample = len(self.stamps)
        for part in self.parts:
            part.rows[:] = [row for row in part.rows if row.sample != sample]
        self.stamps.pop()
        self.since_boot.pop()

    def unknown(self) -> Iterator[str]:
        """Printed columns that perfkit has no place for."""
        known: dict[str, Column] = COLUMNS[self.table]
        seen = (name for part in self.parts for name in part.names)
        yield from dict.fromkeys(name for name in seen if name not in known)

    @property
    def rows(self) -> int:
        """Rows of the reports."""
        return sum(len(part.rows) for part in self.parts)


@dataclass
class Recording:
    """All that was read of one file.

    Attributes:
        tool: iostat, vmstat, mpstat, sar or sadf.
        tracks: Table -> its rows.
        header: The first header line, if the tool prints one.
        unparsed: Part of the output that is known or named, but not read -> why.
        restarts: Restarts of the host in it: time and CPUs.
        seconds: Lines at which a second, third ... recording of the same host begins.
        warnings: What a reader of the numbers must know.
        factors: Printed column -> its factor where the file or the caller says it; None: not known.
        notes: Table -> a remark for its section.
    """

    tool: str
    path: str
    tracks: dict[str, Track] = field(default_factory=dict)
    header: Header | None = None
    facts: dict[str, str] = field(default_factory=dict)
    unparsed: dict[str, str] = field(default_factory=dict)
    restarts: list[tuple[Stamp | None, int | None]] = field(default_factory=list)
    seconds: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    factors: dict[str, Decimal | None] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    unverified: bool = False

    def track(self, table: str) -> Track:
        """The track of a table, made at its first row."""
        return self.tracks.setdefault(table, Track(table))

    def begin(self, line: str, number: int | None = None) -> bool:
        """Take a header line; returns whether it was one.

        Raises ParseError where a second one is of another host, or of another day and the rows
        name no day: the rows of both would look like one recording.
        """
        header = Header.of(line)
        if header and self.header is None:
            self.header = header
            self.facts.update(header.facts)
        elif header:
            self._check_again(dict(header.facts), number)
            self.seconds += [number] if number is not None else []
        return header is not None

    def _check_again(self, facts: dict[str, str], number: int | None) -> None:
        differs = facts.get("host") != self.facts.get("host")
        timed = [s for t in self.tracks.values() for s in t.stamps if s and s.dates is None]
        if not differs and (facts.get("date") == self.facts.get("date") or not timed):
            return
        what, name = ("hosts", "host") if differs else ("days", "date")
        raise self.fault(
            f"recordings of two {what} in one file, {self.facts.get(name)} above and "
            f"{facts.get(name)} here: read each from a file of its own",
            number,
        )

    def restart(self, stamp: Stamp | None, cpus: str | None) -> None:
        """Take a restart of the host."""
        self.restarts.append((stamp, int(cpus) if cpus else None))

    def pass_over(self, heads: list[str]) -> None:
        """Name a part that is not read, by its first column heads."""
        name = " ".join(heads[:4]) + (" …" if len(heads) > 4 else "")
        self.unparsed.setdefault(name, "not read by perfkit")

    def require_rows(self) -> None:
        """ParseError where none of the parts that perfkit reads is in it."""
        if not any(track.rows for track in self.tracks.values()):
            other = f" ({', '.join(self.unparsed)})" if self.unparsed else ""
            raise self.fault(f"none of the parts that perfkit reads is in it{other}")

    def verify(self, parts: Iterable[Part], seen: Iterable[str]) -> None:
        """Mark the recording unverified where a part has columns that no real output had.

        The order says nothing: JSON, too, names what it holds.
        """
        met = {frozenset(header.split()) for header in seen}
        self.unverified = any(frozenset(part.names) not in met for part in parts)

    def fault(self, problem: str, line: int | None = None) -> ParseError:
        """The error about a place of the file."""
        return ParseError(self.path, problem, line)


def lines_of(text: str) -> list[str]:
    """The lines of an output, without colours and carriage returns."""
    return _COLOUR.sub("", text).replace("\r\n", "\n").split("\n")


def last_line(lines: list[str]) -> int:
    """The number of the last line that is not blank; 0 without any."""
    return max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
