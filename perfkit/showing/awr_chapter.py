"""A chapter of tables of AWR and Statspack reports: what a report lacks is one line below them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import AnalysisError, did_you_mean
from perfkit.core.lineage import step
from perfkit.core.unanswered import Unanswered, answering, takes_unanswered
from perfkit.core.values import Table
from perfkit.showing.display import numbered, of_reports, show
from perfkit.showing.tables import awr, awr_set, awr_storage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfkit.core.lineage import Measured

_MADE: dict[str, Callable[..., Table]] = {
    "report": awr.table_database_summary, "instances": awr.table_instances,
    "system_statistics": awr.table_system_statistics, "load_profile": awr.table_load_profile,
    "io_profile": awr.table_io_profile, "iops_source": awr_set.table_iops_source,
    "io_by_function": awr.table_io_by_function,
    "instance_activity": awr.table_instance_activity, "host_cpu": awr.table_host_cpu,
    "memory": awr_storage.table_memory, "pga": awr_storage.table_pga,
    "buffer_pools": awr_storage.table_buffer_pools,
    "memory_advice": awr_storage.table_memory_advice, "redo_log": awr_storage.table_redo_log,
    "instance_recovery": awr_storage.table_recovery, "segments": awr_storage.table_segments,
    "top_events": awr.table_top_events, "wait_classes": awr.table_wait_classes,
    "parameters": awr.table_parameters,
}  # fmt: skip
"""What shows each table of a reading."""


@takes_unanswered
def show_tables(reading: Any, *names: str, attached: Sequence[str] = ()) -> None:
    """Show tables of each report, one after another, and last what a report does not have.

    Args:
        reading: One or more AWR or Statspack reports.
        names: Tables of the reading, in order.
        attached: More of them, which are attached to the report and not printed. So are the rows
            of the instances of a long table that has rows of the cluster, and of several reports
            all tables but ``OF_EACH``.

    Raises:
        AnalysisError: A table that has no form for print.
    """
    lacking: dict[str | None, list[str]] = {}
    for name in (*names, *attached):
        if name not in _MADE:
            raise AnalysisError(f"no table {name!r}; {did_you_mean(name, list(_MADE))}")
        verb = answering(_MADE[name])
        each = list(of_reports(reading, name))
        detail = name in attached or (len(each) > 1 and name not in OF_EACH)
        for number, (of, given) in enumerate(each, 1):
            whole, every = _whole(name, given[0])
            value: Any = verb(whole)
            if isinstance(value, Unanswered) and value.lacks:
                lacking.setdefault(of, []).append(value.lacks)
                continue
            if isinstance(value, Table) and (detail or _told(name, value)):
                value = _attached(value)
            shown = [value]
            if every is not None and isinstance(value, Table):
                caption = f"{value.caption.removesuffix('.')}, of each instance."
                of_each = verb(every, value_id=f"{value.id}-each", caption=caption)
                shown.append(_attached(of_each))
            show([item if of is None else numbered(item, number, of) for item in shown])
    for of, things in lacking.items():
        words = " and no ".join(filter(None, [", no ".join(things[:-1]), things[-1]]))
        show(Unanswered(f"the report has no {words}", of=of, lacks=words))


OF_EACH = frozenset({"top_events", "io_by_function"})
"""Tables that are printed of each of several reports: what it waited for, and what did its I/O."""

OF_INSTANCES = frozenset({"wait_classes", "io_by_function"})
"""Tables with rows of the cluster and, below them, the same of each instance."""

MOST_OF_INSTANCES = 24
"""Rows of a cluster and its instances that are printed together."""


def _whole(name: str, data: Measured | Unanswered) -> tuple[Any, Measured | None]:
    """What is printed of a table, and what is attached: of many rows those of the instances."""
    if isinstance(data, Unanswered) or name not in OF_INSTANCES:
        return data, None
    of_cluster = data.filter(level="cluster")
    if data.frame.height <= MOST_OF_INSTANCES or of_cluster.frame.is_empty():
        return data, None
    return of_cluster, data


def _told(name: str, table: Table) -> bool:
    """Whether another table tells the same: of one instance the load profile does."""
    return name == "system_statistics" and len(table.rows) == 1


@step(version=1, name="table.attached")
def _attached(table: Table) -> Table:
    return replace(table, detail=True)
