"""One SAS log: the time of its steps, its longest step, its messages, and what it wrote."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from perfkit.analysis.pieces.told import Told, to_frame
from perfkit.analysis.sas.log_answers import ALL, log_answers
from perfkit.analysis.sas.logs import began, logs, work_name
from perfkit.core.answers import Subject, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, Reading, step

FACTS = ("product", "release", "maintenance", "platform", "host", "site")
"""The columns of ``sessions`` that may explain a change."""


def answers(reading: Reading) -> Measured:
    """What one log answers (``log_answers``), under its name without a date.

    Returns ``TOLD``. Raises AbsentError where there is no log.
    """
    if not len(reading.get("sessions", ())):
        raise AbsentError("it is not a SAS log")
    of_log = logs(reading["steps"], reading["sessions"], reading["messages"], by="all")
    told = log_answers(reading["steps"], of_log, reading["messages"], reading["datasets"])
    return _answers(told, reading["sessions"], reading["steps"])


@step(version=1, name="piece.sas")
def _answers(told: Measured, sessions: Measured, steps: Measured) -> pl.DataFrame:
    files = sorted(set(sessions.frame["file"]))
    name = ", ".join(dict.fromkeys(map(work_name, files)))
    time = began(files[0], steps.frame, sessions.frame)
    facts = {
        fact: ", ".join(map(str, sessions.frame[fact].drop_nulls().unique().sort())) or None
        for fact in FACTS
    }
    return to_frame(
        Told(
            replace(answer, subject=Subject(name)) if answer.subject == ALL else answer,
            {"log": name},
            facts,
            time,
        )
        for answer in from_frame(told.frame)
    )
