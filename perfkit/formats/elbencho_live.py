"""elbencho's live file (``--livecsv``, ``--livecsvex``): cumulative bytes at each interval.

Rows of rank "Total" have the interval's IOPS and, since 2.3, its mean latency; the others (threads,
or services of many hosts) have bytes only. Rates are computed from the bytes, which are not
truncated: elbencho divides by the interval that was asked for, not by the time that passed.
elbencho appends to a file that is there: a phase can stand in it several times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.formats.elbencho_json import directions_of

TOTAL = "Total"
_HEADS = ("Label,Phase,RuntimeMS,Rank,", "ISO Date,Label,Phase,")
"""How the header begins: before and since 3.0-19."""

_NEEDED = ("Label", "Phase", "RuntimeMS", "Rank", "MixType", "DoneBytes", "Service")


@dataclass(frozen=True)
class LiveRow:
    """One row: what a rank had done by a time of the phase.

    ``repeat`` counts the times that the phase was run in the file, from 1; ``since_ms`` is the time
    of the row before, and ``interval_bytes`` what was done between the two.
    """

    line: int
    label: str | None
    phase: str
    t_ms: int
    rank: str
    direction: str
    done_bytes: int
    lat_mean_us: int | None
    service: str | None
    repeat: int = 1
    since_ms: int = 0
    interval_bytes: int = 0


def is_live(head: str) -> bool:
    """Whether a text begins as the live file does."""
    return head.startswith(_HEADS)


def intervals(text: str, path: Path | str) -> Iterator[LiveRow]:
    """Each row that ends an interval; ParseError where time or bytes go back within a phase."""
    last: dict[tuple[str, str], LiveRow] = {}
    repeats: Counter[tuple[str | None, str]] = Counter()
    phase: tuple[str | None, str] | None = None
    for row in rows(text, path):
        before = last.get((row.rank, row.direction))
        began_anew = before and row.t_ms < before.t_ms and row.done_bytes < before.done_bytes
        if (row.label, row.phase) != phase or began_anew:
            phase, before = (row.label, row.phase), None
            repeats[phase] += 1
            last.clear()
        since, done = (before.t_ms, before.done_bytes) if before else (0, 0)
        if row.t_ms < since or row.done_bytes < done:
            raise ParseError(path, "time or bytes go back", row.line)
        last[row.rank, row.direction] = row
        if row.t_ms > since:
            yield replace(
                row, repeat=repeats[phase], since_ms=since, interval_bytes=row.done_bytes - done
            )


def rows(text: str, path: Path | str) -> Iterator[LiveRow]:
    """The rows that move data; ParseError naming the line of one that cannot be."""
    lines = text.splitlines()
    header = lines[0].split(",") if lines else []
    check_header(header, _NEEDED, path, 1)
    for number, line in enumerate(lines[1:], start=2):
        row = _row(cells_of(line, header, path, number), number, path)
        if row:
            yield row


def check_header(header: Sequence[str], needed: Sequence[str], path: Path | str, line: int) -> None:
    """ParseError for a header of elbencho's that lacks a needed column, or names one twice."""
    for name in needed:
        if name not in header:
            raise ParseError(path, f"no column {name!r} in the header", line)
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise ParseError(path, f"two columns are {twice[0]!r}", line)


def cells_of(line: str, header: Sequence[str], path: Path | str, number: int) -> dict[str, str]:
    """A row's cells by column; elbencho quotes nothing. ParseError for a wrong number of them."""
    cells = line.split(",")
    if len(cells) != len(header):
        raise ParseError(path, f"{len(cells)} cells where {len(header)} belong", number)
    return dict(zip(header, cells, strict=True))


def whole_number(cells: Mapping[str, str], name: str, path: Path | str, line: int) -> int | None:
    """A cell's whole number, None where it is empty or missing; ParseError for other text."""
    text = cells.get(name, "")
    if text and not text.isdecimal():
        raise ParseError(path, f"{name}: {text!r} is not a whole number", line)
    return int(text) if text else None


def _row(cells: Mapping[str, str], line: int, path: Path | str) -> LiveRow | None:
    directions = directions_of(cells["Phase"])
    if directions is None:
        raise ParseError(path, f"phase {cells['Phase']!r} is unknown to perfkit", line)
    if not directions:
        return None
    time, done, latency = (
        whole_number(cells, name, path, line) for name in ("RuntimeMS", "DoneBytes", "Lat IO us")
    )
    if time is None or done is None:
        raise ParseError(path, "without a time or bytes", line)
    return LiveRow(
        line=line,
        label=cells["Label"] or None,
        phase=cells["Phase"],
        t_ms=time,
        rank=cells["Rank"],
        direction=cells["MixType"].lower() or directions[0],
        done_bytes=done,
        lat_mean_us=latency,
        service=cells["Service"] or None,
    )
