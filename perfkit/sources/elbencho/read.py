"""elbencho's results: JSON lines (``--jsonfile``) and CSV (``--csvfile``)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from perfkit.core import schema
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.schema import Row
from perfkit.core.units import MIB, MS_PER_S, US_PER_S
from perfkit.formats import elbencho_json
from perfkit.formats.elbencho_json import Phase
from perfkit.sources.cautioned import cautions_of, with_cautions
from perfkit.sources.elbencho import command
from perfkit.sources.elbencho import csv_rows as elbencho_csv
from perfkit.sources.elbencho import schema as elbencho_schema
from perfkit.sources.elbencho.command import LIMITS, option_rows
from perfkit.sources.elbencho.flows import COARSE, flow_of
from perfkit.sources.files import File, frame, given, labelled, reader
from perfkit.sources.fio.pool import TOTAL, by_direction, distributions, metrics
from perfkit.sources.fio.tables import histogram_rows, percentile_rows
from perfkit.sources.fio.validity import thin

VERSION = 1

SLACK = 0.1
"""Rates are over the time until the last thread was done, latencies over all I/Os: in phases of
some ms the two differ."""


_FOR_PEOPLE = re.compile(
    r"\A(?:\s*ISO DATE: \S+\n)?(?:LABEL: .*\n)?COMMAND LINE: \"\S*elbencho\"(?P<options>.*)"
    r"|^\s*OPERATION +RESULT TYPE +FIRST DONE +LAST DONE",
    re.MULTILINE,
)
"""Its table may stand behind what a script printed before it."""

CURE = "run elbencho with --jsonfile FILE --lathisto, or with --csvfile FILE, and read that file"


def is_elbencho(head: str) -> bool:
    """Whether a file begins as elbencho's JSON lines or CSV do, or a form of them to refuse."""
    return head.startswith(elbencho_json.SIGN) or form_of(head) is not None or _is_csv(head)


def _is_csv(text: str) -> bool:
    return text.startswith(elbencho_csv.SIGN)


def form_of(text: str) -> str | None:
    """What this form of elbencho's output is, that is not a result to read, with the cure."""
    if told := _FOR_PEOPLE.search(text):
        beside = re.search(r"\"(--(?:json|csv)file)\"", told["options"] or "")
        own = f"read what the same run wrote with {beside[1]}" if beside else CURE
        return f"elbencho's output for people (--resfile): its numbers are rounded; {own}"
    if not _is_csv(text) and elbencho_csv.SAVED_ANEW.match(text):
        return (
            "elbencho's CSV as a spreadsheet saved it (quotes, or another separator): "
            "read the file that elbencho wrote"
        )
    if text.startswith("{") and re.match(r"\{\s+\"phase_type\"", text):
        return "elbencho's JSON set anew over several lines: it has one line a phase (jq -c .)"
    return None


@reader
def read_elbencho(
    path: Path | str,
    *,
    root: Path | None = None,
    labels: Mapping[str, str | float | int] | None = None,
) -> Reading:
    """Read elbencho's results of one or several phases: JSON lines, or CSV; also packed with gzip.

    Tables (columns and units: ``perfkit.sources.elbencho.schema``):

    - ``load_points``: one row for each phase that moved data and direction, and one ``total``. A
      mixed phase (RWMIX, MIX-T) has a row for its writes and one for its reads: elbencho's own
      IOPS of it are the writes alone. ``in_flight`` is threads x depth x hosts.
    - ``phases``: one row a phase: what it was, when its first and last thread were done.
    - ``job_options``: engine, direct I/O, pattern, size and rate limit, as far as they are told.
    - ``percentiles``, ``histogram``: from the JSON's histogram (``--lathisto``), empty for CSV,
      which has none. Buckets are 19% wide; a percentile is the upper edge of one.

    Rates are those of [last]: over the time until the last thread was done. From CSV they are whole
    I/Os per second, cut off. A row that an interrupt left behind is not a result and left out, with
    a warning that names its line; it is told by its command, since nothing in it marks it.

    Raises:
        ParseError: naming file and line: another file, damaged, or without one whole phase.
        UsageError: a label that is not a key of ``load_points``.
    """
    file = File.of(path, root)
    label, text = file.label, file.text()
    phases = result_phases(text, file.path)
    cut_short = {phase.line: reason for phase in phases if (reason := partial(phase))}
    whole = [phase for phase in phases if phase.line not in cut_short]
    for phase in whole:
        _check_depth(phase, file.path)
    if not phases:
        raise ParseError(file.path, "a header without one result: elbencho failed or did nothing")
    if not whole:
        line, reason = next(iter(cut_short.items()))
        raise ParseError(file.path, f"no result: the phase {reason}", line)
    frames = tables(whole, label)
    left_out = [f"line {line}: the phase {reason}" for line, reason in cut_short.items()]
    warnings = [*left_out, *_warnings(whole)]
    unknown = elbencho_csv.strangers(text) if _is_csv(text) else []
    if unknown:
        told = f"columns that perfkit does not know, not read: {', '.join(unknown)}"
        warnings.insert(len(left_out), told)
    found = file.evidence(
        "elbencho",
        "elbencho",
        tool_version=whole[0].version or None,
        sections=tuple(_sections(frames, "; ".join(left_out) or None)),
        warnings=tuple(dict.fromkeys(warnings)),
    )
    heeded = cautions_of([text for text in warnings if text == COARSE], of=label)
    points = labelled(with_cautions(frames["load_points"], heeded), labels, label)
    arguments = given(labels=dict(labels or {}))
    return reading("read.elbencho", VERSION, {**frames, "load_points": points}, found, arguments)


def result_phases(text: str, path: str) -> list[Phase]:
    """Every phase of a result, in JSON or CSV; ParseError for another file or a damaged one."""
    if text.startswith(elbencho_json.SIGN):
        return elbencho_json.phases(text, path)
    if not _is_csv(text):
        raise ParseError(path, form_of(text) or "not elbencho's JSON or CSV results")
    return elbencho_csv.phases(text, path)


def partial(phase: Phase) -> str | None:
    """Why a phase is not a whole one; None if it is, as far as its command tells."""
    if not phase.flows or not phase.command:
        return None
    return command.partial(phase.command, phase.last_ms, _moved(phase), _data_set(phase))


def _moved(phase: Phase) -> int:
    return sum(flow.io_bytes for flow in phase.flows)


def _data_set(phase: Phase) -> int | None:
    """The bytes of all files; None of a folder of files, where nothing tells them."""
    size, paths = phase.whole("file_size"), phase.whole("paths")
    if phase.config.get("path_type") not in {"file", "bdev", "blockdev"}:
        return None
    # of CSV's whole MiB the last may be cut off
    return None if size is None or paths is None else size * paths // MIB * MIB


def tables(phases: Sequence[Phase], label: str) -> dict[str, pl.DataFrame]:
    """Every table of the phases."""
    moved = [phase for phase in phases if any(flow.io_bytes or flow.iops for flow in phase.flows)]
    made: dict[str, tuple[list[Row], schema.Schema]] = {
        "load_points": ([row for p in moved for row in _load_rows(p)], schema.LOAD_POINTS),
        "phases": ([_phase_row(p) for p in phases], elbencho_schema.ELBENCHO_PHASES),
        "job_options": (
            [{**load_keys(p), **row} for p in moved for row in option_rows(p)],
            elbencho_schema.ELBENCHO_JOB_OPTIONS,
        ),
        "percentiles": (
            [row for p in moved for row in _distribution_rows(p, percentile_rows)],
            elbencho_schema.ELBENCHO_PERCENTILES,
        ),
        "histogram": (
            [row for p in moved for row in _distribution_rows(p, histogram_rows)],
            elbencho_schema.ELBENCHO_HISTOGRAM,
        ),
    }
    return {name: frame(rows, table, label) for name, (rows, table) in made.items()}


def _load_rows(phase: Phase) -> Iterator[Row]:
    flows = [flow_of(phase, flow) for flow in phase.flows]
    keys, in_flight = load_keys(phase), _in_flight(phase)
    for direction, part in by_direction(flows).items():
        whole = len(flows) == 1 or direction == TOTAL
        yield {
            **keys,
            "direction": direction,
            **metrics(part),
            "in_flight": in_flight if whole else None,
        }


def _counts(phase: Phase) -> tuple[int, int, int] | None:
    """Threads, depth and hosts; None where one of them is not known."""
    threads, depth, hosts = (phase.whole(name) for name in ("threads", "io_depth", "hosts"))
    return None if threads is None or depth is None or hosts is None else (threads, depth, hosts)


def _check_depth(phase: Phase, path: str) -> None:
    """ParseError where IOPS x mean latency are more I/Os than the threads can hold."""
    counts = _counts(phase)
    if counts is None:
        return
    most = math.prod(max(count, 1) for count in counts)
    busy = sum(flow.iops * (flow.lat_mean_us or 0) / US_PER_S for flow in phase.flows)
    if busy > most * (1 + SLACK):
        raise ParseError(
            path,
            f"{phase.operation}: IOPS x mean latency are {busy:.6g} I/Os in flight, and threads x "
            f"depth x hosts are {most}: a value is wrong, or of another unit",
            phase.line,
        )


def load_keys(phase: Phase) -> Row:
    """The keys of a phase's load: what was raised, as far as one phase says it, and its value."""
    kind, load = None, None
    threads, depth, hosts = _counts(phase) or (0, 0, 0)
    if threads * hosts == 1:
        kind, load = "iodepth", float(depth)
    elif depth == 1:
        kind, load = "numjobs" if hosts == 1 else "host_threads", float(threads * hosts)
    return {"workload": _label(phase) or phase.operation, "load_kind": kind, "load": load}


def _in_flight(phase: Phase) -> float | None:
    counts = _counts(phase)
    is_paced = any(command.option(phase.command, name) is not None for name in LIMITS)
    # without the command nothing tells whether the threads were held to a rate
    unknown = counts is None or is_paced or not phase.command
    return None if unknown else float(math.prod(counts or ()))


def _label(phase: Phase) -> str | None:
    """The label: CSV has a column of it, JSON has it in the command alone."""
    return phase.config.get("label") or command.option(phase.command, "--label")


_PHASE_COUNTS = {
    "threads": "threads",
    "hosts": "hosts",
    "iodepth": "io_depth",
    "block_bytes": "block_size",
    "file_bytes": "file_size",
}


def _phase_row(phase: Phase) -> Row:
    return {
        "line": phase.line,
        "operation": phase.operation,
        "started": phase.started or None,
        "label": _label(phase),
        "first_done_s": phase.first_ms / MS_PER_S,
        "last_done_s": phase.last_ms / MS_PER_S,
        "entries": phase.entries,
        "cpu_busy_ratio": None if phase.cpu_percent is None else phase.cpu_percent / 100,
        **{ours: phase.whole(name) for ours, name in _PHASE_COUNTS.items()},
        "path_type": phase.config.get("path_type"),
    }


def _distribution_rows(phase: Phase, rows: Any) -> Iterator[Row]:
    flows = [flow_of(phase, flow) for flow in phase.flows]
    for (direction, kind), latency in distributions(flows).items():
        yield from rows(latency, {"line": phase.line, "direction": direction, "kind": kind})


def _warnings(phases: Sequence[Phase]) -> Iterator[str]:
    moved = [phase for phase in phases if phase.flows]
    for phase in moved:
        yield from (
            f"line {phase.line}: {flow.direction}: no latency in it: null"
            for flow in phase.flows
            if flow.iops and flow.lat_mean_us is None
        )
        whole = _data_set(phase)
        if not phase.command and whole is not None and _moved(phase) < whole:
            yield (
                f"line {phase.line}: moved {_moved(phase)} of {whole} bytes, and without its "
                "command nothing tells whether a limit or an interrupt ended it"
            )
    if any(flow.buckets for phase in moved for flow in phase.flows):
        yield COARSE
    for phase in moved:
        flows = [flow_of(phase, flow) for flow in phase.flows]
        yield from (f"line {phase.line}: {text}" for text in thin(flows))
        for flow in phase.flows:
            if flow.bytes_per_s is None:
                yield (
                    f"line {phase.line}: {flow.direction}: bytes per second are null: the file has "
                    "them only in whole MiB, cut off"
                )


def _sections(frames: Mapping[str, Any], left_out: str | None) -> Iterator[Section]:
    yield Section("phases", "found", frames["phases"].height, left_out)
    for name in ("percentiles", "histogram"):
        height = frames[name].height
        reason = None if height else "no histogram: CSV has none, JSON only with --lathisto"
        yield Section(name, "found" if height else "absent", height or None, reason)
