"""sysstat's ``mpstat``: text and JSON, all CPUs together or each (``-P ALL``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.lineage import Reading
from perfkit.sources.files import File, given, reader
from perfkit.sources.host import sysstat_json
from perfkit.sources.host.clock import DateOrder
from perfkit.sources.host.record import Header, Recording, lines_of
from perfkit.sources.host.rows import Block, read_rows
from perfkit.sources.host.tables import Options, Reader, finish

if TYPE_CHECKING:
    from perfkit.sources.host.iostat import FirstReport

READER = Reader("read.mpstat", 1, ("cpu",))

BLOCKS = (Block("cpu", "CPU", frozenset({"%usr", "%sys", "%idle"})),)
"""Each CPU; what mpstat prints by node or interrupt is named in the evidence and not read."""

_MINE = re.compile(
    r"\sCPU\s.*%usr.*%iowait\s+%irq\s|\s(CPU|NODE)\s.*(intr/s|%usr\s.*%iowait\s+%irq)"
)

ALONE = (
    "one report: whether it is of an interval, or holds means since boot, as mpstat prints them "
    "without an interval, is not known: it is left out of host_series; first_report='since-boot' "
    "or 'interval' settles it"
)

_SEEN = {
    "%usr %nice %sys %iowait %irq %soft %steal %guest %idle",
    "%usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle",
}


@reader
def read_mpstat(
    path: Path | str,
    *,
    root: Path | None = None,
    interval_s: float | None = None,
    first_report: FirstReport | None = None,
    date_order: DateOrder | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read an output of ``mpstat``, as text or JSON (``-o JSON``), also packed with gzip.

    Tables (columns: ``perfkit.sources.host.columns.TABLES``): ``cpu``, one row a report and CPU
    (``all``, 0, 1 ...); ``host_series``, the common table of the whole host; ``host``. ``%usr`` and
    ``%sys`` are without guests and interrupts; ``host_series`` adds them. The means printed at the
    end are not read: the rows say the same.

    Rows carry the time of day; the day is the header's, and the next one after midnight. Interrupts
    (``-I``) and nodes (``-n``) are named in the evidence as unparsed. A row that is cut off at the
    end is left out with its report, with a warning.

    Without an interval ``mpstat`` prints one report, of means since the host was started. In text
    the time beside its headings is then that of its rows: ``since_boot`` is true. JSON does not
    say: of one report alone ``since_boot`` is null, unless ``first_report`` says what it is
    ("since-boot", "interval"). Neither is in ``host_series``.

    Raises:
        ParseError: no output of mpstat, or a line in it that does not belong there.
        UsageError: a date order that does not fit.
    """
    file = File.of(path, root)
    text = file.text()
    if text.lstrip().startswith("{"):
        recording = sysstat_json.mpstat(text, file.path)
        _mark_alone(recording)
    else:
        recording = read_rows("mpstat", text, file.path, BLOCKS)
    track = recording.track("cpu")
    if first_report is not None:
        track.since_boot[0] = first_report == "since-boot"
    elif None in track.since_boot:
        recording.warnings.append(ALONE)
    recording.verify(track.parts, _SEEN)
    options = Options(interval_s, date_order, None, labels)
    return finish(recording, file, READER, options, given(first_report=first_report))


def _mark_alone(recording: Recording) -> None:
    """Say of the only report of a JSON that it may hold means since boot; not of what is left."""
    track = recording.track("cpu")
    if len(track.stamps) == 1 and not recording.warnings:
        track.since_boot[0] = None


def is_mpstat(head: str) -> bool:
    """Whether a text begins as an output of mpstat does."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"cpu-load"' in head and '"file-date"' not in head
    lines = lines_of(head)
    return any(Header.of(line) for line in lines) and any(_MINE.search(line) for line in lines)
