"""Logs of the same work side by side: the same steps in the same order, each with its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.sas.logs import work_name
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, step

if TYPE_CHECKING:
    from perfkit.core.schema import Row

PAIRS = {
    "system": pl.String,
    "base": pl.String,
    "log": pl.String,
    "base_log": pl.String,
    "step": pl.Int64,
    "kind": pl.String,
    "name": pl.String,
    "line": pl.Int64,
    "base_line": pl.Int64,
    "real_time_s": pl.Float64,
    "base_real_time_s": pl.Float64,
    "difference_s": pl.Float64,
    "cpu_s": pl.Float64,
    "base_cpu_s": pl.Float64,
}
"""One row a step that both sets have."""


@dataclass(frozen=True, slots=True)
class _Log:
    """A log as work: its name without a date, and its steps in order."""

    name: str
    steps: tuple[Row, ...]

    @property
    def work(self) -> tuple[str, tuple[str, ...]]:
        return self.name, tuple(row["name"] for row in self.steps)


@step(version=1, name="sas.same_steps")
def same_steps(steps: Measured, logs: Measured, *, base: str | None = None) -> pl.DataFrame:
    """The steps that a set of logs has in common with another one, step by step.

    Two logs are of the same work if their names are alike but for a date and a time of day, and
    their steps have the same names in the same order. Several logs of one work in a set are taken
    in order; where the sets have different numbers of them, none is: which belongs to which is not
    known.

    Args:
        steps: Of ``read_sas``.
        logs: Of ``sas.logs``.
        base: The set that the others stand beside; default: the first by name.

    Returns:
        ``system``, ``base``, ``log``, ``base_log``, ``step`` (counted over the log), ``kind``,
        ``name``, ``line``, ``base_line``, the times of both, and ``difference_s``, null where
        either time is unknown.

    Raises:
        AbsentError: One set alone, or no log of the same work in two.
        AnalysisError: A base that is not a set.
    """
    require_columns(steps.frame, ("file", "kind", "name", "line", "real_time_s"), "steps")
    require_columns(logs.frame, ("log", "system"), "logs")
    systems = sorted(logs.frame["system"].unique().to_list())
    if len(systems) == 1:
        raise AbsentError("all logs are of one folder or day: name two to see them side by side")
    first = base or systems[0]
    if first not in systems:
        raise AnalysisError(f"no set of logs {first!r}; {did_you_mean(first, systems)}")
    works = {system: _works(steps.frame, logs.frame, system) for system in systems}
    rows = [
        {"system": system, "base": first, **_pair(number, own, other)}
        for system in systems
        if system != first
        for work, found in works[system].items()
        if len(found) == len(works[first].get(work, ()))
        for one, two in zip(found, works[first][work], strict=True)
        for number, (own, other) in enumerate(zip(one.steps, two.steps, strict=True), 1)
    ]
    if not rows:
        raise AbsentError(f"no log has the same name and the same steps as one of {first}")
    return pl.DataFrame(rows, schema=PAIRS)


def _works(
    steps: pl.DataFrame, logs: pl.DataFrame, system: str
) -> dict[tuple[str, tuple[str, ...]], list[_Log]]:
    own = logs.filter(system=system)["log"].to_list()
    rows = rows_by(
        steps.filter(pl.col("file").is_in(own)).rows(named=True), lambda row: str(row["file"])
    )
    found = [_Log(work_name(file), tuple(of_log)) for file, of_log in sorted(rows.items())]
    return rows_by(found, lambda log: log.work)


def _pair(number: int, own: Row, other: Row) -> Row:
    one, two = own["real_time_s"], other["real_time_s"]
    return {
        "log": own["file"],
        "base_log": other["file"],
        "step": number,
        "kind": own["kind"],
        "name": own["name"],
        "line": own["line"],
        "base_line": other["line"],
        "real_time_s": one,
        "base_real_time_s": two,
        "difference_s": None if one is None or two is None else one - two,
        "cpu_s": own["cpu_s"],
        "base_cpu_s": other["cpu_s"],
    }


@step(version=1, name="sas.step_changes")
def step_changes(pairs: Measured, *, count: int = 10) -> pl.DataFrame:
    """The steps whose elapsed times differ most between two sets, the largest difference first.

    Args:
        pairs: Of ``sas.same_steps``.
        count: How many.

    Raises:
        AbsentError: No step's elapsed time is known in both sets.
    """
    require_columns(pairs.frame, tuple(PAIRS), "pairs")
    known = pairs.frame.filter(pl.col("difference_s").is_not_null())
    if known.is_empty():
        raise AbsentError("no step's elapsed time is known in both sets")
    order: Sequence[pl.Expr] = (pl.col("difference_s").abs(), pl.col("log"), pl.col("step"))
    return known.sort(*order, descending=[True, False, False]).head(count)
