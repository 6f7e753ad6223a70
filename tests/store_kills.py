"""Killing ingests at random moments: what the tests do ten times and the bench a hundred."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

from perfkit.storing.store import Store

_INGEST = """\
import sys
from perfkit.storing.store import store
print("ready", flush=True)
store(sys.argv[1]).ingest(*sys.argv[2:])
"""


def write_tables(folder, number, rows=3):
    """Small pieces of evidence: tables copied from a document, each of a text of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for place in range(number):
        cells = "".join(f"row {row},{place}.{row}\n" for row in range(rows))
        text = f"# document: TR-{place}\n# id: cells\n# units: , s\nname,time\n{cells}"
        (folder / f"{place:03}.csv").write_text(text)
    return folder


def start(store, *paths):
    """A process of its own that ingests; it has said that it begins."""
    process = subprocess.Popen(
        [sys.executable, "-c", _INGEST, str(store), *map(str, paths)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    process.stdout.readline()
    return process


def killed(store, folder, after_s):
    """Whether an ingest was killed with all its processes, so long after it began."""
    process = start(store, folder)
    time.sleep(after_s)
    was_at_work = process.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return was_at_work


def is_whole(store, pieces, rows):
    """Whether each piece, and each row of it, is there once, and every file is sound."""
    found = Store(store)
    cells = found.scan("cells").collect()
    each = cells.group_by("piece").len()["len"].to_list()
    return each == [2 * rows] * pieces and found.check() == []


def kill_often(folder, times, seed):
    """Kill ingests of the same evidence into one store, then let one through; how many were hit."""
    drawn = random.Random(seed)
    evidence = write_tables(folder / "evidence", 60)
    store = folder / "store"
    hit = 0
    for _ in range(times):
        hit += killed(store, evidence, drawn.uniform(0, 0.25))
        if (store / "store.json").exists() and Store(store).layout.exists():
            assert not [text for text in Store(store).check() if "missing" not in text]
    process = start(store, evidence)
    process.communicate()
    assert is_whole(store, 60, 3)
    return hit
