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
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    cautions_of,
    check_physical,
    groups,
    require_columns,
    require_one_file,
    series_rows,
)
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.answers import (
    Answer,
    Condition,
    Estimate,
    Question,
    Relation,
    Status,
    Subject,
    register,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.lineage import Measured, step
from perfkit.core.slow_times import EXPECTED
from perfkit.core.units import Format

if TYPE_CHECKING:
    from perfkit.core.schema import Row

FEWEST = 5
"""Intervals that a level needs, before a pause and after it."""

BACK = 0.9
"""The load is back when it does this share of what it did before, over ``FEWEST`` intervals."""

_POINT = ("load", "repeat", "point")

_OPEN: dict[str, frozenset[tuple[Status, Relation]]] = {
    "io_pause": frozenset({("measured", "<=")}),
    "time_to_level": frozenset({("measured", ">=")}),
    "degraded_level": frozenset(),
}
"""What is known of each where the series ends too early, or is too coarse."""

for _name, _unit, _estimand in (
    ("io_pause", "s", "the longest time in which no I/O of a point completed, in any direction"),
    ("time_to_level", "s", "from the beginning of the longest pause until the IOPS are at least "
     f"{BACK:.0%} of the median before it, for {FEWEST} intervals"),
    ("degraded_level", "ratio", "the IOPS from the end of the longest pause until they are back at "
     "their level, as a share of the median before it"),
):  # fmt: skip
    register(Question(
        _name, _unit, _estimand, "none: each point by itself", "the intervals of the series",
        gives=_OPEN[_name] | {("measured", "="), ("missing", "=")},
    ))  # fmt: skip


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


@dataclass(frozen=True)
class _Point:
    """One point over time, all its directions together, and its longest pause.

    Without a pause, ``seen_s`` is the longest that one can have been.
    """

    load: float
    repeat: int | None
    rows: list[Row]
    pause: _Pause | None
    seen_s: float

    @property
    def unseen_s(self) -> float:
        """The time between its intervals that is in none of them."""
        gaps = (b["t_s"] - b["interval_s"] - a["t_s"] for a, b in itertools.pairwise(self.rows))
        return math.fsum(gap for gap in gaps if gap > self.rows[0]["interval_s"] / 2)

    def where(self, kind: str) -> tuple[Condition, ...]:
        """The point, and how fine its series is."""
        return where_conditions(
            (kind, self.load, "1"),
            ("repeat", None if self.repeat is None else float(self.repeat), "1"),
            ("series_interval_s", self.rows[0]["interval_s"], "s"),
        )


@step(version=1, name="steadiness.pauses")
def pauses(series: Measured) -> pl.DataFrame:
    """The longest pause of each load, and how it went on: three answers each.

    - ``io_pause``: the longest time without a completed I/O, over all points; its interval is what
      the intervals of the series leave open. Relation "<=": no point shows one, and one of this
      length would have left an interval without I/O at the usual rate (``slow_times.EXPECTED``).
    - ``time_to_level``: from the beginning of that pause until the IOPS are back at ``BACK`` of
      their median before it, and stay there for ``FEWEST`` intervals. Relation ">=": they were not
      when the point ended.
    - ``degraded_level``: the IOPS in the time between the pause and that moment (or the end), as a
      share of that median.

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
    more = [name for name in ("cautions",) if name in load.columns]
    whole = (
        load.group_by(*keys, *_POINT, "t_s", "interval_s", *more, maintain_order=True)
        .agg(all_or_null("ios"))
        .filter(pl.col("ios").is_not_null())
    )
    found = series_rows(whole, keys, along=(*_POINT, "t_s"))
    if not found:
        why = "there is no time series with a count of I/Os"
        return to_frame([Answer("io_pause", "iops", Subject("the run"), "missing", reason=why)])
    return to_frame(answer for own in found for answer in _answers(own))


def _answers(series: SeriesRows) -> Iterator[Answer]:
    subject, kind = series.subject, series.load_kind
    check_physical(series.rows, ("ios", "interval_s"))
    frame = pl.DataFrame(series.rows, infer_schema_length=None)
    points = [
        point
        for key, rows in groups(frame, _POINT, along=("t_s",))
        if (point := _point(key["load"], key["repeat"], rows))
    ]
    if not points:
        why = f"no point has {FEWEST} intervals at a rate by which a pause would show"
        yield Answer("io_pause", "iops", subject, "missing", reason=why)
        return
    cautions = tuple(_unseen(subject, kind, points))
    paused = [(point.pause, point) for point in points if point.pause]
    if not paused:
        worst = max(points, key=lambda point: point.seen_s)
        seen = Estimate(worst.seen_s, "s", n=len(points))
        yield Answer("io_pause", "iops", subject, "measured", seen, "<=", worst.where(kind),
                     cautions=cautions)  # fmt: skip
        return
    pause, worst = max(paused, key=lambda found: found[0].length_s)
    at = (*worst.where(kind), Condition("pause_begin_s", pause.begin_s, "s", "where"))
    found = Estimate(pause.length_s, "s", pause.low_s, pause.high_s, n=len(points))
    yield Answer("io_pause", "iops", subject, "measured", found, "=", at,
                 cautions=(*cautions, *cautions_of(worst.rows)))  # fmt: skip
    yield from _afterwards(subject, at, pause, worst.rows)


def _afterwards(
    subject: Subject, at: tuple[Condition, ...], pause: _Pause, rows: Sequence[Row]
) -> Iterator[Answer]:
    before = rows[: max(0, pause.first - 1)]
    if len(before) < FEWEST:
        why = f"fewer than {FEWEST} whole intervals lie before the pause"
        for question in ("time_to_level", "degraded_level"):
            yield Answer(question, "iops", subject, "missing", conditions=at, reason=why)
        return
    level = statistics.median(map(_rate, before))
    after = rows[pause.last + 1 :]
    back = _back(after, level)
    end = rows[-1]["t_s"]
    if back is not None:
        end = after[back]["t_s"] - after[back]["interval_s"]
    at = (*at, *where_conditions(("level_before", level, "1/s"), ("level_share", BACK, "ratio")))
    # an interval that the pause ended in may have made up for it
    taken = Estimate(max(pause.length_s, end - pause.begin_s), "s")
    relation: Relation = "=" if back is not None else ">="
    yield Answer("time_to_level", "iops", subject, "measured", taken, relation, at)
    # the interval in which the pause ended is not a whole one of what came after it
    between = after[1 : len(after) if back is None else back]
    if not between:
        why = "no whole interval lies between the pause and that level"
        yield Answer("degraded_level", "iops", subject, "missing", conditions=at, reason=why)
        return
    done = math.fsum(row["ios"] for row in between) / math.fsum(r["interval_s"] for r in between)
    yield Answer("degraded_level", "iops", subject, "measured", Estimate(done / level, "ratio"),
                 "=", (*at, Condition("level_between", done, "1/s", "where")))  # fmt: skip


def _rate(row: Row) -> float:
    return float(row["ios"] / row["interval_s"])


def _point(load: float, repeat: int | None, rows: list[Row]) -> _Point | None:
    """The point; None where it has too few intervals, or too few I/Os for a pause to show."""
    usual = statistics.median(map(_rate, rows))
    if len(rows) < FEWEST or not usual:
        return None
    # at random arrivals so many intervals have an I/O, unless the load stands still
    least = math.ceil(EXPECTED / (usual * rows[0]["interval_s"]))
    if least > len(rows) / 2:
        return None
    runs = [run for run in _quiet(rows) if len(run) >= least]
    found = [_paused(rows, run[0], run[-1], usual) for run in runs]
    longest = max(found, key=lambda pause: pause.length_s, default=None)
    seen = (least + 1) * max(row["interval_s"] for row in rows)
    return _Point(load, repeat, rows, longest, seen)


def _quiet(rows: Sequence[Row]) -> Iterator[list[int]]:
    """The places of intervals without I/O that follow each other, with no gap in between."""
    run: list[int] = []
    for place, row in enumerate(rows):
        apart = run and row["t_s"] - row["interval_s"] > rows[run[-1]]["t_s"] + (
            row["interval_s"] / 2)  # fmt: skip
        if run and (row["ios"] or apart):
            yield run
            run = []
        if not row["ios"]:
            run.append(place)
    if run:
        yield run


def _paused(rows: Sequence[Row], first: int, last: int, usual: float) -> _Pause:
    low = rows[last]["t_s"] - rows[first]["t_s"] + rows[first]["interval_s"]
    ends = [_idle(rows, place, usual) for place in (first - 1, last + 1)]
    most = math.fsum(rows[place]["interval_s"] for place in (first - 1, last + 1)
                     if 0 <= place < len(rows))  # fmt: skip
    begin = rows[first]["t_s"] - rows[first]["interval_s"] - ends[0]
    return _Pause(first, last, max(0.0, begin), low + math.fsum(ends), low, low + most)


def _idle(rows: Sequence[Row], place: int, usual: float) -> float:
    """How much of an interval beside a pause was idle, had the rest of it gone as usual."""
    if not 0 <= place < len(rows):
        return 0.0
    return float(rows[place]["interval_s"] * max(0.0, 1 - _rate(rows[place]) / usual))


def _unseen(subject: Subject, kind: str, points: Sequence[_Point]) -> Iterator[Caution]:
    for point in points:
        if point.unseen_s > 0:
            repeat = "" if point.repeat is None else f" (repeat {point.repeat})"
            of = f"{subject.label} at {load_text(kind, point.load)}{repeat}"
            time = Format("s", significant=3).show(point.unseen_s).text
            yield caution("unseen_time", of=of, time=time)


def _back(after: Sequence[Row], level: float) -> int | None:
    """The first interval from which on the load is back for ``FEWEST`` of them."""
    rates = [_rate(row) for row in after]
    for place in range(len(rates) - FEWEST + 1):
        own = rates[place : place + FEWEST]
        if own[0] >= BACK * level and statistics.fmean(own) >= BACK * level:
            return place
    return None
