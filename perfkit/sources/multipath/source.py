"""The declaration of the listings of multipath."""

from __future__ import annotations

from perfkit.sources.multipath.read import TABLES, is_multipath, read_multipath
from perfkit.sources.source import Keys, Reported, Source

SOURCES = (
    Source(
        "multipath",
        is_multipath,
        read_multipath,
        "multipath -ll of Linux",
        tables=TABLES,
        table="multipath_paths",
        keys=Keys(row=("source", "line"), series=("source",)),
        reported=Reported(joins=("oracle", "oracle_series", "oracle_pair")),
        leading={
            "multipath_paths": ("map", "dm_device", "device", "dm_state", "path_state", "failed"),
        },
    ),
)
