"""Limits that a document states, in a sentence, a row or a command, against what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from perfkit.auditing.found.quantities import OPS, SHARE, Quantity, quantities, unit_of
from perfkit.auditing.found.relate import Check, Trial, check_of, exact_number
from perfkit.auditing.found.said import Said, shortened, stated
from perfkit.auditing.found.words import Label, label_of
from perfkit.auditing.relations.run import DOUBT, FAILS, HOLDS, ROUNDING

if TYPE_CHECKING:
    from perfkit.auditing.found.sheets import Sheet

STATED, ROWS, OPTIONS = "limits in sentences", "limits in rows", "options of a command"
_BOUND = re.compile(
    r"\b(?P<most>no (?:greater|more|higher|longer) than|not (?:to )?exceed(?:ing)?|does not exceed|never "
    r"exceed(?:s|ed)?|at most|below|under|less than|lower than|within|shorter than|maximum of|a limit of)\s+$"
    r"|\b(?P<least>at least|no less than|no lower than|not below|above|more than|greater than|exceed(?:s|ed)?|"
    r"minimum of)\s+$", re.I,
)  # fmt: skip
_BEHIND = re.compile(
    r"^\s*(?:or (?P<most>less|lower|below|faster|better)|or (?P<least>more|higher|above|greater))\b",
    re.I,
)
_DUTY = re.compile(
    r"\b(must|shall|required?|requires|requirements?|needs? to|has to|have to|to pass|criteri\w+|sla|may not)\b",
    re.I,
)
_KEPT = re.compile(
    r"\b(?:all|every|each)\b.*\b(?:maintain|consistent|remain|stay|kept|never)", re.I
)
_HEDGED = re.compile(
    r"\b(often|typically|usually|generally|commonly|may|can|could|might|if|when|would|sometimes|likely)\b",
    re.I,
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
        "max",
        "min",
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


@dataclass(frozen=True)
class _Limit:
    """A limit of a sentence: of what, which, and up to which load."""

    said: Said
    words: frozenset[str]
    bound: Quantity
    most: bool
    strict: bool
    load: float | None
    rank: float | None
    duty: bool

    @property
    def sign(self) -> str:
        return {(True, True): "<", (True, False): "\u2264", (False, True): ">",
                (False, False): "\u2265"}[self.most, self.strict]  # fmt: skip


def limits(said: Sequence[Said], sheets: Sequence[Sheet]) -> Iterator[Check]:
    """Each number of a column of which the text states a limit; rows with a limit; options."""
    for limit in (found for sentence in said for found in _limits(sentence)):
        for sheet in sheets:
            for column, head in enumerate(sheet.heads):
                if column and _meant(limit, label_of(head), sheet, column):
                    yield from _held_against(limit, sheet, column)
    for sheet in sheets:
        yield from _rows(sheet)
    for sentence in said:
        yield from _options(sentence)


def _limits(sentence: Said) -> Iterator[_Limit]:
    text = sentence.text
    duty = bool(_DUTY.search(text))
    if sentence.kind != "text" or _HEDGED.search(text) or not (duty or _KEPT.search(text)):
        return
    loads = list(_IF.finditer(text))
    load = quantities(loads[0]["load"].strip()) if loads else []
    for quantity in sentence.quantities:
        if quantity.kind in {"", SHARE} or any(
            m.start() <= quantity.start < m.end() for m in loads
        ):
            continue
        bound, behind = _BOUND.search(text[: quantity.start]), _BEHIND.match(text[quantity.end :])
        match = bound or behind
        if match is None:
            continue
        clause = re.split(r"[;]|,\s(?:and|we|the)\s", text[: quantity.start])[-1]
        share = _SHARE.search(clause)
        rank = next((float(g) for g in share.groups() if g), None) if share else None
        words = frozenset(label_of(_SHARE.sub(" ", clause)).words) - _THINGS
        yield _Limit(sentence, words, quantity, bool(match["most"]),
                     bool(bound and _STRICT.match(bound[0])),
                     float(load[0].value) if load else None, rank, duty)  # fmt: skip


def _meant(limit: _Limit, label: Label, sheet: Sheet, column: int) -> bool:
    """Whether a column holds what a limit is of: its words, and its kind of unit."""
    slots = [s for n in range(len(sheet.texts)) if (s := sheet.at(n, column))]
    if not slots or slots[0].kind != limit.bound.kind:
        return False
    loose = {"ms", "s", "sec", *_THINGS}
    words = {w.rstrip("s") for w in label.words} - {w.rstrip("s") for w in loose}
    wanted = {w.rstrip("s") for w in limit.words if not w[0].isdigit()}
    rank = label.rank[0] if label.rank and 0 < label.rank[0] < 100 else None  # noqa: PLR2004
    if label.change or "stdev" in words or rank != limit.rank:
        return False
    waiting = slots[0].unit is not None and slots[0].unit.factor < 1 and "latency" in wanted
    if not waiting:
        near = limit.duty and len(words & wanted) > 2  # noqa: PLR2004
        return bool(words) and (words <= wanted or near)
    sides = {"read", "write"}
    named = {side for side in sides if any(side in w for w in words)}
    asked = {side for side in sides if any(side in w for w in wanted)}
    plain = words - {"average", "latency"} - sides
    # "randread average (ms)": a column of waiting times, of a side that the limit does not exclude
    return (not asked or named <= asked) and all(
        "read" in w or "write" in w or w in wanted for w in plain
    )


def _held_against(limit: _Limit, sheet: Sheet, column: int) -> Iterator[Check]:
    unit = limit.bound.unit
    assert unit is not None  # noqa: S101 - limits have units
    bound = float(limit.bound.value * unit.factor)
    for row in range(len(sheet.texts)):
        slot = sheet.at(row, column)
        name = label_of(sheet.texts[row][0])
        if slot is None or name.change or name.aggregate in {"std", "range"}:
            continue
        if limit.load is not None and not _under(limit.load, sheet, row):
            continue
        low, high = (slot.value, bound) if limit.most else (bound, slot.value)
        kept = low < high if limit.strict else low <= high + 1e-12
        outcome = HOLDS if kept else ROUNDING if slot.value == bound else DOUBT
        trial = Trial(slot, (slot,), lambda value: value, outcome, 0.0)
        told = f"{limit.sign} {limit.bound.text}"
        rule = f"{told} (line {limit.said.line}: \u201c{shortened(limit.said.text)}\u201d)"
        check = check_of(sheet, trial, STATED, "limit", "A limit that the text states", rule)
        yield replace(check, recomputed=told)


def _under(load: float, sheet: Sheet, row: int) -> bool:
    """Whether a row's load is within that of the limit: its total, or its only IOPS."""
    cells = [
        (label_of(h), s)
        for n, h in enumerate(sheet.heads)
        if (s := sheet.at(row, n)) and s.kind == OPS
    ]
    total = [s for label, s in cells if "sum" in label.words or len(cells) == 1]
    return bool(total) and total[0].value <= load


_OPTION = re.compile(
    r"(?<![\w-])[-\u2013]{1,2}(?P<name>[A-Za-z][\w-]*)[ =]+(?P<value>\d[\d,.]*[kKMGT]?)(?![\w.-])"
)
_LOW = frozenset(["min", "minimum", "low", "floor", "expected", "guaranteed"])
_HIGH = frozenset(["max", "maximum", "high", "ceiling", "peak", "limit"])
_NAMED = re.compile(r"^(min|max|peak|low|high)(?=[a-z]{3})", re.I)


def _options(sentence: Said) -> Iterator[Check]:
    """In one command, an option for the least above the one for the most of the same thing."""
    found: dict[frozenset[str], dict[bool, list[tuple[str, Quantity]]]] = {}
    for match in _OPTION.finditer(sentence.text):
        words = set(_NAMED.sub(r"\1-", match["name"].lower()).split("-"))
        number = quantities(match["value"])
        if not number or bool(words & _LOW) == bool(words & _HIGH) or "absolute" in words:
            continue
        sides = found.setdefault(frozenset(words - _LOW - _HIGH), {})
        sides.setdefault(bool(words & _HIGH), []).append((match[0].strip(), number[0]))
    for sides in found.values():
        for name, low in sides.get(False, []):
            for other, high in sides.get(True, []):
                yield stated(
                    OPTIONS, "The most of an option is not below the least", sentence, other,
                    f"{name} \u2264 {other}", HOLDS if low.value <= high.value else FAILS,
                    exact_number(high.value, high.text), exact_number(low.value, low.text), kind="limit",
                    recomputed=f"\u2265 {low.text}",
                )  # fmt: skip


_LIMIT_HEAD = re.compile(
    r"\b(limit|threshold|requirement|required|target|sla|criteri\w+|allowed|objective|goal)\b", re.I
)
_FOUND_HEAD = re.compile(r"\b(measured|result|observed|actual|achieved|value)\b", re.I)
_PASSED = re.compile(
    r"^\W*(pass(?:ed)?|yes|ok|met|\u2713|\u2714|\u2705|fulfilled|compliant)\W*$", re.I
)
_FAILED = re.compile(r"^\W*(fail(?:ed)?|no|not met|missed|\u2717|\u2718|\u274c|violated)\W*$", re.I)
_SIGNED = re.compile(
    r"^(?P<sign><=|>=|[<>\u2264\u2265]|max\.?|min\.?|at most|at least|below|under|above)\s*(?P<rest>.+)$",
    re.I,
)


def _rows(sheet: Sheet) -> Iterator[Check]:
    """A limit and a measured value in each row, and its verdict where it prints one."""
    bound = [n for n, head in enumerate(sheet.heads) if n and _LIMIT_HEAD.search(head)]
    value = [n for n, head in enumerate(sheet.heads)
             if n and n not in bound and _FOUND_HEAD.search(head)]  # fmt: skip
    if len(bound) == 1 and len(value) == 1:
        made = [c for row in range(len(sheet.texts)) for c in _row(sheet, row, bound[0], value[0])]
        failed = sum(check.outcome == FAILS for check in made)
        if 2 * failed <= len(made):
            yield from made


def _row(sheet: Sheet, row: int, bound: int, value: int) -> Iterator[Check]:
    match, slot = _SIGNED.match(sheet.texts[row][bound]), sheet.at(row, value)
    found = quantities(match["rest"]) if match else []
    if match is None or slot is None or len(found) != 1:
        return
    unit = found[0].unit or slot.unit or unit_of("x")
    if slot.unit and unit and slot.unit.kind != unit.kind:
        return
    limit = float(
        found[0].value * (unit.factor if unit and (found[0].unit or slot.unit) else Fraction(1))
    )
    sign = match["sign"].lower()
    most = sign[0] in "<\u2264" or sign.startswith(("max", "at most", "below", "under"))
    strict = sign in {"<", ">", "below", "under", "above"}
    low, high = (slot.value, limit) if most else (limit, slot.value)
    kept = low < high if strict else low <= high
    verdicts = [text for text in sheet.texts[row] if _PASSED.match(text) or _FAILED.match(text)]
    passed = bool(_PASSED.match(verdicts[0])) if len(verdicts) == 1 else True
    printed = sheet.texts[row][bound]
    rule = f"{printed}; printed: {verdicts[0]}" if len(verdicts) == 1 else printed
    trial = Trial(slot, (slot,), lambda v: v, HOLDS if kept == passed else FAILS, 0.0)
    name = f"{sheet.texts[row][0]}: the limit of its row"
    yield replace(check_of(sheet, trial, ROWS, "limit", name, rule), recomputed=printed)
