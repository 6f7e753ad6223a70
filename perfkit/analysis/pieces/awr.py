"""One AWR or Statspack report: its load, I/O, and the waits of single block reads and commits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from perfkit.analysis.awr.report_rows import ReportRows, events_of, few, mean_of
from perfkit.analysis.compare.report_changes import SESSIONS_METRIC, VALUE
from perfkit.analysis.curves.series import cautions_of
from perfkit.analysis.pieces.told import UNTIL, Told, to_frame
from perfkit.core.answers import Answer, Subject
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.stats import ratio_of

_TABLES = ("load_points", "wait_events", "parameters")

EVENTS = (
    ("foreground", "db file sequential read"),
    ("foreground", "cell single block physical read"),
    ("foreground", "log file sync"),
    ("background", "log file parallel write"),
)
"""The waits that tell of storage over the years: single block reads, commits, the log's writes."""

CONDITIONS = {"database": "db_name", "instance": "instance_name", "scope": "scope"}
"""What two reports must agree in, with the column of ``report`` that has it."""

_PERIOD_MIN = 15.0
"""A period in use; the others are about twice, four times ... as long."""


def period_of(elapsed_s: float | None) -> str | None:
    """Between what the period of a report lies, in words; None where it does not say.

    A report of a day among those of half hours is not a run of their history: its means are of all
    of them. Periods are told apart by a factor of two, with the edges away from those in use.
    """
    if not elapsed_s or elapsed_s < 0:
        return None
    middle = _PERIOD_MIN * 2 ** round(math.log2(elapsed_s / 60 / _PERIOD_MIN))
    least, most = (middle * 2**half for half in (-0.5, 0.5))
    return f"reports of {least:,.0f} to {most:,.0f} min"


FACTS = (
    "release", "edition", "role", "rac", "host", "platform", "cpus", "cores", "sockets",
    "memory_bytes", "block_size_bytes", "instances_in_report",
)  # fmt: skip
"""The columns of ``report`` that may explain a change."""


def answers(reading: Reading) -> Measured:
    """What one report answers, of its database.

    Returns ``TOLD``: question report_value, of DB time per second, I/O requests and bytes per
    second, and the mean wait of each event of ``EVENTS`` that the report lists.

    Raises AbsentError for a reading that is not of one report.
    """
    report = reading.get("report")
    if report is None or len(report) != 1:
        raise AbsentError("it is not one report")
    return _answers(report, [reading.get(name) for name in _TABLES])


@step(version=3, name="piece.awr")
def _answers(report: Measured, tables: Sequence[Measured | None]) -> pl.DataFrame:
    (head,) = report.frame.rows(named=True)
    own = {
        name: [] if table is None else table.frame.rows(named=True)
        for name, table in zip(_TABLES, tables, strict=True)
    }
    one = ReportRows(str(head["db_name"]), head, own)
    conditions = {
        **{name: head[column] for name, column in CONDITIONS.items()},
        "period": period_of(head["elapsed_s"]),
    }
    facts: dict[str, Any] = {name: head[name] for name in FACTS}
    facts[UNTIL] = head["end_time"]
    for row in own["parameters"]:
        facts[f"parameter.{row['parameter']}"] = row["end_value"] or row["value"]
    return to_frame(Told(answer, conditions, facts) for answer in _asked(one))


def _asked(one: ReportRows) -> Iterator[Answer]:
    of_period = cautions_of(one.tables["load_points"])
    whole = Subject(one.name)
    yield VALUE.answer(
        SESSIONS_METRIC,
        whole,
        ratio_of(one.head["db_time_s"], one.head["elapsed_s"]),
        "the report states no DB time, or no elapsed time",
        unit="1",
        cautions=of_period,
    )
    total = next((row for row in one.tables["load_points"] if row["direction"] == "total"), {})
    for metric, unit in (("iops", "1/s"), ("bw_bytes_per_s", "B/s")):
        why = "the report does not give it"
        yield VALUE.answer(metric, whole, total.get(metric), why, unit=unit, cautions=of_period)
    for scope, event in EVENTS:
        row = events_of(one, scope).get(event)
        if row is not None:
            subject = Subject(f"{one.name}, {event}", (("event", event),))
            yield VALUE.answer(
                "lat_mean_s",
                subject,
                mean_of(row),
                "the mean wait is printed too coarsely",
                unit="s",
                cautions=tuple(few(event, row)),
            )
