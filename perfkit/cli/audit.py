"""``perfkit audit``: whether the printed numbers of a document agree with each other."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfkit.cli.common import NOT_MET, remark
from perfkit.core.errors import PerfkitError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from perfkit.auditing.found.document import Reach
    from perfkit.core.schema import Row


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
        typer.Option(
            "--format", "-f", help="Output format; default: by the ending of -o, else text."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file for the findings.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also show the relations that hold, not only findings.")
    ] = False,
) -> None:
    """Check whether the printed numbers of a document agree with each other.

    Relations are found automatically where the document shows them: parts and totals, percent,
    factors and differences, products such as IOPS by block size, percentiles in order, what is
    stated twice, and limits. What fails is an error where it is arithmetic, and a doubt where a
    person has to look; with it is printed how often such findings were right. A study's own
    relations
    (audit: in its study file) are checked as well. The last line of each document says how many of
    its numbers took part in a relation: nothing is known about the others.

    Exit code 3: a relation fails, and no rounding explains it; doubts alone are 0.

    For example:

        perfkit audit report.md

        perfkit audit paper.pdf -o findings.csv

        perfkit audit data/studies/tr-4784 --format json | jq .printed
    """
    form = _form(form, out)
    found: list[_Found] = []
    problems: list[PerfkitError] = []
    for path in files:
        try:
            found.append(_audited(path))
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


_ENDINGS = {".md": Format.TEXT, ".txt": Format.TEXT, ".csv": Format.CSV, ".json": Format.JSON}


def _form(asked: Format | None, out: Path | None) -> Format:
    """The form asked for, else that of the ending of -o; an ending of another form is an error."""
    meant = _ENDINGS.get(out.suffix.lower()) if out else None
    if asked and meant and asked is not meant:
        raise UsageError(f"-o {out}: ends as {meant}, and --format asks for {asked}")
    return asked or meant or Format.TEXT


@dataclass(frozen=True)
class _Found:
    """The findings of a file or study, each with its file, and how far they reach."""

    name: str
    declared: list[Row]
    read: list[Row]
    reach: Reach

    @property
    def rows(self) -> list[Row]:
        return [*self.declared, *self.read]

    def summary(self) -> str:
        """What was checked and what it came to, in the words of a report."""
        from perfkit.auditing.relations import summary
        from perfkit.showing.sentences import Text
        from perfkit.showing.statements.say import sentence

        answers = [summary.failed(self.declared)] if self.declared else []
        if self.read or not self.declared:
            answers += summary.found(self.read)
        answers.append(summary.reached(self.reach))
        text = Text()
        said = text.done("audit", [sentence(text, answer) for answer in answers])
        return f"{self.name}: {said.text}"


def _audited(path: Path) -> _Found:
    if path.is_dir() or path.suffix.lower() in {".yml", ".yaml"}:
        from perfkit.study.audit import audit_study

        return _Found(str(path), *audit_study(path))
    from perfkit.auditing.found.document import found_relations, reach
    from perfkit.sources.printed.document.read import read_document
    from perfkit.sources.printed.read import is_printed_file, read_printed

    if is_printed_file(path):
        import polars as pl

        cells, sentences = pl.concat([item.frame for item in read_printed(path).values()]), None
    else:
        reading = read_document(path)
        for warning in reading.evidence.warnings:
            remark(f"warning: {path}: {warning}")
        cells, sentences = reading["cells"].frame, reading["sentences"].frame
    frame = found_relations(cells, sentences)
    rows = [{"file": str(path), **row} for row in frame.rows(named=True)]
    return _Found(str(path), [], rows, reach(rows, cells, sentences))


def _write(found: list[_Found], form: Format, out: Path | None, *, every: bool) -> None:
    try:
        stream = out.open("w", encoding="utf-8") if out else sys.stdout
    except OSError as problem:
        raise UsageError(f"-o {out}: cannot be written: {problem.strerror}") from None
    try:
        if form is Format.TEXT:
            for item in found:
                stream.write(_text(item, every=every))
            return
        for item in found:
            remark(item.summary())
        chosen = [
            {**row, "outcome": _OUTCOMES[row["outcome"]]}
            for item in found
            for row in item.rows
            if every or row["outcome"] != "holds"
        ]
        from perfkit.cli.export import csv_text, write_json

        if form is Format.CSV:
            stream.write(csv_text(_frame(chosen)))
            return
        for row in chosen:
            write_json(stream, row)
    finally:
        if out:
            stream.close()


def _frame(rows: list[Row]) -> pl.DataFrame:
    import polars as pl

    from perfkit.auditing.found.document import FOUND
    from perfkit.core.schema import polars_schema

    return pl.DataFrame(rows, schema={"file": pl.String, **polars_schema(FOUND)})


_OUTCOMES = {
    "fails": "error", "doubt": "doubt", "remark": "remark", "within rounding": "within rounding",
    "not checked": "not checked", "holds": "holds",
}  # fmt: skip
"""Outcomes and what they are called here, the gravest first."""
_FINE = {"within rounding", "holds"}
"""What is not a finding: of relations that were found by themselves it needs --all."""


def _text(found: _Found, *, every: bool) -> str:
    """Findings for people: the gravest first, then what was checked at all."""
    lines: list[str] = []
    for outcome, name in _OUTCOMES.items():
        rows = found.declared if outcome in _FINE and not every else found.rows
        own = [row for row in rows if row["outcome"] == outcome]
        if own and (every or outcome != "holds"):
            show = _short if outcome in {"within rounding", "holds"} else _whole
            lines += [f"{found.name}: {name}", *(line for row in own for line in show(row)), ""]
    return "\n".join([*lines, found.summary()]) + "\n"


def _whole(row: Row) -> list[str]:
    lines = [f"  {_where(row)}  {row['place'] or ''}".rstrip()]
    lines.append(f"      {row['name']}")
    if row["printed"] is not None:
        lines.append(f"      printed     {row['printed']}")
    if row["recomputed"] is not None:
        gap = "" if row["unit"] == "%" else " "
        unit = f"{gap}{row['unit']}" if row["unit"] and row["recomputed"][-1:].isdecimal() else ""
        lines.append(f"      recomputed  {row['recomputed']}{unit}")
    lines += [
        f"      {label:<12}{row[key]}"
        for label, key in (("from", "rule"), ("note", "note"))
        if row[key]
    ]
    if row.get("family"):
        lines.append(f"      precision   {row['family']}: {row['precision']}")
    return lines


def _short(row: Row) -> list[str]:
    again = f" (recomputed {row['recomputed']})" if row["recomputed"] else ""
    return [f"  {_where(row)}  {row['place']}: {row['printed']}{again}"]


def _where(row: Row) -> str:
    return f"{row['file']}:{row['line']}" if row["line"] else str(row["file"])
