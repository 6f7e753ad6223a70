"""Through a log in pieces: what lies between the messages is passed over at the speed of a search.

Only the lines that begin with NOTE, ERROR or WARNING are looked at, found by one expression over
the bytes. The usual blocks of English logs are read by a second one; all others line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.sources.sas import notes, values
from perfkit.sources.sas.block import (
    DATA,
    FULLSTIMER,
    INITIALIZATION,
    OTHER,
    PROC,
    SESSION,
    STIMER,
    Head,
    Reader,
    head_of,
)
from perfkit.sources.sas.layout import Layout, uncommented
from perfkit.sources.sas.record import AFTER_BLOCK, Found, Record
from perfkit.sources.sas.rows import Message
from perfkit.sources.sas.usual import FULLSTIMER_BLOCK, READ_NOTE, STIMER_BLOCK, WRITTEN_NOTE, clock

MARGIN = 64 * 1024
"""A message is read when this much of the log lies behind it: no block is longer."""

_LONGEST_LINE = 64 * 1024 * 1024
_MOST_CONTINUED = 12
_CONTINUED = "   "
"""What continues a message is indented so much more than the message."""
_STEP_HEADS = frozenset({b"DATA ", b"PROCE"})


class Scanner(Record):
    """Reads a log piece by piece; ``found`` fills as it goes."""

    def __init__(self, layout: Layout, path: str):
        super().__init__()
        self.layout, self.reader, self.path = layout, Reader(layout), path
        self.line = 0
        self._plain = layout.prefix is None
        self._procedures: dict[bytes, str] = {}
        self._last_stamp: tuple[bytes, datetime | None] = (b"", None)

    def feed(self, data: bytes, *, final: bool) -> int:
        """Read a piece that begins with a line end; gives how many bytes of it are done with.

        The caller gives the rest again, with more behind it. ``line`` counts the line ends done.
        """
        # a line is only read when its end is there
        limit = len(data) if final else min(len(data) - MARGIN, data.rfind(b"\n"))
        counted, line = 0, self.line
        resume = 0
        count, search = data.count, self.layout.search.search
        while (hit := search(data, resume)) is not None:
            start = hit.start() if self._plain else data.rfind(b"\n", 0, hit.start())
            if start < resume:
                resume = hit.end()  # in a line that is done with
                continue
            if start >= limit:
                break
            line += count(b"\n", counted, start + 1)
            counted = start + 1
            resume = self._one(data, start, hit.end(), line, final=final)
        done = len(data)
        if not final:
            done = max(data.rfind(b"\n", 0, max(limit, resume, 0) + 1), 0)
        self.line = line + count(b"\n", counted, done)
        return done

    def _one(self, data: bytes, start: int, end: int, line: int, *, final: bool) -> int:
        """Read what may be a message: it begins at ``start``, its word ends at ``end``."""
        at = end + 2
        if self._plain and data[at - 6 : at] == b"NOTE: ":
            taken = self._usual(data, at, line)
            if taken:
                return taken
        found = self.layout.anchor.match(data, start)
        if found is None:
            return end
        self.found.notes += 1
        if found["note"] is not None:
            return self._note(data, found, line, final=final)
        return self._message(data, found, line)

    def _usual(self, data: bytes, at: int, line: int) -> int:
        """Read what stands behind ``NOTE: `` if it is of a usual form: where it ends, else 0."""
        first = data[at : at + 5]
        if first in _STEP_HEADS:
            return self._usual_step(data, at, line)
        self.found.notes += 1
        if first == b"There":
            found = READ_NOTE.match(data, at)
            if found is not None:
                self.data_set("read", found[2].decode().upper(), int(found[1]), None, line)
                return found.end() - 1
        elif first == b"The d":
            found = WRITTEN_NOTE.match(data, at)
            if found is not None:
                name = found[1].decode().upper()
                self.data_set("written", name, int(found[2]), int(found[3]), line)
                return found.end() - 1
        return 0

    def _usual_step(self, data: bytes, at: int, line: int) -> int:
        form, found = STIMER, STIMER_BLOCK.match(data, at)
        if found is None:
            form, found = FULLSTIMER, FULLSTIMER_BLOCK.match(data, at)
        if found is None:
            return 0
        data_step, proc, real, real_clock, *others = found.groups()
        session = self.session
        if session.ended or form not in session.forms:
            session = self.next_session(line) if session.ended else session
            self.dialect(form, "English")
        session.steps = step = session.steps + 1
        name = "DATA" if data_step else self._procedure(proc)
        head = (
            session.session,
            step,
            DATA if data_step else PROC,
            name,
            line,
            form,
            float(real) if real is not None else clock(real_clock),
            self.cas_time,
            self.cas_requests,
            self.errors,
            self.stopped,
        )
        if form is STIMER:
            cpu, cpu_clock = others
            total = float(cpu) if cpu is not None else clock(cpu_clock)
            self.found.stimer.extend((*head, total))
        else:
            self.found.full.extend((*head, *self._full(others)))
        if not self.quiet or name in AFTER_BLOCK:
            self.step_done(name)
        return found.end() - 1

    def _procedure(self, name: bytes) -> str:
        known = self._procedures.get(name)
        if known is None:
            known = self._procedures[name] = name.decode(self.layout.encoding, "replace").upper()
        return known

    def _full(self, groups: list[Any]) -> tuple[Any, ...]:
        user, user_clock, system, system_clock, memory, os_memory, text, *counts = groups
        if text == self._last_stamp[0]:
            when = self._last_stamp[1]
        else:
            when = values.stamp(text.decode())
            self._last_stamp = (text, when)
        return (
            float(user) if user is not None else clock(user_clock),
            float(system) if system is not None else clock(system_clock),
            float(memory),
            float(os_memory),
            when,
            text.decode(),
            *map(int, counts),
        )

    def _note(self, data: bytes, found: re.Match[bytes], line: int, *, final: bool) -> int:
        """Read one NOTE; where to go on."""
        at = found.end()
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        text = data[at:stop].decode(self.layout.encoding, "replace").rstrip(" \t\r\x00")
        text = uncommented(text) if text.endswith("*/") else text
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
            self.initialization(block, line)
        elif head.kind == SESSION:
            self.session_end(block, line)
        else:
            self.timed(head, block, line)
        self.dialect(block.form, head.language.name)
        if block.header:
            self.header_time(block.header)
        # a session may lie between this and the next NOTE; the block's own lines are done with
        return max(block.end - 1, at - 1)

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
            self.remote(line)
            return stop
        return self._rows_note(data, text, stop, line)

    def _rows_note(self, data: bytes, text: str, stop: int, line: int) -> int:
        whole, behind = self._joined(data, text, stop, 4)
        found = notes.rows_of(whole, self.layout.languages)
        for rows in found:
            self.data_set(
                rows.role, rows.name, rows.observations, rows.variables, line, kind=rows.kind
            )
        return behind if found else stop

    def _banner_note(self, data: bytes, text: str, stop: int, begin: int, line: int) -> int:
        found = notes.SAS_BANNER.match(text)
        match = found or notes.SLC_BANNER.match(text)
        if match:
            whole, behind = self._joined(data, "", stop, 3)
            site = notes.SITE.search(whole)
            name = re.sub(r"^\s*Licensed to\s*", "", site["name"] if site else whole).strip()
            self.banner(
                "product",
                line,
                product="SAS" if found else "Altair SLC",
                release=match["release"],
                maintenance=match["maintenance"] or None,
                site=site["site"] if site else None,
                site_name=name.rstrip(". ") or None,
            )
            return behind
        found = notes.PLATFORM.match(text)
        if found:
            platform = re.sub(r"\s+", " ", found["platform"])
            self.banner("platform", line, platform=platform, os=notes.os_of(platform))
            return stop
        if notes.COPYRIGHT.match(text):
            self._started_before(data, begin)
            self.banner("copyright", line)
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
        stop = data.find(b"\n", found.end())
        stop = len(data) if stop < 0 else stop
        text = data[found.end() : stop].decode(self.layout.encoding, "replace").strip(" \t\r\x00")
        if found["pass"]:
            host = notes.PASS_HOST.search(text)
            if host:
                self.session.host = host["host"]
            return stop
        level = "ERROR" if found["error"] else "WARNING"
        if notes.PRINTED_ON_PAGES.match(text):
            return stop
        code = found["code_e"] or found["code_w"]
        whole, behind = self._joined(data, text, stop, _MOST_CONTINUED, level)
        if self.session.ended:
            self.next_session(line)
        row = Message(self.session.session, line, level, code.decode() if code else None, whole)
        if level == "ERROR":
            self.errors += 1
        self.open(row)
        self.add("messages", row)
        return behind

    def _joined(
        self, data: bytes, text: str, stop: int, most: int, level: str = ""
    ) -> tuple[str, int]:
        """A message with its continuation lines, and where the last of them ends."""
        parts = [text.strip()]
        begins = stop
        for _ in range(most):
            at = stop + 1
            if at >= len(data):
                break
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            line = self.layout.content(data[at:end])
            bare = line.strip()
            marked = bool(level) and bare.startswith((f"{level}- ", f"{level}-\t"))
            if not bare or not (marked or line.startswith(_CONTINUED)):
                break
            if not marked and not line.startswith(self._indent(data, begins) + _CONTINUED):
                break
            if self.layout.anchor.match(data, stop) and not marked:
                break
            if self.reader.line.match(line) or self.layout.page.match(line):
                break
            parts.append(bare[len(level) + 1 :].strip() if marked else bare)
            stop = end
        return " ".join(part for part in parts if part), stop

    def _indent(self, data: bytes, stop: int) -> str:
        """The blanks before a line that ends at ``stop``: copies are indented as a whole."""
        line = self.layout.content(data[data.rfind(b"\n", 0, stop) + 1 : stop])
        return line[: len(line) - len(line.lstrip(" "))]


def batches(scanner: Scanner, pieces: Iterator[bytes], size: int) -> Iterator[Found]:
    """Scan all pieces; hands over what was found whenever it is ``size`` rows, and at the end.

    Raises ParseError for a line that is longer than any line of a log.
    """
    rest = b"\n"
    for piece in pieces:
        data = rest + piece
        rest = data[scanner.feed(data, final=False) :] if len(data) > MARGIN else data
        if len(rest) > _LONGEST_LINE:
            raise ParseError(scanner.path, "a line of more than 64 MiB: not a log", scanner.line)
        if scanner.found.waiting >= size:
            yield scanner.found
    scanner.feed(rest, final=True)
    yield scanner.finish()
