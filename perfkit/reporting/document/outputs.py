"""What a code cell shows, as blocks: perfkit's own values, then what perfkit did not make.

Nothing that looks like a result is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ReportError
from perfkit.core.evidence import sha256_bytes
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.unanswered import UNANSWERED_MIME
from perfkit.core.values import MIME, PLOTLY_MIME, WORDS_MIME, check_id
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.own_outputs import failed, joined, not_made_here, printed

if TYPE_CHECKING:
    from perfkit.reporting.document.cells import Cell

_BESIDES = {"kind", "id", "sha256", "lineage", "behind", "answers"}
_KNOWN = {*MIME.values(), WORDS_MIME, UNANSWERED_MIME}


@dataclass(frozen=True)
class Shown:
    """What one output comes to: blocks, front matter, findings, or a remark on what is left out."""

    blocks: tuple[doc.Block, ...] = ()
    front: dict[str, Any] | None = None
    findings: dict[str, Any] | None = None
    remark: str | None = None


def read_output(output: Any, cell: Cell) -> Shown:
    """One output of a code cell.

    Raises:
        ReportError: The cell failed; a value of perfkit's was changed after it was computed, or is
            of a newer perfkit; what ``not_made_here`` refuses.
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
    _check_ids(shown, cell)
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


def _check_ids(blocks: tuple[doc.Block, ...], cell: Cell) -> None:
    for block in blocks:
        if isinstance(block, doc.ChartBlock | doc.TableBlock):
            _checked_id(block.record, cell)


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
    return Shown((doc.ChartBlock(record, chart),))


def _words(_data: Any, _cell: Cell) -> Shown:
    """The words below a chart, which its figure holds, too."""
    return Shown()


def _value(kind: str, block: Callable[[dict[str, Any]], doc.Block]) -> Callable[[Any, Cell], Shown]:
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
    return Shown((doc.UnansweredBlock(record["reason"], record["text"], record.get("headline")),))


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


_READERS: tuple[tuple[str, Callable[[Any, Cell], Shown]], ...] = (
    (MIME["front"], _front),
    (MIME["figure"], _figure),
    (WORDS_MIME, _words),
    (MIME["table"], _value("table", doc.TableBlock)),
    (MIME["statement"], _value("statement", doc.StatementBlock)),
    (MIME["verdict"], _value("verdict", doc.VerdictBlock)),
    (MIME["findings"], _findings),
    (MIME["listing"], _value("listing", doc.ListingBlock)),
    (UNANSWERED_MIME, _unanswered),
)
