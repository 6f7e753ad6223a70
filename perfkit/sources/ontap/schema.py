"""The tables of ``read_ontap_qos``. ONTAP's KB, MB, GB and TB are binary: 1 TB is 1024 GB."""

from __future__ import annotations

from perfkit.core.schema import Schema, flag, moment, number, text, whole

_LINE = whole("line of the file")

ADAPTIVE_POLICIES: Schema = {
    "policy": text("name of the adaptive policy group"),
    "vserver": text("data or cluster Vserver"),
    "origin": text("show (the cluster printed it), create or modify (a command asked for it)"),
    "workloads": whole("workloads in it"),
    "expected_iops": number("number as printed, in expected_unit"),
    "expected_unit": text("IOPS/TB or IOPS/GB"),
    "expected_unit_origin": text("printed, or default (TB where none is given)"),
    "expected_iops_per_tb": number("derived: IOPS/GB x 1024", "1/s per TB"),
    "peak_iops": number("number as printed, in peak_unit"),
    "peak_unit": text("IOPS/TB or IOPS/GB"),
    "peak_unit_origin": text("printed, or default"),
    "peak_iops_per_tb": number("derived: IOPS/GB x 1024", "1/s per TB"),
    "absolute_min_iops": number("absolute minimum; null: not printed", "1/s"),
    "expected_allocation": text("allocated-space or used-space; null: not printed"),
    "peak_allocation": text("allocated-space or used-space; null: not printed"),
    "block_size": text("8K, 16K, 32K, 64K or ANY; null: not printed"),
    "line": _LINE,
}
"""One row an adaptive policy group as shown, or as a command asks for it."""

FIXED_POLICIES: Schema = {
    "policy": ADAPTIVE_POLICIES["policy"],
    "vserver": ADAPTIVE_POLICIES["vserver"],
    "origin": ADAPTIVE_POLICIES["origin"],
    "policy_class": text("user-defined, preset, system-defined ..."),
    "workloads": ADAPTIVE_POLICIES["workloads"],
    "min_iops": number("floor; null: none printed", "1/s"),
    "max_iops": number("ceiling; null: none (INF)", "1/s"),
    "min_bytes_per_s": number("floor", "bytes/s"),
    "max_bytes_per_s": number("ceiling", "bytes/s"),
    "is_shared": flag("whether its workloads share the limits"),
    "line": _LINE,
}
"""One row a policy group with fixed limits (``qos policy-group show``)."""

ASSIGNMENTS: Schema = {
    "vserver": ADAPTIVE_POLICIES["vserver"],
    "volume": text("volume, or pattern of volumes, as given"),
    "path": text("file or LUN that alone is given the policy; null: the whole volume"),
    "policy": text("policy group; null: none (the assignment is taken away)"),
    "adaptive": flag("whether an adaptive policy group was named"),
    "line": _LINE,
}
"""One row a command on a volume, file or LUN that names a policy group."""

QOS_COMMANDS: Schema = {
    "command": text("verbs, such as qos adaptive-policy-group modify"),
    "option": text("option without its dash"),
    "value": text("as given; null: without a value"),
    "line": _LINE,
}
"""One row an option of each command that was read."""

LATENCY_PARTS = (
    "network", "cluster", "data", "disk", "qos", "qos_max", "qos_min", "nvram", "cloud",
    "flexcache", "sm_sync", "va", "avscan",
)  # fmt: skip
"""Where ``qos statistics ... latency show`` puts the time (N-Blade is network, D-Blade data)."""

QOS_STATISTICS: Schema = {
    "view": text("performance, latency, characteristics or workload (statistics)"),
    "scope": text("policy group, or workload (with volumes and files)"),
    "sample": whole("number of the display in the file, from 1"),
    "iteration": whole("number of the display within its command, from 1"),
    "started_at": moment("time of the iteration, where one is printed"),
    "name": text("policy group or workload; -total- for all"),
    "id": whole("workload ID; null: none printed"),
    "is_total": flag("the row over all workloads, not one of them"),
    "iops": number("operations per second", "1/s"),
    "read_iops": number("reads per second", "1/s"),
    "write_iops": number("writes per second", "1/s"),
    "other_iops": number("other operations per second", "1/s"),
    "bw_bytes_per_s": number("throughput (KB and MB are binary)", "bytes/s"),
    "read_bytes_per_s": number("read throughput", "bytes/s"),
    "write_bytes_per_s": number("write throughput", "bytes/s"),
    "latency_s": number("mean latency per operation", "s"),
    **{f"latency_{part}_s": number(f"part of the latency: {part}", "s") for part in LATENCY_PARTS},
    "request_size_bytes": number("mean request", "bytes"),
    "read_ratio": number("share of reads"),
    "concurrency": number("operations in flight as ONTAP counts them"),
    "is_adaptive": flag("whether the policy group is adaptive"),
    "line": _LINE,
}
"""One row a workload (or policy group) and iteration; what the view does not print is null."""
