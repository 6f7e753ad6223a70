"""A mixed analytics workload as the SAS logs of its jobs and the iostat of its host.

The model: 19 tests of three classes, started as 101 jobs in streams that run side by side, each
stream's jobs one after the other. A step computes on some threads and moves data at the rate that
the storage gives one step; its real time is the larger of both. Systems differ in that rate,
repeats in noise. It resembles workloads described for SAS on shared storage and is true of none.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from forges.sas import Log, Step

if TYPE_CHECKING:
    from pathlib import Path

START = datetime(2026, 3, 16, 18, 0, 0)  # noqa: DTZ001 - logs name no zone
BETWEEN_RUNS = timedelta(hours=4)
STREAMS = 26
BLOCK = 512
SAMPLE_S = 30
CPUS = 64
RATE_BYTES_PER_S = {"computation": 60e6, "memory": 40e6, "I/O": 130e6}
"""What one step of a class moves at most, on the first system."""

NEXT_SYSTEM = 1.06
"""How much faster each further system moves data."""


@dataclass(frozen=True)
class Test:
    """One of the tests: its class, how often it runs, CPU and data of one run, its threads."""

    name: str
    kind: str
    jobs: int
    cpu_s: float
    threads: float
    bytes_moved: float
    memory_mib: float
    procs: tuple[str, ...]


def _tests() -> list[Test]:
    """The 19 tests: 10 of computation, 2 of memory, 7 of I/O; 101 jobs in all."""
    statistics = ("GLM", "LOGISTIC", "MIXED", "REG", "GLMSELECT", "HPFOREST", "NLIN", "PHREG",
                  "GENMOD", "MCMC")  # fmt: skip
    tests = [
        Test(f"comp{n:02d}", "computation", 6 if n <= 4 else 5, 700 + 130 * n,
             1.0 + 0.22 * (n % 4), 9e9 + 1.2e9 * n, 180 + 40 * n,
             ("DATA", name, "MEANS", name, "SORT", name))
        for n, name in enumerate(statistics, 1)
    ]  # fmt: skip
    tests += [
        Test(f"mem{n:02d}", "memory", 4, 1000 + 300 * n, 1.1, 6e9, 2600 + 500 * n,
             ("DATA", "FREQ", "TABULATE", "DATA", "SUMMARY"))
        for n in (1, 2)
    ]  # fmt: skip
    tests += [
        Test(f"io{n:02d}", "I/O", 6 if n <= 4 else 5, 420 + 60 * n, 1.3, 38e9 + 9e9 * n,
             90 + 25 * n, ("DATA", "SORT", "SQL", "DATA", "SORT", "APPEND", "SUMMARY"))
        for n in range(1, 8)
    ]  # fmt: skip
    # one test asks a CAS server, whose CPU time stands in no log
    tests[9] = replace(tests[9], procs=(*tests[9].procs, "CASUTIL"))
    return tests


@dataclass(frozen=True)
class _Moved:
    """Data that a step moved, and when: for the host's series."""

    begin_s: float
    end_s: float
    read: float
    written: float
    waited_s: float


def make(folder: Path, seed: int, systems: int = 2, repeats: int = 3) -> None:
    """Write the logs ``<system>/run-<n>/<test>_s<stream>_<job>.log`` and an iostat.txt a run."""
    for number in range(systems):
        for repeat in range(1, repeats + 1):
            chance = random.Random(f"{seed}/{number}/{repeat}")
            place = folder / f"array-{chr(ord('a') + number)}" / f"run-{repeat}"
            place.mkdir(parents=True)
            start = START + BETWEEN_RUNS * (number * repeats + repeat - 1)
            _run(place, seed, chance, start, NEXT_SYSTEM**number)


def _run(place: Path, seed: int, chance: random.Random, start: datetime, speed: float) -> None:
    """One run: every stream's jobs one after the other, and the host meanwhile."""
    moved: list[_Moved] = []
    slow = chance.gauss(1.0, 0.008)  # a run as a whole is a little faster or slower
    for stream, tests in enumerate(_streams(seed), 1):
        clock = start + timedelta(seconds=20 * ((stream - 1) % 12))
        for number, test in enumerate(tests, 1):
            log, clock, own = _job(chance, test, clock, start, speed / slow)
            moved += own
            name = f"{test.name}_s{stream:02d}_{number}.log"
            (place / name).write_bytes(log.data())
    (place / "iostat.txt").write_text(_iostat(moved, start, chance), encoding="utf-8")


def _streams(seed: int) -> list[list[Test]]:
    """The jobs of each stream, dealt out the same in every run of a workload."""
    jobs = [test for test in _tests() for _ in range(test.jobs)]
    random.Random(f"{seed}/streams").shuffle(jobs)
    return [jobs[n::STREAMS] for n in range(STREAMS)]


def _job(
    chance: random.Random, test: Test, begin: datetime, origin: datetime, speed: float
) -> tuple[Log, datetime, list[_Moved]]:
    """One job's log, the time at which it ends, and what its steps moved."""
    shares = [0.6 + chance.random() * 0.1 for _ in test.procs]
    total = sum(shares)
    clock = begin + timedelta(seconds=1)
    steps, moved = [], []
    for number, (proc, share) in enumerate(zip(test.procs, shares, strict=True), 1):
        step, data = _step(chance, test, proc, (share / total, number), speed)
        end = clock + timedelta(milliseconds=step.real_ms)
        steps.append(_ended(step, end))
        since = (clock - origin).total_seconds()
        moved.append(_Moved(since, since + step.real_ms / 1000, *data))
        clock = end
    log = Log(steps, "9.4 unix", page_lines=60, extra_ms=chance.randrange(30, 90) * 10)
    return log, log.total.end + timedelta(seconds=1), moved


def _ended(step: Step, end: datetime) -> Step:
    return replace(step, end=end.replace(microsecond=0))


def _step(
    chance: random.Random, test: Test, proc: str, part: tuple[float, int], speed: float
) -> tuple[Step, tuple[float, float, float]]:
    """One step of a test, its share and number, and what it read, wrote and waited."""
    share, number = part
    cpu = test.cpu_s * share * chance.gauss(1.0, 0.01)
    if proc == "DATA":
        cpu *= 0.6
    size = test.bytes_moved * share * (1.6 if proc in {"DATA", "SORT", "APPEND"} else 0.7)
    threads = test.threads * 2.1 if proc in _THREADED else 1.0
    rate = RATE_BYTES_PER_S[test.kind] * speed * chance.gauss(1.0, 0.05)
    real = max(cpu / threads, size / rate) * 1.02 + 0.05
    system = cpu * (0.22 if test.kind == "I/O" else 0.09)
    read, written = size * 0.62, size * 0.38
    rows = int(size / 240)
    cas = int(real * 900) if proc == "CASUTIL" else None
    if cas is not None:
        cpu, system, read, written = 0.4, 0.1, 0.0, 0.0
    step = Step(
        name=proc, real_ms=_hundredths(real), user_ms=_hundredths(cpu - system),
        system_ms=_hundredths(system), memory_ck=int(test.memory_mib * 1024 * 100 * (0.55 + share)),
        os_memory_ck=int((test.memory_mib + 24) * 1024 * 100 * (0.55 + share)),
        step_count=number, switch_count=chance.randrange(1, 90),
        page_reclaims=chance.randrange(300, 90_000),
        voluntary_context_switches=int(size / 131_072), cas_ms=cas,
        involuntary_context_switches=chance.randrange(20, 4_000),
        block_input_operations=int(read / BLOCK), block_output_operations=int(written / BLOCK),
        read=((f"SASDATA.{test.name.upper()}", rows),),
        written=((f"WORK.STEP{number}", rows // 2, 24),) if proc in _WRITERS else (),
    )  # fmt: skip
    return step, (read, written, max(0.0, real - cpu / threads))


_THREADED = {"SORT", "SQL", "GLM", "REG", "LOGISTIC", "HPFOREST", "MEANS", "SUMMARY", "GLMSELECT"}
_WRITERS = {"DATA", "SORT", "SQL", "APPEND"}


def _hundredths(seconds: float) -> int:
    """Milliseconds in whole hundredths of a second, as the logs print them."""
    return max(1, round(seconds * 100)) * 10


_HEAD = (
    "Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   wrqm/s  "
    "%wrqm w_await wareq-sz     d/s     dMB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  "
    "aqu-sz  %util"
)


def _iostat(moved: list[_Moved], start: datetime, chance: random.Random) -> str:
    """``iostat -xmt 30 dm-0`` while the run lasted."""
    end = max(item.end_s for item in moved)
    host = "Linux 4.18.0-372.el8.x86_64 (sashost)"
    lines = [f"{host} \t{start:%m/%d/%y} \t_x86_64_\t({CPUS} CPU)", ""]
    for number in range(1, int(end // SAMPLE_S) + 1):
        low, high = (number - 1) * SAMPLE_S, number * SAMPLE_S
        noise = chance.gauss(1.0, 0.04)
        read = written = waiting = busy = 0.0
        for item in moved:
            span = min(high, item.end_s) - max(low, item.begin_s)
            if span > 0:
                part = span / (item.end_s - item.begin_s)
                read += item.read * part * noise
                written += item.written * part * noise
                waiting += item.waited_s * part
                busy += span - item.waited_s * part
        lines += _sample(start + timedelta(seconds=high), read / SAMPLE_S, written / SAMPLE_S,
                         waiting / SAMPLE_S / CPUS, busy / SAMPLE_S / CPUS)  # fmt: skip
    return "\n".join(lines) + "\n"


def _sample(when: datetime, read: float, written: float, wait: float, busy: float) -> list[str]:
    """One interval: time, CPU and device lines."""
    user, wait = min(busy * 130, 92.0), min(wait * 100, 60.0)
    idle = max(0.0, 100 - user * 1.12 - wait)
    mib = 1024**2
    request = 512 * 1024
    device = [
        f"{read / request:.2f}", f"{read / mib:.2f}", "0.00", "0.00", "0.85",
        f"{request / 1024:.2f}", f"{written / request:.2f}", f"{written / mib:.2f}", "0.00",
        "0.00", "0.70", f"{request / 1024:.2f}", *["0.00"] * 8, f"{(read + written) / 6e8:.2f}",
        f"{min(100.0, (read + written) / 3.2e7):.2f}",
    ]  # fmt: skip
    return [
        f"{when:%m/%d/%y %H:%M:%S}",
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
        f"          {user:6.2f}    0.00  {user * 0.12:6.2f}  {wait:6.2f}    0.00  {idle:6.2f}",
        "",
        _HEAD,
        f"{'dm-0':<10}" + " ".join(f"{text:>9}" for text in device),
        "", "",
    ]  # fmt: skip
