"""What an audit comes to: counts that are answers, and their sentences."""

from __future__ import annotations

import polars as pl
import pytest

import perfkit as pk
from perfkit.auditing.found.document import FOUND
from perfkit.auditing.relations.run import FINDINGS
from perfkit.core.answers import QUESTIONS, from_frame
from perfkit.core.errors import AnalysisError
from perfkit.core.lineage import Measured
from perfkit.core.schema import polars_schema
from perfkit.showing.statements.say import templates
from perfkit.sources.printed.read import CELLS

QUESTIONS_OF_AUDITS = ("relations_failed", "relations_in_doubt", "numbers_in_relations")


def findings(*outcomes, schema=FINDINGS, numbers="t:1:2;t:1:3"):
    """Findings with these outcomes, each over the same two numbers."""
    rows = [{"relation": i, "name": "n", "outcome": outcome,
             "numbers": None if outcome == "remark" else numbers}
            for i, outcome in enumerate(outcomes, 1)]  # fmt: skip
    return Measured(pl.DataFrame(rows, schema=polars_schema(schema)))


def printed(*numbers):
    """One row of cells; None is a cell without a number."""
    rows = [{"table_id": "t", "row": 1, "column": i, "number": x}
            for i, x in enumerate(numbers, 1)]  # fmt: skip
    return {"t": Measured(pl.DataFrame(rows, schema=polars_schema(CELLS)))}


def texts(found, cells):
    return {item.id: item.text for item in pk.say(pk.audit_summary(found, cells))}


EVERY = ("holds", "holds", "within rounding", "fails", "not checked", "remark", "fails", "holds")
TOLD = {
    "relations-failed": "Of 7 relations between printed numbers, 2 fail and rounding does not "
    "explain them; 3 hold as printed; 1 holds within rounding; 1 could not be checked. 1 fault was "
    "found by reading.",
    "numbers-in-relations": "At least 2 of 3 printed numbers took part in a relation; nothing is "
    "known about the others.",
}


def test_declared_relations_are_counted_by_their_outcome():
    assert texts(findings(*EVERY), printed(1, 2, 3, None)) == TOLD
    failed, _ = from_frame(pk.audit_summary(findings(*EVERY), printed(1, 2, 3)).frame)
    assert (failed.estimate.value, {c.metric: c.value for c in failed.conditions}) == (
        2.0,
        {"relations": 7.0, "holding": 3.0, "within_rounding": 1.0, "not_checked": 1.0,
         "remarks": 1.0},
    )  # fmt: skip


def test_where_nothing_fails_that_is_said_too():
    assert texts(findings("holds"), printed(1, 2))["relations-failed"] == (
        "Of 1 relation between printed numbers, none fails; 1 holds as printed."
    )


def test_errors_and_doubts_of_what_was_found_by_itself_are_told_apart():
    found = findings("fails", "doubt", "holds", schema=FOUND)
    assert set(texts(found, printed(1, 2, 3))) == {
        "relations-failed",
        "relations-in-doubt",
        "numbers-in-relations",
    }
    found = findings("doubt", "holds", schema=FOUND)
    assert texts(found, printed(1, 2, 3))["relations-in-doubt"] == (
        "Of 2 relations between printed numbers, 1 is in doubt, as perfkit reads the page; 1 holds "
        "as printed."
    )


@pytest.mark.parametrize(
    ("found", "name", "words"),
    [
        (findings(), "relations-failed",
         "Nothing to check: no relation was declared between printed numbers."),
        (findings("remark"), "relations-failed",
         "Nothing to check: no relation was declared between printed numbers. 1 fault was found by "
         "reading."),
        (findings(schema=FOUND), "relations-in-doubt",
         "Nothing to check: no relation was found between printed numbers."),
    ],
)  # fmt: skip
def test_an_audit_that_checked_nothing_says_so(found, name, words):
    assert texts(found, printed(1, 2)) == {
        name: words,
        "numbers-in-relations": "0 of 2 printed numbers took part in a relation: nothing was "
        "checked.",
    }


def test_a_document_is_counted_with_the_quantities_of_its_sentences(tmp_path):
    path = tmp_path / "report.md"
    sums = [(1, 2, 3), (4, 5, 13), (6, 7, 13), (8, 9, 17), (5, 6, 11)]
    lines = [f"| r{i} | {a} | {b} | {c} |" for i, (a, b, c) in enumerate(sums)]
    table = "\n".join(["| Run | A | B | Total |", "|---|---|---|---|", *lines])
    path.write_text(f"{table}\n\nThe array gave 900 IOPS.\n")
    document = pk.read_document(path)
    found = pk.audit_document(document)
    told = texts(found, document)
    assert told["relations-failed"].startswith(
        "Of 5 relations between printed numbers, 1 fails and rounding does not explain it"
    )
    assert told["numbers-in-relations"].startswith("At least 15 of 16 printed numbers took part")


def test_the_note_of_the_table_counts_as_the_sentence_does():
    """A remark is not a relation that was checked: not in the sentence, and not in the note."""
    assert pk.table_audit(findings(*EVERY)).note == "3 of 7 relations hold as printed."


def test_the_sentence_says_the_answer_whatever_the_findings_are():
    summary = pk.audit_summary(findings(*EVERY), printed(1, 2, 3)).frame
    value = pl.when(pl.col("question") == "relations_failed").then(41.0).otherwise("value")
    told = {item.id: item.text for item in pk.say(summary.with_columns(value=value))}
    assert "numbers, 41 fail and" in told["relations-failed"]


def test_findings_that_are_none_are_refused():
    with pytest.raises(AnalysisError, match="findings: no column 'numbers'"):
        pk.audit_summary(findings("holds").frame.drop("numbers"), printed(1))


def test_every_answer_of_an_audit_has_its_sentence():
    known = {key for key in templates() if key[0] in QUESTIONS_OF_AUDITS}
    assert known == {(q, *given) for q in QUESTIONS_OF_AUDITS for given in QUESTIONS[q].gives}
