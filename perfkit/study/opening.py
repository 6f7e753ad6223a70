"""A study file is found, read and checked; and what it names: its folder, its notebook."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from perfkit.core.errors import StudyError, UsageError, did_you_mean
from perfkit.core.files import own_folder
from perfkit.formats.yaml_file import line_of, load_model
from perfkit.measure.workloads import WORKLOADS, sweep_spec
from perfkit.study.file import SHORT_NAMES, StudyModel
from perfkit.study.migrations import FORMAT
from perfkit.study.study import Study, criteria_of
from perfkit.study.sweeps import placed, specs

STUDY_FILE = "study.yml"


def _check_sets(path: Path, model: StudyModel, place: tuple[str | int, ...] = ()) -> None:
    """StudyError with the study's own line for a set that is not there."""
    for number, part in enumerate(model.criteria):
        try:
            criteria_of(path, part)
        except StudyError as problem:
            told = f"criteria[{number}].set: {problem}"
            line = line_of(path, (*place, "criteria", number, "set"))
            raise StudyError(path, told, line) from problem


def open_study(path: str | Path) -> Study:
    """Read a study file, or the ``study.yml`` of a folder; ``study.yml/awr`` is its part awr.

    Raises StudyError naming file, line and path inside the file for the first mistake.
    """
    file = Path(path)
    if file.is_dir():
        file = file / STUDY_FILE
    file = _shipped(file)
    asked = file.name if file.parent.is_file() else None
    file = file.parent if asked else file
    model = load_model(file, StudyModel, FORMAT)
    for number, part in enumerate(model.parts):
        _check_sets(file, model.part(part.name), ("parts", number))
    model = model if asked is None else _part(file, model, asked)
    _check_sets(file, model)
    run = model.run
    if run is None:
        return Study(file, model)
    if "job_file" in run:
        run = {**run, "job_file": str(file.parent / str(run["job_file"]))}
    each_has_a_target = bool(model.sweeps) and all(sweep.target for sweep in model.sweeps)
    target = _target(file, run, needed=not each_has_a_target)
    run = placed(file.parent, run)
    model = model.model_copy(update={"run": run})
    try:
        spec = sweep_spec({name: value for name, value in run.items() if name != "target"})
    except UsageError as problem:
        place: list[Any] = ["run"]
        if isinstance(problem.__cause__, ValidationError):
            place += problem.__cause__.errors()[0]["loc"]
            place = [_short_in(run, name) for name in place]
        raise StudyError(file, f"run: {problem}{_own(run)}", line_of(file, place)) from problem
    specs(file, model)
    return Study(file, model, None if target is None else Path(target), spec)


def _target(file: Path, run: Mapping[str, Any], *, needed: bool) -> str | None:
    """What is measured, the first of several; StudyError where it is missing, or said twice."""
    several, target = run.get("targets"), run.get("target")
    if several and target is not None:
        raise StudyError(file, "run.targets: leave out run.target", line_of(file, ["run"]))
    if isinstance(several, list) and several:
        return str(several[0])
    if not isinstance(target, str) and (target is not None or needed):
        raise StudyError(
            file, "run.target: is missing: the folder to measure", line_of(file, ["run"])
        )
    return target


def _shipped(file: Path) -> Path:
    """The file, or that of perfkit's own: its notebooks name it from their folder."""
    if file.exists() or file.parent.is_file() or file.parts[:3] != ("..", "data", "studies"):
        return file
    return own_folder("notebooks") / file


def _part(path: Path, model: StudyModel, name: str) -> StudyModel:
    known = [part.name for part in model.parts]
    if name not in known:
        raise StudyError(path, f"no part {name!r}; {did_you_mean(name, known)}")
    return model.part(name)


def evidence_folder(place: Path) -> Path:
    """Where the evidence of the study in a folder lies: that folder, unless ``folder:`` says other.

    Raises what ``open_study`` raises.
    """
    return open_study(place).folder if (place / STUDY_FILE).is_file() else place


def _short_in(run: Mapping[str, Any], name: str | int) -> str | int:
    """A field by the name it has in this file: ``runtime`` where ``runtime_s`` is not written."""
    short = SHORT_NAMES.get(str(name), name)
    return short if short in run and name not in run else name


def _own(run: Mapping[str, Any]) -> str:
    """The remark that a workload is not a named one, which may be why fields are missing."""
    name = str(run.get("workload"))
    if name in WORKLOADS:
        return ""
    return f" (workload {name!r} is not a named one; {did_you_mean(name, list(WORKLOADS))})"


def notebook_of(study: Study) -> Path:
    """The study's notebook: one of perfkit's by name, or a path relative to the study.

    Raises StudyError when there is none.
    """
    asked = study.model.notebook
    if asked.endswith(".ipynb"):
        path = study.dir / asked
        if not path.is_file():
            raise StudyError(study.path, f"notebook: {asked}: there is no such file")
        return path
    folder: Path = own_folder("notebooks")
    path = folder / f"{asked}.ipynb"
    if not path.is_file():
        known = sorted(item.stem for item in folder.glob("*.ipynb"))
        raise StudyError(study.path, f"notebook: {asked!r}; {did_you_mean(asked, known)}")
    return path
