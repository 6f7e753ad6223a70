"""What is to be known of the recordings of a host's own tools."""

from __future__ import annotations

from functools import partial

from perfkit.sources.host.iostat import is_iostat, read_iostat
from perfkit.sources.host.mpstat import is_mpstat, read_mpstat
from perfkit.sources.host.sar import is_sar, read_sar
from perfkit.sources.host.vmstat import is_vmstat, read_vmstat
from perfkit.sources.source import HISTORY, Source

_recorded = partial(
    Source,
    table="host_series",
    row_key=("source", "host", "sample"),
    series_key=HISTORY,
    time="time",
)

SOURCES = (
    _recorded("iostat", is_iostat, read_iostat, "iostat of sysstat (text or JSON)", (".out",)),
    _recorded("vmstat", is_vmstat, read_vmstat, "vmstat of procps", (".out",)),
    # before sar, which prints the same heads
    _recorded("mpstat", is_mpstat, read_mpstat, "mpstat of sysstat (text or JSON)", (".out",)),
    _recorded("sar", is_sar, read_sar, "sar, or sadf -d or -j, of sysstat", (".sar", ".csv")),
)
