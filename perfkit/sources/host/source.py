"""The declaration of the recordings of a host's own tools."""

from __future__ import annotations

from collections.abc import Callable

from perfkit.core.lineage import Reading
from perfkit.core.schema import Schema
from perfkit.sources.host.columns import HOST_SERIES, RESTARTS, TABLES
from perfkit.sources.host.iostat import is_iostat, read_iostat
from perfkit.sources.host.mpstat import is_mpstat, read_mpstat
from perfkit.sources.host.sar import is_sar, read_sar
from perfkit.sources.host.vmstat import is_vmstat, read_vmstat
from perfkit.sources.rundir.schema import RUN_HOST
from perfkit.sources.source import HISTORY, Keys, Reported, Series, Source

_LEADING = {
    "devices": (
        "sample", "device", "read_iops", "read_bytes_per_s", "read_await_s", "write_iops",
        "write_bytes_per_s", "write_await_s", "busy_ratio",
    ),
    "cpu": (
        "sample", "cpu", "user_ratio", "usr_ratio", "system_ratio", "sys_ratio", "iowait_ratio",
        "idle_ratio",
    ),
    "host_series": (
        "host", "sample", "t_s", "cpu_busy_ratio", "disk_read_iops", "disk_write_iops",
    ),
}  # fmt: skip


def _recorded(
    name: str,
    sniff: Callable[[str], bool],
    read: Callable[..., Reading],
    description: str,
    tables: dict[str, Schema],
) -> Source:
    """A tool's recording; of its tables those columns come first that people look at."""
    return Source(
        name,
        sniff,
        read,
        description,
        tables=tables,
        table="host_series",
        keys=Keys(row=("source", "host", "sample"), series=HISTORY),
        time="time",
        series={"host_series": Series(("host",)), "devices": Series(("device",))},
        reported=Reported(joins=("sas_workload", "oracle", "oracle_series", "oracle_pair")),
        leading={name: columns for name, columns in _LEADING.items() if name in tables},
    )


def _tables(*names: str, **more: Schema) -> dict[str, Schema]:
    """Its own tables, and those of every recording."""
    own = {name: TABLES[name] for name in names}
    return {**own, **more, "host_series": HOST_SERIES, "host": RUN_HOST}


SOURCES = (
    _recorded(
        "iostat",
        is_iostat,
        read_iostat,
        "iostat of sysstat (text or JSON)",
        _tables("devices", "cpu"),
    ),
    _recorded("vmstat", is_vmstat, read_vmstat, "vmstat of procps", tables=_tables("samples")),
    # before sar, which prints the same heads
    _recorded(
        "mpstat",
        is_mpstat,
        read_mpstat,
        "mpstat of sysstat (text or JSON)",
        tables=_tables("cpu"),
    ),
    _recorded(
        "sar",
        is_sar,
        read_sar,
        "sar, or sadf -d or -j, of sysstat",
        tables=_tables("cpu", "devices", "io", "host_memory", restarts=RESTARTS),
    ),
)
