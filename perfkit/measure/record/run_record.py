"""run.json: the tool, the hosts and the target as they are before the first point."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit import _version
from perfkit.core.errors import RunError
from perfkit.core.files import Json
from perfkit.core.units import format_size
from perfkit.measure.fleet.devices import DeviceFleet
from perfkit.measure.fleet.hosts import Fleet, Host, HostFacts
from perfkit.measure.fleet.servers import check
from perfkit.measure.probe.facts import MEMORY_FILE_SYSTEMS, host_facts, target_facts
from perfkit.measure.record.cautions import Noted, noted, recorded
from perfkit.measure.record.rundir import FORMAT, now
from perfkit.measure.safety.devices import TargetDevice
from perfkit.measure.safety.judge import identity
from perfkit.measure.validity.beside import busy_before

if TYPE_CHECKING:
    from perfkit.measure.engines.engine import Tool
    from perfkit.measure.named_target import HeldTarget, NamedTarget
    from perfkit.measure.spec import SweepSpec
    from perfkit.measure.targets import HeldTargets, NamedTargets


@dataclass(frozen=True)
class Surroundings:
    """What was found before the first point.

    Attributes:
        record: What run.json says of it.
        devices: The disks under the load's targets, as far as they are of this host; ``beside``
            those under the background load's.
        cautions: Those of the whole sweep.
        memory_bytes: The memory of the host that makes the load, the smallest of several.
    """

    record: Json
    devices: tuple[str, ...]
    beside: tuple[str, ...]
    cautions: tuple[Noted, ...]
    memory_bytes: int | None


def surroundings(targets: NamedTargets, tool: Tool, run_id: str, points: list[str]) -> Surroundings:
    """Look at this host, or at every host of a fleet, and at the targets.

    Raises:
        SafetyError: a host has no directory in which perfkit may make its own.
        RunError: a host does not answer or has another tool, or the block size does not fit.
    """
    spec, storages = targets.spec, []
    hosts: dict[str, HostFacts] = {}
    for target in targets.folders:
        own = _fleet_facts(target.fleet, tool) if target.fleet else {}
        hosts = hosts or own
        first = next(iter(own.values()), None)
        storages.append(first["storage"] if first else target_facts(target.path))
        _check_block_size(spec, storages[-1])
    here = host_facts()
    loaded = [found["host"] for found in hosts.values()] or [here]
    cautions = [*_cautions(targets, storages), *_fits(spec, loaded)]
    for label, facts in hosts.items():
        cautions += busy_before(facts["host"], label)
    if not hosts:
        cautions += busy_before(here)
    by_host = {
        label: {"host": facts["host"], "target": facts["storage"], "tool": facts["tools"]}
        for label, facts in hosts.items()
    }
    record = {
        **({"hosts": by_host} if hosts else {}),
        "format": FORMAT,
        "perfkit": _version.__version__,
        "run_id": run_id,
        "engine": spec.engine,
        "tool": tool.record(),
        "spec": spec.record(),
        "spec_sha256": spec.sha256(),
        "host": here,
        **_target_records(targets.folders, storages),
        **recorded(cautions),
        "started_utc": now(),
        "points_planned": points,
    }
    disks: dict[bool, list[str]] = {True: [], False: []}
    for target, storage in zip(targets.folders, storages, strict=True):
        if not target.fleet and storage["device"]:
            disks[target.number > 0].append(storage["device"]["name"])
    of_load, beside = (tuple(dict.fromkeys(disks[which])) for which in (True, False))
    memory = [facts["memory_bytes"] for facts in loaded if facts.get("memory_bytes")]
    return Surroundings(record, of_load, beside, tuple(cautions), min(memory, default=None))


def _target_records(targets: Sequence[NamedTarget], storages: Sequence[Mapping[str, Any]]) -> Json:
    """``target``: the first, known by what all of them are; ``targets``: each, of several."""
    each = [
        {**_target_names(target, storage), "file_bytes": target.size, **storage}
        for target, storage in zip(targets, storages, strict=True)
    ]
    if len(each) == 1:
        return {"target": each[0]}
    known = " ".join(one["directory_sha256"] for one in each)
    return {
        "target": {**each[0], "directory_sha256": hashlib.sha256(known.encode()).hexdigest()},
        "targets": [
            {"number": target.number, "background": not target.number, **one}
            for target, one in zip(targets, each, strict=True)
        ],
    }


def _fleet_facts(fleet: Fleet | DeviceFleet, tool: Tool) -> dict[str, HostFacts]:
    """What each host says of itself, its target and its tool; RunError where tools differ."""
    found = fleet.facts()
    fleet.check(found)
    for label, facts in found.items():
        state = check(Host.of(label))
        if not state.answers:
            raise RunError(
                f"{label}: no {tool.name} server answers ({state.reason}); see perfkit hosts start"
            )
        version = (facts["tools"][tool.name] or {}).get("version")
        if fleet.server.same_version and version != tool.version:
            raise RunError(
                f"{label}: {version or f'no {tool.name}'} there, and {tool.version} here"
            )
    return found


def _check_block_size(spec: SweepSpec, storage: Mapping[str, Any]) -> None:
    sector = (storage["device"] or {}).get("logical_block_bytes")
    if spec.direct and sector and spec.block_size % sector:
        raise RunError(
            f"block_size: {spec.block_size} bytes; direct I/O on this device goes in blocks of "
            f"{sector} bytes"
        )


def _cautions(targets: NamedTargets, storages: Sequence[Mapping[str, Any]]) -> Iterator[Noted]:
    if any(
        target.number and target.on_device and not target.overwritten for target in targets.each
    ):
        yield noted("device_as_found")
    if targets.spec.load.kind == "rate_iops":
        # measured: fio's latencies show nothing of a stall of the load generator itself
        yield noted("issue_time")
    for filesystem in dict.fromkeys(storage["filesystem"] for storage in storages):
        if filesystem in MEMORY_FILE_SYSTEMS:
            yield noted("memory_target", filesystem=filesystem, args={"filesystem": filesystem})


def _fits(spec: SweepSpec, hosts: Sequence[Mapping[str, Any]]) -> Iterator[Noted]:
    """What is read and written against the memory of a host, and the cache that the sweep states.

    Each host has a working set of its own; the array's cache sees that of all.
    """
    size = spec.space.size * spec.files * max(1, len(spec.targets))
    known = [facts["memory_bytes"] for facts in hosts if facts.get("memory_bytes")]
    if not spec.direct and known and size <= max(known):
        args = {"working_set_bytes": size, "memory_bytes": max(known)}
        shown = {"size": format_size(size), "memory": format_size(max(known))}
        yield noted("fits_memory", args=args, **shown)
    whole = size * len(hosts)
    if spec.array_cache and whole <= spec.array_cache:
        ratio = whole / spec.array_cache
        yield noted(
            "fits_array_cache",
            size=format_size(whole),
            cache=format_size(spec.array_cache),
            ratio=f"{ratio:.0%}",
            args={"working_set_bytes": whole, "cache_bytes": spec.array_cache, "ratio": ratio},
        )


def _target_names(target: NamedTarget, storage: Mapping[str, Any]) -> Json:
    """What identifies the target, even among targets of one label, without its path.

    A device is known by its own identity: its name may be another's after the next boot.
    """
    own = str(target.path)
    if isinstance(target.fleet, DeviceFleet):
        own = " ".join(target.fleet.identities)
    elif target.on_device:
        own = identity({**(storage["device"] or {}), "partition": storage["partition"]})
    return {
        "directory_label": None if target.on_device else target.label,
        "directory_sha256": hashlib.sha256(own.encode()).hexdigest(),
        "file": None if target.on_device else f"perfkit-{target.size}{target.content}.dat",
    }


def claim_record(targets: HeldTargets, record: Mapping[str, Any]) -> Json:
    """What run.json says of our files and what lay beside them, or of the consent to devices."""
    claims = [_claim(held) for held in targets.held]
    found: Json = dict(claims[0])
    for held in targets.held:
        if isinstance(held, DeviceFleet):
            of_host = {label: {"consent": one.record()} for label, one in held.agreed.items()}
            hosts = found.get("hosts", record["hosts"])
            found["hosts"] = {
                label: {**one, **of_host.get(label, {})} for label, one in hosts.items()
            }
    if targets.left_over or "own_file" in found:
        found["left_over"] = [why for _, why in targets.left_over]
    if "targets" in record:
        each = zip(targets.each, claims, strict=True)
        named = {named.number: claim for (named, _), claim in each if named.file == 1}
        found["targets"] = [{**one, **named[one["number"]]} for one in record["targets"]]
    return found


def _claim(target: HeldTarget) -> Json:
    consent = target.consent.record() if target.consent else None
    own = {} if isinstance(target, TargetDevice | DeviceFleet) else {"own_file": target.record()}
    return {**own, "consent": consent}
