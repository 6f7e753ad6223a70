"""The engines' servers on load generators: commands that start and stop them, and their state.

fio's protocol has no authentication and runs whatever job it is sent: a server is bound to the
address it is named by, never to all of a host's. elbencho's service listens on all interfaces and
has no option to bind it; its shared secret (``--svcpwfile``) is the user's to set up.
"""

from __future__ import annotations

import contextlib
import http.client
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from perfkit.core.errors import RunError
from perfkit.measure.fleet.hosts import SSH, Host

WARNING = {
    "fio": (
        "fio's protocol has no authentication: whoever reaches the port can write any file and "
        "device of that host; start it in a trusted network only, and stop it afterwards"
    ),
    "elbencho": (
        "elbencho's service listens on every address of its host; without a shared secret "
        "(--svcpwfile) whoever reaches the port can write any file and device of that host; start "
        "it in a trusted network only, and stop it afterwards"
    ),
}
ANSWER_S = 5.0
"""Seconds within which a started server must answer, and a port accept."""


@dataclass(frozen=True)
class State:
    """Whether a host's server answers."""

    host: Host
    answers: bool
    reason: str | None = None


def _pid_file(host: Host) -> str:
    # on the host; by address and port, since a machine may have a server at each of its addresses
    return f"/tmp/perfkit-fio-{host.name}-{host.port}.pid"  # noqa: S108


def _fio_start(host: Host) -> str:
    address = shlex.quote(f"{host.name},{host.port}")
    return f"fio --server={address} --daemonize={_pid_file(host)}"


def _fio_stop(host: Host) -> str:
    file = _pid_file(host)
    # the number may be another process's by now: it must still be a fio
    return f'pid=$(cat {file}) && [ "$(cat /proc/$pid/comm)" = fio ] && kill $pid; rm -f {file}'


COMMANDS: Mapping[tuple[str, str], Callable[[Host], str]] = MappingProxyType(
    {
        ("fio", "start"): _fio_start,
        ("fio", "stop"): _fio_stop,
        ("elbencho", "start"): lambda host: f"elbencho --service --port {host.port}",
        ("elbencho", "stop"): lambda host: (
            f"elbencho --quit --hosts {shlex.quote(f'127.0.0.1:{host.port}')}"
        ),
    }
)
"""(engine, what to do) -> the shell's command on the host."""


def command(engine: str, what: str, host: Host) -> str:
    """The line to type here that starts or stops a host's server: over ssh, or on this machine."""
    line = COMMANDS[engine, what](host)
    return line if host.here else f"ssh {shlex.quote(host.name)} {shlex.quote(line)}"


def carry_out(engine: str, what: str, host: Host) -> str:
    """Start or stop a host's server; the outcome. RunError naming the host if it failed."""
    wanted = what == "start"
    if wanted and check(host).answers:
        return "something answers there already; nothing was started"
    line = COMMANDS[engine, what](host)
    argv = ["sh", "-c", line] if host.here else [*SSH, host.name, line]
    try:
        # a server that stays must not hold our output open
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RunError(f"{host.label}: {problem}") from problem
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode:
        raise RunError(f"{host.label}: {said[-1] if said else 'no words'}")
    until = time.monotonic() + ANSWER_S
    while (state := check(host)).answers is not wanted and time.monotonic() < until:
        time.sleep(0.05)
    if state.answers is not wanted:
        # fio ends with exit code 0 even if it did not become a server
        raise RunError(f"{host.label}: {_silent(state, said) if wanted else 'still answers'}")
    return "started" if wanted else "stopped"


def _silent(state: State, said: list[str]) -> str:
    """Why a server that was started does not answer, in its own words if it had any."""
    return f"{state.reason} ({said[-1]})" if said else str(state.reason)


def answers(engine: str, host: Host) -> State:
    """Whether a host's server still works: one that hangs still accepts connections."""
    try:
        _ASK[engine](host)
    except (OSError, http.client.HTTPException) as problem:
        words = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        return State(host, answers=False, reason=words)
    return State(host, answers=True)


def _ask_fio(host: Host) -> None:
    """Fio's server closes a connection when the other side does."""
    with socket.create_connection((host.name, host.port), ANSWER_S) as connection:
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)


def _ask_elbencho(host: Host) -> None:
    """Elbencho's service speaks HTTP: any response will do."""
    with contextlib.closing(
        http.client.HTTPConnection(host.name, host.port, timeout=ANSWER_S)
    ) as connection:
        connection.request("GET", "/protocolversion")
        connection.getresponse()


_ASK: Mapping[str, Callable[[Host], None]] = MappingProxyType(
    {"fio": _ask_fio, "elbencho": _ask_elbencho}
)


def silent(engine: str, hosts: Iterable[tuple[str, int]]) -> str:
    """The first of the hosts whose server no longer works, and why; empty where all do."""
    states = (answers(engine, Host(name, port)) for name, port in hosts)
    gone = next((state for state in states if not state.answers), None)
    return f"{gone.host.label}: its server no longer answers: {gone.reason}" if gone else ""


def check(host: Host) -> State:
    """Whether something answers at a host's address and port."""
    try:
        with contextlib.closing(socket.create_connection((host.name, host.port), ANSWER_S)):
            return State(host, answers=True)
    except OSError as problem:
        return State(host, answers=False, reason=problem.strerror or str(problem))
