"""What acceptance reads of a fio result: typed, with None for what fio did not write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.units import MS_PER_S, NS_PER_S
from perfkit.formats import fio_json
from perfkit.measure.points import PACED_DEPTH

Host = tuple[str, int]
"""A load generator by name and port."""

HERE: Host = ("", 0)
"""This host, where fio ran without a client."""

ALL_CLIENTS = "All clients"


@dataclass(frozen=True, slots=True)
class Flow:
    """What a job did in one direction. Latencies are in nanoseconds."""

    ios: int
    io_bytes: int
    runtime_s: float
    iops: float | None
    lat_mean_ns: float | None
    lat_count: int | None
    lat_max_ns: float | None
    lat_median_ns: float | None


@dataclass(frozen=True, slots=True)
class Job:
    """One entry of a result: a job, or a group of jobs that fio reports as one."""

    name: str
    error: Any
    content: Mapping[str, Any]

    def flow(self, direction: str) -> Flow:
        """What the job did in a direction; nothing, where fio does not mention it."""
        part = self.content.get(direction) or {}
        latency = part.get("lat_ns") or {}
        return Flow(
            ios=part.get("total_ios") or 0,
            io_bytes=part.get("io_bytes") or 0,
            runtime_s=(part.get("runtime") or 0) / MS_PER_S,
            iops=part.get("iops"),
            lat_mean_ns=latency.get("mean"),
            lat_count=latency.get("N"),
            lat_max_ns=latency.get("max"),
            lat_median_ns=(latency.get("percentile") or {}).get("50.000000"),
        )

    def flows(self, directions: Sequence[str]) -> list[Flow]:
        """What the job did in each of the directions."""
        return [self.flow(direction) for direction in directions]

    def runtime_s(self, directions: Sequence[str]) -> float:
        """How long the job ran, in its longest direction."""
        return max(flow.runtime_s for flow in self.flows(directions))

    def saturated(self) -> float:
        """The share of I/Os that were issued at the paced depth or beyond, 0 to 1."""
        levels = self.content.get("iodepth_level") or {}
        return sum(levels.get(name) or 0.0 for name in (str(PACED_DEPTH), ">=64")) / 100

    def summary(self, directions: Sequence[str]) -> tuple[float | None, float | None]:
        """Completed I/Os per second over all directions, and their mean latency in seconds.

        The mean is pooled by count: sum(mean_i * n_i) / sum(n_i). Each is None unless it is known
        in every direction.
        """
        flows = self.flows(directions)
        rates = [flow.iops for flow in flows if flow.iops]
        means = [
            (flow.lat_mean_ns, flow.lat_count)
            for flow in flows
            if flow.lat_mean_ns and flow.lat_count
        ]
        mean = None
        if len(means) == len(flows):
            mean = sum(value * n for value, n in means) / sum(n for _, n in means) / NS_PER_S
        return sum(rates) if len(rates) == len(flows) else None, mean


Jobs = dict[str, Job]
"""The jobs of one load generator by name."""


def local_jobs(document: Mapping[str, Any]) -> Jobs:
    """The jobs of a result that fio made without a client."""
    return _by_name(document.get("jobs", []))


def jobs_of_clients(document: Mapping[str, Any]) -> dict[Host, Jobs]:
    """The jobs of each server, in the order in which the servers ended; none without a client."""
    found: dict[Host, Jobs] = {}
    for entry in document.get("client_stats", []):
        if entry.get("jobname") != ALL_CLIENTS:
            host = (str(entry.get("hostname")), int(entry.get("port") or 0))
            found.setdefault(host, {}).update(_by_name([entry]))
    return found


def _by_name(entries: Sequence[Mapping[str, Any]]) -> Jobs:
    jobs = [Job(str(entry.get("jobname")), entry.get("error"), entry) for entry in entries]
    return {job.name: job for job in jobs}


def error_of(result: str | None, result_name: Path | str) -> int:
    """The first error number (errno) of a result, 0 if there is none or no readable result."""
    try:
        jobs = local_jobs(fio_json.decode(result or "", result_name).final)
    except ParseError:
        return 0
    return next((int(job.error) for job in jobs.values() if job.error), 0)
