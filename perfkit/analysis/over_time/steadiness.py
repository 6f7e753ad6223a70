"""Whether the storage was steady before a sweep, and its load generators alike during it."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from perfkit.analysis.curves.metrics import load_text, metric_of
from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    cautions_of,
    check_physical,
    require_columns,
    require_one_file,
    require_share,
    series_labels,
    series_rows,
)
from perfkit.core.answers import (
    ANY,
    Answer,
    Condition,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.stats import (
    STEADY_RANGE,
    STEADY_SLOPE,
    STEADY_WINDOW,
    SteadyWindow,
    least_squares,
    steady_window,
)
from perfkit.core.units import Format

BALANCE_LIMIT = 0.10
"""A slowest host further than this share below the fastest gets a caution."""

CONFIDENCE = 0.95
WALKS = 4000
"""Random walks behind the chance level: its error is below one in a hundred."""


_RULE = (
    f"the SNIA rule: in {STEADY_WINDOW} rounds the range is at most {STEADY_RANGE:.0%} of the mean "
    f"and the best-fit line moves by at most {STEADY_SLOPE:.0%} of it"
)
_ROUNDS = f"the last {STEADY_WINDOW} rounds"
STEADY_STATE, STEADY_TREND, STEADY_BY_CHANCE, HOST_BALANCE, HOST_IOPS = register_questions(
    ("steady_state", "1", f"rounds until {_RULE}", _ROUNDS, "none", ANY),
    ("steady_trend", "ratio", "how far the best-fit line moves over the window, as a share of the "
     "mean", _ROUNDS, "Student's t of the slope, 3 degrees of freedom", ANY),
    ("steady_by_chance", "ratio", "share of random walks with the same steps that keep the rule "
     "within as many rounds", "all rounds", "none", ANY),
    ("host_balance", "ratio", "the IOPS of the slowest host as a share of the fastest's, where "
     "they lie furthest apart", "each point", "none", ANY),
    ("host_iops", "1/s", "the IOPS of one host at a point", "each point", "none", ANY),
)  # fmt: skip


# --- steady state -----------------------------------------------------------------------------


@step(version=2, name="steadiness.steady_state")
def steady_state(outcome: Measured, rounds: Measured) -> pl.DataFrame:
    """Whether the rounds of each run attained steady state, still move, and by what chance.

    Runs are told apart by the labels that both tables have.

    - ``steady_state``: rounds until the rule of SNIA's Solid State Storage Performance Test
      Specification held (status "measured"), or that it did not ("not_reached").
    - ``steady_trend``: how far the best-fit line moves over the last five rounds, signed, of their
      mean. Relation "=": its interval does not hold 0, so the storage still moved. Relation "<=":
      it does, and the value is the most that it can be.
    - ``steady_by_chance``: the share of random walks with the same step from round to round that
      keep the rule within as many rounds. A walk is never steady: where this is high, that the rule
      is kept says little.

    Args:
        outcome: A run's ``steady_state``: the metric, and what the measurement lacks to be PTS.
        rounds: Its ``rounds``.

    Raises AnalysisError for a number that nothing can measure, and for several runs with the same
    labels.
    """
    require_columns(outcome.frame, ("metric", "why_not_pts"), "steady state")
    require_columns(rounds.frame, ("workload", "repeat", "direction"), "rounds")
    for metric in outcome.frame["metric"].unique().drop_nulls():
        metric_of(metric)
        require_columns(rounds.frame, (metric,), "rounds")
    keys = [key for key in _RUN if key in rounds.frame.columns and key in outcome.frame.columns]
    for frame, what in ((outcome.frame, "steady state"), (rounds.frame, "rounds")):
        require_one_file(frame, keys, what)
    total = rounds.frame.filter(pl.col("direction") == "total").sort("repeat").rows(named=True)
    asked = outcome.frame.rows(named=True)
    if not asked:
        return to_frame(_not_known(Subject("the run"), "iops", "no rounds were measured"))
    labels = series_labels(asked)
    return to_frame(
        answer
        for label, row in zip(labels, asked, strict=True)
        for answer in _of_run(
            label, row, [own for own in total if all(own[key] == row[key] for key in keys)]
        )
    )


_RUN = ("system", "config", "workload")
"""The labels that tell runs apart."""


def _of_run(label: str, asked: Row, rows: list[Row]) -> list[Answer]:
    """The three answers of one run's rounds."""
    metric = asked["metric"]
    check_physical(rows, (metric,))
    key = tuple((name, asked[name]) for name in _RUN if asked.get(name) is not None)
    subject = Subject(label, key)
    values = [row[metric] for row in rows]
    known = [float(value) for value in values if value is not None]
    window = steady_window(known) if len(known) == len(values) else None
    cautions = cautions_of(rows)
    if window is None or min(known) <= 0:
        return _not_known(subject, metric, _why_no_window(metric, values), cautions)
    why = asked["why_not_pts"]
    more = (caution("not_pts", of=subject.label, why=why),) if why else ()
    last = known[-STEADY_WINDOW:]
    found = [
        _kept(subject, metric, window, more),
        _trend(subject, metric, last),
        _chance(subject, metric, known),
    ]
    return [replace(answer, cautions=(*answer.cautions, *cautions)) for answer in found]


def _why_no_window(metric: str, values: Sequence[float | None]) -> str:
    name = metric_of(metric).phrase()
    if any(value is None for value in values):
        return f"a round has no {name}"
    if len(values) < STEADY_WINDOW:
        return f"the rule asks for {STEADY_WINDOW} rounds, and {len(values)} were measured"
    return "a round did no I/O"


def _not_known(
    subject: Subject, metric: str, reason: str, cautions: tuple[Caution, ...] = ()
) -> list[Answer]:
    return [
        question.answer(metric, subject, None, reason, cautions=cautions)
        for question in (STEADY_STATE, STEADY_TREND, STEADY_BY_CHANCE)
    ]


def _kept(
    subject: Subject, metric: str, window: SteadyWindow, cautions: tuple[Caution, ...]
) -> Answer:
    conditions = where_conditions(
        ("rounds", window.last, "1"),
        ("range_ratio", window.range_ratio, "ratio"),
        ("range_most", STEADY_RANGE, "ratio"),
        ("slope_ratio", window.slope_ratio, "ratio"),
        ("slope_most", STEADY_SLOPE, "ratio"),
    )
    if not window.attained:
        return STEADY_STATE.answer(
            metric, subject, None, without="not_reached", conditions=conditions, cautions=cautions
        )
    return STEADY_STATE.answer(
        metric, subject, window.last, conditions=conditions, cautions=cautions, n=window.last
    )


def _trend(subject: Subject, metric: str, values: Sequence[float]) -> Answer:
    from scipy.special import stdtrit

    n, (slope, squares) = len(values), least_squares(values)
    mean, middle = math.fsum(values) / n, (n - 1) / 2
    left = math.fsum((y - mean - slope * (x - middle)) ** 2 for x, y in enumerate(values))
    moved = slope * (n - 1) / mean
    error = math.sqrt(left / (n - 2) / squares) * (n - 1) / mean
    half = float(stdtrit(n - 2, (1 + CONFIDENCE) / 2)) * error
    shown = abs(moved) > half
    value = moved if shown else max(abs(moved - half), abs(moved + half))
    return STEADY_TREND.answer(
        metric,
        subject,
        value,
        relation="=" if shown else "<=",
        low=moved - half,
        high=moved + half,
        level=CONFIDENCE,
        n=n,
    )


def _chance(subject: Subject, metric: str, values: Sequence[float]) -> Answer:
    logs = [math.log(value) for value in values]
    steps = [after - before for before, after in itertools.pairwise(logs)]
    size = math.sqrt(math.fsum(step_**2 for step_ in steps) / len(steps))
    return STEADY_BY_CHANCE.answer(
        metric,
        subject,
        chance_level(size, len(values)),
        conditions=where_conditions(("step", size, "ratio"), ("rounds", len(values), "1")),
        n=len(values),
    )


@functools.lru_cache
def chance_level(step_size: float, rounds: int) -> float:
    """The share of random walks that keep the rule within a number of rounds, by simulation.

    A walk's logarithm moves by a normal step of ``step_size`` from round to round. The same walks
    each time.
    """
    import numpy as np

    moves = np.random.default_rng(0).standard_normal((WALKS, rounds)) * step_size
    walks = np.exp(np.clip(np.cumsum(moves, axis=1), -300, 300))
    windows = np.lib.stride_tricks.sliding_window_view(walks, STEADY_WINDOW, axis=1)
    mean = windows.mean(axis=2)
    x = np.arange(STEADY_WINDOW) - (STEADY_WINDOW - 1) / 2
    moved = np.abs(windows @ x) / (x @ x) * (STEADY_WINDOW - 1)
    spread = windows.max(axis=2) - windows.min(axis=2)
    kept = (spread <= STEADY_RANGE * mean) & (moved <= STEADY_SLOPE * mean)
    return float(kept.any(axis=1).mean())


# --- hosts ------------------------------------------------------------------------------------


@step(version=3, name="steadiness.host_balance")
def host_balance(host_points: Measured, *, limit_ratio: float = BALANCE_LIMIT) -> pl.DataFrame:
    """How far the load generators of each series lie apart where they lie furthest, by IOPS.

    Answers ``host_balance``: the slowest host's IOPS as a share of the fastest's, with both as its
    sides. Where it is more than ``limit_ratio`` below 1, a caution says so. A host that did no I/O,
    or has no result at a point where others have one, is the reason for a missing share.

    Raises AnalysisError for a limit that is not a share, a number that nothing can measure, and for
    several runs with the same labels.
    """
    require_share("the limit", limit_ratio)
    require_columns(
        host_points.frame,
        ("workload", "load_kind", "load", "repeat", "host", "direction", "iops"),
        "host points",
    )
    total = host_points.frame.filter(pl.col("direction") == "total")
    keys = [key for key in CURVE_KEYS if key in total.columns]
    require_one_file(total, [*keys, "load", "repeat", "host"], "host points")
    found = series_rows(total, keys, along=("load", "repeat", "iops"))
    limit = Condition("limit", limit_ratio, "ratio", "limit")
    if not found:
        why = "no results of single hosts"
        return to_frame(
            [
                HOST_BALANCE.answer(
                    "iops", Subject("the run"), None, why, without="not_judged", conditions=(limit,)
                )
            ]
        )
    return to_frame(_balance(own, limit) for own in found)


def _balance(series: SeriesRows, limit: Condition) -> Answer:
    subject, kind, rows = series.subject, series.load_kind, series.rows
    check_physical(rows, ("iops",))
    hosts = sorted({str(row["host"]) for row in rows})
    points = rows_by(rows, lambda row: (row["load"], row["repeat"]))
    if len(hosts) == 1:
        return HOST_BALANCE.answer(
            "iops",
            subject,
            None,
            "there is one host only",
            without="not_judged",
            conditions=(limit,),
        )
    for (load, repeat), own in points.items():
        place = f"{load_text(kind, load)}, repeat {repeat}"
        why = _problem(own, hosts)
        if why:
            cautions = (caution("no_io", of=subject.label, place=place),) if "no I/O" in why else ()
            return HOST_BALANCE.answer(
                "iops", subject, None, f"{why} at {place}", conditions=(limit,), cautions=cautions
            )
    worst = min(points.values(), key=lambda own: own[0]["iops"] / own[-1]["iops"])
    slowest, fastest = worst[0], worst[-1]
    share = slowest["iops"] / fastest["iops"]
    where = where_conditions(
        (kind, slowest["load"], "1"),
        ("repeat", slowest["repeat"], "1"),
        ("hosts", len(hosts), "1"),
    )
    names = [str(row["host"]) for row in (slowest, fastest)]
    sides = tuple(
        HOST_IOPS.answer(
            "iops", Subject(name, (*subject.key, ("host", name))), row["iops"], conditions=where
        )
        for name, row in zip(names, (slowest, fastest), strict=True)
    )
    apart = caution("hosts_apart", of=subject.label, limit=Format("%").show(limit.value).text)
    return HOST_BALANCE.answer(
        "iops",
        sides[0].subject,
        share,
        conditions=(limit, *where),
        against=sides[1].subject,
        cautions=((apart,) if share < 1 - limit.value else ()) + cautions_of(worst),
        sides=sides,
    )


def _problem(rows: Sequence[Row], hosts: Sequence[str]) -> str | None:
    """Why hosts cannot be held against each other at a point."""
    there = {str(row["host"]) for row in rows}
    lost = [host for host in hosts if host not in there]
    if lost:
        return f"there is no result of host {lost[0]}"
    without = [str(row["host"]) for row in rows if row["iops"] is None]
    if without:
        return f"host {without[0]} has no IOPS"
    idle = [str(row["host"]) for row in rows if not row["iops"]]
    if len(idle) == len(rows):
        return "the hosts did no I/O"
    return f"host {idle[0]} did no I/O" if idle else None
