"""The tables of ``read_genio``: one row a run of one server, and the commands that started it.

Times are in seconds as everywhere inside perfkit: GenIO prints the effective write latency and the
random-read average in milliseconds. The common table ``load_points`` comes beside these.
"""

from __future__ import annotations

from perfkit.core.schema import KEYS, Schema, flag, moment, number, text, whole

PRINTED = "printed"
INFERRED = "inferred"

GENIO_RUNS: Schema = {
    "system": KEYS["system"],
    "config": KEYS["config"],
    "workload": KEYS["workload"],
    "host": text("server: the study's label, else --system, else null"),
    "test": text("--comment of the command: what the runs of one test share"),
    "run": whole("run number as printed (10, 11, ...); null where it is not a number"),
    "run_label": text("the run as printed where it is not a plain number"),
    "position": whole("place of the run in its file, from 1"),
    "started_at": moment("start as printed, local time; null: not printed"),
    "ended_at": moment("end as printed, local time; null: not printed"),
    "target_iops": number("offered rate: as printed, or by the ramp rule of the command", "1/s"),
    "target_origin": text("printed, or inferred (the ramp rule); null: no target"),
    "achieved_to_target_ratio": number(
        "derived: total_iops / target_iops; 0.98 is GenIO's normal, no shortfall"
    ),
    "read_iops": number("reads; total - write where the column is missing", "1/s"),
    "write_iops": number("writes; total - read where the column is missing", "1/s"),
    "total_iops": number("all I/Os; read + write where the column is missing", "1/s"),
    "longest_write_cycle_s": number("longest write cycle of the run", "s"),
    "longest_wij_time_s": number("longest time to write the image journal", "s"),
    "effective_write_latency_s": number("GenIO's effective write latency", "s"),
    "random_read_average_s": number("mean latency of random reads", "s"),
    "read_ratio": number("derived: read_iops / total_iops"),
    "derived": text("which of read, write and total_iops this row computes; null: none"),
    "line": whole("line of the file"),
}
"""One row a run. Columns that perfkit does not know are kept under ``genio_extra``."""

GENIO_EXTRA: Schema = {
    "position": GENIO_RUNS["position"],
    "run": GENIO_RUNS["run"],
    "column": text("heading of a column that perfkit does not know, as printed"),
    "text": text("the cell as printed; null: empty"),
    "line": GENIO_RUNS["line"],
}
"""One row a cell of an unknown column, kept as printed."""

GENIO_COMMANDS: Schema = {
    "tool": text("RampRun.pl, or dgen.pl"),
    "command": text("the command line as written"),
    "min_iops": number("--miniops: below the first run (see target_iops)", "1/s"),
    "max_iops": number("--maxiops: the last run's target", "1/s"),
    "num_runs": whole("--numruns"),
    "runtime": number("--runtime as given; its unit is not documented publicly"),
    "server": text("--system: the server (system is what the study calls the array)"),
    "comment": text("--comment, quoted or not"),
    "wij_file": text("--wijfile: where the write image journal is written"),
    "directory": text("--directory of dgen.pl"),
    "jobs": whole("--jobs of dgen.pl"),
    "fill_ratio": number("--pctfull of dgen.pl as a ratio"),
    "fill_origin": text("printed, or default (0.95 where --pctfull is not given)"),
    "background": flag("--background was given"),
    "warmup_disabled": flag("--disable-warmup was given"),
    "quiet": flag("--quiet was given"),
    "file": text("the file the command stands in; null: given by the caller"),
    "line": whole("line of that file"),
}
"""One row a command line."""
