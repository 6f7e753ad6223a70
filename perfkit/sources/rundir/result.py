"""The result of a point as each engine leaves it, in one form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.formats import elbencho_json
from perfkit.sources.elbencho.command import option_rows as elbencho_options
from perfkit.sources.elbencho.flows import COARSE, flow_of
from perfkit.sources.elbencho.read import partial
from perfkit.sources.fio import validity as fio_validity
from perfkit.sources.fio.read import all_warnings, parse
from perfkit.sources.fio.result import Flow, Job
from perfkit.sources.fio.tables import disk_rows, option_rows

FIO_FILE, ELBENCHO_FILE = "fio.json", "elbencho.json"

BACKGROUND = "background"
"""Sections whose names begin so are the load beside the measured one: in no number of it."""

DRAIN = "drain-"
"""Sections whose names begin so are the drains of an epic-like point: not its load."""


@dataclass(frozen=True)
class Result:
    """What a tool says about one point.

    ``flows`` are the load's; ``drains`` the jobs of an epic-like point's writer by their number;
    ``options`` and ``disks`` the rows of those tables (disks are fio's alone). ``by_host`` are the
    flows of each load generator (``name:port``), where fio told them apart.
    """

    tool: str
    version: str
    flows: tuple[Flow, ...]
    warnings: tuple[str, ...]
    drains: Mapping[int, Job] = field(default_factory=dict)
    options: tuple[Row, ...] = ()
    disks: tuple[Row, ...] = ()
    by_host: Mapping[str, tuple[Flow, ...]] = field(default_factory=dict)


def is_drain(job: Job) -> bool:
    """Whether the job is a drain of an epic-like point."""
    return job.name.startswith(DRAIN) and job.name.removeprefix(DRAIN).isdecimal()


def is_beside(job: Job) -> bool:
    """Whether the job is of the load beside the measured one."""
    return job.name == BACKGROUND or job.name.startswith(f"{BACKGROUND}-")


def _fio(text: str, label: str) -> Result:
    output, result = parse(text, label)
    if output.runs > 1:
        raise ParseError(label, f"results of {output.runs} runs where one was asked for: no result")
    result = replace(result, jobs=tuple(job for job in result.jobs if not is_beside(job)))
    for reason in fio_validity.problems(result, output.text):
        raise ParseError(label, reason)
    load = [job for job in result.jobs if not is_drain(job)]
    drains = [job for job in result.jobs if is_drain(job)]
    return Result(
        tool="fio",
        version=result.version,
        flows=tuple(flow for job in load for flow in job.main_flows),
        warnings=tuple(all_warnings(result, output, load)),
        drains={int(job.name.removeprefix(DRAIN)): job for job in drains},
        options=tuple(option_rows(result)),
        disks=tuple(disk_rows(result)),
        by_host=_by_host(load) if result.clients else {},
    )


def _by_host(jobs: list[Job]) -> dict[str, tuple[Flow, ...]]:
    """Each load generator's flows; hosts differ in name and port."""
    found: dict[str, tuple[Flow, ...]] = {}
    for job in jobs:
        name = f"{job.host[0]}:{job.host[1]}"
        found[name] = (*found.get(name, ()), *job.main_flows)
    return dict(sorted(found.items()))


def _elbencho(text: str, label: str) -> Result:
    phases = elbencho_json.phases(text, label)
    if len(phases) != 1:
        raise ParseError(label, f"{len(phases)} phases where one was asked for: no result")
    (phase,) = phases
    reason = partial(phase)
    if reason:
        raise ParseError(label, f"no result: the phase {reason}", phase.line)
    flows = tuple(flow_of(phase, flow) for flow in phase.flows if flow.io_bytes)
    options = tuple(elbencho_options(phase))
    return Result(
        "elbencho", phase.version, flows, (COARSE, *fio_validity.thin(flows)), options=options
    )


READERS: Mapping[str, Callable[[str, str], Result]] = MappingProxyType(
    {FIO_FILE: _fio, ELBENCHO_FILE: _elbencho}
)
"""How the result file of each engine is read: takes text and label, raises ParseError."""
