"""``qos adaptive-policy-group show``, ``qos policy-group show``: rows, and ``-instance`` records.

Rows are read by their own form, not by columns: the heads hold blanks and differ by release (9.3
has five columns, later ones add the minimum and the block size).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.core.units import DIGITS
from perfkit.sources.ontap import units

_RATE = rf"{DIGITS}(?:\.\d+)?IOPS(?:/(?:TB|GB))?"
_REST = (
    rf"(?P<vserver>\S+)\s+(?P<workloads>\d+)\s+(?P<expected>{_RATE})\s+(?P<peak>{_RATE})"
    rf"(?:\s+(?P<absolute_min_iops>{DIGITS}(?:IOPS)?))?(?:\s+(?P<block_size>\d+K|ANY))?\s*$"
)
_ROW = re.compile(r"\s*(?P<policy>\S+)\s+" + _REST, re.I)
_TAIL = re.compile(r"\s+" + _REST, re.I)
_FIXED = re.compile(
    r"\s*(?P<policy>\S+)\s+(?P<vserver>\S+)\s+"
    r"(?P<policy_class>user-defined|preset|system-defined|system)\s+"
    r"(?P<workloads>\d+|-)\s+(?P<limits>[\dI]\S*)(?:\s+(?P<is_shared>true|false))?\s*$",
    re.I,
)
_HEAD = re.compile(r"\bVserver\b.*\bWklds\b|^\s*(?:Name\s+)?Expected\b.*\bPeak\b", re.I)
_PAIR = re.compile(r"^\s*(?P<key>[A-Za-z][\w /-]*?):\s*(?P<value>.*?)\s*$")

_KEYS = {
    "policy group name": "policy", "name": "policy", "vserver": "vserver",
    "number of workloads": "workloads", "expected iops": "expected", "peak iops": "peak",
    "absolute minimum iops": "absolute_min_iops", "absolute min iops": "absolute_min_iops",
    "expected iops allocation": "expected_allocation", "peak iops allocation": "peak_allocation",
    "block size": "block_size", "policy group class": "policy_class",
    "maximum throughput": "max", "minimum throughput": "min", "throughput limit": "limits",
    "throughput policy": "limits", "is shared": "is_shared",
}  # fmt: skip
_ADAPTIVE_TEXTS = ("policy", "vserver", "expected_allocation", "peak_allocation", "block_size")
_STARTS = {"policy group name", "name"}
_SILENT = {"uuid", "id", "policy group id", "pgid", "is policy auto generated", "is adaptive"}

Texts = Mapping[str, str | None]
"""What is printed of a policy, by name."""


@dataclass
class Policies:
    """The policies of a file while they are read."""

    path: str
    adaptive: list[Row] = field(default_factory=list)
    fixed: list[Row] = field(default_factory=list)
    record: dict[str, str | None] = field(default_factory=dict)
    record_line: int = 0
    wrapped: str | None = None

    def row(self, line: str, number: int) -> bool:
        """Take a row of either listing; returns whether it was one."""
        plain = line.replace("|", " ")
        found = _ROW.match(plain)
        if not found and self.wrapped is not None:
            tail = _TAIL.match(plain)
            found = _ROW.match(f"{self.wrapped} {plain.strip()}") if tail else None
        self.wrapped = None
        if found:
            self._shown(found.groupdict(), number)
            return True
        fixed = _FIXED.match(plain)
        if fixed:
            self.fixed.append(fixed_row(fixed.groupdict(), "show", self.path, number))
            return True
        if len(plain.split()) == 1:
            self.wrapped = plain.strip()  # a long name stands on a line of its own
        return False

    def pair(self, line: str, number: int) -> bool:
        """Take a "Key: value" line of an -instance record; returns whether it was one."""
        found = _PAIR.match(line)
        key = found["key"].lower() if found else ""
        if not found or (key not in _KEYS and key not in _SILENT):
            return False
        if key in _STARTS:
            self.end()
            self.record_line = number
        if not self.record_line:
            return False
        if key in _KEYS and found["value"] not in units.NONE:
            self.record[_KEYS[key]] = found["value"]
        return True

    def end(self) -> None:
        """The -instance record is whole."""
        record, self.record = self.record, {}
        line, self.record_line = self.record_line, 0
        if "expected" in record or "peak" in record:
            self._shown(record, line)
        elif {"max", "min", "limits", "policy_class"} & set(record):
            self.fixed.append(fixed_row(record, "show", self.path, line))

    def _shown(self, texts: Texts, line: int) -> None:
        block = texts.get("block_size")
        texts = {**texts, "block_size": block.upper() if block else None}
        self.adaptive.append(adaptive_row(texts, "show", self.path, line))


def is_head(line: str) -> bool:
    """Whether a line is the head of either listing."""
    return bool(_HEAD.search(line))


def adaptive_row(texts: Texts, origin: str, path: str, line: int) -> Row:
    """A row of ``qos_adaptive_policies`` from its columns as printed.

    Raises ParseError naming the line for a value of another form.
    """
    row: Row = {name: texts.get(name) for name in _ADAPTIVE_TEXTS}
    for name in ("expected", "peak"):
        if text := texts.get(name):
            value, unit, unit_origin = _value(units.per_capacity, text, path, line)
            row |= {
                f"{name}_iops": value,
                f"{name}_unit": unit,
                f"{name}_unit_origin": unit_origin,
                f"{name}_iops_per_tb": units.per_tb(value, unit),
            }
    return {
        **row,
        "origin": origin,
        "workloads": _count(texts.get("workloads")),
        "absolute_min_iops": _value(units.iops, texts.get("absolute_min_iops"), path, line),
        "line": line,
    }


def fixed_row(texts: Texts, origin: str, path: str, line: int) -> Row:
    """A row of ``qos_policies`` from its columns as printed; errors as of ``adaptive_row``."""
    row: Row = {name: texts.get(name) for name in ("policy", "vserver", "policy_class")}
    row |= _value(units.limits, texts.get("limits"), path, line) or {}
    for side in ("min", "max"):
        made = _value(units.limits, texts.get(side), path, line) or {}
        row |= {name.replace("max_", f"{side}_"): value for name, value in made.items()}
    return {
        **row,
        "origin": origin,
        "workloads": _count(texts.get("workloads")),
        "is_shared": _value(units.flag, texts.get("is_shared"), path, line),
        "line": line,
    }


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _value(function: Callable[[str], Any], text: str | None, path: str, line: int) -> Any:
    if not text:
        return None
    try:
        return function(text)
    except ValueError as problem:
        raise ParseError(path, str(problem), line) from None
