"""What a study file may say: the typed form of its YAML, and the JSON schema for editors."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from perfkit.analysis.sas.jobs import JobTable
from perfkit.analysis.verdicts.criteria import MeantToFail
from perfkit.analysis.verdicts.criteria_sets import Demand
from perfkit.auditing.relations import Relation
from perfkit.measure.spec import SweepSpec
from perfkit.study.test_bed import TestBed

ACCENT = "#0b5cad"
"""The colour of a report, where nothing else is said: its band, headings and links."""


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
    subject: str | None = Field(
        None, description="what the report is about, for the file's data; default: the subtitle"
    )
    keywords: list[str] = Field(default_factory=list, description="for the file's data")
    what_to_do: str | None = Field(
        None, description="Markdown below the findings: what the authors advise"
    )
    not_shown: str | None = Field(
        None, description="Markdown below the findings: what the report does not show"
    )
    accent: str = Field(ACCENT, description="the report's colour, #rrggbb")
    copyright: str | None = Field(None, description="who holds it; default: the authors")
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
    columns: list[str] = Field(["Component", "Details"], min_length=2)
    rows: list[list[str]] = Field(description="component and what it is, a cell a column")
    printed: str | None = Field(
        None, description="the document and place it was copied from, such as 'TR-4784, Table 1'"
    )

    @model_validator(mode="after")
    def _rectangular(self) -> Self:
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} has {len(row)} cells where there are {len(self.columns)} columns"
                )
        return self


def one_group(pattern: str) -> str:
    """The pattern itself; ValueError unless it is a regular expression with exactly one group."""
    try:
        groups = re.compile(pattern).groups
    except re.error as problem:
        raise ValueError(f"not a regular expression: {problem}") from problem
    if groups != 1:
        raise ValueError(f"needs exactly one group in brackets, has {groups}")
    return pattern


NamePattern = Annotated[str, AfterValidator(one_group)]
"""A pattern over a file's name, with one group."""


class LoadFrom(_Part):
    """Where a file's load point stands: in its name, or in a table of the study."""

    kind: Literal["iodepth", "numjobs", "rate_iops", "threads"]
    name: NamePattern | None = Field(
        None, description="pattern over the file name with one group, such as 'qd(\\d+)'"
    )
    table: dict[str, Annotated[float, Field(gt=0)]] | None = Field(
        None, description="file name: load, such as {awr_0412.html: 128}"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.name is None) == (self.table is None):
            raise ValueError("the load is given either in the file's name or in a table")
        return self


class EvidenceFiles(_Part):
    """Files of one kind and what they stand for."""

    files: str | list[str] = Field(
        description="glob, or several, below the study's folder, such as 'fio/*.json'; it may lead "
        "into an archive: 'awr.tar.xz/*.html'"
    )
    kind: str | None = Field(None, description="fio, perfkit-run, ...; default: told from content")
    labels: dict[Literal["system", "config", "workload", "host"], str] = Field(default_factory=dict)
    load: LoadFrom | None = None
    repeat: NamePattern | None = Field(
        None,
        description="pattern over the file name with one group; with a slash over folder and name: "
        "'run_(\\d+)/'",
    )
    options: dict[str, str | int | float | bool | list[str]] = Field(
        default_factory=dict,
        description="of the kind's reader, such as {prefix: '...'} of a SAS log",
    )
    printed: str | None = Field(
        None,
        description="the document and place these figures were copied from, such as "
        "'TR-4784, Table 4': captions and cover say so",
    )
    generated: str | None = Field(
        None, description="the generator that wrote these files: captions and cover say so"
    )

    @property
    def globs(self) -> list[str]:
        """What ``files`` says, as a list."""
        return [self.files] if isinstance(self.files, str) else self.files

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if self.printed and self.generated:
            raise ValueError("evidence is either printed in a document or generated, not both")
        return self


class Verbatim(_Part):
    """A file that is printed as it is, such as a configuration or the commands of a test."""

    file: Path = Field(description="beside the study")
    title: str
    language: str | None = Field(None, description="for its colours, such as bash, yaml or json")


class Sections(_Part):
    """Markdown files of prose, before and after what the notebook shows."""

    before: list[Path] = Field(default_factory=list)
    after: list[Path] = Field(default_factory=list)


class Sweep(_Part):
    """One of several sweeps of a study: what it stands for, and what differs from ``run``."""

    labels: dict[Literal["system", "config"], str] = Field(
        min_length=1, description="what the sweep stands for in the comparison"
    )
    target: Path | None = Field(
        None, description="the folder or device it measures; default: that of run"
    )
    set: dict[str, Any] = Field(
        default_factory=dict, description="fields in place of those of run, such as ioengine"
    )
    otherwise: Sweep | None = Field(
        None, description="measured in its place where this host does not permit its ioengine"
    )

    @model_validator(mode="after")
    def _one_deep(self) -> Self:
        if self.otherwise is not None and self.otherwise.otherwise is not None:
            raise ValueError("otherwise: a sweep has one other in its place, not a chain of them")
        return self


class StudyPart(_Part):
    """A part of a report: evidence that has a notebook of its own."""

    name: str = Field(
        pattern=r"[a-z][a-z0-9]*(-[a-z0-9]+)*",
        description="stands before the ids of its values: {{see NAME-ID}}; study.yml/NAME is it",
    )
    title: str
    evidence: list[EvidenceFiles] = Field(min_length=1)
    criteria: list[Demand] = Field(default_factory=list)
    meant_to_fail: list[MeantToFail] = Field(default_factory=list)
    audit: list[Relation] = Field(default_factory=list)
    jobs: JobTable | None = None
    notebook: str
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)


OF_PARTS = tuple(name for name in StudyPart.model_fields if name not in {"name", "title"})
"""What a study with parts says in each of them, and not beside them."""


class StudyModel(_Part):
    """A study file."""

    format: Literal[1] = Field(1, description="the form of this file; without it: perfkit 0.1's")
    report: FrontMatter
    test_bed: TestBed | None = Field(
        None, description="the parts of the test bed and their links, to be drawn"
    )
    systems: list[Hardware] = Field(default_factory=list)
    run: dict[str, Any] | None = Field(None, description="target, workload, load and the rest")
    sweeps: list[Sweep] = Field(
        default_factory=list,
        description="several sweeps that are compared, each a run with its labels",
    )
    sweep_order: Literal["interleaved", "sequential"] = Field(
        "interleaved",
        description="whether the sweeps take turns, a repeat of each at a time, so that a drift of "
        "the host is in all of them, or are measured one after the other",
    )
    runs: Path = Field(Path("runs"), description="where run directories are kept")
    folder: Path = Field(
        Path(), description="where the evidence lies, from the study's folder; default: there"
    )
    evidence: list[EvidenceFiles] = Field(default_factory=list)
    criteria: list[Demand] = Field(
        default_factory=list, description="criteria, and sets of them such as {set: epic-genio}"
    )
    meant_to_fail: list[MeantToFail] = Field(
        default_factory=list,
        description="subjects that are meant to fail, such as a bully or a control: judged and "
        "shown, and not counted in the verdict",
    )
    audit: list[Relation] = Field(
        default_factory=list, description="relations between the numbers of printed tables"
    )
    jobs: JobTable | None = Field(
        None, description="which SAS log is a job of which test, run and system"
    )
    notebook: str = Field("sweep", description="a notebook of perfkit's by name, or a path")
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    parts: list[StudyPart] = Field(
        default_factory=list, description="parts of one report, each with a notebook of its own"
    )
    sections: Sections = Field(default_factory=Sections)
    appendix: list[Verbatim] = Field(
        default_factory=list, description="files that are printed whole, at the end"
    )

    @model_validator(mode="after")
    def _in_parts(self) -> Self:
        own = [name for name in (*OF_PARTS, "run", "sweeps") if name in self.model_fields_set]
        if self.parts and own:
            raise ValueError(f"{own[0]}: belongs in the parts of a study that has parts")
        names = [part.name for part in self.parts]
        if len(set(names)) < len(names):
            raise ValueError("parts: two have the same name")
        return self

    def part(self, name: str) -> StudyModel:
        """The study as if that part were all of it; KeyError where there is none of the name."""
        own = {part.name: part for part in self.parts}[name]
        given = {field: getattr(own, field) for field in OF_PARTS}
        return self.model_copy(update={"parts": [], **given})

    @model_validator(mode="after")
    def _sweeps_of_a_run(self) -> Self:
        if self.sweeps and self.run is None:
            raise ValueError("sweeps: they need a 'run:' with what they have in common")
        if self.sweeps and self.folder != Path():
            raise ValueError("folder: a study with sweeps has its evidence in its own folder")
        return self


def json_schema() -> dict[str, object]:
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
    fields["drain"] = fields["background"] = {"type": "object"}
    fields["events"] = {"type": "array", "items": {"type": "object"}}
    schema["properties"]["run"] = {
        "type": "object",
        "properties": {"target": {"type": "string"}, **fields},
        "anyOf": [{"required": ["workload"]}, {"required": ["job_file"]}],
        "additionalProperties": False,
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


SHORT_NAMES = {"ramp_s": "ramp", "runtime_s": "runtime"}
