"""The chapter on criteria of a study that its notebook did not judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.core.verdict import verdicts
from perfkit.study.demands import not_judged

if TYPE_CHECKING:
    from perfkit.study.study import Study

HEADING = "Criteria that were not judged"


def complete(node: Any, study: Study, notebook: str) -> Any:
    """The executed notebook with a verdict on those criteria of the study that it did not judge.

    Raises StudyError for a subject that is meant to fail and that no criterion was applied to.
    """
    judged = [item for record in verdicts(node) for item in record["judgements"]]
    verdict = not_judged(study, judged, notebook)
    if verdict is None:
        return node
    from perfkit.reporting.execute.quick_nbformat import nbformat

    make = nbformat.v4
    level = "#" if _chapters(node) > 1 else "##"
    data = verdict._repr_mimebundle_()
    shown = make.new_code_cell("", outputs=[make.new_output("display_data", data)])
    node.cells += [make.new_markdown_cell(f"{level} {HEADING}"), shown]
    return node


def _chapters(node: Any) -> int:
    """Headings of the first level: a single one is the notebook's title."""
    lines = [
        line
        for cell in node.cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
    ]
    return sum(line.startswith("# ") for line in lines)
