"""Many reports by any executor: each of its own, and one that fails stops no other."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor

import nbformat
import pytest

from perfkit.cli.app import run as perfkit
from perfkit.core.dask import executor
from perfkit.core.errors import StudyError, UsageError
from perfkit.reporting import batch
from perfkit.reporting.batch import Plan, report_each
from perfkit.reporting.build import Report


def notebooks(folder, *names):
    """The smallest reports: a title and a line."""
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Report\n\nOne line.")])
    for name in names:
        nbformat.write(node, folder / f"{name}.ipynb")
    return [folder / f"{name}.ipynb" for name in names]


def empty(_source, *, out, **_how):
    return Report(out, out, out, outcome=None)


@pytest.fixture
def reported(monkeypatch):
    """Instead of making reports: what was asked for; "bad" has a mistake, "odd" a defect."""
    asked = {}

    def report(source, *, out, **how):
        asked[source.name] = {**how, "out": out}
        if source.name == "bad":
            raise StudyError(source, "no evidence\nin it")
        if source.name == "odd":
            raise ZeroDivisionError("by zero")
        files = [out / f"{source.name}{ending}" for ending in (".ipynb", ".pdf", ".html")]
        return Report(*files, outcome={"late": "fail"}.get(source.name))

    monkeypatch.setattr(batch, "report", report)
    # processes of their own would make real reports
    monkeypatch.setattr(batch, "spread", lambda batches, work, *_: map(work, batches))
    return asked


def test_each_report_has_a_folder_of_its_name(tmp_path, reported):
    sources = [tmp_path / "a", tmp_path / "b/study.yml", tmp_path / "deep/a"]
    made = report_each(sources, out=tmp_path / "out", plan=Plan({"x": 1}, date="2026-11-20"))
    assert [one.folder.relative_to(tmp_path / "out").as_posix() for one in made] == [
        f"{tmp_path.name}-a", "b", "deep-a",
    ]  # fmt: skip
    assert made[1].report.pdf.parent == tmp_path / "out/b"
    assert (reported["a"]["parameters"], reported["a"]["date"]) == ({"x": 1}, "2026-11-20")


def test_two_reports_never_share_a_folder(tmp_path, reported):
    with pytest.raises(UsageError, match="two reports would be in"):
        report_each([tmp_path / "a", tmp_path / "a"])
    assert reported == {}


def test_a_report_that_fails_stops_no_other(tmp_path, reported):
    told = []
    made = report_each([tmp_path / name for name in ("bad", "odd", "good")], each=told.append)
    assert [one.report is None for one in made] == [True, True, False]
    assert made[0].problem == f"{tmp_path}/bad: no evidence in it"
    assert made[1].problem == "by a fault of perfkit: ZeroDivisionError('by zero')"
    assert told == made


@pytest.mark.parametrize(
    ("names", "code"), [(["good"], 0), (["good", "late"], 3), (["good", "late", "bad"], 1)]
)
@pytest.mark.usefixtures("reported")
def test_the_command_counts_and_its_exit_code_is_the_gravest(tmp_path, capsys, names, code):
    assert perfkit(["report", "--each", *(str(tmp_path / name) for name in names)]) == code
    told = capsys.readouterr()
    made, late, bad = len({"good", "late"} & {*names}), "late" in names, "bad" in names
    assert f"{made} made, {late:d} of them with criteria not met or answers" in told.out
    assert f"missing, {bad:d} failed" in told.out
    assert ("late: criteria not met; the report says which" in told.err) is late
    assert (f"error: bad: {tmp_path}/bad: no evidence" in told.err) is bad


def test_a_cluster_makes_several_reports_or_none(tmp_path, capsys):
    assert perfkit(["report", str(tmp_path), "--dask", "tcp://127.0.0.1:9"]) == 2
    assert "--dask makes several reports: add --each" in capsys.readouterr().err


class _Dies(Executor):
    """Its worker ends with each report of "b"."""

    def submit(self, work, batch):
        future = Future()
        if batch[0][0].name == "b":
            future.set_exception(BrokenExecutor("the worker ended"))
        else:
            future.set_result(work(batch))
        return future


def test_a_report_that_ends_its_worker_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "report", empty)
    made = report_each([tmp_path / name for name in "abc"], executor=_Dies())
    assert {one.source.name: one.problem for one in made} == {
        "a": None, "b": "the process that made it ended", "c": None,
    }  # fmt: skip


def test_any_executor_does(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "report", empty)
    with ThreadPoolExecutor(2) as threads:
        made = report_each([tmp_path / name for name in "abc"], executor=threads)
    assert [one.problem for one in made] == [None] * 3


@pytest.mark.slow
def test_processes_make_whole_reports(tmp_path, capsys):
    sources = notebooks(tmp_path, "a", "b")
    argv = ["report", "--each", *map(str, sources), "-o", str(tmp_path / "out")]
    assert perfkit(argv) == 0
    assert "2 made, 0 of them" in capsys.readouterr().out
    assert whole(tmp_path / "out", "a", "b")


def whole(out, *names):
    return all((out / name / f"{name}{end}").stat().st_size for name in names
               for end in (".pdf", ".html", ".ipynb"))  # fmt: skip


def started(program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
def test_a_worker_of_a_cluster_that_dies_costs_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    sources = notebooks(tmp_path, "a", "b", "c")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]
        with executor(cluster.scheduler_address) as found:
            made = report_each(
                sources, out=tmp_path / "out", executor=found,
                each=lambda _: pids and os.kill(pids.pop(), signal.SIGKILL),
            )  # fmt: skip
    assert [one.problem for one in made] == [None] * 3
    assert whole(tmp_path / "out", "a", "b", "c")


@pytest.mark.slow
def test_a_scheduler_that_vanishes_leaves_what_was_made(tmp_path):
    pytest.importorskip("distributed")
    note, sources = tmp_path / "scheduler.json", notebooks(tmp_path, "a", "b", "c")
    place = ["--host", "127.0.0.1", "--scheduler-file", str(note)]
    running = [started("dask_scheduler", *place, "--port", "0", "--no-dashboard")]
    try:
        while not note.exists():
            time.sleep(0.05)
        running.append(started("dask_worker", *place, "--nthreads", "1", "--no-dashboard"))
        address = json.loads(note.read_text())["address"]
        with executor(address) as found:
            made = report_each(
                sources, out=tmp_path / "out", executor=found, each=lambda _: running[0].kill()
            )
    finally:
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    done = [one.folder.name for one in made if one.report]
    assert done
    assert {one.problem for one in made if one.report is None} == {"the process that made it ended"}
    assert whole(tmp_path / "out", *done)
