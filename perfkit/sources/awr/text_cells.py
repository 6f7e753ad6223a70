"""The cells of a text row: cut at the columns of the ruler, or told by where its words stand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

_WORD = re.compile(r"\S+")


def nearest(word: tuple[int, int], spans: Sequence[tuple[int, int]]) -> int:
    """The column a word belongs to: the one it covers most of, else the nearest."""
    best, score = 0, -(10**9)
    first, last = word
    for index, (start, end) in enumerate(spans):
        # what they share, or below 0 how far they are apart
        near = (last if last < end else end) - (first if first > start else start)
        if near > score:
            best, score = index, near
    return best


def cut(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The cells of a row. A row that keeps to its columns is cut at them, another word by word."""
    if not line.strip():
        return []
    size = len(line)
    if all(
        before[1] >= size or not line[before[1] : after[0]].strip()
        for before, after in itertools.pairwise(spans)
    ):
        cells = [line[start:end].strip() for start, end in spans]
        rest = line[spans[-1][1] :].strip()
        if rest and not line[spans[-1][1]].isspace():
            cells[-1] = line[spans[-1][0] :].strip()
        elif rest:
            cells += pairs(rest)
        return cells
    cells = [""] * len(spans)
    for word in _WORD.finditer(line):
        index = nearest(word.span(), spans)
        cells[index] = f"{cells[index]} {word[0]}".strip()
    return cells


def pairs(line: str) -> list[str]:
    """``Buffer Cache:  240M  240M  Std Block Size:  8K`` as cells: labels end with a colon."""
    cells: list[str] = []
    label = ""
    for part in re.split(r"\s{2,}|(?<=:)\s", line.strip()):
        if part.endswith(":"):
            cells.append(f"{label} {part}".strip())
            label = ""
        elif cells and not label and re.match(r"[-+.\d#N]", part):
            cells.append(part)
        else:
            label = f"{label} {part}".strip()
    if label:
        cells.append(label)
    return cells


def narrowed(line: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The cells of a row of numbers in which empty columns may have lost their width.

    Oracle prints some rows as one string: an empty column leaves its separators, not its width.
    The columns that are missing are those without which every number ends where its column ends;
    where no such choice exists, or more than one, the cells cannot be assigned and each becomes
    ``?``, which is not a number.
    """
    words = list(_WORD.finditer(line))
    missing = len(spans) - len(words)
    if missing < 0 or len(spans) > 12:
        return ["?"] * len(spans)
    ends = [word.end() for word in words]
    choices = [
        gone
        for gone in itertools.combinations(range(len(spans)), missing)
        if _ends(spans, gone) == ends
    ]
    if not choices:
        aligned = cut(line, spans)
        full = [span[1] for span, cell in zip(spans, aligned, strict=False) if cell]
        return aligned if full == ends else ["?"] * len(spans)
    if len(choices) > 1:
        return ["?"] * len(spans)
    texts = iter(word[0] for word in words)
    return ["" if index in choices[0] else next(texts) for index in range(len(spans))]


def _ends(spans: Sequence[tuple[int, int]], gone: tuple[int, ...]) -> list[int]:
    """Where the numbers end in a row without the width of the columns that are gone."""
    lost = 0
    ends = []
    for index, (start, end) in enumerate(spans):
        if index in gone:
            lost += end - start
        else:
            ends.append(end - lost)
    return ends
