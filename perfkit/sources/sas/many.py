"""Many SAS logs as one reading: the logs of a workload are hundreds of small files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from perfkit.core import evidence as proof
from perfkit.core.archives import opened
from perfkit.core.errors import UsageError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, reading
from perfkit.sources.files import evidence_of_many, sections_of
from perfkit.sources.sas.frames import step_frame, table_frame
from perfkit.sources.sas.read import scan_rows
from perfkit.sources.sas.record import Usual
from perfkit.sources.sas.rows import Row
from perfkit.sources.sas.schema import TABLES
from perfkit.sources.sas.usual import FULLSTIMER_COLUMNS, STIMER_COLUMNS

VERSION = 1


class _Rows:
    """What the logs hold, kept as rows: frames are made once for all of them, not for each."""

    def __init__(self) -> None:
        self.usual: Usual = ([], [])
        self.usual_files: tuple[list[str], list[str]] = ([], [])
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.files: dict[str, list[str]] = {name: [] for name in TABLES}

    def add(self, label: str, usual: Usual, rows: dict[str, list[Row]]) -> None:
        """What was found in one log."""
        for flat, files, new, names in zip(
            self.usual, self.usual_files, usual, (STIMER_COLUMNS, FULLSTIMER_COLUMNS), strict=True
        ):
            flat.extend(new)
            files.extend([label] * (len(new) // len(names)))
        for name, own in rows.items():
            self.rows[name].extend(own)
            self.files[name].extend([label] * len(own))

    def frames(self) -> dict[str, pl.DataFrame]:
        """The tables, in order of the logs' names and lines."""
        tables = {
            name: _of_files(table_frame(rows, TABLES[name], ""), self.files[name])
            for name, rows in self.rows.items()
        }
        short, full = self.usual
        parts = [
            _of_files(step_frame((short, []), [], ""), self.usual_files[0]),
            _of_files(step_frame(([], full), [], ""), self.usual_files[1]),
            tables["steps"],
        ]
        tables["steps"] = pl.concat(parts).sort("file", "line", maintain_order=True)
        return tables


def _of_files(frame: pl.DataFrame, files: list[str]) -> pl.DataFrame:
    """The frame with the log of each row."""
    return frame.with_columns(pl.Series("file", files, dtype=pl.String))


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
    found = _Rows()
    parts: list[Evidence] = []
    for path in map(opened, paths):
        label = proof.label(path, root)
        for item in scan_rows(path, root=root):
            if isinstance(item, Evidence):
                parts.append(item)
            else:
                found.add(label, *item.take())
    tables = found.frames()
    tool = parts[0].tool if len({part.tool for part in parts}) == 1 else None
    sections = sections_of(tables, "empty")
    whole = evidence_of_many("sas logs", parts, paths, root, tool=tool, sections=sections)
    return reading("read.sas_logs", VERSION, tables, whole)
