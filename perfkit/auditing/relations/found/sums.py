"""Arithmetic within sentences: so many of a size, parts in a list, times, a load point's total."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.evaluate import OPERATIONS
from perfkit.auditing.relations.found.check import Check, judged, place_of
from perfkit.auditing.relations.found.sentence import WORDS, Said, counted, whole
from perfkit.auditing.relations.found.words import label_of
from perfkit.auditing.relations.interval import Interval
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING
from perfkit.formats.printed_text import printed_number

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Cell, Grid

_SIZE = r"\d+(?:,\d{3})*(?:\.\d+)?\s?[KMGT]i?B"
_COUNT = "|".join(sorted(WORDS, key=len, reverse=True))
_MANY = re.compile(
    rf"(?<![\w.-])(?P<count>{_COUNT}|\d{{1,4}})(?:\s*[x\u00d7]\s*|\s+(?:(?:[A-Za-z]+\s+){{1,3}}of\s+)?)(?P<size>{_SIZE})\b(?P<between>[^.;,]{{0,45}}?)"
    rf"(?:\(\s*(?P<total>{_SIZE})\s+(?:in\s+)?total\s*\)|for a total (?:size |capacity )?of\s+(?P<other>{_SIZE})"
    rf"|\btotal(?:l?ing)?\s+(?P<third>{_SIZE}))",
    re.I,
)
_EACH_YIELDS = re.compile(rf"each (?:yielding|providing|giving|of)\s+(?P<size>{_SIZE})", re.I)
_POWER = {"K": 1, "M": 2, "G": 3, "T": 4}


def products(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """So many of one size, and their total: 8 x 512GB (4TB total), by thousands or by 1024."""
    for sentence in said:
        for match in _MANY.finditer(sentence.text):
            number = counted(match["count"])
            each = _EACH_YIELDS.search(match["between"])
            total = match["total"] or match["other"] or match["third"]
            size = each["size"] if each else match["size"]
            if number is None or (_EACH_YIELDS.search(match["between"] or "") and not each):
                continue
            results = [_bytes(size, base, number) for base in (1000, 1024)]
            claims = [_bytes(total, base, 1) for base in (1000, 1024)]
            verdicts = [judged(c, r) for c, r in zip(claims, results, strict=True)]
            best = min(verdicts, key=(HOLDS, ROUNDING, FAILS).index)
            at = verdicts.index(best)
            factor = Fraction(1, _unit(total, (1000, 1024)[at]))
            shown = [
                Number(n.value * factor, n.around.scaled(factor), None, n.text, "")
                for n in (claims[at], results[at])
            ]
            yield Check(
                "product",
                "So many of a size",
                sentence.line,
                sentence.place,
                total,
                f"{number} \u00d7 {size}",
                best,
                shown[0],
                shown[1],
                len(total.partition(".")[2].rstrip("KMGTiBb ")),
            )


def _unit(size: str, base: int) -> int:
    letter = re.sub(r"[^A-Za-z]", "", size)[0].upper()
    return int(base ** _POWER[letter])


def _bytes(size: str, base: int, by: int) -> Number:
    number = printed_number(re.sub(r"[A-Za-z\s]", "", size))
    assert number is not None  # noqa: S101 - matched as one
    factor = Fraction(_unit(size, base) * by)
    around = Interval(
        None if number.low is None else number.low * factor,
        None if number.high is None else number.high * factor,
    )
    return Number(number.value * factor, around, None, size, "")


_LIST = re.compile(
    rf"\b(?P<whole>\d{{1,4}}|{_COUNT})\s+(?:\w+\s+){{0,4}}?\w+s?\s*(?::|\u2013|\u2014|\(|, of which|, comprising|consisting of)\s*"
    rf"(?P<parts>(?:(?:\d{{1,4}}|{_COUNT})\s+[A-Za-z][\w\s/-]*?,\s*)*(?:\d{{1,4}}|{_COUNT})\s+[A-Za-z][\w\s/-]*?,?\s+and\s+"
    rf"(?:\d{{1,4}}|{_COUNT})\s+[A-Za-z])",
    re.I,
)


def lists(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A number of things and its parts: 19 tests: 10 of one kind, 2 of another, and 7."""
    number = re.compile(rf"(?:^|,\s*(?:and\s+)?|\band\s+)(\d{{1,4}}|{_COUNT})\b", re.I)
    for sentence in said:
        for match in _LIST.finditer(sentence.text):
            parts = [n for n in map(counted, number.findall(match["parts"])) if n is not None]
            total = counted(match["whole"])
            if total is None or len(parts) < 2 or not 0.5 * total < sum(parts) < 2 * total:  # noqa: PLR2004
                continue
            result = OPERATIONS["sum"]([whole(n) for n in parts])
            claim = whole(total)
            yield Check(
                "sum",
                "Parts in a list",
                sentence.line,
                sentence.place,
                match["whole"],
                result.text,
                judged(claim, result),
                claim,
                result,
            )


_TIME = r"\d+\s*(?:hours?|h)\s*(?:and\s*)?\d+\s*(?:minutes?|mins?|min|m)\b|\d+(?:\.\d+)?[\s-]*(?:hours?|minutes?|mins?|seconds?|h|min|s)\b"
_LONGEST = re.compile(
    rf"\b(?:longest|slowest)\b[^.;]{{0,60}}?(?P<time>{_TIME})|\brang(?:ing|ed|es?) (?:in (?:duration|length|run ?time) )?"
    rf"from\b[^.;]{{0,40}}?\bto (?:approximately |about )?(?P<other>{_TIME})",
    re.I,
)
_SPAN = re.compile(
    rf"\b(?P<time>{_TIME})\s+(?:span|window|period|duration|run)\b|\b(?:entire|whole|total|complete)\s+(?:workload|test|run|suite)"
    rf"[^.;]{{0,30}}?\b(?:took|lasted|ran for|completed in|finished in)\s+(?P<other>{_TIME})",
    re.I,
)
_PARTS = re.compile(r"\b(tests?|jobs?|steps?|quer(?:y|ies)|tasks?)\b", re.I)
_CONCURRENT = re.compile(
    r"\baverage (?:of )?(?P<count>\d+)\s+(?:[\w-]+\s+){0,3}?(?:simultaneous\w*|concurrent\w*|in parallel)",
    re.I,
)
_ELAPSED = re.compile(r"\b(elapsed|real|run ?time|wall)\b", re.I)
_ADDED = re.compile(r"\b(aggregate|sum(?:med)?|total)\b", re.I)


def times(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """The longest part is not longer than the whole; times added up are concurrency by the span."""
    spans = [
        (s, m, n)
        for s in said
        for m in _SPAN.finditer(s.text)
        if "workload" in s.text.lower() and (n := _minutes(m["time"] or m["other"]))
    ]
    if len({span[2].value for span in spans}) != 1:
        return
    said_span, match, span = spans[0]
    for sentence in said:
        for longest in _LONGEST.finditer(sentence.text):
            value = _minutes(longest["time"] or longest["other"])
            if value is None or not _PARTS.search(sentence.text):
                continue
            yield Check(
                "limit",
                "The longest part is within the whole",
                sentence.line,
                sentence.place,
                longest["time"] or longest["other"],
                f"\u2264 {' '.join(match[0].split())} (line {said_span.line})",
                HOLDS if value.value <= span.value else FAILS,
                value,
                span,
                recomputed=f"\u2264 {span.text}",
            )
        for many in _CONCURRENT.finditer(sentence.text):
            yield from _concurrency(sentence, many, span, grids)


def _concurrency(
    sentence: Said, many: re.Match[str], span: Number, grids: Sequence[Grid]
) -> Iterator[Check]:
    for grid in grids:
        for place, head in enumerate(grid.heads):
            cells = [
                r[place]
                for r in grid.rows
                if r[place].unit in {"min", "s", "h"}
                and r[place].number
                and not label_of(r[0].text).change
            ]
            if not (_ELAPSED.search(head) and _ADDED.search(head) and cells):
                continue
            claim = whole(int(many["count"]))
            results = [_over(cell, span) for cell in cells]
            nearest = min(results, key=lambda r: abs(r.value - claim.value))
            low, high = claim.value * Fraction(9, 10), claim.value * Fraction(11, 10)
            outcome = HOLDS if low <= nearest.value <= high else FAILS
            yield Check(
                "ratio",
                f"{head} \u00f7 span = running at once",
                sentence.line,
                sentence.place,
                many["count"],
                nearest.text,
                outcome,
                claim,
                nearest,
                1,
            )


def _over(cell: Cell, span: Number) -> Number:
    assert cell.number is not None  # noqa: S101 - chosen so
    value = cell.number.to("min")
    result = OPERATIONS["ratio"]([value, span])
    return Number(
        result.value, result.around, None, f"{cell.text} {cell.unit} \u00f7 {span.text}", ""
    )


def _minutes(text: str) -> Number | None:
    number = printed_number(re.sub(r"(\d)-(?=[a-z])", r"\1 ", text.strip()))
    if number is None or number.unit is None:
        return None
    return Number(
        number.value, Interval(number.low, number.high), number.unit, text.strip(), ""
    ).to("min")


_POINT = re.compile(
    r"\bat (?:the|a) (?P<load>\d[\d,.]*\s?[kKM]?)[\s-]?(?P<unit>IOPS)\s+(?:load\s+)?(?:point|level|step|mark|load)\b",
    re.I,
)
_SHOWN = re.compile(
    r"\b(table|report|screenshots?|output|listing|below|following|shows?|collected)\b", re.I
)
MOST_LINES = 60


def points(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A table announced as that of a load point, against its own reads and writes a second."""
    for sentence in said:
        for match in _POINT.finditer(sentence.text):
            if not _SHOWN.search(sentence.text):
                continue
            number = printed_number(match["load"].strip())
            below = [g for g in grids if 0 < g.line - sentence.line < MOST_LINES]
            total = next((t for grid in below if (t := _per_second(grid))), None)
            if number is None or total is None:
                continue
            grid, cells = total
            result = OPERATIONS["sum"]([c.number for c in cells if c.number is not None])
            bare = Number(result.value, result.around, None, result.text, "")
            claim = Number(number.value, Interval(number.low, number.high), None, match["load"], "")
            outcome = judged(claim, bare)
            yield Check(
                "stated_twice",
                "The load point and its table",
                sentence.line,
                sentence.place,
                f"{match['load'].strip()} {match['unit']}",
                f"{bare.text} ({place_of(grid, cells[0])}, line {cells[0].line})",
                outcome,
                claim,
                bare,
            )


def _per_second(grid: Grid) -> tuple[Grid, list[Cell]] | None:
    """The reads and writes a second of a table: of its sum, else of its only row."""
    places = [
        n
        for name in ("read", "write")
        for n, head in enumerate(grid.heads)
        if name in label_of(head).words
        and re.search(r"/s\b|per second|IOPS", head)
        and not {"logical", "latency", "throughput", "mb"} & set(label_of(head).words)
    ]
    rows = [row for row in grid.rows if label_of(row[0].text).aggregate == "sum"] or list(grid.rows)
    if len(places) != 2 or len(rows) != 1:  # noqa: PLR2004
        return None
    cells = [rows[0][place] for place in places]
    return (grid, cells) if all(cell.number for cell in cells) else None
