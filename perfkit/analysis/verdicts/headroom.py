"""Headroom: how far a server's ramp met the criteria, and what the cluster gave at that point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import require_columns, require_rows
from perfkit.analysis.over_time.concurrent import Key, by_key, run_key
from perfkit.analysis.verdicts.run_verdicts import RunOutcome, by_server
from perfkit.core.answers import (
    Answer,
    Question,
    Relation,
    Status,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.stats import over_all
from perfkit.core.verdict import Outcome, combined

CLUSTER = "all servers"
"""The row of the cluster: a run counts where every server passes it."""

FAILED_LATER = "fails above"
ALL_PASSED = "all passed: a lower bound"
NONE_PASSED = "the first run does not pass"
NOT_JUDGED = "not judged above"
PASSES_AGAIN = "passes again at a higher load; the first failure counts"

HEADROOM: ColumnTypes = {
    "server": pl.String, "status": pl.String, "runs": pl.Int64, "passed": pl.Int64,
    "last_pass": pl.String, "last_pass_iops": pl.Float64, "last_pass_target_iops": pl.Float64,
    "cluster_iops_at_last_pass": pl.Float64, "first_fail": pl.String,
    "first_fail_iops": pl.Float64, "cluster_iops_at_first_fail": pl.Float64,
    "required_iops": pl.Float64, "headroom_iops": pl.Float64, "headroom_ratio": pl.Float64,
    "target_headroom_iops": pl.Float64, "note": pl.String,
}  # fmt: skip
"""One row a server, and one of the cluster. ``last_pass_iops`` is what that server alone gave;
``cluster_iops_at_last_pass`` what all servers gave in the same run. ``headroom_iops`` is
``last_pass_iops - required_iops``; ``target_headroom_iops`` the same with the run's target, which
GenIO does not quite reach."""


@step(version=1, name="verdict.headroom")
def headroom(
    judged: Measured,
    cluster: Measured | None = None,
    *,
    required_iops: float | Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """The last passing point of each server: HEADROOM.

    Loads are taken in rising order; a load counts as passed when every run of it meets all
    criteria, and the last passing point lies below the first load that does not pass. Nothing is
    extrapolated: where every run passed, the last one is a lower bound. All servers together have a
    row where they are of one system and config: what two arrays served does not add up.

    Args:
        judged: ``judge_runs`` of the servers' runs.
        cluster: Cluster totals, one row a run, for what all servers gave at that point; None
            leaves those columns null.
        required_iops: What is required of each server, or by server; the cluster's is under
            "all servers", else the sum where every server has one.

    Raises AnalysisError for a server that is not there, or no run.
    """
    servers = {name: runs for name, runs in by_server(judged) if runs[0].row["run_name"]}
    if not servers:
        raise AbsentError("judged runs: no run, so no headroom")
    needed = _needed(required_iops, list(servers))
    totals: dict[Key, float | None] = {}
    if cluster is not None:
        require_columns(cluster.frame, ("run", "position", "total_iops"), "cluster totals")
        by_run = by_key(cluster.frame.rows(named=True))
        totals = {key: row["total_iops"] for key, row in by_run.items()}
    rows = [_row(name, _steps(runs), totals, needed.get(name)) for name, runs in servers.items()]
    arrays = {
        (run.row.get("system"), run.row.get("config")) for runs in servers.values() for run in runs
    }
    if len(servers) > 1 and totals and len(arrays) == 1:
        rows.append(_row(CLUSTER, _together(servers, totals), totals, needed.get(CLUSTER)))
    return pl.DataFrame(rows, schema=HEADROOM, orient="row")


def _needed(required: float | Mapping[str, float] | None, servers: list[str]) -> dict[str, float]:
    if required is None:
        return {}
    known = [*servers, CLUSTER]
    needed = dict(required) if isinstance(required, Mapping) else dict.fromkeys(servers, required)
    for name, value in needed.items():
        if name not in known:
            raise AnalysisError(f"required_iops: no server {name!r}; {did_you_mean(name, known)}")
        if not value > 0:
            raise AnalysisError(f"required_iops: {name} needs a rate above 0, not {value}")
    if CLUSTER not in needed and all(name in needed for name in servers):
        needed[CLUSTER] = sum(needed[name] for name in servers)
    return needed


@dataclass(frozen=True)
class _Step:
    """The runs of one load (or one run, where no load is known): what they gave, the outcome."""

    name: str
    row: Row
    iops: float | None
    outcomes: list[Outcome]

    @property
    def outcome(self) -> Outcome:
        return combined(self.outcomes)


def _steps(runs: list[RunOutcome]) -> list[_Step]:
    known = all(run.row["load"] is not None for run in runs)
    ordered = sorted(
        runs,
        key=lambda run: (
            run.row["load"] if known else 0.0,
            run.row["position"] or 0,
            run.row["repeat"] or 0,
        ),
    )
    parts = groupby(ordered, key=lambda run: run.row["load"] if known else id(run))
    steps = []
    for _, part in parts:
        of_load = list(part)
        last = next((run for run in of_load if run.outcome != "pass"), of_load[-1]).row
        outcomes = [run.outcome for run in of_load]
        steps.append(_Step(str(last["run_name"]), last, last["iops"], outcomes))
    return steps


def _together(
    servers: Mapping[str, list[RunOutcome]], totals: Mapping[Key, float | None]
) -> list[_Step]:
    """The cluster's runs in order: each passes where every server's run passes."""
    every = [run for runs in servers.values() for run in runs]
    outcomes = rows_by(every, lambda run: run_key(run.row))
    steps = []
    for key, runs in outcomes.items():
        outcome = combined([run.outcome for run in runs])
        if len(runs) < len(servers) and outcome == "pass":
            outcome = "not judged"  # a server has no such run
        row = {
            **runs[0].row,
            "target_iops": over_all(sum, [run.row["target_iops"] for run in runs]),
        }
        steps.append(_Step(str(row["run_name"]), row, totals.get(key), [outcome]))
    return steps


def _row(
    server: str, steps: list[_Step], totals: Mapping[Key, float | None], required: float | None
) -> Row:
    stop = next((i for i, item in enumerate(steps) if item.outcome != "pass"), len(steps))
    last = steps[stop - 1] if stop else None
    fail = steps[stop] if stop < len(steps) else None
    again = any(item.outcome == "pass" for item in steps[stop + 1 :])
    iops = last.iops if last else None
    target = last.row["target_iops"] if last else None
    room = None if iops is None or required is None else iops - required
    return {
        "server": server,
        "status": _status(last, fail),
        "runs": sum(len(item.outcomes) for item in steps),
        "passed": sum(item.outcomes.count("pass") for item in steps),
        "last_pass": last.name if last else None,
        "last_pass_iops": iops,
        "last_pass_target_iops": target,
        "cluster_iops_at_last_pass": _at(totals, last),
        "first_fail": fail.name if fail else None,
        "first_fail_iops": fail.iops if fail else None,
        "cluster_iops_at_first_fail": _at(totals, fail),
        "required_iops": required,
        "headroom_iops": room,
        "headroom_ratio": None if room is None else room / (required or 1),
        "target_headroom_iops": target - required if target and required else None,
        "note": PASSES_AGAIN if again else None,
    }


def _status(last: _Step | None, fail: _Step | None) -> str:
    if fail is None:
        return ALL_PASSED
    if last is None:
        return NONE_PASSED
    return NOT_JUDGED if fail.outcome == "not judged" else FAILED_LATER


def _at(totals: Mapping[Key, float | None], item: _Step | None) -> float | None:
    return totals.get(run_key(item.row)) if item else None


_BOUND: frozenset[tuple[Status, Relation]] = frozenset({
    ("measured", "="), ("measured", ">="), ("missing", "="),
})  # fmt: skip
LAST_PASSING, HEADROOM_IOPS = register_questions(
    ("last_passing_iops", "1/s",
     "the IOPS of the last run below the first that does not pass all criteria", "none: one run",
     "none", _BOUND),
    ("headroom_iops", "1/s", "the IOPS of the last passing run less those required",
     "none: one run", "none", _BOUND),
)  # fmt: skip


@step(version=1, name="verdict.last_pass")
def last_pass(room: Measured) -> pl.DataFrame:
    """Answers of ``headroom``: how far each server passed, and the headroom where one is required.

    ``inputs`` are the last run that passes and the first that does not; where every run passed, the
    value is a lower bound.
    """
    rows = require_rows(room, "headroom", ("server", "status", "last_pass_iops"), "no answer")
    found = [_last(row) for row in rows]
    return to_frame(
        [
            *found,
            *(
                _claim(
                    HEADROOM_IOPS,
                    row,
                    row["headroom_iops"],
                    ("required_iops", row["required_iops"], "1/s"),
                    ("headroom_ratio", row["headroom_ratio"], "ratio"),
                    ("target_headroom_iops", row["target_headroom_iops"], "1/s"),
                )
                for row in rows
                if row["required_iops"] is not None
            ),
        ]
    )


def _last(row: Row) -> Answer:
    alone = row["cluster_iops_at_last_pass"] if row["server"] != CLUSTER else None
    judged = None if row["first_fail"] is None else float(row["status"] != NOT_JUDGED)
    cautions = (caution("passes_again", of=row["server"]),) if row["note"] else ()
    return _claim(
        LAST_PASSING,
        row,
        row["last_pass_iops"],
        ("cluster_iops", alone, "1/s"),
        ("next_iops", row["first_fail_iops"], "1/s"),
        ("next_judged", judged, "1"),
        cautions=cautions,
    )


def _claim(
    question: Question,
    row: Row,
    value: float | None,
    *where: tuple[str, float | None, str],
    cautions: tuple[Any, ...] = (),
) -> Answer:
    none = (
        "the IOPS of its last passing run are not known"
        if row["last_pass"]
        else (f"its first run, {row['first_fail']}, does not pass")
    )
    bound = value is not None and row["status"] == ALL_PASSED
    return question.answer(
        "total_iops",
        Subject(row["server"]),
        value,
        none,
        n=1,
        relation=">=" if bound else "=",
        conditions=where_conditions(*where),
        cautions=cautions,
        inputs=tuple(name for name in (row["last_pass"], row["first_fail"]) if name),
    )
