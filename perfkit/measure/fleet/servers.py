"""The engines' servers on load generators: starting and stopping them, and their state."""

from __future__ import annotations

import contextlib
import http.client
import shlex
import socket
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass

from perfkit.core.errors import RunError
from perfkit.measure.fleet.hosts import SSH, Host, Server

ANSWER_S = 5.0
"""Seconds within which a started server must answer, and a port accept."""


@dataclass(frozen=True)
class State:
    """Whether a host's server answers."""

    host: Host
    answers: bool
    reason: str | None = None


def command(server: Server, what: str, host: Host) -> str:
    """The line to type here that starts or stops a host's server: over ssh, or on this machine."""
    line = server.start(host) if what == "start" else server.stop(host)
    return line if host.here else f"ssh {shlex.quote(host.name)} {shlex.quote(line)}"


def carry_out(server: Server, what: str, host: Host) -> str:
    """Start or stop a host's server; the outcome. RunError naming the host if it failed."""
    wanted = what == "start"
    if wanted and check(host).answers:
        return "something answers there already; nothing was started"
    line = server.start(host) if wanted else server.stop(host)
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
        raise RunError(f"{host.label}: {said[-1] if said else 'it printed nothing'}")
    until = time.monotonic() + ANSWER_S
    while (state := check(host)).answers is not wanted and time.monotonic() < until:
        time.sleep(0.05)
    if state.answers is not wanted:
        # fio ends with exit code 0 even if it did not become a server
        words = f" ({said[-1]})" if said else ""
        raise RunError(f"{host.label}: {f'{state.reason}{words}' if wanted else 'still answers'}")
    return "started" if wanted else "stopped"


def answers(server: Server, host: Host) -> State:
    """Whether a host's server still works: one that hangs still accepts connections."""
    try:
        server.ask(host)
    except (OSError, http.client.HTTPException) as problem:
        words = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        return State(host, answers=False, reason=words)
    return State(host, answers=True)


def silent(server: Server, hosts: Iterable[tuple[str, int]]) -> str:
    """The first of the hosts whose server no longer works, and why; empty where all do."""
    states = (answers(server, Host(name, port)) for name, port in hosts)
    gone = next((state for state in states if not state.answers), None)
    return f"{gone.host.label}: its server no longer answers: {gone.reason}" if gone else ""


def check(host: Host) -> State:
    """Whether something answers at a host's address and port."""
    try:
        with contextlib.closing(socket.create_connection((host.name, host.port), ANSWER_S)):
            return State(host, answers=True)
    except OSError as problem:
        return State(host, answers=False, reason=problem.strerror or str(problem))
