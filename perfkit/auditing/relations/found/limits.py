"""Limits that the text states, against the tables; ceilings below their floors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.auditing.relations.cells import Number
from perfkit.auditing.relations.found.check import Check, place_of
from perfkit.auditing.relations.found.sentence import Said, shortened
from perfkit.auditing.relations.found.words import TIMES_OF_WAITING, Label, label_of, words_of
from perfkit.auditing.relations.interval import Interval
from perfkit.auditing.relations.run import FAILS, HOLDS, ROUNDING
from perfkit.core.errors import AnalysisError
from perfkit.formats.printed_text import PrintedNumber, printed_number

if TYPE_CHECKING:
    from perfkit.auditing.relations.found.grid import Cell, Grid

_BOUND = re.compile(
    r"\b(?P<most>no (?:greater|more|higher|longer) than|not (?:to )?exceed(?:ing)?|does not exceed|never "
    r"exceed(?:s|ed)?|at most|below|under|less than|lower than|within|shorter than|maximum of|a limit of)\s+$"
    r"|\b(?P<least>at least|no less than|no lower than|not below|above|more than|greater than|exceed(?:s|ed)?|"
    r"minimum of)\s+$",
    re.I,
)
_BEHIND = re.compile(
    r"^\s*(?:or (?P<most>less|lower|below|faster|better)|or (?P<least>more|higher|above|greater))\b",
    re.I,
)
_DUTY = re.compile(
    r"\b(must|shall|should|required?|requires|requirements?|needs? to|has to|have to|to pass|criteri\w+|"
    r"limits?|threshold|sla|objective|allowed|permitted|acceptable|may not)\b",
    re.I,
)
_ALWAYS = re.compile(
    r"\b(all|every|each|never|always|at no (?:time|point)|consistent(?:ly)?|throughout|any)\b", re.I
)
_STRICT = re.compile(
    r"^(below|under|less than|lower than|shorter than|above|more than|greater than)", re.I
)
_IF = re.compile(
    r"\b(?:at or below|up to|below|under|at most|as high as|through)\s+(?P<load>\d[\d,.]*\s?[kKM]?)\s?-?IOPS\b",
    re.I,
)
_THINGS = frozenset(
    [
        "be",
        "must",
        "have",
        "been",
        "the",
        "a",
        "of",
        "to",
        "for",
        "and",
        "or",
        "all",
        "was",
        "were",
        "is",
        "in",
        "at",
        "time",
        "test",
        "system",
        "should",
        "shall",
        "it",
        "than",
        "less",
        "more",
        "no",
        "not",
        "each",
        "every",
        "any",
        "requirement",
        "required",
        "maximum",
        "minimum",
        "storage",
        "value",
        "load",
        "point",
        "points",
        "pass",
        "we",
        "able",
        "maintain",
        "consistent",
        "below",
        "above",
        "under",
        "run",
        "io",
    ]
)
_SHARE = re.compile(
    r"(\d+(?:\.\d+)?)\s?%\s+of\b|\bp(\d+(?:\.\d+)?)\b|(\d+(?:\.\d+)?)th percentile", re.I
)
_TIMES = {"s", "min", "h", *TIMES_OF_WAITING}


@dataclass(frozen=True)
class Limit:
    """A limit of a sentence: of what, which, and up to which load."""

    said: Said
    words: frozenset[str]
    number: Number
    most: bool
    strict: bool
    load: Number | None
    share: str | None
    duty: bool

    @property
    def sign(self) -> str:
        """The sign of the limit."""
        return {
            (True, True): "<",
            (True, False): "\u2264",
            (False, True): ">",
            (False, False): "\u2265",
        }[self.most, self.strict]


def limits(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """Each cell of a column of which the text states a limit: a duty, or "at all load points"."""
    found = [limit for sentence in said for limit in limits_of(sentence)]
    for limit in found:
        for grid in grids:
            for place, head in enumerate(grid.heads):
                label = label_of(head)
                if place and _meant(limit, label, grid, place):
                    yield from _cells(limit, grid, place)


def limits_of(sentence: Said) -> Iterator[Limit]:
    """The limits that a sentence states."""
    if sentence.kind != "text":
        return
    duty = bool(_DUTY.search(sentence.text))
    if not duty and not _ALWAYS.search(sentence.text):
        return
    text = sentence.text
    loads = list(_IF.finditer(text))
    load = printed_number(loads[0]["load"].strip()) if loads else None
    for quantity in sentence.quantities:
        if quantity.unit is None or any(m.start() <= quantity.start < m.end() for m in loads):
            continue
        bound, behind = _BOUND.search(text[: quantity.start]), _BEHIND.match(text[quantity.end :])
        match = bound or behind
        if not match:
            continue
        clause = re.split(r"[;]|,\s(?:and|we|the)\s", text[: quantity.start])[-1]
        share = _SHARE.search(clause)
        number = (
            None
            if load is None
            else Number(load.value, _around(load), "IOPS", loads[0]["load"], "")
        )
        yield Limit(
            sentence,
            frozenset(words_of(_SHARE.sub(" ", clause))) - _THINGS,
            quantity.number,
            bool(match["most"]),
            bool(bound and _STRICT.match(bound[0])),
            number,
            next((g for g in share.groups() if g), None) if share else None,
            duty,
        )


def _around(number: PrintedNumber) -> Interval:
    return Interval(number.low, number.high)


def _meant(limit: Limit, label: Label, grid: Grid, place: int) -> bool:
    """Whether a column holds what a limit is of: its words, and its kind of unit."""
    unit = next((row[place].unit for row in grid.rows if row[place].number), None)
    mine = limit.number.unit
    if unit is None or (unit != mine and not (unit in _TIMES and mine in _TIMES)):
        return False
    words = {w.rstrip("s") for w in label.words} - {w.rstrip("s") for w in _THINGS}
    wanted = {w.rstrip("s") for w in limit.words if not w[0].isdigit()}
    shares = {w[1:] for w in label.words if re.fullmatch(r"p\d+(?:\.\d+)?", w)}
    if (
        label.change
        or {"std", "stdev", "stddev"} & words
        or shares != ({limit.share} if limit.share else set())
    ):
        return False
    waiting = unit in TIMES_OF_WAITING and mine in TIMES_OF_WAITING and "latency" in wanted
    if limit.duty and not waiting:
        return bool(words) and (words <= wanted or len(words & wanted) > 2)  # noqa: PLR2004
    if not waiting:
        return bool(words) and words <= wanted
    sides = {"read", "write"}
    if wanted & sides and not wanted & sides & (
        words | {w for x in words for w in sides if w in x}
    ):
        return False
    named = {"latency", "response", "read", "average", "avg", "mean", "write"} & words
    return bool(named) and not {"wait", "max", "min", "maximum", "minimum"} & words


def _cells(limit: Limit, grid: Grid, place: int) -> Iterator[Check]:
    for row in grid.rows:
        cell = row[place]
        label = label_of(row[0].text)
        if cell.number is None or label.aggregate in {"sum", "std", "range"} or label.change:
            continue
        if limit.load is not None and not _under(limit.load, grid, row):
            continue
        try:
            bound = limit.number.to(cell.number.unit)
        except AnalysisError:
            continue
        yield Check(
            "limit",
            "A limit that the text states",
            cell.line,
            place_of(grid, cell),
            cell.text,
            f"{limit.sign} {limit.number.text} (line {limit.said.line}: \u201c{shortened(limit.said.text)}\u201d)",
            _kept(limit, cell.number, bound),
            cell.number,
            bound,
            cell.decimals,
            grid.name,
            cell.row,
            cell.column,
            recomputed=f"{limit.sign} {limit.number.text}",
        )


def _kept(limit: Limit, value: Number, bound: Number) -> str:
    low, high = (value, bound) if limit.most else (bound, value)
    holds = low.value < high.value if limit.strict else low.value <= high.value
    if holds:
        return HOLDS
    return ROUNDING if value.value == bound.value and value.around.meets(bound.around) else FAILS


def _under(load: Number, grid: Grid, row: tuple[Cell, ...]) -> bool:
    """Whether a row's load is within that of the limit: its total, or its only IOPS."""
    cells = [
        (label_of(head), cell)
        for head, cell in zip(grid.heads, row, strict=True)
        if cell.number and cell.unit == "IOPS"
    ]
    total = [cell for label, cell in cells if label.stats or len(cells) == 1]
    return bool(total) and total[0].number is not None and total[0].number.value <= load.value


_OPTION = re.compile(
    r"(?<![\w-])[-\u2013]{1,2}(?P<name>[A-Za-z][\w-]*)[ =]+(?P<value>\d[\d,.]*[kKMGT]?)(?![\w.-])"
)
_LOW = frozenset({"min", "minimum", "low", "floor", "expected", "guaranteed"})
_HIGH = frozenset({"max", "maximum", "high", "ceiling", "peak", "limit"})
_NAMED = re.compile(r"^(min|max|peak|low|high)(?=[a-z]{3})", re.I)


def options(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """In one command, an option for the least above the one for the most of the same thing."""
    for sentence in said:
        found: dict[frozenset[str], dict[bool, list[tuple[str, Number]]]] = {}
        for match in _OPTION.finditer(sentence.text):
            words = set(_NAMED.sub(r"\1-", match["name"].lower()).split("-"))
            number = printed_number(match["value"])
            if number is None or bool(words & _LOW) == bool(words & _HIGH) or "absolute" in words:
                continue
            rest = frozenset(words - _LOW - _HIGH)
            value = Number(number.value, _around(number), None, match["value"], "")
            found.setdefault(rest, {}).setdefault(bool(words & _HIGH), []).append(
                (match[0].strip(), value)
            )
        for sides in found.values():
            for name, low in sides.get(False, []):
                for other, high in sides.get(True, []):
                    yield Check(
                        "limit",
                        "The most of an option is not below the least",
                        sentence.line,
                        sentence.place,
                        other,
                        f"{name} \u2264 {other}",
                        HOLDS if low.value <= high.value else FAILS,
                        high,
                        low,
                        recomputed=f"\u2265 {low.text}",
                    )


_LIMIT_HEAD = re.compile(
    r"\b(limit|threshold|requirement|required|target|sla|criteri\w+|allowed|objective|goal)\b", re.I
)
_FOUND_HEAD = re.compile(r"\b(measured|result|observed|actual|achieved|value)\b", re.I)
_PASSED = re.compile(r"^(pass(?:ed)?|yes|ok|met|\u2713|\u2714|fulfilled|compliant)$", re.I)
_FAILED = re.compile(r"^(fail(?:ed)?|no|not met|missed|\u2717|\u2718|violated)$", re.I)
_SIGNED = re.compile(
    r"^(?P<sign><=|>=|[<>\u2264\u2265]|\u2264|max\.?|min\.?|at most|at least|below|under|above)\s*(?P<rest>.+)$",
    re.I,
)


def limit_columns(said: Sequence[Said], grids: Sequence[Grid]) -> Iterator[Check]:
    """A table with a limit and a measured value in each row, and its verdict where it prints one."""
    for grid in grids:
        bound = [n for n, head in enumerate(grid.heads) if n and _LIMIT_HEAD.search(head)]
        value = [
            n
            for n, head in enumerate(grid.heads)
            if n and _FOUND_HEAD.search(head) and n not in bound
        ]
        if len(bound) == 1 and len(value) == 1:
            for row in grid.rows:
                yield from _row(grid, row, bound[0], value[0])


def _row(grid: Grid, row: tuple[Cell, ...], bound: int, value: int) -> Iterator[Check]:
    match, cell = _SIGNED.match(row[bound].text), row[value]
    number = printed_number(match["rest"]) if match else None
    if match is None or number is None or cell.number is None:
        return
    limit = Number(number.value, _around(number), number.unit or row[bound].unit, match["rest"], "")
    try:
        limit = limit.to(cell.number.unit)
    except AnalysisError:
        return
    sign = match["sign"].lower()
    most = sign[0] in "<\u2264" or sign.startswith(("max", "at most", "below", "under"))
    strict = sign in {"<", ">", "below", "under", "above"}
    low, high = (cell.number, limit) if most else (limit, cell.number)
    kept = low.value < high.value if strict else low.value <= high.value
    verdicts = [c.text for c in row if _PASSED.match(c.text) or _FAILED.match(c.text)]
    passed = bool(_PASSED.match(verdicts[0])) if len(verdicts) == 1 else True
    said_so = f"; printed: {verdicts[0]}" if len(verdicts) == 1 else ""
    yield Check(
        "limit",
        f"{row[0].text}: the limit of its row",
        cell.line,
        place_of(grid, cell),
        cell.text,
        f"{row[bound].text}{said_so}",
        HOLDS if kept == passed else FAILS,
        cell.number,
        limit,
        cell.decimals,
        grid.name,
        cell.row,
        cell.column,
        recomputed=row[bound].text,
    )
