"""SAS logs: jobs, runs, aggregates and steps."""

from perfkit.analysis.sas.answers import answers as answers
from perfkit.analysis.sas.answers import waiting_answers as waiting_answers
from perfkit.analysis.sas.jobs import JobTable as JobTable
from perfkit.analysis.sas.jobs import jobs as jobs
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
from perfkit.showing.figures.sas import plot_ratios as plot_ratios
from perfkit.showing.figures.sas import plot_throughput as plot_throughput
from perfkit.showing.tables.sas import table_aggregates as table_aggregates
from perfkit.showing.tables.sas import table_differences as table_differences
from perfkit.showing.tables.sas import table_longest as table_longest
from perfkit.showing.tables.sas import table_procedures as table_procedures
from perfkit.showing.tables.sas import table_ratios as table_ratios
from perfkit.showing.tables.sas import table_runs as table_runs
from perfkit.showing.tables.sas import table_waiting as table_waiting

__all__: list[str]
