"""run.json: the tool, the hosts and the target as they are before the first point."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit import _version
from perfkit.core.errors import RunError
from perfkit.core.units import format_size
from perfkit.measure import safety
from perfkit.measure.fleet.hosts import Host
from perfkit.measure.fleet.servers import check
from perfkit.measure.probe.facts import MEMORY_FILE_SYSTEMS, host_facts, target_facts
from perfkit.measure.record.cautions import Noted, noted, recorded
from perfkit.measure.record.rundir import FORMAT, now
from perfkit.measure.validity.beside import busy_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfkit.measure.engines.engine import Tool
    from perfkit.measure.fleet.hosts import Fleet
    from perfkit.measure.named_target import HeldTarget, NamedTarget
    from perfkit.measure.spec import SweepSpec


@dataclass(frozen=True)
class Surroundings:
    """What was found before the first point.

    Attributes:
        record: What run.json says of it.
        device: The disk under the target, if it is one of this host.
        cautions: Those of the whole sweep.
    """

    record: dict[str, Any]
    device: str | None
    cautions: tuple[Noted, ...]


def surroundings(target: NamedTarget, tool: Tool, run_id: str, points: list[str]) -> Surroundings:
    """Look at this host, or at every host of a fleet, and at the target.

    Raises:
        SafetyError: a host has no directory in which perfkit may make its own.
        RunError: a host does not answer or has another tool, or the block size does not fit.
    """
    spec = target.spec
    hosts = _fleet_facts(target.fleet, tool) if target.fleet else {}
    first = next(iter(hosts.values()), None)
    storage = first["storage"] if first else target_facts(target.path)
    here = host_facts()
    _check_block_size(spec, storage)
    loaded = [found["host"] for found in hosts.values()] or [here]
    cautions = [*_cautions(target, storage), *_fits(spec, loaded)]
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
        "target": {**_target_names(target, storage), "file_bytes": spec.file_size, **storage},
        **recorded(cautions),
        "started_utc": now(),
        "points_planned": points,
    }
    device = None if target.fleet else (storage["device"] or {}).get("name")
    return Surroundings(record, device, tuple(cautions))


def _fleet_facts(fleet: Fleet, tool: Tool) -> dict[str, dict[str, Any]]:
    """What each host says of itself, its target and its tool; RunError where tools differ."""
    found = fleet.facts()
    for label, facts in found.items():
        fleet.check(label, facts)
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


def _cautions(target: NamedTarget, storage: Mapping[str, Any]) -> Iterator[Noted]:
    if target.on_device and not target.overwritten:
        yield noted("device_as_found")
    if target.spec.load.kind == "rate_iops":
        # measured: fio's latencies show nothing of a stall of the load generator itself
        yield noted("issue_time")
    filesystem = storage["filesystem"]
    if filesystem in MEMORY_FILE_SYSTEMS:
        yield noted("memory_target", filesystem=filesystem, args={"filesystem": filesystem})


def _fits(spec: SweepSpec, hosts: Sequence[Mapping[str, Any]]) -> Iterator[Noted]:
    """What is read and written against the memory of a host, and the cache that the sweep states.

    Each host has a working set of its own; the array's cache sees that of all.
    """
    size = spec.space.size
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


def _target_names(target: NamedTarget, storage: Mapping[str, Any]) -> dict[str, Any]:
    """What identifies the target, even among targets of one label, without its path.

    A device is known by its own identity: its name may be another's after the next boot.
    """
    own = str(target.path)
    if target.on_device:
        own = safety.identity({**(storage["device"] or {}), "partition": storage["partition"]})
    return {
        "directory_label": None if target.on_device else target.label,
        "directory_sha256": hashlib.sha256(own.encode()).hexdigest(),
        "file": None
        if target.on_device
        else f"perfkit-{target.spec.file_size}{target.spec.content}.dat",
    }


def claim_record(target: HeldTarget) -> dict[str, Any]:
    """What run.json says of our file and what lay beside it, or of the consent to a device."""
    consent = target.consent.record() if target.consent else None
    if isinstance(target, safety.TargetDevice):
        return {"consent": consent}
    left_over = [why for _, why in target.left_over]
    return {"own_file": target.record(), "left_over": left_over, "consent": consent}
