"""Host samples: rates between two readings, null for what is not known, and never in the way."""

import csv
import time
from itertools import pairwise

import psutil
import pytest

from perfkit.measure.probe import sampler as sampler_module
from perfkit.measure.probe.sampler import COLUMNS, Sample, Sampler, row, sample

CPU = {"user": 0.0, "nice": 0.0, "system": 0.0, "idle": 0.0, "iowait": 0.0, "guest": 0.0}


def test_shares_and_rates_lie_between_two_samples():
    """Guest time is inside user time on Linux and is not counted twice."""
    before = Sample(10.0, CPU, 1, 2, (0, 0, 0, 0))
    used = {"user": 2.0, "nice": 1.0, "system": 1.0, "idle": 4.0, "iowait": 2.0, "guest": 2.0}
    after = Sample(12.0, used, 300, 400, (8192, 4096, 4, 2))
    assert row(10.0, before, after) == [
        2.0,
        0.4,
        0.3,
        0.1,
        0.2,
        300,
        400,
        4096.0,
        2048.0,
        2.0,
        1.0,
        *[None] * 5,
    ]


def test_an_unknown_disk_and_an_unmoved_clock_are_null():
    before = Sample(1.0, CPU, 1, 2, None)
    values = row(1.0, before, Sample(1.0, CPU, 1, 2, None))
    assert values[1:5] == [None] * 4
    assert values[7:] == [None] * 9


def test_a_counter_that_went_back_is_null():
    before = Sample(1.0, CPU, 1, 2, (10, 10, 10, 10))
    values = row(1.0, before, Sample(2.0, CPU, 1, 2, (5, 20, 5, 20)))
    assert values[7:11] == [None, 10.0, None, 10.0]


def test_rows_come_one_an_interval_and_the_file_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "host.csv"
    taken = []

    def counted(device):
        taken.append(sample(device))
        return taken[-1]

    monkeypatch.setattr(sampler_module, "sample", counted)
    with Sampler(path, (), every_s=0.05) as sampler:
        while len(taken) < 4:
            time.sleep(0.01)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert sampler.problem is None
    assert rows[0] == list(COLUMNS)
    assert len(rows) == len(taken)
    times = [each.at for each in taken]
    assert [float(values[0]) for values in rows[1:]] == [
        pytest.approx(at - times[0], abs=1e-3) for at in times[1:]
    ]
    assert all(after - before >= 0.05 for before, after in pairwise(times))
    disk = COLUMNS.index("disk_write_iops")
    assert all(len(values) == len(COLUMNS) and values[disk] == "" for values in rows[1:])


def test_a_failing_counter_ends_the_sampling_and_nothing_else(tmp_path, monkeypatch):
    def broken():
        raise OSError("no /proc")

    monkeypatch.setattr(psutil, "virtual_memory", broken)
    with Sampler(tmp_path / "host.csv", ()) as sampler:
        time.sleep(0.05)
    assert sampler.problem == "host sampling stopped: no /proc"
