"""What is compared: the curve of each system's repeats, and what it was measured under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

import polars as pl

from perfkit.analysis.compare.conditions import CONDITION_COLUMNS, Conditions, conditions
from perfkit.analysis.curves.asking import Series, answer_and_side, series_of
from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    HELD,
    Rows,
    require_columns,
    series_labels,
    with_held,
)
from perfkit.core.answers import Answer, Subject
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.intervals import Side
from perfkit.core.keys import rows_by
from perfkit.core.schema import Row

TOGETHER = ("workload", "load_kind", *HELD)
"""Keys in which curves must agree to be compared at all, unless they are allowed to differ."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One system or configuration: its curve, and what it was measured under."""

    series: Series
    conditions: Conditions
    _answers: dict[tuple[str, float | None, str], tuple[Answer, Side | None]] = field(
        default_factory=dict
    )

    def answer(self, question: str, at: float | None, metric: str) -> tuple[Answer, Side | None]:
        """What it answers, with its repeats' own answers; a baseline is asked once for all."""
        key = (question, at, metric)
        if key not in self._answers:
            self._answers[key] = answer_and_side(question, self.series, at, metric)
        return self._answers[key]

    @property
    def name(self) -> str:
        """What it is called beside the others."""
        return self.series.label

    @property
    def key(self) -> Mapping[str, Any]:
        """Its ``SERIES``."""
        return dict(self.series.subject.key)

    @property
    def repeats(self) -> tuple[Rows, ...]:
        """The load points of each repeat."""
        return self.series.repeats


def sides(
    points: pl.DataFrame,
    options: Sequence[pl.DataFrame],
    histogram: pl.DataFrame | None = None,
    *,
    direction: str,
    metric: str,
    cores: Mapping[str, float],
    allow: Sequence[str],
) -> list[list[Curve]]:
    """The curves that are compared with each other, a list for each workload and kind of load.

    Raises AnalysisError where none has two curves, or ``cores`` names none of them.
    """
    measured = condition_rows(points)
    known = Options(options)
    apart = [name for name in TOGETHER if name not in allow]
    parts: dict[tuple[Any, ...], list[tuple[Row, Series]]] = {}
    for series in series_of(points, histogram, direction):
        key = dict(series.subject.key)
        parts.setdefault(tuple(key[name] for name in apart), []).append((key, series))
    several = [
        keyed
        for keyed in parts.values()
        if len({(key["system"], key["config"]) for key, _ in keyed}) > 1
        or (len(apart) < len(TOGETHER) and len(keyed) > 1)
    ]
    if not several:
        raise AbsentError(_nothing(list(parts)))
    used: set[str] = set()
    found = []
    for keyed in several:
        names = series_labels([key for key, _ in keyed])
        part = []
        for name, (key, series) in zip(names, keyed, strict=True):
            count = _cores(cores, (name, key["system"], key["config"]), used)
            under = conditions(measured[itemgetter(*CURVE_KEYS)(key)], known.of(key), metric=metric)
            subject = Subject(name, series.subject.key)
            part.append(Curve(replace(series, subject=subject, cores=count, differs=()), under))
        found.append(part)
    _check_cores(cores, used, found)
    return found


def _nothing(parts: list[tuple[Any, ...]]) -> str:
    """Why there is no pair: one curve only, or curves of different workloads or kinds of load."""
    why = "no workload has load points of two systems or configs"
    if len(parts) > 1:
        listed = "; ".join(
            " by ".join(str(item) for item in part if item is not None) for part in parts
        )
        why = f"the curves are of different workloads or kinds of load ({listed})"
    return (
        f"there is nothing to compare: {why} (label them in the study: "
        "labels: {system: ..., config: ..., workload: ...}; allow='load_kind' or 'workload' "
        "compares across them, and the report says so)"
    )


def condition_rows(points: pl.DataFrame) -> dict[tuple[Any, ...], list[Row]]:
    """The rows that hold the conditions, by curve: the points of all directions."""
    there = [*CURVE_KEYS, *(name for name in CONDITION_COLUMNS if name in points.columns)]
    return rows_by(with_held(points).select(there).rows(named=True), itemgetter(*CURVE_KEYS))


class Options:
    """The options of each curve, from tables with ``option`` (or ``field``) and ``value``."""

    def __init__(self, tables: Sequence[pl.DataFrame]):
        self._tables = [self._table(frame) for frame in tables]

    @staticmethod
    def _table(frame: pl.DataFrame) -> tuple[list[str], dict[tuple[Any, ...], list[Row]]]:
        name = "option" if "option" in frame.columns else "field"
        require_columns(frame, (name, "value"), "options")
        labels = [label for label in CURVE_KEYS if label in frame.columns]
        options = frame.select(*labels, pl.col(name).alias("option"), "value").unique()
        return labels, rows_by(
            options.rows(named=True), lambda row: tuple(row[label] for label in labels)
        )

    def of(self, key: Mapping[str, Any]) -> list[Row]:
        """The options of one curve; a label that is null in the table is of every curve."""
        found: list[Row] = []
        for labels, rows in self._tables:
            for given, own in rows.items():
                pairs = zip(labels, given, strict=True)
                if all(value is None or value == key[label] for label, value in pairs):
                    found += own
        return found


def _cores(given: Mapping[str, float], names: Sequence[Any], used: set[str]) -> float | None:
    for name in names:
        if name in given:
            used.add(name)
            return given[name]
    return None


def _check_cores(given: Mapping[str, float], used: set[str], found: list[list[Curve]]) -> None:
    unknown = [name for name in given if name not in used]
    if unknown:
        known = [curve.name for part in found for curve in part]
        raise AnalysisError(
            f"cores: {unknown[0]!r} is not a curve; {did_you_mean(unknown[0], known)}"
        )
