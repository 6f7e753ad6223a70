"""Any recording over time as lines: one a thing that was watched; and the IOPS of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import polars as pl

from perfkit.analysis.curves.metrics import unit_of
from perfkit.analysis.curves.series import require_columns
from perfkit.core.answers import (
    MEASURED,
    Answer,
    Question,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.errors import AbsentError
from perfkit.core.keys import FILE, short_names
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

LABELS = ("system", "config", *FILE)
"""What tells recordings apart beside the things that one of them watched."""

QUANTITIES = (
    "iops",
    "read_iops",
    "write_iops",
    "transfers_per_s",
    "disk_read_iops",
    "disk_write_iops",
    "bw_bytes_per_s",
    "read_bytes_per_s",
    "write_bytes_per_s",
    "disk_read_bytes_per_s",
    "disk_write_bytes_per_s",
    "lat_mean_s",
    "latency_s",
    "read_await_s",
    "write_await_s",
    "await_s",
    "queue_length",
    "busy_ratio",
    "cpu_busy_ratio",
    "cpu_iowait_ratio",
)
"""What a reader of storage looks for, in this order. A table without one of them shows its own."""

_ENDS = ("iops", "_per_s", "_s", "_ratio", "_bytes")
_NO_QUANTITY = {"t_s", "interval_s", "load"}

MOST_QUANTITIES, MOST_LINES = 8, 12


@step(version=3, name="recorded.lines")
def recorded_lines(
    series: Measured, *, time: str = "t_s", lines: Sequence[str] = (), most: int | None = MOST_LINES
) -> pl.DataFrame:
    """The lines of a recording: of each quantity, those with the highest mean where there are many.

    What a tool sums up since the host's start (``since_boot``) is not a moment and left out, also
    where it is not known whether it does. A
    quantity without a value, or 0 at every moment, has no line.

    Args:
        series: A table with a row for each moment of each thing that is watched.
        time: Its column of seconds, or of times, which are counted from the first of a file.
        lines: The columns that name the thing: ("device",).
        most: At most so many lines of each quantity, as a chart can show; None: all.

    Returns:
        A row for each moment of each line: the labels, ``thing`` (null: the only one), ``t_s``
        (null: a line of that quantity has no times), ``sample`` (as the table numbers them, else
        from 1), ``quantity``, ``value`` in the quantity's unit, and ``things``: how many have that
        quantity in all.

    Raises:
        AbsentError: No quantity has a value.
        AnalysisError: A column is missing.
    """
    require_columns(series.frame, [time, *lines], "series")
    frame = series.frame
    if "since_boot" in frame.columns:
        frame = frame.filter(~pl.col("since_boot").fill_null(value=True))
    names = _quantities(frame)
    if not names:
        raise AbsentError("the recording has no quantity with a value")
    labels = [name for name in LABELS if name in frame.columns]
    parts = [pl.col(name).cast(pl.String) for name in lines] or [pl.lit("")]
    thing = pl.concat_str(parts, separator=", ", ignore_nulls=True)
    own = frame.with_columns(
        pl.when(thing != "").then(thing).alias("thing"), pl.col(names).cast(pl.Float64)
    )
    key = [*labels, "thing"]
    own = own.with_columns(_seconds(own, time, labels).alias("t_s"))
    if "sample" not in own.columns:
        own = own.with_columns((pl.int_range(pl.len()).over(key) + 1).alias("sample"))
    long = own.unpivot(
        on=names, index=[*key, "t_s", "sample"], variable_name="quantity", value_name="value"
    )
    return _on_one_clock(_most(long, [*key, "quantity"], most), [*key, "quantity"])


def _quantities(frame: pl.DataFrame) -> list[str]:
    """The quantities that are shown: those that have a value other than 0."""
    having = [
        name
        for name, dtype in frame.schema.items()
        if name in QUANTITIES
        or (dtype == pl.Float64 and name not in _NO_QUANTITY and name.endswith(_ENDS))
    ]
    having = [name for name in having if (frame[name].drop_nulls() != 0).any()]
    main = [name for name in QUANTITIES if name in having]
    return (main or having)[:MOST_QUANTITIES]


def _seconds(frame: pl.DataFrame, time: str, labels: Sequence[str]) -> pl.Expr:
    """The time of each row in seconds; of a date, since the first in its file."""
    column = pl.col(time)
    if frame.schema[time] == pl.Datetime:
        since = column - (column.min().over(labels) if labels else column.min())
        return since.dt.total_microseconds() / 1e6
    return column.cast(pl.Float64)


def _on_one_clock(long: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """The lines of a quantity over time, or by sample where one of them has no times."""
    timed = pl.col("t_s").is_not_null()
    marked = long.with_columns(has_times=timed.any().over(key))
    marked = marked.filter(timed | ~pl.col("has_times"))
    every = pl.col("has_times").all().over("quantity")
    return marked.with_columns(pl.when(every).then("t_s").alias("t_s")).drop("has_times")


def _most(long: pl.DataFrame, key: Sequence[str], most: int | None) -> pl.DataFrame:
    """The lines with the highest mean of each quantity, each with how many there are in all."""
    known = pl.col("value").is_not_null()
    means = (
        long.filter(known)
        .group_by(key, maintain_order=True)
        .agg(mean=pl.col("value").mean())
        .with_columns(
            place=pl.col("mean").rank("ordinal", descending=True).over("quantity"),
            things=pl.len().over("quantity"),
        )
    )
    shown = means.filter(pl.col("place") <= (most or len(means))).drop("mean", "place")
    return long.join(shown, on=list(key), how="inner", nulls_equal=True, maintain_order="left")


MOST_DRAWN = 2000
"""A line of more samples is drawn by its extremes: a page is less than half as many pixels wide."""


def extremes(lines: pl.DataFrame, most: int = MOST_DRAWN) -> pl.DataFrame:
    """The rows of ``recorded_lines`` by which a chart shows the same line with fewer of them.

    Of a line of more than ``most`` rows, in each of ``most / 2`` stretches of equally many samples
    the lowest and the highest, and one without a value, where there is one; its first and last.
    """
    key = [name for name in (*LABELS, "thing", "quantity") if name in lines.columns]
    place, count = pl.int_range(pl.len()).over(key), pl.len().over(key)
    numbered = lines.with_columns(
        _long=count > most, _end=(place == 0) | (place == count - 1),
        _stretch=place * (most // 2) // count,
    )  # fmt: skip
    stretch = [*key, "_stretch"]
    value = pl.col("value")
    kept = (
        ~pl.col("_long")
        | pl.col("_end")
        | _first(value == value.min().over(stretch), stretch)
        | _first(value == value.max().over(stretch), stretch)
        | _first(value.is_null(), stretch)
    )
    return numbered.filter(kept).select(lines.columns)


def _first(where: pl.Expr, stretch: Sequence[str]) -> pl.Expr:
    """Whether it is the first row of its stretch for which this is true."""
    found = where.fill_null(value=False)
    return found & (found.cum_sum().over(stretch) == 1)


LEVEL, THROUGHPUT = register_questions(
    ("recorded_level", "1/s", "the IOPS of a thing at a moment of a recording",
     "the median over its samples", "none", MEASURED),
    ("recorded_throughput", "B/s", "the throughput of a thing at a moment of a recording that has "
     "no IOPS", "the median over its samples", "none", MEASURED),
)  # fmt: skip


@dataclass(frozen=True)
class _Rate:
    """What a level is of: the columns of a rate, and what is told beside each, by its metric.

    Attributes:
        of_all: The column of all I/O of a thing.
        apart: Of a device, reads and writes have a level each: their sum was not recorded.
        transfers: I/Os of every kind, of sar and plain iostat, which do not count the two apart.
    """

    question: Question
    metric: str
    of_all: str
    apart: Mapping[str, str]
    beside: Mapping[str, Mapping[str, str]]
    transfers: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        return [self.of_all, *self.apart, *self.transfers]


_LATENCY = {"lat_mean_s": "lat_mean_s", "latency_s": "lat_mean_s"}
_IOPS = _Rate(
    LEVEL,
    "iops",
    "iops",
    {"read_iops": "read", "write_iops": "write"},
    {
        "iops": {"bw_bytes_per_s": "bw_bytes_per_s", **_LATENCY},
        "read_iops": {"read_bytes_per_s": "bw_bytes_per_s", "read_await_s": "lat_mean_s"},
        "write_iops": {"write_bytes_per_s": "bw_bytes_per_s", "write_await_s": "lat_mean_s"},
        "transfers_per_s": {"await_s": "lat_mean_s"},
    },
    ("transfers_per_s",),
)
_BYTES = _Rate(
    THROUGHPUT,
    "bw_bytes_per_s",
    "bw_bytes_per_s",
    {"read_bytes_per_s": "read", "write_bytes_per_s": "write"},
    {"bw_bytes_per_s": _LATENCY},
)


@step(version=5, name="recorded.levels")
def recorded_levels(recordings: Sequence[Measured]) -> pl.DataFrame:
    """The IOPS of each thing in tables of ``recorded_lines``: answers to ``recorded_level``.

    Where a tool counts reads and writes alone, as iostat -x does, or all I/Os of a device, as sar
    does, those of each device that was used, the highest first. A partition has none where its disk
    was recorded, and what may lie on the disks recorded beside it has a caution. Where no recording
    has IOPS, as where fio wrote a bandwidth log alone, the throughput: ``recorded_throughput``.

    ``conditions``: the lowest and the highest sample, how many have a value, and the medians of
    throughput and mean latency where they were recorded.

    Raises AbsentError where no recording has either.
    """
    for rate in (_IOPS, _BYTES):
        answers = [answer for lines in recordings for answer in _levels(lines.frame, rate)]
        if answers:
            return to_frame(answers)
    raise AbsentError("no recording has IOPS or throughput")


def _levels(lines: pl.DataFrame, of: _Rate) -> Iterator[Answer]:
    labels = [name for name in LABELS if name in lines.columns]
    known = lines.filter(pl.col("value").is_not_null())
    files = files_told_apart(known.filter(pl.col("quantity").is_in(of.columns)), labels)
    found, beside = [], _things(known, labels)
    for parts, own in known.group_by([*labels, "thing"], maintain_order=True):
        if disk_of(str(parts[-1])) in beside[parts[:-1]]:
            continue  # its I/O is a part of its disk's
        key = dict(zip([*labels, "thing"], parts, strict=True))
        values = {str(name): part["value"].to_list() for (name,), part in own.group_by("quantity")}
        named = [key[name] for name in key if name not in FILE]
        label = named_once([*named[:-1], files(key), named[-1]])
        apart = [name for name in of.apart if name in values]
        rates = [of.of_all] if of.of_all in values else apart
        for rate in rates or [name for name in of.transfers if name in values]:
            direction = of.apart.get(rate)
            told = ", ".join([*label, *([direction] if direction else [])])
            if rate != of.of_all and not any(values[rate]):
                continue  # it was not used
            more = {"rate": rate} if direction else {}
            subject = Subject(told or "the recording", tuple({**key, **more}.items()))
            mapped = may_be_mapped(str(parts[-1]), beside[parts[:-1]])
            told_of = (caution("counted_below", of=key["thing"]),) if mapped else ()
            found.append(replace(_level(subject, values, rate, of), cautions=told_of))
    counts = of.of_all in known["quantity"]
    yield from found if counts else sorted(found, key=_place)


def _place(answer: Answer) -> tuple[float, float]:
    """The highest level first; of devices that were mostly idle the one with the most IOPS."""
    highest = next(item.value for item in answer.conditions if item.metric == "highest")
    return -answer.got.value, -highest


def _things(lines: pl.DataFrame, labels: Sequence[str]) -> dict[tuple[object, ...], set[str]]:
    """The names of the things of each recording, by its labels."""
    found: dict[tuple[object, ...], set[str]] = {}
    for *of, thing in lines.select(*labels, "thing").unique().rows():
        found.setdefault(tuple(of), set()).add(str(thing))
    return found


def _level(subject: Subject, values: dict[str, list[float]], rate: str, of: _Rate) -> Answer:
    found = values[rate]
    return of.question.answer(
        of.metric,
        subject,
        median(found),
        n=len(found),
        conditions=where_conditions(
            ("lowest", min(found), of.question.unit),
            ("highest", max(found), of.question.unit),
            ("samples", len(found), "1"),
            *(
                (metric, median(values[name]), unit_of(metric))
                for name, metric in of.beside.get(rate, {}).items()
                if name in values
            ),
        ),
    )


def named_once(parts: Sequence[str | None]) -> list[str]:
    """The parts of a label that are known, without a folder with which another part begins."""
    known = [str(part) for part in parts if part]
    return [one for one in known if not any(other.startswith(f"{one}/") for other in known)]


def files_told_apart(lines: pl.DataFrame, labels: Sequence[str]) -> Callable[[Row], str | None]:
    """What the file of a thing is called; None for all where their other labels tell them apart."""
    things = lines.select(*labels, "thing").unique(maintain_order=True)
    own = [name for name in things.columns if name not in FILE]
    if not things.select(own).is_duplicated().any():
        return lambda _: None
    column = max(
        (name for name in FILE if name in labels), key=lambda name: things[name].n_unique()
    )
    paths = things[column].drop_nulls().unique(maintain_order=True).to_list()
    names = dict(zip(paths, short_names(paths), strict=True))
    return lambda key: names.get(key[column])


# --- what the names of block devices say of one another: partitions, and what is mapped --------
# The kernel counts an I/O on the device that it was asked of and again on each device below it.
# Which those are no recording says; a name does of a partition alone.

_PARTITIONS = (
    re.compile(r"(?P<disk>(?:sd|hd|vd|xvd|dasd)[a-z]+)\d+"),
    re.compile(r"(?P<disk>(?:nvme\d+n\d+|mmcblk\d+|nbd\d+|cciss/c\d+d\d+|md\d+))p\d+"),
)
"""A partition: the name of its disk, and its number."""

_DISK = re.compile(r"(?:sd|hd|vd|xvd|dasd)[a-z]+|nvme\d+n\d+|mmcblk\d+|nbd\d+|cciss/c\d+d\d+")
_NUMBERED = re.compile(r"dev(?P<major>\d+)-(?P<minor>\d+)")
_SCSI, _MINORS = frozenset({8, *range(65, 72), *range(128, 136)}), 16
"""sar names devices by their numbers: the majors of SCSI disks, each disk with its partitions."""

_OTHERS = re.compile(r"(?:sr|fd|st|ram|zram)\d+")
"""Neither a disk nor on one."""


def disk_of(partition: str) -> str | None:
    """The name of the disk that a partition is on; None for what is no partition by its name."""
    for pattern in _PARTITIONS:
        if told := pattern.fullmatch(partition):
            return told["disk"]
    numbers = _numbers(partition)
    if numbers is None or not numbers[1] % _MINORS:
        return None
    return f"dev{numbers[0]}-{numbers[1] - numbers[1] % _MINORS}"


def may_be_mapped(device: str, beside: Collection[str]) -> bool:
    """Whether a device may lie on others that were recorded beside it.

    As a volume, a multipath device or an array of md does, whatever it is called; not a disk, nor a
    partition, and none where no disk was recorded.
    """
    if _is_disk(device) or disk_of(device) or _OTHERS.fullmatch(device):
        return False
    return any(_is_disk(name) for name in beside)


def _is_disk(device: str) -> bool:
    numbers = _numbers(device)
    return bool(_DISK.fullmatch(device)) or (numbers is not None and not numbers[1] % _MINORS)


def _numbers(device: str) -> tuple[int, int] | None:
    """The numbers of a SCSI disk or of its partition, as sar names them."""
    told = _NUMBERED.fullmatch(device)
    if told is None or int(told["major"]) not in _SCSI:
        return None
    return int(told["major"]), int(told["minor"])
