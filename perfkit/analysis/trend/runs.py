"""Histories: the same answer over many runs, each run at its time, of runs that may be joined."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import polars as pl

from perfkit.analysis.curves.metrics import METRICS, exact_printed, load_text
from perfkit.analysis.pieces.told import UNTIL
from perfkit.analysis.trend.recorded import in_words, moved
from perfkit.core.errors import AbsentError, AnalysisError, UsageError, check_name
from perfkit.core.files import Json
from perfkit.core.keys import distinct, rows_by
from perfkit.core.lineage import Measured, measured, step
from perfkit.core.schema import ColumnTypes, Row

RUNS: ColumnTypes = {
    "history": pl.String, "question": pl.String, "metric": pl.String, "unit": pl.String,
    "run": pl.String, "piece": pl.String, "time": pl.Datetime("us"), "value": pl.Float64,
    "relation": pl.String, "baseline": pl.Boolean, "left_out": pl.String, "line": pl.Int64,
    "conditions_key": pl.String, "facts": pl.String, "cautions": pl.String,
}  # fmt: skip
"""The columns of runs. ``line`` numbers what differs in its conditions alone; ``left_out`` says why
a run is in no history, which is then null."""

LEFT_OUT = {
    "no time": "the evidence does not say when it was measured",
    "no value": "it has no value",
    "not above 0": "a value that is not above zero has no ratio",
    "twice": "its evidence gives the same answer twice",
    "overlap": "its time overlaps that of a run that counts",
}
"""Why an answer is in no history."""

NAMED = ("system", "config", "workload", "host")
"""Labels of what was measured: other labels are facts that were recorded of it."""

OF_WHAT = ("database", "instance", "scope", "period", "log", "test")
"""Conditions that say what an answer is of, not how it was measured: others begin no new line."""

BASELINE = "baseline"
"""The label of runs that later ones are held against, whatever its value."""

OF_SLOTS = ("entry", "slot", "report")
"""Labels that a schedule gives: they say which of its reports it is, and explain nothing."""

_NEEDED = (
    "question", "metric", "unit", "value", "key", "conditions", "conditions_key", "facts", "time",
    "piece", "name", "part", "against", "relation", "cautions", "subject",
)  # fmt: skip


def histories(
    answers: Measured | pl.DataFrame | pl.LazyFrame,
    question: str | None = None,
    *,
    since: str | date | None = None,
    baseline: str | None = None,
) -> Measured:
    """The runs of each history, in the order of their times.

    A history is of one question and metric, one subject, one load or other value asked at, and of
    one set of conditions: runs under other conditions are never joined.

    Args:
        answers: Those of a store: ``pk.store("data/store").answers()``.
        question: One question alone; None: all.
        since: Runs before this day or time ("2026-09-01"), or further back than so many days
            before the last run ("90d"), are left aside, those of the baseline excepted.
        baseline: What later runs are held against: a label ("firmware=9.15.1"), a day or two
            ("2026-09-01..2026-09-14"); None: runs with the label "baseline".

    Returns:
        ``RUNS``.

    Raises:
        AnalysisError: Answers of another form, or values of one history in several units.
        UsageError: An unknown question, or ``since`` or ``baseline`` of another form.
        AbsentError: There is no answer.
    """
    if isinstance(answers, pl.LazyFrame):
        wanted = answers if question is None else answers.filter(pl.col("question") == question)
        found = wanted.collect()
        if question is not None and found.is_empty():
            found = answers.collect()
        answers = found
    given = since.isoformat() if isinstance(since, date) else since
    return _histories(
        measured(answers, "answers"), question=question, since=given, baseline=baseline
    )


@step(version=1, name="trend.histories")
def _histories(
    answers: Measured, *, question: str | None, since: str | None, baseline: str | None
) -> pl.DataFrame:
    rows = [_run(row, baseline) for row in _asked(answers.frame, question)]
    rows = _looked_at(rows, since)
    if baseline is not None and not any(row["baseline"] for row in rows):
        raise UsageError(f"baseline {baseline!r}: no run is of it")
    _twice(rows)
    for row in rows:
        row["left_out"] = row["left_out"] or _left_out(row)
    _overlapping(rows)
    kept = [row for row in rows if row["left_out"] is None]
    lines = rows_by(kept, lambda row: row["of"])
    for number, own in enumerate(lines.values(), 1):
        _check_units(own)
        for row in own:
            row["line"] = number
    _name(lines)
    found = pl.DataFrame([{name: row[name] for name in RUNS} for row in rows], schema=RUNS)
    return found.sort("line", "time", "run", nulls_last=True, maintain_order=True)


def _asked(frame: pl.DataFrame, question: str | None) -> list[Row]:
    """The claims of a question that are not changes."""
    lacking = [name for name in _NEEDED if name not in frame.columns]
    if lacking:
        raise AnalysisError(f"these are not answers of a store: there is no column {lacking[0]!r}")
    claims = frame.filter(pl.col("part") == "claim", pl.col("against").is_null())
    if claims.is_empty():
        raise AbsentError("the store has no answers")
    if question is not None:
        known = sorted(claims["question"].unique())
        check_name("answer to", question, known, UsageError)
        claims = claims.filter(pl.col("question") == question)
    return claims.rows(named=True)


def _run(row: Row, baseline: str | None) -> Row:
    """One answer as a run of a history that has no name yet."""
    labels = {
        name.removeprefix("label_"): value
        for name, value in row.items()
        if name.startswith("label_") and value is not None
    }
    recorded = _object(row["facts"])
    until = recorded.pop(UNTIL, None)
    facts = recorded | {
        name: value for name, value in labels.items() if name not in {*NAMED, BASELINE, *OF_SLOTS}
    }
    asked = [
        item for item in json.loads(row["conditions"] or "[]") if item["role"] in {"at", "limit"}
    ]
    conditions = _object(row["conditions_key"])
    of = {name: conditions[name] for name in OF_WHAT if name in conditions}
    key = [pair for pair in json.loads(row["key"])[0] or () if pair[0] not in of]
    own = [(name, labels[name]) for name in NAMED if name in labels]
    # a day's report of a database is not a run of the history of half hours
    period = [("period", of["period"])] if of.get("period") else []
    return {
        "question": row["question"],
        "metric": row["metric"],
        "unit": row["unit"],
        "run": row["name"] or row["piece"],
        "piece": row["piece"],
        "time": row["time"],
        "until": until and datetime.fromisoformat(until),
        "value": row["value"],
        "relation": row["relation"],
        "left_out": None,
        "line": None,
        "history": None,
        "conditions_key": row["conditions_key"] or "{}",
        "facts": json.dumps(facts, sort_keys=True),
        "cautions": row["cautions"],
        "baseline": _is_baseline(labels, row["time"], baseline),
        "of": json.dumps([row["question"], row["metric"], key or row["subject"], of, own, asked]),
        "name": _name_of(row, [*own, *period], asked),
    }


def _object(text: str | None) -> Json:
    found: Json = json.loads(text or "{}")
    return found


def _left_out(row: Row) -> str | None:
    if row["time"] is None:
        return "no time"
    if row["value"] is None:
        return "no value"
    return None if row["value"] > 0 else "not above 0"


def _twice(rows: Sequence[Row]) -> None:
    """A piece that gives one answer twice gives none: nothing tells which of them counts."""
    for own in rows_by(rows, lambda row: (row["piece"], row["of"], row["conditions_key"])).values():
        if len(own) > 1:
            for row in own:
                row["left_out"] = "twice"


def _overlapping(rows: Sequence[Row]) -> None:
    """Of runs that were measured at the same time the first counts: the others repeat it."""
    spans = [row for row in rows if row["left_out"] is None and row["until"] is not None]
    for own in rows_by(spans, lambda row: (row["of"], row["conditions_key"])).values():
        end: datetime | None = None
        for row in sorted(own, key=lambda row: (row["time"], row["until"], row["run"])):
            if end is not None and row["time"] < end:
                row["left_out"] = "overlap"
            else:
                end = row["until"]


def _check_units(rows: Sequence[Row]) -> None:
    """AnalysisError where the values of a line are in several units."""
    units = {row["unit"]: row for row in rows}
    if len(units) > 1:
        (one, first), (other, second) = list(units.items())[:2]
        raise AnalysisError(
            f"{rows[0]['name']}: {first['run']} is in {one} and {second['run']} in {other}"
        )


# --- names ------------------------------------------------------------------------------------


def _name_of(row: Row, labels: Sequence[tuple[str, str]], asked: Sequence[Row]) -> str:
    """What an answer is of: "IOPS at load (iodepth 8) of oltp, a400"."""
    what = row["question"].replace("_", " ").removeprefix("report value").strip()
    metric = METRICS.get(row["metric"])
    if metric is not None and metric.phrase().split()[-1].lower() not in what.lower():
        what = f"{what}, {metric.phrase()}".removeprefix(", ")
    elif metric is not None and metric.quantity == "time":
        what = what.replace("latency", metric.phrase())
    at = [_at(item) for item in asked]
    of = [row["subject"], *(value for _, value in labels if value != row["subject"])]
    own = row["metric"].removesuffix("_s").replace("_", " ")
    if metric is None and own not in what:
        what = ", ".join(filter(None, (what, own)))
    what = re.sub(r"\b(iops|cpu|sql|sas|db)\b", lambda m: m[0].upper(), what)
    asked_at = f" ({', '.join(at)})" if at else ""
    name = f"{what}{asked_at} of {', '.join(of)}"
    return f"{name[:1].upper()}{name[1:]}"


def _at(condition: Mapping[str, Any]) -> str:
    metric, value = condition["metric"], condition["value"]
    return exact_printed(metric, value).text if metric in METRICS else load_text(metric, value)


def _name(lines: Mapping[str, Sequence[Row]]) -> None:
    """Give each history its name: with the conditions that tell it from others of its line."""
    names = distinct([rows[0]["name"] for rows in lines.values()])
    for name, rows in zip(names, lines.values(), strict=True):
        keys = list(dict.fromkeys(row["conditions_key"] for row in rows))
        conditions = [_object(key) for key in keys]
        known = dict.fromkeys(each for one in conditions for each in one)
        differing = [
            each for each in known if len({json.dumps(one.get(each)) for one in conditions}) > 1
        ]
        told = [
            ", ".join(in_words(each, one.get(each)) for each in differing) for one in conditions
        ]
        own = distinct([f"{name} ({words})" if words else name for words in told])
        for row in rows:
            row["history"] = own[keys.index(row["conditions_key"])]


# --- since and baseline -----------------------------------------------------------------------

_DAYS = re.compile(r"(\d+)d")


def _looked_at(rows: list[Row], since: str | None) -> list[Row]:
    """The runs since a time, and those of the baseline; what has no time stays."""
    times = [row["time"] for row in rows if row["time"] is not None]
    if since is None or not times:
        return rows
    days = _DAYS.fullmatch(since)
    begin = max(times) - timedelta(days=int(days[1])) if days else _moment("since", since)
    return [row for row in rows if row["baseline"] or row["time"] is None or row["time"] >= begin]


def _moment(what: str, text: str) -> datetime:
    """A day or a time; UsageError for anything else."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise UsageError(f"{what} {text!r}: write a day as 2026-09-01") from None


def _is_baseline(labels: Mapping[str, str], at: datetime | None, baseline: str | None) -> bool:
    if baseline is None:
        return BASELINE in labels
    name, equals, value = baseline.partition("=")
    if equals:
        return labels.get(name) == value
    first, dots, last = baseline.partition("..")
    begin, end = (_moment(BASELINE, day) for day in (first, last if dots else first))
    if end.time() == time.min:
        end += timedelta(days=1)
    return at is not None and begin <= at < end


# --- conditions -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Break:
    """Where the conditions of a line change: the runs before and after it, and what changed."""

    before: Row
    after: Row
    what: str


def breaks(runs: Iterable[Row]) -> list[Break]:
    """Where the conditions change from one run of a line to the next.

    Two conditions of which each was measured between runs of the other stand side by side: they
    are two histories and no break.
    """
    found = []
    for own in rows_by(runs, lambda row: row["line"]).values():
        ordered = sorted(own, key=lambda row: (row["time"], row["run"]))
        times: dict[str, list[datetime]] = {}
        for row in ordered:
            times.setdefault(row["conditions_key"], []).append(row["time"])
        for before, after in pairwise(ordered):
            one, other = (times[row["conditions_key"]] for row in (before, after))
            if one is not other and not (_within(one, other) and _within(other, one)):
                keys = (_object(row["conditions_key"]) for row in (before, after))
                found.append(Break(before, after, "; ".join(moved(*keys))))
    return found


def _within(one: Sequence[datetime], other: Sequence[datetime]) -> bool:
    return any(other[0] < at < other[-1] for at in one)
