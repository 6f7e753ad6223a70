"""``perfkit sources``: what perfkit reads, and the tables and columns that it makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from perfkit.core.errors import UsageError, check_name

if TYPE_CHECKING:
    from rich.table import Table

    from perfkit.core.schema import Schema


def sources(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="One kind; default: list all.")
    ] = None,
) -> None:
    """List the kinds of evidence, or the tables of one with the unit and meaning of each column.

    For example:

        perfkit sources

        perfkit sources awr
    """
    from rich.console import Console
    from rich.markup import escape

    from perfkit.sources import SOURCES

    console = Console()
    if kind is None:
        rows: list[tuple[str, ...]] = [
            (s.name, s.description, s.reported.criteria, s.reported.notebook)
            for s in SOURCES.values()
        ]
        console.print(_table("What perfkit reads", ("kind", "what", "criteria", "notebook"), rows))
        return
    check_name("kind", kind, SOURCES, UsageError)
    source = SOURCES[kind]
    console.print(f"{source.name}: {escape(source.description)}", style="bold")
    for name, schema in source.tables.items():
        title = "every table" if name == "*" else name
        console.print(_table(title, ("column", "type", "unit", "meaning"), _columns(schema)))


def _columns(schema: Schema) -> list[tuple[str, ...]]:
    return [
        (name, str(field.dtype), field.unit or "", field.meaning) for name, field in schema.items()
    ]


def _table(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in {"kind", "column"})
    for row in rows:
        table.add_row(*map(escape, row))
    return table
