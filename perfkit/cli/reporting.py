"""``perfkit report``: a study, a notebook or evidence to PDF and HTML."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from perfkit.cli.common import NOT_MET, remark
from perfkit.core.errors import UsageError


def report(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="EVIDENCE...|STUDY|NOTEBOOK",
            help="Folders, files, archives or runs; or study.yml, its folder, or an .ipynb.",
        ),
    ],
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter",
            "-p",
            metavar="NAME=VALUE",
            help="A parameter of the notebook; JSON, or text. Paths are relative to the study.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Output folder; default reports/NAME.")
    ] = None,
    date: Annotated[
        str | None, typer.Option(help="The report's date, 2026-11-21; default: the study's, today.")
    ] = None,
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise",
            "--anonymize",
            help="Replace host names, serial numbers and addresses in all that is made.",
        ),
    ] = False,
) -> None:
    """Make a report of evidence, or of a study: PDF, HTML and the executed notebook.

    Evidence needs no study: one is proposed and left beside the report, ready to be changed and
    reported on (perfkit report reports/NAME). Nothing is written among the evidence.

    Exit code 3: the report is made, but a criterion is not met or could not be judged.

    For example:

        perfkit report results/ -o reports/tuesday

        perfkit report awr.tar.xz

        perfkit report data/studies/this-host/study.yml

        perfkit report data/studies/this-host -p run_id=oltp-select-1a2b3c4d -o reports/tuesday

        perfkit report notebooks/sweep.ipynb -p target=/mnt/array
    """
    from perfkit.reporting import report as reporting
    from perfkit.reporting.build import Lines

    made = reporting.report(
        sources,
        parameters=parse_parameters(parameters or []),
        out=out,
        date=date,
        anonymise=anonymise,
        say=remark,
        progress=Lines(sys.stderr),
    )
    for path in (made.pdf, made.html, made.notebook):
        typer.echo(str(path))
    if made.outcome in {"fail", "not judged"}:
        words = {"fail": "criteria not met", "not judged": "criteria not fully judged"}
        remark(f"{words[made.outcome]} (exit code {NOT_MET}); the report says which")
        raise typer.Exit(NOT_MET)


def parse_parameters(given: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` pairs to values: JSON where it is JSON (3, true, null, [1, 2]), else text.

    Raises UsageError for a pair without ``=`` or a name given twice.
    """
    parsed: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"-p {pair!r}: write it as NAME=VALUE")
        if name in parsed:
            raise UsageError(f"-p {name} is given twice")
        try:
            parsed[name] = json.loads(text)
        except json.JSONDecodeError:
            parsed[name] = text
    return parsed
