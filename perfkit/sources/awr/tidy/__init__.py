"""A raw table and its section to columns of our tables: the one implementation for every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.sources.awr.tidy.context import Context, Data, UnreadError, size_of, where
from perfkit.sources.awr.tidy.disk import read_files, read_function_filetype, read_io
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
from perfkit.sources.awr.tidy.statements import read_sql
from perfkit.sources.awr.tidy.take import is_instance, levelled, take
from perfkit.sources.awr.tidy.wide import (
    long_form,
    read_absolute,
    read_class_shares,
    read_class_times,
    read_nodes,
    read_rac_caches,
    read_rac_pga,
    read_time_shares,
    read_times,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.sources.awr.raw import RawTable
    from perfkit.sources.awr.sections import Section

__all__ = [
    "READERS", "Context", "Data", "UnreadError", "is_instance", "levelled", "long_form", "size_of",
    "take", "where",
]  # fmt: skip

READERS: dict[str, Callable[[RawTable, Section, Context], dict[str, Data]]] = {
    "columns": read_columns,
    "load_profile": read_load_profile,
    "io_profile": read_io_profile,
    "activity": read_activity,
    "absolute": read_absolute,
    "rac_caches": read_rac_caches,
    "rac_pga": read_rac_pga,
    "times": read_times,
    "time_shares": read_time_shares,
    "class_times": read_class_times,
    "class_shares": read_class_shares,
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
    "sql": read_sql,
    "parameters": read_parameters,
}
"""How each kind of section is read; the head of the report is read by ``head``."""
