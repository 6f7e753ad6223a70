"""The answers of an entry over time: their verdicts, and the lines that its page shows.

They are written beside the entry's reports, so that the page over many entries is made of small
files, whatever store each entry has.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.analysis.trend.recorded import NEAR
from perfkit.core.answers import Answer, from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.files import write_json
from perfkit.core.keys import rows_by
from perfkit.core.schema import Row
from perfkit.scheduling.results import name_of, store_of

if TYPE_CHECKING:
    from perfkit.scheduling.schedule_file import Scheduled
    from perfkit.scheduling.state import Run

TRENDS = "trends.json"
FORMAT = 1


@dataclass(frozen=True)
class Point:
    """A run of a line, in the line's unit: what it gave, what is expected of it, and its limits."""

    time: str
    run: str
    value: float
    expected: float
    lower: float | None
    upper: float | None
    outside: bool
    shift: bool


@dataclass(frozen=True)
class Line:
    """One answer over time.

    Attributes:
        name: What it is.
        verdict: What became of it in short.
        kind: "regression", "improvement", "no change", "undecided" or "not judged".
        said: The verdict in a sentence.
        last: The last value, as it is printed.
        limits: The limits of the last value, as they are printed; None where it has none.
        since: What changed before its first run; None where it begins with nothing before it.
        points: Its runs, oldest first.
        began: The time of the shift that the verdict rests on; None where it rests on none.
        seen: Of a regression the report that showed it first.
    """

    name: str
    verdict: str
    kind: str
    said: str
    last: str
    limits: str | None
    since: str | None
    points: tuple[Point, ...]
    began: str | None = None
    seen: str | None = None


@dataclass(frozen=True)
class Worse:
    """Sentences on what got worse: in this slot's report first, or in an earlier one."""

    new: tuple[str, ...] = ()
    lasting: tuple[str, ...] = ()


def look(scheduled: Scheduled, run: Run) -> Worse:
    """Write down the lines of an entry; returns the regressions that the report of a run shows.

    Raises StoreError where the store is damaged, AnalysisError where its answers do not fit.
    """
    report = name_of(scheduled, run)
    before = {line.name: line for line in kept(scheduled.reports)}
    lines = [_seen(line, before.get(line.name), report) for line in lines_of(scheduled)]
    record = {"format": FORMAT, "lines": [asdict(line) for line in lines]}
    write_json(scheduled.reports / TRENDS, record)
    shown = [one for one in lines if one.kind == "regression" and one.points[-1].run == report]
    return Worse(
        new=tuple(line.said for line in shown if line.seen == report),
        lasting=tuple(line.said for line in shown if line.seen != report),
    )


def _seen(line: Line, before: Line | None, report: str) -> Line:
    """A line with the report that showed its regression first."""
    if line.kind != "regression":
        return line
    if before is None or before.kind != "regression" or _fell_again(line, before):
        return replace(line, seen=report)
    return replace(line, seen=before.seen)


def _fell_again(line: Line, before: Line) -> bool:
    """Whether the regression rests on another shift; the place of one is known to some runs."""
    times = [point.time for point in line.points]
    if line.began is None or before.began not in times:
        return False
    return times.index(line.began) - times.index(before.began) > NEAR


def kept(reports: Path) -> list[Line]:
    """The lines that were written down of an entry; none where nothing can be read."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        record = json.loads((reports / TRENDS).read_text(encoding="utf-8"))
        if record["format"] == FORMAT:
            return [
                Line(**{**item, "points": tuple(Point(**point) for point in item["points"])})
                for item in record["lines"]
            ]
    return []


def lines_of(scheduled: Scheduled) -> list[Line]:
    """The lines of an entry's reports, regressions first; those of conditions that ended are not.

    Raises what ``look`` raises.
    """
    from perfkit.analysis.trend import answers as trend
    from perfkit.analysis.trend.control import control_chart
    from perfkit.analysis.trend.runs import histories

    store = store_of(scheduled)
    if store is None:
        return []
    answers = store.evidence().filter(kind="answers")
    if "label_entry" not in answers.frame.columns:
        return []
    margin = scheduled.entry.margin
    try:
        runs = histories(answers.filter(label_entry=scheduled.name))
        found = from_frame(trend.answers(runs, margin=margin).frame)
        chart = rows_by(
            control_chart(runs, margin=margin).frame.rows(named=True), lambda row: row["history"]
        )
    except AbsentError:
        return []
    verdicts = [one for one in found if one.question == trend.VERDICT.name]
    return [
        _made(one, chart[one.subject.get("history")])
        for one in verdicts
        if one.reason != trend.ENDED
    ]


_POINT = [item.name for item in fields(Point) if item.name != "time"]
_WORDS = {
    "regression": "Regression", "improvement": "Improvement", "undecided": "Undecided",
    "no change": "No change beyond {margin}", "not judged": "Not judged",
}  # fmt: skip
_MORE = {"undecided": " (about {n} more runs would decide it)"}


def _made(verdict: Answer, rows: Sequence[Row]) -> Line:
    from perfkit.analysis.curves.metrics import share_printed
    from perfkit.showing.sentences import Text
    from perfkit.showing.statements.say import sentence
    from perfkit.showing.statements.trend import value_printed

    def shown(value: float) -> str:
        return value_printed(rows[0]["metric"], rows[0]["unit"], value).text

    text, last = Text(), rows[-1]
    said = text.done("x", [sentence(text, verdict)]).text
    kind = verdict.subject.get("verdict") or "not judged"
    given = {one.metric: one.value for one in verdict.conditions}
    words = _WORDS[kind].format(margin=share_printed(given["margin"]).text)
    if kind in _MORE and "more_runs" in given:
        words += _MORE[kind].format(n=f"{given['more_runs']:.0f}")
    limits = None
    if last["lower"] is not None:
        limits = f"{shown(last['lower'])} to {shown(last['upper'])}"
    return Line(
        verdict.subject.get("history"),
        words,
        kind,
        said,
        shown(last["value"]),
        limits,
        rows[0]["break"],
        tuple(
            Point(**{name: row[name] for name in _POINT}, time=row["time"].isoformat())
            for row in rows
        ),
        began=verdict.subject.get("since") if any(row["shift"] for row in rows) else None,
    )
