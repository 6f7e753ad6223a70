"""The typed relation of a study's audit: which printed numbers must agree, and how."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator, model_validator

Reference = Annotated[str, Field(min_length=1)]
"""A printed cell: "table | row | column"; "table | row" where one column holds the numbers; or,
under ``rows``, the column alone. A row is named by its first cell, or by its number as "#2"."""

Kind = Literal[
    "sum",
    "difference",
    "product",
    "ratio",
    "mean",
    "percent_change",
    "count",
    "limit",
    "stated_twice",
    "remark",
]
ARITHMETIC: tuple[Kind, ...] = ("sum", "difference", "product", "ratio", "mean", "percent_change")
KINDS: tuple[Kind, ...] = (*ARITHMETIC, "count", "limit", "stated_twice", "remark")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Change(_Part):
    """From what to what: the change in percent of the first."""

    before: Operand
    after: Operand


class Arithmetic(_Part):
    """One operation over printed numbers."""

    sum: list[Operand] | None = Field(None, min_length=1)
    difference: list[Operand] | None = Field(None, min_length=2, max_length=2)
    product: list[Operand] | None = Field(None, min_length=2)
    ratio: list[Operand] | None = Field(None, min_length=2, max_length=2)
    mean: list[Operand] | None = Field(None, min_length=1)
    percent_change: Change | None = None

    @property
    def operation(self) -> tuple[Kind, Any]:
        """The kind and its operands."""
        return next((kind, getattr(self, kind)) for kind in ARITHMETIC if getattr(self, kind))


class Nested(Arithmetic):
    """An operation as an operand of another."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        _exactly_one(self, ARITHMETIC)
        return self


Operand = Annotated[int | float | Reference | Nested, Field(union_mode="left_to_right")]
"""A printed cell, an exact number, or an operation over such."""


class Limit(_Part):
    """A value and what it must not pass."""

    value: Operand
    at_most: Operand | None = None
    below: Operand | None = None
    at_least: Operand | None = None
    above: Operand | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        _exactly_one(self, ("at_most", "below", "at_least", "above"))
        return self


class Count(_Part):
    """The rows of a table, or those in which a column has this text."""

    table: str
    column: str | None = None
    is_text: str | None = Field(None, alias="is")


class Relation(Arithmetic):
    """One relation between printed numbers.

    In YAML::

        - name: Difference of elapsed real time
          printed: table-2 | Aggregate DELTA | real
          difference: [table-2 | NetApp | real, table-2 | Spinning | real]

        - name: Reads and writes add up
          rows: [table-7, table-8]
          printed: Total IOPS
          sum: [Read IOPS, Write IOPS]
    """

    name: str = Field(min_length=1, description="what is checked, for the table of findings")
    printed: Reference | None = Field(None, description="the printed cell that must agree")
    rows: list[str] = Field(
        default_factory=list,
        description="tables in each of whose rows it must hold; references are then columns",
    )
    count: Count | None = Field(None, description="how many rows: {table: ..., column:, is:}")
    limit: Limit | None = Field(
        None, description="{value: ..., at_most | below | at_least | above: ...}"
    )
    stated_twice: list[Reference] | None = Field(
        None, min_length=2, description="cells that must state the same"
    )
    remark: str | None = Field(
        None, min_length=1, description="found by reading, where no arithmetic can find it"
    )
    note: str | None = Field(None, description="what a finding means, for the table of findings")
    _where: str | None = PrivateAttr(None)

    @field_validator("rows", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _fits(self) -> Self:
        kind = _exactly_one(self, KINDS)
        if kind in (*ARITHMETIC, "count") and self.printed is None:
            raise ValueError(f"a {kind} needs 'printed': the cell that must agree with it")
        if kind in {"limit", "stated_twice"} and self.printed is not None:
            raise ValueError(f"a relation of kind {kind} has its cells inside, not under 'printed'")
        if self.rows and kind in {"count", "remark"}:
            raise ValueError(f"'rows' does not go with {kind}")
        return self

    @property
    def kind(self) -> Kind:
        """Which kind it is."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def where(self) -> str | None:
        """File and line that declare it; None for one that was made in code."""
        return self._where

    def tables(self) -> list[str]:
        """The ids of all tables that it names, each once."""
        found = [*self.rows, *(self.count.table for _ in [self.count] if self.count)]
        named = [parts_of(text) for text in _references(self)]
        return list(dict.fromkeys([*found, *(parts[0] for parts in named if len(parts) > 1)]))

    def at(self, where: str) -> Relation:
        """The same relation as declared at a file and line."""
        copy = self.model_copy()
        copy._where = where
        return copy


def parts_of(reference: str) -> list[str]:
    """The parts of a reference: "table-2 | NetApp | real" are three."""
    return [part.strip() for part in re.split(r"\s*\|\s*", reference.strip())]


def _references(value: Any) -> list[str]:
    """Every reference to a cell in a relation or a part of it."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _references(item)]
    if not isinstance(value, BaseModel):
        return []
    names = [name for name in type(value).model_fields if name not in _WORDS]
    return [text for name in names for text in _references(getattr(value, name))]


_WORDS = {"name", "rows", "note", "remark", "table", "column", "is_text", "count"}


def _exactly_one(part: BaseModel, names: tuple[str, ...]) -> str:
    given = [name for name in names if getattr(part, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) if given else "none"
        raise ValueError(f"needs exactly one of {', '.join(names)}; found {found}")
    return given[0]


for model in (Change, Arithmetic, Nested, Limit, Relation):
    model.model_rebuild()
