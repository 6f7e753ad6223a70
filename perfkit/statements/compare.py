"""Sentences of a comparison: how much more, how sure, and where one side has no number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.analysis.compare.effects import CONFIDENCE, FEW_REPEATS, NO_INTERVAL, NO_SPREAD
from perfkit.analysis.compare.questions import QUESTIONS
from perfkit.analysis.metrics import limit_printed, load_text, metric_of
from perfkit.analysis.series import Row, need
from perfkit.errors import AnalysisError, did_you_mean
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import Format, Printed

if TYPE_CHECKING:
    from perfkit.values import Statement

WHOLE_FROM = 0.095
"""Changes from 10% on are whole percents, smaller ones have a decimal: two digits either way."""

TIMES_FROM = 10.0
"""Ratios from here on are said as times as much: percents of four digits are hard to read."""

LEAST = 0.0005
"""Changes that would be printed as 0.0% are "less than 0.1%": they are not nothing."""

_SHARE = Format("%", decimals=1)


@step(version=2, name="say.comparison")
def say_comparison(
    comparison: Measured,
    question: str,
    at: float | None = None,
    *,
    value_id: str | None = None,
) -> Statement:
    """One question of a comparison in words, a sentence for each pair of curves.

    "At a mean latency of 400 µs, NVMe/FC served 59% more IOPS than FCP (266 thousand IOPS against
    167 thousand IOPS; 95% interval 55% to 63% more, over 3 repeats)."

    Rounding: a change of 10% or more is a whole percent, a smaller one has a decimal, below 0.05%
    it is "less than 0.1%", and a ratio of 10 or more is said as times as much. The change is that
    of the values before they were rounded; values have three digits, CPU shares two.

    Args:
        comparison: What ``compare`` gave.
        question: One of its questions ("iops_at_latency").
        at: The value it was asked at, in SI base units; None for the peak.
        value_id: The statement's id; default: the question's name.

    Raises:
        AnalysisError: The comparison holds no such question at this value.
    """
    need(comparison.frame, ("question", "at", "ratio", "crosses_at_iops"), "comparison")
    rows = [
        row for row in comparison.frame.rows(named=True)
        if row["question"] == question and row["at"] == at
    ]  # fmt: skip
    if not rows:
        raise AnalysisError(
            f"the comparison holds no {question!r} at {at}: give it to compare() among the values"
        )
    text = Text()
    several = len({row["workload"] for row in rows}) > 1
    said = [_sentence(text, row, several=several) for row in rows]
    return text.done(value_id or question.replace("_", "-"), said)


def _sentence(text: Text, row: Row, *, several: bool) -> str:
    lead = _place(text, row)
    if several:
        lead = f"{text(row['workload'])}: {lead}" if lead else f"{text(row['workload'])}: "
    body = _known(text, row) if row["ratio"] is not None else _unknown(text, row)
    differs = (
        f" The two differ in their conditions: {text(row['differs'])}." if row["differs"] else ""
    )
    crossing = row["crosses_at_iops"]
    place = f" They cross first at {text.value('iops', crossing)}." if crossing else ""
    note = f" Note: {text(row['note'])}." if row["note"] else ""
    return f"{lead}{body}{note}{place}{differs}"


def _place(text: Text, row: Row) -> str:
    """The words "At a mean latency of 400 µs, "; nothing for a peak."""
    given = QUESTIONS[row["question"]].given
    if given is None or row["at"] is None:
        return ""
    place = _PLACES[given](text, row)
    if row["question"] == "peak_iops_under_latency":
        place = place.replace("At ", "Up to ", 1)
    return f"{place}, "


_PLACES: dict[str, Callable[[Text, Row], str]] = {
    "lat": lambda text, row: f"At {text.a(_metric(row))} of {text(limit_printed(row['at']))}",
    "iops": lambda text, row: f"At {text.value('iops', row['at'])}",
    "load": lambda text, row: f"At {text(load_text(row['load_kind'], row['at']))}",
    "cpu_busy_ratio": lambda text, row: f"With {text(_SHARE.show(row['at']))} of the host CPU busy",
}


def _metric(row: Row) -> str:
    return metric_of(row["metric"]).phrase(row["direction"] or "total")


_WANTED = {
    "iops": ("served {change} IOPS than", "gave"),
    "lat": ("had {change} {metric} than", "had"),
    "cpu_busy_ratio": ("used {change} of the host CPU than", "used"),
    "iops_per_core": ("served {change} IOPS per busy core than", "gave"),
}
_MORE = {"lat": ("higher", "lower")}


def _known(text: Text, row: Row) -> str:
    wanted = QUESTIONS[row["question"]].wanted
    ratio = row["ratio"]
    values = f"{_value(text, row, 'contender')} against {_value(text, row, 'baseline')}"
    peak = row["question"].startswith("peak")
    words = "reached a peak with {change} IOPS than" if peak else _WANTED[wanted][0]
    metric = text(_metric(row)) if wanted == "lat" else ""
    if ratio == 1:
        names = f"{text(row['contender'])} and {text(row['baseline'])}"
        return f"{names} are equal ({values}; {_interval(text, row, wanted)})."
    change = _change(text, ratio, wanted, one=wanted == "lat")
    return (
        f"{text(row['contender'])} {words.format(change=change, metric=metric)} "
        f"{text(row['baseline'])} ({values}; {_interval(text, row, wanted)})."
    )


def _direction(wanted: str, ratio: float) -> str:
    more, less = _MORE.get(wanted, ("more", "less" if wanted == "cpu_busy_ratio" else "fewer"))
    return more if ratio > 1 else less


def _change(text: Text, ratio: float, wanted: str, *, one: bool = False) -> str:
    """A change in words: "59% more", "less than 0.1% fewer"; of ``one`` thing "an 81% lower"."""
    size = change_printed(ratio)
    return f"{text.a(size) if one else text(size)} {_direction(wanted, ratio)}"


def change_printed(ratio: float) -> Printed:
    """The size of a change as printed: 59%, 8.4%; its sign is said in words."""
    size = abs(ratio - 1)
    if ratio >= TIMES_FROM:
        number = Format("1", significant=2).show(ratio)
        return replace(number, text=f"{number.text} times")
    if 0 < size < LEAST:
        number = _SHARE.show(2 * LEAST)
        return replace(number, text=f"less than {number.text}")
    return Format("%", decimals=0 if size >= WHOLE_FROM else 1).show(size)


_NO_INTERVAL = {
    NO_SPREAD: "the repeats do not differ, so no interval",
    NO_INTERVAL: "one repeat, so no interval",
}


def _interval(text: Text, row: Row, wanted: str) -> str:
    if row["ratio_low"] is None:
        return _NO_INTERVAL[row["mark"]]
    low, high = row["ratio_low"], row["ratio_high"]
    bounds = _bounds(text, low, high, wanted)
    share = text(Format("%").show(CONFIDENCE))
    counts = sorted({row["baseline_repeats"], row["contender_repeats"]})
    over = " and ".join(text.count(count) for count in counts)
    only = "only " if row["mark"] == FEW_REPEATS else ""
    kind = "interval" if row["method"] == "welch" else f"{row['method']} interval"
    words = f"{share} {kind} {bounds}, over {only}{over} repeats"
    return f"{words}; no difference is shown" if low <= 1 <= high else words


def _bounds(text: Text, low: float, high: float, wanted: str) -> str:
    """The words 55% to 63% more, the smaller change first; or 2% fewer to 3% more."""
    if low >= 1 or high <= 1:
        near, far = (low, high) if low >= 1 else (high, low)
        word = _direction(wanted, far)
        return f"{text(change_printed(near))} to {text(change_printed(far))} {word}"
    ends = [_change(text, end, wanted) for end in (low, high)]
    return " to ".join(ends)


def _value(text: Text, row: Row, side: str) -> str:
    wanted = QUESTIONS[row["question"]].wanted
    value = row[f"{side}_value"]
    if wanted == "iops_per_core":
        return text(Format("IOPS", significant=3).show(value))
    return text.value(row["metric"] if wanted == "lat" else wanted, value)


def _unknown(text: Text, row: Row) -> str:
    """Who has no number, and how far it got; who has one."""
    parts = []
    for side in ("contender", "baseline"):
        name, status = text(row[side]), row[f"{side}_status"]
        if row[f"{side}_value"] is not None:
            verb = _WANTED[QUESTIONS[row["question"]].wanted][1]
            parts.append(f"{name} {verb} {_value(text, row, side)}")
        else:
            parts.append(f"{name} has no value ({text(status)}{_reached(text, row, side)})")
    return f"{'; '.join(parts)}: no comparison is made."


def _reached(text: Text, row: Row, side: str) -> str:
    reached: Any = row[f"{side}_reached"]
    if reached is None:
        return ""
    given = QUESTIONS[row["question"]].given
    shown = {
        "lat": lambda: text.value(row["metric"], reached),
        "iops": lambda: text.value("iops", reached),
        "load": lambda: text(load_text(row["load_kind"], reached)),
        "cpu_busy_ratio": lambda: text(_SHARE.show(reached)),
    }[given or "iops"]()
    words = "from" if row[f"{side}_status"].startswith("starts") else "up to"
    return f", measured {words} {shown}"


@step(version=1, name="say.asserted")
def say_asserted(
    cells: Measured, row: str, *, column: str = "value", value_id: str | None = None
) -> Statement:
    """What a document asserts and gives no evidence for, quoted and told to be an assertion.

    'Asserted, without evidence: "89% to 98% of reads came from SSD" (TR-4819, Results).'

    Args:
        cells: One table of ``read_printed``; the text is one of its cells, never typed.
        row: The name of the row.
        column: The key of the column that holds the text.
        value_id: The statement's id; default: the row's name.

    Raises:
        AnalysisError: No cell, or more than one, has this row and column.
    """
    need(cells.frame, ("row_name", "column_key", "text"), "printed cells")
    same = cells.frame.filter(row_name=row, column_key=column)
    found = same["text"].drop_nulls().to_list()
    if len(found) != 1:
        known = [str(name) for name in cells.frame["row_name"].unique().to_list()]
        raise AnalysisError(
            f"printed cells: {len(found)} cells of row {row!r} and column {column!r}; "
            f"{did_you_mean(row, known)}"
        )
    text = Text()
    quoted = text(Printed(found[0], None, "", "as printed"))
    where = text(cells.lineage.evidence[0].origin.of) if cells.lineage.evidence else ""
    said = f'Asserted, without evidence: "{quoted}"{f" ({where})" if where else ""}.'
    return text.done(value_id or row, [said])
