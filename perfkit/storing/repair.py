"""Whether a store is whole; and what lost commits made live, as far as its records tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perfkit.core.errors import StoreError
from perfkit.core.evidence import sha256_file
from perfkit.storing.commits import Entry, commit, write_lost
from perfkit.storing.records import record_of

if TYPE_CHECKING:
    from pathlib import Path

    from perfkit.storing.index import State
    from perfkit.storing.layout import Layout
    from perfkit.storing.records import Record


def repair(layout: Layout, state: State) -> list[str]:
    """Bring back the pieces of lost commits, and note these as lost; what was lost, a line each.

    A piece comes back when no other commit names it: whole, under the name of its evidence. Its
    labels, and what a lost commit said of other pieces, are not known any more.
    """
    if not state.lost:
        return []
    found = {
        record.piece: (name, record) for name, record in sorted(_unnamed(layout, state), key=_age)
    }
    entries = [
        Entry(piece, name, record.evidence.get("path", piece))
        for piece, (name, record) in found.items()
    ]
    commit(layout, entries)  # first: what follows says that nothing is left to do
    for number in state.lost:
        write_lost(layout, number)
    numbers = ", ".join(map(str, state.lost))
    return [
        f"commit {numbers} is lost: labels that it gave, and pieces that it removed, are not known",
        *(f"{entry.name} is live again, without labels" for entry in entries),
    ]


def _unnamed(layout: Layout, state: State) -> Iterator[tuple[str, Record]]:
    """The records of pieces that no commit names, each with its name."""
    for path in layout.pieces.glob("*.json"):
        if path.stem.partition("-")[0] not in state.named:
            try:
                yield path.stem, record_of(path.name, path.read_bytes())
            except StoreError:
                continue  # damaged: its evidence has to be ingested again


def _age(named: tuple[str, Record]) -> tuple[int, int, str]:
    """Of several records of a piece the last in this order counts."""
    name, record = named
    return record.form, int(record.reader.rpartition(" ")[2]), name


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
