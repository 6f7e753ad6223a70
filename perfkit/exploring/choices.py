"""What can be chosen: systems, workloads, I/O, latencies and questions the load points hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from perfkit.analysis.compare.common import ASKED_AT, PEAK
from perfkit.analysis.curves.event_latency import points_with_event
from perfkit.analysis.curves.metrics import LATENCIES
from perfkit.analysis.curves.series import series_labels
from perfkit.core.errors import AnalysisError, check_name, did_you_mean
from perfkit.core.lineage import Measured, Reading, step
from perfkit.exploring.parameters import Asked


@dataclass(frozen=True)
class Align:
    """A way to put curves side by side.

    Attributes:
        values: The argument of ``compare`` that takes the values; None: there is none to give.
        scale: SI base units in one unit as people write it.
        unit: That unit.
        parameter: The notebook's parameter of the values.
    """

    values: str | None
    scale: float
    unit: str
    parameter: str | None

    @property
    def questions(self) -> tuple[str, ...]:
        """What is then asked, the main question first."""
        return ASKED_AT[self.values] if self.values else (PEAK,)


ALIGN: dict[str, Align] = {
    "latency": Align("latencies_s", 1e-6, "µs", "latencies_us"),
    "IOPS": Align("iops", 1.0, "IOPS", "iops"),
    "load": Align("loads", 1.0, "", "loads"),
    "host CPU": Align("cpu_ratios", 1e-2, "%", "cpu_percents"),
    "peak": Align(None, 1.0, "", None),
}
"""By what curves are put side by side -> how."""

_NEEDS = {"latency": "latency", "IOPS": "latency or host CPU", "host CPU": "host CPU"}


@dataclass(frozen=True)
class Offers:
    """What the load points hold of one workload (or all) and one direction."""

    systems: dict[str, Key]
    metrics: tuple[str, ...]
    align: tuple[str, ...]

    def missing(self) -> list[str]:
        """Why a way to align is not offered, a sentence each."""
        return [
            f"Not offered: equal {name}, because the load points carry no {_NEEDS[name]}."
            for name in ALIGN
            if name not in self.align and name in _NEEDS
        ]


def workloads(points: Measured) -> list[str]:
    """Every workload."""
    names: list[str] = points.frame["workload"].unique().drop_nulls().sort().to_list()
    return names


def directions(points: Measured) -> list[str]:
    """Every direction, the totals first."""
    found: list[str] = points.frame["direction"].unique().drop_nulls().sort().to_list()
    return sorted(found, key=lambda name: (not name.startswith("total"), name))


def offers(points: Measured, *, workload: str | None, direction: str) -> Offers:
    """What can be asked of the load points of a workload (None: all) and direction."""
    frame = points.frame.filter(direction=direction)
    if workload is not None:
        frame = frame.filter(pl.col("workload") == workload)
    metrics = tuple(name for name in LATENCIES if _known(frame, name))
    cpu = _known(frame, "cpu_busy_ratio")
    there = {
        "latency": bool(metrics),
        "IOPS": bool(metrics) or cpu,
        "load": True,
        "host CPU": cpu,
        "peak": True,
    }
    return Offers(
        curve_names(frame), metrics or ("lat_mean_s",), tuple(n for n in ALIGN if there[n])
    )


def _known(frame: pl.DataFrame, name: str) -> bool:
    return name in frame.columns and frame[name].null_count() < frame.height


Source = Measured | Reading
Tables = tuple[Measured, Measured | None, Measured | None]
"""Load points, options and histogram."""

Key = tuple[str | None, str | None]
"""System and config of a curve."""


def curve_names(frame: pl.DataFrame) -> dict[str, Key]:
    """Every system and config of the load points, by the name that tells them apart."""
    keys = frame.select("system", "config").unique(maintain_order=True).rows()
    # named as a comparison of one workload names them
    rows = [{"system": system, "config": config, "workload": "all"} for system, config in keys]
    return dict(zip(series_labels(rows), keys, strict=True))


def named_curves(frame: pl.DataFrame, names: Sequence[str]) -> list[Key]:
    """The keys of these names: of a curve, or of a system or config and then all that have it.

    Raises AnalysisError for a name of none.
    """
    known = curve_names(frame)
    found: list[Key] = []
    for name in names:
        own = [key for label, key in known.items() if name in {label, *key}]
        if not own:
            raise AnalysisError(f"no curve is named {name!r}; {did_you_mean(name, list(known))}")
        found += [key for key in own if key not in found]
    return found


def select_curves(
    tables: Sequence[Measured | None], *, systems: Sequence[str] = (), workload: str | None = None
) -> list[Measured | None]:
    """The tables with only the rows of these systems and this workload; None stays None.

    The first table is that of the load points, in which names are looked up. Nothing asked: the
    tables themselves. A row whose system is not said belongs to every system.

    Raises AnalysisError for a name or workload that no load point has.
    """
    points = tables[0]
    if points is None or not (systems or workload):
        return list(tables)
    workloads = points.frame["workload"].unique().drop_nulls().sort().to_list()
    if workload is not None:
        check_name("workload", workload, workloads)
    keys = [list(key) for key in named_curves(points.frame, systems)]
    return [
        None if table is None else _selected(table, systems=keys, workload=workload)
        for table in tables
    ]


def asked_curves(reading: Reading, asked: Asked) -> Reading:
    """The load points of a study's evidence that are compared, with their options and histograms.

    A reading with what there is of ``load_points``, ``job_options``, ``histogram`` and ``series``;
    with an event its mean wait is the read latency. Without load points it is empty.

    Raises what ``points_with_event`` and ``select_curves`` raise.
    """
    if "load_points" not in reading:
        return Reading({}, reading.evidence)
    names = ("load_points", "job_options", "histogram", "series")
    tables = [points_with_event(reading, asked.event), *(reading.get(name) for name in names[1:])]
    chosen = select_curves(tables, systems=asked.systems, workload=asked.workload)
    kept = {name: table for name, table in zip(names, chosen, strict=True) if table is not None}
    return Reading(kept, reading.evidence)


@step(version=1, name="choose.curves")
def _selected(
    data: Measured, *, systems: Sequence[Sequence[str | None]], workload: str | None
) -> pl.DataFrame:
    frame = data.frame
    if systems and {"system", "config"} <= set(frame.columns):
        frame = frame.filter(pl.any_horizontal(_has(key) for key in systems))
    if workload is not None and "workload" in frame.columns:
        frame = frame.filter(pl.col("workload").eq_missing(pl.lit(workload)))
    return frame


def _has(key: Sequence[str | None]) -> pl.Expr:
    return pl.all_horizontal(
        pl.col(name).eq_missing(pl.lit(value, pl.String))
        for name, value in zip(("system", "config"), key, strict=True)
    )


def gathered(
    data: Source | Sequence[Source] | Mapping[str, Source],
) -> Tables:
    """Load points, options and histogram of readings (or load points alone), put together.

    Of a mapping the names become the systems of load points that say none.

    Raises AnalysisError: nothing given, no load points, or a system that is named twice.
    """
    if isinstance(data, Reading | Measured):
        return _tables(data)
    if isinstance(data, Mapping):
        parts = [_named(_tables(item), name) for name, item in data.items()]
    else:
        parts = [_tables(item) for item in data]
    if not parts:
        raise AnalysisError("there is nothing to explore: no load points were given")
    points, options, histogram = (
        [table for table in column if table is not None] for column in zip(*parts, strict=True)
    )
    return (
        _together(points),
        _together(options) if options else None,
        _together(histogram) if histogram else None,
    )


def _tables(item: Source) -> Tables:
    if isinstance(item, Measured):
        return item, None, None
    if "load_points" not in item:
        raise AnalysisError(f"{item.evidence.path}: has no load points to explore")
    spread = item.get("histogram")
    # a single result's histogram does not say of which load point it is
    placed = spread is not None and {"load", "repeat"} <= set(spread.frame.columns)
    return item["load_points"], item.get("job_options"), spread if placed else None


def _named(tables: Tables, system: str) -> Tables:
    points, *rest = tables
    options, histogram = (
        None if table is None else _of_system(table, system=system) for table in rest
    )
    return _of_system(points, system=system), options, histogram


@step(version=1, name="choose.system")
def _of_system(table: Measured, *, system: str) -> pl.DataFrame:
    frame = table.frame
    if "system" in frame.columns:
        said = [name for name in frame["system"].unique().to_list() if name not in {None, system}]
        if said:
            raise AnalysisError(f"{table.name} of {system!r} says system {said[0]!r}: name it so")
    return frame.with_columns(pl.lit(system).alias("system"))


@step(version=1, name="choose.together")
def _together(tables: list[Any]) -> pl.DataFrame:
    frames: list[pl.DataFrame] = [table.frame for table in tables]
    return pl.concat(frames, how="diagonal_relaxed")
