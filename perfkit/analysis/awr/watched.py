"""What was watched beside a database: the samples of a host's devices, or of an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl

from perfkit.analysis.awr.recorded import intervals, is_layer, with_file
from perfkit.analysis.curves.series import require_columns
from perfkit.core.errors import AbsentError, check_name
from perfkit.core.schema import ColumnTypes, Row

_SAMPLES: ColumnTypes = {
    "begin": pl.Datetime("us"),
    "end": pl.Datetime("us"),
    "operations": pl.Float64,
    "time_s": pl.Float64,
    "own": pl.Float64,
}
"""An interval: its operations, the time they took in all, and those of the kind asked for."""

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

    ``absent`` says why it has no samples that can stand beside a report; ``devices`` are the
    host's that were watched.
    """

    place: str
    operation: str
    of: str
    samples: pl.DataFrame
    absent: str | None = None
    offset_s: float = 0.0
    devices: tuple[str, ...] = ()

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
    """The devices of a host: those chosen, else all but layers upon others and their parts.

    Where the tool prints one wait for reads and writes together (sar, iostat before 10.2), it is of
    both: ``Sums.share`` says how many are in question.

    Raises AnalysisError for a device that is not there, AbsentError where two recordings are of one
    moment.
    """
    require_columns(frame, ("time", "device", *_COLUMNS["read"], *_COLUMNS["commit"]), "devices")
    names = frame["device"].unique(maintain_order=True).to_list()
    for name in chosen:
        check_name("device", name, names)
    taken = list(chosen) or [name for name in names if not is_layer(name, names)]
    nothing = Watched(
        "host", operation, ", ".join(taken), pl.DataFrame(schema=_SAMPLES), devices=tuple(taken)
    )
    own = frame.filter(pl.col("device").is_in(taken), pl.col("time").is_not_null())
    if "group" in own.columns:
        own = own.filter(~pl.col("group").fill_null(value=False))
    if own.is_empty():
        return replace(nothing, absent="the host's recording has no times")
    own = _one_each(own, operation)
    rate_name, wait = _COLUMNS[operation]
    split = "await_s" not in own.columns or own[wait].count() > 0
    rate = pl.col(rate_name) if split else pl.col("read_iops") + pl.col("write_iops")
    own = own.with_columns(wait=pl.col(wait if split else "await_s"))
    busy = own.filter(rate > 0)
    if own.select(rate).to_series().null_count() == own.height or (
        busy.height and not busy["wait"].count()
    ):
        return replace(nothing, absent="the host's recording gives no wait of its devices")
    timed = intervals(own, "time", ["device"]).with_columns(
        # without a request there is no wait to know
        took=pl.when(rate == 0).then(0.0).otherwise(rate * pl.col("wait")),
        rate=rate,
        own_rate=pl.col(rate_name),
    )
    active = busy["device"].unique(maintain_order=True).to_list()
    of = ", ".join(active if len(active) <= _NAMED else [f"{len(active)} devices"])
    of += "" if split else ", reads and writes together"
    samples = _samples(timed)
    which = "which devices hold the redo logs is not stated"
    unknown = operation == "commit" and not chosen and samples.height
    return replace(nothing, of=of, samples=samples, absent=which if unknown else None)


def _one_each(own: pl.DataFrame, operation: str) -> pl.DataFrame:
    """The rows of recordings of which no two are of one moment.

    Of several of one host the one stays that tells the operation's wait, then the longest; which
    host a recording is of must be known for that.
    """
    wait = _COLUMNS[operation][1]
    files = (
        own.group_by("file", maintain_order=True)
        .agg(
            told=pl.col(wait).count() > 0,
            count=pl.len(),
            first=pl.col("time").min(),
            last=pl.col("time").max(),
            host=pl.col("host").first() if "host" in own.columns else None,
        )
        .sort("told", "count", descending=True, maintain_order=True)
    )
    kept: list[Row] = []
    for row in files.rows(named=True):
        same = [one for one in kept if one["first"] < row["last"] and row["first"] < one["last"]]
        if any(row["host"] is None or one["host"] != row["host"] for one in same):
            raise AbsentError(
                "two recordings cover the same moment: choose one with where(source=...)"
            )
        kept += [] if same else [row]
    return own.filter(pl.col("file").is_in([row["file"] for row in kept]))


_NAMED = 4
"""Devices that are named; of more their number is given."""


def array_of(frame: pl.DataFrame, operation: str) -> Watched:
    """An array by the total of its quality of service statistics.

    Its latency is of reads and writes together: ``Sums.share`` says how many are in question.
    """
    needed = ("started_at", "view", "scope", "name", "is_total", "iops", "latency_s", "read_ratio")
    require_columns(frame, needed, "qos_statistics")
    own = with_file(frame).filter(
        "is_total", pl.col("latency_s").is_not_null(), pl.col("iops").is_not_null()
    )
    if own.height:
        # views of the same moments: one that tells reads from writes, if there is one
        best = own.sort(pl.col("read_ratio").is_null(), maintain_order=True).row(0, named=True)
        own = own.filter(view=best["view"], scope=best["scope"])
    nothing = Watched("array", operation, "all workloads", pl.DataFrame(schema=_SAMPLES))
    if own["started_at"].null_count() == own.height:
        return replace(nothing, absent="the array's recording has no times")
    share = pl.col("read_ratio") if operation == "read" else 1 - pl.col("read_ratio")
    timed = intervals(own, "started_at", ["view", "scope", "name"]).with_columns(
        took=pl.col("iops") * pl.col("latency_s"),
        rate=pl.col("iops"),
        own_rate=pl.col("iops") * share.fill_null(0.0),
    )
    return replace(nothing, samples=_samples(timed))


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
        raise AbsentError("two recordings cover the same moment: choose one with where(source=...)")
    return found.filter(pl.col("whole")).select(list(_SAMPLES))
