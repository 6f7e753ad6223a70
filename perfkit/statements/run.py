"""Sentences about how a sweep was measured: steady state, stalls, drift, hosts apart."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from perfkit.analysis.series import rows_with
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format, Printed

if TYPE_CHECKING:
    from perfkit.analysis.series import Row
    from perfkit.values import Statement

_PERCENT = Format("%", significant=2)
_SECONDS = Format("s", significant=3)
_METRIC = {"iops": "IOPS", "lat_mean_s": "mean latency"}

rows_of = functools.partial(rows_with, otherwise="nothing to say")


@step(version=1, name="say.steady_state")
def say_steady_state(steady_state: Measured, *, value_id: str = "steady-state") -> Statement:
    """What the rounds before the first point attained, from a run's ``steady_state``."""
    columns = ("attained", "rounds", "metric", "range_ratio", "slope_ratio", "why_not_pts")
    (row,) = rows_of(steady_state, "steady_state", columns)[:1]
    text = Text()
    moved = (
        f"in the last five {text(_METRIC[row['metric']])} moved by "
        f"{text(_PERCENT.show(row['range_ratio']))} of its mean (at most "
        f"{text(_PERCENT.show(0.2))}), its best-fit line by "
        f"{text(_PERCENT.show(row['slope_ratio']))} (at most {text(_PERCENT.show(0.1))})"
    )
    state = "was attained after" if row["attained"] else "was not attained in"
    said = f"Steady state {state} {text.many(row['rounds'], 'round', 'rounds')}: {moved}."
    return text.done(value_id, [said, f"This is {text(row['why_not_pts'])}."])


@step(version=1, name="say.stalls")
def say_stalls(stalls: Measured, *, value_id: str = "stalls") -> Statement:
    """In how many points the storage stood or was slow, from ``stalls``."""
    rows = rows_of(stalls, "stalls", ("point", "without_io", "slow", "factor", "judged_by"))
    text = Text()
    points = len({row["point"] for row in rows})
    factor = text(_factor(rows[0]["factor"]))
    hit = [row for row in rows if row["without_io"] or row["slow"]]
    if not hit:
        return text.done(value_id, [
            f"In none of {text.many(points, 'point', 'points')} was there an interval of "
            f"{text(_SECONDS.show(rows[0]['interval_s']))} without I/O, or one slower than "
            f"{factor} times the median."
        ])  # fmt: skip
    worst = max(hit, key=lambda row: (row["longest_without_io_s"], row["slow"]))
    return text.done(value_id, [
        f"{text.count(len({row['point'] for row in hit}))} of "
        f"{text.many(points, 'point', 'points')} had intervals without I/O or slower than "
        f"{factor} times the median; the worst was {text(worst['point'])} ({_worst(text, worst)})."
    ])  # fmt: skip


def _factor(factor: float) -> Printed:
    return Format("1", decimals=0 if factor == int(factor) else 1).show(factor)


def _worst(text: Text, row: Row) -> str:
    parts = []
    if row["without_io"]:
        longest = text(_SECONDS.show(row["longest_without_io_s"]))
        parts.append(f"{longest} without I/O")
    if row["slow"]:
        parts.append(f"{text.many(row['slow'], 'slow interval', 'slow intervals')}")
    return " and ".join(parts)


@step(version=1, name="say.drift")
def say_drift(drift: Measured, *, value_id: str = "drift") -> Statement:
    """How the control point changed over the sweep, from ``drift``."""
    rows = rows_of(drift, "drift", ("load", "controls", "change_ratio", "drifted", "limit_ratio"))
    text = Text()
    return text.done(value_id, [_drift(text, row) for row in rows])


def _drift(text: Text, row: Row) -> str:
    kept = "it drifted" if row["drifted"] else "no drift"
    return (
        f"The control point, {text.load(row['load_kind'], row['load'])}, was measured "
        f"{text.count(row['controls'])} times and gave "
        f"{text(_PERCENT.show(abs(row['change_ratio'])))} "
        f"{'more' if row['change_ratio'] > 0 else 'less'} IOPS at the end than at the beginning: "
        f"{kept} (limit {text(_PERCENT.show(row['limit_ratio']))})."
    )


@step(version=1, name="say.host_balance")
def say_host_balance(balance: Measured, *, value_id: str = "host-balance") -> Statement:
    """How far the load generators lay apart at worst, from ``host_balance``."""
    columns = ("hosts", "spread_ratio", "slowest", "fastest", "limit_ratio", "load")
    rows = rows_of(balance, "balance", columns)
    text = Text()
    worst = max(rows, key=lambda row: row["spread_ratio"] or 0.0)
    kept = "balanced" if worst["balanced"] else "not balanced"
    return text.done(value_id, [
        f"The {text.count(worst['hosts'])} hosts were {kept}: at most "
        f"{text(_PERCENT.show(worst['spread_ratio']))} of their mean lay between the slowest, "
        f"{text(worst['slowest'])}, and the fastest, {text(worst['fastest'])}, at "
        f"{text.load(worst['load_kind'], worst['load'])} (limit "
        f"{text(_PERCENT.show(worst['limit_ratio']))})."
    ])  # fmt: skip
