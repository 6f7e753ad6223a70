"""Isolation: whether protected workloads keep their own level while another one, a bully, ramps.

"Not affected" is said only where equivalence is shown; why it is so, only against a control.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from perfkit.analysis.concurrent import Key, at_once, by_key
from perfkit.analysis.equivalence import (
    FEWEST,
    Finding,
    Range,
    Tost,
    change_over,
    difference,
    tolerance_range,
)
from perfkit.analysis.genio import run_labels
from perfkit.analysis.metrics import METRICS
from perfkit.analysis.run_verdicts import by_server, iops_of, run_name
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step

ALPHA = 0.05

EQUIVALENT, CHANGED, NOT_SHOWN, NOT_JUDGED = "equivalent", "changed", "not shown", "not judged"

NO_CONTROL = "cause not shown: no control run without the policy or the bully"
POLICY_WORKS = "cause shown: without the policy the level changes"
POLICY_NEEDLESS = "cause not shown: the level is equivalent without the policy too"
BULLY_HARMLESS = "cause shown: the level is equivalent without the bully"
BULLY_MATTERS = "cause shown: the level is another one without the bully"
CONTROL_OPEN = "cause not shown: the control does not tell"

ISOLATION: dict[str, Any] = {
    "victim": pl.String, "bully": pl.String, "metric": pl.String, "status": pl.String,
    "reason": pl.String, "runs": pl.Int64, "alpha": pl.Float64, "level": pl.Float64,
    "level_of": pl.String, "margin_ratio": pl.Float64, "margin": pl.Float64,
    "bully_from_iops": pl.Float64, "bully_to_iops": pl.Float64,
    "change": pl.Float64, "change_low": pl.Float64, "change_high": pl.Float64,
    "change_p": pl.Float64, "change_finding": pl.String,
    "range_low": pl.Float64, "range_high": pl.Float64, "range_p": pl.Float64,
    "range_finding": pl.String, "worst_change": pl.Float64, "worst_change_ratio": pl.Float64,
    "worst_run": pl.String, "worst_at_bully_iops": pl.Float64, "outside_margin": pl.Int64,
    "bully_last_pass_iops": pl.Float64, "bully_first_fail": pl.String,
    "bully_first_fail_iops": pl.Float64, "control_change": pl.Float64, "cause": pl.String,
    "confidence": pl.Float64, "p": pl.Float64, "band_low": pl.Float64, "band_high": pl.Float64,
    "open": pl.String,
}  # fmt: skip
"""One row a victim. ``level``, ``margin``, ``change``, ``range`` and ``worst`` are in SI base units
of the metric; ``change`` is over the whole ramp of the bully, with an interval of ``confidence``;
``p`` is the larger of both tests', ``band`` the level ± margin, ``open`` what is not shown to lie
within it."""


@step(version=3, name="verdict.isolation")
def isolation(
    runs: Measured,
    *,
    bully: str,
    margin_ratio: float,
    metric: str = "longest_write_cycle_s",
    victims: Sequence[str] | None = None,
    judged: Measured | None = None,
    control: Measured | None = None,
    control_lacks: Literal["policy", "bully"] | None = None,
    alpha: float = ALPHA,
) -> pl.DataFrame:
    """Whether each victim's metric is equivalent to its own level over the bully's ramp: ISOLATION.

    Two findings, each by two one-sided tests at ``alpha`` against ± ``margin_ratio`` x level:

    - the change over the ramp (least-squares slope over the bully's IOPS, times the ramp's span);
    - the range that holds 90 % of the victim's runs (normal tolerance limits); a run outside the
      margin refutes it, whatever the limits say.

    ``status`` is "equivalent" when both are; "changed" when the 1 - 2 alpha interval of the change
    lies wholly outside the margin; else "not shown", which is no statement of either; "not judged"
    without the numbers (a run without the value, fewer than four runs, no ramp).

    The level is the mean of the victim's runs, or of its control runs without the bully.

    Args:
        runs: One row a run: ``genio_runs`` of all servers. Concurrent runs share a run number.
        bully: The server that ramps.
        margin_ratio: The margin as a share of the level, declared before the data is seen.
        metric: A column of the runs.
        victims: The protected servers; None: all others.
        judged: ``judge_runs`` of the same runs, for where the bully itself first fails.
        control: Runs of the same servers without the policy or without the bully.
        control_lacks: Which of both the control lacks; needed with it.
        alpha: Level of each one-sided test.

    Raises AnalysisError for an unknown server or metric, or a margin or level that is none.
    """
    _check(runs, metric, margin_ratio, alpha)
    if (control is None) != (control_lacks is None):
        raise AnalysisError("a control comes with what it lacks: 'policy' or 'bully'")
    servers = _servers(runs)
    others = list(victims) if victims is not None else [name for name in servers if name != bully]
    for name in (bully, *others):
        if name not in servers:
            raise AnalysisError(f"no server {name!r}; {did_you_mean(name, list(servers))}")
    if not others or bully in others:
        raise AnalysisError("isolation needs a server besides the bully")
    ask = _Ask(metric, margin_ratio, alpha, bully)
    ramp = by_key(servers[bully])
    failing = _bully(judged, bully)
    rows = []
    for victim in others:
        own = _control_rows(control, victim)
        row = _victim(ask, victim, servers[victim], ramp, own if control_lacks == "bully" else None)
        row |= failing
        if own is None:
            row["cause"] = NO_CONTROL
        elif control_lacks == "bully":
            row |= _without_bully(ask, row, servers[victim], own)
        else:
            row |= _without_policy(ask, row, own, _control_rows(control, bully) or [])
        rows.append(row)
    return pl.DataFrame(rows, schema=ISOLATION, orient="row")


@dataclass(frozen=True)
class _Ask:
    metric: str
    margin_ratio: float
    alpha: float
    bully: str


def _check(runs: Measured, metric: str, margin_ratio: float, alpha: float) -> None:
    if metric not in METRICS:
        raise AnalysisError(f"no metric {metric!r}; {did_you_mean(metric, list(METRICS))}")
    need(runs.frame, ("run", "position", metric), "runs")
    if not 0 < margin_ratio < 1:
        raise AnalysisError(f"the margin is a share between 0 and 1, not {margin_ratio}")
    if not 0 < alpha < 0.5:  # noqa: PLR2004
        raise AnalysisError(f"the level of a test lies between 0 and 0.5, not {alpha}")


def _servers(runs: Measured) -> dict[str, list[Row]]:
    rows = runs.frame.rows(named=True)
    found: dict[str, list[Row]] = {}
    for label, row in zip(run_labels(rows), rows, strict=True):
        found.setdefault(label, []).append(row)
    return found


def _control_rows(control: Measured | None, victim: str) -> list[Row] | None:
    if control is None:
        return None
    rows = control.frame.rows(named=True)
    hosts = [row for row in rows if row.get("host") == victim] or [
        row for label, row in zip(run_labels(rows), rows, strict=True) if label == victim
    ]
    if not hosts:
        raise AnalysisError(f"the control has no runs of {victim!r}")
    return hosts


def _victim(
    ask: _Ask, victim: str, rows: list[Row], ramp: dict[Key, Row], control: list[Row] | None
) -> Row:
    base = {**dict.fromkeys(ISOLATION), "victim": victim, "bully": ask.bully, "metric": ask.metric,
            "alpha": ask.alpha, "confidence": 1 - 2 * ask.alpha,
            "margin_ratio": ask.margin_ratio}  # fmt: skip
    pairs = [(ramp[key], row) for key, row in by_key(rows).items()
             if key in ramp and at_once(ramp[key], row)]  # fmt: skip
    problem = _problem(ask, rows, pairs)
    if problem:
        return {**base, "status": NOT_JUDGED, "reason": problem, "runs": len(pairs)}
    x = [float(iops_of(other) or 0) for other, _ in pairs]
    y = [float(row[ask.metric]) for _, row in pairs]
    own = _known(ask, control) if control else y
    if not own:
        return {**base, "status": NOT_JUDGED, "reason": "a control run has no value"}
    level = math.fsum(own) / len(own)
    margin = ask.margin_ratio * level
    change = change_over(x, y, margin, ask.alpha)
    span = tolerance_range(y, level, margin, ask.alpha)
    worst = max(range(len(y)), key=lambda i: abs(y[i] - level))
    outside = sum(abs(value - level) > margin for value in y)
    return {
        **base, **_tests(ask, change, span, margin, outside), "runs": len(y), "level": level,
        "level_of": "control" if control else "own runs", "margin": margin,
        "band_low": level - margin, "band_high": level + margin,
        "bully_from_iops": min(x), "bully_to_iops": max(x),
        "worst_change": y[worst] - level, "worst_change_ratio": (y[worst] - level) / level,
        "worst_run": run_name(pairs[worst][1]), "worst_at_bully_iops": x[worst],
        "outside_margin": outside,
    }  # fmt: skip


def _problem(ask: _Ask, rows: list[Row], pairs: list[tuple[Row, Row]]) -> str | None:
    """Why there is nothing to test, if so."""
    alone = len(rows) - len(pairs)
    if alone:
        return f"{alone} of its {len(rows)} runs stand beside no run of the bully"
    if len(pairs) < FEWEST:
        return f"{len(pairs)} runs are too few for a slope with its interval"
    name = METRICS[ask.metric].phrase()
    missing = sum(row[ask.metric] is None for _, row in pairs)
    loads = {iops_of(other) for other, _ in pairs}
    reasons = (
        (missing, f"{missing} of {len(pairs)} runs have no {name}"),
        (None in loads, "a run of the bully has no IOPS"),
        (len(loads) == 1, "the bully does not ramp"),
        (not math.fsum(row[ask.metric] or 0 for _, row in pairs) > 0, f"there is no {name} but 0"),
    )
    return next((words for found, words in reasons if found), None)


def _known(ask: _Ask, rows: list[Row]) -> list[float]:
    values = [row[ask.metric] for row in rows]
    return [] if any(value is None for value in values) else [float(value) for value in values]


def _tests(ask: _Ask, change: Tost, span: Range, margin: float, outside: int) -> Row:
    found = change.finding(margin, ask.alpha)
    held: Finding = "equivalent" if span.p < ask.alpha and not outside else "not shown"
    status = CHANGED if found == CHANGED else EQUIVALENT if found == held == EQUIVALENT else (
        NOT_SHOWN
    )  # fmt: skip
    return {
        "status": status, "change": change.estimate, "change_low": change.low,
        "change_high": change.high, "change_p": change.p, "change_finding": found,
        "range_low": span.low, "range_high": span.high, "range_p": span.p, "range_finding": held,
        "p": max(change.p, span.p),
        "open": " and ".join(name for name, word in (("change", found), ("range", held))
                             if word != EQUIVALENT) or None,
    }  # fmt: skip


def _bully(judged: Measured | None, bully: str) -> Row:
    if judged is None:
        return {}
    servers = dict(by_server(judged))
    if bully not in servers:
        raise AnalysisError(f"judged runs: no server {bully!r}; {did_you_mean(bully, [*servers])}")
    runs = servers[bully]
    stop = next((i for i, run in enumerate(runs) if run.outcome != "pass"), len(runs))
    fail = runs[stop] if stop < len(runs) and runs[stop].outcome == "fail" else None
    return {
        "bully_last_pass_iops": runs[stop - 1].row["iops"] if stop else None,
        "bully_first_fail": fail.row["run_name"] if fail else None,
        "bully_first_fail_iops": fail.row["iops"] if fail else None,
    }


def _without_policy(ask: _Ask, row: Row, own: list[Row], bully: list[Row]) -> Row:
    if row["status"] == NOT_JUDGED:
        return {"cause": CONTROL_OPEN}
    before = _victim(ask, row["victim"], own, by_key(bully), None)
    words = {CHANGED: POLICY_WORKS, EQUIVALENT: POLICY_NEEDLESS}
    shown = words.get(before["status"], CONTROL_OPEN)
    if shown == POLICY_WORKS and row["status"] != EQUIVALENT:
        shown = CONTROL_OPEN
    return {"cause": shown, "control_change": before["change"]}


def _without_bully(ask: _Ask, row: Row, rows: list[Row], own: list[Row]) -> Row:
    with_bully, without = _known(ask, rows), _known(ask, own)
    if row["status"] == NOT_JUDGED or min(len(with_bully), len(without)) < 2:  # noqa: PLR2004
        return {"cause": CONTROL_OPEN}
    apart = difference(with_bully, without, row["margin"], ask.alpha)
    words = {EQUIVALENT: BULLY_HARMLESS, CHANGED: BULLY_MATTERS}
    cause = words.get(apart.finding(row["margin"], ask.alpha), CONTROL_OPEN)
    return {"cause": cause, "control_change": apart.estimate}
