"""point.json: one point or round, how it was judged, and what a reader needs beside its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from perfkit.core.files import Json
from perfkit.measure.engines.jobfile import LOAD_JOB
from perfkit.measure.record.cautions import Noted, recorded
from perfkit.measure.record.rundir import FORMAT, now
from perfkit.measure.touched import touched

if TYPE_CHECKING:
    from perfkit.measure.engines.engine import PointRun
    from perfkit.measure.points import Point
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
) -> Json:
    """What point.json says of a point; ``cautions`` are those of the whole sweep."""
    judged = result.acceptance
    moved = judged.io_bytes
    at, began = judged.measured_unix_s, result.began_unix_s
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
        **({"by_target": [asdict(one) for one in judged.shares]} if judged.shares else {}),
        **({"events": [asdict(one) for one in result.events]} if result.events else {}),
        # from the begin of the point (host.csv, events, readings) to that of the measurement
        "measured_from_s": None if at is None or began is None else round(at - began, 2),
        **({"touched": asdict(touched(spec, point, moved))} if moved is not None else {}),
        "closed_loop": point.target_iops() is None,
        "in_flight": point.in_flight(spec),
        "target_iops": point.target_iops(),
        "load_job": LOAD_JOB,
        # by these the search goes on in a later call, and the rounds end
        **({"lat_mean_s": judged.lat_mean_s} if spec.search or spec.until_steady else {}),
        **({"iops": judged.iops} if spec.until_steady else {}),
        "expected_directions": list(spec.directions),
        **recorded((*cautions, *result.cautions)),
        "cycles": spec.cycles,
        "series": {
            "interval_s": spec.interval_s,
            "runtime_s": spec.runtime_s,
            "jobs": point.jobs(spec),
            "block_bytes": spec.block_size if spec.one_block_size else None,
            "drain_begins": {
                str(number + 1): number * (spec.drain.period_s if spec.drain else 0.0)
                for number in range(spec.cycles or 0)
            },
        },
    }
