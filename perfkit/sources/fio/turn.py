"""What a fio result says of its own run: the job in full, when it ended and how long it took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from perfkit.sources.fio.load import is_of_output
from perfkit.sources.fio.read import written
from perfkit.sources.source import Turn

if TYPE_CHECKING:
    from perfkit.core.lineage import Reading


def turn_of(path: Path, reading: Reading) -> Turn | None:
    """The run of a result; None where it does not say all of it."""
    ended = written(path)
    groups = reading["summary"].frame.group_by("groupid").agg(pl.col("runtime_s").max())
    # groups run one after the other, the jobs of a group at once
    lasted = float(groups["runtime_s"].sum())
    rows = reading["job_options"].frame.select("hostname", "job", "option", "value").rows()
    job = frozenset(row for row in rows if not is_of_output(str(row[2])))
    return Turn(job, ended, lasted) if ended and lasted and job else None
