"""Several sweeps of one target that are to be compared take turns: a repeat of each is a turn.

Between sweeps measured one after the other, whatever changes meanwhile (temperature, neighbours, a
cache that fills) looks like a difference. In turns it affects all of them, and shows as a spread
over their repeats, from which the intervals of a comparison are computed.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from perfkit.core.errors import RunError
from perfkit.measure.points import planned_points
from perfkit.measure.record.rundir import RunDirectory, missing
from perfkit.measure.sweep import default_run_id, run_sweep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from perfkit.measure.progress import Progress
    from perfkit.measure.spec import SweepSpec

Order = Literal["interleaved", "sequential"]

PREPARED_BY = ("fills", "steady_state")
"""Fields that say how the target is prepared: sweeps that take turns must agree in them."""


@dataclass(frozen=True)
class Turn:
    """One call: which sweep, and up to how many of its planned points."""

    sweep: int
    points: int


def turns(specs: Sequence[SweepSpec], order: Order) -> list[Turn]:
    """The calls that measure the sweeps, in order; ``sequential`` is one call a sweep.

    Interleaved, a sweep's turn is a repeat of all its loads with the control before them. A sweep
    whose own ``order`` is shuffled or sequential is measured by as many points a turn.
    """
    if order == "sequential" or len(specs) == 1:
        return [Turn(place, len(planned_points(spec))) for place, spec in enumerate(specs)]
    found = []
    for repeat in range(1, max(spec.repeats for spec in specs) + 1):
        for place, spec in enumerate(specs):
            if repeat <= spec.repeats:
                found.append(Turn(place, _upto(spec, repeat)))
    return found


def _upto(spec: SweepSpec, repeat: int) -> int:
    """Points up to a repeat's end; the last control point is after the last repeat."""
    if repeat == spec.repeats:
        return len(planned_points(spec))
    return repeat * (len(spec.load.points) + (spec.control is not None))


def why_sequential(specs: Sequence[SweepSpec], order: Order) -> str | None:
    """Why the sweeps do not take turns: they must not, or cannot; None where they do.

    Sweeps that prepare the target in different ways cannot: each would measure the other's target.
    """
    if len(specs) <= 1:
        return "there is one sweep"
    if order == "sequential":
        return "the study asks for it"
    for name in PREPARED_BY:
        if any(getattr(spec, name) != getattr(specs[0], name) for spec in specs):
            return f"they prepare the target in different ways ({name})"
    if all(spec.repeats == 1 for spec in specs):
        return "each has one repeat"
    return None


def run_sweeps(
    specs: Sequence[SweepSpec],
    target: Path,
    *,
    runs_dir: Path,
    order: Order = "interleaved",
    progress: Progress | None = None,
) -> list[Path]:
    """Measure what is missing of several sweeps, in turns; returns their run directories.

    Each has a run directory of its own, as by ``run_sweep``, and the same call resumes: turns that
    are done are skipped. The target file stays while a later turn uses it. ``order``
    "sequential" measures one after the other, as do sweeps for which ``why_sequential`` has a
    reason.

    Raises what ``run_sweep`` raises.
    """
    chosen: Order = "sequential" if why_sequential(specs, order) else "interleaved"
    runs = [runs_dir / default_run_id(spec, target, runs_dir) for spec in specs]
    planned = turns(specs, chosen)
    for place, turn in enumerate(planned):
        spec = specs[turn.sweep]
        later = [other for other in planned[place + 1 :] if _same_file(specs[other.sweep], spec)]
        run_sweep(
            spec,
            target,
            runs_dir=runs_dir,
            progress=progress,
            upto=turn.points,
            # the file is laid out anew between sweeps that do not take turns, as if run alone
            keep_target=chosen == "interleaved"
            and any(_missing(specs[other.sweep], runs[other.sweep], other) for other in later),
        )
    return runs


def _same_file(one: SweepSpec, other: SweepSpec) -> bool:
    return (one.file_size, one.hosts) == (other.file_size, other.hosts)


def _missing(spec: SweepSpec, run: Path, turn: Turn) -> bool:
    names = [point.name for point in planned_points(spec)][: turn.points]
    return bool(missing(names, RunDirectory(run).accepted()))


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
            raise RunError(f"{file}: no time at which the point began")
        yield started
