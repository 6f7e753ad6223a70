"""Whether two curves may be compared: the known conditions they were measured under."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfkit.analysis.curves.differences import mean_size, read_ratio, same_mix, same_size
from perfkit.analysis.curves.series import cautions_of
from perfkit.core.errors import AbsentError, AnalysisError, PerfkitError, did_you_mean
from perfkit.core.schema import COMPATIBILITY, Row
from perfkit.core.units import US_PER_S, format_size, parse_size


@dataclass(frozen=True)
class Conditions:
    """The compatibility key of one curve: field -> value; None where the source does not say."""

    fields: Mapping[str, Any]


CONDITION_COLUMNS = (
    "direction", "host", "iops", "bw_bytes_per_s", "percentiles_of", "cautions",
)  # fmt: skip
"""The columns of load points, beside the keys of a curve, that its conditions are made of."""

_PARTIAL = frozenset({"normal_output"})
"""Cautions of results that do not state all of their options: what is missing is not known."""

_FIO_SAYS = ("rw", "readwrite")
"""Options that are fio's. Where they are given without others, fio bypasses no cache and is held
to no rate; and it is fio that ran."""

OPTION_FIELDS = {
    "tool": ("engine",),
    "engine": ("ioengine",),
    "direct": ("direct",),
    "pattern": ("pattern", *_FIO_SAYS),
    "rate_limit": ("rate_limit", "rate", "rate_iops"),
    "active_set_bytes": ("region.size", "active_set", "active_set_bytes", "file_size", "size"),
    "preconditioning": ("preconditioning", "precondition", "fills"),
    "fill_block_bytes": ("fill_block",),
    "distribution": ("distribution", "random_distribution"),
    "block_mix": ("block_mix", "bssplit", "bsrange"),
    "think_time": ("think_time_s", "thinktime"),
    "fsync_every": ("fsync_every", "fsync", "fdatasync"),
    "dedupe_percent": ("data.dedupe_percent", "dedupe_percentage"),
    "compress_percent": ("data.compress_percent", "buffer_compress_percentage"),
    "compress_chunk_bytes": ("data.compress_chunk", "buffer_compress_chunk"),
    "region_start_bytes": ("region.start",),
    "trim": ("trim",),
    "rate_process": ("rate_process",),
    "drain_blocks": ("drain.blocks",),
    "drain_period": ("drain.period_s",),
    "targets": ("targets",),
    "files": ("files", "nrfiles"),
    "cpus": ("cpus", "cpus_allowed"),
    "numa_nodes": ("numa.nodes", "numa_cpu_nodes"),
    "numa_memory": ("numa.memory", "numa_mem_policy"),
    "fio_options": ("fio_options",),
    "drop_caches": ("drop_caches",),
    "warm_up": ("warm_up.round_s",),
    "steady_state": ("steady_state.round_s",),
    "events": ("events",),
    "background_iops": ("background.rate_iops",),
    "background_read_percent": ("background.read_percent",),
    "background_block_bytes": ("background.block_size",),
}
"""Field of the key -> the names that sources give it in their options and sweeps."""

PLAIN = {
    "distribution": "uniform",
    "block_mix": "no",
    "think_time": "no",
    "fsync_every": "no",
    "dedupe_percent": "0",
    "compress_percent": "0",
    "fill_block_bytes": "the usual",
    "compress_chunk_bytes": "a block",
    "region_start_bytes": "0",
    "trim": "no",
    "rate_process": "linear",
    "drain_blocks": "no",
    "drain_period": "no",
    "targets": "1",
    "files": "1",
    "cpus": "any",
    "numa_nodes": "any",
    "numa_memory": "any",
    "fio_options": "no",
    "drop_caches": "no",
    "warm_up": "no",
    "steady_state": "no",
    "events": "no",
    "background_iops": "no",
    "background_read_percent": "no",
    "background_block_bytes": "no",
}
"""What fio, and a sweep of perfkit's, does where its options do not say."""

_SAME = {
    "distribution": {"random": "uniform"},
    "think_time": {"0": "no"},
    "fsync_every": {"0": "no"},
}
"""Two ways to write one value."""

_RW = frozenset({
    "read", "write", "rw", "readwrite", "trim", "trimwrite",
    "randread", "randwrite", "randrw", "randtrim", "randtrimwrite",
})  # fmt: skip
"""fio's values of rw; an offset or a count may follow a colon."""

_TRUTH = {"1": "yes", "true": "yes", "yes": "yes", "0": "no", "false": "no", "no": "no"}


def conditions(
    points: Sequence[Row], options: Sequence[Row] = (), *, metric: str = "lat_mean_s"
) -> Conditions:
    """The key of one curve, of ``schema.COMPATIBILITY``, from its points and its jobs' options.

    The block size and mix are measured: bandwidth / IOPS of each direction, and the share of reads
    among read and write IOPS, so that they are known of every source. A field whose value differs
    between the points of one curve holds all its values.
    """
    fields: dict[str, Any] = {
        "workload": _one(row["workload"] for row in points),
        "load_kind": _one(row["load_kind"] for row in points),
        "hosts": len({row.get("host") for row in points}),
        "read_block_size_bytes": mean_size(points, "read"),
        "write_block_size_bytes": mean_size(points, "write"),
        "read_ratio": read_ratio(points),
    }
    if metric not in {"lat_mean_s", "lat_min_s", "lat_max_s"}:
        fields["percentiles_of"] = _one(row.get("percentiles_of") for row in points)
    if options:
        fields |= _of_options(options, are_all=not _PARTIAL & {c.name for c in cautions_of(points)})
        # elbencho's results are of all its services together: only its options say how many
        hosts = {str(row["value"]) for row in options if row["option"] == "hosts"}
        if len(hosts) == 1 and (count := hosts.pop()).isdecimal():
            fields["hosts"] = int(count)
        if fields["load_kind"] == "rate_iops":
            # the rate is the load itself
            fields["rate_limit"] = None
    return Conditions(fields)


def _given(options: Sequence[Row]) -> dict[str, set[str]]:
    """Every value of each option; what a sweep says in ``fio_options`` is one."""
    found: dict[str, set[str]] = {}
    for row in options:
        name, _, own = row["option"].partition(".")
        if name == "fio_options" and own:
            found.setdefault(name, set()).add(f"{own}={row['value']}")
        elif row["value"] is not None:
            found.setdefault(row["option"], set()).add(str(row["value"]))
    return found


def _of_options(options: Sequence[Row], *, are_all: bool) -> dict[str, Any]:
    given = _given(options)
    of_fio = any(name in given for name in _FIO_SAYS)
    if of_fio:
        given = {"engine": {"fio"}, **given}
    if of_fio and are_all:
        given = {"direct": {"0"}, **given}
        if not any(name in given for name in OPTION_FIELDS["rate_limit"]):
            given["rate_limit"] = {"no"}
    complete = {"pattern", "ioengine"} <= given.keys() or (of_fio and are_all)
    found: dict[str, Any] = dict(PLAIN) if complete else {}
    if {"pattern", "ioengine"} <= given.keys():
        # a sweep of perfkit's writes its target once unless it says more
        found["preconditioning"] = "1"
    for field, words in OPTION_FIELDS.items():
        known = [[(word, text) for text in given[word]] for word in words if word in given]
        # the first name that is known: a sweep and its jobs say the same thing in two ways
        if known or field not in found:
            found[field] = _one(_value(field, *item) for item in known[0]) if known else None
    return found


def _value(field: str, word: str, text: str) -> Any:
    """An option's value so that equal ones are equal: "10g" and "10 GiB", "1" and "true"."""
    if word == "think_time_s":  # as fio's, in microseconds
        text = f"{float(text) * US_PER_S:g}"
    form = _size_in_bytes if field.endswith("_bytes") else _FORMS.get(field)
    return form(text) if form else _SAME.get(field, {}).get(text, text)


def _pattern(text: str) -> str:
    if text.partition(":")[0] not in _RW:
        return text
    return "random" if text.startswith("rand") else "sequential"


def _yes_or_no(text: str) -> str:
    return _TRUTH.get(text.strip().lower(), text)


def _size_in_bytes(text: str) -> int | str:
    try:
        return parse_size(text)
    except (PerfkitError, ValueError):
        return text


def _events(text: str) -> str:
    return ", ".join(f"{event['name']} at {event['at_s']:g} s" for event in json.loads(text))


_FORMS: Mapping[str, Callable[[str], Any]] = {
    "pattern": _pattern,
    "direct": _yes_or_no,
    "trim": _yes_or_no,
    "drop_caches": _yes_or_no,
    # that it was asked for counts, and not how
    "warm_up": lambda _: "yes",
    "steady_state": lambda _: "yes",
    "events": _events,
}
"""Field -> how its text becomes a value of which equal ones are equal."""


def _one(values: Any) -> Any:
    known = sorted({value for value in values if value is not None}, key=str)
    return None if not known else known[0] if len(known) == 1 else tuple(known)


def mismatches(one: Conditions, other: Conditions) -> dict[str, str]:
    """The fields in which two curves differ, each with both values; unknown ones do not count."""
    found = {}
    for name, mine in one.fields.items():
        theirs = other.fields.get(name)
        if mine is None or theirs is None or _same(name, mine, theirs):
            continue
        found[name] = f"{_shown(name, mine)} against {_shown(name, theirs)}"
    return found


def _same(name: str, mine: Any, theirs: Any) -> bool:
    if name == "read_ratio":
        return same_mix(mine, theirs)
    if name.endswith("block_size_bytes"):
        return same_size(mine, theirs)
    return bool(mine == theirs)


def _shown(name: str, value: Any) -> str:
    if name == "read_ratio":
        return f"{value:.1%} reads"
    if name.endswith("block_size_bytes"):
        return f"{value:,.0f} bytes"
    if name == "think_time" and value != "no":
        return f"{value} µs"
    if isinstance(value, tuple):
        return " and ".join(_shown(name, item) for item in value)
    if name.endswith("_bytes") and isinstance(value, int):
        return format_size(value)
    return str(value)


def check_allowed(allow: str | Sequence[str]) -> tuple[str, ...]:
    """The fields that may differ; AnalysisError for an unknown one."""
    names = (allow,) if isinstance(allow, str) else tuple(allow)
    for name in names:
        if name not in COMPATIBILITY:
            raise AnalysisError(
                f"allow: {name!r} is not a condition; {did_you_mean(name, list(COMPATIBILITY))}"
            )
    return names


class UnlikeError(AbsentError):
    """Two curves were not measured under the same conditions."""

    def __init__(self, names: tuple[str, str], field: str, words: str) -> None:
        self.names, self.why = names, f"{field} differs ({words})"
        super().__init__(
            f"the curves {names[0]} and {names[1]} cannot be compared: {self.why}; "
            f"allow={field!r} (of a command: -p allow={field}) compares them anyway, and the "
            "report says so"
        )


def check_compatible(
    one: Conditions, other: Conditions, names: tuple[str, str], allow: Sequence[str]
) -> str | None:
    """None where two curves may be compared; else, for allowed fields, the words of the mark.

    Raises UnlikeError naming the first field that differs and is not allowed by name.
    """
    found = mismatches(one, other)
    for name, words in found.items():
        if name not in allow:
            raise UnlikeError(names, name, words)
    marks = [f"{name.replace('_', ' ')} differs ({words})" for name, words in found.items()]
    return "; ".join(marks) or None
