"""The tables of one summary: runs with what is derived and inferred, and their load points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import polars as pl

from perfkit.core import schema
from perfkit.core.schema import Row
from perfkit.sources.files import frame
from perfkit.sources.genio.columns import Columns, run_columns
from perfkit.sources.genio.commands import Command, target
from perfkit.sources.genio.names import METRICS
from perfkit.sources.genio.schema import (
    GENIO_COMMANDS,
    GENIO_EXTRA,
    INFERRED,
    PRINTED,
)

SUMS = {
    "read_iops": pl.col("total_iops") - pl.col("write_iops"),
    "write_iops": pl.col("total_iops") - pl.col("read_iops"),
    "total_iops": pl.col("read_iops") + pl.col("write_iops"),
}
"""Each rate from the other two, where nothing is printed for it."""

WORKLOAD = "genio"
NO_TARGET_KIND, TARGET_KIND = "run", "target_iops"


def runs_frame(
    columns: Columns,
    numbers: dict[str, pl.Series],
    times: dict[str, pl.Series],
    host: str | None,
    test: str | None,
) -> pl.DataFrame:
    """``genio_runs`` before the targets."""
    lines = columns.table.lines.cast(pl.Int64)
    runs = pl.DataFrame({"line": lines, **run_columns(columns)}).with_columns(
        *(numbers[name].alias(name) for name in numbers),
        *(pl.lit(None, dtype=pl.Float64).alias(name) for name in METRICS if name not in numbers),
        *(made.alias(name) for name, made in times.items()),
        _text(columns, "host", host),
        _text(columns, "test", test),
        pl.lit(WORKLOAD).alias("workload"),
    )
    return _derive(columns, runs).with_columns(
        position=pl.int_range(1, pl.len() + 1),
        read_ratio=pl.when(pl.col("total_iops") > 0).then(
            pl.col("read_iops") / pl.col("total_iops")
        ),
    )


def _text(columns: Columns, name: str, given: str | None) -> pl.Expr:
    head = columns.by_name.get(name)
    if head is None:
        return pl.lit(given, dtype=pl.String).alias(name)
    printed = pl.lit(columns.texts(head)).cast(pl.String).str.strip_chars()
    return printed.fill_null(pl.lit(given, dtype=pl.String)).alias(name)


def _derive(columns: Columns, runs: pl.DataFrame) -> pl.DataFrame:
    """Rates that are not printed from the other two; ``derived`` names them.

    A rate that is printed and impossible stays null: only an empty cell is filled.
    """
    empty = {}
    for name in SUMS:
        head = columns.by_name.get(name)
        if head is None:
            empty[name] = pl.lit(value=True)
        elif runs[name].null_count():
            empty[name] = pl.lit(columns.empty(head))
    if not empty:
        return runs.with_columns(derived=pl.lit(None, dtype=pl.String))
    can = {
        name: flag & SUMS[name].is_not_null() & (SUMS[name] >= 0) for name, flag in empty.items()
    }
    names = [pl.when(flag).then(pl.lit(name)) for name, flag in can.items()]
    derived = pl.concat_str(names, separator=", ", ignore_nulls=True)
    values = [
        pl.when(flag).then(SUMS[name]).otherwise(pl.col(name)).alias(name)
        for name, flag in can.items()
    ]
    return runs.with_columns(*values, pl.when(derived != "").then(derived).alias("derived"))


def with_targets(runs: pl.DataFrame, command: Command | None) -> tuple[pl.DataFrame, str | None]:
    """The runs with target, its origin and achieved / target; and why there is none.

    A printed target counts; else the ramp rule of the command, for as many runs as it says.
    """
    if "target_iops" in runs.columns:
        origin = pl.when(pl.col("target_iops").is_not_null()).then(pl.lit(PRINTED))
        return _achieved(runs.with_columns(target_origin=origin)), None
    none = runs.with_columns(
        target_iops=pl.lit(None, dtype=pl.Float64), target_origin=pl.lit(None, dtype=pl.String)
    )
    if command is None:
        return _achieved(none), None
    asked = command.parameters
    low, high, count = asked.min_iops, asked.max_iops, asked.num_runs
    if low is None or high is None or count is None:
        return _achieved(none), "the command names no ramp"
    targets = pl.lit(low)
    if low != high:
        hosts = runs["host"].n_unique()
        if runs.height != count * hosts:
            return _achieved(none), (
                f"{runs.height} runs where the command asks for {count}: which run is which step "
                "of the ramp is not known, no targets"
            )
        targets = target(low, high, count, _step(runs))
    made = runs.with_columns(target_iops=targets, target_origin=pl.lit(INFERRED))
    return _achieved(made), None


def _step(runs: pl.DataFrame) -> pl.Expr:
    """Which step of its server's ramp each run is, from 1: by number, else by place in the file."""
    place = pl.int_range(1, pl.len() + 1)
    one = runs["host"].n_unique() == 1
    if one and (runs["run"].diff().drop_nulls() > 0).all():
        return place
    # numbers count where every run of a server has one of its own
    if not (runs["run"].has_nulls() or runs.select("host", "run").is_duplicated().any()):
        place = pl.col("run").rank("ordinal")
    return place.cast(pl.Int64) if one else place.cast(pl.Int64).over("host")


def _achieved(runs: pl.DataFrame) -> pl.DataFrame:
    ratio = pl.col("total_iops") / pl.col("target_iops")
    return runs.with_columns(
        achieved_to_target_ratio=pl.when(pl.col("target_iops") > 0).then(ratio)
    )


def load_points(runs: pl.DataFrame, label: str) -> pl.DataFrame:
    """The common table: each run's total, and its reads and writes where they are known.

    ``load`` is the target where there is one, so that the runs of a constant ramp are repeats of
    one load; else the run. The mean latency of the reads is GenIO's random-read average; the
    effective write latency is not a mean over I/Os and stays in ``genio_runs``.
    """
    paced = runs["target_iops"].null_count() == 0 and runs.height > 0
    kind = TARGET_KIND if paced else NO_TARGET_KIND
    load = pl.col("target_iops") if paced else pl.coalesce("run", "position").cast(pl.Float64)
    base = runs.select(
        "host",
        pl.col("workload"),
        pl.lit(kind).alias("load_kind"),
        load.alias("load"),
        "target_iops",
        "total_iops",
        "read_iops",
        "write_iops",
        "random_read_average_s",
    )
    base = base.with_columns(repeat=_repeat(base))
    parts = [_direction(base, "total", "total_iops", target=True)]
    if base["read_iops"].null_count() < base.height or _has(base, "random_read_average_s"):
        parts.append(_direction(base, "read", "read_iops", latency="random_read_average_s"))
    if _has(base, "write_iops"):
        parts.append(_direction(base, "write", "write_iops"))
    return schema.conform(pl.concat(parts, how="diagonal"), schema.LOAD_POINTS, label)


def _has(runs: pl.DataFrame, name: str) -> bool:
    return runs[name].null_count() < runs.height


def _repeat(base: pl.DataFrame) -> pl.Expr:
    if base["load"].n_unique() == base.height:
        return pl.lit(1, dtype=pl.Int64)
    keys = [name for name in ("host", "load") if base[name].n_unique() > 1]
    number = pl.int_range(1, pl.len() + 1)
    return number.over(keys) if keys else number


def _direction(
    base: pl.DataFrame, name: str, rate: str, *, latency: str | None = None, target: bool = False
) -> pl.DataFrame:
    more = [pl.col(latency).alias("lat_mean_s")] if latency else []
    wanted = [pl.col("target_iops")] if target else []
    return base.select(
        "host",
        "workload",
        "load_kind",
        "load",
        "repeat",
        pl.lit(name).alias("direction"),
        pl.col(rate).alias("iops"),
        *more,
        *wanted,
    )


def extra_frame(columns: Columns, runs: pl.DataFrame, label: str) -> pl.DataFrame:
    """The cells of columns that perfkit does not know."""
    parts = [
        runs.select("position", "run", "line").with_columns(
            pl.lit(head.printed).alias("column"), columns.texts(head).alias("text")
        )
        for head in columns.heads
        if head.name is None and (head.printed or columns.texts(head).is_not_null().any())
    ]
    types = schema.polars_schema(GENIO_EXTRA)
    return schema.conform(
        pl.concat(parts) if parts else pl.DataFrame(schema=types), GENIO_EXTRA, label
    )


def command_frames(commands: Sequence[Command], label: str) -> dict[str, pl.DataFrame]:
    """``genio_commands``."""
    lines: list[Row] = [
        {**asdict(c.parameters), "tool": c.tool, "command": c.text, "file": c.file, "line": c.line}
        for c in commands
    ]
    return {"genio_commands": frame(lines, GENIO_COMMANDS, label)}
