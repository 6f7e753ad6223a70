"""``perfkit read``: any evidence file to tables."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import form_of, key_value, remark
from perfkit.core.errors import ParseError, PerfkitError, UsageError
from perfkit.core.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.core.evidence import Evidence
    from perfkit.core.lineage import Measured, Reading


class Format(enum.StrEnum):
    """How tables are written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    XLSX = "xlsx"


def read(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files or run folders.")],
    table: Annotated[str | None, typer.Option("--table", help="One table only.")] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="How it is written; default: as -o ends, else table."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A file; for csv and parquet of several tables or files, a folder."
        ),
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The source's kind; default: told apart.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="Of the kind's reader."),
    ] = None,
) -> None:
    """Read evidence files to tidy tables: units in the column names, missing is null.

    For example:

        perfkit read result.json

        perfkit read result.json --table load_points --format csv -o points.csv

        perfkit read big.log -o steps.parquet

        perfkit read data/runs/* --format json | jq .evidence.warnings

        perfkit read summary.csv --option decimal=,
    """
    from perfkit.sources import read as read_source

    form = form or form_of(out, Format.TABLE)
    options: dict[str, Any] = dict(map(key_value, option or []))
    if form is Format.PARQUET and out is not None and len(files) == 1 and not options:
        stream = _streamer(files[0], kind)
        if stream is not None:
            _print_summary(files[0], stream(files[0], out, table=table))
            return
    chosen: Chosen = []
    problems: list[PerfkitError] = []
    for path in files:
        try:
            reading = read_source(path, kind=kind, **options)
            tables = dict(reading.tables) if table is None else {table: reading[table]}
            chosen.append((str(path), reading, tables))
        except ParseError as problem:
            # one bad file among many: the others are still read, and the exit code tells
            problems.append(problem)
    if chosen:
        WRITERS[form](chosen, out, table is not None)
    for told in problems[:-1]:
        remark(f"error: {told}")
    if problems:
        raise problems[-1]


def _streamer(path: Path, kind: str | None) -> Callable[..., Evidence] | None:
    """What writes a file of this kind to Parquet piece by piece, where its kind has that."""
    from perfkit.sources import SOURCES, kind_of

    if kind is not None and kind not in SOURCES:
        return None
    return SOURCES[kind or kind_of(path)].to_parquet


def _print_summary(path: Path, evidence: Evidence) -> None:
    """What was found and what is to be known of it, for a file that is not shown."""
    for section in evidence.sections:
        if section.rows:
            remark(f"{path}: {section.name}: {section.rows:,} rows")
    for warning in evidence.warnings:
        remark(f"warning: {warning}")


Chosen = list[tuple[str, "Reading", "dict[str, Measured]"]]


def _write_tables(chosen: Chosen, out: Path | None, _one: bool) -> None:
    from rich.console import Console

    from perfkit.cli.frames import frame_table

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    console = Console(file=stream, width=None if out is None else 200)
    for name, reading, tables in chosen:
        console.print(plain(f"{name} ({reading.evidence.kind})"), style="bold", markup=False)
        for title, item in tables.items():
            console.print(frame_table(item.frame, title, console.width))
        for warning in reading.evidence.warnings:
            console.print(plain(f"warning: {warning}"), markup=False, style="yellow")
    if out:
        stream.close()


def _write_json(chosen: Chosen, out: Path | None, one: bool) -> None:
    from perfkit.cli.export import json_record, rows, write_json

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    for name, reading, tables in chosen:
        if not one:
            write_json(stream, json_record(name, reading))
            continue
        for item in tables.values():
            for row in rows(item.frame):
                write_json(stream, row)
    if out:
        stream.close()


def _write_workbook(chosen: Chosen, out: Path | None, _one: bool) -> None:
    from perfkit.cli.export import write_workbook

    if out is None:
        raise UsageError("--format xlsx needs -o FILE.xlsx (one file) or a folder (several)")
    if len(chosen) == 1:
        write_workbook({name: item.frame for name, item in chosen[0][2].items()}, out)
        return
    out.mkdir(parents=True, exist_ok=True)
    for stem, (_, _, tables) in zip(_stems(chosen), chosen, strict=True):
        write_workbook({name: item.frame for name, item in tables.items()}, out / f"{stem}.xlsx")


def _write_files(form: Format) -> _Writer:
    def write(chosen: Chosen, out: Path | None, one: bool) -> None:
        from perfkit.cli.export import FOLDER_FORMATS, csv_text

        single = one and len(chosen) == 1
        if out is None:
            if form is Format.CSV and single:
                (item,) = chosen[0][2].values()
                sys.stdout.write(csv_text(item.frame))
                return
            raise UsageError(f"--format {form} needs -o: a folder, or with --table a file")
        if single and out.suffix:
            (item,) = chosen[0][2].values()
            FOLDER_FORMATS[form](item.frame, out)
            return
        if out.suffix == f".{form}":
            raise UsageError(
                f"{out} is one file, for several tables: name one with --table, or give a folder"
            )
        for stem, (_, _, tables) in zip(_stems(chosen), chosen, strict=True):
            folder = out if len(chosen) == 1 else out / stem
            folder.mkdir(parents=True, exist_ok=True)
            for name, item in tables.items():
                FOLDER_FORMATS[form](item.frame, folder / f"{name}.{form}")

    return write


def _stems(chosen: Chosen) -> list[str]:
    """A folder or file name for each source, distinct even where names repeat."""
    seen: dict[str, int] = {}
    stems = []
    for name, _, _ in chosen:
        stem = Path(name).name.split(".")[0] or "source"
        seen[stem] = seen.get(stem, 0) + 1
        stems.append(stem if seen[stem] == 1 else f"{stem}-{seen[stem]}")
    return stems


if TYPE_CHECKING:
    from collections.abc import Callable

    _Writer = Callable[[Chosen, Path | None, bool], None]

WRITERS: dict[Format, _Writer] = {
    Format.TABLE: _write_tables,
    Format.JSON: _write_json,
    Format.XLSX: _write_workbook,
    Format.CSV: _write_files(Format.CSV),
    Format.PARQUET: _write_files(Format.PARQUET),
}
