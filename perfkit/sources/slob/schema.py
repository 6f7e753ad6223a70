"""The tables of a SLOB run directory, beside those of the reports and host tools in it."""

from __future__ import annotations

from decimal import Decimal

from perfkit.core.schema import LOAD_POINTS, Schema, flag, number, text, whole
from perfkit.core.units import MIB

MICRO = Decimal("0.000001")
CENTI = Decimal("0.01")
ONE = Decimal(1)

FILE = text("name of the file in the directory")
REPORT = text("path of the report that the row is of")
LOAD = number("load point: threads (sessions) of the run the file is of")

POINTS: Schema = {"source": REPORT, **LOAD_POINTS}
"""The common table, of one report for each load."""

CONF: Schema = {
    "name": text("parameter of slob.conf, or variable set in it"),
    "value": text("as the shell takes it; null where redacted"),
    "redacted": flag("a password or connect string: not kept"),
}

REPORT_FILES: Schema = {
    "file": FILE,
    "kind": text("awr, statspack, iostat ..., awr_info; null: not read"),
    "threads": whole("load point of the file; null: not known"),
    "threads_from": text(
        "what says so: study (the caller's table), file name, content (awr_info), snapshots of "
        "another report, the only load point"
    ),
    "reason": text("why the file was not read"),
}
"""One row a file of the directory."""

INFO_COLUMNS: dict[str, tuple[str, Decimal, str | None, str]] = {
    "ELAPSED": ("elapsed_s", ONE, "s", "time between the snapshots"),
    "DB CPU": ("db_cpu_s_per_s", ONE, "s/s", "DB CPU per second"),
    "DB Tm": ("db_time_s_per_s", ONE, "s/s", "DB time per second"),
    "EXECUTES": ("executes_per_s", ONE, "1/s", "executions"),
    "LIO": ("logical_reads_blocks_per_s", ONE, "1/s", "blocks read from the cache"),
    "PREADS": (
        "physical_reads_per_s", ONE, "1/s", "physical reads; blocks or requests, by release of SLOB"
    ),
    "READ_MBS": ("read_bytes_per_s", Decimal(MIB), "bytes/s", "reads"),
    "PWRITES": (
        "physical_writes_per_s", ONE, "1/s",
        "physical writes; blocks or requests, by release of SLOB",
    ),
    "WRITE_MBS": ("write_bytes_per_s", Decimal(MIB), "bytes/s", "writes"),
    "REDO_MBS": ("redo_bytes_per_s", Decimal(MIB), "bytes/s", "redo"),
    "DFSR_LAT": ("db_file_sequential_read_s", MICRO, "s", "mean wait"),
    "DPR_LAT": ("direct_path_read_s", MICRO, "s", "mean wait"),
    "DFPR_LAT": ("db_file_parallel_read_s", MICRO, "s", "mean wait"),
    "DFPW_LAT": ("db_file_parallel_write_s", MICRO, "s", "mean wait"),
    "LFPW_LAT": ("log_file_parallel_write_s", MICRO, "s", "mean wait"),
}  # fmt: skip
"""Heading of awr_info.sh -> column, factor, unit, meaning. Waits are total time / waits."""

AWR_INFO: Schema = {
    "file": FILE,
    "report": text("the report that the row is of (FILE)"),
    "threads": whole("end of the report's name (SESSIONS); null: no number"),
    **{name: number(text, unit) for name, _, unit, text in INFO_COLUMNS.values()},
    "top_wait": text("first line of the top events, as printed"),
}

DB_STATS: Schema = {
    "file": FILE,
    "load": LOAD,
    "schema": text("schema (user) of SLOB"),
    "elapsed_s": number("time of the schema's work", "s"),
    "cpu_s": number("CPU time in it", "s"),
    "cpu_ratio": number("CPU share as printed"),
}
