"""The named workloads: what each application's I/O looks like, as defaults of a sweep."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from perfkit.core.errors import UsageError, did_you_mean
from perfkit.core.units import GIB, KIB, MIB
from perfkit.measure.adopted import adopt
from perfkit.measure.spec import SweepSpec

_OLTP: dict[str, Any] = {
    "pattern": "random",
    "block_size": 8 * KIB,
    "file_size": 4 * GIB,
    "load": {"iodepth": [1, 2, 4, 8, 16, 32, 64]},
}

WORKLOADS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "oltp-select": {**_OLTP, "read_percent": 100},
        # a 75/25 mix of SQL statements (SLOB) comes out as about 80:20 I/Os
        "oltp-mixed": {**_OLTP, "read_percent": 80},
        "oltp-update": {**_OLTP, "read_percent": 50},
        "sas-sequential": {
            "pattern": "sequential",
            "read_percent": 50,
            "block_size": 256 * KIB,
            "block_size_max": MIB,
            "file_size": 16 * GIB,
            # SAS reads and writes through the page cache, whose read-ahead and write-behind keep
            # a few blocks in flight per stream
            "iodepth": 4,
            "load": {"numjobs": [2, 4, 8, 16]},
        },
        # each RANREAD process waits for its read before the next: one in flight per job
        "iris-ranread": {
            "pattern": "random",
            "read_percent": 100,
            "block_size": 8 * KIB,
            "file_size": 4 * GIB,
            "ioengine": "psync",
            "load": {"numjobs": [1, 2, 4, 8, 16, 32, 64]},
        },
        "epic-like": {
            "label": "GenIO-like, not GenIO",
            "pattern": "random",
            "read_percent": 100,
            "block_size": 8 * KIB,
            "file_size": 4 * GIB,
            "load": {"rate_iops": {"min": 1000, "max": 10000, "runs": 10}},
            "drain": {"blocks": 20_000, "period": 80},
            # five cycles: fewer give no verdict
            "runtime": 400,
            "repeats": 1,
        },
    }
)

_ALIASES = {"ramp": "ramp_s", "runtime": "runtime_s", "think_time": "think_time_s"}


def named_workload(name: str, **overrides: Any) -> SweepSpec:
    """The sweep of a named workload, with fields replaced by ``overrides``.

    ``overrides`` are fields of ``SweepSpec`` in either writing: ``runtime="2s"`` or
    ``runtime_s=2``, ``file_size="1 GiB"``, ``load={"iodepth": [1, 2, 4]}``. ``drain`` may give
    only the parts that differ.

    Raises UsageError for an unknown name, and for fields that are unknown or do not fit together
    (the ValidationError with the field's place is its cause).
    """
    if name not in WORKLOADS:
        raise UsageError(f"unknown workload {name!r}; {did_you_mean(name, list(WORKLOADS))}")
    return sweep_spec({"workload": name, **overrides})


def sweep_spec(given: Mapping[str, Any]) -> SweepSpec:
    """The sweep from a mapping, as the study file holds it.

    A named workload gives the defaults, or a fio job file, ``job_file``, by its path.

    Raises UsageError, one line, naming each field that is wrong.
    """
    job_file = given.get("job_file")
    defaults = WORKLOADS.get(str(given.get("workload")), {})
    if job_file:
        defaults = adopt(Path(job_file))
        given = {**given, "job_file": Path(job_file).name}
    defaults = _long_names(defaults)
    chosen = _long_names(given)
    if isinstance(chosen.get("load"), dict):
        # a load of another kind replaces the fixed value of what it raises
        defaults = {name: defaults[name] for name in defaults if name not in chosen["load"]}
    if "block_mix" in chosen:
        # the mix says which sizes there are
        defaults = {name: defaults[name] for name in defaults if not name.startswith("block_size")}
    if isinstance(chosen.get("drain"), dict) and "drain" in defaults:
        chosen["drain"] = {**defaults["drain"], **chosen["drain"]}
    try:
        return SweepSpec.model_validate({**defaults, **chosen})
    except ValidationError as problem:
        raise UsageError("; ".join(_one_line(error) for error in problem.errors())) from problem


def _long_names(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same fields, so that a short and a long name of one field replace each other."""
    fields = {_ALIASES.get(name, name): value for name, value in given.items()}
    if isinstance(fields.get("drain"), dict):
        drain = fields["drain"]
        fields["drain"] = {{"period": "period_s"}.get(name, name): drain[name] for name in drain}
    return fields


def _one_line(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ")
    given = error.get("input")
    if error["type"] == "extra_forbidden":
        known = list(SweepSpec.model_fields) if len(error["loc"]) == 1 else []
        return f"{place}: no such field; {did_you_mean(str(error['loc'][-1]), known)}"
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{place}: {message}{shown}" if place else message
