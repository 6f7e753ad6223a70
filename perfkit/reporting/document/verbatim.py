"""The appendix of files that are printed as they are: configurations, job files, commands."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.grids import PT_PER_MM
from perfkit.reporting.document.records import VerbatimText

TITLE = "Configurations and commands"
GOES_ON = "↪ "
"""Stands where a line of a file goes on that the page has no room for."""

BREAK_COLUMNS = 24
"""How far before the end of a line a blank is looked for to break it at."""


def verbatim_blocks(files: Sequence[VerbatimText], letter: str) -> list[doc.Block]:
    """The appendix, a section for each file; nothing without files.

    Args:
        files: In order.
        letter: Of the appendix.
    """
    if not files:
        return []
    told = f"Each text is complete; {GOES_ON.strip()} marks where a long line continues."
    title = doc.back_heading(1, f"Appendix {letter}: {TITLE}", "appendix-verbatim")
    found: list[doc.Block] = [title, doc.paragraph(told)]
    for number, file in enumerate(files, 1):
        found += _section(file, f"verbatim-{number}")
    return found


def _section(file: VerbatimText, anchor: str) -> list[doc.Block]:
    text = file.text.removesuffix("\n")
    lines = text.count("\n") + 1 if text else 0
    counted = {0: "it is empty", 1: "1 line"}.get(lines, f"{lines:,} lines")
    note = f" {file.note}" if file.note else ""
    about = doc.Paragraph((doc.CodeSpan(file.place), doc.Text(f", {counted}.{note}")), leads=True)
    title = doc.back_heading(2, file.title, anchor)
    if not text:
        return [title, about]
    return [title, about, doc.CodeBlock(text, file.language, summary=f"All {counted}")]


CODE_PT, LEAST_CODE_PT = 8.2, 6.0
"""The size of code, and to what it shrinks before its lines are broken."""

SHORT_LINES = 20
"""Code of so many lines is not broken over pages."""

_CODE_EM, _CODE_INSET_PT = 0.603, 16.0
"""How wide a letter of code is, and the blank beside it."""


def code_lines(text: str, width_mm: float) -> tuple[str, float]:
    """Lines of code that fit the width, and their size: 95 letters at 8.2 pt, 130 at 6 pt."""
    room_em = (width_mm * PT_PER_MM - _CODE_INSET_PT) / _CODE_EM
    longest = max(map(len, text.expandtabs(4).splitlines()), default=0)
    size = max(min(CODE_PT, room_em / max(longest, 1)), LEAST_CODE_PT)
    most = int(room_em / size)
    if longest <= most:
        return text, size
    return folded(text.expandtabs(4), most), size


def folded(text: str, columns: int) -> str:
    """Code whose lines are no wider than the page; where one goes on, a sign says so."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, columns))


def _parts(line: str, columns: int) -> list[str]:
    parts = []
    while (end := _fitting(line, columns)) < len(line):
        begun = len(line) - len(line.removeprefix(GOES_ON).lstrip(" "))
        blank = line.rfind(" ", max(end - BREAK_COLUMNS, begun), end)
        end = blank + 1 if blank > 0 else end
        parts.append(line[:end])
        line = GOES_ON + line[end:]
    return [*parts, line]


def _fitting(line: str, columns: int) -> int:
    """How many letters of a line fit; those of East Asia are two columns wide."""
    taken = 0
    for place, letter in enumerate(line):
        taken += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if taken > columns:
            return place
    return len(line)
