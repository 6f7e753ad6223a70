"""Which of a study's sweeps are measured, and which replace others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import StudyError, UsageError
from perfkit.core.evidence import Evidence, sha256_file
from perfkit.core.lineage import stated
from perfkit.core.values import Statement, say
from perfkit.formats.yaml_file import line_of
from perfkit.measure.engines.fio import not_permitted
from perfkit.measure.spec import SweepSpec
from perfkit.measure.turns import (
    Order,
    TargetSweep,
    measured_turns,
    shared_device,
    turns,
    why_sequential,
)
from perfkit.measure.workloads import sweep_spec
from perfkit.showing.sentences import Text

if TYPE_CHECKING:
    from perfkit.study.file import StudyModel, Sweep

Refusal = Callable[["SweepSpec"], str | None]

SAID_OF_SWEEPS = ("sweeps", "sweeps-order")
"""The ids of the sentences on a study's sweeps."""


@dataclass(frozen=True)
class Planned:
    """One sweep that is measured.

    Attributes:
        labels: What its run stands for.
        sweep: The sweep and its target.
        instead_of: The labels of the sweep that this host does not permit; None: this is the first
            choice.
        reason: Why it does not.
    """

    labels: Mapping[str, str]
    sweep: TargetSweep
    instead_of: Mapping[str, str] | None = None
    reason: str | None = None

    @property
    def name(self) -> str:
        """Its labels in one line."""
        return ", ".join(self.labels.values())


def specs(path: Path, model: StudyModel) -> list[tuple[Sweep, SweepSpec]]:
    """Every sweep of a study file and its substitutes, checked.

    Raises StudyError with the line of the first that does not fit, or of labels given twice.
    """
    found: list[tuple[Sweep, SweepSpec]] = []
    for number, sweep in enumerate(model.sweeps):
        place: list[Any] = ["sweeps", number]
        chain = [(sweep, place)]
        if sweep.otherwise is not None:
            chain.append((sweep.otherwise, [*place, "otherwise"]))
        for item, where in chain:
            try:
                found.append((item, _spec(path, model, item)))
            except UsageError as problem:
                raise StudyError(path, f"sweeps: {problem}", line_of(path, where)) from problem
            if any(item.labels == other.labels for other, _ in found[:-1]):
                shown = ", ".join(item.labels.values())
                raise StudyError(path, f"sweeps: two are labelled {shown!r}", line_of(path, where))
    return found


def _spec(path: Path, model: StudyModel, sweep: Sweep) -> SweepSpec:
    base = {name: value for name, value in (model.run or {}).items() if name != "target"}
    return sweep_spec({**base, **placed(path.parent, sweep.set)})


def placed(folder: Path, fields: Mapping[str, Any]) -> dict[str, object]:
    """The fields of a sweep with the targets that they name, relative to a study's folder."""
    found = dict(fields)
    if isinstance(found.get("targets"), list):
        found["targets"] = [str(folder / str(target)) for target in found["targets"]]
    beside = found.get("background")
    if isinstance(beside, dict) and "target" in beside:
        found["background"] = {**beside, "target": str(folder / str(beside["target"]))}
    return found


def plan(path: Path, model: StudyModel, refused: Refusal = not_permitted) -> list[Planned]:
    """What is measured on this host: each sweep, or the one that stands in for it.

    Targets are relative to the study file's folder. A sweep without another in its stead is
    planned as it is; its own run then tells what is wrong.
    """
    found = []
    for sweep in model.sweeps:
        other = sweep.otherwise
        target = path.parent / (sweep.target or Path((model.run or {})["target"]))
        spec = _spec(path, model, sweep)
        reason = refused(spec) if other is not None else None
        if other is None or reason is None:
            found.append(Planned(_named(sweep), TargetSweep(spec, target)))
            continue
        instead = TargetSweep(_spec(path, model, other), path.parent / (other.target or target))
        found.append(Planned(_named(other), instead, _named(sweep), reason))
    return found


def _named(sweep: Sweep) -> dict[str, str]:
    return {str(name): value for name, value in sweep.labels.items()}


def say_sweeps(path: Path, planned: list[Planned]) -> Statement:
    """Which sweeps were measured, which replaced another, and why."""
    text = Text()
    names = [text(item.name) for item in planned]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    said = [f"Measured on this host: {listed}."]
    said += [
        f"This host does not permit {text(', '.join((item.instead_of or {}).values()))} "
        f"({text(item.reason or '')}): {text(item.name)} was measured in its place."
        for item in planned
        if item.instead_of is not None
    ]
    return _of_study(path, say(SAID_OF_SWEEPS[0], " ".join(said), **text.places))


def say_order(path: Path, planned: list[Planned], runs: Sequence[Path], asked: Order) -> Statement:
    """In which order the sweeps were measured, by the times of their points, and what follows.

    What was done is said, not what was asked for: an earlier call may have measured a part.
    """
    text = Text()
    sweeps = [item.sweep for item in planned]
    even = [turn.sweep for turn in turns([sweep.spec for sweep in sweeps], "interleaved")]
    done = measured_turns(runs)
    if not done:
        said = "None of the sweeps has been measured yet."
    elif len(done) == len(set(done)):
        why = why_sequential(sweeps, asked) or "an earlier call measured them so"
        said = (
            f"Order: sequential ({text(why)}). Each sweep was measured as a whole, so that a drift "
            "of the host would look like a difference between them."
        )
    elif done == even:
        names = ", ".join(text(item.name) for item in planned)
        said = (
            f"Order: interleaved. The sweeps took {text.count(len(done))} turns, a repeat of each "
            f"load at a time ({names}, and again), so that a drift of the host is in all of them."
        )
    else:
        said = (
            f"Order: mixed. The sweeps were measured in {text.count(len(done))} parts that are not "
            "even turns, as when an earlier call had measured some of them: a drift of the host "
            "may look like a difference between them."
        )
    shared = shared_device(runs)
    if shared:
        said += f" {text(shared)}."
    return _of_study(path, say(SAID_OF_SWEEPS[1], said, **text.places))


def _of_study(path: Path, statement: Statement) -> Statement:
    evidence = Evidence("study", path.name, sha256_file(path))
    return stated("stated.sweeps", 1, statement, evidence, {"value_id": statement.id})
