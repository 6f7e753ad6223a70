"""Devices on many hosts: two servers on loopback, a loop device for each, and the rules on both."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from measure.test_hosts import servers_of  # noqa: F401 - a fixture

import perfkit as pk
from perfkit.core.errors import RunError, SafetyError, UsageError
from perfkit.formats import fio_json
from perfkit.measure.fleet.devices import _shared
from perfkit.measure.fleet.hosts import Host, paths_on
from perfkit.measure.probe.ask import target as look
from perfkit.measure.safety.judge import identity
from perfkit.measure.sweep import run_sweep
from perfkit.measure.target import session
from perfkit.measure.targets import name_targets

MIB = 1 << 20
HOSTS = (Host("h1", 1), Host("h2", 1), Host("h2", 2))


def test_each_host_has_a_path_of_its_own_or_all_the_same():
    assert paths_on("/dev/sdb", HOSTS) == ("/dev/sdb",) * 3
    assert paths_on("h1=/dev/a,h2:1=/dev/b,h2:2=/dev/c", HOSTS) == ("/dev/a", "/dev/b", "/dev/c")
    # a study resolves its target against its folder
    assert paths_on("/study/h1=/dev/a,h2=/dev/b", HOSTS) == ("/dev/a", "/dev/b", "/dev/b")
    # a folder of an odd name
    assert paths_on("/mnt/a=/b", HOSTS) == ("/mnt/a=/b",) * 3


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("h1=/dev/a", "h2:1 has no path in it"),
        ("h1=/dev/a,h2=/dev/b,h3=/dev/c", "h3 is not a host of the sweep"),
    ],
)
def test_a_host_that_is_left_out_or_strange_is_named(target, said):
    with pytest.raises(UsageError, match=said):
        paths_on(target, HOSTS)


def device(hostname, number, **facts):
    known = {"name": "sdb", "number": number, "model": "M", "serial": None, "wwid": None, **facts}
    return {"host": {"hostname": hostname}, "target": known}


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (device("a", "8:0", serial="1"), device("b", "8:0", serial="2"), None),
        (device("a", "8:0", serial="1"), device("b", "8:16", serial="1"), "by its serial number"),
        (device("a", "8:0", wwid="w"), device("b", "8:16", wwid="w"), "by its serial number"),
        (device("a", "8:0"), device("b", "8:0", serial="2"), "not known whether"),
        (device("a", "8:0"), device("a", "8:16"), None),
        (device("a", "8:0"), device("a", "8:0"), "both are the same device"),
    ],
)
def test_one_device_of_two_hosts_is_known_by_its_serial_number(one, other, said):
    found = _shared(one, other)
    assert (found is None) if said is None else (said in found)


@pytest.fixture
def two(loops, tmp_path, servers_of, small, runs):  # noqa: F811
    """Measure a mix on two loop devices, each of another host; with the consents given."""
    images = [tmp_path / "a", tmp_path / "b"]
    for image in images:
        image.write_bytes(bytes(16 * MIB))
    devices = [loops(image) for image in images]
    hosts, _ = servers_of()
    target = ",".join(f"{host}={path}" for host, path in zip(hosts, devices, strict=True))
    known = [identity(look(str(path))) for path in devices]

    def run(*consents, on=target, **given):
        spec = small("oltp-mixed", hosts=hosts, **{"load": {"iodepth": [1]}, **given})
        return run_sweep(
            spec, Path(on), runs_dir=runs, run_id="r", consents=consents, **run.options
        )

    run.options = {}
    run.hosts, run.devices, run.known, run.images = hosts, devices, known, images
    return run


def written(image):
    data = image.read_bytes()
    return [any(data[: 8 * MIB]), any(data[8 * MIB :])]


@pytest.mark.slow
def test_a_device_of_each_host_is_agreed_to_written_and_recorded(two):
    run = two(*two.known, load={"iodepth": [1, 2]})
    record = json.loads((run / "run.json").read_text())
    agreed = [record["hosts"][host]["consent"]["identity"] for host in two.hosts]
    assert agreed == two.known
    assert [written(image) for image in two.images] == [[True, False]] * 2
    found = pk.read(run)
    each = found.host_points.frame.filter(direction="total", load=1)
    assert sorted(each["host"]) == sorted(two.hosts)
    assert min(each["ios"]) > 0
    assert found.load_points.frame.filter(direction="total", load=1)["in_flight"].to_list() == [2.0]
    consents = found.host.filter(group="consent", fact="identity").frame
    assert dict(zip(consents["host"], consents["value"], strict=True)) == dict(
        zip(two.hosts, two.known, strict=True)
    )
    # resumed, they are known to be written
    point = run / "points" / "iodepth-2-r1"
    point.rename(run / "rejected" / "gone")
    (run / "layout" / "fio.json").unlink()
    two(*two.known, load={"iodepth": [1, 2]})
    assert point.is_dir()
    assert not (run / "layout" / "fio.json").exists()


@pytest.mark.slow
def test_the_devices_of_all_hosts_are_trimmed(two):
    for image in two.images:
        image.write_bytes(b"x" * 16 * MIB)
    run = two(*two.known, read_percent=0, trim=True)
    folder = run / "points" / "iodepth-1-r1"
    clients = fio_json.decode((folder / "fio.json").read_text(), "x").final["client_stats"]
    own = [job for job in clients if job["jobname"] != "All clients"]
    assert [min(job["trim"]["total_ios"], 1) for job in own] == [1, 1]
    assert {job[way]["total_ios"] for job in own for way in ("read", "write")} == {0}
    # a loop device gives the file's blocks back
    assert all(image.stat().st_blocks * 512 < 16 * MIB for image in two.images)


@pytest.mark.slow
def test_every_host_keeps_the_rules_and_nothing_is_written(two, tmp_path):
    first, second = two.known
    with pytest.raises(SafetyError, match=rf"^{two.hosts[0]}: .*to agree, add --overwrite"):
        two()
    with pytest.raises(SafetyError, match=rf"^{two.hosts[1]}: .*{first!r} names another device"):
        two(first)
    with pytest.raises(SafetyError, match="both are the same device"):
        two(first, on=str(two.devices[0]))
    with pytest.raises(SafetyError, match=f"^{two.hosts[0]}: 16777216 bytes, of which"):
        two(first, second, file_size="32 MiB", read_percent=100)
    with pytest.raises(SafetyError, match=f"{two.hosts[1]}: .*no device, as others have there"):
        two(first, second, on=f"{two.hosts[0]}={two.devices[0]},{two.hosts[1]}={tmp_path}")
    with pytest.raises(SafetyError, match=r"elbencho gives all hosts one path.*use fio"):
        _by_elbencho(two)
    assert [written(image) for image in two.images] == [[False, False]] * 2
    subprocess.run(["mkfs.ext4", "-q", two.devices[1]], check=True)
    with pytest.raises(SafetyError, match=f"^{two.hosts[1]}: .*carries signatures of ext4"):
        two(first, second)


def _by_elbencho(two):
    spec = pk.named_workload("oltp-select", engine="elbencho", hosts=two.hosts, file_size="8 MiB")
    on = ",".join(f"{host}={path}" for host, path in zip(two.hosts, two.devices, strict=True))
    name_targets(spec, Path(on), two.images[0].parent, ()).check()


@pytest.mark.slow
def test_a_device_that_changes_meanwhile_ends_the_sweep(two):
    """Somebody makes a file system on one host's device after the first point."""

    def spoil(event):
        if type(event).__name__ == "PointAccepted":
            # O_EXCL keeps mkfs away; writing past it does not
            subprocess.run(["wipefs", "-q", two.devices[1]], check=False)
            with two.images[1].open("r+b") as file:
                file.seek(1080)
                file.write(b"\x53\xef")
            subprocess.run(["blockdev", "--flushbufs", two.devices[1]], check=True)

    two.options = {"progress": spoil}
    with pytest.raises((SafetyError, RunError), match=f"{two.hosts[1]}: .*carries signatures of"):
        two(*two.known, load={"iodepth": [1, 2]})


def test_the_program_that_holds_a_device_is_written_for_older_pythons():
    """RHEL 8 has Python 3.6: its syntax, and only its library."""
    text = session.device_program().decode()
    bundles = re.findall(r"for name, source in (\[\[.*\]\]):", text)
    sent = [item for bundle in bundles for item in json.loads(bundle)]
    assert [name for name, _ in sent][-1] == "remote_device"
    for name, source in sent:
        for node in ast.walk(ast.parse(source, feature_version=(3, 6))):
            assert not isinstance(node, ast.AnnAssign), name
            if isinstance(node, ast.ImportFrom) and not node.module.startswith("perfkit"):
                assert node.module.split(".")[0] in sys.stdlib_module_names, name
