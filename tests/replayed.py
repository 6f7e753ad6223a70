"""Every value of an executed notebook, made again from the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perfkit.core.evidence import Lineage
from perfkit.core.values import MIME
from perfkit.exploring.tracing import Trace
from perfkit.reporting.document.lineages import Lineages


def lineages_of(node) -> list[tuple[str, Lineage]]:
    """Those of all values in an executed notebook, with the values' ids."""
    stored = Lineages(node.metadata)
    records = [
        output["data"][mime]
        for cell in node.cells
        for output in cell.get("outputs", [])
        for mime in MIME.values()
        if mime in output.get("data", {}) and "lineage" in output["data"][mime]
    ]
    return [(record["id"], stored.of(record, "notebook")) for record in records]


def replay(node: Any, study: Path, functions: int) -> None:
    """Run every step of every chain again: the same hashes, by so many functions at least."""
    lineages = lineages_of(node)
    assert [name for name, lineage in lineages if not lineage.traceable] == []
    assert [name for name, lineage in lineages if not lineage.steps] == []
    whole = Lineage.join([lineage for _, lineage in lineages])
    assert len({step.function for step in whole.steps}) >= functions
    # each step once: of many values most steps are the same
    Trace(str(study), whole, "").replay(study.parent)
