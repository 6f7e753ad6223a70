"""The back matter: the evidence behind the report, where to find more, versions, legal words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from perfkit.core.evidence import Evidence, Lineage
from perfkit.reporting.document import blocks as doc
from perfkit.reporting.document.beside import number_ranges
from perfkit.reporting.document.markdown import parse
from perfkit.reporting.document.records import (
    Align,
    ColumnRecord,
    FrontMatter,
    Record,
    Reference,
    TableRecord,
)

if TYPE_CHECKING:
    from perfkit.reporting.document.numbering import Label

ORIGIN = "back matter"
LEGAL = textwrap.dedent(
    """\
    Measured results in this report apply to the systems, software versions and settings that it
    names, at the time of the measurement. Anything marked as generated, or as printed in a
    document, was not measured for this report. Other configurations, loads and versions can behave
    differently. The report is provided as is, without warranty of any kind.

    Names of products and companies may be trademarks of their owners; they are used to identify
    what was measured and imply no endorsement.
    """
)

Shown: TypeAlias = tuple[str, Record]
"""What a value is called in the report ("Figure 1", "Statement") and its record."""


def shown_values(blocks: Iterable[doc.Placed], labels: dict[str, Label]) -> list[Shown]:
    """Every value of perfkit's in the report, with its name."""
    found: list[Shown] = []
    for placed in blocks:
        match placed.block:
            case doc.ChartBlock(record, _) | doc.TableBlock(record) | doc.VerdictBlock(record):
                found.append((labels[record.id].text, record))
            case doc.StatementBlock(record):
                found.append(("Statement", record))
            case doc.FindingsBlock(records=records):
                found += [("Findings", record) for record in records]
    return found


def evidence_blocks(values: list[Shown], foreign: list[str]) -> list[doc.Block]:
    """Appendix A: the files and what they warn of; attached, how each value was computed from them.

    ``foreign`` are the pictures and tables that perfkit did not make, in words.
    """
    if not values and not foreign:
        return []
    evidence = list(dict.fromkeys(item for _, record in values for item in record.lineage.evidence))
    names = {item: f"E{number}" for number, item in enumerate(evidence, 1)}
    blocks: list[doc.Block] = [
        doc.back_heading(1, "Appendix A: Evidence", "appendix-evidence"),
        *_scope(values, foreign),
    ]
    if evidence:
        blocks.append(_files_table(names))
    if values:
        blocks += [*_remarks(names), *_attached(values, names)]
    return blocks


def _attached(values: list[Shown], names: dict[Evidence, str]) -> list[doc.Block]:
    """Hashes and functions, which only a checker reads, as attached files."""
    told = (
        "The PDF carries these files as attachments: open its list of attachments, or extract them "
        "with pdfdetach."
    )
    return [
        doc.back_heading(2, "Attached files", "appendix-attached"),
        doc.paragraph(told, leads=True),
        doc.Folded(
            _hashes_table(names),
            "evidence.csv",
            "Every file with its SHA-256; that of a folder is over all its files.",
            "data",
        ),
        doc.Folded(
            _derivations_table(values, names),
            "values.csv",
            "How each value was computed, function by function, and from which files.",
            "supplement",
        ),
        doc.AttachedFiles(),
    ]


def _scope(values: list[Shown], foreign: list[str]) -> list[doc.Block]:
    """What was computed from the evidence, and by name what was not: nothing else is claimed."""
    lineages = [(f"{name} ({record.id})", record.lineage) for name, record in values]
    parts = {
        "Not traceable to files, made from data without a record": [
            name for name, lineage in lineages if not lineage.traceable
        ],
        "Taken from the named file as it is, not computed": [
            name for name, lineage in lineages if lineage.traceable and not lineage.steps
        ],
        "Not made by perfkit; no number in them was checked": foreign,
    }
    computed = any(lineage.traceable and lineage.steps for _, lineage in lineages)
    what = "was computed from the evidence below by the named functions"
    if not any(parts.values()):
        return [doc.paragraph(f"Every value in this report {what}.")]
    told = (
        f"Every other value in this report {what}." if computed else "No value here was computed."
    )
    lines = [f"{words}: {', '.join(names)}." for words, names in parts.items() if names]
    return [doc.paragraph(told), doc.bullets(lines)]


MOST_FILES = 16
"""Of more files those of one folder, kind and tool share a row; each stands in what is attached."""


def _files_table(names: dict[Evidence, str]) -> doc.TableBlock:
    of_one: dict[tuple[str, ...], list[Evidence]] = {}
    for item, name in names.items():
        folder = item.path.rpartition("/")[0]
        alike = (folder, item.kind, item.tool_text) if len(names) > MOST_FILES else (name,)
        of_one.setdefault(alike, []).append(item)
    rows = [
        [
            _ranges([names[item] for item in items]),
            items[0].path if len(items) == 1 else f"{items[0].path} to {items[-1].path}",
            items[0].kind,
            items[0].tool_text or "–",
            str(sum(len(item.parts) or 1 for item in items)),
            str(sum(len(all_warnings(item)) for item in items)),
        ]
        for items in of_one.values()
    ]
    columns: tuple[tuple[str, Align], ...] = (
        ("Ref.", "left"),
        ("File or folder", "left"),
        ("Kind", "left"),
        ("Tool", "left"),
        ("Files", "right"),
        ("Warnings", "right"),
    )
    return made_table("evidence-files", "Files this report is based on.", columns, rows)


def _hashes_table(names: dict[Evidence, str]) -> TableRecord:
    """Each file, and each part of a folder below it."""
    rows = [
        [name, file.path, file.kind, file.tool_text or "–", file.sha256]
        for item, name in names.items()
        for file in (item, *item.parts)
    ]
    labels = ("Ref.", "File or folder", "Kind", "Tool", "SHA-256")
    columns: list[tuple[str, Align]] = [(label, "left") for label in labels]
    return made_table("evidence-hashes", "Files and their SHA-256.", columns, rows).record


def all_warnings(item: Evidence) -> list[str]:
    """The warnings of evidence and of its parts, each once, in order."""
    texts = list(item.warnings)
    for part in item.parts:
        texts += [f"{part.path}: {text}" for text in all_warnings(part)]
    return list(dict.fromkeys(texts))


def _remarks(names: dict[Evidence, str]) -> list[doc.Block]:
    """In words: warnings, sections that were expected and are not there, unproven dialects."""
    sources: dict[str, list[str]] = {}
    for item, name in names.items():
        for text in (*all_warnings(item), *_gaps(item)):
            sources.setdefault(text, []).append(name)
    lines = [f"{_ranges(files)}: {text}" for text, files in _joined(sources)]
    if not lines:
        return [doc.paragraph("No file gave a warning, and no expected section is missing.")]
    title = doc.back_heading(2, "Warnings and gaps", "appendix-warnings")
    return [title, doc.bullets(lines)]


def _joined(sources: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Sections with the same gap in the same files share a line."""
    lines: list[tuple[str, list[str]]] = []
    together: dict[tuple[str, ...], list[str]] = {}
    for text, files in sources.items():
        name, verb, what = text.removeprefix("section ").partition(" is ")
        if verb and text.startswith("section "):
            together.setdefault((what, *files), []).append(name)
        else:
            lines.append((text, files))
    return [
        *lines,
        *((_sections(names, what), files) for (what, *files), names in together.items()),
    ]


def _sections(names: list[str], what: str) -> str:
    if len(names) == 1:
        return f"section {names[0]} is {what}"
    return f"sections {', '.join(names[:-1])} and {names[-1]} are {what}"


def _gaps(item: Evidence) -> list[str]:
    words = {"absent": "is absent", "empty": "is empty", "unparsed": "could not be read"}
    gaps = [
        ("" if where is item else f"{where.path}: ")
        + f"section {section.name} {words[section.status]}"
        + (f" ({section.reason})" if section.reason else "")
        for where in (item, *item.parts)
        for section in where.sections
        if section.status in words
    ]
    if item.unverified:
        gaps.append(
            "support for this dialect was written from documentation and was not tested "
            "on a real file"
        )
    return _grouped(gaps)


def _grouped(gaps: list[str]) -> list[str]:
    """The same gap in many parts of a run becomes one line with the number of files."""
    files: dict[str, list[str]] = {}
    for gap in gaps:
        path, colon, what = gap.rpartition(": section ")
        files.setdefault(f"section {what}" if colon else gap, []).append(path)
    return [
        f"{what} in {len(paths)} files"
        if len(paths) > 1
        else ": ".join(filter(None, (*paths, what)))
        for what, paths in files.items()
    ]


def _derivations_table(values: list[Shown], names: dict[Evidence, str]) -> TableRecord:
    rows = [
        [
            name,
            record.id,
            " → ".join(dict.fromkeys(f"{s.function} v{s.version}" for s in record.lineage.steps))
            or "–",
            _ranges([names[item] for item in record.lineage.evidence]),
        ]
        for name, record in values
    ]
    columns: tuple[tuple[str, Align], ...] = (
        ("Shown as", "left"),
        ("Id", "left"),
        ("Computed by", "left"),
        ("From", "left"),
    )
    return made_table("evidence-derivations", "How each value was computed.", columns, rows).record


def _ranges(names: list[str]) -> str:
    """E1, E2, E3, E7 as "E1 to E3, E7"; nothing as a dash."""
    return ", ".join(number_ranges((int(name[1:]) for name in names), "E")) or "–"


def made_table(
    name: str, caption: str, columns: Iterable[tuple[str, Align]], rows: list[list[str]]
) -> doc.TableBlock:
    """A table of texts that the report itself needs; columns are (label, align)."""
    return doc.TableBlock(
        TableRecord(
            id=name,
            caption=caption,
            columns=[ColumnRecord(key=label, label=label, align=align) for label, align in columns],
            rows=rows,
            lineage=Lineage(traceable=True),
        )
    )


def closing_blocks(front: FrontMatter) -> list[doc.Block]:
    """Where to find more, acknowledgements, version history and the legal page."""
    blocks: list[doc.Block] = []
    if front.references:
        blocks += [
            doc.back_heading(1, "Where to find additional information", "additional-information"),
            doc.Items(tuple((_reference(item),) for item in front.references), None, tight=True),
        ]
    if front.acknowledgements:
        blocks.append(doc.back_heading(1, "Acknowledgements", "acknowledgements"))
        blocks += parse(front.acknowledgements, "acknowledgements")
    if front.version_history:
        blocks.append(doc.back_heading(1, "Version history", "version-history"))
        rows = [(item.version, item.date, item.change) for item in front.version_history]
        header = tuple((doc.Text(label),) for label in ("Version", "Date", "Change"))
        cells = tuple(tuple((doc.Text(text),) for text in row) for row in rows)
        blocks.append(doc.PlainTable(header, cells, ("left", "left", "left"), own=True))
    blocks.append(doc.back_heading(1, "Legal notice", "legal-notice"))
    notice = [*parse(front.legal or LEGAL, "legal")]
    holder = front.copyright
    told = [holder and f"Copyright © {front.date[:4]} {holder}.", front.generated_note]
    if any(told):
        notice.append(doc.paragraph(" ".join(filter(None, told))))
    # kept together: its last lines would not have a page to themselves
    led = [
        replace(part, leads=True) if isinstance(part, doc.Paragraph) else part for part in notice
    ]
    return [*blocks, *led[:-1], *notice[-1:]]


def _reference(item: Reference) -> doc.Paragraph:
    title = doc.Text(item.title)
    if not item.url:
        return doc.Paragraph((title,))
    return doc.Paragraph((title, doc.LineBreak(), doc.Link(item.url, (doc.Text(item.url),))))
