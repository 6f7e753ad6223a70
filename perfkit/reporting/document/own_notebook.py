"""An author's own notebook: how it is told from a report on a study, and captions in its text."""

from __future__ import annotations

import copy
import itertools
import re
from typing import Any

from perfkit.core.values import MIME

_CAPTION = re.compile(r"\s*[*_]{0,2}(?:Figure|Table|Caption):[*_]{0,2}\s*(?P<words>\S[^\n]*)\n?")


def is_own(notebook: Any) -> bool:
    """Whether no cell shows front matter: the notebook is no report on a study."""
    return not any(
        MIME["front"] in output.get("data", {})
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )


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


def own_front(notebook: Any, name: str | None) -> dict[str, Any]:
    """Title and authors of the notebook's metadata; without a title the notebook's name."""
    given = notebook.metadata.get("authors") or []
    authors = [item.get("name") if isinstance(item, dict) else item for item in given]
    return {
        "title": str(notebook.metadata.get("title") or name or "Report"),
        "authors": [str(author) for author in authors if author],
    }
