"""Alt texts: what a chart shows, in words made of the same numbers, each kept as printed."""

from __future__ import annotations

from collections.abc import Sequence

from perfkit.analysis.curves.metrics import limit_printed, metric_of, rates_of
from perfkit.core.schema import Row
from perfkit.core.units import Printed
from perfkit.showing.figures.axes import Series, places_of
from perfkit.showing.sentences import Wording, article


class Words(Wording):
    """An alt text in the making."""

    def __init__(self) -> None:
        self.printed: list[Printed] = []

    def keep(self, number: Printed) -> str:
        """A number's text, remembered."""
        self.printed.append(number)
        return number.text

    def load_of(self, row: Row) -> str:
        """A row's load in words."""
        return self.load(row["load_kind"], row["load"])


def chart_words(words: Words, series: Series, x: str, y: str, limit_s: float | None = None) -> str:
    """What a line chart shows: its axes, each of its curves, and the limit."""
    direction = next(iter(series.values()))[0]["direction"] or "total"
    against = "the load" if x == "load" else f"{rates_of(direction)} {metric_of(x).phrase()}"
    lead = f"Line chart of {metric_of(y).phrase(direction)} against {against}."
    said = [
        curve_words(words, label, rows, x, y) if x != "load" else load_words(words, label, rows, y)
        for label, rows in series.items()
    ]
    panels = list(dict.fromkeys(place.panel for place in places_of(series)))
    if len(panels) > 1:
        lead += f" Its {words.count(len(panels))} panels: {'; '.join(panels)}."
    if limit_s is not None:
        said.append(f"A dashed line marks the limit of {words.keep(limit_printed(limit_s))}.")
    return " ".join([lead, *said])


def curve_words(words: Words, label: str, rows: Sequence[Row], x: str, y: str) -> str:
    """From where to where one curve goes, and its highest x where that is not its end."""
    first, last = rows[0], rows[-1]
    name = metric_of(y).phrase(first["direction"] or "total")
    name = f"{article(name)} {name}"
    if len(rows) == 1:
        return (
            f"{label}: one load point, {words.load_of(first)}, {words.value(x, first[x])} at "
            f"{name} of {words.value(y, first[y])}."
        )
    text = (
        f"{label}: {words.many(len(rows), 'load point', 'load points')}, from "
        f"{words.value(x, first[x])} at {name} of {words.value(y, first[y])} "
        f"({words.load_of(first)}) to {words.value(x, last[x])} at {words.value(y, last[y])} "
        f"({words.load_of(last)})"
    )
    best = max(rows, key=lambda row: row[x])
    if best is last:
        return f"{text}."
    return f"{text}; the most is {words.value(x, best[x])} at {words.load_of(best)}."


def load_words(words: Words, label: str, rows: Sequence[Row], y: str) -> str:
    """From what to what one curve goes over its loads, and its highest value."""
    first, last = rows[0], rows[-1]
    if len(rows) == 1:
        return f"{label}: one load point, {words.value(y, first[y])} at {words.load_of(first)}."
    best = max(rows, key=lambda row: row[y])
    text = (
        f"{label}: {words.value(y, first[y])} at {words.load_of(first)}, "
        f"{words.value(y, last[y])} at {words.load_of(last)}"
    )
    if best in (first, last):
        return f"{text}."
    return f"{text}; the most is {words.value(y, best[y])} at {words.load_of(best)}."
