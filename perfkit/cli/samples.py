"""``perfkit sample``: generated evidence in a tool's own format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perfkit.cli.options import key_value
from perfkit.errors import UsageError


def sample(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which; left out: list them.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A folder that is not there yet.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same bytes.")] = 1,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="Of the generator.")
    ] = None,
) -> None:
    """Write generated evidence with known content, to try perfkit or to test a report.

    The folder is stamped: whatever is read from it is marked as generated, for good.

    For example:

        perfkit sample

        perfkit sample sas-workload /tmp/sas --seed 7 && perfkit study new /tmp/sas --stdout
    """
    from perfkit.samples import SAMPLES, ensure

    if name is None:
        for known, each in SAMPLES.items():
            typer.echo(f"{known}: {each.description}")
        return
    if folder is None:
        raise UsageError("name a folder for the files: perfkit sample NAME DIR")
    stamp = ensure(name, folder, seed=seed, options=dict(map(key_value, option or [])))
    typer.echo(f"{folder}: {len(stamp.files)} files, {stamp.origin.of}")
