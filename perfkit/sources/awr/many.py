"""Many AWR or Statspack reports as one reading: a set of load points is hundreds of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from perfkit.core.archives import opened
from perfkit.core.errors import UsageError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Reading, reading
from perfkit.sources import sample_stamp
from perfkit.sources.awr.read import read_awr
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.files import evidence_of_many, sections_of
from perfkit.sources.processes import MOST_WORKERS, cores, spread

VERSION = 1

# the tables of one report are not kept by themselves: their origin is that of the whole
_read: Callable[..., Reading] = inspect.unwrap(read_awr)


WORTH_A_WORKER = 3_000_000
"""Bytes of reports for each process: starting a worker takes as long as reading some of them."""

_One = tuple[Evidence, dict[str, pl.DataFrame]]
"""A report by itself: its evidence, and its tables."""


def read_awr_reports(
    paths: Sequence[Path | str],
    *,
    root: Path | None = None,
    tables: Sequence[str] | None = None,
) -> Reading:
    """Read reports into common tables: those of ``read_awr``.

    Column ``file`` names the report of a row. Each report is a part of the evidence, with its hash
    and origin; its warnings stand with the whole. ``tables`` names the wanted ones. Large sets are
    read by several processes, as far as there are cores; the result is the same.

    Raises:
        ParseError: As ``read_awr``, for the first report that cannot be read.
        UsageError: No path was given, or a name in ``tables`` that is no table.
    """
    (found,) = read_awr_sets([paths], root=root, tables=tables)
    return found


def read_awr_sets(
    sets: Sequence[Sequence[Path | str]],
    *,
    root: Path | None = None,
    tables: Sequence[str] | None = None,
) -> list[Reading]:
    """Several sets of reports, each as ``read_awr_reports``, read together; errors as there."""
    if not all(sets):
        raise UsageError("no report was named")
    sets = [[opened(path) for path in paths] for paths in sets]
    every = [str(path) for paths in sets for path in paths]
    size = sum(path.stat().st_size for path in map(Path, every) if path.is_file())
    processes = min(cores(), 1 + MOST_WORKERS, size // WORTH_A_WORKER)
    shared = (root, None if tables is None else list(tables))
    found = iter(spread(f"{__name__}:read_one", every, shared, processes))
    return [_joined(paths, [next(found) for _ in paths], root) for paths in sets]


def read_one(path: str, shared: tuple[Path | None, list[str] | None]) -> _One:
    """One report of a set; ``shared`` is what the whole set is read with: root and tables."""
    root, tables = shared
    one = _read(path, root=root, tables=tables)
    made = sample_stamp.origin_of(Path(path))
    frames = {name: table.frame for name, table in one.tables.items()}
    return one.evidence.of_origin(made) if made else one.evidence, frames


def _joined(paths: Sequence[Path | str], read: list[_One], root: Path | None) -> Reading:
    parts = [evidence for evidence, _ in read]
    joined = {
        name: _one_below_the_other(name, read)
        for name in TABLES
        if any(name in own for _, own in read)
    }
    kinds = {part.kind for part in parts}
    tools = {(part.tool, part.tool_version) for part in parts}
    tool, release = next(iter(tools)) if len(tools) == 1 else (None, None)
    kind = f"{' and '.join(sorted(kinds))} reports"
    sections = sections_of(joined, "empty")
    whole = evidence_of_many(
        kind, parts, paths, root, tool=tool, tool_version=release, sections=sections
    )
    return reading("read.awr_reports", VERSION, joined, whole)


def _one_below_the_other(name: str, read: list[_One]) -> pl.DataFrame:
    """A table of all reports, with the column ``file``."""
    # the column is made once for all of them: made for each it took half as long as reading it
    own = [(evidence.path, tables[name]) for evidence, tables in read if name in tables]
    filled = [(path, frame) for path, frame in own if frame.height] or own[:1]
    files = [path for path, frame in filled for _ in range(frame.height)]
    whole = pl.concat([frame for _, frame in filled])
    return whole.insert_column(whole.width, pl.Series("file", files, pl.String))
