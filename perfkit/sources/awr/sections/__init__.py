"""The sections of a report: how each is recognised, and where its columns go.

One table for every form: HTML and text, single and RAC-global, AWR and Statspack. A section is
recognised by its heading, by the ``summary`` of its HTML table, or by the columns of its header;
a column by any of the names that releases gave it. Names are compared without white space, in
lower case, without a unit of time in brackets; that unit is what its cells are converted by.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.raw import RawTable, indices
from perfkit.sources.awr.sections import (
    activity,
    cluster,
    host,
    io,
    load,
    parameters,
    pools,
    recovery,
    report,
    segments,
    sql,
    waits,
)
from perfkit.sources.awr.sections.section import PDB, RAC, SINGLE, Section

__all__ = ["PDB", "RAC", "SECTIONS", "SINGLE", "Section", "fits", "named"]

SECTIONS: tuple[Section, ...] = (
    *report.SECTIONS,
    *load.SECTIONS,
    *io.SECTIONS,
    *waits.SECTIONS,
    *host.SECTIONS,
    *recovery.SECTIONS,
    *pools.SECTIONS,
    *segments.SECTIONS,
    *sql.SECTIONS,
    *parameters.SECTIONS,
    *activity.SECTIONS,
    *cluster.SECTIONS,
)
"""Every section, in the order in which a table is compared with them."""


def _flat(text: str) -> str:
    return "".join(text.lower().split())


_BY_SUMMARY = tuple(
    (_flat(summary), section)
    for section in SECTIONS
    for summary in (*section.summaries, *section.headings)
)
_BY_TITLE: dict[str, list[Section]] = {}
_BY_BEGIN: list[tuple[str, Section]] = []
for _section in SECTIONS:
    for _title in (*_section.titles, *_section.headings):
        if _title.endswith("*"):
            _BY_BEGIN.append((_flat(_title[:-1]), _section))
        else:
            _BY_TITLE.setdefault(_flat(_title), []).append(_section)


def named(table: RawTable) -> Section | None:
    """The section of a table, or None.

    Found by its summary (the longest that fits), else by its heading or the text just before it;
    in the head and the summary of a report, else by its columns and first rows. Of several
    sections of one name it is the first whose columns the table has, else the first.
    """
    candidates = _candidates(table)
    fitting = (section for section in candidates if fits(table, section))
    own = next(fitting, None)
    if own is None and candidates and candidates[0].kind not in _HEADS:
        return candidates[0]
    return own


def _candidates(table: RawTable) -> list[Section]:
    if table.summary:
        return _of_summary(table.summary)
    for text in (table.title, table.near()):
        flat = _flat(text)
        named = _BY_TITLE.get(flat) or [s for begin, s in _BY_BEGIN if flat.startswith(begin)]
        if named:
            return named
    if not table.columns:
        return []
    return _by_signature(table) or [section for section in SECTIONS if section.kind in _HEADS]


_UNNAMED = ("reportsummary", "workloadrepository")
"""Beginnings of headings that name no table: those of the report and of its summary."""

_FIRST = 6
"""First rows in which a signature is looked for."""


def _by_signature(table: RawTable) -> list[Section]:
    """The sections whose columns and first rows a table without a name of its own has."""
    title = _flat(table.title)
    if title and not title.startswith(_UNNAMED):
        return []
    names = {name for column in table.columns for name in column.keys}
    names |= {key(row[0]) for row in islice(table.rows, _FIRST) if row}
    return [
        section
        for section in SECTIONS
        if any(names.issuperset(wanted) for wanted in section.signatures)
    ]


@lru_cache(maxsize=1024)
def _of_summary(summary: str) -> list[Section]:
    # reports of one release have the same summaries: each is compared once
    flat = _flat(summary)
    found = [(len(begin), section) for begin, section in _BY_SUMMARY if flat.startswith(begin)]
    longest = max((size for size, _ in found), default=0)
    return [section for size, section in found if size == longest]


_HEADS = frozenset({"database", "snapshots", "summary", "instances"})
"""Kinds that are recognised by their columns alone."""


def fits(table: RawTable, section: Section) -> bool:
    """Whether the table has the columns that the section requires.

    A table without a header is recognised by its name alone: a section may be empty.
    """
    if not section.required or not table.columns:
        return section.kind not in _HEADS or bool(table.columns)
    return len(indices(table.columns, section.required)) == len(section.required)
