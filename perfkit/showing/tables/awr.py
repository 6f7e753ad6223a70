"""Tables for print of Oracle AWR and Statspack readings: databases, instances, rates, events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from perfkit.analysis.awr.histograms import ENOUGH_WAITS
from perfkit.analysis.awr.waits import chosen_events, lacking, over_instances, rows_of
from perfkit.analysis.curves.event_latency import event_mean
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, measured, step
from perfkit.core.schema import Row
from perfkit.core.units import MIB, Format, format_size, in_mib, names_mb
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, MB, RATE, SECONDS, SHARE, Sheet, of_first


def by_instance(rows: Sequence[Row]) -> Sheet:
    """A table that begins with the instances, where the rows are of several."""
    sheet = Sheet([{**row, "of": row["instance"] or "all"} for row in rows])
    sheet.differing(of="I#")
    return sheet


BLOCKS_NOTE = "Reads and writes are counted in database blocks; one I/O request may read many."


_FACTS: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("db_name", "Database", str),
    ("unique_name", "Unique name", str),
    ("db_id", "Database id", str),
    ("role", "Role", str),
    ("edition", "Edition", str),
    ("release", "Release", str),
    ("rac", "Clustered (RAC)", lambda value: "yes" if value else "no"),
    ("cdb", "Container database", lambda value: "yes" if value else "no"),
    ("block_size_bytes", "Block size", format_size),
    ("instance_name", "Instance", str),
    ("host", "Host", str),
    ("platform", "Platform", str),
    ("cpus", "Logical CPUs", str),
    ("cores", "CPU cores", str),
    ("sockets", "CPU sockets", str),
    ("memory_bytes", "Memory", lambda value: format_size(int(value))),
    ("snap_begin_id", "First snapshot", str),
    ("snap_end_id", "Last snapshot", str),
    ("begin_text", "From", str),
    ("end_text", "To", str),
    ("elapsed_s", "Elapsed time", lambda value: f"{value / 60:,.2f} min"),
    ("db_time_s", "DB time", lambda value: f"{value / 60:,.2f} min"),
    ("instances_in_report", "Instances in the report", str),
    ("instances_total", "Instances of the database", str),
)


@step(version=2, name="table.database_summary")
def table_database_summary(report: Measured) -> Table:
    """What was measured, one row a fact; what the report does not say is left out."""
    row = rows_of(report, "report", ("db_name", "elapsed_s"))[0]
    sheet = Sheet(
        [
            {"fact": label, "value": shown(row[name])}
            for name, label, shown in _FACTS
            if row.get(name) is not None
        ]
    )
    sheet.words(fact="Fact", value="Value")
    return sheet.table("database-summary", "Database and period of the report.")


@step(version=2, name="table.instances")
def table_instances(instances: Measured) -> Table:
    """One row an instance: host, release, snapshots, elapsed and DB time, active sessions."""
    sheet = Sheet(rows_of(instances, "instances", ("instance", "elapsed_s", "db_time_s")))
    sheet.add("instance", "I#", COUNT)
    sheet.words(instance_name="Instance", host="Host", release="Release", startup_text="Startup")
    sheet.words(begin_text="First snapshot", end_text="Last snapshot")
    sheet.numbers(SECONDS, elapsed_s="Elapsed (s)", db_time_s="DB time (s)")
    sheet.add("average_active_sessions", "Avg active sessions", RATE)
    return sheet.table("instances", "Instances of the report.")


_PER_SECOND = (
    ("logical_reads_blocks_per_s", "Logical reads (blocks/s)", RATE),
    ("physical_reads_blocks_per_s", "Physical reads (blocks/s)", RATE),
    ("physical_writes_blocks_per_s", "Physical writes (blocks/s)", RATE),
    ("redo_bytes_per_s", "Redo (KiB/s)", Format("KiB", decimals=2)),
    ("block_changes_per_s", "Block changes/s", RATE),
    ("user_calls_per_s", "User calls/s", RATE),
    ("executes_per_s", "Executes/s", RATE),
    ("parses_per_s", "Parses/s", RATE),
    ("logons_per_s", "Logons/s", RATE),
    ("transactions_per_s", "Transactions/s", RATE),
)


def table_system_statistics(system: Measured) -> Table:
    """Rates per second, one row an instance; with several also Sum, Avg and Std (of a sample).

    A rate that is not known of every instance has no sum, average or deviation.
    """
    return _table_system_statistics(over_instances(system))


@step(version=3, name="table.system_statistics")
def _table_system_statistics(rates: Measured) -> Table:
    sheet = Sheet(rates.frame.rows(named=True))
    sheet.words(of="I#")
    for name, label, form in _PER_SECOND:
        sheet.add(name, label, form)
    return sheet.table("system-statistics", "System statistics per second.", BLOCKS_NOTE)


@step(version=2, name="table.io_profile")
def table_io_profile(profile: Measured) -> Table:
    """Requests, MiB and blocks per second: reads and writes together, reads, writes."""
    columns = ("printed", "unit", "total_per_s", "read_per_s", "write_per_s")
    rows = rows_of(profile, "io_profile", columns)
    sheet = Sheet([_in_mib(row, columns[2:]) for row in rows])
    sheet.words(printed="Per second")
    sheet.numbers(RATE, total_per_s="Read + write", read_per_s="Read", write_per_s="Write")
    return sheet.table("io-profile", "I/O profile.")


def table_top_events(
    events: Measured, *, scope: str | None = None, instance: int | None = None
) -> Table:
    """The top timed events of one instance, or of the cluster, in the report's order.

    The mean wait is that of ``event_mean``, as everywhere. The share that Statspack prints is of
    call time.
    """
    kinds = {item.kind for item in measured(events, "events").lineage.evidence}
    of_calls = kinds == {"statspack"}
    return _top_events(events, scope=scope, instance=instance, of_calls=of_calls)


@step(version=3, name="table.top_events")
def _top_events(
    events: Measured, *, scope: str | None, instance: int | None, of_calls: bool
) -> Table:
    rows = chosen_events(events, scope, instance)
    sheet = Sheet(rows)
    sheet.words(event="Event", wait_class="Wait class")
    sheet.add("waits", "Waits", COUNT)
    sheet.add("total_wait_s", "Total (s)", Format("s", decimals=1))
    sheet.wait("mean", "Mean wait", _mean)
    share = "Call time (%)" if of_calls else "DB time (%)"
    sheet.numbers(SHARE, db_time_ratio=share, bg_time_ratio="Background time (%)")
    told = _CALLS if of_calls else _SESSIONS
    return sheet.table("top-events", "Top timed events.", f"{told} {MEAN_NOTE}")


_SESSIONS = "Shares may add up to more than 100%: sessions wait at the same time."
_CALLS = "Call time: CPU and waits, those that Statspack does not know to be idle among them."


MEAN_NOTE = (
    "Mean wait: total / waits; for a total below 100 s, the printed mean, or a dash where that is "
    "only a few whole milliseconds."
)


def _mean(row: Row) -> float | None:
    return event_mean([row])


@step(version=2, name="table.host_cpu")
def table_host_cpu(host: Measured) -> Table:
    """One row a host: its CPUs, load averages, and shares of the CPU time."""
    sheet = Sheet(rows_of(host, "host_cpu", ("instance", "user_ratio", "idle_ratio")))
    sheet.numbers(COUNT, instance="I#", cpus="CPUs", cores="Cores", sockets="Sockets")
    sheet.numbers(RATE, load_average_begin="Load, begin", load_average_end="Load, end")
    sheet.numbers(SHARE, busy_ratio="Busy (%)", user_ratio="User (%)", system_ratio="System (%)")
    sheet.numbers(SHARE, iowait_ratio="I/O wait (%)", idle_ratio="Idle (%)")
    return sheet.table("host-cpu", "Host CPU.")


@step(version=2, name="table.load_profile")
def table_load_profile(profile: Measured) -> Table:
    """The load profile as the report prints it: per second, transaction, execution and call."""
    rows = rows_of(profile, "load_profile", ("printed", "per_s", "per_transaction"))
    sheet = Sheet([_in_mib(row, [*_LOAD_COLUMNS]) for row in rows])
    sheet.words(printed="Load")
    sheet.numbers(RATE, **_LOAD_COLUMNS)
    return sheet.table("load-profile", "Load profile.", _LOAD_NOTE)


_LOAD_COLUMNS = {"per_s": "Per second", "per_transaction": "Per transaction",
                 "per_exec": "Per execution", "per_call": "Per call"}  # fmt: skip
_LOAD_NOTE = "Reads and writes named as blocks count database blocks."


def _in_mib(row: Row, columns: Sequence[str]) -> Row:
    """A row as printed: sizes that the report gives in MB stand in MiB, which is what it means."""
    label = str(row["printed"]).removesuffix(":")
    if row["unit"] != "bytes" or not names_mb(label):
        return {**row, "printed": label}
    values = {name: None if row[name] is None else row[name] / MIB for name in columns}
    return {**row, **values, "printed": in_mib(label)}


@step(version=2, name="table.wait_classes")
def table_wait_classes(classes: Measured) -> Table:
    """Wait classes of all sessions or, where the report has only those, of the foreground."""
    columns = ("level", "instance", "scope", "wait_class", "total_wait_s", "db_time_ratio")
    rows = rows_of(classes, "wait_classes", columns)
    scope = "all" if any(row["scope"] == "all" for row in rows) else "foreground"
    rows = [row for row in rows if row["scope"] == scope]
    if all(row["total_wait_s"] is None for row in rows):
        # a RAC report has a column a class, not in the order of their time
        rows.sort(key=lambda row: (row["instance"] or 0, -(row["db_time_ratio"] or 0.0)))
    sheet = by_instance(rows)
    sheet.words(wait_class="Wait class")
    sheet.add("waits", "Waits", COUNT)
    sheet.add("total_wait_s", "Total (s)", Format("s", decimals=1))
    sheet.wait("mean", "Mean wait", _mean)
    sheet.add("db_time_ratio", "DB time (%)", SHARE)
    sheet.add("average_active_sessions", "Avg active sessions", RATE)
    words = "all sessions" if scope == "all" else "foreground sessions"
    return sheet.table("wait-classes", f"Wait classes of {words}.", MEAN_NOTE)


@step(version=2, name="table.io_by_function")
def table_io_by_function(functions: Measured) -> Table:
    """Requests and throughput of each function of the database that reads or writes."""
    columns = ("function", "filetype", "read_iops", "write_iops")
    rows = [row for row in rows_of(functions, "io_by_function", columns) if row["filetype"] is None]
    if not rows:
        raise lacking("io_by_function")
    sheet = by_instance(rows)
    sheet.words(function="Function")
    sheet.add("read_iops", "Read IOPS", RATE)
    sheet.add("read_bytes_per_s", "Read (MB/s)", MB)
    sheet.add("write_iops", "Write IOPS", RATE)
    sheet.add("write_bytes_per_s", "Write (MB/s)", MB)
    sheet.add("waits", "Waits", COUNT)
    sheet.wait("avg_wait_s", "Mean wait")
    return sheet.table("io-by-function", "I/O by function.")


STATISTICS = (
    "physical read total IO requests", "physical read IO requests", "physical read total bytes",
    "physical write total IO requests", "physical write IO requests", "physical write total bytes",
    "physical reads", "physical reads direct", "physical writes", "physical writes direct",
    "redo size", "redo writes", "user commits", "user calls", "session logical reads",
)  # fmt: skip
"""The instance statistics that say what storage was asked for."""


@step(version=2, name="table.instance_activity")
def table_instance_activity(activity: Measured, *, statistics: Sequence[str] = STATISTICS) -> Table:
    """Instance statistics by name, in the order asked for: total, per second, per transaction.

    What the report lacks has no row. Raises AnalysisError where it has none of them.
    """
    rows = rows_of(activity, "instance_activity", ("instance", "statistic", "total", "per_s"))
    order = {name: place for place, name in enumerate(statistics)}
    own = [row for row in rows if row["statistic"] in order]
    if not own:
        raise lacking("instance activity of these statistics")
    own.sort(key=lambda row: (row["instance"] or 0, order[row["statistic"]]))
    sheet = by_instance(own)
    sheet.words(statistic="Statistic")
    sheet.add("total", "Total", COUNT)
    sheet.numbers(RATE, per_s="Per second", per_transaction="Per transaction")
    note = "physical reads and writes count blocks; the others say what they count."
    return sheet.table("instance-activity", "Instance activity that reaches storage.", note)


@step(version=2, name="table.parameters")
def table_parameters(parameters: Measured) -> Table:
    """Initialisation parameters with the values at begin and end, but those that begin with _.

    A parameter of several values has a row for each.
    """
    rows = [
        row
        for row in rows_of(parameters, "parameters", ("parameter", "value", "end_value"))
        if not row["parameter"].startswith("_")
    ]
    if not rows:
        raise lacking("parameters but hidden ones")
    sheet = by_instance(rows)
    sheet.words(parameter="Parameter", value="Value", end_value="Value at the end")
    sheet.differing(container="Container")
    return sheet.table("parameters", "Initialisation parameters.")


_MINUTES = Format("min", decimals=2)


@step(version=3, name="table.reports")
def table_reports(overview: Measured) -> Table:
    """One row a report of a set (``report_overview``): what was measured, and what it gave."""
    rows = overview.frame.rows(named=True)
    if not rows:
        raise AbsentError("there is no report")
    if len(rows) == 1:
        raise AbsentError("there is only one report")
    sheet = Sheet(rows)
    sheet.words(report="Report")
    sheet.differing(system="System", config="Config", db_name="Database", release="Release")
    sheet.load()
    sheet.words(begin_time="From")
    sheet.add("elapsed_s", "Elapsed (min)", _MINUTES)
    sheet.add("db_time_per_elapsed_ratio", "DB time / elapsed", RATE)
    sheet.numbers(COUNT, read_iops="Read IOPS", write_iops="Write IOPS")
    sheet.metric("bw_bytes_per_s")
    sheet.add("cpu_busy_ratio", "Host CPU (%)", SHARE)
    event = rows[0]["event"]
    sheet.wait("event_wait_s", str(event))
    note = (
        "DB time / elapsed: average active sessions. IOPS and throughput: from the section that "
        "gives them most finely, Instance Activity or a profile."
    )
    if any(row["event_wait_s"] is not None for row in rows):
        note += f" {event}: mean wait of foreground sessions. {MEAN_NOTE}"
    elif event:
        note += f" No report gives a mean wait of {event}."
    else:
        note += " No report lists a foreground event of User I/O: none has a mean wait here."
    return sheet.table("reports", "Reports in the set.", note)


@step(version=2, name="table.each_report")
def table_each_report(each: Measured) -> Table:
    """One row a report (``each_report``): of what and when, how busy, and what its waits took."""
    answers = [one for one in from_frame(each.frame) if one.subject.get("report")]
    rows = [_each(own) for own in rows_by(answers, lambda one: one.subject.get("report")).values()]
    sheet = Sheet(rows)
    sheet.differing(system="System", config="Config")
    sheet.varying("history", "Database")
    sheet.words(begin="From")
    sheet.add("elapsed_s", "Length (min)", Format("min", decimals=1))
    sheet.add("sessions", "Active sessions", Format("1", significant=3))
    sheet.words(part="Most of DB time", event="Longest wait")
    sheet.varying("read", "Read")
    sheet.wait("read_s", "Mean read")
    sheet.wait("commit_s", "log file sync")
    note = (
        "Active sessions: DB time / elapsed time. Shares are of DB time. Mean waits are those of "
        "foreground sessions; a dash: the report states none, as of a pluggable database's "
        f"commits, or fewer than {ENOUGH_WAITS:,} waits are behind it. "
        f"{of_first(rows[0]['source'])}"
    )
    made = sheet.table("each-report", "Each report: its period, load and waits.", note)
    told = (c for a in answers for c in a.cautions if c.name != _FEW)
    return replace(made, cautions=tuple(dict.fromkeys(told)))


_FEW = "few_waits"


def _each(answers: Sequence[Answer]) -> Row:
    by = {one.question: one for one in answers}
    load, time, read = (by[name] for name in ("report_load", "db_time_went", "read_wait"))
    begin = load.subject.get("begin")
    known = {one.metric: one.value for one in (*load.conditions, *time.conditions)}
    event, share = time.subject.get("event"), known.get("longest_event")
    return {
        **{key: load.subject.get(key) for key in ("system", "config", "history", "source")},
        "begin": begin and begin[:16].replace("T", " "),
        "elapsed_s": known.get("elapsed_s"),
        "sessions": _value(load),
        "part": time.estimate and f"{time.subject.label} {SHARE.show(time.got.value).text}",
        "event": event and f"{event} {SHARE.show(share).text}",
        "read": read.subject.label if read.estimate else None,
        "read_s": _value(read),
        "commit_s": _value(by["commit_wait"]),
    }


def _value(answer: Answer) -> float | None:
    """The value; a mean of few waits is none: below many rows no caution tells which one it is."""
    few = any(one.name == _FEW for one in answer.cautions)
    return answer.estimate.value if answer.estimate and not few else None


@step(version=2, name="table.iops_source")
def table_iops_source(iops: Measured) -> Table:
    """Where a report states its I/O requests per second, which was used, and what they count."""
    rows = [
        {**row, "used": "yes" if row["used"] else "no"}
        for row in rows_of(iops, "iops_source", ("section", "counts", "used", "iops"))
    ]
    sheet = by_instance(rows)
    sheet.words(section="Section", counts="Requests counted")
    sheet.numbers(RATE, read_iops="Read IOPS", write_iops="Write IOPS", iops="IOPS")
    sheet.words(used="Used")
    note = (
        "total: all requests of the instance; database: without redo, control files and tools such "
        "as RMAN."
    )
    return sheet.table("iops-source", "I/O requests per second, by section.", note)
