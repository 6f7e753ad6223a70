"""This host's samples while a point runs: one an interval, and never in the way of the point."""

import csv
import time
from itertools import pairwise

import pytest

from perfkit.measure.probe import sampler as sampler_module
from perfkit.measure.probe.sampler import Sampler
from perfkit.measure.probe.watch import COLUMNS


def test_rows_come_one_an_interval_and_the_file_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "host.csv"
    taken = []

    def recorded(devices):
        at, read = reading(devices)
        taken.append(at)
        return at, read

    reading = sampler_module._reading
    monkeypatch.setattr(sampler_module, "_reading", recorded)
    with Sampler(path, (), every_s=0.05) as sampler:
        while len(taken) < 4:
            time.sleep(0.01)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert sampler.problem is None
    assert rows[0] == list(COLUMNS)
    assert len(rows) == len(taken)
    assert [float(values[0]) for values in rows[1:]] == [
        pytest.approx(at - taken[0], abs=1e-3) for at in taken[1:]
    ]
    assert all(after - before >= 0.05 for before, after in pairwise(taken))
    disk = COLUMNS.index("disk_write_iops")
    assert all(len(values) == len(COLUMNS) and values[disk] == "" for values in rows[1:])


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ({"cpu": {}}, "this system has no /proc/stat"),
        (None, "'NoneType' object is not subscriptable"),
    ],
)
def test_counters_that_cannot_be_read_end_the_sampling_and_nothing_else(
    tmp_path, monkeypatch, broken, why
):
    monkeypatch.setattr(sampler_module, "counters", lambda *_: broken)
    with Sampler(tmp_path / "host.csv", ()) as sampler:
        time.sleep(0.05)
    assert sampler.problem == f"host sampling stopped: {why}"
    assert sampler.rows() == []
