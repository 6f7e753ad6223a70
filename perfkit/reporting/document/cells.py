"""A code cell as the readers of its outputs know it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.reporting.document.numbering import shows

if TYPE_CHECKING:
    from perfkit.reporting.document.blocks import Block
    from perfkit.reporting.document.lineages import Lineages

HIDDEN = frozenset({"remove-output", "remove_output", "remove-cell", "remove_cell"})
"""Tags of cells whose outputs are not shown (their statements can still be placed by id)."""


@dataclass(frozen=True)
class Cell:
    """A code cell: its name in messages, its tags, what its metadata says for perfkit.

    Attributes:
        lineages: Those of the notebook.
        own: Whether it stands in an author's own notebook, not in a report on a study.
        folder: Where pictures named in its output lie.
        place: How many values the cell has shown before, counted from 1.
    """

    origin: str
    tags: frozenset[str]
    notes: dict[str, Any]
    lineages: Lineages
    own: bool = False
    folder: Path = Path()
    place: int = 1

    @property
    def value_id(self) -> str:
        """The id of what perfkit did not make: the author's, or the cell's with its place."""
        name = str(self.notes.get("id") or self.origin.replace(" ", "-"))
        return name if self.place == 1 else f"{name}-{self.place}"

    def after(self, blocks: tuple[Block, ...]) -> Cell:
        """The cell for its next output: the caption belongs to the first thing that it shows."""
        if not any(shows(block) for block in blocks):
            return self
        notes = {key: value for key, value in self.notes.items() if key not in {"caption", "alt"}}
        return replace(self, notes=notes, place=self.place + 1)

    @classmethod
    def of(cls, cell: Any, origin: str, lineages: Lineages, folder: Path, *, own: bool) -> Cell:
        """The cell's metadata: ``perfkit: {alt, caption, id}``, or ``alt`` alone."""
        metadata = cell.get("metadata", {})
        notes = dict(metadata.get("perfkit", {}))
        if "alt" in metadata:
            notes.setdefault("alt", metadata["alt"])
        return cls(origin, frozenset(metadata.get("tags", [])), notes, lineages, own, folder)
