"""A store filled by a Dask cluster of two processes on loopback."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from store_kills import is_whole, write_tables

from perfkit.cli.app import run
from perfkit.core.dask import executor
from perfkit.core.errors import UsageError
from perfkit.storing.store import Store

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as found:
        yield found


@pytest.fixture
def evidence(tmp_path, monkeypatch):
    monkeypatch.setattr("perfkit.storing.ingest.BATCH", 5)
    return write_tables(tmp_path / "evidence", 60)


def test_the_command_spreads_the_work_over_the_cluster(cluster, evidence, tmp_path, capsys):
    store = tmp_path / "store"
    words = ["ingest", str(evidence), "--store", str(store), "--dask", cluster.scheduler_address]
    assert run(words) == 0
    assert "60 read (360 rows)" in capsys.readouterr().out
    assert is_whole(store, 60, 3)


def test_a_worker_that_dies_costs_nothing(cluster, evidence, tmp_path):
    worker = next(iter(cluster.workers.values()))
    killed = []

    def each(_):
        if not killed:
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    with executor(cluster.scheduler_address) as found:
        Store(tmp_path / "store").ingest(evidence, executor=found, each=each)
    assert killed
    assert is_whole(tmp_path / "store", 60, 3)


def started(program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def test_a_scheduler_that_vanishes_leaves_what_was_committed(evidence, tmp_path):
    """The pieces that were under way have failed; the next ingest finishes the work."""
    note = tmp_path / "scheduler.json"
    place = ["--host", "127.0.0.1", "--scheduler-file", str(note)]
    running = [started("dask_scheduler", *place, "--port", "0", "--no-dashboard")]
    try:
        while not note.exists():
            time.sleep(0.05)
        running.append(started("dask_worker", *place, "--nthreads", "1", "--no-dashboard"))
        address = json.loads(note.read_text())["address"]
        store = Store(tmp_path / "store")
        with executor(address) as found:
            done = store.ingest(evidence, executor=found, each=lambda _: running[0].kill())
    finally:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    outcomes = Counter(one.outcome for one in done)
    assert outcomes["read"] >= 5
    assert outcomes["read"] + outcomes["failed"] == 60
    assert store.check() == []
    store.ingest(evidence)
    assert is_whole(store.path, 60, 3)


def test_an_address_where_nobody_answers_is_told(monkeypatch):
    monkeypatch.setattr("perfkit.core.dask.PATIENCE", "1s")
    with (
        pytest.raises(UsageError, match=r"--dask tcp://127\.0\.0\.1:9: no scheduler answers"),
        executor("tcp://127.0.0.1:9"),
    ):
        pass
