"""Tables of which each cell is a paragraph of its own, below one line with all heads.

This is what is left of a table when a web page is copied as text. Nothing says how many columns it
has: that is found from the heads, the kinds of the cells and their sizes. Heads of several levels
are joined here, too, for all tables.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from perfkit.formats.printed_text import MISSING, printed_number, word_set
from perfkit.sources.printed.document.model import Row, Table, plain_cell

MOST_COLUMNS = 14
LONGEST_CELL = 45
LONGEST_HEAD = 400
LEAST_NUMBERS = 3
_PROSE = re.compile(r"[a-z][.;:]\s+[A-Z]")
_ENDS = (".", ":", ";", ",", "?", "!")


@dataclass(frozen=True)
class Paragraph:
    """Lines between blank ones, as one text."""

    line: int
    text: str
    lines: int = 1


@dataclass(frozen=True)
class Stacked:
    """A table of stacked cells, and the paragraphs that it takes (from, to)."""

    table: Table
    first: int
    last: int


def stacked_tables(paragraphs: list[Paragraph]) -> list[Stacked]:
    """All tables of stacked cells among the paragraphs, in order."""
    found: list[Stacked] = []
    at = 0
    while at < len(paragraphs):
        if not _is_cell(paragraphs[at]) or not is_value(paragraphs[at].text):
            at += 1
            continue
        start = at
        floor = found[-1].last + 1 if found else 0
        while start > floor and at - start <= MOST_COLUMNS and _is_cell(paragraphs[start - 1]):
            start -= 1
        end = at
        while end + 1 < len(paragraphs) and _is_cell(paragraphs[end + 1]):
            end += 1
        after = end + 1
        while not is_value(paragraphs[end].text):
            end -= 1
        best = _best(paragraphs, start, at, end, floor)
        if best:
            found.append(best)
        at = after
    return found


@lru_cache(maxsize=1 << 16)
def is_value(text: str) -> bool:
    """Whether a cell holds a number or the sign for none."""
    bare = plain_cell(text)
    return bool(bare) and (printed_number(bare) is not None or bare.lower() in MISSING - {"none"})


def _is_cell(paragraph: Paragraph) -> bool:
    text = paragraph.text
    if (
        paragraph.lines > 1
        or len(text) > LONGEST_CELL
        or text.startswith(("#", "-", "*", "|", "•"))
    ):
        return paragraph.lines == 1 and len(text) <= LONGEST_CELL and is_value(text)
    return not text.endswith(_ENDS) and "\t" not in text


def _best(items: list[Paragraph], start: int, first: int, end: int, floor: int) -> Stacked | None:
    """The likeliest reading of a run of cells: where its rows begin, and its columns."""
    numbers = sum(is_value(item.text) for item in items[first : end + 1])
    if numbers < LEAST_NUMBERS:
        return None
    best: tuple[float, Stacked] | None = None
    for begin in (first, first - 1):
        if begin < max(start, floor):
            continue
        cells = items[begin : end + 1]
        for count in range(2, min(MOST_COLUMNS, len(cells)) + 1):
            if len(cells) % count:
                continue
            score = _shape(cells, count)
            for heads, took, clear in _heads(items, begin, count, floor):
                total = score + clear
                if best is None or total > best[0]:
                    best = (total, _made(cells, heads, begin - took, begin, end))
    return best[1] if best and best[0] > 0.8 else None


def _heads(
    items: list[Paragraph], begin: int, count: int, floor: int
) -> list[tuple[tuple[str, ...], int, float]]:
    """Heads in the one line above, or each in a paragraph; how many paragraphs, how clear."""
    found: list[tuple[tuple[str, ...], int, float]] = []
    if begin - 1 >= floor:
        text = items[begin - 1].text
        one = divided(text, count) if len(text) <= LONGEST_HEAD and text[-1:] not in _ENDS else None
        if one and not is_value(text) and not _PROSE.search(text):
            found.append((one[1], 1, min(one[0], 1.0)))
    above = items[max(begin - count, floor) : begin]
    if len(above) == count and all(_is_cell(i) and not is_value(i.text) for i in above):
        found.append((tuple(item.text for item in above), count, 0.4))
    return found


def _shape(cells: list[Paragraph], count: int) -> float:
    """How alike the cells of each column are: in kind, and in size."""
    total = 0.0
    rows = len(cells) // count
    for column in range(count):
        own = [item.text for item in cells[column::count]]
        values = [is_value(text) for text in own]
        share = max(sum(values), rows - sum(values)) / rows
        total += share if column or share == 1 else share - 0.2
        total -= 0.3 * _spread(own) if rows > 1 and all(values) else 0
    # one row of any length is alike in itself: several rows that agree say more
    return total / count + (0.3 if rows > 1 else 0.0)


def _spread(texts: list[str]) -> float:
    """How far the sizes of numbers go from one to the next, in powers of ten (up to two)."""
    sizes = [size for text in texts if (size := _size(text)) is not None]
    steps = [abs(a - b) for a, b in pairwise(sizes)]
    return min(sum(steps) / len(steps), 2.0) if steps else 0.0


@lru_cache(maxsize=1 << 16)
def _size(text: str) -> float | None:
    """The size of a number in powers of ten; None for words and for 0."""
    found = printed_number(plain_cell(text))
    return math.log10(abs(float(found.value))) if found and found.value else None


def _made(
    cells: list[Paragraph], heads: tuple[str, ...], first: int, begin: int, end: int
) -> Stacked:
    width = len(heads)
    rows = tuple(
        Row(part[0].line, tuple(c.text for c in part), tuple(c.line for c in part))
        for part in (cells[i : i + width] for i in range(0, len(cells), width))
    )
    line = cells[0].line if first == begin else min(c.line for c in cells) - 1
    return Stacked(Table(line, tuple(map(plain_cell, heads)), rows), first, end)


_LAST = word_set(
    "iops iop/s ops ops/s io/s mb/s gb/s mib/s gib/s kb/s mbps gbps ms us s sec % run host "
    "server node system test setting metric value name threads jobs model configuration "
    "workload latency throughput bandwidth parameter component step phase array controller "
    "protocol mode depth clients users sessions cores"
)
_FIRST = word_set(
    "read write total avg average mean max maximum min minimum p50 p95 p99 p99.9 cpu longest "
    "effective peak sum run median std random sequential aggregate combined host server user "
    "system reads writes stddev stdev standard change difference delta gain improvement"
)
_STATISTICS = word_set("avg average mean std stddev stdev standard min max median")


def divided(line: str, count: int) -> tuple[float, tuple[str, ...]] | None:
    """The likeliest division of a line of heads into so many, with how clear it is.

    None where it has fewer words. The score rises with signs of a boundary that are used and falls
    with those that are not: a closed bracket, a unit, a capital after a small letter.
    """
    words = line.split()
    if count < 1 or len(words) < count:
        return None
    gaps = [_boundary(words[i], words[i + 1]) for i in range(len(words) - 1)]
    order = sorted(range(len(gaps)), key=lambda i: (-gaps[i], i))
    chosen = sorted(order[: count - 1])
    left = sum(max(gaps[i], 0.0) for i in order[count - 1 :])
    score = sum(gaps[i] for i in chosen) - left
    edges = [0, *(i + 1 for i in chosen), len(words)]
    heads = tuple(" ".join(words[a:b]) for a, b in pairwise(edges))
    return score / len(words), heads


@cache
def _boundary(before: str, after: str) -> float:  # noqa: C901 - a list of signs, one by one
    if after.startswith(("(", "[")) or before in {"-", "/", "&", "+"} or after in {"/", "&", "+"}:
        return -9.0
    first, last = after.lower().strip("()"), before.lower().strip("()")
    score = -0.5
    if before.endswith((")", "]")):
        score += 5
    if last in _LAST or re.fullmatch(r"[a-z]*iops", last):
        score += 2
    if after.isdecimal():
        score -= 4  # "Run 1 Run 2": the number belongs to the word before it
    if before.isdecimal():
        score += 3
    if after[:1].isupper() and before[:1].islower():
        score += 1.5
    if first in _FIRST:
        score += 1
    if last in _STATISTICS and first in _STATISTICS:
        score += 4.5  # "Avg StdDev" are two
    if last in _FIRST and last not in {"run", "host", "server", "system"}:
        score -= 2.5
    if after[:1].islower() and first not in _FIRST:
        score -= 1.5
    return score


def joined(levels: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Heads of several levels as one: what stands above several columns belongs to each."""
    filled = [_filled(level) if level is not levels[-1] else level for level in levels]
    return tuple(
        " ".join(dict.fromkeys(part for part in parts if part))
        for parts in zip(*filled, strict=True)
    )


def _filled(level: tuple[str, ...]) -> tuple[str, ...]:
    found, before = [], ""
    for number, text in enumerate(level):
        # the first column's head stands by itself: what is empty beside it is not its
        before = text or (before if number > 1 else "")
        found.append(before)
    return tuple(found)
