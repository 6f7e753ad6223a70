"""A report of several notebooks: their cells in one, each part with ids of its own.

A cell of a part has the part's name in its metadata. The ids of the values that it shows, and the
placeholders in its text, are the notebook's own; in the document the part's name stands before
them, so that two notebooks may use one id.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from perfkit.core.values import MIME

PART = "perfkit_part"
"""The key of the part's name in a cell's metadata."""

_PLACE = re.compile(r"\{\{\s*(say|see)\s+([^}\s]+)\s*\}\}")
_HEADING = re.compile(r"^(?=#{1,5} )", re.M)
_FENCE = re.compile(r"(^```.*?^```)", re.M | re.S)


def part_of(notebook: Any, name: str, title: str, parameters: Mapping[str, Any]) -> list[Any]:
    """The cells of a notebook as a part: below a heading, with its parameters set."""
    from perfkit.reporting.execute.quick_nbformat import nbformat

    make = nbformat.v4
    cells = [make.new_markdown_cell(f"# {title}")]
    for cell in copy.deepcopy(notebook.cells):
        tags = cell.metadata.get("tags", [])
        cells.append(cell)
        if cell.cell_type == "markdown":
            cell.source = _lower(cell.source)
        if "parameters" in tags:
            tags.remove("parameters")
            lines = [f"{key} = {value!r}" for key, value in parameters.items()]
            cells.append(make.new_code_cell("\n".join(lines)))
    for number, cell in enumerate(cells):
        cell.id = f"{name}-{number}"[:64]
        cell.metadata[PART] = name
    return cells


def _lower(text: str) -> str:
    """Markdown with every heading one level lower; code is left as it is."""
    pieces = _FENCE.split(text)
    return "".join(
        piece if number % 2 else _HEADING.sub("#", piece) for number, piece in enumerate(pieces)
    )


def scoped(notebook: Any) -> Any:
    """The executed notebook with the part's name before each id, and one front matter.

    A notebook without parts is given back as it is.
    """
    if not any(PART in cell.metadata for cell in notebook.cells):
        return notebook
    node = copy.deepcopy(notebook)
    fronts: list[Any] = []
    for cell in node.cells:
        name = cell.metadata.get(PART)
        if name is not None and cell.cell_type == "markdown":
            cell.source = _PLACE.sub(rf"{{{{\1 {name}-\2}}}}", cell.source)
        elif name is not None and cell.cell_type == "code":
            own = [output for output in cell.outputs if MIME["front"] in output.get("data", {})]
            fronts += own
            cell.outputs = [out for out in cell.outputs if out not in own or out is fronts[0]]
            for output in cell.outputs:
                _rename(output.get("data", {}), name)
    return node


def _rename(data: Any, part: str) -> None:
    for mime in MIME.values():
        if "id" in data.get(mime, {}):
            data[mime]["id"] = f"{part}-{data[mime]['id']}"
