"""The audit of a study: its declared relations, and those its printed tables show by themselves."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from perfkit.auditing.found.document import Reach, found_relations, reach
from perfkit.auditing.relations import audit
from perfkit.core.errors import StudyError
from perfkit.core.schema import Row
from perfkit.sources.printed.read import CELLS
from perfkit.study.opening import open_study

Rows = list[Row]


def audit_study(path: Path) -> tuple[Rows, Rows, Reach]:
    """Findings of a study's declared relations, those of its printed tables, and their reach.

    A cell that a declared relation checks is not told a second time.

    Raises StudyError where the study has no printed table, and what its evidence raises.
    """
    study = open_study(path)
    if not study.has("printed"):
        raise StudyError(study.path, "evidence: no entry has kind: printed: nothing to audit")
    printed = study.read_evidence("printed")
    frames = [item.frame for item in printed.values() if set(CELLS) <= set(item.frame.columns)]
    cells = pl.concat([frame.select(list(CELLS)) for frame in frames])
    declared = audit(printed, study.audit).frame.rows(named=True) if study.audit else []
    # a line is one of the table's own file: the place says which table
    stated = [{"file": str(study.path), **row, "line": None} for row in declared]
    known = {(row["table_id"], row["row"], row["column"]) for row in stated}
    found = found_relations(cells)
    others = [
        {"file": str(study.path), **row, "line": None}
        for row in found.iter_rows(named=True)
        if (row["table_id"], row["row"], row["column"]) not in known
    ]
    return stated, others, reach([*stated, *others], cells)
