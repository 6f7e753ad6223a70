"""The columns of elbencho's tables."""

from __future__ import annotations

from perfkit.core.schema import (
    HISTOGRAM,
    KEYS,
    LOAD_POINTS,
    PERCENTILE,
    Schema,
    number,
    text,
    whole,
)
from perfkit.sources.fio.schema import FIO_JOB_OPTIONS

_LINE = whole("the phase's line in the file")

ELBENCHO_PHASES: Schema = {
    "line": _LINE,
    "operation": text("the phase in elbencho's writing: READ, RWMIX75 ..."),
    "started": text("when it began, as written"),
    "label": text("the label given to elbencho"),
    "first_done_s": number("until the first thread was done", "s"),
    "last_done_s": number("until the last thread was done", "s"),
    "entries": whole("files or directories, where the phase is about such"),
    "cpu_busy_ratio": LOAD_POINTS["cpu_busy_ratio"],
    "threads": whole("threads of each host"),
    "hosts": whole("hosts"),
    "iodepth": whole("I/Os in flight of each thread"),
    "block_bytes": whole("size of one I/O", "bytes"),
    "file_bytes": whole("size of each file or device", "bytes"),
    "path_type": text("file, dir or bdev"),
}
ELBENCHO_PERCENTILES: Schema = {"line": _LINE, **PERCENTILE}
ELBENCHO_HISTOGRAM: Schema = {"line": _LINE, **HISTOGRAM}

ELBENCHO_JOB_OPTIONS: Schema = {
    "workload": KEYS["workload"],
    "load_kind": KEYS["load_kind"],
    "load": KEYS["load"],
    **FIO_JOB_OPTIONS,
}

ELBENCHO_SERIES: Schema = {
    **{name: KEYS[name] for name in ("workload", "load_kind", "load")},
    "label": ELBENCHO_PHASES["label"],
    "operation": ELBENCHO_PHASES["operation"],
    "repeat": whole("how often the phase was run in the file, from 1"),
    "rank": text("Total, or the number of a thread or host, from 0"),
    "host": KEYS["host"],
    "direction": KEYS["direction"],
    "t_s": number("end of the interval, since the phase began", "s"),
    "interval_s": number("length of the interval", "s"),
    "bw_bytes_per_s": number("payload per second of the interval", "bytes/s"),
    "lat_mean_s": number("mean latency in the interval", "s"),
}
