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

    def age(named: tuple[str, Record]) -> tuple[int, int, str]:
        name, record = named
        return record.form, int(record.reader.rpartition(" ")[2]), name

    # of several records of a piece the newest counts
    found = {
        record.piece: (name, record) for name, record in sorted(_unnamed(layout, state), key=age)
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


def damage(layout: Layout, state: State) -> list[str]:
    """What is damaged or missing, a line each; every file that is live is read."""
    tables = {table.file for _, record in state.entries for table in record.written}
    raw = {file.sha256 for _, record in state.entries if record.raw for file in record.files}
    # the hash of its content is the last part of a table's name, and all of a raw file's
    files = [*(layout.root / file for file in sorted(tables)), *map(layout.raw, sorted(raw))]
    problems = ((path, _problem(path)) for path in files)
    return [*state.problems, *(f"{path}: {problem}" for path, problem in problems if problem)]


def leftovers(layout: Layout, state: State) -> int:
    """How many pieces were read and never became live: their writer was interrupted."""
    live = {entry.record for entry, _ in state.entries}
    known = {entry.piece for entry, _ in state.entries}
    names = [path.stem for path in layout.pieces.glob("*.json")]
    return sum(name not in live and name.partition("-")[0] not in known for name in names)


def _problem(path: Path) -> str | None:
    try:
        same = sha256_file(path).startswith(path.stem.rpartition("-")[2])
    except OSError as problem:
        return f"cannot be read: {problem.strerror}"
    return None if same else "damaged: not what its name says"
