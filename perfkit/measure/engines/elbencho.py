"""elbencho as an engine: one process a point and repeat, its own files, and how they are judged.

What a sweep must know of elbencho 3.1 (measured): it checks the time limit once per live interval,
which is 2 s unless a live file is requested; once the limit is reached, no later phase and no
further iteration runs; it appends to result files; a mix is an option of the write phase, a pure
read is not; an interrupted phase leaves a row like any other.
"""

from __future__ import annotations

import contextlib
import http.client
import math
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import ParseError
from perfkit.core.units import MIB, MS_PER_S, US_PER_S
from perfkit.formats import elbencho_json
from perfkit.formats.elbencho_json import Flow, Phase
from perfkit.measure.division import readers_and_writers
from perfkit.measure.engines.engine import (
    STDERR,
    Acceptance,
    Engine,
    Judge,
    Plan,
    deadline,
    first_line,
    layout_deadline,
    read_if_there,
)
from perfkit.measure.engines.places import Places
from perfkit.measure.fleet.hosts import Host, Server
from perfkit.measure.fleet.servers import ANSWER_S, silent
from perfkit.measure.process import Finished
from perfkit.measure.record.cautions import Noted, noted
from perfkit.measure.shape import cpu_numbers
from perfkit.measure.validity.stalls import elbencho_without_io_s, overran, overrun, stall

if TYPE_CHECKING:
    from perfkit.measure.points import Point
    from perfkit.measure.spec import SweepSpec
    from perfkit.measure.validity.acceptance import Hosts

RESULT, CSV, TEXT, LIVE = "elbencho.json", "elbencho.csv", "elbencho.txt", "live.csv"
RAMP = "ramp-"
"""The beginning of the names of the files that the ramp's own process writes."""

LIVE_MS = 500
"""Interval of the live file, and so of the check of the time limit."""

RUNTIME_SHARE = 0.9
THREADS_SHARE = 0.05
"""Threads whose ends lie further apart than this share of the time give a caution."""

CURE = "in no distribution: its project, breuner/elbencho on GitHub, publishes it with releases"
_VERSION = re.compile(r"^\s*\*?\s*Version:\s*(\S+)", re.M)


def _layout(spec: SweepSpec, places: Places, _fill: int) -> Plan:
    # a block that divides the file: direct I/O takes no shorter last one
    block = spec.fill_block or math.gcd(spec.file_size, MIB)
    argv = (
        *_files(""),
        *("--write", "--threads", "1", "--size", str(spec.file_size), "--block", str(block)),
        *("--iodepth", "8" if spec.direct else "1", *(["--direct"] if spec.direct else [])),
        *("--sync", *_hosts(places), places.file()),
    )
    size = spec.file_size * max(1, len(places.hosts))
    return Plan({}, argv, layout_deadline(spec.file_size), _layout_judge(size, places.hosts))


def _point(spec: SweepSpec, point: Point, places: Places) -> Plan:
    def argv(prefix: str, seconds: float) -> tuple[str, ...]:
        limit = ("--timelimit", f"{seconds:g}")
        return (*_files(prefix), *_load(spec, point), *limit, *_hosts(places), places.file())

    return Plan(
        files={},
        argv=argv("", spec.runtime_s),
        deadline_s=deadline(spec, point),
        judge=_point_judge(spec, point, places.hosts),
        before=(argv(RAMP, spec.ramp_s),) if spec.ramp_s else (),
        stalls=_stalls,
    )


def _hosts(places: Places) -> tuple[str, ...]:
    """The services to use; each works on a data set of its own."""
    if not places.hosts:
        return ()
    return ("--hosts", _listed(places.hosts), "--nosvcshare", "--svcwait", "5")


def _listed(hosts: Hosts) -> str:
    return ",".join(f"{name}:{port}" for name, port in hosts)


def _files(prefix: str) -> tuple[str, ...]:
    def file(name: str) -> str:
        return f"{prefix}{name}"

    return (
        *("--csvfile", file(CSV), "--jsonfile", file(RESULT), "--resfile", file(TEXT)),
        *("--livecsv", file(LIVE), "--livecsvex", "--liveint", str(LIVE_MS), "--nolive"),
        *("--lat", "--lathisto", "--cpu"),
    )


def _load(spec: SweepSpec, point: Point) -> tuple[str, ...]:
    jobs = point.numjobs(spec)
    return (
        *_direction(spec, jobs),
        *("--threads", str(jobs), "--iodepth", str(point.iodepth(spec))),
        *("--size", str(spec.file_size), "--block", str(spec.block_size)),
        *(["--rand"] if spec.pattern == "random" else []),
        *(["--direct"] if spec.direct else []),
        *(["--cores", ",".join(map(str, cpu_numbers(spec.cpus)))] if spec.cpus else []),
        *(["--zones", ",".join(map(str, cpu_numbers(spec.numa.nodes)))] if spec.numa else []),
        "--infloop",
    )


def _direction(spec: SweepSpec, jobs: int) -> tuple[str, ...]:
    if len(spec.directions) == 1:
        return (f"--{spec.directions[0]}",)
    if spec.pattern == "random":
        return ("--write", "--rwmixpct", str(spec.read_percent))
    readers, _ = readers_and_writers(jobs, spec.read_percent)
    return ("--write", "--rwmixthr", str(readers))


def _operation(spec: SweepSpec, point: Point) -> str:
    """Elbencho's name for the phase of a point."""
    if len(spec.directions) == 1:
        return spec.directions[0].upper()
    if spec.pattern == "random":
        return f"RWMIX{spec.read_percent}"
    return f"MIX-T{readers_and_writers(point.numjobs(spec), spec.read_percent)[0]}"


def _point_judge(spec: SweepSpec, point: Point, hosts: Hosts) -> Judge:
    wanted = _operation(spec, point)

    def problems(phases: list[Phase]) -> Iterator[str]:
        names = [phase.operation for phase in phases]
        if names != [wanted]:
            yield f"the phases are {', '.join(names) or 'none'} where {wanted} alone was asked for"
            return
        (phase,) = phases
        hosts = max(1, len(spec.hosts))
        if phase.config.get("hosts") != str(hosts):
            yield f"{phase.config.get('hosts')} hosts answered where {hosts} were asked"
        seconds = phase.last_ms / MS_PER_S
        if seconds < RUNTIME_SHARE * spec.runtime_s:
            yield f"{wanted} ran for {seconds:g} s of {spec.runtime_s:g} s"
        for flow in phase.flows:
            yield from _flow_problems(flow)

    return _judge(problems, hosts, spec.runtime_s)


def _layout_judge(size: int, hosts: Hosts) -> Judge:
    def problems(phases: list[Phase]) -> Iterator[str]:
        written = sum(f.io_bytes for phase in phases for f in phase.flows if f.direction == "write")
        if written != size:
            yield f"wrote {written} bytes of {size}"

    return _judge(problems, hosts)


def _flow_problems(flow: Flow) -> Iterator[str]:
    if not flow.io_bytes:
        yield f"no {flow.direction}s were completed"
    elif flow.buckets is None:
        yield f"no histogram of the {flow.direction}s: a latency was beyond its range"


def _judge(
    problems: Callable[[list[Phase]], Iterator[str]],
    hosts: Hosts,
    asked_s: float | None = None,
) -> Judge:

    def judge(finished: Finished, folder: Path) -> Acceptance:
        words = read_if_there(folder / STDERR) or ""
        said = first_line(words)
        if finished.timed_out or finished.exit_code:
            how = f"elbencho ended with exit code {finished.exit_code}{': ' if said else ''}{said}"
            if finished.timed_out:
                how = "elbencho did not end in time and was stopped"
            blamed = _blamed(words, hosts)
            return _refused(f"{blamed} ({how})" if blamed else how)
        text = read_if_there(folder / RESULT)
        if text is None:
            return _refused("elbencho ended with exit code 0 but wrote no result")
        try:
            phases = elbencho_json.phases(text, RESULT)
        except ParseError as problem:
            return _refused(str(problem))
        reasons = [*([f"elbencho wrote on stderr: {said}"] if said else []), *problems(phases)]
        if reasons:
            return _refused(reasons[0])
        return _accepted(phases, asked_s)

    return judge


def _blamed(words: str, hosts: Hosts) -> str:
    """The host that made elbencho fail: one that is silent, else one that it names."""
    labels = [f"{name}:{port}" for name, port in hosts]
    named = (
        f"{label}: {line.strip()}"
        for line in words.splitlines()
        for label in labels
        if label in line
    )
    return silent(SERVER, hosts) or next(named, "")


def _refused(reason: str) -> Acceptance:
    return Acceptance(accepted=False, reason=reason)


def _accepted(phases: list[Phase], asked_s: float | None) -> Acceptance:
    flows = [flow for phase in phases for flow in phase.flows]
    counts = [flow.ios or 0 for flow in flows]
    means = [flow.lat_mean_us for flow in flows]
    known = [mean * n for mean, n in zip(means, counts, strict=True) if mean is not None]
    total = sum(counts)
    latency = sum(known) / total / US_PER_S if total and len(known) == len(flows) else None
    return Acceptance(
        accepted=True,
        cautions=tuple(_cautions(phases, asked_s)),
        iops=sum(flow.iops for flow in flows),
        lat_mean_s=latency,
        io_bytes=sum(flow.io_bytes for flow in flows),
    )


def _cautions(phases: list[Phase], asked_s: float | None) -> Iterator[Noted]:
    for phase in phases:
        gap, ran_s = phase.last_ms - phase.first_ms, phase.last_ms / MS_PER_S
        if phase.last_ms >= MS_PER_S and gap > THREADS_SHARE * phase.last_ms:
            apart = f"{gap / MS_PER_S:g} s"
            yield noted(
                "uneven_threads",
                f"the first thread was done {apart} before the last: the load was not the same "
                "over the whole time",
                time=apart,
                args={"apart_s": gap / MS_PER_S, "ran_s": ran_s},
            )
        if asked_s is not None and overran(ran_s, asked_s):
            yield overrun(ran_s, asked_s)


def _stalls(folder: Path) -> Iterator[Noted]:
    live = read_if_there(folder / LIVE)
    for phase in elbencho_json.phases(read_if_there(folder / RESULT) or "", RESULT):
        flows = phase.flows
        found = stall(
            None if live is None else elbencho_without_io_s(live),
            max((flow.lat_max_us or 0 for flow in flows), default=0) / US_PER_S or None,
            max((flow.lat_mean_us or 0 for flow in flows), default=0) / US_PER_S or None,
            ios=sum(flow.ios or 0 for flow in flows),
            elapsed_s=phase.last_ms / MS_PER_S,
        )
        if found:
            yield found


def _version(said: str) -> str | None:
    found = _VERSION.search(said)
    return f"elbencho-{found[1]}" if found and said.startswith("elbencho") else None


def _ask(host: Host) -> None:
    """Elbencho's service speaks HTTP: any response will do."""
    with contextlib.closing(
        http.client.HTTPConnection(host.name, host.port, timeout=ANSWER_S)
    ) as connection:
        connection.request("GET", "/protocolversion")
        connection.getresponse()


SERVER = Server(
    engine="elbencho",
    port=1611,
    # it has no option to bind it to one address; its shared secret is the user's to set up
    warning=(
        "elbencho's service listens on every address of its host; without a shared secret "
        "(--svcpwfile) whoever reaches the port can write any file and device of that host; start "
        "it in a trusted network only, and stop it afterwards"
    ),
    start=lambda host: f"elbencho --service --port {host.port}",
    stop=lambda host: f"elbencho --quit --hosts {shlex.quote(f'127.0.0.1:{host.port}')}",
    ask=_ask,
    interrupt=lambda hosts: ("--interrupt", "--hosts", _listed(hosts)),
    one_path=True,
)

ENGINE = Engine(
    name="elbencho",
    cure=CURE,
    result=RESULT,
    floor_s=0.05,
    version_of=_version,
    layout=_layout,
    point=_point,
    server=SERVER,
)
