"""``perfkit study``, ``perfkit lab`` and ``perfkit doctor``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from perfkit.cli.common import FAILED, remark
from perfkit.core.errors import UsageError

app = typer.Typer(help="Make and check study files.", no_args_is_help=True, rich_markup_mode="rich")


def doctor() -> None:
    """List the parts perfkit needs, whether each is installed, and what can be done with them.

    Reading needs neither fio nor a browser; measuring needs fio, the charts of a report a browser.
    Exit code 1 if a part is missing that everything needs.

    For example:

        perfkit doctor
    """
    from rich.console import Console

    from perfkit.cli.doctor import cures, parts, uses
    from perfkit.cli.show import doctor_table

    found = parts()
    Console().print(doctor_table(found))
    typer.echo("\n".join([*cures(found), *uses(found)]))
    missing = [part for part in found if part.state == "missing"]
    if missing:
        raise typer.Exit(1)


def lab(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder to open; default: here.")
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this machine's loopback address.")] = 8888,
    notebooks: Annotated[
        bool, typer.Option("--notebooks", help="Copy perfkit's notebooks there first.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Open JupyterLab on this machine only (127.0.0.1), in a folder with notebooks.

    For example:

        perfkit lab my-notebooks --notebooks --no-browser
    """
    if notebooks:
        from perfkit.study.examples import copy_notebooks

        copy_notebooks(folder or Path.cwd())
    argv = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={(folder or Path.cwd()).resolve()}",
        *([] if browser else ["--no-browser"]),
        # measuring often needs root; the server is on loopback and asks for its token all the same
        *(["--allow-root"] if os.geteuid() == 0 else []),
    ]
    # JupyterLab takes this process's place: Ctrl-C and exit codes are its own
    os.execv(sys.executable, argv)  # noqa: S606 - no shell is meant


@app.command("new")
def new(
    places: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[EVIDENCE...]", help="Folders, archives or files of evidence."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the study file; default: the evidence's own."),
    ] = None,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print it and write nothing.")] = False,
    example: Annotated[
        str | None, typer.Option(help="Copy a study that comes with perfkit, such as this-host.")
    ] = None,
) -> None:
    """Propose a study file with labels for evidence, as perfkit report does by itself.

    With --example, copy a study that comes with perfkit. No existing file is overwritten.

    For example:

        perfkit study new results/ && perfkit report results/

        perfkit study new --example this-host && perfkit report this-host
    """
    from perfkit.study.examples import copy_study
    from perfkit.study.opening import STUDY_FILE
    from perfkit.study.proposals import propose

    if bool(places) == bool(example):
        raise UsageError("name evidence, or --example and a study that comes with perfkit")
    if example:
        made = copy_study(example, out)
        typer.echo(f"{made / STUDY_FILE}: look at it, then: perfkit report {made}")
        return
    proposal = propose(places or [], out, say=remark)
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
    """Check a study: list every mistake that would stop its report, in one pass.

    Each mistake is listed with its place. If there is nothing to measure, the notebook is run too,
    and its output is thrown away. For a file of an older perfkit it says what to write.

    For example:

        perfkit study check data/studies/this-host/study.yml
    """
    from perfkit.reporting.check import check as look
    from perfkit.study.opening import STUDY_FILE

    found = look(study)
    for line in found.mistakes:
        remark(f"error: {line}")
    if found.mistakes:
        raise typer.Exit(FAILED)
    path = study / STUDY_FILE if study.is_dir() else study
    typer.echo("\n".join([f"{path}: good", *found.outdated]))


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of study files, for editors that complete and check YAML.

    For example:

        perfkit study schema > study.schema.json
    """
    from perfkit.study.file import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))
