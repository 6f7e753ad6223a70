"""The audit leaves documents alone whose numbers agree: written here, in the forms of others."""

from __future__ import annotations

import pytest
from bench import test_audit_documents as bench
from places import TESTS

SAMPLES = TESTS / "data/audit/samples"


@pytest.mark.parametrize("path", sorted((SAMPLES / "own").iterdir()), ids=lambda p: p.name)
def test_a_right_document_has_no_finding(path):
    assert bench.findings_in(path) == {}
