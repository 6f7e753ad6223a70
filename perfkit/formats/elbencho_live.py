"""elbencho's live file (``--livecsv``, ``--livecsvex``): cumulative bytes at each interval.

Rows of rank "Total" have the interval's IOPS and mean latency; the others (threads, or services of
many hosts) have bytes only. Rates are computed from the bytes, which are not truncated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError
from perfkit.formats.elbencho_json import directions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SIGN = "ISO Date,Label,Phase,"
TOTAL = "Total"
_NEEDED = ("Phase", "RuntimeMS", "Rank", "MixType", "DoneBytes", "Lat IO us", "Service")


@dataclass(frozen=True)
class LiveRow:
    """One row: what a rank had done so many milliseconds into the phase."""

    line: int
    phase: str
    t_ms: int
    rank: str
    direction: str
    done_bytes: int
    lat_mean_us: int | None
    service: str | None


def rows(text: str, path: Path | str) -> Iterator[LiveRow]:
    """The rows that move data; ParseError naming the line of one that cannot be."""
    lines = text.splitlines()
    header = lines[0].split(",") if lines else []
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise ParseError(path, f"no column {missing[0]!r}: not elbencho's live file", 1)
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise ParseError(path, f"two columns are {twice[0]!r}", 1)
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split(",")
        if len(cells) != len(header):
            raise ParseError(path, f"{len(cells)} cells where {len(header)} belong", number)
        row = _row(dict(zip(header, cells, strict=True)), number, path)
        if row:
            yield row


def _row(cells: Mapping[str, str], line: int, path: Path | str) -> LiveRow | None:
    directions = directions_of(cells["Phase"])
    if directions is None:
        raise ParseError(path, f"phase {cells['Phase']!r} is none that perfkit knows", line)
    if not directions:
        return None

    def whole(name: str) -> int | None:
        text = cells[name]
        if text and not text.isdecimal():
            raise ParseError(path, f"{name}: {text!r} is not a whole number", line)
        return int(text) if text else None

    time, done = whole("RuntimeMS"), whole("DoneBytes")
    if time is None or done is None:
        raise ParseError(path, "without a time or bytes", line)
    return LiveRow(
        line=line,
        phase=cells["Phase"],
        t_ms=time,
        rank=cells["Rank"],
        direction=cells["MixType"].lower() or directions[0],
        done_bytes=done,
        lat_mean_us=whole("Lat IO us"),
        service=cells["Service"] or None,
    )
