"""procps' ``vmstat``: the default form over time, with ``-t``, ``-w``, ``-a``, ``-n``, ``-y``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from perfkit.core.errors import UsageError, check_name
from perfkit.core.lineage import Reading
from perfkit.core.units import KIB, MIB
from perfkit.sources.files import File, given, reader
from perfkit.sources.host.clock import DAY_S, DateOrder, stamp_of
from perfkit.sources.host.columns import VMSTAT, VMSTAT_MEMORY
from perfkit.sources.host.record import Recording, Row, Track, last_line, lines_of
from perfkit.sources.host.tables import Options, Reader, finish

if TYPE_CHECKING:
    from perfkit.sources.host.iostat import FirstReport

READER = Reader("read.vmstat", 1, ("samples",))
Unit = Literal["k", "K", "m", "M"]
UNITS = {"k": 10**3, "K": KIB, "m": 10**6, "M": MIB}
"""The letters of -S, and the bytes each stands for."""

SMALLEST_MEMORY = 1024 * MIB
"""Less idle and cached memory is rare; MiB of a host of up to 1 TiB, read as KiB, are less."""

PAGE_LESS = 3
"""So many lines less than a terminal has are on a page."""

PAGE = 24 - PAGE_LESS
"""vmstat repeats its column heads after so many lines where it writes to a file."""

_RATES = ("si", "so", "bi", "bo", "in", "cs")

_TITLE = re.compile(r"\s*-*procs-*\s+-*\s*memory")
_NAMES = re.compile(r"\s*r\s+b\s+(w\s+)?swpd\s+free\s")
_OTHERS = {
    re.compile(r"disk-\s+-+reads-+"): "vmstat -d (disks)",
    re.compile(r"\S+\s+reads\s+read sectors"): "vmstat -p (a partition)",
    re.compile(r"\s*\d+ K total memory"): "vmstat -s (totals)",
    re.compile(r"Cache\s+Num\s+Total"): "vmstat -m (slabs)",
}
_SEEN = {
    "r b swpd free buff cache si so bi bo in cs us sy id wa st",
    "r b swpd free inact active si so bi bo in cs us sy id wa st",
    "r b swpd free buff cache si so bi bo in cs us sy id wa st gu",
}


@reader
def read_vmstat(
    path: Path | str,
    *,
    root: Path | None = None,
    unit: Unit | None = None,
    interval_s: float | None = None,
    first_report: FirstReport | None = None,
    page: int = PAGE,
    date_order: DateOrder | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read an output of ``vmstat`` over time, also packed with gzip.

    Tables (columns: ``perfkit.sources.host.columns.TABLES``): ``samples``, one row a line;
    ``host_series``, the common table (CPU in whole percents; neither memory nor disk, which
    ``vmstat`` counts otherwise).

    The first line holds means since the host was started: ``since_boot`` is true, and it is left
    out of ``host_series``, unless ``first_report="interval"`` (``-y``). The unit of memory
    (``-S``) is not printed: KiB, vmstat's default, is taken unless ``unit`` names another; where
    that makes less memory than any such host has, the memory columns are null, with a warning.

    A line that is cut off at the end is left out, with a warning. Column heads are repeated after
    ``page`` lines, 21 in a file; of a copy from a terminal it is its height less 3. Heads at any
    other place begin a second recording, which is refused, unless times go on by the same step, or
    the page is longer and the line below the heads cannot be the means since boot with which a
    recording begins.

    Raises:
        ParseError: no output of vmstat in this form, a line that does not belong there, or a second
            recording.
        UsageError: a unit that does not exist, or a date order that does not fit.
    """
    if unit is not None:
        check_name("unit", unit, UNITS, UsageError)
    file = File.of(path, root)
    recording = _read(file.text(), file.path, first_report != "interval", page)
    options = Options(interval_s, date_order, None, labels)
    _scale(recording, unit)
    other_page = None if page == PAGE else page
    arguments = given(unit=unit, first_report=first_report, page=other_page)
    return finish(recording, file, READER, options, arguments)


def is_vmstat(head: str) -> bool:
    """Whether a text begins as an output of vmstat over time does."""
    lines = lines_of(head)[:5]
    return any(_NAMES.match(line) for line in lines) and any(_TITLE.match(line) for line in lines)


def _read(text: str, path: str, since_boot: bool, page: int) -> Recording:
    recording = Recording("vmstat", path)
    lines = lines_of(text)
    last = last_line(lines)
    names: tuple[str, ...] = ()
    zone: str | None = None
    heads = _Heads(recording, page, page - (not since_boot), since_boot)
    for number, line in enumerate(lines, 1):
        if not line.strip() or _TITLE.match(line):
            continue
        if _NAMES.match(line):
            names, zone = _columns(line)
            heads.again(number)
        elif not names:
            raise recording.fault(_why_not(line), number)
        else:
            cut = number == last and not text.endswith("\n")
            _row(recording, line, names, zone, number, cut=cut, since_boot=since_boot)
            heads.row()
    if not recording.track("samples").rows:
        raise recording.fault("no whole line of vmstat in it")
    parts = recording.track("samples").parts
    recording.unverified = any(" ".join(part.names) not in _SEEN for part in parts)
    return recording


@dataclass
class _Heads:
    """Tells heads that vmstat repeats in one recording from those of a second recording.

    A recording's first page has a line less without the means since boot (``-y``). Heads that come
    after any other number of lines are of a terminal of another height, or of a second recording:
    only times that go on by the same step, or a line that cannot be means since boot, say that it
    is one.
    """

    recording: Recording
    page: int
    first: int
    since_boot: bool
    pages: int = 0
    lines: int = 0
    odd: tuple[int, int] | None = None

    def again(self, number: int) -> None:
        """Heads at a line."""
        if self.pages and self.lines != (self.first if self.pages == 1 else self.page):
            self.odd = number, self.lines
        self.pages, self.lines = self.pages + 1, 0

    def row(self) -> None:
        """A row below heads; ParseError where a second recording began with them."""
        self.lines += 1
        odd, self.odd = self.odd, None
        if odd is None or self._goes_on():
            return
        number, lines = odd
        if not (lines > PAGE and self.since_boot and self._is_no_beginning()):
            raise self.recording.fault(
                f"the header comes again, and not after {self.page} lines: a second "
                "recording, as it seems; put each into a file of its own, or say page=, of a copy "
                "from a terminal its height less 3",
                number,
            )
        self.page = self.first = lines
        self.recording.warnings.append(
            f"line {number}: the header comes again after {lines} lines: taken for a copy from a "
            f"terminal of {lines + PAGE_LESS}, since the line below it cannot be means since boot"
        )

    def _goes_on(self) -> bool:
        """Whether the last row's time is as far from the one before as that from its own."""
        stamps = self.recording.track("samples").stamps[-3:]
        if len(stamps) < 3 or None in stamps:
            return False
        before, middle, last = (stamp.second if stamp else 0.0 for stamp in stamps)
        steps = ((middle - before) % DAY_S, (last - middle) % DAY_S)
        return min(steps) > 0 and abs(steps[1] - steps[0]) <= 1

    def _is_no_beginning(self) -> bool:
        """Whether the last row is no first row of a recording: no means since boot.

        What is counted since boot never falls: a mean of a tenth of that in the first row is one
        only of a host that has run ten times as long since. Its memory would not be that of the
        row before, as it is from one interval to the next.
        """
        parts = self.recording.track("samples").parts
        if len(parts) != 1:
            return False
        names, rows = parts[0].names, parts[0].rows
        first, before, last = (_numbers(names, row) for row in (rows[0], *rows[-2:]))
        return any(10 * last[name] < first[name] >= 10 for name in _RATES) and all(
            abs(last[name] - before[name]) <= 0.1 * before[name]
            for name in VMSTAT_MEMORY
            if name in before
        )


def _numbers(names: tuple[str, ...], row: Row) -> dict[str, int]:
    return {
        name: int(cell) for name, cell in zip(names, row.cells, strict=True) if cell.isdecimal()
    }


def _why_not(line: str) -> str:
    for form, name in _OTHERS.items():
        if form.match(line):
            return f"{name} is not read: only vmstat over time"
    return (
        f"no line of vmstat: {line.strip()[:60]!r}: leave out what other commands wrote, and put "
        "each run of vmstat into a file of its own"
    )


def _columns(line: str) -> tuple[tuple[str, ...], str | None]:
    """The columns of a header, and the zone that -t writes over the times."""
    names = line.split()
    zone = names[-1] if names[-1] not in VMSTAT and names[-1].isupper() else None
    return (tuple(names[:-1]), zone) if zone else (tuple(names), None)


def _row(
    recording: Recording,
    line: str,
    names: tuple[str, ...],
    zone: str | None,
    number: int,
    *,
    cut: bool,
    since_boot: bool,
) -> None:
    cells = line.split()
    rest = " ".join(cells[len(names) :])
    stamp = stamp_of(rest) if rest else None
    wrong = len(cells) < len(names) or (rest and stamp is None) or (zone and not rest)
    if cut:
        recording.warnings.append(f"line {number}: the last line is cut off and left out")
        return
    if wrong:
        raise recording.fault(f"not a line of {len(names)} columns: {line.strip()[:60]!r}", number)
    if stamp:
        stamp = replace(stamp, zone=stamp.zone or zone)
    track = recording.track("samples")
    sample = track.report(stamp, since_boot=since_boot and not track.stamps)
    track.part(names).rows.append(Row(sample, (), tuple(cells[: len(names)]), number))


def _scale(recording: Recording, unit: Unit | None) -> None:
    """Give the memory columns their unit; none where KiB cannot be it."""
    track = recording.track("samples")
    names = [name for name in VMSTAT_MEMORY if any(name in part.names for part in track.parts)]
    size = Decimal(UNITS[unit or "K"])
    if unit is None and _least(track) < SMALLEST_MEMORY:
        recording.factors.update(dict.fromkeys(names))
        recording.warnings.append(
            "the memory columns are null: too small to be KiB for sure; say unit=K, or the letter "
            "that was given to -S (k, m, M)"
        )
        return
    recording.factors.update(dict.fromkeys(names, size))
    if unit is None:
        recording.notes["samples"] = "the unit of memory is not printed: KiB, the default, is taken"


def _least(track: Track) -> int:
    """Bytes of idle and cached memory in the first line, if it is in KiB."""
    part = track.parts[0]
    cells = dict(zip(part.names, part.rows[0].cells, strict=True))
    found = [cells[name] for name in ("free", "buff", "cache", "inact", "active") if name in cells]
    return sum(int(cell) for cell in found if cell.isdecimal()) * KIB
