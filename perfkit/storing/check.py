"""Whether a store is whole: every file against what its name or its record says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.evidence import sha256_file

if TYPE_CHECKING:
    from perfkit.storing.index import State
    from perfkit.storing.layout import Layout


def damage(layout: Layout, state: State) -> list[str]:
    """What is damaged or missing, a line each; every file that is live is read."""
    return [*state.problems, *_tables(layout, state), *_raw(layout, state)]


def leftovers(layout: Layout, state: State) -> int:
    """How many pieces were read and never became live: their writer was interrupted."""
    live = {entry.record for entry, _ in state.entries}
    known = {entry.piece for entry, _ in state.entries}
    names = [path.stem for path in layout.pieces.glob("*.json")]
    return sum(name not in live and name.partition("-")[0] not in known for name in names)


def _tables(layout: Layout, state: State) -> Iterator[str]:
    files = {table.file for _, record in state.entries for table in record.written}
    for file in sorted(files):
        path = layout.root / file
        problem = _problem(path, path.stem.rpartition("-")[2])
        if problem:
            yield f"{path}: {problem}"


def _raw(layout: Layout, state: State) -> Iterator[str]:
    hashes = {file.sha256 for _, record in state.entries if record.raw for file in record.files}
    for sha256 in sorted(hashes):
        problem = _problem(layout.raw(sha256), sha256)
        if problem:
            yield f"{layout.raw(sha256)}: {problem}"


def _problem(path: Path, digest: str) -> str | None:
    try:
        return None if sha256_file(path).startswith(digest) else "damaged: not what its name says"
    except OSError as problem:
        return f"cannot be read: {problem.strerror}"
