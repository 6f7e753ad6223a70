"""SAS logs: jobs, runs, aggregates and steps."""

from perfkit.analysis.sas.answers import answers as answers
from perfkit.analysis.sas.answers import waiting_answers as waiting_answers
from perfkit.analysis.sas.contents import largest_written as largest_written
from perfkit.analysis.sas.contents import libraries as libraries
from perfkit.analysis.sas.contents import messages as messages
from perfkit.analysis.sas.jobs import JobTable as JobTable
from perfkit.analysis.sas.jobs import jobs as jobs
from perfkit.analysis.sas.log_answers import log_answers as log_answers
from perfkit.analysis.sas.log_answers import same_steps_answers as same_steps_answers
from perfkit.analysis.sas.logs import logs as logs
from perfkit.analysis.sas.same_steps import same_steps as same_steps
from perfkit.analysis.sas.same_steps import step_changes as step_changes
from perfkit.analysis.sas.steps import longest_steps as longest_steps
from perfkit.analysis.sas.steps import procedures as procedures
from perfkit.analysis.sas.steps import waiting_steps as waiting_steps
from perfkit.analysis.sas.time import concurrency as concurrency
from perfkit.analysis.sas.time import runs as runs
from perfkit.analysis.sas.time import throughput as throughput
from perfkit.analysis.sas.workload import aggregates as aggregates
from perfkit.analysis.sas.workload import differences as differences
from perfkit.analysis.sas.workload import means as means
from perfkit.analysis.sas.workload import ratios as ratios
from perfkit.showing.figures.sas import plot_classes as plot_classes
from perfkit.showing.figures.sas import plot_concurrency as plot_concurrency
from perfkit.showing.figures.sas import plot_procedures as plot_procedures
from perfkit.showing.figures.sas import plot_ratios as plot_ratios
from perfkit.showing.figures.sas import plot_throughput as plot_throughput
from perfkit.showing.tables.sas import table_aggregates as table_aggregates
from perfkit.showing.tables.sas import table_differences as table_differences
from perfkit.showing.tables.sas import table_longest as table_longest
from perfkit.showing.tables.sas import table_procedures as table_procedures
from perfkit.showing.tables.sas import table_ratios as table_ratios
from perfkit.showing.tables.sas import table_runs as table_runs
from perfkit.showing.tables.sas import table_waiting as table_waiting
from perfkit.showing.tables.sas_logs import table_libraries as table_libraries
from perfkit.showing.tables.sas_logs import table_logs as table_logs
from perfkit.showing.tables.sas_logs import table_messages as table_messages
from perfkit.showing.tables.sas_logs import table_step_changes as table_step_changes
from perfkit.showing.tables.sas_logs import table_written as table_written

__all__: list[str]
