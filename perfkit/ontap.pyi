"""ONTAP: adaptive QoS policies."""

from perfkit.analysis.verdicts.adaptive_qos import adaptive_qos as _adaptive_qos
from perfkit.analysis.verdicts.adaptive_qos import default_policies as _default_policies
from perfkit.analysis.verdicts.adaptive_qos import qos_limits as _qos_limits
from perfkit.showing.figures.verdicts import plot_adaptive_qos as _plot_adaptive_qos
from perfkit.showing.chapters import growth_figures as _growth_figures
from perfkit.showing.tables.verdicts import table_adaptive_qos as _table_adaptive_qos

__all__: list[str]
# Written by `make api`, from here to the end.
from collections.abc import Mapping
from collections.abc import Sequence
from perfkit.analysis.verdicts.adaptive_qos import Means
from perfkit.core.lineage import Measured
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import Figure
from perfkit.core.values import Table
from typing import Any

def adaptive_qos(policies: Measured | Unanswered, policy: str | Unanswered, *, to_tb: float, points: int=21, allocated_tb: float | None=None, volumes: int=1, readings: Sequence[Means]=..., absolute_min_iops: float | None=None) -> Measured | Unanswered: ...
def default_policies() -> Measured: ...
def qos_limits(growth: Measured | Unanswered) -> Measured | Unanswered: ...
def plot_adaptive_qos(growth: Measured | Unanswered) -> Figure | Unanswered: ...
def growth_figures(policies: Measured | Unanswered, asked: str | None | Unanswered, documents: Mapping[str, Measured | Unanswered] | Unanswered=...) -> list[Any] | Unanswered: ...
def table_adaptive_qos(growth: Measured | Unanswered) -> Table | Unanswered: ...
