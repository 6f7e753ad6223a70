"""What a document holds: values without meaning, each with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_MARKS = re.compile(r"<sup>.*?</sup>|\[\^[^\]]*\]|<br\s*/?>|&nbsp;|\*\*|__|`|\\(?=[_*#])")
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


def plain_cell(text: str) -> str:
    """A cell without its markup and the mark of its footnote."""
    bare = " ".join(_MARKS.sub(" ", text).replace("\u00a0", " ").split())
    if len(bare) > 1 and bare[0] == bare[-1] == "*":
        bare = bare[1:-1].strip()
    return _FOOTNOTE.sub("", bare).strip()
