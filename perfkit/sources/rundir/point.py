"""One accepted point of a run directory: point.json, the tool's result and host.csv."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core.cautions import Caution, caution
from perfkit.core.errors import ParseError
from perfkit.core.evidence import Evidence, sha256_bytes
from perfkit.core.schema import Row
from perfkit.core.units import MS_PER_S
from perfkit.formats.json_node import Node
from perfkit.formats.printed_counters import counters, number_of
from perfkit.sources.cautioned import cautions_of, name_of
from perfkit.sources.files import file_bytes, text_of
from perfkit.sources.fio.result import Flow, Job
from perfkit.sources.rundir.result import FIO_FILE, READERS, Result
from perfkit.sources.rundir.schema import RUN_HOST_SERIES, RUN_POINT
from perfkit.sources.rundir.series import (
    Timing,
    files_of,
    series_rows,
    slow_times,
    stream_rows,
)

FORMAT = 1

HOST_FILE = "host.csv"
COMMAND_FILE = "command.json"
COMMANDS = (COMMAND_FILE, "job*.fio")
"""The files of what the tool was told; runs from before they were kept lack them."""

OTHER_HOSTS = "host-"
"""How the files of other hosts' samples begin; the host's label and ``.csv`` follow."""

NOT_SAMPLED = "no host.csv: the host was not sampled while it ran"

HOST_COLUMNS = tuple(name for name in RUN_HOST_SERIES if name not in {*RUN_POINT, "host"})
FIRST_COLUMNS = HOST_COLUMNS[: HOST_COLUMNS.index("cpu_steal_ratio")]
"""What was sampled in earlier runs."""


@dataclass(frozen=True)
class Point:
    """What one point says: its facts, fio's result, the host meanwhile, and the files' hashes."""

    name: str
    facts: Node
    result: Result
    host: tuple[dict[str, float | None], ...]
    elsewhere: dict[str, tuple[dict[str, float | None], ...]]
    files: tuple[Evidence, ...]
    warnings: tuple[str, ...]
    cautions: tuple[Caution, ...] = ()
    recorded: tuple[Row, ...] = ()
    series: tuple[Row, ...] = ()
    streams: tuple[Row, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    observed: tuple[Row, ...] = ()

    @property
    def role(self) -> str:
        """What it was measured for: "point", "control" or "round"."""
        return self.facts.text("role") or "point"

    @property
    def keys(self) -> Row:
        """The columns that identify the point's rows."""
        facts = self.facts
        return {
            "point": self.name,
            "workload": facts.text("workload"),
            "load_kind": facts.text("load_kind"),
            "load": facts.number("load"),
            "repeat": facts.count("repeat"),
        }

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The load's flows, without the drains."""
        return self.result.flows

    @property
    def drains(self) -> dict[int, Job]:
        """The drains by their number, from 1."""
        return dict(self.result.drains)

    def cpu_busy_ratio(self, ramp_s: float, *, remote: bool = False) -> float | None:
        """The mean busy share over the intervals that began after the ramp; null without any.

        Rows are a second apart; the mean is over the rows, each the mean of its interval. Of load
        generators elsewhere (``remote``) it is the mean over the hosts, null when one was not
        sampled: how busy the machine was that only steered them is another matter.
        """
        if not remote:
            return _busy(self.host, ramp_s)
        shares = [_busy(rows, ramp_s) for rows in self.elsewhere.values()]
        known = [share for share in shares if share is not None]
        return math.fsum(known) / len(known) if known and len(known) == len(shares) else None


def _busy(rows: Sequence[Mapping[str, float | None]], ramp_s: float) -> float | None:
    begin, values = 0.0, []
    for row in rows:
        busy = row["cpu_busy_ratio"]
        if begin >= ramp_s and busy is not None:
            values.append(busy)
        begin = row["t_s"] or begin
    return math.fsum(values) / len(values) if values else None


def read_point(folder: Path, name: str, label: str) -> Point:
    """One point's files; ``label`` is how the point's folder is called in the record.

    Raises ParseError naming the file that is missing, damaged, or does not say what an accepted
    point says.
    """
    contents = {"point.json": file_bytes(folder / "point.json", f"{label}/point.json")}
    facts = json_node(text_of(contents["point.json"], f"{label}/point.json"), f"{label}/point.json")
    _check_facts(facts, name)
    file = facts.text("result_file") or FIO_FILE
    if file not in READERS:
        raise facts.fault("result_file", f"{file!r} is not a result of an engine perfkit knows")
    sampled = (folder / HOST_FILE).exists()
    there = sorted(path.name for path in folder.glob(f"{OTHER_HOSTS}*.csv"))
    observers = sorted(path.name for path in folder.glob(f"{PREFIX}*.jsonl"))
    over_time = files_of(sorted(path.name for path in folder.iterdir()))
    given = [path.name for glob in COMMANDS for path in sorted(folder.glob(glob))]
    for other in (file, *([HOST_FILE] if sampled else []), *there, *observers, *over_time, *given):
        contents[other] = file_bytes(folder / other, f"{label}/{other}")
    texts = {file: text_of(data, f"{label}/{file}") for file, data in contents.items()}
    result = READERS[file](texts[file], f"{label}/{file}")
    _check_directions(facts, result, f"{label}/{file}")
    readings = tuple(row for name in observers for row in rows(texts[name], f"{label}/{name}"))
    own = [
        *facts.texts("warnings"),
        *([] if sampled else [NOT_SAMPLED]),
        *unread(readings),
    ]
    found = tuple(dict.fromkeys([*own, *result.warnings]))
    told = cautions_of(found, facts.content.get("cautions"), of=_words(facts))
    host = _host_rows(texts[HOST_FILE], f"{label}/{HOST_FILE}") if sampled else ()
    elsewhere = {
        other.removeprefix(OTHER_HOSTS).removesuffix(".csv"): tuple(
            _host_rows(texts[other], f"{label}/{other}")
        )
        for other in there
    }
    if any(_mixes_targets(texts[name]) for name in given):
        told = (*told, caution("targets_mixed", of=_words(facts)))
    timing = _timing(facts, result) if over_time else None
    series = tuple(series_rows(texts, timing, label)) if timing else ()
    return Point(
        name=name,
        facts=facts,
        result=result,
        series=series,
        streams=tuple(stream_rows(texts, timing.interval_s, label)) if timing else (),
        host=tuple(host),
        elsewhere=elsewhere,
        files=tuple(_file(f"{label}/{file}", data, result) for file, data in contents.items()),
        warnings=found,
        cautions=(*told, *slow_times(series, told, of=_words(facts))),
        recorded=tuple(_cautions(facts)),
        observed=readings,
        commands=tuple((name, _command(texts[name], f"{label}/{name}")) for name in given),
    )


def _mixes_targets(text: str) -> bool:
    """Whether a job file names a target for all sections and another for some.

    To fio the second is a further one: such a section used both.
    """
    common, *others = re.split(r"^\[(?!global\])", text, flags=re.M)
    return _FILE.search(common) is not None and any(map(_FILE.search, others))


_FILE = re.compile(r"^filename=", re.M)


def _command(text: str, label: str) -> str:
    """A job file as it is; of ``command.json`` the commands, a line each, as for a shell."""
    if not label.endswith(f"/{COMMAND_FILE}"):
        return text
    node = json_node(text, label)
    before, argv = node.content.get("before", []), node.content.get("argv")
    if not isinstance(argv, list) or not isinstance(before, list):
        raise node.fault("argv", "is not a list of words")
    return "".join(f"{shlex.join(map(str, words))}\n" for words in (*before, argv))


_LOADS = {"numjobs": "{n} jobs", "rate_iops": "{n} offered IOPS"}


def _words(facts: Node) -> str:
    """What the point is called beside its values: "oltp-select at iodepth 8 (repeat 2)"."""
    kind = facts.text("load_kind") or "load"
    words = "1 job" if (kind, facts.number("load")) == ("numjobs", 1) else _LOADS.get(kind)
    load = (words or f"{kind} {{n}}").format(n=f"{facts.number('load'):,g}")
    return f"{facts.text('workload')} at {load} (repeat {facts.count('repeat')})"


def _timing(facts: Node, result: Result) -> Timing | None:
    """By what the point's intervals are measured; None for a run from before there were any.

    They are looked at over the time that really passed: a stall may have made it longer.
    """
    node = facts.child("series")
    if node is None:
        return None
    node.need("interval_s", "jobs")
    interval = node.number("interval_s")
    if not interval:
        raise node.fault("interval_s", "cannot be 0")
    begins, asked = node.child("drain_begins"), node.number("runtime_s")
    ran = [flow.runtime_ms / MS_PER_S for flow in result.flows if flow.runtime_ms]
    return Timing(
        interval_s=interval,
        jobs=node.count("jobs") or 0,
        block_bytes=node.count("block_bytes"),
        drain_begins={int(key): begins.number(key) or 0.0 for key in begins.content}
        if begins
        else {},
        runtime_s=None if asked is None else max([asked, *ran]),
    )


def json_node(text: str, label: str) -> Node:
    """A JSON object of our own; ParseError naming the line where it is cut off or none."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as problem:
        raise ParseError(
            label, f"JSON is cut off or damaged: {problem.msg}", problem.lineno
        ) from problem
    except (RecursionError, ValueError) as problem:
        raise ParseError(label, f"JSON is damaged: {problem}") from problem
    if not isinstance(content, dict):
        raise ParseError(label, "is not a JSON object")
    return Node(content, "", label)


def check_format(node: Node) -> None:
    """ParseError for a record in another format than ours, saying which perfkit reads it."""
    number = node.count("format")
    if number is None:
        raise node.fault("format", "is missing: not written by perfkit run")
    if number > FORMAT:
        raise node.fault("format", f"{number} is from a newer perfkit; this one reads {FORMAT}")
    if number < FORMAT:
        raise node.fault("format", f"{number} is from an older perfkit; this one reads {FORMAT}")


def _check_facts(facts: Node, name: str) -> None:
    check_format(facts)
    facts.need("name", "workload", "load_kind", "load", "repeat", "accepted")
    if facts.text("name") != name:
        raise facts.fault("name", f"{facts.text('name')!r} stands in the folder {name!r}")
    if facts.flag("accepted") is not True:
        raise facts.fault("accepted", "is not true: no result")
    if facts.count("exit_code") != 0:
        raise facts.fault("exit_code", "is not 0: no result")


def _check_directions(facts: Node, result: Result, label: str) -> None:
    """Every direction that was planned did I/O, and no other."""
    done = {flow.direction for flow in result.flows}
    planned = set(facts.texts("expected_directions"))
    if not done:
        raise ParseError(label, "the load did no I/O")
    if planned and done != planned:
        odd = sorted(planned ^ done)[0]
        what = "was planned and did not happen" if odd in planned else "was not planned"
        raise ParseError(label, f"{odd} {what}")


def _cautions(facts: Node) -> Iterator[Row]:
    """The point's cautions; of a run from before they had names, its warnings."""
    if "cautions" not in facts.content:
        for text in facts.texts("warnings"):
            yield {"host": None, "name": None, "args": None, "text": text}
        return
    for node in facts.children("cautions"):
        node.need("name", "text", "args")
        args, name, words = node.child("args"), node.text("name"), node.text("text")
        yield {
            "host": node.text("host"),
            "name": name_of(node.content) if name and words else name,
            "args": json.dumps(args.content if args else {}, ensure_ascii=False),
            "text": words,
        }


_KINDS = {
    "point.json": "perfkit-point",
    HOST_FILE: "host-series",
}


def _file(label: str, data: bytes, result: Result) -> Evidence:
    name = label.rpartition("/")[2]
    own = "host-series" if name.startswith(OTHER_HOSTS) else _KINDS.get(name)
    own = "point-series" if files_of([name]) else own
    return Evidence(
        kind=own or result.tool,
        path=label,
        sha256=sha256_bytes(data),
        tool="perfkit" if own else result.tool,
        tool_version=None if own else result.version,
    )


def _host_rows(text: str, label: str) -> Iterator[dict[str, float | None]]:
    """The rows of host.csv; an empty cell is null. ParseError naming the line of a bad one."""
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    if tuple(header) not in (HOST_COLUMNS, FIRST_COLUMNS):
        raise ParseError(label, f"the columns are not {','.join(HOST_COLUMNS)}", 1)
    for line, cells in enumerate(lines, start=2):
        if len(cells) != len(header):
            raise ParseError(label, f"{len(cells)} cells where {len(header)} belong", line)
        yield dict.fromkeys(HOST_COLUMNS) | {
            name: _number(cell, name, label, line) for name, cell in zip(header, cells, strict=True)
        }


def _number(cell: str, name: str, label: str, line: int) -> float | None:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    share = name.endswith("_ratio")
    if not math.isfinite(value) or value < 0 or (share and value > 1):
        raise ParseError(label, f"{name}: {cell!r} is impossible", line)
    return value


# --- what commands of the user's printed beside a point, as rows: one a counter of a reading ---

PREFIX = "observed-"
NO_FORM = "printed no"
"""The beginning of why a reading that ended well gives no numbers."""

MOST = 100_000
"""Counters of one reading."""


def rows(text: str, label: str) -> Iterator[Row]:
    """The rows of one file of readings, a line of JSON each behind one that says their form.

    A reading that failed, or is not in its form, has one row, with the reason as its text.

    Raises ParseError naming the file and line of what is not a record of a reading.
    """
    first, *readings = text.splitlines() or [""]
    try:
        declared = json.loads(first)
        name, form, clock = (declared[key] for key in ("observer", "form", "clock"))
    except (ValueError, KeyError, TypeError) as error:
        raise ParseError(label, f"does not say what its readings are: {error}", 1) from error
    for line, content in enumerate(readings, start=2):
        try:
            reading = json.loads(content)
            times = {key: float(reading[key]) for key in ("t_s", "took_s")}
            base = {"observer": str(name), **times}
            host_s = dt.datetime.fromisoformat(reading["utc"]).timestamp()
            said, problem = str(reading["text"]), reading["problem"]
        except (ValueError, KeyError, TypeError) as error:
            raise ParseError(label, f"is not a reading of an observer: {error}", line) from error
        if problem or form == "text":
            yield {**base, "text": str(problem or said), "failed": bool(problem)}
            continue
        try:
            yield from list(_counters(said, form, clock, host_s, base))
        except (ValueError, KeyError, RecursionError) as error:
            # what a command prints must not cost the point it stands beside
            yield {**base, "text": f"{NO_FORM} {form}: {error}", "failed": True}


def unread(found: Sequence[Row]) -> Iterator[str]:
    """What a point must say of readings that were made and are not in their form."""
    for name in sorted({row["observer"] for row in found}):
        own = [row for row in found if row["observer"] == name]
        bad = [row for row in own if (row.get("text") or "").startswith(NO_FORM)]
        if bad:
            total = len({row["t_s"] for row in own})
            yield f"{len(bad)} of {total} readings of {name} are not read: {bad[0]['text']}"


def _counters(
    text: str, form: str, clock: str | None, host_s: float, base: dict[str, Any]
) -> Iterator[Row]:
    found = counters(text, form, clock)
    if len(found) > MOST:
        raise ValueError(f"{len(found)} counters in one reading, at most {MOST}")
    if found and not any(number_of(value) is not None for _, name, value in found if name != clock):
        raise ValueError("no value is a number")
    times = [value for _, name, value in found if name == clock]
    if clock and not times:
        raise ValueError(f"has no {clock!r} for the clock")
    offset = _seconds(times[-1]) - host_s if times else None
    for item, name, value in found:
        number = number_of(value)
        if name != clock and number is not None:
            yield {
                **base,
                "item": item,
                "name": name,
                "value": number,
                "clock_offset_s": offset,
                "failed": False,
            }


def _seconds(value: Any) -> float:
    """Seconds since 1970 of an ISO 8601 time (without a zone: UTC) or a number of seconds."""
    number = number_of(value)
    if number is not None:
        return number
    when = dt.datetime.fromisoformat(str(value))
    return (when if when.tzinfo else when.replace(tzinfo=dt.UTC)).timestamp()
