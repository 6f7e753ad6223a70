"""elbencho's live CSV (``--livecsv``, ``--livecsvex``) as a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.lineage import Reading, reading
from perfkit.core.units import MS_PER_S, US_PER_S
from perfkit.formats import elbencho_live
from perfkit.sources.files import File, Row, frame, reader, sections_of
from perfkit.sources.rundir.series import live_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = 1


def is_elbencho_live(head: str) -> bool:
    """Whether a file begins as elbencho's live CSV does."""
    return head.startswith(elbencho_live.SIGN)


@reader
def read_elbencho_live(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read elbencho's live CSV: what it did over time, whole and by thread or host.

    Table ``series``: one row an interval, direction and rank ("Total", or a thread's or host's
    number). Bytes per second are from the cumulative bytes; elbencho's own rates are cut off to
    whole MiB. The latency is the interval's mean, null where elbencho gives none (ranks).

    Raises ParseError naming the line: another file, damaged, time or bytes that go back.
    """
    file = File.of(path, root)
    rows = list(_rows(file.text(), file.path))
    if not rows:
        raise ParseError(file.path, "a header without one interval that moved data")
    frames = {"series": frame(rows, schema.ELBENCHO_SERIES, file.label)}
    found = file.evidence("elbencho-live", "elbencho", sections=sections_of(frames))
    return reading("read.elbencho_live", VERSION, frames, found)


def _rows(text: str, path: str) -> Iterator[Row]:
    for before, row in live_intervals(text, path):
        seconds = (row.t_ms - before) / MS_PER_S
        yield {
            "operation": row.phase,
            "rank": row.rank,
            "host": row.service,
            "direction": row.direction,
            "t_s": row.t_ms / MS_PER_S,
            "interval_s": seconds,
            "bw_bytes_per_s": row.done_bytes / seconds,
            "lat_mean_s": row.lat_mean_us / US_PER_S if row.lat_mean_us else None,
        }
