"""The appendix of files that are printed as they are: configurations, job files, commands."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

from perfkit.reporting.document.blocks import (
    Block,
    CodeBlock,
    CodeSpan,
    Heading,
    Paragraph,
    Text,
)

TITLE = "Configurations and commands"
GOES_ON = "↪ "
"""Stands where a line of a file goes on that the page has no room for."""

BREAK_COLUMNS = 24
"""How far before the end of a line a blank is looked for to break it at."""


def verbatim_blocks(files: Sequence[dict[str, Any]], letter: str) -> list[Block]:
    """The appendix, a section for each file; nothing without files.

    Args:
        files: Of each ``title``, ``place`` (its path), ``text``, ``language`` and, where there is
            more to say of it, ``note``.
        letter: Of the appendix.
    """
    if not files:
        return []
    told = f"Each text is whole; {GOES_ON.strip()} marks where a long line of it goes on."
    title = Heading(1, (Text(f"Appendix {letter}: {TITLE}"),), "appendix-verbatim", numbered=False)
    found: list[Block] = [title, Paragraph((Text(told),))]
    for number, file in enumerate(files, 1):
        found += _section(file, f"verbatim-{number}")
    return found


def _section(file: dict[str, Any], anchor: str) -> list[Block]:
    text = file["text"].removesuffix("\n")
    lines = text.count("\n") + 1 if text else 0
    counted = {0: "it is empty", 1: "1 line"}.get(lines, f"{lines:,} lines")
    note = f" {file['note']}" if file.get("note") else ""
    about = Paragraph((CodeSpan(file["place"]), Text(f", {counted}.{note}")), leads=True)
    title = Heading(2, (Text(file["title"]),), anchor, numbered=False)
    if not text:
        return [title, about]
    return [title, about, CodeBlock(text, file.get("language"), summary=f"All {counted}")]


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
