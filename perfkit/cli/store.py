"""``perfkit ingest``, ``query``, ``reingest`` and ``store``: results that accumulate."""

from __future__ import annotations

import contextlib
import datetime as dt
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfkit.cli.common import Dask, Kind, Options, cluster, form_of, key_value, remark
from perfkit.cli.reading import Form, Format
from perfkit.core.errors import PerfkitError, StoreError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from perfkit.storing.take import Taken

app = typer.Typer(
    help="Inspect a store, and check it.", no_args_is_help=True, rich_markup_mode="rich"
)

DEFAULT = "data/store"
Folder = Annotated[
    str, typer.Option("--store", help="The store: a folder, delta:FOLDER, or a URL (s3://...).")
]

_NAMED = 10
"""Failures that are named in the terminal; the others are counted."""


def ingest(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files, folders, archives and runs.")
    ],
    store: Folder = DEFAULT,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A label for all of it: system=a400."),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw/--no-raw", help="Also keep the evidence itself.")
    ] = True,
    kind: Kind = None,
    option: Options = None,
    dask: Dask = None,
) -> None:
    """Take evidence into a store, which keeps its tables and the evidence itself.

    What is already in the store is not read again, and one bad file never stops the others.

    For example:

        perfkit ingest awr/ logs/ results/

        perfkit ingest results/ --label system=a400 --label firmware=9.15.1

        perfkit ingest genio/ --store lab/store --no-raw
    """
    from perfkit.storing.store import store as open_store

    labels = dict(_label(text) for text in label or [])
    options = dict(map(key_value, option or []))
    with _progress() as each, cluster(dask) as executor:
        found = open_store(store).ingest(
            *paths, labels=labels, raw=raw, kind=kind, options=options, executor=executor, each=each
        )
    _tell(found)
    if all(one.outcome == "no evidence" for one in found):
        raise PerfkitError("nothing was taken: there is no evidence in what was named")


def reingest(store: Folder = DEFAULT, dask: Dask = None) -> None:
    """Read everything in a store again, from the evidence that it keeps.

    After an upgrade, this updates all tables to what the readers now make of the evidence.

    For example:

        perfkit reingest
    """
    from perfkit.storing.store import store as open_store

    with _progress() as each, cluster(dask) as executor:
        found = open_store(store).reingest(executor=executor, each=each)
    _tell(found)


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A query over the tables.")],
    store: Folder = DEFAULT,
    form: Form = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file.")] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Answer without what is damaged in the store.")
    ] = False,
) -> None:
    """Query a store in SQL: its tables, and "pieces" with a row for each piece of evidence.

    "answers" has the answers that each piece gives by itself: perfkit query "select * from "
                                                                             "answers".

    For example:

        perfkit query "select kind, count(*) as files from pieces group by kind"

        perfkit query "select piece, max(iops) as iops from load_points group by piece" -o peaks.csv
    """
    from perfkit.storing.store import store as open_store

    form = form or form_of(out, Format.TABLE)
    frame = open_store(store).query(sql, partial=partial)
    _WRITERS[form](frame, out)


@app.command("show")
def show(store: Folder = DEFAULT) -> None:
    """List what is in a store: kinds, pieces and tables with their rows.

    For example:

        perfkit store show
    """
    import polars as pl

    from perfkit.storing.store import store as open_store

    pieces = open_store(store).pieces()
    kinds = pieces.group_by("kind").agg(
        pl.len().alias("pieces"),
        pl.when(pl.col("rows").is_null().any())
        .then(None)
        .otherwise(pl.col("rows").sum())
        .alias("rows"),
        pl.col("size_bytes").sum(),
        pl.col("time").min().alias("first_time"),
        pl.col("time").max().alias("last_time"),
    )
    _print(kinds.sort("kind"), None)


@app.command("migrate")
def migrate(store: Folder = DEFAULT, dask: Dask = None) -> None:
    """Bring a store that an older perfkit wrote to the form of this one; ingest does so, too.

    For example:

        perfkit store migrate
    """
    from perfkit.storing.store import store as open_store

    with _progress() as each, cluster(dask) as executor:
        found = open_store(store).migrate(executor=executor, each=each)
    _tell(found)


@app.command("compact")
def compact(store: Folder = DEFAULT) -> None:
    """Merge the many small files of a store's tables, so that questions open few.

    For example:

        perfkit store compact
        perfkit store sweep
    """
    from perfkit.storing.store import store as open_store

    typer.echo(f"{store}: {open_store(store).compact():,} files less to read")


@app.command("sweep")
def sweep(
    store: Folder = DEFAULT,
    grace: Annotated[
        float, typer.Option(metavar="DAYS", help="Keep what was live within so many days.")
    ] = 7,
) -> None:
    """Remove the files of a store that no live piece needs, while nobody writes to it.

    For example:

        perfkit store sweep
    """
    from perfkit.storing.store import store as open_store

    gone = open_store(store).sweep(dt.timedelta(days=grace))
    size = "" if gone.size is None else f", {gone.size:,} bytes"
    typer.echo(f"{store}: {gone.files:,} files removed{size}")


@app.command("repair")
def repair(store: Folder = DEFAULT) -> None:
    """Bring back what lost commits made live, and say what is lost for good.

    For example:

        perfkit store repair
    """
    from perfkit.storing.store import store as open_store

    for line in open_store(store).repair() or [f"{store}: no commit is lost"]:
        typer.echo(line)


@app.command("check")
def check(store: Folder = DEFAULT) -> None:
    """Read every file of a store and say what is damaged or missing.

    perfkit reingest makes damaged tables anew from the evidence; ingesting the same evidence again
    brings back what is missing, and perfkit store repair what a lost commit made live.

    For example:

        perfkit store check
    """
    from perfkit.storing.store import store as open_store

    found = open_store(store)
    problems, left = found.check(), found.leftovers()
    if left:
        remark(f"{left:,} pieces are not live: their ingest was interrupted; ingest them again")
    for problem in problems:
        remark(f"error: {problem}")
    if problems:
        raise StoreError(f"{store}: {len(problems):,} files are damaged or missing")
    typer.echo(f"{store}: whole, {found.pieces().height:,} pieces")


def _label(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not (sign and key.isidentifier()):
        raise UsageError(f"--label {text!r}: write it as KEY=VALUE; a key is a word")
    return key, value


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[Taken], object]]:
    """A line that counts what was taken, where a person looks."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("pieces of evidence", total=None)
        yield lambda _: bar.advance(task)


def _tell(found: list[Taken]) -> None:
    """What became of all pieces; raises where one failed."""
    counts = Counter(one.outcome for one in found)
    rows = sum(one.rows for one in found)
    typer.echo(
        f"{counts['read']:,} read ({rows:,} rows), {counts['known']:,} known already, "
        f"{counts['no evidence']:,} no evidence, {counts['failed']:,} failed"
    )
    lacking = [one for one in found if one.outcome == "read" and one.reason]
    for one in lacking[:_NAMED]:
        remark(f"warning: {one.name}: read, and lacks answers: {one.reason}")
    failed = sorted((one for one in found if one.outcome == "failed"), key=lambda one: one.name)
    for one in failed[:_NAMED]:
        remark(f"error: {one.name}: {one.reason}")
    if failed:
        more = len(failed) - _NAMED
        rest = f"; {more:,} more than the {_NAMED} above" if more > 0 else ""
        raise PerfkitError(f"{len(failed):,} could not be read{rest}")


def _print(frame: pl.DataFrame, out: Path | None) -> None:
    from rich.console import Console

    from perfkit.cli.frames import Style, frame_table

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    with stream if out else contextlib.nullcontext():
        console = Console(file=stream)
        console.print(frame_table(frame, "store", Style(console.width)))


def _write_json(frame: pl.DataFrame, out: Path | None) -> None:
    from perfkit.cli.export import rows, write_json

    stream = out.open("w", encoding="utf-8") if out else sys.stdout
    with stream if out else contextlib.nullcontext():
        for row in rows(frame):
            write_json(stream, row)


def _write_csv(frame: pl.DataFrame, out: Path | None) -> None:
    from perfkit.cli.export import csv_text

    if out is None:
        sys.stdout.write(csv_text(frame))
    else:
        out.write_text(csv_text(frame), encoding="utf-8")


def _write_parquet(frame: pl.DataFrame, out: Path | None) -> None:
    if out is None:
        raise UsageError("--format parquet needs -o FILE.parquet")
    frame.write_parquet(out)


def _write_workbook(frame: pl.DataFrame, out: Path | None) -> None:
    from perfkit.cli.gathering import Part
    from perfkit.cli.workbook import write_workbook

    if out is None:
        raise UsageError("--format xlsx needs -o FILE.xlsx")
    write_workbook([Part("query", "", "query", frame, {})], out)


_WRITERS: dict[Format, Callable[[pl.DataFrame, Path | None], None]] = {
    Format.TABLE: _print,
    Format.CSV: _write_csv,
    Format.JSON: _write_json,
    Format.PARQUET: _write_parquet,
    Format.XLSX: _write_workbook,
}
