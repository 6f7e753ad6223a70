"""Commits: small numbered files that say which pieces are live from there on.

The number is the order, so that no clock is asked. It is taken by the name of the file, which only
one writer gets (link), as writers of Delta tables do it; the others take the next.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from perfkit.core.errors import StoreError
from perfkit.storing.layout import FORMAT, Layout, loaded, packed

_DIGITS = 8


@dataclass(frozen=True)
class Entry:
    """A piece that a commit makes live.

    Attributes:
        piece: What it is known by.
        record: The name of its record; "" takes the piece away.
        name: What it was called when it was ingested.
        labels: What its user said of it.
    """

    piece: str
    record: str
    name: str = ""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Commit:
    """Pieces that became live together, or were taken away."""

    number: int
    entries: tuple[Entry, ...]


def commit(layout: Layout, entries: Sequence[Entry]) -> int | None:
    """Make pieces live; returns the number of the commit, None where there is nothing to say.

    What the entries name must be in the store. Raises OSError; then nothing became live.
    """
    if not entries:
        return None
    number = max(numbers(layout), default=0) + 1
    while not _took(layout, number, entries):
        number += 1
    return number


def _took(layout: Layout, number: int, entries: Sequence[Entry]) -> bool:
    """Whether the commit of a number was written: another writer may have taken it before."""
    try:
        with layout.place(layout.commits / commit_name(number), exclusive=True) as fresh:
            fresh.write_bytes(_packed(entries))
    except FileExistsError:
        return False
    return True


Change = Callable[[Entry], Entry | None]
"""What becomes of a live piece; None where nothing changes."""


def commit_changed(layout: Layout, change: Change, before: Mapping[str, Entry], after: int) -> int:
    """Commit what a change makes of pieces as they are when the commit gets its number.

    What others said meanwhile is seen: the change is asked again, of what is live now.

    Args:
        layout: The store.
        change: What becomes of a piece.
        before: By piece what was live.
        after: The number of the last commit in which it was.

    Returns how many pieces changed. Raises OSError, and what ``change`` raises.
    """
    now, seen = dict(before), after
    while True:
        newest = max(numbers(layout), default=0)
        for number in range(seen + 1, newest + 1):
            name = commit_name(number)
            said = commit_of(name, (layout.commits / name).read_bytes())
            now |= {entry.piece: entry for entry in said.entries if entry.piece in before}
        seen = newest
        entries = list(changed(change, now.values()))
        if not entries or _took(layout, newest + 1, entries):
            return len(entries)


def changed(change: Change, entries: Iterable[Entry]) -> Iterator[Entry]:
    """What a change makes of those pieces that it changes; what is gone stays so."""
    for entry in entries:
        new = change(entry) if entry.record else None
        if new is not None and new != entry:
            yield new


def replacing(records: Mapping[str, str], before: Mapping[str, Entry]) -> Change:
    """The change to other records, by piece, where the piece is still what it was."""

    def change(entry: Entry) -> Entry | None:
        record = records.get(entry.piece)
        same = entry.record == before[entry.piece].record
        return replace(entry, record=record) if record and same else None

    return change


def write_lost(layout: Layout, number: int) -> None:
    """Put a commit that says nothing in the place of one that is lost."""
    with layout.place(layout.commits / commit_name(number)) as fresh:
        fresh.write_bytes(_packed([]))


def _packed(entries: Sequence[Entry]) -> bytes:
    plain = [{**vars(entry), "labels": dict(entry.labels)} for entry in entries]
    digest = hashlib.sha256(packed({"entries": plain})).hexdigest()
    return packed({"format": FORMAT, "entries": plain, "sha256": digest})


_BEHIND, _END = b',\n "format": ', b"\n}\n"
"""What stands behind the entries of a packed commit, and what ends a packed object."""


def numbers(layout: Layout) -> list[int]:
    """The numbers of the commits that are there, in order."""
    with os.scandir(layout.commits) as items:
        return numbers_among([item.name for item in items])


def numbers_among(files: Iterable[str]) -> list[int]:
    """Likewise of those among some files of their folder."""
    named = [file.removesuffix(".json") for file in files if file.endswith(".json")]
    return sorted(int(stem) for stem in named if stem.isdecimal())


def commit_name(number: int) -> str:
    """The name of a commit's file."""
    return f"{number:0{_DIGITS}}.json"


@lru_cache(maxsize=4096)  # who ingests one by one reads the same small commits each time
def commit_of(file: str, content: bytes) -> Commit:
    """A commit as the file of that name has it.

    Raises StoreError where it is damaged, NewerFormError for a newer form.
    """
    found = loaded(content)
    # its entries as they were hashed stand before the rest: made anew they would cost ten times
    entries = content.rpartition(_BEHIND)[0] + _END
    if found.get("sha256") != hashlib.sha256(entries).hexdigest():
        raise StoreError("damaged: its content is not what its hash says")
    said = tuple(
        Entry(item["piece"], item["record"], item["name"], tuple(item["labels"].items()))
        for item in found["entries"]
    )
    return Commit(int(file.removesuffix(".json")), said)


def live(commits: Sequence[Commit]) -> list[Entry]:
    """The live pieces after some commits, in the order in which they came: the last word counts."""
    found: dict[str, Entry] = {}
    for one in sorted(commits, key=lambda item: item.number):
        for entry in one.entries:
            found.pop(entry.piece, None)
            if entry.record:
                found[entry.piece] = entry
    return list(found.values())
