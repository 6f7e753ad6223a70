"""The study file: what a report is about, in YAML, typed and checked with path and line."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from perfkit import resources
from perfkit.analysis.criteria import Criterion
from perfkit.errors import StudyError, UsageError, did_you_mean
from perfkit.evidence import Evidence, Lineage, sha256_file
from perfkit.formats.yaml_file import line_of, load_model
from perfkit.report.front import Front, front_of
from perfkit.runners.spec import SweepSpec
from perfkit.runners.workloads import WORKLOADS, sweep_spec
from perfkit.values import Column, Table, check_id

if TYPE_CHECKING:
    from perfkit.lineage import Reading

STUDY_FILE = "study.yml"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Partner(_Part):
    """With whom the work was done."""

    name: str
    logo: Path | None = Field(None, description="picture (SVG or PNG) beside the study")


class Reference(_Part):
    """One entry of "Where to find additional information"."""

    title: str
    url: str | None = None


class Version(_Part):
    """One row of the version history."""

    version: str
    change: str
    date: str | None = Field(None, description="default: the report's date")


class FrontMatter(_Part):
    """The report's cover, colours and back matter."""

    title: str
    subtitle: str | None = None
    number: str | None = Field(None, description="the report's number, such as TR-0007")
    kind_of_report: str = "Technical Report"
    authors: list[str] = Field(default_factory=list)
    date: dt.date | None = Field(None, description="default: the day the report is made")
    partner: Partner | None = None
    logo: Path | None = Field(None, description="picture (SVG or PNG) beside the study")
    abstract: str | None = Field(None, description="Markdown; {{say ID}} places a statement")
    accent: str = Field("#0b5cad", description="the report's colour, #rrggbb")
    copyright: str | None = Field(None, description="who holds the copyright")
    paper: Literal["us-letter", "a4"] = "us-letter"
    language: str = "en"
    references: list[Reference] = Field(default_factory=list)
    acknowledgements: str | None = None
    version_history: list[Version] = Field(default_factory=list)
    legal: str | None = Field(None, description="Markdown of the legal page")

    @field_validator("accent")
    @classmethod
    def _colour(cls, value: str) -> str:
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", value):
            raise ValueError(f"{value!r} is not a colour such as #0b5cad")
        return value.lower()


class Hardware(_Part):
    """A table of a system's parts, as asserted by the authors (not measured)."""

    id: str
    caption: str
    rows: list[tuple[str, str]] = Field(description="component and what it is")


class LoadFrom(_Part):
    """Where a file's load point stands: in its name, by a pattern with one group."""

    kind: Literal["iodepth", "numjobs", "rate_iops", "threads"]
    name: str = Field(description="pattern over the file name, such as 'qd(\\d+)'")

    @field_validator("name")
    @classmethod
    def _pattern(cls, value: str) -> str:
        try:
            groups = re.compile(value).groups
        except re.error as problem:
            raise ValueError(f"not a regular expression: {problem}") from problem
        if groups != 1:
            raise ValueError(f"needs exactly one group in brackets, has {groups}")
        return value


class EvidenceFiles(_Part):
    """Files of one kind and what they stand for."""

    files: str = Field(description="glob below the study's folder, such as 'fio/*.json'")
    kind: str | None = Field(None, description="fio, perfkit-run, ...; default: told from content")
    labels: dict[Literal["system", "config", "workload", "host"], str] = Field(default_factory=dict)
    load: LoadFrom | None = None
    repeat: str | None = Field(None, description="pattern over the file name with one group")


class Sections(_Part):
    """Markdown files of prose, before and after what the notebook shows."""

    before: list[Path] = Field(default_factory=list)
    after: list[Path] = Field(default_factory=list)


class StudyModel(_Part):
    """A study file."""

    report: FrontMatter
    systems: list[Hardware] = Field(default_factory=list)
    run: dict[str, Any] | None = Field(None, description="target, workload, load and the rest")
    runs: Path = Field(Path("runs"), description="where run directories are kept")
    evidence: list[EvidenceFiles] = Field(default_factory=list)
    criteria: list[Criterion] = Field(default_factory=list)
    notebook: str = Field("sweep", description="a notebook of perfkit's by name, or a path")
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    sections: Sections = Field(default_factory=Sections)


@dataclass(frozen=True)
class Study:
    """A study file that was read, and where it lies."""

    path: Path
    model: StudyModel
    target: Path | None = None
    spec: SweepSpec | None = None

    @property
    def dir(self) -> Path:
        """The folder of the study file: every path in it is relative to this one."""
        return self.path.parent

    @property
    def runs(self) -> Path:
        """Where the study's run directories are kept."""
        return self.dir / self.model.runs

    @property
    def criteria(self) -> list[Criterion]:
        """The criteria to judge by; may be empty."""
        return list(self.model.criteria)

    def front(self) -> Front:
        """The front matter, for the notebook cell that makes the cover."""
        return front_of(self)

    def measure(
        self,
        run_id: str | None = None,
        *,
        target: str | Path | None = None,
        progress: Any = None,
        **overrides: Any,
    ) -> Path:
        """Measure what is missing of the study's sweep; returns the run directory.

        With ``run_id`` nothing is measured: that run, which must exist, is the answer.
        ``target`` and ``overrides`` (``workload``, ``load``, ``runtime``, ...; None: as in the
        study) replace what the study says.

        Raises StudyError when the study has no ``run``, and what ``run_sweep`` raises.
        """
        runs = self.runs
        if run_id is not None:
            if not (runs / run_id / "run.json").is_file():
                known = sorted(path.parent.name for path in runs.glob("*/run.json"))
                raise StudyError(runs, f"there is no run {run_id!r}; {did_you_mean(run_id, known)}")
            return runs / run_id
        folder, spec = self.sweep(target, **overrides)
        from perfkit.runners import progress as shown
        from perfkit.runners.sweep import run_sweep

        return run_sweep(spec, folder, runs_dir=runs, progress=progress or shown.choose())

    def sweep(self, target: str | Path | None = None, **overrides: Any) -> tuple[Path, SweepSpec]:
        """The folder to measure and the sweep, with what is given in place of the study's.

        Raises StudyError when neither says what or where, UsageError for what does not fit.
        """
        given = {name: value for name, value in overrides.items() if value is not None}
        base = {k: v for k, v in (self.model.run or {}).items() if k != "target"}
        if "workload" in given and given["workload"] != base.get("workload"):
            # another workload: its own defaults hold, not what was set for the study's
            base = {name: base[name] for name in KEPT_BETWEEN_WORKLOADS if name in base}
        folder = Path(target) if target is not None else self.target
        if folder is None or not {**base, **given}.get("workload"):
            raise StudyError(
                self.path, "has no 'run:' with workload and target: nothing to measure"
            )
        return self.dir / folder, sweep_spec({**base, **given})

    def read_run(self, run: Path) -> Reading:
        """The tables of a run, with paths in the record relative to the study."""
        from perfkit.parsers import read

        return read(run, kind="perfkit-run", root=self.dir)

    def read_evidence(self) -> Reading:
        """The tables of all files under ``evidence``, labelled and joined by table name.

        Raises StudyError where a glob matches nothing or a pattern does not match a file's name,
        and ParseError from the files.
        """
        from perfkit.report.labelled import read_labelled

        return read_labelled(self.path, self.model.evidence)

    def files(self, entry: EvidenceFiles) -> list[Path]:
        """The files of one entry of ``evidence``; StudyError when it matches none."""
        from perfkit.report.labelled import files_of

        return files_of(self.path, entry)

    def tables_systems(self) -> list[Table]:
        """The tables of the systems' parts: what the authors assert, not what was measured."""
        return [hardware_table(self, part) for part in self.model.systems]


KEPT_BETWEEN_WORKLOADS = (
    "file_size",
    "ramp",
    "ramp_s",
    "runtime",
    "runtime_s",
    "repeats",
    "direct",
)


def hardware_table(study: Study, part: Hardware) -> Table:
    """One table of a system's parts; its evidence is the study file."""
    evidence = Evidence("study", study.path.name, sha256_file(study.path))
    return Table(
        check_id(part.id),
        (Column("component", "Component"), Column("details", "Details")),
        tuple(part.rows),
        part.caption,
        lineage=Lineage((evidence,), (), traceable=True),
    )


def open_study(path: str | Path) -> Study:
    """Read a study file, or the ``study.yml`` of a folder.

    Raises StudyError naming file, line and path inside the file for the first mistake.
    """
    file = Path(path)
    if file.is_dir():
        file = file / STUDY_FILE
    model = load_model(file, StudyModel)
    if model.run is None:
        return Study(file, model)
    if not isinstance(model.run.get("target"), str):
        raise StudyError(
            file, "run.target: is missing: the folder to measure", line_of(file, ["run"])
        )
    try:
        spec = sweep_spec({name: value for name, value in model.run.items() if name != "target"})
    except UsageError as problem:
        place: list[Any] = ["run"]
        if isinstance(problem.__cause__, ValidationError):
            place += problem.__cause__.errors()[0]["loc"]
            place = [short_in(model.run, name) for name in place]
        raise StudyError(
            file, f"run: {problem}{_own(model.run)}", line_of(file, place)
        ) from problem
    return Study(file, model, Path(model.run["target"]), spec)


def short_in(run: dict[str, Any], name: str | int) -> str | int:
    """A field by the name it has in this file: ``runtime`` where ``runtime_s`` is not written."""
    short = SHORT_NAMES.get(str(name))
    return short if short in run and name not in run else name


def _own(run: dict[str, Any]) -> str:
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
    folder: Path = resources.find("notebooks")
    path = folder / f"{asked}.ipynb"
    if not path.is_file():
        known = sorted(item.stem for item in folder.glob("*.ipynb"))
        raise StudyError(study.path, f"notebook: {asked!r}; {did_you_mean(asked, known)}")
    return path


def json_schema() -> dict[str, Any]:
    """The JSON schema of study files, for editors; ``run`` shows the fields of a sweep."""
    schema = StudyModel.model_json_schema()
    sweep = SweepSpec.model_json_schema()
    schema["$defs"].update(sweep.pop("$defs", {}))
    fields = dict(sweep["properties"])
    for long, short in SHORT_NAMES.items():
        fields[short] = {"type": ["number", "string"], "description": f"short for {long}"}
    # sizes, times and loads are written for people ("8 KiB", "2s", {iodepth: [1, 2]})
    for name in ("block_size", "block_size_max", "file_size", "ramp_s", "runtime_s"):
        fields[name] = {"type": ["number", "string"]}
    fields["load"] = {"type": "object"}
    fields["drain"] = {"type": "object"}
    schema["properties"]["run"] = {
        "type": "object",
        "properties": {"target": {"type": "string"}, **fields},
        "required": ["workload", "target"],
        "additionalProperties": False,
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


SHORT_NAMES = {"ramp_s": "ramp", "runtime_s": "runtime"}
