"""Whether the storage changed while a sweep ran: its control points, against the spread of repeats.

Two questions of the logarithms of the control points' IOPS, each at half of ALPHA, so that of
sweeps without any change a share of ALPHA is reported as changed:

- ``drift``: the excursion of the least-squares line over the order of the controls. Its standard
  error is s (k - 1) / sqrt(Sxx), with s the spread of repeats.
- ``control_spread``: the lowest control against the highest. By chance two of k controls lie up to
  t s sqrt(2) apart, with t at ALPHA / 2 over the k (k - 1) / 2 pairs (Bonferroni).

s is the standard deviation of what is left of the load points' log IOPS after their loads and, as
every round of repeats is one block in time, their repeats: (I - 1)(J - 1) degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from perfkit.analysis.curves.metrics import load_text
from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SeriesRows,
    cautions_of,
    check_physical,
    require_columns,
    require_one_file,
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
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.stats import least_squares
from perfkit.core.units import Format

ALPHA = 0.05
ASSUMED = 0.03
"""The spread of repeats where none is known: usual of storage that is measured for a minute."""

ASTRAY = (
    "the control points lie further apart than the spread of repeats explains, but not along a line"
)

_MANY = 1_000_000
"""Degrees of freedom of a spread that is not estimated."""

_LEVEL = 1 - ALPHA / 2

_LOGS = "logarithms of the control points' IOPS"
DRIFT, CONTROL_SPREAD = register_questions(
    ("drift", "ratio",
     "the change along the least-squares line from the first control point to the last", _LOGS,
     "Student's t with the spread of repeats", ANY),
    ("control_spread", "ratio", "how far the lowest control point lies below the highest", _LOGS,
     "Student's t with the spread of repeats, over all pairs (Bonferroni)", ANY),
)  # fmt: skip


@dataclass(frozen=True)
class _Spread:
    """The standard deviation of repeats on the log scale, and its degrees of freedom."""

    value: float
    freedom: int
    cautions: tuple[Caution, ...] = ()

    def reach(self, alpha: float) -> float:
        """So many spreads lie within, but for a two-sided share of ``alpha``."""
        # scipy.stats would give the same, and takes a second more to import
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, 1 - alpha / 2)) * self.value


@step(version=3, name="steadiness.drift")
def drift(control_points: Measured, points: Measured | None = None) -> pl.DataFrame:
    """How the control points of each series changed over the sweep: two answers each.

    ``drift`` is the change along their line from the first to the last, with its interval.
    ``control_spread`` is how far the lowest is below the highest. Relation "=": it is more than
    the spread of repeats explains. Relation "<=": it is not, and the value is the most that the
    true one can be, at 1 - ALPHA / 2.

    Args:
        control_points: A run's ``control_points``: ``repeat`` counts them in their order.
        points: Its ``load_points``, whose repeats tell the spread. Without them, or where they do
            not tell, ``ASSUMED`` stands in, with a caution.

    Raises AnalysisError for a number that nothing can measure, and for several runs with the same
    labels.
    """
    needed = ("workload", "load_kind", "load", "repeat", "direction", "iops")
    require_columns(control_points.frame, needed, "control points")
    total = control_points.frame.filter(pl.col("direction") == "total")
    keys = [key for key in CURVE_KEYS if key in total.columns]
    require_one_file(total, [*keys, "load", "repeat"], "control points")
    found = series_rows(total, [*keys, "load"], along=("repeat",))
    if not found:
        return to_frame(_open(Subject("the run"), (), "no control point was measured"))
    repeats: list[Row] = []
    if points is not None:
        require_columns(points.frame, needed, "load points")
        repeats = points.frame.filter(pl.col("direction") == "total").rows(named=True)
    answers: list[Answer] = []
    for series in found:
        key = series.subject.key
        own = [row for row in repeats if all(row.get(name) == value for name, value in key)]
        answers += _answers(series, own)
    return to_frame(answers)


def _open(
    subject: Subject, at: tuple[Condition, ...], reason: str, cautions: tuple[Caution, ...] = ()
) -> list[Answer]:
    return [
        question.answer("iops", subject, None, reason, conditions=at, cautions=cautions)
        for question in (DRIFT, CONTROL_SPREAD)
    ]


def _answers(series: SeriesRows, repeats: list[Row]) -> list[Answer]:
    subject, kind, rows = series.subject, series.load_kind, series.rows
    check_physical([*rows, *repeats], ("iops",))
    load = rows[0]["load"]
    at = (Condition(kind, load, "1", "at"),)
    values, cautions = [row["iops"] for row in rows], cautions_of(rows)
    if any(value is None for value in values):
        return _open(subject, at, "a control point has no IOPS", cautions)
    if not all(values):
        idle = caution(
            "no_io", of=subject.label, place=f"a control point ({load_text(kind, load)})"
        )
        return _open(subject, at, "a control point did no I/O", (idle, *cautions))
    if len(values) == 1:
        return _open(subject, at, "the control point was measured once", cautions)
    spread = spread_of(subject.label, repeats)
    logs = [math.log(value) for value in values]
    count = Condition("controls", float(len(values)), "1", "where")
    trend = _trend(subject, (*at, count), logs, spread)
    apart = _apart(subject, (*at, count), values, logs, spread)
    if trend.relation == "<=" and apart.relation == "=":
        # an interval from the spread of repeats would say that nothing moved
        trend = replace(trend, status="missing", estimate=None, relation="=", reason=ASTRAY)
    return [replace(item, cautions=(*item.cautions, *cautions)) for item in (trend, apart)]


def _trend(
    subject: Subject, conditions: tuple[Condition, ...], logs: list[float], spread: _Spread
) -> Answer:
    n, line = len(logs), least_squares(logs)
    change = line.slope * (n - 1)
    half = spread.reach(1 - _LEVEL) * (n - 1) / math.sqrt(line.squares)
    low, high = math.expm1(change - half), math.expm1(change + half)
    shown = abs(change) > half
    value = math.expm1(change) if shown else max(abs(low), abs(high))
    return DRIFT.answer(
        "iops",
        subject,
        value,
        relation="=" if shown else "<=",
        conditions=conditions,
        cautions=spread.cautions,
        low=low,
        high=high,
        level=_LEVEL,
        n=n,
    )


def _apart(
    subject: Subject,
    conditions: tuple[Condition, ...],
    values: list[float],
    logs: list[float],
    spread: _Spread,
) -> Answer:
    n = len(logs)
    pairs = n * (n - 1) / 2
    chance = spread.reach((1 - _LEVEL) / pairs) * math.sqrt(2)
    apart = max(logs) - min(logs)
    shown = apart > chance
    where = where_conditions(
        ("lowest", min(values), "1/s"),
        ("highest", max(values), "1/s"),
        ("chance", -math.expm1(-chance), "ratio"),
    )
    return CONTROL_SPREAD.answer(
        "iops",
        subject,
        -math.expm1(-(apart if shown else apart + chance)),
        relation="=" if shown else "<=",
        conditions=(*conditions, *where),
        cautions=spread.cautions,
        n=n,
    )


def spread_of(label: str, repeats: Sequence[Row]) -> _Spread:
    """The spread of repeats of load points; assumed, with a caution, where they do not tell it."""
    at: dict[float, dict[int, float]] = {}
    for row in repeats:
        if row["iops"] and row["load"] is not None:
            at.setdefault(row["load"], {})[row["repeat"]] = math.log(row["iops"])
    squares, freedom = _left(list(at.values()))
    if freedom < 1 or squares <= 0:
        share = Format("%").show(ASSUMED).text
        return _Spread(ASSUMED, _MANY, (caution("spread_assumed", of=label, share=share),))
    return _Spread(math.sqrt(squares / freedom), freedom)


def _left(loads: list[dict[int, float]]) -> tuple[float, int]:
    """The squares that loads and repeats leave, and their degrees of freedom.

    Where the loads do not have the same repeats, what the loads alone leave.
    """
    names = {tuple(sorted(load)) for load in loads}
    block = len(names) == 1 and len(loads) > 1
    columns = sorted(loads[0]) if block else []
    overall = math.fsum(value for load in loads for value in load.values())
    overall /= sum(len(load) for load in loads) or 1
    shift = {
        name: math.fsum(load[name] for load in loads) / len(loads) - overall for name in columns
    }
    left = []
    for load in loads:
        mean = math.fsum(load.values()) / len(load)
        left += [value - mean - shift.get(name, 0.0) for name, value in load.items()]
    rows = sum(len(load) - 1 for load in loads)
    squares = math.fsum(item**2 for item in left)
    # what is left of equal repeats is rounding
    return (squares if squares > _ROUNDING * len(left) else 0.0), rows - max(len(columns) - 1, 0)


_ROUNDING = 1e-24
