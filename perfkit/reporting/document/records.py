"""The values of an executed notebook as a report works with them: read once, then typed.

A value travels in the notebook as JSON (``core.values``). Records of earlier releases lack some
keys: what they do not say has the default here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from perfkit.core.cautions import Caution, from_record
from perfkit.core.errors import ReportError
from perfkit.core.evidence import Lineage
from perfkit.core.units import Printed
from perfkit.study.file import ACCENT

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from perfkit.core.verdict import JudgementRecord, Outcome

Align = Literal["left", "center", "right"]


@dataclass(frozen=True, kw_only=True)
class Record:
    """What all values have: an id, what is behind them, what must be known to read them."""

    id: str
    lineage: Lineage = field(default_factory=Lineage)
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FigureRecord(Record):
    """A chart's caption, alt text and size on paper."""

    caption: str
    alt: str
    height_mm: float = 88.0
    wide: bool = False


@dataclass(frozen=True, kw_only=True)
class ColumnRecord:
    """A column of a table; one of text has neither unit nor rounding."""

    label: str
    align: Align = "left"
    key: str = ""
    unit: str | None = None
    rounding: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableRecord(Record):
    """A table: see ``core.values.Table``.

    Attributes:
        columns: In order.
        rows: The cells as printed.
        values: The numbers behind the cells, where they are known.
        outcomes: Of each row what was judged, in the table of a verdict.
    """

    columns: Sequence[ColumnRecord]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    note: str | None = None
    footer_rows: int = 0
    wide: bool = False
    grouped: int = 0
    detail: bool = False
    values: Sequence[Sequence[Any]] = ()
    places: Sequence[Sequence[str]] = ()
    outcomes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class StatementRecord(Record):
    """A computed sentence and the numbers in it."""

    text: str
    printed: Sequence[Printed] = ()


@dataclass(frozen=True, kw_only=True)
class VerdictRecord(Record):
    """The outcome over all criteria, and each judgement."""

    headline: str
    outcome: Outcome
    judgements: Sequence[JudgementRecord]


@dataclass(frozen=True, kw_only=True)
class VerbatimText:
    """A text for the appendix, printed as it is: its title, its path, what is to be said of it."""

    title: str
    place: str
    text: str
    note: str | None = None
    language: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListingRecord(Record, VerbatimText):
    """A text of the evidence."""


@dataclass(frozen=True, kw_only=True)
class FindingRecord:
    """One of the findings: see ``core.findings.Finding``."""

    headline: str
    text: str
    see: str | None = None
    printed: Sequence[Printed] = ()
    panel: str | None = None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FindingsRecord(Record):
    """The findings: see ``core.findings.Findings``.

    Attributes:
        items: What was found.
        unanswered: Why other answers are missing.
        hero: The ids of figures to stand with them; an earlier release wrote one id.
        table: The id of a table, likewise.
        behind: Of each item, which evidence and which steps of the lineage it rests on.
        histories: Of each item, the one that it is of; empty of an earlier release.
    """

    items: Sequence[FindingRecord]
    unanswered: Sequence[str] = ()
    hero: Sequence[str] | str | None = ()
    table: str | None = None
    behind: Sequence[Mapping[str, Sequence[int]]] = ()
    histories: Sequence[str | None] = ()


@dataclass(frozen=True, kw_only=True)
class Logo:
    """A picture of the cover."""

    mime: str
    base64: str


@dataclass(frozen=True, kw_only=True)
class Partner:
    """With whom the report was made."""

    name: str
    logo: Logo | None = None


@dataclass(frozen=True, kw_only=True)
class Reference:
    """Where to find more."""

    title: str
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Version:
    """A line of the version history."""

    version: str
    date: str
    change: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """A file of Markdown that a study adds to its report."""

    path: str
    markdown: str


NO_DATE = "2026-01-01"
"""The date inside the files of a report whose front matter names none: a fixed one."""


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """Everything of a report that is not a result; the defaults are those of a report without it.

    Attributes:
        before: Sections of the study that stand before the notebook's own.
        after: Those that stand after them.
        appendix: Files to be printed as they are.
    """

    title: str
    subtitle: str | None = None
    number: str | None = None
    kind_of_report: str = "Technical Report"
    authors: Sequence[str] = ()
    date: str = NO_DATE
    date_text: str = ""
    partner: Partner | None = None
    logo: Logo | None = None
    abstract: str | None = None
    subject: str | None = None
    keywords: Sequence[str] = ()
    what_to_do: str | None = None
    not_shown: str | None = None
    accent: str = ACCENT
    copyright: str | None = None
    paper: str = "us-letter"
    language: str = "en"
    references: Sequence[Reference] = ()
    acknowledgements: str | None = None
    version_history: Sequence[Version] = ()
    legal: str | None = None
    before: Sequence[Section] = ()
    after: Sequence[Section] = ()
    appendix: Sequence[VerbatimText] = ()
    generated_note: str | None = None


_R = TypeVar("_R", bound="DataclassInstance")


def read_record(kind: type[_R], record: Mapping[str, Any], lineage: Lineage | None = None) -> _R:
    """The value of a record; keys that this release does not know are passed over.

    Raises ReportError for a record that lacks a key.
    """
    known = [item for item in fields(kind) if item.name in record]
    given = {item.name: record[item.name] for item in known}
    given |= {name: _INNER[name](given[name]) for name in _INNER.keys() & given.keys()}
    if lineage is not None:
        given["lineage"] = lineage
    try:
        return kind(**given)
    except TypeError as problem:
        raise ReportError(f"{record.get('kind')} {record.get('id')!r}: {problem}") from problem


def read_cautions(found: Iterable[Mapping[str, str]] | None) -> tuple[Caution, ...]:
    """The cautions of a record."""
    return tuple(map(from_record, found or ()))


def _each(
    kind: type[DataclassInstance],
) -> Callable[[Sequence[Mapping[str, Any]]], tuple[Any, ...]]:
    return lambda found: tuple(read_record(kind, item) for item in found)


_INNER: dict[str, Callable[[Any], Any]] = {
    "columns": _each(ColumnRecord),
    "printed": _each(Printed),
    "items": _each(FindingRecord),
    "cautions": read_cautions,
    "partner": lambda found: read_record(Partner, found),
    "logo": lambda found: found and read_record(Logo, found),
    "references": _each(Reference),
    "version_history": _each(Version),
    "before": _each(Section),
    "after": _each(Section),
    "appendix": _each(VerbatimText),
}
"""How the fields are read that are not what JSON holds."""
