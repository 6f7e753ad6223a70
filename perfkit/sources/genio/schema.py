"""The tables of ``read_genio``: one row a run of one server, and the commands that started it.

Times are in seconds as everywhere inside perfkit: GenIO prints the effective write latency and the
random-read average in milliseconds. The common table ``load_points`` comes beside these.
"""

from __future__ import annotations

import polars as pl

from perfkit.core.schema import KEYS, Field, Schema

PRINTED = "printed"
INFERRED = "inferred"

GENIO_RUNS: Schema = {
    "system": KEYS["system"],
    "config": KEYS["config"],
    "workload": KEYS["workload"],
    "host": Field(pl.String, None, "server: the study's label, else --system, else null"),
    "test": Field(pl.String, None, "--comment of the command: what the runs of one test share"),
    "run": Field(pl.Int64, None, "run number as printed (10, 11, ...); null where it is no number"),
    "run_label": Field(pl.String, None, "the run as printed where it is not a plain number"),
    "position": Field(pl.Int64, None, "place of the run in its file, from 1"),
    "started_at": Field(pl.Datetime("us"), None, "start as printed, local time; null: not printed"),
    "ended_at": Field(pl.Datetime("us"), None, "end as printed, local time; null: not printed"),
    "target_iops": Field(
        pl.Float64, "1/s", "offered rate: as printed, or by the ramp rule of the command"
    ),
    "target_origin": Field(
        pl.String, None, "printed, or inferred (the ramp rule); null: no target"
    ),
    "achieved_to_target_ratio": Field(
        pl.Float64, None, "derived: total_iops / target_iops; 0.98 is GenIO's normal, no shortfall"
    ),
    "read_iops": Field(pl.Float64, "1/s", "reads; total - write where the column is missing"),
    "write_iops": Field(pl.Float64, "1/s", "writes; total - read where the column is missing"),
    "total_iops": Field(pl.Float64, "1/s", "all I/Os; read + write where the column is missing"),
    "longest_write_cycle_s": Field(pl.Float64, "s", "longest write cycle of the run"),
    "longest_wij_time_s": Field(pl.Float64, "s", "longest time to write the image journal"),
    "effective_write_latency_s": Field(pl.Float64, "s", "GenIO's effective write latency"),
    "random_read_average_s": Field(pl.Float64, "s", "mean latency of random reads"),
    "read_ratio": Field(pl.Float64, None, "derived: read_iops / total_iops"),
    "derived": Field(
        pl.String, None, "which of read, write and total_iops this row computes; null: none"
    ),
    "line": Field(pl.Int64, None, "line of the file"),
}
"""One row a run. Columns that perfkit does not know are kept under ``genio_extra``."""

GENIO_EXTRA: Schema = {
    "position": GENIO_RUNS["position"],
    "run": GENIO_RUNS["run"],
    "column": Field(pl.String, None, "heading of a column that perfkit does not know, as printed"),
    "text": Field(pl.String, None, "the cell as printed; null: empty"),
    "line": GENIO_RUNS["line"],
}
"""One row a cell of an unknown column, kept as printed."""

GENIO_COMMANDS: Schema = {
    "tool": Field(pl.String, None, "RampRun.pl, or dgen.pl"),
    "command": Field(pl.String, None, "the command line as written"),
    "min_iops": Field(pl.Float64, "1/s", "--miniops: below the first run (see target_iops)"),
    "max_iops": Field(pl.Float64, "1/s", "--maxiops: the last run's target"),
    "num_runs": Field(pl.Int64, None, "--numruns"),
    "runtime": Field(pl.Float64, None, "--runtime as given; its unit is not documented publicly"),
    "server": Field(
        pl.String, None, "--system: the server (system is what the study calls the array)"
    ),
    "comment": Field(pl.String, None, "--comment, quoted or not"),
    "wij_file": Field(pl.String, None, "--wijfile: where the write image journal is written"),
    "directory": Field(pl.String, None, "--directory of dgen.pl"),
    "jobs": Field(pl.Int64, None, "--jobs of dgen.pl"),
    "fill_ratio": Field(pl.Float64, None, "--pctfull of dgen.pl as a ratio"),
    "fill_origin": Field(
        pl.String, None, "printed, or default (0.95 where --pctfull is not given)"
    ),
    "background": Field(pl.Boolean, None, "--background was given"),
    "warmup_disabled": Field(pl.Boolean, None, "--disable-warmup was given"),
    "quiet": Field(pl.Boolean, None, "--quiet was given"),
    "file": Field(pl.String, None, "the file the command stands in; null: given by the caller"),
    "line": Field(pl.Int64, None, "line of that file"),
}
"""One row a command line."""

GENIO_OPTIONS: Schema = {
    "tool": GENIO_COMMANDS["tool"],
    "option": Field(pl.String, None, "name without dashes"),
    "value": Field(pl.String, None, "as given; null for a switch"),
    "dashes": Field(pl.String, None, "as written: -- , - , or a dash that a word processor made"),
    "known": Field(pl.Boolean, None, "whether perfkit knows the option"),
}
"""One row an option of a command line."""
