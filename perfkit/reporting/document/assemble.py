"""An executed notebook as one neutral document, from which PDF and HTML are written.

Numbers, names, placeholders and back matter are settled here, so that both writers say the same.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from perfkit.core.errors import ReportError
from perfkit.reporting.document import appendix, beside, findings, front_matter, grids, origins
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.cells import HIDDEN, Cell, is_own, own_captions
from perfkit.reporting.document.chapters import left_out_blocks, without_unanswered
from perfkit.reporting.document.lineages import Lineages
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.document.numbering import (
    Label,
    Resolver,
    Statements,
    check_unique,
    foreign,
    label_all,
    unique_headings,
    value_id,
    walk,
)
from perfkit.reporting.document.outputs import Shown, read_output
from perfkit.reporting.document.own_outputs import joined
from perfkit.reporting.document.parts import PART, scoped
from perfkit.reporting.document.pictures import Pictures
from perfkit.reporting.document.records import (
    FrontMatter,
    ListingRecord,
    Section,
    TableRecord,
    VerdictRecord,
)
from perfkit.reporting.document.verbatim import verbatim_blocks

REFERENCE = "reference"
"""The anchor of the chapter with the details: all runs, all repeats, hosts."""


@dataclass(frozen=True)
class Document:
    """A report, ready to be written.

    Attributes:
        front: The front matter.
        abstract: The abstract's blocks, empty if there is none.
        blocks: Everything after the lists of contents, in order.
        verdicts: The records of all verdicts, for the cover.
        labels: Id or heading anchor -> what a cross-reference shows.
        remarks: What was left out, in words.
        notes: Of each table, chart and sentence that stands alone, by its id, what stands below it.
        notices: What the cover says of evidence that was not measured, and first of all where the
            answer is missing that the report is made for.
        cautions: What the first page says of the values that the report shows, where it has no
            findings.
        page: How many of the blocks are the page of findings, before the lists of contents.
        own: Whether it was made of an author's own notebook, not of a report on a study.
    """

    front: FrontMatter
    abstract: tuple[doc.Placed, ...]
    blocks: tuple[doc.Placed, ...]
    verdicts: tuple[VerdictRecord, ...]
    labels: dict[str, Label]
    remarks: tuple[str, ...]
    notes: dict[str, str | None]
    notices: tuple[origins.Notice, ...] = ()
    cautions: tuple[str, ...] = ()
    page: int = 0
    own: bool = False

    @property
    def judged(self) -> list[VerdictRecord]:
        """The records of the verdicts that judged anything."""
        return [record for record in self.verdicts if record.judgements]

    @property
    def has_findings(self) -> bool:
        """Whether verdicts and cautions stand with the findings, and not on the cover."""
        return any(isinstance(placed.block, doc.FindingsBlock) for placed in self.blocks)


def read_document(notebook: Any, folder: Path | None = None, name: str | None = None) -> Document:
    """The document of an executed notebook.

    Args:
        notebook: The nbformat node.
        folder: Where pictures named in Markdown are looked up: the study's folder.
        name: The notebook's, for a title where it has none.

    Raises:
        ReportError: What cannot be printed, a line for each, with its cell: a cell that failed, a
            picture that is not there, a value changed after it was computed. Then ids used twice
            and placeholders of what is not there.
    """
    folder = folder or Path()
    notebook = scoped(notebook)
    found = _Found(Lineages(notebook.metadata), own=is_own(notebook))
    for number, cell in enumerate(own_captions(notebook) if found.own else notebook.cells, 1):
        _read_cell(cell, f"cell {number}", folder, found)
    found.check()
    shown = levelled(found.shown)
    title, shown = _take_title(shown, found.front is not None)
    given = found.front[0] if found.front else None
    front, darkened = front_matter.whole(given, title, notebook.metadata, name or "Report")
    if darkened:
        found.remarks.append(darkened)
    statements = {
        placed.block.record.id: placed.block
        for placed in (*found.shown, *found.hidden)
        if isinstance(placed.block, doc.StatementBlock)
    }
    listings = [p.block.record for p in shown if isinstance(p.block, doc.ListingBlock)]
    shown = [placed for placed in shown if not isinstance(placed.block, doc.ListingBlock)]
    shown, left = without_unanswered(shown, statements)
    ends = _reference(shown)
    body = [
        *_sections(front.before, folder),
        *shown[:ends],
        *_sections(front.after, folder),
        *shown[ends:],
        *left_out_blocks(left),
    ]
    return _finish(front, unique_headings(body), found, statements, listings)


_SHOWN = (doc.ChartBlock, doc.TableBlock, doc.VerdictBlock, doc.PlainTable)


def _introduced(body: list[doc.Placed]) -> list[doc.Placed]:
    """The blocks, where a line between a heading and its chart or table leads to that.

    Else both would stay behind at a page's foot when the chart or table moves on.
    """
    found = list(body)
    for place, (before, placed, after) in enumerate(zip(body, body[1:], body[2:], strict=False), 1):
        between = isinstance(before.block, doc.Heading) and isinstance(after.block, _SHOWN)
        if between and isinstance(placed.block, doc.Paragraph):
            found[place] = replace(placed, block=replace(placed.block, leads=True))
    return found


def _finish(
    front: FrontMatter,
    body: list[doc.Placed],
    found: _Found,
    statements: Statements,
    listings: list[ListingRecord],
) -> Document:
    everything = [*body, *found.hidden]
    _check_ids(everything)
    verdicts = [p.block.record for p in everything if isinstance(p.block, doc.VerdictBlock)]
    purposes = _without_purpose(found)
    lines = [f"{item.headline}: {item.text}" for item in purposes]
    open_ = any(isinstance(p.block, doc.UnansweredBlock) for p in (*found.shown, *found.hidden))
    made = findings.first_page(found.findings, front, body, verdicts, lines, open_=open_)
    rest = _introduced(made.rest)
    body = unique_headings([*made.page, *rest])
    # of a hidden cell only the sentences reach the reader, where a placeholder names them
    said = [placed for placed in found.hidden if isinstance(placed.block, doc.StatementBlock)]
    values = appendix.shown_values([*body, *said], label_all(body))
    values += [("Listing", record) for record in listings]
    own = parse(front.abstract, "abstract") if front.abstract else None
    abstract = [
        doc.Placed(block, "abstract") for block in own or findings.abstract_of(found.findings)
    ]
    closing = [doc.Placed(block, appendix.ORIGIN) for block in appendix.closing_blocks(front)]
    given = foreign([*abstract, *body, *closing])
    evidence = [doc.Placed(b, appendix.ORIGIN) for b in appendix.evidence_blocks(values, given)]
    files = [*listings, *front.appendix]
    whole = verbatim_blocks(files, "B" if evidence else "A")
    verbatim = [doc.Placed(block, appendix.ORIGIN) for block in whole]
    back = _introduced([*evidence, *verbatim, *closing])
    blocks = unique_headings([*body, *back])
    labels = label_all(blocks)
    lacking = [p.block.reason for p in found.hidden if isinstance(p.block, doc.UnansweredBlock)]
    resolver = Resolver(statements, labels, tuple(dict.fromkeys(lacking)))
    summary = tuple(resolver.resolve(placed, "in the abstract") for placed in abstract)
    # the first page is read for itself
    spoken = beside.Spoken()
    for placed in made.page:
        if isinstance(placed.block, doc.FindingsBlock):
            spoken.beside(placed.block.told, "in the findings")
    main, notes = _resolve_blocks(replace(resolver, spoken=spoken), blocks)
    resolver.check()
    in_text = [("Statement", block.record) for block in resolver.said.values()]
    return Document(
        front,
        summary,
        main,
        tuple(verdicts),
        labels,
        (*found.remarks, *_not_shown(found.shown)),
        notes,
        (
            *purposes,
            *origins.notices([*(record for _, record in values), *verdicts]),
        ),
        tuple(beside.first_page([*appendix.shown_values(rest, labels), *in_text])),
        len(made.page),
        found.own,
    )


def _not_shown(placed: list[doc.Placed]) -> list[str]:
    return [
        f"{item.origin}: not shown: {block.what}"
        for item in placed
        for block in walk(item.block)
        if isinstance(block, doc.NotShown)
    ]


def _without_purpose(found: _Found) -> list[origins.Notice]:
    """The cover's notices on missing answers that are the purpose of the report."""
    blocks = [placed.block for placed in (*found.shown, *found.hidden)]
    return [
        origins.Notice(block.headline, f"{block.reason[:1].upper()}{block.reason[1:]}.")
        for block in blocks
        if isinstance(block, doc.UnansweredBlock) and block.headline
    ]


def _resolve_blocks(
    resolver: Resolver, blocks: Iterable[doc.Placed]
) -> tuple[tuple[doc.Placed, ...], dict[str, str | None]]:
    """The blocks with statements in their places, and what stands below each value by its id."""
    main: list[doc.Placed] = []
    notes: dict[str, str | None] = {}
    section = "at the beginning"
    for placed in blocks:
        block = placed.block
        if isinstance(block, doc.Heading):
            section = f"in {resolver.labels[f'#{block.anchor}'].text}"
        main.append(resolver.resolve(placed, section))
        match block:
            case doc.StatementBlock(record):
                notes[record.id] = resolver.spoken.beside(beside.after(record), section)
            case doc.VerdictBlock(record):
                place = f"at {resolver.labels[record.id].text}"
                table = grids.verdict_table(record)
                notes[record.id] = resolver.spoken.note(table.note, table, place)
            case doc.ChartBlock(record, _) | doc.TableBlock(record):
                place = f"at {resolver.labels[record.id].text}"
                note = record.note if isinstance(record, TableRecord) else None
                notes[record.id] = resolver.spoken.note(note, record, place)
    return tuple(main), notes


def _check_ids(everything: Iterable[doc.Placed]) -> None:
    named = []
    for placed in everything:
        for block in walk(placed.block):
            name = block.record.id if isinstance(block, doc.StatementBlock) else value_id(block)
            if name:
                named.append((name, placed.origin))
    check_unique(named)


class _Found:
    def __init__(self, lineages: Lineages, *, own: bool) -> None:
        self.lineages, self.own = lineages, own
        self.problems: list[str] = []
        self.shown: list[doc.Placed] = []
        self.hidden: list[doc.Placed] = []
        self.front: tuple[Mapping[str, Any], str] | None = None
        self.findings: list[findings.FoundFindings] = []
        self.titles: dict[str | None, str] = {}
        self.remarks: list[str] = []

    @contextlib.contextmanager
    def collecting(self) -> Iterator[None]:
        """Keep what cannot be printed, to tell all of it at once."""
        try:
            yield
        except ReportError as problem:
            self.problems.append(str(problem))

    def add(self, shown: Shown, origin: str, *, hidden: bool, part: str | None) -> None:
        """Keep what an output shows: blocks, front matter, findings, remarks."""
        target = self.hidden if hidden else self.shown
        target += [doc.Placed(block, origin) for block in shown.blocks]
        if shown.front is not None:
            self.set_front(shown.front, origin)
        if shown.findings is not None:
            title = self.titles.get(part) if part else None
            self.findings.append(findings.FoundFindings(shown.findings, origin, part, title))
        if shown.remark:
            self.remarks.append(shown.remark)

    def check(self) -> None:
        """ReportError with a line for each thing that cannot be printed."""
        if self.problems:
            raise ReportError("\n  ".join(self.problems))

    def set_front(self, front: Mapping[str, Any], origin: str) -> None:
        """ReportError where another cell has shown the front matter."""
        if self.front is not None:
            raise ReportError(f"{origin}: the front matter is already shown by {self.front[1]}")
        self.front = (front, origin)


def _read_cell(cell: Any, origin: str, folder: Path, found: _Found) -> None:
    tags = set(cell.get("metadata", {}).get("tags", []))
    part = cell.get("metadata", {}).get(PART)
    if cell.cell_type == "markdown" and not tags & HIDDEN:
        pictures = Pictures(origin, (folder,), cell.get("attachments", {}))
        with found.collecting():
            blocks = parse(cell.source, origin, pictures, own=found.own)
            found.shown += [doc.Placed(block, origin) for block in blocks]
            # a part begins with its title
            titles = (block.children for block in blocks if isinstance(block, doc.Heading))
            found.titles.setdefault(part, doc.plain_text(next(titles, ())))
    if cell.cell_type != "code":
        return
    if "show-code" in tags:
        found.shown.append(doc.Placed(doc.CodeBlock(cell.source, "python"), origin))
    about = Cell.of(cell, origin, found.lineages, folder, own=found.own)
    for output in _whole_streams(cell.get("outputs", [])):
        if tags & HIDDEN and not _ours(output):
            continue
        with found.collecting():
            shown = read_output(output, about)
            about = about.after(shown.blocks)
            found.add(shown, origin, hidden=bool(tags & HIDDEN), part=part)


def _whole_streams(outputs: list[Any]) -> list[Any]:
    whole: list[Any] = []
    for stream, group in itertools.groupby(outputs, lambda output: output.get("name")):
        pieces = list(group)
        if stream is not None:
            text = "".join(joined(piece["text"]) for piece in pieces)
            pieces = [{**pieces[0], "text": text}]
        whole += pieces
    return whole


def _ours(output: Any) -> bool:
    """A hidden cell's errors, statements, verdicts and front matter still count."""
    return output["output_type"] == "error" or any(
        mime.startswith("application/vnd.perfkit.") for mime in output.get("data", {})
    )


def _reference(shown: Sequence[doc.Placed]) -> int:
    """Where the chapter "Reference" begins, before which a study's last sections stand.

    A conclusion comes before the tables that few will read; without that chapter it comes last.
    """
    for place, placed in enumerate(shown):
        block = placed.block
        if isinstance(block, doc.Heading) and block.level == 1 and block.anchor == REFERENCE:
            return place
    return len(shown)


def _sections(sections: Iterable[Section], folder: Path) -> list[doc.Placed]:
    placed: list[doc.Placed] = []
    for section in sections:
        path = section.path
        pictures = Pictures(path, ((folder / path).parent, folder))
        blocks: tuple[doc.Block, ...] = parse(section.markdown, path, pictures)
        placed += levelled([doc.Placed(block, path) for block in blocks])
    return placed


def levelled(blocks: list[doc.Placed]) -> list[doc.Placed]:
    """The blocks of one source with heading levels from 1 on and none skipped.

    PDF/UA-1 refuses a heading of level 3 below one of level 1, and people write them.
    """
    open_levels: list[int] = []
    done = []
    for placed in blocks:
        block = placed.block
        if isinstance(block, doc.Heading):
            while open_levels and open_levels[-1] >= block.level:
                open_levels.pop()
            open_levels.append(block.level)
            done.append(replace(placed, block=replace(block, level=len(open_levels))))
        else:
            done.append(placed)
    return done


def _take_title(blocks: list[doc.Placed], has_front: bool) -> tuple[str | None, list[doc.Placed]]:
    """The notebook's title and the rest: a first heading that is the only one of its level.

    It is the title of the notebook, not a chapter: what stands below it moves up one level. Beside
    front matter, a single heading with none below it is a chapter.
    """
    headings = [(p, p.block) for p in blocks if isinstance(p.block, doc.Heading)]
    tops = [(placed, block) for placed, block in headings if block.level == 1]
    if not tops:
        return None, blocks
    title = doc.plain_text(tops[0][1].children)
    alone = len(tops) == 1 and blocks[0] is tops[0][0]
    if alone and (len(headings) > 1 or not has_front):
        return title, levelled(blocks[1:])
    return title, blocks
