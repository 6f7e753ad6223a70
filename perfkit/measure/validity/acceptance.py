"""Whether a fio run proves itself valid: exit code 0 is not success.

fio exits with 0 after it "measured" a file that it just made, was refused the device, lost a remote
host, or capped the queue at 1; it prints such notes before its JSON. A point is a result only when
every rule of this module holds.
"""

from __future__ import annotations

import errno
import itertools
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from perfkit.core.errors import ParseError
from perfkit.core.units import MS_PER_S, NS_PER_S
from perfkit.formats import fio_json
from perfkit.measure.engines.engine import Acceptance, Share, first_line
from perfkit.measure.engines.jobfile import BACKGROUND_JOB, drain_name, load_name
from perfkit.measure.points import Point
from perfkit.measure.record.cautions import Noted, noted
from perfkit.measure.spec import SweepSpec
from perfkit.measure.validity.fio_result import (
    HERE,
    Flow,
    Host,
    Job,
    Jobs,
    error_of,
    jobs_of_clients,
    local_jobs,
)
from perfkit.measure.validity.stalls import overran, overrun, stall

RUNTIME_SHARE = 0.9
"""A direction that ran for less than this share of the requested time was cut short."""

RATE_TOLERANCE = 0.01
"""How far fio may be from an offered rate; further below, the device did not keep up."""

POISSON_DEVIATIONS = 3.0
"""Random arrivals deviate by the square root of their number: the deviations allowed."""

SATURATED_SHARE = 0.01

ALLOWED_STDERR = (
    # a preloaded library of the environment that does not fit fio; it does not touch the I/O
    re.compile(r"^ERROR: ld\.so: object .* cannot be preloaded .*: ignored\.$"),
)
"""Lines on stderr that are known not to touch the measurement."""

GARBLED = re.compile(r"^fio: (?:inflate error |failed decompressing log|failed converting IO log)")
"""What fio's client says, in one line or more, where it cannot unpack the logs that a server sent.

Seen of fio 3.33 on hosts without a free processor (about one point in a thousand), and by others
of large logs (axboe/fio issue 274).
"""


Hosts = tuple[Host, ...]
"""The load generators by name and port; none: fio ran here, without a client."""


@dataclass(frozen=True)
class ExpectedJob:
    """One result that must be there: its directions, and how long it ran or how much it did.

    ``role`` is what it is of: the load (each target's jobs are one result), a drain of an epic-like
    point, or the load beside; ``target_iops`` its offered rate.
    """

    name: str
    directions: tuple[str, ...]
    runtime_s: float | None = None
    ios: int | None = None
    role: Literal["load", "drain", "background"] = "load"
    target_iops: float | None = None


@dataclass(frozen=True)
class Expectation:
    """What a point must show: its jobs, and for warnings its offered rate and drain period."""

    jobs: tuple[ExpectedJob, ...]
    target_iops: float | None = None
    period_s: float | None = None
    rate_tolerance: float = RATE_TOLERANCE

    def of(self, role: str) -> list[ExpectedJob]:
        """The jobs of a role, in order."""
        return [job for job in self.jobs if job.role == role]


@dataclass(frozen=True)
class Outcome:
    """What a run left behind. ``result`` is the text of the ``--output`` file, None if absent."""

    exit_code: int
    result: str | None
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False


def expectation(spec: SweepSpec, point: Point) -> Expectation:
    """What the given point must show."""
    jobs = [
        ExpectedJob(load_name(number), spec.directions, runtime_s=spec.runtime_s)
        for number in range(max(1, len(spec.targets)))
    ]
    if spec.drain:
        names = (drain_name(number + 1) for number in range(spec.cycles or 0))
        jobs += [ExpectedJob(n, ("write",), ios=spec.drain.blocks, role="drain") for n in names]
    if beside := spec.background:
        jobs.append(
            ExpectedJob(
                BACKGROUND_JOB,
                beside.directions,
                spec.runtime_s,
                role="background",
                target_iops=beside.rate_iops / max(1, len(spec.hosts)),
            )
        )
    period = spec.drain.period_s if spec.drain else None
    rate = point.target_iops()
    tolerance = RATE_TOLERANCE
    if rate and spec.rate_process == "poisson":
        tolerance = max(tolerance, POISSON_DEVIATIONS / math.sqrt(rate * spec.runtime_s))
    return Expectation(tuple(jobs), rate, period, tolerance)


def accept(
    outcome: Outcome, expected: Expectation, result_name: Path | str, hosts: Hosts = ()
) -> Acceptance:
    """Judge one run; pure. ``result_name`` is how the result file is called in a reason.

    Of many ``hosts`` each must have given every result: fio ends with exit code 0 where one was
    not there, or would not take its job.
    """
    lines = (line.strip() for line in outcome.stderr.splitlines())
    foreign = (line for line in lines if not any(p.match(line) for p in ALLOWED_STDERR))
    stderr = next(filter(None, foreign), "")
    if outcome.timed_out or outcome.exit_code != 0:
        said = stderr or first_line(outcome.stdout) or _note(outcome, result_name)
        how = f"fio ended with exit code {outcome.exit_code}{': ' if said else ''}{said}"
        if outcome.timed_out:
            how = "fio did not end in time and was stopped"
        blamed = _blamed(outcome, expected, result_name, hosts)
        reason = f"{blamed} ({how})" if blamed else how
        return Acceptance(accepted=False, reason=reason)
    if outcome.result is None:
        return Acceptance(accepted=False, reason="fio ended with exit code 0 but wrote no result")
    try:
        output = fio_json.decode(outcome.result, result_name)
    except ParseError as problem:
        return Acceptance(accepted=False, reason=str(problem))
    clients = jobs_of_clients(output.final) if hosts else {HERE: local_jobs(output.final)}
    spoken = [
        *(("on stderr", line) for line in [stderr] if line),
        *(("on stdout", line) for line in [first_line(outcome.stdout)] if line),
        *(
            ("before its result", line)
            for line in output.text
            if not (hosts and fio_json.OF_A_CLIENT.match(line))
        ),
    ]
    garbled = [(where, line) for where, line in spoken if hosts and GARBLED.match(line)]
    reasons = [
        *(f"fio wrote {where}: {line}" for where, line in spoken if (where, line) not in garbled),
        *(f"{len(output.documents)} results where one was expected" for _ in output.documents[1:]),
        *_host_problems(clients, hosts),
        *(
            f"{_who(host)}{problem}"
            for host, jobs in clients.items()
            for problem in _job_problems(jobs, expected)
        ),
    ]
    if reasons:
        return Acceptance(accepted=False, reason=reasons[0])
    if garbled:
        where, line = garbled[0]
        return Acceptance(accepted=False, reason=f"fio wrote {where}: {line}", garbled=True)
    load = expected.of("load")
    done = [jobs[job.name] for jobs in clients.values() for job in load]
    iops, latency = _summary(done, load[0].directions)
    cautions = [
        caution for host, jobs in clients.items() for caution in _cautions(host, jobs, expected)
    ]
    return Acceptance(
        accepted=True,
        cautions=(*_rate_cautions(expected, iops), *cautions),
        iops=iops,
        lat_mean_s=latency,
        io_bytes=sum(flow.io_bytes for job in done for flow in job.flows(load[0].directions)),
        measured_unix_s=_begin(output.final, done, load[0].directions),
        shares=tuple(_shares(clients, expected)),
    )


def _shares(clients: Mapping[Host, Jobs], expected: Expectation) -> Iterator[Share]:
    """What was done on each of several targets, and by the load beside, as fio counts it."""
    load, beside = expected.of("load"), expected.of("background")
    rows = [*enumerate(load, start=1)] if len(load) > 1 else []
    for host, jobs in clients.items():
        for number, item in [*rows, *((0, one) for one in beside)]:
            for direction in item.directions:
                flow = jobs[item.name].flow(direction)
                latency = None if flow.lat_mean_ns is None else flow.lat_mean_ns / NS_PER_S
                yield Share(
                    number, _label(host), direction, flow.ios, flow.io_bytes, flow.iops, latency
                )


def _begin(
    document: Mapping[str, Any], done: Sequence[Job], directions: tuple[str, ...]
) -> float | None:
    """When the measurement began: fio's last word, less how long it ran; to about 0.1 s.

    The clients' document has whole seconds alone.
    """
    end_ms = document.get("timestamp_ms")
    if not isinstance(end_ms, int) or "client_stats" in document:
        return None
    return end_ms / MS_PER_S - max(job.runtime_s(directions) for job in done)


def _summary(jobs: Sequence[Job], directions: tuple[str, ...]) -> tuple[float | None, float | None]:
    """``Job.summary`` over the hosts: rates add up, means are weighted by their rates."""
    parts = [job.summary(directions) for job in jobs]
    known = [(rate, mean) for rate, mean in parts if rate and mean is not None]
    rates = [rate for rate, _ in parts if rate]
    if len(rates) < len(parts):
        return None, None
    mean = sum(r * m for r, m in known) / sum(r for r, _ in known) if known else None
    return sum(rates), mean if len(known) == len(parts) else None


def _blamed(outcome: Outcome, expected: Expectation, result_name: Path | str, hosts: Hosts) -> str:
    """The host that made fio fail, and what happened to it; empty where none is known.

    fio names a host that it lost by its address alone, which several servers may share: it means
    the one without a result.
    """
    if not hosts:
        return ""
    try:
        clients = jobs_of_clients(fio_json.decode(outcome.result or "", result_name).final)
    except ParseError:
        return ""
    fate = next((why for sign, why in _LOST.items() if sign in (outcome.result or "")), "")
    lost = [f"{_who(host)}{NO_RESULT}{fate}" for host in hosts if host not in clients]
    failed = [
        f"{_who(host)}{problem}"
        for host, jobs in clients.items()
        for problem in _job_problems(jobs, expected)
    ]
    return next(iter([*lost, *failed]), "")


NO_RESULT = "no result of this host"

_LOST = {
    " timed out": ": its server hung, and no longer answered",
    " disconnected": ": its server went away during the point",
}
"""What fio's client writes about a server that it lost, and what that means."""


def _host_problems(clients: Mapping[Host, Jobs], hosts: Hosts) -> Iterator[str]:
    for host in hosts:
        if host not in clients:
            yield f"{_who(host)}{NO_RESULT}"
    for host in clients:
        if hosts and host not in hosts:
            yield f"{_who(host)}a result of a host that was not asked"


def _label(host: Host) -> str | None:
    return f"{host[0]}:{host[1]}" if host[0] else None


def _who(host: Host) -> str:
    return f"{host[0]}:{host[1]}: " if host[0] else ""


def _job_problems(jobs: Jobs, expected: Expectation) -> Iterator[str]:
    for name, job in jobs.items():
        if job.error != 0:
            known = isinstance(job.error, int) and job.error in errno.errorcode
            words = f": {os.strerror(job.error)}" if known else ""
            yield f"job {name!r} reports error {job.error}{words}"
    names = [item.name for item in expected.jobs]
    for name in jobs:
        if name not in names:
            yield f"job {name!r} is in the result and was not asked for"
    for item in expected.jobs:
        if item.name not in jobs:
            yield f"job {item.name!r} is missing in the result"
            continue
        for direction in item.directions:
            yield from _flow_problems(jobs[item.name].flow(direction), item, direction)


def _flow_problems(flow: Flow, expected: ExpectedJob, direction: str) -> Iterator[str]:
    where = f"job {expected.name!r}"
    if not flow.ios:
        yield f"{where} completed no {direction}s"
    elif expected.ios is not None and flow.ios != expected.ios:
        yield f"{where} completed {flow.ios} {direction}s of {expected.ios}"
    if expected.runtime_s is not None and flow.runtime_s < RUNTIME_SHARE * expected.runtime_s:
        yield f"{where} did {direction}s for {flow.runtime_s:g} s of {expected.runtime_s:g} s"


def _rate_cautions(expected: Expectation, iops: float | None) -> Iterator[Noted]:
    target = expected.target_iops
    if target and iops is not None and abs(iops / target - 1) > expected.rate_tolerance:
        share = f"{iops / target:.1%}"
        yield noted(
            "rate_missed",
            f"achieved {share} of the offered {target:g} IOPS (tolerance "
            f"{expected.rate_tolerance:.1%})",
            share=share,
            args={
                "achieved_iops": iops,
                "offered_iops": target,
                "tolerance_ratio": expected.rate_tolerance,
            },
        )


def _cautions(host: Host, jobs: Jobs, expected: Expectation) -> Iterator[Noted]:
    label = _label(host)
    load = expected.of("load")
    ran = max(jobs[job.name].runtime_s(job.directions) for job in load)
    if load[0].runtime_s is not None and overran(ran, load[0].runtime_s):
        yield overrun(ran, load[0].runtime_s, label)
    full = max(jobs[job.name].saturated() for job in load) if expected.target_iops else 0.0
    if full > SATURATED_SHARE:
        yield noted(
            "saturated_queue",
            f"{full:.0%} of the paced I/Os found the queue full: the depth, and not the offered "
            "rate, set the pace",
            share=f"{full:.0%}",
            args={"full_ratio": full},
            host=label,
        )
    for item in expected.of("background"):
        rate, offered = jobs[item.name].summary(item.directions)[0] or 0.0, item.target_iops or 0.0
        if abs(rate / offered - 1) > RATE_TOLERANCE:
            args = {"achieved_iops": rate, "offered_iops": offered}
            share = f"{rate / offered:.1%}"
            yield noted("background_missed", share=share, args=args, host=label)
    for number, item in enumerate(expected.of("drain"), start=1):
        runtime = jobs[item.name].runtime_s(("write",))
        if expected.period_s is not None and runtime > expected.period_s:
            yield noted(
                "drain_overran",
                f"{item.name} took {runtime:g} s, longer than the period of "
                f"{expected.period_s:g} s: it overlaps the next one",
                drain=str(number),
                time=f"{runtime:g} s",
                period=f"{expected.period_s:g} s",
                args={"drain": item.name, "drain_s": runtime, "period_s": expected.period_s},
                host=label,
            )


def stalls(
    result: str, expected: Expectation, without_io_s: Callable[[float], float | None]
) -> Iterator[Noted]:
    """Where the storage stood still in an accepted result, for each load generator.

    ``without_io_s`` gives the longest time without a completed I/O, given how long the load ran.
    """
    document = fio_json.decode(result, "fio.json").final
    load = expected.of("load")
    for host, jobs in (jobs_of_clients(document) or {HERE: local_jobs(document)}).items():
        ran = max(jobs[job.name].runtime_s(job.directions) for job in load)
        flows = [flow for job in load for flow in jobs[job.name].flows(job.directions)]
        found = stall(
            without_io_s(ran),
            max((flow.lat_max_ns or 0 for flow in flows), default=0) / NS_PER_S or None,
            max((flow.lat_median_ns or 0 for flow in flows), default=0) / NS_PER_S or None,
            ios=sum(flow.ios for flow in flows),
            elapsed_s=ran,
            host=_label(host),
        )
        if found:
            yield found


def _note(outcome: Outcome, result_name: Path | str) -> str:
    """What fio wrote into the result file itself: a line before the JSON, or a job's error."""
    lines = (outcome.result or "").splitlines()
    above = itertools.takewhile(lambda line: not line.startswith("{"), lines)
    words = (line.strip() for line in above if not fio_json.OF_A_CLIENT.match(line))
    before = next(filter(None, words), "")
    error = error_of(outcome.result, result_name)
    return before or (f"a job reports error {error}" if error else "")
