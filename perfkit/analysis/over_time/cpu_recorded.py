"""How busy the CPUs of a recorded host were: its busiest interval, and CPUs that had no time left.

Recordings without load points, of iostat, vmstat, mpstat and sar; of load points ``host_cpu``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import polars as pl

from perfkit.analysis.curves.series import require_columns
from perfkit.analysis.over_time.recorded import LABELS, files_told_apart, named_once
from perfkit.core.answers import (
    MEASURED,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.errors import AbsentError
from perfkit.core.keys import FILE
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row

[BUSIEST] = register_questions(
    ("cpu_busiest", "ratio", "the busy share of all CPUs of a host in its busiest interval",
     "the highest of its samples", "none", MEASURED),
)  # fmt: skip

FULL = 0.95
"""From this busy share on a CPU counts as one without time left: printed shares are rounded, and
the kernel's own ticks leave a little idle time to a CPU that never waits."""

ADD_UP = 0.95
"""A CPU's printed shares are of its time where they add up to at least this."""

_ALL = "all"


@step(version=1, name="recorded.cpu")
def cpu_busiest(host_series: Measured, cpu: Measured | None = None) -> pl.DataFrame:
    """The busiest interval of each recorded host, the busiest host first: ``cpu_busiest``.

    Busy is neither idle nor idle with I/O outstanding.

    Args:
        host_series: A row for each moment of each host, with ``cpu_busy_ratio``.
        cpu: The table of single CPUs, where a tool recorded them.

    ``conditions``: the end of that interval (``t_s``) and its number (``sample``), the median,
    the highest share of idle time with I/O outstanding, and of single CPUs how many there are
    (``cpus``; ``cpus_uncounted`` more have no time that was counted), how many were at least
    95% busy in a sample (``cpus_full``), in how many samples the one was that was so most often
    (``full_samples`` of ``single_samples``), and its highest share (``highest_of_one``).
    ``cpu`` in the subject's key is that CPU, ``ended`` the clock at the end of the interval.

    Raises AbsentError where no host has a busy share.
    """
    require_columns(host_series.frame, ["cpu_busy_ratio", "t_s"], "host_series")
    known = host_series.frame.filter(pl.col("cpu_busy_ratio").is_not_null())
    labels = [name for name in (*LABELS, "host") if name in known.columns]
    if known.is_empty():
        raise AbsentError("no recording has the busy share of a host's CPUs")
    things = known.with_columns(thing=pl.col("host") if "host" in labels else pl.lit(""))
    named = files_told_apart(things, labels)
    groups = known.group_by(labels, maintain_order=True)
    keys = ((dict(zip(labels, parts, strict=True)), own) for parts, own in groups)
    answers = [_busiest(key, named, own, None if cpu is None else cpu.frame) for key, own in keys]
    return to_frame(sorted(answers, key=lambda answer: -answer.got.value))


def _busiest(
    key: Row, named: Callable[[Row], str | None], own: pl.DataFrame, cpu: pl.DataFrame | None
) -> Answer:
    shares = own["cpu_busy_ratio"].to_list()
    top = own.row(shares.index(max(shares)), named=True)
    waits = own["cpu_iowait_ratio"].drop_nulls() if "cpu_iowait_ratio" in own.columns else ()
    single, single_conditions = _single(key, cpu)
    label = named_once([key.get("system"), key.get("config"), named(key), key.get("host")])
    subject = (*key.items(), ("ended", _ended(own, top)), ("cpu", single))
    return BUSIEST.answer(
        "cpu_busy_ratio",
        Subject(", ".join(label) or "the recording", subject),
        max(shares),
        n=len(shares),
        conditions=where_conditions(
            ("t_s", top["t_s"], "s"),
            ("sample", top.get("sample"), "1"),
            ("median", median(shares), "ratio"),
            ("iowait", max(waits, default=None), "ratio"),
            *single_conditions,
        ),
    )


def _ended(own: pl.DataFrame, top: Row) -> str | None:
    """The host's clock at the end of the interval, with the date where there are several."""
    time = top.get("time")
    if time is None:
        return None
    one_day = own["time"].dt.date().n_unique() == 1
    form = "%H:%M:%S" if one_day else "%F %H:%M:%S"
    return " ".join(filter(None, (time.strftime(form), top.get("zone"))))


_Conditions = Sequence[tuple[str, float | None, str]]


def _single(key: Row, cpu: pl.DataFrame | None) -> tuple[str | None, _Conditions]:
    """The CPU that was full most often, else the one that was busiest, and what is told of it."""
    every = {name: shares for name, shares in _of_each(key, cpu) if shares}
    if len(every) < 2:
        return None, ()
    uncounted = sum(not shares for _, shares in _of_each(key, cpu))
    full = {name: sum(share >= FULL for share in shares) for name, shares in every.items()}
    name = max(every, key=lambda one: (full[one], max(every[one])))
    return name, (
        ("cpus", len(every), "1"),
        ("cpus_uncounted", uncounted or None, "1"),
        ("cpus_full", sum(map(bool, full.values())), "1"),
        ("full_samples", full[name], "1"),
        ("single_samples", len(every[name]), "1"),
        ("highest_of_one", max(every[name]), "ratio"),
    )


def _of_each(key: Row, cpu: pl.DataFrame | None) -> Iterator[tuple[str, list[Any]]]:
    """The known busy shares of each CPU of one recording; nothing where it has none by itself.

    A CPU that is offline or that the kernel does not tick has shares that do not add up: all 0.00,
    idle too. How busy it was is not known.
    """
    if cpu is None:
        return
    of = [name for name in ("system", "config", *FILE) if name in cpu.columns and name in key]
    here = [pl.col(name).eq_missing(pl.lit(key[name], pl.String)) for name in of]
    moments = ~pl.col("since_boot").fill_null(value=True) & (pl.col("cpu") != _ALL)
    waiting = pl.col("iowait_ratio").fill_null(0.0)
    counted = pl.sum_horizontal(pl.selectors.ends_with("_ratio")) >= ADD_UP
    busy = (1.0 - pl.col("idle_ratio") - waiting).clip(0.0, 1.0).round(6)
    own = cpu.filter(moments, *here).select("cpu", busy=pl.when(counted).then(busy))
    for (name,), part in own.group_by("cpu", maintain_order=True):
        yield str(name), part["busy"].drop_nulls().to_list()
