"""What SAS logs without a job table say, as answers: where the time went, errors, data written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import Row, require_columns
from perfkit.analysis.sas.contents import WRITTEN
from perfkit.core import answers as claims
from perfkit.core.answers import (
    Answer,
    Condition,
    Estimate,
    Question,
    Relation,
    Status,
    Subject,
    register,
)
from perfkit.core.cautions import caution
from perfkit.core.keys import rows_by, short_names
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KNOWN: frozenset[tuple[Status, Relation]] = frozenset({
    ("measured", "="), ("measured", ">="), ("missing", "="),
})  # fmt: skip

TIME = register(Question(
    "sas_time_in_steps", "s", "elapsed time and CPU time of all steps, each summed; at least, "
    "where a step's is unknown", "a sum", "none", gives=_KNOWN,
))  # fmt: skip
OUTSIDE = register(Question(
    "sas_time_outside", "s", "totals of sessions less the sum of their steps, larger and smaller "
    "ones apart", "a sum over sessions", "none",
    gives=frozenset({("measured", "="), ("missing", "=")}),
))  # fmt: skip
LONGEST = register(Question(
    "sas_longest_step", "s", "the longest elapsed time of a step", "the largest", "none",
    gives=frozenset({("measured", "="), ("missing", "=")}),
))  # fmt: skip
MOST_TIME = register(Question(
    "sas_most_time", "s", "the kind of step with the longest elapsed time in all", "a sum", "none",
    gives=frozenset({("measured", "="), ("missing", "=")}),
))  # fmt: skip
MESSAGES = register(Question(
    "sas_messages", "1", "ERROR and WARNING messages", "a count", "none",
    gives=frozenset({("measured", "=")}),
))  # fmt: skip
ROWS_WRITTEN = register(Question(
    "sas_rows_written", "1", "observations that notes say were written; at least, where a note "
    "has no number", "a sum", "none", gives=_KNOWN,
))  # fmt: skip
SAME_STEPS = register(Question(
    "sas_same_steps", "s", "elapsed time of the steps that two sets of logs have in common",
    "a sum", "none: that of the change counts", more_is_better=False,
))  # fmt: skip
SAME_STEPS_CHANGE = register(Question(
    "sas_same_steps_change", "ratio", "elapsed time of the steps that two sets of logs have in "
    "common: subject / against", "ratio of sums", "none: each step was taken once",
    more_is_better=False,
))  # fmt: skip

_ALL = Subject("the logs")
_NO_BLOCK = "no step has a timing block, which STIMER and NOTES print"
_NO_TIME = "no timing block holds it"


@step(version=1, name="sas.log_answers")
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
    return claims.to_frame([
        *_times(steps.frame, logs.frame.height), *_outside(logs.frame),
        _longest(steps.frame, logs.frame["log"].to_list()), _most_time(steps.frame),
        *_messages(messages.frame, logs.frame.height), _rows_written(datasets.frame),
    ])  # fmt: skip


def _step_name(kind: str, name: str) -> str:
    return "a DATA step" if kind == "DATA" else f"PROC {name}"


def _steps_name(kind: str, name: str) -> str:
    return "DATA steps" if kind == "DATA" else f"PROC {name}"


def _where(**values: float) -> tuple[Condition, ...]:
    return tuple(Condition(name, float(value), "1", "where") for name, value in values.items())


def _why(steps: pl.DataFrame) -> str:
    """Why no step's time is known."""
    return _NO_BLOCK if steps.is_empty() else _NO_TIME


def _sum(values: pl.Series) -> float:
    """The sum of the values that are known."""
    return float(values.sum() or 0.0)


def _times(steps: pl.DataFrame, logs: int) -> Iterator[Answer]:
    both = steps.filter(
        pl.col("real_time_s").is_not_null(), pl.col("cpu_s").is_not_null(),
        pl.col("cas_requests").is_null(),
    )  # fmt: skip
    real = _sum(both["real_time_s"])
    for metric in ("real_time_s", "cpu_s"):
        known = steps[metric].count()
        if not known:
            yield Answer(TIME.name, metric, _ALL, "missing", reason=_why(steps))
            continue
        where = _where(steps=steps.height, logs=logs, unknown=steps.height - known)
        if metric == "cpu_s" and real:
            where += _where(share=_sum(both["cpu_s"]) / real)
        yield Answer(
            TIME.name, metric, _ALL, "measured", Estimate(_sum(steps[metric]), "s", n=known),
            relation="=" if known == steps.height else ">=", conditions=where,
        )  # fmt: skip


def _outside(logs: pl.DataFrame) -> Iterator[Answer]:
    """Sessions whose total is larger than their steps, and those whose is smaller; else that."""
    totals, overlapping = _sum(logs["totals"]), _sum(logs["overlapping"])
    if not totals:
        why = "no session prints its total and the times of all its steps"
        yield Answer(OUTSIDE.name, "outside_s", _ALL, "missing", reason=why)
        return
    where = _where(sessions=totals, total=_sum(logs["total_s"]), overlapping=overlapping)
    outside, overlap = _sum(logs["outside_s"]), _sum(logs["overlap_s"])
    found = {"outside_s": outside, "overlap_s": overlap}
    for metric, value in ({k: v for k, v in found.items() if v} or {"agree_s": 0.0}).items():
        yield Answer(
            OUTSIDE.name, metric, _ALL, "measured", Estimate(value, "s"), conditions=where,
            cautions=(caution("steps_overlap", of=_ALL.label),) if metric == "overlap_s" else (),
        )  # fmt: skip


def _longest(steps: pl.DataFrame, logs: Sequence[str]) -> Answer:
    known = steps.filter(pl.col("real_time_s").is_not_null())
    if known.is_empty():
        return Answer(LONGEST.name, "real_time_s", _ALL, "missing", reason=_why(steps))
    row = known.sort("real_time_s", "file", "line", descending=[True, False, False]).row(
        0, named=True
    )
    log = dict(zip(logs, short_names(logs), strict=True))[row["file"]]
    label = f"{_step_name(row['kind'], row['name'])} at line {row['line']} of {log}"
    return Answer(
        LONGEST.name, "real_time_s", Subject(label, (("log", row["file"]),)), "measured",
        Estimate(row["real_time_s"], "s"), conditions=_share(row["real_time_s"], known),
    )  # fmt: skip


def _share(seconds: float, known: pl.DataFrame) -> tuple[Condition, ...]:
    total = _sum(known["real_time_s"])
    return _where(share=seconds / total) if total else ()


def _most_time(steps: pl.DataFrame) -> Answer:
    known = steps.filter(pl.col("real_time_s").is_not_null())
    if known.is_empty():
        return Answer(MOST_TIME.name, "real_time_s", _ALL, "missing", reason=_why(steps))
    kinds = known.group_by("kind", "name").agg(pl.col("real_time_s").sum(), pl.len().alias("n"))
    first = kinds.sort("real_time_s", "name", descending=[True, False]).row(0, named=True)
    return Answer(
        MOST_TIME.name, "real_time_s", Subject(_steps_name(first["kind"], first["name"])),
        "measured", Estimate(first["real_time_s"], "s", n=first["n"]),
        conditions=_share(first["real_time_s"], known),
    )  # fmt: skip


def _messages(messages: pl.DataFrame, logs: int) -> Iterator[Answer]:
    for level in ("ERROR", "WARNING"):
        own = messages.filter(level=level)
        yield Answer(
            MESSAGES.name, level, _ALL, "measured", Estimate(float(own.height), "1"),
            conditions=_where(holding=own["file"].n_unique(), logs=logs),
        )  # fmt: skip


def _rows_written(datasets: pl.DataFrame) -> Answer:
    notes = datasets.filter(pl.col("role").is_in(WRITTEN), pl.col("name").is_not_null())
    known = notes["observations"].count()
    if not known:
        why = "no note says how many observations were written"
        return Answer(ROWS_WRITTEN.name, "observations", _ALL, "missing", reason=why)
    return Answer(
        ROWS_WRITTEN.name, "observations", _ALL, "measured",
        Estimate(_sum(notes["observations"]), "1", n=known),
        relation="=" if known == notes.height else ">=",
        conditions=_where(notes=notes.height, names=notes["name"].n_unique(),
                          unknown=notes.height - known),
    )  # fmt: skip


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
    where = _where(steps=len(known), logs=len({row["log"] for row in known}),
                   unknown=len(rows) - len(known))  # fmt: skip
    sums = [sum(row[name] for row in known) for name in ("real_time_s", "base_real_time_s")]
    sides = tuple(
        Answer(SAME_STEPS.name, "real_time_s", _set(label), "measured" if known else "missing",
               Estimate(seconds, "s", n=1) if known else None,
               reason=None if known else "no step's time is known in both")
        for label, seconds in zip((system, base), sums, strict=True)
    )  # fmt: skip
    measured = bool(known) and all(sums)
    return Answer(
        SAME_STEPS_CHANGE.name, "real_time_s", _set(system), "measured" if measured else "missing",
        Estimate(sums[0] / sums[1], "ratio", n=1) if measured else None, conditions=where,
        against=_set(base), sides=sides,
        reason=None if measured else "their times are unknown, or too short to print",
        cautions=tuple(caution("one_repeat", of=of) for of in (system, base)) if measured else (),
    )  # fmt: skip


def _set(label: str) -> Subject:
    return Subject(label, (("logs", label),))
