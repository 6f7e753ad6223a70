"""elbencho's live CSV (``--livecsv``, ``--livecsvex``) as a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.core.units import MS_PER_S, US_PER_S
from perfkit.formats import elbencho_live
from perfkit.formats.elbencho_json import Phase
from perfkit.formats.elbencho_live import LiveRow
from perfkit.sources.elbencho import schema as elbencho_schema
from perfkit.sources.elbencho.command import option
from perfkit.sources.elbencho.read import load_keys, result_phases
from perfkit.sources.files import File, frame, reader, sections_of

VERSION = 2

_ENDINGS = (".live.csv", "_live.csv", "-live.csv", ".livecsv")
_RESULTS = (".json", ".csv")


@dataclass(frozen=True)
class _Result:
    """The result that a live file stands beside."""

    phases: Sequence[Phase]
    evidence: Evidence

    def keys(self) -> dict[tuple[str, int], Row]:
        """Workload and load of each phase, by its name and how often it was run before."""
        found: dict[tuple[str, int], Row] = {}
        for phase in self.phases:
            times = sum(1 for name, _ in found if name == phase.operation)
            found[phase.operation, times + 1] = load_keys(phase)
        return found


@reader
def read_elbencho_live(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read elbencho's live CSV: what it did over time, whole and by thread or host.

    Table ``series``: one row an interval, direction and rank ("Total", or a thread's or host's
    number). Bytes per second are from the cumulative bytes; elbencho's own rates are cut off to
    whole MiB. The latency is the interval's mean, null where elbencho gives none (ranks, and
    versions before 2.3).

    Its result is the file of the same name beside it (``run.live.csv``: ``run.json``, ``run.csv``)
    whose command, where it has one, writes this live file: workload and load are those of the
    result's phase, and null without a result.

    Raises ParseError naming the line: another file, damaged, time or bytes that go back.
    """
    file = File.of(path, root)
    live = list(elbencho_live.intervals(file.text(), file.path))
    if not live:
        raise ParseError(file.path, "a header without one interval that moved data")
    result = _result(Path(path), root)
    keys = result.keys() if result else {}
    frames = {"series": frame(list(_rows(live, keys)), elbencho_schema.ELBENCHO_SERIES, file.label)}
    found = file.evidence("elbencho-live", "elbencho", sections=sections_of(frames))
    if result:
        found = replace(found, parts=(found, result.evidence))
    return reading("read.elbencho_live", VERSION, frames, found)


def _rows(live: Sequence[LiveRow], keys: Mapping[tuple[str, int], Row]) -> Iterator[Row]:
    for row in live:
        seconds = (row.t_ms - row.since_ms) / MS_PER_S
        yield {
            **keys.get((row.phase, row.repeat), {}),
            "label": row.label,
            "operation": row.phase,
            "repeat": row.repeat,
            "rank": row.rank,
            "host": row.service,
            "direction": row.direction,
            "t_s": row.t_ms / MS_PER_S,
            "interval_s": seconds,
            "bw_bytes_per_s": row.interval_bytes / seconds,
            "lat_mean_s": row.lat_mean_us / US_PER_S if row.lat_mean_us else None,
        }


def _result(live: Path, root: Path | None) -> _Result | None:
    """The result beside a live file; None without one that is surely its own."""
    stem = next((live.name[: -len(end)] for end in _ENDINGS if live.name.endswith(end)), "")
    for ending in _RESULTS if stem else ():
        place = live.with_name(stem + ending)
        if not place.is_file():
            continue
        try:
            file = File.of(place, root)
            phases = result_phases(file.text(), file.path)
        except ParseError:
            continue
        if all(_writes(phase, live.name) for phase in phases):
            return _Result(phases, file.evidence("elbencho", "elbencho"))
    return None


def _writes(phase: Phase, name: str) -> bool:
    """Whether the phase's command writes a live file of this name, as far as it is known."""
    written = option(phase.command, "--livecsv")
    return not phase.command or PurePath(written or "").name == name
