"""The form for databases that ``sadf -d`` writes: semicolons, one line of heads for each part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.sources.host.clock import Stamp, stamp_of
from perfkit.sources.host.record import Recording, Row, last_line, lines_of

_HEADS = "# hostname;interval;timestamp"
_RESTART = re.compile(r"LINUX[ -]RESTART(?:\s+\((?P<cpus>\d+) CPU\))?$")
_RESTART_LINE = re.compile(r"[^;\s]+;-1;[^;]+;LINUX[ -]RESTART")
_FIXED = 3
"""Host name, interval and time begin every row."""

_TABLES = {
    "CPU": ("cpu", {"%nice", "%iowait", "%idle"}),
    "DEV": ("devices", {"tps"}),
    "tps": ("io", {"rtps", "wtps"}),
    "kbmemfree": ("host_memory", {"kbmemused"}),
}
"""First head of a part -> its table, and the heads it must have."""


def is_database_form(text: str) -> bool:
    """Whether a text begins as an output of ``sadf -d`` does."""
    start = text.lstrip()
    return start.startswith(_HEADS) or _RESTART_LINE.match(start) is not None


@dataclass
class _Part:
    table: str | None
    names: tuple[str, ...]
    heads: int
    keyed: bool


def database_form(text: str, path: str) -> Recording:
    """The recording in an output of ``sadf -d``.

    Raises ParseError for a row without heads or of another length, a time of no known form, and
    for ``sadf -d -h``, which puts all devices into one row.
    """
    recording = Recording("sadf", path)
    lines = lines_of(text)
    last = last_line(lines)
    part: _Part | None = None
    for number, line in enumerate(lines, 1):
        cells = line.strip().split(";")
        if line.startswith(_HEADS):
            part = _heads(recording, cells, number)
        elif line.strip() and not _restart(recording, cells, number):
            cut = number == last and not text.endswith("\n")
            _row(recording, cells, part, number, cut=cut)
    recording.require_rows()
    return recording


def _heads(recording: Recording, cells: list[str], number: int) -> _Part:
    heads = cells[_FIXED:]
    if any(head.startswith("[...]") or head.endswith("[...]") for head in heads):
        raise recording.fault("sadf -d -h (all in one row) is not read: leave -h out", number)
    table, needs = _TABLES.get(heads[0], (None, set())) if heads else (None, set())
    if table is None or not needs <= set(heads):
        recording.pass_over(heads)
        return _Part(None, (), len(cells), keyed=False)
    keyed = heads[0] in {"CPU", "DEV"}
    return _Part(table, tuple(heads[keyed:]), len(cells), keyed)


def _restart(recording: Recording, cells: list[str], number: int) -> bool:
    """Take a line about a restart; returns whether it was one."""
    found = _RESTART.match(cells[_FIXED]) if len(cells) == _FIXED + 1 else None
    if found is None:
        return False
    recording.restart(_stamp(recording, cells, number), found["cpus"])
    return True


def _stamp(recording: Recording, cells: Sequence[str], number: int) -> Stamp:
    stamp = stamp_of(cells[2])
    if stamp is None:
        raise recording.fault(f"{cells[2]!r} is not a time that perfkit knows", number)
    return stamp


def _row(
    recording: Recording, cells: list[str], part: _Part | None, number: int, *, cut: bool
) -> None:
    if cut:
        recording.warnings.append(f"line {number}: the last row is cut off and left out")
        return
    if part is None:
        raise recording.fault("a row without a header above it", number)
    if part.table is None:
        return
    if len(cells) != part.heads:
        raise recording.fault(f"{len(cells)} cells where {part.heads} belong", number)
    recording.facts.setdefault("host", cells[0])
    stamp = _stamp(recording, cells, number)
    track = recording.track(part.table)
    if not track.stamps:
        track.start = stamp.earlier(float(cells[1]) if cells[1].isdecimal() else None)
    elif _goes_back(track.stamps[-1], stamp):
        raise recording.fault(
            "the times go back here: a second recording begins; put each into a file of its own",
            number,
        )
    keys = _keys(part, cells)
    if not track.stamps or track.stamps[-1] != stamp or keys in track.in_report:
        track.report(stamp)
    track.in_report.add(keys)
    values = tuple(cells[_FIXED + part.keyed :])
    track.part(part.names).rows.append(Row(len(track.stamps), keys, values, number))


def _goes_back(before: Stamp | None, stamp: Stamp) -> bool:
    """Whether a time that names its day lies before the one above it, in one order of its parts."""
    days = dict((before.dates if before else None) or ())
    return before is not None and any(
        day < days[order] or (day == days[order] and stamp.second < before.second)
        for order, day in stamp.dates or ()
        if order in days
    )


def _keys(part: _Part, cells: list[str]) -> tuple[object, ...]:
    if not part.keyed:
        return ()
    name = cells[_FIXED]
    return (name, False) if part.table == "devices" else ("all" if name == "-1" else name,)
