"""Which rows belong to one curve, what a curve is called, and what a frame must contain."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from perfkit.analysis.curves.metrics import LATENCIES, load_text, workload_name
from perfkit.core.answers import Subject
from perfkit.core.cautions import Caution, from_json
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.keys import collision, file_column
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import KEYS, Row

HELD = ("held_kind", "held")
"""Of a load of two numbers (iodepth and jobs): the one that is held while the other rises.

A frame without these columns is of loads of one number.
"""

SERIES = ("system", "config", "workload", "load_kind", *HELD, "direction")
"""The keys of one curve; along it the load rises."""

SERIES_TYPES = {name: KEYS[name].dtype for name in SERIES}

CURVE_KEYS = SERIES[:-1]
"""The keys of a curve over all its directions."""

Rows = Sequence[Row]


def require_columns(frame: pl.DataFrame, columns: Sequence[str], what: str) -> None:
    """AnalysisError naming the first of the columns that the frame lacks."""
    for column in columns:
        if column not in frame.columns and column not in HELD:
            raise AnalysisError(
                f"{what}: no column {column!r}; {did_you_mean(column, frame.columns)}"
            )


def require_rows(data: Measured, what: str, columns: Sequence[str], otherwise: str) -> list[Row]:
    """The rows of a frame that has these columns.

    Raises AnalysisError for a column that is missing, or no rows: "``what``: no rows, so
    ``otherwise``" ("no table", "nothing to say").
    """
    require_columns(data.frame, columns, what)
    rows = data.frame.rows(named=True)
    if not rows:
        raise AbsentError(f"{what}: no rows, so {otherwise}")
    return rows


def with_held(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the columns ``HELD``, null where it is of loads of one number."""
    missing = [name for name in HELD if name not in frame.columns]
    return frame.with_columns(pl.lit(None, SERIES_TYPES[name]).alias(name) for name in missing)


def rows_of(frame: pl.DataFrame, key: Row) -> pl.DataFrame:
    """The rows of a place, as far as the frame knows its columns."""
    known = [
        pl.col(name).eq_missing(pl.lit(value, frame.schema[name]))
        for name, value in key.items()
        if name in frame.columns
    ]
    return frame.filter(*known) if known else frame


def in_order(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The rows by their keys, null last; workloads as they first appear: so the study states them.

    "75% SELECT" then stands between "100% SELECT" and "100% UPDATE", as it was asked.
    """
    by = [
        pl.col(key).cast(pl.Enum(frame[key].drop_nulls().unique(maintain_order=True)))
        if key == "workload"
        else pl.col(key)
        for key in keys
    ]
    return frame.sort(by, nulls_last=True, maintain_order=True)


def groups(
    frame: pl.DataFrame, keys: Sequence[str] = SERIES, along: Sequence[str] = ("load",)
) -> Iterator[tuple[Row, list[Row]]]:
    """Each group's keys and its rows in order of ``along``; groups in order of their keys."""
    ordered = in_order(with_held(frame), [*keys, *along])
    # rows of one group are neighbours now; iterating a polars group_by costs 20 times as much
    rows = ordered.rows(named=True)
    for _, part in itertools.groupby(rows, key=operator.itemgetter(*keys)):
        found = list(part)
        yield {key: found[0][key] for key in keys}, found


@dataclass(frozen=True)
class SeriesRows:
    """The rows of one series, with what it is called beside the others."""

    subject: Subject
    load_kind: str
    rows: list[Row]


def series_rows(
    frame: pl.DataFrame, keys: Sequence[str], along: Sequence[str] = ("load",)
) -> list[SeriesRows]:
    """Each group of rows (``groups``) as a series with its subject.

    Keys beside ``SERIES`` keep rows apart and are not part of the subject.
    """
    found = list(groups(frame, keys, along))
    labels = series_labels([key for key, _ in found])
    return [
        SeriesRows(
            Subject(label, tuple((name, key[name]) for name in key if name in SERIES)),
            key["load_kind"] or "load",
            rows,
        )
        for label, (key, rows) in zip(labels, found, strict=True)
    ]


def series_of_hosts(
    frame: pl.DataFrame, keys: Sequence[str], along: Sequence[str]
) -> list[SeriesRows]:
    """``series_rows`` of each load generator by itself: their clocks differ, and nothing adds them.

    A frame without hosts, or of one, has the series of ``series_rows``.
    """
    if "host" not in frame.columns or frame["host"].is_null().all():
        return series_rows(frame, keys, along)
    found = []
    for host in frame["host"].unique(maintain_order=True):
        own_rows = frame.filter(pl.col("host").eq_missing(pl.lit(host)))
        for own in series_rows(own_rows, keys, along):
            label = f"{own.subject.label} on {host}" if host else own.subject.label
            key = (*own.subject.key, ("host", host))
            found.append(replace(own, subject=Subject(label, key)))
    return found


def require_one_file(frame: pl.DataFrame, keys: Sequence[str], what: str) -> None:
    """AnalysisError where rows that agree in ``keys`` are from several files.

    Equal labels do not make a series: rows of two files for one load, repeat and host would be
    pooled. Keys that the frame lacks are ignored; rows that name no file are from one file.
    """
    name = file_column(frame)
    if name is None:
        return
    known = [key for key in dict.fromkeys(keys) if key in frame.columns]
    both = frame.select(*known, name).unique(maintain_order=True)
    row = collision(both, known)
    if row is not None:
        files = [
            other[name]
            for other in both.rows(named=True)
            if all(other[key] == row[key] for key in known)
        ]
        raise AnalysisError(
            f"{what}: {' and '.join(map(str, files))} are both "
            f"{place(row) or 'without labels'}: label them, or take one of them"
        )


@dataclass(frozen=True)
class SeriesName:
    """What a curve is called, in parts; ``workload`` is the place of the workload among them."""

    parts: tuple[str, ...]
    label: str
    workload: int | None


def series_names(rows: Sequence[Row]) -> list[SeriesName]:
    """The name of each row's curve: the keys in which the curves differ.

    Without a difference it is the workload alone, and without any label "the workload"; a curve
    that lacks what the others differ in has the name of its system. What is held is named also
    where it is the same in all: iodepth 64 of 8 jobs is another load than of one. Null keys are
    empty parts; of long names there is the part in which they differ. Where two curves would get
    the same label, it includes the names of the keys.
    """
    values = {key: {row.get(key) for row in rows} for key in SERIES if key != "held_kind"}
    used = [key for key in values if len(values[key]) > 1] or ["workload"]
    if "held" not in used and any(values["held"]):
        used = sorted([*used, "held"], key=SERIES.index)
    curves = {tuple(row.get(key) for key in used) for row in rows}
    short = {
        key: _parts_that_differ({str(row[key]) for row in rows if row.get(key)})
        for key in ("system", "config", "workload")
    }
    found = [_name(row, used, functools.partial(_shown, short=short)) for row in rows]
    if len({name.label for name in found}) == len(curves):
        return found
    # the same words under different keys: two curves must not have one name
    return [_name(row, used, lambda key, row: f"{key} {row[key]}") for row in rows]


def _name(row: Row, used: Sequence[str], shown: Callable[[str, Row], str]) -> SeriesName:
    parts = tuple(shown(key, row) if row.get(key) else "" for key in used)
    label = ", ".join(filter(None, parts))
    if not label and used != ["workload"]:
        label = str(row.get("system") or "")
    if not label:
        label = workload_name(str(row["workload"])) if row.get("workload") else UNLABELLED
    return SeriesName(parts, label, used.index("workload") if "workload" in used else None)


def series_labels(rows: Sequence[Row]) -> list[str]:
    """The label of each row's curve: the parts of its name, joined by commas."""
    return [name.label for name in series_names(rows)]


def by_label(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each curve by its label, in order of first appearance."""
    found: dict[str, list[Row]] = {}
    for label, row in zip(series_labels(rows), rows, strict=True):
        found.setdefault(label, []).append(row)
    return found


UNLABELLED = "the workload"
"""The label of a curve without any key."""


def _shown(key: str, row: Row, short: Mapping[str, Mapping[str, str]]) -> str:
    if key == "held":
        return load_text(row["held_kind"], row[key])
    text = str(row[key])
    if key == "load_kind":
        return f"by {text}"
    text = short.get(key, {}).get(text, text)
    return workload_name(text) if key == "workload" else text


LONG_NAME = 30
"""A name with more characters is shortened where others of its kind begin or end alike."""


def _parts_that_differ(names: Collection[str]) -> dict[str, str]:
    """Each name -> what is left of it without the folders, then the words, that all of them share.

    Names that are short stay whole.
    """
    whole = sorted(names)
    shown = whole
    for between in ("(/)", "([-_]+)"):
        if len(whole) > 1 and max(map(len, shown)) > LONG_NAME:
            parts = _without_beginning([re.split(between, name) for name in shown], _stands_alone)
            # what all end with, they begin with when they are turned
            turned = _without_beginning([own[::-1] for own in parts], _has_its_unit)
            shown = ["".join(own[::-1]) for own in turned]
    return dict(zip(whole, shown, strict=True))


def _without_beginning(
    names: list[list[str]], may_begin: Callable[[str, str], bool]
) -> list[list[str]]:
    """Names in parts (words, and what stands between them) without the words that all begin with.

    ``may_begin``: whether what is left may begin with a word, with the word before it left out.
    """
    shared = 0
    for count in range(2, min(map(len, names)), 2):
        same = len({tuple(name[:count]) for name in names}) == 1
        if same and all(may_begin(name[count], name[count - 2]) for name in names):
            shared = count
    return [name[shared:] for name in names]


def _stands_alone(word: str, _: str) -> bool:
    """A number needs the word before it: "RW_50", not "50"."""
    return any(map(str.isalpha, word))


def _has_its_unit(word: str, after: str) -> bool:
    """Not a number whose unit would be left out: "4_kib"."""
    return not word.isdecimal() or not re.fullmatch(r"[kmgt]i?b?|[mu]?s|percent|pct", after, re.I)


def place(row: Row) -> str:
    """A row's place for an error message: its keys that are set."""
    keys = (*CURVE_KEYS, "load", "repeat", "host", "direction")
    parts = [
        f"{row['held_kind'] if key == 'held' else key} {_plain(row[key])}"
        for key in keys
        if row.get(key) is not None and key != "held_kind"
    ]
    return ", ".join(parts)


def _plain(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def cautions_of(rows: Sequence[Row]) -> tuple[Caution, ...]:
    """The cautions of the rows, each once."""
    return tuple(dict.fromkeys(item for row in rows for item in from_json(row.get("cautions"))))


def require_share(what: str, value: float) -> None:
    """AnalysisError unless a value lies between 0 and 1; ``what`` names it."""
    if not 0 < value < 1:
        raise AnalysisError(f"{what} is a share between 0 and 1, not {value}")


def check_physical(rows: Sequence[Row], metrics: Sequence[str]) -> None:
    """AnalysisError for an impossible number: NaN, infinite, negative, or a latency of 0.

    A missing value is null; a latency of zero or a negative rate is a fault of the source.
    """
    for row in rows:
        for metric in metrics:
            value = row.get(metric)
            if value is not None and not _possible(metric, value):
                raise AnalysisError(f"{place(row)}: {metric} is {value}, which nothing can measure")


def _possible(metric: str, value: float) -> bool:
    if not math.isfinite(value):
        return False
    if metric == "cpu_busy_ratio":
        return 0 <= value <= 1
    return value > 0 if metric in LATENCIES and metric != "lat_min_s" else value >= 0


@step(version=1, name="points.on_curves")
def curve_points(points: Measured) -> pl.DataFrame:
    """The load points that make curves: the load is known, and no other result has the same keys.

    Raises AbsentError where there is none.
    """
    return _having(points, _on_curve(points), "no result is a load point of a curve")


@step(version=1, name="points.off_curves")
def other_points(points: Measured) -> pl.DataFrame:
    """Results that belong to no curve: their load is unknown, or equal to another result's.

    Raises AbsentError where there is none.
    """
    return _having(points, ~_on_curve(points), "every result is a load point of a curve")


def _on_curve(points: Measured) -> pl.Expr:
    require_columns(points.frame, ["load"], "load_points")
    keys = [name for name in KEYS if name in points.frame.columns]
    return pl.col("load").is_not_null() & ~pl.struct(keys).is_duplicated()


def _having(points: Measured, which: pl.Expr, words: str) -> pl.DataFrame:
    found = points.frame.filter(which)
    if found.is_empty():
        raise AbsentError(words)
    return found
