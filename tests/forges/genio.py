"""GenIO tests as they could have been: servers beside one another, and one that goes too far.

The numbers follow the published runs of NetApp TR-4784 in kind (three reads to a write, 98.4% of
the target, a write cycle that grows with the server's own writes), not in value; they were measured
by nobody. The form is that of ``summary.csv`` as its tables are printed there.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

START = dt.datetime(2026, 3, 2, 8, 0)  # noqa: DTZ001 - a local time, as the tool would print it
RUN_TIME = dt.timedelta(minutes=30)
BETWEEN = dt.timedelta(minutes=5)
FIRST_RUN = 10
WIJ_FILE = "/epic/GENIO.WIJ"

ACHIEVED, ACHIEVED_SPREAD = 0.9838, 0.0007
READS, READS_SPREAD = 0.754, 0.0003
CALM = 0.70
"""Below this share of the array's IOPS nobody's write cycle feels the others."""


@dataclass(frozen=True)
class Server:
    """What one server was asked for, and whether a policy guarantees it."""

    name: str
    min_iops: float
    max_iops: float
    protected: bool = True

    def target(self, run: int, runs: int) -> float:
        """The target of run ``run`` (from 1) of ``runs``: min + (max - min) * run / runs."""
        return self.min_iops + (self.max_iops - self.min_iops) * run / runs

    def command(self, runs: int) -> str:
        """The command line of its ramp."""
        kind = "constant" if self.min_iops == self.max_iops else "to"
        top = "" if kind == "constant" else f" {self.max_iops / 1000:g}k"
        return (
            f"./RampRun.pl --miniops {self.min_iops:.0f} --maxiops {self.max_iops:.0f} "
            f"--background --disable-warmup --runtime 30 --wijfile {WIJ_FILE} --numruns {runs} "
            f"--system {self.name} --comment Ramp {self.min_iops / 1000:g}k {kind}{top}"
        )


@dataclass(frozen=True)
class Run:
    """One row of a summary, its numbers as they are printed."""

    number: int
    read_iops: int
    write_iops: int
    total_iops: int
    longest_write_cycle_s: str
    longest_wij_time_s: str
    effective_write_latency_ms: str
    random_read_average_ms: str
    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True)
class Form:
    """How a summary is written."""

    separator: str = ","
    decimal: str = "."
    grouping: str = ""
    line_end: str = "\n"
    mark: str = ""
    times: bool = False


HEADS = {
    "Run": "number",
    "Read IOPS": "read_iops",
    "Write IOPS": "write_iops",
    "Total IOPS": "total_iops",
    "Longest WIJ Time (sec)": "longest_wij_time_s",
    "Longest Write Cycle (sec)": "longest_write_cycle_s",
    "Effective Write Latency (ms)": "effective_write_latency_ms",
    "Randread Average (ms)": "random_read_average_ms",
}
"""Heads of the file -> the fields of Run."""

TIMES = {"Start Time": "start", "End Time": "end"}

SERVERS = (
    Server("epic-rhel1", 75_000, 75_000),
    Server("epic-rhel2", 75_000, 75_000),
    Server("epic-rhel3", 75_000, 150_000, protected=False),
)
"""Two servers at the load they need and, beside them, one that ramps up: the bully."""

CASES = {
    "policy": "the bully ramps up, the others have a policy",
    "no-policy": "the bully ramps up, and nobody has a policy: a control",
    "no-bully": "the third server stays at its load: a control",
}


def cluster(
    seed: int,
    servers: Sequence[Server] = SERVERS,
    *,
    runs: int = 10,
    capacity_iops: float = 300_000,
) -> dict[str, list[Run]]:
    """The runs of every server, by name: concurrent, on an array of so many IOPS."""
    dice = random.Random(seed)
    made: dict[str, list[Run]] = {server.name: [] for server in servers}
    for run in range(1, runs + 1):
        totals = {
            server.name: server.target(run, runs) * dice.gauss(ACHIEVED, ACHIEVED_SPREAD)
            for server in servers
        }
        use = sum(totals.values()) / capacity_iops
        for server in servers:
            made[server.name].append(_run(dice, run, server, totals[server.name], use))
    return made


def _run(dice: random.Random, run: int, server: Server, total: float, use: float) -> Run:
    """One row; a server without a policy feels how busy the array is, one with a policy not."""
    reads = round(total * dice.gauss(READS, READS_SPREAD))
    writes = round(total) - reads
    pressure = 0.0 if server.protected else max(use - CALM, 0.0)
    cycle = 16.0 + writes / 1000 + dice.gauss(0, 0.9) + 60 * pressure
    wij = cycle * dice.uniform(0.38, 0.5)
    start = START + (run - 1) * (RUN_TIME + BETWEEN) + dt.timedelta(seconds=dice.randrange(4))
    return Run(
        number=FIRST_RUN + run - 1,
        read_iops=reads,
        write_iops=writes,
        total_iops=reads + writes,
        longest_write_cycle_s=f"{cycle:.2f}",
        longest_wij_time_s=f"{wij:.2f}",
        effective_write_latency_ms=f"{0.09 + 0.05 * pressure + abs(dice.gauss(0, 0.01)):.2f}",
        random_read_average_ms=f"{0.42 + 0.5 * min(use, 1.2) ** 3 + dice.gauss(0, 0.02):.2f}",
        start=start,
        end=start + RUN_TIME,
    )


def summary(runs: Sequence[Run], form: Form | None = None) -> str:
    """The text of ``summary.csv``."""
    form = form or Form()
    heads = {**HEADS, **(TIMES if form.times else {})}
    lines = [form.separator.join(heads), *(_line(run, heads, form) for run in runs)]
    return form.mark + form.line_end.join(lines) + form.line_end


def _line(run: Run, heads: dict[str, str], form: Form) -> str:
    return form.separator.join(_cell(getattr(run, name), form) for name in heads.values())


def _cell(value: int | str | dt.datetime, form: Form) -> str:
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    text = str(value).replace(".", form.decimal)
    if isinstance(value, int) and form.grouping:
        text = f"{value:,}".replace(",", form.grouping)
    return f'"{text}"' if form.separator in text else text


def case_servers(case: str, servers: Sequence[Server] = SERVERS) -> Iterator[Server]:
    """The servers of one case (CASES); ValueError for another."""
    if case not in CASES:
        raise ValueError(f"no case {case!r}")
    for server in servers:
        if case == "no-policy":
            yield replace(server, protected=False)
        elif case == "no-bully":
            yield replace(server, max_iops=server.min_iops)
        else:
            yield server


def ramp(
    folder: Path,
    seed: int,
    *,
    cases: Sequence[str] = tuple(CASES),
    runs: int = 40,
    capacity_iops: float = 300_000,
    times: bool = True,
) -> None:
    """Write ``<case>/<server>/summary.csv`` with its ``command.txt``, for three servers.

    Options: the cases (CASES), the number of runs of each ramp, the IOPS of the array, and whether
    start and end of a run stand in the file.
    """
    for number, case in enumerate(cases):
        servers = tuple(case_servers(case))
        made = cluster(seed * 101 + number, servers, runs=runs, capacity_iops=capacity_iops)
        for server in servers:
            place = folder / case / server.name
            place.mkdir(parents=True)
            text = summary(made[server.name], Form(times=times))
            (place / "summary.csv").write_bytes(text.encode())
            (place / "command.txt").write_bytes(f"{server.command(runs)}\n".encode())
