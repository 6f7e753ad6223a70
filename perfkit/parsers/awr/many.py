"""Many AWR or Statspack reports as one reading: a set of load points is hundreds of them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from perfkit import evidence as proof
from perfkit.errors import UsageError
from perfkit.evidence import Evidence, Section, sha256_bytes
from perfkit.formats import sample_stamp
from perfkit.lineage import Reading, canonical_json, reading
from perfkit.parsers.awr.read import read_awr
from perfkit.parsers.awr.schema import TABLES

VERSION = 1

# the tables of one report are not kept by themselves: their origin is that of the whole
_read: Callable[..., Reading] = inspect.unwrap(read_awr)


def read_awr_reports(
    paths: Sequence[Path | str],
    *,
    root: Path | None = None,
    tables: Sequence[str] | None = None,
) -> Reading:
    """Read reports one after the other into common tables: those of ``read_awr``.

    The tables tell the reports apart by ``file``. Each report is a part of the evidence, with its
    hash and origin; its warnings stand with the whole. ``tables`` names those that are wanted.

    Raises:
        ParseError: As ``read_awr``, for the first report that cannot be read.
        UsageError: No path was given, or a name in ``tables`` that is no table.
    """
    if not paths:
        raise UsageError("no report was named")
    parts: list[Evidence] = []
    found: dict[str, list[pl.DataFrame]] = {}
    for path in paths:
        one = _read(path, root=root, tables=tables)
        made = sample_stamp.origin_of(Path(path))
        parts.append(one.evidence.of_origin(made) if made else one.evidence)
        for name, table in one.tables.items():
            if len(table):
                file = pl.lit(one.evidence.path).alias("file")
                found.setdefault(name, []).append(table.frame.with_columns(file))
            elif name not in found:
                found[name] = []
                empty = table.frame.with_columns(pl.lit(None, pl.String).alias("file"))
                found[name].append(empty.clear())
    joined = {name: pl.concat(found[name]) for name in TABLES if name in found}
    kinds = {part.kind for part in parts}
    tools = {(part.tool, part.tool_version) for part in parts}
    tool, release = next(iter(tools)) if len(tools) == 1 else (None, None)
    folder = Path(os.path.commonpath([Path(path).resolve().parent for path in paths]))
    whole = Evidence(
        kind=f"{' and '.join(sorted(kinds))} reports",
        path=proof.label(folder, root) if len(paths) > 1 else parts[0].path,
        sha256=sha256_bytes(canonical_json([part.sha256 for part in parts]).encode()),
        tool=tool,
        tool_version=release,
        warnings=tuple(f"{part.path}: {text}" for part in parts for text in part.warnings),
        unverified=any(part.unverified for part in parts),
        sections=tuple(
            Section(name, "found" if len(table) else "empty", len(table))
            for name, table in joined.items()
        ),
        # hundreds of parts stand in the record of every value: what is told above is left out
        parts=tuple(replace(part, sections=(), warnings=()) for part in parts),
    )
    return reading("perfkit.parsers.awr.read_awr_reports", VERSION, joined, whole)
