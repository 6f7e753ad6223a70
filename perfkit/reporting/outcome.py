"""A report that was made: the endings of its files, and the outcome over its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfkit.core.values import MIME, combined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfkit.core.values import Outcome

ENDINGS = (".ipynb", ".pdf", ".html")


def verdicts(notebook: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The record of every verdict in an executed notebook, also of hidden cells.

    ``notebook`` is its JSON: the scheduler does not import nbformat, which takes a second.
    """
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(MIME["verdict"])
            if record is not None:
                yield record


def outcome_of(notebook: Mapping[str, Any]) -> Outcome | None:
    """The gravest outcome over the verdicts that judged something; None where none did."""
    found = [record["outcome"] for record in verdicts(notebook) if record["judgements"]]
    return combined(found) if found else None
