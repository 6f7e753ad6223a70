"""Tables of a SAS workload by system, and of SAS logs: runs, steps, libraries, messages."""

from __future__ import annotations

from pathlib import PurePosixPath

from perfkit.analysis.sas.jobs import CLASSES, LARGEST_STEP, SESSION, STEPS
from perfkit.analysis.sas.workload import ALL, CONFIDENCE, METRICS, MIXED
from perfkit.core.keys import report_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, Sheet, measured_rows

_RATIO = Format("1", decimals=3)
_PERCENT = Format("%", decimals=2, sign=True)
_FORMS = {
    "real_time_s": ("Elapsed real time (min)", Format("min", decimals=2)),
    "memory_bytes": ("Memory (GiB)", Format("GiB", decimals=2)),
    "user_cpu_s": ("User CPU (min)", Format("min", decimals=2)),
    "system_cpu_s": ("System CPU (min)", Format("min", decimals=2)),
}
"""Metric -> header and format, in the order of SAS's papers."""

_SIGNED = {
    name: Format(form.unit, decimals=form.decimals, sign=True) for name, (_, form) in _FORMS.items()
}
_OF = {
    SESSION: "session", STEPS: "sum of steps", LARGEST_STEP: "largest step", MIXED: "mixed",
    None: None,
}  # fmt: skip
_STEP = ("system", "repeat", "stream", "log", "line", "name", "real_time_s", "cpu_s")
_SPREAD = "±: sample standard deviation over the runs."


@step(version=3, name="table.sas_aggregates")
def table_aggregates(means: Measured, *, by_class: bool = False) -> Table:
    """Sums over the jobs of a workload by system: means over runs, with their spread.

    Args:
        means: Of ``sas.means``.
        by_class: A row a system and class, instead of one a system.
    """
    columns = ("system", "class", "runs", "jobs_least", *(f"{name}_mean" for name in METRICS))
    every = measured_rows(means, "means", columns)
    kinds = list(CLASSES) if by_class else [ALL]
    lines = [row for kind in kinds for row in every if row["class"] == kind]
    sheet = Sheet(
        [
            {
                **row,
                "jobs": _jobs(row),
                "memory_of": _OF[row["memory_of"]],
                "times_of": _OF[row["times_of"]],
            }
            for row in lines
        ]
    )
    sheet.differing(**{"class": "Class"})
    sheet.words(system="Storage system")
    sheet.varying("runs", "Runs", COUNT)
    sheet.varying("jobs", "Jobs per run", COUNT)
    for name, (label, form) in _FORMS.items():
        sheet.add(f"{name}_mean", label, form)
        if name == "real_time_s":
            sheet.add("real_time_s_std", "± (min)", form)
        if name == "memory_bytes":
            sheet.varying("memory_of", "Memory is of")
    sheet.varying("times_of", "Times are of")
    note = f"Means over the runs of each line. {_SPREAD}"
    if all(line["runs"] == 1 for line in lines):
        note = "One run: its sums."
    if any(line[f"{name}_mean"] is None for line in lines for name in METRICS):
        note += " A sum is left out where a job's part of it is unknown."
    if by_class:
        return sheet.table("classes", "Workload aggregates by class of test.", note)
    return sheet.table("aggregates", "Workload aggregates: sums over all jobs of a run.", note)


def _jobs(row: Row) -> str:
    least, most = (f"{row[name]:,}" for name in ("jobs_least", "jobs_most"))
    return least if least == most else f"{least} to {most}"


@step(version=3, name="table.sas_differences")
def table_differences(differences: Measured) -> Table:
    """How each system's sums differ from those of the first, by class: difference and interval.

    Times in minutes, memory in GiB; the interval is that of ``sas.differences``.
    """
    columns = ("system", "base", "class", "metric", "difference", "low", "high", "status")
    rows = measured_rows(differences, "differences", columns)
    sheet = Sheet(rows)
    if len({row["system"] for row in rows}) > 1:
        sheet.words(system="Storage system")
    sheet.add("class", "Class", None)
    sheet.add("metric", "Sum", None, lambda row: _FORMS[row["metric"]][0])
    sheet.add("base_mean", rows[0]["base"], COUNT, lambda row: _number(row, "base_mean", False))
    systems = {row["system"] for row in rows}
    sheet.add(
        "mean",
        str(systems.pop()) if len(systems) == 1 else "Mean",
        COUNT,
        lambda row: _number(row, "mean", False),
    )
    sheet.add("difference", "Difference", COUNT, lambda row: _number(row, "difference"))
    sheet.add("interval", "95% interval", COUNT, _interval)
    sheet.add("difference_ratio", "Difference (%)", _PERCENT)
    sheet.add("status", "Beyond the spread", None, lambda row: _BEYOND[row["status"]])
    runs = sorted({row["repeats"] for row in rows} | {row["base_repeats"] for row in rows})
    share = Format("%").show(CONFIDENCE).text
    counts = " to ".join(str(count) for count in dict.fromkeys((runs[0], runs[-1])))
    note = (
        f"Means over {counts} runs; {share} intervals of their ratios on logarithms, of all "
        "classes together, as differences."
    )
    if runs == [1]:
        note = "One run of each system: nothing is known of the spread between runs."
    given = f"Differences from {rows[0]['base']}, with the spread over repeated runs."
    return sheet.table("differences", given, note)


_BEYOND = {
    "differs": "yes", "within the spread": "no", "one run: no spread": "not known",
    "no spread between runs": "not known", "unknown": "not known",
}  # fmt: skip


def _number(row: Row, name: str, signed: bool = True) -> str | None:
    if row[name] is None:
        return None
    form = _SIGNED[row["metric"]] if signed else _FORMS[row["metric"]][1]
    return form.number(row[name])


def _interval(row: Row) -> str | None:
    if row["low"] is None:
        return None
    return f"{_number(row, 'low')} to {_number(row, 'high')}"


@step(version=2, name="table.sas_ratios")
def table_ratios(ratios: Measured) -> Table:
    """CPU time to elapsed time: mean, standard deviation and range of the jobs' ratios, and sums'.

    Args:
        ratios: Of ``sas.ratios``, by run or by test.
    """
    rows = measured_rows(ratios, "ratios", ("system", "ratio_mean", "ratio_std", "ratio_of_sums"))
    sheet = Sheet(rows)
    sheet.add("class", "Class", None)
    sheet.add("test", "Test", None)
    sheet.add("system", "Storage system", None)
    sheet.numbers(COUNT, repeat="Run", jobs="Jobs")
    sheet.numbers(_RATIO, ratio_mean="Mean of ratios", ratio_std="Standard deviation")
    sheet.numbers(_RATIO, ratio_range="Range of ratios", ratio_of_sums="Ratio of sums")
    if any(row["without"] for row in rows):
        sheet.add("without", "Jobs without", COUNT)
    note = (
        "Mean of ratios: each job's CPU time divided by its elapsed time, every job weighted "
        "equally. Ratio of sums: all CPU time divided by all elapsed time. Below 1, time was "
        "spent waiting."
    )
    if any(row["without"] for row in rows):
        note += " Without: jobs that asked a CAS server, whose CPU time is in no log, or unknown."
    return sheet.table("ratios", "Ratio of CPU time to elapsed time.", note)


@step(version=2, name="table.sas_runs")
def table_runs(runs: Measured, *, time_zone: str | None = None) -> Table:
    """Each run: its begin and span, and the mean and peak number of jobs at the same time."""
    rows = measured_rows(runs, "runs", ("system", "repeat", "span_s", "concurrency_mean", "reason"))
    sheet = Sheet(rows)
    sheet.words(system="Storage system")
    sheet.numbers(COUNT, repeat="Run", jobs="Jobs")
    zone = f" ({time_zone})" if time_zone else ""
    sheet.add(
        "first_start",
        f"First start{zone}",
        None,
        lambda row: row["first_start"] and f"{row['first_start']:%Y-%m-%d %H:%M:%S}",
    )
    sheet.add("span_s", "Span (min)", Format("min", decimals=1))
    sheet.add("concurrency_mean", "Mean concurrent jobs", Format("1", decimals=1))
    sheet.add("concurrency_peak", "Peak", COUNT)
    sheet.words(reason="Remark")
    note = "Starts and ends from the logs' timestamps, to one second."
    if not time_zone:
        note += " The study declares no time zone: times of day are those of the host."
    return sheet.table("runs", "Runs of the workload, and concurrent jobs.", note)


@step(version=2, name="table.sas_longest")
def table_longest(steps: Measured) -> Table:
    """The longest steps, from ``sas.longest_steps``, with the log's line of each."""
    rows = measured_rows(steps, "steps", (*_STEP, "ratio", "cas"))
    sheet = _steps(rows)
    sheet.add("ratio", "CPU / elapsed", Format("1", decimals=2))
    if any(row["cas"] for row in rows):
        sheet.add("cas", "CAS", None, lambda row: "CAS" if row["cas"] else "")
    return sheet.table("longest-steps", f"The {len(rows)} longest steps.")


def _steps(rows: list[Row]) -> Sheet:
    sheet = Sheet(rows)
    if len({row["system"] for row in rows}) > 1:
        # without a job table what stands side by side is not systems
        sheet.add(
            "system",
            "Logs of" if all(row["stream"] is None for row in rows) else "Storage system",
            None,
        )
    if any(row["repeat"] > 1 for row in rows):
        sheet.add("repeat", "Run", COUNT)
    add_place(sheet)
    sheet.words(name="Procedure")
    sheet.seconds("real_time_s", "Elapsed")
    sheet.seconds("cpu_s", "CPU")
    return sheet


def add_place(sheet: Sheet) -> None:
    """The columns that lead to a line of a log; its folder only where no other column tells it."""
    logs = list(dict.fromkeys(row["log"] for row in sheet.rows))
    names = dict(zip(logs, report_names(logs), strict=True))
    beside = [column.key for column in sheet.columns if column.key in {"system", "repeat"}]
    bare = {log: PurePosixPath(log).stem for log in logs}
    told = {(bare[row["log"]], *(row[key] for key in beside)): row["log"] for row in sheet.rows}
    names = bare if len(told) == len(logs) else names
    sheet.add("log", "Log", None, lambda row: names[row["log"]])
    sheet.add("line", "Line", COUNT)


@step(version=3, name="table.sas_waiting")
def table_waiting(waiting: Measured, *, count: int = 10) -> Table:
    """The steps that waited longest, from ``sas.waiting_steps``, and what supports the reason."""
    rows = measured_rows(waiting, "waiting", (*_STEP, "ratio", "waiting_s", "verdict"))
    sheet = _steps(rows[:count])
    sheet.seconds("waiting_s", "Waited at least")
    sheet.add("ratio", "CPU / elapsed", Format("1", decimals=2))
    sheet.add("disk_bytes_per_s", "Blocks (MB/s)", Format("MB/s", decimals=0))
    sheet.add("cpu_iowait_ratio", "Host iowait (%)", Format("%", decimals=1))
    sheet.words(verdict="Verdict")
    note = (
        "Waited: elapsed less CPU time. It is a lower bound, because threads use CPU time side by "
        "side, and it is not proof of I/O: a step also waits for locks, other hosts and people."
    )
    if all(row["disk_bytes_per_s"] is None for row in rows):
        note += " The logs count no blocks of a known size; FULLSTIMER on Linux does."
    else:
        note += " Blocks: of 512 bytes, as Linux counts them."
    return sheet.table("waiting-steps", "Steps that waited longest.", note)


@step(version=4, name="table.sas_procedures")
def table_procedures(procedures: Measured, *, count: int = 12) -> Table:
    """Time by kind of step, those of the longest time first; a column for each of a few systems."""
    columns = ("system", "name", "cas", "place", "steps", "untimed", "real_time_s", "share")
    rows = measured_rows(procedures, "procedures", columns)
    systems = list(dict.fromkeys(row["system"] for row in rows))
    by_place = sorted(rows, key=lambda row: row["place"])
    kinds = list({(row["name"], row["cas"]): row for row in by_place}.values())
    of_runs = any(row["runs"] > 1 for row in rows)
    if len(systems) <= _MOST_COLUMNS:
        sheet = _wide(rows, kinds[:count], systems, of_runs=of_runs)
    else:
        shown = {(kind["name"], kind["cas"]) for kind in kinds[:count]}
        sheet = Sheet([row for row in by_place if (row["name"], row["cas"]) in shown])
        sheet.add("name", "Procedure", None, _kind)
        sheet.words(system="System")
        _time_of(sheet, "", "", of_runs=of_runs)
    runs = "a run, mean over runs" if of_runs else "one kind together"
    note = f"Elapsed time of all steps of {runs}."
    if any(row["untimed"] for row in rows):
        note += " Steps whose time is unknown (see the logs) are not counted."
    if len(kinds) > count:
        left = len(kinds) - count
        kind = "kind of step" if left == 1 else "kinds of step"
        note += f" Not shown: {left} {kind} that took less time."
    if any(kind["cas"] for kind in kinds):
        note += " CAS steps spend the server's CPU time, which is in no log: they have no ratio."
    return sheet.table("procedures", "Time by procedure.", note)


_MOST_COLUMNS = 3
"""So many systems stand side by side in columns; more stand below each other."""


def _kind(row: Row) -> str:
    return f"{row['name']} (CAS)" if row["cas"] else str(row["name"])


def _wide(rows: list[Row], kinds: list[Row], systems: list[str], *, of_runs: bool) -> Sheet:
    """A line a kind of step, with columns for each system."""
    found = {(row["system"], row["name"], row["cas"]): row for row in rows}
    lines = []
    for kind in kinds:
        line: Row = {"name": _kind(kind)}
        for number, system in enumerate(systems):
            own = found.get((system, kind["name"], kind["cas"]), {})
            line |= {f"{k}{number}": own.get(k) for k in ("steps", "real_time_s", "share", "ratio")}
        lines.append(line)
    sheet = Sheet(lines)
    sheet.words(name="Procedure")
    for number, system in enumerate(systems):
        of = f"{system}: " if len(systems) > 1 else ""
        _time_of(sheet, of, str(number), of_runs=of_runs)
    return sheet


def _time_of(sheet: Sheet, system: str, number: str, *, of_runs: bool) -> None:
    """The columns of one system; of several runs the times are means, and steps would be sums."""
    time = f"real_time_s{number}"
    if of_runs:
        sheet.add(time, _head(system, "elapsed (min)"), Format("min", decimals=1))
    else:
        sheet.add(f"steps{number}", _head(system, "steps"), COUNT)
        sheet.seconds(time, _head(system, "elapsed"))
    sheet.add(f"share{number}", _head(system, "share (%)"), Format("%", decimals=1))
    sheet.add(f"ratio{number}", f"{system}CPU / elapsed", Format("1", decimals=2))


def _head(system: str, what: str) -> str:
    return f"{system}{what}" if system else what.capitalize()


_LONGEST_TEXT = 160


@step(version=2, name="table.sas_logs")
def table_logs(logs: Measured, *, count: int = 15) -> Table:
    """The logs, those of the longest time first, from ``sas.logs``."""
    columns = ("log", "system", "test", "sessions", "steps", "untimed", "real_time_s", "errors")
    rows = measured_rows(logs, "logs", columns)
    shown = sorted(rows, key=lambda row: (-(row["real_time_s"] or 0.0), row["log"]))[:count]
    sheet = Sheet(shown)
    if len({row["system"] for row in rows}) > 1:
        sheet.words(system="Logs of")
    sheet.words(test="Log")
    if any(row["sessions"] > 1 for row in rows):
        sheet.add("sessions", "Sessions", COUNT)
    sheet.add("steps", "Steps", COUNT)
    if any(row["untimed"] for row in rows):
        sheet.add("untimed", "Without time", COUNT)
    sheet.seconds("real_time_s", "Elapsed")
    sheet.seconds("cpu_s", "CPU")
    sheet.seconds("total_s", "Session total")
    sheet.seconds("outside_s", "Outside of steps")
    if any(row["overlapping"] for row in rows):
        sheet.seconds("overlap_s", "Steps beyond total")
    sheet.numbers(COUNT, errors="Errors", warnings="Warnings")
    note = "Elapsed and CPU: of all steps. A dash: the log does not print it."
    if len(rows) > count:
        note += f" Not shown: {len(rows) - count} logs of less time."
    return sheet.table("logs", "The logs, longest total step time first.", note)


@step(version=2, name="table.sas_libraries")
def table_libraries(libraries: Measured, *, count: int = 12) -> Table:
    """What was written and read by library, from ``sas.libraries``."""
    columns = ("library", "members", "notes_written", "rows_written", "notes_read", "rows_read")
    rows = measured_rows(libraries, "libraries", (*columns, "uncounted"))
    sheet = Sheet(rows[:count])
    sheet.words(library="Library")
    sheet.numbers(COUNT, members="Names", notes_written="Notes (written)")
    sheet.numbers(COUNT, rows_written="Rows written", notes_read="Notes (read)")
    sheet.add("rows_read", "Rows read", COUNT)
    if any(row["uncounted"] for row in rows):
        sheet.add("uncounted", "Notes without rows", COUNT)
    note = (
        "As counted by the notes: a data set that is written twice counts twice. Rows are not "
        "bytes."
    )
    if len(rows) > count:
        note += f" Not shown: {len(rows) - count} libraries of fewer rows."
    return sheet.table("libraries", "Rows written and read by library.", note)


@step(version=2, name="table.sas_written")
def table_written(written: Measured) -> Table:
    """The largest data sets written, with log and line, from ``sas.largest_written``."""
    rows = measured_rows(written, "written", ("log", "line", "name", "observations", "step_name"))
    sheet = Sheet(rows)
    sheet.words(name="Data set, table or file")
    sheet.numbers(COUNT, observations="Rows", variables="Columns")
    sheet.words(step_name="Procedure")
    sheet.seconds("real_time_s", "Elapsed")
    add_place(sheet)
    return sheet.table("written", "Most rows written.", "Elapsed: of the whole step.")


@step(version=2, name="table.sas_messages")
def table_messages(messages: Measured, *, count: int = 12) -> Table:
    """Errors and warnings, those of one text together, from ``sas.messages``."""
    rows = measured_rows(
        messages, "messages", ("level", "code", "text", "messages", "logs", "log", "line")
    )
    sheet = Sheet(rows[:count])
    sheet.words(level="Level", code="Code")
    sheet.add("text", "Message", None, lambda row: _cut(row["text"]))
    sheet.numbers(COUNT, messages="Number", logs="Logs")
    add_place(sheet)
    note = "Log and line: where the message first appears."
    if len(rows) > count:
        note += f" Not shown: {len(rows) - count} other texts."
    return sheet.table("messages", "Errors and warnings.", note)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()} ..."


@step(version=2, name="table.sas_step_changes")
def table_step_changes(changes: Measured) -> Table:
    """The steps whose times differ most between two sets of logs, from ``sas.step_changes``."""
    columns = ("system", "base", "log", "line", "name", "real_time_s", "base_real_time_s")
    rows = measured_rows(changes, "changes", (*columns, "difference_s", "cpu_s", "base_cpu_s"))
    sheet = Sheet(rows)
    bases = {row["base"] for row in rows}
    systems = {row["system"] for row in rows}
    name = systems.pop() if len(systems) == 1 else None
    if name is None:
        sheet.words(system="Logs of")
    add_place(sheet)
    sheet.words(name="Procedure")
    base = ", ".join(sorted(bases))
    sheet.seconds("base_real_time_s", f"{base}: elapsed")
    sheet.seconds("real_time_s", f"{name}: elapsed" if name else "Elapsed")
    sheet.seconds("base_cpu_s", f"{base}: CPU")
    sheet.seconds("cpu_s", f"{name}: CPU" if name else "CPU")
    sheet.seconds("difference_s", "Difference")
    note = f"The same step of the same log in both, by name and order. Log and line: not of {base}."
    return sheet.table("step-changes", "Steps whose times differ most.", note)
