"""Through a log in pieces: what lies between the messages is passed over at the speed of a search.

Only the lines that begin with NOTE, ERROR or WARNING are looked at, found by one expression over
the bytes. The usual blocks of English logs are read by a second one; all others line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from perfkit.errors import ParseError
from perfkit.parsers.sas import notes, values
from perfkit.parsers.sas.block import (
    DATA,
    FULLSTIMER,
    INITIALIZATION,
    OTHER,
    PROC,
    SESSION,
    STIMER,
    Block,
    Head,
    Reader,
    head_of,
)
from perfkit.parsers.sas.schema import TABLES

if TYPE_CHECKING:
    from perfkit.parsers.sas.layout import Layout

MARGIN = 64 * 1024
"""A message is read when this much of the log lies behind it: no block is longer."""

_LONGEST_LINE = 64 * 1024 * 1024
_MOST_CONTINUED = 12
_MOST_PENDING = 20_000

_TIME = rb"[ ]+(?:(\d+\.\d\d)[ ]seconds|((?:\d+:)?[0-5]?\d:[0-5]\d\.\d\d))[ ]*\r?\n"
_HEAD = (
    rb"(?:(DATA)[ ]statement|PROCEDURE[ ](\S+))[ ]used(?:[ ]\(Total[ ]process[ ]time\))?:[ ]*\r?\n"
    rb"[ ]+real[ ]time" + _TIME
)
_FAST_STIMER = re.compile(_HEAD + rb"[ ]+cpu[ ]time" + _TIME)
_FAST_FULL = re.compile(
    _HEAD +
    rb"[ ]+user[ ]cpu[ ]time" + _TIME +
    rb"[ ]+system[ ]cpu[ ]time" + _TIME +
    rb"[ ]+memory[ ]+(\d+\.\d\d)k[ ]*\r?\n"
    rb"[ ]+OS[ ]Memory[ ]+(\d+\.\d\d)k[ ]*\r?\n"
    rb"[ ]+Timestamp[ ]+(\d\d/\d\d/\d{4}[ ]\d\d:\d\d:\d\d[ ][AP]M)[ ]*\r?\n"
    rb"[ ]+Step[ ]Count[ ]+(\d{1,18})[ ]+Switch[ ]Count[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Faults[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Reclaims[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Page[ ]Swaps[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Voluntary[ ]Context[ ]Switches[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Involuntary[ ]Context[ ]Switches[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Block[ ]Input[ ]Operations[ ]+(\d{1,18})[ ]*\r?\n"
    rb"[ ]+Block[ ]Output[ ]Operations[ ]+(\d{1,18})[ ]*\r?\n"
)  # fmt: skip
"""The usual blocks: STIMER ends with cpu time, FULLSTIMER of UNIX with block output."""

_READ_NOTE = re.compile(
    rb"There were (\d{1,18}) observations read from the data set ([A-Za-z_]\w*\.[A-Za-z_]\w*)\.[ ]*\r?\n"
    rb"(?![ \t\f]{3})"
)
_WRITTEN_NOTE = re.compile(
    rb"The data set ([A-Za-z_]\w*\.[A-Za-z_]\w*) has (\d{1,18}) observations and (\d{1,18}) variables\.[ ]*\r?\n"
)

_STEP_HEADS = frozenset({b"DATA ", b"PROCE"})
_AFTER_BLOCK = frozenset({"SGPLOT", "SGPANEL", "SGSCATTER", "SGRENDER", "SGDESIGN"})
"""Procedures that print what they read behind their timing block (seen in real logs of 9.4)."""

FAST_STIMER = (
    "session", "step", "kind", "name", "line", "form", "real_time_s", "cas_server_time_s",
    "cas_requests", "errors", "stopped", "cpu_s",
)  # fmt: skip
FAST_FULL = (
    *FAST_STIMER[:-1], "user_cpu_s", "system_cpu_s", "memory_k", "os_memory_k", "timestamp",
    "timestamp_text", "step_count", "switch_count", "page_faults", "page_reclaims", "page_swaps",
    "voluntary_context_switches", "involuntary_context_switches", "block_input_operations",
    "block_output_operations",
)  # fmt: skip
"""The columns of the usual blocks."""

Row = dict[str, Any]
Usual = tuple[list[Any], list[Any]]


@dataclass
class Session:
    """The session that is being read."""

    number: int
    line: int
    facts: Row = field(default_factory=dict)
    end: Row = field(default_factory=dict)
    steps: int = 0
    ended: bool = False
    forms: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it was met yet."""
        return not (self.steps or self.ended or self.facts)


@dataclass
class Found:
    """What a scan found so far: rows by table, handed over in batches, and totals that stay.

    Attributes:
        stimer, full: Steps of the usual forms, value behind value, in the order of ``FAST_STIMER``
            and ``FAST_FULL``: a tuple a step would keep the garbage collector busy.
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

    @property
    def waiting(self) -> int:
        """Rows that were not handed over yet."""
        usual = len(self.stimer) // len(FAST_STIMER) + len(self.full) // len(FAST_FULL)
        return usual + sum(len(rows) for rows in self.rows.values())

    def warn(self, text: str) -> None:
        """Keep a warning, up to a number that a person reads."""
        if len(self.warnings) < 20:  # noqa: PLR2004
            self.warnings.append(text)
        else:
            self.more += 1


class Scanner:
    """Reads a log piece by piece; ``found`` fills as it goes."""

    def __init__(self, layout: Layout, path: str):
        self.layout, self.reader, self.path = layout, Reader(layout), path
        self.found = Found()
        self.session = Session(1, 1)
        self.sessions_ended = 0
        self.line = 0
        self.step_open: list[Row] = []
        self.errors = 0
        self.stopped = False
        self.cas_time: float | None = None
        self.cas_requests: int | None = None
        self.last_name: str | None = None
        self.read_in_step = False
        self.last_stamp: tuple[bytes, datetime | None] = (b"", None)
        self.quiet = True
        self.plain = layout.prefix is None
        self.procedures: dict[bytes, str] = {}
        self.started: datetime | None = None

    def feed(self, data: bytes, *, final: bool) -> int:
        """Read a piece that begins with a line end; gives how many bytes of it are done with.

        The caller gives the rest again, with more behind it. ``line`` counts the line ends done.
        """
        # a line is only read when its end is there
        limit = len(data) if final else min(len(data) - MARGIN, data.rfind(b"\n"))
        counted, line = 0, self.line
        resume = 0
        count, usual = data.count, self._usual if self.plain else None
        search, anchor = self.layout.search.search, self.layout.anchor.match
        while (hit := search(data, resume)) is not None:
            start = hit.start()
            if start >= limit:
                break
            line += count(b"\n", counted, start + 1)
            counted = start + 1
            at = hit.end() + 2
            if usual is not None and data[at - 6 : at] == b"NOTE: ":
                taken = usual(data, at, line)
                if taken:
                    resume = taken
                    continue
            found = anchor(data, start)
            if found is None:
                resume = hit.end()
            elif found["note"] is not None:
                self.found.notes += 1
                resume = self._note(data, found, line, final=final)
            else:
                self.found.notes += 1
                resume = self._message(data, found, line)
        done = len(data)
        if not final:
            done = max(data.rfind(b"\n", 0, max(limit, resume, 0) + 1), 0)
        self.line = line + count(b"\n", counted, done)
        return done

    def finish(self) -> Found:
        """The end of the file: the last session is closed."""
        self._close()
        return self.found

    # blocks

    def _usual(self, data: bytes, at: int, line: int) -> int:
        """Read what stands behind ``NOTE: `` if it is of a usual form: where it ends, else 0."""
        first = data[at : at + 5]
        if first in _STEP_HEADS:
            found = _FAST_STIMER.match(data, at)
            if found is not None:
                data_step, proc, real, real_clock, cpu, cpu_clock = found.groups()
                form = STIMER
            else:
                found = _FAST_FULL.match(data, at)
                if found is None:
                    return 0
                data_step, proc, real, real_clock, *others = found.groups()
                form = FULLSTIMER
            session = self.session
            if session.ended or form not in session.forms:
                session = self._next_session(line) if session.ended else session
                self._dialect(form, "English")
            session.steps = step = session.steps + 1
            name = "DATA" if data_step else self._procedure(proc)
            head = (
                session.number, step, DATA if data_step else PROC, name, line, form,
                float(real) if real is not None else _clock(real_clock),
                self.cas_time, self.cas_requests, self.errors, self.stopped,
            )  # fmt: skip
            if form is STIMER:
                total = float(cpu) if cpu is not None else _clock(cpu_clock)
                self.found.stimer.extend((*head, total))
            else:
                self.found.full.extend((*head, *self._full(others)))
            if not self.quiet or name in _AFTER_BLOCK:
                self._step_done(name)
            return found.end() - 1
        self.found.notes += 1
        if first == b"There":
            found = _READ_NOTE.match(data, at)
            if found is not None:
                self._rows_row("read", found[2].decode().upper(), int(found[1]), None, line)
                return found.end() - 1
        elif first == b"The d":
            found = _WRITTEN_NOTE.match(data, at)
            if found is not None:
                self._rows_row("written", found[1].decode().upper(), int(found[2]), int(found[3]),
                               line)  # fmt: skip
                return found.end() - 1
        return 0

    def _procedure(self, name: bytes) -> str:
        known = self.procedures.get(name)
        if known is None:
            known = self.procedures[name] = name.decode(self.layout.encoding, "replace").upper()
        return known

    def _full(self, groups: list[Any]) -> tuple[Any, ...]:
        user, user_clock, system, system_clock, memory, os_memory, text, *counts = groups
        if text == self.last_stamp[0]:
            when = self.last_stamp[1]
        else:
            when = values.stamp(text.decode())
            self.last_stamp = (text, when)
        return (float(user) if user is not None else _clock(user_clock),
                float(system) if system is not None else _clock(system_clock),
                float(memory), float(os_memory), when, text.decode(), *map(int, counts))  # fmt: skip

    def _step_done(self, name: str) -> None:
        if self.step_open:
            self._release(self.session.steps)
        self.errors, self.stopped = 0, False
        self.cas_time = self.cas_requests = None
        self.last_name = name if name in _AFTER_BLOCK and not self.read_in_step else None
        self.read_in_step = False
        self.quiet = self.last_name is None

    def _release(self, step: int | None) -> None:
        for row in self.step_open:
            row["step"] = step
        self.step_open.clear()

    def _dialect(self, form: str, language: str) -> None:
        for value, known in ((form, self.session.forms), (language, self.session.languages)):
            if value not in known:
                known.append(value)
        self.found.forms.add(form)
        self.found.languages.add(language)

    def _note(self, data: bytes, found: re.Match[bytes], line: int, *, final: bool) -> int:
        """Read one NOTE; where to go on."""
        at = found.end()
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        text = data[at:stop].decode(self.layout.encoding, "replace").rstrip(" \t\r\x00")
        text = text.removesuffix("*/").rstrip() if text.endswith("*/") else text
        head = head_of(text, self.layout.languages)
        if head is None and not text.endswith((".", ":")) and "used" in text:
            # a narrow LINESIZE breaks the line that opens a block
            whole, behind = self._joined(data, text, stop, 1)
            head = head_of(whole, self.layout.languages)
            if head is not None:
                text, stop = whole, behind
        if head is not None:
            taken = self._block(data, head, found.start() + 1, stop + 1, line, final=final)
            if taken is not None:
                return taken
        return self._plain_note(data, text, stop, found.start(), line)

    def _block(
        self, data: bytes, head: Head, begin: int, at: int, line: int, *, final: bool
    ) -> int | None:
        block = self.reader.read(data, at, head, line, final=final)
        if not block.values and head.kind == OTHER:
            return None
        if self.layout.prefix is not None:
            block.time = self.layout.time(data[begin:at])
        self.found.blocks += 1
        if not block.complete:
            self.found.warn(f"line {line}: the timing block is not whole: what is missing is null")
        for where, text in block.bad:
            self.found.warn(f"line {where}: no value of a known form: {text}")
        if head.kind == INITIALIZATION:
            self._initialization(head, block, line)
        elif head.kind == SESSION:
            self._session_end(head, block, line)
        else:
            self._step(head, block, line)
        self._dialect(block.form, head.language.name)
        if block.header:
            self._header_time(block.header)
        # a session may lie between this and the next NOTE; the block's own lines are done with
        return max(block.end - 1, at - 1)

    def _step(self, head: Head, block: Block, line: int) -> None:
        if self.session.ended:
            self._next_session(line)
        row = self._measures(block)
        row.update(session=self.session.number, line=line, form=block.form)
        if head.kind == OTHER:
            row.update(step=self.session.steps + 1, what=head.name)
            self._add("other_blocks", row)
            return
        self.session.steps += 1
        row.update(
            step=self.session.steps, kind=head.kind, name=head.name, errors=self.errors,
            stopped=self.stopped, cas_server_time_s=self.cas_time, cas_requests=self.cas_requests,
        )  # fmt: skip
        self._add("steps", row)
        self._step_done(head.name)

    def _measures(self, block: Block) -> Row:
        row: Row = dict(block.values)
        row["complete"] = block.complete
        row["other"] = "; ".join(block.other) or None
        source = "timestamp" if row.get("timestamp") is not None else None
        if block.time is not None:
            row["timestamp"], source = block.time, "prefix"
        row["time_source"] = source
        return row

    # sessions

    def _initialization(self, head: Head, block: Block, line: int) -> None:
        if self.session.steps or self.session.ended or "initialization_s" in self.session.facts:
            self._next_session(line)
        row = self._measures(block)
        self.session.facts.update(
            initialization_s=True,
            initialization_real_time_s=row.get("real_time_s"),
            initialization_cpu_s=row.get("cpu_s"),
            initialization_memory_bytes=row.get("memory_bytes"),
            initialization_timestamp=row.get("timestamp"),
        )
        del head

    def _session_end(self, head: Head, block: Block, line: int) -> None:
        del head
        if self.session.ended:
            self._next_session(line)
        self.session.end = {**self._measures(block), "end_line": line}
        self.session.ended = True
        self._release(None)
        self.errors, self.stopped, self.cas_time, self.cas_requests = 0, False, None, None

    def _next_session(self, line: int) -> Session:
        self._close()
        self.session = Session(self.session.number + 1, line)
        self.last_name = None
        return self.session

    def _close(self) -> None:
        session = self.session
        self._release(None)
        if session.is_empty:
            return
        row: Row = {**session.end, **session.facts}
        row.pop("initialization_s", None)
        row.pop("parts", None)
        row.update(
            session=session.number, line=session.line, steps=session.steps, ended=session.ended,
            dialect=", ".join(session.forms) or None,
            language=", ".join(session.languages) or None,
        )  # fmt: skip
        self._add("sessions", row)

    def _banner(self, part: str, line: int, **facts: Any) -> None:
        """A line of the banner; one that was there before begins another session."""
        session = self.session
        parts: set[str] = session.facts.get("parts", set())
        if session.steps or session.ended or part in parts or "initialization_s" in session.facts:
            session = self._next_session(line)
            parts = set()
        if not parts:
            session.line = line if session.number > 1 else 1
        session.facts["parts"] = parts | {part}
        if self.started is not None:
            session.facts["started"] = self.started
            self.started = None
        session.facts.update({name: value for name, value in facts.items() if value is not None})

    def _header_time(self, header: str) -> None:
        if "started" not in self.session.facts:
            when = values.header_time(header)
            if when is not None:
                self.session.facts["started"] = when

    # other messages

    def _plain_note(self, data: bytes, text: str, stop: int, begin: int, line: int) -> int:
        first = text[:4].casefold()
        if first in {"copy", "sas ", "this", "alta", "wps ", "worl"}:
            return self._banner_note(data, text, stop, begin, line)
        if first == "the " or not text.isascii() or first.strip():
            cas = notes.CAS_TIME.match(text)
            if cas:
                self.cas_time = (self.cas_time or 0.0) + float(cas["s"])
                self.cas_requests = (self.cas_requests or 0) + 1
                self.quiet = False
                return stop
            if notes.STOPPED.match(text):
                self.stopped, self.quiet = True, False
                return stop
        if notes.REMOTE.match(text):
            self._remote(line)
            return stop
        return self._rows_note(data, text, stop, line)

    def _remote(self, line: int) -> None:
        if not any("SAS/CONNECT" in text for text in self.found.warnings):
            self.found.warn(
                f"line {line}: SAS/CONNECT: steps of a remote session stand among those of this "
                "one, and their times may overlap"
            )

    def _rows_note(self, data: bytes, text: str, stop: int, line: int) -> int:
        whole, behind = self._joined(data, text, stop, 4)
        rows = notes.rows_of(whole, self.layout.languages)
        if rows is None:
            return stop
        self._rows_row(rows.role, rows.name, rows.observations, rows.variables, line, rows.kind)
        return behind

    def _rows_row(
        self,
        role: str,
        name: str | None,
        observations: int | None,
        variables: int | None,
        line: int,
        kind: str = "data set",
    ) -> None:
        if self.session.ended:
            self._next_session(line)
        row: Row = {
            "session": self.session.number, "step": None, "line": line, "role": role,
            "kind": kind, "name": name, "observations": observations, "variables": variables,
        }  # fmt: skip
        late = role == "read" and self.last_name is not None
        if late:
            row["step"] = self.session.steps
        else:
            self._open(row)
            self.read_in_step |= role == "read"
        self._add("datasets", row)

    def _open(self, row: Row) -> None:
        """A row whose step is known when its block comes."""
        if len(self.step_open) >= _MOST_PENDING:
            self._release(None)
        self.step_open.append(row)
        self.quiet = False

    def take(self) -> tuple[Usual, dict[str, list[Row]]]:
        """What was found since the last time, without the rows whose step is still to come."""
        found, waiting = self.found, {id(row) for row in self.step_open}
        usual = (found.stimer, found.full)
        found.stimer, found.full = [], []
        taken: dict[str, list[Row]] = {}
        for table, rows in found.rows.items():
            first = next((i for i, row in enumerate(rows) if id(row) in waiting), len(rows))
            taken[table], found.rows[table] = rows[:first], rows[first:]
        for table, rows in taken.items():
            found.totals[table] += len(rows)
        found.totals["steps"] += len(usual[0]) // len(FAST_STIMER) + len(usual[1]) // len(FAST_FULL)
        return usual, taken

    def _banner_note(self, data: bytes, text: str, stop: int, begin: int, line: int) -> int:
        found = notes.SAS_BANNER.match(text)
        match = found or notes.SLC_BANNER.match(text)
        if match:
            whole, behind = self._joined(data, "", stop, 3)
            site = notes.SITE.search(whole)
            name = re.sub(r"^\s*Licensed to\s*", "", site["name"] if site else whole).strip()
            self._banner(
                "product", line,
                product="SAS" if found else "Altair SLC", release=match["release"],
                maintenance=match["maintenance"] or None, site=site["site"] if site else None,
                site_name=name.rstrip(". ") or None,
            )  # fmt: skip
            return behind
        found = notes.PLATFORM.match(text)
        if found:
            platform = re.sub(r"\s+", " ", found["platform"])
            self._banner("platform", line, platform=platform, os=notes.os_of(platform))
            return stop
        if notes.COPYRIGHT.match(text):
            self._started_before(data, begin)
            self._banner("copyright", line)
            return stop
        return self._rows_note(data, text, stop, line)

    def _started_before(self, data: bytes, begin: int) -> None:
        """The page header above a banner holds the session's start."""
        for raw in reversed(data[max(0, begin - 1000) : begin].split(b"\n")[-6:]):
            text = self.layout.content(raw)
            if self.layout.page.match(text):
                self.started = values.header_time(text)
                if self.started is not None:
                    return

    def _message(self, data: bytes, found: re.Match[bytes], line: int) -> int:
        kind = found.lastgroup
        stop = data.find(b"\n", found.end())
        stop = len(data) if stop < 0 else stop
        text = data[found.end() : stop].decode(self.layout.encoding, "replace").strip(" \t\r\x00")
        if found["pass"]:
            host = notes.PASS_HOST.search(text)
            if host:
                self.session.facts["host"] = host["host"]
            return stop
        level = "ERROR" if found["error"] else "WARNING"
        del kind
        if notes.PRINTED_ON_PAGES.match(text):
            return stop
        code = found["code_e"] or found["code_w"]
        whole, behind = self._joined(data, text, stop, _MOST_CONTINUED, level)
        if self.session.ended:
            self._next_session(line)
        row: Row = {
            "session": self.session.number, "step": None, "line": line, "level": level,
            "code": code.decode() if code else None, "text": whole,
        }  # fmt: skip
        if level == "ERROR":
            self.errors += 1
        self._open(row)
        self._add("messages", row)
        return behind

    def _joined(
        self, data: bytes, text: str, stop: int, most: int, level: str = ""
    ) -> tuple[str, int]:
        """A message with its continuation lines, and where the last of them ends."""
        parts = [text.strip()]
        for _ in range(most):
            at = stop + 1
            if at >= len(data):
                break
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            line = self.layout.content(data[at:end])
            bare = line.strip()
            marked = bool(level) and bare.startswith((f"{level}- ", f"{level}-\t"))
            if not bare or not (marked or line.startswith("   ")):
                break
            if self.layout.anchor.match(data, stop) and not marked:
                break
            if self.reader.line.match(line) or self.layout.page.match(line):
                break
            parts.append(bare[len(level) + 1 :].strip() if marked else bare)
            stop = end
        return " ".join(part for part in parts if part), stop

    def _add(self, table: str, row: Row) -> None:
        self.found.rows[table].append(row)


def _clock(clock: bytes) -> float:
    """A time of a usual block from one minute on, whose expression has checked its form."""
    whole, _, hundredths = clock.partition(b".")
    total = 0
    for part in whole.split(b":"):
        total = total * 60 + int(part)
    return (total * 100 + int(hundredths)) / 100


def batches(scanner: Scanner, pieces: Iterator[bytes], size: int) -> Iterator[Found]:
    """Scan all pieces; hands over what was found whenever it is ``size`` rows, and at the end.

    Raises ParseError for a line that is longer than any line of a log.
    """
    rest = b"\n"
    for piece in pieces:
        data = rest + piece
        rest = data[scanner.feed(data, final=False) :] if len(data) > MARGIN else data
        if len(rest) > _LONGEST_LINE:
            raise ParseError(scanner.path, "a line of more than 64 MiB: no log", scanner.line)
        if scanner.found.waiting >= size:
            yield scanner.found
    scanner.feed(rest, final=True)
    yield scanner.finish()
