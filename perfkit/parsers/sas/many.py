"""Many SAS logs as one reading: the logs of a workload are hundreds of small files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from perfkit import evidence as proof
from perfkit.errors import UsageError
from perfkit.evidence import Evidence, sha256_bytes
from perfkit.formats import sample_stamp
from perfkit.lineage import canonical_json, reading
from perfkit.parsers.sas.read import scan_sas
from perfkit.parsers.sas.schema import TABLES
from perfkit.schema import polars_schema

if TYPE_CHECKING:
    from perfkit.lineage import Reading

VERSION = 1


def read_sas_logs(paths: Sequence[Path | str], *, root: Path | None = None) -> Reading:
    """Read logs one after the other into common tables: those of ``read_sas``, a part a log.

    The tables tell the logs apart by ``file``. Each log is a part of the evidence, with its hash,
    its warnings and its origin.

    Raises:
        ParseError: As ``read_sas``, for the first log that cannot be read.
        UsageError: No path was given.
    """
    if not paths:
        raise UsageError("no log was named")
    frames: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    parts: list[Evidence] = []
    for path in paths:
        for found in scan_sas(path, root=root):
            if isinstance(found, Evidence):
                made = sample_stamp.origin_of(Path(path))
                parts.append(found.of_origin(made) if made else found)
                continue
            for name, frame in found.items():
                if frame.height:
                    frames[name].append(frame)
    tables = {
        name: pl.concat(items) if items else pl.DataFrame(schema=polars_schema(TABLES[name]))
        for name, items in frames.items()
    }
    whole = Evidence(
        kind="sas logs",
        path=proof.label(Path(paths[0]).parent, root) if len(paths) > 1 else parts[0].path,
        sha256=sha256_bytes(canonical_json([part.sha256 for part in parts]).encode()),
        tool=parts[0].tool if len({part.tool for part in parts}) == 1 else None,
        warnings=tuple(f"{part.path}: {text}" for part in parts for text in part.warnings),
        unverified=any(part.unverified for part in parts),
        parts=tuple(parts),
    )
    return reading("perfkit.parsers.sas.read_sas_logs", VERSION, tables, whole)
