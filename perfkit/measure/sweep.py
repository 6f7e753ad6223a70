"""Measuring a sweep: every point and repeat that is missing, each judged before it counts."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from perfkit import _version
from perfkit.core.errors import RunError, SafetyError, UsageError
from perfkit.core.evidence import label
from perfkit.core.stats import steady_window
from perfkit.measure import progress as shown
from perfkit.measure import safety
from perfkit.measure.engines.elbencho import interrupt
from perfkit.measure.engines.engine import (
    LINK,
    Engine,
    Place,
    PointRun,
    Tool,
    ask_to_stop,
    find_tool,
    lay_out,
    measure,
    planned_seconds,
)
from perfkit.measure.engines.known import ENGINES
from perfkit.measure.fleet.hosts import Fleet, Host, hosts_of
from perfkit.measure.fleet.servers import check
from perfkit.measure.points import Point, planned_points, round_spec
from perfkit.measure.probe.facts import MEMORY_FILE_SYSTEMS, host_facts, target_facts
from perfkit.measure.process import Stop, held_signals
from perfkit.measure.record.cautions import Noted, noted
from perfkit.measure.record.records import (
    host_record,
    now,
    own_file,
    point_record,
    recorded,
    target_names,
)
from perfkit.measure.record.rundir import FORMAT, RunDirectory, held_directory, held_name, missing
from perfkit.measure.spec import SweepSpec, sha256_json
from perfkit.measure.target.identity import descriptor
from perfkit.measure.validity.beside import busy_before
from perfkit.measure.validity.cache import drop
from perfkit.measure.validity.steady import Rounds, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from perfkit.measure.engines.engine import Acceptance
    from perfkit.measure.process import Tick
    from perfkit.measure.progress import Progress
    from perfkit.measure.spec import Steady

_RUN_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")


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
    program: str | None = None,
    keep_target: bool = False,
    consents: Sequence[str] = (),
    upto: int | None = None,
) -> Path:
    """Measure what is missing of a sweep; returns the run directory ``runs_dir/run_id``.

    A complete run returns at once, without looking for the tool or the target. The target file is
    written once, kept for the next call when the sweep stops early, and removed at the end unless
    ``keep_target``. ``program`` is the tool's name or path, where that is not the engine's own.
    ``upto`` measures only so many of the planned points, from the first: others take their turn.
    ``progress`` hears the events of ``perfkit.measure.progress``; None chooses by
    where we run.

    ``target`` is a directory or a block device. A device is overwritten only when one of
    ``consents`` names its model and serial number and nothing speaks against it
    (``safety.judge.RULES``), which is seen again before every point that writes. A sweep that only
    reads needs no consent and takes a device as it is (and is refused where it asks for ``fills``
    of it); with one, it is written first.

    Raises:
        SafetyError: the target was refused before anything was written.
        MissingPartError: the engine's program is not there.
        UsageError: a run id that is no folder's name.
        RunError: a point did not prove itself valid (it is kept under ``rejected/``), the lay-out
            failed, the run directory belongs to another sweep or host, or another run holds it.
        KeyboardInterrupt: after Ctrl-C, once the tool has ended; accepted points stay, and the same
            call resumes.
    """
    run_id = run_id or default_run_id(spec, target, runs_dir)
    if not _RUN_ID.match(run_id):
        raise UsageError(f"run id {run_id!r}: use letters, digits, dots, hyphens, underscores")
    run = RunDirectory(runs_dir / run_id)
    planned = planned_points(spec)
    names = [point.name for point in planned]
    run.check_spec(spec.record())
    if run.record() is not None and not missing(names[:upto], run.accepted()):
        return run.path
    engine = ENGINES[spec.engine]
    tool = find_tool(engine, program)
    place = target if spec.hosts else safety.check_target(target)
    tell = shown.guarded(progress or shown.choose())
    try:
        with held_signals() as stop, run.locked():
            where = label(target, runs_dir)
            sweep = _Sweep(
                spec, planned, run, engine, tool, place, where, tell, stop, tuple(consents), upto
            )
            sweep.run(keep_target)
    except OSError as problem:
        full: Any = problem.filename or safety.fuller(run.path, None if spec.hosts else place)
        raise RunError(f"{full}: {problem.strerror or problem}") from problem
    return run.path


@dataclass
class _Sweep:
    """One call's work on a run."""

    spec: SweepSpec
    planned: tuple[Point, ...]
    path: RunDirectory
    engine: Engine
    tool: Tool
    place: Path
    target_label: str
    tell: Progress
    stop: Stop
    consents: tuple[str, ...] = ()
    upto: int | None = None
    seconds: list[float] = field(default_factory=list)
    device: str | None = None
    cautions: tuple[Noted, ...] = ()

    @cached_property
    def fleet(self) -> Fleet | None:
        """The load generators, where they are others than this host."""
        hosts = hosts_of(self.spec.hosts, self.spec.engine)
        return Fleet(hosts, self.place, self.spec.file_size, self.spec.engine) if hosts else None

    def run(self, keep_target: bool) -> None:
        """Lay out the target, measure every missing point, remove the target."""
        names = [point.name for point in self.planned]
        self._check_fills()
        record = self._record(names)
        self.path.check_surroundings(record)
        with self._alone(), self._claim() as target:
            consent = target.consent.record() if target.consent else None
            self.path.begin({**record, **own_file(target), "consent": consent})
            accepted = self.path.accepted()
            todo = missing(names[: self.upto], accepted)
            known, left = len(names) - len(missing(names, accepted)), self._left(len(todo))
            self.tell(shown.SweepStarted(self.path.path.name, len(names), known, left))
            self._tell_left_over(target)
            try:
                fresh = not target.laid_out
                if fresh:
                    self._lay_out(target)
                if self.spec.steady_state and todo:
                    self._settle(self.spec.steady_state, target, fresh=fresh)
                for after, point in self._counted(todo):
                    self._measure(point, after, target)
                if not keep_target:
                    self._remove(target)
            finally:
                accepted = self.path.accepted()
                done = len(accepted & set(names))
                kept = str(target.path) if target.kept else None
                turn = self.upto is not None and not missing(names[: self.upto], accepted)
                self.tell(shown.SweepEnded(self.path.path.name, len(names), done, kept, turn))

    def _check_fills(self) -> None:
        """A device that is only read is never filled: SafetyError rather than no fill, unsaid."""
        on_device = not self.fleet and self.place.is_block_device()
        if on_device and not self._writes and self.spec.fills > 1:
            raise SafetyError(
                f"target {self.place}: fills: {self.spec.fills} asks for the device to be written, "
                "which nobody agreed to; agree with --overwrite, or leave fills out to read the "
                "device as it is"
            )

    def _alone(self) -> AbstractContextManager[None]:
        """Hold the target against other sweeps; a device is held by its claim."""
        if self.fleet:
            return held_name(f"{self.place} {sorted(self.fleet.hosts)}")
        return nullcontext() if self.place.is_block_device() else held_directory(self.place)

    def _claim(self) -> AbstractContextManager[safety.Target | Fleet]:
        if self.fleet:
            return self._claimed(self.fleet)
        if not self.place.is_block_device():
            return safety.claimed_file(self.place, self.spec.file_size, direct=self.spec.direct)
        return safety.claimed_device(
            self.place,
            self.consents,
            writes=self._writes,
            state=self.path.layout / "laid-out.json",
            size=self.spec.file_size,
        )

    @contextmanager
    def _claimed(self, fleet: Fleet) -> Iterator[Fleet]:
        """Our files on every host, after what a killed sweep left at work was stopped."""
        if self.spec.engine == "elbencho":
            ask_to_stop(self.tool, interrupt(Place(fleet.directory, "", _addresses(fleet))))
        try:
            fleet.open()
            fleet.claim()
            yield fleet
        finally:
            fleet.close()

    @property
    def _writes(self) -> bool:
        """Whether a device is overwritten: by the load, or by laying it out first."""
        return safety.destructive(
            self.spec.read_percent,
            drain=self.spec.drain is not None,
            lay_out=bool(self.consents),
        )

    def _counted(self, todo: list[str]) -> list[tuple[int, Point]]:
        """Each missing point with how many come after it."""
        points = [point for point in self.planned if point.name in set(todo)]
        return [(len(points) - 1 - number, point) for number, point in enumerate(points)]

    def _lay_out(self, target: safety.Target | Fleet) -> None:
        target.check_again()
        try:
            for _ in range(self.spec.fills):
                self._fill(target)
            target.mark_laid_out()
        except RunError:
            # a file that could not be written in full is of no use to the next call
            self._remove(target)
            raise
        self.tell(shown.LayoutProgress(target.size, target.size))

    def _remove(self, target: safety.Target | Fleet) -> None:
        """Remove our own; what has become another's meanwhile stays, and is named."""
        try:
            target.remove()
        except (SafetyError, RunError) as problem:
            self.tell(shown.LeftOver(str(target.path), str(problem)))

    def _tell_left_over(self, target: safety.Target | Fleet) -> None:
        if not isinstance(target, safety.TargetDevice):
            for path, why in target.left_over:
                self.tell(shown.LeftOver(path, why))

    def _fill(self, target: safety.Target | Fleet) -> None:
        """Write the whole target once, in sequence."""
        place = _place(target)
        lay_out(
            self.tool,
            self.engine.layout(self.spec, place),
            place,
            self.path.layout_folder(),
            stop=self.stop,
            tick=lambda _: self.tell(shown.LayoutProgress(target.allocated_bytes(), target.size)),
        )

    def _settle(self, steady: Steady, target: safety.Target | Fleet, *, fresh: bool) -> None:
        """Rounds until the storage is steady, unless that was seen since it was laid out."""
        rounds = Rounds(self.spec, self.path.rounds)
        outcome = None if fresh else rounds.outcome
        if outcome is None:
            outcome = rounds.run(steady, lambda point: self._round(point, steady, rounds, target))
        unsteady = warning(outcome)
        self.cautions += (noted("not_steady", unsteady, args=outcome),) if unsteady else ()

    def _round(
        self, point: Point, steady: Steady, rounds: Rounds, target: safety.Target | Fleet
    ) -> Acceptance:
        started, spec = now(), round_spec(self.spec)
        result, aside = self._run(point, spec, target)
        record = self._recorded(point, point.repeat, started, result, spec)
        kept = self.path.keep(aside, record, rounds.folder)
        judged = result.acceptance
        if not judged.accepted:
            raise RunError(f"{point.name}: {judged.reason} (kept in {kept})")
        value = getattr(judged, steady.metric)
        window = steady_window([*rounds.values, value])
        self.tell(
            shown.RoundMeasured(
                point.repeat,
                steady.max_rounds,
                steady.metric,
                value,
                window.range_ratio if window else None,
                window.slope_ratio if window else None,
                bool(window and window.attained),
            )
        )
        return judged

    def _run(
        self, point: Point, spec: SweepSpec, target: safety.Target | Fleet, tick: Tick | None = None
    ) -> tuple[PointRun, Path]:
        """Run the tool for one point or round; its result and the folder it stands in."""
        self.stop.check()
        before = self._seen_before(target)
        aside, place = self.path.aside(point.name), _place(target)
        plan = self.engine.point(spec, point, place)
        ended = None
        if isinstance(target, Fleet):
            # the hosts are asked while their results are read
            ended = partial(target.ask_again, wrote=not self.spec.read_only)
        result = measure(
            self.tool,
            plan,
            place,
            aside,
            stop=self.stop,
            device=self.device,
            direct=spec.direct,
            ramp_s=spec.ramp_s,
            tick=tick,
            ended=ended,
            elsewhere=self.fleet.samplers(aside) if self.fleet else (),
        )
        return self._seen_after(target, before, result), aside

    def _seen_before(self, target: safety.Target | Fleet) -> Mapping[str, Any] | None:
        """What is proved of our file directly before a point, or None of a device.

        It is waited for: of hosts a round trip.
        """
        if not isinstance(target, safety.TargetDevice):
            return target.check_again()
        if not self.spec.read_only:
            target.check_again()
        return None

    def _seen_after(
        self, target: safety.Target | Fleet, before: Mapping[str, Any] | None, result: PointRun
    ) -> PointRun:
        """The result with what was proved of our file around it; rejected where that failed."""
        if isinstance(target, safety.TargetDevice):
            return result
        after, why = None, None
        try:
            if isinstance(target, Fleet):
                after = target.answers()
            else:
                after = target.check_again(wrote=not self.spec.read_only)
        except (SafetyError, RunError) as problem:
            why = str(problem)
            if not isinstance(target, Fleet):
                # the record names no path of this machine, the terminal does
                why = why.replace(f"{target.path.parent}/", f"{LINK}/")
        seen = {"given": "descriptor" if _place(target).is_held else "path",
                "before": before, "after": after, "problem": why}  # fmt: skip
        judged = result.acceptance
        if why:
            reason = why if judged.accepted else f"{judged.reason} ({why})"
            judged = replace(judged, accepted=False, reason=reason)
        return replace(result, acceptance=judged, target=seen)

    def _measure(self, point: Point, after: int, target: safety.Target | Fleet) -> None:
        began, started = time.monotonic(), now()
        number = self.planned.index(point) + 1
        total = len(self.planned)
        self.tell(shown.PointStarted(point.name, number, total, self._left(after + 1)))

        def tick(elapsed: float) -> None:
            left = max(self._left(1) - elapsed, 0.0) + self._left(after)
            self.tell(shown.PointProgress(point.name, number, total, elapsed, left))

        held = None if isinstance(target, Fleet) else target.handle
        cache = drop(target.path, target.size, held) if self.spec.drop_caches else None
        result, aside = self._run(point, self.spec, target, tick)
        record = self._recorded(point, number, started, result, self.spec)
        kept = self.path.keep(aside, {**record, "cache": cache} if cache else record)
        if not result.acceptance.accepted:
            reason = str(result.acceptance.reason)
            reason = re.sub(rf"(?<![\w/-]){LINK}/", f"{target.path.parent}/", reason)
            self.tell(shown.PointRejected(point.name, reason))
            raise RunError(f"point {point.name}: {reason} (kept in {kept})")
        self.seconds.append(time.monotonic() - began)
        accepted = result.acceptance
        self.tell(
            shown.PointAccepted(
                point.name,
                number,
                total,
                accepted.iops,
                accepted.lat_mean_s,
                tuple(caution.text for caution in result.cautions),
                self._left(after),
            )
        )

    def _left(self, points: int) -> float:
        """Seconds for so many points, from the mean of those measured in this call."""
        known = self.seconds or [planned_seconds(self.spec) + self.engine.floor_s]
        return sum(known) / len(known) * points

    def _fleet_facts(self) -> dict[str, Any]:
        """What each host says of itself, its target and its tool; RunError where tools differ."""
        assert self.fleet is not None  # noqa: S101 - the caller has one
        found = self.fleet.facts()
        for host, facts in found.items():
            self.fleet.check(host, facts)
            state = check(Host.of(host))
            if not state.answers:
                raise RunError(
                    f"{host}: no {self.engine.name} server answers ({state.reason}); "
                    "see perfkit hosts start"
                )
            said = (facts["tools"][self.engine.name] or {}).get("version")
            if self.engine.name == "fio" and said != self.tool.version:
                raise RunError(f"{host}: {said or 'no fio'} there, and {self.tool.version} here")
        return found

    def _record(self, names: list[str]) -> dict[str, Any]:
        hosts = self._fleet_facts() if self.fleet else {}
        first = next(iter(hosts.values()), None)
        facts = first["storage"] if first else target_facts(self.place)
        here = host_facts()
        self._heed(facts)
        for host, told in hosts.items():
            self.cautions += tuple(busy_before(told["host"], host))
        if not hosts:
            self.cautions += tuple(busy_before(here))
        return {
            **(
                {"hosts": {label: host_record(told) for label, told in hosts.items()}}
                if hosts
                else {}
            ),
            "format": FORMAT,
            "perfkit": _version.__version__,
            "run_id": self.path.path.name,
            "engine": self.spec.engine,
            "tool": self.tool.record(),
            "spec": self.spec.record(),
            "spec_sha256": self.spec.sha256(),
            "host": here,
            "target": {**self._named(facts), "file_bytes": self.spec.file_size, **facts},
            **recorded(self.cautions),
            "started_utc": now(),
            "points_planned": names,
        }

    def _named(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        file = f"perfkit-{self.spec.file_size}.dat"
        return target_names(facts, self.place, self.target_label, file, here=not self.fleet)

    def _recorded(
        self, point: Point, number: int, started: str, result: PointRun, spec: SweepSpec
    ) -> dict[str, Any]:
        """What point.json says of a point."""
        file, own = self.engine.result, self.cautions
        return point_record(point, number, started, result, spec, result_file=file, cautions=own)

    def _heed(self, facts: Mapping[str, Any]) -> None:
        """Take from the target's facts what the points need; RunError for an unfit block size."""
        device = facts["device"] or {}
        self.device = None if self.fleet else device.get("name")
        sector = device.get("logical_block_bytes")
        if self.spec.direct and sector and self.spec.block_size % sector:
            raise RunError(
                f"block_size: {self.spec.block_size} bytes; direct I/O on this device goes in "
                f"blocks of {sector} bytes"
            )
        if not self.fleet and self.place.is_block_device() and not self._writes:
            self.cautions += (noted("device_as_found"),)
        if self.spec.load.kind == "rate_iops":
            # measured: of a stall of the load generator itself fio's latencies show nothing
            self.cautions += (noted("issue_time"),)
        if facts["filesystem"] in MEMORY_FILE_SYSTEMS:
            lives = facts["filesystem"]
            self.cautions += (noted("memory_target", filesystem=lives, args={"filesystem": lives}),)


def _place(target: safety.Target | Fleet) -> Place:
    if isinstance(target, Fleet):
        name, hosts = target.files[0], _addresses(target)
        return Place(target.directory, name, hosts, target.given, target.names)
    return Place(target.path.parent, target.path.name, held=descriptor(target.handle))


def _addresses(fleet: Fleet) -> tuple[tuple[str, int], ...]:
    return tuple((host.name, host.port) for host in fleet.hosts)
