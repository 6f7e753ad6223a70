"""``pk.run``: what is missing of a sweep, of several, or of a study is measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

from perfkit.core.errors import UsageError
from perfkit.measure.progress import Progress
from perfkit.measure.spec import SweepSpec
from perfkit.measure.sweep import run_sweep
from perfkit.measure.turns import Order, TargetSweep, run_sweeps
from perfkit.study.opening import open_study
from perfkit.study.study import Study

Several = list[Path] | list[str] | tuple[Path | str, ...]
"""Targets; a text, which is a sequence as well, is one."""


@overload
def run(
    what: SweepSpec,
    target: Path | str,
    *,
    runs_dir: Path | str = "runs",
    run_id: str | None = None,
    consents: Sequence[str] = (),
    keep_target: bool = False,
    progress: Progress | None = None,
) -> Path: ...


@overload
def run(
    what: Sequence[SweepSpec],
    target: Path | str | Several,
    *,
    runs_dir: Path | str = "runs",
    order: Order = "interleaved",
    consents: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[Path]: ...


@overload
def run(
    what: SweepSpec,
    target: Several,
    *,
    runs_dir: Path | str = "runs",
    order: Order = "interleaved",
    consents: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[Path]: ...


@overload
def run(what: Study | Path | str, *, progress: Progress | None = None) -> list[Path]: ...


def run(
    what: SweepSpec | Sequence[SweepSpec] | Study | Path | str,
    target: Path | str | Several | None = None,
    **options: Any,
) -> Path | list[Path]:
    """Measure what is missing; the same call resumes what was interrupted.

    Args:
        what: A sweep (``named_workload``), several that are compared with each other, or a study
            (opened, its file or its folder).
        target: The folder or block device to measure, or several that are compared, such as two
            arrays; a study names its own, and so does a sweep with ``targets``.
        **options: Of one sweep of one target ``run_id`` and ``keep_target``; of several ``order``
            ("interleaved": they take turns, a repeat of each at a time; "sequential"); of both
            ``runs_dir`` (where run directories are kept; default: ``runs``) and ``consents`` (the
            model and serial number of each device whose data may be lost); always ``progress``.

    Returns:
        The run directory of one sweep of one target; else a list, target by target; of a study
        its ``sweeps``, or that of its ``run``.

    Raises:
        UsageError: No target for a sweep, one for a study, or the same sweep of a target twice.
        StudyError: A mistake in the study, or nothing in it to measure.
        SafetyError: The target was refused before anything was written.
        MissingPartError: The engine's program is not there.
        RunError: A point did not prove itself valid.
    """
    if isinstance(what, Study | Path | str):
        if target is not None:
            raise UsageError(f"target {target}: a study names its own; study.measure takes another")
        return _study(what if isinstance(what, Study) else open_study(what), **options)
    if target is None and isinstance(what, SweepSpec) and what.targets:
        target = what.targets[0]
    if target is None:
        raise UsageError("name the folder or device that is to be measured: run(sweep, target)")
    options["runs_dir"] = Path(options.get("runs_dir", "runs"))
    if isinstance(what, SweepSpec) and isinstance(target, Path | str):
        return run_sweep(what, Path(target), **options)
    specs = [what] if isinstance(what, SweepSpec) else what
    targets = [target] if isinstance(target, Path | str) else target
    return run_sweeps([TargetSweep(s, Path(t)) for t in targets for s in specs], **options)


def _study(study: Study, *, progress: Progress | None = None) -> list[Path]:
    if study.planned:
        return study.measure_sweeps(progress=progress)
    return [study.measure(progress=progress)]
