"""The declaration of tables copied from documents."""

from __future__ import annotations

from perfkit.sources.printed.read import CELLS, is_printed, read_printed
from perfkit.sources.source import Keys, Reported, Source

SOURCES = (
    Source(
        "printed",
        is_printed,
        read_printed,
        "table copied from a document (CSV)",
        tables={"*": CELLS},
        keys=Keys(
            row=("source", "table_id", "part", "row", "column"), series=("source", "table_id")
        ),
        reported=Reported(joins=("epic_genio", "iris_ranread", "sas_workload")),
        is_copied=True,
    ),
)
