"""Many SAS logs as the jobs of one workload: which log is which test, and what each job used."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, Self, get_args

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row, Schema, moment, number, polars_schema, text, whole

JobClass = Literal["computation", "memory", "I/O", "other"]
CLASSES: tuple[JobClass, ...] = get_args(JobClass)
_GROUPS = ("system", "repeat", "test", "stream", "class")

SESSION, STEPS, LARGEST_STEP = "session", "steps", "largest step"
"""What a job's times or memory rest on."""

JOBS: Schema = {
    "log": text("the log's path, as in the evidence"),
    "system": text("storage system"),
    "repeat": whole("run of the whole workload, from 1"),
    "test": text("the test that it is a job of"),
    "class": text("computation, memory, I/O or other"),
    "stream": whole("jobs of one stream run one after the other"),
    "os": text("operating system, where the log names it"),
    "real_time_s": number("elapsed time", "s"),
    "user_cpu_s": number("user CPU time", "s"),
    "system_cpu_s": number("system CPU time", "s"),
    "cpu_s": number("total CPU time, without that of CAS servers", "s"),
    "times_of": text("session: its end block; steps: their sum, where the end is missing"),
    "memory_bytes": number("memory", "bytes"),
    "memory_of": text("session: its end block; largest step: the maximum, where that is missing"),
    "start": moment("start, in the declared zone; null: not in the log"),
    "end": moment("end, in the declared zone; null: not in the log"),
    "ratio": number("total CPU time to elapsed time; null where unknown or CAS took part"),
    "steps": whole("steps with a block"),
    "cas_steps": whole("of these, steps that asked a CAS server"),
    "cas_server_time_s": number("time of CAS servers, in none of the above", "s"),
    "errors": whole("ERROR messages of the steps"),
}
"""One row a log."""


@dataclass(frozen=True, slots=True)
class RunOf:
    """A run of a workload on a system."""

    system: str
    repeat: int


@dataclass(frozen=True, slots=True)
class JobOf:
    """What a log is, by the job table."""

    run: RunOf
    test: str
    kind: str
    stream: int | None


class Job(BaseModel):
    """One log of the job table, where its name does not say what it is."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    log: str = Field(description="path below the study's folder")
    test: str
    kind: JobClass | None = Field(None, alias="class")
    stream: int | None = None
    system: str
    repeat: int = 1


class JobTable(BaseModel):
    r"""Which log is a job of which test: by its path, or log by log.

    A class says what a test asks for most: computation, memory or I/O. Without classes every test
    is "other", and sums are of all jobs alone; a test that is in none of those given is refused. A
    log whose test the pattern does not tell is a test of its own, called as the file is.

    In YAML::

        time_zone: Europe/Berlin
        path: "(?P<system>[^/]+)/run-(?P<repeat>\d+)/(?P<test>[a-z]+\d+)_s(?P<stream>\d+)_"
        host: "(?P<system>[^/]+)/run-(?P<repeat>\d+)/iostat"
        classes: {computation: [comp01, comp02], memory: [mem01], I/O: [io01]}
        systems: {array-a: Array A}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    time_zone: str | None = Field(
        None, description="zone of the logs' times, such as Europe/Berlin: a log names none"
    )
    path: str | None = Field(
        None, description="pattern over a log's path with the groups system, repeat, test, stream"
    )
    host: str | None = Field(
        None, description="pattern over the path of a host series, with system and repeat"
    )
    classes: dict[JobClass, list[str]] = Field(
        default_factory=dict,
        description="tests by what they ask for most; none given: all are other",
    )
    systems: dict[str, str] = Field(default_factory=dict, description="names for the reader")
    logs: list[Job] = Field(default_factory=list)

    @field_validator("time_zone")
    @classmethod
    def _zone(cls, value: str | None) -> str | None:
        if value is not None and value not in zoneinfo.available_timezones():
            raise ValueError(f"{value!r} is not a time zone such as Europe/Berlin or UTC")
        return value

    @field_validator("path", "host")
    @classmethod
    def _pattern(cls, value: str | None) -> str | None:
        try:
            groups = re.compile(value or "").groupindex
        except re.error as problem:
            raise ValueError(f"not a regular expression: {problem}") from problem
        for name in groups:
            if name not in _GROUPS:
                raise ValueError(f"group {name!r}; known: {', '.join(_GROUPS)}")
        return value

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.path is None and not self.logs:
            raise ValueError("give 'path', a pattern over the logs' paths, or list them in 'logs'")
        tests = [test for names in self.classes.values() for test in names]
        for test in tests:
            if tests.count(test) > 1:
                raise ValueError(f"test {test!r} is in two classes")
        return self

    def place(self, path: str) -> RunOf:
        """The run of a host series; AnalysisError where the pattern does not match."""
        found = re.search(self.host, path) if self.host else None
        if found is None:
            raise AnalysisError(f"{path}: the job table's 'host' does not say which run it is of")
        return self._run(**found.groupdict())

    def job(self, log: str) -> JobOf:
        """What a log is; AnalysisError where the table does not say it."""
        listed = next((item for item in self.logs if item.log == log), None)
        if listed is not None:
            given = {**listed.model_dump(), "class": listed.kind}
        else:
            found = re.search(self.path, log) if self.path else None
            if found is None:
                raise AnalysisError(f"{log}: is not in the job table")
            given = found.groupdict()
        test = given.get("test") or PurePosixPath(log).stem
        kind = given.get("class") or self._class_of(test)
        if kind not in CLASSES:
            raise AnalysisError(f"{log}: the job table gives test {test!r} no class")
        stream = given.get("stream")
        return JobOf(self._run(**given), test, kind, None if stream is None else int(stream))

    def _run(
        self, *, system: str | None = None, repeat: str | int | None = None, **_: Any
    ) -> RunOf:
        name = system or "system"
        return RunOf(self.systems.get(name, name), int(repeat or 1))

    def _class_of(self, test: str) -> str | None:
        if not self.classes:
            return "other"
        return next((kind for kind, names in self.classes.items() if test in names), None)


@step(version=1, name="sas.jobs")
def jobs(steps: Measured, sessions: Measured, table: JobTable) -> pl.DataFrame:
    """The jobs of a workload, a row a log, from the tables of ``read_sas``.

    Times are those of the session's end block; where it has none, the sums over the steps (column
    ``times_of``), which lack what lies between steps. A sum over something unknown is null. A log
    is one session: the times of two would add up to those of no job.

    Returns:
        Columns as in ``JOBS``.

    Raises:
        AnalysisError: A log that the job table does not know or that holds several sessions, or no
            log at all.
    """
    require_columns(steps.frame, ("file", "real_time_s", "cas_requests"), "steps")
    require_columns(
        sessions.frame, ("file", "ended", "real_time_s", "memory_bytes", "os"), "sessions"
    )
    if not len(sessions) and not len(steps):
        raise AbsentError("no SAS log was read, so there are no jobs")
    _one_session(sessions.frame)
    by_steps = {row["file"]: row for row in _totals(steps.frame, "step").rows(named=True)}
    by_session = {row["file"]: row for row in _totals(sessions.frame, "session").rows(named=True)}
    rows = [
        _job_row(log, by_steps.get(log, {}), by_session.get(log, {}), table)
        for log in sorted({*by_steps, *by_session})
    ]
    return pl.DataFrame(rows, schema=polars_schema(JOBS))


def _one_session(sessions: pl.DataFrame) -> None:
    """AnalysisError for the second session of a log, with its line."""
    second = sessions.filter(pl.int_range(pl.len()).over("file") > 0)
    if second.height:
        row = second.row(0, named=True)
        raise AnalysisError(
            f"{row['file']}, line {row.get('line')}: a second SAS session begins here, and a log "
            "is one job: put each session into a log of its own"
        )


_SUMMED = ("real_time_s", "user_cpu_s", "system_cpu_s", "cpu_s")


def _totals(frame: pl.DataFrame, what: str) -> pl.DataFrame:
    """Per log: sums that are null where a part is, the largest memory, first start and last end."""
    more = [pl.len().alias("rows")]
    if what == "step":
        more += [
            pl.col("cas_requests").is_not_null().sum().cast(pl.Int64).alias("cas_steps"),
            pl.when(pl.col("cas_server_time_s").count() > 0)
            .then(pl.col("cas_server_time_s").sum())
            .alias("cas_server_time_s"),
            pl.col("errors").sum().alias("errors"),
        ]
    else:
        more += [
            pl.col("ended").fill_null(value=False).all().alias("ended"),
            pl.col("os").drop_nulls().first(),
        ]
    return frame.group_by("file", maintain_order=True).agg(
        *(all_or_null(name) for name in _SUMMED),
        pl.when(pl.col("memory_bytes").null_count() == 0)
        .then(pl.col("memory_bytes").max())
        .alias("memory_bytes"),
        pl.when(pl.col("start").null_count() == 0).then(pl.col("start").min()).alias("start"),
        pl.when(pl.col("timestamp").null_count() == 0).then(pl.col("timestamp").max()).alias("end"),
        *more,
    )


def all_or_null(name: str) -> pl.Expr:
    """The sum of a column, or null where one of its values is: never a sum of a part."""
    whole = (pl.col(name).null_count() == 0) & (pl.len() > 0)
    return pl.when(whole).then(pl.col(name).sum()).otherwise(None).alias(name)


def _job_row(log: str, steps: Row, session: Row, table: JobTable) -> Row:
    job = table.job(log)
    ended = bool(session.get("ended")) and session.get("real_time_s") is not None
    times, times_of = (session, SESSION) if ended else (steps, STEPS)
    memory = session.get("memory_bytes") if session.get("ended") else None
    cas = steps.get("cas_steps", 0)
    real, cpu = times.get("real_time_s"), times.get("cpu_s")
    ratio = cpu / real if real and cpu is not None and not cas else None
    return {
        "log": log,
        "system": job.run.system,
        "repeat": job.run.repeat,
        "test": job.test,
        "class": job.kind,
        "stream": job.stream,
        "os": session.get("os"),
        **{name: times.get(name) for name in (*_SUMMED, "start", "end")},
        "times_of": times_of if real is not None else None,
        "memory_bytes": memory if memory is not None else steps.get("memory_bytes"),
        "memory_of": SESSION
        if memory is not None
        else (LARGEST_STEP if steps.get("memory_bytes") is not None else None),
        "ratio": ratio,
        "steps": steps.get("rows", 0),
        "cas_steps": cas,
        "cas_server_time_s": steps.get("cas_server_time_s"),
        "errors": steps.get("errors"),
    }


def runs_of(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """Systems and repeats, each pair once, in order."""
    return sorted({(row["system"], row["repeat"]) for row in rows})
