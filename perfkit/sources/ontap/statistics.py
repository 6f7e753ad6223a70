"""``qos statistics ... show``: rows of workloads or policy groups, iteration after iteration.

Columns after the ONTAP 9.1 to 9.17 command reference; spacing and the ``Is Adaptive?`` column after
published output of ONTAP 9.3.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.sources.ontap import units

TOTAL = "-total-"

_POLICY, _WORKLOAD = "policy group", "workload"
HEADS: dict[str, tuple[str, Callable[[str], Any] | None]] = {
    "policy group": (_POLICY, None),
    "workload": (_WORKLOAD, None),
    "volume": (_WORKLOAD, None),
    "id": ("id", units.count),
    "wid": ("id", units.count),
    "vserver": ("", None),
    "iops": ("iops", units.count),
    "throughput": ("bw_bytes_per_s", units.bytes_of),
    "latency": ("latency_s", units.seconds),
    "is adaptive?": ("is_adaptive", units.flag),
    "network": ("latency_network_s", units.seconds),
    "n-blade": ("latency_network_s", units.seconds),
    "cluster": ("latency_cluster_s", units.seconds),
    "data": ("latency_data_s", units.seconds),
    "d-blade": ("latency_data_s", units.seconds),
    "disk": ("latency_disk_s", units.seconds),
    "qos max": ("latency_qos_max_s", units.seconds),
    "qos min": ("latency_qos_min_s", units.seconds),
    "qos": ("latency_qos_s", units.seconds),
    "nvram": ("latency_nvram_s", units.seconds),
    "cloud": ("latency_cloud_s", units.seconds),
    "flexcache": ("latency_flexcache_s", units.seconds),
    "sm sync": ("latency_sm_sync_s", units.seconds),
    "va": ("latency_va_s", units.seconds),
    "avscan": ("latency_avscan_s", units.seconds),
    "request size": ("request_size_bytes", units.bytes_of),
    "read": ("read_ratio", units.share),
    "concurrency": ("concurrency", units.count),
    "total ops": ("iops", units.count),
    "read ops": ("read_iops", units.count),
    "write ops": ("write_iops", units.count),
    "other ops": ("other_iops", units.count),
    "read (bps)": ("read_bytes_per_s", units.count),
    "write (bps)": ("write_bytes_per_s", units.count),
    "latency (us)": ("latency_s", units.microseconds),
}
"""A head in lower case -> its column, and how its cells are read."""

_NAMES = {_POLICY, _WORKLOAD}
_RULE = re.compile(r"^[\s-]*-{3,}[\s-]*$")
_TIME = re.compile(r"^\S+ : (?P<time>\d{1,2}/\d{1,2}/\d{4} \d{2}:\d{2}:\d{2})$")
PARTS_SHARE, PARTS_S = 0.02, 20e-6
"""The parts of a latency add up to it, but for rounding."""


@dataclass
class Statistics:
    """The rows of a file's statistics while they are read."""

    path: str
    rows: list[Row] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    sample: int = 0
    iteration: int = 0
    seen: set[str] = field(default_factory=set)
    at: dt.datetime | None = None
    wrapped: str | None = None

    def end(self) -> None:
        """The rows of these heads end here."""
        self.heads, self.iteration, self.wrapped = [], 0, None
        self.seen = set()

    def begin(self, heads: list[str]) -> None:
        """Take column heads; repeated heads continue the count of iterations."""
        if heads != self.heads:
            self.end()
            self.heads = heads

    def time(self, line: str) -> bool:
        """Take the line with the time of an iteration; returns whether it was one."""
        found = _TIME.match(line.strip())
        if found:
            self.at = dt.datetime.strptime(found["time"], "%m/%d/%Y %H:%M:%S")  # noqa: DTZ007
        return found is not None

    def row(self, line: str, number: int, *, last: bool) -> str | None:
        """Take a row; a warning where the file is cut off in it.

        Raises ParseError, with the line, for a row that does not fit the heads.
        """
        cells = line.split()
        if self.wrapped is not None:
            cells, self.wrapped = [self.wrapped, *cells], None
        wanted = len(self.heads)
        if len(cells) == 1 and not last:
            self.wrapped = cells[0]  # a long name stands on a line of its own
            return None
        if len(cells) == wanted - 1 and "id" in self.heads and cells[0] == TOTAL:
            cells.insert(self.heads.index("id"), "-")
        if len(cells) < wanted and last:
            return f"line {number}: the file is cut off in this row: it is left out"
        if len(cells) != wanted:
            raise ParseError(self.path, f"{len(cells)} cells where {wanted} columns belong", number)
        self.rows.append(self._made(cells, number))
        return None

    def _made(self, cells: list[str], number: int) -> Row:
        row: Row = {"line": number, "view": self._view(), "started_at": self.at}
        for head, cell in zip(self.heads, cells, strict=True):
            column, function = HEADS[head]
            if column in _NAMES:
                row |= {"scope": column, "name": cell, "is_total": cell == TOTAL}
            elif function is not None:
                row[column] = self._value(function, cell, head, number)
        again = row["name"] in self.seen
        if row["is_total"] or again or not self.iteration:
            self.sample += 1
            self.iteration += 1
            self.seen.clear()
        self.seen.add(row["name"])
        return row | {"sample": self.sample, "iteration": self.iteration}

    def _value(self, function: Callable[[str], Any], cell: str, head: str, number: int) -> Any:
        try:
            value = function(cell)
        except ValueError as problem:
            raise ParseError(self.path, f"column {head!r}: {problem}", number) from None
        return int(value) if head in {"id", "wid"} and value is not None else value

    def _view(self) -> str:
        if "total ops" in self.heads:
            return "workload"
        if "concurrency" in self.heads:
            return "characteristics"
        return "performance" if "iops" in self.heads else "latency"


def heads_of(line: str) -> list[str] | None:
    """The heads in a line, each one known; None for any other line."""
    words = line.lower().replace("*", "").replace("(", " (").split()
    heads: list[str] = []
    place = 0
    while place < len(words):
        for size in (2, 1):
            name = " ".join(words[place : place + size])
            if name in HEADS:
                heads.append(name)
                place += size
                break
        else:
            return None
    named = bool(heads) and HEADS[heads[0]][0] in _NAMES
    return heads if named and len(heads) > 2 else None


def two_line_heads(above: str, below: str, rule: str) -> list[str] | None:
    """The heads of two lines over a rule, whose dashes say which words belong together."""
    heads = []
    for span in re.finditer(r"-+", rule):
        words = [line[span.start() : span.end()] for line in (above, below)]
        name = " ".join(" ".join(words).lower().replace("*", "").split())
        if name not in HEADS:
            return None
        heads.append(name)
    return heads or None


def is_rule(line: str) -> bool:
    """Whether a line is the rule under heads."""
    return bool(_RULE.match(line))


def parts_off(row: Row) -> float | None:
    """The sum of a latency's parts where it is not the latency; None where it is, or is unknown."""
    total = row["latency_s"]
    parts = [row[name] for name in row if name.startswith("latency_") and name != "latency_s"]
    known = [part for part in parts if part is not None]
    if total is None or row["view"] != "latency" or not known:
        return None
    off = abs(sum(known) - total) > PARTS_SHARE * total + PARTS_S
    return sum(known) if off else None
