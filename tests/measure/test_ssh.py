"""Load generators over ssh: a real sshd on loopback, with a key and a config of its own.

Names in hexadecimal, which the resolver takes for 127.0.0.x, are other machines to perfkit.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from waiting import wait_for

import perfkit as pk
from perfkit.cli.app import run as perfkit
from perfkit.core.errors import RunError
from perfkit.measure.engines import fio
from perfkit.measure.engines.engine import engine_of
from perfkit.measure.fleet import servers
from perfkit.measure.fleet.hosts import Fleet, Host, hosts_of
from perfkit.measure.sweep import run_sweep
from perfkit.measure.target import remote_file

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
TOOLS = ("ssh", "ssh-keygen", "fio", "python3")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("by_ssh"),
    pytest.mark.skipif(
        SSHD is None or not all(shutil.which(tool) for tool in TOOLS),
        reason="needs sshd, ssh, fio and python3",
    ),
]
real_elbencho = pytest.mark.skipif(
    shutil.which("elbencho") is None, reason="elbencho is not on PATH"
)
SIZE = 8 * 2**20
HOSTS = ("0x7f.1", "0x7f.2")
OUT_OF_REACH = "0x7f.9"


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@pytest.fixture(scope="module")
def sshd(tmp_path_factory):
    """Folder, port and process of an ssh server that knows one key."""
    folder, port = tmp_path_factory.mktemp("sshd"), free_port()
    for name in ("host", "known", "stranger"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True
        )
    kind, public = (folder / "host.pub").read_text().split()[:2]
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {kind} {public}\n")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/known.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        # a session finds the tools that we find
        f"SetEnv PATH={Path(sys.executable).parent}:{os.environ['PATH']}\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    log = folder / "sshd.log"
    process = subprocess.Popen([SSHD, "-D", "-f", folder / "sshd_config", "-E", log])
    try:
        address = Host("127.0.0.1", port)
        wait_for(lambda: servers.check(address).answers or process.poll() is not None)
        if process.poll() is not None:
            pytest.skip(f"no sshd can run here: {log.read_text()}")
        yield folder, port, process
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def configure(sshd):
    """The real ssh with a config of ours: its port, key and list of known hosts can be others."""
    folder, own, _ = sshd
    wrapper = folder / "bin" / "ssh"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
    wrapper.chmod(0o755)
    nobody = free_port()

    def write(port=own, key="known", hosts="known_hosts"):
        (folder / "ssh_config").write_text(
            f"Host {OUT_OF_REACH}\nPort {nobody}\n"
            f"Host *\nHostName 127.0.0.1\nPort {port}\nIdentityFile {folder / key}\n"
            f"IdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile {folder / hosts}\n"
            "GlobalKnownHostsFile none\n"
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
        yield write


@pytest.fixture
def by_ssh(configure):
    """ssh as it works; a test may configure it otherwise for itself."""
    configure()
    yield configure
    configure()


@pytest.fixture(scope="module")
def generators(configure):
    """Two load generators with an engine's servers, started over ssh and stopped so."""
    started = {}
    configure()

    def start(engine="fio"):
        if engine not in started:
            started[engine] = [Host(name, free_port()) for name in HOSTS]
            for host in started[engine]:
                assert servers.carry_out(engine_of(engine).server, "start", host) == "started"
        return tuple(host.label for host in started[engine])

    yield start
    for engine, hosts in started.items():
        for host in hosts:
            assert servers.carry_out(engine_of(engine).server, "stop", host) == "stopped"


def sessions(sshd):
    """What runs over ssh just now."""
    try:
        return psutil.Process(sshd[2].pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
def test_a_sweep_over_ssh_is_checked_measured_and_sampled(
    engine, generators, small, *, target, runs, sshd
):
    hosts = generators(engine)
    # the first row comes a second after the program began there; fio's client takes one more
    runtime = "1s" if engine == "fio" else "3s"
    spec = small(engine=engine, hosts=hosts, load={"iodepth": [2]}, runtime=runtime)
    run = run_sweep(spec, target, runs_dir=runs, run_id="r")
    assert pk.read(run).host_points.frame["host"].unique().sort().to_list() == list(hosts)
    assert set(json.loads((run / "run.json").read_text())["hosts"]) == set(hosts)
    for host in hosts:
        seen = rows(run / "points" / "iodepth-2-r1" / f"host-{host}.csv")
        assert 1 <= len(seen) <= 5
        assert all(0 <= float(row["cpu_busy_ratio"]) <= 1 for row in seen)
    assert list(target.iterdir()) == []
    # a program that watched finds its output closed at its next row
    wait_for(lambda: not sessions(sshd))


def test_what_a_killed_perfkit_left_on_hosts_is_stopped_over_ssh(
    generators, target, runs, *, other_process, sshd
):
    """The programs that watch the hosts end by themselves, fio's jobs before the next claim."""
    hosts = generators()
    sweep = {
        "hosts": hosts, "file_size": SIZE, "runtime": "20s", "ramp": 0, "repeats": 1,
        "load": {"iodepth": [2]},
    }  # fmt: skip
    process = other_process(sweep)
    files = [f"perfkit-{SIZE}-{n}.dat" for n in (1, 2)]
    samples = runs / "r" / "points" / ".tmp-iodepth-2-r1"
    wait_for(lambda: all((samples / f"host-{host}.csv").is_file() for host in hosts))
    wait_for(lambda: all(remote_file.users(str(target), file) for file in files))
    assert sessions(sshd)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not sessions(sshd))
    left = {pid for file in files for pid in remote_file.users(str(target), file)}
    assert left

    fleet = Fleet(hosts_of(hosts, fio.SERVER.port), target, SIZE, fio.SERVER)
    fleet.open()
    assert fleet.stop_leftovers() == len(left)
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in left))
    fleet.claim()
    fleet.remove()
    fleet.close()
    assert list(target.iterdir()) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"port": 1}, "Connection refused"),
        ({"key": "stranger"}, "Permission denied"),
        ({"hosts": "none"}, "Host key verification failed"),
    ],
)
def test_a_host_that_lets_nobody_in_is_named_with_sshs_words(
    by_ssh, small, capsys, *, target, runs, changed, said
):
    by_ssh(**changed)
    label = f"{HOSTS[0]}:{free_port()}"
    for what in ("start", "stop"):
        assert perfkit(["hosts", what, label, "--run"]) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert f"{label}: " in told.err
        assert said in told.err
    with pytest.raises(RunError, match=f"{label}: .*{said}"):
        run_sweep(small(hosts=(label,)), target, runs_dir=runs, run_id="r")
    assert list(target.iterdir()) == []
    assert not (runs / "r").exists()


def test_start_check_and_stop_reach_every_host_that_can_be_reached(capsys):
    """One out of reach does not keep the others from being stopped."""
    hosts = [f"{name}:{free_port()}" for name in HOSTS]
    assert perfkit(["hosts", "start", *hosts, "--run"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{host}: started" for host in hosts]
    assert perfkit(["hosts", "check", *hosts]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{host}: answers" for host in hosts]
    assert perfkit(["hosts", "stop", f"{OUT_OF_REACH}:9", *hosts, "--run"]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines() == [f"{host}: stopped" for host in hosts]
    assert f"{OUT_OF_REACH}:9: ssh: connect to host" in told.err
    assert perfkit(["hosts", "check", *hosts]) == 1
    assert not any(Path(fio._pid_file(Host.of(host))).exists() for host in hosts)


def test_what_answers_already_is_not_called_started(generators, capsys):
    (host, _) = generators()
    assert perfkit(["hosts", "start", host, "--run"]) == 0
    assert "answers there already; nothing was started" in capsys.readouterr().out


def test_a_server_that_cannot_be_is_told_in_fios_words(generators, capsys, monkeypatch):
    """fio ends with exit code 0 where its file names a fio that is alive."""
    monkeypatch.setattr(servers, "ANSWER_S", 0.5)
    (host, _) = (Host.of(label) for label in generators())
    other = Host(host.name, free_port())
    theirs = Path(fio._pid_file(other))
    shutil.copy(fio._pid_file(host), theirs)
    try:
        assert perfkit(["hosts", "start", other.label, "--run"]) == 1
    finally:
        theirs.unlink()
    assert "exists and server appears alive" in " ".join(capsys.readouterr().err.split())
