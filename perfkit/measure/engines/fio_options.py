"""fio's own options that a sweep may set, beside what perfkit's fields say.

An option is on the list where it changes how I/O is made and not what is measured, where it is, how
long it takes or what is written down. fio checks the values before anything is touched.

Source of names and meanings: fio's HOWTO (3.42).
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from perfkit.core.errors import did_you_mean

ALLOWED = frozenset({
    # how I/O is submitted and completed
    "iodepth_batch", "iodepth_batch_submit", "iodepth_batch_complete_min",
    "iodepth_batch_complete_max", "iodepth_batch_complete", "iodepth_low", "serialize_overlap",
    "hipri", "hipri_percentage", "sqthread_poll", "sqthread_poll_cpu", "fixedbufs",
    "registerfiles", "nonvectored", "uncached", "force_async", "userspace_reap", "nowait",
    # where jobs run, and with which priority
    "cpus_allowed_policy", "nice", "prio", "prioclass",
    "cmdprio_percentage", "cmdprio_class", "cmdprio", "cmdprio_bssplit",
    # memory and hints
    "mem", "iomem", "iomem_align", "mem_align", "hugepage-size", "lockmem", "fadvise_hint",
    "write_hint", "invalidate",
    # the pattern, where no field says it
    "random_generator", "percentage_random", "blockalign", "ba", "rw_sequencer", "thinktime_spin",
    "dedupe_mode", "dedupe_working_set_percentage", "dedupe_global", "fdatasync",
    "sync_file_range", "sync", "rate_ignore_thinktime", "rate_cycle",
})  # fmt: skip

_SHORT = 60
"""Characters of a suggestion; longer, it lists all there are."""

FIELDS = {
    "rw": "pattern and read_percent", "readwrite": "pattern and read_percent",
    "rwmixread": "read_percent", "rwmixwrite": "read_percent",
    "bs": "block_size", "blocksize": "block_size", "bsrange": "block_size and block_size_max",
    "bssplit": "block_mix", "ioengine": "ioengine", "iodepth": "iodepth, or the load",
    "numjobs": "numjobs, or the load", "direct": "direct", "buffered": "direct",
    "size": "file_size", "filesize": "file_size", "io_size": "runtime", "offset": "region",
    "runtime": "runtime", "timeout": "runtime", "time_based": "runtime", "ramp_time": "ramp",
    "rate_iops": "the load", "rate": "the load (rate_iops)", "rate_process": "rate_process",
    "random_distribution": "distribution", "thinktime": "think_time", "fsync": "fsync_every",
    "dedupe_percentage": "data.dedupe_percent", "cpus_allowed": "cpus",
    "buffer_compress_percentage": "data.compress_percent",
    "buffer_compress_chunk": "data.compress_chunk", "randseed": "seed",
    "numa_cpu_nodes": "numa.nodes", "numa_mem_policy": "numa.memory", "nrfiles": "files",
    "filename": "the target", "directory": "the target", "loops": "repeats",
}  # fmt: skip
"""Options that perfkit sets itself -> the field of the sweep that says them."""


def check_option(name: str) -> None:
    """See that an option may be set; ValueError that says why not, and what to use."""
    if name in ALLOWED:
        return
    if name in FIELDS:
        raise ValueError(f"{name}: perfkit sets it itself, from {FIELDS[name]}")
    near = did_you_mean(name, sorted(ALLOWED))
    if len(near) > _SHORT:
        near = "docs/measuring.md lists those that may be"
    raise ValueError(f"{name}: not one of the fio options that a sweep may set; {near}")


def _options(given: Any) -> dict[str, str]:
    if not isinstance(given, dict):
        raise ValueError("fio's options are written {hipri: 1, prioclass: 2}")  # noqa: TRY004
    for name, value in given.items():
        check_option(name)
        if isinstance(value, bool) or not re.fullmatch(r"[^\s\[\];#=]+", str(value)):
            raise ValueError(
                f"{name}: {value!r} is not a value; write 1, 0, or the value in one word"
            )
    return {name: str(value) for name, value in sorted(given.items())}


FioOptions = Annotated[dict[str, str], BeforeValidator(_options)]
"""fio's options of a sweep: name -> value, as text."""
