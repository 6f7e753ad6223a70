"""A program that stays on a host for a sweep and answers line by line: one round trip each.

It is sent over its own input, so that the host needs nothing but Python, and ends when perfkit
ends, in whatever way.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure.probe.program import CALL, bundled, framed
from perfkit.measure.probe.program import MODULES as PROBE
from perfkit.measure.process import bound_process, pipe_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfkit.measure.target.remote_file import Message

MODULES = ("identity", "extents", "owned", "earlier", "remote_file")
"""The program's modules, each after those that it imports."""

ANSWER_S = 60.0
"""Seconds after which a host that has not answered counts as lost."""


@functools.cache
def program() -> bytes:
    """The program as it is sent: its length in a line, then its text."""
    return framed(bundled("perfkit.measure.target", MODULES) + CALL)


@functools.cache
def device_program() -> bytes:
    """The one that holds a device, with the probe by which it is looked at."""
    looks = bundled("perfkit.measure.probe", PROBE)
    return framed(looks + bundled("perfkit.measure.target", (*MODULES, "remote_device")) + CALL)


class Session:
    """The program on one host. ``ask`` is ``send`` and ``receive``, which many hosts need apart.

    Raises RunError, naming the host, where it does not answer; SafetyError with its own words.
    """

    def __init__(self, label: str, argv: Sequence[str], first: Mapping[str, Any], program: bytes):
        self.label = label
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the session
        self._rest, self._sent = b"", 0
        try:
            self._process = bound_process(
                list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words
            )
        except OSError as problem:
            raise RunError(f"{label}: {problem}") from problem
        self._given, self._said = pipe_of(self._process.stdin), pipe_of(self._process.stdout)
        self._write(program + json.dumps(first).encode() + b"\n")

    def ask(self, action: str, **arguments: Any) -> Message:
        """The answer to one request."""
        self.send(action, **arguments)
        return self.receive()

    def send(self, action: str, **arguments: Any) -> None:
        """Send a request."""
        self._sent += 1
        request = {"action": action, "number": self._sent, **arguments}
        self._write(json.dumps(request).encode() + b"\n")

    def receive(self) -> Message:
        """The answer to the latest request; answers to earlier ones are skipped."""
        answer: Message = {}
        while answer.get("number") != self._sent:
            line = self._line()
            # a login's greeting may come before
            answer = dict(json.loads(line)) if line.startswith(b"{") else {}
        del answer["number"]
        if "error" in answer:
            kind = RunError if answer["in_use"] else SafetyError
            raise kind(f"{self.label}: {answer['error']}")
        return answer

    def close(self) -> None:
        """End it: the program there finds its input closed."""
        for stream in (self._given, self._said):
            with contextlib.suppress(OSError):
                stream.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._words.close()

    def _write(self, data: bytes) -> None:
        try:
            self._given.write(data)
            self._given.flush()
        except OSError as problem:
            raise self._lost() from problem

    def _line(self) -> bytes:
        until = time.monotonic() + ANSWER_S
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._said], [], [], left)[0]:
                raise RunError(f"{self.label}: no answer from the host for {ANSWER_S:g} s")
            data = os.read(self._said.fileno(), 65536)
            if not data:
                raise self._lost()
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _lost(self) -> RunError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        self._words.seek(0)
        said = self._words.read().decode(errors="replace").strip().splitlines()
        return RunError(f"{self.label}: {said[-1] if said else 'the session on the host ended'}")
