"""RANREAD sweeps as they could have been: jobs added until the array, or the host, gives no more.

The curve is that of a closed system: N / response at few jobs, a plateau at many. Its numbers were
measured by nobody. The forms are those of the tools' own sources (see perfkit.sources.ranread).
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

START = dt.datetime(2026, 3, 2, 9, 0, 5)  # noqa: DTZ001 - a local time, as the tool would print it
PROCESSES = (1, 2, 5, 10, 25, 50, 75, 100, 150, 200, 300, 400)
DATABASE, NAMESPACE = "/iris/db/RAN/", "RAN"
SHARPNESS = 3
"""How sharply the curve bends: throughput = light / (1 + (light / most)^3)^(1/3)."""


@dataclass(frozen=True)
class Run:
    """One run: its number of processes, when it began, and what it gave."""

    processes: int
    start: dt.datetime
    seconds: int
    iops: float

    @property
    def response_ms(self) -> float:
        """The mean response time: every process waits for its read."""
        return self.processes / self.iops * 1000

    @property
    def reads(self) -> int:
        """Reads of all processes."""
        return round(self.iops * self.seconds)


def sweep(
    seed: int,
    processes: Sequence[int] = PROCESSES,
    *,
    repeats: int = 10,
    most_iops: float = 395_000,
    response_s: float = 0.000139,
    seconds: int = 60,
) -> list[Run]:
    """The runs in the order they were made: all loads, then all again."""
    dice = random.Random(seed)
    runs: list[Run] = []
    start = START
    for _ in range(repeats):
        for count in processes:
            light = count / response_s
            bend = (1 + (light / most_iops) ** SHARPNESS) ** (1 / SHARPNESS)
            runs.append(Run(count, start, seconds, light / bend * dice.gauss(1, 0.006)))
            start += dt.timedelta(seconds=seconds + 15)
    return runs


def canonical(value: float) -> str:
    """A number as ObjectScript prints it: no zero before the point, none at the end."""
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.startswith("0.") else text


def export_2023(runs: Sequence[Run]) -> str:
    """The export up to 2023: iterations of one job, response time, IOPS."""
    rows = [
        (_date(run), _time(run), DATABASE, run.reads // run.processes, run.processes,
         canonical(round(run.response_ms, 2)), round(run.iops))
        for run in runs
    ]  # fmt: skip
    return _export("RunDate,RunTime,Database,Iterations,Processes,ResponseTime,IOPS", rows)


def export_2024(runs: Sequence[Run]) -> str:
    """The export of RanRead since May 2024: reads per second and no response time."""
    rows = [
        (_date(run), _time(run), DATABASE, "", run.reads, "", round(run.iops), "", ".004", "",
         run.processes, 100)
        for run in runs
    ]  # fmt: skip
    heads = "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW"
    return _export(f"{heads},Processes,ReadPct", rows)


def export_2026(runs: Sequence[Run], read_percent: int = 70) -> str:
    """The export of RanIO since March 2026: reads and writes with their spread over the jobs."""
    heads = (
        "RunDate,RunTime,Database,Namespace,Reads,Writes,ReadsPS,WritesPS,StdDevR,StdDevW,"
        "StdDevRPS,StdDevWPS,CVReads,CVWrites,CVReadsPerS,CVWritesPerS,Processes,ReadPct"
    )
    rows = []
    for run in runs:
        reads = run.reads * read_percent // 100
        rate = round(run.iops * read_percent / 100)
        rows.append(
            (_date(run), _time(run), DATABASE, NAMESPACE, reads, run.reads - reads, rate,
             round(run.iops) - rate, "12.5", "7.25", "2.5", "1.25", ".004", ".006", ".004", ".006",
             run.processes, read_percent)
        )  # fmt: skip
    return _export(heads, rows)


def console(runs: Sequence[Run], build: str = "2023") -> str:
    """What RanRead prints, in the builds "2016", "2022", "2023" and "2024"."""
    return "".join(_printed(run, 11_700 + i, build) for i, run in enumerate(runs))


def _printed(run: Run, job: int, build: str) -> str:
    count, response = run.processes, canonical(round(run.response_ms, 4))
    iops = round(1000 / float(response) * count)
    title = "\nInterSystems Random Read IO Performance Tool\n" + "-" * 44 + "\n"
    if build == "2016":
        return (
            f"{title}Creating {count} processes in the background.\n"
            f"Starting {count} processes now!\nWaiting to finish......\n"
            "Random read background jobs finished.\n"
            f"{count} processes ({run.reads // count} iterations) average response time = "
            f"{response}ms\nCalculated IOPS = {iops}\n"
        )
    head = (
        f'USER> do ##class(PerfTools.RanRead).Run("{DATABASE}",{count},{run.seconds})\n{title}'
        f"RanRead process {job} creating {count} worker processes in the background.\n"
        f"Starting {count} processes for RanRead job number {job} now!\n"
        "To terminate run:  do ##class(PerfTools.RanRead).Stop()\nWaiting to finish......\n"
        f"Random read background jobs finished for parent {job}\n"
    )
    if build == "2024":
        rate = round(run.iops)
        return f"{head}RanRead job {job}'s {count} processes total reads/s = {rate}\n"
    elapsed = f" ({run.seconds + 2.856814} seconds)" if build == "2022" else ""
    return (
        f"{head}RanRead job {job}'s {count} processes{elapsed} average response time = "
        f"{response}ms\nCalculated IOPS for RanRead job {job} = {iops}\n"
    )


def _date(run: Run) -> str:
    return run.start.strftime("%Y-%m-%d")


def _time(run: Run) -> str:
    return run.start.strftime("%H:%M:%S")


def _export(heads: str, rows: Sequence[Sequence[object]]) -> str:
    """Every line ends with a comma."""
    lines = [heads, *(",".join(str(cell) for cell in row) for row in rows)]
    return "".join(f"{line},\n" for line in lines)


_WRITERS = {
    "2023": ("PerfToolsRanRead_20260302-1200.txt", export_2023),
    "2024": ("PerfToolsRanRead_20260302-120000.txt", export_2024),
    "2026": ("PerfToolsRanIO_20260302-120000.csv", export_2026),
    "console": ("ranread-console.txt", console),
}


def write(
    folder: Path,
    seed: int,
    *,
    layout: str = "2023",
    processes: Sequence[int] = PROCESSES,
    repeats: int = 10,
    most_iops: float = 395_000,
) -> None:
    """Write one export or transcript of a sweep over processes.

    Options: the layout ("2023", "2024", "2026", "console"), the loads, how often, and the plateau.
    """
    name, function = _WRITERS[layout]
    runs = sweep(seed, processes, repeats=repeats, most_iops=most_iops)
    (folder / name).write_bytes(function(runs).encode())
