"""The forge: a content in, a report in one dialect out, with the ledger of what it says."""

from __future__ import annotations

from . import html, single
from .content import Content
from .sheet import Forged, Sheet, ledger_of

SINGLE = {d.name: d for d in (single.HTML_11, single.HTML_12, single.HTML_19, single.HTML_PDB)}


def forge_html(content: Content, dialect: str = "html-19c") -> Forged:
    """A report of the first instance, in HTML."""
    known = SINGLE[dialect]
    sheets = single.sheets(content, known)
    heading = "WORKLOAD REPOSITORY PDB report (root snapshots)" if known.pdb else ONE
    title = "AWR Report for DB: {}, Inst: {}, Snaps: {}-{}".format(
        content.database.name, content.instances[0].name, content.snapshots.begin_id,
        content.snapshots.end_id,
    )  # fmt: skip
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
