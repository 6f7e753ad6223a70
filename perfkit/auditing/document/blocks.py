"""A text to its tables, sentences, headings and captions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from perfkit.auditing.document.grids import (
    Lines,
    bar_rows,
    csv_rows,
    is_rule,
    set_in_columns,
    tab_rows,
    table_of,
)
from perfkit.auditing.document.model import Document, Sentence, Table, plain
from perfkit.auditing.document.stacked import Paragraph, stacked_tables
from perfkit.auditing.document.webs import BREAK, end_of_table, web_table

_CAPTION = re.compile(
    r"^[*_#\s]*((?:Table|Tab\.|Figure|Fig\.?)\s*-?(?:\d+|[A-Z]-?\d+))\s*[).:]+\s*(.*)$", re.I
)
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")
_BOLD = re.compile(r"^\*\*([^*]+)\*\*$")
_NUMBERED = re.compile(r"^\d+(?:\.\d+)*\.?\s+[A-Z][^.;:]{2,70}$")
_COLUMNS = re.compile(r"\S\s{2,}\S")
_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“(]?[A-Z0-9])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|no|fig|tab|etc|ca|avg|max|min)|\b[A-Z])\.$", re.I
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


def document_of(text: str, *, separated: bool = False, markdown: bool = False) -> Document:
    """The document of a text; ``separated``: the whole of it is one CSV.

    In ``markdown`` blanks set no columns: what is indented there is code.
    """
    if separated:
        return _separated(text)
    builder = _Builder(markdown=markdown)
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
                (len(self.blocks), label, _clean(caption[2]).strip("* "), item.line)
            )
            self.blocks.append(("caption", len(self.captions) - 1))
            self.say(bare, item.line, "caption")
            return
        if len(_OPTION.findall(item.text)) > 1:
            for offset, command in enumerate(item.text.split("\n")):
                self.say(command.strip(), item.line + offset, "command")
            return
        if item.lines == 1 and _is_heading(item.text):
            self.section = _clean(bare)
        elif self.markdown and item.lines == 1 and _CAPTIONED.fullmatch(_clean(item.text)):
            self.section = _clean(item.text)
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


def _next(builder: _Builder, lines: Lines, at: int) -> int:  # noqa: C901, PLR0911 - one branch a form
    """Take the block that begins at this line; the index behind it."""
    number, line = lines[at]
    if line.lstrip().startswith(_FENCES):
        return _fenced(builder, lines, at)
    if _WEB_TABLE.search(line):
        end = end_of_table(lines, at)
        builder.table(web_table(lines[at:end]))
        return end
    if (
        builder.markdown
        and line.startswith(("    ", "\t"))
        and not builder.waiting_before(lines, at)
    ):
        return _indented(builder, lines, at)
    if "|" in line and at + 1 < len(lines) and is_rule(lines[at + 1][1]):
        end = _while(lines, at, lambda text: "|" in text)
        builder.table(table_of(bar_rows(lines[at:end])))
        return end
    if line.lstrip().startswith("|") and line.rstrip().endswith("|"):
        # rows without the rule below their heads: what a conversion has left of a table
        end = _while(lines, at, lambda text: text.lstrip().startswith("|"))
        builder.table(table_of(bar_rows(lines[at:end])))
        return end
    if "\t" in line.strip():
        end = _while(lines, at, lambda text: "\t" in text)
        if end - at > 1:
            builder.table(table_of(tab_rows(lines[at:end])))
            return end
    if not builder.markdown and _COLUMNS.search(line.rstrip()):
        end = _while(lines, at, lambda text: bool(_COLUMNS.search(text.rstrip())))
        made = set_in_columns(lines[at:end]) if end - at >= LEAST_SET else None
        if made:
            builder.table(made)
            return end
    heading = _HEADING.match(line)
    if heading and not _CAPTION.match(line):
        builder.flush()
        builder.section = plain(heading[1])
        return at + 1
    if not line.strip():
        return at + 1
    end = at + 1
    while end < len(lines) and _goes_on(lines, end):
        end += 1
    builder.waiting.append(
        Paragraph(number, "\n".join(text for _, text in lines[at:end]), end - at)
    )
    return end


def _goes_on(lines: Lines, at: int) -> bool:
    text = lines[at][1]
    if not text.strip() or _BULLET.match(text) or text.lstrip().startswith((*_FENCES, "#", "|")):
        return False
    if _CAPTION.match(text) or "\t" in text or _WEB_TABLE.search(text):
        return False
    # a table set by blanks may follow without an empty line, as in the text of a PDF
    below = [line.rstrip() for _, line in lines[at : at + LEAST_SET]]
    return len(below) < LEAST_SET or not all(map(_COLUMNS.search, below))


def _while(lines: Lines, at: int, fits: object) -> int:
    assert callable(fits)  # noqa: S101 - for the type checker
    end = at
    while end < len(lines) and fits(lines[end][1]):
        end += 1
    return end


def _fenced(builder: _Builder, lines: Lines, at: int) -> int:
    """Lines of code: each a command by itself."""
    builder.flush()
    end = at + 1
    fence = lines[at][1].lstrip()[:3]
    while end < len(lines) and not lines[end][1].lstrip().startswith(fence):
        if lines[end][1].strip():
            builder.say(lines[end][1].strip(), lines[end][0], "command")
        end += 1
    return end + 1


def _indented(builder: _Builder, lines: Lines, at: int) -> int:
    """Indented lines of Markdown: code, each a command by itself."""
    builder.flush()
    end = at
    while end < len(lines) and lines[end][1].startswith(("    ", "\t")):
        builder.say(lines[end][1].strip(), lines[end][0], "command")
        end += 1
    return end


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
    for part in _split(whole):
        start = whole.index(part, at)
        at = start + len(part)
        if not held:
            held_at = start
        held = f"{held} {part}" if held else part
        if _ABBREVIATED.search(held):
            continue
        found.append((_clean(held), item.line + whole.count("\n", 0, held_at)))
        held = ""
    if held:
        found.append((_clean(held), item.line + whole.count("\n", 0, held_at)))
    return [(text, line) for text, line in found if text]


def _split(text: str) -> list[str]:
    return [part for part in _END.split(text) if part and part.strip()]


def _clean(text: str) -> str:
    return plain(text)
