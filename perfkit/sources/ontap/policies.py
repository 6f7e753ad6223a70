"""``qos adaptive-policy-group show``, ``qos policy-group show``: rows, and ``-instance`` records.

Rows are read by their own form, not by columns: the heads hold blanks and differ by release (9.3
has five columns, later ones add the minimum and the block size).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.units import DIGITS
from perfkit.sources.ontap import units
from perfkit.sources.ontap.commands import rate

_RATE = rf"{DIGITS}(?:\.\d+)?IOPS(?:/(?:TB|GB))?"
_REST = (
    rf"(?P<vserver>\S+)\s+(?P<workloads>\d+)\s+(?P<expected>{_RATE})\s+(?P<peak>{_RATE})"
    rf"(?:\s+(?P<minimum>{DIGITS}(?:IOPS)?))?(?:\s+(?P<block>\d+K|ANY))?\s*$"
)
_ROW = re.compile(r"\s*(?P<policy>\S+)\s+" + _REST, re.I)
_TAIL = re.compile(r"\s+" + _REST, re.I)
_FIXED = re.compile(
    r"\s*(?P<policy>\S+)\s+(?P<vserver>\S+)\s+(?P<class>user-defined|preset|system-defined|system)\s+"
    r"(?P<workloads>\d+|-)\s+(?P<limits>[\dI]\S*)(?:\s+(?P<shared>true|false))?\s*$",
    re.I,
)
_HEAD = re.compile(r"\bVserver\b.*\bWklds\b|^\s*(?:Name\s+)?Expected\b.*\bPeak\b", re.I)
_PAIR = re.compile(r"^\s*(?P<key>[A-Za-z][\w /-]*?):\s*(?P<value>.*?)\s*$")

_KEYS = {
    "policy group name": "policy", "name": "policy", "vserver": "vserver",
    "number of workloads": "workloads", "expected iops": "expected", "peak iops": "peak",
    "absolute minimum iops": "minimum", "absolute min iops": "minimum",
    "expected iops allocation": "expected_allocation", "peak iops allocation": "peak_allocation",
    "block size": "block_size", "policy group class": "policy_class",
    "maximum throughput": "max", "minimum throughput": "min", "throughput limit": "limits",
    "throughput policy": "limits", "is shared": "is_shared",
}  # fmt: skip
_STARTS = {"policy group name", "name"}
_SILENT = {"uuid", "id", "policy group id", "pgid", "is policy auto generated", "is adaptive"}


@dataclass
class Policies:
    """The policies of a file while they are read."""

    path: str
    adaptive: list[dict[str, Any]] = field(default_factory=list)
    fixed: list[dict[str, Any]] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)
    wrapped: str | None = None

    def row(self, line: str, number: int) -> bool:
        """Take a row of either listing; whether it was one."""
        plain = line.replace("|", " ")
        found = _ROW.match(plain)
        if not found and self.wrapped is not None:
            tail = _TAIL.match(plain)
            found = _ROW.match(f"{self.wrapped} {plain.strip()}") if tail else None
        self.wrapped = None
        if found:
            self.adaptive.append(_adaptive(found.groupdict(), self.path, number))
            return True
        fixed = _FIXED.match(plain)
        if fixed:
            self.fixed.append(_fixed(fixed.groupdict(), self.path, number))
            return True
        if len(plain.split()) == 1:
            self.wrapped = plain.strip()  # a long name stands on a line of its own
        return False

    def pair(self, line: str, number: int) -> bool:
        """Take a "Key: value" line of an -instance record; whether it was one."""
        found = _PAIR.match(line)
        key = found["key"].lower() if found else ""
        if not found or (key not in _KEYS and key not in _SILENT):
            return False
        if key in _STARTS:
            self.end()
            self.record = {"line": number}
        if not self.record:
            return False
        if key in _KEYS and found["value"] not in units.NONE:
            self.record[_KEYS[key]] = found["value"]
        return True

    def end(self) -> None:
        """The -instance record is whole."""
        record, self.record = self.record, {}
        line = record.pop("line", 0)
        if "expected" in record or "peak" in record:
            record = {"block": record.pop("block_size", None), **record}
            self.adaptive.append(_adaptive(record, self.path, line))
        elif {"max", "min", "limits", "policy_class"} & set(record):
            self.fixed.append(_fixed_record(record, self.path, line))


def is_head(line: str) -> bool:
    """Whether a line is the head of either listing."""
    return bool(_HEAD.search(line))


def _adaptive(found: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    row = {name: found.get(name) for name in ("policy", "vserver")}
    row |= {name: found.get(name) for name in ("expected_allocation", "peak_allocation")}
    for name in ("expected", "peak"):
        if found.get(name):
            row |= rate(name, found[name], path, line)
    minimum, block = found.get("minimum"), found.get("block")
    return {
        **row,
        "origin": "show",
        "workloads": _count(found.get("workloads")),
        "absolute_min_iops": _value(units.iops, minimum, path, line),
        "block_size": block.upper() if block else None,
        "line": line,
    }


def _fixed(found: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    return {
        "policy": found["policy"],
        "vserver": found["vserver"],
        "origin": "show",
        "policy_class": found["class"],
        "workloads": _count(found["workloads"]),
        **(_value(units.limits, found["limits"], path, line) or {}),
        "is_shared": _value(units.flag, found["shared"], path, line),
        "line": line,
    }


def _fixed_record(record: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    row: dict[str, Any] = {"origin": "show", "line": line}
    row |= {name: record.get(name) for name in ("policy", "vserver", "policy_class")}
    row["workloads"] = _count(record.get("workloads"))
    row["is_shared"] = _value(units.flag, record.get("is_shared"), path, line)
    row |= _value(units.limits, record.get("limits"), path, line) or {}
    for side in ("min", "max"):
        made = _value(units.limits, record.get(side), path, line) or {}
        row |= {name.replace("max_", f"{side}_"): value for name, value in made.items()}
    return row


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def _value(function: Any, text: str | None, path: str, line: int) -> Any:
    if text is None:
        return None
    try:
        return function(text)
    except ValueError as problem:
        raise ParseError(path, str(problem), line) from None
