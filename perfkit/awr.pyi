"""Oracle AWR and Statspack reports."""

from perfkit.analysis.awr.reports import report_overview as report_overview
from perfkit.analysis.awr.waits import main_io_event as main_io_event
from perfkit.analysis.compare.report_changes import report_changes as report_changes
from perfkit.analysis.compare.report_pair import report_pair as report_pair
from perfkit.analysis.curves.event_latency import event_latency as event_latency
from perfkit.analysis.curves.event_latency import load_points_with_event as load_points_with_event
from perfkit.analysis.verdicts.report_verdicts import judge_reports as judge_reports
from perfkit.showing.figures import plot_reports as plot_reports
from perfkit.showing.figures import plot_top_events as plot_top_events
from perfkit.showing.figures import plot_wait_histogram as plot_wait_histogram
from perfkit.showing.tables.awr import table_database_summary as table_database_summary
from perfkit.showing.tables.awr import table_host_cpu as table_host_cpu
from perfkit.showing.tables.awr import table_instance_activity as table_instance_activity
from perfkit.showing.tables.awr import table_instances as table_instances
from perfkit.showing.tables.awr import table_io_by_function as table_io_by_function
from perfkit.showing.tables.awr import table_io_profile as table_io_profile
from perfkit.showing.tables.awr import table_load_profile as table_load_profile
from perfkit.showing.tables.awr import table_parameters as table_parameters
from perfkit.showing.tables.awr import table_system_statistics as table_system_statistics
from perfkit.showing.tables.awr import table_top_events as table_top_events
from perfkit.showing.tables.awr import table_wait_classes as table_wait_classes
from perfkit.showing.tables.awr_set import table_iops_source as table_iops_source
from perfkit.showing.tables.awr_set import table_reports as table_reports
from perfkit.showing.tables.awr_storage import table_buffer_pools as table_buffer_pools
from perfkit.showing.tables.awr_storage import table_memory as table_memory
from perfkit.showing.tables.awr_storage import table_memory_advice as table_memory_advice
from perfkit.showing.tables.awr_storage import table_pga as table_pga
from perfkit.showing.tables.awr_storage import table_recovery as table_recovery
from perfkit.showing.tables.awr_storage import table_redo_log as table_redo_log
from perfkit.showing.tables.awr_storage import table_segments as table_segments
from perfkit.showing.tables.report_pair import tables_report_pair as tables_report_pair

__all__: list[str]
