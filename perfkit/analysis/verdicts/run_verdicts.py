"""Criteria on runs: each run judged by itself, then its server, then the study.

``judge.py`` judges one value; this module finds a run's values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import polars as pl

from perfkit.analysis.curves.metrics import METRICS, load_number, load_text
from perfkit.analysis.curves.series import series_labels
from perfkit.analysis.genio import run_labels
from perfkit.analysis.verdicts.criteria import VALUE_OF_RUN, Criterion, rule_text
from perfkit.analysis.verdicts.judge import flat, judgements_of
from perfkit.analysis.verdicts.judged_values import Found, nothing
from perfkit.core.answers import Answer, Subject, register_questions, to_frame, where_conditions
from perfkit.core.cautions import Caution, from_json
from perfkit.core.errors import AnalysisError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.core.units import Printed
from perfkit.core.verdict import Judgement, Outcome, Verdict, combined

EACH_RUN = "each run"

COLUMNS: dict[tuple[str, str], tuple[str, ...]] = {
    ("iops", "total"): ("total_iops",),
    ("iops", "read"): ("read_iops",),
    ("iops", "write"): ("write_iops",),
    ("lat_mean_s", "read"): ("random_read_average_s", "response_time_s"),
}
"""Metric and direction -> what a tool's runs call it: GenIO's random-read average and RANREAD's
response time are mean read latencies. GenIO's effective write latency is not a mean over writes."""

LOADS = ("load", "target_iops", "processes")
"""What is raised from run to run, by the column that a frame has."""

IOPS = ("total_iops", "iops")

_KEYS: ColumnTypes = {
    "server": pl.String, "system": pl.String, "config": pl.String, "workload": pl.String,
    "test": pl.String, "host": pl.String, "run": pl.Int64, "run_label": pl.String,
    "position": pl.Int64, "repeat": pl.Int64, "load": pl.Float64,
    "target_iops": pl.Float64,
}  # fmt: skip
RUN_VERDICTS: ColumnTypes = {
    **_KEYS, "run_name": pl.String, "iops": pl.Float64, "criterion": pl.String,
    "metric": pl.String, "comparison": pl.String, "rule": pl.String, "value": pl.Float64,
    "value_text": pl.String, "value_unit": pl.String, "value_rounding": pl.String,
    "outcome": pl.String, "reason": pl.String, "source": pl.String, "cautions": pl.String,
    "demand": pl.String, "meant_to_fail": pl.String,
}  # fmt: skip
"""One row a run and criterion. ``value`` is in SI base units of the metric."""

SERVER_VERDICTS: ColumnTypes = {
    "server": pl.String, "runs": pl.Int64, "passed": pl.Int64, "failed": pl.Int64,
    "not_judged": pl.Int64, "outcome": pl.String, "first_fail": pl.String,
    "first_fail_iops": pl.Float64, "reason": pl.String, "meant_to_fail": pl.String,
}  # fmt: skip
"""One row a server: how many of its runs meet all criteria."""


@step(version=2, name="verdict.runs")
def judge_runs(runs: Measured, criteria: Sequence[Criterion]) -> pl.DataFrame:
    """Apply each criterion to each run that it selects: RUN_VERDICTS, one row a run and criterion.

    ``runs`` is any frame with one row a run: ``genio_runs``, cluster totals, ``ranread_runs``, or
    ``load_points`` (its rows of the criterion's direction, each host and repeat by itself). Each
    run is judged by its own value, exactly. A value that is missing or no finite number is not
    judged, and neither is a criterion that matches no run or asks for a statistic over repeats
    (mean, pooled): those belong to ``judge``.
    """
    rows, labels = runs.frame.rows(named=True), server_labels(runs.frame)
    judged = []
    for criterion in criteria:
        rule = rule_text(criterion, over=EACH_RUN)
        places, found = zip(*found_in_runs(rows, criterion), strict=True)
        for place, item in zip(places, judgements_of(criterion, found, rule), strict=True):
            row = {} if place is None else {**rows[place], "server": labels[place]}
            judged.append(_flat(row, criterion, item))
    return pl.DataFrame(judged, schema=RUN_VERDICTS, orient="row")


def found_in_runs(
    rows: Sequence[Row], criterion: Criterion, *, what: str = "run"
) -> list[tuple[int | None, Found]]:
    """The places of the runs that a criterion selects, with its value or the reason for none.

    Where it selects no run, the reason alone stands, without a place. ``what`` is the word for one.
    """
    try:
        _check_statistic(criterion, what)
        places = _selected(rows, criterion, what)
    except AnalysisError as problem:
        return [(None, nothing(criterion, str(problem)))]
    if not places:
        return [(None, nothing(criterion, f"no {what} matches"))]
    labels = run_labels(rows)
    found: list[tuple[int | None, Found]] = []
    for place in places:
        value, reason = _value(rows[place], criterion)
        answer = _of_a_run(rows[place], labels[place], criterion.metric, value=value, reason=reason)
        found.append((place, Found("", answer, value, reason)))
    return found


def _of_a_run(
    row: Row,
    label: str,
    metric: str,
    *,
    value: float | None,
    reason: str | None,
    cautions: tuple[Caution, ...] = (),
) -> Answer:
    """The value of one run, or why there is none, as an answer."""
    labels = tuple((key, row[key]) for key in LABELS if row.get(key) is not None)
    where = [("run", row.get("run")), ("load", load_of(row)), ("repeat", row.get("repeat"))]
    answer = VALUE_OF_RUN.answer(
        metric,
        Subject(label, labels),
        value,
        unit=run_unit(metric),
        n=1,
        without="not_judged",
        conditions=where_conditions(*((name, number, "1") for name, number in where)),
        cautions=cautions,
    )
    return replace(answer, reason=reason)


def run_unit(metric: str) -> str:
    """The SI base unit of a metric of runs."""
    units = {"rate": "1/s", "rate of bytes": "B/s", "ratio": "ratio"}
    return units.get(METRICS[metric].quantity, "s")


LABELS = ("system", "config", "workload", "host")
"""What a run is known by: the labels of a criterion's selection."""


def _check_statistic(criterion: Criterion, what: str) -> None:
    if criterion.within is not None:
        raise AnalysisError(f"{what}s are judged at a load, not within a latency")
    if criterion.statistic in {"mean", "pooled", "bound"}:
        raise AnalysisError(
            f"asks for the {criterion.statistic} over repeats, and {what}s are judged one by one"
        )


def server_labels(frame: pl.DataFrame) -> list[str]:
    """What each row's server is called: the same for every criterion of a frame."""
    rows = frame.rows(named=True)
    points = "direction" in frame.columns
    if not points or len({row.get("host") for row in rows}) > 1:
        return run_labels(rows)
    return series_labels([{**row, "direction": None} for row in rows])


def _selected(rows: Sequence[Row], criterion: Criterion, what: str) -> list[int]:
    unknown = [key for key in criterion.where if rows and key not in rows[0]]
    if unknown:
        raise AnalysisError(f"the {what}s have no {unknown[0]}")
    places = [
        place
        for place, row in enumerate(rows)
        if all(row[key] == text for key, text in criterion.where.items())
        and row.get("direction", criterion.direction) == criterion.direction
    ]
    if criterion.direction == "read":  # beside runs that read, those that only write are others'
        places = [p for p in places if rows[p].get("tool") not in _ONLY_WRITE] or places
    return _at({place: load_of(rows[place]) for place in places}, criterion, what)


_ONLY_WRITE = {"RanWrite"}
"""Tools whose runs read nothing."""


def _at(loads: dict[int, float | None], criterion: Criterion, what: str) -> list[int]:
    if criterion.at == "every load":
        return list(loads)
    if criterion.at == "peak" or isinstance(criterion.at, dict):
        raise AnalysisError(f"{what}s are judged at a load, not at the peak or a latency")
    known = [load for load in loads.values() if load is not None]
    if len(known) < len(loads):
        raise AnalysisError(f"is asked for at {criterion.at}, and a {what} has no load")
    ends = {"lowest load": min(known, default=0.0), "highest load": max(known, default=0.0)}
    wanted = ends.get(str(criterion.at), criterion.at)
    return [place for place, load in loads.items() if load == wanted]


def load_of(row: Row) -> float | None:
    """The load of a run, None where no column tells it."""
    return next((float(row[key]) for key in LOADS if row.get(key) is not None), None)


def iops_of(row: Row) -> float | None:
    """What a run gave in all, None where it is not known."""
    return next((row[key] for key in IOPS if row.get(key) is not None), None)


def run_name(row: Row) -> str:
    """What a run is called: its number as printed, else its load and repeat, else its place."""
    if row.get("run") is not None or row.get("run_label"):
        return f"run {row['run'] if row.get('run') is not None else row['run_label']}"
    load = load_of(row)
    if load is None:
        return f"run {row['position']}" if row.get("position") is not None else "run"
    kind = row.get("load_kind") or ("processes" if row.get("processes") is not None else "load")
    if kind == "run":  # the load is but the place of the run
        return f"run {load_number(load).text}"
    repeat = f", repeat {row['repeat']}" if row.get("repeat") is not None else ""
    return f"{load_text(kind, load)}{repeat}"


POSSIBLE = 1e15
"""No IOPS, bytes per second or seconds of any source come near this."""


def _value(row: Row, criterion: Criterion) -> tuple[float | None, str | None]:
    """The value of a run for a criterion, and what is to be said of it."""
    column = column_of(list(row), criterion)
    name = METRICS[criterion.metric].phrase(criterion.direction)
    if column is None:
        return None, f"{name} is not in this source"
    value = row[column]
    if value is None:
        return None, f"{name} is missing"
    if not 0 <= value <= POSSIBLE or not math.isfinite(value):
        return None, f"{name} is {value}, which nothing can measure"
    if column == "response_time_s":
        if row.get("tool") != "RanRead":
            return (
                None,
                f"the response time of {row.get('tool') or 'an unknown tool'} is not of reads",
            )
        derived = row.get("response_time_origin") == "derived"
        return float(value), "derived from processes / IOPS" if derived else None
    return float(value), None


def column_of(columns: Sequence[str], criterion: Criterion) -> str | None:
    """Which of a frame's columns holds the criterion's metric; None where none does."""
    if "direction" in columns:
        names: tuple[str, ...] = (criterion.metric,)
    else:
        names = COLUMNS.get((criterion.metric, criterion.direction), ())
        names = (*names, criterion.metric) if criterion.direction == "total" else names
    return next((name for name in names if name in columns), None)


def _flat(row: Row, criterion: Criterion, judged: Judgement) -> Row:
    return {
        **flat(judged),
        **{key: row.get(key) for key in _KEYS},
        "server": row["server"] if row else judged.scope,
        "run_name": run_name(row) if row else None,
        "load": load_of(row),
        "iops": iops_of(row),
        "metric": criterion.metric,
        "comparison": criterion.comparison,
        "demand": judged.demand,
    }


@dataclass(frozen=True)
class RunOutcome:
    """One run over all criteria: where it stands in its server's order, and the outcome."""

    row: Row
    outcome: Outcome
    reason: str | None


def by_server(judged: Measured) -> Iterator[tuple[str, list[RunOutcome]]]:
    """Each server and its runs in order, every run with its outcome over all criteria.

    A criterion that selects no run of any server stands under its own selection, without a run.
    """
    run = itemgetter("position", "run", "run_label", "load", "repeat")
    for server, rows in rows_by(judged.frame.rows(named=True), itemgetter("server")).items():
        yield server, [_outcome_of(own) for own in rows_by(rows, run).values()]


def _outcome_of(rows: list[Row]) -> RunOutcome:
    outcome = combined([row["outcome"] for row in rows])
    reasons = [
        f"{row['criterion']}: {row['reason']}"
        for row in rows
        if row["outcome"] == outcome == "not judged"
    ]
    failed = [f"{row['criterion']} {row['value_text']}" for row in rows if row["outcome"] == "fail"]
    return RunOutcome(rows[0], outcome, "; ".join(failed or reasons) or None)


def by_run(rows: Sequence[Row]) -> list[Row]:
    """One row a run from one row a run and criterion: values by criterion, and one outcome.

    A value stands under (criterion, metric); the reasons are joined.
    """
    runs = rows_by(rows, itemgetter("server", "run_name", "position", "repeat"))
    return [_one_run(parts) for parts in runs.values()]


def _one_run(parts: list[Row]) -> Row:
    first = parts[0]
    return {
        "server": first["server"],
        "run_name": first["run_name"],
        "iops": first["iops"],
        **{str((row["criterion"], row["metric"])): row["value"] for row in parts},
        "outcome": combined([row["outcome"] for row in parts]),
        "reason": "; ".join(row["reason"] for row in parts if row["reason"]) or None,
    }


def in_short(runs: Sequence[Row]) -> list[Row]:
    """The rows of ``by_run``, with one row for neighbouring runs of one server and outcome.

    That row has the names of the first and the last (``last_run``), counts them (``runs``), and has
    for each number a pair, the least and the most.
    """
    same = itertools.groupby(runs, itemgetter(*_WORDS))
    return [
        _together(rows) if len(rows) > 1 else rows[0] for rows in (list(own) for _, own in same)
    ]


_WORDS = ("server", "outcome", "reason")


def _together(rows: list[Row]) -> Row:
    numbers = [key for key in rows[0] if key not in {*_WORDS, "run_name"}]
    ends = {key: _ends([row[key] for row in rows]) for key in numbers}
    return {**rows[0], **ends, "runs": len(rows), "last_run": rows[-1]["run_name"]}


def _ends(values: list[float | None]) -> tuple[float, float] | None:
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if len(known) == len(values) else None


@step(version=2, name="verdict.servers")
def server_verdicts(judged: Measured) -> pl.DataFrame:
    """SERVER_VERDICTS of ``judge_runs``: passed, failed and not judged runs of each server."""
    rows = [_server(name, runs) for name, runs in by_server(judged)]
    return pl.DataFrame(rows, schema=SERVER_VERDICTS, orient="row")


def _server(name: str, runs: list[RunOutcome]) -> Row:
    outcomes = [run.outcome for run in runs]
    first = next((run for run in runs if run.outcome == "fail"), None)
    unjudged = next((run for run in runs if run.outcome == "not judged"), None)
    shown = first or unjudged
    return {
        "server": name,
        "runs": len(runs),
        "passed": outcomes.count("pass"),
        "failed": outcomes.count("fail"),
        "not_judged": outcomes.count("not judged"),
        "meant_to_fail": runs[0].row["meant_to_fail"],
        "outcome": combined(outcomes),
        "first_fail": first.row["run_name"] if first else None,
        "first_fail_iops": first.row["iops"] if first else None,
        "reason": shown.reason if shown else None,
    }


[RUNS_PASSED] = register_questions(
    ("runs_passed", "1", "the runs of a server that meet all criteria", "a count", "none",
     frozenset({("measured", "="), ("not_judged", "=")})),
)  # fmt: skip


@step(version=1, name="verdict.runs_passed")
def runs_passed(judged: Measured) -> pl.DataFrame:
    """Answers of ``judge_runs``: how many runs of each server meet all criteria, of how many.

    Where a run fails, ``inputs`` names the first one, ``reason`` says what failed in it, and a
    condition its IOPS.
    """
    rows = [_server(name, runs) for name, runs in by_server(judged)]
    return to_frame([_passed(row) for row in rows])


def _passed(row: Row) -> Answer:
    known = row["outcome"] != "not judged"
    answer = RUNS_PASSED.answer(
        "runs",
        Subject(row["server"]),
        row["passed"] if known else None,
        without="not_judged",
        conditions=where_conditions(
            ("runs", row["runs"] or None, "1"),
            ("runs_not_judged", row["not_judged"] or None, "1"),
            ("total_iops", row["first_fail_iops"] or None, "1/s"),
        ),
        inputs=(row["first_fail"],) if row["first_fail"] else (),
    )
    return replace(answer, reason=row["reason"])


@step(version=3, name="verdict.over_runs")
def verdict_of_runs(judged: Measured) -> Verdict:
    """The study's verdict from ``judge_runs``: a judgement a server and criterion.

    Its value is the worst of the server's runs, all of which must pass.
    """
    servers = rows_by(judged.frame.rows(named=True), itemgetter("server", "demand"))
    return Verdict("verdict", tuple(_of_server(part) for part in servers.values()))


def _judgement(row: Row, scope: str, outcome: Outcome, reason: str | None) -> Judgement:
    """The judgement that shows this row's run."""
    cautions = from_json(row["cautions"])
    value = None if outcome == "not judged" else row["value"]
    given = _of_a_run(
        row, row["server"], row["metric"], value=value, reason=reason, cautions=cautions
    )
    return Judgement(
        row["criterion"],
        scope,
        row["rule"],
        _printed(row),
        outcome,
        reason,
        row["source"],
        given,
        cautions,
        row["demand"],
        row["meant_to_fail"],
    )


def _printed(row: Row) -> Printed | None:
    if row["value"] is None:
        return None
    return Printed(row["value_text"], row["value"], row["value_unit"], row["value_rounding"])


def _of_server(rows: list[Row]) -> Judgement:
    outcome = combined([row["outcome"] for row in rows])
    shown = _worst(rows, outcome)
    reason = shown["reason"]
    if len(rows) > 1:
        met = sum(row["outcome"] == "pass" for row in rows)
        counts = f"{met} of {len(rows)} runs pass; worst: {shown['run_name']}"
        if outcome == "not judged":
            counts = f"{met} of {len(rows)} runs pass; {shown['run_name']} cannot be judged"
        reason = "; ".join(text for text in (counts, reason) if text)
    return _judgement(shown, shown["server"], outcome, reason)


def _worst(rows: list[Row], outcome: Outcome) -> Row:
    """The run that decides: the furthest on the wrong side, or the first that was not judged."""
    if outcome == "not judged":
        return next(row for row in rows if row["outcome"] == "not judged")
    known = [row for row in rows if row["value"] is not None]
    upward = known[0]["comparison"].startswith(">")
    return (min if upward else max)(known, key=lambda row: row["value"])
