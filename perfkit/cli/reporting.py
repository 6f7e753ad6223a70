"""``perfkit report``: a study, a notebook or evidence to PDF and HTML."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import NOT_MET, Dask, cluster, remark
from perfkit.core.errors import PerfkitError, UsageError

if TYPE_CHECKING:
    from perfkit.reporting.batch import Made, Plan
    from perfkit.reporting.build import Report

Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        "-p",
        metavar="NAME=VALUE",
        help="A parameter of the notebook, JSON or text; paths: from here, else from the study.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Output folder; default reports/NAME.")
]
Date = Annotated[
    str | None, typer.Option(help="The report's date, 2026-11-21; default: the study's, today.")
]
Anonymise = Annotated[
    bool,
    typer.Option(
        "--anonymise",
        "--anonymize",
        help="Replace host names, serial numbers and addresses in everything that is made.",
    ),
]
Shared = Annotated[
    Path | None,
    typer.Option(
        help="A folder for what the HTML pages of many reports share: each page is then 2 MB "
        "smaller, and needs that folder."
    ),
]


def report(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="EVIDENCE...|STUDY|NOTEBOOK",
            help="Folders, files, archives or runs; or study.yml, its folder, or an .ipynb.",
        ),
    ],
    parameters: Parameters = None,
    out: Out = None,
    date: Date = None,
    anonymise: Anonymise = False,
    shared: Shared = None,
    each: Annotated[
        bool, typer.Option("--each", help="Make a separate report of each, several at a time.")
    ] = False,
    dask: Dask = None,
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

        perfkit report results/ -o reports/tuesday --shared reports/assets

        perfkit report --each lab/*/ -o reports/lab --dask tcp://10.0.0.5:8786
    """
    from perfkit.reporting import report as reporting
    from perfkit.reporting.build import Lines

    if each:
        from perfkit.reporting.batch import Plan

        given = parse_parameters(parameters or [])
        _report_each(sources, out, Plan(given, date, anonymise, shared), dask)
        return
    if dask is not None:
        raise UsageError("--dask makes several reports: add --each")
    made = reporting.report(
        sources,
        parameters=parse_parameters(parameters or []),
        out=out,
        date=date,
        anonymise=anonymise,
        shared=shared,
        say=remark,
        progress=Lines(sys.stderr),
    )
    _tell(made)


def _report_each(sources: list[Path], out: Path | None, plan: Plan, dask: str | None) -> None:
    from perfkit.reporting.batch import report_each

    with cluster(dask) as executor:
        made = report_each(sources, out=out, plan=plan, executor=executor, each=_tell_one)
    failed = sum(one.report is None for one in made)
    not_met = sum(one.report is not None and bool(_not_met(one.report)) for one in made)
    typer.echo(
        f"{len(made) - failed:,} made, {not_met:,} of them with criteria not met or answers "
        f"missing, {failed:,} failed"
    )
    if failed:
        raise PerfkitError(f"{failed:,} of {len(made):,} reports failed")
    if not_met:
        raise typer.Exit(NOT_MET)


def _tell_one(made: Made) -> None:
    if made.report is None:
        remark(f"error: {made.folder.name}: {made.problem}")
        return
    typer.echo(str(made.report.pdf))
    for line in _not_met(made.report):
        remark(f"{made.folder.name}: {line}")


def compare(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]EVIDENCE...",
            help="Folders, files, archives or runs, each a system; NAME= names it.",
        ),
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", help="The systems' names, once for each, in their order."),
    ] = None,
    parameters: Parameters = None,
    out: Out = None,
    date: Date = None,
    anonymise: Anonymise = False,
) -> None:
    """Compare systems over their loads: one report of what was measured on each.

    Each gets the name of its folder, file or archive. The proposed study is left beside the report.
    Curves are compared if they are of one workload and kind of load and were measured under the
    same conditions; if nothing is compared, the first page says why. Two AWR or Statspack reports
    of one database are set side by side, the earlier one as before.

    Exit code 3: the report is made, but nothing is compared (the first page says why), or a
    criterion is not met or could not be judged.

    For example:

        perfkit compare old/ new/ -o reports/upgrade

        perfkit compare A400=runs/oltp-1a2b A800=runs/oltp-3c4d -p latencies_us=400

        perfkit compare fcp.tar.xz nvme.tar.xz --label FCP --label NVMe/FC

        perfkit compare awr_before.html awr_after.html -o reports/change
    """
    from perfkit.reporting.build import Lines, build
    from perfkit.reporting.report import job_of_comparison, system_names

    named = [_named(text) for text in systems]
    places = [place for _, place in named]
    if labels and len(labels) != len(places):
        raise UsageError(f"--label: {len(labels)} names for {len(places)} systems")
    short = system_names(places)
    names = labels or [name or own for (name, _), own in zip(named, short, strict=True)]
    given = parse_parameters(parameters or [])
    job, folder = job_of_comparison(places, names, given, out, remark)
    _tell(
        build(job, folder, say=remark, progress=Lines(sys.stderr), date=date, anonymise=anonymise)
    )


def _named(text: str) -> tuple[str | None, Path]:
    """A system's name, where one is given, and its place: NAME=PATH, or a path that is there."""
    name, equals, path = text.partition("=")
    return (name, Path(path)) if equals and name and not Path(text).exists() else (None, Path(text))


def _tell(made: Report) -> None:
    """Where the report is, and why the exit code is 3 where it is."""
    for path in (made.pdf, made.html, made.notebook):
        typer.echo(str(path))
    told = _not_met(made)
    for line in told:
        remark(f"{line} (exit code {NOT_MET})")
    if told:
        raise typer.Exit(NOT_MET)


def _not_met(made: Report) -> list[str]:
    """The answers that a report lacks, and its criteria where they are not met or not judged."""
    words = {"fail": "criteria not met", "not judged": "criteria not fully judged"}
    told = list(made.missing)
    if made.outcome == "fail" or (made.outcome and not told and made.outcome in words):
        told.append(f"{words[made.outcome]}; the report says which")
    return told


def parse_parameters(given: list[str]) -> dict[str, object]:
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
