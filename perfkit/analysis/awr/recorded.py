"""What the tools of a host recorded, on one time axis: iostat, mpstat, sar and vmstat alike.

A recording without times (iostat without -t, as SLOB leaves it) has those of another one that was
made together with it: where the changes of the host's idle share are the same sample by sample
(``lags.matched``), and nothing less.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from perfkit.analysis.awr.lags import Match, matched
from perfkit.core.keys import FILE
from perfkit.core.lineage import Measured, Reading

if TYPE_CHECKING:
    from perfkit.analysis.awr.lags import Numbers

THINGS = ("devices", "cpu", "io", "samples", "host")
_TOOLS = ("iostat", "mpstat", "vmstat", "sar")
_NAMES = {
    name: thing for thing in THINGS for name in (thing, *(f"{tool}_{thing}" for tool in _TOOLS))
}
"""Name of a table -> what it is of; a folder of SLOB's names its tables by their tools."""

WHOLE_HOST = "all"
"""How all CPUs together are named."""

COVERED = 0.8
"""Share of a period that samples must cover to speak for it."""


def tables_of(reading: Reading) -> dict[str, Measured]:
    """The tables of a reading that a host's tools recorded."""
    return {name: reading[name] for name in reading if name in _NAMES}


@dataclass(frozen=True)
class Untimed:
    """A recording without times: the one that it was made together with, or why none is known."""

    file: str
    beside: str | None = None
    match: Match | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Recorded:
    """The rows of all recordings by what they are of; ``file`` names the recording of each."""

    frames: Mapping[str, pl.DataFrame]
    untimed: tuple[Untimed, ...] = ()

    @property
    def hosts(self) -> dict[str, str]:
        """File -> the host that it names."""
        frame = self.frames.get("host")
        if frame is None:
            return {}
        return dict(frame.filter(group="host", fact="host").select("file", "value").rows())

    def of(self, host: str | None) -> Recorded:
        """Without the recordings of other hosts; names are held together up to the first dot."""
        others = [file for file, name in self.hosts.items() if host and not _same(name, host)]
        kept = {
            name: frame.filter(~pl.col("file").is_in(others)) for name, frame in self.frames.items()
        }
        return Recorded(kept, tuple(one for one in self.untimed if one.file not in others))

    @property
    def devices(self) -> pl.DataFrame | None:
        """The samples of devices, each with the host of its recording; None: there is none."""
        frame = self.frames.get("devices")
        if frame is None or frame.is_empty():
            return None
        host = pl.col("file").replace_strict(self.hosts, default=None, return_dtype=pl.String)
        return frame.with_columns(host=host)

    def signals(self) -> dict[tuple[str, str], Signal]:
        """(quantity, file) -> what the file says of it over time."""
        found: dict[tuple[str, str], Signal] = {}
        for thing, made in _SIGNALS.items():
            frame = self.frames.get(thing)
            if frame is None or frame.is_empty():
                continue
            for (file,), own in _whole(thing, frame).group_by("file", maintain_order=True):
                timed = intervals(own, "time", [])
                for quantity, value in made.items():
                    known = timed.with_columns(value=value).filter(pl.col("value").is_not_null())
                    if known.height:
                        found.setdefault((quantity, str(file)), Signal.of(known))
        return found


def _same(one: str, other: str) -> bool:
    """A report in text cuts names off after 16 characters."""
    names = [name.lower().split(".")[0] for name in (one, other)]
    return names[0] == names[1] or (
        min(map(len, names)) >= _CUT and names[0][:_CUT] == names[1][:_CUT]
    )


_CUT = 12
"""As many characters of a host's name as any report keeps."""


def recorded(tables: Mapping[str, Measured]) -> Recorded:
    """The recordings of ``tables_of``, those without times with the times of another one."""
    frames: dict[str, pl.DataFrame] = {}
    for thing in THINGS:
        own = [with_file(table.frame) for name, table in tables.items() if _NAMES[name] == thing]
        if own:
            frames[thing] = pl.concat(own, how="diagonal_relaxed")
    idle = _idle(frames)
    # the files none of whose samples has a time
    every = [frame.select("file", "time") for name, frame in frames.items() if name != "host"]
    known = pl.concat(every or [pl.DataFrame(schema={"file": pl.String, "time": pl.Null})])
    timed = known.group_by("file", maintain_order=True).agg(pl.col("time").count())
    found = [_beside(file, idle) for file in timed.filter(pl.col("time") == 0)["file"]]
    for one in found:
        if one.match is not None:
            frames = {name: _timed(frame, one, idle) for name, frame in frames.items()}
    return Recorded(frames, tuple(found))


def with_file(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with ``file``, which names the recording of each."""
    # of a folder that is one piece of evidence the two together name a file
    names = [pl.col(name) for name in FILE if name in frame.columns]
    return frame.with_columns(file=pl.concat_str(names or [pl.lit("the recording")], separator="/"))


def _idle(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """File -> the host's idle share by sample; means since the host was started are none."""
    boot = pl.col("since_boot").fill_null(value=False)
    own = ("file", "sample", "time", pl.when(~boot).then("idle_ratio").alias("idle"))
    every = [
        _whole(name, frames[name]).select(own) for name in ("cpu", "samples") if name in frames
    ]
    parts = (
        pl.concat(every).partition_by("file", as_dict=True, maintain_order=True) if every else {}
    )
    return {str(file): part.sort("sample") for (file,), part in parts.items()}


def _beside(file: str, idle: Mapping[str, pl.DataFrame]) -> Untimed:
    """The recording with times whose samples are those of this file."""
    others = [name for name, frame in idle.items() if frame["time"].count()]
    if file not in idle or not others:
        return Untimed(file, reason="there is no recording of the host's CPUs with times beside it")
    tried = ((name, _shift(idle[file], idle[name])) for name in others)
    good = [(name, one) for name, one in tried if one is not None]
    if not good:
        names = ", ".join(others)
        return Untimed(file, reason=f"its CPU shares are not those of {names}, sample by sample")
    return Untimed(file, *max(good, key=lambda item: item[1].gain))


def _shift(own: pl.DataFrame, other: pl.DataFrame) -> Match | None:
    """By how many samples one recording is ahead of the other, where both are of the same."""
    import numpy as np

    one, two = (np.diff(frame["idle"].to_numpy().astype(float), 2) for frame in (own, other))
    if not len(two):
        return None
    reach = max(len(one), len(two)) // 2
    lags = np.arange(-reach, reach + 1)
    places = lags[:, None] + np.arange(len(one))[None, :]
    inside = (places >= 0) & (places < len(two))
    beside = np.where(inside, two[np.clip(places, 0, len(two) - 1)], np.nan)
    found = matched(lags, one, beside)
    if isinstance(found, str) or found.low < found.high or found.r < _EXACT:
        return None
    return found


_EXACT = 0.99
"""The same intervals of the same host differ by the rounding of the print alone."""


def _timed(frame: pl.DataFrame, one: Untimed, idle: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The frame with the times of one recording."""
    if "time" not in frame.columns or one.match is None or one.beside is None:
        return frame
    shift = int(one.match.lag)
    times = idle[one.beside].select(pl.col("sample") - shift, told="time")
    times = times.with_columns(file=pl.lit(one.file))
    joined = frame.join(times, on=["file", "sample"], how="left", maintain_order="left")
    return joined.with_columns(time=pl.coalesce("time", "told")).drop("told")


_LAYER = re.compile(r"(dm-|md|drbd|loop|ram|zram|sr|mpath|emcpower)\w*")
_PARTITION = re.compile(r"((?:sd|vd|xvd|hd)[a-z]+)\d+|((?:nvme\d+n|mmcblk)\d+)p\d+")

# --- over time --------------------------------------------------------------------------------

_BUSY = 1 - pl.col("idle_ratio") - pl.col("iowait_ratio").fill_null(0.0)

_SIGNALS: dict[str, dict[str, pl.Expr]] = {
    "cpu": {"cpu_busy_ratio": _BUSY},
    "devices": {"read_iops": pl.col("read_iops"), "read_bytes_per_s": pl.col("read_bytes_per_s")},
    "io": {"read_iops": pl.col("read_iops"), "read_bytes_per_s": pl.col("read_bytes_per_s")},
    "samples": {"cpu_busy_ratio": _BUSY, "runnable": pl.col("runnable"),
                "read_bytes_per_s": pl.col("block_in_bytes_per_s")},
}  # fmt: skip
"""What a table says of the host over time, by the name that a report has for it."""


def _whole(thing: str, frame: pl.DataFrame) -> pl.DataFrame:
    """One row a sample: of all CPUs together, and of all devices but layers upon others."""
    if thing == "cpu":
        return frame.filter(pl.col("cpu").fill_null(WHOLE_HOST) == WHOLE_HOST)
    if thing != "devices":
        return frame
    names = frame["device"].unique().to_list()
    plain = [name for name in names if not is_layer(name, names)]
    own = frame.filter(pl.col("device").is_in(plain), ~pl.col("group").fill_null(value=False))
    moment = [name for name in ("file", "sample", "time", "since_boot") if name in own.columns]
    return own.group_by(moment, maintain_order=True).agg(
        pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name)
        for name in ("read_iops", "read_bytes_per_s")
    )


def is_layer(name: str, names: Sequence[str]) -> bool:
    """Whether a device lies upon others, or is a part of one: its I/O is counted there too."""
    if _LAYER.fullmatch(name):
        return True
    part = _PARTITION.fullmatch(name)
    return part is not None and (part[1] or part[2]) in names


def intervals(frame: pl.DataFrame, time: str, key: Sequence[str]) -> pl.DataFrame:
    """Each row with the interval that it is of: since the row before of the same thing and file."""
    over = [name for name in ("file", *key) if name in frame.columns]
    own = frame.filter(pl.col(time).is_not_null()).sort(time, maintain_order=True)
    before = pl.col(time).shift(1)
    own = own.with_columns(end=pl.col(time), begin=before.over(over) if over else before)
    if "since_boot" in own.columns:
        own = own.filter(~pl.col("since_boot").fill_null(value=False))
    return own.filter(pl.col("begin") < pl.col("end"))


@dataclass(frozen=True)
class Signal:
    """A quantity over time as sums up to each moment, to be averaged over any period.

    ``at`` are moments in seconds, ``total`` the quantity summed over the seconds up to each,
    ``covered`` how many of these seconds have samples.
    """

    at: Numbers
    total: Numbers
    covered: Numbers

    @classmethod
    def of(cls, samples: pl.DataFrame) -> Signal:
        """Of the rows of ``intervals`` with a ``value``."""
        import numpy as np

        begin, end = (seconds(samples[name].to_list()) for name in ("begin", "end"))
        length, value = end - begin, samples["value"].to_numpy().astype(float)
        steps = np.zeros((2, 2 * len(begin)))
        steps[:, 1::2] = length * value, length
        total, covered = np.cumsum(steps, axis=1)
        return cls(np.column_stack([begin, end]).ravel(), total, covered)

    def means(self, begin: Numbers, end: Numbers) -> Numbers:
        """The means over periods of any shape; NaN where too little of one is covered."""
        import numpy as np

        total, covered = (
            np.interp(end, self.at, sums) - np.interp(begin, self.at, sums)
            for sums in (self.total, self.covered)
        )
        enough = covered >= COVERED * (end - begin)
        return np.where(enough, total / np.where(enough, covered, 1.0), np.nan)


def seconds(times: Sequence[datetime]) -> Numbers:
    """Times without a zone as seconds."""
    import numpy as np

    return np.array(times, dtype="datetime64[us]").astype(float) / 1e6


def best_signals(recorded: Recorded, begin: Numbers, end: Numbers) -> dict[str, Any]:
    """Quantity -> its means over the periods, of the recording that knows most of them."""
    import numpy as np

    found: dict[str, Any] = {}
    for (quantity, _), signal in recorded.signals().items():
        means = signal.means(begin, end)
        known = found.get(quantity)
        if known is None or np.isnan(means).sum() < np.isnan(known).sum():
            found[quantity] = means
    return found
