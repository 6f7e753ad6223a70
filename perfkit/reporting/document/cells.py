"""The cells of a notebook as a report reads them, and whether the notebook is an author's own."""

from __future__ import annotations

import copy
import itertools
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.values import MIME, shown_as
from perfkit.reporting.document.blocks import Block
from perfkit.reporting.document.numbering import shows

if TYPE_CHECKING:
    from perfkit.reporting.document.lineages import Lineages

HIDDEN = frozenset({"remove-output", "remove_output", "remove-cell", "remove_cell"})
"""Tags of cells whose outputs are not shown (their statements can still be placed by id)."""


@dataclass(frozen=True)
class Notes:
    """What an author says of a cell's output in its metadata: ``perfkit: {caption, alt, ...}``."""

    caption: str | None = None
    alt: str | None = None
    id: str = ""
    height_mm: float = 88.0
    wide: bool = False


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
    notes: Notes
    lineages: Lineages
    own: bool = False
    folder: Path = Path()
    place: int = 1

    @property
    def value_id(self) -> str:
        """The id of what perfkit did not make: the author's, or the cell's with its place."""
        name = self.notes.id or self.origin.replace(" ", "-")
        return name if self.place == 1 else f"{name}-{self.place}"

    def after(self, blocks: tuple[Block, ...]) -> Cell:
        """The cell for its next output: the caption belongs to the first thing that it shows."""
        if not any(shows(block) for block in blocks):
            return self
        notes = replace(self.notes, caption=None, alt=None)
        return replace(self, notes=notes, place=self.place + 1)

    @classmethod
    def of(cls, cell: Any, origin: str, lineages: Lineages, folder: Path, *, own: bool) -> Cell:
        """The cell's metadata: ``perfkit: {alt, caption, id}``, or ``alt`` alone."""
        metadata = cell.get("metadata", {})
        given = {"alt": metadata.get("alt"), **metadata.get("perfkit", {})}
        notes = Notes(
            caption=given.get("caption") or None,
            alt=given["alt"] or None,
            id=str(given.get("id") or ""),
            height_mm=float(given.get("height_mm", Notes.height_mm)),
            wide=bool(given.get("wide", False)),
        )
        return cls(origin, frozenset(metadata.get("tags", [])), notes, lineages, own, folder)


_CAPTION = re.compile(r"\s*[*_]{0,2}(?:Figure|Table|Caption):[*_]{0,2}\s*(?P<words>\S[^\n]*)\n?")


def is_own(notebook: Any) -> bool:
    """Whether no cell shows front matter: the notebook is not a report on a study."""
    return next(shown_as(MIME["front"], notebook), None) is None


def own_captions(notebook: Any) -> list[Any]:
    """The cells, with a caption that begins a Markdown cell given to the code cell above.

    "Figure: How it was wired." is one; "Figure 3: ..." is none, as a report counts its figures
    itself. A caption in the cell's metadata stays.
    """
    cells = list(notebook.cells)
    for place, (before, cell) in enumerate(itertools.pairwise(cells)):
        found = _CAPTION.match(cell.source) if cell.cell_type == "markdown" else None
        if found is None or before.cell_type != "code" or not before.get("outputs"):
            continue
        given = before.get("metadata", {}).get("perfkit", {})
        if "caption" in given:
            continue
        cells[place], cells[place + 1] = copy.copy(before), copy.copy(cell)
        words = found["words"].strip().rstrip("*_")
        metadata = {**before.get("metadata", {}), "perfkit": {**given, "caption": words}}
        cells[place]["metadata"] = metadata
        cells[place + 1]["source"] = cell.source[found.end() :]
    return cells
