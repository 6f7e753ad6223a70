"""A text to its tables, sentences, headings and captions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from perfkit.sources.printed.document.grids import (
    Lines,
    bar_rows,
    cell_rows,
    csv_rows,
    is_grid,
    is_rule,
    is_ruled,
    ruled_rows,
    set_in_columns,
    tab_rows,
    table_of,
)
from perfkit.sources.printed.document.model import Document, Sentence, Table, plain
from perfkit.sources.printed.document.stacked import Paragraph, stacked_tables
from perfkit.sources.printed.document.webs import BREAK, end_of_table, web_table

_CAPTION = re.compile(
    r"^[*_#\s]*((?:Table|Tab\.|Figure|Fig\.?)\s*-?(?:\d+|[A-Z]-?\d+))\s*[).:]+\s*(.*)$", re.I
)
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_BOLD = re.compile(r"^\*\*([^*]+)\*\*$")
_NUMBERED = re.compile(r"^\d+(?:\.\d+)*\.?\s+[A-Z][^.;:]{2,70}$")
_COLUMNS = re.compile(r"\S\s{2,}\S")
_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“(]?[A-Z0-9])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|no|fig|tab|etc|ca|avg|max|min)|(?-i:(?<![/\d])\b[A-Z]))\.$", re.I
)
_BULLET = re.compile(r"^\s*(?:[-*+•·❑□]|\d+[.)])\s+")
_QUOTED = re.compile(r"^\s{0,3}(?:>\s?)+")
_WEB_TABLE = re.compile(r"<table[\s>]", re.I)
_CAPTIONED = re.compile(
    r"(?:[-*+] )?(?:[\w.-]+ ){0,5}\(?(?:[kKM]?IOPS|[KMG]i?B/s(?:ec)?|QPS|TPS|ops/s)\)?\s?:?", re.I
)
_FENCES = ("```", "~~~")
_OPTION = re.compile(r"(?<!\S)[-\u2013]{1,2}[A-Za-z][\w-]+[ =]+[\w./\"'<]")
LONGEST_HEADING = 80
LEAST_SET = 3
CSV_SIGNS = ",;\t|"


Form = Literal["text", "csv", "markdown", "asciidoc"]


def document_of(text: str, form: Form = "text") -> Document:
    """The document of a text; a CSV is one table, or several with empty lines between.

    In Markdown and AsciiDoc blanks set no columns; what Markdown indents is code.
    """
    if form == "csv":
        return _separated(text)
    markdown = form == "markdown"
    builder = _Builder(markdown=markdown, asciidoc=form == "asciidoc")
    found = text.replace("\f", "\n").split("\n")
    lines = [
        (number, _QUOTED.sub("", part) if markdown else part)
        for number, line in enumerate(found, 1)
        for part in line.replace(BREAK, 2 * BREAK).split(BREAK)
    ]
    at = _behind_front_matter(found) if markdown else 0
    while at < len(lines):
        at = _next(builder, lines, at)
    return builder.done()


def _separated(text: str) -> Document:
    body = "\n".join("" if line.startswith("#") else line for line in text.splitlines())
    head = next((line for line in body.splitlines() if line.strip()), "")
    sign = max(CSV_SIGNS, key=head.count)
    # an empty line ends a table: spreadsheets hold several
    parts: list[list[tuple[int, str]]] = [[]]
    for number, line in enumerate(body.splitlines(), 1):
        if line.strip(f" {sign}"):
            parts[-1].append((number, line))
        elif parts[-1]:
            parts.append([])
    tables = []
    for part in filter(None, parts):
        first = part[0][0]
        rows = csv_rows("\n".join(line for _, line in part), sign)
        made = table_of([replace(row, line=row.line + first - 1) for row in rows])
        if made:
            tables.append(made)
    return Document(tuple(tables), ())


@dataclass
class _Builder:
    """What is found on the way through the lines."""

    markdown: bool = False
    asciidoc: bool = False
    section: str = ""
    paragraph: int = 0
    tables: list[Table] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    waiting: list[Paragraph] = field(default_factory=list)
    blocks: list[tuple[str, int]] = field(default_factory=list)
    captions: list[tuple[int, str, str, int]] = field(default_factory=list)

    def table(self, table: Table | None) -> None:
        self.flush()
        if table:
            self.add(table)

    def add(self, table: Table) -> None:
        self.blocks.append(("table", len(self.tables)))
        self.tables.append(replace(table, section=self.section))

    def say(self, text: str, line: int, kind: str = "text") -> None:
        self.sentences.append(Sentence(text, line, self.section, self.paragraph, kind))

    def waiting_before(self, lines: Lines, at: int) -> bool:
        """Whether text or a list stands right before a line, so that it belongs to it."""
        above = lines[at - 1][1] if at else ""
        return bool(above.strip()) or bool(self.waiting and _BULLET.match(self.waiting[-1].text))

    def flush(self) -> None:
        """Paragraphs that wait: stacked tables among them, and sentences."""
        taken: dict[int, tuple[int, Table]] = {
            item.first: (item.last, item.table) for item in stacked_tables(self.waiting)
        }
        number = 0
        while number < len(self.waiting):
            if number in taken:
                last, table = taken[number]
                self.add(table)
                number = last + 1
                continue
            self._paragraph(self.waiting[number])
            number += 1
        self.waiting.clear()

    def _paragraph(self, item: Paragraph) -> None:
        self.paragraph += 1
        bare = " ".join(item.text.split())
        if not bare:
            return
        caption = _CAPTION.match(bare)
        if caption:
            label = " ".join(caption[1].replace("-", " ").split())
            self.captions.append(
                (len(self.blocks), label, plain(caption[2]).strip("* "), item.line)
            )
            self.blocks.append(("caption", len(self.captions) - 1))
            self.say(bare, item.line, "caption")
            return
        if len(_OPTION.findall(item.text)) > 1:
            for offset, command in enumerate(item.text.split("\n")):
                self.say(command.strip(), item.line + offset, "command")
            return
        if item.lines == 1 and _is_heading(item.text):
            self.section = plain(bare)
        elif self.markdown and item.lines == 1 and _CAPTIONED.fullmatch(plain(item.text)):
            self.section = plain(item.text)
        self.blocks.append(("text", 0))
        for text, line in _sentences(item):
            self.say(text, line)

    def done(self) -> Document:
        self.flush()
        for place, label, title, _ in self.captions:
            if not label.lower().startswith("tab"):
                continue
            target = self._captioned(place)
            if target is not None:
                self.tables[target] = self.tables[target].called(label, title)
        return Document(tuple(self.tables), tuple(self.sentences))

    def _captioned(self, place: int) -> int | None:
        """The table below a caption, else the one right above it."""
        if place + 1 < len(self.blocks) and self.blocks[place + 1][0] == "table":
            return self.blocks[place + 1][1]
        if place and self.blocks[place - 1][0] == "table":
            above = self.blocks[place - 1][1]
            return None if self.tables[above].label else above
        return None


def _next(builder: _Builder, lines: Lines, at: int) -> int:
    """Take the block that begins at this line; the index behind it."""
    for block in _BLOCKS:
        end = block(builder, lines, at)
        if end is not None:
            return end
    end = at + 1
    while end < len(lines) and _goes_on(lines, end):
        end += 1
    text = "\n".join(text for _, text in lines[at:end])
    builder.waiting.append(Paragraph(lines[at][0], text, end - at))
    return end


def _fence(builder: _Builder, lines: Lines, at: int) -> int | None:
    # in other texts a line of tildes stands below a heading
    signs = _FENCES if builder.markdown else _FENCES[:1]
    return _fenced(builder, lines, at) if lines[at][1].lstrip().startswith(signs) else None


def _web(builder: _Builder, lines: Lines, at: int) -> int | None:
    if not _WEB_TABLE.search(lines[at][1]):
        return None
    end = end_of_table(lines, at)
    builder.table(web_table(lines[at:end]))
    return end


def _code(builder: _Builder, lines: Lines, at: int) -> int | None:
    """Indented lines of Markdown."""
    indented = builder.markdown and lines[at][1].startswith(("    ", "\t"))
    if not indented or builder.waiting_before(lines, at):
        return None
    end = _while(lines, at, lambda text: text.startswith(("    ", "\t")))
    _commands(builder, lines[at:end])
    return end


def _bars(builder: _Builder, lines: Lines, at: int) -> int | None:
    """Rows with bars; without the rule below their heads they are what a conversion has left."""
    line = lines[at][1]
    if "|" in line and at + 1 < len(lines) and is_rule(lines[at + 1][1]):
        end = _while(lines, at, lambda text: "|" in text)
    elif is_grid(line) or (line.lstrip().startswith("|") and line.rstrip().endswith("|")):
        end = _while(lines, at, lambda text: is_grid(text) or text.lstrip().startswith("|"))
    else:
        return None
    builder.table(table_of(bar_rows(lines[at:end])))
    return end


def _tabs(builder: _Builder, lines: Lines, at: int) -> int | None:
    end = _while(lines, at, lambda text: "\t" in text)
    if "\t" not in lines[at][1].strip() or end - at < 2:
        return None
    builder.table(table_of(tab_rows(lines[at:end])))
    return end


def _ruled(builder: _Builder, lines: Lines, at: int) -> int | None:
    if not is_ruled(lines[at][1]):
        return None
    end = _while(lines, at, lambda text: bool(text.strip()))
    builder.table(table_of(ruled_rows(lines[at:end])))
    return end


def _blanks(builder: _Builder, lines: Lines, at: int) -> int | None:
    """A table set in columns by blanks."""
    if builder.markdown or builder.asciidoc or not _set(lines[at][1]):
        return None
    end = _while(lines, at, _set)
    made = set_in_columns(lines[at:end]) if end - at >= LEAST_SET else None
    if made:
        builder.table(made)
    return end if made else None


def _heading(builder: _Builder, lines: Lines, at: int) -> int | None:
    """A heading, or an empty line."""
    line = lines[at][1]
    heading = _HEADING.match(line)
    if heading and not _CAPTION.match(line):
        builder.flush()
        builder.section = plain(heading[1])
        return at + 1
    return None if line.strip() else at + 1


def _set(line: str) -> bool:
    return bool(_COLUMNS.search(line.rstrip()))


_TITLE = re.compile(r"^={1,6}\s+(.*)$")
_ATTRIBUTES = re.compile(r"^\[.*\]$|^:[\w-]+:.*$|^//")
_COLS = re.compile(r"""cols\s*=\s*(?:"([^"]+)"|'([^']+)'|([^,\]]+))""")
_LISTING = re.compile(r"^(-{4,}|\.{4,})\s*$")


def _asciidoc(builder: _Builder, lines: Lines, at: int) -> int | None:
    """The block of AsciiDoc that begins at a line: a table, a listing, a heading; else None."""
    if not builder.asciidoc:
        return None
    line = lines[at][1].rstrip()
    if line == "|===":
        end = _while(lines, at + 1, lambda text: text.rstrip() != "|===")
        named = _COLS.search(lines[at - 1][1]) if at else None
        width = sum(_times(part) for part in named[named.lastindex or 1].split(",")) if named else 0
        builder.table(table_of(cell_rows(lines[at + 1 : end], width)))
        return end + 1
    if _LISTING.match(line):
        return _fenced(builder, lines, at, line)
    title = _TITLE.match(line)
    if title:
        builder.flush()
        builder.section = plain(title[1])
    return at + 1 if title or _ATTRIBUTES.match(line) else None


def _times(column: str) -> int:
    """How many columns one part of "3*,1" is."""
    many = re.match(r"\s*(\d+)\*", column)
    return int(many[1]) if many else 1


_BLOCKS: tuple[Callable[[_Builder, Lines, int], int | None], ...] = (
    _fence, _web, _asciidoc, _code, _bars, _tabs, _ruled, _blanks, _heading,
)  # fmt: skip
"""Each takes the block that begins at a line, where it is of its form; what is left is text."""


def _goes_on(lines: Lines, at: int) -> bool:
    text = lines[at][1]
    if not text.strip() or _BULLET.match(text) or text.lstrip().startswith((*_FENCES, "#", "|")):
        return False
    if _CAPTION.match(text) or "\t" in text or _WEB_TABLE.search(text):
        return False
    # a table set by blanks may follow without an empty line, as in the text of a PDF
    below = [line.rstrip() for _, line in lines[at : at + LEAST_SET]]
    return len(below) < LEAST_SET or not all(map(_COLUMNS.search, below))


def _while(lines: Lines, at: int, fits: Callable[[str], bool]) -> int:
    end = at
    while end < len(lines) and fits(lines[end][1]):
        end += 1
    return end


def _fenced(builder: _Builder, lines: Lines, at: int, fence: str = "") -> int:
    """Lines of code, up to the sign that began them, alone: "```sh" ends no code."""
    sign = fence or lines[at][1].lstrip()[:3]
    ends = re.compile(rf"\s*{re.escape(sign)}{re.escape(sign[0])}*\s*")
    end = _while(lines, at + 1, lambda text: not ends.fullmatch(text))
    _commands(builder, lines[at + 1 : end])
    return end + 1


def _commands(builder: _Builder, lines: Lines) -> None:
    """Lines of code: each a command by itself."""
    builder.flush()
    for number, text in lines:
        if text.strip():
            builder.say(text.strip(), number, "command")


def _behind_front_matter(lines: list[str]) -> int:
    """Where the text begins: behind the block of facts at the head of a page."""
    if lines[0].strip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:200], 1) if line.strip() == "---"), 0)


def _is_heading(text: str) -> bool:
    bare = text.strip()
    if _BOLD.match(bare) or _NUMBERED.match(bare):
        return True
    return (
        len(bare) <= LONGEST_HEADING
        and len(bare.split()) <= LONGEST_HEADING // 8
        and (bare[-1:].isalnum() or bare[-1:] == ")")
        and bare[:1].isupper()
        and not bare.startswith("The ")
        and not _BULLET.match(text)
    )


def _sentences(item: Paragraph) -> list[tuple[str, int]]:
    """The sentences of a paragraph, each with its line."""
    whole = _BULLET.sub("", item.text, count=1)
    found: list[tuple[str, int]] = []
    at, held, held_at = 0, "", 0
    for part in filter(str.strip, _END.split(whole)):
        start = whole.index(part, at)
        at = start + len(part)
        if not held:
            held_at = start
        held = f"{held} {part}" if held else part
        if _ABBREVIATED.search(held):
            continue
        found.append((plain(held), item.line + whole.count("\n", 0, held_at)))
        held = ""
    if held:
        found.append((plain(held), item.line + whole.count("\n", 0, held_at)))
    return [(text, line) for text, line in found if text]
