"""A whole session as a log: steps, source lines, page headers, the session's end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from forges.sas.dialects import COUNTS, DIALECTS, block_lines, notes_of, page_header
from forges.sas.step import Step


@dataclass(frozen=True)
class Log:
    """A session: its steps, and how the log of it is written.

    Attributes:
        page_lines: Lines a page (PAGESIZE); 0: no page headers.
        newline: Line end.
        ends: Whether the block of the session's end is there.
        extra_ms: Time of the session beside its steps: initialisation, macros, waiting.
    """

    steps: Sequence[Step]
    dialect: str = "9.4 unix"
    page_lines: int = 0
    newline: str = "\n"
    ends: bool = True
    extra_ms: int = 350
    host: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> Step:
        """What the session's end says: times added up, the largest memory."""
        steps = list(self.steps)
        first = steps[0] if steps else Step()
        last = steps[-1] if steps else Step()
        sums = {name: sum(getattr(step, name) for step in steps) for name in COUNTS}
        return replace(
            first,
            real_ms=sum(step.real_ms for step in steps) + self.extra_ms,
            user_ms=sum(step.user_ms for step in steps) + 20,
            system_ms=sum(step.system_ms for step in steps) + 10,
            memory_ck=max((step.memory_ck for step in steps), default=0),
            os_memory_ck=max((step.os_memory_ck for step in steps), default=0),
            end=last.end + timedelta(seconds=1),
            step_count=last.step_count + 1,
            switch_count=sum(step.switch_count for step in steps),
            **sums,
        )

    def lines(self) -> list[str]:
        """The log's lines with page headers and what stands before each line."""
        form = DIALECTS[self.dialect]
        body: list[tuple[str, datetime]] = []
        start = self.steps[0].end - timedelta(milliseconds=self.steps[0].real_ms)

        def add(lines: Sequence[str], when: datetime) -> None:
            body.extend((line, when) for line in lines)

        add(form.banner, start)
        if self.host:
            add([f"PASS HEADER BEGIN|os=LIN X64|host={self.host}|END"], start)
        number = 1
        for step in self.steps:
            begin = step.end - timedelta(milliseconds=step.real_ms)
            source = step.source or _source(step)
            add([f"{number + i:<11}{text}" for i, text in enumerate(source)], begin)
            number += len(source)
            add([*step.messages, *notes_of(step, self.dialect)], step.end)
            add([*block_lines(step, self.dialect), "      ", ""], step.end)
        if self.ends:
            add(_end(self), self.total.end)
        if self.page_lines:
            body = _paged(body, self.dialect, self.page_lines)
        before = form.before
        return [line if before is None else before(when) + line for line, when in body]

    def text(self) -> str:
        """The whole log."""
        return self.newline.join(self.lines()) + self.newline

    def data(self) -> bytes:
        """The whole log in the dialect's encoding."""
        return self.text().encode(DIALECTS[self.dialect].encoding)


def _source(step: Step) -> tuple[str, ...]:
    if step.is_data:
        return ("data work.out;", "   set work.in;", "run;", "")
    return (f"proc {step.name.lower()} data=work.in;", "run;", "")


def _end(log: Log) -> list[str]:
    """The block of the session's end."""
    lines = block_lines(replace(log.total, name="DATA"), log.dialect)
    head = {
        "slc": "NOTE: Submitted statements took :",
        "z/os": lines[0].replace("DATA statement", "SAS session"),
        "z/os fullstats": "NOTE: The SAS session used the following resources:",
        "German": "NOTE: Das SAS System hat verwendet:",
        "French": "NOTE: Le Système SAS a utilisé :",
        "Spanish": "NOTE: El Sistema SAS utilizado:",
        "Chinese": "NOTE: “SAS 系统”所用时间:",
        "Japanese": "NOTE: SAS システム処理:",
    }.get(log.dialect, "NOTE: The SAS System used:")
    return ["NOTE: SAS Institute Inc., SAS Campus Drive, Cary, NC USA 27513-2414", head, *lines[1:]]


def _paged(
    body: list[tuple[str, datetime]], dialect: str, every: int
) -> list[tuple[str, datetime]]:
    paged: list[tuple[str, datetime]] = []
    for number, (line, when) in enumerate(body):
        if number % every == 0:
            page = number // every + 1
            header = page_header(dialect, page, 0)[1 if page == 1 else 0 :]
            paged.extend((text.lstrip("\f") if page == 1 else text, when) for text in header)
        paged.append((line, when))
    return paged
