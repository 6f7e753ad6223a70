"""What a notebook cell shows when there may be nothing, or more than one of it, to show."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured, step
from perfkit.core.values import Figure, Statement, Table, check_id
from perfkit.core.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.core.lineage import Reading


_Shown = Figure | Statement | Table | Verdict

MOST_REPORTS = 24
"""Reports of which each section is shown once for each: a day's, hour by hour."""

ONE = "-p report=, its path in the study"
"""How to ask for one report of many."""


@dataclass(frozen=True)
class Prose:
    """Markdown that a cell shows: text that stands in a report only where its cell decides so."""

    text: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/markdown": self.text, "text/plain": self.text}


def prose(text: str) -> Prose:
    """Markdown for ``show``: headings and paragraphs that go with what is shown below them."""
    return Prose(inspect.cleandoc(text))


def if_known(make: Callable[..., Any], *data: Any, **options: Any) -> Any:
    """What ``make`` shows of the data, or, where they do not hold it, the reason in its place.

    For reports over sources that may lack a section: its absence is told, never passed over. Only
    AnalysisError counts as absence; every other error stays one.
    """
    try:
        return make(*data, **options)
    except AnalysisError as problem:
        measured = [item for item in data if isinstance(item, Measured)]
        # one maker may be asked for several things: each absence has an id of its own
        asked = [options[name] for name in ("value_id", "question", "quantity") if name in options]
        words = ["without", make.__name__, *map(str, asked[:1])]
        return _not_shown(measured, "-".join(words).replace("_", "-"), str(problem))


@step(version=2, name="say.not_shown")
def _not_shown(data: list[Measured], value_id: str, reason: str) -> Statement:  # noqa: ARG001
    """The statement in place of a value: it rests on the data that lack it."""
    return Statement(check_id(value_id), f"Not shown: {_in_words(reason)}.", cautions=())


def _in_words(reason: str) -> str:
    """The reason for a reader: a table that it begins with by its words, load profile."""
    table = re.match(r"[a-z]+(_[a-z]+)+(?=: )", reason)
    return table[0].replace("_", " ") + reason[table.end() :] if table else reason


def show(*values: Any) -> None:
    """Show several values below one notebook cell, in order; outside a notebook, as text.

    Of a list the values in it are shown.
    """
    from IPython.display import display

    shown = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if shown:
        display(*shown)


def per_report(
    make: Callable[..., Any], reading: Reading, table: str, *more: Any, **options: Any
) -> None:
    """Show what ``make`` shows of one table of each report: one value, or one after another.

    Of several reports (the column ``source`` of any table names them) each value gets an id with
    the report's number ("top-events-2") and a caption with its name. What a report lacks is told in
    its place (``if_known``): no report is passed over. Above ``MOST_REPORTS`` reports none is
    shown, and a sentence says how to see one.
    """
    data = reading[table]
    sources = _sources(reading)
    if len(sources) > MOST_REPORTS:
        words = table.replace("_", " ")
        what = f"{words}: {len(sources)} reports, of which one is shown with {ONE}"
        show(_not_shown([data], f"without-{make.__name__}".replace("_", "-"), what))
        return
    if len(sources) < 2:  # noqa: PLR2004
        show(if_known(make, data, *more, **options))
        return
    for number, source in enumerate(sources, 1):
        value = if_known(make, data.filter(source=source), *more, **options)
        show(numbered(value, number, source))


def per_workload(make: Callable[..., Any], data: Measured, *more: Measured, **options: Any) -> None:
    """Show what ``make`` shows of each workload: one value, or one after another.

    All data are filtered to the workload; each value gets an id with its number and a caption with
    the workload's name. What a workload lacks is told in its place (``if_known``).
    """
    names = sorted(set(data.frame["workload"].drop_nulls()))
    if len(names) < 2:  # noqa: PLR2004
        show(if_known(make, data, *more, **options))
        return
    for number, name in enumerate(names, 1):
        own = [item.filter(workload=name) for item in (data, *more)]
        show(numbered(if_known(make, *own, **options), number, name))


def _sources(reading: Reading) -> list[str]:
    """Every report that has a row in any table, in order."""
    frames = [table.frame for table in reading.tables.values() if "source" in table.frame.columns]
    return list(dict.fromkeys(s for frame in frames for s in frame["source"].drop_nulls()))


def numbered(value: Any, number: int, source: str) -> Any:
    """The value with an id and words of its own; a statement says whose it is."""
    return _of_source(value, source=source).renamed(f"{value.id}-{number}")


@step(version=1, name="say.source")
def _of_source(value: _Shown, *, source: str) -> _Shown:
    """The value with the words that say whose it is."""
    if isinstance(value, Table | Figure):
        return replace(value, caption=f"{value.caption.removesuffix('.')}: {source}.")
    if isinstance(value, Statement):
        return replace(value, text=f"{source}: {value.text}")
    return value
