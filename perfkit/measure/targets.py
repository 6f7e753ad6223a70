"""The targets of a sweep as one: what its load goes to together, and its background load's own."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import RunError, SafetyError
from perfkit.core.evidence import label
from perfkit.measure.engines.engine import engine_of
from perfkit.measure.engines.places import LINK, Place, Places
from perfkit.measure.fleet.devices import DeviceFleet
from perfkit.measure.fleet.hosts import Fleet, hosts_of, paths_on
from perfkit.measure.named_target import NamedTarget
from perfkit.measure.probe.ask import target as look
from perfkit.measure.safety.devices import TargetDevice
from perfkit.measure.safety.files import TargetFile, check_target
from perfkit.measure.target.identity import descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfkit.measure.engines.engine import Tool
    from perfkit.measure.fleet.hosts import Host, OnHosts, Server
    from perfkit.measure.named_target import HeldTarget
    from perfkit.measure.probe.read import Facts
    from perfkit.measure.safety.files import LeftOver
    from perfkit.measure.spec import SweepSpec
    from perfkit.measure.target.forms import Proof


@dataclass(frozen=True)
class NamedTargets:
    """The targets of a sweep as the user names them: every file of each, then the background's."""

    each: tuple[NamedTarget, ...]

    @property
    def first(self) -> NamedTarget:
        """The first of the load's targets."""
        return self.each[0]

    @property
    def spec(self) -> SweepSpec:
        """The sweep."""
        return self.first.spec

    @property
    def folders(self) -> list[NamedTarget]:
        """Each target once, whatever files it has."""
        return [one for one in self.each if one.file == 1]

    def check(self) -> None:
        """SafetyError for targets that may not be measured so; nothing is claimed or written."""
        self.check_known()
        for target in self.each:
            target.check()

    def check_known(self) -> None:
        """Refuse what needs no look at a device again: it is claimed with that look."""
        for target in self.each:
            target.check_fills()
            target.check_kind()
        check_apart(self.folders)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold all of them against other sweeps."""
        with ExitStack() as stack:
            for target in self.folders:
                stack.enter_context(target.alone())
            yield

    @contextmanager
    def claimed(self, tool: Tool, layout: Path) -> Iterator[HeldTargets]:
        """Claim all of them; in ``layout`` a device is noted as written in full."""
        with ExitStack() as stack:
            found = []
            for number, target in enumerate(self.each):
                note = layout / ("laid-out.json" if number == 0 else f"laid-out-{number + 1}.json")
                found.append((target, stack.enter_context(target.claimed(tool, note))))
            yield HeldTargets(tuple(found))


def name_targets(
    spec: SweepSpec, target: Path, runs_dir: Path, consents: Sequence[str]
) -> NamedTargets:
    """The targets of a sweep, checked to be folders or devices unless they are on other hosts.

    ``target`` is the one beside the sweep, for a sweep that names none itself.

    Raises SafetyError for anything else.
    """

    def named(path: Path, number: int, file: int = 1) -> NamedTarget:
        real = path if spec.hosts else check_target(path)
        one = NamedTarget(spec, real, label(path, runs_dir), tuple(consents), None, number, file)
        if not spec.hosts:
            return one
        server = engine_of(spec.engine).server
        hosts = hosts_of(spec.hosts, server.port)
        return replace(one, fleet=_fleet(one, hosts, server))

    paths = [Path(path) for path in spec.targets] or [target]
    every = [
        named(path, number, file)
        for number, path in enumerate(paths, start=1)
        for file in range(1, spec.files + 1)
    ]
    if spec.background:
        every.append(named(Path(spec.background.target), 0))
    return NamedTargets(tuple(every))


def _fleet(one: NamedTarget, hosts: tuple[Host, ...], server: Server) -> Fleet | DeviceFleet:
    """What the hosts have: a directory each, or a device each."""
    fleet = Fleet(hosts, one.path, one.size, server, paths_on(one.path, hosts), content=one.content)
    found = fleet.facts()
    kinds = {label: facts["target"]["kind"] for label, facts in found.items()}
    if "device" not in kinds.values():
        return fleet
    other = next((label for label, kind in kinds.items() if kind != "device"), None)
    if other:
        raise SafetyError(f"{other}: {one.path}: no device, as others have there")
    return DeviceFleet(
        hosts,
        one.path,
        one.size,
        server,
        fleet.paths,
        devices=fleet.devices,
        _facts=found,
        consents=one.consents,
        writes=one.overwritten,
    )


def check_apart(targets: Sequence[NamedTarget]) -> None:
    """SafetyError for targets that are one, or of which one lies in the other.

    Two would count each other's work: the sum would be of one storage, said to be of two.
    """
    facts = {id(one): {} if one.fleet else look(str(one.path)) for one in targets}
    for one, other in combinations(targets, 2):
        if one.fleet and other.fleet:
            why = _on_hosts(one.fleet, other.fleet)
        else:
            why = _nested(one.path, other.path, same=os.path.samefile)
            why = why or _one_device(facts[id(one)], facts[id(other)])
            why = why or _one_device(facts[id(other)], facts[id(one)])
        if why:
            raise SafetyError(f"targets {one.path} and {other.path}: {why}")


def _on_hosts(one: OnHosts, other: OnHosts) -> str | None:
    """The same of two targets on many hosts."""
    for mine, theirs in zip(one.paths, other.paths, strict=True):
        why = _nested(Path(mine), Path(theirs), same=lambda a, b: a == b)
        if why:
            return why
    for host, facts in one.facts().items():
        found = facts["target"], other.facts()[host]["target"]
        why = _one_device(*found) or _one_device(*reversed(found))
        if why:
            return f"{host}: {why}"
    return None


def _nested(one: Path, other: Path, *, same: Any) -> str | None:
    if same(one, other):
        return "both are the same"
    for inner, outer in ((one, other), (other, one)):
        if any(same(parent, outer) for parent in inner.parents):
            return f"{inner} lies in {outer}"
    return None


def _one_device(one: Facts, other: Facts) -> str | None:
    """Why a device is the other target as well, or carries it; None: it is not."""
    if one.get("kind") != "device" or not one.get("known"):
        return None
    if other.get("kind") == "directory":
        points = [mount["point"] for mount in one["mounted"]]
        found = [p for p in points if f"{other['path']}/".startswith(f"{p.rstrip('/')}/")]
        deepest = other.get("mount_point")
        return f"the device carries {deepest}" if deepest in found else None
    if not other.get("known"):
        return None
    if one["number"] == other["number"] or other["disk"] in one["twins"]:
        return "both are the same device"
    parts = {one["partition"], other["partition"]}
    apart = one["disk"] == other["disk"] and None not in parts
    return f"both are on {one['disk']}" if one["disk"] in other["disks"] and not apart else None


@dataclass(frozen=True)
class HeldTargets:
    """What a sweep holds while it measures: each target with what is held of it."""

    each: tuple[tuple[NamedTarget, HeldTarget], ...]

    @property
    def held(self) -> tuple[HeldTarget, ...]:
        """The files, devices and fleets."""
        return tuple(held for _, held in self.each)

    @property
    def fleets(self) -> tuple[Fleet | DeviceFleet, ...]:
        """Those of the load on many hosts."""
        return tuple(
            held
            for named, held in self.each
            if named.number and isinstance(held, Fleet | DeviceFleet)
        )

    @property
    def local(self) -> tuple[TargetFile | TargetDevice, ...]:
        """Those of this host."""
        return tuple(held for held in self.held if not isinstance(held, Fleet | DeviceFleet))

    @property
    def laid_out(self) -> bool:
        """Whether every block of all has been written."""
        return all(held.laid_out for held in self.held)

    @property
    def size(self) -> int:
        """Bytes of all."""
        return sum(held.size for held in self.held)

    @property
    def kept(self) -> str | None:
        """The first file that still exists, so that the user should know of it."""
        return next((str(held.path) for held in self.held if held.kept), None)

    @property
    def left_over(self) -> tuple[LeftOver, ...]:
        """What looks like perfkit's and is not provably so, each once."""
        found = [one for held in self.held for one in getattr(held, "left_over", ())]
        return tuple(dict.fromkeys(found))

    @property
    def unwritten(self) -> HeldTargets:
        """Those that are to be written in full before they are measured."""
        return HeldTargets(tuple(pair for pair in self.each if not pair[1].laid_out))

    def places(self) -> Places:
        """What a tool is given."""
        several = len(self.each) > 1
        every = [
            (named, _place(named, held, f"{LINK}-{number}" if several else LINK))
            for number, (named, held) in enumerate(self.each, start=1)
        ]
        groups = groupby(every, key=lambda pair: pair[0].number)
        files = {number: tuple(place for _, place in group) for number, group in groups}
        (background,) = files.pop(0, (None,))
        return Places(tuple(files.values()), background)

    def allocated_bytes(self) -> int:
        """Bytes that have been written so far."""
        return sum(held.allocated_bytes() for held in self.held)

    def check_again(self) -> None:
        """Every rule again, directly before all of it is written."""
        for held in self.held:
            held.check_again()

    def mark_laid_out(self) -> None:
        """Record that every block of all has been written."""
        for held in self.held:
            held.mark_laid_out()

    def prove(self, *, after: bool) -> Mapping[str, Any] | None:
        """What is proved of our files directly before or after a point; None of devices alone.

        A device that is written is checked before. Raises SafetyError or RunError.
        """
        found: dict[str, Proof | dict[str, Proof]] = {}
        for named, held in self.each:
            if isinstance(held, TargetDevice | DeviceFleet):
                if named.written and not after:
                    held.check_again()
            elif isinstance(held, Fleet) and after:
                found[named.name] = held.answers()
            else:
                found[named.name] = held.check_again(wrote=after and named.written)
        return next(iter(found.values()), None) if len(self.each) == 1 else found or None

    def ask_fleets(self) -> None:
        """Have the hosts prove their files; ``prove`` reads what they answer."""
        for named, held in self.each:
            if isinstance(held, Fleet):
                held.ask_again(wrote=named.written)

    def remove(self) -> Iterator[tuple[str, str]]:
        """Remove what is provably ours; anything else stays: its path, and why."""
        for held in self.held:
            try:
                held.remove()
            except (SafetyError, RunError) as problem:
                yield str(held.path), str(problem)


def _place(named: NamedTarget, held: HeldTarget, link: str) -> Place:
    if isinstance(held, Fleet | DeviceFleet):
        return Place(
            held.directory, held.path.name, held.addresses, held.given, held.names, size=held.size
        )
    return Place(
        held.path.parent,
        held.path.name,
        held=descriptor(held.handle),
        link=link,
        size=named.size,
    )
