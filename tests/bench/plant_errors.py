"""Errors planted, one at a time, where a document's own arithmetic would give them away.

tests/data/audit/supported.tsv says where: each row is one relation between numbers that other
people printed, found by reading the document (it holds no more of the document than the numbers
it names). A relation is checked before a number is planted: where it does not hold as printed,
nothing is planted.

The language of a row, for one line of the document after the other:

- ``c3`` is the first number of the line's fourth cell, ``c3.2`` the second one there;
- ``cJ`` stands for each of the row's columns in turn; ``c3[-11]`` is the cell 11 lines above;
- ``@58.6`` is the number printed so on this line, ``@73:58.6`` on line 73, ``#2`` the second such;
- ``~`` says equal within the roundings as printed and the slack beside it, ``<=`` not above.
"""

from __future__ import annotations

import ast
import csv
import itertools
import operator
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from places import ROOT, TESTS

SUPPORTED = TESTS / "data/audit/supported.tsv"
DOCUMENTS = ROOT.parent / "shared" / "real" / "foreign" / "audit_documents"
"""Where the documents are looked for if AUDIT_DOCUMENTS names no other folder."""

SEED = 19
MOST = 10
"""Errors planted into one document, at most."""

NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")
REFERENCE = re.compile(
    r"@(?:(?P<line>\d+):)?(?P<printed>\d[\d,]*(?:\.\d+)?)(?:#(?P<nth>\d+))?"
    r"|c(?P<column>\d+)(?:\.(?P<part>\d+))?(?:\[(?P<by>[+-]?\d+)\])?"
)
MINUS = re.compile(r"(?<![\w.)])(?:\\?-|[\u2212\u2013])$")


@dataclass(frozen=True)
class Number:
    """A number as printed, and where: line and span, both in the whole document."""

    line: int
    start: int
    printed: str
    negative: bool

    @property
    def value(self) -> float:
        size = float(self.printed.replace(",", ""))
        return -size if self.negative else size

    @property
    def half(self) -> float:
        """Half a unit of the last digit printed."""
        return 0.5 * 10.0 ** -len(self.printed.partition(".")[2])


@dataclass(frozen=True)
class Supported:
    """A row of supported.tsv: a relation that a document prints, and what may be planted in it."""

    half: str
    repository: str
    path: str
    lines: str
    columns: str
    claim: str
    relation: str
    formula: str
    slack: float
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Held:
    """One relation at one place: its claim and what the claim follows from."""

    claim: Number
    operands: tuple[Number, ...]
    relation: str
    formula: str
    slack: float

    def bounds(self, claim: Number | None = None) -> tuple[float, float, float]:
        """What the claim says, and the lowest and highest its operands allow."""
        results = [
            compute(
                self.formula,
                [o.value + s * o.half for o, s in zip(self.operands, signs, strict=True)],
            )
            for signs in itertools.product((-1, 1), repeat=len(self.operands))
        ]
        low, high = min(results), max(results)
        room = self.slack / 100 * max(abs(low), abs(high))
        return (claim or self.claim).value, low - room, high + room

    def holds(self) -> bool:
        value, low, high = self.bounds()
        if self.relation == "<=":
            return value <= high
        return low - self.claim.half <= value <= high + self.claim.half

    def broken_by(self, printed: str) -> bool:
        """Whether the claim so printed is clearly wrong: well beyond every rounding."""
        claim = replace(self.claim, printed=printed)
        value, low, high = self.bounds(claim)
        if self.relation == "<=":
            return value > 1.2 * high
        beyond = max(low - value, value - high) - claim.half
        return beyond > max(0.008 * abs(value), 2 * claim.half, 0.5 * (high - low))


@dataclass(frozen=True)
class Planted:
    """A document with one error: what is printed where, and what stood there."""

    document: str
    half: str
    kind: str
    number: Number
    planted: str
    operands: tuple[Number, ...]
    text: str = field(repr=False)


OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def compute(formula: str, values: list[float]) -> float:
    """The formula with ``_0``, ``_1``, ... as its values.

    Raises:
        ValueError: The formula says something else than ``+ - * /``.
    """

    def of(node: ast.expr) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return float(node.value)
        if isinstance(node, ast.Name):
            return values[int(node.id[1:])]
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](of(node.left), of(node.right))
        raise ValueError(f"not an arithmetic formula: {formula}")

    return of(ast.parse(formula, mode="eval").body)


def numbers(line: str, at: int, start: int = 0, end: int | None = None) -> list[Number]:
    """The numbers of a line between two places, in order."""
    return [
        Number(at, m.start(), m[0].rstrip(","), bool(MINUS.search(line[: m.start()])))
        for m in NUMBER.finditer(line, start, len(line) if end is None else end)
    ]


def cell(line: str, at: int, column: int, part: int) -> Number:
    """The number of a cell of a pipe table's line."""
    bars = [m.start() for m in re.finditer(r"(?<!\\)\|", line)]
    if line.strip().startswith("|"):
        bars = bars[1:]
        first = line.index("|") + 1
    else:
        first = 0
    edges = [first, *(b + 1 for b in bars), len(line) + 1]
    return numbers(line, at, edges[column], edges[column + 1] - 1)[part - 1]


def find(reference: re.Match[str], lines: list[str], at: int) -> Number:
    """The number that a reference names, seen from a line (counted from 1)."""
    if reference["column"]:
        line = at + int(reference["by"] or 0)
        return cell(lines[line - 1], line, int(reference["column"]), int(reference["part"] or 1))
    line = int(reference["line"] or at)
    named = [n for n in numbers(lines[line - 1], line) if n.printed == reference["printed"]]
    return named[int(reference["nth"] or 1) - 1]


def span(text: str) -> list[int]:
    """``3-5`` as 3, 4, 5."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def held(row: Supported, lines: list[str]) -> Iterator[Held]:
    """The relations of a row at every line and column where they hold as printed.

    Raises:
        ValueError: A number that the row names is not in the document.
    """
    for at, column in itertools.product(span(row.lines), span(row.columns or "0")):
        try:
            claim, formula = (s.replace("cJ", f"c{column}") for s in (row.claim, row.formula))
            references = list(REFERENCE.finditer(formula))
            operands = tuple(find(r, lines, at) for r in references)
            for i, reference in reversed(list(enumerate(references))):
                formula = formula[: reference.start()] + f"_{i}" + formula[reference.end() :]
            match = REFERENCE.fullmatch(claim)
            assert match
            found = Held(find(match, lines, at), operands, row.relation, formula, row.slack)
        except IndexError:
            raise ValueError(f"{row.path}:{at}: {row.claim} {row.formula} is not there") from None
        if found.holds():
            yield found


def printed_as(value: float, like: str) -> str:
    """A value with the digits and the thousands' commas of a printed one."""
    digits = len(like.partition(".")[2])
    return f"{value:,.{digits}f}" if "," in like else f"{value:.{digits}f}"


def swapped(held: Held) -> Iterator[str]:
    """Two neighbouring digits exchanged, or one digit another."""
    text = held.claim.printed
    for i, j in itertools.pairwise(i for i, c in enumerate(text) if c.isdigit()):
        yield text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
    for i, digit in itertools.islice(((i, c) for i, c in enumerate(text) if c.isdigit()), 2):
        for other in "3719":
            if other != digit:
                yield text[:i] + other + text[i + 1 :]


def moved(held: Held) -> Iterator[str]:
    """The decimal point one place on or back."""
    size = abs(held.claim.value)
    digits = len(held.claim.printed.partition(".")[2])
    if digits:
        yield (
            f"{size * 10:,.{digits - 1}f}"
            if "," in held.claim.printed
            else (f"{size * 10:.{digits - 1}f}")
        )
    yield printed_as(size * 10, held.claim.printed)
    yield f"{size / 10:.{digits + 1}f}"


def other_unit(held: Held) -> Iterator[str]:
    """A value counted in 1000s where the document counts in 1024s, or the other way round."""
    for factor in (1.024, 1 / 1.024, 1.024**2, 1.024**3):
        yield printed_as(abs(held.claim.value) * factor, held.claim.printed)


def above(held: Held) -> Iterator[str]:
    """More than what it may not exceed."""
    _, _, high = held.bounds()
    for factor in (1.4, 1.9, 2.6):
        yield printed_as(high * factor, held.claim.printed)


WAYS: dict[str, Callable[[Held], Iterator[str]]] = {
    "total": swapped,
    "percent": swapped,
    "factor": swapped,
    "difference": swapped,
    "product": swapped,
    "twice": swapped,
    "decimal": moved,
    "unit": other_unit,
    "order": above,
    "extreme": above,
    "limit": above,
}
"""How the error of each kind is made of what is printed."""


def supported() -> dict[tuple[str, str], list[Supported]]:
    """The rows of supported.tsv by repository and path."""
    rows: dict[tuple[str, str], list[Supported]] = {}
    with SUPPORTED.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            slack, kinds = float(row.pop("slack_percent")), tuple(row.pop("kinds").split())
            known = Supported(**row, slack=slack, kinds=kinds)
            rows.setdefault((known.repository, known.path), []).append(known)
    return rows


def plant(text: str, rows: list[Supported], seed: int = SEED) -> list[Planted]:
    """Up to ten errors for a document, each alone in a copy: a kind at a time, then again."""
    chance = random.Random(f"{seed} {rows[0].path}")
    lines = text.split("\n")
    waiting: dict[str, list[tuple[Supported, Held]]] = {}
    for row in rows:
        for relation in held(row, lines):
            for kind in row.kinds:
                waiting.setdefault(kind, []).append((row, relation))
    for choices in waiting.values():
        chance.shuffle(choices)
    planted: list[Planted] = []
    taken: set[tuple[int, int]] = set()
    while len(planted) < MOST and any(waiting.values()):
        for kind in WAYS:
            made = next_of(kind, waiting.get(kind, []), taken, lines, chance)
            if made and len(planted) < MOST:
                planted.append(made)
                taken.add((made.number.line, made.number.start))
    return planted


def next_of(
    kind: str,
    choices: list[tuple[Supported, Held]],
    taken: set[tuple[int, int]],
    lines: list[str],
    chance: random.Random,
) -> Planted | None:
    """The next error of a kind at a place not used yet, or none."""
    while choices:
        row, relation = choices.pop()
        number = relation.claim
        wrong = [
            p
            for p in dict.fromkeys(WAYS[kind](relation))
            if p != number.printed and (p[0] != "0" or p[1:2] == ".") and relation.broken_by(p)
        ]
        if (number.line, number.start) in taken or not wrong:
            continue
        new = chance.choice(wrong) if WAYS[kind] is swapped else wrong[0]
        line = lines[number.line - 1]
        end = number.start + len(number.printed)
        changed = line[: number.start] + new + line[end:]
        copy = "\n".join([*lines[: number.line - 1], changed, *lines[number.line :]])
        name = f"{row.repository}/{row.path}"
        return Planted(name, row.half, kind, number, new, relation.operands, copy)
    return None


def document(folder: Path, row: Supported) -> str | None:
    """The text of a row's document in a folder, or none where it is not there."""
    path = folder / row.repository / row.path
    return path.read_text(encoding="utf-8") if path.is_file() else None
