"""SAS logs as they are, without a job table: a row a log, in sets, and the steps these share."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, check_name
from perfkit.core.keys import rows_by, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row, Schema, number, polars_schema, text, whole

By = Literal["folder", "day", "log", "all"]
ALL_LOGS, UNKNOWN_DAY = "all logs", "day not known"

RESOLUTION_S = 0.01
"""SAS prints hundredths of a second: a sum of N printed times may be off by N of these."""

LOGS: Schema = {
    "log": text("the log's path, as in the evidence"),
    "system": text("the set of logs that it is one of"),
    "repeat": whole("1: nothing says that a log is a repeat of another"),
    "test": text("the log's name, with as much of its path as tells it apart"),
    "class": text("null: only a job table gives classes"),
    "stream": whole("null: only a job table gives streams"),
    "os": text("operating system, where the log names it"),
    "sessions": whole("sessions in the log"),
    "steps": whole("steps with a timing block"),
    "untimed": whole("of these, steps whose elapsed time is unknown"),
    "real_time_s": number("elapsed time of the steps whose time is known", "s"),
    "cpu_s": number("CPU time of the steps whose CPU time is known", "s"),
    "totals": whole("sessions that print a total, and all times of their steps"),
    "total_s": number("these sessions' totals, added up", "s"),
    "outside_s": number("total less steps, of sessions whose total is larger", "s"),
    "overlap_s": number("steps less total, of sessions whose steps are longer", "s"),
    "overlapping": whole("sessions whose steps are longer than their total"),
    "errors": whole("ERROR messages"),
    "warnings": whole("WARNING messages"),
}
"""One row a log."""


@step(version=1, name="sas.logs")
def logs(
    steps: Measured, sessions: Measured, messages: Measured, *, by: By | None = None
) -> pl.DataFrame:
    """What each log says in all; ``longest_steps``, ``procedures`` and the like take it as jobs.

    A session's total and the sum of its steps differ: what is larger by more than the rounding of
    the printed times is ``outside_s`` or ``overlap_s``. The two never cancel each other out.

    Args:
        steps: Of ``read_sas``, or of a study, whose labels name the folders.
        sessions: Of the same.
        messages: Of the same.
        by: What makes a set: the folder (or what the study's labels call it); the day (by the
            times in the log, its page header, or a date in its path); each log; or "all" in one
            set. Default: the folder where there are several; else the day where logs are called
            alike but for a date; else one set.

    Returns:
        Columns as in ``LOGS``.

    Raises:
        AbsentError: No log was read.
    """
    require_columns(steps.frame, ("file", "session", "real_time_s", "cpu_s"), "steps")
    require_columns(sessions.frame, ("file", "session", "ended", "real_time_s", "os"), "sessions")
    require_columns(messages.frame, ("file", "level"), "messages")
    parts = [table.frame for table in (sessions, steps, messages)]
    files = sorted({file for part in parts for file in part["file"]})
    if not files:
        raise AbsentError("no SAS log was read")
    names = pl.DataFrame(
        {
            "file": files,
            "test": short_names(files),
            "system": _sets(files, parts, by),
        }
    )
    levels = messages.frame.group_by("file").agg(
        (pl.col("level") == "ERROR").sum().alias("errors"),
        (pl.col("level") == "WARNING").sum().alias("warnings"),
    )
    found = names
    for part in (
        steps.frame.group_by("file").agg(
            pl.len().alias("steps"),
            pl.col("real_time_s").null_count().alias("untimed"),
            *(
                pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name)
                for name in ("real_time_s", "cpu_s")
            ),
        ),
        _of_sessions(steps.frame, sessions.frame),
        levels,
    ):
        found = found.join(part, on="file", how="left", maintain_order="left")
    counts = ("sessions", "steps", "untimed", "totals", "overlapping", "errors", "warnings")
    return found.select(
        pl.col("file").alias("log"),
        "system",
        pl.lit(1).alias("repeat"),
        "test",
        pl.lit(None).alias("class"),
        pl.lit(None).alias("stream"),
        *(pl.col(name).fill_null(0) if name in counts else pl.col(name) for name in list(LOGS)[6:]),
    ).cast(pl.Schema(polars_schema(LOGS)))


def _of_sessions(steps: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    inside = steps.group_by("file", "session").agg(
        pl.col("real_time_s").sum().alias("inside_s"),
        pl.col("real_time_s").null_count().alias("unknown"),
        pl.len().alias("times"),
    )
    both = sessions.join(inside, on=("file", "session"), how="left").with_columns(
        pl.col("inside_s", "unknown", "times").fill_null(0)
    )
    known = pl.col("ended") & pl.col("real_time_s").is_not_null() & (pl.col("unknown") == 0)
    more = (pl.col("real_time_s") - pl.col("inside_s")).round(4)
    rounding = RESOLUTION_S * (pl.col("times") + 1)
    return both.group_by("file").agg(
        pl.len().alias("sessions"),
        pl.col("os").drop_nulls().first(),
        known.sum().alias("totals"),
        *(
            pl.when(known.any()).then(value.filter(known & chosen).sum()).alias(name)
            for name, value, chosen in (
                ("total_s", pl.col("real_time_s"), pl.lit(value=True)),
                ("outside_s", more, more > rounding),
                ("overlap_s", -more, -more > rounding),
            )
        ),
        (known & (-more > rounding)).sum().alias("overlapping"),
    )


def _sets(files: Sequence[str], parts: Sequence[pl.DataFrame], by: By | None) -> list[str]:
    """The set of each file."""
    if by == "all":
        return [ALL_LOGS] * len(files)
    if by == "log":
        return short_names(files)
    if by == "day":
        sessions, steps, _ = parts
        times = [began(file, steps.filter(file=file), sessions.filter(file=file)) for file in files]
        return [UNKNOWN_DAY if time is None else str(time.date()) for time in times]
    labels = {}  # what a study calls the systems and configurations that the files are of
    for part in parts:
        names = [name for name in ("system", "config") if name in part.columns]
        own = part.select("file", *names).unique(maintain_order=True)
        for file, *words in own.iter_rows():
            labels[file] = ", ".join(word for word in words if word is not None)
    folders = [labels.get(file) or file.rpartition("/")[0] or "." for file in files]
    if by == "folder" or len(set(folders)) > 1:
        return folders
    alike = len({work_name(file) for file in files}) < len(files)
    return _sets(files, parts, "day" if alike else "all")


_DAY = r"(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)"
DATE_IN_NAME = re.compile(rf"(?<!\d){_DAY}")
"""A day in a log's name: 2024-01-31, 2024_01_31, 2024.01.31 or 20240131."""

_TIME = re.compile(r"[-_.T ]*(?:[01]\d|2[0-3])([-_.:]?)[0-5]\d(?:\1[0-5]\d)?(?!\d)")


def work_name(file: str) -> str:
    """A log's name without its folder, a date and the time of day behind that."""
    name = file.rpartition("/")[2]
    found = DATE_IN_NAME.search(name)
    if not found:
        return name
    return name[: found.start()] + _TIME.sub("", name[found.end() :], count=1)


def began(file: str, steps: pl.DataFrame, sessions: pl.DataFrame) -> dt.datetime | None:
    """When a log begins: by the times in it, else midnight of the day in its name, where known."""
    for frame, name in ((steps, "start"), (sessions, "started"), (steps, "timestamp")):
        first = frame[name].min() if name in frame.columns else None
        if isinstance(first, dt.datetime):
            return first
    dates = [re.sub(r"\D", "", date[0]) for date in DATE_IN_NAME.finditer(file)]
    try:
        return dt.datetime.strptime(dates[-1], "%Y%m%d") if dates else None  # noqa: DTZ007 - local
    except ValueError:  # the 31st of February
        return None


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
    check_name("set of logs", first, systems)
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
