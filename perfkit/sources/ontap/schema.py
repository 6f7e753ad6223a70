"""The tables of ``read_ontap_qos``. ONTAP's KB, MB, GB and TB are binary: 1 TB is 1024 GB."""

from __future__ import annotations

import polars as pl

from perfkit.core.schema import Field, Schema

_LINE = Field(pl.Int64, None, "line of the file")

ADAPTIVE_POLICIES: Schema = {
    "policy": Field(pl.String, None, "name of the adaptive policy group"),
    "vserver": Field(pl.String, None, "data or cluster Vserver"),
    "origin": Field(
        pl.String, None, "show (the cluster printed it), create or modify (a command asked for it)"
    ),
    "workloads": Field(pl.Int64, None, "workloads in it"),
    "expected_iops": Field(pl.Float64, None, "number as printed, in expected_unit"),
    "expected_unit": Field(pl.String, None, "IOPS/TB or IOPS/GB"),
    "expected_unit_origin": Field(pl.String, None, "printed, or default (TB where none is given)"),
    "expected_iops_per_tb": Field(pl.Float64, "1/s per TB", "derived: IOPS/GB x 1024"),
    "peak_iops": Field(pl.Float64, None, "number as printed, in peak_unit"),
    "peak_unit": Field(pl.String, None, "IOPS/TB or IOPS/GB"),
    "peak_unit_origin": Field(pl.String, None, "printed, or default"),
    "peak_iops_per_tb": Field(pl.Float64, "1/s per TB", "derived: IOPS/GB x 1024"),
    "absolute_min_iops": Field(pl.Float64, "1/s", "absolute minimum; null: not printed"),
    "expected_allocation": Field(
        pl.String, None, "allocated-space or used-space; null: not printed"
    ),
    "peak_allocation": Field(pl.String, None, "allocated-space or used-space; null: not printed"),
    "block_size": Field(pl.String, None, "8K, 16K, 32K, 64K or ANY; null: not printed"),
    "line": _LINE,
}
"""One row an adaptive policy group as shown, or as a command asks for it."""

FIXED_POLICIES: Schema = {
    "policy": ADAPTIVE_POLICIES["policy"],
    "vserver": ADAPTIVE_POLICIES["vserver"],
    "origin": ADAPTIVE_POLICIES["origin"],
    "policy_class": Field(pl.String, None, "user-defined, preset, system-defined ..."),
    "workloads": ADAPTIVE_POLICIES["workloads"],
    "min_iops": Field(pl.Float64, "1/s", "floor; null: none printed"),
    "max_iops": Field(pl.Float64, "1/s", "ceiling; null: none (INF)"),
    "min_bytes_per_s": Field(pl.Float64, "bytes/s", "floor"),
    "max_bytes_per_s": Field(pl.Float64, "bytes/s", "ceiling"),
    "is_shared": Field(pl.Boolean, None, "whether its workloads share the limits"),
    "line": _LINE,
}
"""One row a policy group with fixed limits (``qos policy-group show``)."""

ASSIGNMENTS: Schema = {
    "vserver": ADAPTIVE_POLICIES["vserver"],
    "volume": Field(pl.String, None, "volume, or pattern of volumes, as given"),
    "policy": Field(pl.String, None, "policy group; null: none (the assignment is taken away)"),
    "adaptive": Field(pl.Boolean, None, "whether an adaptive policy group was named"),
    "line": _LINE,
}
"""One row a ``volume modify`` (or ``create``) that names a policy group."""

QOS_COMMANDS: Schema = {
    "command": Field(pl.String, None, "verbs, such as qos adaptive-policy-group modify"),
    "option": Field(pl.String, None, "option without its dash"),
    "value": Field(pl.String, None, "as given; null: without a value"),
    "line": _LINE,
}
"""One row an option of each command that was read."""

LATENCY_PARTS = (
    "network", "cluster", "data", "disk", "qos", "qos_max", "qos_min", "nvram", "cloud",
    "flexcache", "sm_sync", "va", "avscan",
)  # fmt: skip
"""Where ``qos statistics ... latency show`` puts the time (N-Blade is network, D-Blade data)."""

QOS_STATISTICS: Schema = {
    "view": Field(
        pl.String, None, "performance, latency, characteristics or workload (statistics)"
    ),
    "scope": Field(pl.String, None, "policy group, or workload (with volumes and files)"),
    "iteration": Field(pl.Int64, None, "number of the display within its command, from 1"),
    "started_at": Field(pl.Datetime("us"), None, "time of the iteration, where one is printed"),
    "name": Field(pl.String, None, "policy group or workload; -total- for all"),
    "id": Field(pl.Int64, None, "workload ID; null: none printed"),
    "is_total": Field(pl.Boolean, None, "the row over all workloads, not one of them"),
    "iops": Field(pl.Float64, "1/s", "operations per second"),
    "read_iops": Field(pl.Float64, "1/s", "reads per second"),
    "write_iops": Field(pl.Float64, "1/s", "writes per second"),
    "other_iops": Field(pl.Float64, "1/s", "other operations per second"),
    "bw_bytes_per_s": Field(pl.Float64, "bytes/s", "throughput (KB and MB are binary)"),
    "read_bytes_per_s": Field(pl.Float64, "bytes/s", "read throughput"),
    "write_bytes_per_s": Field(pl.Float64, "bytes/s", "write throughput"),
    "latency_s": Field(pl.Float64, "s", "mean latency per operation"),
    **{
        f"latency_{part}_s": Field(pl.Float64, "s", f"part of the latency: {part}")
        for part in LATENCY_PARTS
    },
    "request_size_bytes": Field(pl.Float64, "bytes", "mean request"),
    "read_ratio": Field(pl.Float64, None, "share of reads"),
    "concurrency": Field(pl.Float64, None, "operations in flight as ONTAP counts them"),
    "is_adaptive": Field(pl.Boolean, None, "whether the policy group is adaptive"),
    "line": _LINE,
}
"""One row a workload (or policy group) and iteration; what the view does not print is null."""
