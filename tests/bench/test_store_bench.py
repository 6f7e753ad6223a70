"""How long a store takes with many writers and many rows, and whether kills cost anything."""

import resource
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from store_kills import is_whole, kill_often, write_tables

from perfkit.storing.commits import Entry, commit
from perfkit.storing.layout import Layout
from perfkit.storing.records import Record, Table

WRITERS, BATCHES = 8, 50
KILLS = 100
FILES, ROWS = 100, 100_000

_WRITER = """\
import sys
from pathlib import Path
from perfkit.storing.store import Store
for place in sorted(Path(sys.argv[2]).iterdir()):
    Store(sys.argv[1]).ingest(place)
"""


def cpu_of_children():
    """CPU seconds of the processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_eight_writers_of_fifty_batches(tmp_path):
    """Every row is there once. Each batch opens the store, reads a piece and commits it."""
    store = tmp_path / "store"
    folders = []
    for writer in range(WRITERS):
        folder = write_tables(tmp_path / f"writer{writer}", BATCHES)
        for file in folder.iterdir():
            file.write_text(file.read_text().replace("TR-", f"TR-{writer}-"))
        folders.append(folder)
    began, before = time.perf_counter(), cpu_of_children()
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(store), str(folder)])
        for folder in folders
    ]
    assert [writer.wait() for writer in writers] == [0] * WRITERS
    took, cpu = time.perf_counter() - began, cpu_of_children() - before
    assert is_whole(store, WRITERS * BATCHES, 3)
    assert len(list((store / "commits").iterdir())) == WRITERS * BATCHES
    print(
        f"\nstore, {WRITERS} writers x {BATCHES} batches: {took:.1f} s and {cpu:.1f} s of CPU with "
        "their starts (aim 5 s)"
    )


@pytest.mark.timeout(7200)
def test_a_hundred_kills(tmp_path):
    """Nothing is lost or doubled."""
    hit = kill_often(tmp_path, KILLS, seed=11)
    print(f"\nstore: {hit} of {KILLS} ingests were killed at work; nothing lost, nothing twice")


def large(folder):
    """A store of ten million rows of load points, written as ``take`` writes them."""
    layout = Layout(folder)
    layout.make()
    dice = np.random.default_rng(7)
    entries = []
    for place in range(FILES):
        frame = pl.DataFrame({
            "piece": [f"{place:064}"] * ROWS,
            "system": np.array(["a", "b", "c"])[dice.integers(0, 3, ROWS)],
            "workload": np.array(["read", "write", "mixed", "log"])[dice.integers(0, 4, ROWS)],
            "load": dice.integers(1, 9, ROWS).astype(float),
            "lat_mean_s": dice.gamma(2, 1e-3, ROWS),
        })  # fmt: skip
        path = folder / "tables" / f"{place}.parquet"
        frame.write_parquet(path)
        table = Table(path.relative_to(folder).as_posix(), ROWS, path.stat().st_size)
        record = Record(
            f"{place:064}", "fio", "read.fio 1", "", (), False, {"load_points": table}, {}
        )
        entries.append(Entry(record.piece, record.keep(layout)))
    commit(layout, entries)


_QUERY = """\
import resource, sys, time
import polars as pl
from perfkit.storing.store import Store
store = Store(sys.argv[1])
clock, cpu = time.perf_counter(), time.process_time()
found = (
    store.scan("load_points").filter(pl.col("lat_mean_s") > 0.001)
    .group_by("system", "workload", "load").agg(pl.len(), pl.col("lat_mean_s").mean())
    .collect(engine="streaming")
)
took = time.perf_counter() - clock, time.process_time() - cpu
print(found.height, *took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_ten_million_rows_in_groups_of_three_keys(tmp_path):
    large(tmp_path / "store")
    took = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", _QUERY, str(tmp_path / "store")], capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        groups, *spent = map(float, done.stdout.split())
        assert groups == 3 * 4 * 8
        took.append(spent)
    seconds, cpu, peak = min(took)
    print(
        f"\nstore, 10 million rows by three keys: {seconds:.2f} s, {cpu:.2f} s of CPU, "
        f"{peak:.0f} MiB (aim 1 s, 300)"
    )
