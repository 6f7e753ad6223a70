"""The run directory that ``perfkit run`` leaves behind (format 1)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core import stats
from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.intervals import FEWEST_IN_ORDER
from perfkit.core.lineage import Reading, reading
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.schema import Row
from perfkit.formats.json_node import Node
from perfkit.sources.cautioned import with_cautions
from perfkit.sources.files import file_bytes, given, hash_of, labelled, reader, sections_of, text_of
from perfkit.sources.fio.pool import metrics
from perfkit.sources.rundir.point import Point, check_format, json_node, read_point
from perfkit.sources.rundir.schema import RUN_STEADY_STATE
from perfkit.sources.rundir.tables import tables

VERSION = 3

STEADY = "steady.json"
_SLACK = 0.02
"""How far the ratios may lie from those of the rounds' own files: those are rounded by the tool."""


@dataclass(frozen=True)
class _Missing:
    """A planned point that gives no numbers, and why."""

    name: str
    reason: str


@reader
def read_run(
    run_dir: Path | str,
    *,
    root: Path | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read a run directory of ``perfkit run``: only points that were accepted and are whole.

    Tables (columns and units: ``perfkit.core.schema``):

    - ``load_points``: one row a point (load and repeat) and direction, and one ``total``.
      ``in_flight`` and ``target_iops`` are in the total (and in a single direction);
      ``cpu_busy_ratio`` is the mean of the host's samples after the ramp.
    - ``percentiles``, ``histogram``: per point, direction and total, merged over its jobs.
    - ``cycles``: one row a planned drain of an epic-like point. The drains' writes are in no
      other table but this one.
    - ``commands``: each point's command and job files, as the tool was given them.
    - ``points``, ``host_series``, ``job_options``, ``disk_util``: per point. ``cautions``: what
      points and control points show by name (``perfkit.core.cautions``), one row each; of runs
      from before they had names, their warnings, without ``name`` and ``args``.
    - ``control_points``: the load that was measured again and again to show drift; one row a
      direction, ``repeat`` counts them. ``rounds``, ``steady_state``: the rounds before the first
      point and what they attained. None of these is in ``load_points``.
    - ``warm_ups``: the rounds of each call's warm-up; ``verification``: what became of what was
      written after the last point and read back. A failure is a caution of every load point.
    - ``host_points``: what each of many load generators did in a point (``host`` is
      ``name:port``). Percentiles of the whole are in ``load_points``, from the sum of all
      histograms. elbencho tells of its hosts the bytes alone.
    - ``series``: each point over time. Where it shows that the storage stood still or was slow for
      a time, and the run did not record it, the point's rows say so in their ``cautions``.
    - ``streams``: each stream of a sequential load (fio), each thread or host (elbencho), over
      time.
    - ``host``: facts about host, target and tool. ``spec``: the sweep as it was planned.

    A planned point that is not there, or whose files are damaged, is left out, and counted in the
    evidence: section ``points`` and a warning ("22 of 24 points"). ``labels`` fills keys of
    ``load_points`` (system, config ...). Paths in the evidence are relative to ``root``.

    Raises:
        ParseError: no run directory, of another format, or without one accepted point.
        UsageError: a label that is not a key of ``load_points``.
    """
    folder = Path(run_dir)
    label = proof.label(folder, root)
    if not folder.is_dir():
        raise ParseError(str(run_dir), "there is no such folder")
    data = file_bytes(folder / "run.json", f"{run_dir}/run.json")
    run = json_node(text_of(data, f"{run_dir}/run.json"), f"{run_dir}/run.json")
    planned = _check_run(run)
    read = [_point(folder, name, label) for name in planned]
    points = [item for item in read if isinstance(item, Point)]
    missing = [item for item in read if isinstance(item, _Missing)]
    if not points:
        why = f"; {missing[0].name}: {missing[0].reason}" if missing else ""
        raise ParseError(str(run_dir), f"none of {len(planned)} planned points is a result{why}")
    rounds, steady = _read_rounds(folder, label)
    frames = tables(run, points, rounds, steady, label)
    told = [*_back_to_back(run), *_not_verified(frames["verification"])]
    if missing:
        counts = {"there": str(len(points)), "planned": str(len(planned))}
        told.insert(0, caution("points_missing", **counts))
    for name in ("load_points", "host_points"):
        frames[name] = with_cautions(frames[name], told)
    frames["load_points"] = labelled(frames["load_points"], labels, label)
    record = Evidence(
        "perfkit-run-record", f"{label}/run.json", proof.sha256_bytes(data), tool="perfkit"
    )
    files = (record, *(file for p in (*rounds, *points) for file in p.files))
    lost = "; ".join(f"{item.name}: {item.reason}" for item in missing) or None
    others = {name: table for name, table in frames.items() if name != "points"}
    found = Evidence(
        kind="perfkit-run",
        path=label,
        sha256=hash_of(files, label),
        tool=points[0].result.tool,
        tool_version=points[0].result.version,
        sections=(Section("points", "found", len(points), lost), *sections_of(others)),
        warnings=tuple(_warnings(folder, run, points, missing)),
        parts=files,
    )
    return reading("read.run", VERSION, frames, found, given(labels=dict(labels or {})))


def _check_run(run: Node) -> list[str]:
    """The planned points' names; ParseError for a run.json that is not of our format."""
    check_format(run)
    run.need("tool", "spec", "points_planned")
    names = run.texts("points_planned")
    for name in names:
        if not name or name.startswith(".") or "/" in name or "\\" in name:
            raise run.fault("points_planned", f"{name!r} is not a point's name")
    if len(set(names)) < len(names):
        raise run.fault("points_planned", "names a point twice")
    spec, written = run.child("spec"), run.text("spec_sha256")
    if spec and written and written != proof.sha256_bytes(canonical_json(spec.content).encode()):
        raise run.fault("spec_sha256", "does not match 'spec': the file was changed")
    return names


def _point(folder: Path, name: str, label: str) -> Point | _Missing:
    place = folder / "points" / name
    if not place.is_dir():
        return _Missing(name, "not measured, or not accepted")
    try:
        return read_point(place, name, f"{label}/points/{name}")
    except ParseError as problem:
        where = str(problem).removeprefix(f"{label}/points/{name}/")
        return _Missing(name, where)


def _back_to_back(run: Node) -> Iterator[Caution]:
    """What intervals must say of repeats that no other load parted and no test can tell apart."""
    spec = run.child("spec")
    repeats = (spec.count("repeats") if spec else None) or 1
    if spec is None or not 1 < repeats < FEWEST_IN_ORDER:
        return
    load = spec.child("load")
    alone = load is not None and len(load.content.get("points") or ()) == 1
    # the loads of a search are measured one after the other
    if alone or spec.text("order") == "sequential" or spec.child("search"):
        yield caution("back_to_back", n=str(repeats))


def _not_verified(verification: pl.DataFrame) -> Iterator[Caution]:
    """What the target did not give back counts against all that was measured on it."""
    for problem in verification.filter(~pl.col("verified"))["problem"]:
        yield caution("verify_failed", why=problem or "no reason is recorded")


def _warnings(
    folder: Path, run: Node, points: list[Point], missing: list[_Missing]
) -> Iterator[str]:
    if missing:
        planned = len(points) + len(missing)
        first = f"{missing[0].name}: {missing[0].reason}"
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        yield f"{len(points)} of {planned} points; {first}{more}"
    yield from run.texts("warnings")
    place = folder / "points"
    there = {p.name for p in place.iterdir() if p.is_dir()} if place.is_dir() else set()
    odd = sorted(
        name for name in there - set(run.texts("points_planned")) if not name.startswith(".")
    )
    if odd:
        yield f"points that were not planned were left out: {', '.join(odd)}"
    # the points' warnings, each once with the points that have it
    where: dict[str, list[str]] = {}
    for point in points:
        for text in point.warnings:
            where.setdefault(text, []).append(point.name)
    for text, names in where.items():
        rest = len(names) - 1
        more = f" and {rest} more point{'s' if rest > 1 else ''}" if rest else ""
        yield f"{names[0]}{more}: {text}"


def _read_rounds(folder: Path, label: str) -> tuple[list[Point], list[Row]]:
    """The rounds of a run in order, and its steady state as the one row of a table.

    Nothing where the run had none. ParseError where the outcome does not fit the rounds.
    """
    place = folder / "rounds"
    if not (place / STEADY).is_file():
        return [], []
    name = f"{label}/rounds/{STEADY}"
    node = json_node(text_of(file_bytes(place / STEADY, name), name), name)
    node.need("metric", "rounds", "attained")
    count = node.count("rounds") or 0
    points = [
        read_point(place / f"round-{n:03d}", f"round-{n:03d}", f"{label}/rounds/round-{n:03d}")
        for n in range(1, count + 1)
    ]
    _check_rounds(node, points)
    row: Row = {column: node.content.get(column) for column in RUN_STEADY_STATE}
    return points, [{**row, "workload": points[0].facts.text("workload") if points else None}]


def _check_rounds(node: Node, points: list[Point]) -> None:
    """The window must be the one that the rounds' own results give."""
    metric = node.text("metric") or ""
    values = [metrics(point.flows).get(metric) for point in points]
    if any(value is None for value in values):
        raise ParseError(node.file, f"a round gives no {metric}")
    window = stats.steady_window([value for value in values if value is not None])
    if window is None:
        raise ParseError(node.file, f"{len(points)} rounds are not a window")
    for name in ("range_ratio", "slope_ratio"):
        given, own = node.number(name), getattr(window, name)
        if given is None or abs(given - own) > _SLACK:
            raise node.fault(name, f"is {given}, and the rounds give {own:.4f}")


def started(folder: Path) -> dt.datetime | None:
    """When a run began, as it is recorded, in UTC; None where it is not recorded."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    text = record.get("started_utc")
    return None if text is None else dt.datetime.fromisoformat(text).replace(tzinfo=None)
