"""The runs of one summary of GenIO: the write cycles and latencies of each, at its target."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from perfkit.analysis.pieces.told import Told, to_frame
from perfkit.analysis.verdicts.criteria import JUDGED_AS, VALUE_OF_RUN
from perfkit.core.answers import Subject, where_conditions
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.schema import Row

_KEYS = ("system", "config", "workload", "host")


def answers(reading: Reading) -> Measured:
    """What each run answers, by its server and the rate that it was offered.

    Returns ``TOLD``: question value_of_run, of each metric of runs that has a value.

    Raises AbsentError where there are no runs.
    """
    if not len(reading.get("genio_runs", ())):
        raise AbsentError("there are no runs of GenIO")
    return _answers(reading["genio_runs"])


@step(version=1, name="piece.genio")
def _answers(runs: Measured) -> pl.DataFrame:
    return to_frame(one for row in runs.frame.rows(named=True) for one in _of_run(row))


def _of_run(row: Row) -> Iterator[Told]:
    key = tuple((name, row[name]) for name in _KEYS if row[name] is not None)
    conditions = {**dict(key), "test": row["test"], "target_iops": row["target_iops"]}
    subject = Subject(row["host"] or row["system"] or "the server", key)
    where = where_conditions(("run", row["run"], "1"), ("target_iops", row["target_iops"], "1/s"))
    for metric, judged in JUDGED_AS.items():
        if judged.of == "runs" and row[metric] is not None:
            answer = VALUE_OF_RUN.answer(metric, subject, row[metric], n=1, conditions=where)
            yield Told(answer, conditions, time=row["started_at"])
