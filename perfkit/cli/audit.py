"""``perfkit audit``: whether the printed numbers of a document agree with each other."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import NOT_MET, form_of, remark
from perfkit.core.errors import PerfkitError

if TYPE_CHECKING:
    import polars as pl

    from perfkit.auditing.relations.document import Reach

BIG = 50


class Format(enum.StrEnum):
    """How findings are written."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


def audit(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|STUDY...",
            help="Markdown, text, CSV or PDF; or a study.yml, or its folder.",
        ),
    ],
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="How it is written; default: as -o ends, else text."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file for the findings.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also the relations that hold, not only findings.")
    ] = False,
) -> None:
    """Check whether the printed numbers of a document agree with each other.

    Relations are found by themselves where the shape is clear: sums, averages and sample standard
    deviations, read + write = total, differences and percentages, limits, what is stated twice.
    What does not agree in them is a doubt, to be looked at: most doubts are misread relations. A
    study's own relations (audit: in its study file) are checked as well. The last line of each
    document says how many of its numbers took part in a relation: of the others nothing is known.

    Exit code 3: a declared relation of a study fails, and no rounding explains it.

    For example:

        perfkit audit report.md

        perfkit audit paper.pdf -o findings.csv

        perfkit audit data/studies/tr-4784 --format json | jq .printed
    """
    form = form or form_of(out, Format.TEXT)
    found: list[_Found] = []
    problems: list[PerfkitError] = []
    for path in files:
        try:
            found.append(_Found(str(path), *_audited(path)))
        except PerfkitError as problem:
            # one bad file among many: the others are still audited, and the exit code tells
            problems.append(problem)
    if found:
        _write(found, form, out, every=every)
    for told in problems[:-1]:
        remark(f"error: {told}")
    if problems:
        raise problems[-1]
    if any(row["outcome"] == "fails" for item in found for row in item.rows):
        raise typer.Exit(NOT_MET)


@dataclass(frozen=True)
class _Found:
    name: str
    rows: list[dict[str, Any]]
    reach: Reach


def _audited(path: Path) -> tuple[list[dict[str, Any]], Reach]:
    """The findings of a file or study, each with its file, and how far they reach."""
    if path.is_dir() or path.suffix.lower() in {".yml", ".yaml"}:
        from perfkit.study.audit import audit_study

        return audit_study(path)
    from perfkit.auditing.reading import read_document
    from perfkit.auditing.relations.document import found_relations, reach
    from perfkit.sources.printed.read import is_printed, read_printed

    with path.open("rb") as stream:
        head = stream.read(200).decode("utf-8", "replace")
    if is_printed(head):
        import polars as pl

        from perfkit.auditing.reading import SENTENCES
        from perfkit.core.schema import polars_schema

        cells = pl.concat([item.frame for item in read_printed(path).values()])
        sentences = pl.DataFrame(schema=polars_schema(SENTENCES))
    else:
        reading = read_document(path)
        cells, sentences = reading["cells"].frame, reading["sentences"].frame
    frame = found_relations(cells, sentences, _progress(path))
    rows = [{"file": str(path), **row} for row in frame.rows(named=True)]
    return rows, reach(rows, cells, sentences)


def _progress(path: Path) -> Any:
    """Tables done, on a terminal, for documents with many."""

    def told(done: int, tables: int) -> None:
        if tables >= BIG and sys.stderr.isatty():
            end = "\n" if done == tables else ""
            typer.echo(f"\r{path.name}: {done:,} of {tables:,} tables{end}", err=True, nl=False)

    return told


def _write(found: list[_Found], form: Format, out: Path | None, *, every: bool) -> None:
    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    try:
        if form is Format.TEXT:
            for item in found:
                stream.write(_text(item, every=every))
            return
        for item in found:
            remark(_reached(item))
        chosen = [row for item in found for row in item.rows if every or row["outcome"] != "holds"]
        from perfkit.cli.export import csv_text, write_json

        if form is Format.CSV:
            stream.write(csv_text(_frame(chosen)))
            return
        for row in chosen:
            write_json(stream, row)
    finally:
        if out:
            stream.close()


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    from perfkit.auditing.relations.document import FOUND
    from perfkit.core.schema import polars_schema

    return pl.DataFrame(rows, schema={"file": pl.String, **polars_schema(FOUND)})


_HEADS = {
    "fails": "were declared and do not agree, and no rounding explains it",
    "doubt": "are in doubt: as perfkit reads the page they do not agree; does it read right?",
    "remark": "were found by reading",
    "within rounding": "agree within the rounding of what is printed",
    "not checked": "could not be checked",
    "holds": "agree",
}
"""Outcomes, the gravest first, as a heading says them."""

_SHORT = {
    "fails": "fail",
    "doubt": "in doubt",
    "remark": "found by reading",
    "within rounding": "hold within rounding",
    "not checked": "not checked",
    "holds": "hold",
}


def _reached(found: _Found) -> str:
    """How much of a document was checked at all."""
    reach = found.reach
    if not reach.taking_part:
        return (
            f"{found.name}: no number of {reach.numbers:,} took part in a relation: nothing was "
            "checked."
        )
    return (
        f"{found.name}: at least {reach.taking_part:,} of {reach.numbers:,} numbers took part in a "
        "relation; of the others nothing is known."
    )


def _text(found: _Found, *, every: bool) -> str:
    """Findings for people: the gravest first, then how much was checked."""
    name, rows = found.name, found.rows
    counts = {outcome: sum(row["outcome"] == outcome for row in rows) for outcome in _HEADS}
    lines: list[str] = []
    for outcome, head in _HEADS.items():
        own = [row for row in rows if row["outcome"] == outcome]
        if not own or (outcome == "holds" and not every):
            continue
        lines.append(f"{name}: {len(own)} that {head}")
        show = _short if outcome in {"within rounding", "holds"} else _whole
        lines += [line for row in own for line in show(row)]
        lines.append("")
    parts = ", ".join(f"{count} {_SHORT[outcome]}" for outcome, count in counts.items() if count)
    lines.append(f"{name}: {len(rows)} relations checked{': ' + parts if rows else ''}.")
    lines.append(_reached(found))
    return "\n".join(lines) + "\n"


def _whole(row: dict[str, Any]) -> list[str]:
    lines = [f"  {_where(row)}  {row['place'] or ''}".rstrip()]
    lines.append(f"      {row['name']}")
    if row["printed"] is not None:
        lines.append(f"      printed     {row['printed']}")
    if row["recomputed"] is not None:
        gap = "" if row["unit"] == "%" else " "
        unit = f"{gap}{row['unit']}" if row["unit"] and row["recomputed"][-1:].isdigit() else ""
        lines.append(f"      recomputed  {row['recomputed']}{unit}")
    lines += [
        f"      {label:<12}{row[key]}"
        for label, key in (("from", "rule"), ("note", "note"))
        if row[key]
    ]
    return lines


def _short(row: dict[str, Any]) -> list[str]:
    again = f" (recomputed {row['recomputed']})" if row["recomputed"] else ""
    return [f"  {_where(row)}  {row['place']}: {row['printed']}{again}"]


def _where(row: dict[str, Any]) -> str:
    return f"{row['file']}:{row['line']}" if row["line"] else str(row["file"])
