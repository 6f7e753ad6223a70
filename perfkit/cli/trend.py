"""``perfkit trend``: which results of a store changed, and whether they got worse."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import NOT_MET, remark
from perfkit.cli.store import DEFAULT, Folder
from perfkit.core.errors import PerfkitError, UsageError

if TYPE_CHECKING:
    from perfkit.core.lineage import Measured

NOTEBOOK = "trend.ipynb"


def _complete(context: typer.Context, begun: str) -> list[str]:
    """The questions that the store has answers to, for the shell's completion."""
    from perfkit.storing.store import store

    try:
        answers = store(context.params.get("store") or DEFAULT).answers()
        known = answers.select("question").unique().collect()["question"]
    except (PerfkitError, OSError):
        return []
    return sorted(name for name in known if name.startswith(begun))


def trend(
    question: Annotated[
        str | None,
        typer.Argument(help="One question; default: all.", autocompletion=_complete),
    ] = None,
    store: Folder = DEFAULT,
    since: Annotated[
        str | None,
        typer.Option(help="Ignore runs before this: 2026-09-01, or 90d before the last run."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=VALUE|DAY..DAY",
            help="What later runs are compared with; default: those with the label baseline, else "
            "those before the last shift.",
        ),
    ] = None,
    margin: Annotated[
        str, typer.Option(metavar="SHARE", help="The smallest change that matters.")
    ] = "5%",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Also make a report, in this folder.")
    ] = None,
) -> None:
    """Show which results of a store changed, when, and whether they got worse than their baseline.

    A verdict rests on the whole 95% interval of a change: beyond the margin it is a regression or
    an improvement, within it there is no change, otherwise it is undecided.

    Exit code 3: there is a regression.

    For example:

        perfkit trend

        perfkit trend peak_iops --since 90d

        perfkit trend --baseline firmware=9.15.1 --margin 3%

        perfkit trend -o reports/trend
    """
    share = _share(margin)
    asked = {"question": question, "since": since, "baseline": baseline}
    answers = _answers(store, share, asked)
    worse = _tell(answers)
    if out is not None:
        _report(store, {**asked, "margin": share}, out)
    if worse:
        raise typer.Exit(NOT_MET)


def _share(text: str) -> float:
    """A share: 5%, or 0.05; UsageError for anything else."""
    number, percent, rest = text.strip().partition("%")
    try:
        return float(number) / (100 if percent and not rest else 1)
    except ValueError:
        raise UsageError(f"--margin {text!r}: write it as 5%") from None


def _answers(store: str, margin: float, asked: dict[str, Any]) -> Measured:
    from perfkit.analysis.trend.answers import answers
    from perfkit.analysis.trend.runs import histories
    from perfkit.storing.store import store as open_store

    return answers(histories(open_store(store).evidence(asked["question"]), **asked), margin=margin)


def _tell(answers: Measured) -> int:
    """The verdicts and what changed when; how many regressions there are.

    Each reason for which histories are not judged is printed once, with their number; which of them
    did not shift is in the report.
    """
    from perfkit.core.answers import from_frame
    from perfkit.showing.sentences import Text
    from perfkit.showing.statements.say import sentence

    every = from_frame(answers.frame)
    for answer in every:
        if answer.estimate is not None:
            text = Text()
            typer.echo(text.done("x", [sentence(text, answer)]).text)
    judged = [answer for answer in every if answer.question == "trend_verdict"]
    reasons = Counter(answer.reason for answer in judged if answer.estimate is None)
    for reason, count in reasons.items():
        typer.echo(f"{count:,} not judged: {reason}.")
    return sum(answer.subject.get("verdict") == "regression" for answer in judged)


def _report(store: str, parameters: Mapping[str, Any], out: Path) -> None:
    from perfkit.core.files import own_folder
    from perfkit.reporting.build import Lines
    from perfkit.reporting.report import report

    notebook = own_folder("notebooks") / NOTEBOOK
    # the notebook runs in its own folder
    here = not store.startswith("delta:") and "://" not in store
    place = os.path.relpath(Path(store).resolve(), notebook.parent.resolve()) if here else store
    made = report(
        notebook,
        parameters={"store": place, **parameters},
        out=out,
        say=remark,
        progress=Lines(sys.stderr),
    )
    for path in (made.pdf, made.html, made.notebook):
        typer.echo(str(path))
