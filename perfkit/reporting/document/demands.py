"""Every criterion of a study is judged by its notebook, or named here as not judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from perfkit.analysis.verdicts.judge import judgement_of, nothing, rule_text
from perfkit.core.errors import StudyError, did_you_mean
from perfkit.core.evidence import Evidence, Lineage, Origin, sha256_file
from perfkit.core.verdict import Verdict, verdicts
from perfkit.formats.yaml_file import line_of

if TYPE_CHECKING:
    from perfkit.study.opened import Study

UNJUDGED = "criteria-not-judged"
"""The id of the verdict on criteria that a notebook passes over."""

HEADING = "Criteria that were not judged"


def complete(node: Any, study: Study, notebook: str) -> Any:
    """The executed notebook with a verdict on those criteria of the study that it did not judge.

    Raises StudyError for a subject that is meant to fail and that no criterion was applied to.
    """
    found = [item for record in verdicts(node) for item in record["judgements"]]
    _check_meant(study, found)
    judged = {item.get("demand") for item in found}
    left = [item for item in study.criteria if item.demand not in judged]
    if not left:
        return node
    reason = f"the notebook {notebook} does not judge it"
    verdict = Verdict(
        UNJUDGED,
        tuple(judgement_of(item, nothing(item, reason), rule_text(item)) for item in left),
        lineage=_stated(study),
    )
    from perfkit.reporting.execute.quick_nbformat import nbformat

    make = nbformat.v4
    level = "#" if _chapters(node) > 1 else "##"
    data = verdict._repr_mimebundle_()
    shown = make.new_code_cell("", outputs=[make.new_output("display_data", data)])
    node.cells += [make.new_markdown_cell(f"{level} {HEADING}"), shown]
    return node


def _chapters(node: Any) -> int:
    """Headings of the first level: a single one is the notebook's title."""
    return sum(
        line.startswith("# ")
        for cell in node.cells if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
    )  # fmt: skip


def _stated(study: Study) -> Lineage:
    stated = Evidence("study", study.path.name, sha256_file(study.path),
                      origin=Origin("asserted", "the study"))  # fmt: skip
    return replace(Lineage(), evidence=(stated,), traceable=True)


def _check_meant(study: Study, found: list[dict[str, Any]]) -> None:
    subjects = [item["answer"] for item in found if item.get("answer")]
    if not subjects:
        return
    for number, meant in enumerate(study.model.meant_to_fail):
        if any(all(s.get(k) == v for k, v in meant.where.items()) for s in subjects):
            continue
        words = ", ".join(f"{key} {text!r}" for key, text in meant.where.items())
        key, text = next(iter(meant.where.items()))
        known = sorted({str(s[key]) for s in subjects if s.get(key)})
        raise StudyError(
            study.path,
            f"meant_to_fail[{number}]: no subject with {words} was judged; "
            f"{did_you_mean(text, known)}",
            line_of(study.path, ("meant_to_fail", number)),
        )
