"""Another host's samples: the program sent there, in the columns of the one here."""

import csv
import os
import sys
import time

import pytest

from perfkit.measure.probe import program, sampler, watch
from perfkit.measure.probe.sampler import RemoteSampler

from .sysfs import Tree


def here(device=None):
    """The command for a remote host, run by this one's shell and an isolated Python."""
    line = program.watch_command(device).replace("python3 ", f"exec {sys.executable} -I ", 1)
    return ["sh", "-c", line]


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_line_between_two_readings(tmp_path):
    """Ticks, memory and sectors whose shares and rates are known."""
    tree = Tree(tmp_path)
    tree.put("proc/meminfo", "MemTotal: 100 kB\nMemAvailable: 40 kB\n")
    tree.put("proc/stat", "cpu 100 10 50 800 40 0 0 0 90 0\n")
    tree.put("proc/diskstats", " 8 16 sdb 10 0 100 5 20 0 200 5 0 0 0\n")
    tree.put("proc/vmstat", "pswpin 5\npswpout 7\n")
    tree.put("proc/self/cgroup", "0::/a/b\n")
    for group, times in (("a", 3), ("a/b", 4)):
        tree.put(f"sys/fs/cgroup/{group}/cpu.stat", f"usage_usec 9\nnr_throttled {times}\n")
    heat = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    tree.put(heat, "8\n")
    before = watch.counters(tree.root, ["sdb"])
    tree.put("proc/stat", "cpu 130 20 60 830 50 5 3 2 99 0\n")
    tree.put("proc/diskstats", " 8 16 sdb 30 0 300 5 24 0 208 5 0 0 0\n")
    tree.put("proc/vmstat", "pswpin 5\npswpout 11\n")
    tree.put("sys/fs/cgroup/a/cpu.stat", "nr_throttled 5\n")
    tree.put(heat, "9\n")
    after = watch.counters(tree.root, ["sdb"])
    found = dict(zip(watch.COLUMNS, watch.row(2.0, 2.0, before, after), strict=True))
    # 100 ticks in all: user 40, kernel and interrupts 18, idle 30, waiting 10, taken away 2
    assert found == {
        "t_s": 2.0, "cpu_busy_ratio": 0.6, "cpu_user_ratio": 0.4, "cpu_system_ratio": 0.18,
        "cpu_iowait_ratio": 0.1, "memory_used_bytes": 60 * 1024,
        "memory_available_bytes": 40 * 1024, "disk_read_bytes_per_s": 51200.0,
        "disk_write_bytes_per_s": 2048.0, "disk_read_iops": 10.0, "disk_write_iops": 2.0,
        "cpu_steal_ratio": 0.02, "swap_in_bytes_per_s": 0.0,
        "swap_out_bytes_per_s": 2.0 * os.sysconf("SC_PAGE_SIZE"), "quota_throttles": 2,
        "heat_throttles": 1,
    }  # fmt: skip


def test_disks_are_added_up_and_not_known_where_one_is_not(tmp_path):
    tree = Tree(tmp_path)
    disks = "8 0 sda 1 0 2 0 3 0 4 0 0 0 0\n8 16 sdb 10 0 20 0 30 0 40 0 0 0 0\n"
    tree.put("proc/diskstats", disks)
    assert watch.usage(tree.root, ["sda", "sdb"])["disk"] == [22 * 512, 44 * 512, 11, 33]
    assert watch.usage(tree.root, ["sda", "sdc"])["disk"] is None
    assert watch.usage(tree.root, [])["disk"] is None


def test_no_time_between_two_readings_gives_no_rate(tmp_path):
    tree = Tree(tmp_path)
    tree.put("proc/stat", "cpu 100 10 50 800 40 0 0 0 90 0\n")
    tree.put("proc/diskstats", "8 16 sdb 10 0 100 5 20 0 200 5 0 0 0\n")
    same = watch.counters(tree.root, ["sdb"])
    assert watch.row(0.0, 0.0, same, same)[1:5] == [None] * 4
    assert watch.row(0.0, 0.0, same, same)[7:11] == [None] * 4


def test_what_the_host_does_not_say_is_null(tmp_path):
    nothing = watch.counters(tmp_path, ["sdb"])
    assert watch.row(1.0, 1.0, nothing, nothing) == [1.0, *[None] * 15]


def test_counters_that_were_set_back_give_no_rate(tmp_path):
    tree = Tree(tmp_path)
    disk = "8 16 sdb 10 0 100 5 20 0 200 5 0 0 0\n"
    tree.put("proc/diskstats", disk)
    before = watch.counters(tree.root, ["sdb"])
    tree.put("proc/diskstats", disk.replace("100", "90"))
    assert watch.row(1.0, 1.0, before, watch.counters(tree.root, ["sdb"]))[7:9] == [None, 0.0]


@pytest.mark.slow
def test_a_host_is_watched_while_the_block_runs(tmp_path):
    """Whole lines, a second apart, by the program that would run over ssh; and it ends with it."""
    path = tmp_path / "host-load1.csv"
    with RemoteSampler(here(), path) as remote:
        time.sleep(2.6)
    assert remote.problem is None
    found = rows(path)
    assert [round(float(row["t_s"])) for row in found] == [1, 2]
    assert all(0 <= float(row["cpu_busy_ratio"]) <= 1 for row in found)
    assert remote._process.returncode is not None


def test_a_block_shorter_than_the_interval_is_one_sample(tmp_path):
    """However busy the host: the block begins after its first reading and ends with its last."""
    path = tmp_path / "host-load1.csv"
    with RemoteSampler(here(), path) as remote:
        assert remote.begun()
        time.sleep(0.05)
    assert remote.problem is None
    (row,) = rows(path)
    assert 0.05 <= float(row["t_s"]) < 1


def test_a_host_that_has_read_nothing_when_the_block_ends_gives_no_sample(tmp_path, monkeypatch):
    """Its first reading would be of a time after the block."""
    monkeypatch.setattr(sampler, "FIRST_S", 0.05)
    path = tmp_path / "host-load1.csv"
    shell, _, line = here()
    with RemoteSampler([shell, "-c", f"sleep 0.5; {line}"], path) as remote:
        assert not remote.begun()
    assert remote.problem == "host-load1.csv: the host gave no samples"
    assert not path.exists()


@pytest.mark.parametrize(
    "argv",
    [
        ["sh", "-c", "head -c 9 > /dev/null; echo Permission denied"],
        ["sh", "-c", "exit 1"],
        ["no-such-program"],
        ["sh", "-c", "head -c 9 > /dev/null; echo t_s,cpu; echo 1"],
    ],
)
def test_a_host_that_gives_no_samples_is_a_problem_and_no_file(tmp_path, argv):
    path = tmp_path / "host-load1.csv"
    with RemoteSampler(argv, path) as remote:
        time.sleep(0.2)
    assert "host-load1.csv" in remote.problem
    assert not path.exists()


def test_a_greeting_before_and_half_a_line_at_the_end_are_left_out(tmp_path):
    path = tmp_path / "host-load1.csv"
    head = ",".join(watch.COLUMNS)
    rows = "echo 1.0,0.5,,,,,,,,,; printf 2.0,0."
    script = f"head -c 9 > /dev/null; echo Welcome; echo {head}; {rows}"
    with RemoteSampler(["sh", "-c", script], path) as remote:
        time.sleep(0.3)
    assert remote.problem is None
    assert path.read_text() == f"{head}\n1.0,0.5,,,,,,,,,\n"
