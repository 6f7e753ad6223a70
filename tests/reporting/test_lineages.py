"""Lineages stored once a notebook: what is read back is what the values had."""

import json

import pytest

from perfkit.core.errors import ReportError
from perfkit.core.evidence import Evidence, Lineage, Origin, Section, Step
from perfkit.core.values import MIME, Statement
from perfkit.reporting.document.lineages import Lineages, store_of, take_out

PARTS = tuple(
    Evidence(
        "awr",
        f"awr_{number}.html",
        f"{number:064x}",
        "Oracle AWR",
        "19.0",
        origin=Origin("printed", "D"),
    )
    for number in range(40)
)
WHOLE = Evidence(
    "awr reports", "set", "ab", sections=(Section("SQL", "absent", None, "no such table"),),
    warnings=("a.html: cut",), unverified=True, parts=PARTS,
)  # fmt: skip
READ = Step("perfkit.read", 1, '{"table":"load_points"}', ("ab",), "cd")
SAID = Step("perfkit.say", 2, "{}", ("cd",), Statement("s", "Words.").content_hash())
LINEAGES = [
    Lineage((WHOLE,), (READ, SAID), traceable=True),
    Lineage((WHOLE, PARTS[3]), (SAID,), traceable=True, notes=("a note",)),
    Lineage((WHOLE,), (SAID,), traceable=True, set_aside=(PARTS[3], PARTS[4])),
    Lineage(),
]


def shown():
    """What three values show, as it comes out of a kernel."""
    values = [Statement(f"s-{n}", "Words.", lineage=item) for n, item in enumerate(LINEAGES)]
    return [json.loads(json.dumps(value._repr_mimebundle_())) for value in values]


def records(outputs):
    return [output[MIME["statement"]] for output in outputs]


def stored():
    metadata, outputs = {}, shown()
    for output in outputs:
        take_out(output, store_of(metadata))
    return json.loads(json.dumps([metadata, outputs]))


def test_nothing_of_a_lineage_is_lost():
    """Evidence with all parts, warnings, sections, origins; steps, notes, and untraceable ones."""
    metadata, outputs = stored()
    lineages = Lineages(metadata)
    assert [lineages.of(record, "cell 1") for record in records(outputs)] == LINEAGES
    assert [item.record() for item in LINEAGES] == [r["lineage"] for r in records(shown())]


def test_records_that_stand_beside_their_values_are_read_too():
    """As JupyterLab leaves them: without a store in the metadata."""
    lineages = Lineages({})
    assert [lineages.of(record, "cell 1") for record in records(shown())] == LINEAGES


def test_each_record_is_stored_once():
    metadata, outputs = stored()
    assert len(store_of(metadata)) == len({WHOLE, PARTS[3], PARTS[4]}) + 2
    assert len(json.dumps(outputs)) < 0.2 * len(json.dumps(shown()))
    before = json.dumps([metadata, outputs], sort_keys=True)
    for output in outputs:
        take_out(output, store_of(metadata))
    assert json.dumps([metadata, outputs], sort_keys=True) == before


def test_a_lineage_that_is_not_in_the_notebook_is_told():
    """A cell copied from another notebook must not pass as traceable, nor as untraceable."""
    _, outputs = stored()
    with pytest.raises(ReportError, match="cell 7: statement 's-0': the notebook does not hold"):
        Lineages({}).of(records(outputs)[0], "cell 7")


def test_other_outputs_stay_as_they_are():
    data = {"text/plain": "4", MIME["front"]: {"title": "T"}}
    take_out(data, {})
    assert data == {"text/plain": "4", MIME["front"]: {"title": "T"}}
