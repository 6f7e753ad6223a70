"""Measuring a sweep: every point and repeat that is missing, each judged before it counts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from perfkit.core.errors import RunError, UsageError
from perfkit.core.evidence import label
from perfkit.core.files import Json
from perfkit.core.stats import steady_window
from perfkit.formats.fio_series import LATENCY_FILE
from perfkit.measure import progress as events
from perfkit.measure.engines.engine import (
    Acceptance,
    Engine,
    PointRun,
    Tool,
    engine_of,
    find_tool,
    planned_seconds,
    read_if_there,
)
from perfkit.measure.engines.jobfile import CHECKSUM
from perfkit.measure.parts import Steady, WarmUp
from perfkit.measure.point_runner import PointRunner
from perfkit.measure.points import Point, planned_points, round_point, round_spec
from perfkit.measure.process import Stop, held_signals
from perfkit.measure.progress import Progress
from perfkit.measure.record.cautions import Noted, noted, recorded
from perfkit.measure.record.point_record import point_record
from perfkit.measure.record.run_record import claim_record, surroundings
from perfkit.measure.record.rundir import RunDirectory, missing, now
from perfkit.measure.safety.files import folder_with_less_room
from perfkit.measure.search import bracket, latencies, next_load, searched
from perfkit.measure.spec import SweepSpec, sha256_json
from perfkit.measure.targets import HeldTargets, NamedTargets, name_targets
from perfkit.measure.touched import reused
from perfkit.measure.validity.cache import drop
from perfkit.measure.validity.rounds import Rounds, is_warm, observed
from perfkit.measure.validity.schedule import due, late

_RUN_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")


def default_run_id(spec: SweepSpec, target: Path, runs_dir: Path) -> str:
    """The workload and the first 8 digits of a hash over the sweep and its targets' labels.

    A label is the path from the runs' folder: the same sweep on the same target has the same id
    from wherever it is called, so that the same call resumes.
    """
    labels = [label(Path(path), runs_dir) for path in spec.targets] or label(target, runs_dir)
    beside = spec.background and label(Path(spec.background.target), runs_dir)
    asked = {"spec": spec.record(), "target": labels, **({"background": beside} if beside else {})}
    digest = sha256_json(asked)
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
    With a ``search`` more loads are measured after the ladder, until its limit is bracketed.
    ``upto`` measures only so many of the planned points, from the first: the rest is for later
    calls. ``progress`` gets the events of ``perfkit.measure.progress``; None chooses what fits
    where the call runs.

    ``target`` is a directory or a block device. A device is overwritten only when one of
    ``consents`` names its model and serial number and no rule forbids it (``safety.judge.RULES``),
    which is checked again before every point that writes. A sweep that only reads needs no consent
    and takes a device as it is (and is refused where it asks for ``fills`` of it); with consent,
    the device is written first.

    Raises:
        SafetyError: the target was refused before anything was written.
        MissingPartError: the engine's program is not there.
        UsageError: a run id that cannot name a folder.
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
    run.check_spec(spec.record())
    record = run.record()
    if record is not None:
        planned += searched(spec, record["points_planned"])
        done = not missing(_names(planned[:upto]), run.accepted()) and not _more(spec, run, upto)
        if done and not (spec.verify and _unverified(record, upto, planned)):
            return run.path
    engine = engine_of(spec.engine)
    tool = find_tool(engine, program)
    if refused := engine.refuses(spec, tool.path):
        raise UsageError(f"{engine.name} does not take this sweep: {refused}")
    named = name_targets(spec, target, runs_dir, consents)
    notify = events.guarded(progress or events.choose())
    try:
        with held_signals() as stop, run.locked():
            _Sweep(named, planned, run, engine, tool, notify, stop, upto).run(keep_target)
    except OSError as problem:
        folder = None if spec.hosts else named.first.path
        full: Any = problem.filename or folder_with_less_room(run.path, folder)
        raise RunError(f"{full}: {problem.strerror or problem}") from problem
    return run.path


def remove_targets(spec: SweepSpec, target: Path, runs_dir: Path, consents: Sequence[str]) -> None:
    """Remove the files that an ended sweep kept on its targets; on devices there is nothing."""
    named = name_targets(spec, target, runs_dir, consents)
    if not any(one.on_device for one in named.each):
        tool = find_tool(engine_of(spec.engine))
        with named.alone(), named.claimed(tool, runs_dir) as targets:
            list(targets.remove())


def _more(spec: SweepSpec, run: RunDirectory, upto: int | None) -> int | None:
    """The load that a search measures next: it begins when the whole ladder is measured."""
    if spec.search is None or (upto is not None and upto < len(planned_points(spec))):
        return None
    return next_load(spec, latencies(spec, run.points))


def _unverified(record: Mapping[str, Any], upto: int | None, planned: Sequence[Point]) -> bool:
    """Whether the targets are to be verified: once, after the last of a run's points."""
    whole = upto is None or upto >= len(planned)
    return whole and not record.get("verification", {}).get("verified")


def _names(points: Sequence[Point]) -> list[str]:
    return [point.name for point in points]


@dataclass
class _Sweep:
    """One call's work on a run."""

    named: NamedTargets
    planned: tuple[Point, ...]
    path: RunDirectory
    engine: Engine
    tool: Tool
    notify: Progress
    stop: Stop
    upto: int | None
    seconds: list[float] = field(default_factory=list)
    cautions: tuple[Noted, ...] = ()
    memory_bytes: int | None = None

    @property
    def spec(self) -> SweepSpec:
        return self.named.spec

    def run(self, keep_target: bool) -> None:
        """Lay out the target, measure every missing point, remove the target."""
        names = _names(self.planned)
        self.named.check_known()
        found = surroundings(self.named, self.tool, self.path.path.name, names)
        self.cautions, self.memory_bytes = found.cautions, found.memory_bytes
        self.path.check_surroundings(found.record)
        with self.named.alone(), self.named.claimed(self.tool, self.path.layout) as targets:
            self.path.begin({**found.record, **claim_record(targets, found.record)})
            accepted = self.path.accepted()
            todo = missing(names[: self.upto], accepted)
            known = len(names) - len(missing(names, accepted))
            runner = PointRunner(
                run=self.path,
                engine=self.engine,
                tool=self.tool,
                targets=targets,
                stop=self.stop,
                devices=found.devices,
                beside=found.beside,
            )
            left, where = self._left(len(todo)), self.path.path
            self.notify(events.SweepStarted(where.name, len(names), known, left, str(where)))
            for path, why in targets.left_over:
                self.notify(events.LeftOver(path, why))
            try:
                self._measure_missing(runner, [p for p in self.planned if p.name in todo])
                self._search(runner)
                self._verify(runner)
                if not keep_target:
                    self._remove(targets)
            finally:
                self._notify_end(_names(self.planned), targets)

    def _measure_missing(self, runner: PointRunner, points: list[Point]) -> None:
        fresh = not runner.targets.laid_out
        if fresh:
            self._lay_out(runner)
        if self.spec.steady_state and points:
            self._settle(runner, self.spec.steady_state, fresh=fresh)
        if self.spec.warm_up and points:
            self._warm_up(runner, self.spec.warm_up)
        for number, point in enumerate(points, start=1):
            self._measure(runner, point, after=len(points) - number)

    def _search(self, runner: PointRunner) -> None:
        while (load := _more(self.spec, self.path, self.upto)) is not None:
            kind, repeats = self.spec.load.kind, range(1, self.spec.repeats + 1)
            points = [Point(kind=kind, load=load, repeat=repeat) for repeat in repeats]
            self.planned += tuple(point for point in points if point not in self.planned)
            self.path.note({"points_planned": _names(self.planned)})
            accepted = self.path.accepted()
            todo = [point for point in points if point.name not in accepted]
            self._tell_search(load)
            for number, point in enumerate(todo, start=1):
                self._measure(runner, point, after=len(todo) - number)
        if self.spec.search and self.path.accepted() >= set(_names(self.planned)):
            self._tell_search(None)

    def _tell_search(self, load: int | None) -> None:
        limit_s = self.spec.search.latency_s if self.spec.search else 0.0
        found = bracket(latencies(self.spec, self.path.points), limit_s)
        kind = self.spec.load.kind
        self.notify(events.SearchStep(kind, limit_s, found.kept, found.missed, load))

    def _verify(self, runner: PointRunner) -> None:
        """After the last point: whether the targets give back what is written to them.

        What is wrong stands in run.json, and is raised.
        """
        record = self.path.record() or {}
        if not self.spec.verify or not _unverified(record, self.upto, self.planned):
            return
        self.notify(events.Verifying(runner.targets.size))
        problem = runner.verify(self.spec, lambda _: None)
        found = re.search(r" offset (\d+)", problem or "")
        size = self.spec.space.size * self.spec.files * self.spec.parts
        outcome = {
            "verified": problem is None,
            "checksum": CHECKSUM,
            "block_bytes": self.spec.block_size,
            "verified_bytes": size,
            "wrong_at_byte": int(found[1]) if found else None,
            "problem": problem,
            "ended_utc": now(),
        }
        if problem is None:
            self.path.note({"verification": outcome})
            return
        failed = recorded([noted("verify_failed", why=problem)])
        told = {name: [*record.get(name, []), *failed[name]] for name in failed}
        self.path.note({"verification": outcome, **told})
        raise RunError(f"verification: {problem} (kept in {self.path.verify})")

    def _notify_end(self, names: list[str], targets: HeldTargets) -> None:
        accepted = self.path.accepted()
        done = len(accepted & set(names))
        turn = self.upto is not None and not missing(names[: self.upto], accepted)
        self.notify(events.SweepEnded(self.path.path.name, len(names), done, targets.kept, turn))

    def _lay_out(self, runner: PointRunner) -> None:
        targets = runner.targets.unwritten
        targets.check_again()
        size = targets.size

        def tick(_: float) -> None:
            self.notify(events.LayoutProgress(targets.allocated_bytes(), size))

        try:
            for number in range(self.spec.fills):
                runner.fill(self.spec, targets.places(), number, tick)
            targets.mark_laid_out()
        except RunError:
            # a file that could not be written in full is of no use to the next call
            self._remove(runner.targets)
            raise
        self.notify(events.LayoutProgress(size, size))

    def _remove(self, targets: HeldTargets) -> None:
        """Remove what is provably ours; anything else stays and is named."""
        for path, why in targets.remove():
            self.notify(events.LeftOver(path, why))

    def _settle(self, runner: PointRunner, steady: Steady, *, fresh: bool) -> None:
        """Rounds until the storage is steady, unless that was found since it was laid out."""
        rounds = Rounds(self.spec, self.path.rounds)
        outcome = None if fresh else rounds.outcome
        if outcome is None:
            outcome = rounds.run(steady, lambda point: self._round(runner, point, steady, rounds))
        if outcome.warning:
            self.cautions += (noted("not_steady", outcome.warning, args=asdict(outcome)),)

    def _round(
        self, runner: PointRunner, point: Point, steady: Steady, rounds: Rounds
    ) -> Acceptance:
        spec = round_spec(self.spec, steady.round_s)
        result, _ = self._kept(runner, point, spec, point.repeat, folder=rounds.folder)
        judged = result.acceptance
        value = getattr(judged, steady.metric)
        window = steady_window([*rounds.values, value])
        self.notify(
            events.RoundMeasured(
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

    def _warm_up(self, runner: PointRunner, warm: WarmUp) -> None:
        """Run rounds until the last ones agree; in every call, since a cache cools in between."""
        spec, folder = round_spec(self.spec, warm.round_s), self.path.emptied("warm-up")
        values: list[float] = []
        what = warm.observed or "IOPS"
        while len(values) < warm.max_rounds and not is_warm(values, warm.tolerance):
            point = round_point(self.spec, len(values) + 1)
            result, kept = self._kept(runner, point, spec, point.repeat, folder=folder)
            value = observed(kept, warm.observed) if warm.observed else result.acceptance.iops
            if value is None:
                raise RunError("warm-up: a round gives no IOPS")
            values.append(value)
            self.notify(events.WarmUpRound(point.repeat, warm.max_rounds, what, values[-1]))
        warmed = is_warm(values, warm.tolerance)
        record = self.path.record() or {}
        found = {"ended_utc": now(), "of": what, "values": values, "warm": warmed}
        self.path.note({"warm_ups": [*record.get("warm_ups", []), found]})
        if not warmed:
            self.cautions += (noted("not_warm", what=what, rounds=str(len(values)), args=found),)

    def _measure(self, runner: PointRunner, point: Point, after: int) -> None:
        """Measure one point; ``after`` more are to be measured in this call."""
        began = time.monotonic()
        number, total = self.planned.index(point) + 1, len(self.planned)
        self.notify(events.PointStarted(point.name, number, total, self._left(after + 1)))

        def tick(elapsed: float) -> None:
            left = max(self._left(1) - elapsed, 0.0) + self._left(after)
            self.notify(events.PointProgress(point.name, number, total, elapsed, left))

        result, _ = self._kept(runner, point, self.spec, number, tick=tick)
        judged = result.acceptance
        self.seconds.append(time.monotonic() - began)
        warnings = tuple(caution.text for caution in result.cautions)
        left = self._left(after)
        self.notify(
            events.PointAccepted(
                point.name, number, total, judged.iops, judged.lat_mean_s, warnings, left
            )
        )

    def _kept(
        self,
        runner: PointRunner,
        point: Point,
        spec: SweepSpec,
        number: int,
        *,
        tick: Callable[[float], None] = lambda _: None,
        folder: Path | None = None,
    ) -> tuple[PointRun, Path]:
        """Measure a point, and where it is kept; raises RunError unless it is accepted.

        Where the tool garbled its results on their way the point is measured once more: nothing
        was wrong with the load, and a night's sweep should not end for it.
        """
        for last in (False, True):
            started = now()
            drops = spec.drop_caches and point.role == "point"
            cache = self._drop_caches(runner.targets) if drops else None
            result, aside = runner.measure(spec, point, tick)
            record = self._record(point, number, started, result, spec, folder=aside)
            kept = self.path.keep(aside, {**record, "cache": cache} if cache else record, folder)
            if result.acceptance.accepted:
                break
            reason = str(result.acceptance.reason)
            for place in runner.targets.places().every:
                reason = re.sub(rf"(?<![\w/-]){place.link}/", f"{place.folder}/", reason)
            again = result.acceptance.garbled and not last
            self.notify(events.PointRejected(point.name, reason, again))
            if not again:
                raise RunError(f"point {point.name}: {reason} (kept in {kept})")
        return result, kept

    def _drop_caches(self, targets: HeldTargets) -> Json:
        """Empty the page cache of every target; what was found, added up."""
        found = [drop(each.path, each.size, each.handle) for each in targets.local]
        return {
            **{
                name: sum(one[name] for one in found)
                for name in ("resident_before_bytes", "resident_after_bytes")
            },
            "whole_host": all(one["whole_host"] for one in found),
        }

    def _left(self, points: int) -> float:
        """The expected seconds for some points, from the mean of those measured in this call."""
        known = self.seconds or [planned_seconds(self.spec) + self.engine.floor_s]
        return sum(known) / len(known) * points

    def _record(
        self,
        point: Point,
        number: int,
        started: str,
        result: PointRun,
        spec: SweepSpec,
        *,
        folder: Path,
    ) -> Json:
        judged, own = result.acceptance, self.cautions
        lag = None
        if judged.accepted:
            series = read_if_there(folder / LATENCY_FILE)
            lag = due(spec, point, series)
            own += tuple(late(lag))
        if judged.io_bytes:
            own += tuple(reused(spec, point, judged.io_bytes, self.memory_bytes))
        file = self.engine.result
        record = point_record(point, number, started, result, spec, result_file=file, cautions=own)
        return {**record, "due": asdict(lag)} if lag else record
