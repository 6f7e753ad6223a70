"""Whether a fio file is a result, and what its reader must know besides.

The rule: a file in which a job reports an error, which fio wrote after a signal, or in which
nothing was done is not a result. Reading it is a ParseError, unless errors are allowed; then what
fio did before the error can be looked at, and ``load_points`` stays empty.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from perfkit.core import stats
from perfkit.core.schema import PERCENTILES
from perfkit.formats.fio_json import OF_A_CLIENT, FioOutput
from perfkit.sources.fio.normal import PRINTED
from perfkit.sources.fio.pool import TOTAL, by_direction, with_percentiles
from perfkit.sources.fio.result import FioResult, Flow, Job

_SIGNAL = re.compile(r"^fio: terminating on signal (\d+)")

KNOWN_NOTES = (
    "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped",
)
"""Notes of fio that may stand in a record; other text may hold host names, paths and times."""

_EXIT = re.compile(r"client <[^>]*>: exited with error (\d+)")
DISK_TIMES = ("read_ticks", "write_ticks", "in_queue")

IN_FLIGHT = 0.01
"""Counts of I/Os and of latencies differ by what was in flight when the ramp or the run ended."""

UNEVEN = 0.05
"""Run times of concurrent jobs that differ by more than this share are told."""


def problems(result: FioResult, text: tuple[str, ...]) -> Iterator[str]:
    """Why the file is not a result, the gravest first."""
    for line in text:
        if said := _SIGNAL.match(line):
            yield f"fio was stopped by signal {said[1]} before the end: no result"
    for run in result.runs or (result,):
        where = "" if run.line is None else f"the result of line {run.line}: "
        yield from (f"{where}{reason}" for reason in _run_problems(run))
    for line in text:
        if said := _EXIT.search(line):
            yield f"a client ended with error {said[1]}"


def _run_problems(result: FioResult) -> Iterator[str]:
    if result.clients and not result.jobs:
        yield "no client gave a result: 'client_stats' is empty"
    for job in result.jobs:
        if job.error:
            yield f"job {job.name!r} reports error {job.error}: {os.strerror(abs(job.error))}"
    if not result.jobs and not result.clients:
        yield "no job in it: 'jobs' is empty"
    if result.jobs and not any(job.flows for job in result.jobs):
        yield "no job did any I/O: fio gave up before it began"


def warnings(result: FioResult, output: FioOutput) -> Iterator[str]:
    """What a reader of the numbers must know."""
    if result.document.has(PRINTED):
        yield (
            "fio's normal output states neither rate limits nor direct I/O; percentiles that it "
            "rounds by more than 1% are null"
        )
    interim = len(output.documents) - output.runs
    if interim:
        yield f"{interim} interim results before the last one were left out (status-interval)"
    yield from _text_warnings(output.text, "result" if result.document.has(PRINTED) else "JSON")
    if result.clients and result.all_clients is None and result.jobs:
        yield (
            "client/server result of one client, without a sum over clients: fio does not say "
            "whether another one failed"
        )
    disks = result.document.children("disk_util")
    if any((disk.number(key, signed=True) or 0) < 0 for disk in disks for key in DISK_TIMES):
        yield "a counter of the disk ran over while fio ran: its time is null"
    for job in result.jobs:
        yield from _job_warnings(job)
    yield from _runtime_warnings(result)


def _text_warnings(text: tuple[str, ...], around: str) -> Iterator[str]:
    foreign = 0
    for line in text:
        note = next((note for note in KNOWN_NOTES if note in line), None)
        if note:
            yield f"fio noted: {line[line.index(note) :]}"
        elif not OF_A_CLIENT.match(line):
            foreign += 1
    if foreign:
        yield f"{foreign} lines of text around the {around} were not read"


def _job_warnings(job: Job) -> Iterator[str]:
    if not job.flows and not job.error:
        yield f"job {job.name!r} did no I/O"
    if job.merged_from:
        yield (
            f"job {job.name!r} is several sections in one (group_reporting); only the options of "
            f"{job.merged_from!r} are known"
        )
    for flow in job.flows:
        latency = flow.latency("lat") or flow.latency("clat")
        if latency is None:
            yield f"job {job.name!r}, {flow.direction}: fio recorded no latency"
        elif latency.n is not None and abs(latency.n - flow.ios) > IN_FLIGHT * flow.ios:
            yield (
                f"job {job.name!r}, {flow.direction}: latency of {latency.n} I/Os, "
                f"and {flow.ios} were done"
            )
    steady = job.node.child("steadystate")
    if steady and steady.count("attained") == 0:
        yield f"job {job.name!r}: steady state {steady.text('ss')} was not reached"


def _runtime_warnings(result: FioResult) -> Iterator[str]:
    for group in sorted({job.groupid or 0 for job in result.jobs}):
        flows = [f for j in result.jobs if (j.groupid or 0) == group for f in j.main_flows]
        times = [flow.runtime_ms for flow in flows]
        if times and min(times) < (1 - UNEVEN) * max(times):
            yield (
                f"group {group}: run times from {min(times)} to {max(times)} ms; rates over all "
                "jobs are over the longest"
            )


def thin(flows: Sequence[Flow]) -> Iterator[str]:
    """The percentiles of one load point that are null, or rest on too few I/Os."""
    parts = by_direction(flows) if flows else {}
    if len(parts) == 2:
        del parts[TOTAL]
    for direction, part in parts.items():
        latency = with_percentiles(part)
        if latency is None:
            yield f"{direction}: no histogram of latency: percentiles are null"
            continue
        samples = sum(flow.ios for flow in part) if latency.n is None else latency.n
        weak = [
            name
            for name, share in PERCENTILES.items()
            if not stats.enough_for_quantile(samples, share)
        ]
        if weak:
            need = stats.samples_needed(PERCENTILES[weak[0]])
            names = ", ".join(weak)
            yield f"{direction}: too few I/Os for {names} ({weak[0]} needs {need:,})"
