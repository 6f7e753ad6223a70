"""``perfkit read``: evidence files to tables, in the terminal or as files."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import Kind, Options, form_of, key_value, remark
from perfkit.core.errors import UsageError

if TYPE_CHECKING:
    from perfkit.cli.gathering import Gathered
    from perfkit.core.evidence import Evidence


class Format(enum.StrEnum):
    """How tables are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    XLSX = "xlsx"


Form = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="Output format; default: by the ending of -o, else table."),
]


def read(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files, folders, archives or runs.")
    ],
    table: Annotated[str | None, typer.Option("--table", help="One table only.")] = None,
    form: Form = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A file, or (csv, parquet) a folder with a file for each table."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show every table, and every row of it.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Show plain numbers in the columns' units.")
    ] = False,
    kind: Kind = None,
    option: Options = None,
) -> None:
    """Read evidence files to tidy tables: units in the column names, missing is null.

    Several files make one table, with a column that names the file.

    For example:

        perfkit read awr/

        perfkit read awr/ --table top_events --all

        perfkit read result.json -f xlsx -o result.xlsx

        perfkit read results/*.json --table load_points -o points.csv

        perfkit read big.log -o steps.parquet

        perfkit read data/runs/* -f json | jq .evidence.warnings

        perfkit read summary.csv --option decimal=,
    """
    from perfkit.cli.gathering import gather

    form = form or form_of(out, Format.TABLE)
    options: Mapping[str, Any] = dict(map(key_value, option or []))
    if form is Format.PARQUET and out is not None and len(files) == 1 and not options:
        stream = _streamer(files[0], kind)
        if stream is not None:
            _print_summary(files[0], stream(files[0], out, table=table))
            return
    found = gather(files, kind, options)
    if found.readings:
        WRITERS[form](found, out, Wanted(table, every, raw))
    for why, paths in found.left_out.items():
        remark(_left_out(paths, why))
    # one bad file among many: the others are read, and the exit code says that one failed
    for text in list(dict.fromkeys(map(str, found.problems)))[:-1]:
        remark(f"error: {text}")
    if found.problems:
        raise found.problems[-1]


@dataclass(frozen=True)
class Wanted:
    """What is to be shown: one table (None: the kind's overview), every row, plain numbers."""

    table: str | None
    every: bool
    raw: bool


_NAMED = 3
"""Files that are not evidence and named; the others are counted."""


def _left_out(paths: list[str], why: str | None) -> str:
    """A line for files that are no evidence, or cannot be read for one reason."""
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    names = f"{', '.join(paths[:_NAMED])}{more}"
    return f"left out: {names}: {why}" if why else f"left out, no evidence: {names}"


def _streamer(path: Path, kind: str | None) -> Callable[..., Evidence] | None:
    """What writes a file of this kind to Parquet piece by piece, where its kind has that."""
    from perfkit.core.archives import opened
    from perfkit.sources import SOURCES, is_folder_of_evidence, kind_of

    place = opened(path)
    if (kind is not None and kind not in SOURCES) or (
        kind is None and place.is_dir() and not is_folder_of_evidence(place)
    ):
        return None
    return SOURCES[kind or kind_of(path)].to_parquet


def _print_summary(path: Path, evidence: Evidence) -> None:
    """The tables and warnings of a file that was written and not printed."""
    for section in evidence.sections:
        if section.rows:
            remark(f"{path}: {section.name}: {section.rows:,} rows")
    for warning in evidence.warnings:
        remark(f"warning: {warning}")


def _write_tables(found: Gathered, out: Path | None, wanted: Wanted) -> None:
    from perfkit.cli.overview import show

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    with stream if out else nullcontext():
        show(found, stream, wanted.table, every=wanted.every, raw=wanted.raw)


def _write_json(found: Gathered, out: Path | None, wanted: Wanted) -> None:
    from perfkit.cli.export import json_record, rows, write_json

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    with stream if out else nullcontext():
        if wanted.table is None:
            for name, reading in found.readings:
                write_json(stream, json_record(name, reading))
            return
        for part in found.parts(wanted.table):
            for row in rows(part.frame):
                write_json(stream, row)


def _write_workbook(found: Gathered, out: Path | None, wanted: Wanted) -> None:
    from perfkit.cli.workbook import write_workbook

    if out is None:
        raise UsageError("--format xlsx needs -o FILE.xlsx")
    write_workbook(found.parts(wanted.table), out)


def _write_files(form: Format) -> Callable[[Gathered, Path | None, Wanted], None]:
    def write(found: Gathered, out: Path | None, wanted: Wanted) -> None:
        from perfkit.cli.export import FOLDER_FORMATS, csv_text

        parts = found.parts(wanted.table)
        if out is None:
            if form is Format.CSV and len(parts) == 1:
                sys.stdout.write(csv_text(parts[0].frame))
                return
            raise UsageError(f"--format {form} needs -o: a folder, or with --table a file")
        if out.suffix and not out.is_dir():
            if len(parts) > 1:
                names = ", ".join(part.name for part in parts)
                raise UsageError(
                    f"{out} is one file, for several tables: name one with --table, or give a "
                    f"folder ({names})"
                )
            FOLDER_FORMATS[form](parts[0].frame, out)
            return
        out.mkdir(parents=True, exist_ok=True)
        for part in parts:
            FOLDER_FORMATS[form](part.frame, out / f"{part.name}.{form}")

    return write


WRITERS: dict[Format, Callable[[Gathered, Path | None, Wanted], None]] = {
    Format.TABLE: _write_tables,
    Format.JSON: _write_json,
    Format.XLSX: _write_workbook,
    Format.CSV: _write_files(Format.CSV),
    Format.PARQUET: _write_files(Format.PARQUET),
}
