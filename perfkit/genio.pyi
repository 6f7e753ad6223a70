"""GenIO, Epic's load generator: runs of several servers."""

from perfkit.analysis.genio.cluster import cluster_load_points as cluster_load_points
from perfkit.analysis.genio.cluster import cluster_totals as cluster_totals
from perfkit.analysis.verdicts.headroom import headroom as headroom
from perfkit.analysis.verdicts.headroom import last_pass as last_pass
from perfkit.analysis.verdicts.isolation import isolation as isolation
from perfkit.analysis.verdicts.isolation import isolation_by_config as isolation_by_config
from perfkit.showing.figures import plot_headroom as plot_headroom
from perfkit.showing.figures import plot_isolation as plot_isolation
from perfkit.showing.figures.genio import plot_runs as plot_runs
from perfkit.showing.tables.genio import table_cluster_totals as table_cluster_totals
from perfkit.showing.tables.genio import table_commands as table_commands
from perfkit.showing.tables.genio import table_runs as table_runs
from perfkit.showing.tables.verdicts import table_headroom as table_headroom
from perfkit.showing.tables.verdicts import table_isolation as table_isolation
from perfkit.showing.tables.verdicts import table_server_verdicts as table_server_verdicts

__all__: list[str]
