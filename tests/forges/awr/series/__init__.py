"""A series of AWR reports, half hour by half hour, in which causes are planted or nothing is.

``series()`` gives the reports with the truth beside them: what each half hour counted, and which
cause was planted where. The same seed gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

from forges.awr.content import Content, Snapshots
from forges.awr.forge import forge_html
from forges.awr.series.causes import CAUSES, Cause, changed, moved
from forges.awr.series.conditions import Conditions, ordinary
from forges.awr.series.counting import Counted, counted, total
from forges.awr.series.half_hour import Host, content
from forges.awr.series.workload import Noise

__all__ = ["CAUSES", "Cause", "Host", "Period", "Series", "moved", "series"]

START = datetime(2026, 3, 2, 8)  # noqa: DTZ001 - a report names no zone
HALF_HOUR = 1800
HOST = Host()
FIRST_SNAPSHOT = 980
"""So that names of files do not stand in the order of time: 1000 comes before 980."""


@dataclass(frozen=True)
class Period:
    """One report of a series with what it was made of."""

    name: str
    number: int
    """Which half hour; of a report that spans others the first."""
    begin: datetime
    end: datetime
    counts: Counted
    content: Content
    spans: bool = False

    @property
    def data(self) -> bytes:
        """The report."""
        return forge_html(self.content).data


@dataclass(frozen=True)
class Series:
    """The reports of a series in the order of time, and what was planted."""

    periods: tuple[Period, ...]
    causes: tuple[Cause, ...]

    def write(self, folder: Path) -> Path:
        """The reports as files of a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for period in self.periods:
            (folder / period.name).write_bytes(period.data)
        return folder

    def times(self, cause: Cause) -> tuple[datetime, datetime]:
        """When a cause began and ended."""
        return _time(cause.first), _time(cause.last + 1)


def series(
    count: int = 200, causes: tuple[Cause, ...] = CAUSES, *, seed: int = 18, host: Host = HOST
) -> Series:
    """So many half hours with these causes; without causes a flat series: load and noise alone."""
    noise, random = Noise(Random(seed)), Random(seed + 1)
    conditions = []
    for number in range(count):
        now = ordinary(_hour(number), noise)
        conditions.append(changed(now, number, causes))
    missing = {n for cause in causes if cause.missing for n in range(cause.first, cause.last + 1)}
    made = [
        _period(number, 1, [conditions[number]], causes, random, host)
        for number in range(count)
        if number not in missing
    ]
    made += [
        _period(cause.first, cause.last - cause.first + 1,
                conditions[cause.first : cause.last + 1], causes, random, host)
        for cause in causes
        if cause.spanned
    ]  # fmt: skip
    return Series(tuple(sorted(made, key=lambda one: (one.begin, one.end))), causes)


def _time(number: int) -> datetime:
    return START + timedelta(seconds=number * HALF_HOUR)


def _hour(number: int) -> float:
    begin = _time(number)
    return begin.hour + begin.minute / 60


def _period(  # noqa: PLR0917 - where it stands, and what it is made of
    first: int, length: int, conditions: list[Conditions], causes: tuple[Cause, ...],
    random: Random, host: Host,
) -> Period:  # fmt: skip
    begin, end = _time(first), _time(first + length)
    counts = total([counted(now, HALF_HOUR) for now in conditions])
    snapshots = Snapshots(FIRST_SNAPSHOT + first, FIRST_SNAPSHOT + first + length, begin, end)
    name = f"awrrpt_{host.number}_{snapshots.begin_id}_{snapshots.end_id}.html"
    made = content(counts, snapshots, _startup(first, causes), random, host)
    return Period(name, first, begin, end, counts, made, spans=length > 1)


def _startup(number: int, causes: tuple[Cause, ...]) -> datetime:
    starts = [
        _time(cause.first) + timedelta(seconds=HALF_HOUR // 2)
        for cause in causes
        if cause.restarted and cause.first < number
    ]
    return max(starts, default=START - timedelta(days=40))
