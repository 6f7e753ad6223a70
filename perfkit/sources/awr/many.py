"""Many AWR or Statspack reports as one reading: a set of load points is hundreds of them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from perfkit.core.archives import opened
from perfkit.core.errors import UsageError
from perfkit.core.evidence import Evidence, Section
from perfkit.core.lineage import Reading, reading
from perfkit.core.spread import cores
from perfkit.sources import sample_stamp
from perfkit.sources.awr import frames
from perfkit.sources.awr.read import read_columns
from perfkit.sources.awr.schema import TABLES
from perfkit.sources.awr.tidy import Data, size_of
from perfkit.sources.files import evidence_of_many, sections_of
from perfkit.sources.processes import MOST_WORKERS, PIECES_EACH, spread

VERSION = 1

WORTH_A_WORKER = 8_000_000
"""Bytes of reports for each process: a worker's start takes the CPU time of 16 MB of reports."""

MOST_TOGETHER = 16
"""Reports whose tables are made together: small frames of each would need twice the memory."""

_Block = tuple[list[Evidence], dict[str, bytes]]
"""Some reports: their evidence, and the tables of all of them, packed.

Packed they need a tenth of the memory: names of events and files are in them by the thousand.
"""


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
        UsageError: No path was given, or a name in ``tables`` that is not a table.
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
    places = [[Path(opened(path)) for path in paths] for paths in sets]
    every = [path for paths in places for path in paths]
    size = sum(path.stat().st_size for path in every if path.is_file())
    processes = min(cores(), 1 + MOST_WORKERS, max(1, size // WORTH_A_WORKER))
    together = min(MOST_TOGETHER, -(-len(every) // (processes * PIECES_EACH)))
    blocks = [
        (number, [str(path) for path in paths[start : start + together]])
        for number, paths in enumerate(places)
        for start in range(0, len(paths), together)
    ]
    shared = (root, None if tables is None else list(tables))
    read = spread(f"{__name__}:read_block", [block for _, block in blocks], shared, processes)
    own: list[list[_Block]] = [[] for _ in places]
    for (number, _), block in zip(blocks, read, strict=True):
        own[number].append(block)
    del read
    return [_joined(paths, own.pop(0), root) for paths in places]


def read_block(paths: Sequence[str], shared: tuple[Path | None, list[str] | None]) -> _Block:
    """Some reports of a set; ``shared`` is what the whole set is read with: root and tables."""
    root, tables = shared
    parts: list[Evidence] = []
    columns: list[dict[str, Data]] = []
    for path in paths:
        evidence, own = read_columns(path, root, tables)
        made = sample_stamp.origin_of(Path(path))
        gaps = tuple(section for section in evidence.sections if section.status != "found")
        parts.append(replace(evidence.of_origin(made) if made else evidence, sections=gaps))
        columns.append(own)
    return parts, {name: _packed(_one_below_the_other(name, parts, columns)) for name in columns[0]}


def _packed(frame: pl.DataFrame) -> bytes:
    packed = io.BytesIO()
    frame.with_columns(pl.col(pl.String).cast(pl.Categorical)).write_ipc(packed, compression="lz4")
    return packed.getvalue()


def _unpacked(packed: list[bytes]) -> pl.DataFrame:
    """Tables one below the other; each text is held once, however often it occurs."""
    parts = [pl.read_ipc(io.BytesIO(one)) for one in packed]
    return pl.concat(parts, rechunk=True).with_columns(pl.col(pl.Categorical).cast(pl.String))


def _one_below_the_other(
    name: str, parts: Sequence[Evidence], columns: Sequence[dict[str, Data]]
) -> pl.DataFrame:
    """A table of some reports, with the column ``file``."""
    chunks = [own[name] for own in columns]
    files = [
        part.path for part, chunk in zip(parts, chunks, strict=True) for _ in range(size_of(chunk))
    ]
    whole = frames.framed(name, frames.joined(name, chunks))
    return whole.insert_column(whole.width, pl.Series("file", files, pl.String))


def _joined(paths: Sequence[Path | str], read: list[_Block], root: Path | None) -> Reading:
    parts = [evidence for own, _ in read for evidence in own]
    tables = [own for _, own in read]
    joined = {
        name: _unpacked([own.pop(name) for own in tables]) for name in TABLES if name in tables[0]
    }
    kinds = {part.kind for part in parts}
    tools = {(part.tool, part.tool_version) for part in parts}
    tool, release = next(iter(tools)) if len(tools) == 1 else (None, None)
    kind = f"{' and '.join(sorted(kinds))} reports"
    sections = (*sections_of(joined, "empty"), *_gaps(parts))
    whole = evidence_of_many(
        kind, parts, paths, root, tool=tool, tool_version=release, sections=sections
    )
    return reading("read.awr_reports", VERSION, joined, whole)


def _gaps(parts: Sequence[Evidence]) -> Iterator[Section]:
    """The sections that reports lack or that could not be read, each once, with their number."""
    files: dict[Section, list[str]] = {}
    for part in parts:
        for section in part.sections:
            files.setdefault(section, []).append(part.path)
    for section, paths in files.items():
        where = paths[0] if len(paths) == 1 else f"{len(paths):,} of {len(parts):,} reports"
        yield replace(section, rows=None, reason=f"{section.reason}, in {where}")
