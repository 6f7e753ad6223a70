"""What a cell shows that perfkit did not make: charts, frames, pictures, printed text.

In an author's own notebook it is printed and marked "not traceable"; what paper cannot show is
named in its place. In a report on a study (a notebook that shows front matter) it is printed where
the author says in the cell's metadata what it is, and refused otherwise: there a reader takes what
looks like a result for one that rests on the study's evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ReportError
from perfkit.core.values import PLOTLY_MIME
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.formulas import formula
from perfkit.reporting.document.html_reader import Page, read_html
from perfkit.reporting.document.html_tables import UnprintableError
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.document.pictures import UNDESCRIBED, Pictures, decode
from perfkit.reporting.document.records import ColumnRecord, FigureRecord, TableRecord

if TYPE_CHECKING:
    from perfkit.reporting.document.cells import Cell

PICTURES = ("image/svg+xml", "image/png", "image/jpeg", "image/gif")

CURE = "or tag the cell 'remove-output'"

FIRST_LINES, LAST_LINES = 60, 20
"""Of a longer text these lines are printed."""

LARGEST_SVG = 2_000_000
"""A drawing with more letters is printed from the PNG beside it."""

_OTHERS = {
    "application/vnd.jupyter.widget-view+json": "a widget",
    "application/vnd.vega": "an Altair chart",
    "application/vnd.bokeh": "a Bokeh chart",
    "application/vnd.holoviews": "a HoloViews chart",
    "application/javascript": "what a script draws",
    "application/pdf": "a page of PDF",
    "video/": "a video",
    "audio/": "a sound",
}
"""Beginnings of mime types that paper cannot show, in words."""

_ANSI = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-_])")
_OBJECT = re.compile(r".*\bat 0x[0-9a-fA-F]{6,}.*|<[^\n]*>", re.S)
"""The text of an object that says nothing of what it holds: <Axes: >, a line at 0x7f...."""


def joined(value: str | list[str]) -> str:
    """A text of a notebook, which may be stored in lines."""
    return value if isinstance(value, str) else "".join(value)


def not_made_here(data: Mapping[str, Any], cell: Cell) -> tuple[doc.Block, ...]:
    """The blocks of an output that is not a value of perfkit's.

    Raises:
        ReportError: In a report on a study, a chart, table or picture without what its author must
            say of it; in every notebook, a picture that is damaged.
    """
    if PLOTLY_MIME in data:
        return (_chart(data[PLOTLY_MIME], cell),)
    mimes = [mime for mime in PICTURES if mime in data]
    if mimes:
        # a cloud of a million points is smaller as PNG
        large = len(mimes) > 1 and len(joined(data[mimes[0]])) > LARGEST_SVG
        return (_picture(data, mimes[1] if large else mimes[0], cell),)
    if "text/markdown" in data:
        return parse(joined(data["text/markdown"]), cell.origin, own=cell.own)
    if "text/html" in data:
        return _html(data, cell)
    if "text/latex" in data:
        inner = re.sub(r"^\$+\s*(\\displaystyle)?|\$+$", "", joined(data["text/latex"]).strip())
        return (doc.Paragraph((formula(inner, display=True),)),)
    return _other(data, cell)


def _chart(plotly: Mapping[str, Any], cell: Cell) -> doc.Block:
    caption, alt = cell.notes.caption, cell.notes.alt
    if not cell.own and not (caption and alt):
        raise ReportError(
            f"{cell.origin}: a bare plotly chart: use a plot_* function of perfkit, or give the "
            f"cell the metadata perfkit: {{caption, alt}} to show it marked not traceable, {CURE}"
        )
    chart = {"data": plotly.get("data") or [], "layout": plotly.get("layout") or {}}
    undrawn = _undrawn(chart)
    if undrawn:
        if cell.own:
            return doc.NotShown(undrawn)
        raise ReportError(f"{cell.origin}: {undrawn} cannot be printed")
    record = FigureRecord(
        id=cell.value_id,
        caption=caption or _title(chart) or f"Chart of {cell.origin}.",
        alt=alt or _described(chart, cell.origin),
        height_mm=cell.notes.height_mm,
        wide=cell.notes.wide,
    )
    return doc.ChartBlock(record, chart)


def _undrawn(chart: Mapping[str, Any]) -> str | None:
    """Why plotly would draw an empty chart without a word; None where it draws this one."""
    from plotly import graph_objects

    traces, layout = chart["data"], chart["layout"]
    if not isinstance(layout, Mapping) or not isinstance(traces, list):
        return "a plotly chart of another form"
    known = {name.lower() for name in dir(graph_objects)}
    for trace in traces:
        kind = str(trace.get("type") or "scatter") if isinstance(trace, Mapping) else "?"
        if "map" in kind.replace("heatmap", "") or kind in {"choropleth", "scattergeo"}:
            return f"a plotly map ({kind})"
        if kind not in known:
            return f"a plotly chart of a kind that is unknown here ({kind})"
    return None


def _title(part: Mapping[str, Any]) -> str:
    """The title of a chart's layout or axis, without its tags."""
    title = part.get("layout", part).get("title") or {}
    text = title.get("text") or "" if isinstance(title, Mapping) else title
    return " ".join(re.sub(r"<[^<>]*>", " ", str(text)).split())


def _described(chart: Mapping[str, Any], origin: str) -> str:
    """What can be told of a chart from its own words: kinds, titles, names of series."""
    traces, layout = chart.get("data", []), chart.get("layout", {})
    kinds = dict.fromkeys(str(trace.get("type") or "scatter") for trace in traces)
    axes = {name: _title(layout.get(f"{name}axis") or {}) for name in ("x", "y")}
    names = dict.fromkeys(str(trace["name"]) for trace in traces if trace.get("name"))
    parts = [
        _title(chart),
        *(f"{name} axis: {title}" for name, title in axes.items() if title),
        f"series: {', '.join(names)}" if names else "",
    ]
    words = "; ".join(filter(None, parts))
    return f"Chart ({', '.join(kinds)}) of {origin}. {words or 'No description was given'}."


def _picture(data: Mapping[str, Any], mime: str, cell: Cell) -> doc.Picture:
    alt = cell.notes.alt
    if not alt and cell.own:
        alt = cell.notes.caption or UNDESCRIBED.format(f"Picture of {cell.origin}")
    if not alt:
        raise ReportError(
            f"{cell.origin}: a picture without alt text: give the cell the metadata "
            f"perfkit: {{alt, caption}}, {CURE}"
        )
    body, _ = decode(data[mime], mime, cell.origin)
    caption = cell.notes.caption
    return doc.Picture(body, mime, alt, caption, cell.value_id if caption else None)


def _html(data: Mapping[str, Any], cell: Cell) -> tuple[doc.Block, ...]:
    page, plain = joined(data["text/html"]), _plain(data)
    has_table = "<table" in page.lower()
    if not cell.own:
        if re.search(r"<(table|img|svg|canvas|iframe)\b", page, re.I):
            return (_captioned_table(page, cell),)
        return ()
    if plain and not has_table:
        return (printed(plain),)
    blocks = read_html(page, Page(_picture_in_html(cell), lambda p: doc.NotShown(str(p))))
    if plain and any(isinstance(block, doc.NotShown) for block in blocks):
        return (printed(plain),)
    return tuple(_captioned(block, cell) for block in blocks)


def _captioned_table(page: str, cell: Cell) -> doc.Block:
    """The one table of an output of which its author says what it is."""

    def refused(problem: UnprintableError) -> doc.Block:
        raise problem

    blocks: tuple[doc.Block, ...] = ()
    if cell.notes.caption:
        found = read_html(page, Page(_picture_in_html(cell), refused))
        blocks = tuple(block for block in found if isinstance(block, doc.PlainTable))
    if len(blocks) != 1:
        raise ReportError(
            f"{cell.origin}: a bare table or HTML output: use a table_* function of perfkit, or "
            "give a cell with one table the metadata perfkit: {caption} to show it marked not "
            f"traceable, {CURE}"
        )
    return _captioned(blocks[0], cell)


def _captioned(block: doc.Block, cell: Cell) -> doc.Block:
    """A table with its caption is numbered; every other block stays as it is."""
    caption = cell.notes.caption
    if not caption or not isinstance(block, doc.PlainTable):
        return block
    header = block.header or ((),) * len(block.aligns)
    return doc.TableBlock(
        TableRecord(
            id=cell.value_id,
            caption=caption,
            note=block.note,
            columns=[
                ColumnRecord(key=f"column-{number}", label=doc.plain_text(cell), align=align)
                for number, (cell, align) in enumerate(zip(header, block.aligns, strict=True), 1)
            ],
            rows=[[doc.plain_text(cell) for cell in row] for row in block.rows],
        )
    )


def _picture_in_html(cell: Cell) -> Any:
    pictures = Pictures(cell.origin, (cell.folder,))

    def picture(address: str, alt: str, title: str | None) -> doc.Picture:
        data, mime = pictures(address)
        words = alt or UNDESCRIBED.format(f"Picture of {cell.origin}")
        return doc.Picture(data, mime, words, title or None, None)

    return picture


def _other(data: Mapping[str, Any], cell: Cell) -> tuple[doc.Block, ...]:
    what = next(
        (words for mime in data for begins, words in _OTHERS.items() if mime.startswith(begins)),
        None,
    )
    if not cell.own:
        return ()
    if what is not None:
        name = re.match(r"\w+", joined(data.get("text/plain", "")))
        return (doc.NotShown(f"{what} ({name[0]})" if name else what),)
    plain = _plain(data)
    return (printed(plain),) if plain else ()


def _plain(data: Mapping[str, Any]) -> str:
    """The plain text of a result; empty for an object that tells nothing of what it holds."""
    text = joined(data.get("text/plain", "")).strip("\n")
    return "" if _OBJECT.fullmatch(text.strip()) else text


def printed(text: str) -> doc.CodeBlock:
    """What a cell printed, as code: without colours, the middle of a long one left out."""
    lines = [
        line.rsplit("\r", 1)[-1] for line in _ANSI.sub("", text).replace("\r\n", "\n").split("\n")
    ]
    left = len(lines) - FIRST_LINES - LAST_LINES
    if left > 0:
        gap = f"[... {left:,} of {len(lines):,} lines are not printed ...]"
        lines = [*lines[:FIRST_LINES], gap, *lines[-LAST_LINES:]]
    return doc.CodeBlock("\n".join(line.rstrip() for line in lines).strip("\n"), printed=True)


def failed(output: Mapping[str, Any], cell: Cell) -> tuple[doc.Block, ...]:
    """The traceback of a cell that its author lets fail; raises ReportError for any other."""
    told = f"{cell.origin} failed: {output['ename']}: {output['evalue']}"
    if not cell.own:
        raise ReportError(told)
    if "raises-exception" not in cell.tags:
        raise ReportError(f"{told} (tag the cell 'raises-exception' to print its traceback)")
    lines = "\n".join(output.get("traceback") or [f"{output['ename']}: {output['evalue']}"])
    return (printed(lines),)
