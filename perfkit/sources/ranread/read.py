"""RanRead, RanWrite and RanIO of InterSystems: exports and console output as runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.sources.files import File, frame, reader, table_text
from perfkit.sources.ranread.console import console_runs, is_console
from perfkit.sources.ranread.export import export_runs, is_export
from perfkit.sources.ranread.schema import NOT_CHECKABLE, OFF, OK, RANREAD_RUNS, PrintedRun

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
    - Writes go into the database cache; their rate is not a rate of disk writes.
    - The tools' clock wraps around at midnight UTC: what is negative is null, with a warning.

    Source: intersystems-community/perftools-io-test-suite, classes PerfTools.RanRead, RanWrite and
    RanIO with their history, 2022 to 2026.

    Raises ParseError naming file, line and column: no such file, empty, neither export nor console
    output, a row that does not fit its heads, or a cell that is not a number.
    """
    file = File.of(path, root)
    text = table_text(file.data, file.path)
    if not is_export(text[:65536]) and is_console(text):
        console = console_runs(text, file.path)
        printed, layout, notes = console.runs, CONSOLE, console.warnings
    else:
        printed, layout, notes = export_runs(text, file.path)
    if not printed:
        raise ParseError(file.path, "; ".join(notes) or "no run in it")
    named = _TOOL.search(Path(path).name)
    tool = _TOOLS[named[0].lower()] if named else None
    rows = [_run(run, i, layout, tool, notes) for i, run in enumerate(printed, 1)]
    runs = frame(rows, RANREAD_RUNS, file.label)
    notes.extend(_doubts(runs))
    frames = {"ranread_runs": runs, "load_points": _load_points(runs, file.label)}
    found = file.evidence(
        "ranread",
        runs["tool"][0],
        tool_version=layout,
        sections=tuple(Section(name, "found", table.height) for name, table in frames.items()),
        warnings=tuple(dict.fromkeys(notes)),
    )
    return reading("read.ranread", VERSION, frames, found)


# ---- one run


def _run(run: PrintedRun, position: int, layout: str, tool: str | None, notes: list[str]) -> Row:
    """The row of ``ranread_runs``."""
    printed = run.numbers
    values = {name: _number(run, name, notes) for name in _NUMBERS}
    kind = run.tool or tool or _tool_of(run)
    rates = {"read": values["reads_per_s"], "write": values["writes_per_s"]}
    if values["iops"] is not None and kind != "RanIO":
        rates = {"read": None, "write": None}
        rates["write" if kind == "RanWrite" else "read"] = values["iops"]
    known = [rate for rate in rates.values() if rate is not None]
    total = values["iops"] if values["iops"] is not None else sum(known) if known else None
    processes = _whole(values["processes"])
    response = None
    if values["response_ms"] is not None:
        # rounded once, from the decimal digits
        response = float(_decimal(printed["response_ms"]) * LATENCY_STEP)
    ratio, check = _little(total, response, processes, printed.get("response_ms"))
    origin = None if response is None else "printed"
    if response is None and "response_ms" not in printed and kind == "RanRead":
        response, origin = (processes / total, "derived") if total and processes else (None, None)
    elapsed, wrapped = _elapsed(run, values["seconds"], notes)
    wrapped = wrapped or any((printed.get(name) or "").startswith("-") for name in _CLOCKED)
    target = values["read_percent"]
    return {
        "tool": kind,
        "layout": layout,
        "position": position,
        "job": _whole(values["job"]),
        "started_at": run.started_at,
        "database": run.database,
        "namespace": run.namespace,
        "processes": processes,
        "iterations": _whole(values["iterations"]),
        "read_target_ratio": None if target is None else target / 100,
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
        "crosses_midnight": True if wrapped else _over_midnight(run, values, response),
        **_spreads(run, values, layout),
        "line": run.line,
    }


_SPREADS = (
    "read_iops_stddev", "write_iops_stddev", "reads_cv_ratio", "writes_cv_ratio",
    "read_iops_cv_ratio", "write_iops_cv_ratio",
)  # fmt: skip
_NUMBERS = (
    "processes", "iterations", "job", "reads", "writes", "reads_per_s", "writes_per_s", "iops",
    "response_ms", "read_percent", "seconds", "stddev_r", "stddev_w", *_SPREADS,
)  # fmt: skip
_CLOCKED = ("response_ms", "iops", "reads_per_s", "writes_per_s")
"""Numbers that the tool computes from its clock."""


def _number(run: PrintedRun, name: str, notes: list[str]) -> float | None:
    """The value of a cell; one that cannot be is null, with a warning."""
    text = run.numbers.get(name)
    if text is None:
        return None
    value = float(_decimal(text))
    zero = value == 0 and name in {"response_ms", "iops", "processes"}
    if name != "seconds" and (value < 0 or value > MOST or zero):
        why = MIDNIGHT if value < 0 and name in _CLOCKED else "no possible value"
        notes.append(f"line {run.line}: {name} {text}: {why}; left out")
        return None
    return value


def _decimal(text: str | None) -> Decimal:
    return Decimal((text or "").replace(",", ""))


def _whole(value: float | None) -> int | None:
    return None if value is None or not value.is_integer() else int(value)


def _tool_of(run: PrintedRun) -> str | None:
    """The tool by the fields it fills: RanRead no writes, RanWrite no reads and no database."""
    printed = run.numbers
    reads, writes = printed.get("reads_per_s"), printed.get("writes_per_s")
    if reads or writes:
        return "RanIO" if reads and writes else "RanRead" if reads else "RanWrite"
    if printed.get("iterations") and printed.get("iops"):
        return "RanRead" if run.database else "RanWrite" if run.namespace else None
    return "RanIO" if printed.get("reads") and printed.get("writes") else None


def _little(
    total: float | None, response: float | None, processes: int | None, printed: str | None
) -> tuple[float | None, str]:
    """IOPS x response time / processes, and what it says; the print of the time is rounded."""
    if total is None or response is None or not processes:
        return None, NOT_CHECKABLE
    ratio = total * response / processes
    half = 0.5 * 10.0 ** int(_decimal(printed).as_tuple().exponent) / 1000
    allowed = TOLERANCE + half / response
    return ratio, OK if abs(ratio - 1) <= allowed else OFF


def _elapsed(run: PrintedRun, seconds: float | None, notes: list[str]) -> tuple[float | None, bool]:
    """The elapsed seconds of a transcript, and whether the tool's clock wrapped around."""
    if seconds is None:
        return None, False
    asked = run.asked_s
    odd = seconds <= 0 or (asked is not None and not asked <= seconds <= 2 * asked + 60)
    if odd and run.tool != "RanWrite":
        notes.append(f"line {run.line}: {seconds:g} seconds: {MIDNIGHT}; left out")
        return None, True
    return seconds, False


def _over_midnight(
    run: PrintedRun, values: Mapping[str, float | None], response: float | None
) -> bool | None:
    """Whether the run went over local midnight, where its length is known; None where it is not."""
    length = None
    if values["reads"] and values["reads_per_s"]:
        length = values["reads"] / values["reads_per_s"]
    elif values["iterations"] and response:
        length = values["iterations"] * response
    if run.started_at is None or length is None:
        return None
    midnight = run.started_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return (run.started_at - midnight).total_seconds() + length >= DAY_S


def _spreads(run: PrintedRun, values: Mapping[str, float | None], layout: str) -> Row:
    """Standard deviations and their ratios; in May 2024 "StdDev" is divided by the mean."""
    made: Row = {name: values[name] for name in _SPREADS}
    reads, writes = values["stddev_r"], values["stddev_w"]
    if layout.startswith("ReadsPS with CV"):
        return {**made, "reads_stddev": reads, "writes_stddev": writes}
    printed = run.numbers
    return {
        **made,
        "reads_cv_ratio": reads if printed.get("reads") else None,
        "writes_cv_ratio": writes if printed.get("writes") else None,
    }


# ---- all runs


def _doubts(runs: pl.DataFrame) -> Iterator[str]:
    for row in runs.filter(pl.col("little_check") == OFF).rows(named=True):
        found = row["little_ratio"] * row["processes"]
        hint = "columns are mixed up, or a value is wrong"
        if abs(found - 1) <= TOLERANCE:
            hint = "the IOPS are of one process"
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


def _workload(row: Row) -> str:
    share = row["read_target_ratio"]
    mixed = row["tool"] == "RanIO" and share is not None
    return f"ranio, {share:.0%} reads" if mixed else (row["tool"] or "ranread").lower()


def _load_points(runs: pl.DataFrame, label: str) -> pl.DataFrame:
    """The common table; a run without processes or IOPS is not a load point."""
    rows: list[Row] = []
    seen: dict[tuple[Any, ...], int] = {}
    for run in runs.rows(named=True):
        if run["processes"] is None or run["total_iops"] is None:
            continue
        key = (run["tool"], run["database"], _workload(run), run["processes"])
        seen[key] = seen.get(key, 0) + 1
        rows.extend(_points(run, seen[key]))
    return frame(rows, schema.LOAD_POINTS, label)


def _points(run: Row, repeat: int) -> Iterator[Row]:
    base = {
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
