"""What was watched beside a database: the samples of a host's devices, or of an array."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.keys import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from perfkit.core.schema import ColumnTypes, Row

_SAMPLES: ColumnTypes = {
    "begin": pl.Datetime("us"),
    "end": pl.Datetime("us"),
    "operations": pl.Float64,
    "time_s": pl.Float64,
    "own": pl.Float64,
}
"""An interval: its operations, the time they took in all, and those of the kind asked for."""

_LAYER = re.compile(r"(dm-|md|drbd|loop|ram|zram|sr|mpath|emcpower)\w*")
_PARTITION = re.compile(r"((?:sd|vd|xvd|hd)[a-z]+)\d+|((?:nvme\d+n|mmcblk)\d+)p\d+")

_COLUMNS = {"read": ("read_iops", "read_await_s"), "commit": ("write_iops", "write_await_s")}
_VERBS = {"read": "reads", "commit": "writes"}


@dataclass(frozen=True)
class Sums:
    """What the samples within a period add up to; ``share``: of the operations in question."""

    seconds: float
    operations: float
    time_s: float
    share: float


@dataclass(frozen=True)
class Watched:
    """One place below the database, as it was recorded for one operation (read or commit).

    ``absent`` says why it has no samples that can stand beside a report.
    """

    place: str
    operation: str
    of: str
    samples: pl.DataFrame
    absent: str | None = None
    offset_s: float = 0.0

    @property
    def verb(self) -> str:
        """The operation as it is called there: reads, writes."""
        return _VERBS[self.operation]

    def earlier(self, offset_s: float) -> Watched:
        """On the database's clock, which is so far behind."""
        moved = pl.col("begin", "end") - pl.duration(microseconds=round(offset_s * 1e6))
        return replace(self, samples=self.samples.with_columns(moved), offset_s=offset_s)

    def overlaps(self, report: Row) -> bool:
        """Whether any sample is of the report's time."""
        if self.samples.is_empty():
            return False
        first, last = self.samples["begin"][0], self.samples["end"][-1]
        return bool(first < report["end_time"] and last > report["begin_time"])

    def within(self, begin: datetime, end: datetime) -> Sums:
        """The samples that lie within a period."""
        low = self.samples["begin"].search_sorted(begin, "left")
        high = self.samples["end"].search_sorted(end, "right")
        own = self.samples.slice(low, max(high - low, 0))
        lengths = (own["end"] - own["begin"]).dt.total_microseconds()
        done, took, kind = (float(own[name].sum()) for name in ("operations", "time_s", "own"))
        return Sums(float(lengths.sum()) / 1e6, done, took, kind / done if done else 0.0)


def devices_of(frame: pl.DataFrame, operation: str, chosen: Sequence[str] = ()) -> Watched:
    """The devices of a host: those chosen, else all that are no layer upon others or part of one.

    Raises AnalysisError for a device that is not there, and where two recordings are of one moment.
    """
    rate, wait = _COLUMNS[operation]
    require_columns(frame, ("time", "device", rate, wait), "devices")
    names = frame["device"].unique(maintain_order=True).to_list()
    for name in chosen:
        if name not in names:
            raise AnalysisError(f"no device {name!r}; {did_you_mean(name, names)}")
    taken = list(chosen) or [name for name in names if not is_layer(name, names)]
    nothing = Watched("host", operation, ", ".join(taken), pl.DataFrame(schema=_SAMPLES))
    own = frame.filter(pl.col("device").is_in(taken))
    if "group" in own.columns:
        own = own.filter(~pl.col("group").fill_null(value=False))
    if own["time"].null_count() == own.height:
        return replace(nothing, absent="the host's recording has no times")
    busy = own.filter(pl.col(rate) > 0)
    if own[rate].null_count() == own.height or (busy.height and not busy[wait].count()):
        told = "the host's recording gives one wait for reads and writes together"
        return replace(nothing, absent=told)
    timed = _intervals(own, "time", ["device"]).with_columns(
        # without a request there is no wait to know
        took=pl.when(pl.col(rate) == 0).then(0.0).otherwise(pl.col(rate) * pl.col(wait)),
        rate=pl.col(rate),
        own_rate=pl.col(rate),
    )
    active = busy["device"].unique(maintain_order=True).to_list()
    of = ", ".join(active if len(active) <= _NAMED else [f"{len(active)} devices"])
    samples = _samples(timed)
    which = "which devices hold the redo logs is not stated"
    unknown = operation == "commit" and not chosen and samples.height
    return replace(nothing, of=of, samples=samples, absent=which if unknown else None)


_NAMED = 4
"""Devices that are named; of more their number is given."""


def is_layer(name: str, names: Sequence[str]) -> bool:
    """Whether a device lies upon others, or is a part of one: its I/O is counted there too."""
    if _LAYER.fullmatch(name):
        return True
    part = _PARTITION.fullmatch(name)
    return part is not None and (part[1] or part[2]) in names


def array_of(frame: pl.DataFrame, operation: str, chosen: Sequence[str] = ()) -> Watched:
    """An array by its quality of service statistics: the names chosen, else its total.

    Its latency is of reads and writes together: ``Sums.share`` says how many are in question.

    Raises AnalysisError as ``devices_of`` does.
    """
    needed = (
        "started_at", "view", "scope", "name", "is_total", "iops", "latency_s", "read_ratio",
    )  # fmt: skip
    require_columns(frame, needed, "qos_statistics")
    names = frame["name"].unique(maintain_order=True).to_list()
    for name in chosen:
        if name not in names:
            raise AnalysisError(f"no workload {name!r}; {did_you_mean(name, names)}")
    picked = pl.col("name").is_in(list(chosen)) if chosen else pl.col("is_total")
    own = frame.filter(picked, pl.col("latency_s").is_not_null(), pl.col("iops").is_not_null())
    if own.height:
        # views of the same moments: one that tells reads from writes, if there is one
        best = own.sort(pl.col("read_ratio").is_null(), maintain_order=True).row(0, named=True)
        own = own.filter(view=best["view"], scope=best["scope"])
    of = ", ".join(chosen) or "all workloads"
    nothing = Watched("array", operation, of, pl.DataFrame(schema=_SAMPLES))
    if own["started_at"].null_count() == own.height:
        return replace(nothing, absent="the array's recording has no times")
    share = pl.col("read_ratio") if operation == "read" else 1 - pl.col("read_ratio")
    timed = _intervals(own, "started_at", ["view", "scope", "name"]).with_columns(
        took=pl.col("iops") * pl.col("latency_s"),
        rate=pl.col("iops"),
        own_rate=pl.col("iops") * share.fill_null(0.0),
    )
    return replace(nothing, samples=_samples(timed))


def _intervals(frame: pl.DataFrame, time: str, key: Sequence[str]) -> pl.DataFrame:
    """Each row with the interval that it is of: since the row before of the same thing and file."""
    file = [name for name in FILE if name in frame.columns]
    over = [*file, *(name for name in key if name in frame.columns)]
    own = frame.filter(pl.col(time).is_not_null()).sort(time, maintain_order=True)
    own = own.with_columns(end=pl.col(time), begin=pl.col(time).shift(1).over(over))
    if "since_boot" in own.columns:
        own = own.filter(~pl.col("since_boot").fill_null(value=False))
    return own.filter(pl.col("begin") < pl.col("end"))


def _samples(timed: pl.DataFrame) -> pl.DataFrame:
    """The sums of each interval over everything that was watched; it counts if no number lacks."""
    seconds = (pl.col("end") - pl.col("begin")).dt.total_microseconds() / 1e6
    # a sum in polars leaves out what is null
    whole = pl.all_horizontal(pl.col("rate", "took").is_not_null().all())
    found = (
        timed.group_by("begin", "end", maintain_order=True)
        .agg(
            whole.alias("whole"),
            operations=(pl.col("rate") * seconds).sum(),
            time_s=(pl.col("took") * seconds).sum(),
            own=(pl.col("own_rate") * seconds).sum(),
        )
        .sort("begin")
    )
    if (found["begin"] < found["end"].shift(1)).any():
        raise AnalysisError("two recordings are of one moment: choose one with where(source=...)")
    return found.filter(pl.col("whole")).select(list(_SAMPLES))
