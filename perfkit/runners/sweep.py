"""Measuring a sweep: every point and repeat that is missing, each judged before it counts."""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from perfkit import _version
from perfkit.errors import RunError, UsageError
from perfkit.evidence import label
from perfkit.runners import progress as shown
from perfkit.runners import safety
from perfkit.runners.fio import PointRun, Tool, find_fio, lay_out, measure, planned_seconds
from perfkit.runners.host import MEMORY_FILE_SYSTEMS, host_facts, target_facts
from perfkit.runners.jobfile import LOAD_JOB
from perfkit.runners.process import Stop, held_signals
from perfkit.runners.rundir import FORMAT, RunDirectory, missing
from perfkit.runners.spec import Point, SweepSpec, planned_points, sha256_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfkit.runners.progress import Progress

_RUN_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
FIO_FLOOR_S = 0.45
"""What a run of fio takes beyond ramp and run time: the first estimate of the time left."""


def default_run_id(spec: SweepSpec, target: Path, runs_dir: Path) -> str:
    """The workload and the first 8 digits of a hash over the sweep and the target's label.

    The label is the path from the runs' folder: the same sweep on the same target has the same id
    from wherever it is called, so that the same call resumes.
    """
    digest = sha256_json({"spec": spec.record(), "target": label(target, runs_dir)})
    return f"{spec.workload}-{digest[:8]}"


def run_sweep(
    spec: SweepSpec,
    target: Path,
    *,
    runs_dir: Path,
    run_id: str | None = None,
    progress: Progress | None = None,
    fio: str = "fio",
    keep_target: bool = False,
) -> Path:
    """Measure what is missing of a sweep; returns the run directory ``runs_dir/run_id``.

    A complete run returns at once, without looking for fio or the target. The target file is
    written once, kept for the next call when the sweep stops early, and removed at the end unless
    ``keep_target``. ``progress`` hears the events of ``perfkit.runners.progress``; None chooses by
    where we run.

    Raises:
        SafetyError: the target was refused before anything was written.
        MissingPartError: fio is not there.
        UsageError: a run id that is no folder's name.
        RunError: a point did not prove itself valid (it is kept under ``rejected/``), the lay-out
            failed, the run directory belongs to another sweep or host, or another run holds it.
        KeyboardInterrupt: after Ctrl-C, once fio has ended; accepted points stay, and the same
            call resumes.
    """
    run_id = run_id or default_run_id(spec, target, runs_dir)
    if not _RUN_ID.match(run_id):
        raise UsageError(f"run id {run_id!r}: use letters, digits, dots, hyphens, underscores")
    run = RunDirectory(runs_dir / run_id)
    planned = planned_points(spec)
    names = [point.name for point in planned]
    run.check_spec(spec.record())
    if run.record() is not None and not missing(names, run.accepted()):
        return run.path
    tool = find_fio(fio)
    directory = safety.check_directory(target)
    tell = shown.guarded(progress or shown.choose())
    try:
        with held_signals() as stop, run.locked():
            where = label(target, runs_dir)
            _Sweep(spec, planned, run, tool, directory, where, tell, stop).run(keep_target)
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        raise RunError(f"{place}{problem.strerror or problem}") from problem
    return run.path


@dataclass
class _Sweep:
    """One call's work on a run."""

    spec: SweepSpec
    planned: tuple[Point, ...]
    path: RunDirectory
    tool: Tool
    directory: Path
    target_label: str
    tell: Progress
    stop: Stop
    seconds: list[float] = field(default_factory=list)
    device: str | None = None
    warnings: tuple[str, ...] = ()

    def run(self, keep_target: bool) -> None:
        """Lay out the target, measure every missing point, remove the target."""
        names = [point.name for point in self.planned]
        record = self._record(names)
        self.path.check_surroundings(record)
        claim = safety.claimed_file(self.directory, self.spec.file_size, direct=self.spec.direct)
        with claim as target:
            self.path.begin(record)
            todo = missing(names, self.path.accepted())
            known, left = len(names) - len(todo), self._left(len(todo))
            self.tell(shown.SweepStarted(self.path.path.name, len(names), known, left))
            try:
                if not target.laid_out:
                    self._lay_out(target)
                for after, point in self._counted(todo):
                    self._measure(point, after, target)
                if not keep_target:
                    target.remove()
            finally:
                done = len(self.path.accepted() & set(names))
                kept = str(target.path) if target.path.exists() else None
                self.tell(shown.SweepEnded(self.path.path.name, len(names), done, kept))

    def _counted(self, todo: list[str]) -> list[tuple[int, Point]]:
        """Each missing point with how many come after it."""
        points = [point for point in self.planned if point.name in set(todo)]
        return [(len(points) - 1 - number, point) for number, point in enumerate(points)]

    def _lay_out(self, target: safety.TargetFile) -> None:
        try:
            lay_out(
                self.tool,
                self.spec,
                target,
                self.path.layout_folder(),
                stop=self.stop,
                written=lambda done: self.tell(shown.LayoutProgress(done, target.size)),
            )
        except RunError:
            # a file that could not be written in full is of no use to the next call
            target.remove()
            raise
        target.mark_laid_out()

    def _measure(self, point: Point, after: int, target: safety.TargetFile) -> None:
        self.stop.check()
        began, started = time.monotonic(), _now()
        number = self.planned.index(point) + 1
        total = len(self.planned)
        self.tell(shown.PointStarted(point.name, number, total, self._left(after + 1)))

        def tick(elapsed: float) -> None:
            left = max(self._left(1) - elapsed, 0.0) + self._left(after)
            self.tell(shown.PointProgress(point.name, number, total, elapsed, left))

        aside = self.path.aside(point.name)
        result = measure(
            self.tool,
            self.spec,
            point,
            target,
            aside,
            stop=self.stop,
            device=self.device,
            tick=tick,
        )
        place = self.path.keep(aside, self._point_record(point, number, started, result))
        if not result.acceptance.accepted:
            reason = str(result.acceptance.reason)
            self.tell(shown.PointRejected(point.name, reason))
            raise RunError(f"point {point.name}: {reason} (kept in {place})")
        self.seconds.append(time.monotonic() - began)
        accepted = result.acceptance
        self.tell(
            shown.PointAccepted(
                point.name,
                number,
                total,
                accepted.iops,
                accepted.lat_mean_s,
                result.warnings,
                self._left(after),
            )
        )

    def _left(self, points: int) -> float:
        """Seconds for so many points, from the mean of those measured in this call."""
        known = self.seconds
        each = sum(known) / len(known) if known else planned_seconds(self.spec) + FIO_FLOOR_S
        return each * points

    def _record(self, names: list[str]) -> dict[str, Any]:
        facts = target_facts(self.directory)
        self._heed(facts)
        return {
            "format": FORMAT,
            "perfkit": _version.__version__,
            "run_id": self.path.path.name,
            "engine": self.spec.engine,
            "tool": self.tool.record(),
            "spec": self.spec.record(),
            "spec_sha256": self.spec.sha256(),
            "host": host_facts(),
            "target": {
                "directory_label": self.target_label,
                # tells two directories with the same label apart without naming them
                "directory_sha256": hashlib.sha256(str(self.directory).encode()).hexdigest(),
                "file": f"perfkit-{self.spec.file_size}.dat",
                "file_bytes": self.spec.file_size,
                **facts,
            },
            "warnings": list(self.warnings),
            "started_utc": _now(),
            "points_planned": names,
        }

    def _heed(self, facts: Mapping[str, Any]) -> None:
        """Take from the target's facts what the points need; RunError for an unfit block size."""
        device = facts["device"] or {}
        self.device = device.get("name")
        sector = device.get("logical_block_bytes")
        if self.spec.direct and sector and self.spec.block_size % sector:
            raise RunError(
                f"block_size: {self.spec.block_size} bytes; direct I/O on this device goes in "
                f"blocks of {sector} bytes"
            )
        if facts["filesystem"] in MEMORY_FILE_SYSTEMS:
            self.warnings = (
                f"the target is on {facts['filesystem']}: this measures memory, not storage",
            )

    def _point_record(
        self, point: Point, number: int, started: str, result: PointRun
    ) -> dict[str, Any]:
        spec, judged = self.spec, result.acceptance
        return {
            "format": FORMAT,
            "name": point.name,
            "workload": spec.workload,
            "label": spec.label,
            "load_kind": point.kind,
            "load": point.load,
            "repeat": point.repeat,
            "order": number,
            "accepted": judged.accepted,
            "reason": judged.reason,
            "exit_code": result.finished.exit_code,
            "wall_s": round(result.finished.wall_s, 3),
            "started_utc": started,
            "ended_utc": _now(),
            "closed_loop": point.in_flight(spec) is not None,
            "in_flight": point.in_flight(spec),
            "target_iops": point.target_iops(),
            "load_job": LOAD_JOB,
            "expected_directions": list(spec.directions),
            "warnings": [*self.warnings, *result.warnings],
            "cycles": spec.cycles,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
