"""The latency curve: what each load point gave over its repeats; histograms merged over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import (
    CURVE_KEYS,
    SERIES,
    SERIES_TYPES,
    cautions_of,
    check_physical,
    groups,
    in_order,
    place,
    require_columns,
    require_one_file,
    with_held,
)
from perfkit.core import cautions, stats
from perfkit.core.errors import AbsentError, AnalysisError, did_you_mean
from perfkit.core.intervals import answer_interval
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import PERCENTILES, ColumnTypes, Row
from perfkit.core.stats import over_all, quantiles_from_histogram

PERCENTILE_KINDS = ("lat", "clat", None)
"""Whose histogram gives the percentiles, in order; None: the source knows one kind only."""

DIRECTIONS = ("read", "write", "trim")
"""Those that have a curve of their own, in order."""

MEANS = ("iops", "bw_bytes_per_s", "lat_mean_s")
CONFIDENCE = 0.95
ONE_REPEAT = "one repeat: no interval"
TWO_REPEATS = "two repeats: one degree of freedom"

_SUMS = ("iops", "bw_bytes_per_s", "ios", "in_flight", "target_iops")
_VALUES = (*MEANS, "lat_min_s", "lat_max_s", *PERCENTILES)
BUSY = "cpu_busy_ratio"
_MORE = ("in_flight", "target_iops", BUSY)


CURVE: ColumnTypes = {
    **SERIES_TYPES,
    "load": pl.Float64,
    "repeats": pl.Int64,
    "interval_mark": pl.String,
    **{
        name: pl.Float64
        for metric in (*MEANS, *PERCENTILES)
        for name in (metric, f"{metric}_low", f"{metric}_high")
    },
    "percentiles_of": pl.String,
    **dict.fromkeys(("lat_min_s", "lat_max_s", "in_flight", "target_iops", BUSY), pl.Float64),
    "ios": pl.Int64,
    "cautions": pl.String,
}
"""The columns of a curve: the keys of the series, the load, and each metric with its interval."""


_NOTHING: Row = dict.fromkeys(CURVE)


@step(version=1, name="curve.latency")
def latency_curve(
    points: Measured, histogram: Measured | None = None, *, direction: str = "total"
) -> pl.DataFrame:
    """One row per load point: mean and 95% interval over its repeats.

    - IOPS, bandwidth and mean latency: the mean over the repeats and ``_low``, ``_high`` of its
      interval (``intervals.answer_interval``: Student's t on logarithms, n - 1 degrees of freedom).
      The repeat is the unit of replication, so a repeat's mean counts once, however many I/Os it
      did. One repeat: no interval, and ``interval_mark`` says so; two: the interval is given and
      marked; repeats that do not differ: none.
    - Percentiles are never averaged. With ``histogram`` the value is that of the histogram merged
      over all repeats and hosts, and the interval is made from the spread of the repeats' own
      percentiles. Where there is none, the value of a single repeat on a single host stands as
      reported, and of several it is null.
    - Several hosts are one load point: rates, I/Os and depths add up, mean latency pools by I/Os
      (sum(mean * ios) / sum(ios)), host CPU is the plain mean over the hosts.
    - A metric that is missing in one repeat is null: a mean over fewer repeats than the row says
      would look like one over all.

    Args:
        points: ``load_points``: one row per load point, repeat, host and direction.
        histogram: bins of completion latency: keys, ``value_s`` (for the bucket), ``count``.
        direction: read, write, trim or total.

    Raises AnalysisError for no rows of the direction, rows that cannot be distinguished, a host
    that is missing at some point, or a number that nothing can measure.
    """
    found = curve_and_repeats(
        points.frame, None if histogram is None else histogram.frame, direction
    )
    return pl.DataFrame([row for row, _ in found], schema=CURVE, orient="row")


def curve_and_repeats(
    points: pl.DataFrame, histogram: pl.DataFrame | None, direction: str
) -> list[tuple[Row, list[Row]]]:
    """Each load point as ``latency_curve`` has it, and the rows of its repeats, in order of load.

    A repeat has a percentile only where it is of the same latency as that of the load point.
    """
    repeats = per_repeat(points, direction)
    merged = None if histogram is None else _Merged(histogram, direction, points)
    found = []
    for key, runs in groups(repeats, (*SERIES, "load"), along=("repeat",)):
        row = _curve_row(key, runs, merged)
        for run in runs:
            if run.get("percentiles_of") != row["percentiles_of"]:
                run.update(dict.fromkeys(PERCENTILES))
        found.append((row, runs))
    return found


def per_repeat(points: pl.DataFrame, direction: str) -> pl.DataFrame:
    """One row per load point and repeat of one direction, its hosts merged; see latency_curve."""
    require_columns(
        points, [*CURVE_KEYS, "load", "repeat", "host", "direction", *_VALUES], "load_points"
    )
    chosen = with_held(points).filter(pl.col("direction") == direction)
    if chosen.is_empty():
        known = sorted(points["direction"].drop_nulls().unique().to_list())
        raise AnalysisError(
            f"load_points: no rows of direction {direction!r}; {did_you_mean(direction, known)}"
        )
    check_physical(_suspects(chosen), [*_VALUES, *(n for n in _MORE if n in chosen.columns)])
    _check_keys(chosen)
    _check_hosts(chosen)
    keys = (*SERIES, "load", "repeat")
    if chosen["host"].n_unique() == 1:  # nothing to merge
        kept = [*keys, *_merged_columns(chosen.row(0, named=True))]
        return in_order(chosen.select(kept), keys)
    merged = [_merge_hosts(key, hosts) for key, hosts in groups(chosen, keys, along=("host",))]
    columns = {name: chosen.schema[name] for name in merged[0]}
    return pl.DataFrame(merged, schema=columns, orient="row")


def _suspects(points: pl.DataFrame) -> list[Row]:
    """The rows that hold anything but finite numbers above 0, which are the most by far."""
    sound = [
        pl.col(name).is_null() | (pl.col(name).is_finite() & (pl.col(name) > 0)) for name in _VALUES
    ]
    sound += [
        pl.col(name).is_null() | pl.col(name).is_between(0, math.inf if name != BUSY else 1)
        for name in _MORE
        if name in points.columns
    ]
    return points.filter(~pl.all_horizontal(sound)).rows(named=True)


def _check_keys(points: pl.DataFrame) -> None:
    if points["load"].has_nulls():
        row = points.filter(pl.col("load").is_null()).row(0, named=True)
        reports = "; notebook: oracle sets two AWR reports without loads side by side"
        raise AnalysisError(
            f"{place(row)}: no load: name it in the study, such as "
            "load: {kind: iodepth, table: {FILE: 16}}, or take it from the file name"
            f"{reports if row['workload'] is None and row['load_kind'] is None else ''}"
        )
    for row in points.filter(~(pl.col("load").is_finite() & (pl.col("load") >= 0))).rows(
        named=True
    ):
        raise AnalysisError(f"{place(row)}: a load is a number of 0 or more")
    keys = [*SERIES, "load", "repeat", "host"]
    twice = points.filter(points.select(keys).is_duplicated())
    if not twice.is_empty():
        row = twice.row(0, named=True)
        raise AnalysisError(
            f"{place(row)}: two results for one load point, and no repeat or host tells them apart"
            "; label them by system or config"
        )


def _check_hosts(points: pl.DataFrame) -> None:
    """A host that is there at one point and missing at another would lower the sum in silence."""
    if points["host"].n_unique() == 1:
        return
    for series, rows in groups(points):
        at: dict[tuple[Any, Any], set[Any]] = {}
        for row in rows:
            at.setdefault((row["load"], row["repeat"]), set()).add(row["host"])
        everywhere = set[Any]().union(*at.values())
        for (load, repeat), there in at.items():
            missing = everywhere - there
            if missing:
                where = place({**series, "load": load, "repeat": repeat})
                raise AnalysisError(f"{where}: no result of host {sorted(map(str, missing))[0]}")


def _merge_hosts(key: Row, hosts: list[Row]) -> Row:
    if len(hosts) == 1:
        return {**key, **{name: hosts[0][name] for name in _merged_columns(hosts[0])}}
    merged: Row = {name: over_all(sum, [h.get(name) for h in hosts]) for name in _SUMS}
    counted = all(host.get("ios") is not None for host in hosts)
    means = [(host["ios"], host["lat_mean_s"]) for host in hosts] if counted else []
    merged["lat_mean_s"] = stats.pooled_mean(means)
    merged["lat_min_s"] = over_all(min, [h["lat_min_s"] for h in hosts])
    merged["lat_max_s"] = over_all(max, [h["lat_max_s"] for h in hosts])
    merged["cpu_busy_ratio"] = over_all(_mean, [h.get("cpu_busy_ratio") for h in hosts])
    merged |= dict.fromkeys((*PERCENTILES, "percentiles_of"))
    merged["cautions"] = cautions.to_json(cautions_of(hosts))
    return {**key, **{name: merged[name] for name in _merged_columns(hosts[0])}}


def _merged_columns(row: Row) -> list[str]:
    wanted = (
        *_VALUES,
        "percentiles_of",
        "ios",
        "in_flight",
        "target_iops",
        "cpu_busy_ratio",
        "cautions",
    )
    return [name for name in wanted if name in row]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _curve_row(key: Row, runs: list[Row], merged: _Merged | None) -> Row:
    if merged is None and len(runs) == 1:
        # the repeat is the load point: of most evidence this is every row
        known = {name: runs[0][name] for name in CURVE if name in runs[0]}
        return {**_NOTHING, **known, "repeats": 1, "interval_mark": ONE_REPEAT}
    mark = {1: ONE_REPEAT, 2: TWO_REPEATS}.get(len(runs))
    row = {**key, "repeats": len(runs), "interval_mark": mark}
    for metric in MEANS:
        values = [run[metric] for run in runs]
        row |= _interval(metric, over_all(_mean, values), values)
    percentiles = _percentiles(key, runs, merged)
    row["percentiles_of"] = percentiles.pop("percentiles_of")
    same = all(run.get("percentiles_of") == row["percentiles_of"] for run in runs)
    for metric, value in percentiles.items():
        row |= _interval(metric, value, [run[metric] if same else None for run in runs])
    row["lat_min_s"] = over_all(min, [run["lat_min_s"] for run in runs])
    row["lat_max_s"] = over_all(max, [run["lat_max_s"] for run in runs])
    row["ios"] = over_all(sum, [run.get("ios") for run in runs])
    for name in ("in_flight", "target_iops", "cpu_busy_ratio"):
        row[name] = over_all(_mean, [run.get(name) for run in runs])
    row["cautions"] = cautions.to_json(cautions_of(runs))
    return row


def _percentiles(key: Row, runs: list[Row], merged: _Merged | None) -> Row:
    found = None if merged is None else merged.quantiles(key, [run["repeat"] for run in runs])
    if found is not None and any(found[name] is not None for name in PERCENTILES):
        return found
    names = (*PERCENTILES, "percentiles_of")
    return {name: runs[0].get(name) if len(runs) == 1 else None for name in names}


def _interval(metric: str, value: float | None, repeats: list[float | None]) -> Row:
    """The metric with the ends of its interval; none where a repeat has no value."""
    known = [item for item in repeats if item is not None]
    ends: tuple[float | None, float | None] = None, None
    if value is not None and len(known) == len(repeats):
        found = answer_interval(value, known, CONFIDENCE)
        ends = found.low, found.high
    return {metric: value, f"{metric}_low": ends[0], f"{metric}_high": ends[1]}


class _Merged:
    """Histograms of completion latency, merged over repeats and hosts for one load point."""

    def __init__(self, histogram: pl.DataFrame, direction: str, points: pl.DataFrame):
        require_columns(histogram, ["repeat", "direction", "value_s", "count"], "histogram")
        rows = histogram
        if "kind" not in rows.columns:
            rows = rows.with_columns(kind=pl.lit(None, dtype=pl.String))
        own = rows.filter(pl.col("direction") == direction)
        if own.is_empty() and direction == "total":
            # the total is the sum over the directions where the source has none of its own
            own = rows.filter(pl.col("direction").is_in(["read", "write", "trim"]))
        self._rows = own
        names = (*CURVE_KEYS, "load")
        self._keys = [key for key in names if key in histogram.columns]
        # the points differ in a key that the bins lack: they cannot be assigned to one of them
        missing = [key for key in names if key not in histogram.columns and key in points.columns]
        self._told_apart = all(points[key].n_unique() <= 1 for key in missing)

    def quantiles(self, key: Row, repeats: list[Any]) -> Row:
        """Each percentile of all I/Os of the load point; null if a repeat has no histogram."""
        for kind in PERCENTILE_KINDS:
            rows = self._of(key, kind)
            if self._told_apart and set(rows["repeat"].to_list()) == set(repeats):
                merged = stats.merge_histograms([rows.select("value_s", "count").iter_rows()])
                found = stats.quantiles_from_histogram(
                    list(merged), list(merged.values()), list(PERCENTILES.values())
                )
                return {**dict(zip(PERCENTILES, found, strict=True)), "percentiles_of": kind}
        return {**dict.fromkeys(PERCENTILES), "percentiles_of": None}

    def _of(self, key: Row, kind: str | None) -> pl.DataFrame:
        same = [pl.col(name).eq_missing(pl.lit(key[name])) for name in self._keys]
        return self._rows.filter(*same, pl.col("kind").eq_missing(pl.lit(kind, dtype=pl.String)))


@step(version=2, name="curve.by_direction")
def curve_by_direction(points: Measured, histogram: Measured | None = None) -> pl.DataFrame:
    """One row per load point and direction that did I/O, and their total where there are several.

    The columns and rules are those of ``latency_curve``; a load of reads only has rows of
    direction read.

    Raises AnalysisError as ``latency_curve`` does.
    """
    require_columns(points.frame, ["direction"], "load_points")
    present = set(points.frame["direction"].to_list())
    shown = [name for name in DIRECTIONS if name in present]
    if len(shown) != 1:
        shown.append("total")
    curves = [latency_curve(points, histogram, direction=name).frame for name in shown]
    keys = [*CURVE_KEYS, "load"]
    whole = pl.concat(curves)
    # of a load with one direction the total is that direction again
    alone = (pl.col("direction") == "total") & (pl.len().over(keys) == 2)
    return in_order(whole.filter(~alone), keys)


_SHOWN_QUANTILES = {"lat_p50_s": 0.5, "lat_p99_s": 0.99}


@step(version=1, name="histogram.merged")
def merged_histogram(histogram: Measured, *, direction: str = "total") -> pl.DataFrame:
    """The counts of each curve by load and latency, over all repeats and hosts.

    Of the kinds of latency the one that the mean is of, where the source has its histogram.

    Returns:
        The keys of the curves, ``load``, ``value_s``, ``count``, and of all counts of the curve at
        the load ``lat_p50_s`` and ``lat_p99_s``.

    Raises:
        AnalysisError: No samples of the direction, or two files have those of one load, repeat and
            host.
    """
    frame = histogram.frame
    require_columns(
        frame, ("workload", "load_kind", "load", "direction", "value_s", "count"), "histogram"
    )
    rows = frame.filter((pl.col("direction") == direction) & (pl.col("count") > 0))
    if "kind" in rows.columns:
        kinds = set(rows["kind"].to_list())
        kind = next((kind for kind in ("lat", "clat") if kind in kinds), None)
        rows = rows.filter(pl.col("kind").eq_missing(pl.lit(kind, pl.String)))
    if rows.is_empty():
        raise AbsentError(f"histogram: no samples of direction {direction!r}")
    keys = [key for key in CURVE_KEYS if key in rows.columns]
    require_one_file(rows, (*keys, "load", "repeat", "host"), "histogram")
    merged = rows.group_by(*keys, "load", "value_s").agg(pl.col("count").sum())
    merged = merged.sort(*keys, "load", "value_s", nulls_last=True)
    return pl.concat(
        _with_percentiles(part) for part in merged.partition_by(*keys, "load", maintain_order=True)
    )


def _with_percentiles(part: pl.DataFrame) -> pl.DataFrame:
    found = quantiles_from_histogram(
        part["value_s"].to_list(), part["count"].to_list(), [*_SHOWN_QUANTILES.values()]
    )
    return part.with_columns(
        pl.lit(value, pl.Float64).alias(name)
        for name, value in zip(_SHOWN_QUANTILES, found, strict=True)
    )
