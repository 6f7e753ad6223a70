"""The forge: a content in, a report in one dialect out, with the ledger of what it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from forges.awr import html, pages, rac, rac_text, single, statspack, text
from forges.awr.rac.dialect import RAC_11, RAC_19, RacDialect
from forges.awr.sheet import Forged, Sheet, ledger_of
from forges.awr.single.dialect import (
    HTML_11,
    HTML_12,
    HTML_19,
    HTML_21,
    HTML_23,
    HTML_PDB,
)
from forges.awr.text.dialect import TEXT_12, TEXT_19

if TYPE_CHECKING:
    from forges.awr.content import Content

SINGLE = {
    d.name: d
    for d in (
        HTML_11, HTML_12, HTML_19, HTML_21, HTML_23,
        HTML_PDB,
    )
}  # fmt: skip


def forge_html(content: Content, dialect: str = "html-19c") -> Forged:
    """A report of the first instance, in HTML."""
    known = SINGLE[dialect]
    sheets = single.sheets(content, known)
    heading = "WORKLOAD REPOSITORY PDB report (root snapshots)" if known.pdb else ONE
    snaps = f"Snaps: {content.snapshots.begin_id}-{content.snapshots.end_id}"
    title = (
        f"AWR Report for DB: {content.database.name}, Inst: {content.instances[0].name}, {snaps}"
    )
    data = html.page(title, heading, _single_body(sheets), newline=known.newline)
    return Forged(dialect, data, ledger_of(sheets), tuple(sheets))


ONE = "WORKLOAD REPOSITORY report for"


def _single_body(sheets: list[Sheet]) -> str:
    body = []
    for before, sheet in zip([None, *sheets], sheets, strict=False):
        if sheet.style != "top" and (before is None or before.style == "top"):
            body.append('<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>\n')
        if sheet.style == "section" and before is not None and before.style != "section":
            body.append('<a class="awr" name="top"></a>\n<h2 class="awr">Main Report</h2>\n')
        body.append(html.section(sheet))
    return "".join(body)


RAC = {d.name: d for d in (RAC_19, RAC_11)}


def forge_rac(
    content: Content, dialect: str = "rac-19c", headings: frozenset[str] | None = None
) -> Forged:
    """A RAC-global report of all instances, in HTML; ``headings``: of these sections alone."""
    known = RAC[dialect]
    sheets = [
        sheet for sheet in rac.sheets(content, known) if not headings or sheet.heading in headings
    ]
    return rac_page(content.database.name, content.snapshots.begin_id, content.snapshots.end_id,
                    sheets, known)  # fmt: skip


def rac_page(
    name: str, begin: int, end: int, sheets: list[Sheet], dialect: RacDialect = RAC_19
) -> Forged:
    """A RAC-global page of these sections."""
    body = []
    for number, sheet in enumerate(sheets):
        if sheet.style == "section" and (number == 0 or sheets[number - 1].style != "section"):
            body.append('<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>\n')
            body.append('<a class="awr" name="top"></a>\n<h2 class="awr">Main Report</h2>\n')
        body.append(html.section(sheet))
    title = f"AWR RAC Report for DB: {name}, Snaps: {begin}-{end}"
    data = html.page(
        title, "WORKLOAD REPOSITORY REPORT (RAC)", "".join(body), newline=dialect.newline
    )
    return Forged(dialect.name, data, ledger_of(sheets), tuple(sheets))


TEXT = {d.name: d for d in (TEXT_12, TEXT_19)}


def forge_text(content: Content, dialect: str = "text-12.1", *, spooled: bool = False) -> Forged:
    """A report of the first instance, as text; ``spooled``: through SQL*Plus with its pagesize."""
    blocks = text.blocks(content, TEXT[dialect])
    written = pages.render(content, ONE, blocks)
    if spooled:
        written = _spooled(written)
    return Forged(dialect, written.encode("ascii"), ledger_of(blocks), tuple(blocks))


def _spooled(written: str) -> str:
    """SQL*Plus' default page of 14 lines: an empty line and OUTPUT between any two of them."""
    lines = written.split("\n")
    pages = [lines[place : place + 14] for place in range(0, len(lines), 14)]
    return "\n\nOUTPUT\n".join("\n".join(page) for page in pages)


def forge_statspack(content: Content) -> Forged:
    """A Statspack report of the first instance."""
    blocks = statspack.blocks(content)
    data = statspack.render(content, blocks).encode("ascii")
    return Forged("statspack", data, ledger_of(blocks), tuple(blocks))


def forge_rac_text(content: Content) -> Forged:
    """A RAC-global report as text: of the dialect, only a fragment is known."""
    blocks = rac_text.blocks(content)
    data = rac_text.render(blocks).encode("ascii")
    return Forged("rac-text", data, ledger_of(blocks), tuple(blocks))


FORGES: dict[str, Callable[[Content], Forged]] = {
    **{name: partial(forge_html, dialect=name) for name in SINGLE},
    **{name: partial(forge_rac, dialect=name) for name in RAC},
    **{name: partial(forge_text, dialect=name) for name in TEXT},
    "statspack": forge_statspack,
    "rac-text": forge_rac_text,
}
DIALECTS = tuple(FORGES)
"""Every dialect, by name."""
MANY = ("rac-19c", "rac-11.2", "rac-text")
"""Dialects of many instances."""
NARROW = ("text-12.1", "text-19c", "statspack", "rac-text")
"""Dialects of fixed columns, which large numbers do not fit."""


def forge(content: Content, dialect: str, headings: frozenset[str] | None = None) -> Forged:
    """A report of this content in this dialect; ``headings``: sections of a RAC-global page."""
    if headings and dialect in RAC:
        return forge_rac(content, dialect, headings)
    return FORGES[dialect](content)
