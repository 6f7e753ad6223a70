"""What a log says, as it is being read: the session, its steps, what belongs to the next step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from perfkit.sources.sas import values
from perfkit.sources.sas.block import OTHER, Block, Head
from perfkit.sources.sas.rows import DataSet, Message, OtherBlock, Row, Session, Step
from perfkit.sources.sas.schema import TABLES
from perfkit.sources.sas.usual import FULLSTIMER_COLUMNS, STIMER_COLUMNS

_MOST_PENDING = 20_000
_MOST_WARNINGS = 20

AFTER_BLOCK = frozenset({"SGPLOT", "SGPANEL", "SGSCATTER", "SGRENDER", "SGDESIGN"})
"""Procedures that print what they read behind their timing block (seen in real logs of 9.4)."""

Usual = tuple[list[Any], list[Any]]


@dataclass
class Found:
    """What a scan found so far: rows by table, handed over in batches, and totals that stay.

    Attributes:
        stimer, full: Steps of the usual forms, value behind value in the order of
            ``STIMER_COLUMNS`` and ``FULLSTIMER_COLUMNS``: a tuple a step would keep the garbage
            collector busy.
        rows: Other rows by table.
        totals: Rows by table, those handed over included.
        blocks: Timing blocks that are not of the usual forms.
        notes: Lines that begin a message.
    """

    stimer: list[Any] = field(default_factory=list)
    full: list[Any] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in TABLES})
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    blocks: int = 0
    notes: int = 0
    warnings: list[str] = field(default_factory=list)
    more: int = 0
    forms: set[str] = field(default_factory=set)
    languages: set[str] = field(default_factory=set)
    products: set[tuple[str | None, str | None]] = field(default_factory=set)

    @property
    def waiting(self) -> int:
        """Rows that were not handed over yet."""
        return usual_steps(self.stimer, self.full) + sum(len(rows) for rows in self.rows.values())

    def warn(self, text: str) -> None:
        """Keep a warning, up to a number that a person reads."""
        if len(self.warnings) < _MOST_WARNINGS:
            self.warnings.append(text)
        else:
            self.more += 1


def usual_steps(stimer: list[Any], full: list[Any]) -> int:
    """How many steps lie value behind value in the two lists."""
    return len(stimer) // len(STIMER_COLUMNS) + len(full) // len(FULLSTIMER_COLUMNS)


class Record:
    """The rows of a log, and what is known of the step and session that are under way.

    Attributes:
        found: The rows, and totals.
        session: The session that is being read.
        quiet: Whether nothing was said that belongs to the step whose block comes next.
    """

    def __init__(self) -> None:
        self.found = Found()
        self.session = Session(session=1, line=1)
        self.quiet = True
        self.errors = 0
        self.stopped = False
        self.cas_time: float | None = None
        self.cas_requests: int | None = None
        self.started: datetime | None = None
        self._waiting: list[DataSet | Message] = []
        self._late_name: str | None = None
        self._has_read = False

    def finish(self) -> Found:
        """The end of the file: the last session is closed; every log is of one at least."""
        self._close(always=self.session.session == 1)
        return self.found

    def step_done(self, name: str) -> None:
        """A step has its block: what was said before it is its own, and the next one begins."""
        if self._waiting:
            self._release(self.session.steps)
        self.errors, self.stopped = 0, False
        self.cas_time = self.cas_requests = None
        self._late_name = name if name in AFTER_BLOCK and not self._has_read else None
        self._has_read = False
        self.quiet = self._late_name is None

    def _release(self, step: int | None) -> None:
        for row in self._waiting:
            row.step = step
        self._waiting.clear()

    def dialect(self, form: str, language: str) -> None:
        """Note the form of a block and the language of its labels."""
        for value, known in ((form, self.session.forms), (language, self.session.languages)):
            if value not in known:
                known.append(value)
        self.found.forms.add(form)
        self.found.languages.add(language)

    def timed(self, head: Head, block: Block, line: int) -> None:
        """A block of a step, or of what is not a step."""
        if self.session.ended:
            self.next_session(line)
        session = self.session
        if head.kind == OTHER:
            row: Step | OtherBlock = OtherBlock(
                session=session.session, step=session.steps + 1, line=line, what=head.name
            )
            row.measure(block)
            self.add("other_blocks", row)
            return
        session.steps += 1
        row = Step(
            session=session.session,
            step=session.steps,
            line=line,
            kind=head.kind,
            name=head.name,
            errors=self.errors,
            stopped=self.stopped,
            cas_server_time_s=self.cas_time,
            cas_requests=self.cas_requests,
        )
        row.measure(block)
        self.add("steps", row)
        self.step_done(head.name)

    def initialization(self, block: Block, line: int) -> None:
        """The block of a session's initialisation; a second one begins another session."""
        if self.session.steps or self.session.ended or self.session.initialized:
            self.next_session(line)
        self.session.initialize(block)

    def session_end(self, block: Block, line: int) -> None:
        """The block of a session's end."""
        if self.session.ended:
            self.next_session(line)
        self.session.measure(block)
        self.session.end_line, self.session.ended = line, True
        self._release(None)
        self.errors, self.stopped, self.cas_time, self.cas_requests = 0, False, None, None

    def next_session(self, line: int) -> Session:
        """Close the session and begin another one."""
        self._close()
        self.session = Session(session=self.session.session + 1, line=line)
        self._late_name = None
        return self.session

    def _close(self, *, always: bool = False) -> None:
        session = self.session
        self._release(None)
        if session.is_empty and not always:
            return
        self.found.products.add((session.product, session.release))
        self.add("sessions", session)

    def banner(self, part: str, line: int, **facts: str | None) -> None:
        """A line of the banner; one that was there before begins another session."""
        session = self.session
        if session.steps or session.ended or part in session.banner or session.initialized:
            session = self.next_session(line)
        if not session.banner:
            session.line = line if session.session > 1 else 1
        session.banner.add(part)
        if self.started is not None:
            session.started, self.started = self.started, None
        for name, value in facts.items():
            if value is not None:
                setattr(session, name, value)

    def header_time(self, header: str) -> None:
        """The session's start, by a page header."""
        if self.session.started is None:
            self.session.started = values.header_time(header)

    def remote(self, line: int) -> None:
        """Warn, once, that steps of a remote session are among these."""
        if not any("SAS/CONNECT" in text for text in self.found.warnings):
            self.found.warn(
                f"line {line}: SAS/CONNECT: steps of a remote session stand among those of this "
                "one, and their times may overlap"
            )

    def data_set(
        self,
        role: str,
        name: str | None,
        observations: int | None,
        variables: int | None,
        line: int,
        *,
        kind: str = "data set",
    ) -> None:
        """A note on observations, of the next step or, for some procedures, of the last one."""
        if self.session.ended:
            self.next_session(line)
        row = DataSet(self.session.session, line, role, kind, name, observations, variables)
        late = role == "read" and self._late_name is not None
        if late:
            row.step = self.session.steps
        else:
            self.open(row)
            self._has_read |= role == "read"
        self.add("datasets", row)

    def open(self, row: DataSet | Message) -> None:
        """A row whose step is known when its block comes."""
        if len(self._waiting) >= _MOST_PENDING:
            self._release(None)
        self._waiting.append(row)
        self.quiet = False

    def take(self) -> tuple[Usual, dict[str, list[Row]]]:
        """What was found since the last time, without the rows whose step is still to come."""
        found, waiting = self.found, {id(row) for row in self._waiting}
        usual = (found.stimer, found.full)
        found.stimer, found.full = [], []
        taken: dict[str, list[Row]] = {}
        for table, rows in found.rows.items():
            first = next((i for i, row in enumerate(rows) if id(row) in waiting), len(rows))
            taken[table], found.rows[table] = rows[:first], rows[first:]
        for table, rows in taken.items():
            found.totals[table] += len(rows)
        found.totals["steps"] += usual_steps(*usual)
        return usual, taken

    def add(self, table: str, row: Row) -> None:
        """Keep a row."""
        self.found.rows[table].append(row)
