"""Tables of a run's surroundings: the sweep as asked for, and the test environment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from perfkit.core.errors import AbsentError, check_name
from perfkit.core.lineage import Measured, step
from perfkit.core.schema import Row
from perfkit.core.units import Format, format_size
from perfkit.core.values import Table
from perfkit.showing.tables.sheet import COUNT, Sheet, measured_rows

CAPTIONS = {
    "host": "The host that generated the load.",
    "target": "The storage under test, as the host sees it.",
    "tool": "The load generator.",
    "consent": "What was approved for overwriting.",
}
"""Part of the facts -> caption of its table."""

_WORDS = {
    "cpu": "CPU", "cpus": "CPUs", "sha256": "SHA-256", "ioengine": "I/O engine", "fio": "fio",
    "nr": "queued",
    "numa": "NUMA", "smt": "SMT", "aio": "AIO", "wwid": "world-wide name", "hz": "frequency",
    "io": "I/O", "uring": "uring", "wwn": "world-wide name", "lun": "LUN", "elbencho": "elbencho",
}  # fmt: skip
_FULL_NAMES = {
    "os": "Operating system",
    "directory_label": "Directory",
    "file_bytes": "File size",
    "block_size_max": "Largest block",
    "data": "Data written",
    "observe": "Observed during the load",
    "events": "Events",
    "files": "Files in each folder",
    "targets": "Targets of the load",
    "verify": "Verification after the last point",
    "array_cache": "Cache of the array, as stated",
    "job_file": "Job file",
    "search.latency_s": "Search: latency limit",
    "search.max_loads": "Search: most loads",
    "numa.nodes": "NUMA nodes",
    "numa.memory": "NUMA memory policy",
    "background.rate_iops": "Background load: offered IOPS",
    "background.read_percent": "Background load: read percent",
    "background.block_size": "Background load: block size",
    "background.file_size": "Background load: file size",
    "background.iodepth": "Background load: iodepth",
    "background.numjobs": "Background load: jobs",
    "fsync_every": "Writes between two fsync",
    "background_iops": "Background load: offered IOPS",
    "background_read_percent": "Background load: read percent",
    "background_block_bytes": "Background load: block size",
    "hostname": "Host name",
    "cpu_smt": "CPU hyper-threading (SMT)",
    "cpu_turbo": "CPU turbo",
    "cpu_idle_states": "CPU idle states (disabled)",
    "cpu_lowest_hz": "CPU lowest frequency",
    "cpu_highest_hz": "CPU highest frequency",
    "aio_max_nr": "Most AIO requests",
    "io_uring_disabled": "io_uring disabled",
    "huge_pages": "Huge pages reserved",
    "memory_free_bytes": "Memory available at the start",
    "transparent_huge_pages_defrag": "Transparent huge pages, defragmentation",
    "background_cpu_busy_ratio": "CPU busy before the load",
    "background_load_1_min": "Load average before, 1 min",
    "background_load_15_min": "Load average before, 15 min",
    "filesystem": "File system",
    "filesystem_block_bytes": "File system block",
    "device.nr_requests": "Device queued requests",
    "device.numa_node": "Device NUMA node",
}

_FOR_MACHINES = {"directory_sha256", "given"}
"""Facts that tell a resumed run its own target again; they say nothing to a reader."""

_SIZES = (
    "_bytes", "block_size", "block_size_max", "file_size", "region.start", "region.size",
    "compress_chunk", "fill_block", "array_cache", "background.block_size", "background.file_size",
)  # fmt: skip
_TRUTH = {"True": "yes", "true": "yes", "False": "no", "false": "no"}


@step(version=3, name="table.host")
def table_host(host: Measured, *, part: str | None = None) -> Table:
    """The test environment from a run's ``host`` table: one row a fact that was found.

    ``part`` is "host", "target" (device, queue, paths, adapters, volume layout, file system),
    "tool" or "consent"; None: all of them. Of several load generators, a fact in which they agree
    stands once, any other once for each value with the names of its hosts. Facts that could not be
    read stand in the note, by name.

    Raises AnalysisError for an unknown part, or one of which nothing is recorded.
    """
    facts = measured_rows(host, "host", ("group", "fact", "value"))
    if part is not None:
        check_name("part", part, CAPTIONS)
    rows = [
        row for row in facts if row["fact"] not in _FOR_MACHINES and part in {None, row["group"]}
    ]
    if not rows:
        raise AbsentError(f"host: no facts of {part or 'any part'}")
    grouped = list(_by_value(rows))
    sheet = Sheet(grouped)
    if part is None:
        sheet.add("group", "Part", None, lambda row: str(row["group"]).capitalize())
    sheet.add("fact", "Fact", None, lambda row: words(row["fact"]))
    sheet.add("value", "Value", None, lambda row: fact_text(row["fact"], row["value"]))
    if len({row.get("host") for row in rows if row.get("host")}) > 1:
        sheet.words(hosts="Hosts")
    caption = CAPTIONS[part] if part else "Host, target and tool."
    known = {(row["group"], row["fact"]) for row in rows if row["value"] is not None}
    lost = dict.fromkeys(
        words(row["fact"]) for row in rows if (row["group"], row["fact"]) not in known
    )
    return sheet.table(
        part or "host",
        caption,
        f"Not found on the host: {', '.join(lost)}." if lost else None,
    )


def _by_value(rows: Sequence[Row]) -> Iterator[Row]:
    """One row a fact and value, in the order of the record, with the hosts that have it."""
    hosts = {row.get("host") for row in rows if row.get("host")}
    seen: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        # with several generators, the host perfkit ran on is told apart by a word
        name = row.get("host") or "controller"
        if row["value"] is not None:
            seen.setdefault((row["group"], row["fact"], row["value"]), []).append(name)
    for (group, fact, value), names in sorted(seen.items(), key=_order(rows)):
        everywhere = hosts <= set(names)
        said = "all" if everywhere else ", ".join(dict.fromkeys(names))
        yield {"group": group, "fact": fact, "value": value, "hosts": said}


def _order(rows: Sequence[Row]) -> Callable[[tuple[tuple[str, str, str], list[str]]], int]:
    """Facts in the order in which they come first, so that a fact's values stand together."""
    place: dict[tuple[str, str], int] = {}
    for row in rows:
        place.setdefault((row["group"], row["fact"]), len(place))
    return lambda item: place[item[0][:2]]


@step(version=2, name="table.spec")
def table_spec(spec: Measured) -> Table:
    """The sweep as it was asked for, one row a setting; what was not given is left out."""
    found = measured_rows(spec, "spec", ("field", "value"))
    sheet = Sheet([row for row in found if row["value"] is not None])
    sheet.add("field", "Setting", None, lambda row: words(row["field"]))
    sheet.add("value", "Value", None, lambda row: fact_text(row["field"], row["value"]))
    return sheet.table("sweep", "The sweep.")


@step(version=1, name="table.by_target")
def table_by_target(by_target: Measured) -> Table:
    """What each of several targets of one load did, as fio itself accounts for it.

    The load beside the measured one is told by name: it is in none of the load points.
    """
    columns = ("target", "direction", "iops", "io_bytes", "lat_mean_s", "load", "repeat")
    sheet = Sheet(measured_rows(by_target, "by_target", columns))
    sheet.names()
    sheet.load()
    sheet.add("repeat", "Repeat", COUNT)
    sheet.add("target", "Target", None, lambda row: str(row["target"] or "the background load"))
    sheet.differing(host="Host")
    sheet.metric("iops", "IOPS")
    sheet.metric("lat_mean_s", "Mean latency")
    return sheet.table("by-target", "What each target of the load did.")


@step(version=2, name="table.pts")
def table_pts(parts: Measured) -> Table:
    """The parts of a test of SNIA's PTS (``pts_parts``): asked, done, and whether it fits."""
    sheet = Sheet(measured_rows(parts, "pts", ("part", "asked", "found", "kept")))
    sheet.add("part", "Part", None, lambda row: row["part"][:1].upper() + row["part"][1:])
    sheet.words(asked="PTS 2.0.2", found="Here")
    sheet.add("kept", "Kept", None, lambda row: "yes" if row["kept"] else "no")
    note = (
        "What PTS requires is taken from SNIA's pages and from public implementations of PTS "
        "2.0.x, not from its text."
    )
    return sheet.table("pts", "Which parts of the SNIA PTS test were kept.", note)


def words(name: str) -> str:
    """Names as words: "cpu_model" as "CPU model", "ramp_s" as "Ramp"."""
    if name in _FULL_NAMES:
        return _FULL_NAMES[name]
    bare = name
    for unit in ("_bytes", "_hz", "_us", "_s"):
        bare = bare.removesuffix(unit)
    first, *rest = bare.replace(".", " ").replace("_", " ").split()
    return " ".join([_WORDS.get(first, first.capitalize()), *(_WORDS.get(w, w) for w in rest)])


def fact_text(name: str, value: str | None) -> str | None:
    """A fact's value for people: sizes, times, frequencies and shares by the unit in its name."""
    if value is None:
        return None
    if name.endswith(_SIZES) and value.isdecimal():
        return format_size(int(value))
    if name == "block_mix":
        parts = (part.split("/") for part in value.split(":"))
        return ", ".join(f"{share}% {format_size(int(size))}" for size, share in parts)
    for ending, text in _UNITS.items():
        if name.endswith(ending) and value.replace(".", "", 1).isdecimal():
            return text(float(value))
    if name in _COMMANDS:
        return "; ".join(_COMMANDS[name].format(**item) for item in json.loads(value))
    listed = value.startswith("[") and value.endswith("]")
    plain = value[1:-1].replace('"', "") if listed else value
    return _TRUTH.get(plain, plain)


_COMMANDS = {"observe": "{name}, every {every_s:g} s", "events": "{name}, at {at_s:g} s"}
"""Settings that are lists of commands -> what is said of each; run.json has the commands."""

_UNITS: dict[str, Callable[[float], str]] = {
    "_hz": lambda value: Format("GHz", significant=3).show(value).text,
    "_us": lambda value: f"{value:g} µs",
    "_ratio": lambda value: Format("%", decimals=1).show(value).text,
    "_s": lambda value: f"{value:g} s",
}
