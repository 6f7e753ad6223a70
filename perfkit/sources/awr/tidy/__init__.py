"""A raw table and its section to columns of our tables: the one implementation for every form."""

from __future__ import annotations

from collections.abc import Callable

from perfkit.sources.awr.tidy.activity import (
    read_addm,
    read_ash_activity,
    read_cells,
    read_efficiency,
    read_named_values,
    read_service_waits,
    read_transfers,
    read_undo,
)
from perfkit.sources.awr.tidy.context import Context, Data, Found, UnreadError, size_of
from perfkit.sources.awr.tidy.disk import (
    read_file_histogram,
    read_files,
    read_function_filetype,
    read_io,
)
from perfkit.sources.awr.tidy.histogram import read_histogram
from perfkit.sources.awr.tidy.host import (
    read_host_cpu,
    read_instance_cpu,
    read_memory,
    read_os_statistics,
)
from perfkit.sources.awr.tidy.profiles import read_io_profile, read_load_profile
from perfkit.sources.awr.tidy.rows import (
    read_activity,
    read_columns,
    read_detail,
    read_parameters,
    read_system,
)
from perfkit.sources.awr.tidy.statements import read_global_sql, read_sql
from perfkit.sources.awr.tidy.take import is_instance, take
from perfkit.sources.awr.tidy.wide import (
    Unpivoted,
    read_absolute,
    read_nodes,
    read_rac_caches,
    read_rac_pga,
    read_wide_io,
)

__all__ = [
    "READERS", "Context", "Data", "Found", "UnreadError", "is_instance", "size_of", "take",
]  # fmt: skip

READERS: dict[str, Callable[[Found], dict[str, Data]]] = {
    "columns": read_columns,
    "load_profile": read_load_profile,
    "io_profile": read_io_profile,
    "activity": read_activity,
    "absolute": read_absolute,
    "rac_caches": read_rac_caches,
    "rac_pga": read_rac_pga,
    "times": Unpivoted("time_model", "statistic", "time_s"),
    "time_shares": Unpivoted("time_model", "statistic", "db_time_ratio", 100),
    "class_times": Unpivoted("wait_classes", "wait_class", "total_wait_s", scope="foreground"),
    "class_shares": Unpivoted(
        "wait_classes", "wait_class", "db_time_ratio", 100, scope="foreground"
    ),
    "os_statistics": read_os_statistics,
    "nodes": read_nodes,
    "host_cpu": read_host_cpu,
    "instance_cpu": read_instance_cpu,
    "memory": read_memory,
    "detail": read_detail,
    "histogram": read_histogram,
    "system": read_system,
    "io": read_io,
    "function_filetype": read_function_filetype,
    "files": read_files,
    "file_histogram": read_file_histogram,
    "wide_io": read_wide_io,
    "sql": read_sql,
    "global_sql": read_global_sql,
    "parameters": read_parameters,
    "ash_activity": read_ash_activity,
    "service_waits": read_service_waits,
    "undo": read_undo,
    "addm": read_addm,
    "efficiency": read_efficiency,
    "cells": read_cells,
    "transfers": read_transfers,
    "named_values": read_named_values,
}
"""How each kind of section is read; the head of the report is read by ``head``."""
