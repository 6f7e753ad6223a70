"""``perfkit run``: measure a study's sweep or a named workload with fio."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perfkit.cli.common import remark
from perfkit.core.errors import UsageError
from perfkit.core.plain_text import plain

if TYPE_CHECKING:
    from perfkit.measure.turns import Order, TargetSweep

EXAMPLE = """
For example:

    perfkit run oltp-select --target /mnt/array --runtime 30s --repeats 3

    perfkit run oltp-mixed --target /mnt/array --load iodepth=1,4,16,64 -o runs

    perfkit run oltp-mixed --target /mnt/old-array --target /mnt/new-array

    perfkit run oltp-mixed --target /mnt/array --set distribution=hot:80/20

    perfkit run oltp-mixed --target /mnt/array --within 1ms

    perfkit run oltp-mixed --set targets=/mnt/lun-a,/mnt/lun-b

    perfkit run my.fio --target /mnt/array --load iodepth=1,4,16

    perfkit run data/studies/this-host/study.yml

    perfkit run oltp-update --target /dev/sdX --file-size 100GiB --overwrite 'MODEL SERIAL'

Several targets take turns, a repeat of each at a time, so that a drift of the host affects all
of them.

The same command resumes an interrupted sweep: only missing points are measured.
"""


def _complete(begun: str) -> list[str]:
    """Workloads and study files that begin so, for the shell's completion."""
    from perfkit.measure.workloads import WORKLOADS

    studies = [path.as_posix() for path in Path().glob(f"{begun}*") if path.is_dir()]
    for ending in (".yml", ".fio"):
        studies += [path.as_posix() for path in Path().glob(f"{begun}*{ending}")]
    return [name for name in WORKLOADS if name.startswith(begun)] + sorted(studies)


def _complete_field(begun: str) -> list[str]:
    from perfkit.measure.spec import SweepSpec

    return [f"{name}=" for name in SweepSpec.model_fields if name.startswith(begun)]


def run(
    what: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|WORKLOAD|JOB.fio",
            help="A study file, a fio job file whose options perfkit knows, or a named workload: "
            "oltp-select, oltp-mixed, oltp-update, sas-sequential, iris-ranread, epic-like.",
            autocompletion=_complete,
        ),
    ],
    target: Annotated[
        list[Path] | None,
        typer.Option(
            "--target",
            "-t",
            help="Folder whose file system is measured, or a device; several are measured in turns "
            "and compared.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where run directories are kept.")
    ] = None,
    load: Annotated[
        str | None,
        typer.Option(
            help="The load to raise, and its values: iodepth=1,2,4 | numjobs=… | rate_iops=…"
        ),
    ] = None,
    runtime: Annotated[str | None, typer.Option(help="Time of each measurement: 30s, 2m.")] = None,
    ramp: Annotated[
        str | None, typer.Option(help="Time of I/O before measuring begins: 5s.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="How often each point is measured.")] = None,
    file_size: Annotated[str | None, typer.Option(help="Size of the target file: 4GiB.")] = None,
    block_size: Annotated[str | None, typer.Option(help="Size of one I/O: 8KiB.")] = None,
    read_percent: Annotated[int | None, typer.Option(help="Share of reads, 0 to 100.")] = None,
    ioengine: Annotated[str | None, typer.Option(help="fio's ioengine: libaio, io_uring …")] = None,
    direct: Annotated[
        bool | None, typer.Option("--direct/--buffered", help="Bypass the page cache, or not.")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="The tool: fio or elbencho.")] = None,
    hosts: Annotated[
        str | None, typer.Option(help="Load generators: HOST[:PORT],… (see perfkit hosts).")
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            metavar="LATENCY",
            help="After the loads, search for the highest load within this mean latency: 1ms.",
        ),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Any other field of the sweep: distribution=zipf:1.2, block_mix=8k/70:64k/30, "
            "data.dedupe_percent=30, fio_options.hipri=1 (docs/measuring.md).",
            autocompletion=_complete_field,
        ),
    ] = None,
    run_id: Annotated[str | None, typer.Option(help="Name of the run directory.")] = None,
    overwrite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'MODEL SERIAL'",
            help="Agree that all data on this device will be lost; once for each device. Without "
            "it, perfkit prints the text to give.",
        ),
    ] = None,
) -> None:
    """Measure storage with fio or elbencho: a sweep of points that each prove themselves valid."""
    overrides: dict[str, Any] = {
        "load": None if load is None else parse_load(load),
        "runtime": runtime,
        "ramp": ramp,
        "repeats": repeats,
        "file_size": file_size,
        "block_size": block_size,
        "read_percent": read_percent,
        "ioengine": ioengine,
        "direct": direct,
        "engine": engine,
        "hosts": None if hosts is None else tuple(hosts.split(",")),
        "search": None if within is None else {"latency": within},
    }
    given = {name: value for name, value in overrides.items() if value is not None}
    given = parse_fields(fields or [], given)
    consents = tuple(overwrite or ())
    folders = _measure(what, target or [], given, out=out, run_id=run_id, consents=consents)
    for folder in folders:
        _show(folder)
    if len(folders) > 1:
        _lead_to_comparison(folders, target or [])


def mark(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The run directory, as printed by perfkit run.")
    ],
    text: Annotated[str, typer.Argument(help="What happened.")],
) -> None:
    """Record an event in the point that is being measured: a pulled path, a takeover, a rebuild.

    For example, from another terminal while perfkit run measures:

        perfkit mark runs/oltp-mixed-1a2b3c4d "pulled path A"

    The report says how long the load paused after it, and when it was back at its level.
    """
    from perfkit.measure.fields import FINE_S, series_interval_s
    from perfkit.measure.record.rundir import RunDirectory

    point = RunDirectory(run).mark(text)
    typer.echo(f"noted in {point}")
    spec = (RunDirectory(run).record() or {}).get("spec", {})
    asked, ran, events = spec.get("series_s"), spec.get("runtime_s"), bool(spec.get("events"))
    interval_s = series_interval_s(asked, ran or 0.0, events=events)
    if interval_s > FINE_S:
        remark(
            f"the series of this run has intervals of {interval_s:g} s: pauses are known no more "
            f"precisely than that; measure with --set series=100ms to know it to 0.2 s"
        )


def _measure(
    what: str,
    targets: list[Path],
    given: Mapping[str, Any],
    *,
    out: Path | None,
    run_id: str | None,
    consents: tuple[str, ...],
) -> list[Path]:
    """Measure a study, a named workload or a job file; returns the run directories."""
    from perfkit.measure.adopted import ENDINGS
    from perfkit.measure.turns import TargetSweep
    from perfkit.measure.workloads import WORKLOADS, named_workload, sweep_spec

    path = Path(what)
    if path.suffix in ENDINGS:
        given = {**given, "job_file": what}
    elif what not in WORKLOADS and (path.suffix or path.exists()):
        from perfkit.study.opening import open_study

        study = open_study(path)
        sweeps = study.target_sweeps([target.resolve() for target in targets], **given)
        return _run(sweeps, out or study.runs, study.model.sweep_order, run_id, consents)
    spec = sweep_spec(given) if "job_file" in given else named_workload(what, **given)
    if spec.targets and targets:
        raise UsageError("--target: leave it out, since the sweep names its targets")
    targets = [Path(spec.targets[0])] if spec.targets else targets
    if not targets:
        raise UsageError("--target: name the folder or device that is to be measured")
    sweeps = [TargetSweep(spec, target) for target in targets]
    return _run(sweeps, out or default_runs(), "interleaved", run_id, consents)


def _run(
    sweeps: list[TargetSweep],
    runs: Path,
    order: Order,
    run_id: str | None,
    consents: tuple[str, ...],
) -> list[Path]:
    from perfkit.measure import progress
    from perfkit.measure.sweep import run_sweep
    from perfkit.measure.turns import run_sweeps

    shown = progress.choose()
    if len(sweeps) == 1 and not sweeps[0].spec.until_steady:
        one = sweeps[0]
        return [
            run_sweep(
                one.spec,
                one.target,
                runs_dir=runs,
                run_id=run_id,
                consents=consents,
                progress=shown,
            )
        ]
    if run_id is not None:
        raise UsageError("--run-id applies to a single run")
    return run_sweeps(sweeps, runs_dir=runs, order=order, consents=consents, progress=shown)


def _lead_to_comparison(folders: list[Path], targets: list[Path]) -> None:
    """Say how the runs are compared; with targets, each run by its target's name."""
    import shlex

    from perfkit.measure.turns import shared_device

    shared = shared_device(folders)
    if shared:
        remark(f"warning: {shared}")
    names = [target.name for target in targets]
    if len(set(names)) != len(folders):
        names = [target.as_posix() for target in targets] or [folder.name for folder in folders]
    runs = [shlex.quote(f"{name}={folder}") for name, folder in zip(names, folders, strict=True)]
    typer.echo(f"compare them: perfkit compare {' '.join(runs)}")


def parse_load(text: str) -> dict[str, list[int]]:
    """A load from the command line: ``iodepth=1,2,4`` is {"iodepth": [1, 2, 4]}.

    Raises UsageError for anything else.
    """
    kind, _, values = text.partition("=")
    try:
        points = [int(value) for value in values.split(",")]
    except ValueError:
        raise UsageError(f"--load {text!r}: write it as iodepth=1,2,4") from None
    return {kind.strip(): points}


def parse_fields(texts: list[str], given: Mapping[str, Any]) -> dict[str, object]:
    """The fields of a sweep with those of ``--set``: ``data.dedupe_percent=30`` is one of a part.

    Raises UsageError for a text that is none, or a field that is given twice.
    """
    found = dict(given)
    for text in texts:
        path, sign, value = text.partition("=")
        name, _, part = path.strip().partition(".")
        if not (sign and name and value):
            raise UsageError(f"--set {text!r}: write it as FIELD=VALUE, such as fsync_every=16")
        inner = found.setdefault(name, {}) if part else found
        if not isinstance(inner, dict) or (part or name) in inner:
            raise UsageError(f"--set {text!r}: {path.strip()} is given twice")
        inner[part or name] = value
    return found


def default_runs() -> Path:
    """``data/runs`` in a checkout or project that has a ``data`` folder, else ``runs``."""
    return Path("data/runs") if Path("data").is_dir() else Path("runs")


def _show(folder: Path) -> None:
    from rich.console import Console

    from perfkit.analysis.curves.curves import latency_curve
    from perfkit.cli.show import curve_table
    from perfkit.sources import RUN

    reading = RUN.read(folder)
    console = Console()
    console.print(curve_table(latency_curve(reading.load_points, reading.get("histogram"))))
    for warning in reading.evidence.warnings:
        console.print(plain(f"warning: {warning}"), style="yellow", markup=False, highlight=False)
    console.print(f"run directory: {folder}", highlight=False, soft_wrap=True)


run.__doc__ = f"{run.__doc__}\n{EXAMPLE}"
