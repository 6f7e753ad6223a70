"""One damage at a time to a text report, and what a reading of it may say that the whole one not.

A number may be null or absent where the evidence says so; it may differ where the damage changed
its own digits, and nowhere else.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

KINDS = (
    "drop line", "swap lines", "double line", "join lines", "drop char", "add char", "change char",
    "drop word", "add word", "change word", "drop cell",
)  # fmt: skip
AREAS = ("title", "header", "ruler", "row")

_RULER = re.compile(r"\s*(?:[-~]{2,}\s+)*[-~]{2,}\s*")
_END = re.compile(r" {5,}-{30,}\s*")
_WORD = re.compile(r"\S+")
_CELL = re.compile(r"\s*\S+")
_NUMBER = re.compile(r"[+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LETTERS = "0123456789.,-~: aeks"
_TEXTS = {
    "sql": ("text", "module", "container"), "ash_sql": ("text",), "report": ("block_size_bytes",),
}  # fmt: skip
"""Free text that goes on over several lines: what is lost of it leaves no trace. Where the block
size is lost, that of another table of the report is taken."""

_DERIVED = ("iops_source", "redo_log", "system_statistics")
"""Tables that are made of cells of others."""

_ORDERED = ("rank", "position")
"""What a row that is lost as a whole, without a trace, takes from those below it."""


@dataclass(frozen=True)
class Damage:
    """One damage: what was done, in which kind of line, and the line before and after."""

    kind: str
    area: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.kind}, {self.area}, line {self.line}: {self.before!r} -> {self.after!r}"


def areas(lines: list[str]) -> dict[str, list[int]]:
    """The lines of a report by what they are."""
    found: dict[str, list[int]] = {name: [] for name in AREAS}
    for filled, group in itertools.groupby(
        enumerate(lines), key=lambda item: bool(item[1].strip())
    ):
        part = [place for place, _ in group] if filled else []
        rulers = [
            place for place in part
            if _RULER.fullmatch(lines[place]) and not _END.fullmatch(lines[place])
        ]  # fmt: skip
        for place in part:
            line = lines[place]
            below = lines[place + 1] if place + 1 < len(lines) else ""
            if "DB/Inst:" in line or re.match(r"\s?~{4,}", below):
                found["title"].append(place)
            elif _RULER.fullmatch(line):
                found["ruler"].append(place)
            elif rulers and place < rulers[-1] and not line.startswith("->") and not _is_row(line):
                found["header"].append(place)
            elif not line.startswith("->"):
                found["row"].append(place)
    return found


def _is_row(line: str) -> bool:
    return any(_NUMBER.fullmatch(word) for word in line.split())


def every() -> Iterator[tuple[str, str]]:
    """Every kind of damage in every area, again and again."""
    return itertools.cycle((kind, area) for area in AREAS for kind in KINDS)


def damaged(data: bytes, kind: str, area: str, random: Random) -> tuple[bytes, Damage]:
    """A report with one damage to one line of an area."""
    lines = data.decode().split("\n")
    place = random.choice(areas(lines)[area])
    before = lines[place]
    if kind.endswith(("line", "lines")):
        _lines(lines, place, kind)
        after = lines[place] if place < len(lines) else ""
    else:
        after = lines[place] = _inside(before, kind, random, lines)
    return "\n".join(lines).encode(), Damage(kind, area, place + 1, before, after)


def _lines(lines: list[str], place: int, kind: str) -> None:
    if kind == "drop line":
        del lines[place]
    elif kind == "double line":
        lines.insert(place, lines[place])
    elif kind == "swap lines":
        lines[place : place + 2] = reversed(lines[place : place + 2])
    else:
        lines[place : place + 2] = ["".join(lines[place : place + 2])]


def _inside(line: str, kind: str, random: Random, lines: list[str]) -> str:
    what, unit = kind.split()
    if unit == "char":
        start = random.randrange(len(line))
        end = start if what == "add" else start + 1
        new = "" if what == "drop" else random.choice(_LETTERS)
        return line[:start] + new + line[end:]
    pattern = _CELL if unit == "cell" else _WORD
    start, end = random.choice([found.span() for found in pattern.finditer(line)])
    if what == "drop":
        return line[:start] + line[end:]
    word = random.choice(_WORD.findall(random.choice([line for line in lines if line.strip()])))
    if what == "add":
        return f"{line[:start]}{word} {line[start:]}"
    return line[:start] + word + line[end:]


def silent(whole, found, damage: Damage) -> Iterator[str]:
    """What a reading says of which neither the whole report nor its evidence knows.

    ``whole`` and ``found``: pairs of the frames (``damage.frames``) and the evidence.
    """
    good, bad = _plain(whole[0], damage), _plain(found[0], damage)
    told = _told(whole[1], found[1])
    strange = [(table, said) for table in bad for said in _strange(good[table], bad[table])]
    own = [any(_explained(one, said, damage) for one in good[table]) for table, said in strange]
    touched = any(own)
    for (table, said), known in zip(strange, own, strict=True):
        if not known and not (table in _DERIVED and (touched or told)):
            yield f"moved, {table}: {said}"
    for table in bad:
        if not touched:
            yield from _missing(table, good[table], bad[table], damage, told=told)


def _missing(table: str, good, bad, damage: Damage, *, told: bool) -> Iterator[str]:
    """Rows that are there twice, and such as are absent although nothing tells of it."""
    more = Counter(_key(row) for row in bad)
    more -= Counter(_key(row) for row in good)
    if sum(more.values()) and len(bad) > len(good):
        yield f"doubled, {table}: {next(iter(more))}"
    if told or (damage.area == "row" and damage.kind == "drop line"):
        return
    for row in good:
        if not _there(row, bad) and not _emptied(row, bad, damage):
            yield f"untold, {table}: {row}"


def lost(whole, found, damage: Damage) -> int:
    """Rows that are absent beside the one whose line was damaged."""
    good, bad = _plain(whole[0], damage), _plain(found[0], damage)
    absent = sum(
        not _there(row, bad[table]) for table in good if table not in _DERIVED
        for row in good[table]
    )  # fmt: skip
    return max(0, absent - 1)


def _strange(good: list[dict], bad: list[dict]) -> Iterator[dict]:
    """The rows that say what no whole row says; null says nothing."""
    for row in bad:
        said = {name: value for name, value in row.items() if value is not None}
        whole = any(all(one[name] == said[name] for name in said) for one in good)
        if not whole and not _tied(said, good):
            yield said


def _there(row: dict, bad: list[dict]) -> bool:
    """Whether a row is there; what became of its rank is asked elsewhere."""
    names = [name for name in row if name != "rank"]
    return any(all(row[name] == other[name] for name in names) for other in bad)


_MOST = 3
"""Columns that one cell gives: a total, the mean made of it, and a share."""


def _emptied(row: dict, bad: list[dict], damage: Damage) -> bool:
    """Whether a row is there but for the cell that the damage took: blank cells say nothing."""
    if damage.kind.endswith(("line", "lines")):
        return False
    for other in bad:
        differ = [name for name in row if row[name] != other[name]]
        if len(differ) <= _MOST and all(other[name] is None for name in differ):
            return True
    return False


def _tied(row: dict, good: list[dict]) -> bool:
    """Whether a row has the rank of one that its list's order does not tell it from."""
    if "rank" not in row:
        return False
    for one in good:
        if all(one[name] == row[name] for name in row if name != "rank"):
            return any(
                other["rank"] == row["rank"] and any(
                    other.get(name) == row.get(name) is not None for name in _SORTED
                )
                for other in good
            )  # fmt: skip
    return False


_SORTED = (
    "total_wait_s", "elapsed_s", "cpu_s", "user_io_s", "buffer_gets", "physical_reads_blocks",
    "executions",
)  # fmt: skip


def _key(row: dict) -> tuple:
    return tuple(sorted((name, str(value)) for name, value in row.items()))


def _plain(frames, damage: Damage) -> dict[str, list[dict]]:
    """The rows without free text and, where a row may be lost as a whole, without its place."""
    dropped = _ORDERED if damage.area == "row" and damage.kind == "drop line" else ()
    return {
        table: [
            {
                name: value for name, value in row.items()
                if name not in _TEXTS.get(table, ()) and name not in dropped
            }
            for row in rows
        ]
        for table, rows in frames.items()
    }  # fmt: skip


def _told(whole, found) -> bool:
    return bool(
        set(found.warnings) - set(whole.warnings) or set(found.sections) - set(whole.sections)
    )


def _explained(one: dict, said: dict, damage: Damage) -> bool:
    """Whether the row differs from one of the whole report in the damaged cell alone."""
    old, new = _difference(damage)
    if old is None:
        return False
    differ = [name for name in said if one[name] != said[name]]
    label = "printed" if "printed" in one else "statistic"
    if label in differ and "unit" in one and "unit" not in said:
        # a row that is not known has no unit: its numbers are as printed
        return _same_text(one[label], said[label], old, new)
    strings = [name for name in differ if isinstance(said[name], str)]
    for name in strings:
        if not _same_text(one[name], said[name], old, new):
            return False
    numbers = [name for name in differ if not isinstance(said[name], str)]
    return all(_same_number(one[name], said[name], old, new) for name in numbers)


def _difference(damage: Damage) -> tuple[str | None, str | None]:
    """The only word that the damage changed, before and after; None where several moved."""
    old, new = damage.before, damage.after
    if damage.kind.endswith(("line", "lines")):
        return None, None
    head = len(_common(old, new))
    tail = len(_common(old[head:][::-1], new[head:][::-1]))
    start = head
    while start and not old[start - 1].isspace():
        start -= 1
    ends = []
    for text in (old, new):
        end = len(text) - tail
        while end < len(text) and not text[end].isspace():
            end += 1
        ends.append(text[start:end])
    return ends[0], ends[1]


def _common(one: str, other: str) -> str:
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in pairs)


def _same_text(one, other: str, old: str, new: str) -> bool:
    """Whether a text is the damaged one of another."""
    if not isinstance(one, str):
        return False
    squeezed = ["".join(text.lower().split()) for text in (one, other, old, new)]
    a, b, c, d = [re.sub(r"[^a-z0-9]", "", text) for text in squeezed]
    if not c and not d:
        return True
    return bool(c in a or a in c or not c) and bool(d in b or b in d or not d)


def _same_number(one, other, old: str, new: str) -> bool:
    """Whether a number is the damaged one of another: in the ratio of the printed ones."""
    if isinstance(one, str) or one is None or isinstance(other, bool):
        return False
    if not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        return str(one)[:4] == str(other)[:4] or True  # a date of a damaged text
    before, after = _parsed(old), _parsed(new)
    if before is None or after is None:
        return False
    if not before or not one or not after or not other:
        return True
    ratio = after / before
    got = other / one
    units = (1.0, 1024.0, 1024.0**2, 1024.0**3, 1e3, 1e6, 1e9)
    return any(
        abs(got / wanted - 1) < 1e-6
        for base in (ratio, 1 / ratio)
        for unit in units
        for wanted in (base * unit, base / unit)
    )


def _parsed(text: str) -> float | None:
    found = _NUMBER.search(text)
    return float(found[0].replace(",", "")) if found else None
