"""Many load generators: asked, checked, claimed and cleared as one target.

The I/O itself goes through the engines' own protocols (fio --client, elbencho --hosts). What those
cannot do - look at a target before it is written, make perfkit's own file, end what a killed sweep
left at work - goes over ssh; a loopback address is this machine and needs none.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.errors import RunError, SafetyError
from perfkit.runners import safety
from perfkit.runners.probe import program as probe
from perfkit.runners.sampler import RemoteSampler

if TYPE_CHECKING:
    from collections.abc import Callable

PORTS = {"fio": 8765, "elbencho": 1611}
"""The ports at which the engines' servers wait by default."""

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
TIMEOUT_S = 60.0


@dataclass(frozen=True, order=True)
class Host:
    """A load generator: two servers on one host are told apart by their ports."""

    name: str
    port: int

    @property
    def label(self) -> str:
        """How it is called in a run: ``name:port``."""
        return f"{self.name}:{self.port}"

    @classmethod
    def of(cls, label: str) -> Host:
        """The host of a label."""
        name, _, port = label.rpartition(":")
        return cls(name, int(port))

    @property
    def here(self) -> bool:
        """Whether it is this machine, by its address."""
        return self.name == "localhost" or self.name.startswith("127.")


def hosts_of(addresses: tuple[str, ...], engine: str) -> tuple[Host, ...]:
    """The hosts of a sweep, with the engine's own port where none is given."""
    parts = (address.partition(":") for address in addresses)
    return tuple(Host(name, int(port or PORTS[engine])) for name, _, port in parts)


def execute(host: Host, argv: list[str], given: str) -> str:
    """What a command prints on a host; RunError with its words if it fails."""
    command = located(host, argv)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RunError(f"{host.label}: {problem}") from problem
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no words").splitlines()[-1]
        raise RunError(f"{host.label}: {said}")
    return done.stdout


def located(host: Host, argv: list[str]) -> list[str]:
    """A command as it is started here to run on a host: over ssh, or on this machine."""
    if not host.here:
        return [*SSH, host.name, shlex.join(argv)]
    return [sys.executable if argv[0] == "python3" else argv[0], *argv[1:]]


def facts_of(host: Host, path: str, file: str | None, tool: str) -> dict[str, Any]:
    """The probe's answer of a host about a target: see ``probe.ask``."""
    argv = shlex.split(probe.command(path, file, (tool,)))
    return probe.answered(execute(host, argv, probe.program()), host.label)


def act(host: Host, action: str, directory: Path, file: str, size: int) -> dict[str, Any]:
    """One action of ``remote_file`` on a host."""
    request = {"action": action, "directory": str(directory), "file": file, "size": size}
    source = (Path(__file__).parent / "remote_file.py").read_text(encoding="utf-8")
    answer = json.loads(execute(host, ["python3", "-", json.dumps(request)], source))
    return dict(answer)


@dataclass
class Fleet:
    """One target directory on many hosts, with a file of perfkit's own on each.

    Where the engine gives every host the same path (elbencho) the files have one name.
    """

    hosts: tuple[Host, ...]
    directory: Path
    size: int
    engine: str
    laid_out: bool = False
    consent: None = None
    kept: bool = True
    devices: dict[str, str | None] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The first host's file, for messages."""
        return self.directory / self.files[0]

    @property
    def files(self) -> tuple[str, ...]:
        """Each host's file: fio's hosts have one each, also where they share a file system."""
        if self.engine == "elbencho":
            return (f"perfkit-{self.size}-hosts.dat",) * len(self.hosts)
        return tuple(f"perfkit-{self.size}-{n}.dat" for n in range(1, len(self.hosts) + 1))

    def facts(self) -> dict[str, dict[str, Any]]:
        """Each host's answer by its label."""
        # made before threads need it: in Python 3.11 threads that parse at once fail (SystemError)
        probe.program()
        found = self._each(
            lambda host, file: facts_of(host, str(self.directory), file, self.engine), at_once=True
        )
        told = {host.label: facts for host, facts in zip(self.hosts, found, strict=True)}
        for label, facts in told.items():
            disk = (facts["storage"] or {}).get("device") or {}
            self.devices[label] = disk.get("name")
        return told

    def samplers(self, folder: Path) -> list[RemoteSampler]:
        """What writes each host's samples into a point's folder while the point runs."""
        return [
            RemoteSampler(
                located(host, shlex.split(probe.watch_command(self.devices.get(host.label)))),
                folder / f"host-{host.label}.csv",
                host.label,
            )
            for host in self.hosts
        ]

    def check_again(self) -> None:
        """Every rule on every host; SafetyError naming the host."""
        for label, facts in self.facts().items():
            self.check(label, facts)

    def check(self, label: str, facts: dict[str, Any]) -> None:
        """The rules on one host's answer."""
        if facts["target"]["kind"] == "device":
            raise SafetyError(
                f"{label}: {self.directory}: a device; many hosts measure files in a directory"
            )
        safety.check_directory_facts(facts["target"], self.size, safety.RESERVE_BYTES, host=label)

    def claim(self) -> None:
        """Stop what an earlier sweep left at work, and make the files that are not there."""
        self.stop_leftovers()
        answers = self._act("make")
        self.laid_out = all(answer["laid_out"] for answer in answers)

    def stop_leftovers(self) -> int:
        """End what a killed perfkit left doing I/O on our files; how many processes that were."""
        answers = self._act("stop")
        for host, answer in zip(self.hosts, answers, strict=True):
            if answer["left"]:
                raise RunError(f"{host.label}: a fio of an earlier sweep cannot be ended")
        return sum(answer["stopped"] for answer in answers)

    def mark_laid_out(self) -> None:
        """Record that every file has been written."""
        self._act("laid_out")

    def remove(self) -> None:
        """Remove perfkit's own files."""
        self._act("remove")
        self.kept = False

    def allocated_bytes(self) -> int:
        """What is written cannot be asked while the hosts write."""
        return 0

    def _act(self, action: str) -> list[dict[str, Any]]:
        return self._each(lambda host, file: act(host, action, self.directory, file, self.size))

    def _each(
        self, work: Callable[[Host, str], dict[str, Any]], *, at_once: bool = False
    ) -> list[dict[str, Any]]:
        """The work on every host; hosts with one address take turns where it changes files."""
        if not at_once and len({host.name for host in self.hosts}) < len(self.hosts):
            return [work(host, file) for host, file in zip(self.hosts, self.files, strict=True)]
        with ThreadPoolExecutor(max_workers=min(16, len(self.hosts))) as pool:
            return list(pool.map(work, self.hosts, self.files))
