"""sysstat's ``iostat``: plain, ``-x``, ``-k``/``-m``, ``-t``, ``-s``, ``-h`` and JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from perfkit.core.lineage import Reading
from perfkit.sources.files import File, given, reader
from perfkit.sources.host import sysstat_json
from perfkit.sources.host.clock import DateOrder, Stamp, stamp_of
from perfkit.sources.host.columns import COLUMNS
from perfkit.sources.host.record import Header, Part, Recording, Row, last_line, lines_of
from perfkit.sources.host.rows import NUMBER, split_row
from perfkit.sources.host.tables import Options, Reader, finish

READER = Reader("read.iostat", 1, ("devices", "cpu"))
FirstReport = Literal["since-boot", "interval"]

_DEVICE_FIRST = re.compile(r"Device(?::\s*|\s+)(?P<names>\S.*)")
_DEVICE_LAST = re.compile(r"\s*(?:tps|\S+/s)\s.*\sDevice$")
_OTHER = re.compile(r"Filesystem:?\s+\S|.*\sFilesystem$")

UNKNOWN_FIRST = (
    "no line 'Linux <kernel> (<host>)' at the beginning: date, host and CPUs are null, and whether "
    "the first report holds means since boot is not known: it is left out of host_series; "
    "first_report='interval' or 'since-boot' settles it"
)

OMITTED = 2
"""Blank lines after the header where -y left the first report out (before sysstat 12.7.8)."""

SEEN = {
    # before 9.1, and before 7
    "rrqm/s wrqm/s r/s w/s r*B/s w*B/s r*B/s w*B/s avgrq-sz avgqu-sz await svctm %util",
    "rrqm/s wrqm/s r/s w/s r*B/s w*B/s avgrq-sz avgqu-sz await svctm %util",
    # 9.1 to 11.5
    "rrqm/s wrqm/s r/s w/s r*B/s w*B/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    "tps *B_read/s *B_wrtn/s *B_read *B_wrtn",
    # 11.6 and 11.7
    "r/s w/s r*B/s w*B/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm "
    "%util",
    # 12.0 to 12.3
    "r/s r*B/s rrqm/s %rrqm r_await rareq-sz w/s w*B/s wrqm/s %wrqm w_await wareq-sz d/s d*B/s "
    "drqm/s %drqm d_await dareq-sz aqu-sz %util",
    "r/s w/s r*B/s w*B/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz %util",
    # 12.4 and later
    "r/s r*B/s rrqm/s %rrqm r_await rareq-sz w/s w*B/s wrqm/s %wrqm w_await wareq-sz d/s d*B/s "
    "drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util",
    "tps *B_read/s *B_wrtn/s *B_dscd/s *B_read *B_wrtn *B_dscd",
    "tps *B_read/s *B_w+d/s *B_read *B_w+d",
    "tps *B/s rqm/s await areq-sz aqu-sz %util",
    # -h writes a device in several lines
    "r/s r*B/s rrqm/s %rrqm r_await rareq-sz",
    "w/s w*B/s wrqm/s %wrqm w_await wareq-sz",
    "d/s d*B/s drqm/s %drqm d_await dareq-sz",
    "f/s f_await aqu-sz %util",
}
"""Headers met in real outputs, kB, MB, GB, sectors and blocks written as *B."""

_UNIT = re.compile(r"^([rwd]?)(?:kB|MB|GB|sec)/s$|^(?:kB|MB|GB|Blk)_")


@reader
def read_iostat(
    path: Path | str,
    *,
    root: Path | None = None,
    interval_s: float | None = None,
    first_report: FirstReport | None = None,
    date_order: DateOrder | None = None,
    device: str | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read an output of ``iostat``, as text or JSON (``-o JSON``), also packed with gzip.

    Tables (columns: ``perfkit.sources.host.columns.TABLES``):

    - ``devices``: one row a report and device. Bytes and seconds; ``await`` and request sizes are
      null where there was no I/O to measure.
    - ``cpu``: one row a report.
    - ``host_series``: the common table over time. Its disk is ``device``, or the only one.
    - ``host``: what the header says.

    The first report of ``iostat`` holds means since the host was started. It is kept in the tables
    with ``since_boot`` true and left out of ``host_series``, unless ``-y`` left its mark or
    ``first_report="interval"`` says that it was given. Without the tool's own first line its
    ``since_boot`` is null unless ``first_report`` says what it is. Times are the host's;
    ``t_s`` counts from the first report, or by ``interval_s`` where no time is printed.

    A report that is cut off at the end of the file is left out, with a warning. A set of columns
    that was met in no real output makes the evidence ``unverified``; a column that perfkit does
    not know is named in it.

    Raises:
        ParseError: no output of iostat, or a line in it that does not belong there.
        UsageError: a ``device`` that is not there, or a date order that does not fit.
    """
    file = File.of(path, root)
    text = file.text()
    if text.lstrip().startswith("{"):
        recording = sysstat_json.iostat(text, file.path, first_report != "interval")
    else:
        recording = _Text(file.path, first_report).read(text)
    parts = recording.track("devices").parts
    plain = [Part(tuple(_UNIT.sub(_any_unit, name) for name in part.names)) for part in parts]
    recording.verify(plain, SEEN)
    options = Options(interval_s, date_order, device, labels)
    return finish(recording, file, READER, options, given(first_report=first_report))


def is_iostat(head: str) -> bool:
    """Whether a text begins as an output of iostat does."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and ('"avg-cpu"' in head or '"disk_device"' in head)
    lines = [line.rstrip() for line in lines_of(head) if line.strip()]
    if any(Header.of(line) for line in lines):
        return any(line.startswith("avg-cpu:") or _columns(line) for line in lines)
    first = next((line for line in lines if line[0] != "$" and not stamp_of(line)), "")
    return first != lines[-1] and _begins_report(first) if lines else False


def _begins_report(line: str) -> bool:
    """Whether a line is a head of iostat alone: of a file without the tool's first line."""
    columns = _columns(line)
    if columns:
        return set(columns[0]) <= set(COLUMNS["devices"])
    return line.startswith("avg-cpu:") and set(line.split()[1:]) <= set(COLUMNS["cpu"])


def _columns(line: str) -> tuple[tuple[str, ...], bool] | None:
    """The columns of a device header, and whether the device stands last in a row."""
    if found := _DEVICE_FIRST.match(line):
        return tuple(found["names"].split()), False
    if _DEVICE_LAST.match(line):
        return tuple(line.split()[:-1]), True
    return None


def _any_unit(found: re.Match[str]) -> str:
    return "*B_" if found[0].endswith("_") else f"{found[1]}*B/s"


@dataclass(frozen=True, slots=True)
class _Printed:
    """A row: its column heads and cells, and of which device or group it is."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]
    line: int
    name: str = "all"
    group: bool = False


@dataclass
class _Report:
    """One report while it is read."""

    stamp: Stamp | None
    since_boot: bool | None
    line: int
    cpu: _Printed | None = None
    devices: list[_Printed] = field(default_factory=list)
    headers: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def names(self) -> set[str]:
        return {row.name for row in self.devices}


class _Text:
    """Reads the text form line by line."""

    def __init__(self, path: str, first_report: FirstReport | None) -> None:
        self.recording = Recording("iostat", path)
        self.first_report = first_report
        self.reports: list[_Report] = []
        self.section: tuple[str, tuple[str, ...], bool] | None = None
        self.blanks = 0
        self.fresh = True
        self.pending: tuple[str, int] | None = None
        self.cut: int | None = None

    def read(self, text: str) -> Recording:
        lines = lines_of(text)
        whole = text.endswith("\n")
        last = last_line(lines)
        for number, line in enumerate(lines, 1):
            self._line(line.rstrip(), number, number == last)
        self._drop_cut(whole=whole, ended=text.endswith("\n\n"))
        if not self.reports:
            raise self.recording.fault("no whole report of iostat in it")
        if self.reports[0].since_boot is None:
            self.recording.warnings.append(UNKNOWN_FIRST)
        self._fill()
        return self.recording

    def _line(self, line: str, number: int, last: bool) -> None:
        if not line.strip():
            self.blanks += 1
            kind = self.section[0] if self.section else ""
            devices = self.reports[-1].devices if self.reports else []
            if kind == "other" or (kind == "devices" and devices):
                self.section = None
            return
        if self.recording.begin(line, number):
            self.fresh, self.section = True, None
        elif not self._head_line(line, number):
            is_prompt = number == 1 and line.startswith("$")
            if not self.recording.header and not self.reports and not is_prompt:
                raise self.recording.fault("no output of iostat: it begins differently", number)
            if not is_prompt:
                self._row(line, number, last)
        self.blanks = 0

    def _head_line(self, line: str, number: int) -> bool:
        """Take a line that begins something; returns whether it was one."""
        stamp = stamp_of(line)
        columns = _columns(line)
        if stamp:
            self._new(stamp, number)
        elif line.startswith("avg-cpu:"):
            current = self.reports[-1] if self.reports and not self.fresh else None
            if current is None or current.cpu or current.devices:
                current = self._new(None, number)
            self.section = ("cpu", tuple(line.split()[1:]), False)
        elif columns:
            self._device_head(*columns, number)
        elif _OTHER.match(line):
            self.section = ("other", (), False)
            self.recording.unparsed["Filesystem"] = "network file systems are not read"
        else:
            return False
        return True

    def _new(self, stamp: Stamp | None, number: int) -> _Report:
        first, self.fresh = self.fresh, False
        report = _Report(stamp, first and self._is_since_boot(), number)
        self.reports.append(report)
        self.section = None
        return report

    def _is_since_boot(self) -> bool | None:
        """Of the first report; None where neither the tool's first line nor the caller says it."""
        if self.first_report is not None:
            return self.first_report == "since-boot"
        return self.blanks < OMITTED if self.recording.header else None

    def _device_head(self, names: tuple[str, ...], name_last: bool, number: int) -> None:
        current = self.reports[-1] if self.reports and not self.fresh else None
        if current is None or names in current.headers:
            current = self._new(None, number)
        current.headers.add(names)
        self.section = ("devices", names, name_last)

    def _row(self, line: str, number: int, last: bool) -> None:
        kind, names, _ = self.section or ("", (), False)
        if kind == "other":
            return
        if kind not in {"cpu", "devices"}:
            raise self.recording.fault(f"not a line of iostat: {line.strip()[:60]!r}", number)
        cells = tuple(line.split())
        if kind == "devices":
            self._device_row(line, number, last)
        elif len(cells) != len(names):
            self._wrong_length(len(cells), len(names), number, last)
        else:
            self.reports[-1].cpu = _Printed(names, cells, number)
            self.section = None

    def _device_row(self, line: str, number: int, last: bool) -> None:
        _, names, name_last = self.section or ("", (), False)
        cells = line.split()
        group = line.startswith(" ") and not name_last and self.pending is None
        if self.pending:
            cells, self.pending = [self.pending[0], *cells], None
        count = len(names)
        if len(cells) == 1 and not last and not NUMBER.match(cells[0]):
            self.pending = (cells[0], number)  # a long name: its values stand in the next line
            return
        parts = split_row(cells, count, key_last=name_last)
        if parts is None:
            self._wrong_length(len(cells), count + 1, number, last)
            return
        self.reports[-1].devices.append(_Printed(names, parts[0], number, parts[1], group))

    def _wrong_length(self, found: int, wanted: int, number: int, last: bool) -> None:
        if not last:
            raise self.recording.fault(f"{found} cells where {wanted} belong", number)
        self.cut = number

    def _drop_cut(self, *, whole: bool, ended: bool) -> None:
        """Drop the last report where it is incomplete."""
        if not self.reports:
            return
        last = self.reports[-1]
        before = self.reports[-2] if len(self.reports) > 1 else None
        short = (
            before is not None
            and not ended
            and (
                (before.cpu is not None) != (last.cpu is not None)
                or last.headers != before.headers
                or not before.names <= last.names
            )
        )
        empty = last.cpu is None and not last.headers
        if self.cut or self.pending or not whole or short or empty:
            self.recording.warnings.append(
                f"line {last.line}: the last report is cut off and left out"
            )
            self.reports.pop()

    def _fill(self) -> None:
        cpu, devices = self.recording.track("cpu"), self.recording.track("devices")
        for report in self.reports:
            number = cpu.report(report.stamp, since_boot=report.since_boot)
            devices.report(report.stamp, since_boot=report.since_boot)
            if row := report.cpu:
                cpu.part(row.heads).rows.append(Row(number, (row.name,), row.cells, row.line))
            for row in report.devices:
                keys = (row.name, row.group)
                devices.part(row.heads).rows.append(Row(number, keys, row.cells, row.line))
        runs = sum(report.since_boot is True for report in self.reports)
        if runs > 1:
            self.recording.warnings.append(
                f"{runs} recordings in one file: each begins with a report since boot"
            )
