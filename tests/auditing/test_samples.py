"""The audit leaves documents alone whose numbers agree: written here, in the forms of others."""

from __future__ import annotations

import pytest
from bench import count_judgements
from bench import test_audit_documents as bench
from places import TESTS

from perfkit.auditing.found.precision import JUDGED, UNSEEN

SAMPLES = TESTS / "data/audit/samples"


@pytest.mark.parametrize("path", sorted((SAMPLES / "own").iterdir()), ids=lambda p: p.name)
def test_a_right_document_has_no_finding(path):
    assert bench.findings_in(path) == {}


def test_the_precision_that_is_told_is_that_of_the_judgements():
    """Counted from the judgements; a family below nine of ten is not shipped."""
    assert count_judgements.tally() == JUDGED
    assert count_judgements.tally(unseen=True) == UNSEEN
    assert all(right >= 0.9 * judged for right, judged in JUDGED.values())
