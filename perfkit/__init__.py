"""Read, run, analyse and report storage benchmarks.

``import perfkit as pk`` costs nothing: each verb imports its module when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from perfkit._version import __version__

_HOME = {
    "Criterion": "perfkit.analysis.criteria",
    "Measured": "perfkit.lineage",
    "Reading": "perfkit.lineage",
    "curve_by_direction": "perfkit.analysis.directions",
    "drain_summary": "perfkit.analysis.cycles",
    "if_known": "perfkit.values",
    "iops_at_latency": "perfkit.analysis.capacity",
    "judge": "perfkit.analysis.judge",
    "knee": "perfkit.analysis.knee",
    "latency_curve": "perfkit.analysis.curves",
    "little_check": "perfkit.analysis.little",
    "named_workload": "perfkit.runners.workloads",
    "open_study": "perfkit.report.study",
    "peak": "perfkit.analysis.capacity",
    "plot_cpu": "perfkit.figures",
    "plot_host_series": "perfkit.figures",
    "plot_latency_curve": "perfkit.figures",
    "plot_latency_heatmap": "perfkit.figures",
    "plot_percentile_fan": "perfkit.figures",
    "plot_scaling": "perfkit.figures",
    "plot_top_events": "perfkit.figures",
    "plot_wait_histogram": "perfkit.figures",
    "read": "perfkit.parsers",
    "read_awr": "perfkit.parsers.awr",
    "read_fio": "perfkit.parsers.fio",
    "read_iostat": "perfkit.parsers.host.iostat",
    "read_mpstat": "perfkit.parsers.host.mpstat",
    "read_run": "perfkit.parsers.run_dir",
    "read_sar": "perfkit.parsers.host.sar",
    "read_slob": "perfkit.parsers.slob.run",
    "read_vmstat": "perfkit.parsers.host.vmstat",
    "run_sweep": "perfkit.runners.sweep",
    "say_cycles": "perfkit.statements",
    "say_host": "perfkit.statements",
    "say_iops_at_latency": "perfkit.statements",
    "say_knee": "perfkit.statements",
    "say_little": "perfkit.statements",
    "say_lowest_latency": "perfkit.statements",
    "say_peak": "perfkit.statements",
    "say_repeatability": "perfkit.statements",
    "say_verdict": "perfkit.statements",
    "show": "perfkit.values",
    "table_criteria": "perfkit.tables",
    "table_cycles": "perfkit.tables",
    "table_database_summary": "perfkit.tables_awr",
    "table_host": "perfkit.tables_run",
    "table_host_cpu": "perfkit.tables_awr",
    "table_instances": "perfkit.tables_awr",
    "table_io_profile": "perfkit.tables_awr",
    "table_little": "perfkit.tables",
    "table_load_points": "perfkit.tables",
    "table_percentiles": "perfkit.tables",
    "table_points": "perfkit.tables",
    "table_spec": "perfkit.tables_run",
    "table_summary": "perfkit.tables",
    "table_system_statistics": "perfkit.tables_awr",
    "table_top_events": "perfkit.tables_awr",
}

__all__ = [
    "Criterion",
    "Measured",
    "Reading",
    "__version__",
    "curve_by_direction",
    "drain_summary",
    "if_known",
    "iops_at_latency",
    "judge",
    "knee",
    "latency_curve",
    "little_check",
    "named_workload",
    "open_study",
    "peak",
    "plot_cpu",
    "plot_host_series",
    "plot_latency_curve",
    "plot_latency_heatmap",
    "plot_percentile_fan",
    "plot_scaling",
    "plot_top_events",
    "plot_wait_histogram",
    "read",
    "read_awr",
    "read_fio",
    "read_iostat",
    "read_mpstat",
    "read_run",
    "read_sar",
    "read_slob",
    "read_vmstat",
    "run_sweep",
    "say_cycles",
    "say_host",
    "say_iops_at_latency",
    "say_knee",
    "say_little",
    "say_lowest_latency",
    "say_peak",
    "say_repeatability",
    "say_verdict",
    "show",
    "table_criteria",
    "table_cycles",
    "table_database_summary",
    "table_host",
    "table_host_cpu",
    "table_instances",
    "table_io_profile",
    "table_little",
    "table_load_points",
    "table_percentiles",
    "table_points",
    "table_spec",
    "table_summary",
    "table_system_statistics",
    "table_top_events",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'perfkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
