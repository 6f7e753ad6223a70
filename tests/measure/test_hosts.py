"""Many hosts: two servers on loopback, one dead, one failing, one killed, one left at work."""

import ast
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from target_tricks import (
    WHOLE,
    copied_over,
    directory_exchanged,
    linked,
    made_of_holes,
    never_written,
    replaced,
)
from waiting import wait_for

import perfkit as pk
from perfkit.cli.app import run as perfkit
from perfkit.core.errors import RunError, SafetyError, UsageError
from perfkit.formats import fio_json
from perfkit.measure import point_runner, progress
from perfkit.measure.engines import elbencho
from perfkit.measure.engines import fio as fio_module
from perfkit.measure.engines.engine import engine_of
from perfkit.measure.engines.places import Place, Places
from perfkit.measure.fleet import servers
from perfkit.measure.fleet.hosts import Fleet, Host, hosts_of
from perfkit.measure.points import planned_points
from perfkit.measure.process import Finished
from perfkit.measure.sweep import run_sweep
from perfkit.measure.target import owned, remote_file, session
from perfkit.measure.validity.acceptance import Expectation, ExpectedJob, Outcome, accept
from perfkit.measure.workloads import named_workload

SIZE = 8 * 2**20
real_elbencho = pytest.mark.skipif(
    shutil.which("elbencho") is None, reason="elbencho is not on PATH"
)


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


SERVER = {
    "fio": lambda port: ["fio", f"--server=127.0.0.1,{port}"],
    "elbencho": lambda port: ["elbencho", "--service", "--foreground", "--port", str(port)],
}


@pytest.fixture
def servers_of():
    """Two servers of an engine on loopback: their addresses and processes."""
    started = []

    def start(engine="fio", count=2):
        ports = free_ports(count)
        found = [
            subprocess.Popen(
                SERVER[engine](port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            for port in ports
        ]  # fmt: skip
        started.extend(found)
        for port in ports:
            wait_for(lambda port=port: servers.check(Host("127.0.0.1", port)).answers)
        return tuple(f"127.0.0.1:{port}" for port in ports), found

    yield start
    for process in started:
        process.kill()
        process.wait()


def fio_with(target, number):
    return remote_file.users(str(target), f"perfkit-{SIZE}-{number}.dat")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
def test_two_hosts_are_one_result_and_two_rows(engine, servers_of, small, target, runs):
    hosts, _ = servers_of(engine)
    runtime = "500ms" if engine == "fio" else "1s"
    spec = small("oltp-mixed", engine=engine, hosts=hosts, runtime=runtime)
    run = run_sweep(spec, target, runs_dir=runs)
    found = pk.read(run)
    assert list(target.iterdir()) == []
    total = found.load_points.frame.filter(direction="total")
    assert total["in_flight"].to_list() == [2.0, 8.0]
    each = found.host_points.frame.filter(direction="total")
    assert sorted(set(each["host"])) == sorted(hosts)
    if engine == "fio":
        # the hosts' run times differ by a little; the I/Os do not
        assert sum(each["ios"]) == sum(total["ios"])
        for row in each.iter_rows(named=True):
            ios, lat_s = by_fios_own_account(run, row["host"], row["load"])
            assert (row["ios"], row["lat_mean_s"]) == (ios, pytest.approx(lat_s))
            assert row["iops"] == pytest.approx(ios / row["runtime_s"], rel=0.01)
            # fio waits for a core too on a busy machine: it has the depth in flight, or less
            assert row["iops"] * row["lat_mean_s"] <= row["load"] * 1.05
        # each server's own p99 lies beside; their mean is none
        merged = total.filter(load=4)["lat_p99_s"].to_list()
        assert merged == [pytest.approx(percentile_of_summed_bins(run))]
    else:
        for row in total.iter_rows(named=True):
            assert sum(each.filter(load=row["load"])["iops"]) == pytest.approx(row["iops"], rel=0.1)
            assert row["iops"] * row["lat_mean_s"] == pytest.approx(row["in_flight"], rel=0.05)
    if engine == "fio":
        # each host's intervals hold what it did, but for those that the end of the load cut short
        series = found.series.frame.filter(load=4)
        for row in each.filter(load=4).iter_rows(named=True):
            own = series.filter(host=row["host"])
            assert 0.6 * row["ios"] <= sum(own["ios"]) <= 1.01 * row["ios"] + 64
            assert own["t_s"].max() <= row["runtime_s"] + 0.05
    sampled = {path.name for path in (run / "points" / "iodepth-4-r1").glob("host-*.csv")}
    assert sampled == {f"host-{name}.csv" for name in hosts}
    assert set(json.loads((run / "run.json").read_text())["hosts"]) == set(hosts)


ON_STDERR = "echo '{}' >&2"
IN_THE_RESULT = "sed -i -e '1i {}' -e '1i fio: failed decompressing log' fio.json"


def garbling(folder, times, said=ON_STDERR):
    """A fio that says so many times that it could not unpack the logs that a server sent."""
    program, count = folder / "garbling-fio", folder / "count"
    program.write_text(
        "#!/bin/sh\n"
        'fio "$@" || exit $?\n'
        "grep -qs ^write_.*_log= *.fio || exit 0\n"
        f"echo >> {count}\n"
        f"[ $(wc -l < {count}) -gt {times} ] || {said.format('fio: inflate error -3')}\n"
    )
    program.chmod(0o755)
    return str(program)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "said"), [(1, ON_STDERR), (2, ON_STDERR), (1, IN_THE_RESULT), (2, IN_THE_RESULT)]
)
def test_a_result_garbled_on_its_way_is_measured_once_more(
    servers_of, small, target, *, tmp_path, times, said
):
    spec, seen = small(hosts=servers_of()[0], load={"iodepth": [1]}), []

    def run():
        program = garbling(tmp_path, times, said)
        return run_sweep(
            spec, target, runs_dir=tmp_path, run_id="r", program=program, progress=seen.append
        )

    if times == 1:
        assert set(pk.read(run()).points.frame["point"]) == {"iodepth-1-r1"}
    else:
        with pytest.raises(RunError, match=r"iodepth-1-r1: fio wrote .*: fio: inflate error"):
            run()
    told = [event.again for event in seen if isinstance(event, progress.PointRejected)]
    assert told == [True, False][:times]
    assert len(list((tmp_path / "r" / "rejected").iterdir())) == times


@pytest.mark.slow
def test_only_what_hosts_sent_can_be_garbled_on_its_way(small, target, runs, tmp_path):
    with pytest.raises(RunError, match="inflate error"):
        run_sweep(small(), target, runs_dir=runs, run_id="r", program=garbling(tmp_path, 1))
    assert len(list((runs / "r" / "rejected").iterdir())) == 1


def clients_of(run, load):
    """What fio's own output says of each client at a load."""
    text = (run / f"points/iodepth-{load:g}-r1/fio.json").read_text()
    stats = fio_json.decode(text, "x").final["client_stats"]
    return [job for job in stats if job["jobname"] != "All clients"]


def by_fios_own_account(run, host, load):
    """I/Os and mean latency (s) of a host at a load, reads and writes together."""
    jobs = [job for job in clients_of(run, load) if f"{job['hostname']}:{job['port']}" == host]
    parts = [job[direction] for job in jobs for direction in ("read", "write")]
    ios = sum(part["total_ios"] for part in parts)
    return ios, sum(part["total_ios"] * part["lat_ns"]["mean"] for part in parts) / ios / 1e9


def percentile_of_summed_bins(run):
    """p99 of the bins of all hosts' own results, in seconds."""
    clients = clients_of(run, 4)
    assert len({(job["hostname"], job["port"]) for job in clients}) == 2
    bins = {}
    for job in clients:
        for direction in ("read", "write"):
            for middle, count in job[direction]["lat_ns"]["bins"].items():
                bins[int(middle)] = bins.get(int(middle), 0) + count
    rank, running = 0.99 * sum(bins.values()), 0
    for middle in sorted(bins):
        running += bins[middle]
        if running >= rank:
            break
    return middle / 1e9


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
def test_a_dead_host_is_no_result(engine, servers_of, small, target, runs):
    """It is seen before anything is written: fio itself would end with exit code 0."""
    (alive,), _ = servers_of(engine, 1)
    dead = f"127.0.0.1:{free_ports(1)[0]}"
    spec = small(engine=engine, hosts=(alive, dead), runtime="1s")
    with pytest.raises(RunError, match=f"{dead}: no {engine} server answers"):
        run_sweep(spec, target, runs_dir=runs, run_id="r")
    assert list(target.iterdir()) == []
    assert not (runs / "r").exists()


@pytest.mark.slow
@pytest.mark.parametrize("garbled", [False, True])
def test_a_failing_host_is_named(servers_of, small, own, target, *, runs, tmp_path, garbled):
    """Also where fio garbled its results, which alone would only be measured once more."""
    hosts, _ = servers_of()
    program = garbling(tmp_path, 1) if garbled else "fio"

    def spoil(event):
        if type(event).__name__ == "PointProgress":
            own(f"perfkit-{SIZE}-2.dat").unlink(missing_ok=True)

    with pytest.raises(RunError, match=f"point iodepth-1-r1: {hosts[1]}: .*no longer there"):
        run_sweep(
            small(hosts=hosts), target, runs_dir=runs, run_id="r", program=program, progress=spoil
        )
    assert list((runs / "r" / "points").iterdir()) == []
    assert len(list((runs / "r" / "rejected").iterdir())) == 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
def test_a_host_killed_in_mid_run_is_no_result(engine, servers_of, small, target, runs):
    hosts, processes = servers_of(engine)

    def kill(event):
        if type(event).__name__ == "PointProgress":
            with_children(processes[1].pid)

    spec = small(engine=engine, hosts=hosts, runtime="2s")
    fate = {
        # fio says that it lost the server, or (killed early) nothing: then it is asked
        "fio": "(no result of this host: its server went away|its server no longer answers: Conn)",
        "elbencho": "its server no longer answers",
    }
    with pytest.raises(RunError, match=f"point iodepth-1-r1: {hosts[1]}: {fate[engine]}"):
        run_sweep(spec, target, runs_dir=runs, run_id="r", progress=kill)
    assert list((runs / "r" / "points").iterdir()) == []


@pytest.mark.slow
def test_a_host_that_hangs_in_mid_run_is_named(servers_of, small, target, runs):
    """fio's client gives it up after 40 s, by its address; both servers have the same."""
    hosts, processes = servers_of()
    stopped = []

    def stop(event):
        if getattr(event, "elapsed_s", 0) >= 2.0 and not stopped:
            server = psutil.Process(processes[1].pid)
            stopped.extend([server, *server.children(recursive=True)])
            for process in stopped:
                process.suspend()

    spec = small(hosts=hosts, runtime="4s", load={"iodepth": [1]})
    said = f"point iodepth-1-r1: {hosts[1]}: no result of this host: its server hung"
    try:
        with pytest.raises(RunError, match=said):
            run_sweep(spec, target, runs_dir=runs, run_id="r", progress=stop)
    finally:
        for process in stopped:
            process.kill()
    assert list((runs / "r" / "points").iterdir()) == []


@pytest.mark.slow
def test_a_fio_that_is_stopped_by_its_deadline_names_the_silent_host(
    servers_of, small, target, runs, monkeypatch
):
    """A server that hangs from the beginning: fio itself waits for ever and says nothing."""
    hosts, processes = servers_of()
    stopped = []

    def stop(event):
        if type(event).__name__ == "PointStarted":
            stopped.append(psutil.Process(processes[1].pid))
            stopped[0].suspend()

    monkeypatch.setattr(fio_module, "GIVES_UP_S", -28.0)
    # A busy machine is late with the stop: fio has then counted the server out by itself.
    said = f"point iodepth-1-r1: {hosts[1]}: .*server .*no longer answer(s: timed out|ed).*in time"
    try:
        with pytest.raises(RunError, match=said):
            run_sweep(small(hosts=hosts), target, runs_dir=runs, run_id="r", progress=stop)
    finally:
        stopped[0].resume()


@pytest.mark.slow
def test_an_elbencho_service_that_hangs_or_is_gone_is_told(tmp_path):
    """A hung one still takes connections: only a request shows it. (Any web server will do.)"""
    (port,) = free_ports(1)
    argv = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
    server = subprocess.Popen(argv, cwd=tmp_path, stderr=subprocess.DEVNULL)
    host = Host("127.0.0.1", port)
    try:
        wait_for(lambda: servers.check(host).answers)
        assert servers.answers(elbencho.SERVER, host) == servers.State(host, answers=True)
        os.kill(server.pid, signal.SIGSTOP)
        assert servers.check(host).answers
        hung = servers.answers(elbencho.SERVER, host)
        assert (hung.answers, hung.reason) == (False, "timed out")
        spec = sweep_of_hosts(host)
        judged = elbencho.ENGINE.point(spec, planned_points(spec)[0], place_of(host)).judge(
            Finished(-2, 60.0, timed_out=True), tmp_path
        )
        assert judged.reason == (
            f"127.0.0.1:{port}: its server no longer answers: timed out "
            "(elbencho did not end in time and was stopped)"
        )
    finally:
        server.kill()
        server.wait()
    assert servers.answers(elbencho.SERVER, host).reason == "Connection refused"


def sweep_of_hosts(host):
    return named_workload(
        "oltp-select", engine="elbencho", hosts=(host.label,), file_size="8 MiB", runtime="1s",
        ramp=0, load={"iodepth": [1]},
    )  # fmt: skip


def place_of(host):
    return Places.of(Place(Path("/t"), "f", ((host.name, host.port),), ("f",)))


def test_a_host_that_elbencho_names_is_named_first(tmp_path, monkeypatch):
    host = Host("127.0.0.1", 9)
    monkeypatch.setattr(elbencho, "silent", lambda *_: "")
    (tmp_path / "stderr.txt").write_text("ERROR: failed\nServices: 127.0.0.1:9: disk on fire\n")
    spec = sweep_of_hosts(host)
    plan = elbencho.ENGINE.point(spec, planned_points(spec)[0], place_of(host))
    assert plan.judge(Finished(1, 1.0), tmp_path).reason == (
        "127.0.0.1:9: Services: 127.0.0.1:9: disk on fire "
        "(elbencho ended with exit code 1: ERROR: failed)"
    )


def with_children(pid):
    try:
        process = psutil.Process(pid)
        for child in (*process.children(recursive=True), process):
            child.kill()
    except psutil.Error:
        pass


@pytest.mark.slow
def test_what_a_killed_perfkit_left_at_work_is_stopped_at_resume(
    servers_of, small, target, runs, other_process
):
    """fio's server goes on when its client is gone."""
    hosts, _ = servers_of()
    sweep = {
        "hosts": hosts, "file_size": SIZE, "runtime": "20s", "ramp": 0, "repeats": 1,
        "load": {"iodepth": [2]},
    }  # fmt: skip
    process = other_process(sweep)
    wait_for((runs / "r" / "points" / ".tmp-iodepth-2-r1").exists)
    wait_for(lambda: all(fio_with(target, n) for n in (1, 2)))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    time.sleep(0.5)
    assert all(fio_with(target, n) for n in (1, 2))
    left = {pid for n in (1, 2) for pid in fio_with(target, n)}

    # in another run: the first one is of 20 s; what is left at work is stopped all the same
    short = small(**{**sweep, "runtime": "500ms"})
    run_sweep(short, target, runs_dir=runs, run_id="other")
    # a server buries its children when it comes to it
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in left))
    assert list(target.iterdir()) == []


TWO = {"load": {"iodepth": [1, 2]}, "runtime": "600ms"}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
@pytest.mark.parametrize("trick", [made_of_holes, replaced, linked, copied_over, never_written])
def test_a_file_exchanged_on_a_host_is_no_result_and_names_it(
    engine, trick, servers_of, small, *, own, target, runs, tmp_path
):
    """While the second point runs: the first stays, the user's bytes are what they were."""
    hosts, _ = servers_of(engine)
    theirs = tmp_path / "theirs"
    theirs.write_bytes(os.urandom(WHOLE))
    before, done = theirs.read_bytes(), []
    name = f"perfkit-{SIZE}-2.dat" if engine == "fio" else f"perfkit-{SIZE}-hosts.dat"

    def exchange(event):
        if type(event).__name__ == "PointProgress" and event.number == 2 and not done:
            done.append(True)
            trick(own(name), theirs)

    spec = small(engine=engine, hosts=hosts, **{**TWO, "runtime": "1s"})
    # elbencho's two services share a file here
    named = hosts[1] if engine == "fio" else hosts[0]
    with pytest.raises(RunError, match=rf"point iodepth-2-r1: .*{named}: .*perfkit-"):
        run_sweep(spec, target, runs_dir=runs, run_id="r", progress=exchange)
    assert [path.name for path in (runs / "r" / "points").iterdir()] == ["iodepth-1-r1"]
    assert theirs.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
@pytest.mark.parametrize("trick", [replaced, copied_over, directory_exchanged])
def test_a_left_over_of_anothers_on_a_host_is_named_and_stays(
    engine, trick, servers_of, small, *, own, target, runs, tmp_path
):
    hosts, _ = servers_of(engine)
    theirs = tmp_path / "theirs"
    theirs.write_bytes(os.urandom(WHOLE))
    spec = small("oltp-mixed", engine=engine, hosts=hosts, **{**TWO, "runtime": "1s"})
    run_sweep(spec, target, runs_dir=runs, run_id="r", upto=1, keep_target=True)
    name = f"perfkit-{SIZE}-1.dat" if engine == "fio" else f"perfkit-{SIZE}-hosts.dat"
    left = own(name).parent
    trick(own(name), theirs)
    before = own(name).read_bytes()
    heard = []
    run_sweep(spec, target, runs_dir=runs, run_id="r", progress=heard.append)
    told = {event.path for event in heard if isinstance(event, progress.LeftOver)}
    assert told == {f"{host}: {left}" for host in hosts}
    assert list(target.iterdir()) == [left]
    assert own(name).read_bytes() == before
    assert len(list((runs / "r" / "points").iterdir())) == 2


@pytest.mark.slow
def test_the_record_of_hosts_says_what_was_proved_and_can_be_run_by_hand(
    servers_of, small, target, runs, tmp_path
):
    """The servers were given descriptors; the kept job files name a file that can be made."""
    hosts, _ = servers_of()
    run = run_sweep(small(hosts=hosts, **TWO), target, runs_dir=runs)
    folder = run / "points" / "iodepth-2-r1"
    told = json.loads((folder / "point.json").read_text())["target"]
    assert told["given"] == "descriptor"
    assert set(told["before"]) == set(told["after"]) == set(hosts)
    assert {"handle", "token"} <= set(told["after"][hosts[1]]["proved"])
    command = json.loads((folder / "command.json").read_text())
    assert [one["host"] for one in command["given"]] == list(hosts)
    assert all(one["path"].startswith("/proc/") for one in command["given"])
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for number, one in enumerate(command["given"], 1):
        job = (folder / f"job-{number}.fio").read_text()
        assert f"filename={one['name']}\n" in job
        assert "/proc/" not in job
        Path(one["name"]).write_bytes(bytes(SIZE))
        shutil.copy(folder / f"job-{number}.fio", scratch)
    subprocess.run(command["argv"], cwd=scratch, check=True, capture_output=True)
    stats = fio_json.decode((scratch / "fio.json").read_text(), "x").final["client_stats"]
    assert {job["error"] for job in stats} == {0}


@pytest.mark.slow
def test_a_server_that_cannot_be_seen_is_given_a_path_and_that_is_recorded(
    servers_of, small, target, runs, monkeypatch
):
    """As one in a container, whose process numbers are its own."""
    source = (Path(session.__file__).parent / "remote_file.py").read_text()
    blind = source.replace('"/proc/net/tcp", "/proc/net/tcp6"', '"/none",')
    assert blind != source
    real = Path.read_text

    def read(path, **options):
        return blind if path.name == "remote_file.py" else real(path, **options)

    session.program.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", read)
        session.program()
    try:
        hosts, _ = servers_of()
        run = run_sweep(small(hosts=hosts, **TWO), target, runs_dir=runs)
    finally:
        session.program.cache_clear()
    point = json.loads((run / "points" / "iodepth-2-r1" / "point.json").read_text())
    assert point["target"]["given"] == "path"
    record = json.loads((run / "run.json").read_text())["own_file"]
    assert {one["given"] for one in record.values()} == {"path"}


def holder(target, number=1, size=8192):
    return remote_file.Holder(str(target), f"perfkit-{size}-{number}.dat", size)


def taken(one, directory=None, token=None):
    return one.take(directory or owned.new_name(), 0, alone=token is None, token=token, port=1)


def test_a_host_makes_holds_proves_and_removes_its_file(target):
    one = holder(target)
    assert taken(one)["given"] is None
    os.pwrite(one.held.handle, os.urandom(8192), 0)
    one.laid_out()
    assert {"name", "token"} <= set(one.check(wrote=False)["proved"])
    one.held.close()
    again = holder(target)
    (left,) = again.find()["own"]
    assert left["laid_out"]
    assert taken(again, left["directory"])["laid_out"]
    again.remove()
    assert list(target.iterdir()) == []


def test_hosts_that_share_a_file_know_it_by_its_token(target):
    one, two, three = holder(target), holder(target), holder(target)
    first = taken(one, "perfkit-0123456789abcdef", token="none yet")
    second = taken(two, "perfkit-0123456789abcdef", token=first["token"])
    assert second["token"] == first["token"]
    with pytest.raises(owned.OwnedError, match="not the file that this sweep made"):
        taken(three, "perfkit-0123456789abcdef", token="another")
    one.remove()
    two.remove()
    assert list(target.iterdir()) == []


def test_what_a_host_was_left_with_does_not_hold_it_up(target):
    """Half a record, a record that was to replace another, an empty directory: named, no more."""
    one = holder(target)
    taken(one)
    one.held.close()
    marker = next(target.glob("perfkit-*/owner.json"))
    marker.write_text(marker.read_text()[:40])
    (target / "perfkit-8192-1.dat.perfkit.json.new").write_text("{}")
    (target / owned.new_name()).mkdir()
    before = sorted(target.rglob("*"))
    again = holder(target)
    found = again.find()
    assert (found["own"], len(found["left_over"])) == ([], 3)
    taken(again)
    again.remove()
    assert sorted(target.rglob("*")) == before


@pytest.mark.parametrize("engine", ["fio", "elbencho"])
def test_a_host_without_room_is_named_and_nothing_stays_on_the_others(
    engine, target, tmp_path, monkeypatch
):
    fleet = Fleet(
        hosts_of(("127.0.0.1:1", "127.0.0.1:2"), 1), target, SIZE, engine_of(engine).server
    )
    fleet.open()
    real = session.Session.ask

    def ask(self, action, **given):
        if action == "take" and self.label.endswith(":2"):
            given["reserve"] = 1 << 60
            given["directory"] = owned.new_name()
        return real(self, action, **given)

    monkeypatch.setattr(session.Session, "ask", ask)
    with pytest.raises(SafetyError, match=r"127\.0\.0\.1:2: .*MiB must stay free"):
        fleet.claim()
    fleet.close()
    assert list(target.iterdir()) == []


def test_the_program_of_a_session_is_written_for_older_pythons():
    """RHEL 8 has Python 3.6: its syntax, only its library, and no annotations to stumble over."""
    (sources,) = re.findall(r"for name, source in (\[\[.*\]\]):", session.program().decode())
    for name, text in json.loads(sources):
        for node in ast.walk(ast.parse(text, feature_version=(3, 6))):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= sys.stdlib_module_names, name
            if isinstance(node, ast.ImportFrom):
                sent = {f"perfkit.measure.target.{module}" for module in session.MODULES}
                assert node.module in {"perfkit.measure.target", "typing"} | sent, (
                    name,
                    node.module,
                )
            assert not isinstance(node, ast.AnnAssign), name


@pytest.mark.slow
def test_a_session_that_is_lost_is_told_with_its_host(servers_of, small, target, runs):
    hosts, _ = servers_of()

    def kill(event):
        if type(event).__name__ == "PointProgress":
            held = [p for p in psutil.Process().children() if "-uc" in p.cmdline()]
            for process in held[1:]:
                process.kill()

    with pytest.raises(RunError, match=f"{hosts[1]}: the session on the host ended"):
        run_sweep(small(hosts=hosts, **TWO), target, runs_dir=runs, run_id="r", progress=kill)
    assert list((runs / "r" / "points").iterdir()) == []
    # and the next call goes on, with what was left
    run_sweep(small(hosts=hosts, **TWO), target, runs_dir=runs, run_id="r")
    assert list(target.iterdir()) == []


def test_a_missing_directory_on_a_host_is_refused_with_its_name(small, tmp_path, runs):
    with pytest.raises(SafetyError, match=r"127\.0\.0\.1:9.*no such directory"):
        run_sweep(small(hosts=("127.0.0.1:9",)), tmp_path / "none", runs_dir=runs)


def client(hostname, port, error=0, ios=1000):
    direction = {
        "total_ios": ios, "runtime": 1000, "iops": float(ios), "lat_ns": {"mean": 1e6, "N": ios},
    }  # fmt: skip
    return {
        "jobname": "load", "hostname": hostname, "port": port, "error": error, "read": direction,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("clients", "said"),
    [
        ([client("a", 1), client("a", 2)], None),
        ([client("a", 1)], "a:2: no result of this host"),
        ([client("a", 1), client("a", 2, error=5)], "a:2: job 'load' reports error 5"),
        ([client("a", 1), client("a", 2, ios=0)], "a:2: job 'load' completed no reads"),
        ([client("a", 1), client("a", 2), client("b", 2)], "b:2: a result of a host that was not"),
        ([], "a:1: no result of this host"),
    ],
)
def test_a_point_counts_only_if_every_host_answered(clients, said):
    text = json.dumps({"fio version": "fio-3.33", "client_stats": clients})
    expected = Expectation((ExpectedJob("load", ("read",), runtime_s=1.0),))
    found = accept(Outcome(0, text), expected, "fio.json", (("a", 1), ("a", 2)))
    assert found.accepted is (said is None)
    assert said is None or (found.reason or "").startswith(said)
    assert said or found.iops == 2000


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"hosts": ("a", "a")}, "hosts: a load generator is named twice"),
        ({"hosts": ("a b",)}, "hosts"),
        ({"hosts": ("a", "b"), "load": {"rate_iops": [101]}}, "evenly over 2 hosts"),
    ],
)
def test_hosts_that_cannot_be_are_refused_by_field(small, overrides, said):
    with pytest.raises(UsageError, match=said):
        small(**overrides)


def test_hosts_are_told_apart_by_name_and_port():
    assert hosts_of(("a", "a:9"), fio_module.SERVER.port) == (Host("a", 8765), Host("a", 9))
    assert hosts_of(("a",), elbencho.SERVER.port)[0].label == "a:1611"


def test_the_commands_name_the_address_and_warn(capsys):
    assert perfkit(["hosts", "start", "10.0.0.11", "127.0.0.1:9"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "ssh 10.0.0.11 'fio --server=10.0.0.11,8765 "
        "--daemonize=/tmp/perfkit-fio-10.0.0.11-8765.pid'",
        "fio --server=127.0.0.1,9 --daemonize=/tmp/perfkit-fio-127.0.0.1-9.pid",
    ]
    assert "no authentication" in printed.err


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["fio", pytest.param("elbencho", marks=real_elbencho)])
def test_servers_are_started_checked_and_stopped(engine, capsys):
    address = f"127.0.0.1:{free_ports(1)[0]}"
    own = ["--engine", engine]
    assert perfkit(["hosts", "check", address, *own]) == 1
    assert perfkit(["hosts", "start", address, "--run", *own]) == 0
    try:
        assert perfkit(["hosts", "check", address, *own]) == 0
        assert f"{address}: answers" in capsys.readouterr().out
    finally:
        assert perfkit(["hosts", "stop", address, "--run", *own]) == 0
    assert perfkit(["hosts", "check", address, *own]) == 1


@pytest.mark.slow
def test_two_targets_on_two_hosts_are_four_parts_of_one_load(servers_of, small, target, runs):
    hosts, _ = servers_of()
    folders = [target / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    fields = {"load": {"iodepth": [2]}, "runtime": "500ms", "files": 2}
    spec = small(hosts=hosts, targets=tuple(map(str, folders)), **fields)
    run = run_sweep(spec, target, runs_dir=runs)
    assert [list(folder.iterdir()) for folder in folders] == [[], []]
    folder = run / "points" / "iodepth-2-r1"
    point = json.loads((folder / "point.json").read_text())
    shares = {(row["host"], row["target"]): row["ios"] for row in point["by_target"]}
    assert set(shares) == {(host, number) for host in hosts for number in (1, 2)}
    [total] = pk.read(run).load_points.frame.filter(direction="total").to_dicts()
    assert (total["ios"], total["in_flight"]) == (sum(shares.values()), 8)
    assert set(point["target"]["after"]) == {
        f"target {t}, file {f}" for t in (1, 2) for f in (1, 2)
    }
    assert all(set(each) == set(hosts) for each in point["target"]["after"].values())
    job = (folder / "job-2.fio").read_text()
    assert "/proc/" not in job
    assert f"filename={folders[1]}/perfkit-{SIZE}-2.dat:{folders[1]}/" in job


@pytest.mark.slow
def test_a_load_beside_goes_on_on_every_host_and_is_in_no_number(servers_of, small, target, runs):
    hosts, _ = servers_of()
    folders = [target / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    beside = {"target": str(folders[1]), "rate_iops": 400, "read_percent": 0, "file_size": "4 MiB"}
    spec = small(hosts=hosts, load={"iodepth": [2]}, runtime="2s", background=beside)
    run = run_sweep(spec, folders[0], runs_dir=runs)
    assert [list(folder.iterdir()) for folder in folders] == [[], []]
    folder = run / "points" / "iodepth-2-r1"
    point = json.loads((folder / "point.json").read_text())
    rates = {row["host"]: row["iops"] for row in point["by_target"] if not row["target"]}
    assert rates == {host: pytest.approx(200, rel=0.05) for host in hosts}
    [total] = pk.read(run).load_points.frame.filter(direction="total").to_dicts()
    each = pk.read(run).host_points.frame.filter(direction="total")
    assert total["ios"] == sum(each["ios"])
    # by fio's own account: the load reads, and the load beside writes
    clients = fio_json.decode((folder / "fio.json").read_text(), "x").final["client_stats"]
    own = [job for job in clients if job["jobname"] != "All clients"]
    assert total["ios"] == sum(job["read"]["total_ios"] for job in own)
    assert sum(job["write"]["total_ios"] for job in own) == pytest.approx(800, rel=0.05)
    record = json.loads((run / "run.json").read_text())
    assert [one["background"] for one in record["targets"]] == [False, True]


@pytest.mark.slow
def test_each_host_verifies_its_own_file_and_a_wrong_block_names_it(
    servers_of, small, target, runs, monkeypatch
):
    hosts, _ = servers_of()
    spec = small(hosts=hosts, load={"iodepth": [1]}, file_size="2 MiB", verify=True)
    found = json.loads(
        (run_sweep(spec, target, runs_dir=runs, run_id="a") / "run.json").read_text()
    )
    assert found["verification"]["verified"]
    assert found["verification"]["verified_bytes"] == 4 * 2**20
    assert list(target.iterdir()) == []

    usual = point_runner.work

    def spoil(*args, what, **options):
        if what == "read":
            [second] = target.glob(f"perfkit-*/perfkit-{2 * 2**20}-2.dat")
            with second.open("r+b") as file:
                file.seek(3 * 8192 + 4000)
                file.write(b"spoilt")
        usual(*args, what=what, **options)

    monkeypatch.setattr(point_runner, "work", spoil)
    with pytest.raises(RunError, match=rf"verification: read: {hosts[1]}: .*offset 24576"):
        run_sweep(spec, target, runs_dir=runs, run_id="b")
    found = json.loads((runs / "b" / "run.json").read_text())["verification"]
    assert (found["verified"], found["wrong_at_byte"]) == (False, 24576)
