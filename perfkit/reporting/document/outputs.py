"""What a code cell shows, as blocks: perfkit's own values first, then pictures and Markdown.

Nothing that looks like a result is dropped in silence: a bare chart or table is refused with the
cell named and the cure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ReportError
from perfkit.core.evidence import Lineage, sha256_bytes
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.values import MIME, PLOTLY_MIME, WORDS_MIME, check_id
from perfkit.reporting.document.blocks import (
    Block,
    ChartBlock,
    ListingBlock,
    Picture,
    StatementBlock,
    TableBlock,
    UnansweredBlock,
    VerdictBlock,
)
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.document.pictures import decode

if TYPE_CHECKING:
    from perfkit.reporting.document.lineages import Lineages

HIDDEN = frozenset({"remove-output", "remove_output", "remove-cell", "remove_cell"})
"""Tags of cells whose outputs are not shown (their statements can still be placed by id)."""

_BESIDES = {"kind", "id", "sha256", "lineage"}
_KNOWN = {*MIME.values(), WORDS_MIME, UNANSWERED_MIME}
_PICTURES = ("image/svg+xml", "image/png", "image/jpeg")
_RESULT_IN_HTML = re.compile(r"<(table|img|svg|canvas|iframe)\b", re.I)
_CURE = "or tag the cell 'remove-output'"


@dataclass(frozen=True)
class Cell:
    """A code cell: its name in messages, its tags, what its metadata says for perfkit.

    ``lineages`` are those of the notebook.
    """

    origin: str
    tags: frozenset[str]
    notes: dict[str, Any]
    lineages: Lineages

    @classmethod
    def of(cls, cell: Any, origin: str, lineages: Lineages) -> Cell:
        """The cell's metadata: ``perfkit: {alt, caption, id}``, or ``alt`` alone."""
        metadata = cell.get("metadata", {})
        notes = dict(metadata.get("perfkit", {}))
        if "alt" in metadata:
            notes.setdefault("alt", metadata["alt"])
        return cls(origin, frozenset(metadata.get("tags", [])), notes, lineages)


@dataclass(frozen=True)
class Shown:
    """What one output comes to: blocks, front matter, findings, or a remark on what is left out."""

    blocks: tuple[Block, ...] = ()
    front: dict[str, Any] | None = None
    findings: dict[str, Any] | None = None
    remark: str | None = None


def read_output(output: Any, cell: Cell) -> Shown:
    """One output of a code cell.

    Raises:
        ReportError: The cell failed; a value of perfkit's was changed after it was computed, or is
            of a newer perfkit; a chart or table that is not perfkit's; a picture without alt text.
    """
    kind = output["output_type"]
    if kind == "error":
        raise ReportError(f"{cell.origin} failed: {output['ename']}: {output['evalue']}")
    if kind not in {"display_data", "execute_result"}:
        return Shown()  # streams: what a cell printed while it worked
    data = output["data"]
    _check_known(data, cell)
    for mime, read in _READERS:
        if mime in data:
            return read(data, cell)
    return _other(data, cell)


def _check_known(data: Any, cell: Cell) -> None:
    """ReportError for a value of a newer form: its HTML would pass as an author's own."""
    for mime in data:
        if mime.startswith("application/vnd.perfkit.") and mime not in _KNOWN:
            raise ReportError(f"{cell.origin}: {mime} is of a newer perfkit; this one reads v1")


def _front(data: Any, _: Cell) -> Shown:
    return Shown(front=dict(data[MIME["front"]]))


def _figure(data: Any, cell: Cell) -> Shown:
    record = _traced(data[MIME["figure"]], cell)
    if PLOTLY_MIME not in data:
        raise ReportError(f"{cell.origin}: figure {record['id']!r} has lost its chart")
    chart = {key: value for key, value in data[PLOTLY_MIME].items() if key != "config"}
    _unchanged(record, cell, chart)
    if not str(record["alt"]).strip():
        raise ReportError(f"{cell.origin}: figure {record['id']!r} has no alt text")
    return Shown((ChartBlock(record, chart),))


def _words(_data: Any, _cell: Cell) -> Shown:
    """The words below a chart, which its figure holds, too."""
    return Shown()


def _value(kind: str, block: Callable[[dict[str, Any]], Block]) -> Callable[[Any, Cell], Shown]:
    """The reader of a value that its record alone shows."""

    def read(data: Any, cell: Cell) -> Shown:
        record = _traced(data[MIME[kind]], cell)
        _unchanged(record, cell)
        return Shown((block(record),))

    return read


def _findings(data: Any, cell: Cell) -> Shown:
    record = _traced(data[MIME["findings"]], cell)
    _unchanged(record, cell)
    return Shown(findings=record)


def _unanswered(data: Any, _: Cell) -> Shown:
    record = data[UNANSWERED_MIME]
    return Shown((UnansweredBlock(record["reason"], record["text"], record.get("headline")),))


def _traced(record: Any, cell: Cell) -> dict[str, Any]:
    """The record of a value, its lineage as a value."""
    found = _checked_id(record, cell)
    return {**found, "lineage": cell.lineages.of(found, cell.origin)}


def _checked_id(record: Any, cell: Cell) -> dict[str, Any]:
    try:
        check_id(record["id"])
    except ReportError as problem:
        raise ReportError(f"{cell.origin}: {problem}") from problem
    return dict(record)


def content_hash(record: dict[str, Any], chart: dict[str, Any] | None = None) -> str:
    """The hash of what a value shows, from its record; of a figure, with its chart."""
    content = {key: value for key, value in record.items() if key not in _BESIDES}
    more = {} if chart is None else {"plotly": chart}
    return sha256_bytes(canonical_json(content | more).encode())


def _unchanged(record: dict[str, Any], cell: Cell, chart: dict[str, Any] | None = None) -> None:
    """ReportError unless the content has the hash that was taken when it was computed."""
    if content_hash(record, chart) != record["sha256"]:
        raise ReportError(
            f"{cell.origin}: {record['kind']} {record['id']!r} was changed after it was computed "
            "(its hash does not fit); run the notebook again"
        )


def _bare_chart(data: Any, cell: Cell) -> Shown:
    caption, alt = cell.notes.get("caption"), cell.notes.get("alt")
    if not caption or not alt:
        raise ReportError(
            f"{cell.origin}: a bare plotly chart: use a plot_* function of perfkit, or give the "
            "cell the metadata perfkit: {caption, alt} to show it marked not traceable, " + _CURE
        )
    chart = {key: value for key, value in data[PLOTLY_MIME].items() if key != "config"}
    record = {
        "kind": "figure",
        "id": cell.notes.get("id") or cell.origin.replace(" ", "-"),
        "caption": caption,
        "alt": alt,
        "height_mm": float(cell.notes.get("height_mm", 88.0)),
        "wide": bool(cell.notes.get("wide", False)),
        "printed": [],
        "lineage": Lineage(),
    }
    return Shown((ChartBlock(_checked_id(record, cell), chart),))


def _picture(data: Any, cell: Cell) -> Shown:
    mime = next(mime for mime in _PICTURES if mime in data)
    alt = cell.notes.get("alt")
    if not alt:
        raise ReportError(
            f"{cell.origin}: a picture without alt text: give the cell the metadata "
            "perfkit: {alt, caption}, " + _CURE
        )
    body, _ = decode(data[mime], mime, cell.origin)
    anchor = cell.notes.get("id")
    return Shown((Picture(body, mime, alt, cell.notes.get("caption"), anchor),))


def _markdown(data: Any, cell: Cell) -> Shown:
    return Shown(parse(_text(data["text/markdown"]), cell.origin))


def _other(data: Any, cell: Cell) -> Shown:
    page = _text(data.get("text/html", ""))
    if _RESULT_IN_HTML.search(page):
        raise ReportError(
            f"{cell.origin}: a bare table or HTML output: use a table_* function of perfkit, "
            + _CURE
        )
    plain = _text(data.get("text/plain", "")).strip().splitlines()
    if "application/vnd.jupyter.widget-view+json" in data or not plain:
        return Shown()
    return Shown(remark=f"{cell.origin}: plain output is left out of the report: {plain[0][:60]}")


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


_READERS: tuple[tuple[str, Callable[[Any, Cell], Shown]], ...] = (
    (MIME["front"], _front),
    (MIME["figure"], _figure),
    (WORDS_MIME, _words),
    (MIME["table"], _value("table", TableBlock)),
    (MIME["statement"], _value("statement", StatementBlock)),
    (MIME["verdict"], _value("verdict", VerdictBlock)),
    (MIME["listing"], _value("listing", ListingBlock)),
    (MIME["findings"], _findings),
    (UNANSWERED_MIME, _unanswered),
    (PLOTLY_MIME, _bare_chart),
    *((mime, _picture) for mime in _PICTURES),
    ("text/markdown", _markdown),
)
