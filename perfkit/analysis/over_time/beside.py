"""What stood beside a point while it ran: the load, its host and what was observed, on one axis.

And how far a paced load fell behind its schedule: its latency counts from the issue of an I/O, so
that what waited to be issued is in no latency; it is in the backlog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import polars as pl

from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    check_physical,
    groups,
    require_columns,
    require_one_file,
    rows_of,
    series_rows,
)
from perfkit.analysis.sas.jobs import all_or_null
from perfkit.core.answers import (
    FOUND,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

[OBSERVER_CLOCK] = register_questions(
    ("observer_clock", "s", "how far the clock of what a command printed is ahead of this host's",
     "median of the readings", "from the lowest to the highest, each with the time it took", FOUND),
)  # fmt: skip

EVENTS = "events"
"""The panel of the rows that are events."""

MOST_LINES = 4
"""Lines of a panel: those with the highest mean."""


@dataclass(frozen=True)
class _Quantity:
    """A column that is drawn: in which panel, in which unit of print, under which name."""

    panel: str
    unit: str
    column: str
    line: str


_OF_LOAD = (
    _Quantity("Completed I/Os", "IOPS", "iops", ""),
    _Quantity("Latency", "s", "lat_p50_s", "median"),
    _Quantity("Latency", "s", "lat_p99_s", "99th percentile"),
    _Quantity("Latency", "s", "lat_mean_s", "mean"),
)
_OF_HOST = (
    _Quantity("Host CPU busy", "%", "cpu_busy_ratio", ""),
    _Quantity("Memory used on the host", "GiB", "memory_used_bytes", ""),
    _Quantity("Disk throughput of the host", "MB/s", "disk_read_bytes_per_s", "reads"),
    _Quantity("Disk throughput of the host", "MB/s", "disk_write_bytes_per_s", "writes"),
)
_KEYS = (*CURVE_KEYS, "load", "repeat")


@step(version=1, name="series.beside_load")
def beside_load(
    series: Measured,
    host_series: Measured,
    observed: Measured,
    *,
    points: Measured,
    load_points: Measured,
    spec: Measured,
    events: Measured,
    load: float | None = None,
    repeat: int = 1,
) -> pl.DataFrame:
    """The lines of one point of each workload and system, on the clock of its start.

    A series counts from where the measurement began. Where the record does not tell when that was,
    it is taken to have ended with the tool. So its lines may stand too late, by ``late_s`` at most:
    the time that the tool ran for longer than its ramp and its load.

    Args:
        series: A run's ``series``.
        host_series: Its ``host_series``.
        observed: Its ``observed``.
        points: Its ``points``: where its series begin, and how long the tool ran.
        load_points: Its ``load_points``: how long the load ran.
        spec: Its ``spec``: the ramp.
        events: Its ``events``: rows of the panel ``EVENTS``, without a value.
        load: Which load; None: the highest.
        repeat: Which repeat.

    Returns:
        The keys, ``panel``, ``unit`` (of print; empty: that of its command), ``line`` (empty: the
        only one), ``t_s`` since the point was started, ``value`` (null: a gap), ``lines``: how many
        the panel has in all, of which ``MOST_LINES`` are given, ``late_s``, and ``hosts``: of how
        many load generators the load's lines are. Each of these counts from its own begin, which
        for all lies within ``late_s``; their lines are never added.

    Raises AbsentError where no point has a series, and AnalysisError for several runs with the same
    labels.
    """
    require_columns(series.frame, ("point", *_KEYS[2:], "direction", "drain", "iops"), "series")
    keys = [name for name in _KEYS if name in series.frame.columns]
    require_one_file(series.frame, keys, "series")
    own = series.frame.filter(
        ~pl.col("point").str.starts_with("control-"), pl.col("repeat") == repeat
    )
    found: list[Row] = []
    for key, _ in groups(own, [name for name in CURVE_KEYS if name in own.columns]):
        at = rows_of(own, key)
        chosen = at.filter(pl.col("load") == (at["load"].max() if load is None else load))
        if chosen.is_empty():
            continue
        place = chosen.select(*keys, "point").row(0, named=True)
        begin = _begin(place, points.frame, load_points.frame, spec.frame)
        if begin is None:
            continue
        lines = [
            *_of_load(chosen.rows(named=True), begin[0]),
            *_of_backlog(chosen, rows_of(points.frame, place), begin[0]),
            *_of_host(rows_of(host_series.frame, place)),
            *_of_observed(rows_of(observed.frame, place)),
            *_of_events(rows_of(events.frame, place)),
        ]
        hosts = chosen["host"].n_unique() if "host" in chosen.columns else 1
        found += [{**place, **line, "late_s": begin[1], "hosts": hosts} for line in lines]
    if not found:
        raise AbsentError("no point has a time series")
    return _most(pl.DataFrame(found, infer_schema_length=None), keys)


def _most(lines: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The lines of each panel with the highest means, each with how many there are in all."""
    panel = [*keys, "panel"]
    means = (
        lines.group_by(*panel, "line", maintain_order=True)
        .agg(mean=pl.col("value").mean())
        .filter(pl.col("mean").is_not_null() | (pl.col("panel") == EVENTS))
        .with_columns(
            place=pl.col("mean").rank("ordinal", descending=True).over(panel),
            lines=pl.len().over(panel),
        )
    )
    known = pl.col("place").is_null() | (pl.col("place") <= MOST_LINES)
    shown = means.filter(known).drop("mean", "place")
    return lines.join(shown, on=[*panel, "line"], nulls_equal=True, maintain_order="left")


def _begin(
    place: Row, points: pl.DataFrame, load_points: pl.DataFrame, spec: pl.DataFrame
) -> tuple[float, float | None] | None:
    """Where the series begins on the clock of the point, and how much too late that may be.

    None where the record tells neither that nor how long the tool and its load ran.
    """
    own = rows_of(points, place)
    begun, wall = own["measured_from_s"].max(), own["wall_s"].max()
    if isinstance(begun, float):
        return begun, None
    ran = rows_of(load_points, place)["runtime_s"].max()
    ramp = rows_of(spec, place).filter(field="ramp_s")["value"].cast(pl.Float64).max()
    if not (isinstance(wall, float) and isinstance(ran, float) and isinstance(ramp, float)):
        return None
    longer = max(0.0, wall - ran)
    return longer, max(0.0, longer - ramp)


def _of_load(rows: Sequence[Row], begin: float) -> Iterator[Row]:
    names = [q for q in _OF_LOAD if any(row[q.column] is not None for row in rows)]
    if any(q.column == "lat_p99_s" for q in names):
        names = [q for q in names if q.column != "lat_mean_s"]
    sides = rows_by(rows, lambda row: (row.get("host"), row["direction"], row["drain"] is not None))
    several = len({(side, drains) for _, side, drains in sides}) > 1
    for quantity in names:
        for (host, side, drains), own in sides.items():
            whose = ("drains" if drains else f"{side}s") if several else ""
            line = ", ".join(filter(None, [host, whose, quantity.line]))
            for row, after in zip(own, [*own[1:], None], strict=True):
                yield _line(quantity, line, row["t_s"] + begin, row[quantity.column])
                if after and after["drain"] != row["drain"]:
                    # what lies between two drains is not a line
                    end = row["t_s"] + row["interval_s"] / 2
                    yield _line(quantity, line, end + begin, None)


def _of_backlog(chosen: pl.DataFrame, points: pl.DataFrame, begin: float) -> Iterator[Row]:
    """I/Os of a paced point that were due and not done; not of random arrivals, or many hosts."""
    target = points["target_iops"].max()
    if not isinstance(target, float) or points["behind_why"].drop_nulls().len():
        return
    load = chosen.filter(pl.col("drain").is_null())
    whole = load.group_by("t_s", "interval_s", maintain_order=True).agg(all_or_null("ios"))
    quantity = _Quantity("I/Os due and not done", "", "", "")
    for t_s, behind in backlog(whole.sort("t_s").rows(named=True), target):
        yield _line(quantity, "", t_s + begin, behind)


def _line(quantity: _Quantity, line: str, t_s: float, value: float | None) -> Row:
    return {
        "panel": quantity.panel,
        "unit": quantity.unit,
        "line": line,
        "t_s": t_s,
        "value": None if value is None else float(value),
    }


def _of_host(frame: pl.DataFrame) -> Iterator[Row]:
    hosts = frame["host"].unique(maintain_order=True).to_list() if frame.height else []
    names = [q for q in _OF_HOST if frame[q.column].drop_nulls().len()]
    for quantity in names:
        for host in hosts:
            words = [host or "controller"] if len(hosts) > 1 else []
            line = ", ".join([*words, *filter(None, [quantity.line])])
            for row in frame.filter(pl.col("host").eq_missing(pl.lit(host))).rows(named=True):
                yield _line(quantity, line, row["t_s"], row[quantity.column])


def _of_observed(frame: pl.DataFrame) -> Iterator[Row]:
    """A panel a counter, a line an item; a reading that failed is a gap in all lines."""
    counters = frame.filter(pl.col("value").is_not_null())
    for (observer, name), own in counters.group_by("observer", "name", maintain_order=True):
        if not (own["value"] != 0).any():
            continue
        quantity = _Quantity(f"{observer}: {name}", "", "value", "")
        failed = frame.filter("failed", observer=observer)["t_s"].unique().to_list()
        for item in own["item"].unique(maintain_order=True).to_list():
            rows = own.filter(pl.col("item").eq_missing(pl.lit(item, pl.String)))
            told = [*rows.select("t_s", "value").rows(), *((t_s, None) for t_s in failed)]
            for t_s, value in sorted(told, key=lambda pair: pair[0]):
                yield _line(quantity, item or "", t_s, value)


def _of_events(frame: pl.DataFrame) -> Iterator[Row]:
    for row in frame.rows(named=True):
        yield _line(_Quantity(EVENTS, "", "", ""), row["name"] or "a mark", row["t_s"], None)


@step(version=1, name="series.observer_clocks")
def observer_clocks(observed: Measured) -> pl.DataFrame:
    """How far the clock of each observer's readings is ahead of this host's: ANSWERS.

    ``observer_clock``: the median of the readings; each is known to within the time that the
    command took. Missing where its readings print no time.

    Raises AbsentError where nothing was observed.
    """
    require_columns(observed.frame, ("observer", "t_s", "took_s", "clock_offset_s"), "observed")
    if observed.frame.is_empty():
        raise AbsentError("nothing was observed beside the load")
    parts = observed.frame.group_by("observer", maintain_order=True)
    return to_frame(_clock(str(name), own.rows(named=True)) for (name,), own in parts)


def _clock(name: str, rows: Sequence[Row]) -> Answer:
    subject = Subject(name, (("observer", name),))
    known = {
        (row.get("point"), row["t_s"]): row for row in rows if row["clock_offset_s"] is not None
    }
    if not known:
        why = "its readings print no time"
        return OBSERVER_CLOCK.answer("clock", subject, None, why)
    ends = [
        (row["clock_offset_s"] - row["took_s"] / 2, row["clock_offset_s"] + row["took_s"] / 2)
        for row in known.values()
    ]
    middle = median(row["clock_offset_s"] for row in known.values())
    low, high = min(end for end, _ in ends), max(end for _, end in ends)
    return OBSERVER_CLOCK.answer("clock", subject, middle, low=low, high=high, n=len(known))


[LARGEST_BACKLOG] = register_questions(
    ("largest_backlog", "s",
     "the longest lag of a point behind its schedule: I/Os due and not done at the end of "
     "an interval, beyond those usually in flight, over the offered rate",
     "none: each point by itself", "none", FOUND),
)  # fmt: skip

_OF_BACKLOG = (
    "load",
    "repeat",
    "target_iops",
    "behind_s",
    "behind_ios",
    "behind_at_s",
    "behind_why",
)


@step(version=1, name="series.backlog")
def largest_backlog(points: Measured) -> pl.DataFrame:
    """How far each paced load was behind its schedule at most, as its runs recorded it: ANSWERS.

    Args:
        points: A run's ``points``.

    Raises AbsentError where no paced load recorded it, and AnalysisError for several runs with the
    same labels.
    """
    require_columns(points.frame, _OF_BACKLOG, "points")
    keys = [name for name in CURVE_KEYS if name in points.frame.columns]
    told = points.frame.filter(
        pl.col("behind_s").is_not_null() | pl.col("behind_why").is_not_null()
    )
    if told.is_empty():
        raise AbsentError("no paced load recorded how far it was behind its schedule")
    require_one_file(told, [*keys, "load", "repeat", "role"], "points")
    return to_frame(_largest(own) for own in series_rows(told, keys, ("load", "repeat")))


def _largest(series: SeriesRows) -> Answer:
    rows = [row for row in series.rows if row["behind_s"] is not None]
    check_physical(rows, ("behind_s", "behind_ios"))
    if not rows:
        why = series.rows[0]["behind_why"]
        return LARGEST_BACKLOG.answer("ios", series.subject, None, why)
    worst = max(rows, key=lambda row: row["behind_s"])
    where = where_conditions(
        (series.load_kind, worst["load"], "1"),
        ("repeat", float(worst["repeat"]), "1"),
        ("at_s", worst["behind_at_s"], "s"),
        ("behind_ios", worst["behind_ios"], "1"),
    )
    return LARGEST_BACKLOG.answer(
        "ios", series.subject, worst["behind_s"], conditions=where, n=len(rows)
    )


def backlog(rows: Sequence[Row], target_iops: float) -> Iterator[tuple[float, float]]:
    """The end of each interval and the I/Os that were due by then and not done, from 0 up.

    Up to the first time that is in no interval, or has no count of I/Os.
    """
    done, before = 0, 0.0
    for row in rows:
        apart = row["t_s"] - row["interval_s"] - before
        if row["ios"] is None or apart > row["interval_s"] / 2:
            return
        before, done = row["t_s"], done + row["ios"]
        yield row["t_s"], max(0.0, target_iops * row["t_s"] - done)
