"""What a code cell shows, as blocks: perfkit's own values, then what perfkit did not make.

Nothing that looks like a result is dropped in silence.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from perfkit.core.errors import ReportError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.values import MIME, PLOTLY_MIME, WORDS_MIME, PlotlyJson, check_id
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.own_outputs import failed, joined, not_made_here, printed
from perfkit.reporting.document.records import (
    FigureRecord,
    FindingsRecord,
    ListingRecord,
    Record,
    StatementRecord,
    TableRecord,
    VerdictRecord,
    read_record,
)

if TYPE_CHECKING:
    from perfkit.reporting.document.cells import Cell

_R = TypeVar("_R", bound=Record)

_BESIDES = {"kind", "id", "sha256", "lineage", "behind", "histories", "answers"}
_KNOWN = {*MIME.values(), WORDS_MIME, UNANSWERED_MIME}


@dataclass(frozen=True)
class Shown:
    """What one output comes to: blocks, front matter, findings, or a remark on what is left out."""

    blocks: tuple[doc.Block, ...] = ()
    front: Mapping[str, Any] | None = None
    findings: FindingsRecord | None = None
    remark: str | None = None


def read_output(output: Any, cell: Cell) -> Shown:
    """One output of a code cell.

    Raises:
        ReportError: The cell failed; a value of perfkit's was changed after it was computed, or is
            from a newer perfkit; what ``not_made_here`` refuses.
    """
    match output["output_type"]:
        case "error":
            return Shown(failed(output, cell))
        case "stream":
            return _stream(output, cell)
        case "display_data" | "execute_result":
            data = output["data"]
        case _:
            return Shown()
    _check_known(data, cell)
    for mime, read in _READERS:
        if mime in data:
            return read(data, cell)
    shown = not_made_here(data, cell)
    for block in shown:
        if isinstance(block, doc.ChartBlock | doc.TableBlock):
            _check_id(block.record.id, cell)
    return Shown(shown, remark=None if shown else _left_out(data, cell))


def _stream(output: Any, cell: Cell) -> Shown:
    """What a cell printed: in a report on a study only the progress of its work."""
    text = joined(output["text"]).strip()
    if not cell.own or not text:
        return Shown()
    if output["name"] == "stderr":
        return Shown(remark=f"{cell.origin}: warnings are left out of the report: {_begun(text)}")
    return Shown((printed(joined(output["text"])),))


def _left_out(data: Any, cell: Cell) -> str | None:
    """The remark on a result that is not printed."""
    plain = joined(data.get("text/plain", "")).strip()
    if "application/vnd.jupyter.widget-view+json" in data or not plain:
        return None
    return f"{cell.origin}: plain output is left out of the report: {_begun(plain)}"


def _begun(text: str) -> str:
    return text.splitlines()[0][:60]


def _check_known(data: Any, cell: Cell) -> None:
    """ReportError for a value of a newer form: its HTML would pass as an author's own."""
    for mime in data:
        if mime.startswith("application/vnd.perfkit.") and mime not in _KNOWN:
            raise ReportError(f"{cell.origin}: {mime} is from a newer perfkit; this one reads v1")


def _figure(data: Any, cell: Cell) -> Shown:
    given = data[MIME["figure"]]
    chart = data.get(PLOTLY_MIME)
    if chart is None:
        raise ReportError(f"{cell.origin}: figure {given.get('id')!r} has lost its chart")
    chart = {key: value for key, value in chart.items() if key != "config"}
    record = _read(FigureRecord, given, cell, chart)
    if not record.alt.strip():
        raise ReportError(f"{cell.origin}: figure {record.id!r} has no alt text")
    return Shown((doc.ChartBlock(record, chart),))


def _value(
    mime: str, kind: type[_R], block: Callable[[_R], doc.Block]
) -> Callable[[Any, Cell], Shown]:
    """The reader of a value that its record alone shows."""
    return lambda data, cell: Shown((block(_read(kind, data[mime], cell)),))


def _unanswered(data: Any, _: Cell) -> Shown:
    record = data[UNANSWERED_MIME]
    return Shown((doc.UnansweredBlock(record["reason"], record["text"], record.get("headline")),))


def _read(
    kind: type[_R], record: Mapping[str, Any], cell: Cell, chart: PlotlyJson | None = None
) -> _R:
    """A value from its record.

    Raises ReportError for another id, lineage or form than perfkit's, and unless the content has
    the hash that was taken when it was computed.
    """
    _check_id(record["id"], cell)
    lineage = cell.lineages.of(record, cell.origin)
    if content_hash(record, chart) != record["sha256"]:
        raise ReportError(
            f"{cell.origin}: {record['kind']} {record['id']!r} was changed after it was computed "
            "(its hash does not fit); run the notebook again"
        )
    with _told_of(cell):
        return read_record(kind, record, lineage)


def _check_id(name: str, cell: Cell) -> None:
    with _told_of(cell):
        check_id(name)


@contextlib.contextmanager
def _told_of(cell: Cell) -> Iterator[None]:
    """A problem named with its cell."""
    try:
        yield
    except ReportError as problem:
        raise ReportError(f"{cell.origin}: {problem}") from problem


def content_hash(record: Mapping[str, Any], chart: PlotlyJson | None = None) -> str:
    """The hash of what a value shows, from its record; of a figure, with its chart."""
    content = {key: value for key, value in record.items() if key not in _BESIDES}
    more = {} if chart is None else {"plotly": chart}
    return sha256_bytes(canonical_json(content | more).encode())


_READERS: tuple[tuple[str, Callable[[Any, Cell], Shown]], ...] = (
    (MIME["front"], lambda data, _: Shown(front=data[MIME["front"]])),
    (MIME["figure"], _figure),
    (WORDS_MIME, lambda _data, _cell: Shown()),  # its figure has these words, too
    (MIME["table"], _value(MIME["table"], TableRecord, doc.TableBlock)),
    (MIME["statement"], _value(MIME["statement"], StatementRecord, doc.StatementBlock)),
    (MIME["verdict"], _value(MIME["verdict"], VerdictRecord, doc.VerdictBlock)),
    (
        MIME["findings"],
        lambda data, cell: Shown(findings=_read(FindingsRecord, data[MIME["findings"]], cell)),
    ),
    (MIME["listing"], _value(MIME["listing"], ListingRecord, doc.ListingBlock)),
    (UNANSWERED_MIME, _unanswered),
)
