"""Charts as values: plot_* takes analysed data and gives a Figure with caption and alt text."""

from perfkit.showing.figures.compare import plot_differences
from perfkit.showing.figures.compare_time import plot_log_rates, plot_stalls
from perfkit.showing.figures.curves import plot_latency_curve
from perfkit.showing.figures.distributions import (
    plot_latency_heatmap,
    plot_latency_histogram,
    plot_percentile_fan,
)
from perfkit.showing.figures.grid import plot_load_grid
from perfkit.showing.figures.host_cpu import plot_cpu_by_load
from perfkit.showing.figures.over_time import plot_host_series
from perfkit.showing.figures.periods.histograms import plot_histogram_over_time, plot_latency_bands
from perfkit.showing.figures.periods.over_time import plot_periods
from perfkit.showing.figures.periods.sessions import plot_sessions_over_time
from perfkit.showing.figures.report_pair import plot_report_pair
from perfkit.showing.figures.reports import plot_db_time, plot_reports, plot_wait_histogram
from perfkit.showing.figures.test_bed import plot_test_bed
from perfkit.showing.figures.verdicts import plot_adaptive_qos, plot_headroom, plot_isolation

__all__ = [
    "plot_adaptive_qos",
    "plot_cpu",
    "plot_cpu_by_load",
    "plot_db_time",
    "plot_differences",
    "plot_headroom",
    "plot_histogram_over_time",
    "plot_host_series",
    "plot_isolation",
    "plot_latency_bands",
    "plot_latency_curve",
    "plot_latency_heatmap",
    "plot_latency_histogram",
    "plot_load_grid",
    "plot_log_rates",
    "plot_percentile_fan",
    "plot_periods",
    "plot_report_pair",
    "plot_reports",
    "plot_scaling",
    "plot_sessions_over_time",
    "plot_stalls",
    "plot_test_bed",
    "plot_wait_histogram",
]
from perfkit.showing.figures.scaling import plot_cpu, plot_scaling
