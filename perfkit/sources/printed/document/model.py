"""What a document holds: values without meaning, each with its line."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace

_NOTES = re.compile(r"<sup>.*?</sup>|\[\^[^\]]*\]|!\[[^\]]*\]\([^)]*\)", re.S)
_LINK = re.compile(r"\[([^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_MARKS = re.compile(r"</?[A-Za-z!][^>]*>|\*\*|(?<!\w)__|__(?!\w)|`")
_ESCAPED = re.compile(r"\\([^A-Za-z0-9\s])")
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_SPACED = re.compile(
    r"\A[+-]?\d{1,3}(?: \d{3})+(?:\.\d+)?(?=\Z| ?(?:[mnu\u00b5\u03bc]?s|sec)\b)"
    r"|\A\d{1,3}(?: \d{3}){2,}(?= \()"
)
"""240 119, 15 392 us, 104 857 600 (100 MiB); "24 960GB SSDs" and "64 128 KiB" are two numbers."""
_MARKS_OF_DIRECTION = dict.fromkeys(
    [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0xFEFF]
)
_WIDE = str.maketrans("\uff08\uff09\uff1a\uff05\uff0f", "():%/") | _MARKS_OF_DIRECTION
_MARKED = re.compile(r"[<\[*_`]")
_COLOURED = re.compile(r"\$?\\text[a-z]*\{(?:\\color\{\w+\})?([^{}]*)\}\$?")
"""A text that TeX colours or sets in another face."""
_SPECIAL = re.compile(r"[<\[*_`&\\\u00a0\u202f\u2009]")
_FOOTNOTE = re.compile(
    r"(?<=[\w%)])\s*(?:\[\w{1,2}\]|[\u2020\u2021\u00a7*]+|[\u00b9\u00b2\u00b3]+|\^\w+)$"
)


@dataclass(frozen=True)
class Row:
    """The cells of a row, and the line it stands in (of each cell, where they have their own)."""

    line: int
    cells: tuple[str, ...]
    lines: tuple[int, ...] = ()

    def line_of(self, column: int) -> int:
        """The line of a cell, counted from 0."""
        return self.lines[column] if self.lines else self.line


@dataclass(frozen=True)
class Table:
    """A table: its heads (of several levels: joined), rows, and what is said of it."""

    line: int
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    label: str | None = None
    title: str | None = None
    section: str = ""

    def called(self, label: str, title: str) -> Table:
        """The same table with its caption."""
        return replace(self, label=label, title=title)


@dataclass(frozen=True)
class Sentence:
    """A sentence, command line or caption, with the line it begins in."""

    text: str
    line: int
    section: str
    paragraph: int
    kind: str = "text"


@dataclass(frozen=True)
class Document:
    """Tables and sentences in the order of the document."""

    tables: tuple[Table, ...]
    sentences: tuple[Sentence, ...]


_LOOSE = re.compile(r"(?<=[(\[]) +| +(?=[)\],;:])")


def plain(text: str) -> str:
    """A text without markup: links as their words, entities as signs, groups of digits joined."""
    text = text.translate(_WIDE)
    if not _SPECIAL.search(text):
        return " ".join(text.split())
    bare = _COLOURED.sub(r"\1", text) if "\\text" in text else text
    if _MARKED.search(text):
        # a mark leaves a space, but none within brackets or before a colon: "( **19%** )"
        bare = _MARKS.sub(" ", _LINK.sub(r"\1", _NOTES.sub(" ", bare)))
        bare = _LOOSE.sub("", bare)
    bare = _GROUPED.sub(",", html.unescape(bare))
    return " ".join(_ESCAPED.sub(r"\1", bare).split())


def plain_cell(text: str) -> str:
    """A cell without its markup and the mark of its footnote."""
    bare = plain(text)
    if len(bare) > 1 and bare[0] == bare[-1] == "*":
        bare = bare[1:-1].strip()
    bare = _FOOTNOTE.sub("", bare).strip()
    return _SPACED.sub(lambda match: match[0].replace(" ", ","), bare)
