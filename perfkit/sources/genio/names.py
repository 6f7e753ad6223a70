"""The column heads of GenIO's ``summary.csv``: every known spelling of each, and the units in them.

Heads as printed in NetApp TR-4784 (Tables 4 and 7 to 9) and its web version; nothing else of GenIO
is public, so other writings of the same words are taken too: case, blanks, dashes and units differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.core.errors import ParseError, did_you_mean

_ALIASES = {
    "run": "run, run id, runid, run no, run number, run nr, run name, test run",
    "host": "host, hostname, host name, server, server name, system, system name, node, client",
    "test": "test, test name, comment, description",
    "started_at": "start, started, start time, start date, start date time, start datetime, "
    "run start, timestamp, date time, datetime, date, time",
    "ended_at": "end, ended, end time, end date, finish, finished, stop, stop time, run end",
    "target_iops": "target iops, target, target total iops, requested iops, offered iops",
    "read_iops": "read iops, reads iops, iops read, readiops, read io, read ops, reads, "
    "reads per second, reads per sec, reads s, read s",
    "write_iops": "write iops, writes iops, iops write, writeiops, write io, write ops, writes, "
    "writes per second, writes per sec, writes s, write s",
    "total_iops": "total iops, iops, iops total, totaliops, total io, total ops, totals iops, "
    "combined iops, overall iops, total",
    "longest_write_cycle_s": "longest write cycle, longest write cycle time, longest write cycles, "
    "max write cycle, max write cycle time, maximum write cycle, longestwritecycle, "
    "longest wc, write cycle max, longest cycle",
    "longest_wij_time_s": "longest wij time, longest wij, max wij time, max wij, maximum wij time, "
    "longest wij write, longest wij write time, longestwijtime, wij time, longest wij cycle",
    "effective_write_latency_s": "effective write latency, eff write latency, "
    "effective write lat, eff write lat, effectivewritelatency, effective wr latency, "
    "write latency effective",
    "random_read_average_s": "randread average, random read average, rand read average, "
    "randread avg, random read avg, rand read avg, randreadaverage, randread mean, "
    "average randread, avg randread, average random read, average rand read, avg random read, "
    "random read mean, randread average latency, random read average latency, "
    "average random read latency, randread latency, random read latency, randread ave",
}
NAMES = {alias: name for name, text in _ALIASES.items() for alias in text.split(", ")}
"""A head in its plain form -> the column of ``genio_runs``."""

METRICS = (
    "read_iops", "write_iops", "total_iops", "longest_write_cycle_s", "longest_wij_time_s",
    "effective_write_latency_s", "random_read_average_s",
)  # fmt: skip
RATES = ("read_iops", "write_iops", "total_iops", "target_iops")
NUMBERS = (*METRICS, "target_iops")

_SECONDS = {
    "s": 0, "sec": 0, "secs": 0, "second": 0, "seconds": 0,
    "ms": -3, "msec": -3, "msecs": -3, "millisecond": -3, "milliseconds": -3, "millisec": -3,
    "us": -6, "usec": -6, "µs": -6, "μs": -6, "microseconds": -6,
}  # fmt: skip
_RATES = {
    "": 0, "iops": 0, "s": 0, "1 s": 0, "io s": 0, "ios s": 0, "ops": 0, "ops s": 0, "count": 0,
    "k": 3, "kiops": 3, "k iops": 3, "thousand": 3, "thousands": 3,
}  # fmt: skip
_USUAL = {"longest_write_cycle_s": "s", "longest_wij_time_s": "s",
          "effective_write_latency_s": "ms", "random_read_average_s": "ms"}  # fmt: skip
"""The unit GenIO prints where a head names none."""

_BRACKETS = re.compile(r"[(\[{]\s*(?P<unit>[^)\]}]*?)\s*[)\]}]")
_WORDS = re.compile(r"[^a-z0-9µμ]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
HINT = re.compile(r"read|write|longest|wij|latency", re.IGNORECASE)
"""Every line of a summary's heads has one of these words: a quick look at files of other kinds."""

_BARE = {"run", "read_iops", "write_iops", "total_iops"}
FEWEST = 2
"""How many known heads, a metric among them, identify the heads of a summary."""


@dataclass(frozen=True)
class Head:
    """One column of the file.

    Attributes:
        place: Its place, from 0.
        printed: The head as printed.
        name: The column of ``genio_runs``; None for one that perfkit does not know.
        power: The value counts ten to this power in SI.
        assumed: The unit that was taken because none is printed.
    """

    place: int
    printed: str
    name: str | None
    power: int = 0
    assumed: str | None = None


def _simple(text: str) -> str:
    return " ".join(_WORDS.sub(" ", text.lower()).split())


def _split(text: str) -> tuple[str | None, str | None]:
    """The known column of a head, and the unit in it: in brackets, or at its end."""
    found = _BRACKETS.search(text)
    rest = _BRACKETS.sub(" ", text)
    unit = _simple(found["unit"]) if found else None
    forms = dict.fromkeys((_simple(rest), _simple(_CAMEL.sub(" ", rest))))
    for form in forms:
        if form in NAMES:
            return NAMES[form], unit
    for form in forms:
        words = form.split(" ")
        shorter = " ".join(words[:-1])
        if len(words) > 1 and words[-1] in _SECONDS and shorter in NAMES and unit is None:
            return NAMES[shorter], words[-1]
    return None, unit


def known(cells: Sequence[str]) -> bool:
    """Whether cells are the heads of a summary."""
    names = {name for name, _ in map(_split, cells) if name}
    return len(names) >= FEWEST and bool(names & set(METRICS))


def is_summary(cells: Sequence[str]) -> bool:
    """Whether heads are GenIO's own rather than those of any tool with IOPS columns."""
    if len(cells) < FEWEST:
        return False
    names = {name for name, _ in map(_split, cells) if name}
    return len(names) >= FEWEST and (bool(names & set(METRICS[3:])) or names >= _BARE)


def heads_of(printed: Sequence[str], line: int, path: str) -> list[Head]:
    """The columns of a file.

    Raises ParseError for two columns of one meaning, an unknown unit, and heads without any IOPS.
    """
    heads = [_head(place, text, line, path) for place, text in enumerate(printed)]
    seen: dict[str, str] = {}
    for head in heads:
        if head.name in seen:
            raise ParseError(
                path, f"columns {seen[head.name]!r} and {head.printed!r} are both {head.name}", line
            )
        if head.name:
            seen[head.name] = head.printed
    return heads


def _head(place: int, text: str, line: int, path: str) -> Head:
    name, unit = _split(text)
    if name not in NUMBERS:
        return Head(place, text, name)
    units = _RATES if name in RATES else _SECONDS
    assumed = None
    if unit is None and name in _USUAL:
        unit = assumed = _USUAL[name]
    if (unit or "") not in units:
        raise ParseError(
            path, f"column {text!r}: unit {unit!r}; {did_you_mean(unit or '', list(units))}", line
        )
    return Head(place, text, name, units[unit or ""], assumed)
