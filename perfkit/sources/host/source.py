"""What is to be known of the recordings of a host's own tools."""

from __future__ import annotations

from functools import partial

from perfkit.core.schema import RUN_HOST, Schema
from perfkit.sources.host.columns import AVERAGES, HOST_SERIES, RESTARTS, TABLES
from perfkit.sources.host.iostat import is_iostat, read_iostat
from perfkit.sources.host.mpstat import is_mpstat, read_mpstat
from perfkit.sources.host.sar import is_sar, read_sar
from perfkit.sources.host.vmstat import is_vmstat, read_vmstat
from perfkit.sources.source import HISTORY, Series, Source

_SAR = ("cpu", "devices", "io", "memory")

_recorded = partial(
    Source,
    table="host_series",
    row_key=("source", "host", "sample"),
    series_key=HISTORY,
    time="time",
    series={"host_series": Series(("host",)), "devices": Series(("device",))},
    joins=("sas_workload",),
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
        (".out",),
        tables=_tables("devices", "cpu"),
    ),
    _recorded(
        "vmstat", is_vmstat, read_vmstat, "vmstat of procps", (".out",), tables=_tables("samples")
    ),
    # before sar, which prints the same heads
    _recorded(
        "mpstat",
        is_mpstat,
        read_mpstat,
        "mpstat of sysstat (text or JSON)",
        (".out",),
        tables=_tables("cpu", cpu_average=AVERAGES["cpu"]),
    ),
    _recorded(
        "sar",
        is_sar,
        read_sar,
        "sar, or sadf -d or -j, of sysstat",
        (".sar", ".csv"),
        tables=_tables(*_SAR, restarts=RESTARTS, **{f"{n}_average": AVERAGES[n] for n in _SAR}),
    ),
)
