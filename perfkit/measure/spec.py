"""What a sweep is: one typed value, whose fields fit together.

Combinations of fields that a tool would silently turn into another load are refused here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from pydantic import model_validator

from perfkit.core.files import Json
from perfkit.core.units import format_size
from perfkit.measure.division import readers_and_writers, split_rate, stream_bytes
from perfkit.measure.fields import SweepFields
from perfkit.measure.shape import block_shares

SYNC_ENGINES = ("psync", "sync", "pvsync", "pvsync2")
"""fio engines with one I/O in flight per job: fio caps a deeper queue at 1 and exits with 0."""

DIRECT_ALIGNMENT = 512
"""Direct I/O works in units of the device's logical block, which is at least this many bytes."""

RECORDED_WHEN_SET = frozenset({
    "fills", "steady_state", "control", "drop_caches", "series_s", "hosts", "block_mix",
    "distribution", "region", "think_time_s", "fsync_every", "data", "cpus", "fio_options",
    "job_file", "array_cache", "search", "observe", "targets", "files", "trim", "numa", "verify",
    "background", "events", "warm_up", "fill_block", "until_steady",
})  # fmt: skip
"""Fields that a record holds only where they differ from their default.

They came after the first runs were made: the same sweep still has the same record and hash.
"""


def _check_load_given_twice(spec: SweepFields) -> str | None:
    fixed = {"iodepth": spec.iodepth, "numjobs": spec.numjobs}
    if fixed.get(spec.load.kind) is None:
        return None
    return f"{spec.load.kind}: it is what the load raises; give its values in load.points only"


def _depths(spec: SweepFields) -> Iterable[int]:
    return spec.load.points if spec.load.kind == "iodepth" else (spec.iodepth or 1,)


def _check_depth(spec: SweepFields) -> str | None:
    if max(_depths(spec)) == 1:
        return None
    if spec.ioengine in SYNC_ENGINES:
        return f"iodepth: {spec.ioengine} keeps one I/O in flight per job; raise numjobs instead"
    if spec.ioengine == "libaio" and not spec.direct:
        return (
            "iodepth: libaio submits buffered I/O one at a time; with direct: false use "
            "ioengine: io_uring, or psync with numjobs"
        )
    return None


def _check_blocks(spec: SweepFields) -> str | None:
    if spec.block_size_max is not None and spec.block_size_max < spec.block_size:
        return "block_size_max: it is smaller than block_size"
    if spec.block_size_max is not None and spec.block_size_max % spec.block_size:
        return "block_size_max: it is not a multiple of block_size"
    if spec.direct and spec.block_size % DIRECT_ALIGNMENT:
        return (
            f"block_size: {spec.block_size} is not a multiple of {DIRECT_ALIGNMENT}, which "
            "direct I/O needs"
        )
    return None


def _check_mix(spec: SweepFields) -> str | None:
    if spec.block_mix is None:
        return None
    if spec.block_size_max is not None:
        return (
            "block_mix: it cannot be combined with block_size_max: both say which sizes come how "
            "often"
        )
    smallest = min(block_shares(spec.block_mix))
    if smallest != spec.block_size:
        return (
            f"block_size: {format_size(spec.block_size)}; the smallest of the block_mix is "
            f"{format_size(smallest)}; leave block_size out"
        )
    return None


def _check_file(spec: SweepFields) -> str | None:
    space, name = spec.space, "region.size" if spec.region else "file_size"
    if spec.largest_block > space.size:
        return (
            f"{name}: {format_size(space.size)} is smaller than one block of "
            f"{format_size(spec.largest_block)}"
        )
    if spec.region and space.start + space.size > spec.file_size:
        return f"region: it ends behind the file_size of {format_size(spec.file_size)}"
    if spec.region and (space.start % spec.block_size or space.size % spec.block_size):
        return f"region: start and size are whole blocks of {format_size(spec.block_size)}"
    if spec.file_size % spec.block_size:
        return (
            f"file_size: {format_size(spec.file_size)} is not a whole number of blocks of "
            f"{format_size(spec.block_size)}"
        )
    return None


def _check_streams(spec: SweepFields) -> str | None:
    if spec.pattern != "sequential":
        return None
    if spec.load.kind == "rate_iops":
        return "load: sequential streams are not paced; raise numjobs or iodepth"
    counts = spec.load.points if spec.load.kind == "numjobs" else (spec.numjobs or 1,)
    for count in counts:
        try:
            readers_and_writers(count, spec.read_percent)
        except ValueError as problem:
            return f"{'load.points' if spec.load.kind == 'numjobs' else 'numjobs'}: {problem}"
        if not stream_bytes(spec.space.size, spec.largest_block, count):
            return f"file_size: too small to give each of {count} streams a block of its own"
    return None


def _check_pattern(spec: SweepFields) -> str | None:
    if spec.distribution and spec.pattern != "random":
        return "distribution: sequential streams go everywhere alike; it needs pattern: random"
    if spec.fsync_every and spec.directions == ("read",):
        return "fsync_every: the load writes nothing"
    if spec.think_time_s and (spec.load.kind == "rate_iops" or max(_depths(spec)) > 1):
        # fio empties the queue before it pauses: the depth would not be what is said
        return "think_time: a job that pauses has one I/O in flight; raise numjobs"
    return None


def _check_data(spec: SweepFields) -> str | None:
    data = spec.data
    if data.compress_chunk and not data.compress_percent:
        return "data.compress_chunk: it needs compress_percent"
    if data.compress_chunk and data.compress_chunk > spec.block_size:
        return "data.compress_chunk: it is larger than a block: fio compresses within blocks"
    return None


def _check_rates(spec: SweepFields) -> str | None:
    if spec.load.kind != "rate_iops":
        return None if spec.rate_process == "linear" else "rate_process: the load is not paced"
    for total in spec.load.points:
        if total % spec.parts:
            over = f"{spec.parts} hosts" if spec.hosts else f"{spec.parts} targets"
            return f"load.points: {total} IOPS cannot be spread evenly over {over}"
        try:
            split_rate(total // spec.parts, spec.numjobs or 1, spec.read_percent)
        except ValueError as problem:
            return f"load.points: {problem}"
    return None


def _check_drain(spec: SweepFields) -> str | None:
    if spec.drain is None:
        return None
    if spec.load.kind != "rate_iops" or spec.directions != ("read",):
        return "drain: it needs paced reads: load.kind rate_iops and read_percent 100"
    if spec.ioengine in SYNC_ENGINES and spec.drain.iodepth > 1:
        return f"drain.iodepth: {spec.ioengine} keeps one I/O in flight per job"
    if not spec.cycles:
        return "runtime: it is shorter than one drain period, so no drain would be measured"
    return None


def _first(unfit: Mapping[str, object]) -> str | None:
    return next((problem for problem, found in unfit.items() if found), None)


def _check_apart(spec: SweepFields) -> str | None:
    control = spec.control is not None and spec.control not in spec.load.points
    return _first({
        "numa: it cannot be combined with cpus: both say where the jobs run": (
            spec.numa and spec.cpus
        ),
        "verify: it writes blocks of its own, unique and incompressible; leave data out": (
            spec.verify and not spec.data.unique
        ),
        f"control: {spec.control} is not among the load's points": control,
        "hosts: a load generator is named twice; tell two on one host apart by their ports": (
            len(set(spec.hosts)) < len(spec.hosts)
        ),
    })  # fmt: skip


def _check_targets(spec: SweepFields) -> str | None:
    if len(spec.targets) == 1:
        return "targets: one alone is the target of the sweep; name two or more"
    if len(set(spec.targets)) < len(spec.targets):
        return "targets: one is named twice"
    if spec.drain and (spec.targets or spec.files > 1):
        return "drain: it needs one target and one file"
    if spec.files > 1 and spec.pattern != "random":
        return "files: each sequential stream has a part of one file; it needs pattern: random"
    return None


def _check_trim(spec: SweepFields) -> str | None:
    if not spec.trim:
        return None
    unfit = {
        "read_percent: a load that trims reads nothing; set it to 0": spec.read_percent,
        "fsync_every: a load that trims writes nothing": spec.fsync_every,
        "verify: what is trimmed holds nothing that could be verified": spec.verify,
    }
    return _first(unfit)


def _check_background(spec: SweepFields) -> str | None:
    beside = spec.background
    if beside is None:
        return None
    sync, hosts = spec.ioengine in SYNC_ENGINES, max(1, len(spec.hosts))
    unfit = {
        f"background.rate_iops: {beside.rate_iops} IOPS cannot be spread evenly over {hosts} "
        "hosts": beside.rate_iops % hosts,
        "background.target: it is one of the measured targets": beside.target in spec.targets,
        f"background.iodepth: {spec.ioengine} keeps one I/O in flight per job": sync
        and beside.iodepth > 1,
        "background.file_size: it is not a whole number of its blocks": beside.file_size
        % beside.block_size,
        f"background.block_size: direct I/O needs a multiple of {DIRECT_ALIGNMENT}": spec.direct
        and beside.block_size % DIRECT_ALIGNMENT,
    }
    try:
        split_rate(beside.rate_iops // hosts or 1, beside.numjobs, beside.read_percent)
    except ValueError as problem:
        unfit[f"background.rate_iops: {problem}"] = True
    return _first(unfit)


def _check_rounds(spec: SweepFields) -> str | None:
    if spec.fill_block and spec.file_size % spec.fill_block:
        return f"fill_block: the file_size is not a whole number of {format_size(spec.fill_block)}"
    if spec.fill_block and spec.direct and spec.fill_block % DIRECT_ALIGNMENT:
        return f"fill_block: direct I/O needs a multiple of {DIRECT_ALIGNMENT}"
    other = spec.control is not None or spec.search or spec.order != "interleaved"
    if spec.until_steady and other:
        return "until_steady: a round is a repeat of each load: leave out control, search and order"
    return None


def _check_search(spec: SweepFields) -> str | None:
    if spec.search and (spec.pattern != "random" or spec.drain):
        return "search: it needs random I/O without a drain: streams and drains cannot be halved"
    if spec.search and spec.control is not None:
        return (
            "search: it cannot be combined with control: how many points come after it is not "
            "known before"
        )
    return None


def _check_observe(spec: SweepFields) -> str | None:
    for field, names in (
        ("observe", [each.name for each in spec.observe]),
        ("events", [each.name for each in spec.events]),
    ):
        if len(set(names)) < len(names):
            return f"{field}: two have one name"
    wanted = spec.warm_up.observed if spec.warm_up else None
    if wanted and wanted.partition(".")[0] not in {
        o.name for o in spec.observe if o.form != "text"
    }:
        return f"warm_up.observed: no command under observe prints {wanted} as csv or json"
    late = [each.name for each in spec.events if each.at_s >= spec.ramp_s + spec.runtime_s]
    return f"events: {late[0]} would come after the end of a point" if late else None


def _check_caches(spec: SweepFields) -> str | None:
    if not spec.drop_caches:
        return None
    if spec.direct:
        return "drop_caches: direct I/O bypasses the page cache; it needs direct: false"
    if spec.hosts:
        return (
            "drop_caches: no engine reaches the caches of other hosts; it cannot be combined with "
            "hosts"
        )
    return None


def _check_elbencho(spec: SweepFields) -> str | None:
    if spec.engine != "elbencho":
        return None
    rounds = spec.steady_state.round_s if spec.steady_state else 1
    warming = spec.warm_up.round_s if spec.warm_up else 1
    whole = {
        "runtime": spec.runtime_s,
        "ramp": spec.ramp_s,
        "steady_state.round": rounds,
        "warm_up.round": warming,
    }
    for name, seconds in whole.items():
        if seconds != int(seconds):
            return f"{name}: elbencho counts whole seconds"
    unfit = {
        "ioengine: elbencho has libaio only": spec.ioengine != "libaio",
        "block_size_max: elbencho's blocks are of one size": spec.block_size_max is not None,
        "drain: elbencho has no second load beside the first; use fio": spec.drain is not None,
        **{
            f"{name}: elbencho cannot do this; use fio": getattr(spec, name)
            for name in (
                "distribution",
                "region",
                "think_time_s",
                "fsync_every",
                "fio_options",
                "trim",
                "background",
                "verify",
            )
        },
        "block_mix: elbencho's blocks are of one size; use fio": spec.block_mix is not None,
        "targets: elbencho does not tell what each of them did; use fio": spec.targets,
        "files: elbencho's threads divide them among each other; use fio": spec.files > 1,
        "numa.memory: elbencho has no such policy; use fio": spec.numa and spec.numa.memory,
        "data: elbencho writes unique, incompressible data; use fio": not spec.data.unique,
        "load: elbencho limits bytes per thread in a closed loop, which is not an "
        "offered rate; use "
        "fio for rate_iops": spec.load.kind == "rate_iops",
    }
    return _first(unfit)


CHECKS: tuple[Callable[[SweepFields], str | None], ...] = (
    _check_load_given_twice,
    _check_depth,
    _check_blocks,
    _check_mix,
    _check_file,
    _check_streams,
    _check_pattern,
    _check_data,
    _check_rates,
    _check_drain,
    _check_apart,
    _check_targets,
    _check_trim,
    _check_background,
    _check_rounds,
    _check_search,
    _check_observe,
    _check_caches,
    _check_elbencho,
)
"""Every check, in the order in which problems are reported.

Each returns the problem, beginning with the field's name, or None.
"""


class SweepSpec(SweepFields):
    """A sweep whose fields fit together; ValueError where they do not."""

    @model_validator(mode="after")
    def _measures_what_it_says(self) -> Self:
        problem = next(filter(None, (check(self) for check in CHECKS)), None)
        if problem:
            raise ValueError(problem)
        return self

    def record(self) -> Json:
        """The JSON form, as in run.json: without paths, for which labels stand elsewhere in it."""
        whole = self.model_dump(mode="json", exclude={"background": {"target"}})
        whole["targets"] = len(self.targets)
        plain = type(self).model_fields
        return {
            name: value
            for name, value in whole.items()
            if name not in RECORDED_WHEN_SET
            or getattr(self, name) != plain[name].get_default(call_default_factory=True)
        }

    def sha256(self) -> str:
        """The hash of the JSON form, the same for the same sweep."""
        return sha256_json(self.record())


def sha256_json(record: Json) -> str:
    """SHA-256 of a JSON record: keys sorted, no blanks."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
