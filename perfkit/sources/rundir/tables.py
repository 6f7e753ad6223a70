"""The tidy tables of a run directory, from its points."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import cautions as words
from perfkit.core import schema
from perfkit.core.schema import Row
from perfkit.core.units import MS_PER_S
from perfkit.formats.json_node import Node
from perfkit.sources.files import frame
from perfkit.sources.fio.latency import Latency
from perfkit.sources.fio.pool import TOTAL, by_direction, distributions, metrics
from perfkit.sources.fio.tables import histogram_rows, percentile_rows
from perfkit.sources.rundir import schema as run_schema
from perfkit.sources.rundir.point import Point

TABLES: Mapping[str, schema.Schema] = {
    **dict.fromkeys(("load_points", "control_points", "rounds", "host_points"), schema.LOAD_POINTS),
    "points": run_schema.RUN_POINTS,
    "steady_state": run_schema.RUN_STEADY_STATE,
    "warm_ups": run_schema.RUN_WARM_UPS,
    "verification": run_schema.RUN_VERIFICATION,
    "series": run_schema.RUN_SERIES,
    "streams": run_schema.RUN_STREAMS,
    "percentiles": run_schema.RUN_PERCENTILES,
    "histogram": run_schema.RUN_HISTOGRAM,
    "cautions": run_schema.RUN_CAUTIONS,
    "cycles": run_schema.RUN_CYCLES,
    "host_series": run_schema.RUN_HOST_SERIES,
    "observed": run_schema.RUN_OBSERVED,
    "events": run_schema.RUN_EVENTS,
    "by_target": run_schema.RUN_TARGETS,
    "job_options": run_schema.RUN_JOB_OPTIONS,
    "commands": run_schema.RUN_COMMANDS,
    "disk_util": run_schema.RUN_DISK_UTIL,
    "host": run_schema.RUN_HOST,
    "spec": run_schema.RUN_SPEC,
}
"""The tables of a run and their columns."""

_OF_THE_RUN = {"workload", "load_kind", "load", "repeat", "cautions"}
_GROUPS = ("host", "target", "tool", "consent")
_WHOLE = ("memory_used_bytes", "memory_available_bytes", "quota_throttles", "heat_throttles")


def tables(
    run: Node,
    measured: Sequence[Point],
    rounds: Sequence[Point],
    steady: Sequence[Row],
    path: Path | str,
) -> dict[str, pl.DataFrame]:
    """Every table of the run, each with its schema, empty where the run has nothing of it.

    Control points and rounds are in tables of their own: they are not repeats of a load.
    """
    points = [point for point in measured if point.role == "point"]
    controls = [point for point in measured if point.role == "control"]
    spec = run.child("spec")
    ramp_s = (spec.number("ramp_s") if spec else None) or 0.0
    remote = bool(run.content.get("hosts"))
    busy = {
        point.name: point.cpu_busy_ratio(ramp_s, remote=remote) for point in (*measured, *rounds)
    }
    spread = {point.name: distributions(point.flows) for point in points}

    def rates(chosen: Sequence[Point]) -> list[Row]:
        return [row for point in chosen for row in _load_points(point, busy[point.name])]

    def of_latencies(rows: Callable[[Latency, Row], Iterator[Row]]) -> list[Row]:
        return [
            row
            for point in points
            for (direction, kind), latency in spread[point.name].items()
            for row in rows(latency, {**result_keys(point), "direction": direction, "kind": kind})
        ]

    made: dict[str, list[Row]] = {
        "load_points": rates(points),
        "control_points": rates(controls),
        "rounds": rates(rounds),
        "host_points": [row for p in points for row in _host_points(p)],
        "steady_state": list(steady),
        "warm_ups": list(_warm_ups(run)),
        "verification": list(_verification(run)),
        "series": [_keyed(p, row) for p in measured for row in p.series],
        "streams": [_keyed(p, row) for p in measured for row in p.streams],
        "percentiles": of_latencies(percentile_rows),
        "histogram": of_latencies(histogram_rows),
        "points": [_facts(p, busy[p.name]) for p in measured],
        "cautions": [{**p.keys, **row} for p in measured for row in p.recorded],
        "cycles": [row for p in points for row in _cycles(p)],
        "host_series": [row for p in measured for row in _host(p)],
        "observed": [{**p.keys, **row} for p in measured for row in p.observed],
        "events": _listed(measured, "events"),
        "by_target": _listed(points, "by_target"),
        "job_options": [{"point": p.name, **row} for p in points for row in p.result.options],
        "commands": [
            {**p.keys, "file": name, "text": text} for p in points for name, text in p.commands
        ],
        "disk_util": [{**p.keys, **row} for p in points for row in p.result.disks],
        "host": list(_facts_of(run)),
        "spec": [{"field": name, "value": value} for name, value in _spec(run.content)],
    }
    return {name: frame(rows, TABLES[name], path) for name, rows in made.items()}


def _warm_ups(run: Node) -> Iterator[Row]:
    spec = run.child("spec")
    asked = spec.child("warm_up") if spec else None
    for call, found in enumerate(run.children("warm_ups"), start=1):
        found.need("of", "values", "warm")
        for number, value in enumerate(found.numbers("values"), start=1):
            yield {
                "workload": spec.text("workload") if spec else None,
                "call": call,
                "of": found.text("of"),
                "round": number,
                "value": value,
                "tolerance_ratio": asked.number("tolerance") if asked else None,
                "warm": found.flag("warm"),
            }


def _verification(run: Node) -> Iterator[Row]:
    found, spec = run.child("verification"), run.child("spec")
    if found is None:
        return
    found.need("verified")
    yield {
        "workload": spec.text("workload") if spec else None,
        "verified": found.flag("verified"),
        "checksum": found.text("checksum"),
        "block_bytes": found.count("block_bytes"),
        "verified_bytes": found.count("verified_bytes"),
        "wrong_at_bytes": found.count("wrong_at_byte"),
        "problem": found.text("problem"),
    }


def _listed(points: Sequence[Point], name: str) -> list[Row]:
    """A list of point.json as rows: what each item says of the columns of the table of its name."""
    columns = TABLES[name].items()
    own = {key: field.dtype for key, field in columns if key not in run_schema.RUN_POINT}
    return [
        {**point.keys, **{key: _told(item, key, dtype) for key, dtype in own.items()}}
        for point in points
        for item in point.facts.children(name)
    ]


def _told(item: Node, key: str, dtype: Any) -> Any:
    if dtype == pl.String:
        return item.text(key)
    return item.count(key) if dtype == pl.Int64 else item.number(key)


def result_keys(point: Point) -> Row:
    """The columns of every result of a point: its keys, and what must be known beside it."""
    return {**point.keys, "cautions": words.to_json(point.cautions)}


def _keyed(point: Point, row: Row) -> Row:
    return {**result_keys(point), **row}


def _load_points(point: Point, busy: float | None) -> Iterator[Row]:
    keys = {name: value for name, value in result_keys(point).items() if name in _OF_THE_RUN}
    parts = by_direction(point.flows)
    single = len(parts) == 2
    for direction, flows in parts.items():
        whole = single or direction == TOTAL
        yield {
            **keys,
            "direction": direction,
            **metrics(flows),
            "in_flight": point.facts.number("in_flight") if whole else None,
            "target_iops": point.facts.number("target_iops") if whole else None,
            "cpu_busy_ratio": busy,
        }


def _host_points(point: Point) -> Iterator[Row]:
    """What each of many load generators did in a point."""
    keys = {name: value for name, value in result_keys(point).items() if name in _OF_THE_RUN}
    for host, own in point.result.by_host.items():
        for direction, flows in by_direction(own).items():
            yield {**keys, "host": host, "direction": direction, **metrics(flows)}
    if not point.result.by_host:
        yield from _service_points(point, keys)


def _service_points(point: Point, keys: Row) -> Iterator[Row]:
    """Elbencho's hosts, from the bytes in its live file: of their latencies it tells nothing."""
    node = point.facts.child("series")
    block = node.count("block_bytes") if node else None
    hosts = sorted({row["host"] for row in point.streams if row.get("host")})
    for host in hosts:
        own = [row for row in point.streams if row.get("host") == host]
        found = {row["direction"] for row in own}
        for direction in (*sorted(found), TOTAL):
            rows = [row for row in own if direction in {row["direction"], TOTAL}]
            end = max(row["t_s"] for row in rows)
            rate = sum(row["bw_bytes_per_s"] * row["interval_s"] for row in rows) / end
            yield {
                **keys,
                "host": host,
                "direction": direction,
                "bw_bytes_per_s": rate,
                "iops": rate / block if block else None,
                "runtime_s": end,
            }


def _facts(point: Point, busy: float | None) -> Row:
    facts, due, touched = point.facts, point.facts.child("due"), point.facts.child("touched")
    return {
        **result_keys(point),
        "role": point.role,
        "order": facts.count("order"),
        "wall_s": facts.number("wall_s"),
        "measured_from_s": facts.number("measured_from_s"),
        "exit_code": facts.count("exit_code"),
        "closed_loop": facts.flag("closed_loop"),
        "in_flight": facts.number("in_flight"),
        "target_iops": facts.number("target_iops"),
        "behind_s": due.number("behind_s") if due else None,
        "behind_ios": due.number("behind_ios") if due else None,
        "behind_at_s": due.number("at_s") if due else None,
        "behind_why": due.text("why") if due else None,
        "unique_bytes": touched.number("unique_bytes") if touched else None,
        "repeat_ratio": touched.number("repeat_ratio") if touched else None,
        "cpu_busy_ratio": busy,
        "warnings": "\n".join(point.warnings) or None,
    }


def _cycles(point: Point) -> Iterator[Row]:
    """One row a planned drain; its time is the run time of its writes, from first to last."""
    text = next((job.options.get("bs", "") for job in point.drains.values()), "")
    # known where fio's options give it as a plain number of bytes
    block = int(text) if text.isdecimal() else 0
    for number in range(1, (point.facts.count("cycles") or 0) + 1):
        job = point.drains.get(number)
        flow = next(iter(job.main_flows), None) if job else None
        yield {
            **result_keys(point),
            "cycle": number,
            "drain_s": flow.runtime_ms / MS_PER_S if flow and flow.runtime_ms else None,
            "blocks": flow.io_bytes // block if flow and block else flow.ios if flow else None,
        }


def _host(point: Point) -> Iterator[Row]:
    for host, rows in ((None, point.host), *point.elsewhere.items()):
        for row in rows:
            whole = {name: None if (v := row[name]) is None else int(v) for name in _WHOLE}
            yield {**point.keys, "host": host, **row, **whole}


def _facts_of(run: Node) -> Iterator[Row]:
    """The facts of the host perfkit ran on, then those of each load generator in "hosts"."""
    hosts = run.content.get("hosts")
    every = [(None, run.content), *(hosts.items() if isinstance(hosts, dict) else ())]
    for host, record in every:
        for group in _GROUPS:
            content = record.get(group) if isinstance(record, dict) else None
            for name, value in _flat(content, ""):
                if name:
                    yield {"group": group, "fact": name, "value": value, "host": host}


def _spec(run: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The sweep as recorded; what is written is recorded only where space could be saved by it.

    Of a device that was read as it was found nobody knows what it holds, and nothing is said.
    """
    record = run.get("spec")
    yield from _flat(record, "")
    written = run.get("own_file") or run.get("consent")
    if written and isinstance(record, dict) and "data" not in record:
        yield "data", "unique, incompressible"


def _flat(value: Any, name: str) -> Iterator[tuple[str, str | None]]:
    """Each plain value of nested JSON with its dotted name; lists stay JSON text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif value is None or isinstance(value, str):
        yield name, value
    else:
        yield name, json.dumps(value, ensure_ascii=False)
