"""``perfkit study`` and ``perfkit doctor``: what is there, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from perfkit.cli.common import remark
from perfkit.core.errors import UsageError

app = typer.Typer(help="Make and check study files.", no_args_is_help=True, rich_markup_mode="rich")


def doctor() -> None:
    """List every part perfkit needs: found or not, its version, and the cure.

    Exit code 1 when a part that is needed is missing.

    For example:

        perfkit doctor
    """
    from rich.console import Console

    from perfkit.cli.doctor import parts
    from perfkit.cli.show import doctor_table

    found = parts()
    Console().print(doctor_table(found))
    missing = [part for part in found if part.state == "missing"]
    if missing:
        raise typer.Exit(1)


@app.command("new")
def new(
    places: Annotated[
        list[Path],
        typer.Argument(metavar="EVIDENCE...", help="Folders, archives or files of evidence."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the study file; default: the evidence's own."),
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Show it, write nothing.")] = False,
) -> None:
    """Look at evidence and propose a study file with labels, as perfkit report does by itself.

    An existing study.yml is never overwritten.

    For example:

        perfkit study new results/ && perfkit report results/
    """
    from perfkit.study.proposals import propose
    from perfkit.study.study import STUDY_FILE

    proposal = propose(places, out)
    for line in proposal.told:
        remark(line)
    if stdout:
        typer.echo(proposal.text, nl=False)
        return
    path = (out or proposal.base) / STUDY_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(proposal.text)
    except FileExistsError:
        raise UsageError(f"{path} is there already; --stdout shows the proposal") from None
    typer.echo(f"{path}: look at the labels, then: perfkit report {path.parent}")


@app.command("check")
def check(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study file, or its folder.")],
) -> None:
    """Check a study file: mistakes are told with line and path, files that it names must exist.

    For a file of an older perfkit it says what to write.

    For example:

        perfkit study check data/studies/this-host/study.yml
    """
    from perfkit.study.study import notebook_of, open_study

    opened = open_study(study)
    opened.front()
    notebook_of(opened)
    for entry in opened.model.evidence:
        opened.files(entry)
    typer.echo("\n".join([f"{opened.path}: good", *opened.outdated]))


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of study files, for editors that complete and check YAML.

    For example:

        perfkit study schema > study.schema.json
    """
    from perfkit.study.file import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))
