"""What is said twice: a sentence with another number, a number of a table, an order in words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perfkit.auditing.relations.evaluate import OPERATIONS, NoNumberError
from perfkit.auditing.relations.found.check import Check, judged, place_of, same
from perfkit.auditing.relations.found.words import label_of
from perfkit.auditing.relations.run import FAILS, HOLDS
from perfkit.core.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Cell, Grid
    from perfkit.auditing.relations.found.sentence import Quantity, Said

_LEAST_LETTERS = 40


def sentences(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A sentence that stands twice, letter for letter but for one of its numbers."""
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for sentence in said:
        if sentence.kind == "text" and len(sentence.quantities) > 1:
            masked = sentence.text
            for quantity in reversed(sentence.quantities):
                masked = masked[: quantity.start] + "#" + masked[quantity.end :]
            bare = re.sub(r"[^a-z#]", "", masked.lower())
            if len(bare) >= _LEAST_LETTERS:
                groups[bare, _heading(sentence.section)].append(sentence)
    for items in groups.values():
        for sentence, before in zip(items[1:], items, strict=False):
            # in one paragraph they are said of two things, one after the other
            if sentence.paragraph != before.paragraph:
                yield from _numbers(sentence, before)


def _heading(section: str) -> str:
    return re.sub(r"^(?:\d+\.)*\d+\s+|ning\b|[^a-z ]", "", section.lower()).strip()


def _numbers(sentence: Said, before: Said) -> Iterator[Check]:
    pairs = list(zip(sentence.quantities, before.quantities, strict=True))
    if any(a.unit != b.unit for a, b in pairs):
        return
    other = [(a, b) for a, b in pairs if a.number.value != b.number.value]
    for a, b in other if len(other) == 1 else []:
        yield Check(
            "stated_twice",
            "A sentence that stands twice",
            sentence.line,
            sentence.place,
            a.text,
            f"\u201c{b.text}\u201d (line {before.line})",
            same(a.number, b.number),
            a.number,
            b.number,
            a.decimals,
            note="two tests or one? The document does not say",
        )


_CAPTION = re.compile(r"^(?P<label>Table\s+-?\w+)\s*[).:]+\s*(?P<title>.*)$", re.I)


def captions(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """Two tables of one number."""
    found: dict[str, tuple[str, Said]] = {}
    for sentence in said:
        match = _CAPTION.match(sentence.text) if sentence.kind == "caption" else None
        if not match:
            continue
        label = match["label"].capitalize()
        title = re.sub(r"[^a-z0-9]", "", match["title"].lower())
        title = re.sub(r"(?:continued|contd)$", "", title)
        # the same caption again is a list of tables, or a table that goes on
        first = found[label][0] if label in found else ""
        if title and first and not (title.startswith(first) or first.startswith(title)):
            other = found[label][1]
            yield Check(
                "stated_twice",
                "Two tables of one number",
                sentence.line,
                sentence.place,
                label,
                f"\u201c{other.text}\u201d (line {other.line})",
                FAILS,
            )
        found.setdefault(label, (title, sentence))


_TOP = re.compile(r"\b(peak(?:ed|s)?|max(?:imum)?|highest)\b", re.I)
_BOTTOM = re.compile(r"\b(lowest|min(?:imum)?)\b", re.I)
_CITED = re.compile(r"\bTable\s+-?(\d+)", re.I)
_LOOSE = frozenset(
    {"total", "average", "avg", "mean", "sum", "s", "sec", "ms", "of", "the", "in", "at"}
)


def restated(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A number of a table that a sentence repeats, citing the table, its row and its column."""
    by_label = {g.table.lower(): g for g in grids if g.table}
    for sentence in said:
        cited = {f"table {n}" for n in _CITED.findall(sentence.text)} & set(by_label)
        if sentence.kind == "text" and len(cited) == 1:
            grid = by_label[cited.pop()]
            for quantity in sentence.quantities:
                yield from _restated(sentence, quantity, grid)


def _restated(sentence: Said, quantity: Quantity, grid: Grid) -> Iterator[Check]:
    if quantity.unit is None or quantity.unit == "%":
        return
    columns = [
        n for n, head in enumerate(grid.heads) if n and _named(sentence, quantity, head, grid, n)
    ]
    if len(columns) != 1:
        return
    cells = _rows_meant(sentence, quantity, grid, columns[0])
    if len(cells) != 1 or cells[0].number is None:
        return
    try:
        result = cells[0].number.to(
            quantity.unit if quantity.unit != "IOPS" else cells[0].number.unit
        )
    except AnalysisError:
        return
    yield Check(
        "stated_twice",
        f"The text and {place_of(grid, cells[0])}",
        sentence.line,
        sentence.place,
        quantity.text,
        f"{cells[0].text} (line {cells[0].line})",
        same(quantity.number, result),
        quantity.number,
        result,
        quantity.decimals,
    )


def _named(sentence: Said, quantity: Quantity, head: str, grid: Grid, place: int) -> bool:
    unit = next((row[place].unit for row in grid.rows if row[place].number), None)
    if unit is None or (unit == "IOPS") != (quantity.unit == "IOPS"):
        return False
    try:
        quantity.number.to(unit)
    except AnalysisError:
        return False
    words = frozenset(label_of(head).words) - _LOOSE
    return words <= sentence.words | {"io"}


def _rows_meant(sentence: Said, quantity: Quantity, grid: Grid, place: int) -> list[Cell]:
    rows = [
        r
        for r in grid.rows
        if r[place].number and not label_of(r[0].text).aggregate and not label_of(r[0].text).change
    ]
    close = sentence.text[max(quantity.start - 50, 0) : quantity.start]
    text = sentence.text.lower()
    named = [
        r[place]
        for r in rows
        if r[0].text
        and re.search(rf"(?<!\w){re.escape(r[0].text.lower())}(?!\w)", text)
        and r[0].number is None
    ]
    if named:
        return named
    values = [
        (cell.number.value, n, cell) for n, cell in enumerate(r[place] for r in rows) if cell.number
    ]
    if not values or bool(_TOP.search(close)) == bool(_BOTTOM.search(close)):
        return []
    pick = max if _TOP.search(close) else min
    return [pick(values)[2]]


_MORE = re.compile(
    r"\b(?:is|are|was|were)\s+(?:(?:very|slightly|much|significantly|somewhat|also)\s+)*(?P<word>higher|lower|larger|"
    r"smaller|greater|less|longer|shorter)\s+(?:than|for)\b",
    re.I,
)
_RISES = frozenset({"higher", "larger", "greater", "longer"})
_MEANS = {
    "standard": "std",
    "deviation": "std",
    "stdev": "std",
    "std": "std",
    "spread": "range",
    "range": "range",
    "mean": "mean",
    "average": "mean",
}


def orders_in_words(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """An order in words ("the deviation of A is higher than of B") against the table it is of."""
    for sentence in said:
        match = _MORE.search(sentence.text)
        if not match or sentence.kind != "text":
            continue
        left, right = sentence.text[: match.start()], sentence.text[match.end() :]
        wanted = {_MEANS[w] for w in re.findall(r"[a-z]+", left.lower()) if w in _MEANS}
        for grid in grids:
            a, b = _row_of(left, grid), _row_of(right, grid)
            if a is None or b is None or a == b:
                continue
            for place, head in enumerate(grid.heads):
                own = {
                    _MEANS[w]
                    for w in re.findall(r"[a-z]+", head.lower().split(" - ")[-1])
                    if w in _MEANS
                }
                one, two = grid.rows[a][place], grid.rows[b][place]
                if place and own and own <= wanted and one.number and two.number:
                    yield _ordered(sentence, match["word"], grid, one, two)


def _row_of(text: str, grid: Grid) -> int | None:
    """The row whose own words (those no other row has) stand in a text."""
    names = [set(re.findall(r"[a-z0-9]+", row[0].text.lower())) for row in grid.rows]
    said = set(re.findall(r"[a-z0-9]+", text.lower()))
    found = []
    for n, words in enumerate(names):
        others = set().union(*(names[:n] + names[n + 1 :])) if len(names) > 1 else set()
        if (words - others) & said:
            found.append(n)
    return found[0] if len(found) == 1 else None


def _ordered(sentence: Said, word: str, grid: Grid, one: Cell, two: Cell) -> Check:
    assert one.number is not None  # noqa: S101 - asked before
    assert two.number is not None  # noqa: S101
    rises = word.lower() in _RISES
    holds = one.number.value >= two.number.value if rises else one.number.value <= two.number.value
    sign = "<" if one.number.value < two.number.value else ">"
    return Check(
        "limit",
        "An order in words, against the table",
        sentence.line,
        sentence.place,
        word,
        f"{one.text} {sign} {two.text} ({place_of(grid, one)}, line {one.line})",
        HOLDS if holds else FAILS,
        one.number,
        two.number,
        recomputed="lower" if sign == "<" else "higher",
    )


_RATIO = re.compile(r"\b(?P<a>[A-Za-z]+)(?:[ -]time)?\s?/\s?(?P<b>[A-Za-z]+)(?:[ -]time)?\b", re.I)
_PART_WORDS = frozenset(
    {
        "user",
        "system",
        "total",
        "aggregate",
        "workload",
        "elapsed",
        "time",
        "in",
        "minute",
        "minutes",
        "seconds",
        "used",
        "-",
        "mean",
        "average",
        "ratio",
    }
)


def quotients(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A ratio A/B of a table against A and B of another with the same rows; its name in the text."""
    for grid in grids:
        for place, head in enumerate(grid.heads):
            match = _RATIO.search(head)
            last = head.lower().split(" - ")[-1]
            if (
                not match
                or "ratio" not in head.lower()
                or {"std", "range"}
                & {_MEANS[w] for w in re.findall(r"[a-z]+", last) if w in _MEANS}
            ):
                continue
            for other in grids:
                if other is not grid:
                    yield from _quotient(grid, place, match, other)
            yield from _inverted(grid, place, match, said)


def _quotient(grid: Grid, place: int, match: re.Match[str], other: Grid) -> Iterator[Check]:
    above = [n for n, h in enumerate(other.heads) if n and match["a"].lower() in label_of(h).words]
    below = [n for n, h in enumerate(other.heads) if n and match["b"].lower() in label_of(h).words]
    if not above or len(below) != 1:
        return
    for row in grid.rows:
        at = _row_of(row[0].text, other)
        cell = row[place]
        if at is None or cell.number is None:
            continue
        line = other.rows[at]
        numbers = [line[n].number for n in above]
        base = line[below[0]].number
        if base is None or None in numbers:
            continue
        try:
            total = OPERATIONS["sum"]([n for n in numbers if n is not None])
            result = OPERATIONS["ratio"]([total, base])
        except (NoNumberError, AnalysisError):
            continue
        result = replace(result, unit=None)
        yield Check(
            "ratio",
            f"{grid.heads[place]}, and the ratio of the sums",
            cell.line,
            place_of(grid, cell),
            cell.text,
            f"{result.text} ({other.called})",
            judged(cell.number, result),
            cell.number,
            result,
            cell.decimals,
            grid.name,
            cell.row,
            cell.column,
            note="a mean of ratios is not the ratio of the sums: say which is meant",
        )


def _inverted(
    grid: Grid, place: int, match: re.Match[str], said: Sequence[Said]
) -> Iterator[Check]:
    names = match["a"].lower(), match["b"].lower()
    for sentence in said:
        if sentence.kind != "text":
            continue
        for found in _RATIO.finditer(sentence.text):
            if (found["b"].lower(), found["a"].lower()) != names or "ratio" not in sentence.text[
                found.end() :
            ][:9]:
                continue
            for row in grid.rows:
                if row[place].text and row[place].text in sentence.text:
                    yield Check(
                        "stated_twice",
                        "A ratio called by its inverse",
                        sentence.line,
                        sentence.place,
                        found[0],
                        f"{row[place].text} is {match[0]} in {place_of(grid, row[place])} (line {row[place].line})",
                        FAILS,
                        recomputed=match[0],
                    )
