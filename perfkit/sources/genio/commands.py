"""The command lines of Epic's RampRun.pl and dgen.pl, as typed, logged or printed in a document.

Forms as in NetApp TR-4784, sections 4.1 and 4.2: ``--miniops 75000`` becomes ``-miniops`` or
``–miniops`` in print, and ``--comment Ramp 75-110k`` is not quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import polars as pl

from perfkit.core.errors import ParseError, did_you_mean
from perfkit.sources.files import joined_lines

T = TypeVar("T", float, "pl.Expr")

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
"""The hyphen, and what word processors make of it."""

TOOLS = {"ramprun": "RampRun.pl", "dgen": "dgen.pl"}
_CALL = re.compile(
    r"(?:^|[\s/\\`'\"#>$])(?P<tool>ramprun|dgen)(?:\.pl)?(?=\s+\\?\s*['\"]?[" + DASHES + r"]|\s*$)",
    re.I,
)
_PIECE = re.compile(r"\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>\S+)")
_OPTION = re.compile(rf"[{DASHES}]{{1,2}}(?P<name>[A-Za-z][\w-]*)(?:=(?P<value>.*))?$", re.S)
_SHELL_END = re.compile(r"^(?:&|&&|;|\||>|>>|2>&1|2>.*|>.*)$")
_CURLY = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})

_NUMBER, _WHOLE, _TEXT, _SWITCH = "number", "whole", "text", "switch"
OPTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "RampRun.pl": {
        "miniops": (_NUMBER, "min_iops"), "maxiops": (_NUMBER, "max_iops"),
        "numruns": (_WHOLE, "num_runs"), "runtime": (_NUMBER, "runtime"),
        "system": (_TEXT, "server"), "comment": (_TEXT, "comment"), "wijfile": (_TEXT, "wij_file"),
        "background": (_SWITCH, "background"), "disable-warmup": (_SWITCH, "warmup_disabled"),
        "quiet": (_SWITCH, "quiet"),
    },
    "dgen.pl": {
        "directory": (_TEXT, "directory"), "jobs": (_WHOLE, "jobs"), "quiet": (_SWITCH, "quiet"),
        "pctfull": (_NUMBER, "fill_ratio"),
    },
}  # fmt: skip
"""Tool -> option -> the kind of its value, and the parameter that it gives."""

DEFAULT_FILL = 0.95
"""dgen.pl fills 95% where --pctfull is not given (TR-4784, section 4.1)."""

_MANY_WORDS = {"comment"}
"""Options that take every word up to the next option."""


@dataclass(frozen=True)
class Option:
    """One option as written."""

    name: str
    value: str | None
    known: bool


@dataclass(frozen=True)
class Parameters:
    """What the known options of a command say: columns of ``genio_commands``; None: not given."""

    min_iops: float | None = None
    max_iops: float | None = None
    num_runs: int | None = None
    runtime: float | None = None
    server: str | None = None
    comment: str | None = None
    wij_file: str | None = None
    directory: str | None = None
    jobs: int | None = None
    fill_ratio: float | None = None
    fill_origin: Literal["printed", "default"] | None = None
    background: bool | None = None
    warmup_disabled: bool | None = None
    quiet: bool | None = None


@dataclass(frozen=True)
class Command:
    """One command line: the tool, its options in order, and what they say."""

    tool: str
    text: str
    options: tuple[Option, ...]
    parameters: Parameters
    line: int | None = None
    file: str | None = None


def has_command(text: str) -> bool:
    """Whether a text holds a command line of either tool."""
    low = text.lower()
    return ("ramprun" in low or "dgen" in low) and bool(_CALL.search(text))


def commands_in(text: str, path: str, file: str | None = None, first: int = 1) -> list[Command]:
    """Every command line in a text; one that goes on behind a backslash is one.

    Raises ParseError, with the line, for a number that is none and a value that is missing.
    """
    return [
        parse_command(line, path, number, file)
        for number, line in joined_lines(text, first)
        if has_command(line)
    ]


def parse_command(
    text: str, path: str = "command", line: int | None = None, file: str | None = None
) -> Command:
    """One command line of RampRun.pl or dgen.pl.

    Options have one dash, two, or an en dash for either; ``--comment`` takes every word up to the
    next option, quoted or not. Unknown options are kept with ``known`` false.

    Raises ParseError for a line of neither tool, an option that lacks its value, a number that is
    none, and an option given twice with different values.
    """
    found = _CALL.search(text)
    if not found:
        raise ParseError(path, "no command line of RampRun.pl or dgen.pl", line)
    tool = TOOLS[found["tool"].lower()]
    words = list(_words(text[found.end() :].strip().rstrip("`")))
    options = tuple(_options(tool, words, path, line))
    parameters = Parameters()
    for option in options:
        if option.known:
            kind, column = OPTIONS[tool][option.name]
            value: Any = True if kind == _SWITCH else option.value
            if kind in {_NUMBER, _WHOLE}:
                number = _number(option, kind, path, line)
                value = number / 100 if column == "fill_ratio" else number
            if getattr(parameters, column) not in {None, value}:
                raise ParseError(
                    path, f"--{option.name} is given twice, with different values", line
                )
            given: dict[str, Any] = {column: value}
            parameters = replace(parameters, **given)
    if tool == "dgen.pl":
        printed = parameters.fill_ratio is not None
        parameters = replace(
            parameters,
            fill_ratio=parameters.fill_ratio if printed else DEFAULT_FILL,
            fill_origin="printed" if printed else "default",
        )
    return Command(tool, text.strip().strip("`").strip(), options, parameters, line, file)


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Each word, and whether it was quoted."""
    for piece in _PIECE.finditer(text.translate(_CURLY)):
        quoted = piece["bare"] is None
        word = piece["double"] or piece["single"] or piece["bare"] or ""
        if not quoted and _SHELL_END.match(word):
            return
        yield word, quoted


def _options(
    tool: str, words: list[tuple[str, bool]], path: str, line: int | None
) -> Iterator[Option]:
    place = 0
    while place < len(words):
        word, quoted = words[place]
        found = None if quoted else _OPTION.match(word)
        if not found:
            raise ParseError(path, f"{word!r} belongs to no option of {tool}", line)
        name = found["name"].lower()
        kind = OPTIONS[tool].get(name, (None, None))[0]
        place += 1
        value = found["value"]
        if value is None and kind != _SWITCH:
            limit = len(words) if name in _MANY_WORDS else place + 1
            taken = list(_values(words[place:limit]))
            place += len(taken)
            value = " ".join(taken) or None
        if value is None and kind in {_NUMBER, _WHOLE, _TEXT}:
            raise ParseError(path, f"--{name} of {tool} has no value", line)
        yield Option(name, value, kind is not None)


def _values(words: Iterable[tuple[str, bool]]) -> Iterator[str]:
    """The words up to the next option; a negative number or a quoted word is not an option."""
    for word, quoted in words:
        if not quoted and _OPTION.match(word):
            return
        yield word


_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?P<number>\d+(?:\.\d+)?)[kK]$")


def _number(option: Option, kind: str, path: str, line: int | None) -> float | int:
    text = option.value or ""
    short = _THOUSANDS.match(text)
    if not short and not _DIGITS.fullmatch(text):
        raise ParseError(path, f"--{option.name} {text!r}: not a number", line)
    number = float(short["number"]) * 1000 if short else float(text.replace(",", ""))
    if kind != _WHOLE:
        return number
    if not number.is_integer():
        raise ParseError(path, f"--{option.name} {text!r}: not a whole number", line)
    return int(number)


def check_ramp(command: Command) -> Iterator[str]:
    """Warnings about a ramp that cannot be run as written, or has unknown options."""
    asked = command.parameters
    low, high, runs = asked.min_iops, asked.max_iops, asked.num_runs
    if low is not None and high is not None and low > high:
        yield f"--miniops {low:,.0f} is above --maxiops {high:,.0f}"
    if runs is not None and runs < 1:
        yield f"--numruns {runs} is not a number of runs"
    unknown = [option.name for option in command.options if not option.known]
    if unknown:
        known = did_you_mean(unknown[0], list(OPTIONS[command.tool]))
        yield f"{command.tool}: option --{unknown[0]} is not known ({known})"


def target(low: float, high: float, runs: int, number: T) -> T:
    """The target IOPS of run ``number`` (from 1) of a ramp: low + (high - low) * number / runs.

    ``number`` is a number, or an expression over a column of them.

    Inferred from TR-4784: with it every run of Table 9 achieves 98.2% to 98.5% of its target, and
    the A300's result is run 6 of its ramp at 98.4%. Epic's own rule is not public.
    """
    return number * (high - low) / runs + low
