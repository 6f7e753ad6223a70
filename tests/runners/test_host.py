"""Facts about host and target: from text of known form, and no path or name among them."""

import json
import platform
from pathlib import Path

from perfkit.runners import host

CPUINFO = """processor\t: 0
model name\t: Fast CPU @ 3 GHz
physical id\t: 0
flags\t\t: fpu hypervisor sse

processor\t: 1
model name\t: Fast CPU @ 3 GHz
physical id\t: 1
flags\t\t: fpu hypervisor sse
"""


def test_cpu_facts_from_cpuinfo():
    assert host.cpu_facts(CPUINFO) == {
        "model": "Fast CPU @ 3 GHz",
        "sockets": 2,
        "hypervisor": True,
    }


def test_what_cpuinfo_does_not_say_is_null():
    assert host.cpu_facts("") == {"model": None, "sockets": None, "hypervisor": None}


def test_the_name_of_the_system():
    assert host.os_name('ID=debian\nPRETTY_NAME="Debian GNU/Linux 12"\n') == "Debian GNU/Linux 12"
    assert host.os_name("ID=debian\n") is None


def test_of_nested_mounts_the_deepest_and_latest_counts(tmp_path, monkeypatch):
    inside = tmp_path / "my data"
    inside.mkdir()
    escaped = str(inside.resolve()).replace(" ", "\\040")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
        f"2 1 8:2 / {escaped} rw - xfs /dev/sdb1 rw\n"
        f"3 1 8:3 / {escaped} rw,noatime shared:5 - overlay none rw,lowerdir=/secret/path,x=1\n"
    )
    monkeypatch.setattr(host, "_MOUNTS", mounts)
    facts = host.target_facts(inside)
    assert (facts["filesystem"], facts["mount_options"]) == ("overlay", "rw,noatime,x=1")
    assert host.target_facts(Path("/"))["filesystem"] == "ext4"


def test_the_facts_are_json_without_host_name_or_paths(tmp_path):
    text = json.dumps([host.host_facts(), host.target_facts(tmp_path)])
    assert str(tmp_path) not in text
    assert platform.node() not in json.loads(text)[0].values()
    assert json.loads(text)[0]["memory_bytes"] > 0


def test_the_device_of_a_partition_is_the_whole_disk(tmp_path, monkeypatch):
    disk = tmp_path / "sys" / "sdz"
    (disk / "sdz1").mkdir(parents=True)
    (disk / "sdz1" / "partition").write_text("1\n")
    (disk / "queue").mkdir()
    (disk / "queue" / "scheduler").write_text("none [mq-deadline] kyber\n")
    (disk / "queue" / "rotational").write_text("0\n")
    (disk / "size").write_text("4\n")
    numbers = tmp_path / "block"
    numbers.mkdir()
    device = tmp_path.stat().st_dev
    (numbers / f"{host.os.major(device)}:{host.os.minor(device)}").symlink_to(disk / "sdz1")
    monkeypatch.setattr(host, "_BLOCK", numbers)
    facts = host.device_facts(tmp_path, None)
    assert (facts["name"], facts["scheduler"], facts["rotational"]) == ("sdz", "mq-deadline", False)
    assert (facts["size_bytes"], facts["model"], facts["nr_requests"]) == (2048, None, None)
