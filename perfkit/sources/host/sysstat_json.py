"""The JSON that iostat, mpstat (``-o JSON``) and sadf (``-j``) write, as a recording.

Numbers keep the digits that were printed. A file that ends in the middle is closed after its last
whole report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.files import Json
from perfkit.sources.host.clock import Stamp, dates_of, row_stamp, stamp_of
from perfkit.sources.host.columns import CPU, DEVICE, Columns
from perfkit.sources.host.record import Header, Recording, Row, Track

_REPORT_END = re.compile(r"^\t{4}\}", re.M)
_CLOSING = "\n]}]}}"
CUT = "the JSON is cut off: it was read up to its last whole report"

_FACTS = {
    "release": "kernel", "nodename": "host", "machine": "machine", "number-of-cpus": "cpus",
    "date": "date", "file-date": "date", "file-utc-time": "utc_time",
    "timezone": "timezone",
}  # fmt: skip


class Digits(str):
    """The digits of a JSON number."""

    __slots__ = ()


def host_of(text: str, path: str) -> tuple[Json, list[str]]:
    """The one host of a sysstat JSON document, and warnings; ParseError for any other."""
    document, notes = _load(text, path)
    top = document.get("sysstat") if isinstance(document, dict) else None
    hosts = top.get("hosts") if isinstance(top, dict) else None
    if not isinstance(hosts, list) or not all(isinstance(host, dict) for host in hosts):
        raise ParseError(path, "JSON, but not of sysstat: no sysstat.hosts in it")
    if len(hosts) != 1:
        raise ParseError(path, f"sysstat.hosts: {len(hosts)} hosts in one file; one is read")
    return hosts[0], notes


def _load(text: str, path: str) -> tuple[Any, list[str]]:
    try:
        return _parse(text), []
    except json.JSONDecodeError as problem:
        ends = [found.end() for found in _REPORT_END.finditer(text)]
        if ends:
            try:
                return _parse(text[: ends[-1]] + _CLOSING), [CUT]
            except (json.JSONDecodeError, RecursionError):
                pass
        raise ParseError(
            path, f"JSON is cut off or damaged: {problem.msg}", problem.lineno
        ) from problem
    except RecursionError as problem:
        raise ParseError(path, "JSON is nested too deeply") from problem


def _parse(text: str) -> Any:
    return json.loads(text, parse_float=Digits, parse_int=Digits, parse_constant=Digits)


def _begin(tool: str, text: str, path: str) -> tuple[Recording, list[Json]]:
    host, notes = host_of(text, path)
    recording = Recording(tool, path, warnings=notes)
    for key, name in _FACTS.items():
        if isinstance(host.get(key), str):
            recording.facts.setdefault(name, host[key])
    recording.header = Header((), dates_of(recording.facts.get("date", "")))
    reports = host.get("statistics")
    if not isinstance(reports, list) or not all(isinstance(item, dict) for item in reports):
        raise ParseError(path, "sysstat.hosts[0].statistics: is not a list of reports")
    if tool == "sadf":
        recording.restarts.extend(_restarts(host, path))
    return recording, [report for report in reports if report]


def _add(track: Track, path: str, place: str, keys: tuple[object, ...], values: Json) -> None:
    """One row of named numbers; ParseError for a value that is none."""
    for name, value in values.items():
        if not isinstance(value, Digits):
            raise ParseError(path, f"{place}.{name}: {value!r} is not a number")
    part = track.part(tuple(values))
    part.rows.append(Row(len(track.stamps), keys, tuple(values.values()), 0))


def _objects(recording: Recording, value: Any, place: str) -> Iterator[tuple[str, Json]]:
    items = value if isinstance(value, list) else [value]
    for number, item in enumerate(items):
        if not isinstance(item, dict):
            raise ParseError(recording.path, f"{place}[{number}]: is not an object")
        yield f"{place}[{number}]", dict(item)


def _without(recording: Recording, item: Json, key: str, place: str) -> str:
    name = item.pop(key, None)
    if not isinstance(name, str):
        raise ParseError(recording.path, f"{place}.{key}: is missing or not a text")
    return name


def _skip(recording: Recording, report: Json, known: set[str]) -> None:
    for name in report:
        if name not in known:
            recording.unparsed.setdefault(name, "not read by perfkit")


# ---- iostat


def iostat(text: str, path: str, since_boot: bool) -> Recording:
    """The recording in an output of ``iostat -o JSON``."""
    recording, reports = _begin("iostat", text, path)
    if not any("avg-cpu" in report or "disk" in report for report in reports):
        raise recording.fault("no report of iostat in it")
    cpu, devices = recording.track("cpu"), recording.track("devices")
    for number, report in enumerate(reports):
        place = f"statistics[{number}]"
        stamp = _stamp(recording, report.get("timestamp"), f"{place}.timestamp")
        first = since_boot and number == 0
        cpu.report(stamp, since_boot=first)
        devices.report(stamp, since_boot=first)
        for at, item in _objects(recording, report.get("avg-cpu", []), f"{place}.avg-cpu"):
            _add(cpu, path, at, ("all",), _percents(item, CPU))
        seen: set[str] = set()
        for at, item in _objects(recording, report.get("disk", []), f"{place}.disk"):
            name = _without(recording, item, "disk_device", at)
            if name in seen:
                raise recording.fault(f"{at}: device {name!r} appears twice in one report")
            seen.add(name)
            _add(devices, path, at, (name, False), _percents(item, DEVICE))
        _skip(recording, report, {"timestamp", "avg-cpu", "disk"})
    return recording


def _percents(item: Json, known: Columns) -> Json:
    """Names as the text form has them: shares begin with a percent sign."""
    return {
        f"%{name}" if f"%{name}" in known and name not in known else name: value
        for name, value in item.items()
    }


def _stamp(recording: Recording, value: Any, place: str) -> Stamp | None:
    if value is None:
        return None
    stamp = (stamp_of(value) or row_stamp(value)) if isinstance(value, str) else None
    if stamp is None:
        raise recording.fault(f"{place}: {value!r} is not a time that perfkit knows")
    return stamp


# ---- mpstat

_TOPOLOGY = ("core", "socket", "node")
"""Where a CPU sits (mpstat -T): no measurement."""


def mpstat(text: str, path: str) -> Recording:
    """The recording in an output of ``mpstat -o JSON``."""
    recording, reports = _begin("mpstat", text, path)
    if not any("cpu-load" in report for report in reports):
        raise recording.fault("no CPU utilisation of mpstat in it")
    track = recording.track("cpu")
    for number, report in enumerate(reports):
        place = f"statistics[{number}]"
        stamp = _stamp(recording, report.get("timestamp"), f"{place}.timestamp")
        track.report(stamp)
        for at, item in _objects(recording, report.get("cpu-load", []), f"{place}.cpu-load"):
            name = _without(recording, item, "cpu", at)
            shares = {key: value for key, value in item.items() if key not in _TOPOLOGY}
            _add(track, path, at, (name,), _percents(shares, CPU))
        _skip(recording, report, {"timestamp", "cpu-load"})
    return recording


# ---- sadf


def sadf(text: str, path: str) -> Recording:
    """The recording in an output of ``sadf -j``."""
    recording, reports = _begin("sadf", text, path)
    for number, report in enumerate(reports):
        place = f"statistics[{number}]"
        when = report.get("timestamp")
        if not isinstance(when, dict):
            raise recording.fault(f"{place}.timestamp: is not an object")
        stamp = _moment(recording, when, f"{place}.timestamp")
        interval = when.get("interval")
        known = isinstance(interval, Digits) and interval.isdecimal()
        seconds = float(str(interval)) if known else None
        for name, table in _SADF.items():
            if name in report:
                track = recording.track(table)
                if track.start is None and not track.stamps:
                    track.start = stamp.earlier(seconds)
                track.report(stamp)
                for at, item in _objects(recording, report[name], f"{place}.{name}"):
                    keys, values = _sadf_row(recording, table, item, at)
                    _add(track, path, at, keys, values)
        _skip(recording, report, {"timestamp", *_SADF})
    if not any(track.rows for track in recording.tracks.values()):
        raise recording.fault("none of the parts that perfkit reads is in it (sar -u -d -b -r)")
    return recording


_SADF = {
    "cpu-load": "cpu",
    "cpu-load-all": "cpu",
    "io": "io",
    "memory": "host_memory",
    "disk": "devices",
}
_SADF_NAMES = {
    "rd_sec": "rd_sec/s", "wr_sec": "wr_sec/s", "dc_sec": "dc_sec/s", "rkB": "rkB/s",
    "wkB": "wkB/s", "dkB": "dkB/s", "util-percent": "%util", "bread": "bread/s",
    "bwrtn": "bwrtn/s", "bdscd": "bdscd/s", "memfree": "kbmemfree", "avail": "kbavail",
    "memused": "kbmemused", "memused-percent": "%memused", "buffers": "kbbuffers",
    "cached": "kbcached", "commit": "kbcommit", "commit-percent": "%commit", "active": "kbactive",
    "inactive": "kbinact", "dirty": "kbdirty", "anonpg": "kbanonpg", "slab": "kbslab",
    "kstack": "kbkstack", "pgtbl": "kbpgtbl", "vmused": "kbvmused", "swpfree": "kbswpfree",
    "swpused": "kbswpused", "swpused-percent": "%swpused", "swpcad": "kbswpcad",
    "swpcad-percent": "%swpcad", "shared": "kbshmem",
}  # fmt: skip
"""sadf's JSON names -> the names sar prints. Bytes come before sectors: they are as printed."""

_FIRST = ("rkB", "wkB", "dkB", "areq-sz", "aqu-sz")


def _renamed(item: Json) -> Json:
    order = sorted(item, key=lambda name: name not in _FIRST)
    return {_SADF_NAMES.get(name, name): item[name] for name in order}


def _sadf_row(
    recording: Recording, table: str, item: Json, at: str
) -> tuple[tuple[object, ...], Json]:
    """What tells a row apart, and its values, under the names that sar prints."""
    if table == "cpu":
        return (_without(recording, item, "cpu", at),), _percents(item, CPU)
    if table == "devices":
        return (_without(recording, item, "disk-device", at), False), _renamed(item)
    if table == "host_memory":
        return (), _renamed(item)
    flat: Json = {}
    for name, value in item.items():
        flat.update(value if isinstance(value, dict) else {name: value})
    return (), _renamed(flat)


def _moment(recording: Recording, value: Json, place: str) -> Stamp:
    stamp = stamp_of(f"{value.get('date')} {value.get('time')}")
    if stamp is None:
        raise recording.fault(f"{place}: {value!r} is not a time that perfkit knows")
    zone = value.get("tz") if isinstance(value.get("tz"), str) else None
    return Stamp(stamp.dates, stamp.second, "UTC" if value.get("utc") == "1" else zone)


def _restarts(host: Json, path: str) -> Iterator[tuple[Stamp | None, int | None]]:
    inner = Recording("sadf", path)
    for _, item in _objects(inner, host.get("restarts") or [], "restarts"):
        boot = item.get("boot")
        if isinstance(boot, dict):
            cpus = boot.get("cpu_count")
            count = int(cpus) if isinstance(cpus, Digits) and cpus.isdecimal() else None
            yield _moment(inner, boot, "restarts.boot"), count
