"""fio as an engine: its command line, how its outcome is judged, and what this host lets it do."""

from __future__ import annotations

import shlex
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from perfkit.formats import fio_json
from perfkit.formats.fio_series import LATENCY_FILE, gather
from perfkit.measure.engines.engine import (
    STDERR,
    STDOUT,
    Acceptance,
    Engine,
    Judge,
    Plan,
    deadline,
    find_tool,
    layout_deadline,
    read_if_there,
)
from perfkit.measure.engines.jobfile import job_name, layout_job, point_job, verify_job
from perfkit.measure.engines.places import Places
from perfkit.measure.fleet.hosts import Host, Server
from perfkit.measure.fleet.servers import ANSWER_S, silent
from perfkit.measure.points import Point, planned_points
from perfkit.measure.process import Finished
from perfkit.measure.record.cautions import Noted
from perfkit.measure.spec import SweepSpec
from perfkit.measure.validity.acceptance import (
    NO_RESULT,
    Expectation,
    ExpectedJob,
    Hosts,
    Outcome,
    accept,
    stalls,
)
from perfkit.measure.validity.acceptance import expectation as expected_of
from perfkit.measure.validity.fio_result import jobs_of_clients
from perfkit.measure.validity.stalls import fio_without_io_s

JOB, RESULT = "job.fio", "fio.json"

GIVES_UP_S = 45.0
"""fio's client gives up a server 40 s after its last word, and then says which results it has."""


def _layout(spec: SweepSpec, places: Places, fill: int) -> Plan:
    names = [job_name("layout", number) for number in range(len(places.every))]
    expected = Expectation(tuple(ExpectedJob(name, ("write",)) for name in names))
    deadline_s = layout_deadline(sum(place.size for place in places.every))
    texts = [
        layout_job(spec, *((p.file(n), p.size) for p in places.every), host=n, fill=fill)
        for n in range(max(1, len(places.hosts)))
    ]
    if places.hosts:
        return _clients(places, texts, expected, deadline_s * len(places.hosts))
    return Plan({JOB: texts[0]}, _argv(read_only=False), deadline_s, _judge(expected))


def _point(spec: SweepSpec, point: Point, places: Places) -> Plan:
    def job(host: int | None) -> str:
        names = [":".join(file.file(host or 0) for file in files) for files in places.load]
        beside = places.background.file(host or 0) if places.background else None
        return point_job(spec, point, *names, host=host, background=beside)

    if places.hosts:
        texts = [job(host) for host in range(len(places.hosts))]
        plan = _clients(places, texts, expected_of(spec, point), deadline(spec, point))
        return replace(plan, gather=_gathered(places.hosts), stalls=_stalls(spec, point))
    reads = spec.read_only and (spec.background is None or spec.background.directions == ("read",))
    return Plan(
        files={JOB: job(None)},
        argv=_argv(read_only=reads),
        deadline_s=deadline(spec, point),
        judge=_judge(expected_of(spec, point)),
        gather=gather,
        stalls=_stalls(spec, point),
    )


def _gathered(hosts: Hosts) -> Callable[[Path], None]:
    """``gather`` for many hosts, whose results say how many I/Os are in their logs."""

    def gathered(folder: Path) -> None:
        text = read_if_there(folder / RESULT) or ""
        clients = jobs_of_clients(fio_json.decode(text, RESULT).final)
        done: dict[tuple[str, str], int] = {}
        for (name, port), jobs in clients.items():
            for direction in ("read", "write", "trim"):
                ios = sum(job.flow(direction).ios for job in jobs.values())
                done[f"{name}:{port}", direction] = ios
        gather(folder, [f"{name}:{port}" for name, port in hosts], done)

    return gathered


def _verification(spec: SweepSpec, places: Places) -> tuple[Plan, Plan]:
    """The pass that writes, and the one that reads back and checks."""
    each = [place for target in places.load for place in target]
    deadline_s = layout_deadline(spec.space.size * len(each) * max(1, len(places.hosts)))

    def plan(*, reads: bool) -> Plan:
        done, ios = ("read" if reads else "write",), spec.space.size // spec.block_size
        jobs = tuple(ExpectedJob(job_name("verify", n), done, ios=ios) for n in range(len(each)))
        texts = [
            verify_job(spec, *(place.file(host) for place in each), reads=reads, host=host)
            for host in range(max(1, len(places.hosts)))
        ]
        if places.hosts:
            return _clients(places, texts, Expectation(jobs), deadline_s)
        return Plan({JOB: texts[0]}, _argv(read_only=reads), deadline_s, _judge(Expectation(jobs)))

    return plan(reads=False), plan(reads=True)


def _clients(
    places: Places, texts: Sequence[str], expected: Expectation, deadline_s: float
) -> Plan:
    names = [f"job-{number}.fio" for number in range(1, len(texts) + 1)]
    pairs = [
        item
        for (name, port), job in zip(places.hosts, names, strict=True)
        for item in (f"--client={name},{port}", job)
    ]
    return Plan(
        files=dict(zip(names, texts, strict=True)),
        argv=("--output-format=json+", f"--output={RESULT}", *pairs),
        deadline_s=deadline_s + GIVES_UP_S,
        judge=_judge(expected, places.hosts),
    )


def _argv(*, read_only: bool) -> tuple[str, ...]:
    only = ("--readonly",) if read_only else ()
    return ("--output-format=json+", *only, f"--output={RESULT}", JOB)


def _judge(expected: Expectation, hosts: Hosts = ()) -> Judge:
    def judge(finished: Finished, folder: Path) -> Acceptance:
        outcome = Outcome(
            exit_code=finished.exit_code,
            result=read_if_there(folder / RESULT),
            stdout=read_if_there(folder / STDOUT) or "",
            stderr=read_if_there(folder / STDERR) or "",
            timed_out=finished.timed_out,
        )
        judged = accept(outcome, expected, RESULT, hosts)
        reason = judged.reason or ""
        named = any(f"{name}:{port}: " in reason for name, port in hosts)
        told = judged.accepted or (named and not reason.endswith(NO_RESULT))
        gone = "" if told else silent(SERVER, hosts)
        return replace(judged, reason=f"{gone} ({judged.reason})") if gone else judged

    return judge


def _stalls(spec: SweepSpec, point: Point) -> Callable[[Path], Iterator[Noted]]:
    expected = expected_of(spec, point)

    def found(folder: Path) -> Iterator[Noted]:
        series = read_if_there(folder / LATENCY_FILE)

        def without_io_s(ran_s: float) -> float | None:
            if series is None:  # each of many hosts has its own
                return None
            ran_s = max(ran_s, spec.runtime_s)
            return fio_without_io_s(series, point.jobs(spec), spec.interval_s, ran_s)

        yield from stalls(read_if_there(folder / RESULT) or "", expected, without_io_s)

    return found


def _version(said: str) -> str | None:
    return said if said.startswith("fio-") else None


def _pid_file(host: Host) -> str:
    # on the host; by address and port, since a machine may have a server at each of its addresses
    return f"/tmp/perfkit-fio-{host.name}-{host.port}.pid"  # noqa: S108


def _start(host: Host) -> str:
    # a server runs whatever job it is sent: it is bound to the address it is named by, not to all
    address = shlex.quote(f"{host.name},{host.port}")
    return f"fio --server={address} --daemonize={_pid_file(host)}"


def _stop(host: Host) -> str:
    file = _pid_file(host)
    # the number may be another process's by now: it must still be a fio
    return f'pid=$(cat {file}) && [ "$(cat /proc/$pid/comm)" = fio ] && kill $pid; rm -f {file}'


def _ask(host: Host) -> None:
    """Fio's server closes a connection when the other side does."""
    with socket.create_connection((host.name, host.port), ANSWER_S) as connection:
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)


SERVER = Server(
    engine="fio",
    port=8765,
    warning=(
        "fio's protocol has no authentication: whoever reaches the port can write any file and "
        "device of that host; start it in a trusted network only, and stop it afterwards"
    ),
    start=_start,
    stop=_stop,
    ask=_ask,
    same_version=True,
)


def _refuses(spec: SweepSpec, program: str) -> str | None:
    """What fio says against the options of the first point; it reads them and starts nothing.

    Sweeps without fields of this kind need no such question: all versions take their options.
    """
    if not spec.shaped:
        return None
    with tempfile.TemporaryDirectory(prefix="perfkit-probe-") as folder:
        (Path(folder) / JOB).write_text(point_job(spec, planned_points(spec)[0], "target"))
        done = _tried([program, "--parse-only", "--warnings-fatal", JOB], folder)
    if isinstance(done, str):
        return done
    said = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return None if done.returncode == 0 else next(iter(said), f"exit code {done.returncode}")


PROBE_DEADLINE_S = 20
_PROBE = (
    "--name=probe",
    "--rw=read",
    "--bs=4k",
    "--size=4k",
    "--filename=/dev/zero",
    "--readonly",
    "--thread",
    "--output-format=json",
)


def _tried(command: list[str], folder: str) -> subprocess.CompletedProcess[str] | str:
    """How a short call of fio ended; why it did not, in words."""
    try:
        return subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PROBE_DEADLINE_S,
            check=False,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)


def not_permitted(spec: SweepSpec, program: str | None = None) -> str | None:
    """Why fio cannot use the sweep's ioengine here, in its own words; None where it can.

    fio reads one block of ``/dev/zero`` through it; nothing is written. Other engines than fio and
    load generators on other hosts are not asked: their sweep tells.

    Raises MissingPartError where fio itself is not there.
    """
    if spec.engine != "fio" or spec.hosts:
        return None
    tool = find_tool(ENGINE, program)
    with tempfile.TemporaryDirectory(prefix="perfkit-probe-") as folder:
        command = [
            tool.path,
            *_PROBE,
            f"--ioengine={spec.ioengine}",
            f"--output={Path(folder) / 'probe.json'}",
        ]
        done = _tried(command, folder)
        if isinstance(done, str):
            return done
        if done.returncode == 0:
            return None
        written = Path(folder) / "probe.json"
        # with an output file fio writes its errors there, before the JSON
        text = done.stderr + (written.read_text(errors="replace") if written.is_file() else "")
    said = [line.strip() for line in text.splitlines() if line.startswith("fio:")]
    words = next((line for line in said if "error=" in line or "err=" in line), None)
    return words or (said[0] if said else f"fio ends with exit code {done.returncode}")


ENGINE = Engine(
    name="fio",
    cure="install it: apt install fio (Debian), dnf install fio (Fedora), brew install fio (macOS)",
    result=RESULT,
    floor_s=0.45,
    version_of=_version,
    layout=_layout,
    point=_point,
    verification=_verification,
    server=SERVER,
    refuses=_refuses,
)
