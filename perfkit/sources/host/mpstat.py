"""sysstat's ``mpstat``: text and JSON, all CPUs together or each (``-P ALL``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.sources.files import File, reader
from perfkit.sources.host import sysstat_json
from perfkit.sources.host.record import Header, lines_of
from perfkit.sources.host.rows import Block, read_rows
from perfkit.sources.host.tables import Options, Reader, finish

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading
    from perfkit.sources.host.clock import DateOrder

READER = Reader("read.mpstat", 1, ("cpu",))

BLOCKS = (Block("cpu", "CPU", frozenset({"%usr", "%sys", "%idle"})),)
"""Each CPU; what mpstat prints by node or interrupt is named in the evidence and not read."""

_MINE = re.compile(
    r"\sCPU\s.*%usr.*%iowait\s+%irq\s|\s(CPU|NODE)\s.*(intr/s|%usr\s.*%iowait\s+%irq)"
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

    Raises:
        ParseError: no output of mpstat, or a line in it that does not belong there.
        UsageError: a date order that does not fit.
    """
    file = File.of(path, root)
    text = file.text()
    if text.lstrip().startswith("{"):
        recording = sysstat_json.mpstat(text, file.path)
    else:
        recording = read_rows("mpstat", text, file.path, BLOCKS)
    recording.verify(recording.track("cpu").parts, _SEEN)
    options = Options(interval_s, date_order, None, labels)
    return finish(recording, file, READER, options)


def is_mpstat(head: str) -> bool:
    """Whether a text begins as an output of mpstat does."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"cpu-load"' in head and '"file-date"' not in head
    lines = lines_of(head)
    return any(Header.of(line) for line in lines) and any(_MINE.search(line) for line in lines)
