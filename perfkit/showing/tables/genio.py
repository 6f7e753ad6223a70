"""Tables for print of GenIO's runs, as its summary prints them and with what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import UNITS, Format
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, IOPS, Sheet, measured_rows

_MOST_DECIMALS = 6


@step(version=2, name="table.genio_runs")
def table_runs(runs: Measured) -> Table:
    """One row a run, in GenIO's own units: IOPS, write cycle and WIJ time in s, latencies in ms.

    Numbers have the decimals that the summary printed. What the row computes from others (a missing
    column of IOPS) is told below the table. The target of each run and what was achieved of it
    stand at the right, named inferred where no target is printed.

    Raises AnalysisError for no run.
    """
    columns = ("host", "run", "position", "total_iops", "derived")
    rows = measured_rows(runs, "genio_runs", columns)
    sheet = Sheet(
        [
            {**row, "number": row.get("run_label") if row["run"] is None else str(row["run"])}
            for row in rows
        ]
    )
    sheet.differing(system="System", config="Config", host="Server")
    sheet.words(number="Run")
    for key, label, unit in _COLUMNS:
        sheet.add(key, label, _exact(rows, key, unit))
    origins = {row["target_origin"] for row in rows} - {None}
    word = "Inferred target" if origins == {"inferred"} else "Target"
    sheet.add("target_iops", f"{word} (IOPS)", IOPS)
    sheet.add("achieved_to_target_ratio", "Achieved (%)", Format("%", decimals=2))
    hosts: set[Any] = {row["host"] for row in rows} - {None}
    return sheet.table(
        "genio-runs",
        f"GenIO runs of {hosts.pop()}." if len(hosts) == 1 else "GenIO runs.",
        *_notes(rows),
    )


_COLUMNS = (
    ("read_iops", "Read IOPS", "IOPS"),
    ("write_iops", "Write IOPS", "IOPS"),
    ("total_iops", "Total IOPS", "IOPS"),
    ("longest_wij_time_s", "Longest WIJ time (s)", "s"),
    ("longest_write_cycle_s", "Longest write cycle (s)", "s"),
    ("effective_write_latency_s", "Effective write latency (ms)", "ms"),
    ("random_read_average_s", "Random read average (ms)", "ms"),
)


def _exact(rows: Sequence[Row], key: str, unit: str) -> Format:
    """The format with as many decimals as the values have: none is rounded away, none added."""
    scale = Decimal(repr(UNITS[unit].si))
    most = 0
    for row in rows:
        if row.get(key) is not None:
            shown = (Decimal(repr(float(row[key]))) / scale).normalize()
            most = max(most, -int(shown.as_tuple().exponent))
    return Format(unit, decimals=min(most, _MOST_DECIMALS))


def _notes(rows: Sequence[Row]) -> list[str]:
    derived = {name for row in rows for name in (row["derived"] or "").split(", ") if name}
    texts = [_DERIVED[name] for name in _DERIVED if name in derived]
    if any(row["target_origin"] == "inferred" for row in rows):
        texts.append(
            "Target of the i-th run, inferred from the command: minimum + (maximum - minimum) x i "
            "/ runs."
        )
    return texts


_DERIVED = {
    "read_iops": "Read IOPS are not printed: total less write.",
    "write_iops": "Write IOPS are not printed: total less read.",
    "total_iops": "Total IOPS are not printed: read plus write.",
}


@step(version=2, name="table.genio_commands")
def table_commands(commands: Measured) -> Table:
    """The command lines of GenIO's tools, as written, one row a server and tool."""
    require_columns(commands.frame, ("tool", "server", "command"), "genio_commands")
    rows = commands.frame.unique(["tool", "server", "command"], maintain_order=True)
    if rows.is_empty():
        raise AbsentError("genio_commands: no command line, so no table")
    sheet = Sheet(rows.rows(named=True))
    sheet.words(server="Server", tool="Tool", command="Command")
    return sheet.table("genio-commands", "Commands of the test.")


@step(version=2, name="table.cluster_totals")
def table_cluster_totals(totals: Measured) -> Table:
    """What the servers gave together, one row a run: sums, longest times, weighted means.

    A run that is not there on every server has no numbers.
    """
    require_columns(
        totals.frame, ("run", "position", "hosts", "total_iops", "matched_by"), "cluster totals"
    )
    rows = [row for row in totals.frame.rows(named=True) if row["hosts"] > 1]
    if not rows:
        raise AbsentError("cluster totals: no test of several servers, so nothing is added up")
    sheet = Sheet(
        [
            {**row, "number": str(row["run"] if row["run"] is not None else row["position"])}
            for row in rows
        ]
    )
    sheet.differing(system="System", config="Config")
    sheet.words(number="Run")
    sheet.varying("hosts", "Servers", Format("1", decimals=0))
    for key, label, unit in _COLUMNS:
        sheet.add(key, label, Format(unit, decimals={"IOPS": 0, "s": 2}.get(unit, 3)))
    matched = ", ".join(sorted({str(row["matched_by"]) for row in rows}))
    note = (
        "IOPS are summed over the servers, times are the longest, latencies are weighted by writes "
        f"or reads. Runs are matched by {matched}."
    )
    return sheet.table("cluster-totals", "Totals over the servers, run by run.", note)


@step(version=2, name="table.ranread_runs")
def table_ranread_runs(runs: Measured) -> Table:
    """One row a run: processes, IOPS, response time, and whether the three fit each other.

    Processes = IOPS x response time by construction of the tool: where the check fails, columns
    are mixed up or a value is wrong; a layout without response time cannot be checked.
    """
    columns = ("processes", "total_iops", "response_time_s", "little_check")
    rows = measured_rows(runs, "ranread_runs", columns)
    sheet = Sheet(rows)
    sheet.differing(system="System", config="Config", host="Host", tool="Tool")
    sheet.words(started_at="Started")
    sheet.numbers(COUNT, processes="Processes", read_iops="Read IOPS")
    note = None
    if any(row["write_iops"] for row in rows):
        sheet.add("write_iops", "Writes/s (to memory)", COUNT)
        note = "Writes go to the database cache: they are not writes of the storage."
    sheet.metric("response_time_s", "Response time", "lat_mean_s")
    sheet.varying("response_time_origin", "Response time is")
    sheet.varying("little_check", "IOPS x time = processes")
    return sheet.table("ranread-runs", "Runs of RANREAD.", note)
