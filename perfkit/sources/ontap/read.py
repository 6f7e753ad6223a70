"""What ONTAP's shell shows of quality of service, in one file or many pasted into one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.sources.files import file_bytes, reader
from perfkit.sources.ontap import policies, statistics
from perfkit.sources.ontap.commands import Command, Commands, command_of
from perfkit.sources.ontap.policies import Policies
from perfkit.sources.ontap.schema import (
    ADAPTIVE_POLICIES,
    ASSIGNMENTS,
    FIXED_POLICIES,
    QOS_COMMANDS,
    QOS_STATISTICS,
)
from perfkit.sources.ontap.statistics import Statistics, parts_off
from perfkit.sources.separated import text_of_bytes

VERSION = 1
SHOWN = 3

_IGNORED = re.compile(
    r"^\s*$|^\s*\d+ entr(?:y|ies) w(?:as|ere) displayed|^\s*\(.*\)\s*$|^\s*\*Estimated|^\s*Press <"
    r"|^\s*Last login|^\s*(?:\S+::\*?>\s*)?(?:set\b|date\b|rows\b|exit\b)|^```"
    r"|^\S*::[\w\s-]*\*?>\s*$"
    r"|^\s*[|\s:-]+$|^\s*#"
)


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
    lines = head.splitlines()[:200]
    return any(_is_qos(line) for line in lines)


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
    place = Path(path)
    label = proof.label(place, root)
    data = file_bytes(place, str(place))
    text = text_of_bytes(data, str(place))
    file = _read(text, str(place))
    frames = _frames(file, label)
    if not any(frame.height for frame in frames.values()):
        raise ParseError(str(place), "no output and no command of ONTAP's QoS in it")
    found = Evidence(
        kind="ontap-qos",
        path=label,
        sha256=proof.sha256_bytes(data),
        tool="ONTAP",
        sections=tuple(
            Section(name, "found" if frame.height else "absent", frame.height or None)
            for name, frame in frames.items()
        ),
        warnings=tuple(dict.fromkeys(_warnings(file))),
    )
    return reading("read.ontap_qos", VERSION, frames, found)


def _read(text: str, path: str) -> _File:
    file = _File(path, Policies(path), Statistics(path), Commands(path))
    lines = list(_joined(text))
    for number, line in lines:
        _line(file, line, number, last=number == lines[-1][0])
    file.policies.end()
    if lines and file.statistics.rows and file.statistics.rows[-1]["line"] == lines[-1][0]:
        file.warnings.extend(_open_end(lines[-1], whole=text.endswith("\n")))
    return file


def _open_end(last: tuple[int, str], *, whole: bool) -> Iterator[str]:
    """The doubt about a last row that ends in digits and has no line end."""
    number, line = last
    if not whole and line[-1:].isdigit():
        yield f"line {number}: the file ends without a line end: its last cell may be cut off"


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; one that goes on behind a backslash is one. Empty ones left out."""
    held, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start if held else number
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1] + " "
        elif held or line.strip():
            yield start, held + line
            held = ""
    if held:
        yield start, held


def _line(file: _File, line: str, number: int, *, last: bool) -> None:
    """Take one line: a command, heads, a row, a record's line, or a line of no interest."""
    above, file.above = file.above, line
    before, file.before = file.before, above
    command = command_of(line, file.path, number)
    if command:
        _command(file, command)
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
    elif _IGNORED.match(line) or policies.is_head(line) or statistics.is_rule(line):
        pass
    elif file.statistics.heads:
        cut = file.statistics.row(line, number, last=last)
        file.warnings.extend([cut] if cut else [])
    else:
        file.strange.append((number, line))


def _command(file: _File, command: Command) -> None:
    file.statistics.end()
    file.statistics.at = None
    file.policies.end()
    file.commands.take(command)


def _frames(file: _File, label: str) -> dict[str, pl.DataFrame]:
    made: dict[str, tuple[list[dict[str, Any]], schema.Schema]] = {
        "qos_adaptive_policies": (
            [*file.policies.adaptive, *file.commands.policies],
            ADAPTIVE_POLICIES,
        ),
        "qos_policies": ([*file.policies.fixed, *file.commands.fixed], FIXED_POLICIES),
        "qos_assignments": (file.commands.assignments, ASSIGNMENTS),
        "qos_commands": (file.commands.options, QOS_COMMANDS),
        "qos_statistics": (file.statistics.rows, QOS_STATISTICS),
    }
    frames = {}
    for name, (rows, wanted) in made.items():
        whole = [dict.fromkeys(wanted) | row for row in sorted(rows, key=lambda row: row["line"])]
        frame = pl.DataFrame(whole, schema=schema.polars_schema(wanted))
        frames[name] = schema.conform(frame, wanted, label)
    return frames


def _warnings(file: _File) -> Iterator[str]:
    yield from file.warnings
    yield from file.commands.warnings
    for row in [*file.policies.adaptive, *file.commands.policies]:
        low, high = row.get("expected_iops_per_tb"), row.get("peak_iops_per_tb")
        if low is not None and high is not None and high < low:
            yield (
                f"line {row['line']}: policy {row['policy']}: peak {high:,.0f} IOPS/TB is below "
                f"expected {low:,.0f} IOPS/TB"
            )
    off = [(row, parts_off(row)) for row in file.statistics.rows]
    for row, parts in [(row, parts) for row, parts in off if parts is not None][:SHOWN]:
        yield (
            f"line {row['line']}: the parts of the latency of {row['name']} add up to "
            f"{parts * 1000:.3f} ms, and {row['latency_s'] * 1000:.3f} ms is printed: "
            "columns mixed up?"
        )
    if file.strange:
        number, line = file.strange[0]
        more = f" (and {len(file.strange) - 1} more)" if len(file.strange) > 1 else ""
        yield f"line {number}: not read: {line.strip()[:60]!r}{more}"
