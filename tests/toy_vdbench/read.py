"""vdbench's flatfile.html: one row an interval of a run, and one of each run's averages."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Schema, number, text, whole
from perfkit.core.units import MIB
from perfkit.sources.files import file_bytes, reader, text_of

VDBENCH_RUNS: Schema = {
    "line": whole("line in the file"),
    "run": text("run definition (rd=)"),
    "threads": whole("threads (forthreads=)"),
    "iops": number("mean rate over the run", "1/s"),
    "bw_bytes_per_s": number("mean data rate over the run", "bytes/s"),
    "lat_mean_s": number("mean response time over the run", "s"),
    "lat_max_s": number("longest response time of the run", "s"),
}
_NEEDED = ("Run", "Interval", "rate", "MB/sec", "resp", "resp_max", "threads")
_HEAD = re.compile(r"^\s*tod\s+Run\s+Interval\s+reqrate\s+rate\s", re.M)


def is_vdbench(head: str) -> bool:
    """Whether the text has the header of a flat file."""
    return bool(_HEAD.search(head))


@reader
def read_vdbench(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read a flat file: the averages of each run as ``vdbench_runs`` and ``load_points``.

    Raises ParseError naming the line: no header, a column missing, a cell lost, or no number.
    """
    place = Path(path)
    label = proof.label(place, root)
    data = file_bytes(place, label)
    rows, names = [], None
    for line_number, line in enumerate(text_of(data, label).splitlines(), 1):
        cells = line.split()
        if _HEAD.match(line):
            names = cells
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                raise ParseError(label, f"no column {missing[0]!r}", line_number)
        elif names and len(cells) > 1 and not line.startswith("*"):
            if len(cells) != len(names):
                raise ParseError(
                    label, f"{len(cells)} cells below {len(names)} columns", line_number
                )
            row = dict(zip(names, cells, strict=True))
            if row["Interval"].startswith("avg_"):
                rows.append(_run(row, label, line_number))
    if not rows:
        raise ParseError(label, "no averages of a run of vdbench in it")
    runs = schema.conform(pl.DataFrame(rows), VDBENCH_RUNS, label)
    points = runs.select(
        pl.col("run").alias("workload"),
        pl.lit("threads").alias("load_kind"),
        pl.col("threads").cast(pl.Float64).alias("load"),
        pl.lit(1).alias("repeat"),
        pl.lit("total").alias("direction"),
        pl.col("iops", "bw_bytes_per_s", "lat_mean_s", "lat_max_s"),
        pl.col("threads").cast(pl.Float64).alias("in_flight"),
    )
    found = Evidence(
        kind="vdbench",
        path=label,
        sha256=proof.sha256_bytes(data),
        tool="vdbench",
        sections=(Section("vdbench_runs", "found", runs.height),),
        unverified=True,
    )
    tables = {
        "vdbench_runs": runs,
        "load_points": schema.conform(points, schema.LOAD_POINTS, label),
    }
    return reading("read.vdbench", 1, tables, found)


def _run(row: dict[str, str], label: str, line: int) -> dict[str, str | int | float]:
    try:
        return {
            "line": line,
            "run": row["Run"],
            "threads": int(row["threads"]),
            "iops": float(row["rate"]),
            "bw_bytes_per_s": float(row["MB/sec"]) * MIB,
            "lat_mean_s": float(row["resp"]) / 1000,
            "lat_max_s": float(row["resp_max"]) / 1000,
        }
    except ValueError as problem:
        raise ParseError(label, f"a cell is not a number: {problem}", line) from problem
