"""Exit codes, messages on stderr and options that several commands share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from perfkit.core.errors import UsageError
from perfkit.core.plain_text import plain

_Form = TypeVar("_Form", bound=StrEnum)

Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Spread the work over a Dask cluster: tcp://HOST:8786."),
]

Kind = Annotated[str | None, typer.Option(help="The source's kind; default: by its content.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="An option of the kind's reader."),
]

FAILED, USAGE, NOT_MET, INTERRUPTED = 1, 2, 3, 130


def remark(text: str) -> None:
    """Print a one-line message on stderr."""
    typer.echo(plain(text), err=True)


def form_of(out: Path | None, default: _Form) -> _Form:
    """The form that the ending of the output's name asks for, else the default."""
    forms = type(default)
    ending = out.suffix.removeprefix(".") if out else ""
    return forms(ending) if ending in set(forms) else default


def key_value(text: str) -> tuple[str, str | int | float]:
    """Key and value of one option; a value that is a number becomes one."""
    key, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--option {text!r}: is not KEY=VALUE")
    for kind in (int, float):
        try:
            return key, kind(value)
        except ValueError:
            continue
    return key, value


@contextlib.contextmanager
def cluster(address: str | None) -> Iterator[Executor | None]:
    """The Dask cluster at an address; None without one: processes of this host."""
    if address is None:
        yield None
        return
    from perfkit.core.dask import executor

    with executor(address) as found:
        yield found
