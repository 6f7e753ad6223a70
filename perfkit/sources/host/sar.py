"""sysstat's ``sar`` (text) and ``sadf`` (``-d`` and ``-j``): CPU, disks, I/O and memory."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError
from perfkit.sources.files import File, reader
from perfkit.sources.host import sadf, sysstat_json
from perfkit.sources.host.clock import ROW_TIME, DateOrder
from perfkit.sources.host.mpstat import is_mpstat
from perfkit.sources.host.record import Header, Recording, lines_of
from perfkit.sources.host.rows import Block, read_rows
from perfkit.sources.host.tables import Options, Reader, finish

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading

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
    if sadf.is_database_form(text):
        return sadf.database_form(text, path)
    if is_mpstat(text[:HEAD]):
        raise ParseError(path, "an output of mpstat, not of sar: read_mpstat reads it")
    return read_rows("sar", text, path, BLOCKS)


def is_sar(head: str) -> bool:
    """Whether a text begins as an output of sar or sadf does; mpstat's is told apart before."""
    if head.lstrip().startswith("{"):
        return '"sysstat"' in head and '"file-date"' in head
    if sadf.is_database_form(head):
        return True
    lines = lines_of(head)
    headed = any(Header.of(line) for line in lines)
    timed = [line for line in lines if ROW_TIME.match(line)]
    return (
        headed
        and any(_SAR.search(line) for line in timed)
        and not any(_PIDSTAT.search(line) for line in lines)
    )
