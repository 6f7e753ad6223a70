"""ONTAP: adaptive QoS policies."""

from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos as adaptive_qos
from perfkit.analysis.verdicts.adaptive_qos import default_policies as default_policies
from perfkit.analysis.verdicts.adaptive_qos import qos_limits as qos_limits
from perfkit.analysis.verdicts.adaptive_qos import qos_policy as qos_policy
from perfkit.showing.figures import plot_adaptive_qos as plot_adaptive_qos
from perfkit.showing.figures.growth import growth_figures as growth_figures
from perfkit.showing.tables.verdicts import table_adaptive_qos as table_adaptive_qos

__all__: list[str]
