"""How long a load stood still, when it was back at its level, and how much it did until then.

A series knows what completed in each interval, not when. So a pause is known to lie between the
intervals without I/O and two intervals more; in between, the two intervals at its ends tell: what
they did less than usual, the pause took.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    cautions_of,
    check_physical,
    groups,
    require_columns,
    require_one_file,
    series_of_hosts,
)
from perfkit.analysis.over_time.stalls import unseen
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.answers import (
    FOUND,
    Answer,
    Condition,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.slow_times import EXPECTED, still_runs
from perfkit.core.units import Format

FEWEST = 5
"""Intervals that a level needs, before a pause and after it."""

BACK = 0.9
"""The load is back when it does this share of what it did before, over ``FEWEST`` intervals."""

_POINT = ("load", "repeat", "point")

_EACH = ("none: each point by itself", "the intervals of the series")
IO_PAUSE, TIME_TO_LEVEL, DEGRADED_LEVEL = register_questions(
    ("io_pause", "s", "the longest time in which no I/O of a point completed, in any direction",
     *_EACH, FOUND | {("measured", "<=")}),
    ("time_to_level", "s", "from the beginning of the longest pause, or from an event, until the "
     f"IOPS are at least {BACK:.0%} of the median before it, for {FEWEST} intervals",
     *_EACH, FOUND | {("measured", ">=")}),
    ("degraded_level", "ratio", "the IOPS from the end of the longest pause (or from an event "
     "without one) until they are back at their level, as a share of the median before it",
     *_EACH, FOUND),
)  # fmt: skip


@dataclass(frozen=True)
class _Pause:
    """A pause: the places of its first and last interval without I/O, its begin and its length.

    ``low_s`` and ``high_s``: between what the length lies.
    """

    first: int
    last: int
    begin_s: float
    length_s: float
    low_s: float
    high_s: float

    def answer(self, subject: Subject, at: tuple[Condition, ...], **more: Any) -> Answer:
        """The answer that this is the longest pause."""
        return IO_PAUSE.answer(
            "iops", subject, self.length_s, low=self.low_s, high=self.high_s, conditions=at, **more
        )


@dataclass(frozen=True)
class _Point:
    """One point over time, all its directions together, and its pauses.

    Without a pause, ``seen_s`` is the longest that one can have been.
    """

    name: str
    load: float
    repeat: int | None
    rows: list[Row]
    pauses: list[_Pause]
    seen_s: float

    @property
    def pause(self) -> _Pause | None:
        """The longest."""
        return max(self.pauses, key=lambda pause: pause.length_s, default=None)

    @property
    def unseen_s(self) -> float:
        """The time between its intervals that is in none of them."""
        gaps = (b["t_s"] - b["interval_s"] - a["t_s"] for a, b in itertools.pairwise(self.rows))
        return math.fsum(gap for gap in gaps if gap > self.rows[0]["interval_s"] / 2)

    def where(self, kind: str) -> tuple[Condition, ...]:
        """The point, and how fine its series is."""
        return where_conditions(
            (kind, self.load, "1"),
            ("repeat", self.repeat, "1"),
            ("series_interval_s", self.rows[0]["interval_s"], "s"),
        )


@step(version=2, name="steadiness.pauses")
def pauses(
    series: Measured, events: Measured | None = None, points: Measured | None = None
) -> pl.DataFrame:
    """The longest pause of each load, and how it went on: three answers each.

    - ``io_pause``: the longest time without a completed I/O, over all points; its interval is what
      the intervals of the series leave open. Relation "<=": no point shows one, and one of this
      length would have left an interval without I/O at the usual rate (``slow_times.EXPECTED``).
    - ``time_to_level``: from the beginning of that pause until the IOPS are back at ``BACK`` of
      their median before it, and stay there for ``FEWEST`` intervals. Relation ">=": they were not
      when the point ended.
    - ``degraded_level``: the IOPS in the time between the pause and that moment (or the end), as a
      share of that median.

    Of each event (``events``, a run's own, with its ``points``, which say where a series begins)
    there are the same answers beside these: the longest pause until the next event, the time from
    the event, and without a pause the lowest level for ``FEWEST`` intervals. An event of a point
    that does not say where its series begins has none, and says why; nor has one that came while
    a pause went on (a mark that somebody wrote late).

    Intervals of which one direction has no count belong to no interval; drains of an epic-like
    point are left out.

    Raises AnalysisError for a number that nothing can measure, and for several runs with the same
    labels.
    """
    needed = ("workload", "load_kind", *_POINT, "t_s", "interval_s", "direction", "ios", "drain")
    require_columns(series.frame, needed, "series")
    load = series.frame.filter(pl.col("drain").is_null())
    keys = [key for key in CURVE_KEYS if key in load.columns]
    require_one_file(load, [*keys, "load", "repeat"], "series")
    more = [name for name in ("host", "cautions") if name in load.columns]
    whole = (
        load.group_by(*keys, *_POINT, "t_s", "interval_s", *more, maintain_order=True)
        .agg(all_or_null("ios"))
        .filter(pl.col("ios").is_not_null())
    )
    found = series_of_hosts(whole, keys, along=(*_POINT, "t_s"))
    if not found:
        why = "there is no time series with a count of I/Os"
        return to_frame([IO_PAUSE.answer("iops", Subject("the run"), None, why)])
    marks = [] if events is None or points is None else _marks(events.frame, points.frame)
    return to_frame(answer for own in found for answer in _answers(own, marks))


@dataclass(frozen=True)
class _Mark:
    """An event on the time axis of its point's series (None: not known), until the next one."""

    key: Row
    name: str
    t_s: float | None
    until_s: float


def _marks(events: pl.DataFrame, points: pl.DataFrame) -> list[_Mark]:
    require_columns(events, ("point", "t_s", "name"), "events")
    require_columns(points, ("point", "measured_from_s"), "points")
    keys = [name for name in (*CURVE_KEYS, *_POINT, "source") if name in events.columns]
    begun = points.select(*(name for name in keys if name in points.columns), "measured_from_s")
    on = [name for name in begun.columns if name != "measured_from_s"]
    rows = events.join(begun, on=on, how="left", nulls_equal=True).sort("t_s").rows(named=True)
    found = []
    for number, row in enumerate(rows):
        begin, same = (
            row["measured_from_s"],
            [r for r in rows[number + 1 :] if r["point"] == row["point"]],
        )
        after = next((other["t_s"] for other in same), None)
        own = {name: row[name] for name in keys if name != "source"}
        found.append(
            _Mark(
                own,
                row["name"] or "a mark",
                None if begin is None else row["t_s"] - begin,
                math.inf if after is None or begin is None else after - begin,
            )
        )
    return found


def _answers(series: SeriesRows, marks: Sequence[_Mark]) -> Iterator[Answer]:
    subject, kind = series.subject, series.load_kind
    check_physical(series.rows, ("ios", "interval_s"))
    frame = pl.DataFrame(series.rows, infer_schema_length=None)
    points = [
        point
        for key, rows in groups(frame, _POINT, along=("t_s",))
        if (point := _point(key["point"], key["load"], key["repeat"], rows))
    ]
    yield from _of_events(subject, kind, points, marks)
    if not points:
        why = f"no point has {FEWEST} intervals at a rate by which a pause would show"
        yield IO_PAUSE.answer("iops", subject, None, why)
        return
    cautions = unseen(subject, kind, ((p.load, p.repeat, p.unseen_s) for p in points))
    paused = [(point.pause, point) for point in points if point.pause]
    if not paused:
        worst = max(points, key=lambda point: point.seen_s)
        at, n = worst.where(kind), len(points)
        yield IO_PAUSE.answer(
            "iops", subject, worst.seen_s, n=n, relation="<=", conditions=at, cautions=cautions
        )
        return
    pause, worst = max(paused, key=lambda found: found[0].length_s)
    at = (*worst.where(kind), Condition("pause_begin_s", pause.begin_s, "s", "where"))
    both = (*cautions, *cautions_of(worst.rows))
    yield pause.answer(subject, at, n=len(points), cautions=both)
    rows = worst.rows
    yield from _afterwards(
        subject,
        at,
        rows[: max(0, pause.first - 1)],
        rows[pause.last + 1 :],
        begin_s=pause.begin_s,
        pause_s=pause.length_s,
    )


def _of_events(
    subject: Subject, kind: str, points: Sequence[_Point], marks: Sequence[_Mark]
) -> Iterator[Answer]:
    """The answers of each event of these points."""
    by_name = {point.name: point for point in points}
    key = dict(subject.key)
    for mark in marks:
        if any(mark.key.get(name) != value for name, value in key.items() if name in mark.key):
            continue
        own = Subject(f"{subject.label} ({mark.name})", (*subject.key, ("event", mark.name)))
        point = by_name.get(mark.key["point"])
        if point is None or mark.t_s is None:
            why = "the record does not say where its series begins"
            if point is None:
                why = "its point has no series by which a pause would show"
            yield from _unanswered(own, why)
            continue
        yield from _of_event(own, kind, point, mark.t_s, mark.until_s)


def _unanswered(subject: Subject, why: str) -> Iterator[Answer]:
    for question in (IO_PAUSE, TIME_TO_LEVEL, DEGRADED_LEVEL):
        yield question.answer("iops", subject, None, why)


def _of_event(
    subject: Subject, kind: str, point: _Point, t_s: float, until_s: float
) -> Iterator[Answer]:
    rows = [row for row in point.rows if row["t_s"] - row["interval_s"] < until_s]
    before = [row for row in rows if row["t_s"] <= t_s]
    step_s = rows[0]["interval_s"] if rows else 0.0
    running = [
        pause
        for pause in point.pauses
        if pause.begin_s < t_s - step_s and point.rows[pause.last]["t_s"] > t_s
    ]
    if running:
        # what follows the event and what follows the pause cannot be told apart
        for_s = Format("s", significant=3).show(t_s - running[0].begin_s).text
        yield from _unanswered(subject, f"no I/O had been done for {for_s} when it came")
        return
    # where a series begins is known to about an interval
    own = [pause for pause in point.pauses if t_s - step_s <= pause.begin_s < until_s]
    at = (*point.where(kind), Condition("event_s", t_s, "s", "where"))
    pause = max(own, key=lambda pause: pause.length_s, default=None)
    if pause is None:
        yield IO_PAUSE.answer("iops", subject, point.seen_s, n=1, relation="<=", conditions=at)
        yield from _afterwards(subject, at, before[:-1], rows[len(before) :], begin_s=t_s)
        return
    at = (*at, Condition("pause_begin_s", pause.begin_s, "s", "where"))
    yield pause.answer(subject, at, n=1)
    yield from _afterwards(
        subject,
        at,
        before[: max(0, pause.first - 1)],
        [row for row in rows if row["t_s"] > point.rows[pause.last]["t_s"]],
        begin_s=min(t_s, pause.begin_s),
        pause_s=pause.length_s,
    )


def _afterwards(
    subject: Subject,
    at: tuple[Condition, ...],
    before: Sequence[Row],
    after: Sequence[Row],
    *,
    begin_s: float,
    pause_s: float | None = None,
) -> Iterator[Answer]:
    """When the level from before was there again, and what was done until then.

    Without a pause the search begins at the lowest mean of ``FEWEST`` intervals.
    """
    level = statistics.median(map(_rate, before)) if before else 0.0
    starts = range(len(after) - FEWEST + 1)
    first = (
        0
        if pause_s or len(after) < FEWEST
        else min(starts, key=lambda start: _mean(after[start : start + FEWEST]))
    )
    why = _why_open(before, after, level, None if pause_s else first)
    if why:
        for question in (TIME_TO_LEVEL, DEGRADED_LEVEL):
            yield question.answer("iops", subject, None, why, conditions=at)
        return
    at = (*at, *where_conditions(("level_before", level, "1/s"), ("level_share", BACK, "ratio")))
    back = _back(after, level, first)
    end = after[-1]["t_s"]
    if back is not None:
        end = after[back]["t_s"] - after[back]["interval_s"]
    # an interval that the pause ended in may have made up for it
    taken = max(pause_s or 0.0, end - begin_s)
    relation = "=" if back is not None else ">="
    yield TIME_TO_LEVEL.answer("iops", subject, taken, relation=relation, conditions=at)
    # the interval in which the pause ended is not a whole one of what came after it
    between = after[1 if pause_s else 0 : len(after) if back is None else back]
    if not between:
        why = "no whole interval lies between the pause and that level"
        yield DEGRADED_LEVEL.answer("iops", subject, None, why, conditions=at)
        return
    done = _mean(between)
    between_them = Condition("level_between", done, "1/s", "where")
    yield DEGRADED_LEVEL.answer("iops", subject, done / level, conditions=(*at, between_them))


def _why_open(
    before: Sequence[Row], after: Sequence[Row], level: float, lowest: int | None
) -> str | None:
    """Why nothing is known of what came after; ``lowest``: where it did least, without a pause."""
    for rows, where in ((before, "before"), (after, "after")):
        if len(rows) < FEWEST:
            return f"fewer than {FEWEST} whole intervals lie {where} it"
    if lowest is not None and _mean(after[lowest : lowest + FEWEST]) >= BACK * level:
        return f"over any {FEWEST} intervals it stayed at {BACK:.0%} of what it did before, or more"
    return None


def _rate(row: Row) -> float:
    return float(row["ios"] / row["interval_s"])


def _mean(rows: Sequence[Row]) -> float:
    return math.fsum(row["ios"] for row in rows) / math.fsum(row["interval_s"] for row in rows)


def _point(name: str, load: float, repeat: int | None, rows: list[Row]) -> _Point | None:
    """The point; None where it has too few intervals, or too few I/Os for a pause to show."""
    if len(rows) < FEWEST:
        return None
    quiet = list(still_runs(rows))
    longest = max(quiet, key=len, default=list[int]())
    # a pause may take most of a point: it is not part of what is usual
    still = set(longest)
    rest = [row for place, row in enumerate(rows) if place not in still]
    if not rest or not _mean(rest):
        return None
    # at random arrivals so many intervals have an I/O, unless the load stands still
    least = math.ceil(EXPECTED / (_mean(rest) * rows[0]["interval_s"]))
    if least > len(rows) / 2:
        return None
    usual = statistics.median(map(_rate, rest)) or _mean(rest)
    found = [_paused(rows, run[0], run[-1], usual) for run in quiet if len(run) >= least]
    seen = (least + 1) * max(row["interval_s"] for row in rows)
    return _Point(name, load, repeat, rows, found, seen)


def _paused(rows: Sequence[Row], first: int, last: int, usual: float) -> _Pause:
    low = rows[last]["t_s"] - rows[first]["t_s"] + rows[first]["interval_s"]
    ends = [_idle(rows, place, usual) for place in (first - 1, last + 1)]
    most = math.fsum(
        rows[place]["interval_s"] for place in (first - 1, last + 1) if 0 <= place < len(rows)
    )
    begin = rows[first]["t_s"] - rows[first]["interval_s"] - ends[0]
    return _Pause(first, last, max(0.0, begin), low + math.fsum(ends), low, low + most)


def _idle(rows: Sequence[Row], place: int, usual: float) -> float:
    """How much of an interval beside a pause was idle, had the rest of it gone as usual."""
    if not 0 <= place < len(rows):
        return 0.0
    return float(rows[place]["interval_s"] * max(0.0, 1 - _rate(rows[place]) / usual))


def _back(after: Sequence[Row], level: float, first: int = 0) -> int | None:
    """The first interval from which on the load is back for ``FEWEST`` of them."""
    rates = [_rate(row) for row in after]
    for place in range(first, len(rates) - FEWEST + 1):
        own = rates[place : place + FEWEST]
        if own[0] >= BACK * level and statistics.fmean(own) >= BACK * level:
            return place
    return None
