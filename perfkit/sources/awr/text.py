"""AWR and Statspack as text: titles, rulers and fixed columns, as the same RawTables as HTML.

The dashed ruler says where a column is; cells are often blank, so white space separates nothing.
Headings repeat on every page, and their parts add up to one section.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from perfkit.sources.awr import text_cells, text_places
from perfkit.sources.awr.left_out import RATIOS
from perfkit.sources.awr.raw import Body, Column, RawTable
from perfkit.sources.awr.text_records import WIDE, Layout, records

_TITLE = re.compile(r"^\f?\s?(?P<title>\S.*?)\s*(?:DB/Inst:|for DB:\s)")
_RULER = re.compile(r"^\s*(?:-\s+(?=[-~]{2,}\s+[-~]{2,}))?(?:[-~]{2,}\s+)*[-~]{2,}\s*$")
_ONE = re.compile(r"^\s*-{3,}\s*$")
_TILDES = re.compile(r"^\s?(~{4,})(?!.*~)")
_GROUP = re.compile(r"-{2,}\s?([^-\s][^-]*?)\s?-{2,}")
_NOTE = re.compile(r"\([^()]*\)")
_WORD = re.compile(r"\S+")
_END = 30
"""A single run of so many dashes, after rows, ends a section."""

_LABEL = 8
"""A ruler that begins this far to the right leaves a column of labels before it."""


@dataclass
class _Part:
    """The lines below one title."""

    title: str
    near: str
    start: int
    in_summary: bool = False
    """Whether it is a part of the summary, where a blank line ends a table."""
    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Which line of the text each is: page headings between them are left out."""


def tables(text: str, *, cut: bool) -> list[RawTable]:
    """All ruled tables of a text report, in order."""
    found: list[RawTable] = []
    for part in _parts(_lines(text)):
        if not part.title.startswith(_ADDM):
            found += _tables_of(part)
    if cut and found:
        last = found.pop()
        found.append(
            RawTable(last.title, "", "", last.place, last.open, last.near, cut=True),
        )
    return found


def notes(text: str) -> list[str]:
    """What a copy through a mail or a web page took from the whole report."""
    lines = [line for _, line in _lines(text)]
    filled = sum(map(bool, lines))
    if filled < _MANY or (len(lines) - filled) * _FILLED > filled:
        return []
    return [
        "the text has no blank lines between its tables, as after copying it from a mail or a web "
        "page: tables may be missing or incomplete"
    ]


_MANY = 100
_FILLED = 50
"""Of so many lines at least one is blank; in real reports it is one of 6 to 12."""


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines with their numbers, without what SQL*Plus puts at the top of its pages.

    Where a copy put a blank line after each line, those are left out.
    """
    plain = [line.rstrip().expandtabs() for line in re.split(r"\r\n|\n|\r", text)]
    numbered = list(enumerate(plain, 1))
    for first in (0, 1):
        if len(plain) > _MANY and not any(plain[1 - first :: 2]):
            plain, numbered = plain[first::2], numbered[first::2]
    pages = [place for place, line in enumerate(plain) if line.strip() == "OUTPUT"]
    if len(pages) < 2:
        return numbered
    below = [place + 1 for place in pages if _ONE.match("".join(plain[place + 1 : place + 2]))]
    # a heading is underlined on every page or on none: a ruler below one of them is the report's
    heads = {*pages, *(below if 2 * len(below) > len(pages) else [])}
    blank = {place - 1 for place in pages if place and not plain[place - 1]}
    return [item for place, item in enumerate(numbered) if place not in heads | blank]


def _parts(lines: list[tuple[int, str]]) -> list[_Part]:
    """The report cut at its titles."""
    parts = [_Part("", "", 1, in_summary=True)]
    # notes may stand between a title and the tildes below it
    below = [""]
    for _, line in reversed(lines[1:]):
        below.append(below[-1] if line.startswith("->") else line)
    following = reversed(below)
    for (number, line), after in zip(lines, following, strict=True):
        title = _title(line, after)
        if title is not None:
            rest = line.replace("\f", " ")
            tilded = not _TITLE.match(line)
            parts.append(_Part(title, rest.strip(), number, in_summary=tilded))
            parts[-1].lines.append(_beside(rest, title, after) if tilded else "")
        else:
            parts[-1].lines.append(line.replace("\f", ""))
        parts[-1].numbers.append(number)
    return parts


def _title(line: str, after: str) -> str | None:
    """The title a line is, or None: a line naming the database, or one with tildes below it."""
    found = _TITLE.match(line)
    if found:
        return found["title"].strip()
    if line.strip().startswith(_ADDM):
        return line.strip()
    tildes = _TILDES.match(after)
    if not tildes or not line.strip(" ~") or line.startswith("->"):
        return None
    stripped = line.replace("\f", " ").strip()
    # a title goes on to the next wide gap, or to figures in brackets: Host CPU (CPUs:   32 ...)
    return re.split(r"\s{2,}|\s(?=\(\w+:)", stripped)[0]


_ADDM = "ADDM Report for Task"
"""How ADDM's own report begins that stands in one of a database: words, no tables."""


def _beside(line: str, title: str, after: str) -> str:
    """A title's line as a line of the header: what stands beside the title names columns.

    Where the line of tildes is itself the ruler, the title names the first column.
    """
    if "-" in after:
        return line
    start = line.index(title[0]) + len(title)
    return " " * start + _NOTE.sub(lambda found: " " * len(found[0]), line[start:])


def _tables_of(part: _Part) -> Iterator[RawTable]:
    """The tables below one title: a paragraph with a ruler begins one, the others continue it.

    Only the head of a report has several tables below one title. No table continues after the line
    that ends a section, or after its paragraph in the summary: lines there have lost their heading
    and are a stray table, whatever the title above says.
    """
    layout: Layout | None = None
    rows: list[str] = []
    start = number = part.start
    closed = checked = several = False
    for offset, paragraph in _paragraphs(part.lines):
        opened = _open(paragraph)
        line = part.numbers[offset]
        if opened is None and not closed and (layout is None or not part.in_summary):
            rows += ["", *paragraph]
            closed = _has_end(paragraph)
        elif opened is None:
            yield from _stray(paragraph, line, kept=part.in_summary and not closed)
        else:
            if layout is not None:
                yield _raw(part, layout, rows, start, stray=several)
                several = bool(part.title) and part.title not in _SEVERAL
            elif closed or (part.in_summary and part.title and any(":" in row for row in rows)):
                yield _raw(part, None, rows, start)
                several = True
            number = line
            layout, rows = opened
            start = number
            closed = _has_end(rows)
        if closed and not checked:
            checked = True
            yield from _stray(_after_end(rows), line, kept=False)
    if layout is not None or part.title:
        yield _raw(part, layout, rows, start, stray=several)


_NAMED_BY_HEADER = frozenset({"Shared Pool Statistics"})
"""Tables without a title, whose name stands over their labels."""

_SEVERAL = frozenset({"PGA Aggr Target Stats"})
"""Titles below which Statspack prints a second table."""


def _has_end(lines: Sequence[str]) -> bool:
    """Whether a line among them ends the section."""
    return any(_is_end(line) for line in lines)


def _after_end(lines: Sequence[str]) -> list[str]:
    """The lines after the first one that ends the section, up to the end of the report."""
    rest = list(itertools.dropwhile(lambda line: not _is_end(line), lines))[1:]
    return list(itertools.takewhile(lambda line: not line.startswith("End of Report"), rest))


def _raw(
    part: _Part, layout: Layout | None, lines: Sequence[str], start: int, *, stray: bool = False
) -> RawTable:
    kept = tuple(_until_end(lines))
    near = "" if stray else part.near
    title = f"{_LOST} (behind {part.title})" if stray else part.title
    if stray and layout and layout.columns[0].name in _NAMED_BY_HEADER:
        title, stray = layout.columns[0].name, False
    if layout is None:
        body = Body(
            (),
            lambda: [text_cells.pairs(line) for line in kept if ":" in line and "->" not in line],
            None,
            kept,
        )
    else:
        kept, layout = records(kept, layout)
        spans, columns = layout.spans, layout.columns
        if columns[0].name == "I#":
            kept = tuple(_with_instance(kept, spans[0]))
        body = Body(
            columns,
            lambda: [cells for line in kept if (cells := text_cells.cut(line, spans))],
            lambda: [text_cells.narrowed(line, spans) for line in kept if line.strip()],
            kept,
            misaligned=lambda lines, full: text_places.misaligned(
                lines, spans, ruled=layout.size > 1, full=full
            ),
            limit=spans[-1][1],
        )
    return RawTable(title, "", "", f"line {start}", lambda: body, lambda: near, stray=stray)


def _with_instance(lines: Sequence[str], span: tuple[int, int]) -> Iterator[str]:
    """The rows with the number of their instance, which is printed in the first of each group.

    A blank line ends a group: of rows whose first one was lost, no instance is known. Rows of sums
    and means over the instances are left out.
    """
    held = ""
    for line in lines:
        own = line[slice(*span)]
        if own.strip() in _OVER_INSTANCES:
            continue
        held = own if own.strip() or not line.strip() else held
        yield held.ljust(span[1])[: span[1]] + line[span[1] :] if line.strip() else line


_OVER_INSTANCES = frozenset({"Sum", "Avg", "Std", "Min", "Max"})


def _stray(lines: list[str], start: int, *, kept: bool) -> Iterator[RawTable]:
    """Lines of no table, if they contain figures: the beginning of their table was lost.

    ``kept``: they follow a table of the summary, as the ratios of 10g do, and their label names
    them.
    """
    filled = [line for line in lines if line.strip() and not line.startswith("->")]
    if not any(_FIGURES.search(line) for line in filled):
        return
    label = re.split(r"\s{2,}|:", filled[0].strip())[0]
    ratios = kept and any(label.startswith(ratio) for ratio in RATIOS)
    title = label if ratios else f"{_LOST} ({label})"
    body = Body((), list, None, tuple(filled))
    yield RawTable(title, "", "", f"line {start}", lambda: body, str, stray=not ratios)


_FIGURES = re.compile(r"(?:^|\s)[-+.,\d]*\d\S*\s+(?:.*\s)?[-+.,\d]*\d\S*\s*(?:\(mins\))?")
_LOST = "no heading of its own"


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines without an empty one, each with its offset."""
    for filled, group in itertools.groupby(enumerate(lines), key=lambda item: bool(item[1])):
        pairs = list(group)
        # below some tables Statspack gives advice, in words
        if filled and not pairs[0][1].startswith("Warning:"):
            yield pairs[0][0], [line for _, line in pairs]


def _until_end(lines: Sequence[str]) -> Iterator[str]:
    """The lines up to the one that ends the section; rulers between rows are left out."""
    for line in lines:
        if _is_end(line):
            return
        if not _RULER.match(line):
            yield _GLUED_END.sub("", line)


_GLUED_END = re.compile(r"\s{5,}-{30,}$")
"""The end of a section that lost the line break before it."""


def _is_end(line: str) -> bool:
    """Whether a line ends a section, or the report."""
    if line.startswith("     "):
        bare = line.strip()
        return len(bare) >= _END and not bare.strip("-")
    return line.startswith("End of Report")


def _open(paragraph: list[str]) -> tuple[Layout, list[str]] | None:
    """The layout and the rows of a paragraph that begins a table; None where it begins none."""
    rulers = [place for place, line in enumerate(paragraph) if _is_ruler(line)]
    if not rulers:
        return None
    last = rulers[0]
    stacked = False
    for place in rulers[1:]:
        kind = _second(paragraph, last, place, stacked=stacked)
        if kind == "rows":
            break
        stacked = stacked or kind == "stacked"
        last = place
    if stacked:
        used = [place for place in rulers if place <= last]
        return _stacked(paragraph, used), paragraph[last + 1 :]
    spans = _spans(paragraph[last])
    return Layout(spans, _columns(paragraph[:last], spans)), paragraph[last + 1 :]


def _is_ruler(line: str) -> bool:
    """A ruler of columns: not the line that underlines a group, nor the one that ends a section."""
    if not _RULER.match(line):
        return False
    if _TILDES.match(line) and "-" not in line:
        return False
    single = len(line.split()) == 1
    return not single or not line.startswith(" " * _LABEL)


def _second(paragraph: list[str], first: int, second: int, *, stacked: bool) -> str:
    """What a second ruler is: of names below groups, of a record's next line, or between rows."""
    above, below = _runs(paragraph[first]), _runs(paragraph[second])
    if stacked:
        return "stacked"
    between = paragraph[first + 1 : second]
    words = (word for line in between for word in _BUCKET.sub("", line).split())
    numbers = any(map(text_places.NUMBER.fullmatch, words))
    if not between or second - first > _RECORD or numbers:
        return "rows"
    # one run above all columns, from the left, is of a record's first line: Enqueue Type
    fewest = 0 if above[0][0] > below[0][1] else 1
    under = [[a <= c and d <= b for a, b in above if _overlap((a, b), (c, d))] for c, d in below]
    inside = all(all(own) and (own or not fewest) for own in under)
    return "groups" if inside and fewest < len(above) < len(below) else "stacked"


_BUCKET = re.compile(r"\d+ - \d+ ms")
"""A name of a column that is made of numbers."""

_RECORD = 5
"""A record's next header stands within so many lines."""


def _stacked(paragraph: list[str], rulers: list[int]) -> Layout:
    """A record over several lines, each with its own ruler: their columns side by side."""
    spans: list[tuple[int, int]] = []
    columns: list[Column] = []
    above = 0
    offset = 0
    for place in rulers:
        own = _spans(paragraph[place])
        columns += _columns(paragraph[above:place], own)
        spans += [(offset + start, offset + end) for start, end in own]
        offset += WIDE
        above = place + 1
    return Layout(tuple(spans), tuple(columns), len(rulers))


def _runs(ruler: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"[-~]+", ruler)]


def _spans(ruler: str) -> tuple[tuple[int, int], ...]:
    """The columns of a ruler; tildes or nothing at its beginning leave a column of labels."""
    runs = _runs(ruler)
    if ruler.lstrip().startswith("~") and len(runs) > 1 and runs[1][0] - runs[0][1] > 1:
        runs[0] = (0, runs[1][0] - 1)
    elif runs[0][0] >= _LABEL:
        runs.insert(0, (0, runs[0][0] - 1))
    return tuple(runs)


def _columns(lines: Sequence[str], spans: Sequence[tuple[int, int]]) -> tuple[Column, ...]:
    """The names above a ruler: the words over each column, from top to bottom."""
    stacks: list[list[str]] = [[] for _ in spans]
    groups = [""] * len(spans)
    header = [line for line in lines if not line.startswith("->")]
    for place, line in enumerate(header):
        text = _TILDES.sub(lambda found: " " * len(found[0]), line)
        if _RULER.match(text):
            _group_above(header[place - 1] if place else "", text, spans, groups, stacks)
            continue
        for found in _GROUP.finditer(text):
            for index, span in enumerate(spans):
                if _overlap(span, found.span()):
                    groups[index] = found[1]
        _put(_GROUP.sub(lambda found: " " * len(found[0]), text), spans, stacks)
    return tuple(
        Column(group, " ".join(stack), tuple(stack))
        for group, stack in zip(groups, stacks, strict=True)
    )


def _put(text: str, spans: Sequence[tuple[int, int]], stacks: list[list[str]]) -> None:
    """One line of a header: its words to the columns they stand over."""
    parts: list[list[str]] = [[] for _ in spans]
    for word in _WORD.finditer(text):
        if word[0].strip("-~"):
            parts[text_cells.nearest(word.span(), spans)].append(word[0])
    for stack, words in zip(stacks, parts, strict=True):
        if words:
            stack.append(" ".join(words))


def _group_above(
    above: str,
    ruler: str,
    spans: Sequence[tuple[int, int]],
    groups: list[str],
    stacks: list[list[str]],
) -> None:
    """The words over each run of a line that underlines groups are the groups' names."""
    for start, end in _runs(ruler):
        words = (word for word in _WORD.finditer(above) if _overlap(word.span(), (start, end)))
        name = " ".join(word[0] for word in words)
        for index, span in enumerate(spans):
            if name and _overlap(span, (start, end)):
                groups[index] = name
                # the words were taken for names of the columns below them
                stacks[index].clear()


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))
