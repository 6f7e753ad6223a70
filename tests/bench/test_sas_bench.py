"""How fast SAS logs are read, and in how much memory: files made here and removed again."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from forges.sas import DIALECTS, Log, Step, block_lines, notes_of

GB = 1_000_000_000
DENSE = 150_000_000
SLOWEST_SPARSE, AIM_SPARSE = 150, 400
SLOWEST_DENSE, AIM_DENSE = 25, 60
MOST_MEMORY_MB = 300

SOURCE = "data work.x{n}; set lib.y(where=(a = 1 and b = 2)); if a > 1 then output; keep a b;"


def unit(dialect, echoed, *, notes=False):
    """Some steps of a dialect, each behind so many lines of program."""
    lines = []
    for number in range(20):
        step = Step(
            ["DATA", "SORT", "SQL", "MEANS"][number % 4], real_ms=1150 + number * 7010,
            read=(("WORK.A", number),), written=(("WORK.B", number, 3),),
        )  # fmt: skip
        lines += [f"{i:<8}{SOURCE.format(n=i)}" for i in range(echoed)]
        lines += notes_of(step, dialect) if notes else []
        lines += [*block_lines(step, dialect), "      ", ""]
    before = DIALECTS[dialect].before
    lines = [line if before is None else before(step.end) + line for line in lines]
    return ("\n".join(lines) + "\n").encode(), 20


def forge(path, size, dialect, echoed, *, notes=False):
    """A log of about ``size`` bytes; its bytes and its steps."""
    data, steps = unit(dialect, echoed, notes=notes)
    count = size // len(data) + 1
    with path.open("wb") as file:
        for _ in range(count):
            file.write(data)
    return count * len(data), count * steps


READ = """
import sys, time
from pathlib import Path
from perfkit.sources.sas.read import sas_to_parquet

def peak():
    # of this program alone: ru_maxrss begins with what the parent had when it forked
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

sas_to_parquet(sys.argv[1], sys.argv[3])  # what is imported when needed is there before
before = peak()
clock = time.perf_counter()
spent = time.process_time()
sas_to_parquet(sys.argv[2], sys.argv[3])
print(time.perf_counter() - clock, time.process_time() - spent, peak() - before)
"""


def measured(path, folder):
    """Wall seconds, CPU seconds and KiB of memory above a small log's, of another process."""
    small = folder / "small.log"
    small.write_bytes(Log([Step()]).data())
    done = subprocess.run(
        [sys.executable, "-c", READ, str(small), str(path), str(folder / "steps.parquet")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(word) for word in done.stdout.split()]


def grep(path):
    """CPU seconds of ``grep -c "real time"`` on the same file, and what it counts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["grep", "-c", "real time", str(path)], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(done.stdout)


@pytest.mark.parametrize(
    ("name", "size", "dialect", "echoed", "notes", "slowest", "aim"),
    [
        ("a block per 1,000 lines", GB, "9.4 unix", 985, False, SLOWEST_SPARSE, AIM_SPARSE),
        ("dense FULLSTIMER", DENSE, "9.4 unix", 0, False, SLOWEST_DENSE, AIM_DENSE),
        ("dense STIMER", DENSE, "9.4 stimer", 0, False, SLOWEST_DENSE, AIM_DENSE),
        (
            "a server's log, a block per 1,000 lines",
            DENSE,
            "server",
            997,
            False,
            SLOWEST_SPARSE,
            AIM_SPARSE,
        ),
        ("dense FULLSTIMER with data sets", DENSE, "9.4 unix", 0, True, SLOWEST_DENSE, AIM_DENSE),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_throughput_and_memory(  # noqa: PLR0917 - a case's parts
    tmp_path, ratio, name, size, dialect, echoed, notes, slowest, aim
):
    import polars as pl

    path = tmp_path / "big.log"
    length, steps = forge(path, size, dialect, echoed, notes=notes)
    try:
        grep(path)
        counting, count = grep(path)
        wall, spent, memory = measured(path, tmp_path)
        rows = pl.scan_parquet(tmp_path / "steps.parquet").select(pl.len()).collect().item()
    finally:
        path.unlink()
    rate = length / spent / 1e6
    print(
        f"\nSAS {name}: {length / 1e6:,.0f} MB, {rows:,} steps to Parquet: {rate:.0f} MB/s of one "
        f"core (wall {length / wall / 1e6:.0f} MB/s; floor {slowest}, aim {aim}); "
        f"{spent / counting:.1f} x the CPU time of grep -c; {memory / 1024:.0f} MiB (limit "
        f"{MOST_MEMORY_MB})"
    )
    ratio(f"SAS, {name} / grep -c", spent / counting, "lower")
    assert rows == steps == count
    assert memory * 1024 < MOST_MEMORY_MB * 1e6
    assert rate >= slowest
