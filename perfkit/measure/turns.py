"""Sweeps that are to be compared take turns: a repeat of each is a turn.

They differ in what is asked (two engines on one target), in what is measured (two arrays), or both.

Between sweeps measured one after the other, whatever changes meanwhile (temperature, neighbours, a
cache that fills) looks like a difference. In turns it affects all of them, and shows as a spread
over their repeats, from which the intervals of a comparison are computed.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perfkit.core.errors import RunError, UsageError
from perfkit.core.stats import steady_window
from perfkit.measure.points import planned_points
from perfkit.measure.progress import Progress
from perfkit.measure.record.rundir import RunDirectory, missing
from perfkit.measure.spec import SweepSpec
from perfkit.measure.sweep import default_run_id, remove_targets, run_sweep
from perfkit.measure.targets import name_targets

Order = Literal["interleaved", "sequential"]

PREPARED_BY = ("fills", "fill_block", "steady_state", "trim")
"""Fields that say how a target is prepared: sweeps of one target that take turns agree in them."""


@dataclass(frozen=True)
class TargetSweep:
    """A sweep and the folder or block device that it measures."""

    spec: SweepSpec
    target: Path

    def run_directory(self, runs_dir: Path) -> Path:
        """Where its run is kept."""
        return runs_dir / default_run_id(self.spec, self.target, runs_dir)


@dataclass(frozen=True)
class Turn:
    """One call: which sweep, up to how many of its planned points, and in which round."""

    sweep: int
    points: int
    repeat: int = 0


def turns(specs: Sequence[SweepSpec], order: Order) -> list[Turn]:
    """The calls that measure the sweeps, in order; ``sequential`` is one call a sweep.

    Interleaved, a sweep's turn is a repeat of all its loads with the control before them. A sweep
    whose own ``order`` is shuffled or sequential is measured by as many points a turn.
    """
    if order == "sequential" or (len(specs) == 1 and not specs[0].until_steady):
        return [Turn(place, len(planned_points(spec))) for place, spec in enumerate(specs)]
    found = []
    for repeat in range(1, max(spec.repeats for spec in specs) + 1):
        for place, spec in enumerate(specs):
            if repeat <= spec.repeats:
                found.append(Turn(place, _upto(spec, repeat), repeat))
    return found


def _upto(spec: SweepSpec, repeat: int) -> int:
    """Points up to a repeat's end; the last control point is after the last repeat."""
    if repeat == spec.repeats:
        return len(planned_points(spec))
    return repeat * (len(spec.load.points) + (spec.control is not None))


def why_sequential(sweeps: Sequence[TargetSweep], order: Order) -> str | None:
    """Why the sweeps do not take turns: they must not, or cannot; None where they do.

    Sweeps that prepare one target in different ways cannot: each would measure the other's target.
    """
    if len(sweeps) <= 1 and not any(sweep.spec.until_steady for sweep in sweeps):
        return "there is one sweep"
    if order == "sequential":
        return "the study asks for it"
    for one, other in itertools.combinations(sweeps, 2):
        for name in PREPARED_BY:
            if one.target == other.target and getattr(one.spec, name) != getattr(other.spec, name):
                return f"they prepare the target in different ways ({name})"
    if all(sweep.spec.repeats == 1 for sweep in sweeps):
        return "each has one repeat"
    return None


def run_sweeps(
    sweeps: Sequence[TargetSweep],
    *,
    runs_dir: Path,
    order: Order = "interleaved",
    consents: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[Path]:
    """Measure what is missing of several sweeps, in turns; returns their run directories.

    Each has a run directory of its own, as by ``run_sweep``. Every target is checked before the
    first is measured, and again in each turn. The same call resumes: turns that are done are
    skipped. A target file stays while a later turn uses it. ``order`` "sequential" measures one
    after the other, as do sweeps for which ``why_sequential`` has a reason. ``consents`` are those
    of all targets. Once every sweep that asks for it (``until_steady``) is steady, no further round
    begins: what was measured is then all that was planned.

    Raises UsageError for the same sweep of the same target twice, and what ``run_sweep`` raises.
    """
    runs = [sweep.run_directory(runs_dir) for sweep in sweeps]
    for place, run in enumerate(runs):
        if run in runs[:place]:
            raise UsageError(f"{sweeps[place].target}: the same sweep of it is requested twice")
    for sweep, run in zip(sweeps, runs, strict=True):
        if _missing(sweep.spec, run):
            name_targets(sweep.spec, sweep.target, runs_dir, consents).check()
    chosen: Order = "sequential" if why_sequential(sweeps, order) else "interleaved"
    planned = turns([sweep.spec for sweep in sweeps], chosen)
    for place, turn in enumerate(planned):
        if turn.sweep == 0 and _steady(sweeps, runs, turn.repeat - 1):
            _end_here(sweeps, runs, runs_dir, consents)
            break
        sweep = sweeps[turn.sweep]
        later = [other for other in planned[place + 1 :] if _same_file(sweeps[other.sweep], sweep)]
        run_sweep(
            sweep.spec,
            sweep.target,
            runs_dir=runs_dir,
            progress=progress,
            upto=turn.points,
            consents=consents,
            # the file is laid out anew between sweeps that do not take turns, as if run alone
            keep_target=chosen == "interleaved"
            and any(
                _missing(sweeps[other.sweep].spec, runs[other.sweep], other.points)
                for other in later
            ),
        )
        _share_layout(turn.sweep, sweeps, runs)
    return runs


def _steady(sweeps: Sequence[TargetSweep], runs: Sequence[Path], rounds: int) -> bool:
    """Whether each sweep that asks for it was steady when so many rounds were measured."""
    asked = [pair for pair in zip(sweeps, runs, strict=True) if pair[0].spec.until_steady]
    values = (_values(sweep.spec, run, rounds) for sweep, run in asked)
    return bool(asked) and all(
        len(own) == rounds and bool((window := steady_window(own)) and window.attained)
        for own in values
    )


def _values(spec: SweepSpec, run: Path, rounds: int) -> list[float]:
    """What is to be steady, of each round that is measured of the highest load."""
    found = []
    for repeat in range(1, rounds + 1):
        name = f"{spec.load.kind}-{max(spec.load.points)}-r{repeat}"
        file = RunDirectory(run).points / name / "point.json"
        if file.is_file():
            value = json.loads(file.read_text(encoding="utf-8")).get(spec.until_steady)
            found += [float(value)] if value else []
    return found


def _end_here(
    sweeps: Sequence[TargetSweep], runs: Sequence[Path], runs_dir: Path, consents: Sequence[str]
) -> None:
    """Plan no more than what was measured, and remove the files of the targets."""
    for sweep, run in zip(sweeps, runs, strict=True):
        directory = RunDirectory(run)
        accepted = directory.accepted()
        kept = [p.name for p in planned_points(sweep.spec) if p.name in accepted]
        directory.note({"points_planned": kept})
        remove_targets(sweep.spec, sweep.target, runs_dir, consents)


def _share_layout(measured: int, sweeps: Sequence[TargetSweep], runs: Sequence[Path]) -> None:
    """Note in the other sweeps of a device that it is written; a file has its own record."""
    for note in RunDirectory(runs[measured]).layout.glob("laid-out*.json"):
        for sweep, run in zip(sweeps, runs, strict=True):
            own = RunDirectory(run).layout / note.name
            if _same_file(sweep, sweeps[measured]) and not own.exists():
                own.parent.mkdir(parents=True, exist_ok=True)
                own.write_text(note.read_text(encoding="utf-8"), encoding="utf-8")


def _same_file(one: TargetSweep, other: TargetSweep) -> bool:
    mine, theirs = (
        (
            sweep.spec.targets or sweep.target,
            sweep.spec.files,
            sweep.spec.file_size,
            sweep.spec.content,
            sweep.spec.hosts,
        )
        for sweep in (one, other)
    )
    return mine == theirs


def _missing(spec: SweepSpec, run: Path, upto: int | None = None) -> bool:
    names = [point.name for point in planned_points(spec)][:upto]
    return bool(missing(names, RunDirectory(run).accepted()))


def shared_device(runs: Sequence[Path]) -> str | None:
    """That targets of runs are on one device, in words: they differ in no hardware; None: no.

    Which device holds a target is read from the records; of network storage nothing is known.
    """
    targets: dict[str, set[str]] = {}
    for run in runs:
        record = RunDirectory(run).record() or {}
        target = record.get("target", {})
        device = (target.get("device") or {}).get("name")
        if device is not None and not record.get("hosts"):
            targets.setdefault(device, set()).add(target["directory_sha256"])
    for device, found in targets.items():
        if len(found) > 1:
            return (
                f"{len(found)} targets are on one device ({device}): the same hardware is compared"
            )
    return None


def measured_turns(runs: Sequence[Path]) -> list[int]:
    """The order in which runs were measured: their indices, one for each stretch of points.

    ``[0, 1, 0, 1]``: the first, the second, and both again. By the times in the accepted points.
    """
    begun = sorted((started, place) for place, run in enumerate(runs) for started in _started(run))
    return [place for place, _ in itertools.groupby(place for _, place in begun)]


def _started(run: Path) -> Iterator[str]:
    directory = RunDirectory(run)
    for name in directory.accepted():
        file = directory.points / name / "point.json"
        started = json.loads(file.read_text(encoding="utf-8")).get("started_utc")
        if not isinstance(started, str):
            raise RunError(f"{file}: does not say when the point began")
        yield started
