"""A text and what the audit finds in it."""

from __future__ import annotations

import pytest

import perfkit as pk


@pytest.fixture
def found(tmp_path):
    """The checks of a text: ``found(text)``; of a CSV with ``name``."""

    def check(text, name="paper.md"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return pk.audit_document(pk.read_document(path)).frame.rows(named=True)

    return check
