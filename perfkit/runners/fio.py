"""Running fio: which fio it is, the write pass that lays out the target, and one point."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.errors import MissingPartError, RunError
from perfkit.evidence import sha256_file
from perfkit.runners.acceptance import Acceptance, Expectation, ExpectedJob, Outcome, accept
from perfkit.runners.acceptance import expectation as expected_of
from perfkit.runners.jobfile import layout_job, point_job
from perfkit.runners.process import Finished, Stop, Watch, run_tool
from perfkit.runners.sampler import Sampler
from perfkit.units import MIB

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.runners.process import Tick
    from perfkit.runners.safety import TargetFile
    from perfkit.runners.spec import Point, SweepSpec

SPARE_S = 30.0
"""Seconds beyond ramp and run time after which a fio that has not ended is taken for hung."""

JOB_START_S = 0.02
"""Seconds more for each job: 3,000 threads take fio about 20 s to start."""

SLOWEST_LAYOUT = 4 * MIB
"""Bytes per second below which a lay-out is taken for hung."""

FIO_CURE = (
    "install it: apt install fio (Debian), dnf install fio (Fedora), brew install fio (macOS)"
)

FILES = {"job": "job.fio", "result": "fio.json", "stdout": "stdout.txt", "stderr": "stderr.txt"}


@dataclass(frozen=True)
class Tool:
    """A fio that was found: where, and the facts kept in run.json."""

    path: str
    version: str
    sha256: str

    def record(self) -> dict[str, Any]:
        """The JSON form."""
        return {"name": "fio", "version": self.version, "sha256": self.sha256}


@dataclass(frozen=True)
class PointRun:
    """How a run of fio ended and how it was judged."""

    finished: Finished
    acceptance: Acceptance
    warnings: tuple[str, ...] = ()


def find_fio(name: str = "fio") -> Tool:
    """The fio of that name or path; MissingPartError naming the cure if it is not there."""
    found = shutil.which(name)
    if found is None:
        raise MissingPartError(f"{name!r} was not found; {FIO_CURE}")
    # fio is started in the target directory: a relative path would not lead there
    path = str(Path(found).absolute())
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as problem:
        raise MissingPartError(f"{name!r} does not run ({problem}); {FIO_CURE}") from problem
    version = done.stdout.decode(errors="replace").strip()
    if not version.startswith("fio-"):
        raise MissingPartError(f"{name!r} is not fio: it calls itself {version[:40]!r}")
    return Tool(path, version, sha256_file(Path(path).resolve()))


def lay_out(
    tool: Tool,
    spec: SweepSpec,
    target: TargetFile,
    folder: Path,
    *,
    stop: Stop,
    written: Callable[[int], None],
) -> None:
    """Write the whole target once; ``written`` hears how many bytes are on the file system.

    Raises RunError if fio could not: the disk is full, or the file system refused.
    """
    (folder / FILES["job"]).write_text(layout_job(spec, target.path.name), encoding="utf-8")
    watch = Watch(
        SPARE_S + spec.file_size / SLOWEST_LAYOUT, lambda _: written(target.allocated_bytes())
    )
    finished = _run(tool, folder, target, watch, stop, read_only=False)
    expected = Expectation((ExpectedJob("layout", ("write",)),))
    judged = _judge(finished, folder, expected)
    if not judged.accepted:
        raise RunError(f"laying out {target.path}: {judged.reason}")
    written(target.size)


def measure(
    tool: Tool,
    spec: SweepSpec,
    point: Point,
    target: TargetFile,
    folder: Path,
    *,
    stop: Stop,
    device: str | None = None,
    tick: Tick | None = None,
) -> PointRun:
    """Measure one point into ``folder``: job file, command, output, host samples; and judge it.

    Raises InterruptedRunError after a stop signal.
    """
    (folder / FILES["job"]).write_text(point_job(spec, point, target.path.name), encoding="utf-8")
    watch = Watch(deadline(spec, point), tick)
    with Sampler(folder / "host.csv", device) as sampler:
        finished = _run(tool, folder, target, watch, stop, read_only=spec.read_only)
    judged = _judge(finished, folder, expected_of(spec, point))
    sampling = (sampler.problem,) if sampler.problem else ()
    return PointRun(finished, judged, (*judged.warnings, *sampling))


def planned_seconds(spec: SweepSpec) -> float:
    """Ramp and run time of one point."""
    return spec.ramp_s + spec.runtime_s


def deadline(spec: SweepSpec, point: Point) -> float:
    """Seconds after which fio is stopped; the last drain may take a second period."""
    drain = spec.drain.period_s if spec.drain else 0.0
    return planned_seconds(spec) + SPARE_S + JOB_START_S * point.numjobs(spec) + drain


def _run(
    tool: Tool, folder: Path, target: TargetFile, watch: Watch, stop: Stop, *, read_only: bool
) -> Finished:
    files = {name: folder.resolve() / file for name, file in FILES.items()}
    options = ["--output-format=json+", *(["--readonly"] if read_only else [])]
    argv = [tool.path, *options, f"--output={files['result']}", str(files["job"])]
    shown = ["fio", *options, f"--output={{point}}/{FILES['result']}", f"{{point}}/{FILES['job']}"]
    record = {
        "argv": shown,
        "cwd": "{target}",
        # the record holds no path of the machine it was made on
        "placeholders": {"{point}": "this folder", "{target}": "the target directory"},
    }
    (folder / "command.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return run_tool(
        argv,
        cwd=target.path.parent,
        stdout=files["stdout"],
        stderr=files["stderr"],
        watch=watch,
        stop=stop,
    )


def _judge(finished: Finished, folder: Path, expected: Expectation) -> Acceptance:
    outcome = Outcome(
        exit_code=finished.exit_code,
        result=_read(folder / FILES["result"]),
        stdout=_read(folder / FILES["stdout"]) or "",
        stderr=_read(folder / FILES["stderr"]) or "",
        timed_out=finished.timed_out,
    )
    return accept(outcome, expected, FILES["result"])


def _read(path: Path) -> str | None:
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8", errors="replace")
    return None
