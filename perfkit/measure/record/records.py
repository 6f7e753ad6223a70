"""What a sweep says in run.json and point.json: of its target, hosts, points and cautions."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from perfkit.measure import safety
from perfkit.measure.engines.jobfile import LOAD_JOB
from perfkit.measure.record.rundir import FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from perfkit.measure.engines.engine import PointRun
    from perfkit.measure.fleet.hosts import Fleet
    from perfkit.measure.points import Point
    from perfkit.measure.record.cautions import Noted
    from perfkit.measure.spec import SweepSpec


def point_record(
    point: Point,
    number: int,
    started: str,
    result: PointRun,
    spec: SweepSpec,
    *,
    result_file: str,
    cautions: Sequence[Noted],
) -> dict[str, Any]:
    """What point.json says of a point; ``cautions`` are those of the whole sweep."""
    judged = result.acceptance
    return {
        "format": FORMAT,
        "name": point.name,
        "workload": spec.workload,
        "label": spec.label,
        "load_kind": point.kind,
        "load": point.load,
        "repeat": point.repeat,
        "role": point.role,
        "order": number,
        "accepted": judged.accepted,
        "reason": judged.reason,
        "result_file": result_file,
        "exit_code": result.finished.exit_code,
        "wall_s": round(result.finished.wall_s, 3),
        **({"target": result.target} if result.target else {}),
        "started_utc": started,
        "ended_utc": now(),
        "closed_loop": point.in_flight(spec) is not None,
        "in_flight": point.in_flight(spec),
        "target_iops": point.target_iops(),
        "load_job": LOAD_JOB,
        "expected_directions": list(spec.directions),
        **recorded((*cautions, *result.cautions)),
        "cycles": spec.cycles,
        "series": {
            "interval_s": spec.interval_s,
            "runtime_s": spec.runtime_s,
            "jobs": point.numjobs(spec),
            "block_bytes": None if spec.block_size_max else spec.block_size,
            "drain_begins": {
                str(number + 1): number * (spec.drain.period_s if spec.drain else 0.0)
                for number in range(spec.cycles or 0)
            },
        },
    }


def target_names(
    facts: Mapping[str, Any], place: Path, label: str, file: str, *, here: bool
) -> dict[str, Any]:
    """What tells the target from others, also from one with the same label, without its path.

    A device is known by itself: its name may be another's after the next start. ``label`` and
    ``file`` are how the directory and the file in it are called; ``here``: it is of this host.
    """
    on_device = here and place.is_block_device()
    own = str(place)
    if on_device:
        own = safety.identity({**(facts["device"] or {}), "partition": facts["partition"]})
    return {
        "directory_label": None if on_device else label,
        "directory_sha256": hashlib.sha256(own.encode()).hexdigest(),
        "file": None if on_device else file,
    }


def own_file(target: safety.Target | Fleet) -> dict[str, Any]:
    """What run.json says of our file, and of what lay beside it, once it is held."""
    if isinstance(target, safety.TargetDevice):
        return {}
    return {"own_file": target.record(), "left_over": [why for _, why in target.left_over]}


def host_record(told: Mapping[str, Any]) -> dict[str, Any]:
    """One host's facts as they stand in run.json."""
    return {"host": told["host"], "target": told["storage"], "tool": told["tools"]}


def recorded(cautions: Sequence[Noted]) -> dict[str, Any]:
    """Cautions as they stand in run.json and point.json: in words, and with names and numbers."""
    return {
        "warnings": [item.text for item in cautions],
        "cautions": [item.record() for item in cautions],
    }


def now() -> str:
    """The time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
