"""Oracle AWR and Statspack reports: from a file to its tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from perfkit.core import evidence as proof
from perfkit.core.errors import ParseError, UsageError, check_name
from perfkit.core.evidence import Evidence
from perfkit.core.evidence import Section as Outcome
from perfkit.core.kept import kept
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.sources.awr import cells, checks, derived, frames, report_file
from perfkit.sources.awr.head import KINDS, read_head
from perfkit.sources.awr.html_rows import DamagedError
from perfkit.sources.awr.left_out import is_left_out
from perfkit.sources.awr.raw import Body, RawTable
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.awr.sections import PDB, RAC, SECTIONS, SINGLE, fits, named
from perfkit.sources.awr.tidy import READERS, Context, Data, Found, UnreadError, size_of
from perfkit.sources.awr.tidy.damage import check_header, check_rows, without_ranks
from perfkit.sources.files import file_bytes, given, labelled, reader

VERSION = 1

VERIFIED = frozenset({
    ("awr", "html", SINGLE, "11.1"), ("awr", "html", SINGLE, "11.2"),
    ("awr", "html", SINGLE, "12.1"), ("awr", "html", SINGLE, "12.2"),
    ("awr", "html", SINGLE, "18"), ("awr", "html", SINGLE, "19"), ("awr", "html", SINGLE, "23"),
    ("awr", "html", PDB, "12.2"), ("awr", "html", RAC, "19"), ("awr", "text", SINGLE, "11.2"),
    ("awr", "text", SINGLE, "12.1"), ("awr", "text", SINGLE, "12.2"),
    ("awr", "text", SINGLE, "19"), ("awr", "text", RAC, "19"),
    ("statspack", "text", SINGLE, "11.2"), ("statspack", "text", SINGLE, "12.1"),
})  # fmt: skip
"""The dialects of which whole real reports were read: form, format, scope, release.

Of 10g, 21c and the text of a PDB (19c) only parts of reports printed in documents are known; of
23ai no report of a PDB or of a cluster, and no text.
"""

_LEFT_OUT = "known to perfkit, which takes nothing from it"


@dataclass
class _Part:
    """The outcome of one section of the report: its rows, why it is unread."""

    rows: int | None = None
    reason: str | None = None


@reader
def read_awr(
    path: Path | str,
    *,
    root: Path | None = None,
    labels: Mapping[str, str | float | int] | None = None,
    tables: Sequence[str] | None = None,
) -> Reading:
    """Read one AWR report (HTML or text; one instance, RAC-global, PDB) or Statspack report.

    Packed with gzip or not; releases 10g to 23ai, of which ``VERIFIED`` lists the dialects that
    real reports were read of: the evidence of another one is marked ``unverified``.

    Tables (columns, units and meanings: ``perfkit.sources.awr.schema``) are empty where the
    report prints nothing for them. ``tables`` names the wanted ones: the others are not read and
    are not in the reading.

    Physical reads and writes of Load Profile and System Statistics are blocks. ``load_points``
    has the IOPS of the first source that the report holds, named in ``iops_source``.

    ``evidence.sections`` has the outcome of each section, and names the tables that perfkit knows
    and leaves out; unknown tables are named in the warnings. So is every contradiction within the
    report.

    Raises:
        ParseError: naming file and place: no such report, another report of Oracle's, empty,
            binary, larger than any report, printed with decimal commas, or several reports.
        UsageError: a name in ``tables`` that is not a table, or a label that is not a key.
    """
    found, data = read_columns(path, root, tables)
    made = {name: frames.framed(name, columns) for name, columns in data.items()}
    if labels and "load_points" in made:
        made["load_points"] = labelled(made["load_points"], labels, found.path)
    return reading("read.awr", VERSION, made, found, given(labels=dict(labels or {})))


def read_columns(
    path: Path | str, root: Path | None, tables: Sequence[str] | None
) -> tuple[Evidence, dict[str, Data]]:
    """The evidence of a report and the columns of its wanted tables; errors as ``read_awr``."""
    for name in tables or ():
        check_name("table", name, TABLES, UsageError)
    wanted = frozenset(TABLES if tables is None else tables)
    label = proof.label(Path(path), root)
    facts = ("awr", VERSION, PurePath(label).name, sorted(wanted))
    found, data = kept(Path(path), facts, lambda: _read_whole(str(path), label, wanted))
    return replace(found, path=label), data


def _read_whole(path: str, label: str, wanted: frozenset[str]) -> tuple[Evidence, dict[str, Data]]:
    """What ``read_columns`` gives, from the file."""
    packed = file_bytes(Path(path), path, report_file.LIMIT)
    plain = report_file.unpacked(packed, path)
    digest = proof.sha256_bytes(packed)
    del packed
    text, note = report_file.decoded(plain, path)
    del plain
    text = report_file.uncopied(text)
    form, is_html = report_file.form_of(text, path)
    context = Context(text=not is_html)
    if note:
        context.warn(note)
    try:
        raw = _raw(text, path, context)
        # the page is held once: the tables know their places in its bytes
        del text
        data, sections, head = _all(raw, context, form, wanted)
        for warning in checks.problems(data, head, data["report"]["release"][0]):
            context.warn(warning)
    except cells.ForeignNumberError as problem:
        raise ParseError(path, f"numbers with a decimal comma are not read: {problem}") from problem
    except DamagedError as problem:
        raise ParseError(path, f"{problem}: no report has so many") from problem
    report = next(frames.records(data["report"]))
    if not head:
        what = "no table that perfkit knows: it may be copied from a page, without its columns"
        raise ParseError(path, f"the report holds {what}")
    if "load_points" in wanted:
        data["load_points"] = derived.load_points(data, label, context.ends_in)
    found = Evidence(
        kind=form,
        path=label,
        sha256=digest,
        tool="Oracle AWR" if form == "awr" else "Oracle Statspack",
        tool_version=report["release"],
        sections=tuple(sections),
        warnings=(*context.warnings, *context.counted()),
        unverified=_dialect(report) not in VERIFIED,
    )
    return found, {name: data[name] for name in TABLES if name in wanted}


def _raw(text: str, path: str, context: Context) -> list[RawTable]:
    """The tables of a report; its scope and what hides a part of it go to the context."""
    page = text.encode()
    if not context.text and b"\r" in page:
        page = page.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    low = page.lower()
    report_file.refuse_second(low, path)
    cut = report_file.is_cut(text)
    if context.text:
        from perfkit.sources.awr import text as front

        raw, hidden = front.tables(text, cut=cut), front.notes(text)
    else:
        from perfkit.sources.awr import html

        found, hidden = html.tables(page, low, cut=cut)
        raw = [*_without_rows(text), *found]
    for warning in hidden:
        context.warn(warning)
    context.scope = _scope(raw, text)
    if cut:
        context.ends_in = raw[-1].name if raw else "its head"
        where = f"; it ends in {raw[-1].name} ({raw[-1].place})" if raw else ""
        context.warn(f"the report is cut off: no 'End of Report'{where}; its last row is left out")
    return raw


def _without_rows(text: str) -> Iterator[RawTable]:
    """The sections of a page that prints a sentence below their heading, and no table."""
    place = text.find(_NOTHING)
    while place >= 0:
        heading = _HEADING.search(text, max(0, place - _ABOVE), place)
        if heading:
            table = RawTable(heading[1], "", "", "no table", partial(Body, (), list), str)
            if named(table):
                yield table
        place = text.find(_NOTHING, place + 1)


_NOTHING = "No data exists for this section of the report"
_ABOVE = 400
"""Characters above the sentence in which its heading stands."""

_HEADING = re.compile(r"<h3[^>]*>([^<>]+)</h3>(?:(?!<table|<h[1-3]).)*$", re.S)


def _scope(raw: Iterable[RawTable], text: str) -> str:
    """One instance, RAC-global, or PDB: by the heading, in anonymised reports by the tables."""
    head = text[:65536].lower()
    if "workload repository report (rac)" in head or "<title>awr rac report" in head:
        return RAC
    included = "Database Instances Included"
    if any(table.summary.startswith(included) or table.title.startswith(included) for table in raw):
        return RAC
    return PDB if "workload repository pdb report" in head else SINGLE


def _dialect(report: Mapping[str, Any]) -> tuple[str, str, str, str]:
    release = str(report["release"] or "")
    first, _, rest = release.partition(".")
    whole = first.isdecimal() and int(first) >= 18
    short = first if whole else f"{first}.{rest.partition('.')[0]}"
    return report["form"], report["format"], report["scope"], short


def _all(
    raw: list[RawTable], context: Context, form: str, wanted: frozenset[str]
) -> tuple[dict[str, Data], list[Outcome], dict[str, list[Found]]]:
    """Every wanted table with those it needs, the outcome of each section, and the tables found."""
    needed = _needed(wanted)
    found: dict[str, list[Found]] = {}
    parts: dict[str, _Part] = {}
    others: list[RawTable] = []
    for table in raw:
        section = named(table)
        if section is None or (section.html_only and context.text):
            others.append(table)
        elif fits(table, section):
            found.setdefault(section.name, []).append(Found(table, section, context))
            parts.setdefault(section.name, _Part())
        else:
            part = parts.setdefault(section.name, _Part())
            shown = " | ".join(column.name for column in table.columns)[:120]
            part.reason = f"{table.place}: its columns are not known: {shown}"
    values: Row = {
        "form": form,
        "format": "text" if context.text else "html",
        "scope": context.scope,
    }
    report, instances = _head(found, context, values, parts)
    chunks: dict[str, list[Data]] = {name: [] for name in needed}
    chunks["report"], chunks["instances"] = [report], [instances] if instances else []
    for name, tables in found.items():
        for each in tables:
            if each.section.kind not in KINDS:
                _read(each, chunks, parts[name])
    made = _made(chunks, needed)
    return made, _section_outcomes(parts, context, form, others), found


def _needed(wanted: frozenset[str]) -> frozenset[str]:
    needed = set(wanted) | {"report", "instances"}
    while True:
        more = {other for name in needed for other in derived.NEEDS.get(name, ())} - needed
        if not more:
            return frozenset(needed)
        needed |= more


def _head(
    found: Mapping[str, list[Found]],
    context: Context,
    values: Row,
    parts: dict[str, _Part],
) -> tuple[Data, Data]:
    """The head of the report, without the parts that cannot be read; their reasons are kept."""
    own = {name: tables for name, tables in found.items() if tables[0].section.kind in KINDS}
    report, instances, wrong = read_head(own, context, values)
    for name, tables in own.items():
        parts[name].rows = sum(len(each.table.rows) for each in tables)
        parts[name].reason = wrong.get(name)
    return report, instances


def _read(found: Found, chunks: dict[str, list[Data]], part: _Part) -> None:
    """One table of a section, if anything of it is needed."""
    if not chunks.keys() & set(found.section.tables):
        return
    table = found.table
    if not table.columns and (table.is_empty if found.text else not table.rows):
        part.rows = part.rows or 0
        return
    try:
        found = check_header(found)
        got = READERS[found.section.kind](found)
        check_rows(found)
        without_ranks(found, got)
    except UnreadError as problem:
        part.reason = str(problem)
        return
    finally:
        found.table.forget()
    for name, data in got.items():
        if name in chunks:
            chunks[name].append(data)
    part.rows = (part.rows or 0) + max((size_of(data) for data in got.values()), default=0)


def _made(chunks: dict[str, list[Data]], needed: frozenset[str]) -> dict[str, Data]:
    made = {name: frames.finished(name, chunks[name]) for name in needed if name not in _MADE}
    if "system_statistics" in needed and not size_of(made["system_statistics"]):
        made["system_statistics"] = derived.from_load_profile(made["load_profile"])
    if "iops_source" in needed:
        made["iops_source"] = derived.iops_source(made)
    if "redo_log" in needed:
        made["redo_log"] = derived.redo_log(made)
    made["report"] = derived.completed(made)
    return made


_MADE = frozenset({"iops_source", "redo_log", "load_points"})


def _section_outcomes(
    parts: Mapping[str, _Part], context: Context, form: str, others: Iterable[RawTable]
) -> list[Outcome]:
    """The outcome of each expected section, and of what else is in the report."""
    told = []
    for section in SECTIONS:
        part = parts.get(section.name)
        if part is not None:
            told.append(_status(section.name, part))
        elif context.scope in section.scopes and form in section.forms:
            told.append(Outcome(section.name, "absent", None, "no such table in the report"))
    strange = []
    for table in others:
        if is_left_out(table) and not table.stray:
            told.append(Outcome(f"not read: {table.name[:80]}", "found", None, _LEFT_OUT))
        else:
            strange.append(f"{table.name[:80]!r} ({table.place})")
    if strange:
        context.warn(f"tables that perfkit does not know, not read: {', '.join(strange)}")
    return list(dict.fromkeys(told))


def _status(name: str, part: _Part) -> Outcome:
    if part.reason is not None:
        return Outcome(name, "unparsed", part.rows or None, part.reason)
    if part.rows is None:
        return Outcome(name, "found", None, "not asked for")
    if not part.rows:
        return Outcome(name, "empty", None, "the report prints no rows of it")
    return Outcome(name, "found", part.rows)
