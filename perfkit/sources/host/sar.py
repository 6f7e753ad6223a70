"""sysstat's ``sar`` (text) and ``sadf`` (``-d`` and ``-j``): CPU, disks, I/O and memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.lineage import Reading
from perfkit.sources.files import File, reader
from perfkit.sources.host import sysstat_json
from perfkit.sources.host.clock import ROW_TIME, DateOrder, Stamp, stamp_of
from perfkit.sources.host.mpstat import is_mpstat
from perfkit.sources.host.record import Header, Recording, Row, last_line, lines_of
from perfkit.sources.host.rows import Block, read_rows
from perfkit.sources.host.tables import Options, Reader, finish

READER = Reader("read.sar", 1, ("cpu", "devices", "io", "host_memory"))

BLOCKS = (
    Block("cpu", "CPU", frozenset({"%nice", "%iowait", "%idle"})),
    Block("devices", "DEV", frozenset({"tps"})),
    Block("io", None, frozenset({"rtps", "wtps"})),
    Block("host_memory", None, frozenset({"kbmemfree", "kbmemused"})),
)
"""sar -u, -d, -b and -r. The other parts are named in the evidence and not read."""

HEAD = 64 * 1024
"""How many characters are examined to tell kinds apart."""

_SAR = re.compile(r"\S*[/%]\S|\S*-sz|LINUX.RESTART|kbmemfree|totsck|dentunusd")

_PIDSTAT = re.compile(r"\s(PID|TGID)\s")
"""Its reports look alike; perfkit does not read it."""

_SEEN = {
    "%user %nice %system %iowait %steal %idle",
    "%usr %nice %sys %iowait %steal %irq %soft %guest %gnice %idle",
    "%usr %nice %sys %iowait %steal %irq %soft %guest %idle",
    "tps rtps wtps bread/s bwrtn/s",
    "tps rtps wtps dtps bread/s bwrtn/s bdscd/s",
    "tps rd_sec/s wr_sec/s avgrq-sz avgqu-sz await svctm %util",
    "tps rkB/s wkB/s areq-sz aqu-sz await svctm %util",
    "tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util",
    "kbmemfree kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact",
    "kbmemfree kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact kbdirty",
    "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact "
    "kbdirty",
    "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact "
    "kbdirty kbanonpg kbslab kbkstack kbpgtbl kbvmused",
    "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact "
    "kbdirty kbshmem",
    "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact "
    "kbdirty kbshmem kbanonpg kbslab kbkstack kbpgtbl kbvmused",
    "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit %commit kbactive kbinact "
    "kbdirty kbshmem kbanonpg kbslab kbkstack kbpgtbl kbvmused kbswpfree kbswpused %swpused "
    "kbswpcad %swpcad",
    # sadf -j has both sectors and bytes
    "tps rd_sec/s wr_sec/s dc_sec/s rkB/s wkB/s dkB/s avgrq-sz areq-sz avgqu-sz aqu-sz await %util",
}
"""Columns met in real outputs: recorded here, or published with sysstat's own tests."""


@reader
def read_sar(
    path: Path | str,
    *,
    root: Path | None = None,
    interval_s: float | None = None,
    date_order: DateOrder | None = None,
    device: str | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read an output of ``sar`` or of ``sadf -d`` or ``-j``, also packed with gzip.

    Tables (columns: ``perfkit.sources.host.columns.TABLES``): ``cpu`` (``-u``, each CPU with
    ``-P``), ``devices`` (``-d``), ``io`` (``-b``), ``host_memory`` (``-r``); ``restarts``;
    ``host_series``, the common table over time, its disk being ``device``, or the only one;
    ``host``. The means that sar prints at the end are not read: the rows say the same.

    Before sysstat 11.7, used memory includes caches; ``host_memory`` holds it as printed, and
    ``host_series``, where it means something else, null.

    Other parts of sar are named in the evidence as unparsed. A report that is cut off at the end
    is left out, with a warning.

    Raises:
        ParseError: no output of sar or sadf in these forms, none of the four parts in it, or a
            line that does not belong there.
        UsageError: a ``device`` that is not there, or a date order that does not fit.
    """
    file = File.of(path, root)
    recording = _recording(file.text(), file.path)
    recording.verify((part for track in recording.tracks.values() for part in track.parts), _SEEN)
    options = Options(interval_s, date_order, device, labels)
    return finish(recording, file, READER, options)


def _recording(text: str, path: str) -> Recording:
    if text.lstrip().startswith("{"):
        return sysstat_json.sadf(text, path)
    if is_database_form(text):
        return database_form(text, path)
    if is_mpstat(text[:HEAD]):
        raise ParseError(path, "an output of mpstat, not of sar: read_mpstat reads it")
    return read_rows("sar", text, path, BLOCKS)


def is_sar(head: str) -> bool:
    """Whether a text begins as an output of sar or sadf does; mpstat's is told apart before."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"file-date"' in head
    if is_database_form(head):
        return True
    lines = lines_of(head)
    headed = any(Header.of(line) for line in lines)
    timed = [line for line in lines if ROW_TIME.match(line)]
    return (
        headed
        and any(_SAR.search(line) for line in timed)
        and not any(_PIDSTAT.search(line) for line in lines)
    )


# --- the form that ``sadf -d`` writes: semicolons, one line of heads for each part --------------

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
