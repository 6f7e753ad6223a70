"""Tables of SAS logs without a job table: the logs, libraries, messages, and steps side by side."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import require_rows
from perfkit.core.lineage import Measured, step
from perfkit.showing.tables.sas import add_place
from perfkit.showing.tables.sheet import COUNT, Sheet

if TYPE_CHECKING:
    from perfkit.core.values import Table

_LONGEST_TEXT = 160
_rows = functools.partial(require_rows, otherwise="no table")


@step(version=2, name="table.sas_logs")
def table_logs(logs: Measured, *, count: int = 15) -> Table:
    """The logs, those of the longest time first, from ``sas.logs``."""
    columns = ("log", "system", "test", "sessions", "steps", "untimed", "real_time_s", "errors")
    rows = _rows(logs, "logs", columns)
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
    return sheet.table("logs", "The logs, those of the longest steps first.", note)


@step(version=2, name="table.sas_libraries")
def table_libraries(libraries: Measured, *, count: int = 12) -> Table:
    """What was written and read by library, from ``sas.libraries``."""
    columns = ("library", "members", "notes_written", "rows_written", "notes_read", "rows_read")
    rows = _rows(libraries, "libraries", (*columns, "uncounted"))
    sheet = Sheet(rows[:count])
    sheet.words(library="Library")
    sheet.numbers(COUNT, members="Names", notes_written="Notes (written)")
    sheet.numbers(COUNT, rows_written="Rows written", notes_read="Notes (read)")
    sheet.add("rows_read", "Rows read", COUNT)
    if any(row["uncounted"] for row in rows):
        sheet.add("uncounted", "Notes without rows", COUNT)
    note = "As the notes count: a data set that is written twice counts twice. Rows are no bytes."
    if len(rows) > count:
        note += f" Not shown: {len(rows) - count} libraries of fewer rows."
    return sheet.table("libraries", "Rows written and read by library.", note)


@step(version=2, name="table.sas_written")
def table_written(written: Measured) -> Table:
    """The largest data sets written, with log and line, from ``sas.largest_written``."""
    rows = _rows(written, "written", ("log", "line", "name", "observations", "step_name"))
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
    rows = _rows(messages, "messages", ("level", "code", "text", "messages", "logs", "log", "line"))
    sheet = Sheet(rows[:count])
    sheet.words(level="Level", code="Code")
    sheet.add("text", "Message", None, lambda row: _cut(row["text"]))
    sheet.numbers(COUNT, messages="Number", logs="Logs")
    add_place(sheet)
    note = "Log and line are those of the first."
    if len(rows) > count:
        note += f" Not shown: {len(rows) - count} other texts."
    return sheet.table("messages", "Errors and warnings.", note)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()} ..."


@step(version=2, name="table.sas_step_changes")
def table_step_changes(changes: Measured) -> Table:
    """The steps whose times differ most between two sets of logs, from ``sas.step_changes``."""
    columns = ("system", "base", "log", "line", "name", "real_time_s", "base_real_time_s")
    rows = _rows(changes, "changes", (*columns, "difference_s", "cpu_s", "base_cpu_s"))
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
