"""fio results and logs of many versions, written from known content as fio's stat.c writes them.

It knows nothing of perfkit. A version is (major, minor); what changed between them:

- 2.0-2.1 count no I/Os; up to 2.20 ``io_bytes`` are KiB; 2.21 adds ``io_kbytes``, in bytes then;
- 3.0 (2.99) has ``_ns`` in the names of latencies, and nanoseconds in them; before it microseconds;
- 3.2 adds ``bw_bytes``, 3.8 ``job_runtime``, 3.18 ``N``; up to 3.3 percentiles are padded to 20;
- up to 3.12 the percentiles stand under completion latency, whatever they are of; to 3.17 there is
  one list of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

PERCENTS = (1.0, 50.0, 95.0, 99.0, 99.9, 99.99)


@dataclass
class Flow:
    """What one job did in one direction; latencies in whole microseconds."""

    ios: int
    block: int
    runtime_ms: int
    slat_us: tuple = (2, 40, 10)
    clat_us: tuple = (90, 4000, 190)
    """(smallest, largest, mean)."""
    percentiles_us: tuple = (100, 180, 300, 400, 900, 2000)
    """Of completion latency; of the whole with ``lat_percentiles``."""


@dataclass
class Job:
    """An entry of a result."""

    name: str
    flows: dict
    options: dict = field(default_factory=dict)
    group: int = 0
    processes: int = 1


def document(version, jobs, shared=None):
    """A result of this version as json would give it."""
    made = {"fio version": "fio-" + ".".join(map(str, version)), "timestamp": 1500000000}
    if shared:
        made["global options"] = shared
    made["jobs"] = [_job(version, job) for job in jobs]
    made["disk_util"] = []
    return made


def text(made):
    """The text of a result; the padding of old versions is a key that stands twice."""
    return json.dumps(made, indent=2).replace('"pad0.00": 0', '"0.00": 0,\n "0.00": 0')


def _job(version, job):
    found = {"jobname": job.name, "groupid": job.group, "error": 0, "eta": 0, "elapsed": 61}
    if version >= (2, 8) and job.options:
        found["job options"] = dict(job.options)
    for direction in ("read", "write", "trim"):
        found[direction] = _flow(version, job.flows.get(direction), job.options)
    if version >= (3, 8):
        longest = max((flow.runtime_ms for flow in job.flows.values()), default=0)
        found["job_runtime"] = longest * job.processes
    found |= {"usr_cpu": 1.5, "sys_cpu": 2.5, "ctx": 10, "majf": 0, "minf": 20}
    return found


def _flow(version, flow, options):
    ios, size, time = (flow.ios, flow.ios * flow.block, flow.runtime_ms) if flow else (0, 0, 0)
    per_second = 1000 / time if time else 0
    found = {"io_bytes": size if version >= (2, 21) else size // 1024}
    if version >= (2, 21):
        found["io_kbytes"] = size // 1024
    if version >= (3, 2):
        found["bw_bytes"] = int(size * per_second)
    found["bw"] = int(size * per_second) // 1024
    found["iops"] = int(ios * per_second) if version < (2, 2) else round(ios * per_second, 6)
    found["runtime"] = time
    if version >= (2, 2):
        found |= {"total_ios": ios, "short_ios": 0, "drop_ios": 0}
    of_whole = options.get("lat_percentiles") == "1"
    for kind in ("slat", "clat", "lat"):
        low, high, mean = _times(flow, kind)
        unit = 1000 if version >= (2, 99) else 1
        name = f"{kind}_ns" if version >= (2, 99) else kind
        found[name] = {"min": low * unit, "max": high * unit, "mean": mean * float(unit),
                       "stddev": 1.0 * unit}  # fmt: skip
        if version >= (3, 18):
            found[name]["N"] = ios
        place = "lat" if of_whole and version >= (3, 13) else "clat"
        if kind == place:
            found[name]["percentile"] = _percentiles(version, flow, unit)
    return found


def _times(flow, kind):
    if flow is None:
        return 0, 0, 0
    if kind != "lat":
        return flow.slat_us if kind == "slat" else flow.clat_us
    return tuple(a + b for a, b in zip(flow.slat_us, flow.clat_us, strict=True))


def _percentiles(version, flow, unit):
    values = flow.percentiles_us if flow else (0,) * len(PERCENTS)
    found = {f"{p:.6f}": v * unit for p, v in zip(PERCENTS, values, strict=True)}
    if version <= (3, 3):
        found |= {"pad0.00": 0}
    return found


def log(rows, columns=4):
    """A log: rows of (time in ms, value, direction 0 to 2, block size), with further columns."""
    more = (", 0", ", 0x2001", ", 17")[: columns - 4]
    return "".join(f"{t}, {v}, {d}, {b}{''.join(more)}\n" for t, v, d, b in rows)


def histogram(rows, counters):
    """A histogram log: rows of (time in ms, direction, {counter: count})."""
    return "".join(
        f"{t}, {d}, 4096, " + ", ".join(str(own.get(i, 0)) for i in range(counters)) + "\n"
        for t, d, own in rows
    )
