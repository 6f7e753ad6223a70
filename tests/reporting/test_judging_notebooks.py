"""Criteria of a study whose notebook is compare or oracle: verdict on the first page, exit code."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pypdf
import pytest
from forges import awr
from places import TESTS

from perfkit.cli.app import run
from perfkit.core.verdict import verdicts
from perfkit.study.demands import UNJUDGED

pytestmark = pytest.mark.slow

FIO = TESTS / "data/fio/rw75_jsonplus.json"

COMPARE = """\
report: {title: Two of a kind, date: 2026-03-04}
notebook: compare
evidence:
  - {files: a.json, labels: {config: A}}
  - {files: b.json, labels: {config: B}}
criteria:
  - {name: Read, metric: lat_mean_s, direction: read, comparison: '<', limit: LIMIT}
"""
ORACLE = """\
report: {title: A set, date: 2026-03-04}
notebook: oracle
evidence: [{files: '*.html'}]
criteria:
  - {name: Read, metric: lat_mean_s, direction: read, comparison: '<', limit: LIMIT}
"""


def compared(folder: Path) -> str:
    for name in ("a", "b"):
        shutil.copy(FIO, folder / f"{name}.json")
    return COMPARE


def of_oracle(folder: Path) -> str:
    for dialect in ("html-19c", "statspack"):
        content = awr.sample(7, narrow=dialect == "statspack")
        (folder / f"{dialect}.html").write_bytes(awr.forge(content, dialect).data)
    return ORACLE


FAILS = (3, "fail", "CRITERIA NOT MET: PASSED 0 of 2")
PASSES = (0, "pass", "CRITERIA MET 2 of 2")


@pytest.mark.parametrize("made", [compared, of_oracle])
@pytest.mark.parametrize(("limit", "expected"), [("1 us", FAILS), ("99 s", PASSES)])
def test_the_verdict_stands_with_the_findings_and_in_the_exit_code(tmp_path, made, limit, expected):
    """Each curve, or each report, is judged; nothing is left over as not judged."""
    code, outcome, headline = expected
    (tmp_path / "study.yml").write_text(made(tmp_path).replace("LIMIT", limit))
    out = tmp_path / "out"
    assert run(["report", str(tmp_path), "-o", str(out)]) == code
    (record,) = verdicts(nbformat.read(next(out.glob("*.ipynb")), as_version=4))
    assert (record["id"], record["outcome"]) == ("verdict", outcome)
    cover, findings, *_ = pypdf.PdfReader(next(out.glob("*.pdf"))).pages
    assert headline in " ".join(findings.extract_text().split())
    assert headline not in cover.extract_text()
    page = next(out.glob("*.html")).read_text()
    assert f'class="badge {outcome}"' in page
    assert UNJUDGED not in page
