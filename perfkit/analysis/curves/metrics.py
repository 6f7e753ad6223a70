"""What the columns are called in print, and how their numbers are shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from perfkit.core.errors import AnalysisError, check_name
from perfkit.core.schema import PERCENTILES
from perfkit.core.units import UNITS, Format, Printed, in_column, time_format

TOTAL_WITH_READ_LATENCY = "total with read latency"
"""The direction of a row with the rates of all I/O and the latency of reads: of databases, which
know how long a session waited for a read, and of writes nothing of the kind."""


def rates_of(direction: str) -> str:
    """Of which I/Os the rates of a direction are."""
    return "total" if direction == TOTAL_WITH_READ_LATENCY else direction


Quantity = Literal["time", "rate", "rate of bytes", "ratio", "number"]

_SI: dict[Quantity, str] = {
    "time": "s",
    "rate": "1/s",
    "rate of bytes": "B/s",
    "ratio": "ratio",
    "number": "1",
}
"""The SI base unit of each quantity."""


@dataclass(frozen=True)
class Metric:
    """How a column is called: short for a table's header, long for an axis or a sentence."""

    short: str
    long: str
    quantity: Quantity

    def title(self, direction: str = "total") -> str:
        """The long name with the direction in it, unless all directions are meant."""
        if direction == TOTAL_WITH_READ_LATENCY:
            direction = "read" if self.quantity == "time" else rates_of(direction)
        if direction == "total" or self.quantity == "ratio":
            return self.long
        words = self.long.split(" ")
        return (
            " ".join([*words[:-1], direction, words[-1]])
            if len(words) > 1
            else (f"{direction.capitalize()} {self.long}")
        )

    def head(self, direction: str | None = "total") -> str:
        """The short name for a table's header; a latency of other I/O than the rates says so."""
        read = direction == TOTAL_WITH_READ_LATENCY and self.quantity == "time"
        return self.title(TOTAL_WITH_READ_LATENCY) if read else self.short

    def phrase(self, direction: str = "total") -> str:
        """The title in the middle of a sentence."""
        title = self.title(direction)
        return title if title[:2].isupper() else title[:1].lower() + title[1:]


METRICS: dict[str, Metric] = {
    "iops": Metric("IOPS", "IOPS", "rate"),
    "bw_bytes_per_s": Metric("Throughput", "Throughput", "rate of bytes"),
    "lat_mean_s": Metric("Mean latency", "Mean latency", "time"),
    "lat_min_s": Metric("Min latency", "Smallest latency", "time"),
    "lat_max_s": Metric("Max latency", "Largest latency", "time"),
    "lat_p50_s": Metric("p50", "Median latency", "time"),
    "lat_p95_s": Metric("p95", "95th percentile latency", "time"),
    "lat_p99_s": Metric("p99", "99th percentile latency", "time"),
    "lat_p999_s": Metric("p99.9", "99.9th percentile latency", "time"),
    "lat_p9999_s": Metric("p99.99", "99.99th percentile latency", "time"),
    "cpu_busy_ratio": Metric("Host CPU", "Host CPU busy", "ratio"),
    "drain_longest_s": Metric("Longest drain", "Longest drain time", "time"),
    "longest_write_cycle_s": Metric("Longest write cycle", "Longest write cycle", "time"),
    "longest_wij_time_s": Metric("Longest WIJ time", "Longest WIJ time", "time"),
    "effective_write_latency_s": Metric(
        "Effective write latency", "Effective write latency", "time"
    ),
    "isolation_departure": Metric("Departure", "Departure from its level", "ratio"),
    "random_read_average_s": Metric("Random read average", "Random read average", "time"),
    "total_iops": Metric("Total IOPS", "Total IOPS", "rate"),
    "read_iops": Metric("Read IOPS", "Read IOPS", "rate"),
    "write_iops": Metric("Write IOPS", "Write IOPS", "rate"),
}


def is_rate(name: str) -> bool:
    """Whether a metric counts operations a second."""
    return metric_of(name).quantity == "rate"


def unit_of(name: str) -> str:
    """The SI base unit of a metric, or of a load, which has none."""
    return "1" if name == "load" else _SI[metric_of(name).quantity]


def in_words(*names: str) -> str:
    """Metrics in the middle of a sentence: "IOPS or mean latency" for "iops", "lat_mean_s"."""
    words = (METRICS[n].phrase() if METRICS[n].quantity != "ratio" else "host CPU" for n in names)
    return " or ".join(words)


LATENCIES = tuple(
    name for name, metric in METRICS.items() if metric.quantity == "time" and name[:4] == "lat_"
)

_RATE_UNITS = ((1e6, "MIOPS"), (1e5, "kIOPS"), (0.0, "IOPS"))
"""From where on a sentence says "1.35M IOPS", "405K IOPS" and "26,400 IOPS", as the field does."""


def metric_of(name: str) -> Metric:
    """The metric; AnalysisError with a suggestion for an unknown name."""
    check_name("metric", name, METRICS)
    return METRICS[name]


_PERCENTILES_NOTES = {
    frozenset({"clat"}): "Percentiles are of completion latency, which leaves out the time of "
    "submission; the mean is of both.",
    frozenset({"lat", "clat"}): "Percentiles are of the whole latency in some rows and of "
    "completion latency, without the time of submission, in others.",
}


def percentiles_note(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """The note below percentiles that are of another latency than the mean; None where not."""
    shown = [row for row in rows if any(row.get(name) is not None for name in PERCENTILES)]
    kinds = frozenset(row["percentiles_of"] for row in shown if row.get("percentiles_of"))
    return _PERCENTILES_NOTES.get(kinds)


def check_latency(name: str) -> None:
    """AnalysisError for a metric that is not a latency."""
    if name not in LATENCIES:
        raise AnalysisError(f"{name!r} is not a latency; known: {', '.join(LATENCIES)}")


def column_format(name: str, values: Iterable[float | None]) -> Format:
    """The one format of a whole column: its unit and decimals fit the smallest and largest value.

    Times are in s when all are 1 s or more, in µs when all are below 1 ms or one is below 10 µs,
    otherwise in ms; the smallest has the three digits that sentences print. Of other quantities the
    smallest value above 0 has two digits at least.
    """
    known = [abs(value) for value in values if value and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    return in_column(fine_enough(_FORMATS[metric_of(name).quantity](low, high), known), known)


def fine_enough(form: Format, values: Iterable[float | None]) -> Format:
    """The format with the decimals that leave two digits to the smallest of its values above 0."""
    low = min((abs(value) for value in values if value), default=0.0) / UNITS[form.unit].si
    if form.significant is not None or not low:
        return form
    return replace(form, decimals=max(form.decimals or 0, 1 - math.floor(math.log10(low))))


_TIMES = {"s": (1, 2), "ms": (1, 3), "us": (0, 2)}
"""Unit -> the fewest and the most decimals of a column."""


def _time(low: float, high: float) -> Format:
    ms, us = UNITS["ms"].si, UNITS["us"].si
    unit = "s" if low >= 1 else "us" if high < ms or low < 10 * us else "ms"
    fewest, most = _TIMES[unit]
    three_digits = 2 - math.floor(math.log10(low / UNITS[unit].si)) if low else fewest
    return Format(unit, decimals=min(max(three_digits, fewest), most))


_WHOLE_IOPS, _WHOLE_MB = 10.0, 100 * UNITS["MB/s"].si
"""Rates of which the least is as large as this have no decimals."""

_FORMATS: dict[Quantity, Callable[[float, float], Format]] = {
    "time": _time,
    "rate": lambda low, _: Format("IOPS", decimals=0 if low >= _WHOLE_IOPS else 1),
    "rate of bytes": lambda low, high: Format("MB/s", decimals=int(low < _WHOLE_MB or not high)),
    "ratio": lambda *_: Format("%", decimals=1),
    "number": lambda *_: Format("1", significant=3),
}


def printed(name: str, value: float | None) -> Printed:
    """A number for a sentence: three significant digits, with the unit people read it in."""
    quantity = metric_of(name).quantity
    if quantity == "time":
        return time_format(value).show(value)
    if quantity == "rate":
        unit = next(unit for least, unit in _RATE_UNITS if (value or 0.0) >= least)
        return Format(unit, significant=3).show(value)
    unit = {"rate of bytes": "MB/s", "ratio": "%", "number": "1"}[quantity]
    return Format(unit, significant=2 if quantity == "ratio" else 3).show(value)


def limit_printed(limit_s: float) -> Printed:
    """A limit as people write it, without meaningless digits: "1 ms", not "1.00 ms"."""
    return _exact(limit_s, time_format(limit_s).unit)


def exact_printed(name: str, value: float) -> Printed:
    """A value that was given, not measured (a metric or a load), without meaningless digits."""
    return _exact(value, printed(name, value).unit if name in METRICS else "1")


def share_printed(share: float) -> Printed:
    """A declared share without meaningless digits: "5%", not "5.00%"."""
    return _exact(share, "%")


def apart_printed(name: str, value: float, other: float) -> Printed:
    """A value for a sentence that says on which side of ``other`` it lies: with digits to show it.

    1.0004 ms beside a limit of 1 ms is 1.0004 ms, and not 1.00 ms.
    """
    unit = printed(name, value).unit
    beside = _as_printed(other, unit, LIMIT_DIGITS)
    return _with_digits(
        value,
        unit,
        range(3, MOST_DIGITS + 1),
        lambda shown: shown != beside and (shown > beside) == (value > other),
    )


def within_printed(name: str, value: float, limit: float) -> Printed:
    """A value that keeps a limit: with the digits that it takes not to print above the limit."""
    unit = printed(name, value).unit
    most = _as_printed(limit, unit, LIMIT_DIGITS)
    return _with_digits(value, unit, range(3, LIMIT_DIGITS + 1), lambda shown: shown <= most)


MOST_DIGITS = 17
"""A double has no more significant digits than these."""


def _exact(value: float, unit: str) -> Printed:
    exact = _as_printed(value, unit, LIMIT_DIGITS)
    return _with_digits(value, unit, range(1, LIMIT_DIGITS + 1), lambda shown: shown == exact)


def _with_digits(value: float, unit: str, digits: range, fits: Callable[[float], bool]) -> Printed:
    """The value with the fewest digits that fit as printed, else with the most."""
    chosen = next((n for n in digits if fits(_as_printed(value, unit, n))), digits[-1])
    return Format(unit, significant=chosen).show(value)


def _as_printed(value: float, unit: str, digits: int) -> float:
    return float(Format(unit, significant=digits).number(value).replace(",", ""))


LIMIT_DIGITS = 12
"""A typed limit has fewer digits than these; a double's noise begins after them."""

LOAD_WORDS = {
    "iodepth": ("iodepth {n}", "iodepth {n}"),
    "numjobs": ("{n} job", "{n} jobs"),
    "host_numjobs": ("{n} job over all hosts", "{n} jobs over all hosts"),
    "threads": ("{n} thread", "{n} threads"),
    "host_threads": ("{n} thread over all hosts", "{n} threads over all hosts"),
    "processes": ("{n} process", "{n} processes"),
    "run": ("run {n}", "run {n}"),
    "rate_iops": ("an offered rate of {n} IOPS", "an offered rate of {n} IOPS"),
    "target_iops": ("an offered rate of {n} IOPS", "an offered rate of {n} IOPS"),
}
"""Load kind -> how a load of it is said, singular and plural."""

LOAD_AXIS = {
    "iodepth": "iodepth",
    "numjobs": "Jobs",
    "host_numjobs": "Jobs (all hosts)",
    "threads": "Threads",
    "host_threads": "Threads (all hosts)",
    "processes": "Processes",
    "run": "Run",
    "rate_iops": "Offered IOPS",
    "target_iops": "Offered IOPS",
}
"""Load kind -> the title of its axis or column; other kinds stand as they are."""


def load_number(load: float) -> Printed:
    """A load as printed: as it was set, whole numbers whole."""
    whole = float(load).is_integer()
    return Format("1", decimals=0).show(load) if whole else _exact(load, "1")


def load_format(loads: Iterable[float | None]) -> Format:
    """The one format of a column of loads: with the decimals that print each as it was set."""
    texts = [load_number(load).text for load in loads if load is not None]
    return Format("1", decimals=max((len(t.partition(".")[2]) for t in texts), default=0))


def load_text(kind: str, load: float) -> str:
    """A load in words: "iodepth 16", "1 job", "an offered rate of 10,000 IOPS"."""
    singular, plural = LOAD_WORDS.get(kind, (f"{kind} {{n}}",) * 2)
    return (singular if load == 1 else plural).format(n=load_number(load).text)


def loads_text(kind: str, loads: Sequence[float]) -> str:
    """Several loads in words: "iodepth 8, 16 and 32", "180 and 210 threads"."""
    *first, last = (load_number(load).text for load in loads)
    if not first:
        return load_text(kind, loads[0])
    words = LOAD_WORDS.get(kind, (f"{kind} {{n}}",) * 2)
    return words[1].format(n=f"{', '.join(first)} and {last}")


WORKLOAD_LABELS = {"epic-like": "GenIO-like, not GenIO"}
"""Words that stand wherever a workload's name is shown."""


def workload_name(name: str) -> str:
    """A workload's name as it is printed, with the words that must stand beside it."""
    label = WORKLOAD_LABELS.get(name)
    return f"{name} ({label})" if label else name
