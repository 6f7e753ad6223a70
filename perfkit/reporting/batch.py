"""Many reports, each of its own study, notebook or folder of evidence, on any executor."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from perfkit.core.errors import PerfkitError, UsageError
from perfkit.core.spread import spread
from perfkit.reporting.build import Report
from perfkit.reporting.report import REPORTS, report, system_names
from perfkit.study.opening import STUDY_FILE


@dataclass(frozen=True)
class Made:
    """What became of one report of a batch.

    Attributes:
        source: What it is of.
        folder: Where it is.
        report: Its files and its outcome; None where it failed.
        problem: Why it failed; None where it is made.
    """

    source: Path
    folder: Path
    report: Report | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Plan:
    """How each report of a batch is made: see ``report``.

    Attributes:
        parameters: Of the notebooks.
        date: The reports'.
        anonymise: Whether names are replaced.
        shared: A folder for what the pages have in common.
        cwd: Where paths begin.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    date: str | None = None
    anonymise: bool = False
    shared: Path | None = None
    cwd: Path = field(default_factory=Path.cwd)


def report_each(
    sources: Sequence[Path | str],
    *,
    out: Path | str | None = None,
    plan: Plan | None = None,
    executor: Executor | None = None,
    each: Callable[[Made], object] = lambda _: None,
) -> list[Made]:
    """Make a report of each source, in a folder of its name; one that fails stops no other.

    Args:
        sources: Studies, notebooks, and folders, files or archives of evidence.
        out: The folder of the folders; default: ``reports``.
        plan: How they are made.
        executor: Any of ``concurrent.futures``, whose workers see the same paths; None: a process
            for each core.
        each: Called with what became of each report, when it is known.

    Returns what became of each, in the order in which they were done.

    Raises UsageError for sources that would share a folder.
    """
    plan = plan or Plan()
    places = [Path(source).absolute() for source in sources]
    folders = _folders(places, REPORTS if out is None else Path(out))
    found = []
    work = partial(_make, plan)
    batches = [[item] for item in zip(places, folders, strict=True)]
    for done in spread(batches, work, executor, _died):
        for made in done:
            each(made)
        found += done
    return found


def _folders(places: Sequence[Path], out: Path) -> list[Path]:
    named = [place.parent if place.name == STUDY_FILE else place for place in places]
    names = [name.replace("/", "-") for name in system_names(named)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two reports would be in {out / twice}: make them one by one")
    return [(out / name).absolute() for name in names]


def _make(plan: Plan, batch: Sequence[tuple[Path, Path]]) -> list[Made]:
    """Make some of the reports; runs in a worker."""
    return [_one(plan, *item) for item in batch]


def _one(plan: Plan, source: Path, folder: Path) -> Made:
    moved = contextlib.chdir(plan.cwd) if Path.cwd() != plan.cwd else contextlib.nullcontext()
    try:
        with moved:
            made = report(
                source,
                parameters=plan.parameters,
                out=folder,
                date=plan.date,
                anonymise=plan.anonymise,
                shared=plan.shared,
            )
    except (PerfkitError, OSError) as problem:
        return Made(source, folder, problem=" ".join(str(problem).split()))
    except Exception as problem:
        logging.getLogger("perfkit").exception("%s", source)
        return Made(source, folder, problem=f"by a fault of perfkit: {problem!r}")
    return Made(source, folder, made)


def _died(item: tuple[Path, Path]) -> Made:
    return Made(*item, problem="the process that made it ended")
