"""A store that lost commits: what they made live comes back as far as its records tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from perfkit.core.errors import StoreError
from perfkit.storing.commits import Entry, commit, write_lost
from perfkit.storing.records import record_of

if TYPE_CHECKING:
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
