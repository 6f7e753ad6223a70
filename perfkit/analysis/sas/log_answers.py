"""What SAS logs without a job table say, as answers: where the time went, errors, data written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.sas.contents import WRITTEN
from perfkit.core import answers as claims
from perfkit.core.answers import (
    ANY,
    FOUND,
    MEASURED,
    Answer,
    Condition,
    Question,
    Relation,
    Status,
    Subject,
    register_questions,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.keys import rows_by, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

_KNOWN: frozenset[tuple[Status, Relation]] = frozenset({
    ("measured", "="), ("measured", ">="), ("missing", "="),
})  # fmt: skip

(
    TIME, OUTSIDE, LONGEST, MOST_TIME, MESSAGES, ROWS_WRITTEN, SAME_STEPS, SAME_STEPS_CHANGE,
) = register_questions(
    ("sas_time_in_steps", "s",
     "elapsed time and CPU time of all steps, each summed; at least, where a step's is unknown",
     "a sum", "none", _KNOWN),
    ("sas_time_outside", "s",
     "totals of sessions less the sum of their steps, larger and smaller ones apart",
     "a sum over sessions", "none", FOUND),
    ("sas_longest_step", "s", "the longest elapsed time of a step", "the largest", "none", FOUND),
    ("sas_most_time", "s", "the kind of step with the longest elapsed time in all", "a sum", "none",
     FOUND),
    ("sas_messages", "1", "ERROR and WARNING messages", "a count", "none", MEASURED),
    ("sas_rows_written", "1",
     "observations that notes say were written; at least, where a note has no number", "a sum",
     "none", _KNOWN),
    ("sas_same_steps", "s", "elapsed time of the steps that two sets of logs have in common",
     "a sum", "none: that of the change counts", ANY),
    ("sas_same_steps_change", "ratio",
     "elapsed time of the steps that two sets of logs have in common: subject / against",
     "ratio of sums", "none: each step was taken once", ANY),
)  # fmt: skip

ALL = Subject("the logs")


@step(version=2, name="sas.log_answers")
def log_answers(
    steps: Measured, logs: Measured, messages: Measured, datasets: Measured
) -> pl.DataFrame:
    """Where the time of all logs went, and what else they say.

    Args:
        steps: Of ``read_sas``.
        logs: Of ``sas.logs``.
        messages: Of ``read_sas``.
        datasets: Of ``read_sas``.

    Returns:
        ``answers.ANSWERS``: questions sas_time_in_steps, sas_time_outside, sas_longest_step,
        sas_most_time, sas_messages and sas_rows_written.
    """
    require_columns(steps.frame, ("file", "kind", "name", "line", "real_time_s", "cpu_s"), "steps")
    require_columns(logs.frame, ("log", "totals", "total_s", "outside_s", "overlap_s"), "logs")
    require_columns(messages.frame, ("file", "line", "level"), "messages")
    require_columns(datasets.frame, ("role", "kind", "name", "observations"), "datasets")
    return claims.to_frame(
        [
            *_times(steps.frame, logs.frame.height),
            *_outside(logs.frame),
            *_longest(steps.frame, logs.frame["log"].to_list()),
            *_messages(messages.frame, logs.frame.height),
            _rows_written(datasets.frame),
        ]
    )


def _known(
    question: Question,
    metric: str,
    value: float,
    where: Mapping[str, float],
    *,
    subject: Subject = ALL,
    n: int | None = None,
) -> Answer:
    """An answer that is known; a lower bound where parts of the sum are ``unknown``."""
    relation = ">=" if where.get("unknown") else "="
    return question.answer(metric, subject, value, n=n, relation=relation, conditions=_where(where))


def _where(values: Mapping[str, float]) -> tuple[Condition, ...]:
    return where_conditions(*((name, value, "1") for name, value in values.items()))


def _no_time(steps: pl.DataFrame) -> str:
    """Why no step's time is known."""
    if steps.is_empty():
        return "no step has a timing block, which STIMER and NOTES print"
    return "no timing block holds it"


def _sum(values: pl.Series) -> float:
    """The sum of the values that are known."""
    return float(values.sum() or 0.0)


def _times(steps: pl.DataFrame, logs: int) -> Iterator[Answer]:
    both = steps.filter(
        pl.col("real_time_s").is_not_null(),
        pl.col("cpu_s").is_not_null(),
        pl.col("cas_requests").is_null(),
    )
    shares: dict[str, dict[str, float]] = {
        "real_time_s": {},
        "cpu_s": _share(_sum(both["cpu_s"]), both),
    }
    for metric, share in shares.items():
        known = steps[metric].count()
        if not known:
            yield TIME.answer(metric, ALL, None, _no_time(steps))
            continue
        counts = {"steps": steps.height, "logs": logs, "unknown": steps.height - known}
        yield _known(TIME, metric, _sum(steps[metric]), {**counts, **share}, n=known)


def _share(seconds: float, steps: pl.DataFrame) -> dict[str, float]:
    """A share of the elapsed time of all steps; none where these took none."""
    total = _sum(steps["real_time_s"])
    return {"share": seconds / total} if total else {}


def _outside(logs: pl.DataFrame) -> Iterator[Answer]:
    """Sessions whose total is larger than their steps, and those whose is smaller; else that."""
    totals = _sum(logs["totals"])
    if not totals:
        why = "no session prints its total and the times of all its steps"
        yield OUTSIDE.answer("outside_s", ALL, None, why)
        return
    where = {
        "sessions": totals,
        "total": _sum(logs["total_s"]),
        "overlapping": _sum(logs["overlapping"]),
    }
    found = {metric: _sum(logs[metric]) for metric in ("outside_s", "overlap_s")}
    for metric, value in ({k: v for k, v in found.items() if v} or {"agree_s": 0.0}).items():
        answer = _known(OUTSIDE, metric, value, where)
        overlap = (caution("steps_overlap", of=ALL.label),) if metric == "overlap_s" else ()
        yield replace(answer, cautions=overlap)


def _longest(steps: pl.DataFrame, logs: Sequence[str]) -> Iterator[Answer]:
    """The longest step, and the kind of step that took most time in all."""
    known = steps.filter(pl.col("real_time_s").is_not_null())
    if known.is_empty():
        yield LONGEST.answer("real_time_s", ALL, None, _no_time(steps))
        yield MOST_TIME.answer("real_time_s", ALL, None, _no_time(steps))
        return
    order = known.sort("real_time_s", "file", "line", descending=[True, False, False])
    row = order.row(0, named=True)
    log = dict(zip(logs, short_names(logs), strict=True))[row["file"]]
    step = "a DATA step" if row["kind"] == "DATA" else f"PROC {row['name']}"
    place = Subject(f"{step} at line {row['line']} of {log}", (("log", row["file"]),))
    seconds = row["real_time_s"]
    untimed = {"untimed": steps.height - known.height, "steps": steps.height}
    yield _known(
        LONGEST, "real_time_s", seconds, {**_share(seconds, known), **untimed}, subject=place
    )
    kinds = known.group_by("kind", "name").agg(pl.col("real_time_s").sum(), pl.len().alias("n"))
    most = kinds.sort("real_time_s", "name", descending=[True, False]).row(0, named=True)
    kind = Subject("DATA steps" if most["kind"] == "DATA" else f"PROC {most['name']}")
    share = {**_share(most["real_time_s"], known), **untimed}
    yield _known(MOST_TIME, "real_time_s", most["real_time_s"], share, subject=kind, n=most["n"])


def _messages(messages: pl.DataFrame, logs: int) -> Iterator[Answer]:
    for level in ("ERROR", "WARNING"):
        own = messages.filter(level=level)
        holding = own["file"].n_unique()
        yield _known(MESSAGES, level, float(own.height), {"holding": holding, "logs": logs})


def _rows_written(datasets: pl.DataFrame) -> Answer:
    notes = datasets.filter(pl.col("role").is_in(WRITTEN), pl.col("name").is_not_null())
    known = notes["observations"].count()
    if not known:
        why = "no note says how many observations were written"
        return ROWS_WRITTEN.answer("observations", ALL, None, why)
    return _known(
        ROWS_WRITTEN,
        "observations",
        _sum(notes["observations"]),
        {
            "notes": notes.height,
            "names": notes["name"].n_unique(),
            "unknown": notes.height - known,
        },
        n=known,
    )


@step(version=1, name="sas.same_steps_answers")
def same_steps_answers(pairs: Measured) -> pl.DataFrame:
    """How long the same steps took in each set of logs, beside the base: one answer a set.

    Steps whose elapsed time is unknown in either set are in neither sum, and counted.

    Args:
        pairs: Of ``sas.same_steps``.

    Returns:
        ``answers.ANSWERS``: question sas_same_steps_change.
    """
    require_columns(pairs.frame, ("system", "base", "log", "difference_s"), "pairs")
    found = rows_by(pairs.frame.rows(named=True), lambda row: (row["system"], row["base"]))
    return claims.to_frame(_change(*sets, rows) for sets, rows in found.items())


def _change(system: str, base: str, rows: Sequence[Row]) -> Answer:
    known = [row for row in rows if row["difference_s"] is not None]
    mine, other = (
        math.fsum(row[name] for row in known) for name in ("real_time_s", "base_real_time_s")
    )
    measured = mine > 0 and other > 0
    why = "no step's time is known in both, or it is too short to print"
    sides = tuple(
        SAME_STEPS.answer("real_time_s", _set(label), seconds if measured else None, why, n=1)
        for label, seconds in ((system, mine), (base, other))
    )
    counts = {"steps": len(known), "logs": len({row["log"] for row in known})}
    return SAME_STEPS_CHANGE.answer(
        "real_time_s",
        _set(system),
        mine / other if measured else None,
        why,
        n=1,
        conditions=_where({**counts, "unknown": len(rows) - len(known)}),
        against=_set(base),
        sides=sides,
        cautions=tuple(caution("one_repeat", of=of, counted="systems") for of in (system, base))
        if measured
        else (),
    )


def _set(label: str) -> Subject:
    return Subject(label, (("logs", label),))
