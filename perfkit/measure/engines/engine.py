"""A load generator as a sweep sees it: a record of functions, the same for every engine.

An engine turns the sweep and a point into a ``Plan``: files to write, commands to start, and how
their results are judged. Folders, signals, deadlines and sampling are the same for all engines and
are handled here.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import MissingPartError, ParseError, RunError
from perfkit.core.evidence import sha256_file
from perfkit.core.files import Json
from perfkit.core.units import KIB, MIB
from perfkit.measure.engines.places import Places, keep_names, linked
from perfkit.measure.probe.events import Happened, Marks, Observer, Occurrence
from perfkit.measure.probe.sampler import RemoteSampler, Sampler
from perfkit.measure.process import Finished, Stop, Tick, Watch, run_tool
from perfkit.measure.record.cautions import Noted, noted
from perfkit.measure.safety.files import free_bytes
from perfkit.measure.validity.beside import ledger, others, pressure

if TYPE_CHECKING:
    from perfkit.measure.fleet.hosts import Server
    from perfkit.measure.parts import Event, Observe
    from perfkit.measure.points import Point
    from perfkit.measure.spec import SweepSpec

SPARE_S = 30.0
"""Seconds beyond ramp and run time after which a tool that has not ended counts as hung."""

JOB_START_S = 0.02
"""More seconds for each job: fio takes about 20 s to start 3,000 threads."""

SLOWEST_LAYOUT = 4 * MIB
"""Bytes per second below which a lay-out counts as hung."""

LEAST_ROOM = 64 * KIB
"""Free bytes below which a tool's result may have been cut off."""

STDOUT, STDERR, COMMAND, HOST = "stdout.txt", "stderr.txt", "command.json", "host.csv"


@dataclass(frozen=True)
class Share:
    """What was done on one of several targets in a direction; target 0: by the load beside."""

    target: int
    host: str | None
    direction: str
    ios: int
    io_bytes: int
    iops: float | None
    lat_mean_s: float | None


@dataclass(frozen=True)
class Acceptance:
    """The judgement: ``reason`` says why not, and ``cautions`` what an accepted point shows.

    ``iops`` and ``lat_mean_s`` are over the load's directions, for the progress line only, and
    ``io_bytes`` what the load moved.
    ``measured_unix_s`` is when the measurement began, after the ramp; None: the tool does not say.
    ``shares`` is what was done on each of several targets, and by the load beside (target 0).
    ``garbled``: the load ran, and its results were damaged on their way from a host.
    """

    accepted: bool
    reason: str | None = None
    garbled: bool = False
    cautions: tuple[Noted, ...] = ()
    iops: float | None = None
    lat_mean_s: float | None = None
    io_bytes: int | None = None
    measured_unix_s: float | None = None
    shares: tuple[Share, ...] = ()

    def with_target_problem(self, why: str) -> Acceptance:
        """The judgement of a point whose target was not proved afterwards: never accepted.

        What befell the target comes before results that were garbled on their way, and measuring
        again would not help.
        """
        if self.accepted:
            reason = why
        elif self.garbled:
            reason = f"{why} ({self.reason})"
        else:
            reason = f"{self.reason} ({why})"
        return replace(self, accepted=False, reason=reason, garbled=False)


Judge = Callable[[Finished, Path], Acceptance]
"""Judges the folder with a tool's results."""


@dataclass(frozen=True)
class Plan:
    """One piece of work for a tool.

    Attributes:
        files: Written into the point's folder before the start: name -> text.
        argv: Arguments of the measuring command, without the program; it is started in the
            point's folder.
        deadline_s: Seconds after which it is stopped.
        judge: Whether its output is a result.
        before: Commands to run first, in order, each of which must end with exit code 0: the ramp
            of a tool that has none of its own.
        gather: Puts the many files that a tool writes into few.
        stalls: Whether the storage stood still, from an accepted folder's gathered files.
    """

    files: Mapping[str, str]
    argv: tuple[str, ...]
    deadline_s: float
    judge: Judge
    before: tuple[tuple[str, ...], ...] = ()
    gather: Callable[[Path], None] | None = None
    stalls: Callable[[Path], Iterable[Noted]] | None = None


@dataclass(frozen=True)
class Engine:
    """A load generator.

    Attributes:
        name: As in the sweep's ``engine`` and on PATH.
        cure: How to install it.
        result: The file of a point's folder that holds its numbers.
        floor_s: What a run takes beyond ramp and run time: the first estimate of the time left.
        version_of: The version from what ``--version`` prints; None if this is another program.
        layout: The plan that writes the whole target once; which time, from 0.
        point: The plan of one point.
        server: Its server on load generators.
        verification: The plans that write blocks which can be checked, and that check them; None:
            it cannot.
        refuses: Why the program at a path does not take the sweep, in its own words; None: it does.
    """

    name: str
    cure: str
    result: str
    floor_s: float
    version_of: Callable[[str], str | None]
    layout: Callable[[SweepSpec, Places, int], Plan]
    point: Callable[[SweepSpec, Point, Places], Plan]
    server: Server
    verification: Callable[[SweepSpec, Places], tuple[Plan, Plan]] | None = None
    refuses: Callable[[SweepSpec, str], str | None] = lambda _spec, _program: None


def engine_of(name: str) -> Engine:
    """The engine of a name, as its module declares it."""
    engine: Engine = import_module(f"perfkit.measure.engines.{name}").ENGINE
    return engine


@dataclass(frozen=True)
class Tool:
    """A load generator that was found: where, and the facts kept in run.json."""

    path: str
    version: str
    sha256: str
    name: str = "fio"

    def record(self) -> Json:
        """The JSON form."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}


@dataclass(frozen=True)
class PointRun:
    """How a run of a tool ended and how it was judged.

    ``target`` is what was proved of perfkit's own files before and after; ``events`` what happened
    beside the load. ``began_unix_s`` is when it began.
    """

    finished: Finished
    acceptance: Acceptance
    cautions: tuple[Noted, ...] = ()
    target: Mapping[str, Any] | None = None
    events: tuple[Happened, ...] = ()
    began_unix_s: float | None = None


def find_tool(engine: Engine, name: str | None = None) -> Tool:
    """The engine's program by its own or another name or path.

    MissingPartError with the cure if it is not there, does not run, or is another program.
    """
    name = name or engine.name
    found = shutil.which(name)
    if found is None:
        raise MissingPartError(f"{name!r} was not found; {engine.cure}")
    # it is started in the point's folder: a relative path would not lead there
    path = str(Path(found).absolute())
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as problem:
        raise MissingPartError(f"{name!r} does not run ({problem}); {engine.cure}") from problem
    said = done.stdout.decode(errors="replace").strip()
    version = engine.version_of(said)
    if version is None:
        raise MissingPartError(f"{name!r} is not {engine.name}: it calls itself {said[:40]!r}")
    return Tool(path, version, sha256_file(Path(path).resolve()), engine.name)


def ask_to_stop(tool: Tool, argv: tuple[str, ...]) -> None:
    """Ask a tool's services to end their work; RunError with its words if that fails."""
    command = [tool.path, *argv]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired as problem:
        raise RunError(f"{tool.name}: the hosts do not answer") from problem
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
        raise RunError(f"{tool.name}: the hosts cannot be asked: {said}")


def planned_seconds(spec: SweepSpec) -> float:
    """Ramp and run time of one point."""
    return spec.ramp_s + spec.runtime_s


def deadline(spec: SweepSpec, point: Point) -> float:
    """Seconds after which a point is stopped; the last drain may take a second period."""
    drain = spec.drain.period_s if spec.drain else 0.0
    return planned_seconds(spec) + SPARE_S + JOB_START_S * point.jobs(spec) + drain


def layout_deadline(size: int) -> float:
    """Seconds after which a lay-out of so many bytes is stopped."""
    return SPARE_S + size / SLOWEST_LAYOUT


def work(
    tool: Tool, plan: Plan, places: Places, folder: Path, *, what: str, stop: Stop, tick: Tick
) -> None:
    """Run the tool for a lay-out or a verification; RunError says ``what`` failed."""
    finished = _run(tool, plan, places, folder, watch=Watch(plan.deadline_s, tick), stop=stop)
    judged = plan.judge(finished, folder)
    if not judged.accepted:
        raise RunError(f"{what}: {judged.reason}")


def measure(
    tool: Tool,
    plan: Plan,
    places: Places,
    folder: Path,
    *,
    stop: Stop,
    devices: Sequence[str] = (),
    beside: Sequence[str] = (),
    direct: bool = False,
    ramp_s: float = 0.0,
    runtime_s: float = 0.0,
    tick: Tick | None = None,
    ended: Callable[[], None] | None = None,
    elsewhere: Sequence[RemoteSampler] = (),
    observe: Sequence[Observe] = (),
    events: Sequence[Event] = (),
    marks: Path | None = None,
) -> PointRun:
    """Measure one point into ``folder``: command, output, host samples; and judge it.

    ``elsewhere`` sample the hosts that make the load, where that is not this one; ``observe`` are
    commands whose readings are kept, ``events`` those that are run once; ``marks`` is the file to
    which people write. ``devices`` are the disks under the targets here, ``beside``
    those of the background load; ``direct`` says that both go to them past the page cache.
    ``ended`` is called when the tool has ended, before its
    results are read.

    Raises InterruptedRunError after a stop signal.
    """
    with contextlib.ExitStack() as stack:
        for remote in elsewhere:
            stack.enter_context(remote)
        for remote in elsewhere:
            remote.begun()
        sampler = stack.enter_context(Sampler(folder / HOST, devices))
        began = time.time()
        happening: list[Occurrence | Marks] = [
            stack.enter_context(Occurrence(each, ramp_s + runtime_s)) for each in events
        ]
        if marks:
            happening.append(stack.enter_context(Marks(marks)))
        observers = [stack.enter_context(Observer(each, folder)) for each in observe]
        disks = tuple(dict.fromkeys([*devices, *beside]))
        before = ledger(disks)
        finished = _run(tool, plan, places, folder, watch=Watch(plan.deadline_s, tick), stop=stop)
        after = ledger(disks)
        if ended:
            ended()
    judged = plan.judge(finished, folder)
    if not judged.accepted:
        return PointRun(finished, _with_room(judged, folder))
    found = [*judged.cautions, *_over_time(plan, folder)]
    if not elsewhere:
        besides = list(others(before, after, disks, direct=direct))
        # which programs kept the processors busy says more than that they were busy
        told = {"host_at_limit"} if any(c.name == "shared_host" for c in besides) else set()
        found += besides + [c for c in pressure(sampler.rows(), ramp_s) if c.name not in told]
    # a host that only steers may be as busy as it likes
    for remote in elsewhere:
        found += pressure(remote.rows(), ramp_s, remote.host)
    silent = [(None, sampler.problem), *((remote.host, remote.problem) for remote in elsewhere)]
    found += [noted("host_not_sampled", why=why, host=host) for host, why in silent if why]
    found += [_failed(each) for each in observers if each.failed]
    happened = sorted((one for each in happening for one in each.happened), key=lambda e: e.t_s)
    found += [
        noted("event_failed", event=str(one.name), why=one.problem)
        for one in happened
        if one.problem
    ]
    found += [
        noted("event_failed", event=one.name, why="it did not happen")
        for one in events
        if one.name not in {each.name for each in happened}
    ]
    return PointRun(finished, judged, tuple(found), None, tuple(happened), began)


def _failed(observer: Observer) -> Noted:
    return noted(
        "observer_failed",
        failed=str(observer.failed),
        readings=str(observer.readings),
        observer=observer.name,
        why=observer.why,
        args={"failed": observer.failed, "readings": observer.readings},
    )


def _with_room(judged: Acceptance, folder: Path) -> Acceptance:
    """The rejection; where the disk is full, with that as the likely cause."""
    if free_bytes(folder) >= LEAST_ROOM:
        return judged
    return replace(judged, reason=f"no room is left where the run is kept: {judged.reason}")


def _over_time(plan: Plan, folder: Path) -> Iterator[Noted]:
    """Gather the tool's logs and look for stalls; a point survives the loss of its logs."""
    try:
        if plan.gather:
            plan.gather(folder)
        if plan.stalls:
            yield from plan.stalls(folder)
    except (ValueError, LookupError, ParseError) as problem:
        yield noted("no_time_series", why=repr(problem))


def _run(
    tool: Tool, plan: Plan, places: Places, folder: Path, *, watch: Watch, stop: Stop
) -> Finished:
    for name, text in plan.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    record: Json = {
        "argv": [tool.name, *plan.argv],
        "cwd": "this folder",
        "links": {place.link: "the target directory" for place in places.every},
        "target_given_as": "descriptor" if all(p.is_held for p in places.every) else "path",
    }
    given = [one for place in places.every for one in place.given]
    if given:
        # the kept job files hold the names, which outlive the descriptors
        record["given"] = given
    if plan.before:
        record["before"] = [[tool.name, *argv] for argv in plan.before]
    (folder / COMMAND).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    wall = 0.0
    with contextlib.ExitStack() as stack:
        for place in places.every:
            stack.enter_context(linked(folder, place))
        for argv in (*plan.before, plan.argv):
            finished = run_tool(
                [tool.name, *argv],
                program=tool.path,
                cwd=folder,
                stdout=folder / STDOUT,
                stderr=folder / STDERR,
                watch=_shifted(watch, wall),
                stop=stop,
            )
            wall += finished.wall_s
            if finished.exit_code or finished.timed_out:
                break
    if given:
        keep_names(plan.files, places, folder)
    return Finished(finished.exit_code, wall, finished.timed_out)


def _shifted(watch: Watch, seconds: float) -> Watch:
    """The same watch for a command that begins some seconds into the point."""
    tick = watch.tick
    told = (lambda elapsed: tick(seconds + elapsed)) if tick else None
    return Watch(watch.deadline_s, told, watch.tick_s)


def first_line(text: str) -> str:
    """The first line that says something; empty where none does."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def read_if_there(path: Path) -> str | None:
    """A file's text; None if there is no file."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8", errors="replace")
    return None
