"""Limits that a document states, in a sentence, a row or a command, against what they name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from perfkit.auditing.document.model import word_set
from perfkit.auditing.found.page import shortened
from perfkit.auditing.found.quantities import OPS, SHARE, quantities
from perfkit.auditing.found.relate import Check, bounded, check_of
from perfkit.auditing.found.words import Label, label_of
from perfkit.auditing.relations.run import FAILS, HOLDS

if TYPE_CHECKING:
    from perfkit.auditing.found.page import Page, Said, Sheet, Slot

STATED, ROWS, OPTIONS = "limits in sentences", "limits in rows", "options of a command"
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
_THINGS = word_set(
    "be must have been the a of to for and or all was were is in at time test system should "
    "shall it than less more no not each every any requirement required max min storage value "
    "load point points pass we able maintain consistent below above under run io"
)
_SHARE = re.compile(
    r"(\d+(?:\.\d+)?)\s?%\s+of\b|\bp(\d+(?:\.\d+)?)\b|(\d+(?:\.\d+)?)th percentile", re.I
)


@dataclass(frozen=True)
class _Limit:
    """A limit of a sentence: of what, which, and up to which load."""

    said: Said
    words: frozenset[str]
    bound: Slot
    sign: str
    load: float | None
    rank: float | None
    duty: bool


def limits(page: Page) -> Iterator[Check]:
    """Each number of a column of which the text states a limit; rows with a limit; options."""
    for limit in (found for sentence in page.said for found in _limits(sentence)):
        for sheet in page.sheets:
            for column, label in enumerate(sheet.labels):
                if column and _meant(limit, label, sheet.column(column)):
                    yield from _held_against(limit, sheet, column)
    for sheet in page.sheets:
        yield from _rows(sheet)
    for sentence in page.said:
        yield from _options(sentence)


def _limits(sentence: Said) -> Iterator[_Limit]:
    text = sentence.text
    duty = bool(_DUTY.search(text))
    if sentence.kind != "text" or _HEDGED.search(text) or not (duty or _KEPT.search(text)):
        return
    loads = list(_IF.finditer(text))
    load = quantities(loads[0]["load"].strip()) if loads else ()
    for slot in sentence.slots:
        start, end = slot.quantity.start, slot.quantity.end
        if slot.kind in {"", SHARE} or any(m.start() <= start < m.end() for m in loads):
            continue
        bound, behind = _BOUND.search(text[:start]), _BEHIND.match(text[end:])
        if match := bound or behind:
            clause = re.split(r"[;]|,\s(?:and|we|the)\s", text[:start])[-1]
            share = _SHARE.search(clause)
            rank = next((float(g) for g in share.groups() if g), None) if share else None
            words = frozenset(label_of(_SHARE.sub(" ", clause)).words) - _THINGS
            sign = _sign(most=bool(match["most"]), strict=bool(bound and _STRICT.match(bound[0])))
            least = float(load[0].value) if load else None
            yield _Limit(sentence, words, slot, sign, least, rank, duty)


def _sign(*, most: bool, strict: bool) -> str:
    return ("<" if strict else "\u2264") if most else (">" if strict else "\u2265")


def _meant(limit: _Limit, label: Label, slots: list[Slot]) -> bool:
    """Whether a column holds what a limit is of: its words, and its kind of unit."""
    if not slots or slots[0].kind != limit.bound.kind:
        return False
    words = {w.rstrip("s") for w in label.words} - {w.rstrip("s") for w in ("ms", "sec", *_THINGS)}
    wanted = {w.rstrip("s") for w in limit.words if not w[0].isdigit()}
    rank = label.rank[0] if label.rank and 0 < label.rank[0] < 100 else None
    if label.change or "stdev" in words or rank != limit.rank:
        return False
    waiting = slots[0].unit is not None and slots[0].unit.factor < 1 and "latency" in wanted
    if not waiting:
        near = limit.duty and len(words & wanted) > 2
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
    line, text = limit.said.line, shortened(limit.said.text)
    rule = f"{limit.sign} {limit.bound.text} (line {line}: \u201c{text}\u201d)"
    # what is stated is exact, and so is what was measured: rounding mends nothing
    bound = _exact(limit.bound)
    for row, name in enumerate(sheet.names):
        slot = sheet.at(row, column)
        if slot is None or name.change or name.aggregate in {"std", "range"}:
            continue
        if limit.load is None or _under(limit.load, sheet, row):
            trial = bounded(slot, limit.sign, bound, loose=0)
            yield check_of(trial, STATED, "limit", "A limit that the text states", rule, doubt=True)


def _exact(slot: Slot) -> Slot:
    return replace(slot, quantity=replace(slot.quantity, half=slot.quantity.half * 0))


def _under(load: float, sheet: Sheet, row: int) -> bool:
    """Whether a row's load is within that of the limit: its total, or its only IOPS."""
    cells = [
        (label, s)
        for n, label in enumerate(sheet.labels)
        if (s := sheet.at(row, n)) and s.kind == OPS
    ]
    total = [s for label, s in cells if "sum" in label.words or len(cells) == 1]
    return bool(total) and total[0].value <= load


_OPTION = re.compile(
    r"(?<![\w-])[-\u2013]{1,2}(?P<name>[A-Za-z][\w-]*)[ =]+(?P<value>\d[\d,.]*[kKMGT]?)(?![\w.-])"
)
_LOW = word_set("min minimum low floor expected guaranteed")
_HIGH = word_set("max maximum high ceiling peak limit")
_NAMED = re.compile(r"^(min|max|peak|low|high)(?=[a-z]{3})", re.I)


def _options(sentence: Said) -> Iterator[Check]:
    """In one command, an option for the least above the one for the most of the same thing."""
    found: dict[frozenset[str], tuple[list[re.Match[str]], list[re.Match[str]]]] = defaultdict(
        lambda: ([], [])
    )
    for match in _OPTION.finditer(sentence.text):
        words = set(_NAMED.sub(r"\1-", match["name"].lower()).split("-"))
        if bool(words & _LOW) != bool(words & _HIGH) and "absolute" not in words:
            found[frozenset(words - _LOW - _HIGH)][bool(words & _HIGH)].append(match)
    for lows, highs in found.values():
        for one, two in product(lows, highs):
            low, high = (quantities(match["value"]) for match in (one, two))
            if low and high:
                least, most = _exact(sentence.slot(low[0])), sentence.slot(high[0])
                trial = bounded(most, "\u2265", least, loose=0)
                rule, text = f"{one[0].strip()} \u2264 {two[0].strip()}", two[0].strip()
                name = "The most of an option is not below the least"
                yield check_of(trial, OPTIONS, "limit", name, rule, doubt=True, printed=text)


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
    value = [
        n for n, head in enumerate(sheet.heads) if n and n not in bound and _FOUND_HEAD.search(head)
    ]
    if len(bound) == 1 and len(value) == 1:
        made = [c for row in range(len(sheet.texts)) for c in _row(sheet, row, bound[0], value[0])]
        failed = sum(check.outcome == FAILS for check in made)
        if 2 * failed <= len(made):
            yield from made


def _row(sheet: Sheet, row: int, bound: int, value: int) -> Iterator[Check]:
    printed, slot = sheet.texts[row][bound], sheet.at(row, value)
    match = _SIGNED.match(printed)
    found = quantities(match["rest"]) if match else ()
    if match is None or slot is None or len(found) != 1:
        return
    if slot.unit and found[0].unit and slot.kind != found[0].unit.kind:
        return
    sign = match["sign"].lower()
    most = sign[0] in "<\u2264" or sign.startswith(("max", "at most", "below", "under"))
    strict = sign in {"<", ">", "below", "under", "above"}
    limit = replace(slot, quantity=found[0], unit=found[0].unit or slot.unit, key="")
    trial = bounded(slot, _sign(most=most, strict=strict), _exact(limit), loose=0)
    verdicts = [text for text in sheet.texts[row] if _PASSED.match(text) or _FAILED.match(text)]
    passed = bool(_PASSED.match(verdicts[0])) if len(verdicts) == 1 else True
    rule = f"{printed}; printed: {verdicts[0]}" if len(verdicts) == 1 else printed
    trial = replace(trial, outcome=HOLDS if trial.held == passed else FAILS)
    name = f"{sheet.texts[row][0]}: the limit of its row"
    yield replace(check_of(trial, ROWS, "limit", name, rule), recomputed=printed)
