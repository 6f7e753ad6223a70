"""A device on each of many hosts as one target: the rules of a single one hold on every host."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from perfkit.core.errors import SafetyError
from perfkit.measure.fleet.hosts import Host, HostFacts, OnHosts
from perfkit.measure.probe.read import Facts
from perfkit.measure.safety.devices import read_note, write_note
from perfkit.measure.safety.files import LeftOver
from perfkit.measure.safety.judge import Consent, check_device, check_same, identity
from perfkit.measure.target.session import device_program


@dataclass
class DeviceFleet(OnHosts):
    """A device on each host, claimed there by a session.

    Attributes:
        consents: What the user agreed to overwrite, in words; none: they are only read.
        writes: Whether they are written.
        state: The run's file that says that all of them were written, for the next call.
    """

    consents: tuple[str, ...] = ()
    writes: bool = False
    state: Path | None = None
    agreed: dict[str, Consent] = field(default_factory=dict)
    before: list[Facts] = field(default_factory=list)
    taken: list[Facts] = field(default_factory=list)
    left_over: tuple[LeftOver, ...] = ()
    kept: bool = False

    @property
    def path(self) -> Path:
        """The first host's device, for messages."""
        return Path(self.paths[0])

    @property
    def given(self) -> tuple[str, ...]:
        """The path that each host's load generator is given."""
        return tuple(one["given"] or one["path"] for one in self.taken)

    @property
    def names(self) -> tuple[str, ...]:
        """The devices as the kept job files name them."""
        return self.paths

    @property
    def identities(self) -> list[str]:
        """Each host's device by model and serial number."""
        return [identity(facts["target"]) for facts in self.facts().values()]

    def check(self, found: Mapping[str, HostFacts]) -> None:
        """Every rule on every host, and that no two have the same device; SafetyError if not."""
        if self.server.one_path:
            raise SafetyError(
                f"target {self.directory}: {self.server.engine} gives all hosts one path, which "
                "on each may be another device; use fio"
            )
        for one, other in combinations(found, 2):
            why = _shared(found[one], found[other])
            if why:
                raise SafetyError(f"targets on {one} and {other}: {why}")
        for host, facts in zip(self.hosts, found.values(), strict=True):
            target = facts["target"]
            with _of(host):
                whole = target.get("size_bytes")
                if not whole or whole < self.size:
                    raise SafetyError(f"{whole} bytes, of which {self.size} were to be measured")
                if self.writes:
                    self.agreed[host.label] = check_device(target, self.consents)

    def open(self) -> None:
        """Begin a session on every host; ``close`` ends them."""
        self._open(
            [{"directory": path, "writes": self.writes} for path in self.paths], device_program()
        )

    def claim(self) -> None:
        """Hold every device against others, and see that it is still the one agreed to."""
        self.before = [facts["target"] for facts in self.facts().values()]
        each = [{"port": host.port} for host in self.hosts]
        self.taken = self._ask_all("take", each=each)
        self._judge(self.taken)
        self.laid_out = not self.writes or read_note(self.state) == self._layout()

    def check_again(self) -> None:
        """Directly before a destructive point: every rule again, and still the same devices."""
        self._judge(self._ask_all("check"))

    def _judge(self, answers: list[Facts]) -> None:
        for host, before, answer in zip(self.hosts, self.before, answers, strict=True):
            with _of(host):
                if not answer["same"]:
                    raise SafetyError("the name now leads to another device")
                check_same(before, answer["facts"])
                if self.writes:
                    check_device(answer["facts"], [self.agreed[host.label].given])

    def mark_laid_out(self) -> None:
        """Record that every block of all has been written, and on which devices."""
        self.laid_out = True
        if self.state:
            write_note(self.state, self._layout())

    def _layout(self) -> Facts:
        return {"identities": self.identities, "laid_out_bytes": self.size}

    def remove(self) -> None:
        """There is nothing to remove."""

    def allocated_bytes(self) -> int:
        """A device has its blocks from the beginning."""
        return self.size


@contextlib.contextmanager
def _of(host: Host) -> Iterator[None]:
    """Prefix errors of the block with the host's name."""
    try:
        yield
    except SafetyError as problem:
        raise SafetyError(f"{host.label}: {problem}") from problem


def _shared(one: HostFacts, other: HostFacts) -> str | None:
    """Why two hosts may have the same device: the sum would be of one, said to be of two."""
    mine, theirs = one["target"], other["target"]
    named = [
        [facts.get("wwid") or (facts.get("serial") and identity(facts))] for facts in (mine, theirs)
    ]
    machines = [facts["host"].get("hostname") for facts in (one, other)]
    if machines[0] == machines[1]:
        return "both are the same device" if mine["number"] == theirs["number"] else None
    if named[0] == [None] or named[1] == [None]:
        return "without a serial number it is not known whether both are the same device"
    return "both are the same device, by its serial number" if named[0] == named[1] else None
