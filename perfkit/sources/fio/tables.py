"""The tidy tables of one fio result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import schema
from perfkit.core.cautions import Caution, caution, to_json
from perfkit.core.grids import grid_of, raised
from perfkit.core.keys import rows_by
from perfkit.core.schema import Row
from perfkit.core.units import MS_PER_S
from perfkit.formats.json_node import Node
from perfkit.sources.files import frame
from perfkit.sources.fio import schema as fio_schema
from perfkit.sources.fio.latency import KINDS, Latency
from perfkit.sources.fio.load import (
    GRIDS,
    Load,
    is_of_output,
    limits_of,
    load_of,
    shape_of,
    syncs_of,
    with_name,
    without_load,
    work_in_words,
    work_of,
)
from perfkit.sources.fio.pool import TOTAL, by_direction, metrics, seconds
from perfkit.sources.fio.result import FioResult, Flow, Job

_DIRECTION_COUNTS = ("short_ios", "drop_ios")
_JOB_COUNTS = {"context_switches": "ctx", "major_faults": "majf", "minor_faults": "minf"}
_SAMPLES = {
    "iops_sample_min": "iops_min",
    "iops_sample_max": "iops_max",
    "iops_sample_mean": "iops_mean",
    "iops_sample_stddev": "iops_stddev",
}
_DISK_COUNTS = ("read_ios", "write_ios", "read_merges", "write_merges")
_DISK_TIMES = {
    "read_ticks_s": "read_ticks",
    "write_ticks_s": "write_ticks",
    "in_queue_s": "in_queue",
}


def tables(result: FioResult, path: Path | str) -> dict[str, pl.DataFrame]:
    """The tables that describe what fio did, each with its schema, empty where fio gave none."""
    jobs = result.jobs
    made: dict[str, tuple[list[Row], schema.Schema]] = {
        "summary": ([row for job in jobs for row in _summary(job)], fio_schema.FIO_SUMMARY),
        "percentiles": (
            [row for job in jobs for row in _of_latencies(job, percentile_rows)],
            fio_schema.FIO_PERCENTILES,
        ),
        "histogram": (
            [row for job in jobs for row in _of_latencies(job, histogram_rows)],
            fio_schema.FIO_HISTOGRAM,
        ),
        "job_options": (option_rows(result), fio_schema.FIO_JOB_OPTIONS),
        "disk_util": (disk_rows(result), fio_schema.FIO_DISK_UTIL),
        "job_steady_state": (
            [row for job in jobs for row in _steady(job)],
            fio_schema.FIO_STEADY_STATE,
        ),
        "sync": (
            [
                {**_job_keys(job), "syncs": job.sync.n, **_statistics("lat", job.sync)}
                for job in jobs
                if job.sync
            ],
            fio_schema.FIO_SYNC,
        ),
    }
    return {name: frame(rows, table, path) for name, (rows, table) in made.items()}


def load_points(result: FioResult, path: Path | str) -> pl.DataFrame:
    """The common table: each group of jobs is a load point, per direction and in total.

    Jobs of one group ran at the same time and are pooled, over all hosts, where they are of one
    block size and depth; groups ran one after the other (or apart from each other) and are never
    added up.
    """
    working = [job for job in result.jobs if job.flows]
    groups = groups_of(working)
    loads = [load_of(jobs) for jobs in groups]
    named: list[Caution] = []
    if len(groups) == 1:
        loads[0], named = with_name(loads[0], str(path))
    keys = _keys(groups, loads)
    rows = [
        {**row, **key, "cautions": to_json([*_told_of(jobs, working, str(path)), *named])}
        for jobs, load, key in zip(groups, loads, keys, strict=True)
        for row in _group_rows(jobs, load)
    ]
    return frame(rows, schema.LOAD_POINTS, path)


def _keys(groups: Sequence[Sequence[Job]], loads: Sequence[Load]) -> list[Row]:
    """The workload and load of each group.

    Names of jobs that hold their own load are those of one workload where the loads tell them
    apart: a file of many sections is a sweep, or a grid, and so are many files of one section.
    Groups of one name that differ in mode, block size or syncs are workloads of their own.
    """
    names = [_names(jobs) for jobs in groups]
    plain = [
        " + ".join(dict.fromkeys(without_load(job.name, load) for job in jobs))
        for jobs, load in zip(groups, loads, strict=True)
    ]
    plain = _told_apart(plain, groups)
    told = [
        (name, load.kind, load.value, load.held) for name, load in zip(plain, loads, strict=True)
    ]
    names = plain if all(plain) and len(set(told)) == len(told) else _told_apart(names, groups)
    keys: list[Row] = [
        {
            "workload": name,
            "load_kind": load.kind,
            "load": load.value,
            "held_kind": load.held_kind,
            "held": load.held,
        }
        for name, load in zip(names, loads, strict=True)
    ]
    for own in rows_by(keys, itemgetter("workload")).values():
        known = [found for found in (grid_of(GRIDS, key) for key in own) if found is not None]
        grids = {grid for grid, _ in known}
        if len(known) == len(own) and len(grids) == 1:
            decided = raised(grids.pop(), [pair for _, pair in known]) or []
            for key, columns in zip(own, decided, strict=False):
                key.update(columns)
    for places in rows_by(range(len(keys)), lambda place: tuple(keys[place].values())).values():
        if len(places) > 1 and len({_done(groups[place]) for place in places}) == 1:
            for number, place in enumerate(places, 1):
                keys[place]["repeat"] = number
    return keys


def _done(jobs: Sequence[Job]) -> frozenset[object]:
    """What jobs were to do, with where: groups of one file that agree in it are repeats."""
    return frozenset(
        (
            job.host,
            job.name,
            syncs_of(job),
            *sorted(item for item in job.options.items() if not is_of_output(item[0])),
        )
        for job in jobs
    )


def groups_of(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs of each load point: of one group, block size and depth, over all hosts.

    Jobs of a group run at the same time. Those with another block size or depth are not part of the
    same load: their IOPS do not add up to one.
    """
    return list(rows_by(jobs, _shape).values())


def _shape(job: Job) -> tuple[object, ...]:
    return job.groupid or 0, *shape_of(job)


def _told_apart(names: Sequence[str], groups: Sequence[Sequence[Job]]) -> list[str]:
    """The names; those of several groups with the mode, blocks and syncs in which these differ."""
    kinds = [work_in_words(jobs[0]) for jobs in groups]
    told = []
    for name, own in zip(names, kinds, strict=True):
        same = [kind for other, kind in zip(names, kinds, strict=True) if other == name]
        differ = [part for part, *others in zip(own, *same, strict=True) if len({*others}) > 1]
        told.append(", ".join(filter(None, (name, *differ))))
    return told


UNEQUAL = 0.5
"""Jobs that were to do the same did not where one did less than this share of another."""


def _told_of(jobs: Sequence[Job], working: Sequence[Job], path: str) -> Iterator[Caution]:
    """What must be known of one load point."""
    yield from _together(jobs, working, path)
    yield from _limited(jobs, path)
    if any(job.sync for job in jobs):
        yield caution("syncs_apart", of=f"{_names(jobs)} of {path}")
    for own in rows_by(jobs, lambda job: work_of(job)[1:] or job.name).values():
        rates = [rate for job in own if (rate := _rate_of(job)) is not None]
        if len(rates) == len(own) and min(rates) < UNEQUAL * max(rates):
            least, most = (f"{rate:,.0f}" for rate in (min(rates), max(rates)))
            of = f"{_names(own)} in {path}"
            yield caution("unequal_jobs", of=of, jobs=str(len(own)), least=least, most=most)


def _rate_of(job: Job) -> float | None:
    """The IOPS of a job, 0 where it did no I/O; None where fio states no rate of what it did."""
    rates = [flow.iops for flow in job.main_flows if flow.ios]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if len(known) == len(rates) else None


def _together(jobs: Sequence[Job], working: Sequence[Job], path: str) -> Iterator[Caution]:
    """A caution where jobs of another load point ran at the same time: the same for all of them."""
    together = [job for job in working if (job.groupid or 0) == (jobs[0].groupid or 0)]
    if len(groups_of(together)) > 1:
        yield caution("ran_beside", of=path, others=_joined([job.name for job in together]))


def _limited(jobs: Sequence[Job], path: str) -> Iterator[Caution]:
    """A caution where what the jobs did may be what they were allowed to do."""
    limits = [limit for job in jobs for limit in limits_of(job)]
    if limits:
        yield caution("limited", of=f"{_names(jobs)} of {path}", limits=_joined(limits))


def _names(jobs: Sequence[Job]) -> str:
    return " + ".join(dict.fromkeys(job.name for job in jobs))


def _joined(words: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _group_rows(jobs: Sequence[Job], load: Load) -> Iterator[Row]:
    flows = [flow for job in jobs for flow in job.main_flows]
    targets = {**(load.target_by_direction or {}), TOTAL: load.target_iops}
    single = len({flow.direction for flow in flows}) == 1
    for direction, part in by_direction(flows).items():
        yield {
            "direction": direction,
            **metrics(part),
            # reads and writes share the depth: what one of them keeps in flight is not known
            "in_flight": load.in_flight if single or direction == TOTAL else None,
            "target_iops": targets.get(direction),
        }


def _job_keys(job: Job) -> Row:
    return {
        "hostname": job.host[0],
        "port": job.host[1],
        "job": job.index,
        "jobname": job.name,
        "groupid": job.groupid,
    }


def _summary(job: Job) -> Iterator[Row]:
    for flow in job.flows:
        node = flow.node
        samples = node.count("iops_samples")
        # of a job without run time fio writes zeros
        ran = any(flow.runtime_ms for flow in job.flows)
        usr, sys = (_scaled(job.node.number(key), 100) for key in ("usr_cpu", "sys_cpu"))
        yield {
            **_job_keys(job),
            "error": job.error,
            "direction": flow.direction,
            "ios": flow.ios if flow.counted else None,
            **{name: node.count(name) for name in _DIRECTION_COUNTS},
            "io_bytes": flow.io_bytes,
            "runtime_s": flow.runtime_ms / MS_PER_S if flow.runtime_ms else None,
            "iops": flow.iops,
            "bw_bytes_per_s": flow.bw_bytes,
            **_latency_columns(flow),
            "iops_samples": samples,
            **{name: node.number(key) if samples else None for name, key in _SAMPLES.items()},
            "fio_usr_ratio": usr if ran else None,
            "fio_sys_ratio": sys if ran else None,
            **{name: job.node.count(key) for name, key in _JOB_COUNTS.items()},
        }


def _latency_columns(flow: Flow) -> Row:
    row: Row = {}
    for kind in KINDS:
        latency = flow.latencies.get(kind)
        row[f"{kind}_n"] = latency.n or None if latency else None
        if latency:
            row |= _statistics(kind, latency)
    return row


def _statistics(kind: str, latency: Latency) -> Row:
    return {
        f"{kind}_min_s": seconds(latency.min_ns),
        f"{kind}_max_s": seconds(latency.max_ns),
        f"{kind}_mean_s": seconds(latency.mean_ns),
        f"{kind}_stddev_s": seconds(latency.stddev_ns),
    }


def _of_latencies(job: Job, rows: Any) -> Iterator[Row]:
    keys = _job_keys(job)
    for flow in job.flows:
        for kind in KINDS:
            latency = flow.latency(kind)
            if latency:
                yield from rows(latency, {**keys, "direction": flow.direction, "kind": kind})
    if job.sync:
        yield from rows(job.sync, {**keys, "direction": "sync", "kind": "lat"})


def percentile_rows(latency: Latency, keys: Row) -> Iterator[Row]:
    """One row a percentile of one distribution."""
    for percent, value in latency.percentiles:
        row = {"percentile": percent, "value_s": seconds(value), "samples": latency.n}
        yield {**keys, **row}


def histogram_rows(latency: Latency, keys: Row) -> Iterator[Row]:
    """One row a bucket of one distribution."""
    for middle, count in latency.bins or ():
        lower, upper = latency.edges(middle)
        edges = {"lower_s": seconds(lower), "value_s": seconds(middle), "upper_s": seconds(upper)}
        yield {**keys, **edges, "count": count}


def option_rows(result: FioResult) -> list[Row]:
    """One row an option, those of the whole file first."""
    shared = [
        {"scope": "global", "option": name, "value": value}
        for name, value in result.global_options.items()
    ]
    own = [
        {**_job_keys(job), "scope": "job", "option": name, "value": value}
        for job in result.jobs
        for name, value in job.own_options.items()
    ]
    return [*shared, *own]


def disk_rows(result: FioResult) -> list[Row]:
    """One row a disk (of each host)."""
    return [
        {
            "hostname": node.text("hostname"),
            "port": node.count("port"),
            "device": node.text("name"),
            **{name: node.count(name) for name in _DISK_COUNTS},
            **{name: _scaled(_ticks(node, key), MS_PER_S) for name, key in _DISK_TIMES.items()},
            "util_ratio": _scaled(node.number("util"), 100),
        }
        for node in result.document.children("disk_util")
    ]


def _ticks(node: Node, key: str) -> float | None:
    """A time of a disk in ms; null where the kernel's counter of 32 bits ran over: below 0."""
    value = node.number(key, signed=True)
    return None if value is None or value < 0 else value


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


def _steady(job: Job) -> Iterator[Row]:
    node = job.node.child("steadystate")
    if node is None:
        return
    attained, data = node.count("attained"), node.child("data")
    yield {
        **_job_keys(job),
        "criterion": node.text("ss"),
        "duration_s": node.number("duration"),
        "attained": None if attained is None else bool(attained),
        "measured": node.text("criterion"),
        "iops_mean": data.number("iops_mean") if data else None,
        "bw_mean_bytes_per_s": data.number("bw_mean") if data else None,
    }
