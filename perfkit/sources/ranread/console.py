"""What RanRead, RanWrite and RanIO print on the console, in every build since 2016.

Forms after the sources and README of intersystems-community/perftools-io-test-suite (2022 to 2026)
and prints of the tool's first version (2016).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from perfkit.core.errors import ParseError
from perfkit.sources.ranread.schema import PrintedRun

_NUMBER = r"(?P<{0}>-?(?:(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?![\d,])\.?\d*|\.\d+)(?:E[+-]?\d+)?)"
_RUN = re.compile(
    r"##class\(PerfTools\.(?P<tool>RanRead|RanWrite|RanIO)\)\.Run\(\s*\"(?P<database>[^\"]*)\""
    r"(?:\s*,\s*(?P<processes>\d+))?(?:\s*,\s*(?P<count>\d+))?"
)
_START = re.compile(
    r"^(?:(?P<tool>RanRead|RanWrite|RanIO) process (?P<job>\d+) creating (?P<count>\d+) worker "
    r"processes|Creating (?P<older>\d+) processes) in the background"
)
_RESPONSE = re.compile(
    r"^(?:(?P<tool>RanRead|RanWrite|RanIO) job (?P<job>\d+)'s )?(?P<processes>\d+) processes"
    rf"(?: \({_NUMBER.format('amount')} (?P<unit>seconds|iterations)\))?"
    rf"(?: had)? average response time = {_NUMBER.format('response')}\s*ms"
)
_IOPS = re.compile(
    rf"^Calculated IOPS(?: for (?P<tool>RanRead|RanWrite|RanIO) job (?P<job>\d+))? = "
    rf"{_NUMBER.format('iops')}"
)
_RATES = re.compile(
    r"^(?P<tool>RanRead|RanWrite|RanIO) job (?P<job>\d+)'s (?P<processes>\d+) processes "
    rf"(?:total )?total (?P<what>reads|writes)/s = {_NUMBER.format('rate')}"
)
_MORE = re.compile(rf"^\s*and total writes/s = {_NUMBER.format('rate')}")
_MIX = re.compile(rf"^(?P<which>Target |Actual )?[Rr]ead I/O = {_NUMBER.format('percent')}%")
_ERROR = re.compile(r"^\s*(?:ERROR\b|<[A-Z]{4,}>)")


@dataclass
class Console:
    """The runs found in a transcript, each as it was printed, and the one that has begun."""

    path: str
    runs: list[PrintedRun] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    begun: PrintedRun = field(default_factory=lambda: PrintedRun(0))
    started: bool = False


def is_console(head: str) -> bool:
    """Whether a text has a result of one of the tools, or its start."""
    if "processes" not in head:
        return False
    return any(
        pattern.match(line) for line in head.splitlines() for pattern in (_START, _RESPONSE, _RATES)
    )


def console_runs(text: str, path: str) -> Console:
    """The runs of a transcript, in its order.

    Raises ParseError for an IOPS line without its response time, or of another job.
    """
    console = Console(path)
    for number, line in enumerate(text.splitlines(), 1):
        _line(console, line.rstrip(), number)
    _unfinished(console)
    return console


def _line(console: Console, line: str, number: int) -> None:
    for pattern, take in _TAKERS:
        found = pattern.search(line) if pattern is _RUN else pattern.match(line)
        if found:
            take(console, found.groupdict(), number)
            return
    if _ERROR.match(line):
        console.warnings.append(f"line {number}: the tool reports: {line.strip()[:80]}")


Found = dict[str, str | None]


def _command(console: Console, found: Found, number: int) -> None:
    _unfinished(console)
    count = found["count"]
    console.begun = PrintedRun(
        number,
        tool=found["tool"],
        database=found["database"],
        asked_s=int(count) if count else None,
    )


def _start(console: Console, found: Found, number: int) -> None:
    if console.started:
        _unfinished(console)
    begun = console.begun
    begun.line, begun.tool = number, found["tool"] or begun.tool
    begun.numbers["job"] = found["job"] or begun.numbers.get("job")
    console.started = True


def _unfinished(console: Console) -> None:
    if console.started:
        console.warnings.append(
            f"line {console.begun.line}: a run begins here and no result of it follows"
        )
    console.begun, console.started = PrintedRun(0), False


def _result(console: Console, found: Found, number: int) -> PrintedRun:
    """A new run from what its start and its result say."""
    run = console.begun
    console.begun, console.started = PrintedRun(0), False
    # until 2022 there was RanRead alone, and its lines do not name it
    run.line, run.tool = number, found.get("tool") or run.tool or "RanRead"
    run.numbers["job"] = found.get("job") or run.numbers.get("job")
    run.numbers["processes"] = found["processes"]
    console.runs.append(run)
    return run


def _response(console: Console, found: Found, number: int) -> None:
    run = _result(console, found, number)
    run.numbers["response_ms"] = found["response"]
    if found["unit"]:
        run.numbers[found["unit"]] = found["amount"]


def _iops(console: Console, found: Found, number: int) -> None:
    last = console.runs[-1].numbers if console.runs else {}
    other = found["job"] and last.get("job") and found["job"] != last["job"]
    if "response_ms" not in last or "iops" in last or other:
        raise ParseError(console.path, "calculated IOPS without a response time above", number)
    last["iops"] = found["iops"]


def _rates(console: Console, found: Found, number: int) -> None:
    run = _result(console, found, number)
    run.numbers[f"{found['what']}_per_s"] = found["rate"]


def _more(console: Console, found: Found, number: int) -> None:
    if not console.runs or "reads_per_s" not in console.runs[-1].numbers:
        raise ParseError(console.path, "total writes/s without total reads/s above", number)
    console.runs[-1].numbers["writes_per_s"] = found["rate"]


def _mix(console: Console, found: Found, _number: int) -> None:
    if found["which"] != "Actual ":
        console.begun.numbers["read_percent"] = found["percent"]


_TAKERS = (
    (_RUN, _command),
    (_START, _start),
    (_RESPONSE, _response),
    (_IOPS, _iops),
    (_RATES, _rates),
    (_MORE, _more),
    (_MIX, _mix),
)
