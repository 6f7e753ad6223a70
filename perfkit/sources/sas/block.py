"""One timing block: the line that opens it, its statistics, and the page headers in between."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from perfkit.sources.sas import values
from perfkit.sources.sas.labels import COUNT, FIELDS, SIZE, STAMP, TIME, Language

if TYPE_CHECKING:
    from perfkit.sources.sas.layout import Layout

DATA, PROC, SESSION, INITIALIZATION, OTHER = "DATA", "PROC", "session", "initialization", "other"

STIMER, FULLSTIMER, TWO_COLUMN = "stimer", "fullstimer", "two-column"
ZOS, ZOS_FULLSTATS, SLC = "z/OS", "z/OS fullstats", "slc"

UNVERIFIED = frozenset({TWO_COLUMN, ZOS, ZOS_FULLSTATS})
"""Forms that were written from documents, excerpts and other parsers: no whole real log met."""


@dataclass(frozen=True)
class Head:
    """The NOTE that opens a block: whose it is."""

    kind: str
    name: str
    language: Language
    form: str | None = None
    inline: tuple[tuple[str, Any], ...] = ()


@dataclass
class Block:
    """A block as read: columns with their values, and where it ended."""

    values: dict[str, Any] = field(default_factory=dict)
    other: list[str] = field(default_factory=list)
    form: str = STIMER
    end: int = 0
    ended: bool = True
    header: str | None = None
    bad: list[tuple[int, str]] = field(default_factory=list)
    time: datetime | None = None

    @property
    def complete(self) -> bool:
        """Whether the block has its times and did not end with the file."""
        seen = self.values
        cpu = "cpu_s" in seen or ("user_cpu_s" in seen and "system_cpu_s" in seen)
        return self.ended and cpu and ("real_time_s" in seen or self.form == ZOS)


_SHORT = re.compile(
    r"The (?:(?P<data>DATA statement)|PROCEDURE (?P<proc>\S+)|(?P<session>SAS (?:session|System))"
    r"|(?P<init>(?:SAS )?initialization(?: phase)?)) used (?P<cpu>[\d.:,]+) CPU seconds and "
    r"(?P<memory>[\d.,]+\s*[KMG])\b",
    re.I,
)
_VIEW = re.compile(r"View (?P<name>\S+) used(?: \(Total process time\))?\s*:\s*$", re.I)
_UNKNOWN = re.compile(r"(?P<what>\S.{0,200}?) used(?: \(Total process time\))?\s*:\s*$", re.I)


def head_of(text: str, languages: tuple[Language, ...]) -> Head | None:
    """Whose block the text behind ``NOTE: `` opens; None where it opens none."""
    if not text.endswith((":", "：", ")", "used", "resources")):
        short = _SHORT.match(text) if "CPU" in text else None
        return _short(short, languages[0]) if short else None
    for language in languages:
        found = language.pattern("proc").match(text)
        if found:
            name = next(group for group in found.groups() if group)
            return Head(PROC, name.upper(), language)
        for kind in ("data", SESSION, INITIALIZATION):
            if language.pattern(kind).match(text):
                return Head(DATA if kind == "data" else kind, "DATA", language)
    found = _VIEW.match(text) or _UNKNOWN.match(text)
    if found:
        what = text[: text.lower().rindex(" used")]
        return Head(OTHER, what, languages[0])
    return None


def _short(found: re.Match[str], english: Language) -> Head:
    inline = (
        ("cpu_s", values.seconds(found["cpu"], frozenset())),
        ("memory_bytes", values.size(found["memory"])),
    )
    kind = next(
        kind
        for kind, group in (
            (DATA, "data"),
            (PROC, "proc"),
            (SESSION, "session"),
            (INITIALIZATION, "init"),
        )
        if found[group]
    )
    name = found["proc"].upper() if found["proc"] else "DATA"
    return Head(kind, name, english, ZOS, inline)


class Reader:
    """Reads blocks of one file; keeps what its languages need, compiled."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.words = frozenset(
            word.casefold() for item in layout.languages for word in item.seconds
        )
        self.labels: dict[str, str] = {}
        for item in reversed(layout.languages):
            self.labels.update({_plain(label): column for label, column in item.labels.items()})
        known = {label for item in layout.languages for label in item.labels}
        either = "|".join(
            r"\s*".join(map(re.escape, label.split()))
            for label in sorted(known, key=len, reverse=True)
        )
        # z/OS sets a dash apart from its value; one that touches it is the value's own minus
        self.line = re.compile(
            rf"(?P<indent>\s*)(?P<label>{either})\s*(?:(?P<sign>[:：]|-(?=\s))\s*|\s)(?P<value>\S.*)$",
            re.I,
        )

    def read(self, data: bytes, at: int, head: Head, line: int, *, final: bool) -> Block:
        """The block whose first line of statistics may begin at ``at``."""
        if head.form == ZOS:
            return Block(
                {name: value for name, value in head.inline if value is not None}, form=ZOS, end=at
            )
        return _Walk(self, data, at, head, line, final=final).run()


def _plain(label: str) -> str:
    return re.sub(r"\s+", "", label).casefold()


_COLUMNS_HEAD = re.compile(r"\s*time:\s+memory:\s*$", re.I)
_COLUMNS_SECOND = re.compile(r"\s*block I/O operations:\s+context switches:\s*$", re.I)
_PAIR = re.compile(
    r"\b(real|user cpu|system cpu|page faults|page reclaims|page swaps|usage|input|output"
    r"|voluntary|involuntary)\s+(\d[\d.:,]*(?:\s*(?:seconds?|[KMG])\b)?)",
    re.I,
)
_PAIRS = {
    "real": "real_time_s",
    "user cpu": "user_cpu_s",
    "system cpu": "system_cpu_s",
    "page faults": "page_faults",
    "page reclaims": "page_reclaims",
    "page swaps": "page_swaps",
    "usage": "memory_bytes",
    "input": "block_input_operations",
    "output": "block_output_operations",
    "voluntary": "voluntary_context_switches",
    "involuntary": "involuntary_context_switches",
}
_SECOND_PAIR = re.compile(r"^(?P<first>\S+)\s+(?P<label>\D+?)\s+(?P<second>[\d,]+)$")
_OTHER_LINE = re.compile(r"(?P<indent>\s{3,})[A-Za-z][\w/ ]*?(?:\s{2,}|\s*[-:]\s+)\S.*\d.*$")
_WHOLE_VALUE = re.compile(r"(?:[A-Za-z]{3,}|[kKmMgG])$")
_MOST_LINES = 80
_READERS: dict[str, Callable[[str], Any]] = {
    SIZE: values.size,
    COUNT: values.count,
    STAMP: values.stamp,
}


class _Walk:
    """The lines of one block, one after the other."""

    def __init__(self, reader: Reader, data: bytes, at: int, head: Head, line: int, *, final: bool):
        self.reader, self.data, self.at, self.head = reader, data, at, head
        self.number, self.final = line, final
        self.block = Block(end=at)
        self.indent: int | None = None
        self.blank = self.page = self.spaced = False
        self.columns = False
        self.signs: set[str] = set()

    def run(self) -> Block:
        layout = self.reader.layout
        block = self.block
        for _ in range(_MOST_LINES):
            if self.at >= len(self.data):
                block.ended = not self.final or self._has_last() or self.blank
                break
            stop = self.data.find(b"\n", self.at)
            cut = stop < 0
            raw = self.data[self.at : len(self.data) if cut else stop]
            text = layout.content(raw)
            self.number += 1
            taken = self._take(text, cut=cut)
            if cut and self.final and not self._has_last():
                # the file ends in this line: what would follow is not known
                block.ended = False
            if not taken:
                break
            self.at += len(raw) + 1
            if self._is_done():
                break
        block.form = self._form()
        block.end = max(block.end, min(self.at, len(self.data)))
        return block

    def _is_done(self) -> bool:
        """A total of CPU time is the last line of STIMER and of Altair SLC."""
        seen = self.block.values
        return "cpu_s" in seen and "real_time_s" in seen and "-" not in self.signs

    def _has_last(self) -> bool:
        """Whether the line is there that such a block ends with."""
        return self._is_done() or "block_output_operations" in self.block.values

    def _take(self, text: str, *, cut: bool) -> bool:
        """Take one line; whether the block may go on behind it."""
        bare = text.strip()
        if not bare:
            if self.block.values and not self.page and not self.spaced:
                # blanks end a block, unless a page header follows
                self.blank = True
                return self._page_follows()
            self.blank = True
            return True
        page = self.reader.layout.page.match(text)
        if page and (
            self.blank
            or text.lstrip(" ").startswith(("\f", "♀"))
            or page["date"]
            or bare[0].isdecimal()
            or not self.block.values
        ):
            self.block.header = self.block.header or bare
            self.page, self.blank = True, False
            return True
        return self._statistic(text, cut=cut)

    def _page_follows(self) -> bool:
        """Whether the next lines with text, behind blanks, hold a page header or more of it."""
        at = self.at
        for _ in range(12):
            stop = self.data.find(b"\n", at)
            raw = self.data[at : len(self.data) if stop < 0 else stop]
            text = self.reader.layout.content(raw)
            if text.strip():
                return bool(self.reader.layout.page.match(text)) and not re.match(
                    r"\s*(?:NOTE|ERROR|WARNING)", text
                )
            if stop < 0:
                return False
            at = stop + 1
        return False

    def _statistic(self, text: str, *, cut: bool) -> bool:
        block = self.block
        if not block.values and self.blank and not self.page:
            self.spaced = True
        if _COLUMNS_HEAD.match(text) or (self.columns and _COLUMNS_SECOND.match(text)):
            self.columns, self.page, self.blank = True, False, False
            return True
        if self.columns:
            return self._pairs(text)
        found = self.reader.line.match(text)
        if not found:
            return self._other(text)
        column = self.reader.labels[_plain(found["label"])]
        indent = len(found["indent"])
        self.indent = indent if self.indent is None else self.indent
        # copies on web pages shift lines by a blank
        if column in block.values or abs(indent - self.indent) > 2:
            return False
        self.signs.add(found["sign"] or "")
        self.page = self.blank = False
        value = re.sub(r"\s*\*/\s*$", "", found["value"]).strip()
        if cut and self.final and not _WHOLE_VALUE.search(value):
            # the file ends here: the last figure may have lost digits
            block.ended = False
            self.at = len(self.data)
            return False
        self._keep(column, value)
        return True

    def _keep(self, column: str, value: str) -> None:
        block = self.block
        if column == "step_count":
            pair = _SECOND_PAIR.match(value)
            if pair:
                second = self.reader.labels.get(_plain(pair["label"]))
                if second:
                    self._keep(second, pair["second"])
                value = pair["first"]
        if FIELDS[column] == STAMP:
            block.values["timestamp_text"] = value
        self._set(column, value)

    def _set(self, column: str, text: str) -> None:
        """Keep the value as its column wants it; None, and told, in a form that is not known."""
        kind = FIELDS[column]
        if kind == TIME:
            value: Any = values.seconds(text, self.reader.words)
        else:
            value = _READERS[kind](text)
        if value is None:
            self.block.bad.append((self.number, f"{column}: {text[:60]!r}"))
        self.block.values[column] = value

    def _pairs(self, text: str) -> bool:
        found = _PAIR.findall(text)
        if not found:
            return False
        for label, value in found:
            column = _PAIRS[label.lower()]
            if column in self.block.values:
                return False
            self._set(column, value.strip())
        self.page = self.blank = False
        return True

    def _other(self, text: str) -> bool:
        """A line of the block that is in no table: kept as it is."""
        found = _OTHER_LINE.match(text)
        if not found or self.blank or not self.block.values:
            return False
        if self.indent is not None and abs(len(found["indent"]) - self.indent) > 1:
            return False
        self.block.other.append(text.strip())
        self.page = False
        return True

    def _form(self) -> str:
        seen: Mapping[str, Any] = self.block.values
        if self.columns:
            return TWO_COLUMN
        if "-" in self.signs or "excp_count" in seen:
            return ZOS_FULLSTATS
        if ":" in self.signs and "user_cpu_s" not in seen:
            return SLC
        return FULLSTIMER if {"user_cpu_s", "system_cpu_s"} & set(seen) else STIMER
