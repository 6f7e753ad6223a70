"""RanRead, RanWrite and RanIO of InterSystems: exports and console output as runs."""

from __future__ import annotations

import datetime as dt
import gzip
import re
import zlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.sources.files import file_bytes, reader
from perfkit.sources.ranread.console import console_runs, is_console
from perfkit.sources.ranread.export import export_rows, is_export
from perfkit.sources.ranread.schema import NOT_CHECKABLE, OFF, OK, RANREAD_RUNS
from perfkit.sources.separated import text_of_bytes

VERSION = 1
CONSOLE = "console"
TOLERANCE = 0.05
"""IOPS x response time may differ from the processes by so much, beside the rounding of a print."""

LATENCY_STEP = Decimal("0.001")
MOST = 1e9
DAY_S = 86_400.0
SLOW_S = 1.0
_TOOL = re.compile(r"Ran(?:Read|Write|IO)", re.I)
_TOOLS = {name.lower(): name for name in ("RanRead", "RanWrite", "RanIO")}
MIDNIGHT = "the tool's clock wrapped around midnight (or its time zone differs from UTC)"


def is_ranread(head: str) -> bool:
    """Whether the beginning of a file is an export or a transcript of one of the tools."""
    return is_export(head) or is_console(head)


@reader
def read_ranread(path: Path | str, *, root: Path | None = None) -> Reading:
    """Read an export of RanRead, RanWrite or RanIO, a listing of its table, or console output.

    Tables: ``ranread_runs`` (``perfkit.sources.ranread.schema``), one row a run, and
    ``load_points``: load_kind ``processes``; runs of as many processes are repeats.

    - Response times are in milliseconds in the file. Since 2024 the tools print none: for RanRead,
      where each process waits for its read, it is derived as processes / reads per second, and
      marked so. RanWrite and RanIO pause between transactions: nothing is derived for them.
    - IOPS x response time = processes holds by construction, so ``little_check`` finds columns that
      are mixed up and nothing else; it is "not checkable" where no response time is printed.
    - Writes go into the database cache; their rate is no rate of disk writes.
    - The tools' clock wraps around at midnight UTC: what is negative is null, with a warning.

    Source: intersystems-community/perftools-io-test-suite, classes PerfTools.RanRead, RanWrite and
    RanIO with their history, 2022 to 2026.

    Raises ParseError naming file, line and column: no such file, empty, neither export nor console
    output, a row that does not fit its heads, or a cell that is no number.
    """
    place = Path(path)
    label = proof.label(place, root)
    data = file_bytes(place, str(place))
    text = text_of_bytes(_unpacked(data, str(place)), str(place))
    rows, layout, notes = _rows(text, str(place))
    if not rows:
        raise ParseError(str(place), "; ".join(notes) or "no run in it")
    named = _TOOL.search(place.name)
    tool = _TOOLS[named[0].lower()] if named else None
    made = [_run(row, i, layout, tool, notes) for i, row in enumerate(rows, 1)]
    runs = schema.conform(
        pl.DataFrame(made, schema=schema.polars_schema(RANREAD_RUNS)), RANREAD_RUNS, label
    )
    notes.extend(_doubts(runs))
    frames = {"ranread_runs": runs, "load_points": _load_points(runs, label)}
    found = Evidence(
        kind="ranread",
        path=label,
        sha256=proof.sha256_bytes(data),
        tool=runs["tool"][0],
        tool_version=layout,
        sections=tuple(Section(name, "found", frame.height) for name, frame in frames.items()),
        warnings=tuple(dict.fromkeys(notes)),
    )
    return reading("read.ranread", VERSION, frames, found)


def _unpacked(data: bytes, path: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as problem:
        raise ParseError(path, f"gzip data is cut off or damaged: {problem}") from problem


def _rows(text: str, path: str) -> tuple[list[dict[str, Any]], str, list[str]]:
    if not is_export(text[:65536]) and is_console(text):
        console = console_runs(text, path)
        return console.runs, CONSOLE, console.warnings
    return export_rows(text, path)


# ---- one run


def _run(
    row: dict[str, Any], position: int, layout: str, tool: str | None, notes: list[str]
) -> Any:
    values = {name: _number(row, name, notes) for name in _NUMBERS}
    response = _scaled(row.get("response_ms"), values["response_ms"])
    rates = {"read": values["reads_per_s"], "write": values["writes_per_s"]}
    kind = row.get("tool") or tool or _tool_of(row)
    if values["iops"] is not None and kind != "RanIO":
        rates = {"read": None, "write": None} | {
            "write" if kind == "RanWrite" else "read": values["iops"]
        }
    total = values["iops"] if values["iops"] is not None else _sum(rates)
    processes = _whole(values["processes"])
    origin = None if response is None else "printed"
    if response is None and "response_ms" not in row and kind == "RanRead" and total and processes:
        response, origin = processes / total, "derived"
    ratio, check = _little(total, response if origin == "printed" else None, processes, row)
    elapsed, wrapped = _elapsed(row, values["seconds"], notes)
    impossible = wrapped or any(_negative(row.get(name)) for name in _CLOCKED)
    return {
        "tool": kind,
        "layout": layout,
        "host": None,
        "position": position,
        "job": _whole(values["job"]),
        "started_at": row.get("started_at"),
        "database": row.get("database"),
        "namespace": row.get("namespace"),
        "processes": processes,
        "iterations": _whole(values["iterations"]),
        "read_target_ratio": _percent(values["read_percent"]),
        "reads": _whole(values["reads"]),
        "writes": _whole(values["writes"]),
        "read_iops": rates["read"],
        "write_iops": rates["write"],
        "total_iops": total,
        "response_time_s": response,
        "response_time_origin": origin,
        "little_ratio": ratio,
        "little_check": check,
        "elapsed_s": elapsed,
        "crosses_midnight": True if impossible else _over_midnight(row, values, response),
        **_spreads(row, values, layout),
        "line": row["line"],
    }


_NUMBERS = (
    "processes", "iterations", "job", "reads", "writes", "reads_per_s", "writes_per_s", "iops",
    "response_ms", "read_percent", "seconds", "stddev_r", "stddev_w", "read_iops_stddev",
    "write_iops_stddev", "reads_cv_ratio", "writes_cv_ratio", "read_iops_cv_ratio",
    "write_iops_cv_ratio",
)  # fmt: skip
_CLOCKED = ("response_ms", "iops", "reads_per_s", "writes_per_s")
"""Numbers that the tool computes from its clock."""


def _number(row: dict[str, Any], name: str, notes: list[str]) -> float | None:
    """The value of a cell; one that cannot be is null, with a warning."""
    text = row.get(name)
    if text is None:
        return None
    value = float(str(text).replace(",", ""))
    zero = value == 0 and name in {"response_ms", "iops", "processes"}
    if name != "seconds" and (value < 0 or value > MOST or zero):
        why = MIDNIGHT if value < 0 and name in _CLOCKED else "no possible value"
        notes.append(f"line {row['line']}: {name} {text}: {why}; left out")
        return None
    return value


def _negative(text: str | None) -> bool:
    return text is not None and text.lstrip().startswith("-")


def _scaled(text: str | None, value: float | None) -> float | None:
    """Milliseconds as seconds, rounded once from the decimal digits."""
    if text is None or value is None:
        return None
    return float(Decimal(str(text).replace(",", "")) * LATENCY_STEP)


def _whole(value: float | None) -> int | None:
    return None if value is None or not value.is_integer() else int(value)


def _percent(value: float | None) -> float | None:
    return None if value is None else value / 100


def _sum(rates: dict[str, float | None]) -> float | None:
    known = [rate for rate in rates.values() if rate is not None]
    return sum(known) if known else None


def _tool_of(row: dict[str, Any]) -> str | None:
    """The tool by the fields it fills: RanRead no writes, RanWrite no reads and no database."""
    reads, writes = row.get("reads_per_s"), row.get("writes_per_s")
    if reads or writes:
        return "RanIO" if reads and writes else "RanRead" if reads else "RanWrite"
    if row.get("iterations") and row.get("iops"):
        return "RanRead" if row.get("database") else "RanWrite" if row.get("namespace") else None
    return "RanIO" if row.get("reads") and row.get("writes") else None


def _little(
    total: float | None, response: float | None, processes: int | None, row: dict[str, Any]
) -> tuple[float | None, str]:
    """IOPS x response time / processes, and what it says; the print of the time is rounded."""
    if total is None or response is None or not processes:
        return None, NOT_CHECKABLE
    ratio = total * response / processes
    exponent = Decimal(str(row["response_ms"]).replace(",", "")).as_tuple().exponent
    half = 0.5 * 10.0 ** int(exponent) / 1000
    allowed = TOLERANCE + half / response
    return ratio, OK if abs(ratio - 1) <= allowed else OFF


def _elapsed(
    row: dict[str, Any], seconds: float | None, notes: list[str]
) -> tuple[float | None, bool]:
    """The elapsed seconds of a transcript, and whether the tool's clock wrapped around."""
    if seconds is None:
        return None, False
    asked = row.get("asked")
    odd = seconds <= 0 or (asked is not None and not asked <= seconds <= 2 * asked + 60)
    if odd and row.get("tool") != "RanWrite":
        notes.append(f"line {row['line']}: {seconds:g} seconds: {MIDNIGHT}; left out")
        return None, True
    return seconds, False


def _over_midnight(
    row: dict[str, Any], values: dict[str, float | None], response: float | None
) -> bool | None:
    """Whether the run went over local midnight, where its length is known; None where it is not."""
    start = row.get("started_at")
    length = None
    if values["reads"] and values["reads_per_s"]:
        length = values["reads"] / values["reads_per_s"]
    elif values["iterations"] and response:
        length = values["iterations"] * response
    if not isinstance(start, dt.datetime) or length is None:
        return None
    return start.hour * 3600 + start.minute * 60 + start.second + length >= DAY_S


def _spreads(
    row: dict[str, Any], values: dict[str, float | None], layout: str
) -> dict[str, float | None]:
    """Standard deviations and their ratios; in May 2024 "StdDev" is divided by the mean."""
    names = ("read_iops_stddev", "write_iops_stddev", "reads_cv_ratio", "writes_cv_ratio",
             "read_iops_cv_ratio", "write_iops_cv_ratio")  # fmt: skip
    made = {name: values[name] for name in names}
    if layout.startswith("ReadsPS with CV"):
        return {**made, "reads_stddev": values["stddev_r"], "writes_stddev": values["stddev_w"]}
    return {
        **made,
        "reads_stddev": None,
        "writes_stddev": None,
        "reads_cv_ratio": values["stddev_r"] if row.get("reads") else None,
        "writes_cv_ratio": values["stddev_w"] if row.get("writes") else None,
    }


# ---- all runs


def _doubts(runs: pl.DataFrame) -> Iterator[str]:
    for row in runs.filter(pl.col("little_check") == OFF).rows(named=True):
        found = row["little_ratio"] * row["processes"]
        per_job = abs(row["little_ratio"] * row["processes"] - 1) <= TOLERANCE
        hint = (
            "the IOPS are of one process"
            if per_job
            else "columns are mixed up, or a value is wrong"
        )
        yield (
            f"line {row['line']}: IOPS x response time is {found:,.3g} processes, and "
            f"{row['processes']} are printed: {hint}"
        )
    for row in runs.filter(pl.col("response_time_s") >= SLOW_S).rows(named=True):
        yield f"line {row['line']}: a response time of 1 s or more: columns swapped, another unit?"
    for row in runs.filter(pl.col("crosses_midnight")).rows(named=True):
        yield f"line {row['line']}: the run crosses midnight: {MIDNIGHT}: its numbers are doubtful"
    if runs["write_iops"].null_count() < runs.height:
        yield "writes go into the database cache: their rate is not a rate of disk writes"


def _workload(row: dict[str, Any]) -> str:
    share = row["read_target_ratio"]
    mixed = row["tool"] == "RanIO" and share is not None
    return f"ranio, {share:.0%} reads" if mixed else (row["tool"] or "ranread").lower()


def _load_points(runs: pl.DataFrame, label: str) -> pl.DataFrame:
    """The common table; a run without processes or IOPS is no load point."""
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[Any, ...], int] = {}
    for run in runs.rows(named=True):
        if run["processes"] is None or run["total_iops"] is None:
            continue
        key = (run["tool"], run["database"], _workload(run), run["processes"])
        seen[key] = seen.get(key, 0) + 1
        rows.extend(_points(run, seen[key]))
    types = schema.polars_schema(schema.LOAD_POINTS)
    return schema.conform(pl.DataFrame(rows, schema=types), schema.LOAD_POINTS, label)


def _points(run: dict[str, Any], repeat: int) -> Iterator[dict[str, Any]]:
    base = {
        **dict.fromkeys(schema.LOAD_POINTS),
        "workload": _workload(run),
        "load_kind": "processes",
        "load": float(run["processes"]),
        "repeat": repeat,
    }
    closed = float(run["processes"]) if run["tool"] == "RanRead" else None
    whole = {"lat_mean_s": run["response_time_s"], "in_flight": closed}
    yield {**base, "direction": "total", "iops": run["total_iops"], **whole}
    one = (run["read_iops"] is None) != (run["write_iops"] is None)
    for direction in ("read", "write"):
        if run[f"{direction}_iops"] is not None:
            more = whole if one else {}
            yield {**base, "direction": direction, "iops": run[f"{direction}_iops"], **more}
