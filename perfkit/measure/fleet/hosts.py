"""Many load generators as one target: asked, checked, claimed and cleaned up together.

The I/O itself goes through the engines' own protocols (fio --client, elbencho --hosts). They cannot
check a target before it is written, make and hold perfkit's own file, prove it before and after
every point, or end what a killed sweep left running. That goes over ssh, by a session that lasts
for the sweep; a loopback address is this machine and needs no ssh.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from perfkit.core.errors import RunError, SafetyError, UsageError
from perfkit.measure.probe import program as probe
from perfkit.measure.probe.read import Facts
from perfkit.measure.probe.sampler import RemoteSampler
from perfkit.measure.safety.files import RESERVE_BYTES, LeftOver
from perfkit.measure.safety.judge import check_directory_facts
from perfkit.measure.target.owned import new_name
from perfkit.measure.target.session import Session, program

if TYPE_CHECKING:
    from perfkit.measure.target.forms import OwnFacts, Proof

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=30")
TIMEOUT_S = 60.0


@dataclass(frozen=True, order=True)
class Host:
    """A load generator; two servers on one host differ in their ports."""

    name: str
    port: int

    @property
    def label(self) -> str:
        """Its name in a run: ``name:port``."""
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


@dataclass(frozen=True)
class Server:
    """A load generator's server on the hosts of a sweep.

    Attributes:
        engine: Whose it is.
        port: Its default port.
        warning: What whoever starts it has to know.
        start: The shell's command on a host that starts it.
        stop: The one that stops it.
        ask: Makes it answer; raises OSError or HTTPException where it does not.
        interrupt: The tool's arguments that end what the servers still do for a sweep that was
            killed; None: they end it themselves.
        one_path: Whether all hosts are given the same path, and so no descriptors.
        same_version: Whether the tool here and the servers have to be of one version.
    """

    engine: str
    port: int
    warning: str
    start: Callable[[Host], str]
    stop: Callable[[Host], str]
    ask: Callable[[Host], None]
    interrupt: Callable[[tuple[tuple[str, int], ...]], tuple[str, ...]] | None = None
    one_path: bool = False
    same_version: bool = False


def hosts_of(addresses: tuple[str, ...], port: int) -> tuple[Host, ...]:
    """The hosts of a sweep, with the engine's own port where none is given."""
    parts = (address.partition(":") for address in addresses)
    return tuple(Host(name, int(own or port)) for name, _, own in parts)


def paths_on(target: Path, hosts: Sequence[Host]) -> tuple[str, ...]:
    """The target on each host: the same path, or one for each, ``h1=/dev/sdb,h2=/dev/sdc``.

    Raises UsageError where a host has none, or a name is of no host.
    """
    pairs = dict(re.findall(r"([\w.-]+(?::\d+)?)=(/[^,=]*)", str(target)))
    known = {name for host in hosts for name in (host.label, host.name)}
    if not known & set(pairs):
        return (str(target),) * len(hosts)
    found = [pairs.get(host.label, pairs.get(host.name)) for host in hosts]
    lost = next((h.label for h, path in zip(hosts, found, strict=True) if path is None), None)
    if lost or set(pairs) - known:
        strange = lost or min(set(pairs) - known)
        why = "has no path in it" if lost else "is not a host of the sweep"
        raise UsageError(f"target {target}: {strange} {why}")
    return tuple(path for path in found if path)


def execute(host: Host, argv: list[str], given: str) -> str:
    """What a command prints on a host; RunError with its words if it fails."""
    command = command_on(host, argv)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RunError(f"{host.label}: {problem}") from problem
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
        raise RunError(f"{host.label}: {said}")
    return done.stdout


def command_on(host: Host, argv: list[str]) -> list[str]:
    """A command as it is started here to run on a host: over ssh, or on this machine."""
    if not host.here:
        return [*SSH, host.name, shlex.join(argv)]
    return [sys.executable if argv[0] == "python3" else argv[0], *argv[1:]]


def facts_of(host: Host, path: str, tool: str) -> HostFacts:
    """What a host says of itself and of a target on it."""
    argv = shlex.split(probe.command(path, (tool,)))
    found = probe.answered(execute(host, argv, probe.program()), host.label)
    return HostFacts(
        host=found["host"],
        target=found["target"],
        storage=found["storage"] or {},
        tools=found["tools"],
    )


class HostFacts(TypedDict):
    """The probe's answer of a host about a target (``probe.ask``)."""

    host: Facts
    target: Facts
    storage: Facts
    tools: Mapping[str, Facts | None]


@dataclass(frozen=True, slots=True)
class HostFile:
    """perfkit's file on one host, as its session answers; see ``remote_file.Holder.take``.

    Attributes:
        path: Its name on the host.
        given: The path to the descriptor that the session holds; None: the name is given instead.
        token: The hash of its token, by which hosts that share the file know it.
        laid_out: Whether every block has been written.
        facts: What run.json says of it.
    """

    path: str
    given: str | None
    token: str
    laid_out: bool
    facts: OwnFacts


@dataclass
class OnHosts:
    """A target on many hosts, each looked at and held by a session.

    Attributes:
        paths: The target on each host.
        directory: The target as the user names it.
        size: Bytes of it that are measured, on each host.
        devices: Host -> its disk under the target.
    """

    hosts: tuple[Host, ...]
    directory: Path
    size: int
    server: Server
    paths: tuple[str, ...] = ()
    laid_out: bool = False
    consent: None = None
    devices: dict[str, str | None] = field(default_factory=dict)
    sessions: list[Session] = field(default_factory=list)
    _facts: dict[str, HostFacts] = field(default_factory=dict)
    _send_problems: list[RunError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.paths = self.paths or (str(self.directory),) * len(self.hosts)

    @property
    def addresses(self) -> tuple[tuple[str, int], ...]:
        """The hosts as a tool's plan has them: names and ports."""
        return tuple((host.name, host.port) for host in self.hosts)

    def facts(self) -> dict[str, HostFacts]:
        """Each host's answer by its label; they are asked once."""
        if self._facts:
            return self._facts
        # made before threads need it: in Python 3.11 threads that parse at once fail (SystemError)
        probe.program()
        with ThreadPoolExecutor(max_workers=min(16, len(self.hosts))) as pool:
            tool, pairs = self.server.engine, zip(self.hosts, self.paths, strict=True)
            found = pool.map(lambda at: facts_of(at[0], at[1], tool), pairs)
        by_label = {host.label: facts for host, facts in zip(self.hosts, found, strict=True)}
        for label, facts in by_label.items():
            disk = facts["storage"].get("device") or {}
            self.devices[label] = disk.get("name")
        self._facts = by_label
        return by_label

    def samplers(self, folder: Path, others: Sequence[OnHosts] = ()) -> list[RemoteSampler]:
        """Samplers that write each host's samples into a point's folder while the point runs.

        A host's disk is sampled where that of ``others``, further targets on it, is the same.
        """

        def disk(label: str) -> str | None:
            own = self.devices.get(label)
            return own if all(other.devices.get(label) == own for other in others) else None

        return [
            RemoteSampler(
                command_on(host, shlex.split(probe.watch_command(disk(host.label)))),
                folder / f"host-{host.label}.csv",
                host.label,
            )
            for host in self.hosts
        ]

    def _open(self, firsts: Sequence[Facts], program: bytes) -> None:
        for host, first in zip(self.hosts, firsts, strict=True):
            argv = command_on(host, list(probe.START))
            self.sessions.append(Session(host.label, argv, first, program))

    def close(self) -> None:
        """End the sessions, and let the files go."""
        while self.sessions:
            self.sessions.pop().close()

    def _ask_all(self, action: str, *, each: Sequence[Facts] = (), **arguments: Any) -> list[Facts]:
        """Every host's answer; each has its request before the first is waited for."""
        self._send(action, each=each, **arguments)
        return self._collect_answers()

    def _send(self, action: str, *, each: Sequence[Facts] = (), **arguments: Any) -> None:
        """Send a request to every host, with what is for each alone."""
        self._send_problems = []
        for session, own in zip(self.sessions, each or [{}] * len(self.sessions), strict=True):
            try:
                session.send(action, **arguments, **own)
            except RunError as problem:
                self._send_problems.append(problem)

    def _collect_answers(self) -> list[Facts]:
        answers: list[Facts] = []
        problems: list[Exception] = [*self._send_problems]
        for session in () if problems else self.sessions:
            try:
                answers.append(session.receive())
            except (RunError, SafetyError) as problem:
                problems.append(problem)
        if problems:
            raise problems[0]
        return answers


@dataclass
class Fleet(OnHosts):
    """One target directory on many hosts; on each, a session holds a file of perfkit's own.

    Where the engine gives every host the same path (elbencho) the files have one name, and the
    hosts may share one file.
    """

    content: str = ""
    kept: bool = True
    left_over: tuple[LeftOver, ...] = ()
    taken: list[HostFile] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The first host's file, for messages."""
        return Path(self.taken[0].path) if self.taken else self.directory

    @property
    def files(self) -> tuple[str, ...]:
        """Each host's file: fio's hosts have one each, also where they share a file system."""
        if self.server.one_path:
            return (f"perfkit-{self.size}{self.content}-hosts.dat",) * len(self.hosts)
        numbers = range(1, len(self.hosts) + 1)
        return tuple(f"perfkit-{self.size}{self.content}-{n}.dat" for n in numbers)

    @property
    def held(self) -> tuple[bool, ...]:
        """Whether each host's load generator is given a descriptor."""
        return tuple(not self.server.one_path and bool(one.given) for one in self.taken)

    @property
    def given(self) -> tuple[str, ...]:
        """The path that each host's load generator is given."""
        return tuple(
            one.given if held and one.given else one.path
            for one, held in zip(self.taken, self.held, strict=True)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The files as the kept job files name them."""
        return tuple(
            f"{path}/{file}" if held else one.path
            for path, file, one, held in zip(
                self.paths, self.files, self.taken, self.held, strict=True
            )
        )

    def check(self, found: Mapping[str, HostFacts]) -> None:
        """Judge each host's answer about the directory; its session checks the room later.

        SafetyError naming the host.
        """
        for label, facts in found.items():
            check_directory_facts(facts["target"], label)

    def check_again(self, *, wrote: bool = False) -> dict[str, Proof]:
        """What is proved of each host's file: one round trip to all; SafetyError with the host."""
        self.ask_again(wrote=wrote)
        return self.answers()

    def ask_again(self, *, wrote: bool) -> None:
        """Ask what ``answers`` gives, without waiting for it."""
        self._send("check", wrote=wrote)

    def answers(self) -> dict[str, Proof]:
        """What ``ask_again`` asked for, by host; SafetyError or RunError naming the host."""
        found = cast("list[Proof]", self._collect_answers())
        return {host.label: one for host, one in zip(self.hosts, found, strict=True)}

    def record(self) -> Facts:
        """What the files are, by host."""
        return {
            host.label: {**one.facts, "given": "descriptor" if held else "path"}
            for host, one, held in zip(self.hosts, self.taken, self.held, strict=True)
        }

    def open(self) -> None:
        """Begin a session on every host; ``close`` ends them."""
        pairs = zip(self.paths, self.files, strict=True)
        self._open(
            [{"directory": path, "file": file, "size": self.size} for path, file in pairs],
            program(),
        )

    def claim(self) -> None:
        """Stop what an earlier sweep left running; hold its files, or make new ones."""
        self.stop_leftovers()
        found = self._ask_all("find")
        self.left_over = tuple(
            (f"{host.label}: {path}", why)
            for host, one in zip(self.hosts, found, strict=True)
            for path, why in one["left_over"]
        )
        own = [[entry["directory"] for entry in one["own"]] for one in found]
        shared = self.server.one_path
        common = next((name for name in own[0] if all(name in one for one in own)), new_name())
        try:
            self._take(own, common, shared=shared)
        except (RunError, SafetyError):
            self._give_back()
            raise
        self.laid_out = all(one.laid_out for one in self.taken)

    def _take(self, own: list[list[str]], common: str, *, shared: bool) -> None:
        """Hold each host's file: of an earlier sweep, or a new one; of a shared file, the same."""
        token = None
        for host, session, names in zip(self.hosts, self.sessions, own, strict=True):
            directory = common if shared else next(iter(names), new_name())
            answer = session.ask(
                "take",
                directory=directory,
                reserve=RESERVE_BYTES,
                # files that the hosts share are held by the first sweep's name alone
                alone=not shared,
                token=token if directory not in names else None,
                port=host.port,
            )
            self.taken.append(HostFile(**answer))
            token = self.taken[-1].token

    def _give_back(self) -> None:
        """Remove the new files of a sweep that another host has refused."""
        for session, one in zip(self.sessions, self.taken, strict=False):
            if not one.facts["reused"]:
                with contextlib.suppress(RunError, SafetyError):
                    session.ask("remove")

    def stop_leftovers(self) -> int:
        """End processes of a killed perfkit that still do I/O on our files; how many there were."""
        answers = self._ask_all("stop")
        for host, answer in zip(self.hosts, answers, strict=True):
            if answer["left"]:
                raise RunError(f"{host.label}: a fio of an earlier sweep cannot be ended")
        return sum(answer["stopped"] for answer in answers)

    def mark_laid_out(self) -> None:
        """Record that every file has been written; RunError with the host where one is not."""
        try:
            self._ask_all("laid_out")
        except SafetyError as problem:
            raise RunError(str(problem)) from problem
        self.laid_out = True

    def remove(self) -> None:
        """Remove perfkit's own files."""
        self._ask_all("remove")
        self.kept = False

    def allocated_bytes(self) -> int:
        """0: the hosts cannot be asked while they write."""
        return 0
