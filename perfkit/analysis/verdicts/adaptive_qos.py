"""Adaptive QoS of ONTAP: the floor and the ceiling of a volume as its size grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from perfkit.analysis.curves.series import require_columns, require_rows
from perfkit.core.answers import (
    MEASURED,
    Answer,
    Subject,
    register_questions,
    to_frame,
    where_conditions,
)
from perfkit.core.cautions import caution
from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.evidence import Evidence, Origin, sha256_file
from perfkit.core.files import own_folder
from perfkit.core.keys import rows_by
from perfkit.core.lineage import Measured, reading, step
from perfkit.core.schema import ColumnTypes, Row
from perfkit.formats.yaml_file import load_model

Allocation = Literal["allocated-space", "used-space"]
Means = Literal["max", "override"]
"""How absolute-min-iops is read: the larger of the two ("max", as TR-4784's figures plot it), or as
the manual's words have it ("override")."""

BELOW_FLOOR = "ceiling below floor"


class QosPolicy(BaseModel):
    """An adaptive policy group: rates per TB of its volume's size (ONTAP's TB: 1024 GB)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    expected_iops_per_tb: float = Field(gt=0, allow_inf_nan=False)
    peak_iops_per_tb: float = Field(gt=0, allow_inf_nan=False)
    absolute_min_iops: float = Field(ge=0, allow_inf_nan=False)
    expected_allocation: Allocation = "allocated-space"
    peak_allocation: Allocation = "used-space"


class _Policies(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    policies: list[QosPolicy]


ADAPTIVE_QOS: ColumnTypes = {
    "policy": pl.String, "reading": pl.String, "size_tb": pl.Float64, "used_tb": pl.Float64,
    "allocated_tb": pl.Float64, "volumes": pl.Int64, "volume_floor_iops": pl.Float64,
    "volume_ceiling_iops": pl.Float64, "floor_iops": pl.Float64, "ceiling_iops": pl.Float64,
    "floor_by": pl.String, "ceiling_by": pl.String, "note": pl.String,
    "expected_iops_per_tb": pl.Float64, "peak_iops_per_tb": pl.Float64,
    "absolute_min_iops": pl.Float64, "expected_allocation": pl.String,
    "peak_allocation": pl.String,
}  # fmt: skip
"""One row a size and reading. ``size_tb`` is what grows; floor and ceiling are of one volume and of
all ``volumes`` together; ``_by`` says whether the rate or the absolute minimum decides."""


@dataclass(frozen=True)
class PrintedRates:
    """The rates (IOPS per TB) that a table of a document prints for a policy."""

    document: str
    table: str
    expected: float
    peak: float


_RATES = {"Expected IOPS/TB", "Peak IOPS/TB"}


def printed_otherwise(
    documents: Mapping[str, Measured], policy: str, expected: float, peak: float
) -> PrintedRates | None:
    """The first table that is about a policy and prints other rates for it than these."""
    for table in documents.values():
        if not {"part", "row_name", "column_key"} <= set(table.frame.columns):
            continue
        rows = [row for row in table.frame.rows(named=True) if row["part"] == "policies"]
        known = {row["row_name"]: row["value"] for row in rows if row["value"] is not None}
        if not set(known) >= _RATES or policy not in str(rows[0]["title"]).rstrip(".").split():
            continue
        rates = known["Expected IOPS/TB"], known["Peak IOPS/TB"]
        if rates != (expected, peak):
            return PrintedRates(rows[0]["document"], rows[0]["table"], *rates)
    return None


def default_policies() -> Measured:
    """ONTAP's own policies "value", "performance" and "extreme", as its documentation prints them.

    In the columns of ``qos_adaptive_policies``, with the allocations ONTAP takes where none is
    given.
    """
    path = own_folder("templates") / "qos" / "ontap-defaults.yml"
    known = load_model(path, _Policies)
    rows = [{"policy": item.name, **item.model_dump(exclude={"name"})} for item in known.policies]
    evidence = Evidence(
        "qos-policies",
        f"templates/qos/{path.name}",
        sha256_file(path),
        origin=Origin("printed", known.source),
    )
    frames = {"qos_adaptive_policies": pl.DataFrame(rows)}
    return reading("qos.default_policies", 1, frames, evidence).qos_adaptive_policies


def qos_policy(
    policies: Measured, name: str, *, absolute_min_iops: float | None = None
) -> QosPolicy:
    """A policy of ``qos_adaptive_policies``, as the cluster printed it or a command asks for it.

    An allocation that is not printed is ONTAP's default: floor by allocated, ceiling by used space.
    An absolute minimum that is not printed must be given: it is never taken for 0.

    Raises AnalysisError for an unknown name, several different ones of that name, or a rate or
    minimum that is not known.
    """
    require_columns(policies.frame, _COLUMNS, "qos_adaptive_policies")
    rows = policies.frame.select(_COLUMNS).unique(maintain_order=True).rows(named=True)
    named = [row for row in rows if row["policy"] == name]
    if not named:
        known = sorted({row["policy"] for row in rows})
        raise AnalysisError(f"no policy {name!r}; {did_you_mean(name, known)}")
    if len(named) > 1:
        raise AnalysisError(f"several policies are named {name!r}: filter the table")
    row = {**named[0], "name": named[0]["policy"]}
    if absolute_min_iops is not None:
        row["absolute_min_iops"] = absolute_min_iops
    given = {key: row[key] for key in QosPolicy.model_fields if row[key] is not None}
    unknown = [key for key in _COLUMNS[1:4] if key not in given]
    if unknown:
        raise AnalysisError(f"policy {name!r}: {unknown[0]} is not printed; give it")
    return QosPolicy.model_validate(given)


_COLUMNS = (
    "policy", "expected_iops_per_tb", "peak_iops_per_tb", "absolute_min_iops",
    "expected_allocation", "peak_allocation",
)  # fmt: skip


@step(version=1, name="qos.adaptive")
def adaptive_qos(
    policies: Measured,
    policy: str,
    *,
    to_tb: float,
    points: int = 21,
    allocated_tb: float | None = None,
    volumes: int = 1,
    readings: Sequence[Means] = ("max",),
    absolute_min_iops: float | None = None,
) -> pl.DataFrame:
    """Floor and ceiling IOPS at evenly spaced sizes from 0 to ``to_tb``: ADAPTIVE_QOS.

    The policy holds for each volume by itself, so the size is divided evenly among ``volumes`` and
    each has its own absolute minimum: sixteen small volumes have sixteen minima.

    - "max": floor = max(absolute minimum, expected x size), ceiling = max(minimum, peak x size).
    - "override": while expected x size is below the absolute minimum, the minimum takes the place
      of both; above, both are by their rate.

    Without ``allocated_tb`` one size counts as used and allocated (as the figures of TR-4784 do);
    with it the used space grows inside that allocation, and floor and ceiling each follow the
    space that the policy names.

    ``policies`` are ``qos_adaptive_policies`` of a reading, or ``default_policies()``;
    ``absolute_min_iops`` is for a policy whose minimum is not printed.

    Source: ONTAP 9 command reference, qos adaptive-policy-group create; NetApp TR-4784, Figures
    1 and 2 ("max").

    Raises AnalysisError for sizes, points or volumes that make no sense.
    """
    if not 0 < to_tb < math.inf:
        raise AnalysisError(f"the size grows to a size above 0, not {to_tb}")
    if points <= 1:
        raise AnalysisError(f"growth has two points or more, not {points}")
    if volumes < 1:
        raise AnalysisError(f"a policy holds for one volume or more, not {volumes}")
    if allocated_tb is not None and not to_tb <= allocated_tb < math.inf:
        raise AnalysisError(f"{to_tb} TB cannot be used of {allocated_tb} TB allocated")
    found = qos_policy(policies, policy, absolute_min_iops=absolute_min_iops)
    sizes = {to_tb * number / (points - 1) for number in range(points)}
    rows = [
        _row(found, means, used, allocated_tb, volumes)
        for means in readings
        for used in sorted(sizes)
    ]
    return pl.DataFrame(rows, schema=ADAPTIVE_QOS, orient="row")


def _row(
    policy: QosPolicy, means: Means, used: float, allocated: float | None, volumes: int
) -> Row:
    sizes = {"used-space": used, "allocated-space": used if allocated is None else allocated}
    least = policy.absolute_min_iops
    expected = policy.expected_iops_per_tb * sizes[policy.expected_allocation] / volumes
    most = policy.peak_iops_per_tb * sizes[policy.peak_allocation] / volumes
    floor, ceiling = READINGS[means](least, expected, most)
    return {
        "policy": policy.name,
        "reading": means,
        "size_tb": used,
        "used_tb": used,
        "allocated_tb": sizes["allocated-space"],
        "volumes": volumes,
        "volume_floor_iops": floor,
        "volume_ceiling_iops": ceiling,
        "floor_iops": floor * volumes,
        "ceiling_iops": ceiling * volumes,
        "floor_by": "rate" if floor == expected else "absolute minimum",
        "ceiling_by": "rate" if ceiling == most else "absolute minimum",
        "note": BELOW_FLOOR if ceiling < floor else None,
        **policy.model_dump(exclude={"name"}),
    }


READINGS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "max": lambda least, expected, most: (max(least, expected), max(least, most)),
    "override": lambda least, expected, most: (
        (least, least) if least > expected else (expected, most)
    ),
}
"""How absolute-min-iops is read -> (minimum, expected, peak) to (floor, ceiling) of a volume."""


[QOS_FLOOR] = register_questions(
    ("qos_floor", "1/s", "the IOPS that an adaptive policy guarantees at a size",
     "none: computed from the policy", "none", MEASURED),
)  # fmt: skip


@step(version=1, name="qos.limits")
def qos_limits(growth: Measured) -> pl.DataFrame:
    """Answers of ``adaptive_qos``: floor and ceiling at the largest size, by policy and reading.

    The conditions hold the ceiling and the rates of the policy that they follow from.
    """
    rows = require_rows(
        growth, "adaptive QoS", ("policy", "reading", "size_tb", "floor_iops"), "no answer"
    )
    parts = rows_by(rows, itemgetter("policy", "reading"))
    several = len(parts) > 1
    return to_frame([_limits(own, several=several) for own in parts.values()])


_INPUTS = ("expected_iops_per_tb", "peak_iops_per_tb", "absolute_min_iops")


def _limits(rows: list[Row], *, several: bool) -> Answer:
    last = max(rows, key=lambda row: row["size_tb"])
    policy, reading_ = last["policy"], last["reading"]
    below = sum(row["note"] is not None for row in rows)
    sizes = f"{below} size{'' if below == 1 else 's'}"
    conditions = where_conditions(
        ("ceiling_iops", last["ceiling_iops"], "1/s"),
        ("size_tb", last["size_tb"], "TB"),
        *((name, last[name], "1/s") for name in _INPUTS),
        ("volumes", float(last["volumes"]) if last["volumes"] > 1 else None, "1"),
    )
    key = (("policy", policy), ("reading", reading_ if several else None))
    return QOS_FLOOR.answer(
        "iops",
        Subject(policy, key),
        last["floor_iops"],
        conditions=conditions,
        cautions=(caution("ceiling_below_floor", of=policy, sizes=sizes),) if below else (),
    )
