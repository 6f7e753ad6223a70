"""A folder with a schedule, for every test."""

from __future__ import annotations

import pytest
from schedule_bench import Bench

from perfkit.core.errors import RunError


@pytest.fixture
def bench(tmp_path) -> Bench:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yml").write_text("report: {title: The array}\n")
    made = Bench(tmp_path)
    made.write()
    return made


@pytest.fixture
def fault() -> Exception:
    return RunError("sweep.ipynb: cell 3 ('x()'): ValueError: no such thing")
