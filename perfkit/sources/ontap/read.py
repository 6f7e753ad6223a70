"""What ONTAP's shell shows of quality of service, in one file or many pasted into one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.sources.files import File, frame, joined_lines, reader, sections_of, table_text
from perfkit.sources.ontap import policies, statistics
from perfkit.sources.ontap.commands import Commands, command_of
from perfkit.sources.ontap.policies import Policies
from perfkit.sources.ontap.schema import (
    ADAPTIVE_POLICIES,
    ASSIGNMENTS,
    FIXED_POLICIES,
    QOS_COMMANDS,
    QOS_STATISTICS,
)
from perfkit.sources.ontap.statistics import Statistics, parts_off

VERSION = 1
SHOWN = 3

_IGNORED = re.compile(
    r"^\s*$|^\s*\d+ entr(?:y|ies) w(?:as|ere) displayed|^\s*\(.*\)\s*$|^\s*\*Estimated|^\s*Press <"
    r"|^\s*Last login|^\s*(?:\S+::\*?>\s*)?(?:set\b|date\b|rows\b|exit\b)"
    r"|^\S*::[\w\s-]*\*?>\s*$"
    r"|^\s*[|\s:-]+$|^\s*#"
)

_FENCE = "```"
"""Begins and ends an output in a Markdown document: what stands behind it is prose."""


@dataclass
class _File:
    path: str
    policies: Policies
    statistics: Statistics
    commands: Commands
    warnings: list[str] = field(default_factory=list)
    strange: list[tuple[int, str]] = field(default_factory=list)
    above: str = ""
    before: str = ""


def is_ontap_qos(head: str) -> bool:
    """Whether the beginning of a file is output or commands of ONTAP's QoS."""
    low = head.lower()
    if not any(word in low for word in _HINTS):
        return False
    lines = head.splitlines()[:200]
    return any(_is_qos(line) for line in lines)


_HINTS = ("qos", "workload", "volume", "policy", "iops")
"""Any output or command has one of these words: a quick look at files of other kinds."""


def _is_qos(line: str) -> bool:
    try:
        command = command_of(line.rstrip().removesuffix("\\"), "", 1)
    except ParseError:
        return False
    named = command and any(name.startswith("qos") for name in command.values)
    if command and (command.verbs.startswith(("qos", "statistics workload")) or named):
        return True
    heads = statistics.heads_of(line)
    return bool(heads) or (policies.is_head(line) and "IOPS" in line)


@reader
def read_ontap_qos(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read what ONTAP 9 shows of QoS: policies, their commands, and ``qos statistics``.

    One file may hold several outputs, with prompts or without. Tables
    (``perfkit.sources.ontap.schema``): ``qos_adaptive_policies`` (``qos adaptive-policy-group
    show``, also with ``-instance``, and what ``create`` and ``modify`` ask for), ``qos_policies``
    (``qos policy-group``), ``qos_assignments`` (``volume modify -qos-adaptive-policy-group``),
    ``qos_commands`` (every option of every command) and ``qos_statistics`` (performance, latency
    and characteristics of policy groups, workloads, volumes and files; ``statistics workload``).

    ONTAP's KB, MB, GB and TB are binary: 1 IOPS/GB is 1,024 IOPS/TB. A rate without a unit is per
    TB. The row ``-total-`` of each iteration is over all workloads: ``is_total``.

    Source: ONTAP 9.1 to 9.17 command reference; NetApp TR-4784.

    Raises ParseError naming file and line: no such file, empty, nothing of QoS in it, a row that
    does not fit its heads, or a value of another form.
    """
    given = File.of(path, root)
    file = _read(table_text(given.data, given.path), given.path)
    made: dict[str, tuple[list[Row], schema.Schema]] = {
        "qos_adaptive_policies": (
            [*file.policies.adaptive, *file.commands.policies],
            ADAPTIVE_POLICIES,
        ),
        "qos_policies": ([*file.policies.fixed, *file.commands.fixed], FIXED_POLICIES),
        "qos_assignments": (file.commands.assignments, ASSIGNMENTS),
        "qos_commands": (file.commands.options, QOS_COMMANDS),
        "qos_statistics": (file.statistics.rows, QOS_STATISTICS),
    }
    frames = {
        name: frame(sorted(rows, key=lambda row: int(row["line"])), table, given.label)
        for name, (rows, table) in made.items()
    }
    if not any(table.height for table in frames.values()):
        raise ParseError(given.path, "no output and no command of ONTAP's QoS in it")
    found = given.evidence(
        "ontap-qos",
        "ONTAP",
        sections=sections_of(frames),
        warnings=tuple(dict.fromkeys(_warnings(file, frames))),
    )
    return reading("read.ontap_qos", VERSION, frames, found)


def _read(text: str, path: str) -> _File:
    file = _File(path, Policies(path), Statistics(path), Commands(path))
    lines = [(number, line) for number, line in joined_lines(text) if line.strip()]
    for number, line in lines:
        _line(file, line, number, last=number == lines[-1][0])
    file.policies.end()
    if not lines or not file.statistics.rows:
        return file
    number, line = lines[-1]
    is_open = file.statistics.rows[-1]["line"] == number and not text.endswith("\n")
    if is_open and line[-1:].isdecimal():
        file.warnings.append(
            f"line {number}: the file ends without a line end: its last cell may be cut off"
        )
    return file


def _line(file: _File, line: str, number: int, *, last: bool) -> None:
    """Take one line: a command, heads, a row, a record's line, or a line of no interest."""
    above, file.above = file.above, line
    before, file.before = file.before, above
    command = command_of(line, file.path, number)
    if command:
        file.statistics.end()
        file.statistics.at = None
        file.policies.end()
        file.commands.take(command)
    elif file.statistics.time(line) or file.policies.pair(line, number):
        pass
    elif not _heads(file, line, above, before):
        _row(file, line, number, last=last)


def _heads(file: _File, line: str, above: str, before: str) -> bool:
    """Take heads of statistics, in one line or in two above a rule; whether there were any."""
    heads = statistics.heads_of(line)
    if heads is None and statistics.is_rule(line):
        heads = statistics.two_line_heads(before, above, line) or file.statistics.heads or None
    if heads:
        file.statistics.begin(heads)
        file.strange = [item for item in file.strange if item[1] not in {above, before}]
    return bool(heads)


def _row(file: _File, line: str, number: int, *, last: bool) -> None:
    wrapped = file.policies.wrapped
    if file.policies.row(line, number):
        file.statistics.end()
        file.strange = [item for item in file.strange if item[1].strip() != wrapped]
    elif line.startswith(_FENCE):
        file.statistics.end()
    elif _IGNORED.match(line) or policies.is_head(line) or statistics.is_rule(line):
        pass
    elif file.statistics.heads:
        cut = file.statistics.row(line, number, last=last)
        file.warnings.extend([cut] if cut else [])
    else:
        file.strange.append((number, line))


def _warnings(file: _File, frames: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    yield from file.warnings
    yield from file.commands.warnings
    for row in frames["qos_adaptive_policies"].rows(named=True):
        low, high = row["expected_iops_per_tb"], row["peak_iops_per_tb"]
        if low is not None and high is not None and high < low:
            yield (
                f"line {row['line']}: policy {row['policy']}: peak {high:,.0f} IOPS/TB is below "
                f"expected {low:,.0f} IOPS/TB"
            )
    off = ((row, parts_off(row)) for row in frames["qos_statistics"].rows(named=True))
    for row, parts in islice(((row, parts) for row, parts in off if parts is not None), SHOWN):
        yield (
            f"line {row['line']}: the parts of the latency of {row['name']} add up to "
            f"{parts * 1000:.3f} ms, and {row['latency_s'] * 1000:.3f} ms is printed: "
            "columns mixed up?"
        )
    if file.strange:
        number, line = file.strange[0]
        more = f" (and {len(file.strange) - 1} more)" if len(file.strange) > 1 else ""
        yield f"line {number}: not read: {line.strip()[:60]!r}{more}"
