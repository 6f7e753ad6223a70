"""Whether the numbers of a summary agree with each other: sums, mix, order, and the ramp."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from perfkit.core.errors import ParseError
from perfkit.sources.genio.columns import SHOWN

ROUNDING = 1.5
"""Three whole numbers rounded apart can differ from their sum by so much."""

SUM_SHARE = 0.01
"""A larger difference is not rounding over servers: columns are mixed up, or a value is wrong."""

USUAL_READS = (0.70, 0.80)
"""GenIO mixes three reads to one write: 75.4% in each run of TR-4784 (Tables 4, 7 to 9)."""

USUAL_TARGET = (0.95, 1.02)
"""Published runs achieve 98.2% to 98.5% of the inferred target."""

SHORTEST_CYCLE_S = 1.0
LONGEST_LATENCY_S = 1.0


def refuse_second(runs: pl.DataFrame, again: Sequence[int], path: str) -> None:
    """ParseError where the heads come again and the runs begin anew: the summary of another test.

    Its runs would look like repeats of the first one's. Runs that go on rising are of one test.
    """
    for line in again:
        above, below = runs.filter(pl.col("line") < line), runs.filter(pl.col("line") > line)
        both = above.join(below, on=["host", "run"], how="inner", nulls_equal=True)
        if both.height or above["run"].has_nulls():
            problem = "a second summary begins here, whose runs are those of the one above"
            raise ParseError(path, f"{problem}: put each into a file of its own", line)


def warnings(runs: pl.DataFrame) -> Iterator[str]:
    """One warning for each kind of problem, with its lines."""
    yield from _sums(runs.filter(_SUM))
    for condition, text in _RULES:
        lines = runs.filter(condition)["line"]
        if len(lines):
            yield f"{_lines(lines)}: {text}"
    yield from _runs(runs)


def _sums(off: pl.DataFrame) -> Iterator[str]:
    """Read and write against the printed total: what is off by much, and what by little."""
    off = off.with_columns(sum=pl.col("read_iops") + pl.col("write_iops"))
    is_large = (pl.col("sum") - pl.col("total_iops")).abs() > SUM_SHARE * pl.col("total_iops")
    large, small = off.filter(is_large), off.filter(~is_large)
    for part, text in ((large, ": columns swapped, or a value is wrong"), (small, "")):
        if part.height:
            row = part.row(0, named=True)
            more = f" (and {part.height - 1:,} more rows)" if part.height > 1 else ""
            yield (
                f"line {row['line']}: read + write is {row['sum']:,.0f} IOPS, total "
                f"{row['total_iops']:,.0f}: {row['total_iops'] - row['sum']:+,.0f}{text}{more}"
            )


_OFF = (pl.col("read_iops") + pl.col("write_iops") - pl.col("total_iops")).abs() > ROUNDING
_SUM = _OFF & pl.col("derived").is_null()

_RULES = (
    (
        (pl.col("total_iops") > 0) & ~pl.col("read_ratio").is_between(*USUAL_READS),
        "reads are not 70% to 80% of the I/O as GenIO mixes them: columns swapped?",
    ),
    (
        pl.col("longest_wij_time_s") > pl.col("longest_write_cycle_s"),
        "the WIJ time is longer than the write cycle it is a part of: columns swapped?",
    ),
    (
        pl.col("longest_write_cycle_s") < SHORTEST_CYCLE_S,
        "a write cycle below 1 s: columns swapped, or another unit?",
    ),
    (
        pl.col("effective_write_latency_s") >= LONGEST_LATENCY_S,
        "an effective write latency of 1 s or more: columns swapped, or another unit?",
    ),
    (
        pl.col("random_read_average_s") >= LONGEST_LATENCY_S,
        "a random-read average of 1 s or more: columns swapped, or another unit?",
    ),
    (pl.col("total_iops") == 0, "0 IOPS: the run did nothing"),
    (
        (pl.col("target_origin") == "inferred")
        & ~pl.col("achieved_to_target_ratio").is_between(*USUAL_TARGET),
        "achieved less than 95% or more than 102% of the inferred target: a shortfall, or the "
        "command is of another test",
    ),
)


def _runs(runs: pl.DataFrame) -> Iterator[str]:
    """Runs that are there twice, and numbers that do not rise."""
    one = runs["host"].n_unique() == 1
    if one and (runs["run"].diff().drop_nulls() > 0).all():
        return
    known = runs.filter(pl.col("run").is_not_null())
    twice = known.filter(pl.struct("host", "run").is_duplicated())
    if twice.height:
        numbers = ", ".join(str(run) for run in twice["run"].unique().sort().head(SHOWN))
        more = " ..." if twice["run"].n_unique() > SHOWN else ""
        yield f"{_lines(twice['line'])}: run {numbers}{more} is there more than once"
    elif one:
        yield "the runs are not in the order of their numbers"


def _lines(lines: pl.Series) -> str:
    shown = ", ".join(str(line) for line in lines.head(SHOWN))
    more = f" and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
    return f"{'lines' if len(lines) > 1 else 'line'} {shown}{more}"
