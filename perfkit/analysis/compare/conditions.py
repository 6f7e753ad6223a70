"""Whether two curves may be compared: the conditions they were measured under, as far as known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.errors import AnalysisError

if TYPE_CHECKING:
    from perfkit.analysis.series import Row

SIZE_SHARE = 0.02
"""Mean I/O sizes further apart than this are of different block sizes."""

MIX_POINTS = 0.02
"""Shares of reads further apart than this are of different mixes."""


@dataclass(frozen=True)
class Conditions:
    """The compatibility key of one curve: field -> value; None where the source does not say."""

    fields: Mapping[str, Any]


TOLD_BY = ("direction", "host", "iops", "bw_bytes_per_s", "percentiles_of")
"""The columns of load points, beside the keys of a curve, that tell its conditions."""

OPTION_FIELDS = {
    "engine": ("ioengine", "engine"),
    "direct": ("direct",),
    "active_set": ("size", "file_size"),
    "preconditioning": ("preconditioning", "precondition"),
}
"""Field of the key -> the names that sources give it in their options."""


def conditions(
    points: Sequence[Row], options: Sequence[Row] = (), *, metric: str = "lat_mean_s"
) -> Conditions:
    """The key of one curve from its load points, and from the options of its jobs where known.

    The block size and mix are measured: bandwidth / IOPS of each direction, and the share of reads
    among read and write IOPS, so that they are known of every source. A field whose value differs
    between the points of one curve holds all its values.
    """
    fields: dict[str, Any] = {
        "load_kind": _one(row["load_kind"] for row in points),
        "hosts": len({row.get("host") for row in points}),
        "read_block_size_bytes": _size(points, "read"),
        "write_block_size_bytes": _size(points, "write"),
        "read_ratio": _mix(points),
    }
    if metric not in {"lat_mean_s", "lat_min_s", "lat_max_s"}:
        fields["percentiles_of"] = _one(row.get("percentiles_of") for row in points)
    for name, words in OPTION_FIELDS.items():
        fields[name] = _one(row["value"] for row in options if row["option"] in words)
    return Conditions(fields)


def _one(values: Any) -> Any:
    known = sorted({value for value in values if value is not None}, key=str)
    return None if not known else known[0] if len(known) == 1 else tuple(known)


def _size(points: Sequence[Row], direction: str) -> float | None:
    """Mean bytes of an I/O over all points of one direction."""
    rows = [row for row in points if row["direction"] == direction]
    rows = [row for row in rows if row["iops"] and row["bw_bytes_per_s"] is not None]
    if not rows:
        return None
    iops = math.fsum(row["iops"] for row in rows)
    return math.fsum(row["bw_bytes_per_s"] for row in rows) / iops


def _mix(points: Sequence[Row]) -> float | None:
    """The share of reads, over all points that know both."""
    reads, writes = (
        [row["iops"] for row in points if row["direction"] == direction and row["iops"] is not None]
        for direction in ("read", "write")
    )
    total = math.fsum(reads) + math.fsum(writes)
    return math.fsum(reads) / total if total else None


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
        return bool(abs(mine - theirs) <= MIX_POINTS)
    if name.endswith("block_size_bytes"):
        return bool(abs(mine - theirs) <= SIZE_SHARE * max(mine, theirs))
    return bool(mine == theirs)


def _shown(name: str, value: Any) -> str:
    if name == "read_ratio":
        return f"{value:.1%} reads"
    if name.endswith("block_size_bytes"):
        return f"{value:,.0f} bytes"
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def check_compatible(
    one: Conditions, other: Conditions, names: tuple[str, str], allow: Sequence[str]
) -> str | None:
    """None where two curves may be compared; else, for allowed fields, the words of the mark.

    Raises AnalysisError naming the first field that differs and is not allowed by name.
    """
    found = mismatches(one, other)
    for name, words in found.items():
        if name not in allow:
            raise AnalysisError(
                f"{names[0]} and {names[1]} are not to be compared: {name} differs ({words}); "
                f"allow={name!r} compares them all the same, and the report says so"
            )
    marks = [f"{name.replace('_', ' ')} differs ({words})" for name, words in found.items()]
    return "; ".join(marks) or None
