"""fio's results and logs: CPU time against the least that reading them takes in Python."""

from __future__ import annotations

import json
import time

import pytest
from forges.fio_results import Flow, Job, document, log, text

from perfkit.sources.fio.logs import read_fio_logs
from perfkit.sources.fio.read import read_fio

OPTIONS = {"ioengine": "libaio", "direct": "1", "iodepth": "8", "bs": "4k", "rw": "randread"}
TURNS = 15


def cpu_s(work):
    """CPU seconds of the fastest of some turns: other work on the machine only adds to it."""
    found = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


@pytest.fixture
def result(tmp_path):
    def make(jobs):
        entries = [
            Job("j", {"read": Flow(120_000, 4096, 60_000)}, {**OPTIONS, "numjobs": str(jobs)})
            for _ in range(jobs)
        ]
        path = tmp_path / f"{jobs}.json"
        path.write_text(text(document((3, 16), entries)))
        return path

    return make


@pytest.mark.parametrize(("jobs", "most"), [(1, 6), (64, 30)])
def test_a_result_is_read_in_a_few_times_what_json_takes(result, ratio, jobs, most):
    """json alone takes about 1 ms for 64 jobs: 5 ms for one of them, 20 ms for all."""
    large, path = result(64).read_text(), result(jobs)
    read_fio(path)
    found = cpu_s(lambda: read_fio(path)) / cpu_s(lambda: json.loads(large))
    name = "64 jobs" if jobs > 1 else "one job"
    print(f"\nfio JSON of {name}: {found:.1f} times json.loads of 64 jobs")
    ratio(f"fio JSON of {name} / json.loads of 64 jobs", found, "lower")
    assert found < most


def test_logs_of_a_folder_are_read_in_a_few_times_what_their_cells_take(tmp_path, ratio, result):
    result(1)
    rows = [(250 * i, 139_000 + i, 0, 0) for i in range(1, 241)]
    paths = [tmp_path / f"p_iops.{number}.log" for number in range(1, 51)]
    for path in paths:
        path.write_text(log(rows))
    least = cpu_s(lambda: [
        [[int(cell) for cell in line.split(",")] for line in path.read_text().splitlines()]
        for path in paths
    ])  # fmt: skip
    found = cpu_s(lambda: read_fio_logs(paths)) / least
    print(f"\n50 logs of fio: {found:.1f} times their cells as numbers in Python")
    ratio("fio logs / their cells in Python", found, "lower")
    assert found < 20
