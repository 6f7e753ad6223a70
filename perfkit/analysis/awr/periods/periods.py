"""Which reports are the periods of one history, in what order, and which are kept out of trends."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import polars as pl

from perfkit.analysis.awr.periods.columns import PERIODS
from perfkit.analysis.awr.periods.levels import FEWEST
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.keys import file_of, report_names, rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

_NEEDED = ("scope", "db_name", "db_id", "instance", "startup_time", "snap_begin_id",
           "snap_end_id", "begin_time", "end_time", "elapsed_s")  # fmt: skip

TOLERANCE = timedelta(seconds=60)
"""Times that are this close are the same: some forms print minutes."""

CLOCK_RATIO = 0.02
"""Elapsed time and snapshot times that differ by more of the period than this tell of a clock."""

OTHER_LENGTH, OF_FEW = 2.0, 10.0
"""A period that is more than so many times as long, or as short, as most is another length.

Where fewer than ``FEWEST`` are of one length there is no usual one, and more is allowed.
"""

SEVERAL = 2
"""A period spans others from so many on that lie within it."""

FEW = 4
"""Periods apart: these, times this, are no more than the periods that they are far from."""


@dataclass(frozen=True)
class Period:
    """One report as a period: its place in the rows, times, and why it is in no trend."""

    report: str
    row: Row
    left_out: str | None = None
    left_out_for: str | None = None

    @property
    def begin(self) -> datetime:
        """Time of its first snapshot."""
        found: datetime = self.row["begin_time"]
        return found

    @property
    def end(self) -> datetime:
        """Time of its last snapshot."""
        found: datetime = self.row["end_time"]
        return found

    @property
    def elapsed(self) -> float:
        """Seconds between its snapshots, as printed."""
        return float(self.row["elapsed_s"])

    @property
    def missing(self) -> int:
        """How much of it is not known: a report that is cut off lacks what stands at its end."""
        return sum(value is None for value in self.row.values())

    @property
    def is_text(self) -> bool:
        """Whether it is a text report, which cuts names off."""
        return self.row.get("format") == "text"

    @property
    def snaps(self) -> tuple[int | None, int | None]:
        """Its snapshots."""
        return self.row["snap_begin_id"], self.row["snap_end_id"]

    def without(self, why: str, reason: Period | None = None) -> Period:
        """The same, kept out of trends."""
        return replace(self, left_out=why, left_out_for=reason.report if reason else None)


@step(version=1, name="awr.periods")
def periods(report: Measured, instances: Measured | None = None, *, least: int = 1) -> pl.DataFrame:
    """The reports of each database and instance in time, and which of them form a trend.

    A report is kept out of trends for the first of these reasons that it has: no times; a clock
    that was changed (its times are not its elapsed time apart, or are those of other snapshots);
    the same period as another; a restart within it; several others that lie within it; a place
    further from the others than these reach, for a few; another length than most (over twice, or
    below half; ten times where no six are of one length); an overlap with one that ends earlier;
    too few others. Of two reports of one period the one with more in it stays: with fewer values
    missing of its row, an HTML report rather than a text one, which cuts names off, and last the
    first by name.

    Args:
        report: The table ``report`` of several reports.
        instances: Their instances: a cluster's restarts stand there.
        least: A trend has so many periods at least; of fewer each report stands for itself.

    Returns:
        ``PERIODS``: history by history, in order of time; those without times last.

    Raises:
        AbsentError: No report.
        AnalysisError: A table without its columns.
    """
    require_columns(report.frame, _NEEDED, "report")
    rows = sorted(report.frame.rows(named=True), key=lambda row: file_of(row) or "")
    if not rows:
        raise AbsentError("report: no report, so no periods")
    started = rows_by([] if instances is None else instances.frame.rows(named=True), file_of)
    starts = {
        name: [row["startup_time"] for row in own if row["startup_time"] is not None]
        for name, own in started.items()
    }
    names = report_names([file_of(row) for row in rows])
    every = [Period(name, row) for name, row in zip(names, rows, strict=True)]
    histories = rows_by(every, lambda item: _key(item.row))
    called = _called(list(histories))
    found = [
        made
        for key in sorted(histories, key=lambda key: called[key])
        for made in _in_time(called[key], _judged(histories[key], starts, least), starts)
    ]
    return pl.DataFrame(found, schema=PERIODS)


# --- histories --------------------------------------------------------------------------------


def _key(row: Row) -> tuple[Hashable, ...]:
    """A database by its id and name, the form of its reports, how far they reach, the instance."""
    name = row["db_name"] or row.get("unique_name") or row.get("instance_name") or "database"
    instance = None if row["scope"] == "rac" else row["instance"]
    return name, row["db_id"], row.get("form"), row["scope"], instance


_FORMS = {"statspack": "Statspack"}
_SCOPES = {"rac": "cluster", "pdb": "pluggable database"}


def _called(keys: Sequence[tuple[Any, ...]]) -> dict[tuple[Any, ...], str]:
    """The name of each history: its database, and what tells it from others of that name."""
    words: tuple[Callable[[Any], str | None], ...] = (
        lambda db_id: f"id {db_id}",
        _FORMS.get,
        _SCOPES.get,
        lambda number: number and f"instance {number}",
    )
    found = {}
    for key in keys:
        alike = [other for other in keys if other[0] == key[0]]
        more = [
            word(key[place])
            for place, word in enumerate(words, 1)
            if len({other[place] for other in alike}) > 1
        ]
        found[key] = ", ".join(filter(None, [key[0], *more]))
    return found


# --- what is kept out -------------------------------------------------------------------------


def _judged(
    own: Sequence[Period], starts: dict[str | None, list[datetime]], least: int
) -> list[Period]:
    """The periods in time, with the reason of each that is in no trend; without times last."""
    timed = [
        item
        for item in own
        if None not in (item.row["begin_time"], item.row["end_time"])
        and (item.row["elapsed_s"] or 0) > 0
    ]
    known = {id(item) for item in timed}
    timed.sort(key=lambda item: (item.begin, item.end, item.missing, item.is_text, item.report))
    for rule in (
        _clock,
        _same,
        lambda all_: _restarted(all_, starts),
        _spanning,
        _apart,
        _long,
        _overlaps,
    ):
        reasons = rule([item for item in timed if item.left_out is None])
        timed = [reasons.get(item.report, item) for item in timed]
    kept = [item for item in timed if item.left_out is None]
    if len(kept) < least:
        timed = [item.without("few") if item.left_out is None else item for item in timed]
    return timed + [_without_times(item) for item in own if id(item) not in known]


def _without_times(item: Period) -> Period:
    has_times = None not in (item.row["begin_time"], item.row["end_time"])
    return item.without("no_elapsed" if has_times else "no_time")


_Reasons = dict[str, Period]


def _clock(all_: Sequence[Period]) -> _Reasons:
    """Those whose times are not their elapsed time apart, or those of other snapshots."""
    found = {}
    met: dict[tuple[datetime, datetime], Period] = {}
    for item in all_:
        apart = (item.end - item.begin).total_seconds()
        allowed = max(TOLERANCE.total_seconds(), CLOCK_RATIO * item.elapsed)
        other = met.setdefault((item.begin, item.end), item)
        known = None not in (*item.snaps, *other.snaps)
        if abs(apart - item.elapsed) > allowed or (known and item.snaps != other.snaps):
            found[item.report] = item.without("clock", None if other is item else other)
    return found


def _same(all_: Sequence[Period]) -> _Reasons:
    found: _Reasons = {}
    met: dict[tuple[datetime, datetime], Period] = {}
    for item in all_:
        other = met.setdefault((item.begin, item.end), item)
        if other is not item:
            less = "same_period_less" if item.missing > other.missing else "same_period"
            why = "same_period_text" if item.is_text and not other.is_text else less
            found[item.report] = item.without(why, other)
    return found


def _restarted(all_: Sequence[Period], starts: dict[str | None, list[datetime]]) -> _Reasons:
    return {
        item.report: item.without("contains_restart")
        for item in all_
        if any(item.begin < start < item.end for start in _own_starts(item, starts))
    }


def _own_starts(item: Period, starts: dict[str | None, list[datetime]]) -> list[datetime]:
    own = item.row["startup_time"]
    return [*([own] if own is not None else []), *starts.get(file_of(item.row), [])]


def _spanning(all_: Sequence[Period]) -> _Reasons:
    """Those that several others lie within, with the first of these."""
    within: dict[str, list[Period]] = {}
    open_: list[Period] = []
    for item in sorted(all_, key=lambda item: (item.begin, -item.elapsed)):
        open_ = [other for other in open_ if other.end > item.begin + TOLERANCE]
        for other in open_:
            if item.end <= other.end + TOLERANCE and item.elapsed < other.elapsed:
                within.setdefault(other.report, []).append(item)
        open_ = [other for other in open_ if len(within.get(other.report, [])) < SEVERAL] + [item]
    return {
        item.report: item.without("spans_others", within[item.report][0])
        for item in all_
        if len(within.get(item.report, [])) >= SEVERAL
    }


def _long(all_: Sequence[Period]) -> _Reasons:
    """Those much longer or shorter than most: than the length that most others are near."""
    lengths = sorted(item.elapsed for item in all_)
    near = {
        length: bisect_right(lengths, length * OTHER_LENGTH)
        - bisect_right(lengths, length / OTHER_LENGTH * (1 - 1e-9))
        for length in lengths
    }
    most = max(near.values(), default=0)
    allowed = OTHER_LENGTH if most >= FEWEST else OF_FEW
    common = [length for length in lengths if near[length] == most]
    middle = common[len(common) // 2] if common else 0.0
    return {
        item.report: item.without("other_length")
        for item in all_
        if not middle / allowed <= item.elapsed <= middle * allowed
    }


def _overlaps(all_: Sequence[Period]) -> _Reasons:
    """Of those that overlap, the one that ends earlier stays: so that most of them do."""
    found: _Reasons = {}
    last: Period | None = None
    for item in sorted(all_, key=lambda item: (item.end, item.begin)):
        if last is not None and item.begin < last.end - TOLERANCE:
            found[item.report] = item.without("overlaps", last)
        else:
            last = item
    return found


def _apart(all_: Sequence[Period]) -> _Reasons:
    """A few that are further from the others than these reach."""
    groups = _groups(all_)
    if len(groups) < 2:
        return {}
    main = max(groups, key=len)
    reach = main[-1].end - main[0].begin
    return {
        item.report: item.without("apart")
        for group in groups
        if group is not main
        and len(group) * FEW <= len(main)
        and max(main[0].begin - group[-1].end, group[0].begin - main[-1].end) > reach
        for item in group
    }


def _groups(all_: Sequence[Period]) -> list[list[Period]]:
    """The periods in time, parted where the gap is longer than what lies before it and after."""
    if len(all_) < 2:
        return [list(all_)] if all_ else []
    gaps = [after.begin - before.end for before, after in pairwise(all_)]
    place = max(range(len(gaps)), key=gaps.__getitem__)
    sides = list(all_[: place + 1]), list(all_[place + 1 :])
    if gaps[place] <= max(side[-1].end - side[0].begin for side in sides):
        return [list(all_)]
    return [*_groups(sides[0]), *_groups(sides[1])]


# --- rows -------------------------------------------------------------------------------------


def _in_time(
    history: str, own: Sequence[Period], starts: dict[str | None, list[datetime]]
) -> list[Row]:
    rows: list[Row] = []
    last: Period | None = None
    for item in own:
        in_trend = item.left_out is None
        before = last if in_trend else None
        rows.append(
            {
                "history": history,
                "report": item.report,
                "source": file_of(item.row),
                "cautions": item.row.get("cautions"),
                **{name: item.row[name] for name in _KEPT},
                "in_trend": in_trend,
                "left_out": item.left_out,
                "left_out_for": item.left_out_for,
                "gap_before_s": before and max(0.0, (item.begin - before.end).total_seconds()),
                "restart_before": before and _after(before, _own_starts(item, starts)),
            }
        )
        last = item if in_trend else last
    return rows


_KEPT = ("begin_time", "end_time", "db_id", "instance", "elapsed_s", "startup_time")


def _after(before: Period, starts: Sequence[datetime]) -> bool | None:
    """Whether an instance started after a period ended; None: no start is known."""
    return any(start >= before.end - TOLERANCE for start in starts) if starts else None
