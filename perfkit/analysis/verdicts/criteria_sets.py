"""Sets of criteria as data: shipped ones by name, a study's own by path, each with its source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator

from perfkit.analysis.verdicts.criteria import Criterion, Label
from perfkit.core.errors import StudyError, did_you_mean
from perfkit.core.files import own_folder
from perfkit.formats.yaml_file import load_model

FOLDER = "criteria"
"""Folder of the shipped sets below ``templates``; a set's file has its name."""


class CriteriaSet(BaseModel):
    """Criteria that belong together: who demands them, in which version, and what they leave open.

    In YAML::

        name: our-database
        title: What our database asks of its storage
        version: "3"
        source: Operations handbook, section 7
        criteria:
          - {name: Mean read, metric: lat_mean_s, direction: read, comparison: "<", limit: 1 ms}
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str = Field(min_length=1)
    version: str = Field(min_length=1, description="edition of the rules, such as a year")
    source: str = Field(min_length=1, description="document and section that demand them")
    note: str | None = Field(None, description="what holds for the whole set")
    criteria: list[Criterion] = Field(min_length=1)

    @field_validator("criteria")
    @classmethod
    def _names_once(cls, value: list[Criterion]) -> list[Criterion]:
        names = [item.name for item in value]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"two criteria have the name {twice!r}")
        return value

    def sourced(self) -> list[Criterion]:
        """The criteria, each with its source (its own, else the set's) and the set's version."""
        return [
            item.model_copy(
                update={"source": f"{item.source or self.source} (set {self.name}, {self.version})"}
            )
            for item in self.criteria
        ]


class UseOfSet(BaseModel):
    """A set of criteria where a criterion may stand: ``{set: epic-genio}``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    set: str = Field(description="a shipped set by name, or a YAML file beside the study")
    where: dict[Label, str] = Field(
        default_factory=dict, description="only the curves or servers with these labels"
    )

    def criteria(self, folder: Path) -> list[Criterion]:
        """The criteria of the set, with ``where`` in each; StudyError for an unknown set."""
        own = self.set.endswith((".yml", ".yaml"))
        found = read_criteria_set(folder / self.set) if own else criteria_set(self.set)
        return [
            item.model_copy(update={"where": {**item.where, **self.where}})
            for item in found.sourced()
        ]


def _kind(value: Any) -> str:
    named = "set" in value if isinstance(value, dict) else isinstance(value, UseOfSet)
    return "set" if named else "criterion"


Demand = Annotated[
    Annotated[Criterion, Tag("criterion")] | Annotated[UseOfSet, Tag("set")], Discriminator(_kind)
]
"""What stands in a study's list of criteria: one criterion, or a set of them."""


def read_criteria_set(path: Path) -> CriteriaSet:
    """A set from its YAML file; StudyError naming file, line and place of the first mistake."""
    return load_model(path, CriteriaSet)


def criteria_set(name: str) -> CriteriaSet:
    """A shipped set by its name, such as "epic-genio".

    Raises StudyError with a suggestion for a name that is none.
    """
    path = _folder() / f"{name}.yml"
    known = criteria_set_names()
    if name not in known:
        raise StudyError(FOLDER, f"no set of criteria {name!r}; {did_you_mean(name, known)}")
    return read_criteria_set(path)


def criteria_set_names() -> list[str]:
    """The names of the shipped sets."""
    return sorted(path.stem for path in _folder().glob("*.yml"))


def _folder() -> Path:
    return own_folder("templates") / FOLDER
