"""What a notebook cell shows: values one below the other, or one for each of several things."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import polars as pl

from perfkit.core.keys import report_names
from perfkit.core.lineage import Measured, Reading, step
from perfkit.core.unanswered import Unanswered, answering, takes_unanswered
from perfkit.core.values import Figure, Statement, Table, Value

LABELS = ("system", "config", "workload", "host")
"""The labels by which reports are called."""

MOST_REPORTS = 24
"""Reports of which each section is shown once for each: a day's, hour by hour."""

MOST_HISTORIES = 6
"""Databases and instances that one report shows side by side."""

TOO_MANY_HISTORIES = (
    "{} databases and instances are too many to show each; perfkit report of the files of one "
    "shows it"
)

NO_ROOM = "there is no room for {} such charts; perfkit report of the files of one draws it"

TOO_MANY = "{} reports are too many to show each; -p report= and its path in the study shows one"


@takes_unanswered
def show(*values: Any, otherwise: str | None = None) -> None:
    """Show several values below one notebook cell, in order; outside a notebook, as text.

    Of a list the values in it are shown. What is ``Unanswered`` shows its reason.

    Args:
        values: Figures, tables, statements, verdicts, or lists of them.
        otherwise: Why there is nothing, where all that is given are empty lists; None: nothing is
            shown then.
    """
    from IPython.display import display

    shown = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if not shown and otherwise is not None:
        shown = [Unanswered(otherwise)]
    if shown:
        display(*shown)


@takes_unanswered
def purpose(answer: Any, headline: str, *, expected: bool = True) -> Unanswered | None:
    """Say that a report is made for this answer.

    Where it is ``Unanswered``, the first page has the headline with the reason, and
    ``perfkit report`` ends with exit code 3. Nothing is shown where it is answered, nor where it is
    not ``expected``: a study of printed figures alone is made for these.
    """
    if not expected or not isinstance(answer, Unanswered):
        return None
    return replace(answer, headline=headline)


@takes_unanswered
def show_each(
    make: Callable[..., Any],
    data: Any,
    *more: Any,
    by: Literal["report", "workload", "history"],
    room: int | None = None,
    **options: Any,
) -> None:
    """Show what ``make`` shows of each report, workload or history: one value, or one each.

    Of several, each value gets an id with a number ("top-events-2") and a caption with the name of
    what it is of. Where one lacks it, the reason stands in its place: none is skipped. A reason
    that several have stands once, in the place of the first.

    - ``show_each(make, reading, "top_events", by="report")``: of a table of each report (the column
      ``source`` of any table names them). Above ``MOST_REPORTS`` reports none is shown, and a
      sentence says how to see one.
    - ``show_each(make, curve, by="workload")``: of frames with a column ``workload``, or
      ``history`` (a database and instance). Above ``MOST_HISTORIES`` histories none is shown.

    Args:
        make: The verb, such as ``table_top_events``.
        data: A reading, or a frame.
        more: Of a reading the table's name, and what else ``make`` takes; else more such frames.
            Each frame that has the column is filtered.
        by: What is told apart.
        room: Parts of which each is printed; of more, tables are attached, and a sentence says how
            to see the charts of one. None: all are printed.
        options: What ``make`` takes by name; not filtered.
    """
    parts = list(of_reports(data, *more) if by == "report" else _of_column(by, data, *more))
    verb = answering(make)
    values = []
    for number, (name, given) in enumerate(parts, 1):
        value = verb(*given, **options)
        values.append(value if name is None else numbered(value, number, name))
    show(*_reasons_once(values if room is None or len(parts) <= room else _attached(values)))


MOST_NAMED = 3
"""At most so many parts are named that lack a value for one reason."""


def _reasons_once(values: Sequence[Any]) -> list[Any]:
    """The values; of those that lack one for the same reason the first, with the names of all."""
    lacking: dict[Unanswered, list[str]] = {}
    for value in values:
        if isinstance(value, Unanswered) and value.of:
            lacking.setdefault(replace(value, of=None), []).append(value.of)
    shown: list[Any] = []
    for value in values:
        if not isinstance(value, Unanswered) or not value.of:
            shown.append(value)
        elif names := lacking.pop(replace(value, of=None), []):
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            told = "; ".join(names[:MOST_NAMED]) + more
            shown.append(replace(value, of=None if len(names) == len(values) else told))
    return shown


def _attached(values: Sequence[Any]) -> list[Any]:
    """What is shown of parts that a report has no room for: tables as files, of charts a line."""
    tables = [one.attached() for one in values if isinstance(one, Table)]
    drawn = any(isinstance(one, Figure) for one in values)
    return [*tables, *([Unanswered(NO_ROOM.format(len(values)))] if drawn else [])]


Part = tuple[str | None, list[Any]]
"""The name of a report or workload, None of the only one, and what is shown of it."""


def of_reports(reading: Reading | Unanswered, table: str, *more: Any) -> Iterator[Part]:
    """A table of each report, with its name; of more than ``MOST_REPORTS`` only that."""
    data = reading if isinstance(reading, Unanswered) else reading.table(table)
    if isinstance(data, Unanswered) or isinstance(reading, Unanswered):
        yield None, [data]
        return
    tables = [reading["report"]] if "report" in reading else reading.tables.values()
    frames = [table.frame for table in tables if "source" in table.frame.columns]
    sources = list(dict.fromkeys(s for frame in frames for s in frame["source"].drop_nulls()))
    if len(sources) > MOST_REPORTS:
        yield None, [Unanswered(TOO_MANY.format(len(sources)))]
    elif len(sources) > 1:
        named = reading.get("report", data)
        names = _names(named.frame, sources)
        yield from (
            (name, [data.filter(source=source), *more])
            for source, name in zip(sources, names, strict=True)
        )
    else:
        yield None, [data, *more]


def _of_column(by: str, data: Measured | Unanswered, *more: Any) -> Iterator[Part]:
    if isinstance(data, Unanswered):
        yield None, [data]
        return
    names = data.frame[by].drop_nulls().unique(maintain_order=True).to_list()
    if by == "history" and len(names) > MOST_HISTORIES:
        yield None, [Unanswered(TOO_MANY_HISTORIES.format(len(names)))]
    elif len(names) > 1:
        for name in names:
            yield name, [_filtered(item, by, name) for item in (data, *more)]
    else:
        yield None, [data, *more]


def _filtered(item: Any, by: str, name: str) -> Any:
    own = isinstance(item, Measured) and by in item.frame.columns
    return item.filter(**{by: name}) if own else item


def _names(frame: pl.DataFrame, sources: Sequence[str]) -> list[str]:
    """What reports are called: by the labels in which they differ, else by their files."""
    labels = [name for name in LABELS if name in frame.columns]
    of = {
        source: {name: frame.filter(pl.col("source") == source)[name].unique() for name in labels}
        for source in sources
    }
    differing = [
        name for name in labels if len({tuple(own[name].sort()) for own in of.values()}) > 1
    ]
    called = [
        ", ".join(
            of[source][name][0]
            for name in differing
            if list(of[source][name]) != [None] and len(of[source][name]) == 1
        )
        for source in sources
    ]
    return called if all(called) and len(set(called)) == len(called) else report_names(sources)


def numbered(value: Any, number: int, name: str) -> Any:
    """The value with an id and words that say of which report or workload it is."""
    if isinstance(value, Unanswered):
        return replace(value, of=name)
    return _of_source(value, source=name).renamed(f"{value.id}-{number}")


@step(version=2, name="say.source")
def _of_source(value: Value, *, source: str) -> Value:
    """The value with the words that say whose it is; a caption says nothing twice."""
    if isinstance(value, Table | Figure):
        first, stop, rest = value.caption.partition(". ")
        told = ", ".join(
            part
            for part in source.split(", ")
            if not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", first)
        )
        named = f"{first.removesuffix('.')}{': ' if told else ''}{told}"
        return replace(value, caption=f"{named}.{stop[1:]}{rest}")
    if isinstance(value, Statement):
        return replace(value, text=f"{source}: {value.text}")
    return value
