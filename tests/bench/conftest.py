"""The ratios that benchmarks measure are kept for tools/bench_guard.py."""

from __future__ import annotations

import json

import pytest
from places import TESTS

MEASURED = TESTS / "bench/measured.json"


@pytest.fixture
def ratio():
    """Keep a ratio by its name, and whether ``higher`` or ``lower`` is better."""

    def keep(name: str, value: float, better: str) -> None:
        known = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
        known[name] = {"ratio": round(value, 3), "better": better}
        MEASURED.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")

    return keep
