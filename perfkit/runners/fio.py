"""fio as an engine: its job files, its command line, and how its outcome is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.formats.fio_series import gather
from perfkit.runners.acceptance import Expectation, ExpectedJob, Outcome, accept
from perfkit.runners.acceptance import expectation as expected_of
from perfkit.runners.engine import (
    STDERR,
    STDOUT,
    Acceptance,
    Engine,
    Judge,
    Place,
    Plan,
    deadline,
    layout_deadline,
    text_of,
)
from perfkit.runners.jobfile import layout_job, point_job

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.runners.process import Finished
    from perfkit.runners.spec import Point, SweepSpec

JOB, RESULT = "job.fio", "fio.json"


def _layout(spec: SweepSpec, place: Place) -> Plan:
    return Plan(
        files={JOB: layout_job(spec, place.file)},
        argv=_argv(read_only=False),
        deadline_s=layout_deadline(spec),
        judge=_judge(Expectation((ExpectedJob("layout", ("write",)),))),
    )


def _point(spec: SweepSpec, point: Point, place: Place) -> Plan:
    return Plan(
        files={JOB: point_job(spec, point, place.file)},
        argv=_argv(read_only=spec.read_only),
        deadline_s=deadline(spec, point),
        judge=_judge(expected_of(spec, point)),
        gather=gather,
    )


def _argv(*, read_only: bool) -> tuple[str, ...]:
    only = ("--readonly",) if read_only else ()
    return ("--output-format=json+", *only, f"--output={RESULT}", JOB)


def _judge(expected: Expectation) -> Judge:
    def judge(finished: Finished, folder: Path) -> Acceptance:
        outcome = Outcome(
            exit_code=finished.exit_code,
            result=text_of(folder / RESULT),
            stdout=text_of(folder / STDOUT) or "",
            stderr=text_of(folder / STDERR) or "",
            timed_out=finished.timed_out,
        )
        return accept(outcome, expected, RESULT)

    return judge


def _version(said: str) -> str | None:
    return said if said.startswith("fio-") else None


FIO = Engine(
    name="fio",
    cure="install it: apt install fio (Debian), dnf install fio (Fedora), brew install fio (macOS)",
    result=RESULT,
    floor_s=0.45,
    version_of=_version,
    layout=_layout,
    point=_point,
)
