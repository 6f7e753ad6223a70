"""The audit on documents written here: right ones are left alone, errors in them are found."""

from __future__ import annotations

import pytest
from bench import plant_errors as planting
from bench import test_audit_documents as bench
from places import TESTS

SAMPLES = TESTS / "data/audit/samples"
OWN = {path: rows for (_, path), rows in planting.supported().items() if rows[0].half == "own"}


@pytest.mark.parametrize("path", sorted((SAMPLES / "own").iterdir()), ids=lambda p: p.name)
def test_a_right_document_has_no_finding(path):
    assert bench.findings_in(path) == {}


@pytest.mark.parametrize("name", sorted(OWN))
def test_nine_of_ten_errors_are_found(name):
    text = planting.document(SAMPLES, OWN[name][0])
    errors = planting.plant(text, OWN[name])
    missed = [e for e in errors if not bench.judge(e, bench.findings(text, f".{name[-4:]}"))[0]]
    assert len(errors) >= 8
    assert 10 * len(missed) <= len(errors), missed
