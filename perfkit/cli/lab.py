"""``perfkit lab``: JupyterLab, where the notebooks are."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer


def lab(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder to open; default: here.")
    ] = None,
    port: Annotated[int, typer.Option(help="Port on this machine's loopback address.")] = 8888,
    notebooks: Annotated[
        bool, typer.Option("--notebooks", help="Copy perfkit's notebooks there first.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open one.")] = True,
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
