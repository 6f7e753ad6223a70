"""Charts as values: plot_* takes analysed data and gives a Figure with caption and alt text."""

from perfkit.figures.compare import plot_differences
from perfkit.figures.compare_spread import plot_latency_histogram, plot_percentile_fans
from perfkit.figures.compare_time import plot_stalls
from perfkit.figures.curves import plot_latency_curve
from perfkit.figures.distributions import plot_latency_heatmap
from perfkit.figures.fan import plot_percentile_fan
from perfkit.figures.host_cpu import plot_cpu_by_load
from perfkit.figures.over_time import plot_host_series, plot_series
from perfkit.figures.reports import plot_reports
from perfkit.figures.scaling import plot_cpu, plot_scaling
from perfkit.figures.verdicts import plot_adaptive_qos, plot_headroom, plot_isolation
from perfkit.figures.waits import plot_top_events, plot_wait_histogram

__all__ = [
    "plot_adaptive_qos",
    "plot_cpu",
    "plot_cpu_by_load",
    "plot_differences",
    "plot_headroom",
    "plot_host_series",
    "plot_isolation",
    "plot_latency_curve",
    "plot_latency_heatmap",
    "plot_latency_histogram",
    "plot_percentile_fan",
    "plot_percentile_fans",
    "plot_reports",
    "plot_scaling",
    "plot_series",
    "plot_stalls",
    "plot_top_events",
    "plot_wait_histogram",
]
