"""What the logs of a SAS workload say, as answers: elapsed time, CPU ratios, jobs at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import require_columns, require_rows
from perfkit.analysis.sas.steps import ON_IO
from perfkit.analysis.sas.workload import ALL, CONFIDENCE, mean
from perfkit.core import answers as claims
from perfkit.core.answers import (
    ANY,
    FOUND,
    Answer,
    Question,
    Subject,
    register_questions,
    where_conditions,
)
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

ELAPSED, ELAPSED_CHANGE, CPU_RATIO, AT_ONCE, WAITING_TIME, WAITING_STEPS = register_questions(
    ("sas_elapsed", "s", "elapsed time of a run, summed over all jobs", "arithmetic mean over runs",
     "none: that of the change counts", ANY),
    ("sas_elapsed_change", "ratio", "elapsed time summed over all jobs: subject / against",
     "ratio of the arithmetic means over runs",
     "of the ratio on logarithms, one family with the classes (change_intervals)", ANY),
    ("sas_cpu_ratio", "1", "CPU time to elapsed time: mean of the jobs' ratios, or ratio of sums",
     "arithmetic mean over runs", "smallest and largest run, no level", ANY),
    ("sas_jobs_at_once", "1", "jobs that ran at the same time over the span of a run: mean, peak",
     "arithmetic mean over runs; of the peak the largest", "smallest and largest run, no level",
     ANY),
    ("sas_waiting_time", "s",
     "elapsed time less CPU time of the steps that took at least so long and used less CPU "
     "than that: a lower bound of the time in which they waited", "a sum over all runs", "none",
     frozenset({("measured", ">=")})),
    ("sas_waiting_on_io", "1",
     "steps that waited on I/O by their blocks or the host's iowait, of those with less "
     "CPU than elapsed time", "a count over all runs", "none", FOUND),
)  # fmt: skip

_NO_INTERVAL = {"one run: no spread": "one_repeat", "no spread between runs": "no_spread"}


@step(version=1, name="sas.answers")
def answers(
    differences: Measured | None, ratios: Measured | None = None, runs: Measured | None = None
) -> pl.DataFrame:
    """Answers of a workload: elapsed time between systems, CPU ratios, jobs at once.

    Args:
        differences: Of ``sas.differences``: change of the elapsed time; None: one system.
        ratios: Of ``sas.ratios`` by run: mean of the jobs' ratios, and the ratio of the sums.
        runs: Of ``sas.runs``: jobs at the same time, mean and peak.

    Returns:
        ``answers.ANSWERS``: questions sas_elapsed_change, sas_cpu_ratio and sas_jobs_at_once.

    Raises:
        AnalysisError: No elapsed time of the whole workload.
    """
    found: list[Answer] = []
    if differences is not None:
        needed = ("system", "base", "class", "metric", "ratio", "status")
        require_columns(differences.frame, needed, "differences")
        whole = differences.frame.filter(**{"class": ALL, "metric": "real_time_s"})
        if whole.is_empty():
            raise AbsentError("differences: no elapsed time of the whole workload")
        found = [_elapsed(row) for row in whole.rows(named=True)]
    if ratios is not None:
        names = ("ratio_mean", "ratio_of_sums")
        require_columns(ratios.frame, ("system", "repeat", "jobs", "without", *names), "ratios")
        rows = ratios.frame.rows(named=True)
        none = dict.fromkeys(names, "no job has a ratio")
        left_out = _left_out(rows)
        found += [
            replace(answer, cautions=left_out.get(answer.subject.label, ()))
            for answer in _by_system(CPU_RATIO, rows, none)
        ]
    if runs is not None:
        require_columns(
            runs.frame, ("system", "concurrency_mean", "concurrency_peak", "reason"), "runs"
        )
        rows = runs.frame.rows(named=True)
        why = next((row["reason"] for row in rows if row["reason"]), "no times in the logs")
        names = ("concurrency_mean", "concurrency_peak")
        found += _by_system(AT_ONCE, rows, dict.fromkeys(names, why))
    return claims.to_frame(found)


@step(version=2, name="sas.waiting_answers")
def waiting_answers(waiting: Measured) -> pl.DataFrame:
    """How long steps waited at least, and how many of them on I/O, in each system or set of logs.

    Args:
        waiting: Of ``sas.waiting_steps``.

    Returns:
        ``answers.ANSWERS``: questions sas_waiting_time and sas_waiting_on_io.

    Raises:
        AbsentError: No step waited.
    """
    columns = ("system", "waiting_s", "verdict", "disk_bytes_per_s", "cpu_iowait_ratio")
    rows = require_rows(waiting, "waiting", (*columns, "shortest_s"), "nothing is known of waits")
    found = rows_by(rows, itemgetter("system"))
    return claims.to_frame(
        answer for system, own in sorted(found.items()) for answer in _waits(_subject(system), own)
    )


def _waits(subject: Subject, rows: Sequence[Row]) -> tuple[Answer, Answer]:
    where = where_conditions(("waiting", len(rows), "1"), ("shortest", rows[0]["shortest_s"], "s"))
    waited = math.fsum(row["waiting_s"] for row in rows)
    time = WAITING_TIME.answer("waiting_s", subject, waited, relation=">=", conditions=where)
    known = [
        row
        for row in rows
        if row["disk_bytes_per_s"] is not None or row["cpu_iowait_ratio"] is not None
    ]
    if not known:
        why = "their blocks do not count I/O, and the host's iowait is not recorded beside them"
        return time, WAITING_STEPS.answer("steps", subject, None, why, conditions=where)
    on_io = sum(row["verdict"] == ON_IO for row in known)
    where += where_conditions(("known", len(known), "1"))
    return time, WAITING_STEPS.answer("steps", subject, on_io, conditions=where)


def _elapsed(row: Row) -> Answer:
    sides = (
        _side(row, "system", "mean", "repeats"),
        _side(row, "base", "base_mean", "base_repeats"),
    )
    runs = min(row["repeats"], row["base_repeats"])
    level = None if row["ratio_low"] is None else CONFIDENCE
    return ELAPSED_CHANGE.answer(
        "real_time_s",
        sides[0].subject,
        row["ratio"],
        _NO_TIME,
        low=row["ratio_low"],
        high=row["ratio_high"],
        level=level,
        n=runs,
        against=sides[1].subject,
        sides=sides,
        cautions=_cautions(row),
    )


def _side(row: Row, name: str, value: str, runs: str) -> Answer:
    return ELAPSED.answer("real_time_s", _subject(row[name]), row[value], _NO_TIME, n=row[runs])


_NO_TIME = "a time is missing"


def _subject(system: str) -> Subject:
    return Subject(system, (("system", system),))


def _cautions(row: Row) -> tuple[Caution, ...]:
    name = _NO_INTERVAL.get(row["status"])
    if name is None:
        return ()
    alone = [
        row[side]
        for side, n in (("system", "repeats"), ("base", "base_repeats"))
        if name != "one_repeat" or row[n] == 1
    ]
    return tuple(caution(name, of=of, counted="systems") for of in alone)


def _left_out(rows: Sequence[Row]) -> dict[str, tuple[Caution, ...]]:
    """By system the caution for jobs without a ratio: how many in each run, or in all together."""
    found: dict[str, tuple[Caution, ...]] = {}
    for system in dict.fromkeys(row["system"] for row in rows):
        counts = [
            (row["without"], row["without"] + row["jobs"])
            for row in rows
            if row["system"] == system
        ]
        some, every = (sum(column) for column in zip(*counts, strict=True))
        if some:
            over = "" if len(counts) == 1 else f" in {len(counts)} runs"
            if len(counts) > 1 and len(set(counts)) == 1:
                (some, every), over = counts[0], " in each run"
            all_ = f"{every:,} jobs{over}"
            found[system] = (caution("jobs_without_ratio", of=system, some=f"{some:,}", all=all_),)
    return found


def _by_system(question: Question, rows: Sequence[Row], metrics: dict[str, str]) -> list[Answer]:
    """An answer a system and metric: over its runs; missing where one of them lacks it."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    return [
        _over_runs(
            question, metric, system, [r[metric] for r in rows if r["system"] == system], why
        )
        for system in systems
        for metric, why in metrics.items()
    ]


def _over_runs(
    question: Question, metric: str, system: str, values: Sequence[Any], why: str
) -> Answer:
    known = [float(value) for value in values if value is not None]
    if len(known) < len(values) or not known:
        return question.answer(metric, _subject(system), None, why)
    centre = max(known) if metric == "concurrency_peak" else mean(known)
    low, high = (min(known), max(known)) if len(known) > 1 else (None, None)
    return question.answer(metric, _subject(system), centre, low=low, high=high, n=len(known))
